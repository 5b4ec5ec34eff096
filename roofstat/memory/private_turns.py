"""How often threads come back to places of their private arrays, and what they touch in between.

A thread walks over its arrays in nests of loops. A loop whose iterations go over the same places again brings each of them
back after what one iteration touches of all arrays; where the copies of that of all threads that share a cache fit into it,
the place is found there.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware.units import SECTOR_BYTES
from roofstat.memory.records import Direction
from roofstat.memory.slopes import loop_slope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from roofstat.memory.sites import AccessSite

WORD_BYTES = 4
"""Of the words by which the copies of a warp's threads are interleaved."""
_FEW_TIMES = 4
"""So many elements for each access are hardly more."""
_BY_DATA = 0.5
"""Share of the executions that go by data from which on no place is nearer than another."""


_Key = tuple[int, Direction, tuple[int, ...], int, tuple[int, ...] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """Accesses of one direction that walk over one array alike."""

    array: int
    direction: Direction
    loops: tuple[int, ...]
    """Numbers, outermost first."""
    trips: tuple[float, ...]
    strides: tuple[int, ...] | None
    """Bytes for each iteration; None where they differ."""
    by_data: bool
    """Whether any place is as likely to be next as any other."""
    origins: tuple[int, ...]
    """Rising offsets in the array at which the accesses begin."""
    element_bytes: int
    seen: tuple[int, int]
    """Range of offsets of the samples."""
    size_bytes: float
    """Of the array."""
    in_code_bytes: int
    """Of the accesses in the code, each counted once."""
    accesses: float
    """Of one thread."""
    widening: float
    """Bytes of the sectors that a warp asks for, over those that its active lanes use."""

    def run_bytes(self, depth: int) -> float:
        """Distinct bytes that a thread touches while the loops from `depth` on run once."""
        if self.strides is None:
            drawn = self.element_bytes * math.prod(self.trips[depth:])
            return min(drawn, self.seen[1] - self.seen[0])
        inner = zip(self.strides[depth:], self.trips[depth:], strict=True)
        steps = [(abs(stride), trips) for stride, trips in inner if stride]
        reach = self.element_bytes + sum(stride * (trips - 1.0) for stride, trips in steps)
        places = self.element_bytes * math.prod(trips for _, trips in steps)
        apart = sum(min(one - other, reach) for other, one in itertools.pairwise(self.origins))
        return min(apart + reach, places * len(self.origins), self.size_bytes)

    def ranges(self) -> Iterator[tuple[float, float]]:
        """Offsets between which a thread touches the array, as far as it has any."""
        if len(self.origins) == 1:
            yield self.seen
        if self.strides is None:
            return
        steps = [
            stride * (trips - 1.0) for stride, trips in zip(self.strides, self.trips, strict=True)
        ]
        for origin in self.origins:
            low = origin + sum(min(step, 0.0) for step in steps)
            high = origin + self.element_bytes + sum(max(step, 0.0) for step in steps)
            yield max(low, 0.0), min(high, self.size_bytes)

    def bytes_by_depth(self) -> list[float]:
        """Bytes that a thread touches where each run of the loops from a depth on touches its places once; all accesses last."""
        found = [self.element_bytes * self.accesses]
        for depth in reversed(range(len(self.loops))):
            runs = math.prod(self.trips[:depth])
            found.append(min(runs * self.run_bytes(depth), found[-1]))
        return found[::-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """Accesses of a thread that come back to a place."""

    touched_bytes: float
    """By all of them."""
    between_bytes: float
    """Distinct ones that the thread touches until it comes back."""
    times: float
    """How often it comes back while it runs."""
    by_data: bool
    """Whether any place is as likely to be next as any other."""
    is_read: bool
    """Whether the thread loads from the array as well before it comes back."""


class Turns:
    """All walks of a thread over its private arrays."""

    def __init__(self, walks: Sequence[Walk]) -> None:
        self._walks = walks
        self.arrays = {
            number: _joined_bytes([walk for walk in walks if walk.array == number])
            for number in {walk.array: None for walk in walks}
        }
        """Bytes of a thread's copies that any access comes to, by array."""
        self._in_iteration: dict[tuple[int, ...], float] = {}
        self._in_code: dict[int, int] = {}
        for walk in walks:
            self._in_code[walk.array] = self._in_code.get(walk.array, 0) + walk.in_code_bytes
        self._read = {
            (walk.array, walk.loops[:depth])
            for walk in walks
            if walk.direction is Direction.READ
            for depth in range(len(walk.loops) + 1)
        }

    def first_loads(self, between_bytes: float) -> Return:
        """First loads of places that the thread has stored to earlier.

        Args:
            between_bytes: What it has touched in the meantime.
        """
        return Return(
            touched_bytes=self.first_bytes(Direction.READ),
            between_bytes=between_bytes,
            times=1.0,
            by_data=False,
            is_read=True,
        )

    def first_bytes(self, direction: Direction) -> float:
        """Bytes of all places that a thread's accesses come to."""
        touched: dict[int, dict[object, float]] = {}
        for walk in self._walks:
            if walk.direction is direction:
                touched.setdefault(walk.array, {})[walk.loops, walk.strides] = walk.run_bytes(0)
        return self._joined(touched)

    def returns(self, direction: Direction) -> Iterator[Return]:
        """Where accesses of one direction come back to places that they have been to."""
        for walk in self._walks:
            if walk.direction is not direction:
                continue
            touched = walk.bytes_by_depth()
            # An array of hardly more elements than accesses in the code (the ring of a generator) is gone over whole.
            few = self.arrays[walk.array] <= _FEW_TIMES * self._in_code[walk.array]
            if walk.by_data and not few:
                yield Return(
                    touched_bytes=walk.widening * (touched[-1] - touched[0]),
                    between_bytes=sum(self.arrays.values()),
                    times=max(touched[-1] / self.arrays[walk.array], 1.0),
                    by_data=True,
                    is_read=(walk.array, ()) in self._read,
                )
                continue
            for depth, (outer, inner) in enumerate(itertools.pairwise(touched)):
                path = walk.loops[: depth + 1]
                if inner > outer:
                    yield Return(
                        touched_bytes=walk.widening * (inner - outer),
                        between_bytes=self.iteration_bytes(path),
                        times=math.prod(walk.trips[: depth + 1]),
                        by_data=False,
                        is_read=(walk.array, path) in self._read,
                    )

    def iteration_bytes(self, path: tuple[int, ...]) -> float:
        """Bytes that a thread touches of all arrays in one iteration of a loop."""
        if path not in self._in_iteration:
            self._in_iteration[path] = self._iteration_bytes(path)
        return self._in_iteration[path]

    def _iteration_bytes(self, path: tuple[int, ...]) -> float:
        touched: dict[int, dict[object, float]] = {}
        for walk in self._walks:
            if walk.loops[: len(path)] == path:
                alike = touched.setdefault(walk.array, {})
                key = (walk.loops, walk.strides)
                alike[key] = max(alike.get(key, 0.0), walk.run_bytes(len(path)))
        return self._joined(touched)

    def _joined(self, touched: dict[int, dict[object, float]]) -> float:
        """Bytes of walks that touch different places, by array, but no more than there are."""
        return sum(min(sum(alike.values()), self.arrays[array]) for array, alike in touched.items())


def _joined_bytes(walks: list[Walk]) -> float:
    total, end = 0.0, 0.0
    for low, high in sorted(itertools.chain.from_iterable(walk.ranges() for walk in walks)):
        total += max(high - max(low, end), 0.0)
        end = max(end, high)
    return min(total, walks[0].size_bytes)


def find_walks(
    sites: Sequence[tuple[AccessSite, float]],
    array: Callable[[AccessSite], int],
    threads: float,
) -> list[Walk]:
    """Walks of a launch's threads, accesses that go together as one.

    Args:
        sites: Accesses to private arrays, with their sectors for each request.
        array: Number of the array of an access.
        threads: Of the launch.
    """
    alike: dict[_Key, list[tuple[AccessSite, float]]] = {}
    for site, per_request in sites:
        key = (array(site), site.direction, site.loops, site.element_bytes, _strides(site))
        alike.setdefault(key, []).append((site, per_request))
    return [_walk(group, key[0], key[-1], threads) for key, group in alike.items()]


def _walk(
    sites: Sequence[tuple[AccessSite, float]],
    array: int,
    strides: tuple[int, ...] | None,
    threads: float,
) -> Walk:
    executions: dict[int, float] = {}
    seen: list[int] = []
    for site, _ in sites:
        origin = _origin(site, strides) if strides is not None else 0
        executions[origin] = max(executions.get(origin, 0.0), site.threads)
        used = site.address[site.active] - _base(site)
        seen += [int(used.min()), int(used.max()) + site.element_bytes]
    first = sites[0][0]
    size = first.buffer.size_bytes if first.buffer is not None else None
    touched = sum(site.threads for site, _ in sites) * first.element_bytes
    asked = SECTOR_BYTES * sum(site.warps * per_request for site, per_request in sites)
    if first.direction is Direction.WRITE:
        # Compilers store the elements of one word at once.
        words = {origin // WORD_BYTES for origin in executions}
        asked *= len(words) / len(executions)
    return Walk(
        array=array,
        direction=first.direction,
        loops=first.loops,
        trips=tuple(max(trips, 1.0) for trips in first.mean_trips),
        strides=strides,
        by_data=_goes_by_data(first),
        origins=tuple(sorted(executions)),
        element_bytes=first.element_bytes,
        seen=(min(seen), max(seen)),
        size_bytes=float(size) if size else math.inf,
        in_code_bytes=len(sites) * first.element_bytes,
        accesses=sum(executions.values()) / threads,
        widening=max(asked / touched, 1.0),
    )


def _base(site: AccessSite) -> int:
    return site.buffer.base if site.buffer is not None else 0


def _goes_by_data(site: AccessSite) -> bool:
    return site.guess_share + site.even_share > _BY_DATA


def _strides(site: AccessSite) -> tuple[int, ...] | None:
    if _goes_by_data(site):
        return None
    found = []
    for depth in range(len(site.loops)):
        slope = loop_slope(depth, site.address, site.active, site.iterations)
        if slope is None:
            return None
        found.append(slope.stride)
    return tuple(found)


def _origin(site: AccessSite, strides: tuple[int, ...]) -> int:
    """Offset in the array where the walk begins."""
    event, lane = np.argwhere(site.active)[0]
    iterations = site.iterations[:, event, min(lane, site.iterations.shape[2] - 1)]
    walked = sum(int(at) * stride for at, stride in zip(iterations, strides, strict=True))
    return int(site.address[event, lane]) - _base(site) - walked
