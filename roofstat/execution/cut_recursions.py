"""What host code leaves behind that was cut off inside of a recursion, as where it builds a tree for long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.execution.stored.contents import SMALL_RECORD_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofstat.execution.activation import Frame
    from roofstat.execution.numbers.values import Value

_WORD = 8


def forget_rest(frame: Frame) -> None:
    """What the rest of a recursion would store nobody knows; it is not what was there before.

    Records keep what they hold: of arrays in them and of vectors the addresses stay.
    """
    for found in frame.stored.values():
        found.contents.is_lost = True
        found.contents.fills.clear()
        if (found.buffer.size_bytes or 0) > SMALL_RECORD_BYTES:
            found.contents.cells.clear()


def part_done(outermost: Sequence[Value], innermost: Sequence[Value]) -> float | None:
    """The part of a range that a recursion over halves of it had come through, by the arguments of two of its calls.

    None where no two arguments next to one another are a range and a later part of it.
    """
    for at in range(len(outermost) - 1):
        match (*outermost[at : at + 2], *innermost[at : at + 2]):
            case int(first), int(last), int(begin), int(end) if first < begin <= end <= last:
                return (begin - first) / (last - first)
    return None


def extend_vectors(frame: Frame, part: float) -> None:
    """Vectors that a recursion adds to have as many elements in the end as it had added by then for a part of its range.

    They are told by their words: the address of something that the recursion has stored to, and behind it a number.
    """
    for found in frame.stored.values():
        cells = found.contents.cells
        for offset, (_, value) in list(cells.items()):
            scalar, size = cells.get(offset + _WORD, (None, None))
            if value in frame.stored and scalar is Scalar.U64 and isinstance(size, int):
                found.contents.store(offset + _WORD, Scalar.U64, round(size / part))
