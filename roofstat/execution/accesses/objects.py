"""Memory of variables: slots of locals and parameters, shared arrays and globals with their initial values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import Constant, FunctionName, InitList
from clang_queries.ir.statements import Storage
from clang_queries.ir.types import ArrayType, Scalar
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import (
    Unknown,
    number_of,
)
from roofstat.execution.stored.kernel_stores import STATE, KernelStores
from roofstat.program.code import Space

if TYPE_CHECKING:
    from roofstat.execution.activation import Frame
    from roofstat.execution.machine import Machine
    from roofstat.execution.stored.address_space import MemoryObject
    from roofstat.program.code import Slot


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
        copy_cells(found, source - found.base, target, 0, parameter.size_bytes)


def copy_cells(source: MemoryObject, start: int, target: MemoryObject, at: int, size: int) -> None:
    """Copy what is known of a stretch of bytes."""
    whole = source.buffer.size_bytes
    if start == 0 and at == 0 and whole is not None and size >= whole:
        copied = source.contents.copy()
        target.contents.cells.update(copied.cells)
        target.contents.fills.extend(copied.fills)
        target.contents.initial = copied.initial
        target.contents.is_lost = copied.is_lost
        target.contents.key = source.contents.identity()
        target.state.update(source.state)
        stores = source.state.get(STATE)
        if isinstance(stores, KernelStores):
            target.state[STATE] = stores.copy()
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
        found = machine.memory.allocate(None, Space.HOST, _spelled(key), assumed=True)
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


def _spelled(key: str) -> str:
    """The name in the key of a variable: what stands behind its scopes, without the number of a local one."""
    return key.rsplit("@", 1)[-1].partition("#")[0] or key


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
