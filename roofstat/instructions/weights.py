"""How often something runs, as a formula over a trace.

The static model is built once for each `Code`; a launch then only evaluates these formulas.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from roofstat.execution.trace import LaunchTrace


class FactorKind(Enum):
    """What a factor of a weight reads from the trace."""

    __hash__ = object.__hash__  # members are looked up in every step: skip the hash of the name

    BLOCK = "block"
    """Thread-level executions of a block."""
    FIRST_COPY = "first copy"
    """Share of a loop's iterations that run as the first copy of a partly unrolled body, or in the remainder."""
    LATER_COPY = "later copy"
    """Share of the iterations that run as one of the other copies."""
    STARTS = "starts"
    """Thread-level entries of a loop that run its body at all."""
    ROUNDS = "rounds"
    """Share of those that run as many iterations as the compiler made copies of the body."""
    REST = "rest"
    """Share of those that leave iterations to the loop behind the copies."""
    LEFT = "left"
    """Iterations that they leave to it, on average."""


@dataclass(frozen=True, slots=True)
class Factor:
    """One factor: a block number, or a loop number with its unroll count and how many of those copies the compiler made."""

    kind: FactorKind
    number: int
    unroll: int = 1
    batch: int = 1
    rest_apart: bool = False
    """Whether what is left over is code of its own, and no loop that shares tests and pointers with the copies."""


@dataclass(frozen=True, slots=True)
class Weight:
    """`scale * product(numerators) / product(denominators)`, thread-level executions of a launch."""

    scale: float
    numerators: tuple[Factor, ...]
    denominators: tuple[Factor, ...] = ()

    def times(self, scale: float, *factors: Factor) -> Weight:
        """This weight with further factors; what cancels is left out, so that weights stay short."""
        numerators, denominators = list(self.numerators), list(self.denominators)
        for factor in factors:
            if factor in denominators:
                denominators.remove(factor)
            else:
                numerators.append(factor)
        return Weight(self.scale * scale, tuple(numerators), tuple(denominators))

    def over(self, *factors: Factor) -> Weight:
        """This weight divided by factors."""
        numerators, denominators = list(self.numerators), list(self.denominators)
        for factor in factors:
            if factor in numerators:
                numerators.remove(factor)
            else:
                denominators.append(factor)
        return Weight(self.scale, tuple(numerators), tuple(denominators))


class WeightEvaluator:
    """Evaluates weights against one trace; `warps` takes warp-level instead of thread-level executions."""

    def __init__(self, trace: LaunchTrace, *, warps: bool = False) -> None:
        self._trace = trace
        self._of_warps = warps
        self._blocks = trace.block_warps if warps else trace.block_threads
        self._factors: dict[Factor, float] = {}
        self._weights: dict[Weight, float] = {}

    def value(self, weight: Weight) -> float:
        """Executions in the launch; 0 where a denominator is 0 (then nothing ran)."""
        known = self._weights.get(weight)
        if known is not None:
            return known
        result = weight.scale
        for factor in weight.denominators:
            divisor = self._factor(factor)
            if divisor == 0.0:
                result = 0.0
                break
            result /= divisor
        for factor in weight.numerators:
            result *= self._factor(factor)
        self._weights[weight] = result
        return result

    def _factor(self, factor: Factor) -> float:
        known = self._factors.get(factor)
        if known is None:
            known = self._compute(factor)
            self._factors[factor] = known
        return known

    def _compute(self, factor: Factor) -> float:
        if factor.kind is FactorKind.BLOCK:
            return float(self._blocks.get(factor.number, 0.0))
        totals = self._trace.loops.get(factor.number)
        if factor.kind is FactorKind.STARTS:
            if totals is None:
                return 0.0
            return totals.warp_starts if self._of_warps else totals.starts
        trips = totals.mean_trips if totals is not None else 0.0
        if trips <= 0.0:
            return 0.0 if factor.kind in _OF_STARTS else 1.0 / factor.unroll
        if factor.kind in _OF_STARTS:
            return _of_starts(factor.kind, trips, factor.batch)
        first = _first_copies(trips, factor.unroll, factor.batch, with_rest=not factor.rest_apart)
        if factor.kind is FactorKind.FIRST_COPY:
            return first / trips
        return (trips - first) / (factor.unroll - 1) / trips


def _first_copies(trips: float, unroll: int, batch: int, *, with_rest: bool) -> float:
    """How often the code that copies share (increments, tests) runs: rounds of the main loop and what is left over.

    What the assembler copied again is left through halves of its copies, down to those that the compiler made.
    """
    rounds = trips // unroll
    left = trips - rounds * unroll
    size = unroll // 2
    while unroll > _TWO_STAGES and size >= batch > 1:
        if left >= size:
            rounds += 1
            left -= size
        size //= 2
    return rounds + left if with_rest else rounds


_NEARLY = 1e-6
_OF_STARTS = frozenset({FactorKind.ROUNDS, FactorKind.REST, FactorKind.LEFT})


def _of_starts(kind: FactorKind, trips: float, batch: int) -> float:
    """What starts of a loop do of so many iterations; a broken number of them is taken for one spread evenly."""
    whole = round(trips)
    if abs(trips - whole) < _NEARLY:
        left = float(whole % batch)
        if kind is FactorKind.LEFT:
            return left
        return float(left > 0.0 if kind is FactorKind.REST else whole >= batch)
    left = min(trips, (batch - 1) / 2)
    match kind:
        case FactorKind.LEFT:
            return left
        case FactorKind.REST:
            return (batch - 1) / batch
        case _:
            return min((trips - left) / batch, 1.0)


_TWO_STAGES = 8
"""More copies than these are the work of both."""
