"""Textures and surfaces: from coordinates to addresses in the memory that is bound to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.execution.accesses.addresses import pointer_add, resolve
from roofstat.execution.accesses.loads import loaded_value
from roofstat.execution.accesses.recording import record_access
from roofstat.execution.numbers.arithmetic import binary
from roofstat.execution.numbers.conversions import cast
from roofstat.execution.numbers.values import Mixed, Unknown, Value
from roofstat.execution.stored.kernel_stores import stores_of
from roofstat.program.code import Op, Space, SpecialRegister, TextureAccess

if TYPE_CHECKING:
    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.execution.stored.address_space import MemoryObject
    from roofstat.program.code import Instruction

STATE = "texture"
"""Key of the binding in the state of a texture object, texture reference or array."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextureBinding:
    """The memory behind a texture or surface, as rows of elements (arrays are taken as such, too)."""

    memory: MemoryObject
    start_bytes: int = 0
    """Of the first element in the allocation."""
    element_bytes: int = 0
    """0 where only the fetch tells."""
    width: int | None = None
    """Elements in a row; None where unknown."""
    height: int | None = None
    depth: int | None = None
    pitch_bytes: int | None = None
    """From row to row; None for rows without a gap."""
    is_normalized: bool = False
    """Whether coordinates run from 0 to 1."""


def texture(machine: Machine, item: Instruction, mask: Mask) -> Value | None:
    """A TEXTURE: records the access and returns the value of a read, None for writes."""
    access = item.detail
    assert isinstance(access, TextureAccess)
    binding = _binding(machine, machine.read(item.args[0]), access)
    coordinates = [machine.read(register) for register in item.args[1 : 1 + access.dimensions]]
    address = _address(machine, binding, coordinates, item)
    target = resolve(machine, address, access.component_offset_bytes)
    if access.access_bytes:
        record_access(machine, item, mask, target, space=Space.TEXTURE)
    if access.is_store:
        if target.found is not None and not machine.dry:
            machine.memory.written.add(target.found.buffer.number)
            stores_of(target.found, machine.run_number).spoil()
        return None
    stored = machine.frame.code.register_types[item.dest]
    return loaded_value(machine, target, stored, mask)


def _binding(machine: Machine, handle: Value, access: TextureAccess) -> TextureBinding:
    found = machine.memory.find(handle) if isinstance(handle, int) and handle > 0 else None
    known = found.state.get(STATE) if found is not None else None
    if isinstance(known, TextureBinding):
        return known
    number = found.buffer.number if found is not None else getattr(handle, "key", 0)
    key = f"unknown-texture-{number}"
    memory = machine.globals.get(key)
    if memory is None:
        name = access.array or "texture"
        memory = machine.memory.allocate(None, Space.TEXTURE, name, assumed=True)
        machine.globals[key] = memory
    return TextureBinding(memory=memory)


def _address(
    machine: Machine, binding: TextureBinding, coordinates: list[Value], item: Instruction
) -> Value:
    access = item.detail
    assert isinstance(access, TextureAccess)
    element = binding.element_bytes or access.access_bytes or 4
    width = binding.width or _launch_extent(machine, 0)
    row = binding.pitch_bytes or width * element
    extents = (binding.width, binding.height, binding.depth)
    # Where the height is unknown, slices are as far apart as if the texture were square.
    steps = (1 if access.is_byte_indexed else element, row, row * (binding.height or width))
    address: Value = binding.memory.base + binding.start_bytes
    for axis, (coordinate, step) in enumerate(zip(coordinates, steps, strict=False)):
        scalar = machine.frame.code.register_types[item.args[1 + axis]]
        extent = extents[axis]
        if axis == 0 and access.is_byte_indexed and extent is not None:
            extent *= element
        if scalar.is_float and (binding.is_normalized or _looks_normalized(binding, coordinate)):
            scale = float(extent or _launch_extent(machine, axis))
            scaled = binary(Op.MUL, Scalar.F64, coordinate, scale, machine.lane_count)
            index = _index(scaled, scalar, extent)
        else:
            index = _index(coordinate, scalar, extent)
        address = pointer_add(machine, address, index, step)
    return address


def _looks_normalized(binding: TextureBinding, coordinate: Value) -> bool:
    """Whether nothing is known of a texture but that its coordinates lie between 0 and 1."""
    if binding.width is not None or not isinstance(coordinate, np.ndarray):
        return False
    return bool(coordinate.max() <= 1.0)


def _index(coordinate: Value, scalar: Scalar, extent: int | None) -> Value:
    """Which element a coordinate names; outside of the texture its edge."""
    index = cast(coordinate, Scalar.F64 if scalar.is_float else scalar, Scalar.I64)
    if extent is None or isinstance(index, Unknown | Mixed):
        return index
    if isinstance(index, np.ndarray):
        return np.clip(index, 0, max(extent - 1, 0))
    return min(max(int(index), 0), max(extent - 1, 0))


_EXTENTS = (
    (SpecialRegister.NCTAID_X, SpecialRegister.NTID_X),
    (SpecialRegister.NCTAID_Y, SpecialRegister.NTID_Y),
    (SpecialRegister.NCTAID_Z, SpecialRegister.NTID_Z),
)


def _launch_extent(machine: Machine, axis: int) -> int:
    """Threads along an axis: the usual size of an image that nobody knows the size of."""
    blocks, threads = (machine.launch_dimensions.get(each.value, 1) for each in _EXTENTS[axis])
    return max(blocks * threads, 1)
