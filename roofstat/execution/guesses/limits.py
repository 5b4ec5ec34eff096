"""Threads below a limit that nobody knows: those with the smallest numbers are, all of a warp or none, but for the warp of the limit.

``if (start[row] + i < start[row + 1])`` leaves the first elements of each row, not any of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.numbers.values import Mixed, Unknown
from roofstat.hardware.units import WARP_SIZE
from roofstat.program.code import Op

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.execution.numbers.values import Value
    from roofstat.program.code import If

_BELOW = frozenset({Op.LT, Op.LE})
_ABOVE = frozenset({Op.GT, Op.GE})


def lanes_within_limit(
    machine: Machine, region: If, probability: float, mask: Mask
) -> NDArray[np.bool_] | None:
    """The lanes that take a branch on the order of two integers, one or both of which nobody knows; None for other branches.

    What is unknown has to be the same for all lanes of a warp, which differ in what is known.
    """
    definition = machine.facts.definitions.get(region.condition)
    if definition is None or definition.op not in _BELOW | _ABOVE or machine.lane_count < WARP_SIZE:
        return None
    if definition.scalar.is_float:
        return None
    registers = machine.frames[-1].registers
    first, second = (_known_part(registers[item], machine) for item in definition.args[:2])
    if first is None or second is None:
        return None
    ahead = np.broadcast_to(first - second, (machine.lane_count,))
    rows = ahead.reshape(-1, WARP_SIZE)
    if bool((rows == rows[:, :1]).all()):
        return None
    if definition.op in _ABOVE:
        ahead = -ahead
    weight = np.where(mask.lanes, machine.weight, 0.0)
    order = np.argsort(ahead, kind="stable")
    reached = np.empty(machine.lane_count)
    reached[order] = np.cumsum(weight[order]) - 0.5 * weight[order]
    taken: NDArray[np.bool_] = reached < probability * float(weight.sum())
    return taken


def _known_part(value: Value | None, machine: Machine) -> NDArray[np.int64] | None:
    """What is known of an integer in each lane, but for what all lanes of a warp have; None where lanes differ in more."""
    if value is None or isinstance(value, Mixed):
        return None
    if isinstance(value, Unknown):
        index = value.lane_index
        if index is not None:
            rows = np.broadcast_to(index, (machine.lane_count,)).reshape(-1, WARP_SIZE)
            if not bool((rows == rows[:, :1]).all()):
                return None
        elif not value.uniform:
            return None
        value = value.offset
    return np.asarray(value).astype(np.int64)
