"""Which of the sampled executions are followed one by one; the others behave as those in the same place of their loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.stored.distinct import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.trace import AccessEvent, LoopCoordinate

_INNERMOST_FOLLOWED = 12
"""Iterations of an innermost loop that are followed, each time that it is entered."""
_OUTER_FOLLOWED = 3
"""Iterations of a loop around others: the first, one after the first, and one that has such a one before it."""


class _Position:
    """How many iterations of each loop around the present event were seen since the loop was entered."""

    def __init__(self) -> None:
        self._path: list[LoopCoordinate] = []
        self._counts: list[int] = []

    def move(self, loops: tuple[LoopCoordinate, ...]) -> list[int]:
        """Go to an event in these loops; return the 0-based number of each loop's iteration among those seen."""
        for depth, here in enumerate(loops):
            if depth == len(self._path):
                self._path.append(here)
                self._counts.append(0)
                continue
            before = self._path[depth]
            if before.loop == here.loop and _is_same(before.iteration, here.iteration):
                continue
            count = self._counts[depth] + 1 if before.loop == here.loop else 0
            self._path[depth:] = [here]
            self._counts[depth:] = [count]
        return self._counts[: len(loops)]


def split_followed(
    events: list[AccessEvent],
) -> tuple[list[AccessEvent], list[AccessEvent]]:
    """Return the events to follow, and the rest; `events` are in order.

    Whole iterations are followed or left out, so that no store between two followed loads is missing.
    """
    nested = {coordinate.loop for event in events for coordinate in event.loops[:-1]}
    position = _Position()
    followed: list[AccessEvent] = []
    rest: list[AccessEvent] = []
    for event in events:
        counts = position.move(event.loops)
        within = all(
            count < (_OUTER_FOLLOWED if coordinate.loop in nested else _INNERMOST_FOLLOWED)
            for count, coordinate in zip(counts, event.loops, strict=True)
        )
        (followed if within else rest).append(event)
    return followed, rest


def first_iterations(event: AccessEvent) -> tuple[bool, ...]:
    """For each loop around an event, outermost first, whether it happened in the loop's first iteration."""
    return tuple(
        not bool(np.any(np.asarray(coordinate.iteration) != 0)) for coordinate in event.loops
    )


def execution_weights(events: list[AccessEvent], *, seen: int) -> NDArray[np.float64]:
    """Threads that each execution of one site stands for.

    Where only some of the executions were kept, those that are left may all be of the same iteration of an inner loop:
    how many are the first of their loops then follows from the trip counts.

    Args:
        events: Executions of one site.
        seen: How many there were when the kernel ran.
    """
    weights = np.array([float(event.weight[event.active].sum()) for event in events])
    depth = len(events[0].loops)
    if seen <= len(events) or any(len(event.loops) != depth for event in events):
        return weights
    trips = np.array([[max(c.trips, 1.0) for c in event.loops] for event in events])
    first = np.average(1.0 / trips, axis=0, weights=weights)
    places = np.array([first_iterations(event) for event in events])
    expected = np.where(places, first, 1.0 - first).prod(axis=1)
    for place in distinct(places, axis=0):
        here = (places == place).all(axis=1)
        weights[here] *= expected[here] / weights[here].sum()
    return weights


def _is_same(one: object, two: object) -> bool:
    return one is two or bool(np.array_equal(np.asarray(one), np.asarray(two)))
