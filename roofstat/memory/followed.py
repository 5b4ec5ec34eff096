"""Which of the sampled executions are followed one by one; the others behave as those in the same place of their loops."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

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
        self._from_first: list[bool] = []
        self._begins: dict[int, int] = {}
        """Where each loop was entered the first time: not at its first iteration where that one has no accesses."""

    def move(self, loops: tuple[LoopCoordinate, ...]) -> tuple[list[int], bool]:
        """Go to an event in these loops.

        Returns:
            The 0-based number of each loop's iteration among those seen, and whether each loop was seen from where it
            begins since it was entered.
        """
        for depth, here in enumerate(loops):
            if depth == len(self._path):
                self._path.append(here)
                self._counts.append(0)
                self._from_first.append(self._begins_with(here))
                continue
            before = self._path[depth]
            if before.loop == here.loop and _is_same(before.iteration, here.iteration):
                continue
            is_next = before.loop == here.loop
            self._path[depth:] = [here]
            self._counts[depth:] = [self._counts[depth] + 1 if is_next else 0]
            self._from_first[depth:] = [
                self._from_first[depth] if is_next else self._begins_with(here)
            ]
        return self._counts[: len(loops)], all(self._from_first[: len(loops)])

    def _begins_with(self, here: LoopCoordinate) -> bool:
        earliest = int(np.min(here.iteration))
        return earliest <= self._begins.setdefault(here.loop, earliest)


def split_followed(
    events: list[AccessEvent], loads: AbstractSet[int]
) -> tuple[list[AccessEvent], list[AccessEvent], list[AccessEvent]]:
    """Return the events to follow, the rest, and loads in the middle of a loop; `events` are in order.

    Whole iterations are followed or left out, so that no store between two followed loads is missing. What a load in the
    middle of a loop would find is not known where the iterations before it were left out.

    Args:
        events: Executions.
        loads: Sites of loads.
    """
    nested = {coordinate.loop for event in events for coordinate in event.loops[:-1]}
    position = _Position()
    followed: list[AccessEvent] = []
    rest: list[AccessEvent] = []
    amid: list[AccessEvent] = []
    for event in events:
        counts, is_from_first = position.move(event.loops)
        if event.site in loads and not is_from_first:
            amid.append(event)
            continue
        within = all(
            count < (_OUTER_FOLLOWED if coordinate.loop in nested else _INNERMOST_FOLLOWED)
            for count, coordinate in zip(counts, event.loops, strict=True)
        )
        (followed if within else rest).append(event)
    return followed, rest, amid


def first_iterations(event: AccessEvent) -> tuple[bool, ...]:
    """For each loop around an event, outermost first, whether it happened in the loop's first iteration."""
    return tuple(
        not bool(np.any(np.asarray(coordinate.iteration) != 0)) for coordinate in event.loops
    )


def share_by_place(
    events: list[AccessEvent], followed: list[AccessEvent], chosen: set[int], *, is_whole: bool
) -> float:
    """Share of the threads of one site whose executions are chosen.

    Where only some of the executions are there, those may all be of the same iteration of an inner loop: how many are the
    first of their loops then follows from the trip counts, and which of them are chosen from those that were followed.

    Args:
        events: Executions of the site.
        followed: Those that were followed.
        chosen: Their orders, and those of others that are taken to be chosen.
        is_whole: Whether all executions are there, those of each loop from its first iteration on.
    """
    weights = _weights(events)
    depth = len(events[0].loops)
    if is_whole or not followed or any(len(event.loops) != depth for event in events):
        is_chosen = np.array([event.order in chosen for event in events])
        return float(weights[is_chosen].sum()) / max(float(weights.sum()), 1e-300)
    trips = np.array([[max(c.trips, 1.0) for c in event.loops] for event in events])
    first = np.average(1.0 / trips, axis=0, weights=weights)
    seen = _weights(followed)
    is_chosen = np.array([event.order in chosen for event in followed])
    places = np.array([first_iterations(event) for event in followed])
    share = 0.0
    for place in itertools.product((True, False), repeat=depth):
        here = np.ones(len(followed), dtype=np.bool_)
        for level in reversed(range(depth)):
            # Followed in the same place of as many of the inner loops as possible.
            closer = here & (places[:, level] == place[level])
            if not closer.any():
                break
            here = closer
        weight = float(np.where(place, first, 1.0 - first).prod())
        share += weight * float(seen[here & is_chosen].sum()) / float(seen[here].sum())
    return share


def _weights(events: list[AccessEvent]) -> NDArray[np.float64]:
    return np.array([float(event.weight[event.active].sum()) for event in events])


def _is_same(one: object, two: object) -> bool:
    return one is two or bool(np.array_equal(np.asarray(one), np.asarray(two)))
