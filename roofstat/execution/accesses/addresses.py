"""Where accesses go: the allocation and the address of every lane, of pointers that are known, guessed or drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, overload

import numpy as np

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import (
    Mixed,
    Unknown,
    Value,
    resolve_integer,
    scaled,
    shifted,
    splitmix,
    to_array,
)
from roofstat.execution.stored.address_space import UNKNOWN_EXTENT_BYTES
from roofstat.program.code import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.execution.stored.address_space import MemoryObject

POINTER_BYTES = 8
_FEWEST_POINTERS = 1 << 14
_MOST_PARTS = 64
"""Allocations that lanes of one access are looked up in; those of further ones count as lanes of the one in the middle."""
_LEAST_SPACING_BYTES = 256
FIRST_OBJECT_ADDRESS = 1 << 33
"""Smaller numbers are no addresses of allocations."""


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """Where an access goes."""

    found: MemoryObject | None
    address: int | NDArray[np.int64] | None
    is_guess: bool = False
    even_share: float = 0.0
    """How often the program itself has drawn the places that lanes go to."""
    is_order: bool = False
    """Whether they are drawn without meeting, as from a shuffled row."""
    is_inside: bool = False
    """Whether the addresses of all lanes lie in the allocation, as far as this was asked for."""
    is_apart: bool = False
    """Whether lanes follow pointers that nobody knows, each taken to lead to memory of its own."""

    def lane_addresses(self, lanes: int, shift_bytes: int = 0) -> NDArray[np.int64] | None:
        """One address for each lane, so many bytes behind the target's; not to be written to."""
        if isinstance(self.address, int):
            # One number that all lanes see: traces keep very many of these.
            number = np.int64(self.address + shift_bytes).tobytes()
            return np.ndarray((lanes,), np.int64, number, strides=(0,))
        if self.address is None or not shift_bytes:
            return self.address
        return self.address + shift_bytes


def parts_of(
    machine: Machine, target: Target, mask: Mask
) -> tuple[tuple[MemoryObject, NDArray[np.bool_]], ...]:
    """The allocations that active lanes reach, each with its lanes; none where all reach the target's own.

    Lanes whose addresses lie in no allocation belong to the target's.
    """
    found, addresses = target.found, target.address
    if target.is_inside:
        return ()
    if found is None or not isinstance(addresses, np.ndarray) or target.is_guess or target.is_apart:
        return ()
    active = addresses if mask.is_full else addresses[mask.lanes]
    if (
        not len(active)
        or found.base <= active.min() <= active.max() <= found.base + found.extent_bytes
    ):
        return ()
    parts: list[tuple[MemoryObject, NDArray[np.bool_]]] = []
    rest = mask.lanes & ~_within(found, addresses)
    own = mask.lanes & ~rest
    for _ in range(_MOST_PARTS):
        if not rest.any():
            break
        address = int(addresses[int(np.argmax(rest))])
        other = machine.memory.find(address)
        if other is not None and address < other.base + other.extent_bytes:
            lanes = rest & _within(other, addresses)
            parts.append((other, lanes))
        else:
            lanes = rest & (addresses == address)
            own = own | lanes
        rest = rest & ~lanes
    own = own | rest
    if not parts:
        return ()
    return ((found, own), *parts) if own.any() else tuple(parts)


def _within(found: MemoryObject, addresses: NDArray[np.int64]) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = (addresses >= found.base) & (
        addresses < found.base + max(found.extent_bytes, 1)
    )
    return inside


def pointer_add(machine: Machine, base: Value, index: Value, scale: int) -> Value:
    """``base + index * scale`` in bytes."""
    if isinstance(base, int) and isinstance(index, int):
        return base + index * scale
    if isinstance(base, Unknown) and isinstance(index, Unknown):
        if machine.is_host:  # behind one array of unknown length there is another one
            return replace(base, key=new_key())
        guess = resolve_integer(index, _guess_count(machine), machine.lane_count)
        return shifted(base, guess * scale)
    if isinstance(index, Unknown) and not isinstance(base, Mixed):
        assert not isinstance(base, Unknown)
        return shifted(scaled(index, scale), _integer(base))
    if isinstance(base, Unknown) and not isinstance(index, Mixed):
        assert not isinstance(index, Unknown)
        return shifted(base, _integer(index) * scale)
    if isinstance(base, Mixed) or isinstance(index, Mixed):
        return _mixed_pointer(machine, base, index, scale)
    assert not isinstance(base, Unknown)
    assert not isinstance(index, Unknown)
    return _integer(index) * scale + _integer(base)


