"""Numbers by which lanes decide at random: spread as evenly over those that decide as their weights allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.numbers.keys import new_turn
from roofstat.execution.numbers.values import Unknown, uniform_draws
from roofstat.hardware.units import WARP_SIZE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask

_GOLDEN = (5**0.5 - 1) / 2
_ABOUT_EVEN = 1e-6
_REMEMBERED = 16


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
    if machine.is_host:
        return uniform_draws(Unknown(key), machine.lane_count)
    weight = np.where(mask.lanes, machine.weight, 0.0)
    members = _members(unknown, machine.lane_count)
    if members is not None:
        weight = np.bincount(members, weight)
    order = np.argsort(uniform_draws(Unknown(key), len(weight)))
    ordered = weight[order]
    reached = np.cumsum(ordered)
    # The first turn goes to the likelier side, of an even chance to either.
    start = 0.5 + (_ABOUT_EVEN if key % 2 else -_ABOUT_EVEN)
    turned = (start + (turn - 1) * _GOLDEN) % 1.0
    draws = np.empty(len(weight))
    draws[order] = (reached - (1.0 - turned) * ordered) / max(float(reached[-1]), _ABOUT_EVEN)
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
