"""Launches that are ordinary calls: cudaLaunchKernel, cudaLaunchKernelEx, kernel nodes of graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.execution.host.launches import LaunchRequest
from roofstat.execution.host.registry import HostCall, models
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofstat.execution.numbers.values import Value

_GRID, _BLOCK, _SHARED = 0, 12, 24
"""cudaLaunchConfig_t: gridDim, blockDim, dynamicSmemBytes."""
_NODE_FUNCTION, _NODE_GRID, _NODE_BLOCK, _NODE_SHARED, _NODE_ARGUMENTS = 0, 8, 20, 32, 40
"""cudaKernelNodeParams."""


def _kernel(call: HostCall, address: int | None) -> str | None:
    place = call.place(address)
    key = place[0].function_key if place is not None else None
    if key is None or key not in call.run.program.functions:
        call.note("lost-launch", f"{call.name} whose kernel is unknown")
        return None
    return key


def _dimensions(call: HostCall, address: int | None, offset: int = 0) -> list[Value]:
    """Three unsigned numbers in memory."""
    found: list[Value] = []
    for axis in range(3):
        value = call.load(address, Scalar.U32, offset + 4 * axis)
        found.append(value if value is not None else call.unknown("a launch size"))
    return found


def _indirect_arguments(call: HostCall, vector: int | None, key: str) -> list[Value]:
    """The arguments behind an array of pointers to them."""
    return [
        _behind(call, call.load_integer(vector, 8 * index), key, index)
        for index in range(len(call.run.program.functions[key].parameters))
    ]


def _behind(call: HostCall, pointer: int | None, key: str, index: int) -> Value:
    """The argument that a pointer points to; records stay where they are."""
    parameter = call.run.program.functions[key].parameters[index]
    scalar = call.run.program.scalar_of(parameter.type)
    if pointer is None:
        return Unknown(new_key(), uniform=True, reason=f"argument {parameter.name}")
    if scalar is None:
        return pointer
    value = call.load(pointer, scalar)
    if value is None:
        return Unknown(new_key(), uniform=True, reason=f"argument {parameter.name}")
    return value


def _launch(
    call: HostCall,
    key: str,
    grid: Sequence[Value],
    block: Sequence[Value],
    shared_bytes: Value,
    arguments: list[Value],
) -> None:
    call.run.launcher.launch(
        LaunchRequest(
            kernel=key,
            grid=grid,
            block=block,
            shared_bytes=shared_bytes,
            arguments=arguments,
            position=call.instruction.position,
        )
    )


@models("cudaLaunchKernel", "cudaLaunchCooperativeKernel")
def _launch_kernel(call: HostCall) -> Value:
    key = _kernel(call, call.integer(0))
    if key is None:
        return 0
    grid, block = _dimensions(call, call.integer(1)), _dimensions(call, call.integer(2))
    shared = call.arguments[4] if len(call.arguments) > 4 else 0
    arguments = _indirect_arguments(call, call.integer(3), key)
    _launch(call, key, grid, block, shared, arguments)
    return 0


@models("cudaLaunchKernelEx", "cudaLaunchKernelExC")
def _launch_with_configuration(call: HostCall) -> Value:
    key = _kernel(call, call.integer(1))
    if key is None:
        return 0
    configuration = call.integer(0)
    if call.name.endswith("C"):
        arguments = _indirect_arguments(call, call.integer(2), key)
    else:
        count = len(call.run.program.functions[key].parameters)
        arguments = [_behind(call, call.integer(2 + index), key, index) for index in range(count)]
    shared = call.load(configuration, Scalar.U64, _SHARED)
    _launch(
        call,
        key,
        _dimensions(call, configuration, _GRID),
        _dimensions(call, configuration, _BLOCK),
        shared if shared is not None else 0,
        arguments,
    )
    return 0


def launch_node(call: HostCall) -> None:
    """The launch of a kernel node, whose parameters are the last argument of a call."""
    parameters = call.integer(len(call.arguments) - 1)
    key = _kernel(call, call.load_integer(parameters, _NODE_FUNCTION))
    if key is None:
        return
    shared = call.load(parameters, Scalar.U32, _NODE_SHARED)
    _launch(
        call,
        key,
        _dimensions(call, parameters, _NODE_GRID),
        _dimensions(call, parameters, _NODE_BLOCK),
        shared if shared is not None else 0,
        _indirect_arguments(call, call.load_integer(parameters, _NODE_ARGUMENTS), key),
    )
