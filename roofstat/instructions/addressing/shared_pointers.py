"""Addresses in shared memory that advance with a loop, as the assembler finds them when it weighs the loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.addressing.address_shapes import AddressShape
from roofstat.instructions.graph.memory_state import RootKind, root_of
from roofstat.instructions.graph.values import Pseudo, split_pointer
from roofstat.instructions.integers.polynomials import polynomial
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.instructions.graph.values import LoopFrame, Value

_VECTOR_BYTES = 16
_WORD_BYTES = 4


def is_shared_pointer(value: Value, frame: LoopFrame) -> bool:
    """Whether a value is an address in shared memory that advances by a constant: copies of a body take one pointer."""
    if value.op is not Pseudo.ADDRESS or root_of(value).kind is not RootKind.SLOT:
        return False
    index = polynomial(value.args[1])
    moving = [monomial for monomial in index if any(n in frame.counters for n in monomial)]
    return bool(moving) and all(
        len(monomial) == 1 and frame.counters[monomial[0]] is not None for monomial in moving
    )


def is_in_vector(load: Value, frame: LoopFrame) -> bool:
    """Whether a load of a word from shared memory and those of the next iterations are one access of the assembler's."""
    address, offset = split_pointer(load.args[0])
    if load.scalar.size_bytes != _WORD_BYTES or not is_shared_pointer(address, frame):
        return False
    index = polynomial(address.args[1])
    counters = [monomial for monomial in index if monomial and monomial[0] in frame.counters]
    if len(counters) != 1 or index[counters[0]] != 1 or _scale(address) != _WORD_BYTES:
        return False
    others = [
        factor * _WORD_BYTES for monomial, factor in index.items() if monomial not in counters
    ]
    base, start = split_pointer(address.args[0])
    others += [offset, start]
    if base.op is Pseudo.ADDRESS:
        row, more = split_pointer(base.args[0])
        if row.op is not Op.SLOT:
            return False
        others += [more, _scale(base)]
    return all(part % _VECTOR_BYTES == 0 for part in others)


def _scale(address: Value) -> int:
    shape = address.detail
    return shape.scale_bytes if isinstance(shape, AddressShape) else 0
