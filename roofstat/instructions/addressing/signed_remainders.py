"""Rows of a loop of known length at a place that a signed remainder decides: `x[k * 64 + t % 64]`.

A remainder may be negative, but not by so much that a later copy of the loop gets below zero. So nvcc widens the first copy's index
with its sign and the others' without one, and as sums without a sign are not taken apart, each of these has a pointer of its own.
Nothing of this happens with masks, unsigned remainders, further words in the index, or lengths that only the run knows. SASS of 31
own loops of 64 and 128 iterations by nvcc 13.0 for sm_90.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.addressing.address_shapes import StreamShape
from roofstat.instructions.graph.values import Pseudo
from roofstat.instructions.integers.widths import WIDE, WORDS
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roofstat.instructions.graph.values import Value


def pointers_by_sign(live: Sequence[Value]) -> dict[int, int]:
    """Number of an advancing pointer -> how many there are, where some copies have their own."""
    values = {value.number: value for value in live}
    found = {}
    for value in live:
        if value.op is Pseudo.STREAM and isinstance(value.detail, StreamShape):
            count = _pointers(value, value.detail, values)
            if count > 1:
                found[value.number] = count
    return found


def _pointers(stream: Value, shape: StreamShape, values: Mapping[int, Value]) -> int:
    loop, word = stream.context.loop, shape.word
    if loop is None or not loop.has_known_trips or word is None or stream.is_uniform:
        return 1
    parts = {number: factor for monomial, factor in word.beside for number in monomial}
    # What is widened apart belongs to the pointer.
    words = [number for number in parts if not _is_wide(values.get(number))]
    divisor = _divisor(values.get(words[0])) if len(words) == 1 else None
    if divisor is None or parts[words[0]] != 1:
        return 1
    return 1 + sum(copy * word.factor >= divisor - 1 for copy in range(1, loop.batch))


def _is_wide(value: Value | None) -> bool:
    return value is not None and value.scalar in WIDE


def _divisor(value: Value | None) -> int | None:
    """The constant of a signed remainder of a word."""
    if value is None:
        return None
    is_remainder = value.op is Op.REM and value.scalar in WORDS and value.scalar.is_signed
    if not is_remainder or not isinstance(value.args[1].constant, int):
        return None
    return abs(value.args[1].constant)
