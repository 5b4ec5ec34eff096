"""Word indices with a stride of the run of which nvcc no longer knows, once it has put them in order, that they do not overflow.

Of `k * n * m + y * m + t` LLVM makes `(k * n + y) * m + t`, whatever the source has, and sums of several terms are put in another order. Both lose
that the words do not overflow, so that no pointer advances by the stride: the index does, as a word, one step for all of the compiler's
copies, the first of which widens it and the others follow by the stride. What is left over is counted from the counter, which keeps the
assembler from copying the loop again. A multiple of a sum of two, `(y * n + k) * m`, advances as a word too, but is copied again.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from roofstat.instructions.integers.polynomials import polynomial
from roofstat.instructions.integers.widths import WIDE, is_word
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roofstat.instructions.graph.values import Value


class WordAdvance(Enum):
    """How an index with a stride of the run advances."""

    NONE = "pointer"
    OF_SUM = "word of a sum"
    """As a word, in a loop that the assembler may copy again."""
    OF_FACTORS = "reordered word"
    """As a word, in a loop that it leaves."""


def word_advance(
    index: Value, counter: Value, step: int | None, indices: Iterable[Value] = ()
) -> WordAdvance:
    """How an index whose counter has a stride of the run advances with nvcc 13.0 (SASS of 135 own loops, sm_90).

    Args:
        index: The index, a signed word or that widened.
        counter: The loop's.
        step: What it counts by, where that is known.
        indices: Those of other accesses in the loop.
    """
    if not is_word(index):
        return WordAdvance.NONE
    terms = _own_terms(index, counter, indices)
    moving = [term for term in terms if _has(term, counter)]
    if len(moving) != 1:
        return WordAdvance.NONE
    line = _line(moving[0])
    factors = _factors(moving[0], line)
    inner = next((factor for factor in factors if _has(factor, counter)), moving[0])
    strides = [factor for factor in factors if factor is not inner]
    beside = [part for part in _terms(inner) if not part.is_constant and not _has(part, counter)]
    if beside:
        found = _of_sum(inner, beside, strides, counter)
    else:
        shared = {key for key in map(_key, strides) if key != 1}
        others = [term for term in terms if term is not moving[0]]
        is_factored = any(shared.intersection(map(_key, _factors(term, line))) for term in others)
        found = WordAdvance.OF_FACTORS if is_factored else WordAdvance.NONE
    counts_from_known = counter.args[0].is_constant and step == 1
    if found is WordAdvance.OF_FACTORS and not counts_from_known:
        return WordAdvance.OF_SUM
    return found


def _own_terms(index: Value, counter: Value, indices: Iterable[Value]) -> list[Value]:
    """What an index sums up, without what is added to the index of another access: that sum is there as it is."""
    terms = _terms(index)
    for other in indices:
        part = _terms(other)
        numbers = {term.number for term in part}
        is_part = len(part) < len(terms) and numbers <= {term.number for term in terms}
        if is_part and any(_has(term, counter) for term in part):
            terms = part
    return terms


def _of_sum(inner: Value, beside: list[Value], strides: list[Value], counter: Value) -> WordAdvance:
    """The same of a multiple of a sum that the source itself has, with what stands beside the counter there."""
    if inner.op is Op.SUB:
        is_taken_off = any(_has(part, counter) for part in _terms(inner.args[1]))
        return WordAdvance.OF_FACTORS if is_taken_off else WordAdvance.NONE
    runtime = [stride for stride in strides if not stride.is_constant]
    if len(runtime) > 1 or len(beside) > 1:
        return WordAdvance.OF_FACTORS
    if any(factor.is_constant for factor in _factors(beside[0], _line(beside[0]))):
        return WordAdvance.NONE
    return WordAdvance.OF_SUM


def _key(factor: Value) -> tuple[str, object] | int:
    """What tells a factor: its number, or the constant that it is."""
    return int(factor.constant or 0) if factor.is_constant else ("value", factor.number)


def _bare(value: Value) -> Value:
    """A value without conversions between words, or from a word."""
    while value.op is Op.CAST and value.scalar.is_integer and is_word(value.args[0]):
        value = value.args[0]
    return value


def _terms(value: Value) -> list[Value]:
    """What a word sums up, signs apart."""
    value = _bare(value)
    if value.op in {Op.ADD, Op.SUB} and value.scalar not in WIDE:
        return [term for arg in value.args for term in _terms(arg)]
    return [value]


def _factors(value: Value, line: int) -> list[Value]:
    """What a word multiplies: of a product from another line, which is a variable that more than this may use, nothing is taken apart."""
    value = _bare(value)
    is_here = value.position is None or value.position.line == line
    if value.op is Op.MUL and value.scalar not in WIDE and is_here:
        return [factor for arg in value.args for factor in _factors(arg, line)]
    if value.op is Op.SHL and value.args[1].is_constant and is_here:
        return [*_factors(value.args[0], line), value.args[1]]
    return [value]


def _line(value: Value) -> int:
    position = _bare(value).position
    return -1 if position is None else position.line


def _has(value: Value, counter: Value) -> bool:
    return any(counter.number in monomial for monomial in polynomial(value))
