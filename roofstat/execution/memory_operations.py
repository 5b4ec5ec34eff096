"""Loads, stores and atomics: addresses, values and what the recorder learns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from clang_queries.ir.expressions import Constant, FunctionName, InitList
from clang_queries.ir.statements import Storage
from clang_queries.ir.types import ArrayType, Scalar
from roofstat.execution.address_space import UNKNOWN_EXTENT_BYTES
from roofstat.execution.arithmetic import drawn, new_key
from roofstat.execution.contents import Fill, Pattern
from roofstat.execution.counters import counted, shared_count
from roofstat.execution.kernel_stores import STATE, KernelStores, StoreEvent, stores_of
from roofstat.execution.values import (
    Mixed,
    Unknown,
    Value,
    merge,
    number_of,
    resolve_integer,
    scaled,
    shifted,
    splitmix,
    to_array,
)
from roofstat.program.code import AtomicAccess, MemoryAccess, Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.address_space import MemoryObject
    from roofstat.execution.machine import Frame, Machine, Mask
    from roofstat.program.code import Instruction, Slot

LARGEST_NOTED_RECORD_BYTES = 128
"""Copies of larger records are not summarised when host loops are."""
POINTER_BYTES = 8
_FEWEST_POINTERS = 1 << 14
_LEAST_SPACING_BYTES = 256
FIRST_OBJECT_ADDRESS = 1 << 33
"""Smaller numbers are no addresses of allocations."""


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """Where an access goes."""

    found: MemoryObject | None
    address: int | NDArray[np.int64] | None
    is_guess: bool = False
    is_apart: bool = False
    """Whether lanes follow pointers that nobody knows, each taken to lead to memory of its own."""

    def lane_addresses(self, lanes: int) -> NDArray[np.int64] | None:
        """One address for each lane."""
        if isinstance(self.address, int):
            return np.full(lanes, self.address, np.int64)
        return self.address


# Addresses


def pointer_add(machine: Machine, base: Value, index: Value, scale: int) -> Value:
    """``base + index * scale`` in bytes."""
    if isinstance(base, int) and isinstance(index, int):
        return base + index * scale
    if isinstance(base, Unknown) and isinstance(index, Unknown):
        guess = resolve_integer(index, _guess_count(machine), machine.lane_count)
        return shifted(base, guess * scale)
    if isinstance(index, Unknown) and not isinstance(base, Mixed):
        assert not isinstance(base, Unknown)
        return shifted(scaled(index, scale), _integer(base))
    if isinstance(base, Unknown) and not isinstance(index, Mixed):
        assert not isinstance(index, Unknown)
        return shifted(base, _integer(index) * scale)
    if isinstance(base, Mixed) or isinstance(index, Mixed):
        return _mixed_pointer(machine, base, index, scale)
    assert not isinstance(base, Unknown)
    assert not isinstance(index, Unknown)
    return _integer(index) * scale + _integer(base)


def _integer(value: float | np.ndarray) -> int | NDArray[np.int64]:
    return value.astype(np.int64) if isinstance(value, np.ndarray) else int(value)


def _mixed_pointer(machine: Machine, base: Value, index: Value, scale: int) -> Value:
    known = np.ones(machine.lane_count, np.bool_)
    unknown = Unknown(0)
    parts: list[NDArray[np.int64]] = []
    for value in (base, index):
        if isinstance(value, Mixed):
            known = known & value.known
            unknown = value.unknown
            parts.append(value.values.astype(np.int64))
        elif isinstance(value, Unknown):
            known = np.zeros(machine.lane_count, np.bool_)
            unknown = value
            parts.append(np.zeros(machine.lane_count, np.int64))
        else:
            parts.append(to_array(value, Scalar.I64, machine.lane_count))
    return Mixed(parts[0] + parts[1] * scale, known, unknown)


def _guess_count(machine: Machine) -> int:
    return max(int(machine.lanes.weight.sum()), 32)


def resolve(machine: Machine, value: Value, offset: int, mask: Mask | None = None) -> Target:
    """The allocation and the addresses that an address value stands for; lanes outside of a mask say nothing."""
    if mask is not None and not mask.is_full:
        value = _of_active_lanes(value, mask)
    if isinstance(value, int):
        address = value + offset
        return Target(machine.memory.find(address), address)
    if isinstance(value, float):
        return Target(None, None)
    if isinstance(value, np.ndarray):
        addresses = value.astype(np.int64) + offset
        return Target(_object_of(machine, addresses), addresses)
    if isinstance(value, Mixed):
        return _resolve_mixed(machine, value, offset)
    return _resolve_unknown(machine, value, offset)


def _of_active_lanes(value: Value, mask: Mask) -> Value:
    """The value with that of an active lane in place of those of inactive ones, which may be anything."""
    some = int(np.argmax(mask.lanes))
    if isinstance(value, np.ndarray):
        return np.where(mask.lanes, value, value[some])
    if isinstance(value, Unknown) and isinstance(value.offset, np.ndarray):
        return replace(value, offset=np.where(mask.lanes, value.offset, value.offset[some]))
    return value


def _object_of(machine: Machine, addresses: NDArray[np.int64]) -> MemoryObject | None:
    middle = (
        int(np.median(addresses[machine.lanes.exists]))
        if machine.lanes.exists.any()
        else int(addresses[0])
    )
    return machine.memory.find(middle)


def _resolve_mixed(machine: Machine, value: Mixed, offset: int) -> Target:
    addresses = value.values.astype(np.int64) + offset
    valid = value.known & (addresses >= FIRST_OBJECT_ADDRESS)
    if not valid.any():
        return Target(None, None, is_guess=True)
    found = machine.memory.find(int(addresses[valid][0]))
    if found is None:
        return Target(None, None, is_guess=True)
    span = found.extent_bytes if found.buffer.size_bytes is not None else _guess_count(machine) * 4
    guess = (
        found.base
        + resolve_integer(
            value.unknown.fresh(value.unknown.key), max(span // 4, 1), machine.lane_count
        )
        * 4
    )
    return Target(found, np.where(valid, addresses, guess), is_guess=True)


def _resolve_unknown(machine: Machine, value: Unknown, offset: int) -> Target:
    lowest = int(value.offset.min()) if isinstance(value.offset, np.ndarray) else value.offset
    if lowest + offset < FIRST_OBJECT_ADDRESS:
        return _anonymous(machine, value, offset)
    found = _object_near(machine, value, lowest + offset)
    if found is None:
        return Target(None, None, is_guess=True)
    size = found.buffer.size_bytes
    span = size if size is not None else _guess_count(machine) * max(abs(value.scale), 1)
    drawn = resolve_integer(value, max(span, 1), machine.lane_count) + offset
    relative = drawn - found.base
    bound = max(span, 1)
    if size is None and value.high is not None:
        bound = UNKNOWN_EXTENT_BYTES  # bounded by its own range
    outside = (relative < 0) | (relative >= bound)
    if outside.any():
        step = max(abs(value.scale), 1)
        folded = relative % bound
        relative = np.where(
            outside, folded - folded % min(step, 16) if step > 1 else folded, relative
        )
    addresses = found.base + relative
    if value.uniform and not isinstance(value.offset, np.ndarray):
        first = addresses.reshape(-1, 32)[:, :1] if len(addresses) >= 32 else addresses[:1]
        addresses = np.repeat(first.ravel(), 32) if len(addresses) >= 32 else addresses
    return Target(found, addresses, is_guess=True)


def _object_near(machine: Machine, value: Unknown, lowest: int) -> MemoryObject | None:
    """The allocation that an unknown index leads into: ``a[i - 1]`` begins before it where i is counted from one."""
    if value.low is not None and value.scale > 0:
        lowest += int(value.low) * value.scale
    for elements in (0, 1, 16, 256):
        found = machine.memory.find(lowest + elements * abs(value.scale))
        if found is not None:
            return found
    return None


def _anonymous(machine: Machine, value: Unknown, offset: int) -> Target:
    """A pointer that nobody knows: each such pointer is its own allocation of unknown size."""
    key = f"unknown-pointer-{value.key}"
    found = machine.globals.get(key)
    if found is None:
        space = Space.HOST if machine.is_host else Space.GLOBAL
        found = machine.memory.allocate(
            None, space, value.reason or "unknown pointer", assumed=True
        )
        machine.globals[key] = found
    relative = value.offset + offset
    if value.lane_index is not None and not machine.is_host:
        places = _places_apart(machine, value.lane_index) + relative
        return Target(found, found.base + places % UNKNOWN_EXTENT_BYTES, is_apart=True)
    if isinstance(relative, int):
        return Target(found, found.base + (relative if abs(relative) < UNKNOWN_EXTENT_BYTES else 0))
    addresses = found.base + np.where(np.abs(relative) < UNKNOWN_EXTENT_BYTES, relative, 0)
    return Target(found, addresses.astype(np.int64))


def _places_apart(machine: Machine, index: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the memory behind pointers begins that were loaded from these offsets: equal offsets, equal memory."""
    room = UNKNOWN_EXTENT_BYTES // max(_guess_count(machine), _FEWEST_POINTERS)
    spacing = max(1 << (room.bit_length() - 1), _LEAST_SPACING_BYTES)
    number = index // POINTER_BYTES
    if int(np.abs(number).max(initial=0)) * spacing >= UNKNOWN_EXTENT_BYTES:
        # Pointers found behind pointers, or far apart: no order is known.
        mixed = splitmix(index.astype(np.uint64)) % np.uint64(UNKNOWN_EXTENT_BYTES // spacing)
        number = mixed.astype(np.int64)
    return number * spacing


# Slots and globals


def prepare_slots(machine: Machine) -> None:
    """Copy record arguments into the slots of parameters that stay in memory."""
    frame = machine.frame
    for number, parameter in enumerate(frame.code.parameters):
        if parameter.slot is None or parameter.scalar is not None or number >= len(frame.arguments):
            continue
        source = frame.arguments[number]
        found = machine.memory.find(source) if isinstance(source, int) else None
        if found is None:
            continue
        assert isinstance(source, int)
        target = _slot_object(machine, frame, parameter.slot)
        _copy_cells(found, source - found.base, target, 0, parameter.size_bytes)


def _copy_cells(source: MemoryObject, start: int, target: MemoryObject, at: int, size: int) -> None:
    whole = source.buffer.size_bytes
    if start == 0 and at == 0 and whole is not None and size >= whole:
        copied = source.contents.copy()
        target.contents.cells.update(copied.cells)
        target.contents.fills.extend(copied.fills)
        target.contents.initial = copied.initial
        target.contents.is_lost = copied.is_lost
        target.contents.key = copied.key
        target.state.update(source.state)
        return
    target.contents.copy_range(source.contents, start, size, at)


def slot_address(machine: Machine, index: int) -> int:
    """Address of a slot of the running code."""
    return _slot_object(machine, machine.frame, index).base


def _slot_object(machine: Machine, frame: Frame, index: int) -> MemoryObject:
    found = frame.slots.get(index)
    if found is not None:
        return found
    slot = frame.code.slots[index]
    if slot.space is Space.SHARED:
        found = machine.shared.get(slot.key)
        if found is None:
            size = _slot_size(machine, slot)
            if slot.is_dynamic_shared:
                size = machine.launch_dimensions.get("dynamic shared bytes", 0) or 48 * 1024
                found = machine.shared.get("dynamic")
            if found is None:
                found = machine.memory.allocate(size, Space.SHARED, slot.name)
                if slot.is_dynamic_shared:
                    machine.shared["dynamic"] = found
            machine.shared[slot.key] = found
    else:
        size = _slot_size(machine, slot)
        found = machine.memory.allocate(size or None, slot.space, slot.name)
        if machine.is_host and slot.element is not None:
            found.state["scalar"] = slot.element
    frame.slots[index] = found
    return found


def _slot_size(machine: Machine, slot: Slot) -> int:
    """Size in bytes; 0 where the length of a variable-length array is unknown."""
    if slot.length_register is None:
        return slot.size_bytes
    length = machine.read(slot.length_register)
    return int(length) * max(slot.element_bytes, 1) if isinstance(length, int | float) else 0


def global_address(machine: Machine, key: str) -> int:
    """Address of a global variable, created and initialised when first named."""
    found = machine.globals.get(key)
    if found is not None:
        return found.base
    declaration = machine.program.globals.get(key)
    if declaration is None:
        found = machine.memory.allocate(None, Space.HOST, key, assumed=True)
    else:
        spaces = {
            Storage.CONSTANT: Space.CONSTANT,
            Storage.DEVICE: Space.GLOBAL,
            Storage.MANAGED: Space.GLOBAL,
        }
        space = spaces.get(declaration.storage, Space.HOST)
        size = declaration.type.size_bytes or None
        found = machine.memory.allocate(size, space, declaration.name, initial=0)
        machine.globals[key] = found
        if declaration.initializer is not None:
            _initialise(machine, found, 0, declaration.initializer)
            if machine.is_host:
                machine.library.initialise(machine, declaration)
    machine.globals[key] = found
    return found.base


def _initialise(machine: Machine, found: MemoryObject, offset: int, expression: object) -> None:
    match expression:
        case Constant(value=value, type=type_):
            scalar = machine.program.scalar_of(type_) or Scalar.I32
            found.contents.store(offset, scalar, number_of(value, scalar))
        case FunctionName(key=key):
            found.contents.store(offset, Scalar.U64, machine.memory.function(key).base)
        case InitList(elements=elements):
            for at, element in elements[:20_000]:
                _initialise(machine, found, offset + at, element)
        case _:
            shape = getattr(expression, "type", None)
            if shape is not None and not isinstance(shape, ArrayType):
                for leaf in machine.program.leaves(shape)[:64]:
                    unknown = Unknown(
                        new_key(), uniform=True, reason=f"initial value of {found.buffer.name}"
                    )
                    found.contents.store(offset + leaf.offset_bytes, leaf.scalar, unknown)


# Accesses


def record_access(
    machine: Machine,
    item: Instruction,
    mask: Mask,
    target: Target,
    shift_bytes: int = 0,
    *,
    space: Space | None = None,
) -> None:
    """Tell the recorder of one execution of an access.

    Args:
        machine: The running machine.
        item: The access; its site is what the trace knows it by.
        mask: Active lanes.
        target: Where the datum is.
        shift_bytes: Where the access begins, from the datum.
        space: The space that it counts for, where that is not the allocation's.
    """
    recorder = machine.recorder
    if recorder is None or machine.dry:
        return
    found = target.found
    addresses = target.lane_addresses(machine.lane_count)
    if shift_bytes and addresses is not None:
        addresses = addresses + shift_bytes
    if target.is_guess and found is not None:
        machine.assume(
            "gather",
            f"addresses into {found.buffer.name or 'memory'} rest on unknown data: taken at random",
            item.position,
            mask,
        )
    if target.is_apart and found is not None:
        machine.assume(
            "gather",
            f"each pointer of {found.buffer.name.removeprefix('data of ')} is taken to lead to memory of its own",
            item.position,
            mask,
        )
    if found is not None and found.buffer.number not in recorder.trace.buffers:
        recorder.trace.buffers[found.buffer.number] = found.buffer
    if found is not None:
        width = item.scalar.size_bytes or 1
        number = found.buffer.number
        machine.element_bytes[number] = min(machine.element_bytes.get(number, width), width)
        for entry in machine.loop_stack:
            entry.touched.add(found.buffer.number)
    recorder.access(
        item.site,
        found.buffer.number if found is not None else None,
        space or (found.buffer.space if found is not None else None),
        addresses,
        mask,
        machine.weight,
        machine.coordinates,
        is_guess=target.is_guess,
        is_doubtful=machine.doubt > 0,
    )


def load(machine: Machine, item: Instruction, mask: Mask) -> Value:
    """A LOAD: its value, after recording the access."""
    access = item.detail
    assert isinstance(access, MemoryAccess)
    target = resolve(machine, machine.read(item.args[0]), access.offset_bytes, mask)
    if access.access_bytes:
        record_access(machine, item, mask, target, access.access_offset_bytes)
    if access.bit_width is not None and target.found is not None:
        return _load_bits(target.found, target, access)
    return loaded_value(machine, target, item.scalar, mask)


def loaded_value(machine: Machine, target: Target, scalar: Scalar, mask: Mask) -> Value:
    """What is known of the datum at a target."""
    found = target.found
    if found is None or target.address is None:
        return Unknown(
            new_key(),
            uniform=machine.is_host,
            reason="data at an unknown address",
            is_float=scalar.is_float,
        )
    if found.text is not None and isinstance(target.address, int):
        at = target.address - found.base
        return ord(found.text[at]) if at < len(found.text) else 0
    name = found.buffer.name or "memory"
    if found.buffer.space is Space.SHARED or (
        found.buffer.space is Space.LOCAL and isinstance(target.address, np.ndarray)
    ):
        return _load_shared(machine, found, target, scalar, mask)
    relative = target.address - found.base
    if isinstance(relative, np.ndarray) and len(relative) == 1:
        relative = int(relative[0])
    if not machine.is_host and found.buffer.number in machine.written:
        # The kernel itself has stored there: what the host left is no longer known to be there.
        stores = found.state.get(STATE)
        if isinstance(stores, KernelStores) and not target.is_guess:
            stored = stores.read(relative, scalar, mask.lanes, is_private=False)
            if stored is not None:
                return stored
        uniform = isinstance(relative, int)
        return Unknown(
            new_key(),
            uniform,
            reason=f"data of {name}",
            is_float=scalar.is_float,
            origin=found.buffer.number,
        )
    value = found.contents.load(relative, scalar, found.buffer.number, f"data of {name}")
    if isinstance(value, Unknown) and machine.is_host and isinstance(relative, int):
        found.contents.store(relative, scalar, value)
    # Integers stay unknown until something is decided by them: they may be addresses. What an unknown index leads to
    # stays unknown too: such an index was chosen for the data that it leads to.
    if scalar.is_float and not target.is_guess:
        return drawn(value, machine.lane_count)
    return value


def _load_bits(found: MemoryObject, target: Target, access: MemoryAccess) -> Value:
    if isinstance(target.address, int):
        cell = found.contents.cells.get(
            (target.address - found.base) * 64 + access.bit_offset + (1 << 40)
        )
        if cell is not None:
            return cell[1]
    high = (1 << (access.bit_width or 1)) - 1
    return Unknown(new_key(), low=0, high=high, reason=f"bit-field of {found.buffer.name}")


def _load_shared(
    machine: Machine, found: MemoryObject, target: Target, scalar: Scalar, mask: Mask
) -> Value:
    if isinstance(target.address, int) and not found.contents.is_lost:
        cell = found.contents.cells.get(target.address - found.base)
        if cell is not None:
            return cell[1]
    if isinstance(target.address, int) and machine.counters.values:
        count = shared_count(machine, found, target.address, scalar)
        if count is not None:
            return count
    stores = found.state.get(STATE)
    sample = None
    if isinstance(stores, KernelStores) and target.address is not None and not target.is_guess:
        stored = stores.read(
            target.address - found.base,
            scalar,
            mask.lanes,
            is_private=found.buffer.space is Space.LOCAL,
        )
        if stored is not None:
            return stored
        sample = stores.sample(scalar)
    value = Unknown(
        new_key(),
        _loads_evenly(found, target, mask),
        reason=f"data of {found.buffer.name or 'memory'}",
        is_float=scalar.is_float,
        origin=found.buffer.number,
        low=None if sample is None else float(sample[0]),
        high=None if sample is None else float(sample[-1]),
        sample=sample,
    )
    return drawn(value, machine.lane_count) if scalar.is_float else value


_WARP: Final = 32
_UNEVEN: Final = "uneven"
"""State of a private array in which lanes of a warp may have stored different values."""


def _loads_evenly(found: MemoryObject, target: Target, mask: Mask) -> bool:
    """Whether all lanes of a warp read the same: one address, and of private arrays nothing else was stored."""
    if found.buffer.space is Space.LOCAL and found.state.get(_UNEVEN):
        return False
    return isinstance(target.address, int) or _agrees_in_warps(target.address, mask)


def _stores_evenly(value: Value, target: Target, mask: Mask) -> bool:
    if isinstance(value, Mixed) or _diverges(mask):
        return False
    if isinstance(value, Unknown):
        if not value.uniform or value.lane_index is not None:
            return False
        value = value.offset
    if isinstance(value, np.ndarray) and not _agrees_in_warps(value, mask):
        return False
    return isinstance(target.address, int) or _agrees_in_warps(target.address, mask)


def _diverges(mask: Mask) -> bool:
    """Whether most warps are there in part, the tails of guards apart."""
    rows = mask.lanes.reshape(-1, _WARP)
    busy = rows.any(axis=1)
    return bool(rows[busy].all(axis=1).mean() < 0.5) if busy.any() else False


def _agrees_in_warps(values: NDArray[np.generic] | None, mask: Mask) -> bool:
    """Whether the active lanes of each warp have the same value."""
    if values is None:
        return False
    rows = values.reshape(-1, _WARP)
    active = mask.lanes.reshape(-1, _WARP)
    first = np.take_along_axis(rows, active.argmax(axis=1)[:, None], axis=1)
    return bool(((rows == first) | ~active).all())


def store(machine: Machine, item: Instruction, mask: Mask) -> None:
    """A STORE."""
    access = item.detail
    assert isinstance(access, MemoryAccess)
    target = resolve(machine, machine.read(item.args[0]), access.offset_bytes, mask)
    if access.access_bytes:
        record_access(machine, item, mask, target, access.access_offset_bytes)
    if machine.dry:
        return
    found = target.found
    if found is None:
        return
    value = machine.read(item.args[1])
    space = found.buffer.space
    if not machine.is_host and space in (Space.GLOBAL, Space.CONSTANT, Space.HOST):
        found.state["written"] = True
        machine.written.add(found.buffer.number)
        _note_kernel_store(machine, item, target, value, mask)
        return
    if not machine.is_host and access.bit_width is None:
        _note_kernel_store(machine, item, target, value, mask)
    if space is Space.LOCAL and not machine.is_host and not _stores_evenly(value, target, mask):
        found.state[_UNEVEN] = True
    if not isinstance(target.address, int):
        if machine.is_host and _is_scattered(found, target, item.scalar):
            size = found.buffer.size_bytes
            if size is None or size < SCATTERED_ELEMENTS * item.scalar.size_bytes or machine.doubt:
                found.contents.forget()
            else:
                found.contents.scatter(item.scalar, value, float(machine.weight[0]), size)
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
            found.contents.is_lost = True
            found.contents.cells.clear()
        return
    offset = target.address - found.base
    if space is Space.SHARED and not isinstance(value, int | float):
        value = _broadcast_in_block(machine, value, mask, item.scalar)
        found.contents.store(offset, item.scalar, value)
        return
    if not machine.is_host and not mask.is_full and space is Space.LOCAL:
        old = found.contents.cells.get(offset)
        value = merge(
            mask.lanes, value, old[1] if old is not None else None, item.scalar, machine.lane_count
        )
    _store_one(machine, item.site, found, offset, item.scalar, value, access)


SCATTERED_ELEMENTS = 64
"""From this size on, single elements of an array that is written at unknown places do not matter."""
_SMALLEST_ARRAY = 4


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
    machine: Machine, item: Instruction, target: Target, value: Value, mask: Mask
) -> None:
    """Remember what a kernel stores, for its own loads and for later launches."""
    found = target.found
    assert found is not None
    stores = stores_of(found, machine.run_number)
    machine.stores[found.buffer.number] = stores
    if target.is_guess or target.address is None:
        stores.spoil()
        return
    machine.store_count += 1
    event = StoreEvent(
        machine.store_count, target.address - found.base, mask.lanes, value, item.scalar
    )
    stores.note(item.site, event, machine.weight, is_private=found.buffer.space is Space.LOCAL)


