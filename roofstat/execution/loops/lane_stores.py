"""What iterations of a host loop, which run as lanes, store, and what they find of each other's stores."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.numbers.values import DTYPES, Array, Mixed, Number, Unknown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clang_queries.ir.types import Scalar
    from roofstat.execution.stored.address_space import MemoryObject

Known: TypeAlias = Number | Array
_MOST_STORED = 17_000_000
"""Elements that all lanes together may store: they are kept."""


class NotPlainError(Exception):
    """The loop does something that cannot be done for all iterations at once."""


class TooMuchError(NotPlainError):
    """Its iterations are too many, or store too much, to be kept."""


@dataclass(slots=True, eq=False)
class Store:
    """What the lanes store at one point of the body."""

    found: MemoryObject
    address: int | NDArray[np.int64]
    lanes: NDArray[np.bool_]
    scalar: Scalar
    value: Known | None
    """None where nobody knows."""
    site: object


@dataclass(slots=True, eq=False)
class Load:
    """What the lanes load at one point, of what they have not stored themselves."""

    found: MemoryObject
    address: int | NDArray[np.int64]
    scalar: Scalar
    rest: NDArray[np.bool_]
    """Lanes that find what others have left."""
    guess: NDArray[np.int64]
    is_overwritten: bool = False
    """Whether some find what was there before the loop, in an array that it stores to."""


@dataclass(slots=True, eq=False)
class _Left:
    """Stores to one allocation in the order of places, then of iterations."""

    keys: NDArray[np.int64]
    """Place times lanes, and lane."""
    values: NDArray[np.int64]
    is_known: NDArray[np.bool_]


@dataclass(slots=True, eq=False)
class LaneStores:
    """The memory of one pass, in which each lane is an iteration."""

    count: int
    """Lanes."""
    seen: dict[int, NDArray[np.int64] | None]
    """What the lanes are taken to find at each load of what others have left; None where nobody knows."""
    tainted: set[int]
    """Buffers that change in ways that are not followed."""
    stores: list[Store] = field(default_factory=list)
    loads: list[Load] = field(default_factory=list)
    _left: dict[int, _Left] = field(default_factory=dict)

    def keep(self, store: Store) -> None:
        """One store more."""
        if len(self.stores) * self.count >= _MOST_STORED:
            raise TooMuchError
        self.stores.append(store)

    def value_at(
        self,
        found: MemoryObject,
        address: int | NDArray[np.int64],
        scalar: Scalar,
        lanes: NDArray[np.bool_],
    ) -> Known | None:
        """What lanes find: what they have stored themselves, else what the others and the time before have left."""
        if found.buffer.number in self.tainted:
            return None
        rest, result = lanes.copy(), np.zeros(self.count, np.int64)
        for store in reversed(self.stores):
            if store.found is not found:
                continue
            same = rest & store.lanes & (address == store.address)
            if not same.any():
                continue
            if store.value is None or store.scalar.size_bytes != scalar.size_bytes:
                return None
            result = np.where(same, np.asarray(store.value).astype(np.int64), result)
            rest = rest & ~same
            if not rest.any():
                return result.astype(DTYPES[scalar])
        number = len(self.loads)
        guess = self.seen.get(number)
        if guess is None:
            guess = np.zeros(self.count, np.int64)
        self.loads.append(Load(found, address, scalar, rest, guess))
        if number in self.seen and self.seen[number] is None:
            return None
        return np.where(rest, guess, result).astype(DTYPES[scalar])

    def _left_in(self, found: MemoryObject) -> _Left:
        number = found.buffer.number
        left = self._left.get(number)
        if left is None:
            left = self._ordered([s for s in self.stores if s.found is found])
            self._left[number] = left
        return left

    def found_by(self, load: Load) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """(what its lanes find, which iteration has left it, -1 for what was there before); None where nobody knows."""
        left = self._left_in(load.found)
        at = np.arange(self.count)
        relative = np.broadcast_to(np.asarray(load.address) - load.found.base, at.shape)
        values, source = load.guess.copy(), np.full(self.count, -1)
        has_source = np.zeros(self.count, np.bool_)
        if len(left.keys):
            before = np.searchsorted(left.keys, relative * self.count + at) - 1
            index = np.maximum(before, 0)
            has_source = load.rest & (before >= 0) & (left.keys[index] // self.count == relative)
            if not left.is_known[index][has_source].all():
                return None
            source = np.where(has_source, left.keys[index] % self.count, -1)
            values = np.where(has_source, left.values[index], values)
        open_lanes = load.rest & ~has_source
        if open_lanes.any():
            offsets = relative[open_lanes]
            if len(left.keys):
                index = np.searchsorted(left.keys, offsets * self.count)
                index = np.minimum(index, len(left.keys) - 1)
                load.is_overwritten = bool((left.keys[index] // self.count == offsets).any())
            original = self._before(load, offsets)
            if original is None:
                return None
            values[open_lanes] = original
        return values, source

    def before(self, load: Load) -> NDArray[np.int64] | None:
        """What all of its lanes would find if none stored; None where nobody knows."""
        relative = np.asarray(load.address) - load.found.base
        value = self._before(load, np.broadcast_to(relative, (self.count,)))
        return None if value is None else np.broadcast_to(np.asarray(value), (self.count,))

    def _before(self, load: Load, offsets: NDArray[np.int64]) -> Known | None:
        """What was at some places before the lanes began."""
        contents, buffer = load.found.contents, load.found.buffer
        if bool((offsets == offsets[0]).all()):
            value = contents.load(int(offsets[0]), load.scalar, buffer.number, buffer.name)
        else:
            value = contents.load(offsets, load.scalar, buffer.number, buffer.name)
        if isinstance(value, Unknown | Mixed | float):
            return None
        return integers(value)

    def last_at(self, found: MemoryObject, address: int) -> int | None:
        """What the last lane that stores to a place leaves there."""
        left = self._left_in(found)
        index = int(np.searchsorted(left.keys, (address - found.base + 1) * self.count)) - 1
        return int(left.values[index]) if index >= 0 and left.is_known[index] else None

    def left_by(
        self, stores: list[Store]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_], Scalar]:
        """(places, numbers, whether they are known, type) that some of the stores leave, as the last at each place."""
        left = self._ordered(stores)
        places = left.keys // self.count
        is_last = np.append(places[1:] != places[:-1], [True] * (len(places) > 0)).astype(np.bool_)
        return places[is_last], left.values[is_last], left.is_known[is_last], stores[0].scalar

    def _ordered(self, stores: list[Store]) -> _Left:
        """What stores leave in the order of places and iterations."""
        keys: list[NDArray[np.int64]] = []
        values: list[NDArray[np.int64]] = []
        known: list[NDArray[np.bool_]] = []
        at = np.arange(self.count)
        for store in stores:
            lanes = store.lanes
            relative = np.broadcast_to(np.asarray(store.address) - store.found.base, at.shape)
            keys.append((relative * self.count + at)[lanes])
            value = 0 if store.value is None else store.value
            values.append(np.broadcast_to(np.asarray(value).astype(np.int64), at.shape)[lanes])
            known.append(np.full(len(keys[-1]), store.value is not None))
        if not keys:
            return _Left(at[:0], at[:0], np.zeros(0, np.bool_))
        together = np.concatenate(keys)
        order = np.argsort(together, kind="stable")
        return _Left(together[order], np.concatenate(values)[order], np.concatenate(known)[order])


def integers(value: Known) -> int | NDArray[np.int64]:
    """What a value is as 64-bit integers."""
    return value.astype(np.int64) if isinstance(value, np.ndarray) else int(value)
