"""Branches that look whether a value beats what all threads share before an atomic puts it there (``if (x > *m) atomicMax(m, x)``).

Threads that run together see what was there before any of them; of those behind them the i-th beats all that came before it with
a probability of 1 / i, as with the best so far of one thread (`best_so_far`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.guesses.best_so_far import comparisons_behind, load_behind, root_of_address
from roofstat.execution.jumps import direct_leaves
from roofstat.program.code import AtomicAccess, Op, instructions_of
from roofstat.program.comparisons import ORDERS

if TYPE_CHECKING:
    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.execution.numbers.values import Value
    from roofstat.program.code import If, Instruction

_TOGETHER = 1 << 17
"""Threads that run together: 104,448 on 68 SMs that hold 1,536 each, 270,336 on 132 that hold 2,048."""
_EXTREMES = frozenset({"min", "max"})


def chance_of_new_extreme(machine: Machine, region: If, mask: Mask) -> tuple[float, str] | None:
    """(probability that the branch is taken, why), where it asks for a new extreme of all threads; None for other branches."""
    known = machine.facts.extremes
    if region.number not in known:
        known[region.number] = _test_of(machine, region)
    found = known[region.number]
    if found is None:
        return None
    load, is_taken = found
    if not _is_one_place(machine.read(load.args[0]), mask):
        return None
    now = float(machine.weight[mask.lanes].sum())
    if now <= 0.0:
        return None
    seen = machine.tested.get(region.number, 0.0)
    if not machine.dry:
        machine.tested[region.number] = seen + now
    chance = _new_extremes(seen, seen + now) / now
    return chance if is_taken else 1.0 - chance, f"a new extreme of {seen + now:,.0f} values"


def _new_extremes(first: float, last: float) -> float:
    """How many of the values between two places are new extremes."""
    unseen = max(min(last, _TOGETHER) - first, 0.0)
    return unseen + math.log(max(last, _TOGETHER) / max(first, _TOGETHER))


def _is_one_place(address: Value, mask: Mask) -> bool:
    """Whether all threads look at one address of memory that they share."""
    if isinstance(address, np.ndarray):
        lanes = address[mask.lanes]
        return len(lanes) > 0 and bool((lanes == lanes[0]).all())
    return isinstance(address, int)


def _test_of(machine: Machine, region: If) -> tuple[Instruction, bool] | None:
    """The load of what is compared with, and whether the first arm is the one that updates it."""
    arms = [(region.then, True), (region.otherwise, False)]
    if direct_leaves(region.then):
        arms.append((machine.frames[-1].code.body, False))
    for comparison in comparisons_behind(machine, region.condition):
        if comparison.op not in ORDERS:
            continue
        for register in comparison.args:
            load = load_behind(machine, register)
            if load is None:
                continue
            root = root_of_address(machine, load.args[0])
            if root < 0:  # of a block, or of a thread
                continue
            for arm, is_taken in arms:
                for item in instructions_of(arm):
                    detail = item.detail
                    if (
                        item.op is Op.ATOMIC
                        and isinstance(detail, AtomicAccess)
                        and detail.name in _EXTREMES
                        and root_of_address(machine, item.args[0]) == root
                    ):
                        return load, is_taken
    return None