def _store_one(
    machine: Machine,
    site: int,
    found: MemoryObject,
    offset: int,
    scalar: Scalar,
    value: Value,
    access: MemoryAccess,
) -> None:
    if access.bit_width is not None:
        offset = offset * 64 + access.bit_offset + (1 << 40)
    if machine.is_host:
        store_on_host(machine, site, found, offset, scalar, value)
    else:
        found.contents.store(offset, scalar, value)


def store_on_host(
    machine: Machine, site: int, found: MemoryObject, offset: int, scalar: Scalar, value: Value
) -> None:
    """A store of host code; the loops that run are told, so that they can be extrapolated."""
    if machine.loop_stack:
        code = id(machine.frames[-1].code)
        machine.loop_stack[-1].note_store((code << 24) + site, found, offset, scalar, value)
        for entry in machine.loop_stack:
            entry.note_cell(found, offset, scalar, value)
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
    if isinstance(value, int | float):
        return value
    if isinstance(value, Mixed):
        return Unknown(new_key(), uniform=True, reason=value.unknown.reason)
    array = to_array(value, scalar, machine.lane_count)
    result = array.copy()
    for slot in np.unique(machine.lanes.block_slot):
        lanes = machine.lanes.block_slot == slot
        active = np.flatnonzero(lanes & mask.lanes)
        if len(active):
            result[lanes] = array[active[-1]]
    return result


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
        if old is None and not machine.dry:
            machine.counters.forget(found.buffer.number)
        found.state["written"] = True
        machine.written.add(found.buffer.number)
        stores_of(found, machine.run_number).spoil()
        if found.buffer.space in (Space.SHARED, Space.LOCAL):
            found.contents.is_lost = True
    if machine.recorder is not None and not machine.dry and target.address is not None:
        machine.recorder.conflict(item.site, _lanes_per_address(machine, target, mask))
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


