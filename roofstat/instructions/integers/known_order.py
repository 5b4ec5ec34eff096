"""Comparisons of words that a test around them has decided: `x - 1 >= w` behind `if (x >= w) return;`.

LLVM keeps what branches say of differences between words that do not overflow (its passes for correlated values and constraints), and so does
nvcc 13.0: PTX of 15 own kernels has none of the comparisons that follow from another one so. Extrema (`min(x, w - 1)`) stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.integers.logic import logic_of
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofstat.instructions.graph.values import Context, Value

_SIGNED = frozenset({Scalar.I32, Scalar.I64})


class KnownOrder:
    """What the tests around the current place say of differences between two words."""

    def __init__(self) -> None:
        self._most: dict[tuple[int, int], list[tuple[Context, int]]] = {}

    def note(self, condition: Value, context: Context, *, holds: bool) -> None:
        """Says that a condition holds, or does not, in a context."""
        for test, is_true in _tests(condition, holds=holds):
            left, right = test.args if is_true else test.args[::-1]
            is_strict = (test.op is Op.LT) == is_true
            (low, below), (high, above) = _parts(left), _parts(right)
            most = above - below - is_strict
            self._most.setdefault((low, high), []).append((context, most))

    def decided(self, op: Op, scalar: Scalar, args: tuple[Value, ...]) -> bool | None:
        """What a comparison gives here in any case; None where that depends.

        Args:
            op: EQ, NE, LT or LE.
            scalar: Type of the operands.
            args: The operands.
        """
        if scalar not in _SIGNED or not self._most:
            return None
        (first, plus), (second, minus) = map(_parts, args)
        most, least = self._difference(first, second)
        if most is None and least is None:
            return None
        limit = minus - plus - (op is Op.LT)
        if op in {Op.LT, Op.LE}:
            if most is not None and most <= limit:
                return True
            return False if least is not None and least > limit else None
        is_apart = (most is not None and most < limit) or (least is not None and least > limit)
        return op is Op.NE if is_apart else None

    def _difference(self, first: int, second: int) -> tuple[int | None, int | None]:
        """Most and least of the difference of two words, constants left out."""
        most = [
            limit for context, limit in self._most.get((first, second), ()) if context.is_active
        ]
        least = [
            -limit for context, limit in self._most.get((second, first), ()) if context.is_active
        ]
        return min(most, default=None), max(least, default=None)


def _tests(condition: Value, *, holds: bool) -> Iterator[tuple[Value, bool]]:
    """The comparisons of signed words that hold, or do not, where a condition does."""
    logic = logic_of(condition)
    if logic is not None:
        is_and, parts = logic
        if is_and is holds:
            for part in parts:
                yield from _tests(part, holds=holds)
    elif condition.op is Op.NOT:
        yield from _tests(condition.args[0], holds=not holds)
    elif condition.op in {Op.LT, Op.LE} and condition.scalar in _SIGNED:
        yield condition, holds


_NOTHING = -1


def _parts(word: Value) -> tuple[int, int]:
    """A word as a value and a constant that is added to it; of a constant the value is nothing."""
    if isinstance(word.constant, int):
        return _NOTHING, word.constant
    if word.op is Op.ADD and isinstance(word.args[1].constant, int):
        return word.args[0].number, word.args[1].constant
    return word.number, 0
