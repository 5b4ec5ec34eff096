"""Device memory as the CUDA (and HIP) run time gives it to host code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.execution.host.c_memory import copy_contents, fill_bytes
from roofstat.execution.host.device_memory import DeviceMemory
from roofstat.execution.host.registry import HostCall, models
from roofstat.execution.host.vectors import add_constant, expected, is_told
from roofstat.execution.numbers.values import Unknown
from roofstat.execution.stored.address_space import MemoryObject
from roofstat.program.code import Space

if TYPE_CHECKING:
    from roofstat.execution.numbers.values import Value

__all__ = ["allocate", "copy_contents"]

_PITCH_BYTES = 512
"""Row pitch alignment of cudaMallocPitch (seen on all current cards)."""


def allocate(
    call: HostCall, target: int, size: Value | None, space: Space, name: str = ""
) -> Value:
    """Allocate and store the pointer through argument `target`."""
    label = name or _variable_name(call, target)
    known = expected(size) if size is not None else None
    is_exact = is_told(size)
    found = call.machine.memory.allocate(known, space, label, assumed=not is_exact)
    call.store(target, Scalar.U64, found.base)
    if not is_exact:
        shown = label or "an allocation"
        reason = f" ({size.reason})" if isinstance(size, Unknown) and size.reason else ""
        guess = "" if known is None else f": taken as {known}"
        call.note("buffer-size", f"the size of {shown} is unknown{reason}{guess}")
    return 0


def _variable_name(call: HostCall, index: int) -> str:
    """The name of the pointer variable whose address is passed."""
    place = call.object(index)
    return place[0].buffer.name if place is not None else ""


@models(
    "cudaMalloc",
    "cudaMallocAsync",
    "cudaMallocFromPoolAsync",
    "cuMemAlloc",
    "cuMemAlloc_v2",
)
def _malloc(call: HostCall) -> Value:
    size = call.arguments[1]
    result = allocate(call, 0, size, Space.GLOBAL)
    place = call.object(0)
    address = None if place is None else call.load_integer(place[0].base, place[1])
    if address is not None:
        call.state(DeviceMemory).add(call, address, size)
    return result


@models("cudaMallocManaged", "cuMemAllocManaged")
def _malloc_managed(call: HostCall) -> Value:
    return allocate(call, 0, call.arguments[1], Space.GLOBAL)


@models("cudaMallocHost", "cudaHostAlloc", "cudaHostMalloc", "cuMemHostAlloc", "cuMemAllocHost")
def _malloc_host(call: HostCall) -> Value:
    return allocate(call, 0, call.arguments[1], Space.HOST)


@models("omp_target_alloc", "omp_target_alloc_device")
def _omp_target_alloc(call: HostCall) -> Value:
    known = expected(call.arguments[0])
    return call.machine.memory.allocate(known, Space.GLOBAL, "").base


@models("thrust::device_malloc", "device_allocator::allocate", "DeviceAllocate")
def _thrust_malloc(call: HostCall) -> Value:
    own = call.inputs()
    count = expected(own.arguments[-1])
    address = call.machine.memory.allocate(count, Space.GLOBAL, "").base
    result = call.result_address()
    call.store_at(result, Scalar.U64, address)
    return result if result is not None else address


@models("cudaMallocPitch", "cuMemAllocPitch")
def _malloc_pitch(call: HostCall) -> Value:
    width, height = call.integer(2), call.integer(3)
    if width is None or height is None:
        call.store(1, Scalar.U64, call.unknown("pitch of an allocation"))
        return allocate(call, 0, None, Space.GLOBAL)
    pitch = -(-width // _PITCH_BYTES) * _PITCH_BYTES
    call.store(1, Scalar.U64, pitch)
    return allocate(call, 0, pitch * height, Space.GLOBAL)


@models("cudaMalloc3D")
def _malloc_3d(call: HostCall) -> Value:
    extent = call.integer(1)
    width, height, depth = (call.load_integer(extent, 8 * axis) for axis in range(3))
    if width is None or height is None or depth is None:
        return allocate(call, 0, None, Space.GLOBAL)
    pitch = -(-width // _PITCH_BYTES) * _PITCH_BYTES
    allocate(call, 0, pitch * height * max(depth, 1), Space.GLOBAL)
    for offset, value in ((8, pitch), (16, width), (24, height)):
        call.store(0, Scalar.U64, value, offset)
    return 0


@models(
    "cudaFree", "cudaFreeHost", "cudaFreeAsync", "cuMemFree", "cudaFreeArray", "thrust::device_free"
)
def _free(call: HostCall) -> Value:
    call.state(DeviceMemory).remove(call.integer(0))
    return 0


@models("cudaHostGetDevicePointer", "cudaGetSymbolAddress")
def _same_address(call: HostCall) -> Value:
    call.store(0, Scalar.U64, call.arguments[1])
    return 0


@models("cudaHostRegister", "cudaHostUnregister", "cudaMemPrefetchAsync", "cudaMemAdvise")
def _nothing(call: HostCall) -> Value:
    return 0


@models("cudaGetSymbolSize")
def _symbol_size(call: HostCall) -> Value:
    place = call.object(1)
    size: Value | None = place[0].buffer.size_bytes if place is not None else None
    call.store(0, Scalar.U64, size if size is not None else call.unknown("size of a symbol"))
    return 0


# Copies


@models(
    "cudaMemcpy",
    "cudaMemcpyAsync",
    "cuMemcpyHtoD",
    "cuMemcpyDtoH",
    "cuMemcpyDtoD",
    "cuMemcpyHtoD_v2",
    "cuMemcpyDtoH_v2",
    "cuMemcpy",
)
def _memcpy(call: HostCall) -> Value:
    copy_contents(call.object(0), call.object(1), call.integer(2))
    return 0


@models("cudaMemcpyPeer", "cudaMemcpyPeerAsync")
def _memcpy_peer(call: HostCall) -> Value:
    copy_contents(call.object(0), call.object(2), call.integer(4))
    return 0


@models("cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync")
def _memcpy_to_symbol(call: HostCall) -> Value:
    target = call.object(0)
    offset = call.integer(3, 0) or 0
    if target is not None:
        copy_contents((target[0], target[1] + offset), call.object(1), call.integer(2))
    return 0


@models("cudaMemcpyFromSymbol", "cudaMemcpyFromSymbolAsync")
def _memcpy_from_symbol(call: HostCall) -> Value:
    source = call.object(1)
    offset = call.integer(3, 0) or 0
    if source is not None:
        copy_contents(call.object(0), (source[0], source[1] + offset), call.integer(2))
    return 0


@models("cudaMemcpy2D", "cudaMemcpy2DAsync")
def _memcpy_2d(call: HostCall) -> Value:
    target, source = call.object(0), call.object(2)
    if target is None or len(call.arguments) < 6:
        return 0
    pitches = call.integer(1), call.integer(3)
    width, height = call.integer(4), call.integer(5)
    if width is None or height is None:
        target[0].contents.forget()
    elif pitches[0] == pitches[1] == width:
        copy_contents(target, source, width * height)
    elif source is not None and _is_alike(source[0].contents.initial, source):
        target[0].contents.clear_to(source[0].contents.initial)
    else:
        target[0].contents.forget()
    return 0


def _is_alike(initial: Value | None, source: tuple[object, int]) -> bool:
    """Whether a source holds one value only."""
    found = source[0]
    return (
        isinstance(found, MemoryObject)
        and isinstance(initial, int | float)
        and not found.contents.cells
        and not found.contents.fills
        and not found.contents.is_lost
    )


_PARAMETERS_3D = (0, 32, 64, 96, 128)
"""cudaMemcpy3DParms: source array, source pointer, target array, target pointer, extent (see the run time's headers)."""


@models("cudaMemcpy3D", "cudaMemcpy3DAsync")
def _memcpy_3d(call: HostCall) -> Value:
    parameters = call.integer(0)
    from_array, from_pointer, to_array, to_pointer, _ = (
        call.load_integer(parameters, offset) for offset in _PARAMETERS_3D
    )
    target = call.place(to_array or to_pointer)
    source = call.place(from_array or from_pointer)
    if target is not None:
        copy_contents(target, source, None)
    return 0


@models("cudaMemset", "cudaMemsetAsync", "cuMemsetD8")
def _memset(call: HostCall) -> Value:
    fill_bytes(call.object(0), call.integer(1), call.integer(2))
    return 0


@models("cuMemsetD32", "cuMemsetD32Async", "cuMemsetD16")
def _memset_words(call: HostCall) -> Value:
    place, value, count = call.object(0), call.integer(1), call.integer(2)
    scalar = Scalar.U16 if call.name.endswith("D16") else Scalar.U32
    if place is not None and value is not None and count:
        size = scalar.size_bytes
        add_constant(place[0], place[1], size, count, scalar, value)
    return 0


@models("cudaMemset2D", "cudaMemset2DAsync", "cudaMemset3D")
def _memset_2d(call: HostCall) -> Value:
    place, pitch, value = call.object(0), call.integer(1), call.integer(2)
    height = call.integer(4)
    size = pitch * height if pitch is not None and height is not None else None
    fill_bytes(place, value, size)
    return 0
