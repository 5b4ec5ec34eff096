"""What a branch's condition says of the words that it compares with constants: how small they can be in an arm.

LLVM extends an index by zeros where a test keeps it from being negative (`zext nneg`, SASS of clang 18.1.6): that is no value
which other paths of the code share, and a negative constant in it stays inside (`s[t - 4]` behind `t >= 4`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.integers.logic import logic_of
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofstat.instructions.graph.values import Value


def least_values(condition: Value, *, holds: bool) -> Iterator[tuple[Value, int]]:
    """Signed words and the least values that they can have where a condition holds, or does not hold."""
    logic = logic_of(condition)
    if logic is not None:
        is_and, parts = logic
        if is_and is holds:
            for part in parts:
                yield from least_values(part, holds=holds)
        return
    match condition.op:
        case Op.NOT:
            yield from least_values(condition.args[0], holds=not holds)
        case Op.LT | Op.LE if condition.scalar is Scalar.I32:
            yield from _of_comparison(condition, holds=holds)
        case _:
            return


def _of_comparison(test: Value, *, holds: bool) -> Iterator[tuple[Value, int]]:
    less, more = test.args if holds else test.args[::-1]
    if not isinstance(less.constant, int) or more.is_constant:
        return
    is_strict = (test.op is Op.LT) == holds
    least = less.constant + is_strict
    yield more, least
    if more.op is Op.ADD and isinstance(more.args[1].constant, int):
        yield more.args[0], least - more.args[1].constant
