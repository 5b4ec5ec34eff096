"""Library functions without a model of their own: families whose functions return a status, and all others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.execution.host.algorithms import cub_call, is_cub_call
from roofstat.execution.host.registry import HostCall
from roofstat.execution.stored.address_space import MemoryObject
from roofstat.program.code import Space

if TYPE_CHECKING:
    from roofstat.execution.numbers.values import Value

_STATUS_PREFIXES = (
    "cuda",
    "hip",
    "cublas",
    "cufft",
    "cusparse",
    "curand",
    "cusolver",
    "cudnn",
    "nccl",
    "nvml",
    "nvrtc",
    "MPI_",
    "pthread_",
    "cu",
)
"""APIs whose functions return 0 for success and give results through pointers."""
_NAMESPACES = ("std", "thrust", "cub", "cooperative_groups", "nvcuda")
_POINTER_BYTES = 8


def returns_status(name: str) -> bool:
    """Whether a function belongs to a C API that returns 0 for success."""
    parts = name.split("::")
    return parts[0] not in _NAMESPACES and parts[-1].startswith(_STATUS_PREFIXES)


def unmodelled(call: HostCall) -> Value:
    """The result of a function that nobody describes; what it may write through its pointers becomes unknown."""
    name = call.detail.name
    if is_cub_call(name):
        return cub_call(call)
    if returns_status(name):
        _write_outputs(call)
        return 0
    if call.detail.result_size_bytes:
        place = call.object(0)
        if place is not None:
            for offset in list(place[0].contents.cells):
                if place[1] <= offset < place[1] + call.detail.result_size_bytes:
                    del place[0].contents.cells[offset]
        return call.arguments[0]
    if call.instruction.scalar is Scalar.U64 and call.detail.result_pointee_bytes:
        found = call.machine.memory.allocate(None, Space.HOST, f"result of {name}", assumed=True)
        return found.base
    return call.unknown(f"result of {name}")


def _write_outputs(call: HostCall) -> None:
    """Handles and numbers that a C API gives through pointers to local variables; arrays on the device."""
    is_library = not call.name.startswith(("cuda", "hip", "pthread_"))
    for index in range(len(call.arguments)):
        place = call.object(index)
        if place is None:
            continue
        found, at = place
        if found.buffer.space is Space.GLOBAL:
            if is_library:
                found.contents.forget()
        elif at == 0 and _is_variable(found):
            _write_variable(call, found)


def _is_variable(found: MemoryObject) -> bool:
    size = found.buffer.size_bytes
    return (
        found.buffer.space is Space.HOST
        and size is not None
        and size <= _POINTER_BYTES
        and found.function_key is None
        and found.text is None
    )


def _write_variable(call: HostCall, found: MemoryObject) -> None:
    if 0 in found.contents.cells:
        return  # it has a value: an input, or an object that was made before
    if found.buffer.size_bytes == _POINTER_BYTES:
        handle = call.machine.memory.allocate(_POINTER_BYTES, Space.HOST, "handle")
        found.contents.store(0, Scalar.U64, handle.base)
    else:
        found.contents.store(0, Scalar.I32, call.unknown(f"a result of {call.name}"))
