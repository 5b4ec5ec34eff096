"""Stores: cells of host memory, what kernels leave for later ones, broadcasts through shared memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.execution.accesses.addresses import Target, parts_of, resolve
from roofstat.execution.accesses.evenness import UNEVEN, stores_evenly
from roofstat.execution.accesses.recording import record_access
from roofstat.execution.accesses.scattered import scatter
from roofstat.execution.mask import Mask
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import (
    NUMBERS,
    Mixed,
    Unknown,
    Value,
    merge,
    same_draw,
    to_array,
)
from roofstat.execution.stored.distinct import distinct
from roofstat.execution.stored.kernel_stores import (
    StoreEvent,
    forget_lanes,
    lane_memory_of,
    stores_of,
)
from roofstat.program.code import MemoryAccess, Op, Space, SpecialRegister

if TYPE_CHECKING:
    from roofstat.execution.machine import Machine
    from roofstat.execution.stored.address_space import MemoryObject
    from roofstat.program.code import Instruction
_SMALLEST_ARRAY = 4


def store(machine: Machine, item: Instruction, mask: Mask) -> None:
    """A STORE."""
    access = item.detail
    assert isinstance(access, MemoryAccess)
    target = resolve(machine, machine.read(item.args[0]), access.offset_bytes, mask)
    if access.access_bytes and machine.recorder is not None:
        record_access(machine, item, mask, target, access.access_offset_bytes)
    if machine.dry:
        return
    found = target.found
    if found is None:
        return
    value = machine.read(item.args[1])
    space = found.buffer.space
    if not machine.is_host and space in (Space.GLOBAL, Space.CONSTANT, Space.HOST):
        parts = parts_of(machine, target, mask)
        for reached, lanes in parts or ((found, None),):
            machine.memory.written.add(reached.buffer.number)
            machine.written.add(reached.buffer.number)
            own = mask if lanes is None else Mask(lanes)
            _note_kernel_store(machine, item, reached, target, value, own)
        return
    if not machine.is_host and access.bit_width is None:
        _note_kernel_store(machine, item, found, target, value, mask)
    elif not machine.is_host:
        forget_lanes(found, machine.run_number)
    if space is Space.LOCAL and not machine.is_host and not stores_evenly(value, target, mask):
        found.state[UNEVEN] = True
    may_count = machine.is_host and machine.loop_stack and not machine.doubt
    step = _addend(machine, item) if may_count else None
    if not isinstance(target.address, int):
        is_scattered = machine.is_host and _is_scattered(found, target, item.scalar)
        size = found.buffer.size_bytes
        if is_scattered and step is not None:
            _note_tally(machine, item, found, None, step)
        elif machine.is_host and found.contents.exchange(item.scalar, value, size):
            return
        elif is_scattered:
            _note_scattered(machine, item, found, value)
            scatter(machine, item, found, value)
        elif machine.is_host and isinstance(target.address, np.ndarray):
            _store_one(
                machine,
                item.site,
                found,
                int(target.address[0]) - found.base,
                item.scalar,
                value,
                access,
            )
        else:
            found.contents.forget_cells()
        return
    offset = target.address - found.base
    if step is not None:
        _note_tally(machine, item, found, offset, step)
    if space is Space.SHARED and not isinstance(value, NUMBERS):
        value = _broadcast_in_block(machine, value, mask, item.scalar)
        found.contents.store(offset, item.scalar, value)
        return
    if not machine.is_host and not mask.is_full and space is Space.LOCAL:
        old = found.contents.cells.get(offset)
        value = merge(mask.lanes, value, old[1] if old is not None else None, item.scalar)
    _store_one(machine, item.site, found, offset, item.scalar, value, access, adds=step is not None)


def _addend(machine: Machine, item: Instruction) -> int | None:
    """What a store adds to the integer that its place holds; None for other stores."""
    definition = _uncast(machine, item.args[1])
    if definition is None or definition.op is not Op.ADD or not item.scalar.is_integer:
        return None
    for own, other in (definition.args, definition.args[::-1]):
        source = _uncast(machine, own)
        if source is not None and source.op is Op.LOAD and _is_same_place(machine, source, item):
            step = machine.read(other)
            return step if isinstance(step, int) else None
    return None


def _is_same_place(machine: Machine, load: Instruction, item: Instruction) -> bool:
    """Whether a store goes to where a value was loaded from."""
    assert isinstance(load.detail, MemoryAccess)
    assert isinstance(item.detail, MemoryAccess)
    if load.detail.offset_bytes != item.detail.offset_bytes:
        return False
    source, target = machine.read(load.args[0]), machine.read(item.args[0])
    if isinstance(source, Unknown) and isinstance(target, Unknown):
        return same_draw(source, target) and (source.scale, source.offset) == (
            target.scale,
            target.offset,
        )
    return isinstance(source, int) and source == target


def _uncast(machine: Machine, register: int) -> Instruction | None:
    """The instruction that computes a register, before it is converted to another type; None for what a loop swaps around."""
    definitions = machine.facts.definitions
    definition = definitions.get(register)
    seen = {register}
    while definition is not None and definition.op in (Op.CAST, Op.MOV):
        register = definition.args[0]
        if register in seen:
            return None
        seen.add(register)
        definition = definitions.get(register)
    return definition


def _note_tally(
    machine: Machine, item: Instruction, found: MemoryObject, offset: int | None, step: int
) -> None:
    site = machine.facts.site_of_all(item.site)
    weight = float(machine.weight[0])
    machine.loop_stack[-1].note_tally(site, found, offset, item.scalar, step, weight)


def _note_scattered(machine: Machine, item: Instruction, found: MemoryObject, value: Value) -> None:
    site, weight = machine.facts.site_of_all(item.site), float(machine.weight[0])
    for entry in machine.loop_stack:
        entry.note_scattered(site, found, item.scalar, value, weight)


def _is_scattered(found: MemoryObject, target: Target, scalar: Scalar) -> bool:
    """Whether a store of host code goes to an unknown element of an array of integers."""
    size = found.buffer.size_bytes
    return (
        target.is_guess
        and scalar.is_integer
        and scalar is not Scalar.U64  # which may be pointers
        and (size is None or size >= _SMALLEST_ARRAY * scalar.size_bytes)
        and all(
            stored.size_bytes == scalar.size_bytes for stored, _ in found.contents.cells.values()
        )
    )


def _note_kernel_store(
    machine: Machine,
    item: Instruction,
    found: MemoryObject,
    target: Target,
    value: Value,
    mask: Mask,
) -> None:
    """Remember what lanes of a kernel store to an allocation, for its own loads and for later launches."""
    stores = stores_of(found, machine.run_number)
    machine.stores[found.buffer.number] = stores
    if target.is_guess or target.address is None:
        stores.scatter(item.site, item.scalar, value, mask.lanes, machine.weight)
        return
    machine.store_count += 1
    offset = target.address - found.base
    event = StoreEvent(machine.store_count, offset, mask.lanes, value, item.scalar)
    facts = machine.facts
    is_sum = item.site in facts.running_sums or (
        isinstance(value, Unknown) and value.rises_over is not None
    )
    if item.site in facts.whole_sums and _is_single_block(machine):
        is_sum = True
        if machine.summed is not None:
            stores.sums_of(machine.summed, item.scalar)
    if not mask.is_empty:
        stores.note(
            item.site,
            event,
            mask,
            machine.weight,
            is_private=found.buffer.space is Space.LOCAL,
            is_rising=is_sum,
        )
    own = lane_memory_of(found, machine.run_number, machine.lane_count)
    if own is not None:
        own.store(offset, item.scalar, value, mask)
        own.last = machine.store_count


def _is_single_block(machine: Machine) -> bool:
    sizes = (SpecialRegister.NCTAID_X, SpecialRegister.NCTAID_Y, SpecialRegister.NCTAID_Z)
    return all(machine.launch_dimensions.get(size.value) == 1 for size in sizes)


def _store_one(
    machine: Machine,
    site: int,
    found: MemoryObject,
    offset: int,
    scalar: Scalar,
    value: Value,
    access: MemoryAccess,
    *,
    adds: bool = False,
) -> None:
    if access.bit_width is not None:
        offset = offset * 64 + access.bit_offset + (1 << 40)
    if machine.is_host:
        store_on_host(machine, site, found, offset, scalar, value, adds=adds)
    else:
        found.contents.store(offset, scalar, value)


def store_on_host(
    machine: Machine,
    site: int,
    found: MemoryObject,
    offset: int,
    scalar: Scalar,
    value: Value,
    *,
    adds: bool = False,
) -> None:
    """A store of host code; the loops that run are told, so that they can be extrapolated."""
    machine.frames[-1].stored[found.base] = found
    if machine.loop_stack:
        site = machine.facts.site_of_all(site)
        machine.loop_stack[-1].note_store(site, found, offset, scalar, value)
        if machine.doubt:
            machine.loop_stack[-1].doubtful.add(site)
        for entry in machine.loop_stack:
            entry.note_cell(found, offset, scalar, value, (site,) if adds else ())
    found.contents.store(offset, scalar, value)


def _broadcast_in_block(machine: Machine, value: Value, mask: Mask, scalar: Scalar) -> Value:
    """What every lane of a block reads back after some lane stored to one shared address."""
    if isinstance(value, Unknown):
        return Unknown(
            new_key(),
            uniform=True,
            reason=value.reason,
            is_float=value.is_float,
            low=value.low,
            high=value.high,
        )
    if isinstance(value, NUMBERS):
        return value
    if isinstance(value, Mixed):
        return Unknown(new_key(), uniform=True, reason=value.unknown.reason)
    array = to_array(value, scalar, machine.lane_count)
    result = array.copy()
    for slot in distinct(machine.lanes.block_slot):
        lanes = machine.lanes.block_slot == slot
        active = np.flatnonzero(lanes & mask.lanes)
        if len(active):
            result[lanes] = array[active[-1]]
    return result
