"""Numbers of bits: what a word is shifted by is less than the bits of the word, wherever it comes from."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from roofstat.execution.numbers.unknowns import value_bounds
from roofstat.execution.numbers.values import Unknown, Value
from roofstat.program.code import Op
from roofstat.program.slices import COPIES

if TYPE_CHECKING:
    from roofstat.program.code import Code

_SHIFTS = frozenset({Op.SHL, Op.SHR})


@lru_cache(maxsize=16)
def bit_counts(code: Code) -> dict[int, int]:
    """Register -> the most that it may hold, where a word is shifted by it or by a copy of it."""
    sources: dict[int, list[int]] = {}
    found: dict[int, int] = {}
    for _, item in code.instructions():
        if item.op in COPIES:
            sources.setdefault(item.dest, []).append(item.args[0])
        elif item.op in _SHIFTS and item.args[1] not in code.constants:
            most = 8 * item.scalar.size_bytes - 1
            found[item.args[1]] = min(found.get(item.args[1], most), most)
    stack = list(found)
    while stack:
        register = stack.pop()
        for source in sources.get(register, ()):
            if found.get(source, 1 << 30) > found[register]:
                found[source] = found[register]
                stack.append(source)
    return found


def as_bit_count(value: Value, most: int) -> Value:
    """What nobody knows of a number of bits, within what it may be."""
    if not isinstance(value, Unknown) or value.is_float:
        return value
    low, high = value_bounds(value) or (0, most)
    if value.low is not None and high <= most:
        return value
    return replace(
        value, scale=1, offset=0, low=max(int(low), 0), high=most, sample=None, is_type_range=False
    )
