"""Indices that run over: products of 32-bit numbers, and unsigned indices that become an int, beyond what they can hold."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.program.code import Code, Instruction

_WORDS = {Scalar.I32: "an int", Scalar.U32: "an unsigned int"}
_TOPS = {Scalar.I32: 2.0**31, Scalar.U32: 2.0**32}
_PASSED_ON = frozenset({Op.MOV, Op.ADD, Op.SUB, Op.MUL, Op.SHL, Op.CAST})
_SMALL_NEGATIVES = 2.0**30
"""Unsigned numbers so close to the top are those below zero: the int that they become is right."""


@lru_cache(maxsize=16)
def watched_indices(code: Code) -> frozenset[int]:
    """Registers that may run over and are part of indices with nothing but sums and products on the way.

    What is masked, shifted down or divided before it is an index is a hash more often than not.
    """
    writers: dict[int, list[Instruction]] = {}
    stack: list[int] = []
    for _, item in code.instructions():
        if item.dest >= 0:
            writers.setdefault(item.dest, []).append(item)
        if item.op is Op.PTR_ADD:
            stack.append(item.args[1])
    seen: set[int] = set()
    while stack:
        register = stack.pop()
        if register not in seen:
            seen.add(register)
            for item in writers.get(register, ()):
                if item.op in _PASSED_ON:
                    stack.extend(item.args)
    return frozenset(
        register for register in seen if any(map(_may_run_over, writers.get(register, ())))
    )


def _may_run_over(item: Instruction) -> bool:
    if item.op is Op.CAST:
        return item.scalar is Scalar.I32 and item.detail is Scalar.U32
    return item.op in (Op.MUL, Op.SHL) and item.scalar in _WORDS


def note_overflow(machine: Machine, item: Instruction, mask: Mask) -> None:
    """Say once for each place how far an index runs over."""
    if machine.dry or machine.recorder is None or id(item) in machine.overflowed:
        return
    values = [machine.read(register) for register in item.args]
    operands = [value for value in values if isinstance(value, np.ndarray | int)]
    if len(operands) < len(values):
        return
    top, is_cast = _TOPS[item.scalar], item.op is Op.CAST
    if _highest(item, operands) < top:
        return  # as ever, for the price of a look at each operand
    active = [value[mask.lanes] if isinstance(value, np.ndarray) else value for value in operands]
    highest = float(_result(item, active if is_cast else list(map(_signed, active))).max())
    if highest < top or (is_cast and highest >= _TOPS[Scalar.U32] - _SMALL_NEGATIVES):
        return
    machine.overflowed.add(id(item))
    text = (
        f"an index reaches {highest:,.0f} here, more than {_WORDS[item.scalar]} holds: it runs over"
    )
    machine.assume("index-overflow", text, item.position, mask)


def _highest(item: Instruction, operands: Sequence[NDArray[np.generic] | int]) -> float:
    """The result of the highest operands."""
    first, *others = (
        float(value if isinstance(value, int) else int(value.max())) for value in operands
    )
    for second in others:
        first *= 2.0 ** min(max(second, 0.0), 31.0) if item.op is Op.SHL else second
    return first


def _signed(value: NDArray[np.generic] | int) -> NDArray[np.float64]:
    """What an operand stands for: unsigned numbers of the upper half are those below zero."""
    number = np.asarray(value, np.float64)
    return np.where(number >= _TOPS[Scalar.I32], number - _TOPS[Scalar.U32], number)


def _result(
    item: Instruction, operands: Sequence[NDArray[np.generic] | int]
) -> NDArray[np.float64]:
    """The result in numbers that have no end."""
    first, *others = (np.asarray(value, np.float64) for value in operands)
    for second in others:
        first = first * (np.exp2(np.clip(second, 0, 31)) if item.op is Op.SHL else second)
    return first
