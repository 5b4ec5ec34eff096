"""What the recorder learns of one execution of an access."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.execution.accesses.addresses import Target
from roofstat.program.code import AtomicAccess, MemoryAccess, Op, Space, TextureAccess

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.execution.stored.address_space import MemoryObject
    from roofstat.program.code import Instruction

_LARGEST_RECORD_BYTES = 128
"""Steps that are longer are rows rather than records."""


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
    addresses = target.lane_addresses(machine.lane_count, shift_bytes)
    if target.is_guess and found is not None:
        machine.assume(
            "gather",
            f"addresses into {_name(item, found)} rest on unknown data: taken at random",
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
    is_inside = target.is_inside and not shift_bytes
    others = () if is_inside else _others(machine, mask, target, addresses)
    for reached in others if found is None else (found, *others):
        recorder.trace.buffers.setdefault(reached.buffer.number, reached.buffer)
    if found is not None:
        note_width(machine, item, found.buffer.number)
        for entry in machine.loop_stack:
            entry.touched.add(found.buffer.number)
    recorder.access(
        item.site,
        found.buffer.number if found is not None and not others else None,
        space or (found.buffer.space if found is not None else None),
        addresses,
        mask,
        machine.weight,
        machine.coordinates,
        is_guess=target.is_guess,
        even_share=target.even_share,
        is_order=target.is_order,
        is_doubtful=machine.doubt > 0,
    )


def _name(item: Instruction, found: MemoryObject) -> str:
    """The kernel's name for an array, which the other assumptions and the accesses use; else that of the allocation."""
    detail = item.detail
    named = isinstance(detail, MemoryAccess | AtomicAccess | TextureAccess) and detail.array
    return named or found.buffer.name or "memory"


def note_width(machine: Machine, item: Instruction, number: int) -> None:
    """Note how far apart the elements of a buffer are that an access goes to, the least of all accesses."""
    width = _spacing(machine, item)
    machine.element_bytes[number] = min(machine.element_bytes.get(number, width), width)


def _spacing(machine: Machine, item: Instruction) -> int:
    """Bytes from one element to the next: those of the record that an access reads a member of."""
    width = item.scalar.size_bytes or 1
    definitions, constants = machine.facts.definitions, machine.frames[-1].code.constants
    definition = definitions.get(item.args[0])
    while (
        definition is not None and definition.op is Op.PTR_ADD and definition.args[1] in constants
    ):
        definition = definitions.get(definition.args[0])
    if definition is None or definition.op is not Op.PTR_ADD:
        return width
    scale = definition.detail
    assert isinstance(scale, int)
    return scale if width < scale <= _LARGEST_RECORD_BYTES and scale % width == 0 else width


def _others(
    machine: Machine, mask: Mask, target: Target, addresses: NDArray[np.int64] | None
) -> tuple[MemoryObject, ...]:
    """The outermost allocations that a pointer into one of several reaches besides the one that was found."""
    found = target.found
    if found is None or addresses is None or target.is_guess or target.is_apart:
        return ()
    if isinstance(target.address, int):
        ends = [int(addresses[0])]
    else:
        active = addresses[mask.lanes]
        ends = [int(active.min()), int(active.max())] if len(active) else []
    reached = []
    for address in ends:
        if not found.base <= address < found.base + found.extent_bytes:
            other = machine.memory.find(address)
            if other is not None and other.base <= address < other.base + other.extent_bytes:
                reached.append(other)
    return tuple(reached)
