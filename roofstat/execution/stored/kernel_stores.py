"""What a kernel stores: its own later loads read it back, and what it leaves behind is known to later launches.

Only sampled lanes are run, so most of an array is never seen. What lanes store tells how the values are distributed,
and a load of the very addresses that were stored last gets the values themselves.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.numbers.integer_ranges import type_range
from roofstat.execution.numbers.keys import at_place, new_key
from roofstat.execution.numbers.unknowns import drawn
from roofstat.execution.numbers.values import Mixed, Unknown, Value, splitmix
from roofstat.execution.stored.distinct import distinct
from roofstat.execution.stored.fill import Fill, Pattern
from roofstat.execution.stored.lane_memory import LARGEST_BYTES, LaneMemory
from roofstat.program.code import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clang_queries.ir.types import Scalar
    from roofstat.execution.mask import Mask
    from roofstat.execution.stored.address_space import MemoryObject
    from roofstat.execution.stored.contents import Contents

STATE = "kernel stores"
"""Key in the state of a written allocation."""
_WRITTEN = "written by a kernel"
"""Key in the state of an allocation that a kernel has written most of at some time."""
_GUESSED = "counted where guesses lead"
"""Key in the state of an allocation."""
_PICKS = 512
"""Values that the first execution of a store adds to the sample; later ones add fewer."""
_PARTS = 16
"""Executions of one store that the sample remembers; later ones replace earlier ones."""
_MOST_EVENTS = 12
"""Last stores whose addresses are remembered."""
_COVERED = 0.9
_EDGE = 0.02
"""A buffer counts as written whole where stores sum to 90 % of its elements and reach within 2 % of both ends."""
_WIDE_EDGE = 0.15
"""The same where all elements seem to be stored once: of blocks in several rows those at the ends are not in the sample."""
_LITTLE = 0.02
"""What was in a buffer stays known where a launch has written no more than this part of it."""
_MOST_KINDS = 64
"""Flags, labels and levels have no more values; contents keep no more of scattered elements either (`MAX_VALUES`)."""
_CHANGES = 2
"""From one execution of a store to the next, that tell whether values go on changing in one direction."""
_SURE = 3.0
"""Standard errors by which values change that do not differ by chance."""
_WIDEST_RECORD = 64
"""Stores whose addresses lie no more bytes apart may be one member of an array of records."""

_INDEX_BYTES = 4
"""Narrower whole numbers are no numbers of elements."""
_FEWEST_NEAR = 4096
_NEAR_SHARE = 1 / 64
"""Numbers are near their own places in arrays of at least so many elements, within this part of them."""

Place = tuple[int, int]
"""(distance in bytes between the elements, offset of the first)."""


@dataclass(slots=True, eq=False)
class StoreEvent:
    """One execution of a store."""

    number: int
    offset: int | NDArray[np.int64]
    active: NDArray[np.bool_]
    value: Value
    scalar: Scalar
    _span: tuple[int, int] | None = None

    @property
    def span(self) -> tuple[int, int]:
        """The least and the greatest offset, found once."""
        if self._span is None:
            self._span = _span(self.offset, self.active)
        return self._span

    def stores_between(self, low: int, high: int) -> None:
        """State the least and the greatest offset, where they are known already."""
        self._span = low, high


@dataclass(slots=True, eq=False)
class _Site:
    """What one store instruction has stored."""

    place: Place
    parts: list[NDArray[np.float64]] = field(default_factory=list)
    executions: int = 0
    latest: list[NDArray[np.float64]] = field(default_factory=list)
    """What the last three executions stored."""
    last: int = 0
    """Number of the last execution among all stores of the run."""
    is_unknown: bool = False
    """Whether nobody knows what some execution has stored."""
    elements: float = 0.0
    origin: float = 0.0
    slope: float | None = 0.0
    """Value at offset 0 and its change by byte, while all values lie on one line; None once they do not."""
    distances: list[NDArray[np.float64]] | None = field(default_factory=list)
    """How far whole numbers lie from those of their own elements; None once that is not known."""
    low: int = 1 << 62
    high: int = 0
    """Between which offsets it has stored."""
    ways: set[int] = field(default_factory=set)
    """Which way each execution went on behind all places of those before: 1 up, -1 down, 0 among them."""

    def move(self, low: int, high: int) -> None:
        """An execution stores between two offsets."""
        if self.high:
            self.ways.add(1 if low >= self.high else -1 if high <= self.low else 0)
        self.low, self.high = min(self.low, low), max(self.high, high)

    @property
    def span(self) -> tuple[int, int]:
        """Between which offsets it has stored, iterations of a loop that others stood for included."""
        length = int(self.elements * self.place[0])
        if self.ways == {1}:
            return self.low, max(self.high, self.low + length)
        if self.ways == {-1}:
            return min(self.low, self.high - length), self.high
        return self.low, self.high

    def compare_places(
        self, numbers: NDArray[np.float64], places: NDArray[np.int64], size: int
    ) -> None:
        """See how far the values lie from the numbers of the elements that hold them."""
        if self.distances is None or len(numbers) != len(places):
            self.distances = None
            return
        found = numbers - places / size
        if len(self.distances) < _PARTS:
            self.distances.append(found[_picks(None, len(found), _PICKS // _PARTS)])
        self.reach = (min(self.reach[0], found.min()), max(self.reach[1], found.max()))

    reach: tuple[float, float] = (math.inf, -math.inf)
    """Between which numbers these distances lie."""

    def add(self, numbers: NDArray[np.float64], line: tuple[float, float] | None) -> None:
        """Take values into the sample."""
        if len(self.parts) < _PARTS:
            self.parts.append(numbers)
        else:
            self.parts[self.executions % _PARTS] = numbers
        if self.executions == 0 and line is not None:
            self.origin, self.slope = line
        elif line is None or not _is_same_line(line, (self.origin, self.slope)):
            self.slope = None
        self.executions += 1

    @property
    def is_drifting(self) -> bool:
        """Whether the values go on changing in one direction, as those of counters and sums do, and not with their places."""
        if len(self.latest) <= _CHANGES or self.slope:
            return False
        (first, error), (second, other) = itertools.starmap(
            _change, itertools.pairwise(self.latest)
        )
        if abs(first) <= _SURE * error or abs(second) <= _SURE * other:
            return False  # as random numbers differ
        return first * second > 0 and 0.5 <= second / first <= 2.0


@dataclass(slots=True, eq=False)
class KernelStores:
    """Stores of one run of a kernel to one allocation."""

    run: int
    """Identity of the run: a second sample of the same launch starts anew."""
    sites: dict[tuple[int, Scalar], _Site] = field(default_factory=dict)
    events: list[StoreEvent] = field(default_factory=list)
    are_places_lost: bool = False
    """Whether something was stored where nobody knows, or what was stored is out of date."""
    is_cleared: bool = False
    """Whether everything was zero at first."""
    counts: dict[int, tuple[Scalar, float]] = field(default_factory=dict)
    """Counters in the allocation by offset, with what they have come to."""
    are_counts_lost: bool = False
    tallies: dict[Scalar, tuple[float, float]] = field(default_factory=dict)
    """How often atomics count at places all over the allocation, and by how much in all."""
    scattered: dict[tuple[int, Scalar], _Site] = field(default_factory=dict)
    """What is stored at places that nobody knows."""
    are_values_lost: bool = False
    """Whether something that nobody knows was stored."""
    are_events_lost: bool = False
    """Whether some store is not among those whose addresses are remembered."""
    rising: float = 0.0
    """Elements that got running sums."""
    rise: list[tuple[int, float]] = field(default_factory=list)
    """(place, sum) of the first and of the last of those that a single thread has stored."""
    is_guess: bool = False
    """Whether guesses decided how often something was counted."""
    mean_addend: float | None = None
    """What is summed up in running sums over a whole array, in the mean."""
    only: int | float | None = None
    """The number that all stores so far have stored; None where they differ."""
    lanes: LaneMemory | None = None
    """What every lane has in an array of its own."""

    @property
    def is_unknown(self) -> bool:
        """Whether an element may hold what nobody knows."""
        return self.are_places_lost or any(site.is_unknown for site in self.sites.values())

    def copy(self) -> KernelStores:
        """The same for a copy of the allocation; single elements of lanes are not followed there."""
        return replace(self, sites=dict(self.sites), events=list(self.events), lanes=None)

    def count(self, offset: int, scalar: Scalar, total: float) -> None:
        """An atomic counts at one place, which has come to a total."""
        self.counts[offset] = (scalar, total)

    def tally(
        self, scalar: Scalar, times: float, total: float, *, is_guess: bool = False
    ) -> tuple[float, float]:
        """Atomics count at places all over the allocation, perhaps where guesses lead; how often so far, and by how much."""
        self.is_guess |= is_guess
        before = self.tallies.get(scalar, (0.0, 0.0))
        self.tallies[scalar] = (before[0] + times, before[1] + total)
        return self.tallies[scalar]

    def lose_counts(self) -> None:
        """An atomic does something else than counting, or at places that nobody knows."""
        self.are_counts_lost = True

    def spoil(self) -> None:
        """Something was stored that nobody knows."""
        self.are_values_lost = True
        self._spoil_places()
        if self.lanes is not None:
            self.lanes.forget()

    def _spoil_places(self) -> None:
        self.are_places_lost = self.are_events_lost = True
        self.events.clear()

    def scatter(
        self,
        site: int,
        scalar: Scalar,
        value: Value,
        active: NDArray[np.bool_],
        weight: NDArray[np.float64],
    ) -> None:
        """Values are stored at places that nobody knows."""
        self._spoil_places()
        if self.lanes is not None:
            self.lanes.forget()
        numbers = _numbers(value, active)
        # The few lanes that store something tell nothing of others that would store other numbers.
        is_own = isinstance(value, np.ndarray) and len(distinct(value)) > _MOST_KINDS
        if numbers is None or not len(numbers) or (is_own and len(numbers) <= _MOST_KINDS):
            self.are_values_lost = True
            return
        known = self.scattered.setdefault((site, scalar), _Site((scalar.size_bytes, 0)))
        known.elements += float(weight[active].sum())
        weights = weight[active] if len(numbers) == active.sum() else None
        known.add(numbers[_picks(weights, len(numbers))], None)

    def clear(self) -> None:
        """All of it is set to zero."""
        self.sites.clear()
        self.events.clear()
        self.are_places_lost, self.is_cleared = False, True
        if self.lanes is not None:
            self.lanes.clear()

    def forget_since(self, number: int) -> None:
        """Iterations of a loop are skipped: what stores since an event have left at their places is out of date."""
        if self.events and self.events[-1].number >= number:
            self.events.clear()
            self.is_cleared = False
            self.are_events_lost = True
        drifting = any(site.last >= number and site.is_drifting for site in self.sites.values())
        if drifting and not self.rise:
            self.are_places_lost = True
        if self.lanes is not None and self.lanes.last >= number:
            self.lanes.forget()

    def note(
        self,
        site: int,
        event: StoreEvent,
        mask: Mask,
        weight: NDArray[np.float64],
        *,
        is_private: bool,
        is_rising: bool = False,
    ) -> None:
        """Look at one execution of a store.

        Args:
            site: The instruction.
            event: What it stores, and where.
            mask: The lanes that store, one of them at least.
            weight: Threads that each lane stands for.
            is_private: Whether every lane has an allocation of its own.
            is_rising: Whether the values never fall from one element to the next.
        """
        active, scalar = event.active, event.scalar
        number = event.value if isinstance(event.value, int | float) else None
        self.only = number if not self.sites or number == self.only else None
        self.events.append(event)
        if len(self.events) > _MOST_EVENTS:
            del self.events[0]
            self.are_events_lost = True
        if is_private and isinstance(event.offset, int) and (site, scalar) in self.sites:
            return  # a variable of the thread, as often as it is set
        places = np.broadcast_to(np.asarray(event.offset, np.int64), active.shape)[mask.rows]
        low, high = int(places.min()), int(places.max())
        event.stores_between(low, high)
        known = self.sites.get((site, scalar))
        if known is None:
            known = _Site(_place_of(places, low, scalar.size_bytes))
            self.sites[site, scalar] = known
        known.last = event.number
        known.move(low, high + scalar.size_bytes)
        is_one = low == high and not is_rising
        elements = 1.0 if is_one else float(mask.shares(weight).sum())
        known.elements += elements
        if is_rising:
            self.rising += elements
            self._note_rise(event, low, high)
        if self.are_places_lost or known.is_unknown:
            return
        numbers = _numbers(event.value, active)
        if numbers is None:
            known.is_unknown = True
            return
        picked = _picks(
            mask.shares(weight) if len(numbers) == len(places) else None,
            len(numbers),
            max(_PICKS >> known.executions, _PICKS // _PARTS),
        )
        line = None
        if known.slope is not None and not is_private and len(numbers) == len(places):
            line = _line(places, numbers)
        known.add(numbers[picked], line)
        known.latest = [*known.latest[-_CHANGES:], numbers]
        if scalar.is_integer and scalar.size_bytes >= _INDEX_BYTES and not is_private:
            known.compare_places(numbers, places, scalar.size_bytes)

    def sums_of(self, summed: MemoryObject, scalar: Scalar) -> None:
        """A single block stores the running sums of an array; what that holds is known before it is overwritten by these."""
        is_guess = bool(summed.state.get(_GUESSED))
        if self.mean_addend is not None or is_guess or not summed.buffer.size_bytes:
            return
        size = scalar.size_bytes
        count = max(summed.buffer.size_bytes // size, 1)
        places = _picks(None, count, min(count, _PICKS)) * size
        held = summed.contents.load(places, scalar, summed.buffer.number, "")
        numbers = _numbers(held, np.ones(len(places), np.bool_))
        if (
            numbers is not None
            and len(numbers)
            and not np.isnan(numbers).any()
            and numbers.min() >= 0
        ):
            self.mean_addend = float(numbers.mean())

    def _note_rise(self, event: StoreEvent, low: int, high: int) -> None:
        """Remember between which places and sums those of a single thread lie."""
        numbers = _numbers(event.value, event.active) if low == high else None
        if numbers is not None and np.isfinite(numbers[0]):
            self.rise = sorted([*self.rise, (low, float(numbers[0]))])
            del self.rise[1:-1]

    # Looking

    def read(
        self,
        offset: int | NDArray[np.int64],
        scalar: Scalar,
        mask: NDArray[np.bool_],
        *,
        is_private: bool,
    ) -> Value | None:
        """What lanes read at places that were stored last; None where that is not known.

        Args:
            offset: Byte offsets in the allocation.
            scalar: What is loaded.
            mask: Lanes that load.
            is_private: Whether every lane has an allocation of its own.
        """
        looks = bool(self.events) and bool(mask.any())
        low, high = _span(offset, mask) if looks else (0, 0)
        for event in reversed(self.events):
            size = max(scalar.size_bytes, event.scalar.size_bytes)
            first, last = event.span
            if looks and (first >= high + size or low >= last + size):
                continue  # neither the same places nor any in their way
            wanted = np.broadcast_to(np.asarray(offset, np.int64), mask.shape)
            stored = np.broadcast_to(np.asarray(event.offset, np.int64), mask.shape)
            both = mask & event.active
            if event.scalar is scalar and np.array_equal(stored[both], wanted[both]):
                is_one_place = isinstance(event.offset, int) and not is_private
                is_clear = not is_one_place or isinstance(event.value, int | float)
                if is_clear and bool(both[mask].all()):
                    return event.value
            if is_private:
                if bool((np.abs(stored - wanted)[both] < size).any()):
                    return None
            elif looks:
                return None
        if self.is_cleared and not self.is_unknown and len(self.events) < _MOST_EVENTS:
            return 0.0 if scalar.is_float else 0
        return None

    def is_untouched(
        self, offset: int | NDArray[np.int64], scalar: Scalar, mask: NDArray[np.bool_]
    ) -> bool:
        """Whether lanes look at places that no store so far has come near: those hold what they did before the launch."""
        if self.are_events_lost or self.is_cleared or not mask.any():
            return False
        low, high = _span(offset, mask) if self.events else (0, 0)
        for event in self.events:
            size = max(scalar.size_bytes, event.scalar.size_bytes)
            first, last = event.span
            if first >= high + size or low >= last + size:
                continue
            # Whole numbers may be offsets, which say something together only.
            if not (scalar.is_float and _is_beside(event, offset, mask)):
                return False
        return True

    def sample(self, offset: int | NDArray[np.int64], scalar: Scalar) -> NDArray[np.float64] | None:
        """Values that a load may get, each equally likely: of the member of a record, or of some element."""
        if self.are_places_lost or not self.sites:
            return None
        stored = self._of_member(offset) or list(self.sites.items())
        if any(kind is not scalar or site.is_unknown for (_, kind), site in stored):
            return None
        sites = [site for _, site in stored]
        found = _joined(sites)
        if found is None or not self.is_cleared:
            return found
        return np.sort(np.concatenate([found, np.zeros(len(found) // len(sites))]))

    def _of_member(
        self, offset: int | NDArray[np.int64]
    ) -> list[tuple[tuple[int, Scalar], _Site]] | None:
        """What stores to the member of a record that a load looks at; None where not all stores go to such records."""
        strides = {site.place[0] for site in self.sites.values()}
        if len(strides) != 1:
            return None
        (stride,) = strides
        at = offset if isinstance(offset, int) else int(offset[0])
        if isinstance(offset, np.ndarray) and ((offset - at) % stride).any():
            return None
        return [item for item in self.sites.items() if item[1].place[1] == at % stride]

    # Afterwards

    def leaves_most(self, size_bytes: int | None) -> bool:
        """Whether so little was written that the allocation is what it was."""
        if not size_bytes or not self.sites or min(site.low for site in self.sites.values()) < 0:
            return False
        written = sum(site.elements * scalar.size_bytes for (_, scalar), site in self.sites.items())
        return written <= _LITTLE * size_bytes

    def scattered_fill(self, size_bytes: int | None, contents: Contents) -> Fill | None:
        """What the elements are of which one at a time was stored where nobody knows; None where others matter.

        Args:
            size_bytes: Of the allocation.
            contents: What it held before. Of what nothing is known, nobody reads an element that was not stored.
        """
        scalars = {scalar for _, scalar in self.scattered}
        if (
            not size_bytes
            or len(scalars) != 1
            or self.sites
            or self.tallies
            or self.are_values_lost
        ):
            return None
        (scalar,) = scalars
        sites = list(self.scattered.values())
        count = max(size_bytes // scalar.size_bytes, 1)
        fill = _fill(sites, scalar, 0, scalar.size_bytes, count)
        if fill.sample is None or len(distinct(fill.sample)) > _MOST_KINDS:
            # Positions belong together: those where cells begin and end are no numbers of their own.
            return None
        before = contents.only_number(scalar, size_bytes)
        if before is None:
            return fill if contents.is_blank else None
        # Some places are met several times, others not at all.
        missed = math.exp(-sum(site.elements for site in sites) / count)
        stored = fill.sample[_picks(None, len(fill.sample), max(round(_PICKS * (1 - missed)), 1))]
        sample = np.sort(np.append(stored, np.full(round(_PICKS * missed), float(before))))
        return replace(fill, low=float(sample[0]), high=float(sample[-1]), sample=sample)

    def only_number(self) -> int | float | None:
        """The number that every store has stored, to whatever place; None where there are others."""
        return None if self.is_unknown or self.are_values_lost else self.only

    def fills(self, size_bytes: int | None) -> list[Fill]:
        """What the allocation holds now, where every element of it was written and something is known of some member."""
        is_lost = self.are_places_lost or all(site.is_unknown for site in self.sites.values())
        if not size_bytes or (is_lost and not self.rising):
            return []
        margin = max(size_bytes * (_WIDE_EDGE if self._stores_each(size_bytes) else _EDGE), 64)
        spans = [site.span for site in self.sites.values()]
        if min(low for low, _ in spans) > margin:
            return []
        if max(high for _, high in spans) < size_bytes - margin:
            return []
        if self.rising:
            return self._running_sums(size_bytes)
        groups: dict[tuple[Place, Scalar], list[_Site]] = {}
        for (_, scalar), site in self.sites.items():
            groups.setdefault((site.place, scalar), []).append(site)
        found: list[Fill] = []
        for ((stride, start), scalar), sites in groups.items():
            count = max(size_bytes // stride, 1)
            if sum(site.elements for site in sites) < _COVERED * count:
                return []
            found.append(_fill(sites, scalar, start, stride, count))
        return found

    def _stores_each(self, size_bytes: int) -> bool:
        """Whether as many elements of several values were stored as there are.

        Of one value nobody knows what the sample has missed: the one element, at an end perhaps, that is another.
        """
        stored = sum(site.elements * scalar.size_bytes for (_, scalar), site in self.sites.items())
        if not _COVERED <= stored / size_bytes <= 1 / _COVERED:
            return False
        sample = None if self.is_unknown else _joined(list(self.sites.values()))
        return sample is not None and sample[0] != sample[-1]

    def _running_sums(self, size_bytes: int) -> list[Fill]:
        """Sums over the elements before, where most elements are such."""
        scalars = {scalar for _, scalar in self.sites}
        scalar = scalars.pop()
        count = max(size_bytes // scalar.size_bytes, 1)
        if scalars or self.rising < _COVERED * count:
            return []
        sample = None if self.is_unknown else _joined(list(self.sites.values()))
        ends = None if sample is None else (float(sample[0]), float(sample[-1]))
        if len(self.rise) > 1 and self.rise[0][0] < self.rise[1][0]:
            (first, low), (last, high) = self.rise
            slope = max(high - low, 0.0) / (last - first)
            ends = (round(low - slope * first), round(low + slope * (size_bytes - first)))
            sample = None
        if self.mean_addend is not None:
            ends, sample = (0, round(self.mean_addend * count)), None
        if (
            ends is not None
            and not type_range(scalar)[0] <= ends[0] <= ends[1] <= type_range(scalar)[1]
        ):
            ends = sample = None
        return [
            Fill(
                start=0,
                dims=((scalar.size_bytes, count),),
                scalar=scalar,
                pattern=Pattern.UNKNOWN if ends is None else Pattern.RANDOM,
                low=None if ends is None else ends[0],
                high=None if ends is None else ends[1],
                sample=sample,
                is_rising=True,
                key=new_key(),
            )
        ]


def _is_beside(event: StoreEvent, offset: int | NDArray[np.int64], mask: NDArray[np.bool_]) -> bool:
    """Whether all lanes look one distance away from where they have stored, at places where none of them has.

    Loops that threads share turn by turn update other elements in each turn, and members of a record lie side by side.
    """
    if not (isinstance(offset, np.ndarray) and isinstance(event.offset, np.ndarray)):
        return False
    if (mask & ~event.active).any():
        return False
    stored, wanted = event.offset[event.active], offset[mask]
    apart = wanted - event.offset[mask]
    return bool((apart == apart[0]).all()) and not np.isin(wanted, stored).any()


def _fill(sites: list[_Site], scalar: Scalar, start: int, stride: int, count: int) -> Fill:
    first = sites[0]
    is_unknown = any(site.is_unknown for site in sites)
    if (
        not is_unknown
        and first.slope is not None
        and all(
            _is_same_line((site.origin, site.slope), (first.origin, first.slope)) for site in sites
        )
    ):
        value = first.origin + first.slope * start
        return Fill(
            start=start,
            dims=((stride, count),),
            scalar=scalar,
            pattern=Pattern.CONSTANT if first.slope == 0 else Pattern.AFFINE,
            first=value if scalar.is_float else round(value),
            steps=(first.slope * stride,),
            key=new_key(),
        )
    near = None if is_unknown else _near(sites, scalar, start, stride, count)
    if near is not None:
        return near
    sample = None if is_unknown else _joined(sites)
    if sample is None:
        return Fill(
            start=start,
            dims=((stride, count),),
            scalar=scalar,
            pattern=Pattern.UNKNOWN,
            key=new_key(),
        )
    finite = sample[np.isfinite(sample)]
    return Fill(
        start=start,
        dims=((stride, count),),
        scalar=scalar,
        pattern=Pattern.RANDOM,
        low=float(finite.min()),
        high=float(finite.max()),
        sample=sample,
        key=new_key(),
    )


def _near(sites: list[_Site], scalar: Scalar, start: int, stride: int, count: int) -> Fill | None:
    """Elements that hold numbers near those of their own places; None where they do not."""
    if start or stride != scalar.size_bytes or count < _FEWEST_NEAR:
        return None
    parts: list[NDArray[np.float64]] = []
    for site in sites:
        if not site.distances:
            return None
        parts += site.distances
    low = min(site.reach[0] for site in sites)
    high = max(site.reach[1] for site in sites)
    if max(-low, high) > _NEAR_SHARE * count:
        return None
    return Fill(
        start=0,
        dims=((stride, count),),
        scalar=scalar,
        pattern=Pattern.NEAR,
        first=0,
        steps=(1.0,),
        low=int(low),
        high=int(high),
        sample=np.sort(np.concatenate(parts)),
        key=new_key(),
    )


def _change(before: NDArray[np.float64], numbers: NDArray[np.float64]) -> tuple[float, float]:
    """(mean change, its standard error) from one execution to the next."""
    error = 0.0
    if len(before) == len(numbers):
        error = float((numbers - before).std()) / math.sqrt(len(numbers))
    return float(numbers.mean() - before.mean()), error


def _joined(sites: list[_Site]) -> NDArray[np.float64] | None:
    """The samples of some sites, each with the share of what it has stored."""
    total = sum(site.elements for site in sites)
    parts: list[NDArray[np.float64]] = []
    for site in sites:
        numbers = np.concatenate(site.parts) if site.parts else np.zeros(0)
        wanted = max(round(len(numbers) * site.elements / total * len(sites)), 1)
        parts.append(numbers[_picks(None, len(numbers), min(wanted, 2 * _PICKS))])
    sample = np.concatenate(parts)
    sample = sample[~np.isnan(sample)]
    return np.sort(sample) if np.isfinite(sample).any() else None


def _picks(
    weight: NDArray[np.float64] | None, count: int, picks: int = _PICKS
) -> NDArray[np.int64]:
    """Indices of values that stand for all, by their weights."""
    at = _jittered(picks)
    if weight is None:
        return np.minimum((at * count).astype(np.int64), count - 1)
    summed = np.cumsum(weight)
    found: NDArray[np.int64] = np.searchsorted(summed, at * summed[-1]).astype(np.int64)
    return np.minimum(found, count - 1)


@lru_cache(maxsize=64)
def _jittered(picks: int) -> NDArray[np.float64]:
    """Places from 0 to 1, one in each of equal parts; not to be written to."""
    # Even steps would fall in with what repeats by the lane.
    jitter = (splitmix(np.arange(picks, dtype=np.uint64)) >> np.uint64(11)) * (1.0 / (1 << 53))
    return np.asarray((np.arange(picks) + jitter) / picks, np.float64)


def _span(offset: int | NDArray[np.int64], active: NDArray[np.bool_]) -> tuple[int, int]:
    """The least and the greatest offset of active lanes, of which there is one at least."""
    if isinstance(offset, int):
        return offset, offset
    places = np.broadcast_to(offset, active.shape)[active]
    return int(places.min()), int(places.max())


def _numbers(value: Value, active: NDArray[np.bool_]) -> NDArray[np.float64] | None:
    """What the active lanes store, where known; of a value known in most lanes only what is known."""
    if isinstance(value, int | float):
        return np.full(int(active.sum()), float(value))
    if isinstance(value, Unknown):
        numbers = drawn(value, len(active))
        return None if isinstance(numbers, Unknown) else _numbers(numbers, active)
    if isinstance(value, Mixed):
        others = drawn(value.unknown, len(active))
        if not isinstance(others, Unknown | Mixed):
            return _numbers(np.where(value.known, value.values, others), active)
        known = active & value.known
        return value.values[known].astype(np.float64) if known.sum() > active.sum() / 2 else None
    return value[active].astype(np.float64)


def _place_of(places: NDArray[np.int64], low: int, size: int) -> Place:
    """Which member of an array of records a store goes to, by the distance between its addresses."""
    distances = places - low
    stride = int(np.gcd.reduce(distances)) if len(distances) > 1 else 0
    if size < stride <= _WIDEST_RECORD and stride % size == 0:
        return stride, low % stride
    return size, 0


def _line(places: NDArray[np.int64], numbers: NDArray[np.float64]) -> tuple[float, float] | None:
    first, last = numbers[0], numbers[-1]
    if not np.isfinite(numbers).all():
        return (float(first), 0.0) if bool((numbers == first).all()) else None
    distance = int(places[-1] - places[0])
    slope = float((last - first) / distance) if distance else 0.0
    expected = first + slope * (places - places[0])
    if float(np.abs(numbers - expected).max()) <= 1e-6 * max(float(np.abs(numbers).max()), 1.0):
        return float(first - slope * places[0]) if slope else float(first), slope
    return None


def _is_same_line(a: tuple[float, float | None], b: tuple[float, float | None]) -> bool:
    if a[1] is None or b[1] is None:
        return False
    close = abs(a[1] - b[1]) <= 1e-9 * max(abs(a[1]), 1.0)
    return close and (a[0] == b[0] or abs(a[0] - b[0]) <= 1e-6 * max(abs(a[0]), 1.0))


def stores_of(found: MemoryObject, run: int) -> KernelStores:
    """The record of the stores that a run makes to an allocation."""
    known = found.state.get(STATE)
    if not isinstance(known, KernelStores) or known.run != run:
        known = KernelStores(run)
        found.state[STATE] = known
    return known


def lane_memory_of(found: MemoryObject, run: int, lanes: int) -> LaneMemory | None:
    """The elements of an array that each lane has for itself; None of other allocations, and of large ones."""
    size = found.buffer.size_bytes
    if found.buffer.space is not Space.LOCAL or not size or size > LARGEST_BYTES:
        return None
    stores = stores_of(found, run)
    if stores.lanes is None:
        stores.lanes = LaneMemory(size, lanes)
        if stores.is_cleared:
            stores.lanes.clear()
    return stores.lanes


def forget_lanes(found: MemoryObject, run: int) -> None:
    """Something was stored to an array of a thread in a way that is not followed element by element."""
    stores = stores_so_far(found, run)
    if stores is not None and stores.lanes is not None:
        stores.lanes.forget()


def stores_so_far(found: MemoryObject, run: int) -> KernelStores | None:
    """The same where there is one: what another run has left, over other lanes, says nothing."""
    known = found.state.get(STATE)
    return known if isinstance(known, KernelStores) and known.run == run else None


def is_written(found: MemoryObject) -> bool:
    """Whether an earlier kernel has written an allocation."""
    return _WRITTEN in found.state


def _expected(total: float, found: MemoryObject) -> Unknown:
    """What a counter holds after a launch: kernels read what it has come to in the sample, host code decides nothing by it."""
    return Unknown(
        new_key(),
        uniform=True,
        low=0,
        high=2 * round(total),
        reason=f"data of {found.buffer.name}",
        origin=found.buffer.number,
        sample=np.array([float(round(total))]),
    )


def settle(found: MemoryObject) -> bool:
    """After a launch: the contents of an allocation that it has written; whether they have changed."""
    stores = found.state.pop(STATE, None)
    if not isinstance(stores, KernelStores):
        found.state[_WRITTEN] = True
        found.contents.forget()
        return True
    size = found.buffer.size_bytes
    if stores.leaves_most(size):
        return False
    found.state[_WRITTEN], found.state[_GUESSED] = True, stores.is_guess
    contents = found.contents
    only_counted = not stores.sites and not stores.scattered and not stores.are_counts_lost
    if stores.tallies and only_counted and not stores.counts:
        for scalar, (times, total) in stores.tallies.items():
            if size and contents.count(scalar, total / times, times, size):
                contents.fills = [replace(fill, is_expected=True) for fill in contents.fills]
            else:
                contents.forget()
        return True
    with at_place(found.contents.name):
        fills = stores.fills(size)
    before = contents.initial if not contents.is_lost else None
    scattered = stores.scattered_fill(size, contents)
    kept = dict(contents.cells)
    contents.forget()
    if stores.counts and only_counted and not stores.tallies:
        contents.initial, contents.is_lost = before, before is None
        contents.cells.update(kept)
        for offset, (scalar, total) in stores.counts.items():
            contents.store(offset, scalar, _expected(total, found))
    for fill in [scattered] if scattered is not None else fills:
        contents.is_lost = False
        contents.add_fill(fill)
    return True
