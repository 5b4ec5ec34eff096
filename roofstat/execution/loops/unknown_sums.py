"""Counts of tests on data that nobody knows, in the loops of kernels: what skipped iterations have counted.

A thread that counts how many of its elements pass a test has a count between none and all of them. Only a few of the
iterations run, and the count is not what these have added: it goes on as its bounds have moved so far. Sums of wider
numbers stay as they are: the middle of what a mask leaves says little of their mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.loops.carried import Bounds, grown_unknown, growth, middle_of, settled_sum
from roofstat.execution.numbers.values import DTYPES, Mixed, Unknown

if TYPE_CHECKING:
    from roofstat.execution.loops.linear import Steps
    from roofstat.execution.loops.run_state import LoopRun
    from roofstat.execution.mask import Mask
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.sampling.representatives import Position


_ONE_MORE: Bounds = (0, 1)
"""What an iteration adds to the bounds of a count."""


@dataclass(frozen=True, slots=True)
class UnknownSum:
    """A whole number whose bounds move evenly from one iteration to the next."""

    change: tuple[Bounds, Bounds]
    """Bounds now, and their change in an iteration."""
    value: Unknown


def unknown_sums(run: LoopRun, steps: Steps) -> dict[int, UnknownSum]:
    """The variables of a kernel's loop that are such sums."""
    if run.machine.is_host or len(run.snapshots) < 3:
        return {}
    types = run.machine.frames[-1].code.register_types
    found: dict[int, UnknownSum] = {}
    # What decides in the loop itself, as the places of a merge do, is followed by its decisions.
    for variable in run.facts.sums - steps.keys() - run.balanced - run.facts.control:
        values: list[Value] = []
        for state in run.snapshots[-3:]:
            value = state[variable]
            if value is not None:
                values.append(value)
        last = values[-1] if len(values) == 3 else None
        change = growth(values) if types[variable].is_integer else None
        if change is not None and isinstance(last, Unknown) and change[1] == _ONE_MORE:
            found[variable] = UnknownSum(change, last)
    return found


def move_unknown_sums(
    run: LoopRun, sums: dict[int, UnknownSum], distance: Position, active: Mask
) -> None:
    """Set the sums of active lanes to what they are so many iterations later."""
    frame = run.machine.frames[-1]
    for variable, known in sums.items():
        if isinstance(distance, int) and active.is_full:
            if distance:
                total = grown_unknown(
                    known.change,
                    distance,
                    known.value,
                    is_float=False,
                    uniform=known.value.uniform,
                )
                frame.registers[variable] = settled_sum(total, known.change[1], distance)
            continue
        middle = middle_of(known.value)
        if middle is None:
            continue
        # Lanes that go on for unlike times: each has what is expected.
        moved = middle + sum(known.change[1]) / 2.0 * np.asarray(distance, np.float64)
        numbers = np.broadcast_to(np.rint(moved), (run.machine.lane_count,))
        values = numbers.astype(DTYPES[frame.code.register_types[variable]])
        if active.is_full:
            frame.registers[variable] = values
        else:
            frame.registers[variable] = Mixed(values, active.lanes, known.value)
