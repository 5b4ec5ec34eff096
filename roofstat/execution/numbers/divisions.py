"""What is known of the operands of divisions: numerators that are zero, long integers that fit into words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.numbers.unknowns import value_bounds
from roofstat.execution.numbers.values import Mixed, Unknown
from roofstat.hardware.units import WARP_SIZE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.execution.numbers.values import Value

_WORDS = 1 << 32
_PLACES = 3
"""Zeros in a single one of at least so many sampled places along an axis are those of that place alone."""


def note_division(machine: Machine, site: int, numerator: Value, mask: Mask) -> None:
    """Tell the recorder of one execution of a division."""
    recorder = machine.recorder
    if recorder is None or machine.dry:
        return
    threads, _ = mask.totals(machine.weight)
    of_zero = 0.0
    if not isinstance(numerator, Unknown):
        if isinstance(numerator, Mixed):
            is_zero = mask.lanes & numerator.known & (numerator.values == 0)
        else:
            is_zero = mask.lanes & (np.asarray(numerator) == 0)
        if is_zero.any():
            trace = recorder.trace
            of_zero = _threads(machine, mask.lanes, is_zero, threads, trace.grid, trace.block)
    recorder.division(site, threads, of_zero=of_zero)


def note_long_division(
    machine: Machine, site: int, operands: tuple[Value, Value], mask: Mask
) -> None:
    """Tell the recorder of one execution of a division of 64-bit integers: pairs of words take a subroutine."""
    recorder = machine.recorder
    if recorder is None or machine.dry:
        return
    threads, _ = mask.totals(machine.weight)
    fits = [_fits_word(operand, machine.lane_count) for operand in operands]
    is_long = mask.lanes & ~(fits[0][1] & fits[1][1])
    is_short = mask.lanes & fits[0][0] & fits[1][0]
    shares = [float(machine.weight[lanes].sum()) for lanes in (mask.lanes, is_short, is_long)]
    scale = threads / shares[0] if shares[0] else 0.0
    recorder.division(site, threads, of_words=scale * shares[1], of_pairs=scale * shares[2])


def _fits_word(value: Value, lanes: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(lanes whose number surely fits into an unsigned word, lanes where it may)."""
    if isinstance(value, Mixed):
        surely, perhaps = _fits_word(value.values, lanes)
        unknown = _fits_word(value.unknown, lanes)
        return np.where(value.known, surely, unknown[0]), np.where(value.known, perhaps, unknown[1])
    if isinstance(value, Unknown):
        bounds = None if value.is_type_range else value_bounds(value)
        low, high = bounds or (-math.inf, math.inf)
        return np.full(lanes, low >= 0 and high < _WORDS), np.full(
            lanes, high >= 0 and low < _WORDS
        )
    known = np.broadcast_to(np.asarray(value), (lanes,))
    fits = (known >= 0) & (known < _WORDS)
    return fits, fits


def _threads(
    machine: Machine,
    active: NDArray[np.bool_],
    is_zero: NDArray[np.bool_],
    threads: float,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
) -> float:
    """Threads of the launch with a zero.

    A number that crosses zero along the grid, as distances from the middle do, is zero in one block along that axis;
    the blocks that this one stands for in the sample have none.
    """
    lanes = machine.lanes
    weight = machine.weight
    axes = (*lanes.bid, lanes.warp_of_block)
    sizes = (*grid, -(-math.prod(block) // WARP_SIZE))
    share = 1.0
    near = active
    for axis, (places, size) in enumerate(zip(axes, sizes, strict=True)):
        zeros = places[is_zero]
        if size < _PLACES or zeros.min() != zeros.max():
            continue
        # Seen along this axis alone, from where the zeros are.
        others = _numbered(tuple(one for number, one in enumerate(axes) if number != axis))
        beside = active & np.isin(others, others[is_zero])
        if len(np.unique(places[beside])) >= _PLACES:
            near = near & (places == zeros[0])
            share /= size
    if share == 1.0 or lanes.is_whole:
        return float(weight[is_zero].sum())
    return threads * share * float(weight[is_zero].sum() / weight[near].sum())


def _numbered(axes: tuple[NDArray[np.int64], ...]) -> NDArray[np.int64]:
    """One number for each combination of coordinates."""
    number = np.zeros(len(axes[0]), np.int64)
    for places in axes:
        number = number * (int(places.max()) + 1) + places
    return number
