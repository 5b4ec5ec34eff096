"""What atomic counters hand out: numbers in the order in which threads are taken to come.

Threads that add the same number to one counter get different numbers, without gaps. Which thread gets which is chance;
taken in launch order, those of a warp stay neighbours, and only the last one gets the last number.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.values import DTYPES, Value
from roofstat.program.code import AtomicAccess, Space, SpecialRegister

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.address_space import MemoryObject
    from roofstat.execution.machine import Machine, Mask
    from roofstat.program.code import Instruction

_WARP = 32
_TOLERANCE = 1e-3
_COUNTING = {"add": 1, "inc": 1, "sub": -1}


def handed_out(
    machine: Machine, item: Instruction, mask: Mask, found: MemoryObject, offset: int
) -> Value | None:
    """The old values that an atomic on one address gives its lanes; None where it is no counter.

    In loops nobody knows how the iterations of the threads interleave.
    """
    access = item.detail
    if not isinstance(access, AtomicAccess) or access.name not in _COUNTING:
        return None
    if machine.is_host or machine.dry or machine.loop_stack or item.scalar.is_float:
        return None
    step = machine.read(item.args[1])
    if not isinstance(step, int) or isinstance(step, bool) or step <= 0:
        return None
    is_block_wide = found.buffer.space is Space.SHARED
    ranks = _ranks(machine, mask, is_block_wide=is_block_wide)
    first = _first(machine, item, mask, found, offset, is_block_wide=is_block_wide)
    if access.name == "inc":
        values = (first + ranks) % (step + 1)
    else:
        values = first + _COUNTING[access.name] * step * ranks
    return values.astype(DTYPES[item.scalar])


def _first(
    machine: Machine,
    item: Instruction,
    mask: Mask,
    found: MemoryObject,
    offset: int,
    *,
    is_block_wide: bool,
) -> int:
    """What the counter holds before the launch, or the block, counts."""
    if found.buffer.number not in machine.written:
        value = found.contents.load(offset, item.scalar, found.buffer.number, "")
        if isinstance(value, int):
            return value
    if not is_block_wide:
        name = found.buffer.name or "memory"
        machine.assume(
            "branch", f"the counter in {name} is taken to start at 0", item.position, mask
        )
    return 0


def _ranks(machine: Machine, mask: Mask, *, is_block_wide: bool) -> NDArray[np.int64]:
    """How many threads of the launch, or of the block, come before each active lane."""
    lanes = machine.lanes
    blocks_along = [_extent(machine, register) for register in _GRID]
    warps_per_block = max(math.ceil(math.prod(_extent(machine, r) for r in _BLOCK) / _WARP), 1)
    threads, _ = mask.totals(machine.weight)
    in_block = threads / max(math.prod(blocks_along), 1)
    rows = mask.lanes.reshape(-1, _WARP).astype(np.int64)
    before_in_warp: NDArray[np.int64] = (np.cumsum(rows, axis=1) - rows).reshape(-1)
    before_in_block = _whole(lanes.warp_of_block * in_block / warps_per_block) + before_in_warp
    if is_block_wide:
        return before_in_block.astype(np.int64)
    x, y, z = lanes.bid
    block = x + blocks_along[0] * (y + blocks_along[1] * z)
    return (_whole(block * in_block) + before_in_block).astype(np.int64)


def _whole(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rounded down, but for what is missing because sums of weights are not exact."""
    return np.floor(numbers + _TOLERANCE)


def _extent(machine: Machine, register: SpecialRegister) -> int:
    return machine.launch_dimensions.get(register.value, 1)


_GRID = (SpecialRegister.NCTAID_X, SpecialRegister.NCTAID_Y, SpecialRegister.NCTAID_Z)
_BLOCK = (SpecialRegister.NTID_X, SpecialRegister.NTID_Y, SpecialRegister.NTID_Z)
