"""What a traced launch does and moves, before the models look at it: enough to tell launches apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.stored.distinct import distinct
from roofstat.hardware.units import WARP_SIZE
from roofstat.program.code import Op, Space, blocks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from roofstat.execution.trace import AccessEvent, LaunchTrace
    from roofstat.program.code import Instruction

_FUNCTION_WEIGHT = 10
"""What a function of the math library or a division counts as, in plain instructions."""
_PLAIN_FUNCTIONS = frozenset(
    {"min", "max", "fmin", "fmax", "abs", "fma", "floor", "ceil", "trunc", "rint", "evenly"}
)
_SECTOR_BYTES = 32
_BANKS = 32
_WORD_BYTES = 4
_NOWHERE = -1
_ALIKE = 1.1
"""Amounts within this factor are the same amount."""

Amounts = tuple[float, ...]


def moved_by(trace: LaunchTrace) -> Amounts:
    """Of one launch: sectors that warps ask for, different ones of each access and of all that read or write an allocation, passes of shared memory."""
    events: dict[int, list[AccessEvent]] = {}
    by_buffer: tuple[dict[int, list[AccessEvent]], ...] = ({}, {})
    stores = {item.site for _, item in trace.code.instructions() if item.op is Op.STORE}
    for event in trace.events:
        events.setdefault(event.site, []).append(event)
        if event.buffer is not None and trace.sites[event.site].space is not Space.SHARED:
            by_buffer[event.site in stores].setdefault(event.buffer, []).append(event)
    sectors = different = passes = 0.0
    read, written = (
        math.fsum(_sectors(group)[1] for group in groups.values()) for groups in by_buffer
    )
    for site, group in events.items():
        if trace.sites[site].space is Space.SHARED:
            passes += math.fsum(map(_passes, group))
        else:
            asked, own = _sectors(group)
            sectors += asked
            different += own
    return sectors, different, read, written, passes


def are_alike(first: Amounts, second: Amounts) -> bool:
    """Whether amounts of two launches are the same but for small differences."""
    return all(
        max(one, other) <= _ALIKE * min(one, other)
        for one, other in zip(first, second, strict=True)
    )


def work_of(trace: LaunchTrace) -> float:
    """Thread-level instructions of one launch, before they are lowered."""
    return math.fsum(
        threads * sum(map(_instruction_weight, block.instructions))
        for block in blocks(trace.code.body)
        if (threads := trace.block_threads.get(block.number, 0.0))
    )


def _instruction_weight(item: Instruction) -> int:
    is_function = item.op is Op.MATH and item.detail not in _PLAIN_FUNCTIONS
    return _FUNCTION_WEIGHT if is_function or (item.op is Op.DIV and item.scalar.is_float) else 1


def _sectors(events: Iterable[AccessEvent]) -> tuple[float, float]:
    """Sectors that the warps of one instruction ask for, and how many different ones that may be."""
    asked = 0.0
    seen: list[NDArray[np.int64]] = []
    for event in events:
        places, is_first, weights = _granules(event, _SECTOR_BYTES)
        asked += float(is_first.sum(axis=1) @ weights)
        seen.append(places[is_first])
    together = np.concatenate(seen) if seen else np.zeros(0, np.int64)
    if not len(together):
        return 0.0, 0.0
    share = len(distinct(together)) / len(together)
    span = float(together.max() - together.min() + 1)
    return asked, min(asked * share, span)


def _passes(event: AccessEvent) -> float:
    """Passes of shared memory that an execution takes: the words that fall on its busiest bank."""
    places, is_first, weights = _granules(event, _WORD_BYTES)
    warps, _ = np.nonzero(is_first)
    banks = warps * _BANKS + places[is_first] % _BANKS
    words = np.bincount(banks, minlength=len(weights) * _BANKS).reshape(-1, _BANKS)
    return float(words.max(axis=1) @ weights)


def _granules(
    event: AccessEvent, granule: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.float64]]:
    """For each warp: the granules that its lanes touch, in order, the first of equal ones, and how many it stands for."""
    places = np.where(event.active, event.address // granule, _NOWHERE).reshape(-1, WARP_SIZE)
    places = np.sort(places, axis=1)
    is_first = places != _NOWHERE
    is_first[:, 1:] &= places[:, 1:] != places[:, :-1]
    weights = np.where(event.active, event.weight, 0.0).reshape(-1, WARP_SIZE).max(axis=1)
    return places, is_first, weights
