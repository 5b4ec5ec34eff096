"""A stated launch for kernels that nothing launches, and values for arguments that nothing gives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.execution.arithmetic import COMPARISONS, new_key
from roofstat.execution.values import Unknown, fits, number_of
from roofstat.program.code import Op, ParameterPiece, Space, SpecialRegister, writers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roofstat.execution.address_space import AddressSpace
    from roofstat.execution.values import Value
    from roofstat.program.code import Code, Instruction

Dim3 = tuple[int, int, int]

DEFAULT_THREADS = 1 << 20
"""Threads of the default launch: enough to fill every GPU several times."""
DEFAULT_EXTENT = 1024
"""Value of an integer argument that bounds no thread index."""

_AXES = {
    SpecialRegister.TID_X: 0,
    SpecialRegister.CTAID_X: 0,
    SpecialRegister.TID_Y: 1,
    SpecialRegister.CTAID_Y: 1,
    SpecialRegister.TID_Z: 2,
    SpecialRegister.CTAID_Z: 2,
}
_BLOCKS = {1: (256, 1, 1), 2: (16, 16, 1), 3: (8, 8, 4)}


def used_axes(code: Code) -> int:
    """1, 2 or 3: the highest axis of thread or block indices that the kernel reads, plus one."""
    axes = [
        _AXES[item.detail]
        for _, item in code.instructions()
        if item.op is Op.SPECIAL
        and isinstance(item.detail, SpecialRegister)
        and item.detail in _AXES
    ]
    return max(axes, default=0) + 1


def default_launch(code: Code) -> tuple[Dim3, Dim3]:
    """(grid, block) for a kernel without a launch: about a million threads, along the axes that it uses."""
    axes = used_axes(code)
    block = _BLOCKS[axes]
    limit = code.max_threads_per_block
    if axes == 1 and limit is not None:
        block = (min(block[0], limit), 1, 1)
    blocks = DEFAULT_THREADS // (block[0] * block[1] * block[2])
    side = max(round(blocks ** (1 / axes)), 1)
    grid = [1, 1, 1]
    for axis in range(axes):
        grid[axis] = side
    if axes == 1:
        grid[0] = blocks
    return (grid[0], grid[1], grid[2]), block


def suggested_extents(code: Code, grid: Dim3, block: Dim3) -> dict[int, int]:
    """Values for integer parameters: the launch's extent where a thread index is compared with it, else a default."""
    values = bounding_extents(index_bounds(code), grid, block)
    for _, item in code.instructions():
        piece = item.detail
        if item.op is Op.PARAM and isinstance(piece, ParameterPiece):
            values.setdefault(piece.index, DEFAULT_EXTENT)
    return values


IndexBound = tuple[tuple[int, ...], frozenset[int]]
"""Parameters, the product of which is compared with an index made of these axes."""


def index_bounds(code: Code) -> list[IndexBound]:
    """What kernels compare thread indices with, where it is made of parameters."""
    definitions = writers(code.body)
    found: list[IndexBound] = []
    for _, item in code.instructions():
        if item.op not in COMPARISONS:
            continue
        for bound, index in (item.args, item.args[::-1]):
            parameters = _parameters(bound, definitions, code)
            axes = _index_axes(index, definitions) if parameters else frozenset()
            if axes:
                found.append((parameters, axes))
    return found


def bounding_extents(bounds: Iterable[IndexBound], grid: Dim3, block: Dim3) -> dict[int, int]:
    """Parameters that a thread index is compared with, and the extent of that index in a launch.

    Where the bound is a product of parameters, each gets an equal factor of the extent.
    """
    extents = tuple(g * b for g, b in zip(grid, block, strict=True))
    values: dict[int, int] = {}
    for parameters, axes in bounds:
        extent = math.prod(extents[axis] for axis in axes)
        factor = round(extent ** (1 / len(parameters)))
        for parameter in parameters:
            values[parameter] = max(values.get(parameter, 0), factor)
    return values


def _parameters(
    register: int, definitions: dict[int, list[Instruction]], code: Code
) -> tuple[int, ...]:
    """The parameters that a register is a product of; sums with constants and conversions are looked through."""
    for _ in range(8):
        found = definitions.get(register, [])
        if len(found) != 1:
            return ()
        item = found[0]
        if item.op is Op.PARAM and isinstance(item.detail, ParameterPiece):
            return (item.detail.index,)
        if item.op is Op.MUL:
            sides = [_parameters(argument, definitions, code) for argument in item.args]
            return sides[0] + sides[1] if all(sides) else ()
        if item.op in (Op.ADD, Op.SUB):
            if item.args[1] not in code.constants:
                return ()
        elif item.op not in (Op.MOV, Op.CAST):
            return ()
        register = item.args[0]
    return ()


def _index_axes(register: int, definitions: dict[int, list[Instruction]]) -> frozenset[int]:
    """Axes of the block and thread indices that a register is computed from."""
    axes: set[int] = set()
    seen: set[int] = set()
    stack = [register]
    while stack and len(seen) < 64:
        current = stack.pop()
        if current in seen:
            continue
        seen.add(current)
        for item in definitions.get(current, []):
            if (
                item.op is Op.SPECIAL
                and isinstance(item.detail, SpecialRegister)
                and item.detail in _AXES
            ):
                axes.add(_AXES[item.detail])
            elif item.op not in (Op.LOAD, Op.ATOMIC, Op.CALL):
                stack.extend(item.args)
    return frozenset(axes)


def default_arguments(
    code: Code,
    grid: Dim3,
    block: Dim3,
    memory: AddressSpace,
    given: Mapping[str, float],
    used: set[str],
) -> tuple[list[Value], list[str]]:
    """Arguments for a kernel that no host code launches.

    Args:
        code: The kernel.
        grid: Blocks.
        block: Threads of a block.
        memory: Where buffers are made.
        given: Values that the user states, by parameter.
        used: Receives the names of those that are taken.

    Returns:
        The values, and a sentence for each one that had to be invented or that leaves the kernel nothing to do.
    """
    bounding = bounding_extents(index_bounds(code), grid, block)
    extents = suggested_extents(code, grid, block)
    values: list[Value] = []
    notes: list[str] = []
    for index, parameter in enumerate(code.parameters):
        scalar = None if parameter.is_pointer else parameter.scalar
        if scalar is not None and fits(given.get(parameter.name, float("nan")), scalar):
            used.add(parameter.name)
            number = number_of(given[parameter.name], scalar)
            values.append(number)
            if index in bounding and isinstance(number, int) and number <= 0:
                notes.append(
                    f"argument {parameter.name} is stated as {number}: no thread is below it, state a size above 0"
                )
        elif parameter.is_pointer:
            found = memory.allocate(None, Space.GLOBAL, parameter.name, assumed=True)
            values.append(found.base)
        elif parameter.scalar is None:
            found = memory.allocate(parameter.size_bytes, Space.HOST, parameter.name)
            values.append(found.base)
        elif (
            parameter.scalar.is_float
            or parameter.scalar is Scalar.BOOL
            or parameter.scalar.size_bytes < 4
        ):
            values.append(
                Unknown(
                    new_key(),
                    uniform=True,
                    reason=f"argument {parameter.name}",
                    is_float=parameter.scalar.is_float,
                )
            )
        else:
            value = extents.get(index, DEFAULT_EXTENT)
            values.append(value)
            notes.append(f"argument {parameter.name} is not given: taken as {value}")
    return values, notes