@overload
def _integer(value: NDArray[np.generic]) -> NDArray[np.int64]: ...
@overload
def _integer(value: float | NDArray[np.generic]) -> int | NDArray[np.int64]: ...
def _integer(value: float | NDArray[np.generic]) -> int | NDArray[np.int64]:
    return value.astype(np.int64, copy=False) if isinstance(value, np.ndarray) else int(value)


def _mixed_pointer(machine: Machine, base: Value, index: Value, scale: int) -> Value:
    """Where some lanes know the address: the others know what is known of it, such as where their row begins."""
    known = np.ones(machine.lane_count, np.bool_)
    parts: list[NDArray[np.int64]] = []
    for value in (base, index):
        if isinstance(value, Mixed):
            known = known & value.known
            parts.append(_integer(value.values))
        elif isinstance(value, Unknown):
            known = np.zeros(machine.lane_count, np.bool_)
            parts.append(np.zeros(machine.lane_count, np.int64))
        else:
            parts.append(to_array(value, Scalar.I64, machine.lane_count))
    base_unknown, index_unknown = (
        value.unknown if isinstance(value, Mixed) else value if isinstance(value, Unknown) else None
        for value in (base, index)
    )
    if index_unknown is None:
        assert base_unknown is not None
        unknown = shifted(base_unknown, parts[1] * scale)
    elif base_unknown is None:
        unknown = shifted(scaled(index_unknown, scale), parts[0])
    else:
        unknown = index_unknown
    return Mixed(parts[0] + parts[1] * scale, known, unknown)


def _guess_count(machine: Machine) -> int:
    return max(int(machine.lanes.weight.sum()), 32)


def resolve(machine: Machine, value: Value, offset: int, mask: Mask | None = None) -> Target:
    """The allocation and the addresses that an address value stands for; lanes outside of a mask say nothing."""
    if mask is not None and not mask.is_full:
        value = _of_active_lanes(value, mask)
    if isinstance(value, int):
        address = value + offset
        return Target(machine.memory.find(address), address)
    if isinstance(value, float):
        return Target(None, None)
    if isinstance(value, np.ndarray):
        addresses = _integer(value) + offset
        low, high = int(addresses.min()), int(addresses.max())
        found = machine.memory.find(low)
        if found is not None and high < found.base + found.extent_bytes:
            return Target(found, addresses, is_inside=True)
        return Target(_object_of(machine, addresses), addresses)
    if isinstance(value, Mixed):
        return _resolve_mixed(machine, value, offset)
    return _resolve_unknown(machine, value, offset)


def _of_active_lanes(value: Value, mask: Mask) -> Value:
    """The value with that of an active lane in place of those of inactive ones, which may be anything."""
    some = mask.first
    if isinstance(value, np.ndarray):
        return np.where(mask.lanes, value, value[some])
    if isinstance(value, Unknown) and isinstance(value.offset, np.ndarray):
        return replace(value, offset=np.where(mask.lanes, value.offset, value.offset[some]))
    if isinstance(value, Mixed):
        if not (mask.lanes & ~value.known).any():
            return _of_active_lanes(value.values, mask)
        unknown = _of_active_lanes(value.unknown, mask)
        assert isinstance(unknown, Unknown)
        known = value.known & mask.lanes
        return Mixed(value.values, known, unknown) if known.any() else unknown
    return value


def _object_of(machine: Machine, addresses: NDArray[np.int64]) -> MemoryObject | None:
    """The allocation that the lane in the middle reaches."""
    there = addresses[machine.lanes.exists]
    if not len(there):
        return machine.memory.find(int(addresses[0]))
    low, high = (len(there) - 1) // 2, len(there) // 2
    there.partition((low, high))
    return machine.memory.find(int((int(there[low]) + int(there[high])) / 2))


