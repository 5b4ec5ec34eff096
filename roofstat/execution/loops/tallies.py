"""Tallies: what host loops add to elements all over an array, as counting the particles of cells or the edges of nodes does."""

from __future__ import annotations

from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from clang_queries.ir.types import Scalar
    from roofstat.execution.loops.run_state import LoopRun
    from roofstat.execution.stored.address_space import MemoryObject
    from roofstat.execution.stored.fill import Fill

_FEWEST_ELEMENTS = 64
"""Smaller arrays are not taken to be counted in by chance where the places of some iterations are known."""
_FEWEST_CLASSES = 8
"""Those of fewer classes (yes and no, the letters of a genome) say more one by one."""
_PLACES = 16


@dataclass(slots=True, eq=False)
class Tally:
    """What one store in a loop has added to the elements of an array."""

    found: MemoryObject
    scalar: Scalar
    times: float = 0.0
    total: float = 0.0
    offsets: list[int] = field(default_factory=list)
    """The first places."""
    is_guess: bool = False
    """Whether nobody knows the places; nothing has been stored then."""
    is_reset: bool = False
    """Whether the array is cleared in between: what one iteration adds does not stay."""
    applied: float = 0.0
    """How many of the times are in the contents as if by chance."""
    mark: Fill | None = None
    """What the contents were when some were put there."""

    def add(self, step: float, times: float, offset: int | None) -> None:
        """The store is about to be made so many times, at one place or at places that nobody knows."""
        self.times += times
        self.total += step * times
        if offset is None:
            self.is_guess = True
            return
        if offset in self.offsets and offset not in self.found.contents.cells:
            self.is_reset = True
        if len(self.offsets) < _PLACES:
            self.offsets.append(offset)

    @property
    def is_spread(self) -> bool:
        """Whether the places follow no line."""
        steps = [after - before for before, after in pairwise(self.offsets)]
        return self.is_guess or any(step != steps[0] for step in steps)

    def settle(self, *, is_extrapolated: bool) -> bool:
        """After the loop: put the iterations that were not run into the contents, and those at unknown places.

        Returns:
            Whether the contents are as after all iterations.
        """
        contents, size = self.found.contents, self.found.buffer.size_bytes
        if self.is_reset or not (is_extrapolated or self.is_guess):
            return True
        fewest = _FEWEST_CLASSES if self.is_guess and not self.offsets else _FEWEST_ELEMENTS
        if size is not None and size >= fewest * self.scalar.size_bytes:
            step, missing = self.total / self.times, self.times - self.applied
            if contents.count(self.scalar, step, missing, size):
                self.applied, self.mark = self.times, contents.fills[-1]
                return True
        if self.is_guess:
            contents.forget()
        return self.is_guess

    def join(self, inner: Tally, share: float) -> None:
        """Take over what a loop inside has added, for which so many of its entries stand."""
        self.times += inner.times * share
        self.total += inner.total * share
        self.offsets = (self.offsets + inner.offsets[:1])[:_PLACES]
        self.is_guess |= inner.is_guess
        self.is_reset |= inner.is_reset
        self.applied += inner.applied
        self.mark = inner.mark


def settle_tallies(run: LoopRun) -> set[int]:
    """After a host loop: the contents of the arrays that it has counted in; the sites of the stores that did."""
    entry, stack = run.entry, run.machine.loop_stack
    outer = stack[-2] if len(stack) > 1 else None
    settled: set[int] = set()
    for site, tally in entry.tallies.items():
        around = None
        if outer is not None:
            around = outer.tallies.setdefault(site, Tally(tally.found, tally.scalar))
            fills = tally.found.contents.fills
            around.is_reset |= around.mark is not None and around.mark not in fills[-1:]
        if tally.is_spread and tally.settle(is_extrapolated=run.is_extrapolated):
            settled.add(site)
        if around is not None and outer is not None and around.found is tally.found:
            around.join(tally, float(entry.weights[0] / outer.weights[0]))
    return settled
