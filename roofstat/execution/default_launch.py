"""A stated launch for kernels that nothing launches, and values for arguments that nothing gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.execution.record_arguments import complete_record, record_parts
from roofstat.execution.size_bounds import size_bounds
from roofstat.execution.unknowns import new_key
from roofstat.execution.values import Unknown, fits, number_of
from roofstat.program.code import Op, Space, SpecialRegister

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roofstat.execution.address_space import AddressSpace
    from roofstat.execution.values import Value
    from roofstat.program.code import Code
    from roofstat.program.link import Program

Dim3 = tuple[int, int, int]

DEFAULT_THREADS = 1 << 20
"""Threads of the default launch: enough to fill every GPU several times."""

FREE_SIZE = "free-size"
"""Kind of the note on a size that was invented and that nothing ties to the number of threads."""

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
    """1, 2 or 3: the highest axis of thread or block indices that the kernel reads, plus one.

    Libraries number threads along all axes, whatever the shape of the block: what they read says nothing.
    """
    axes = [
        _AXES[item.detail]
        for _, item in code.instructions()
        if item.op is Op.SPECIAL
        and isinstance(item.detail, SpecialRegister)
        and item.detail in _AXES
        and item.detail in code.own_registers
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


def default_grid_of(code: Code, block: Dim3) -> Dim3:
    """A grid for a kernel whose blocks are known: as many threads along each axis."""
    grid, own = default_launch(code)
    x, y, z = (
        max(round(blocks * own_size / size), 1)
        for blocks, own_size, size in zip(grid, own, block, strict=True)
    )
    return x, y, z


def empty_size(name: str, value: int) -> str:
    """What is said of a stated size that leaves a kernel nothing to do."""
    return f"argument {name} is stated as {value}: no thread is below it, state a size above 0"


def default_arguments(
    program: Program,
    code: Code,
    grid: Dim3,
    block: Dim3,
    memory: AddressSpace,
    given: Mapping[str, float],
    used: set[str],
) -> tuple[list[Value], list[tuple[str, str]]]:
    """Arguments for a kernel that no host code launches.

    Args:
        program: Where the types of records are known.
        code: The kernel.
        grid: Blocks.
        block: Threads of a block.
        memory: Where buffers are made.
        given: Values that the user states, by parameter.
        used: Receives the names of those that are taken.

    Returns:
        The values, and a note (kind and sentence) for each one that had to be invented or that leaves the kernel nothing to
        do; `FREE_SIZE` for sizes that do not even follow the launch.
    """
    bounds = size_bounds(code)
    stated = {
        index: given[parameter.name]
        for index, parameter in enumerate(code.parameters)
        if parameter.name in given
    }
    records = {
        index: record_parts(program, code, index)
        for index, parameter in enumerate(code.parameters)
        if parameter.scalar is None
    }
    for part in (part for parts in records.values() for part in parts if part.is_size):
        name = part.stated(given)
        if name is not None:
            stated[part.number] = given[name]
    extents = bounds.extents(grid, block, stated)

    free: set[int] = set()

    def size_of(number: int) -> int:
        if number not in extents:
            free.add(number)
        return extents.get(number, bounds.default(number))

    values: list[Value] = []
    notes: list[tuple[str, str]] = []
    for index, parameter in enumerate(code.parameters):
        scalar = None if parameter.is_pointer else parameter.scalar
        if scalar is not None and fits(given.get(parameter.name, float("nan")), scalar):
            used.add(parameter.name)
            number = number_of(given[parameter.name], scalar)
            values.append(number)
            if index in extents and isinstance(number, int) and number <= 0:
                notes.append(("argument", empty_size(parameter.name, number)))
        elif parameter.is_pointer:
            found = memory.allocate(None, Space.GLOBAL, parameter.name, assumed=True)
            values.append(found.base)
        elif parameter.scalar is None:
            found = memory.allocate(parameter.size_bytes, Space.HOST, parameter.name)
            known = len(free)
            address, invented = complete_record(
                memory, found.base, records[index], given, size_of, used
            )
            values.append(address)
            kind = FREE_SIZE if len(free) > known else "argument"
            notes.extend((kind, text) for text in invented)
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
            value = size_of(index)
            values.append(value)
            kind = FREE_SIZE if index in free else "argument"
            notes.append((kind, f"argument {parameter.name} is not given: taken as {value}"))
    return values, notes
