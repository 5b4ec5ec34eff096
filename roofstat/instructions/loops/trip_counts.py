"""What the trip count of a loop costs before the loop, by which LLVM decides whether to unroll it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.graph.values import Pseudo
from roofstat.instructions.integers.polynomials import difference_of, polynomial
from roofstat.instructions.integers.widths import WIDE, WORDS
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.instructions.graph.values import Value
    from roofstat.instructions.integers.polynomials import Polynomial

_BUDGET = 4
"""LLVM's `scev-cheap-expansion-budget`."""


def is_costly(start: Value, bound: Value, *, is_product: bool) -> bool:
    """Whether LLVM leaves a loop alone because its trip count would take more operations than the loop may cost.

    It subtracts the start from the bound term by term, and does not see that one was computed already. Where the test
    in front of the loop was simplified to one of other values, it cannot tell that the bound lies beyond the start, and takes
    the larger of the two.

    Args:
        start: First value of the counter.
        bound: What the counter is compared with.
        is_product: Whether the bound was a product, before it became a sum with an earlier one.
    """
    start, bound = _behind_cast(start), _behind_cast(bound)
    if start.is_constant:
        is_tested_otherwise = start.constant == 0 and bound.op is Op.SUB
        return is_tested_otherwise and _LARGER + _cost(polynomial(bound)) > _BUDGET
    if not is_product and _has_other_test(start, bound):
        return True
    if _is_widened(start):
        return bound.op is Op.CAST  # compared as words, so that it was tested otherwise
    return _cost(difference_of(polynomial(bound), polynomial(start))) > _BUDGET


def _is_widened(start: Value) -> bool:
    """Whether a start of 64 bits is a word that may wrap around, as the number of a thread in the grid: a number like any other then."""
    if start.op is not Op.CAST or start.scalar not in WIDE:
        return False
    word = start.args[0]
    while word.op is Op.CAST and word.args[0].scalar in WORDS:
        word = word.args[0]
    return word.scalar is Scalar.U32


_LARGER = 2
"""Operations that take the larger of two values."""


def _cost(count: Polynomial) -> int:
    """Operations of a sum of products; a product is there already where it is not negative."""
    products = sum(len(monomial) - (factor == 1) for monomial, factor in count.items() if monomial)
    return products + len(count) - 1


def _has_other_test(start: Value, bound: Value) -> bool:
    """Whether `start < bound` became a comparison of what they do not have in common."""
    if bound.op is not Op.ADD:
        return False
    return start in map(_behind_cast, bound.args) or (
        start.op is Op.ADD and any(arg in bound.args and not arg.is_constant for arg in start.args)
    )


def largest(bound: Value) -> int | None:
    """The largest value of a bound by the constants in it; None where it has none."""
    bound = _behind_cast(bound)
    if bound.is_constant:
        return bound.constant if isinstance(bound.constant, int) else None
    match bound.op:
        case Op.MATH if bound.detail == "min":
            known = [most for arg in bound.args if (most := largest(arg)) is not None]
            return min(known, default=None)
        case Op.SELECT:
            first, second = (largest(arg) for arg in bound.args[1:])
            return None if first is None or second is None else max(first, second)
        case Op.AND:
            masks = [most for arg in bound.args if (most := largest(arg)) is not None and most >= 0]
            return min(masks, default=None)
        case Op.REM:
            divisor = largest(bound.args[1])
            return divisor - 1 if divisor is not None and bound.args[1].is_constant else None
        case _:
            return None


def loses_overflow(condition: Value) -> bool:
    """Whether a counter that starts and ends anywhere may overflow as far as LLVM knows.

    It tests `i <= n` before the counter goes up, so that the last step counts for nothing, and forgets what it knew of it.
    """
    counter, bound = condition.args
    if counter.op is not Pseudo.PHI or counter.args[0].is_constant or bound.is_constant:
        return False
    if condition.op is Op.LE:
        return True
    return condition.op is Op.LT and bound.op is Op.ADD and bound.args[1].constant == 1


def ends_at_constant(condition: Value) -> bool:
    """Whether a word counts from anywhere up to a constant.

    LLVM compares the counter itself with the constant then, and has it in a register for that. So no pointer advances: `x[i]` takes one
    multiply-add an array for all copies, and a sum with the counter (`x[i - d]`), which may overflow for all that LLVM knows, two operations
    in each copy (PTX and executed SASS of 28 own loops; with a bound that only the run knows there is a pointer). From `d + 1` on it counts from d.
    """
    counter, bound = condition.args
    if counter.op is not Pseudo.PHI or counter.scalar is not Scalar.I32 or not bound.is_constant:
        return False
    start = _behind_cast(counter.args[0])
    follows = start.op is Op.ADD and start.args[1].is_constant and start.args[1].constant == 1
    return not start.is_constant and not follows and condition.op in {Op.LT, Op.LE}


def _behind_cast(value: Value) -> Value:
    while value.op is Op.CAST and value.scalar.size_bytes == value.args[0].scalar.size_bytes:
        value = value.args[0]
    return value
