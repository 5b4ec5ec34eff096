"""What host code asks about the GPU: properties, attributes, occupancy, streams and events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.execution.host.registry import HostCall, models
from roofstat.execution.host.texts import write_text
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import Unknown
from roofstat.hardware.units import MAX_BLOCK, MAX_GRID
from roofstat.program.code import Space

if TYPE_CHECKING:
    from roofstat.execution.host.device_model import DeviceModel
    from roofstat.execution.numbers.values import Value

_BUS_WIDTH_BITS = 5120
_RUN_TIME_VERSION = 12060


def _properties(device: DeviceModel) -> dict[str, int]:
    """Members of cudaDeviceProp that programs compute with."""
    return {
        "totalGlobalMem": device.memory_bytes,
        "totalConstMem": 65536,
        "sharedMemPerBlock": device.shared_bytes_per_block,
        "sharedMemPerMultiprocessor": device.shared_bytes_per_sm,
        "maxSharedMemoryPerMultiProcessor": device.shared_bytes_per_sm,
        "sharedMemPerBlockOptin": device.shared_bytes_per_sm - 1024,
        "reservedSharedMemPerBlock": 1024,
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
        "persistingL2CacheMaxSize": device.l2_bytes * 3 // 4,
        "accessPolicyMaxWindowSize": device.l2_bytes,
        "memoryBusWidth": _BUS_WIDTH_BITS,
        "memoryClockRate": int(device.memory_bytes_per_s / (2 * _BUS_WIDTH_BITS / 8) / 1e3),
        "memPitch": 2**31 - 1,
        "textureAlignment": 512,
        "concurrentKernels": 1,
        "unifiedAddressing": 1,
        "managedMemory": 1,
        "canMapHostMemory": 1,
        "cooperativeLaunch": 1,
        "concurrentManagedAccess": 1,
        "pageableMemoryAccess": 1,
        "deviceOverlap": 1,
        "asyncEngineCount": 2,
        "streamPrioritiesSupported": 1,
        "maxTexture1DLinear": 1 << 28,
        "maxTexture1D": 1 << 17,
    }


@models("cudaGetDeviceProperties", "cudaGetDeviceProperties_v2", "cuDeviceGetProperties")
def _device_properties(call: HostCall) -> Value:
    place = call.object(0)
    if place is None:
        return 0
    values = _properties(call.run.device)
    record = next(
        (
            item
            for item in call.run.program.records.values()
            if item.name.endswith(("cudaDeviceProp", "hipDeviceProp_t"))
        ),
        None,
    )
    found, at = place
    if record is None:
        return 0
    if not found.contents.cells:
        found.contents.clear_to(0)
    for field in record.fields:
        scalar = call.run.program.scalar_of(field.type)
        if field.name in values and scalar is not None:
            found.contents.store(at + field.offset_bytes, scalar, values[field.name])
        elif field.name in ("maxThreadsDim", "maxGridSize"):
            is_block = field.name == "maxThreadsDim"
            limits = MAX_BLOCK if is_block else MAX_GRID
            for axis, limit in enumerate(limits):
                found.contents.store(at + field.offset_bytes + 4 * axis, Scalar.I32, limit)
        elif field.name == "name":
            write_text(call, found.base + at + field.offset_bytes, call.run.device.name)
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
    82: "registers_per_sm",
    97: "shared_bytes_per_sm",
    106: "max_blocks_per_sm",
}
"""cudaDeviceAttr numbers, CUDA run time API reference."""
_ATTRIBUTE_VALUES = {2: 1024, 3: 1024, 4: 64, 5: 2**31 - 1, 6: 65535, 7: 65535, 9: 65536}


@models("cudaDeviceGetAttribute", "cuDeviceGetAttribute")
def _device_attribute(call: HostCall) -> Value:
    attribute = call.integer(1)
    name = _ATTRIBUTES.get(attribute) if attribute is not None else None
    if attribute == 13:
        value: Value = int(call.run.device.clock_hz / 1e3)
    elif attribute in _ATTRIBUTE_VALUES:
        value = _ATTRIBUTE_VALUES[attribute]
    else:
        value = getattr(call.run.device, name) if name is not None else 1
    call.store(0, Scalar.I32, value)
    return 0


@models("cudaGetDeviceCount", "cuDeviceGetCount")
def _device_count(call: HostCall) -> Value:
    call.store(0, Scalar.I32, 1)
    return 0


@models(
    "cudaGetDevice",
    "cudaRuntimeGetVersion",
    "cudaDriverGetVersion",
    "cuDeviceGet",
    "cuDriverGetVersion",
)
def _small_number(call: HostCall) -> Value:
    is_version = call.name.endswith("Version")
    call.store(0, Scalar.I32, _RUN_TIME_VERSION if is_version else 0)
    return 0


@models("cudaDeviceGetStreamPriorityRange")
def _priorities(call: HostCall) -> Value:
    call.store(0, Scalar.I32, 0)
    call.store(1, Scalar.I32, -5)
    return 0


@models("cudaDeviceCanAccessPeer")
def _no_peer(call: HostCall) -> Value:
    call.store(0, Scalar.I32, 0)
    return 0


@models("cudaMemGetInfo", "cuMemGetInfo", "cuMemGetInfo_v2")
def _memory_info(call: HostCall) -> Value:
    call.store(0, Scalar.U64, call.run.device.memory_bytes * 9 // 10)
    call.store(1, Scalar.U64, call.run.device.memory_bytes)
    return 0


@models("cudaEventElapsedTime", "cuEventElapsedTime")
def _elapsed(call: HostCall) -> Value:
    elapsed = Unknown(new_key(), uniform=True, reason="a measured time", is_float=True)
    call.store(0, Scalar.F32, elapsed)
    return 0


@models(
    "cudaEventCreate",
    "cudaEventCreateWithFlags",
    "cudaStreamCreate",
    "cudaStreamCreateWithFlags",
    "cudaStreamCreateWithPriority",
)
def _handle(call: HostCall) -> Value:
    call.store(0, Scalar.U64, call.machine.memory.allocate(8, Space.HOST, "handle").base)
    return 0


@models(
    "cudaGetErrorString",
    "cudaGetErrorName",
    "cublasGetStatusString",
    "cusparseGetErrorString",
    "strerror",
)
def _error_text(call: HostCall) -> Value:
    return call.machine.memory.string("no error").base


@models("cudaFuncGetAttributes")
def _function_attributes(call: HostCall) -> Value:
    place = call.object(0)
    if place is None:
        return 0
    found, at = place
    for number, value in enumerate((0, 0, 0)):
        found.contents.store(at + 8 * number, Scalar.U64, value)
    device = call.run.device
    version = 10 * device.compute_major + device.compute_minor
    for number, value in enumerate((device.max_threads_per_block, 32, version, version)):
        found.contents.store(at + 24 + 4 * number, Scalar.I32, value)
    return 0


# Occupancy


def _resident_blocks(device: DeviceModel, threads: int, shared_bytes: int) -> int:
    blocks = min(device.max_threads_per_sm // max(threads, 1), device.max_blocks_per_sm)
    if shared_bytes > 0:
        blocks = min(blocks, device.shared_bytes_per_sm // shared_bytes)
    return max(blocks, 1)


@models(
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
)
def _occupancy(call: HostCall) -> Value:
    threads, shared = call.integer(2) or 256, call.integer(3) or 0
    call.store(0, Scalar.I32, _resident_blocks(call.run.device, threads, shared))
    return 0


@models("cudaOccupancyMaxPotentialBlockSize", "cudaOccupancyMaxPotentialBlockSizeVariableSMem")
def _potential_block(call: HostCall) -> Value:
    device = call.run.device
    threads = device.max_threads_per_block
    limit = call.integer(4) or 0
    if 0 < limit < threads:
        threads = limit
    call.store(1, Scalar.I32, threads)
    call.store(0, Scalar.I32, _resident_blocks(device, threads, 0) * device.sm_count)
    return 0
