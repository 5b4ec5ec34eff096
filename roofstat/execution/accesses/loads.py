"""Loads: their values, from host stores, earlier kernels and this one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.execution.accesses.addresses import Target, parts_of, resolve
from roofstat.execution.accesses.evenness import UNEVEN, loads_evenly
from roofstat.execution.accesses.recording import record_access
from roofstat.execution.guesses.counters import shared_count, shared_tally
from roofstat.execution.guesses.even_draws import EvenElements
from roofstat.execution.mask import Mask
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.unknowns import drawn
from roofstat.execution.numbers.values import OPEN, Unknown, Value, merge, number_of
from roofstat.execution.stored.kernel_stores import stores_so_far
from roofstat.program.code import MemoryAccess, Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.machine import Machine
    from roofstat.execution.stored.address_space import MemoryObject
    from roofstat.program.code import Instruction


def load(machine: Machine, item: Instruction, mask: Mask) -> Value:
    """A LOAD: its value, after recording the access."""
    access = item.detail
    assert isinstance(access, MemoryAccess)
    target = resolve(machine, machine.read(item.args[0]), access.offset_bytes, mask)
    if access.access_bytes and machine.recorder is not None:
        record_access(machine, item, mask, target, access.access_offset_bytes)
    if item.site in machine.facts.summed_loads:
        machine.summed = target.found
    if access.bit_width is not None and target.found is not None:
        return _load_bits(target.found, target, access)
    parts = parts_of(machine, target, mask) if isinstance(target.address, np.ndarray) else ()
    if parts:
        return _load_parts(machine, target, parts, item.scalar)
    return loaded_value(machine, target, item.scalar, mask)


def _load_parts(
    machine: Machine,
    target: Target,
    parts: tuple[tuple[MemoryObject, NDArray[np.bool_]], ...],
    scalar: Scalar,
) -> Value:
    """What lanes find whose pointers lead to several allocations: each what its own holds."""
    assert isinstance(target.address, np.ndarray)
    values: list[Value] = []
    for found, lanes in parts:
        # Lanes of the others ask for what the first of these does.
        address = np.where(lanes, target.address, target.address[int(np.argmax(lanes))])
        values.append(loaded_value(machine, Target(found, address), scalar, Mask(lanes)))
    unknown = [value for value in values if isinstance(value, Unknown)]
    # Equal addresses of variables that each thread has for itself give no equal data.
    is_own = any(found.buffer.space is Space.LOCAL for found, _ in parts)
    if len(unknown) == len(values) and not is_own:
        return _unknown_of_parts(unknown, target.address)
    whole = values[0]
    for (_, lanes), value in zip(parts[1:], values[1:], strict=True):
        whole = merge(lanes, value, whole, scalar)
    return whole


def _unknown_of_parts(parts: list[Unknown], addresses: NDArray[np.int64]) -> Unknown:
    """Data of several allocations that nobody knows: equal addresses still give equal data."""
    bounds = [(part.low, part.high) for part in parts]
    low = [low for low, _ in bounds if low is not None]
    high = [high for _, high in bounds if high is not None]
    is_bounded = len(low) == len(high) == len(parts)
    return Unknown(
        parts[0].key,
        reason=parts[0].reason,
        is_float=parts[0].is_float,
        low=min(low) if is_bounded else None,
        high=max(high) if is_bounded else None,
        lane_index=addresses,
    )


def loaded_value(machine: Machine, target: Target, scalar: Scalar, mask: Mask) -> Value:
    """What is known of the datum at a target."""
    found = target.found
    if found is None or target.address is None:
        return Unknown(
            new_key(),
            uniform=machine.is_host,
            reason="data at an unknown address",
            is_float=scalar.is_float,
        )
    if found.text is not None and isinstance(target.address, int):
        at = target.address - found.base
        return ord(found.text[at]) if at < len(found.text) else 0
    name = found.buffer.name or "memory"
    if found.buffer.space is Space.SHARED or (
        found.buffer.space is Space.LOCAL and isinstance(target.address, np.ndarray)
    ):
        return _load_shared(machine, found, target, scalar, mask)
    relative = target.address - found.base
    if isinstance(relative, np.ndarray) and len(relative) == 1:
        relative = int(relative[0])
    is_private = found.buffer.space is Space.LOCAL and not machine.is_host
    differs = is_private and bool(found.state.get(UNEVEN))
    if not machine.is_host and found.buffer.number in machine.written:
        # The kernel itself has stored there: what the host left is no longer known to be there.
        stores = stores_so_far(found, machine.run_number)
        is_untouched = False
        if stores is not None and not target.is_guess:
            stored = stores.read(relative, scalar, mask.lanes, is_private=False)
            if stored is not None:
                return stored
            is_untouched = stores.is_untouched(relative, scalar, mask.lanes)
        if not is_untouched:
            uniform = isinstance(relative, int) and not differs
            return Unknown(
                new_key(),
                uniform,
                reason=f"data of {name}",
                is_float=scalar.is_float,
                origin=found.buffer.number,
            )
    if machine.is_host:
        is_by_chance = found.contents.is_by_chance
        for entry in machine.loop_stack:
            entry.read_buffers.add(found.buffer.number)
            entry.reads_chance |= is_by_chance
        drawn_element = found.contents.any_of_them(scalar, name) if target.is_guess else None
        if drawn_element is not None:
            return drawn_element
    elif isinstance(relative, int):
        expected = found.contents.expected_number(relative, scalar)
        if expected is not None:
            return expected
    value = found.contents.load(relative, scalar, found.buffer.number, f"data of {name}")
    if isinstance(value, OPEN) and not machine.is_host:
        own = _own_value(machine, found, target, scalar, mask)
        if own is not None:
            return own
    if isinstance(value, Unknown) and machine.is_host and isinstance(relative, int):
        found.contents.store(relative, scalar, value)
    if isinstance(value, Unknown) and not machine.is_host and not target.is_guess:
        elements = machine.elements.setdefault(found.buffer.number, EvenElements())
        value = elements.of(machine, value, relative, mask)
    if isinstance(value, Unknown) and value.is_order and target.is_guess and not machine.is_host:
        # Places that meet have the same number.
        value = replace(value, is_order=target.is_order)
    if isinstance(value, Unknown) and differs and value.uniform:
        value = replace(value, uniform=False)  # one place, but of each lane's own array
    if isinstance(value, Unknown) and is_private and not found.contents.is_lost:
        # Iterations that were skipped have stored what all others have.
        stores = stores_so_far(found, machine.run_number)
        number = stores.only_number() if stores is not None else None
        if number is not None:
            return number_of(number, scalar)
    # Integers stay unknown until something is decided by them: they may be addresses. What an unknown index leads to
    # stays unknown too: such an index was chosen for the data that it leads to.
    if scalar.is_float and not target.is_guess:
        return drawn(value, machine.lane_count)
    return value


def _own_value(
    machine: Machine, found: MemoryObject, target: Target, scalar: Scalar, mask: Mask
) -> Value | None:
    """What lanes find in an array that each has for itself; None where that is not known of all of them."""
    stores = stores_so_far(found, machine.run_number)
    if stores is None or stores.lanes is None or target.is_guess or target.address is None:
        return None
    values = stores.lanes.load(target.address - found.base, scalar, mask)
    if values is None:
        return None
    active = values[mask.rows]
    if len(active) and bool((active == active[0]).all()):
        number: int | float = active[0].item()
        return number
    return values


def _load_bits(found: MemoryObject, target: Target, access: MemoryAccess) -> Value:
    if isinstance(target.address, int):
        cell = found.contents.cells.get(
            (target.address - found.base) * 64 + access.bit_offset + (1 << 40)
        )
        if cell is not None:
            return cell[1]
    high = (1 << (access.bit_width or 1)) - 1
    return Unknown(new_key(), low=0, high=high, reason=f"bit-field of {found.buffer.name}")


def _load_shared(
    machine: Machine, found: MemoryObject, target: Target, scalar: Scalar, mask: Mask
) -> Value:
    if isinstance(target.address, int):
        cell = found.contents.cells.get(target.address - found.base)
        if cell is not None:
            return cell[1]
    if isinstance(target.address, int) and machine.counters.values:
        count = shared_count(machine, found, target.address, scalar)
        if count is not None:
            return count
    stores = stores_so_far(found, machine.run_number)
    sample = None
    if stores is not None and target.address is not None and not target.is_guess:
        stored = stores.read(
            target.address - found.base,
            scalar,
            mask.lanes,
            is_private=found.buffer.space is Space.LOCAL,
        )
        if stored is not None:
            return stored
        own = _own_value(machine, found, target, scalar, mask)
        if own is not None:
            return own
        sample = stores.sample(target.address - found.base, scalar)
        if sample is None and found.buffer.space is Space.SHARED:
            sample = shared_tally(machine, found, stores, scalar)
    value = Unknown(
        new_key(),
        loads_evenly(found, target, mask),
        reason=f"data of {found.buffer.name or 'memory'}",
        is_float=scalar.is_float,
        origin=found.buffer.number,
        low=None if sample is None else float(sample[0]),
        high=None if sample is None else float(sample[-1]),
        sample=sample,
    )
    return drawn(value, machine.lane_count) if scalar.is_float else value
