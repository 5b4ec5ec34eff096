"""Textures, surfaces and arrays as host code sets them up: which memory a fetch in a kernel reads."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.execution.accesses.textures import STATE, TextureBinding
from roofstat.execution.host.cuda_runtime import allocate, copy_contents
from roofstat.execution.host.registry import HostCall, models
from roofstat.program.code import Space

if TYPE_CHECKING:
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.stored.address_space import MemoryObject

Place = tuple["MemoryObject", int]

# Offsets in the run time's structures, which are fixed by its binary interface.
_RESOURCE_TYPE, _RESOURCE_POINTER, _RESOURCE_FORMAT = 0, 8, 16
_LINEAR_BYTES = 40
_PITCH_WIDTH, _PITCH_HEIGHT, _PITCH_BYTES = 40, 48, 56
_IS_NORMALIZED = 40
_REFERENCE_IS_NORMALIZED = 0
_TYPE_ARRAY, _TYPE_MIPMAP, _TYPE_LINEAR, _TYPE_PITCH = range(4)

_ELEMENT_BYTES = {
    "char": 1,
    "short": 2,
    "half": 2,
    "int": 4,
    "long": 8,
    "float": 4,
    "double": 8,
}


def _integer(place: Place | None, offset: int, scalar: Scalar = Scalar.U64) -> int | None:
    """A known integer field behind a pointer."""
    if place is None:
        return None
    found, at = place
    value = found.contents.load(at + offset, scalar, found.buffer.number, "texture description")
    return int(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _format_bytes(place: Place | None, offset: int = 0) -> int:
    """Bytes of an element by its channel format, four bit counts; 0 where unknown."""
    bits = [_integer(place, offset + 4 * channel, Scalar.I32) or 0 for channel in range(4)]
    return sum(bits) // 8


def _object(call: HostCall, address: int | None) -> Place | None:
    found = call.machine.memory.find(address) if address else None
    return (found, (address or 0) - found.base) if found is not None else None


# Formats


@models("cudaCreateChannelDesc")
def _channel_format(call: HostCall) -> Value:
    result = call.object(0)
    if result is None or not call.detail.result_size_bytes:
        return 0
    channels = _template_channels(call.detail.template_arguments)
    if channels is None:
        channels = [call.arguments[1 + number] for number in range(min(len(call.arguments) - 1, 4))]
    for number, bits in enumerate(channels):
        result[0].contents.store(result[1] + 4 * number, Scalar.I32, bits)
    return call.arguments[0]


def _template_channels(arguments: tuple[str, ...]) -> list[Value] | None:
    """Bits of each channel of a type such as ``uchar4``."""
    if not arguments:
        return None
    match = re.search(r"(char|short|half|int|long|float|double)\D*?([1-4])?$", arguments[0])
    if match is None:
        return None
    count = int(match.group(2) or 1)
    return [8 * _ELEMENT_BYTES[match.group(1)] if n < count else 0 for n in range(4)]


# Arrays


def _allocate_array(call: HostCall, extents: list[int | None]) -> Value:
    element = _format_bytes(call.object(1))
    size: int | None = element or None
    for extent in extents:
        size = size * max(extent, 1) if size is not None and extent is not None else None
    result = allocate(call, 0, size, Space.GLOBAL)
    pointer = _integer(call.object(0), 0)
    found = _object(call, pointer)
    if found is not None:
        width, height, depth = (extent or None for extent in (*extents, None, None)[:3])
        found[0].state[STATE] = TextureBinding(
            memory=found[0], element_bytes=element, width=width, height=height, depth=depth
        )
    return result


@models("cudaMallocArray")
def _malloc_array(call: HostCall) -> Value:
    return _allocate_array(call, [call.integer(2), call.integer(3, 0)])


@models("cudaMalloc3DArray")
def _malloc_3d_array(call: HostCall) -> Value:
    extent = call.object(2)
    return _allocate_array(call, [_integer(extent, 8 * axis) for axis in range(3)])


@models("cudaMemcpyToArray")
def _copy_to_array(call: HostCall) -> Value:
    copy_contents(call.object(0), call.object(3), call.integer(4))
    return 0


@models("cudaMemcpy2DToArray", "cudaMemcpy2DToArrayAsync")
def _copy_rows_to_array(call: HostCall) -> Value:
    pitch, width, rows = call.integer(4), call.integer(5), call.integer(6)
    size = width * rows if pitch == width and width is not None and rows is not None else None
    copy_contents(call.object(0), call.object(3) if size is not None else None, size)
    return 0


# Objects and references


def _resource(resource: Place | None, call: HostCall) -> TextureBinding | None:
    """The memory that a resource description names."""
    memory = _object(call, _integer(resource, _RESOURCE_POINTER))
    kind = _integer(resource, _RESOURCE_TYPE, Scalar.I32)
    if resource is None:
        return None
    if memory is None:
        # The pointer is unknown, the rest of the description may still be known.
        anonymous = call.machine.memory.allocate(None, Space.GLOBAL, "texture", assumed=True)
        memory = (anonymous, 0)
    if kind in (_TYPE_ARRAY, _TYPE_MIPMAP):
        known = memory[0].state.get(STATE)
        return known if isinstance(known, TextureBinding) else TextureBinding(memory=memory[0])
    element = _format_bytes(resource, _RESOURCE_FORMAT)
    if kind == _TYPE_PITCH:
        return TextureBinding(
            memory=memory[0],
            start_bytes=memory[1],
            element_bytes=element,
            width=_integer(resource, _PITCH_WIDTH),
            height=_integer(resource, _PITCH_HEIGHT),
            pitch_bytes=_integer(resource, _PITCH_BYTES),
        )
    size = _integer(resource, _LINEAR_BYTES)
    width = size // element if size is not None and element else None
    return TextureBinding(
        memory=memory[0], start_bytes=memory[1], element_bytes=element, width=width
    )


@models("cudaCreateTextureObject", "cudaCreateSurfaceObject")
def _create_object(call: HostCall) -> Value:
    handle = call.machine.memory.allocate(8, Space.HOST, "texture")
    binding = _resource(call.object(1), call)
    if binding is not None:
        normalized = _integer(call.object(2), _IS_NORMALIZED, Scalar.I32)
        handle.state[STATE] = _with_coordinates(binding, is_normalized=bool(normalized))
    call.store(0, Scalar.U64, handle.base)
    return 0


def _with_coordinates(binding: TextureBinding, *, is_normalized: bool) -> TextureBinding:
    return TextureBinding(
        memory=binding.memory,
        start_bytes=binding.start_bytes,
        element_bytes=binding.element_bytes,
        width=binding.width,
        height=binding.height,
        depth=binding.depth,
        pitch_bytes=binding.pitch_bytes,
        is_normalized=is_normalized,
    )


def _bind(call: HostCall, reference: int, binding: TextureBinding) -> Value:
    place = call.object(reference)
    if place is not None:
        normalized = _integer(place, _REFERENCE_IS_NORMALIZED, Scalar.I32)
        place[0].state[STATE] = _with_coordinates(binding, is_normalized=normalized == 1)
    return 0


@models("cudaBindTexture")
def _bind_linear(call: HostCall) -> Value:
    memory = call.object(2)
    return _bind(call, 1, TextureBinding(memory=memory[0], start_bytes=memory[1])) if memory else 0


@models("cudaBindTexture2D")
def _bind_rows(call: HostCall) -> Value:
    memory = call.object(2)
    if memory is None:
        return 0
    # With or without a format in front; the extents come last.
    width, height, pitch = (call.integer(len(call.arguments) - back) for back in (3, 2, 1))
    binding = TextureBinding(
        memory=memory[0],
        start_bytes=memory[1],
        width=width,
        height=height,
        pitch_bytes=pitch,
    )
    return _bind(call, 1, binding)


@models("cudaBindTextureToArray", "cudaBindSurfaceToArray")
def _bind_array(call: HostCall) -> Value:
    memory = call.object(1)
    if memory is None:
        return 0
    known = memory[0].state.get(STATE)
    binding = known if isinstance(known, TextureBinding) else TextureBinding(memory=memory[0])
    return _bind(call, 0, binding)
