"""Arrays whose places a counter gives: once they are full, it has come to its end.

A search that finds each vertex of a graph once is decided by marks that nobody knows; its queue tells how many there are.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from roofstat.program.code import Op, Space, instructions_of
from roofstat.program.slices import copied_once

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.program.code import If, Instruction


def room_of(machine: Machine, counting: Instruction) -> float | None:
    """How many places an atomic can give a block of an array that its result is an index of; None where nobody knows."""
    address = _address_of(machine, counting)
    base = None if address is None else machine.frames[-1].registers[address.args[0]]
    if address is None or not isinstance(base, int | np.ndarray) or machine.recorder is None:
        return None
    bases = np.unique(np.asarray(base))
    found = machine.memory.find(int(bases[0]))
    if found is None or not found.buffer.size_bytes or found.buffer.size_is_assumed:
        return None
    if found.buffer.space is not Space.GLOBAL or not isinstance(address.detail, int):
        return None
    rest: float = found.base + found.buffer.size_bytes - int(bases[0])
    if len(bases) > 1:  # a part for each block
        rest = found.buffer.size_bytes / math.prod(machine.recorder.trace.grid)
    return max(float(rest // address.detail), 1.0)


def kept_going(
    machine: Machine, region: If, taken: NDArray[np.bool_], mask: Mask
) -> NDArray[np.bool_]:
    """The lanes that take a branch, with one of each block where it fills a queue: of all that a lane finds something is new.

    One iteration stands for those over the neighbours of a vertex. Without this a block would be at its end by the first number.
    """
    if not fills_queue(machine, region):
        return taken
    blocks = mask.lanes.reshape(-1, machine.lanes.lanes_per_block)
    found = (taken & mask.lanes).reshape(blocks.shape)
    ended = np.flatnonzero(blocks.any(axis=1) & ~found.any(axis=1))
    kept = taken.copy()
    kept.reshape(blocks.shape)[ended, blocks[ended].argmax(axis=1)] = True
    return kept


def fills_queue(machine: Machine, region: If) -> bool:
    """Whether an arm puts something at places of an array that a counter gives, looked at once."""
    known = machine.facts.fills_queue
    if region.number not in known:
        known[region.number] = any(
            item.op is Op.ATOMIC and _address_of(machine, item) is not None
            for item in instructions_of(region.then)
        )
    return known[region.number]


def _address_of(machine: Machine, counting: Instruction) -> Instruction | None:
    """The address that a result is the index of, and something is stored to."""
    facts = machine.facts
    if counting.dest not in facts.places:
        facts.places[counting.dest] = next(
            (
                address
                for _, item in machine.frames[-1].code.instructions()
                if item.op is Op.STORE
                and (address := facts.definitions.get(item.args[0])) is not None
                and address.op is Op.PTR_ADD
                and copied_once(facts.writers, address.args[1]) == counting.dest
            ),
            None,
        )
    return facts.places[counting.dest]