def _resolve_mixed(machine: Machine, value: Mixed, offset: int) -> Target:
    addresses = value.values.astype(np.int64) + offset
    valid = value.known & (addresses >= FIRST_OBJECT_ADDRESS)
    if not valid.any():
        return Target(None, None, is_guess=True)
    found = machine.memory.find(int(addresses[valid][0]))
    if found is None:
        return Target(None, None, is_guess=True)
    if _lowest(value.unknown) + offset >= FIRST_OBJECT_ADDRESS:
        others = _resolve_unknown(machine, value.unknown, offset)
        if others.found is found and others.address is not None:
            return Target(found, np.where(valid, addresses, others.address), is_guess=True)
    span = found.extent_bytes if found.buffer.size_bytes is not None else _guess_count(machine) * 4
    guess = (
        found.base
        + resolve_integer(
            value.unknown.fresh(value.unknown.key), max(span // 4, 1), machine.lane_count
        )
        * 4
    )
    return Target(found, np.where(valid, addresses, guess), is_guess=True)


def _resolve_unknown(machine: Machine, value: Unknown, offset: int) -> Target:
    lowest = _lowest(value)
    if lowest + offset < FIRST_OBJECT_ADDRESS:
        return _anonymous(machine, value, offset)
    found = _object_near(machine, value, lowest + offset)
    if found is None:
        return Target(None, None, is_guess=True)
    size = found.buffer.size_bytes
    span = size
    if span is None:
        span = min(_guess_count(machine) * max(abs(value.scale), 1), UNKNOWN_EXTENT_BYTES)
    drawn = resolve_integer(value, max(span, 1), machine.lane_count) + offset
    relative = drawn - found.base
    bound = max(span, 1)
    if size is None and value.high is not None:
        bound = UNKNOWN_EXTENT_BYTES  # bounded by its own range
    outside = (relative < 0) | (relative >= bound)
    if outside.any():
        step = max(abs(value.scale), 1)
        folded = relative % bound
        relative = np.where(
            outside, folded - folded % min(step, 16) if step > 1 else folded, relative
        )
    addresses = found.base + relative
    if value.uniform and not isinstance(value.offset, np.ndarray):
        first = addresses.reshape(-1, 32)[:, :1] if len(addresses) >= 32 else addresses[:1]
        addresses = np.repeat(first.ravel(), 32) if len(addresses) >= 32 else addresses
    return Target(
        found,
        addresses,
        is_guess=value.rises_over is None,
        even_share=value.even_share,
        is_order=value.is_order,
    )


def _lowest(value: Unknown) -> int:
    """The smallest offset of all lanes."""
    return int(value.offset.min()) if isinstance(value.offset, np.ndarray) else value.offset


def _object_near(machine: Machine, value: Unknown, lowest: int) -> MemoryObject | None:
    """The allocation that an unknown index leads into: ``a[i - 1]`` begins before it where i is counted from one."""
    if value.low is not None and value.scale > 0:
        lowest += int(value.low) * value.scale
    for elements in (0, 1, 16, 256):
        found = machine.memory.find(lowest + elements * abs(value.scale))
        if found is not None:
            return found
    return None


def _anonymous(machine: Machine, value: Unknown, offset: int) -> Target:
    """A pointer that nobody knows: each such pointer is its own allocation of unknown size."""
    key = f"unknown-pointer-{value.key}"
    found = machine.globals.get(key)
    if found is None:
        space = Space.HOST if machine.is_host else Space.GLOBAL
        found = machine.memory.allocate(
            None, space, value.reason or "unknown pointer", assumed=True
        )
        machine.globals[key] = found
    relative = value.offset + offset
    if value.lane_index is not None and not machine.is_host:
        places = _places_apart(machine, value.lane_index) + relative
        return Target(found, found.base + places % UNKNOWN_EXTENT_BYTES, is_apart=True)
    if isinstance(relative, int):
        return Target(found, found.base + (relative if abs(relative) < UNKNOWN_EXTENT_BYTES else 0))
    addresses = found.base + np.where(np.abs(relative) < UNKNOWN_EXTENT_BYTES, relative, 0)
    return Target(found, addresses.astype(np.int64))


def _places_apart(machine: Machine, index: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the memory behind pointers begins that were loaded from these offsets: equal offsets, equal memory."""
    room = UNKNOWN_EXTENT_BYTES // max(_guess_count(machine), _FEWEST_POINTERS)
    spacing = max(1 << (room.bit_length() - 1), _LEAST_SPACING_BYTES)
    number = index // POINTER_BYTES
    if int(np.abs(number).max(initial=0)) * spacing >= UNKNOWN_EXTENT_BYTES:
        # Pointers found behind pointers, or far apart: no order is known.
        mixed = splitmix(index.astype(np.uint64)) % np.uint64(UNKNOWN_EXTENT_BYTES // spacing)
        number = mixed.astype(np.int64)
    return number * spacing
