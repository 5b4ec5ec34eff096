"""A stated launch for kernels that nothing launches, and values for arguments that nothing gives."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.execution.record_arguments import complete_record, record_parts
from roofstat.execution.size_bounds import DEFAULT_EXTENT, size_bounds
from roofstat.execution.thread_indices import (
    AXES,
    BLOCK_AXES,
    SIZES,
    THREADS,
    ThreadIndex,
    ThreadIndices,
)
from roofstat.execution.unknowns import new_key
from roofstat.execution.values import Unknown, fits, number_of
from roofstat.program.code import Op, Space, SpecialRegister, writers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roofstat.execution.address_space import AddressSpace
    from roofstat.execution.thread_indices import Dim3
    from roofstat.execution.values import Value
    from roofstat.program.code import Code, Instruction
    from roofstat.program.link import Program

DEFAULT_THREADS = 1 << 20
"""Threads of the default launch: enough to fill every GPU several times."""

FREE_SIZE = "free-size"
"""Kind of the note on a size that was invented and that nothing ties to the number of threads."""

_MOST_THREADS = 1024
"""Threads that a block may have."""
_BLOCKS = {1: (256, 1, 1), 2: (16, 16, 1), 3: (8, 8, 4)}


def used_axes(code: Code) -> int:
    """1, 2 or 3: the highest axis of thread or block indices that the kernel reads, plus one.

    Libraries number threads along all axes, whatever the shape of the block: what they read says nothing.
    """
    axes = [
        AXES[item.detail]
        for _, item in code.instructions()
        if item.op is Op.SPECIAL
        and isinstance(item.detail, SpecialRegister)
        and item.detail in AXES
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
    written = _written_block(code)
    x, y, z = (max(written.get(axis, size), 1) for axis, size in enumerate(block))
    if x * y * z <= (limit or _MOST_THREADS):
        block = (x, y, z)
    blocks = DEFAULT_THREADS // (block[0] * block[1] * block[2])
    side = max(round(blocks ** (1 / axes)), 1)
    grid = [1, 1, 1]
    for axis in range(axes):
        grid[axis] = side
    if axes == 1:
        grid[0] = blocks
    return (grid[0], grid[1], grid[2]), block


def _written_block(code: Code) -> dict[int, int]:
    """Threads of a block along the axes (0 to 2) where the code says them.

    ``blockIdx.x * 32 + threadIdx.x`` are blocks of 32, or of 8 where a loop in steps of 8 goes on from there.
    """
    definitions = writers(code.body)
    indices = ThreadIndices(
        code, definitions, (2, 2, 2), (2, 2, 2)
    )  # so that factors show in the last value
    tiles: dict[int, int] = {}
    steps: defaultdict[int, set[int]] = defaultdict(set)
    for _, item in code.instructions():
        if item.op is not Op.ADD:
            continue
        for register, other in (item.args, item.args[::-1]):
            index, tile = indices.of(register), indices.of(other)
            axes = {AXES[name] for name in index.axes & THREADS}
            if len(axes) != 1:
                continue
            (axis,) = axes
            is_thread = index == ThreadIndex(1.0, index.axes) and len(index.axes) == 1
            if is_thread and tile.axes == {BLOCK_AXES[axis]} and tile.last is not None:
                tiles[axis] = int(tile.last)
            step = _step_of(other, definitions, code)
            if step is not None and not tile.axes:
                steps[axis].add(step)
    sizes: dict[int, int] = {}
    for axis, tile_size in tiles.items():
        fitting = [step for step in steps[axis] if 1 < step < tile_size and tile_size % step == 0]
        sizes[axis] = min(fitting, default=tile_size)
    is_read = code.own_registers & SIZES.keys()
    return {} if is_read else sizes


def _step_of(register: int, definitions: dict[int, list[Instruction]], code: Code) -> int | None:
    """What a loop adds to a variable each time, where that is a number."""
    for _ in range(8):
        found = definitions.get(register, [])
        if len(found) > 1:
            break
        if not found or found[0].op not in (Op.MOV, Op.CAST):
            return None
        register = found[0].args[0]
    for item in definitions.get(register, []):
        sums = definitions.get(item.args[0], []) if item.op is Op.MOV and item.args else []
        while len(sums) == 1 and sums[0].op is Op.CAST:
            sums = definitions.get(sums[0].args[0], [])
        if len(sums) == 1 and sums[0].op is Op.ADD:
            step = code.constants.get(sums[0].args[1])
            if step is not None:
                return int(step)
    return None


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
    others = bounds.free(grid, block, stated)
    extents = bounds.extents(grid, block, {**others, **stated})
    free: set[int] = set()

    def size_of(number: int) -> int:
        if number not in extents:
            free.add(number)
        return extents.get(number, others.get(number, DEFAULT_EXTENT))

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
