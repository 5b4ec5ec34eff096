"""Which threads of a launch are run: whole warps of whole-block neighbourhoods, with exact stratum weights."""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.trace import Lanes
from roofstat.hardware.units import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofstat.execution.sampling.block_edges import Edges

EXACT_WARPS = 48
"""Launches of at most this many warps are run whole."""
GROWTH = 4
"""Factor from one stratum of blocks to the next."""
_ASIDE = 101
"""Positions by which samples of an axis lie beside its thirds where these are multiples of powers of two: a prime."""
_RESONANT = 3 * 32
_EACH_BLOCK = 3
"""Blocks along an axis of which the middle one alone is interior."""
TARGET_WARPS = 40
"""Sampled warps of larger launches, about."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """A position and the number of positions that it stands for."""

    position: int
    weight: float


def axis_strata(count: int, budget: int) -> tuple[Stratum, ...]:
    """Positions along one axis, in strata that grow fourfold from the start.

    Guards such as ``if (i < n)`` on an oversized grid leave only the first blocks busy, so the start is sampled finely;
    the last block, with its tail, stands for itself. Two adjacent positions show the stride from block to block. Every
    position is the middle of what it stands for, so that work which grows with the position comes out right.
    """
    if count <= max(budget, 1):
        return tuple(Stratum(position, 1.0) for position in range(count))
    middle = count // 2
    if budget <= 1:
        return (Stratum(middle, float(count)),)
    if budget == 2:
        return (Stratum(middle, float(count - 1)), Stratum(count - 1, 1.0))
    if budget == 3:
        interior = (count - 1) / 2
        return (Stratum(middle - 1, interior), Stratum(middle, interior), Stratum(count - 1, 1.0))
    edges = [0, 1]
    while edges[-1] * GROWTH < middle and len(edges) < budget - 2:
        edges.append(edges[-1] * GROWTH)
    strata = middles(edges)
    first, rest = edges[-1], count - 1 - edges[-1]
    # The adjacent pair stands for two thirds of the rest and lies in the middle of them. Thirds and sixths of 3 * 2^n have
    # the same place in every period of a power of two: a few positions beside them have others. The mean position stays.
    aside = min(_ASIDE, rest // 32) if count % _RESONANT == 0 else 0
    pair = first + max(rest // 3, 1) + aside
    inner = sorted({pair - 1, pair, first + (5 * rest) // 6 - 2 * aside})
    strata.extend(Stratum(position, rest / len(inner)) for position in inner)
    strata.append(Stratum(count - 1, 1.0))
    return tuple(strata)


def middles(edges: Sequence[int]) -> list[Stratum]:
    """The middle position of each [low, high); those between two positions are rounded so that the errors cancel."""
    strata: list[Stratum] = []
    error = 0.0
    for low, high in sorted(pairwise(edges), key=lambda ends: ends[0] - ends[1]):
        if high <= low:
            continue
        below = (low + high - 1) // 2
        exact = (low + high - 1) / 2
        position = below + 1 if below < exact and error < 0 else below
        error += (position - exact) * (high - low)
        strata.append(Stratum(position, float(high - low)))
    return sorted(strata, key=lambda stratum: stratum.position)


def warp_strata(warps: int, budget: int) -> tuple[Stratum, ...]:
    """Warps of a block: doubling strata, since tree reductions halve the active warps; the last stands for itself."""
    if warps <= budget:
        return tuple(Stratum(position, 1.0) for position in range(warps))
    if budget <= 2:
        return (*middles([0, 1, warps - 1]), Stratum(warps - 1, 1.0))
    edges = [0, 1]
    while edges[-1] * 2 < warps - 1:
        edges.append(edges[-1] * 2)
    return (*middles([*edges, warps - 1]), Stratum(warps - 1, 1.0))


def with_alone(strata: Sequence[Stratum], asked: frozenset[int], warps: int) -> Sequence[Stratum]:
    """The same warps of a block, but some that stand for themselves; another one takes the place of those that stood for more."""
    own = {item.position: item.weight for item in strata}
    for warp in sorted(asked & frozenset(range(warps))):
        left = own.get(warp, 0.0) - 1.0
        if left == 0.0:
            continue
        others = sorted((abs(at - warp), at) for at, weight in own.items() if weight > 1.0)
        if left > 0.0:  # its neighbours are like it
            near = [at for at in (warp + 1, warp - 1) if 0 <= at < warps]
            free = [at for at in near if at not in own and at not in asked]
            heir = free[0] if free else next((at for _, at in others if at not in asked), None)
            if heir is None:
                continue
            own[heir] = own.get(heir, 0.0) + left
        elif others:
            own[others[0][1]] -= 1.0
        else:
            continue
        own[warp] = 1.0
    return tuple(Stratum(position, weight) for position, weight in sorted(own.items()))


def mirrored_warps(warps: int, axes: int) -> tuple[Stratum, ...]:
    """Warps of a block with more than one axis: four of them, mirror images, so that both halves of an axis weigh the same.

    With two axes the ends are faces and stand for themselves, the two in the middle for the rest. With three axes the
    faces of the inner ones recur: four evenly spaced warps stand for a quarter each.

    Args:
        warps: Of the block.
        axes: Axes of the block that are longer than 1.
    """
    if warps <= 4:
        return tuple(Stratum(position, 1.0) for position in range(warps))
    if axes > 2:
        first = round((warps - 1) / 3)
        return tuple(
            Stratum(position, warps / 4) for position in (0, first, warps - 1 - first, warps - 1)
        )
    inner = (warps - 2) / 2
    first = warps // 2 - 1
    second = warps - 1 - first
    middle: tuple[Stratum, ...] = (Stratum(first, inner), Stratum(second, inner))
    if first == second:
        middle = (Stratum(first, 2 * inner),)
    return (Stratum(0, 1.0), *middle, Stratum(warps - 1, 1.0))


def star_blocks(grid: tuple[int, int, int]) -> list[tuple[int, int, int, float]]:
    """Blocks of a 2D or 3D grid with the number of blocks that each stands for.

    The centre and one neighbour of it along each axis share the interior; the middle of each face stands for the face
    (boundary conditions run there, tails of guards too); the first and the last block stand for themselves.
    """
    axes = [axis for axis in range(3) if grid[axis] > 1]
    centre = [size // 2 for size in grid]
    interior_size = 1
    for axis in axes:
        interior_size *= max(grid[axis] - 2, 1)
    total = grid[0] * grid[1] * grid[2]
    interior = {tuple(centre)}
    faces: dict[tuple[int, ...], float] = {}
    for axis in axes:
        if grid[axis] > 2:
            neighbour = list(centre)
            neighbour[axis] -= 1
            if neighbour[axis] > 0:
                interior.add(tuple(neighbour))
        for end in (0, grid[axis] - 1):
            face = list(centre)
            face[axis] = end
            area = 1.0
            for other in axes:
                if other != axis:
                    area *= max(grid[other] - 2, 1)
            if tuple(face) not in interior:
                faces[tuple(face)] = faces.get(tuple(face), 0.0) + area
    corners = {tuple(0 for _ in grid), tuple(size - 1 for size in grid)} - interior - faces.keys()
    interior -= faces.keys()
    if not interior:
        interior = {tuple(centre)}
        faces.pop(tuple(centre), None)
    rest = max(total - interior_size - len(corners), 0)
    area_sum = sum(faces.values())
    blocks = [(*map(int, block), interior_size / len(interior)) for block in sorted(interior)]
    blocks += [
        (*map(int, block), rest * area / area_sum)
        for block, area in sorted(faces.items())
        if rest > 0
    ]
    blocks += [(*map(int, block), 1.0) for block in sorted(corners)]
    scale = total / sum(block[3] for block in blocks)
    return [(int(x), int(y), int(z), weight * scale) for x, y, z, weight in blocks]


def grid_blocks(grid: tuple[int, int, int]) -> list[tuple[int, int, int, float]]:
    """Blocks of a 2D or 3D grid; those along an axis of three blocks, each end of which is a third of the launch, one by one.

    The other axes are sampled as `star_blocks` does it, for each of the three.
    """
    three = [size == _EACH_BLOCK for size in grid]
    x, y, z = (1 if alone else size for alone, size in zip(three, grid, strict=True))
    inner = star_blocks((x, y, z))
    along = [range(size if alone else 1) for alone, size in zip(three, grid, strict=True)]
    return [
        (block[0] + i, block[1] + j, block[2] + k, block[3])
        for k, j, i in product(*reversed(along))
        for block in inner
    ]


def even_strata(count: int, samples: int) -> tuple[Stratum, ...]:
    """Evenly spaced positions, finer ones at the start, two adjacent ones in the middle, the ends for themselves."""
    if count <= samples + 4:
        return tuple(Stratum(position, 1.0) for position in range(count))
    inner = {1 + (count - 2) * (2 * step + 1) // (2 * samples) for step in range(samples)}
    inner |= {count // 2, count // 2 - 1}
    if samples >= FINE_START_SAMPLES:
        inner |= {GROWTH**power for power in range(16) if GROWTH**power < count // (2 * samples)}
    inner -= {0, count - 1}
    ordered = sorted(inner)
    edges = [1, *((a + b + 1) // 2 for a, b in pairwise(ordered)), count - 1]
    strata = [
        Stratum(position, float(high - low))
        for position, low, high in zip(ordered, edges[:-1], edges[1:], strict=True)
        if high > low
    ]
    return (Stratum(0, 1.0), *strata, Stratum(count - 1, 1.0))


FINE_START_SAMPLES = 20
"""From this many positions on, the start of an axis is sampled more finely still."""
_DENSE_WARPS = 4
"""Of a block, where more blocks are taken."""
DENSE_SAMPLES = {1: 46, 2: 7, 3: 4}
"""Positions along each used axis of a grid (by number of axes) when blocks turn out to behave differently.

