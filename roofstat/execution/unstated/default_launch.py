"""A stated launch for kernels that nothing launches, and values for arguments that nothing gives."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import Unknown, fits, number_of
from roofstat.execution.sampling.thread_indices import (
    AXES,
    BLOCK_AXES,
    BLOCKS,
    SIZES,
    THREADS,
    ThreadIndex,
    ThreadIndices,
    steps_of,
    variable_of,
)
from roofstat.execution.unstated.record_arguments import complete_record, record_parts
from roofstat.execution.unstated.size_bounds import DEFAULT_EXTENT, size_bounds
from roofstat.program.code import Op, Space, SpecialRegister, writers_of
from roofstat.program.slices import copied_once

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roofstat.execution.numbers.values import Value
    from roofstat.execution.sampling.thread_indices import Dim3
    from roofstat.execution.stored.address_space import AddressSpace
    from roofstat.program.code import Code, Instruction
    from roofstat.program.link import Program

DEFAULT_THREADS = 1 << 20
"""Threads of the default launch: enough to fill every GPU several times."""

FREE_SIZE = "free-size"
"""Kind of the note on a size that was invented and that nothing ties to the number of threads."""

_FEWEST_THREADS = 8
"""Threads of a block that a factor of a block index may mean: smaller ones come from elsewhere."""
_MOST_THREADS = 1024
"""Threads that a block may have."""
_BLOCKS = {1: (256, 1, 1), 2: (16, 16, 1), 3: (8, 8, 4)}


def grid_axes(code: Code) -> list[int]:
    """The axes along which the kernel reads block indices: what it does not read along is no part of the work."""
    return sorted(_axes_of(code, BLOCKS)) or [0]


@lru_cache(maxsize=16)
def default_launch(code: Code) -> tuple[Dim3, Dim3]:
    """(grid, block) for a kernel without a launch: about a million threads, along the axes that it uses.

    One block where nothing in it tells blocks apart: more of them would all do the same to the same data.
    """
    block = _default_block(code)
    if not _reads_block_number(code):
        return (1, 1, 1), block
    axes = grid_axes(code)
    blocks = DEFAULT_THREADS // math.prod(block)
    side = blocks if axes == [0] else max(round(blocks ** (1 / len(axes))), 1)
    x, y, z = (side if axis in axes else 1 for axis in range(3))
    return (x, y, z), block


def _reads_block_number(code: Code) -> bool:
    return any(item.op is Op.SPECIAL and item.detail in BLOCKS for _, item in code.instructions())


@lru_cache(maxsize=64)
def _axes_of(code: Code, registers: frozenset[SpecialRegister]) -> frozenset[int]:
    """Axes of special registers that the kernel reads.

    Libraries number threads along all axes, whatever the shape of the block: what they read says nothing.
    """
    return frozenset(
        AXES[item.detail]
        for _, item in code.instructions()
        if item.op is Op.SPECIAL
        and isinstance(item.detail, SpecialRegister)
        and item.detail in registers
        and item.detail in code.own_registers
    )


def _default_block(code: Code) -> Dim3:
    """Threads of a block along the axes that the kernel reads, as it says them, else 256 in all."""
    axes = max(_axes_of(code, THREADS), default=0) + 1
    limit = code.max_threads_per_block or _MOST_THREADS
    block = list(_BLOCKS[axes])
    if axes == 1:
        block[0] = min(block[0], limit)
    written = {axis: size for axis, size in _written_block(code).items() if axis < axes}
    stated = math.prod(written.values())
    if written and stated <= limit:
        rest = max(math.prod(block) // stated, 1)
        side = 1 << int(math.log2(rest) / max(axes - len(written), 1))
        block[:axes] = [written.get(axis, side) for axis in range(axes)]
    return block[0], block[1], block[2]


def _written_block(code: Code) -> dict[int, int]:
    """Threads of a block along the axes (0 to 2) where the code says them.

    ``blockIdx.x * 32 + threadIdx.x`` are blocks of 32, or of 8 where a loop in steps of 8 goes on from there, as is
    ``for (i = threadIdx.x; i < n; i += 32)``.
    """
    definitions = writers_of(code)
    advances = steps_of(definitions, code)
    # Factors show in the distance of values, and the number of threads where it changes with that.
    indices = ThreadIndices(code, definitions, (2, 2, 2), (2, 2, 2))
    in_others = ThreadIndices(code, definitions, (2, 2, 2), (3, 3, 3))
    read = {AXES[SIZES[name]] for name in code.own_registers & SIZES.keys()}
    tiles: dict[int, int] = {}
    steps: defaultdict[int, set[int]] = defaultdict(set)
    for _, item in code.instructions():
        for register, other in (item.args, item.args[::-1]) if item.op is Op.ADD else ():
            index, tile = indices.of(register), indices.of(other)
            axes = {AXES[name] for name in index.axes & THREADS}
            if len(axes) != 1:
                continue
            (axis,) = axes
            is_tile = tile.axes == {BLOCK_AXES[axis]} and not tile.has_pitch
            size = int(tile.step)  # of (blockIdx.x + 1) * 32, too
            if axis in read:  # a tile that the threads go through is no block
                is_tile &= not index.advances and in_others.of(other).step == tile.step
                is_tile &= size <= _BLOCKS[1][0]
            if _is_thread(index) and is_tile and size >= _FEWEST_THREADS:
                tiles[axis] = size
            step = _step_of(other, code, definitions, advances)
            if step is not None and not tile.axes:
                steps[axis].add(step)
    sizes: dict[int, int] = {}
    for register, step in advances.items():
        index = indices.of(register)
        axis = AXES[next(iter(index.axes))] if _is_thread(index) else -1
        if step > 1 and axis not in {-1, *read}:
            sizes[axis] = step
    for axis, tile_size in tiles.items():
        fitting = [step for step in steps[axis] if 1 < step < tile_size and tile_size % step == 0]
        sizes[axis] = min(fitting, default=tile_size)
    return sizes


def _step_of(
    register: int,
    code: Code,
    definitions: dict[int, list[Instruction]],
    advances: Mapping[int, int],
) -> int | None:
    """What a loop adds to a variable, or to a multiple of one, each time."""
    step = advances.get(variable_of(register, definitions))
    found = definitions.get(copied_once(definitions, register), ())
    if step is not None or len(found) != 1 or found[0].op is not Op.MUL:
        return step
    for variable, factor in (found[0].args, found[0].args[::-1]):
        step, by = advances.get(variable_of(variable, definitions)), code.constants.get(factor)
        if step is not None and by is not None:
            return int(step * by)
    return None


def _is_thread(index: ThreadIndex) -> bool:
    """Whether it is an index of a thread in its block as it is, where blocks have two threads along each axis."""
    return len(index.axes & THREADS) == len(index.axes) == 1 and index.last == index.step == 1.0


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
