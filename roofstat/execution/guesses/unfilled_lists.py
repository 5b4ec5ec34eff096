"""Lists that a filter of data left empty in the sample: some get in all the same.

What threads compare with a threshold rests on data of which the sample knows how each element is distributed, but not what they
have to do with each other: points of one plane, hits of one track. Nobody of the sample may pass then. Whoever fills a list
for what follows expects some that do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.guesses.queues import fills_queue
from roofstat.execution.numbers.unknowns import drawn
from roofstat.execution.numbers.values import Unknown
from roofstat.execution.stored.kernel_stores import stores_of
from roofstat.hardware.units import WARP_SIZE
from roofstat.program.code import Op, instructions_of
from roofstat.program.comparisons import ORDERS
from roofstat.program.slices import copied_once

if TYPE_CHECKING:
    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.program.code import If, Instruction

_PASSING = 1.0 / WARP_SIZE
"""Part of the threads that get in: one of each warp. Of the hypotheses of a search for planes 3.6 % did."""


def note_filter(machine: Machine, region: If, mask: Mask, taken: Mask | None) -> None:
    """Look at a branch of known conditions that fills a list by a threshold: who comes to it, and whether anyone gets in."""
    if machine.dry or machine.recorder is None or not fills_queue(machine, region):
        return
    known = machine.unfilled
    if taken is not None:
        known[region.number] = {}
        return
    if known.get(region.number) == {} or not _is_by_threshold(machine, region, mask):
        return
    threads, _ = mask.totals(machine.weight)
    places = known.setdefault(region.number, {})
    for item in instructions_of(region.then):
        address = _counter_of(machine, item)
        if address is not None:
            before = places.get(address, (item.scalar, 0.0))
            places[address] = (item.scalar, before[1] + threads)


def fill_lists(machine: Machine) -> None:
    """At the end of a launch: let some into the lists that nobody of the sample got into."""
    for places in machine.unfilled.values():
        for address, (scalar, threads) in places.items():
            found = machine.memory.find(address)
            if found is None or found.buffer.number in machine.written:
                continue
            offset = address - found.base
            before = found.contents.load(offset, scalar, found.buffer.number, "")
            if isinstance(before, int):
                machine.memory.written.add(found.buffer.number)
                total = before + max(threads * _PASSING, 1.0)
                stores_of(found, machine.run_number).count(offset, scalar, total)


def _is_by_threshold(machine: Machine, region: If, mask: Mask) -> bool:
    """Whether the branch compares numbers that differ from lane to lane with a limit."""
    comparison, _ = machine.facts.behind_negations(region.condition)
    if comparison is None or comparison.op not in ORDERS:
        return False
    one, other = (drawn(machine.read(item), machine.lane_count) for item in comparison.args)
    if isinstance(one, Unknown) or isinstance(other, Unknown):
        return False
    apart = np.asarray(one, np.float64) - np.asarray(other, np.float64)
    return apart.ndim > 0 and len(np.unique(apart[mask.lanes])) > 1


def _counter_of(machine: Machine, item: Instruction) -> int | None:
    """The address of the one counter that an atomic counts at; None for other instructions."""
    if item.op is not Op.ATOMIC or not item.scalar.is_integer:
        return None
    base = machine.frames[-1].registers[copied_once(machine.facts.writers, item.args[0])]
    return base if isinstance(base, int) else None
