"""What is counted, and small vectors of it."""

from __future__ import annotations

from enum import Enum


class Quantity(Enum):
    """Columns of the count table; the value is the column."""

    __hash__ = object.__hash__  # members are looked up in every step: skip the hash of the name

    SP_FLOP = 0
    DP_FLOP = 1
    HP_FLOP = 2
    TENSOR_FLOP = 3
    INT_OP = 4
    SPECIAL_OP = 5
    FP32_INSTRUCTIONS = 6
    FP64_INSTRUCTIONS = 7
    FP16_INSTRUCTIONS = 8
    CONVERSIONS = 9
    UNIFORM_OPS = 10
    """Integer work that runs once a warp, on the uniform datapath."""
    MOVES = 11
    """Moves, selects, predicate logic, float comparisons."""
    BRANCHES = 12
    GLOBAL_LOADS = 13
    GLOBAL_STORES = 14
    SHARED_LOADS = 15
    SHARED_STORES = 16
    LOCAL_LOADS = 17
    LOCAL_STORES = 18
    CONSTANT_LOADS = 19
    ATOMICS = 20
    BARRIERS = 21
    SHUFFLES = 22
    TENSOR_INSTRUCTIONS = 23
    INTEGER_COPIES = 24
    """Those of the integer operations that copy a register."""
    SPECIAL_UNIT_OP = 25
    """Instructions that the special-function unit takes: special functions, most conversions, counts of bits."""


ISSUED = tuple(
    quantity
    for quantity in Quantity
    if quantity
    not in {
        Quantity.SP_FLOP,
        Quantity.DP_FLOP,
        Quantity.HP_FLOP,
        Quantity.TENSOR_FLOP,
        Quantity.INTEGER_COPIES,
        Quantity.SPECIAL_UNIT_OP,
    }
)
"""Columns that count instructions (the others count the same instructions in another way)."""

Amounts = dict[Quantity, float]


def issued_in(amounts: Amounts) -> float:
    """Return the instructions of all kinds among amounts."""
    return sum(amounts.get(quantity, 0.0) for quantity in ISSUED)


def add_into(total: Amounts, part: Amounts, factor: float = 1.0) -> None:
    """Adds `factor` times `part` to `total` in place."""
    for quantity, amount in part.items():
        total[quantity] = total.get(quantity, 0.0) + factor * amount


def float_arithmetic(label: str, flop: int) -> Amounts:
    """One floating-point instruction: `flop` is 1, or 2 for a fused multiply-add."""
    counted, issued = _FLOAT_COLUMNS[label]
    return {counted: float(flop), issued: 1.0}


_FLOAT_COLUMNS = {
    "f32": (Quantity.SP_FLOP, Quantity.FP32_INSTRUCTIONS),
    "f64": (Quantity.DP_FLOP, Quantity.FP64_INSTRUCTIONS),
    "f16": (Quantity.HP_FLOP, Quantity.FP16_INSTRUCTIONS),
    "bf16": (Quantity.HP_FLOP, Quantity.FP16_INSTRUCTIONS),
}
