"""When decisions inside a loop go another way: iterations are looked at ahead of time, without doing their work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.numbers.values import NUMBERS, OPEN

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.execution.numbers.values import Value
    from roofstat.program.code import Loop

Decision = tuple[int, bool | None]
"""Number of a branch, and which way all lanes go: None where they part or nobody knows."""
_MOST_PHASES = 8
"""Iterations that are looked at together, where decisions by a remainder repeat."""


def decision_of(condition: Value, active: NDArray[np.bool_]) -> bool | None:
    """Which way all active lanes go; None where they part."""
    if isinstance(condition, NUMBERS):
        return bool(condition)
    if isinstance(condition, OPEN):
        return None
    lanes = condition.astype(np.bool_)[active]
    return bool(lanes[0]) if bool((lanes == lanes[0]).all()) else None


def next_turn(
    machine: Machine,
    loop: Loop,
    move: Callable[[int], None],
    longest: int,
    unit: int,
    active: Mask,
) -> float:
    """Iterations until a decision turns that the lanes now take together; infinity where none is seen to.

    The ends and the quarters of what is left are looked at; a turn between two of them is found by halving. Inner loops
    are passed over.

    Args:
        machine: The running machine.
        loop: The loop, between two iterations.
        move: Sets the loop's variables to their values that many iterations ahead.
        longest: Iterations that are left.
        unit: Iterations after which decisions by a remainder repeat.
        active: Lanes that are in the loop.
    """
    groups = longest // unit
    if groups < 2:
        return float("inf")

    def look(group: int) -> list[Decision]:
        found: list[Decision] = []
        for ahead in range(min(unit, _MOST_PHASES)):
            found += _decisions(machine, loop, move, group * unit + ahead, active)
        return found

    now = look(0)
    if not now:
        return float("inf")
    alike = 0
    for group in sorted({groups // 4, groups // 2, 3 * groups // 4, groups - 1} - {0}):
        if look(group) != now:
            break
        alike = group
    else:
        return float("inf")
    other = group
    while other - alike > 1:
        middle = (alike + other) // 2
        if look(middle) == now:
            alike = middle
        else:
            other = middle
    return float(other * unit)


def _decisions(
    machine: Machine, loop: Loop, move: Callable[[int], None], distance: int, active: Mask
) -> list[Decision]:
    """What an iteration decides, in the order of its branches."""
    frame = machine.frames[-1]
    saved, pending = list(frame.registers), dict(machine.pending)
    machine.dry += 1
    machine.decisions = []
    try:
        move(distance)
        mask: Mask | None = active
        if loop.tests_before:
            mask = machine.run(loop.condition, mask)
        machine.run(loop.body, mask)
        return machine.decisions
    finally:
        machine.decisions = None
        machine.dry -= 1
        machine.pending = pending
        frame.registers[:] = saved
