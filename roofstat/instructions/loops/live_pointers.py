"""Values that nvcc sees alive in a copied loop: beyond a number of them it lets no pointer advance there.

Its reduction of strength leaves a loop of four (eight, sixteen) copies alone where too many values live in it, of whatever size. What
a loop holds was read off PTX of nvcc 13.0 (sm_90): 30 bodies in six nests, each beside zero to forty further values that live through the
loop; the first number of those that took the pointers away is what the body leaves of the limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.instructions.addressing.address_shapes import StreamShape
from roofstat.instructions.graph.values import Pseudo
from roofstat.instructions.integers.widths import WIDE
from roofstat.program.code import Op
from roofstat.program.comparisons import COMPARISONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofstat.instructions.graph.values import LoopFrame, Value

_EXTREMES = frozenset({"max", "min"})
_ADDRESSING = frozenset(
    {Pseudo.STREAM, Pseudo.ADDRESS, Pseudo.DERIVED, Pseudo.OFFSET, Op.LOAD, Op.STORE, Op.CAST}
)
_LOADED_ANEW = frozenset({Op.PARAM, Op.SPECIAL, Pseudo.CONSTANT, Pseudo.UNDEFINED})
_SECOND_POINTER = 2
"""What the second pointer of a loop holds beside itself."""
_EXTREME_OF_COPY = 4
_EXTREME_STARTS = -3
"""A running extreme, found by comparison and choice, holds four values in each copy, less these."""
_CHOSEN_OF_OTHER_KIND = 3
"""What an integer holds that is chosen with a floating-point extreme, or the other way round; 1 for its like."""
_NEST_STARTS = 2
"""A loop around holds one value for each copy, as the iterations that are left follow one another, and these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LivePointers:
    """What is alive in a loop beside one sum, one pointer and the counter."""

    pointers: int
    """Pointers to global memory that would advance by constants."""
    in_rows: bool
    """Whether one of them starts in a row, at more than the counter."""
    carried: int
    """Variables besides the counter that one iteration hands to the next."""
    extremes: int
    """Comparisons with a running extreme that follow one another in an iteration."""
    chosen: int
    """What variables hold that are chosen by such a comparison."""
    kept: int
    """Values from before the loop that it computes with, parameters apart, which are loaded where they are used."""
    around: int
    """1 in a loop around it, 2 where that starts at no constant."""

    def values(self, copies: int) -> int:
        """Values alive in so many copies."""
        if not self.pointers or not self.extremes:
            return 0
        held = max(self.carried - 1, 0) + max(self.carried - self.pointers, 0)
        held += self.chosen + self.kept
        if self.pointers > 1:
            held += self.pointers - 1 + _SECOND_POINTER
        held += _EXTREME_OF_COPY * copies * self.extremes + _EXTREME_STARTS
        if self.chosen:
            held += copies - 1
        if self.around:
            held += copies + _NEST_STARTS + self.around - 1
        return held - (not self.in_rows)


NO_POINTERS = LivePointers(
    pointers=0, in_rows=False, carried=0, extremes=0, chosen=0, kept=0, around=0
)


def live_pointers(
    frame: LoopFrame, values: Sequence[Value], around: LoopFrame | None, known: Sequence[Value]
) -> LivePointers:
    """What a trial walk found alive in a loop.

    Args:
        frame: The loop's.
        values: What the walk computed.
        around: The loop around it.
        known: All values by number.
    """
    own = [value for value in values if value.context.loop is frame]
    streams = [s.detail for s in own if s.op is Pseudo.STREAM and isinstance(s.detail, StreamShape)]
    steady = [shape for shape in streams if shape.constant_step]
    phis = [p for p in own if p.op is Pseudo.PHI and p.number not in frame.counters]
    carried = [phi for phi in phis if len(phi.args) > 1 and phi.args[1] is not phi]
    lengths = {phi.number: _extremes(phi.args[1], phi) for phi in carried}
    running = [phi for phi in carried if lengths[phi.number]]
    chosen = [
        _CHOSEN_OF_OTHER_KIND if phi.scalar.is_float is not extreme.scalar.is_float else 1
        for phi in carried
        if (extreme := _chosen_with(phi, running)) is not None
    ]
    starts = [known[number].args[0] for number in around.counters] if around is not None else []
    # The iterations that four copies leave come before these then, and pointers advance in any case.
    is_strided = any(_is_strided(known[number], step) for number, step in frame.counters.items())
    if is_strided or frame.loses_overflow:
        return NO_POINTERS
    return LivePointers(
        pointers=len(steady),
        in_rows=any(shape.has_invariants for shape in steady),
        carried=len(carried),
        extremes=max(lengths.values(), default=0),
        chosen=sum(chosen),
        kept=len(_kept(own, frame)),
        around=0 if around is None else 1 + any(not start.is_constant for start in starts),
    )


def _is_strided(counter: Value, step: int | None) -> bool:
    """Whether a counter takes larger steps from no constant."""
    return not counter.args[0].is_constant and abs(step or 0) != 1


def _kept(own: Sequence[Value], frame: LoopFrame) -> set[int]:
    """Numbers of the values from before a loop that it computes with."""
    return {
        arg.number
        for value in own
        if value.op not in _ADDRESSING and value.scalar not in WIDE
        for arg in (value.args[1:] if value.op is Pseudo.PHI else value.args)
        if arg.context.depth < frame.depth and arg.op not in _LOADED_ANEW and arg.args
    }


def _extremes(value: Value, phi: Value) -> int:
    """Comparisons with which a variable becomes the extreme of itself and others; 0 where it becomes anything else."""
    if value is phi:
        return 0
    for other in _compared(value):
        if other is phi:
            return 1
        length = _extremes(other, phi)
        if length:
            return 1 + length
    return 0


def _compared(value: Value) -> Sequence[Value]:
    """The two values of which a value is the extreme, found by comparison; floating-point functions are one instruction."""
    if value.op is Op.MATH and value.detail in _EXTREMES and value.scalar.is_integer:
        return value.args
    if value.op is Op.SELECT and value.args[0].op in COMPARISONS:
        alternatives = value.args[1:]
        if {arg.number for arg in alternatives} == {arg.number for arg in value.args[0].args}:
            return alternatives
    return ()


def _chosen_with(phi: Value, running: Sequence[Value]) -> Value | None:
    """The running extreme whose comparison decides whether a variable stays as it is."""
    following = phi.args[1]
    if following.op is not Op.SELECT or phi not in following.args[1:]:
        return None
    compared = following.args[0].args
    return next(
        (extreme for extreme in running if extreme in compared and extreme is not phi), None
    )
