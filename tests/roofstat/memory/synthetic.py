"""Traces of kernels that are given as address functions, and the truth about them by brute force.

`sampled_trace` samples whole warps and a few loop iterations with stratum weights, as the abstract machine does.
`brute_force` runs every thread and every iteration.
"""

from __future__ import annotations

import collections
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from clang_queries.ir.expressions import Position
from clang_queries.ir.types import Scalar
from roofstat.execution.sampling.sampling import sample_lanes
from roofstat.execution.trace import (
    AccessEvent,
    Buffer,
    Lanes,
    LaunchTrace,
    LoopCoordinate,
    SiteTotals,
)
from roofstat.hardware import load_gpu
from roofstat.memory.model import model_memory
from roofstat.memory.records import MemoryTraffic
from roofstat.program.code import (
    AtomicAccess,
    Block,
    Code,
    Instruction,
    MemoryAccess,
    Op,
    Slot,
    Space,
    SpecialRegister,
)

Array = NDArray[np.int64]
BASE = 1 << 41
WARP = 32


@dataclass(frozen=True)
class Threads:
    """Coordinates of some threads."""

    tx: Array
    ty: Array
    tz: Array
    bx: Array
    by: Array
    bz: Array
    block: tuple[int, int, int]
    grid: tuple[int, int, int]

    @property
    def x(self) -> Array:
        return self.bx * self.block[0] + self.tx

    @property
    def y(self) -> Array:
        return self.by * self.block[1] + self.ty

    @property
    def z(self) -> Array:
        return self.bz * self.block[2] + self.tz

    @property
    def linear(self) -> Array:
        """Global thread number for one-dimensional kernels."""
        return self.x


@dataclass(frozen=True)
class Access:
    """One memory instruction: byte offset within its buffer as a function of threads and iterations."""

    offset: Callable[..., Array]
    element_bytes: int = 4
    op: Op = Op.LOAD
    buffer: int = 0
    loops: tuple[int, ...] = ()
    """Trip counts of the enclosing loops, outermost first."""
    active: Callable[..., NDArray[np.bool_]] | None = None
    is_guess: bool = False


