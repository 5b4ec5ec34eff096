"""What the clocks of a warp are spent on, and sums of such clocks."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from roofstat.instructions.timing.warp_steps import WarpStep

__all__ = ["Clocks", "SourceLine", "Step", "difference", "growth_of", "no_clocks", "shortened"]

SourceLine = tuple[str, int]
"""File and 1-based line."""
Step = WarpStep | SourceLine
"""What clocks are spent on: waits for loads from global memory by the line of the load."""
Clocks = defaultdict[Step, float]


def no_clocks() -> Clocks:
    """Nothing spent."""
    return defaultdict(float)


def difference(after: Clocks, before: Clocks) -> Clocks:
    """What was spent between two moments."""
    found = no_clocks()
    for step, clocks in after.items():
        found[step] = clocks - before[step]
    return found


def growth_of(depths: list[dict[int, float]]) -> dict[int, float]:
    """How much deeper each iteration makes a variable.

    The least that it was: a variable that only takes over what another one held grows once by all that was loaded before
    the loop, or by what each iteration loads anew.
    """
    growth = {}
    for variable in depths[-1]:
        found = [one.get(variable, 0.0) for one in depths]
        least = min((after - before for before, after in pairwise(found)), default=0.0)
        if least > 0.0:
            growth[variable] = least
    return growth


def shortened(steps: Clocks, together: float, chain: float) -> Clocks:
    """An iteration of several that are on their way together.

    The first takes its time, each further one what it issues or what one needs of the one before, whichever is longer.

    Args:
        steps: An iteration on its own.
        together: Iterations.
        chain: Clocks from a variable of an iteration to the same one of the next.
    """
    issued = steps[WarpStep.ISSUE]
    target = (sum(steps.values()) + (together - 1.0) * max(chain, issued)) / together - issued
    # Waits no longer than the chain are part of it, others hide behind those of the first.
    found = no_clocks()
    for step, clocks in steps.items():
        if step is not WarpStep.ISSUE:
            found[step] = clocks if clocks <= chain else clocks / together
    waits = sum(found.values())
    if waits > target:
        for step in found:
            found[step] *= target / waits
    else:
        found[WarpStep.ARITHMETIC] += target - waits
    found[WarpStep.ISSUE] = issued
    return found
