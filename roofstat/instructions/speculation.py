"""Which arms of a branch are computed in any case, so that choices take the place of the branch.

LLVM 18 (clang) computes one arm before the branch up to a size of 7 (its pass for speculative execution), once in a function and once
more where that is inlined, and two arms up to 4 together (`two-entry-phi-node-folding-threshold`); nvcc 13.0 each arm up to 5, a
second variable counting as one. PTX of some 200 own kernels: arms of growing length with words, long integers, floats, conversions and
extrema, one or two of them, alone, in inlined functions, and as the last case of nested conditional operators.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.integers.widths import WORDS
from roofstat.instructions.loops.sizes import FREE, pair_size
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofstat.instructions.graph.values import Value
    from roofstat.instructions.tables.parameters import SpeculationLimits

_EXTREMA = frozenset({"min", "max"})
_BOTH = 2


def are_speculated(
    arms: Sequence[Sequence[Value]], limits: SpeculationLimits, *, choices: int, is_called: bool
) -> bool:
    """Whether both arms are computed and their results chosen from.

    Args:
        arms: What each of the arms computes.
        limits: Of the compiler.
        choices: Variables that the arms leave with different values.
        is_called: Whether the branch lies in a function that was inlined.
    """
    sizes = [sum(_size(value, limits) for value in arm) for arm in arms]
    further = limits.further_choice * max(choices - 1, 0)
    filled = [arm for arm, size in zip(arms, sizes, strict=True) if size]
    if len(filled) == _BOTH and is_called and any(_is_shared(*pair) for pair in _orders(filled)):
        filled = [arm for arm in filled if len(arm) > 1] or filled[:1]
        sizes = [sum(_size(value, limits) for value in arm) for arm in filled]
    if max(sizes, default=0.0) + further > limits.arm:
        return False
    if len(filled) == _BOTH:
        return sum(sizes) + further <= limits.both
    is_nested = any(value.op is Op.SELECT for arm in filled for value in arm)
    return not is_nested or is_called or sum(sizes) + further <= limits.nested


def _size(value: Value, limits: SpeculationLimits) -> float:
    if value.op in FREE or not isinstance(value.op, Op):
        return 0.0
    if value.op is Op.MATH and value.detail in _EXTREMA and value.scalar in WORDS:
        return limits.word_extremum
    return 1.0 + (pair_size(value) if limits.weighs_pairs else 0.0)


def _orders(pair: Sequence[Sequence[Value]]) -> tuple[tuple[Sequence[Value], Sequence[Value]], ...]:
    first, second = pair
    return (first, second), (second, first)


def _is_shared(arm: Sequence[Value], other: Sequence[Value]) -> bool:
    """Whether an arm only negates what the other one takes from a sum with a constant: LLVM sums with the negative, made before the branch."""
    if len(arm) != 1 or arm[0].op not in {Op.NEG, Op.SUB, Op.BIT_NOT} or arm[0].scalar not in WORDS:
        return False
    if arm[0].op is Op.SUB and not arm[0].args[0].is_constant:
        return False
    return any(
        value.op is Op.SUB
        and value.args[1] is arm[0].args[-1]
        and any(part.is_constant for part in value.args[0].args)
        for value in other
    )
