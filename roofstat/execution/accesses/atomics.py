"""Atomics: the value that comes back, and how many lanes meet at one address."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.accesses.addresses import Target, parts_of, resolve
from roofstat.execution.accesses.loads import loaded_value
from roofstat.execution.accesses.recording import record_access
from roofstat.execution.guesses.counters import counted, tallied
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import (
    Unknown,
    Value,
)
from roofstat.execution.stored.kernel_stores import stores_of
from roofstat.program.code import AtomicAccess, Space

if TYPE_CHECKING:
    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.program.code import Instruction


_ORDERING = frozenset({"min", "max"})


def atomic(machine: Machine, item: Instruction, mask: Mask) -> Value:
    """An ATOMIC: old values are known of counters only; conflicts within warps are recorded."""
    access = item.detail
    assert isinstance(access, AtomicAccess)
    target = resolve(machine, machine.read(item.args[0]), 0, mask)
    record_access(machine, item, mask, target)
    found = target.found
    old: Value | None = None
    if found is not None and not machine.dry:
        if target.address is not None and not target.is_guess:
            old = counted(machine, item, found, target.address, mask)
        if old is None:
            machine.counters.forget(found.buffer.number)
            old = tallied(machine, item, found, mask)
        for reached, _ in parts_of(machine, target, mask) or ((found, None),):
            if access.name in _ORDERING and reached.contents.is_near:
                # Trees of neighbours are joined: they stay near, and so is what is found there.
                old = loaded_value(machine, target, item.scalar, mask)
                continue
            machine.memory.written.add(reached.buffer.number)
            machine.written.add(reached.buffer.number)
            stores_of(reached, machine.run_number).spoil()
        if found.buffer.space in (Space.SHARED, Space.LOCAL):
            found.contents.forget_cells()
    if machine.recorder is not None and not machine.dry and target.address is not None:
        is_shared = found is not None and found.buffer.space is Space.SHARED
        machine.recorder.conflict(
            item.site,
            _lanes_per_address(machine, target, mask),
            _warps_per_address(machine, target, mask) if is_shared else 1.0,
        )
    if old is not None:
        return old
    name = found.buffer.name if found is not None else "memory"
    return Unknown(
        new_key(), reason=f"result of an atomic on {name}", is_float=item.scalar.is_float
    )


def _lanes_per_address(machine: Machine, target: Target, mask: Mask) -> float:
    addresses = target.lane_addresses(machine.lane_count)
    if addresses is None or machine.lane_count < 32:
        return 1.0
    rows = np.where(mask.lanes, addresses, -1).reshape(-1, 32)
    ordered = np.sort(rows, axis=1)
    distinct = (np.diff(ordered, axis=1) != 0).sum(axis=1) + 1 - (ordered[:, 0] == -1)
    active = mask.lanes.reshape(-1, 32).sum(axis=1)
    busy = active > 0
    return float((active[busy] / np.maximum(distinct[busy], 1)).mean())


def _warps_per_address(machine: Machine, target: Target, mask: Mask) -> float:
    """Warps of a block that hit the address of a warp: those of the block, by how often two sampled ones meet."""
    addresses = target.lane_addresses(machine.lane_count)
    recorder = machine.recorder
    if addresses is None or recorder is None or machine.lane_count < 64:
        return 1.0
    rows = np.where(mask.lanes, addresses, -1).reshape(-1, 32)
    blocks = machine.lanes.block_slot[::32]
    busy = np.flatnonzero((rows >= 0).any(axis=1))
    is_pair = blocks[busy[:-1]] == blocks[busy[1:]]
    one, other = rows[busy[:-1][is_pair]], rows[busy[1:][is_pair]]
    if not len(one):
        return 1.0
    meets = (one >= 0) & (one[:, :, None] == other[:, None, :]).any(axis=2)
    met = meets.sum(axis=1) / (one >= 0).sum(axis=1)
    warps = -(-math.prod(recorder.trace.block) // 32)
    return float(1.0 + (warps - 1) * sum(met.tolist()) / len(met))