def copy_bytes(machine: Machine, item: Instruction) -> None:
    """COPY: large records between memory objects."""
    size = item.detail
    assert isinstance(size, int)
    target = resolve(machine, machine.read(item.args[0]), 0)
    source = resolve(machine, machine.read(item.args[1]), 0)
    if machine.dry or target.found is None:
        return
    if not machine.is_host:
        target.found.state["written"] = True
        machine.written.add(target.found.buffer.number)
        stores_of(target.found, machine.run_number).spoil()
    if source.found is None:
        return
    if isinstance(target.address, int) and isinstance(source.address, int):
        if source.found.text is not None and target.found.buffer.space is Space.HOST:
            _copy_text(source.found.text, target.found, target.address - target.found.base)
            return
        start, at = source.address - source.found.base, target.address - target.found.base
        _copy_cells(source.found, start, target.found, at, size)
        if machine.is_host and machine.loop_stack and size <= LARGEST_NOTED_RECORD_BYTES:
            _note_copy(machine, item.site, target.found, at, size)


def _note_copy(machine: Machine, site: int, found: MemoryObject, at: int, size: int) -> None:
    """Tell the running host loops of a record copy, as of stores of its parts."""
    for part in range(size):
        cell = found.contents.cells.get(at + part)
        if cell is not None:
            store_on_host(machine, site + (part << 100), found, at + part, *cell)


def _copy_text(text: str, target: MemoryObject, at: int) -> None:
    for index, character in enumerate(text[:4096]):
        target.contents.store(at + index, Scalar.I8, ord(character))
    target.contents.store(at + len(text), Scalar.I8, 0)
    if at == 0:
        target.state["text"] = text


def zero_bytes(machine: Machine, item: Instruction) -> None:
    """ZERO: clear a record or array."""
    target = resolve(machine, machine.read(item.args[0]), 0)
    if target.found is None or machine.dry or not isinstance(target.address, int):
        return
    contents, size = target.found.contents, item.detail
    whole = target.found.buffer.size_bytes
    if target.address == target.found.base and (
        not isinstance(size, int) or whole is None or size >= whole
    ):
        contents.clear_to(0)
        if not machine.is_host:
            stores_of(target.found, machine.run_number).clear()
    elif isinstance(size, int) and size > 0:
        contents.add_fill(
            Fill(
                start=target.address - target.found.base,
                dims=((1, size),),
                scalar=Scalar.U8,
                pattern=Pattern.CONSTANT,
            )
        )