46 of an axis are off by a tenth in the mean where every 2nd to 16th block is meant; 37, 40, 41, 43, 44 and 47 by more.
"""


def stretches(count: int, edges: Sequence[int], samples: int) -> tuple[Stratum, ...]:
    """Positions along one axis that stand for the stretches between edges; the last, with its tail, for itself.

    Args:
        count: Positions.
        edges: Positions at which stretches begin, ascending, inside the axis.
        samples: Positions of a stretch; 0 for two adjacent ones in its middle, which do where work grows evenly.
    """
    strata: list[Stratum] = []
    for low, high in pairwise(sorted({0, *edges, max(count - 1, 0), count})):
        size = high - low
        if size <= 4:
            strata += [Stratum(position, 1.0) for position in range(low, high)]
        elif samples:
            strata += [
                Stratum(low + item.position, item.weight) for item in even_strata(size, samples)
            ]
        else:
            middle = (low + high) // 2
            strata += [Stratum(middle - 1, size / 2), Stratum(middle, size / 2)]
    return tuple(strata)


def _stretch_samples(axes: int, *, dense: bool) -> int:
    if axes == 1:
        return 12 if dense else 2
    return 2 if dense and axes == 2 else 0


def _used_axes(grid: tuple[int, int, int]) -> int:
    return sum(size > 1 for size in grid)


def sample_lanes(
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    *,
    dense: bool = False,
    edges: Edges | None = None,
    whole_blocks: bool = False,
    asked: frozenset[int] = frozenset(),
    has_windows: bool = False,
) -> Lanes:
    """Choose the lanes of a launch.

    Args:
        grid: Blocks along x, y, z.
        block: Threads along x, y, z.
        dense: Take more blocks of a 1D grid, for kernels in which blocks behave differently.
        edges: Blocks along each axis that behave differently from the one before them.
        whole_blocks: Take all warps of a block, for kernels in which warps have work of their own.
        asked: Warps that have work of their own, where all others are alike.
        has_windows: Take more warps where more blocks are taken: those in the middle of a block differ from those at its ends.
    """
    threads = block[0] * block[1] * block[2]
    warps = -(-threads // WARP_SIZE)
    blocks = grid[0] * grid[1] * grid[2]
    if blocks * warps <= EXACT_WARPS:
        warp_choice: Sequence[Stratum] = tuple(Stratum(position, 1.0) for position in range(warps))
        chosen = [(x, y, z, 1.0) for z, y, x in product(*(range(size) for size in reversed(grid)))]
    else:
        warp_choice = warp_strata(warps, 4 if blocks > 4 else 8)
        if _used_axes(block) > 1:
            warp_choice = mirrored_warps(warps, _used_axes(block))
        if whole_blocks:
            warp_choice = tuple(Stratum(position, 1.0) for position in range(warps))
        if edges is not None:
            axes = tuple(
                stretches(size, places, _stretch_samples(_used_axes(grid), dense=dense))
                for size, places in zip(grid, edges, strict=True)
            )
            chosen = _product(axes)
        elif dense:
            samples = DENSE_SAMPLES[max(_used_axes(grid), 1)]
            if whole_blocks:
                samples = max(samples * _DENSE_WARPS // warps, 2)
            elif _used_axes(block) > 1:
                warp_choice = mirrored_warps(warps, _used_axes(block))
            elif has_windows:
                warp_choice = warp_strata(warps, 4)
                samples = samples * _DENSE_WARPS // max(len(warp_choice), _DENSE_WARPS)
            else:
                warp_choice = warp_strata(warps, 2)
            axes = tuple(even_strata(size, samples) for size in grid)
            chosen = _product(axes)
        elif _used_axes(grid) > 1:
            chosen = grid_blocks(grid)
        else:
            budget = max(TARGET_WARPS // len(warp_choice), 2)
            chosen = _product(tuple(axis_strata(size, budget) for size in grid))
        warp_choice = with_alone(warp_choice, asked, warps)
    return _lanes(chosen, warp_choice, block, threads)


def _product(axes: tuple[tuple[Stratum, ...], ...]) -> list[tuple[int, int, int, float]]:
    return [
        (x.position, y.position, z.position, x.weight * y.weight * z.weight)
        for z, y, x in product(axes[2], axes[1], axes[0])
    ]


def _lanes(
    chosen: list[tuple[int, int, int, float]],
    warp_choice: Sequence[Stratum],
    block: tuple[int, int, int],
    threads: int,
) -> Lanes:
    lane = np.arange(WARP_SIZE, dtype=np.int64)
    thread_parts: list[np.ndarray] = []
    warp_parts: list[np.ndarray] = []
    weight_parts: list[np.ndarray] = []
    for stratum in warp_choice:
        thread_parts.append(stratum.position * WARP_SIZE + lane)
        warp_parts.append(np.full(WARP_SIZE, stratum.position, np.int64))
        weight_parts.append(np.full(WARP_SIZE, stratum.weight))
    thread = np.concatenate(thread_parts)
    warp = np.concatenate(warp_parts)
    warp_weight = np.concatenate(weight_parts)
    count = len(chosen)
    per_block = len(thread)
    linear = np.tile(thread, count)
    exists = linear < threads
    inside = np.minimum(linear, threads - 1)
    coordinates = np.array([item[:3] for item in chosen], dtype=np.int64)
    # Where the last, partly filled warp stands for whole ones too, the others make up for what it lacks.
    warp_weight *= threads / warp_weight[thread < threads].sum()
    block_weight = np.array([item[3] for item in chosen])
    return Lanes(
        tid=(
            inside % block[0],
            (inside // block[0]) % block[1],
            inside // (block[0] * block[1]),
        ),
        bid=(
            np.repeat(coordinates[:, 0], per_block),
            np.repeat(coordinates[:, 1], per_block),
            np.repeat(coordinates[:, 2], per_block),
        ),
        exists=exists,
        weight=np.tile(warp_weight, count) * np.repeat(block_weight, per_block),
        warp_of_block=np.tile(warp, count),
        block_slot=np.repeat(np.arange(count, dtype=np.int64), per_block),
        lanes_per_block=per_block,
        is_inner_block=block_weight > 1.0,
    )


def host_lane() -> Lanes:
    """The single lane that runs host code."""
    zero = np.zeros(1, np.int64)
    return Lanes(
        tid=(zero, zero, zero),
        bid=(zero, zero, zero),
        exists=np.ones(1, np.bool_),
        weight=np.ones(1),
        warp_of_block=zero,
        block_slot=zero,
    )
