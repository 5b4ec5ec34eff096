"""Costs of LLVM's OpenMP device run time, read from `data/openmp.toml`."""

from __future__ import annotations

import functools
import tomllib
from importlib import resources
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.instructions.tables.costs import nearest_architecture
from roofstat.instructions.tables.quantities import Amounts, Quantity, float_arithmetic
from roofstat.program.openmp.runtime_calls import COMBINED, LOOKED_UP, SELECTING

if TYPE_CHECKING:
    from clang_queries.ir.types import Scalar

WORD_BYTES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeCost:
    """What one thread executes in one call.

    Attributes:
        int_op: integer instructions.
        int_per_word: further ones for each word of 32 bits of the datum, such as what moves it to a shuffle.
        operations: operations on the datum that the call works on, such as the additions of a reduction.
        other: further instructions: moves, barriers, accesses to shared memory.
    """

    int_op: float = 0.0
    int_per_word: float = 0.0
    operations: float = 0.0
    other: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _CodeLength:
    """Instructions of a call's code, most of which no thread executes; `per_word` for each word of the datum."""

    call: float = 0.0
    per_word: float = 0.0


@functools.cache
def _table() -> dict[str, RuntimeCost]:
    return {name: RuntimeCost(**counts) for name, counts in _data()["call"].items()}


@functools.cache
def _code_lengths() -> dict[str, _CodeLength]:
    return {name: _CodeLength(**counts) for name, counts in _data()["code"].items()}


@functools.cache
def _data() -> dict[str, dict[str, dict[str, float]]]:
    text = resources.files("roofstat.instructions").joinpath("data/openmp.toml").read_text("utf-8")
    return tomllib.loads(text)


_MEASURED = ("sm_86", "sm_90")


def runtime_cost(name: str, architecture: str = _MEASURED[0]) -> RuntimeCost | None:
    """Cost of a call of the device run time; None for a function that is not part of it.

    Args:
        name: Of the call, with the case that it stands for.
        architecture: For example ``sm_80``; what the newer one takes otherwise stands behind an ``@`` in the table.

    Example:
        >>> runtime_cost("__kmpc_target_init:spmd") is not None
        True
    """
    name, table = _plain(name), _table()
    nearest, _ = nearest_architecture(architecture, _MEASURED)
    for known in (f"{name}@{nearest}", name, name.removesuffix(LOOKED_UP)):
        if known in table:
            return table[known]
    return None


def runtime_amounts(name: str, scalar: Scalar, architecture: str = _MEASURED[0]) -> Amounts | None:
    """The same as quantities, for a datum of a type; None where the call is not known."""
    cost = runtime_cost(name, architecture)
    if cost is None:
        return None
    words = _words(scalar)
    int_op = cost.int_op + words * cost.int_per_word
    found: Amounts = {Quantity.INT_OP: int_op, Quantity.MOVES: cost.other}
    if name.endswith(COMBINED):
        found[Quantity.MOVES] += cost.operations * scalar.size_bytes / WORD_BYTES
    elif cost.operations and scalar.is_float and name.endswith(SELECTING):
        # A comparison and a choice: no arithmetic.
        found[Quantity.MOVES] += cost.operations * scalar.size_bytes / WORD_BYTES
    elif cost.operations and scalar.is_float:
        for quantity, amount in float_arithmetic(scalar.label, 1).items():
            found[quantity] = found.get(quantity, 0.0) + amount * cost.operations
    elif cost.operations:
        found[Quantity.INT_OP] += cost.operations * words
    return {quantity: amount for quantity, amount in found.items() if amount}


def runtime_code(name: str, scalar: Scalar) -> float:
    """Instructions that the code of a call is long, for a datum of a type; 0 where threads execute nearly all of it."""
    found = _code_lengths().get(_plain(name), _CodeLength())
    return found.call + found.per_word * _words(scalar)


def _plain(name: str) -> str:
    return name.removesuffix(SELECTING).removesuffix(COMBINED)


def _words(scalar: Scalar) -> int:
    return max(scalar.size_bytes // WORD_BYTES, 1)