@dataclass
class Kernel:
    """A launch of a synthetic kernel."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    accesses: list[Access]
    buffer_bytes: dict[int, int | None] = field(default_factory=dict)
    space: Space = Space.GLOBAL

    @property
    def buffers(self) -> dict[int, Buffer]:
        used = sorted({access.buffer for access in self.accesses})
        return {
            number: Buffer(
                number=number,
                name=f"buffer{number}",
                space=self.space,
                base=BASE + number * (1 << 36),
                size_bytes=self.buffer_bytes.get(number),
            )
            for number in used
        }


def threads_of(kernel: Kernel, block_numbers: Array, lanes_of_block: Array) -> Threads:
    """Coordinates for each pair of a block and a lane (both linear, x fastest)."""
    bx, by, _ = kernel.block
    gx, gy, _ = kernel.grid
    return Threads(
        tx=lanes_of_block % bx,
        ty=lanes_of_block // bx % by,
        tz=lanes_of_block // (bx * by),
        bx=block_numbers % gx,
        by=block_numbers // gx % gy,
        bz=block_numbers // (gx * gy),
        block=kernel.block,
        grid=kernel.grid,
    )


def _axis_samples(size: int) -> list[tuple[int, float]]:
    """Positions 0, 1, middle, middle + 1 and last with the number of positions that each stands for."""
    places = sorted({p for p in (0, 1, size // 2, size // 2 + 1, size - 1) if 0 <= p < size})
    if len(places) == size:
        return [(place, 1.0) for place in places]
    inner = [place for place in places if place not in (0, size - 1)]
    return [(place, 1.0 if place in (0, size - 1) else (size - 2) / len(inner)) for place in places]


def _warp_samples(count: int) -> list[tuple[int, float]]:
    """Warps 0 and 1, then one or two of each power-of-two range, and the last."""
    if count <= 4:
        return [(warp, 1.0) for warp in range(count)]
    result = [(0, 1.0), (1, 1.0)]
    start = 2
    while start < count - 1:
        end = min(2 * start, count - 1)
        result.append((start, float(end - start)))
        start = end
    result.append((count - 1, 1.0))
    return result


def _loop_samples(trips: int) -> list[tuple[int, float]]:
    """Iterations 0, 1 and 2, then a few later ones for the rest."""
    if trips <= 5:
        return [(iteration, 1.0) for iteration in range(trips)]
    middle = 3 + (trips - 4) // 2
    return [(0, 1.0), (1, 1.0), (2, 1.0), (middle, float(trips - 4)), (trips - 1, 1.0)]


def sampled_lanes(kernel: Kernel) -> tuple[Lanes, Threads]:
    """Whole warps of a few blocks, with the threads that each stands for."""
    size = math.prod(kernel.block)
    blocks = [
        (x + kernel.grid[0] * (y + kernel.grid[1] * z), wx * wy * wz)
        for (z, wz), (y, wy), (x, wx) in itertools.product(
            *(_axis_samples(extent) for extent in reversed(kernel.grid))
        )
    ]
    warps = _warp_samples(-(-size // WARP))
    number, lane, weight, warp_of, slot = [], [], [], [], []
    for index, (block, block_weight) in enumerate(blocks):
        for warp, warp_weight in warps:
            number.append(np.full(WARP, block))
            lane.append(warp * WARP + np.arange(WARP))
            weight.append(np.full(WARP, block_weight * warp_weight))
            warp_of.append(np.full(WARP, warp))
            slot.append(np.full(WARP, index))
    lanes_of_block = np.concatenate(lane)
    exists = lanes_of_block < size
    threads = threads_of(kernel, np.concatenate(number), lanes_of_block)
    lanes = Lanes(
        tid=(threads.tx, threads.ty, threads.tz),
        bid=(threads.bx, threads.by, threads.bz),
        exists=exists,
        weight=np.where(exists, np.concatenate(weight), 0.0),
        warp_of_block=np.concatenate(warp_of),
        block_slot=np.concatenate(slot),
    )
    return lanes, threads


def machine_lanes(kernel: Kernel, *, dense: bool) -> tuple[Lanes, Threads]:
    """The lanes that the abstract machine samples; dense is for kernels whose blocks behave differently."""
    lanes = sample_lanes(kernel.grid, kernel.block, dense=dense)
    return lanes, Threads(*lanes.tid, *lanes.bid, block=kernel.block, grid=kernel.grid)


def sampled_trace(
    kernel: Kernel,
    slots: list[Slot] | None = None,
    sample: tuple[Lanes, Threads] | None = None,
) -> LaunchTrace:
    """The trace that the abstract machine would leave of the kernel."""
    lanes, threads = sample or sampled_lanes(kernel)
    buffers = kernel.buffers
    trace = LaunchTrace(
        code=_code(kernel, slots or []),
        grid=kernel.grid,
        block=kernel.block,
        dynamic_shared_bytes=0,
        lanes=lanes,
        buffers=buffers,
    )
    events: list[tuple[tuple[float, ...], AccessEvent]] = []
    for site, access in enumerate(kernel.accesses):
        totals = SiteTotals(space=kernel.space)
        for samples in itertools.product(*(_loop_samples(trips) for trips in access.loops)):
            iterations = [iteration for iteration, _ in samples]
            scale = math.prod(weight for _, weight in samples)
            active = lanes.exists.copy()
            if access.active is not None:
                active &= access.active(threads, *iterations)
            weight = np.where(active, lanes.weight * scale, 0.0)
            address = buffers[access.buffer].base + access.offset(threads, *iterations)
            address = np.broadcast_to(address, active.shape).astype(np.int64)
            totals.threads += float(weight.sum())
            totals.warps += float(weight.reshape(-1, WARP).max(axis=1).sum())
            totals.events += 1
            loops = tuple(
                LoopCoordinate(loop=depth, iteration=iteration, trips=float(access.loops[depth]))
                for depth, iteration in enumerate(iterations)
            )
            event = AccessEvent(
                site=site,
                buffer=access.buffer,
                address=address,
                active=active,
                weight=weight,
                loops=loops,
                is_guess=access.is_guess,
                order=0,
            )
            when = (*iterations, *([0] * (8 - len(iterations))), site)
            events.append((when, event))
        trace.sites[site] = totals
    for order, (_, event) in enumerate(sorted(events, key=lambda entry: entry[0])):
        event.order = order
        if event.active.any():
            trace.events.append(event)
    return trace


def analyse(kernel: Kernel, gpu: str = "h100") -> MemoryTraffic:
    """The traffic of a kernel on a card, as modelled from a sample."""
    return model_memory(
        sampled_trace(kernel),
        load_gpu(gpu),
        registers_per_thread=32,
        code_instructions=64,
        local_slots=frozenset(),
    )


def _code(kernel: Kernel, slots: list[Slot]) -> Code:
    block = Block(number=0)
    for site, access in enumerate(kernel.accesses):
        detail: object = MemoryAccess(
            offset_bytes=0, access_bytes=access.element_bytes, array=f"buffer{access.buffer}"
        )
        if access.op is Op.ATOMIC:
            detail = AtomicAccess(name="add", access_bytes=access.element_bytes)
        block.instructions.append(
            Instruction(
                op=access.op,
                dest=-1,
                args=(0,),
                scalar=Scalar.F32,
                site=site,
                position=Position(file="kernel.cu", line=10 + site, column=1),
                detail=detail,
            )
        )
    return Code(
        key="kernel",
        name="kernel",
        body=[block],
        register_types=[Scalar.U64],
        constants={},
        variables=set(),
        slots=slots,
        parameters=[],
        result=None,
        assumptions=[],
    )


def every_request(kernel: Kernel, access: Access) -> tuple[Array, NDArray[np.bool_]]:
    """Offsets and activity of all threads in all iterations: (iterations, warps, 32), blocks in order."""
    size = math.prod(kernel.block)
    warps = -(-size // WARP)
    lane = np.tile(np.arange(warps * WARP), math.prod(kernel.grid))
    block = np.repeat(np.arange(math.prod(kernel.grid)), warps * WARP)
    threads = threads_of(kernel, block, lane)
    offsets, active = [], []
    for iterations in itertools.product(*(range(trips) for trips in access.loops)):
        mask = lane < size
        if access.active is not None:
            mask = mask & access.active(threads, *iterations)
        offsets.append(np.broadcast_to(access.offset(threads, *iterations), lane.shape))
        active.append(mask)
    shape = (len(offsets), -1, WARP)
    return np.stack(offsets).reshape(shape), np.stack(active).reshape(shape)


def brute_footprint_bytes(
    kernel: Kernel, buffer: int, ops: tuple[Op, ...], granule: int = 32
) -> int:
    """Unique bytes (in granules) of a buffer that accesses of these kinds touch."""
    touched: set[int] = set()
    for access in kernel.accesses:
        if access.buffer != buffer or access.op not in ops:
            continue
        offsets, active = every_request(kernel, access)
        used = offsets[active]
        for byte in {0, *range(0, access.element_bytes, granule), access.element_bytes - 1}:
            touched.update(np.unique((used + byte) // granule).tolist())
    return granule * len(touched)


def brute_sectors(kernel: Kernel, access: Access) -> tuple[int, int]:
    """Warp requests and their sectors, over all threads and iterations."""
    offsets, active = every_request(kernel, access)
    requests = sectors = 0
    for warp, mask in zip(offsets.reshape(-1, WARP), active.reshape(-1, WARP), strict=True):
        used = warp[mask]
        if not len(used):
            continue
        requests += 1
        sectors += len(set(used // 32) | set((used + access.element_bytes - 1) // 32))
    return requests, sectors


class LeastRecentlyUsed:
    """A cache of so many sectors."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._held: collections.OrderedDict[tuple[int, int], None] = collections.OrderedDict()

    def misses(self, key: tuple[int, int]) -> bool:
        """Touch a sector; whether it had to be fetched."""
        if key in self._held:
            self._held.move_to_end(key)
            return False
        self._held[key] = None
        if len(self._held) > self._capacity:
            self._held.popitem(last=False)
        return True


