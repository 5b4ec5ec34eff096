"""Spills: values that there are no registers for, which the compiler keeps in local memory.

What a fully unrolled kernel has loaded from shared memory and needs again (the weights of a small network in a loop over
samples, the factor of a small system in its second sweep) stays alive; where more words are alive than a thread can have,
each of those that are left out is stored once and loaded for each use behind that place. ptxas 13.0 (sm_90): a network of 24,
32, 32 and 4 nodes in a loop spills 1,693 words (1,693 here), a triangular solve of 32 unknowns in double precision 830 (833),
each stored once and loaded once for each of its later uses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware.units import WARP_SIZE
from roofstat.instructions.graph.details import LoadDetail
from roofstat.instructions.graph.memory_state import RootKind
from roofstat.instructions.graph.registers import (
    BASE_REGISTERS,
    Intervals,
    in_local_memory,
    most_registers,
)
from roofstat.program.code import Op, Space

if TYPE_CHECKING:
    from roofstat.instructions.graph.liveness import LiveGraph
    from roofstat.instructions.graph.values import Value
    from roofstat.instructions.weights import Weight, WeightEvaluator
    from roofstat.program.code import Code

__all__ = ["Spill", "SpilledWords", "spilled_words", "spills"]

_SPILLED = frozenset({Op.LOAD, Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.MATH, Op.CAST})
"""What computes the values that are put aside; addresses and constants are made again."""
_REORDERED = 44
"""Words that ptxas saves by computing in another order: of 12 kernels it spilled 14 to 55 less than are alive, 44 in the mean."""
_MOST_PLACES = 8
"""Places at which too many values are alive that are looked at."""


@dataclass(frozen=True, slots=True)
class Spill:
    """A value that is put aside."""

    words: int
    stored: Weight
    loaded: tuple[Weight, ...]


@dataclass(frozen=True, slots=True)
class SpilledWords:
    """What the threads of a launch do with such values."""

    size_bytes: int = 0
    """Of each thread."""
    stored: float = 0.0
    """Words, each by a warp at once."""
    loaded: float = 0.0
    """Words, each by a warp at once."""


def spills(
    graph: LiveGraph, code: Code, limit: int | None, *, hoists_shared: bool
) -> tuple[Spill, ...]:
    """Values without a register: where too many are alive, those with the fewest uses behind that place.

    Args:
        graph: live values in order of creation.
        code: what they come from.
        limit: `-maxrregcount`; None for the hardware's limit.
        hoists_shared: Whether loads from shared memory are moved out of loops that store elsewhere. clang leaves them in.
    """
    room = most_registers(code, limit) - BASE_REGISTERS + _REORDERED
    intervals = Intervals(graph.live, in_local_memory(graph), code)
    pressure = intervals.pressure()
    found: dict[int, Spill] = {}
    for _ in range(_MOST_PLACES):
        excess = max(pressure) - room
        if excess <= 0:
            break
        place = pressure.index(max(pressure))
        uses = {
            value: intervals.uses_behind(value, graph.users.get(value.number, []), place)
            for value in intervals.alive(place)
            if value.op in _SPILLED and value.number not in found
        }
        if not hoists_shared and any(
            _is_shared_load(value, code) and intervals.is_hoisted(value) for value in uses
        ):
            return ()
        kept = sum(
            intervals.words(value)
            for value in uses
            if _is_shared_load(value, code) or (value.op is Op.LOAD and intervals.is_hoisted(value))
        )
        if kept < excess:
            # Others are computed in another order: long sums of products of what is read once spill nothing.
            break
        before = len(found)
        for value in sorted(uses, key=lambda value: (len(uses[value]), value.number)):
            spill = _spill(value, uses[value], intervals.words(value))
            if excess > 0 and spill is not None:
                found[value.number] = spill
                excess -= spill.words
        if len(found) == before:
            break
        pressure = intervals.pressure(frozenset(found))
    return tuple(found.values())


def _is_shared_load(value: Value, code: Code) -> bool:
    """Whether a value is loaded from shared memory."""
    if value.op is not Op.LOAD or not isinstance(value.detail, LoadDetail):
        return False
    root = value.detail.root
    if root.kind is not RootKind.SLOT or not isinstance(root.identity, int):
        return False
    return code.slots[root.identity].space is Space.SHARED


def _spill(value: Value, users: list[Value], words: int) -> Spill | None:
    stored = value.context.effective_weight()
    if stored is None or not words:
        return None
    loaded = [user.context.effective_weight() for user in dict.fromkeys(users)]
    return Spill(words, stored, tuple(weight for weight in loaded if weight is not None))


def spilled_words(found: tuple[Spill, ...], threads: WeightEvaluator) -> SpilledWords:
    """What a launch does with the values that are put aside."""
    return SpilledWords(
        size_bytes=4 * sum(spill.words for spill in found),
        stored=sum(spill.words * threads.value(spill.stored) for spill in found) / WARP_SIZE,
        loaded=sum(
            spill.words * threads.value(weight) for spill in found for weight in spill.loaded
        )
        / WARP_SIZE,
    )
