"""Numbers that are drawn for few: as even over those that get them as their weights allow."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.numbers.keys import new_turn
from roofstat.execution.numbers.values import Unknown, uniform_draws
from roofstat.execution.sampling.representatives import GOLDEN
from roofstat.hardware.units import WARP_SIZE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask

_ABOUT_EVEN = 1e-6
_REMEMBERED = 16
_MANY = 256
"""Lanes of which each may decide for itself."""
_FEW = 64
"""Elements that are few: of more, numbers of which each has nothing to do with the others are even enough."""


def even_draws(machine: Machine, unknown: Unknown, mask: Mask) -> NDArray[np.float64]:
    """A number in [0, 1) for each lane: below p for such lanes as do a share p of the work of those in a mask.

    Few blocks stand for most of a launch, so that numbers of which each has nothing to do with the others would make its work
    a matter of luck. Where one lane or warp decides again and again, its numbers are spread evenly over its turns.

    Args:
        machine: The running machine.
        unknown: What is decided by: lanes for which it is the same have one number.
        mask: The lanes that decide.
    """
    known = machine.decided.get(unknown.key)
    if known is not None and unknown.lane_index is not None:
        return known
    key, turn = new_turn()
    turned = at_turn(turn, is_even=key % 2 == 0)
    if machine.is_host:
        return np.full(machine.lane_count, turned)
    weight: NDArray[np.float64] = np.where(mask.lanes, machine.weight, 0.0)
    members = _members(unknown, machine.lane_count)
    if members is not None:
        weight = np.bincount(members, weight).astype(np.float64)
    elif np.count_nonzero(mask.lanes) > _MANY:
        return uniform_draws(Unknown(key), len(weight))
    draws = _shared_out(weight, uniform_draws(Unknown(key), len(weight)), turned)
    found = draws if members is None else draws[members]
    if unknown.lane_index is not None:
        # Asked again, the lanes decide as before.
        if len(machine.decided) >= _REMEMBERED:
            del machine.decided[next(iter(machine.decided))]
        machine.decided[unknown.key] = found
    return found


def _members(unknown: Unknown, lanes: int) -> NDArray[np.int64] | None:
    """The number of the group of each lane that decide alike; None where each decides for itself."""
    if unknown.lane_index is not None:
        members: NDArray[np.int64] = np.unique(unknown.lane_index, return_inverse=True)[1]
        return members
    if unknown.uniform and lanes >= WARP_SIZE:
        return np.arange(lanes) // WARP_SIZE
    return None


def at_turn(turn: int, *, is_even: bool = False) -> float:
    """A number in [0, 1) for each turn, evenly spread: the first to the likelier side, of an even chance to either."""
    start = 0.5 + (-_ABOUT_EVEN if is_even else _ABOUT_EVEN)
    return (start + (turn - 1) * GOLDEN) % 1.0


def _shared_out(
    weight: NDArray[np.float64], drawn: NDArray[np.float64], turned: float
) -> NDArray[np.float64]:
    """Numbers in [0, 1) of which those below p have a share p of the weight, in the order of what was drawn."""
    order = np.argsort(drawn)
    ordered = weight[order]
    reached = np.cumsum(ordered)
    draws = np.empty(len(weight))
    draws[order] = (reached - (1.0 - turned) * ordered) / max(float(reached[-1]), _ABOUT_EVEN)
    return draws


class EvenElements:
    """Where in their range the elements of an array lie that few lanes, or lanes of a warp together, have looked at."""

    def __init__(self) -> None:
        self._draws: dict[int, float] = {}
        """Offset of an element -> its number in [0, 1)."""
        self._turns = 0

    def of(
        self, machine: Machine, unknown: Unknown, offset: int | NDArray[np.int64], mask: Mask
    ) -> Unknown:
        """The unknown elements at some offsets, with numbers of their own where they are few."""
        if not unknown.is_drawable or unknown.draws is not None or unknown.rises_over is not None:
            return unknown
        if isinstance(offset, int):
            draws = self._numbers(unknown, np.array([offset]), np.ones(1))
            return replace(unknown, draws=draws)
        lanes = mask.lanes
        wanted = offset[lanes]
        if len(wanted) > _FEW and not _is_same_in_warps(offset, lanes):
            if not self._draws:
                return unknown
            at = np.fromiter(self._draws, np.int64, len(self._draws))
            at.sort()
            place = np.minimum(np.searchsorted(at, offset), len(at) - 1)
            has_own = at[place] == offset
            own = np.array([self._draws[item] for item in at.tolist()])
            plain = uniform_draws(unknown, machine.lane_count)
            return replace(unknown, draws=np.where(has_own, own[place], plain))
        places, members = np.unique(wanted, return_inverse=True)
        weight = np.bincount(members, machine.weight[lanes]).astype(np.float64)
        draws = np.zeros(machine.lane_count)
        draws[lanes] = self._numbers(unknown, places, weight)[members]
        return replace(unknown, draws=draws)

    def _numbers(
        self, unknown: Unknown, places: NDArray[np.int64], weight: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        is_new = np.array([place not in self._draws for place in places.tolist()])
        if is_new.any():
            self._turns += 1
            fresh = places[is_new]
            order = uniform_draws(Unknown(unknown.key, lane_index=fresh), len(fresh))
            numbers = _shared_out(weight[is_new], order, at_turn(self._turns))
            self._draws.update(zip(fresh.tolist(), numbers.tolist(), strict=True))
        return np.array([self._draws[place] for place in places.tolist()])


def _is_same_in_warps(offset: NDArray[np.int64], lanes: NDArray[np.bool_]) -> bool:
    """Whether the active lanes of each warp look at one place."""
    if len(offset) % WARP_SIZE:
        return False
    by_warp, active = offset.reshape(-1, WARP_SIZE), lanes.reshape(-1, WARP_SIZE)
    first = np.take_along_axis(by_warp, active.argmax(axis=1)[:, None], axis=1)
    return bool(((by_warp == first) | ~active).all())
