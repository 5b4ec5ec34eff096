"""Device memory that host loops allocate, also in the iterations that are skipped.

Pointer tables of batched routines and layers of networks are filled by loops that allocate a row each: the rows follow each
other at even distances, so that tables of their addresses are lines, as the run time's first fit gives them too.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.stored.address_space import aligned
from roofstat.program.code import Space

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofstat.execution.stored.address_space import AddressSpace


@dataclass(slots=True, eq=False)
class SkippedAllocations:
    """Where the memory lies that later iterations allocate: behind as much as those before them take in the mean."""

    memory: AddressSpace
    start: int
    """First free address before the first iteration that is skipped."""
    pace: float
    """Bytes that an iteration takes."""
    _now: int = 0
    _weight: float = 0.0
    _taken: float = 0.0

    def apply(self, distance: int) -> None:
        """Go to the beginning of a later iteration."""
        self.memory.go_on_at(Space.GLOBAL, aligned(self.start + round(self.pace * distance)))
        self._now = self.memory.reached(Space.GLOBAL)

    def learn(self, share: float) -> None:
        """Take what an iteration that stands for `share` others has allocated as what each of those does."""
        if share > 0.0:
            self._weight += share
            self._taken += share * (self.memory.reached(Space.GLOBAL) - self._now)

    def settle(self) -> None:
        """Go on at the pace of all iterations that were looked at."""
        if self._weight:
            self.pace = self._taken / self._weight

    def finish(self) -> None:
        """Behind all iterations: what was not looked at lies between what was."""
        self.memory.fill_gaps(Space.GLOBAL, self.start, self._now)


def skipped_allocations(memory: AddressSpace, reached: Sequence[int]) -> SkippedAllocations | None:
    """What skipped iterations go on to allocate; None where the last ones have allocated nothing.

    Args:
        memory: All allocations.
        reached: First free address before each of the last iterations, and before the first that is skipped.
    """
    steps = [after - before for before, after in pairwise(reached)]
    if not steps or min(steps) <= 0:
        return None
    return SkippedAllocations(memory, reached[-1], sum(steps) / len(steps))