def lru_misses(kernel: Kernel, capacity_bytes: int, resident_blocks: int, granule: int = 32) -> int:
    """Read misses of one cache for the whole GPU: waves of blocks in lockstep, least recently used."""
    blocks = math.prod(kernel.grid)
    size = -(-math.prod(kernel.block) // WARP) * WARP
    cache = LeastRecentlyUsed(capacity_bytes // granule)
    misses = 0
    for start in range(0, blocks, resident_blocks):
        numbers = np.arange(start, min(start + resident_blocks, blocks))
        block = np.repeat(numbers, size)
        lane = np.tile(np.arange(size), len(numbers))
        threads = threads_of(kernel, block, lane)
        schedule = sorted(
            (iterations, index)
            for index, access in enumerate(kernel.accesses)
            for iterations in itertools.product(*(range(trips) for trips in access.loops))
        )
        for iterations, index in schedule:
            access = kernel.accesses[index]
            mask = lane < math.prod(kernel.block)
            if access.active is not None:
                mask = mask & access.active(threads, *iterations)
            offsets = np.broadcast_to(access.offset(threads, *iterations), lane.shape)[mask]
            for sector in dict.fromkeys((offsets // granule).tolist()):
                is_miss = cache.misses((access.buffer, sector))
                misses += is_miss and access.op is Op.LOAD
    return misses


def lru_misses_adrift(
    kernel: Kernel, capacity_bytes: int, resident_blocks: int, granule: int = 32
) -> int:
    """The same where a block starts whenever one ends, so that those that run are spread evenly over their run."""
    size = math.prod(kernel.block)
    cache = LeastRecentlyUsed(capacity_bytes // granule)
    steps = sorted(
        (iterations, index)
        for index, access in enumerate(kernel.accesses)
        for iterations in itertools.product(*(range(trips) for trips in access.loops))
    )
    blocks = math.prod(kernel.grid)
    schedule = sorted(
        (block * len(steps) / resident_blocks + place, block, place)
        for block in range(blocks)
        for place in range(len(steps))
    )
    lane = np.arange(size)
    misses = 0
    for _, block, place in schedule:
        iterations, index = steps[place]
        access = kernel.accesses[index]
        threads = threads_of(kernel, np.full(size, block), lane)
        offsets = np.broadcast_to(access.offset(threads, *iterations), lane.shape)
        for sector in np.unique(offsets // granule).tolist():
            is_miss = cache.misses((access.buffer, sector))
            misses += is_miss and access.op is Op.LOAD
    return misses


def with_block_source(trace: LaunchTrace, *registers: SpecialRegister) -> LaunchTrace:
    """Let the addresses come from block coordinates, as the code says it."""
    block = trace.code.body[0]
    position = block.instructions[0].position
    for number, register in enumerate(registers):
        source = Instruction(
            op=Op.SPECIAL,
            dest=0,
            args=(),
            scalar=Scalar.U32,
            site=900 + number,
            position=position,
            detail=register,
        )
        block.instructions.insert(0, source)
    return trace
