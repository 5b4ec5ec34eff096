"""Iterations of a loop whose loads a warp issues one after another, without waiting for any of them.

The compiler copies the bodies of loops and moves the loads of all copies to the front. What they touch together is fetched
once, whatever the other warps do meanwhile: a sector that is on its way already is not asked for again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.program.code import Op, Space, children, instructions_of, loops

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roofstat.execution.trace import LaunchTrace
    from roofstat.program.code import Instruction, Loop

_ORDERING = frozenset({Op.BARRIER, Op.CALL, Op.CALL_POINTER, Op.ASM})
_WRITING = frozenset({Op.STORE, Op.ATOMIC})
_OWN = frozenset({Space.SHARED, Space.LOCAL})
"""Loads from global memory pass stores to these."""


@dataclass(frozen=True, slots=True)
class Bursts:
    """What the loops of a kernel issue together.

    Attributes:
        iterations: For each loop, how many iterations; loops that wait in each are left out.
        straight: Loops of which an iteration is one piece of straight code, with loops inside it copied in whole.
        copied: Loops of which nothing is left but copies of their bodies, nor of those inside them.
    """

    iterations: Mapping[int, int]
    straight: frozenset[int]
    copied: frozenset[int] = frozenset()


NO_BURSTS = Bursts({}, frozenset())


def find_bursts(
    trace: LaunchTrace, batches: Mapping[int, int], vanished: frozenset[int] = frozenset()
) -> Bursts:
    """Return what the loops of a launch issue together, given the copies of their bodies and the loops that have nothing else.

    A loop that happens to have fewer iterations than copies is no such loop: its copies are branched over.
    """
    iterations: dict[int, int] = {}
    straight = set()
    copied = set()
    for loop, _ in loops(trace.code.body):
        inner = [each for part in children(loop) for each, _ in loops(part)]
        whole = all(_is_whole(trace, each, batches) for each in inner)
        if loop.number in vanished and vanished.issuperset(each.number for each in inner):
            copied.add(loop.number)
        if whole and not any(_keeps_order(trace, item) for item in instructions_of([loop])):
            straight.add(loop.number)
            if batches.get(loop.number, 1) > 1:
                iterations[loop.number] = batches[loop.number]
    return Bursts(iterations, frozenset(straight), frozenset(copied))


def _is_whole(trace: LaunchTrace, loop: Loop, batches: Mapping[int, int]) -> bool:
    """Whether nothing is left of a loop but copies of its body."""
    totals = trace.loops.get(loop.number)
    return totals is None or batches.get(loop.number, 1) >= totals.mean_trips


def _keeps_order(trace: LaunchTrace, item: Instruction) -> bool:
    """Whether later loads cannot be moved before an instruction."""
    if item.op in _WRITING:
        totals = trace.sites.get(item.site)
        return totals is not None and totals.space not in _OWN
    return item.op in _ORDERING and item.detail != "fence"
