"""Sectors, bank conflicts and strides of sampled warp requests: exact for the lanes that were sampled."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware.units import SECTOR_BYTES, WARP_SIZE
from roofstat.memory.records import Direction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.memory.sites import AccessSite

_BANKS = 32
_BANK_BYTES = 4
_INACTIVE = -1
_PHASE_EVENTS = 4
"""Executions looked at where all alignments are tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """Warp requests of one site."""

    sectors_per_request: float
    requests: float
    """Warp-level executions in the launch."""

    @property
    def sectors(self) -> float:
        """Sectors requested in the launch."""
        return self.sectors_per_request * self.requests


@dataclass(frozen=True, slots=True, kw_only=True)
class BankUse:
    """Shared-memory passes of one site."""

    wavefronts_per_request: float
    conflicts_per_request: float
    fewest_per_request: float
    """Passes if the parts of a warp that are served apart were served together: what any hardware needs for the banks."""


def count_requests(site: AccessSite, phase_bytes: int = SECTOR_BYTES) -> Requests:
    """Return the mean number of sectors that a warp request of this site touches.

    Args:
        site: The samples.
        phase_bytes: Unit of the alignment of warps within a sector, over the whole launch. Where it is below a sector
            (rows of 2,000 bytes), few sampled warps do not show all alignments: take the mean over them.
    """
    address = in_step(site)
    if phase_bytes >= SECTOR_BYTES:
        return Requests(
            sectors_per_request=_mean_sectors(address, site, slice(None)), requests=site.warps
        )
    few = slice(None, None, -(-len(site.address) // _PHASE_EVENTS))
    shifts = range(0, SECTOR_BYTES, phase_bytes)
    total = sum(_mean_sectors(address + shift, site, few) for shift in shifts)
    return Requests(sectors_per_request=total / len(shifts), requests=site.warps)


def in_step(site: AccessSite) -> NDArray[np.int64]:
    """Return the addresses with all lanes of a warp at the same iterations.

    Of loops with a trip count for each lane, each lane is sampled at its own share of them; a warp runs them in step. Where
    an iteration moves the addresses of all lanes by the same distance, they are moved to the iteration of the lane that
    stands for most.
    """
    if not site.loops or site.iterations.shape[2] == 1:
        return site.address
    by_warp = (len(site.address), -1, WARP_SIZE)
    leader = site.weight.reshape(by_warp).argmax(axis=2)[:, :, None]
    moved = rest = site.address
    for depth in reversed(range(len(site.loops))):
        iteration = site.iterations[depth]
        stride = _iteration_stride(site, rest, depth)
        if stride:
            # What outer loops add is left.
            rest = rest - stride * iteration
            each = iteration.reshape(by_warp)
            ahead = np.take_along_axis(each, leader, axis=2) - each
            moved = moved + stride * ahead.reshape(moved.shape)
    return moved


def _iteration_stride(site: AccessSite, address: NDArray[np.int64], depth: int) -> int:
    """Bytes by which an iteration of a loop moves every address; 0 where it is not the same for all."""
    steps, moved = np.diff(site.iterations[depth], axis=0), np.diff(address, axis=0)
    told = site.active[1:] & site.active[:-1] & (steps != 0)
    told &= (np.diff(site.iterations[:depth], axis=1) == 0).all(axis=0)
    if not told.any():
        return 0
    stride = int(moved[told][0]) // int(steps[told][0])
    return stride if bool((moved[told] == stride * steps[told]).all()) else 0


def warp_sectors(
    address: NDArray[np.int64], active: NDArray[np.bool_], element_bytes: int
) -> NDArray[np.int64]:
    """Return the number of distinct sectors for each execution and warp.

    Args:
        address: (E, L) first bytes.
        active: (E, L).
        element_bytes: Bytes that each lane touches.

    Returns:
        (E, L / 32) counts, 0 where no lane is active.
    """
    return count_distinct(lane_sectors(address, active, element_bytes))


def count_distinct_granules(site: AccessSite, granule: int) -> NDArray[np.int64]:
    """Return the granules that hold the first bytes of each execution and warp, (E, L / 32)."""
    first = np.where(site.active, in_step(site) // granule, _INACTIVE)
    return count_distinct(first.reshape(first.shape[0], -1, WARP_SIZE))


def lane_sectors(
    address: NDArray[np.int64], active: NDArray[np.bool_], element_bytes: int
) -> NDArray[np.int64]:
    """Return the sectors that lanes touch, (E, L / 32, 32 * k), with -1 for none."""
    shape = (address.shape[0], -1, WARP_SIZE)
    first = np.where(active, address // SECTOR_BYTES, _INACTIVE).reshape(shape)
    last = np.where(active, (address + (element_bytes - 1)) // SECTOR_BYTES, _INACTIVE)
    last = last.reshape(shape)
    if element_bytes <= SECTOR_BYTES:
        if np.array_equal(first, last):
            return first
        return np.concatenate([first, last], axis=2)
    # A large record: every sector in between; further ones than the last stand for the last again.
    steps = (element_bytes - 1) // SECTOR_BYTES + 1
    return np.concatenate([np.minimum(first + k, last) for k in range(steps + 1)], axis=2)


def count_distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of distinct non-negative values along the last axis."""
    busy = (values >= 0).any(axis=-1)
    if busy.all():
        return _count_distinct(values)
    # Of many buffers each is reached by a few warps.
    found = np.zeros(busy.shape, np.int64)
    found[busy] = _count_distinct(values[busy])
    return found


def _count_distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    ordered = np.sort(values, axis=-1)
    fresh = (ordered[..., 1:] != ordered[..., :-1]) & (ordered[..., 1:] >= 0)
    result: NDArray[np.int64] = fresh.sum(axis=-1) + (ordered[..., 0] >= 0)
    return result


def _mean_sectors(address: NDArray[np.int64], site: AccessSite, executions: slice) -> float:
    """Mean number of sectors of a request.

    Executions of few lanes ask for fewer sectors where lanes are apart, for as many where they share them: from the sectors
    for each thread or for each request, whichever differs less between the executions that were seen.
    """
    asked = _asked_sectors(address[executions], site, executions)
    threads, requests = (
        site.weight[executions].sum(axis=1),
        site.warp_weight[executions].sum(axis=1),
    )
    if threads.sum() <= 0.0 or site.warps <= 0.0:
        return 0.0
    by_thread, by_request = asked.sum() / threads.sum(), asked.sum() / requests.sum()
    off_by_thread = np.abs(asked - by_thread * threads).sum()
    if off_by_thread < np.abs(asked - by_request * requests).sum():
        return float(by_thread) * site.threads / site.warps
    return float(by_request)


def _asked_sectors(
    address: NDArray[np.int64], site: AccessSite, executions: slice
) -> NDArray[np.float64]:
    """Sectors that each execution asks for in the launch, (E,).

    Where lanes of a warp stand for unlike numbers of executions, those with fewer leave the loop earlier: a sector is
    asked for as often as the lane that stays longest asks for it.
    """
    sectors = lane_sectors(address, site.active[executions], site.element_bytes)
    requests = site.warp_weight[executions]
    weight = site.weight[executions].reshape(len(requests), -1, WARP_SIZE)
    if bool(((weight == requests[:, :, None]) | (weight == 0.0)).all()):
        return np.asarray((requests * count_distinct(sectors)).sum(axis=1))
    weight = np.tile(weight, sectors.shape[2] // WARP_SIZE)
    order = np.lexsort((weight, sectors), axis=2)
    ordered = np.take_along_axis(sectors, order, axis=2)
    is_last = np.ones(ordered.shape, dtype=np.bool_)
    is_last[..., :-1] = ordered[..., 1:] != ordered[..., :-1]
    lanes = np.take_along_axis(weight, order, axis=2)
    return np.asarray((lanes * (is_last & (ordered >= 0))).sum(axis=(1, 2)))


def _weighted(per_warp: NDArray[np.int64], weights: NDArray[np.float64]) -> float:
    total = float(weights.sum())
    return float((weights * per_warp).sum()) / total if total > 0.0 else 0.0


def count_bank_use(site: AccessSite) -> BankUse:
    """Return the passes that shared memory needs for a request: 32 banks of 4 bytes, broadcasts free.

    A pass returns 128 bytes: 8-byte accesses are served in half warps and 16-byte ones in quarters. Two such parts are
    served together where the lanes share their addresses in pairs. Loads of neighbours in an unrolled loop are one
    wide load for the compiler.
    """
    together, first = _merged_loads(site)
    words = max(1, min(site.element_bytes * together, 16) // _BANK_BYTES)
    address, active, weight = in_step(site)[first], site.active[first], site.warp_weight[first]
    word = (address // _BANK_BYTES)[:, :, None] + np.arange(words)
    spread = word.reshape(len(address), -1, WARP_SIZE * words)
    used = np.repeat(active, words, axis=1).reshape(spread.shape)
    wavefronts, ideal = _served(spread, used, words)
    if words > 1 and site.direction is Direction.READ:
        joined, needed = _served(spread, used, words // 2)
        paired = _share_in_pairs(address, active)
        wavefronts, ideal = np.where(paired, joined, wavefronts), np.where(paired, needed, ideal)
    # Where a warp is served as a whole anyway, these are the passes that it needs.
    fewest = wavefronts if words == 1 else _passes(spread, used)
    found, least, bound = (
        _weighted(count, weight) / together for count in (wavefronts, ideal, fewest)
    )
    return BankUse(
        wavefronts_per_request=found, conflicts_per_request=found - least, fewest_per_request=bound
    )


def _served(
    word: NDArray[np.int64], used: NDArray[np.bool_], parts: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Passes of each warp whose parts are served apart, and those without conflicts."""
    executions, warps, words = word.shape
    apart = (executions, warps * parts, words // parts)
    passes, needed = (
        _passes(word.reshape(apart), used.reshape(apart)),
        used.reshape(apart).any(axis=2),
    )
    by_warp = (executions, warps, parts)
    return passes.reshape(by_warp).sum(axis=2), needed.reshape(by_warp).sum(axis=2)


def _share_in_pairs(address: NDArray[np.int64], active: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether the active lanes 0 and 1, 2 and 3, ... or 0 and 2, 1 and 3, ... of a warp read the same.

    By an engineer of NVIDIA, forums.developer.nvidia.com/t/77228 (for 7.0 to 7.5, and not withdrawn since).
    """
    shape = (len(address), -1, WARP_SIZE)
    where, on = address.reshape(shape), active.reshape(shape)
    found = np.zeros(where.shape[:2], dtype=np.bool_)
    for distance in (1, 2):
        other = np.arange(WARP_SIZE) ^ distance
        same = (where == where[..., other]) | ~(on & on[..., other])
        found |= same.all(axis=2)
    return found


_WIDEST_BYTES = 16
_LONGEST_UNROLLED = 32


def _merged_loads(site: AccessSite) -> tuple[int, NDArray[np.bool_]]:
    """How many iterations of the innermost loop load side by side, and the executions that begin such a run.

    They do in a short loop whose trip count is the same for all, which is unrolled, where addresses advance by an
    element with each iteration and every run begins at an address that is aligned for it. Loops inside it in which the
    loads of the first iteration are the only ones do not count.
    """
    everything = np.ones(len(site.address), dtype=np.bool_)
    depth, steps = _innermost_steps(site)
    if depth is None or site.direction is not Direction.READ or site.is_volatile:
        return 1, everything
    trips = round(site.trips[depth])
    iteration = site.iterations[depth][:, 0]
    both = site.active[1:] & site.active[:-1] & steps[:, None]
    advance = np.diff(site.address, axis=0)
    if not bool((advance == site.element_bytes)[both].all()):
        return 1, everything
    together = _WIDEST_BYTES // site.element_bytes
    while together > 1:
        first = iteration % together == 0
        begins = site.address[first][site.active[first]]
        width = together * site.element_bytes
        if trips % together == 0 and len(begins) and not bool((begins % width).any()):
            return together, first
        together //= 2
    return 1, everything


def _innermost_steps(site: AccessSite) -> tuple[int | None, NDArray[np.bool_]]:
    """Depth of the innermost loop of which two iterations load one after the other, if it is short, and where they do."""
    moved = np.diff(site.iterations[:, :, 0], axis=1)
    seen = (site.active[1:] & site.active[:-1]).any(axis=1)
    for depth in reversed(range(len(site.loops))):
        if not _is_short(site, depth):
            break
        # Where another loop moves, too, a run ended between them.
        steps = seen & (moved[depth] == 1) & (np.delete(moved, depth, axis=0) == 0).all(axis=0)
        if steps.any():
            return depth, steps
    return None, np.zeros(0, dtype=np.bool_)


def _is_short(site: AccessSite, depth: int) -> bool:
    trips = round(site.trips[depth])
    is_same = all(math.isclose(each[depth], trips) for each in (site.trips, site.mean_trips))
    return is_same and 2 <= trips <= _LONGEST_UNROLLED


def _passes(word: NDArray[np.int64], used: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Largest number of distinct words in one bank, for each group of lanes (last axis)."""
    ordered = np.sort(np.where(used, word, _INACTIVE), axis=2)
    fresh = ordered >= 0
    fresh[:, :, 1:] &= ordered[:, :, 1:] != ordered[:, :, :-1]
    groups = ordered.shape[0] * ordered.shape[1]
    bank = (ordered % _BANKS).reshape(groups, -1) + np.arange(groups)[:, None] * _BANKS
    counts = np.bincount(bank[fresh.reshape(groups, -1)], minlength=groups * _BANKS)
    result: NDArray[np.int64] = counts.reshape(*ordered.shape[:2], _BANKS).max(axis=2)
    return result


def lane_stride_bytes(site: AccessSite) -> int | None:
    """Return the most common distance between the addresses of adjacent lanes; None without a majority."""
    shape = (site.address.shape[0], -1, WARP_SIZE)
    address = site.address.reshape(shape)
    active = site.active.reshape(shape)
    both = active[:, :, 1:] & active[:, :, :-1]
    steps = (address[:, :, 1:] - address[:, :, :-1])[both]
    if not len(steps):
        return None
    middle = int(np.partition(steps, len(steps) // 2)[len(steps) // 2])
    return middle if float((steps == middle).mean()) > 0.5 else None
