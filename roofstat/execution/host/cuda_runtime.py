"""The CUDA (and HIP) run time as host code sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.execution.arithmetic import new_key
from roofstat.execution.contents import Fill, Pattern
from roofstat.execution.host.registry import HostCall, models
from roofstat.execution.values import Unknown
from roofstat.program.code import Space

if TYPE_CHECKING:
    from roofstat.execution.address_space import MemoryObject
    from roofstat.execution.values import Value

_PITCH_BYTES = 512
"""Row pitch alignment of cudaMallocPitch (seen on all current cards)."""


def allocate(call: HostCall, target: int, size: int | None, space: Space, name: str = "") -> Value:
    """Allocate and store the pointer through argument `target`."""
    label = name or _variable_name(call, target)
    found = call.machine.memory.allocate(size, space, label)
    call.store(target, Scalar.U64, found.base)
    if size is None:
        call.run.note(
            "buffer-size",
            f"the size of {label or 'an allocation'} is unknown",
            call.instruction.position,
        )
    return 0


def _variable_name(call: HostCall, index: int) -> str:
    """The name of the pointer variable whose address is passed."""
    place = call.object(index)
    return place[0].buffer.name if place is not None else ""


@models(
    "cudaMalloc",
    "cudaMallocAsync",
    "cudaMallocManaged",
    "cuMemAlloc",
    "cudaMallocFromPoolAsync",
    "cuMemAlloc_v2",
)
def _malloc(call: HostCall) -> Value:
    return allocate(call, 0, call.integer(1), Space.GLOBAL)


@models("cudaMallocHost", "cudaHostAlloc", "cudaHostMalloc")
def _malloc_host(call: HostCall) -> Value:
    return allocate(call, 0, call.integer(1), Space.HOST)


@models("cudaMallocPitch")
def _malloc_pitch(call: HostCall) -> Value:
    width, height = call.integer(2), call.integer(3)
    if width is None or height is None:
        call.store(1, Scalar.U64, call.unknown("pitch of an allocation"))
        return allocate(call, 0, None, Space.GLOBAL)
    pitch = -(-width // _PITCH_BYTES) * _PITCH_BYTES
    call.store(1, Scalar.U64, pitch)
    return allocate(call, 0, pitch * height, Space.GLOBAL)


@models("cudaHostGetDevicePointer")
def _device_pointer(call: HostCall) -> Value:
    call.store(0, Scalar.U64, call.arguments[1])
    return 0


@models("cudaGetSymbolAddress")
def _symbol_address(call: HostCall) -> Value:
    call.store(0, Scalar.U64, call.arguments[1])
    return 0


def copy_contents(
    target: tuple[MemoryObject, int] | None,
    source: tuple[MemoryObject, int] | None,
    size: int | None,
) -> None:
    """What is known of the source becomes known of the target."""
    if target is None:
        return
    found, at = target
    if source is None:
        found.contents.forget()
        return
    origin, start = source
    if (
        start == 0
        and at == 0
        and (
            size is None
            or size >= (origin.buffer.size_bytes or 0)
            or size >= (found.buffer.size_bytes or 0)
        )
    ):
        found.contents = origin.contents.copy()
        return
    length = size or 0
    for offset, cell in list(origin.contents.cells.items()):
        if start <= offset < start + length:
            found.contents.cells[at + offset - start] = cell
    for fill in origin.contents.fills:
        if start <= fill.start and fill.end <= start + length:
            found.contents.add_fill(_moved(fill, at - start))
    if not origin.contents.cells and not origin.contents.fills and length:
        found.contents.add_fill(
            Fill(
                start=at,
                dims=((1, length),),
                scalar=Scalar.U8,
                pattern=Pattern.CONSTANT
                if isinstance(origin.contents.initial, int | float)
                else Pattern.UNKNOWN,
                first=origin.contents.initial
                if isinstance(origin.contents.initial, int | float)
                else 0,
                key=new_key(),
            )
        )


def _moved(fill: Fill, distance: int) -> Fill:
    from dataclasses import replace

    return replace(fill, start=fill.start + distance)


@models(
    "cudaMemcpy",
    "cudaMemcpyAsync",
    "cudaMemcpyPeer",
    "cuMemcpyHtoD",
    "cuMemcpyDtoH",
    "cuMemcpyHtoD_v2",
    "cuMemcpyDtoH_v2",
)
def _memcpy(call: HostCall) -> Value:
    copy_contents(call.object(0), call.object(1), call.integer(2))
    return 0


@models("cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync")
def _memcpy_to_symbol(call: HostCall) -> Value:
    target = call.object(0)
    offset = call.integer(3, 0) or 0
    if target is not None:
        copy_contents((target[0], target[1] + offset), call.object(1), call.integer(2))
    return 0


@models("cudaMemcpyFromSymbol")
def _memcpy_from_symbol(call: HostCall) -> Value:
    copy_contents(call.object(0), call.object(1), call.integer(2))
    return 0


@models("cudaMemcpy2D", "cudaMemcpy2DAsync", "cudaMemcpy3D")
def _memcpy_2d(call: HostCall) -> Value:
    target = call.object(0)
    if target is not None and len(call.arguments) > 5:
        source = call.object(2)
        if call.integer(1) == call.integer(3) == call.integer(4):
            copy_contents(target, source, None)
        else:
            target[0].contents.forget()
    return 0


@models("cudaMemset", "cudaMemsetAsync", "memset", "cuMemsetD8", "cuMemsetD32")
def _memset(call: HostCall) -> Value:
    place = call.object(0)
    value = call.integer(1)
    size = call.integer(2)
    result = 0 if call.name != "memset" else call.arguments[0]
    if place is None:
        return result
    found, at = place
    if at == 0 and (
        size is None or found.buffer.size_bytes is None or size >= found.buffer.size_bytes
    ):
        found.contents.forget()
        found.contents.is_lost = False
        found.contents.initial = {0: 0, 255: -1}.get(value) if value is not None else None
        found.contents.is_lost = found.contents.initial is None
    elif size:
        pattern = Pattern.CONSTANT if value in (0, 255) else Pattern.UNKNOWN
        first = -1 if value == 255 else 0
        found.contents.add_fill(
            Fill(
                start=at,
                dims=((1, size),),
                scalar=Scalar.U8,
                pattern=pattern,
                first=first,
                key=new_key(),
            )
        )
    return result


@models("cudaGetDeviceProperties", "cudaGetDeviceProperties_v2")
def _device_properties(call: HostCall) -> Value:
    place = call.object(0)
    if place is None:
        return 0
    device = call.run.device
    values: dict[str, int] = {
        "totalGlobalMem": device.memory_bytes,
        "sharedMemPerBlock": device.shared_bytes_per_block,
        "sharedMemPerMultiprocessor": device.shared_bytes_per_sm,
        "sharedMemPerBlockOptin": device.shared_bytes_per_sm - 1024,
        "regsPerBlock": device.registers_per_sm,
        "regsPerMultiprocessor": device.registers_per_sm,
        "warpSize": device.warp_size,
        "maxThreadsPerBlock": device.max_threads_per_block,
        "maxThreadsPerMultiProcessor": device.max_threads_per_sm,
        "maxBlocksPerMultiProcessor": device.max_blocks_per_sm,
        "multiProcessorCount": device.sm_count,
        "major": device.compute_major,
        "minor": device.compute_minor,
        "clockRate": int(device.clock_hz / 1e3),
        "l2CacheSize": device.l2_bytes,
        "memoryBusWidth": 5120,
        "memoryClockRate": int(device.memory_bytes_per_s / (2 * 5120 / 8) / 1e3),
        "concurrentKernels": 1,
        "unifiedAddressing": 1,
        "managedMemory": 1,
        "canMapHostMemory": 1,
        "cooperativeLaunch": 1,
        "concurrentManagedAccess": 1,
        "asyncEngineCount": 2,
    }
    record = next(
        (
            item
            for item in call.run.program.records.values()
            if item.name.endswith(("cudaDeviceProp", "hipDeviceProp_t"))
        ),
        None,
    )
    found, at = place
    found.contents.initial = 0 if not found.contents.cells else found.contents.initial
    if record is None:
        return 0
    for field in record.fields:
        scalar = call.run.program.scalar_of(field.type)
        if field.name in values and scalar is not None:
            found.contents.store(at + field.offset_bytes, scalar, values[field.name])
        elif field.name in ("maxThreadsDim", "maxGridSize"):
            limits = (
                (1024, 1024, 64) if field.name == "maxThreadsDim" else (2**31 - 1, 65535, 65535)
            )
            for axis, limit in enumerate(limits):
                found.contents.store(at + field.offset_bytes + 4 * axis, Scalar.I32, limit)
    return 0


_ATTRIBUTES = {
    1: "max_threads_per_block",
    8: "shared_bytes_per_block",
    10: "warp_size",
    12: "registers_per_sm",
    16: "sm_count",
    38: "l2_bytes",
    39: "max_threads_per_sm",
    75: "compute_major",
    76: "compute_minor",
    81: "shared_bytes_per_sm",
    97: "shared_bytes_per_sm",
    106: "max_blocks_per_sm",
}
"""cudaDeviceAttr numbers, CUDA run time API reference."""


@models("cudaDeviceGetAttribute", "cuDeviceGetAttribute")
def _device_attribute(call: HostCall) -> Value:
    attribute = call.integer(1)
    name = _ATTRIBUTES.get(attribute) if attribute is not None else None
    value: Value = getattr(call.run.device, name) if name is not None else 1
    call.store(0, Scalar.I32, value)
    return 0


@models("cudaGetDeviceCount")
def _device_count(call: HostCall) -> Value:
    call.store(0, Scalar.I32, 1)
    return 0


@models("cudaGetDevice", "cudaRuntimeGetVersion", "cudaDriverGetVersion")
def _small_number(call: HostCall) -> Value:
    call.store(0, Scalar.I32, 0 if call.name == "cudaGetDevice" else 12060)
    return 0


@models("cudaMemGetInfo")
def _memory_info(call: HostCall) -> Value:
    call.store(0, Scalar.U64, call.run.device.memory_bytes * 9 // 10)
    call.store(1, Scalar.U64, call.run.device.memory_bytes)
    return 0


@models("cudaEventElapsedTime")
def _elapsed(call: HostCall) -> Value:
    call.store(
        0, Scalar.F32, Unknown(new_key(), uniform=True, reason="a measured time", is_float=True)
    )
    return 0


@models(
    "cudaEventCreate", "cudaEventCreateWithFlags", "cudaStreamCreate", "cudaStreamCreateWithFlags"
)
def _handle(call: HostCall) -> Value:
    found = call.machine.memory.allocate(8, Space.HOST, "handle")
    call.store(0, Scalar.U64, found.base)
    return 0


def _resident_blocks(call: HostCall, threads: int) -> int:
    device = call.run.device
    return max(min(device.max_threads_per_sm // max(threads, 1), device.max_blocks_per_sm), 1)


@models(
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
)
def _occupancy(call: HostCall) -> Value:
    call.store(0, Scalar.I32, _resident_blocks(call, call.integer(2) or 256))
    return 0


@models("cudaOccupancyMaxPotentialBlockSize", "cudaOccupancyMaxPotentialBlockSizeVariableSMem")
def _potential_block(call: HostCall) -> Value:
    threads = call.run.device.max_threads_per_block
    limit = call.integer(4) or 0
    if 0 < limit < threads:
        threads = limit
    call.store(1, Scalar.I32, threads)
    call.store(0, Scalar.I32, _resident_blocks(call, threads) * call.run.device.sm_count)
    return 0


@models("cudaLaunchKernel", "cudaLaunchCooperativeKernel")
def _launch_kernel(call: HostCall) -> Value:
    function = call.object(0)
    key = function[0].function_key if function is not None else None
    grid, block = call.object(1), call.object(2)
    vector = call.object(3)
    if key is None or grid is None or block is None or key not in call.run.program.functions:
        call.run.note(
            "lost-launch",
            f"{call.name} whose kernel or configuration is unknown",
            call.instruction.position,
        )
        return 0
    sizes = [
        [
            place[0].contents.load(
                place[1] + 4 * axis, Scalar.U32, place[0].buffer.number, "launch size"
            )
            for axis in range(3)
        ]
        for place in (grid, block)
    ]
    shared = call.arguments[4] if len(call.arguments) > 4 else 0
    arguments = [
        _indirect_argument(call, vector, index, key)
        for index in range(len(call.run.program.functions[key].parameters))
    ]
    call.run.launch(key, sizes[0], sizes[1], shared, arguments, call.instruction.position)
    return 0


def _indirect_argument(
    call: HostCall, vector: tuple[MemoryObject, int] | None, index: int, key: str
) -> Value:
    unknown = Unknown(new_key(), uniform=True, reason="a kernel argument")
    if vector is None:
        return unknown
    pointer = vector[0].contents.load(
        vector[1] + 8 * index, Scalar.U64, vector[0].buffer.number, "argument list"
    )
    found = call.machine.memory.find(pointer) if isinstance(pointer, int) else None
    if found is None or not isinstance(pointer, int):
        return unknown
    parameter = call.run.program.functions[key].parameters[index]
    scalar = call.run.program.scalar_of(parameter.type)
    if scalar is None:
        return pointer
    return found.contents.load(pointer - found.base, scalar, found.buffer.number, parameter.name)
