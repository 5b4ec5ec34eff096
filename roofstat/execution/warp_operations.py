"""Special registers, shuffles and votes: what a lane learns from its place and from its warp."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.execution.guesses.ballots import lanes_that_vote, same_numbers, stored_votes
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import DTYPES, NUMBERS, OPEN, Unknown, Value, to_array
from roofstat.hardware.units import WARP_SIZE
from roofstat.program.code import SpecialRegister

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.program.code import Instruction

_TID = (SpecialRegister.TID_X, SpecialRegister.TID_Y, SpecialRegister.TID_Z)
_CTAID = (SpecialRegister.CTAID_X, SpecialRegister.CTAID_Y, SpecialRegister.CTAID_Z)


def special_value(machine: Machine, item: Instruction) -> Value:
    """threadIdx, blockIdx, blockDim, gridDim, warpSize, laneid, clock."""
    register = item.detail
    assert isinstance(register, SpecialRegister)
    if register is SpecialRegister.WARP_SIZE:
        return WARP_SIZE
    if register is SpecialRegister.CLOCK:
        return Unknown(new_key(), uniform=True, reason="the clock")
    cached = machine.special_cache.get((register, item.scalar))
    if cached is not None:
        return cached
    value = _special(machine, register, item)
    machine.special_cache[(register, item.scalar)] = value
    return value


def _special(machine: Machine, register: SpecialRegister, item: Instruction) -> Value:
    fixed = machine.launch_dimensions.get(register.value)
    if fixed is not None:
        return fixed
    dtype = DTYPES[item.scalar]
    if register is SpecialRegister.LANE_ID:
        return (np.arange(machine.lane_count) % WARP_SIZE).astype(dtype)
    for registers, coordinates in ((_TID, machine.lanes.tid), (_CTAID, machine.lanes.bid)):
        if register in registers:
            return coordinates[registers.index(register)].astype(dtype)
    return Unknown(new_key(), uniform=True, reason=register.value)


def shuffle(machine: Machine, item: Instruction) -> Value:
    """Exchange within warps (sub-warps of `width` lanes)."""
    operands = [machine.read(register) for register in item.args]
    value = operands[0]
    if isinstance(value, NUMBERS):
        return value
    if isinstance(value, Unknown) and value.uniform and not isinstance(value.offset, np.ndarray):
        return value
    if isinstance(value, OPEN) or len(operands) < 2 or isinstance(operands[1], OPEN):
        unknown = value if isinstance(value, Unknown) else None
        reason = unknown.reason if unknown is not None else "another lane's value"
        uniform = item.detail == "idx" and len(operands) > 1 and isinstance(operands[1], int)
        return Unknown(new_key(), uniform, reason=reason, is_float=item.scalar.is_float)
    width = operands[2] if len(operands) > 2 and isinstance(operands[2], int) else WARP_SIZE
    count = machine.lane_count
    lane = np.arange(count) % WARP_SIZE
    argument = to_array(operands[1], Scalar.I64, count)
    source = _source_lane(str(item.detail), lane, argument, width)
    index = np.arange(count) - lane + source
    array = to_array(value, item.scalar, count)
    result: NDArray[np.generic] = array[index]
    return result


def _source_lane(
    kind: str, lane: NDArray[np.int64], argument: NDArray[np.int64], width: int
) -> NDArray[np.int64]:
    first = lane - lane % width
    if kind == "up":
        source = lane - argument
        return np.where(source < first, lane, source)
    if kind == "down":
        source = lane + argument
        return np.where(source >= first + width, lane, source)
    if kind == "xor":
        source = lane ^ argument
        return np.where((source < first + width) & (source < WARP_SIZE), source, lane)
    return first + argument % width


def vote(machine: Machine, item: Instruction, mask: Mask) -> Value:
    """any, all, ballot, activemask, reductions over a warp; any and all of a block."""
    kind = str(item.detail)
    of_block = kind.startswith("block_")
    kind = kind.removeprefix("block_")
    unknown = Unknown(
        new_key(), uniform=True, reason=f"{'block' if of_block else 'warp'} vote {kind}"
    )
    if kind == "activemask":
        return _ballot(machine, mask.lanes)
    if not item.args:
        return unknown
    value = machine.read(item.args[0])
    if machine.lane_count >= WARP_SIZE and kind == "match_any":
        return same_numbers(machine, item, mask)
    if machine.lane_count >= WARP_SIZE and kind == "ballot":
        if isinstance(value, OPEN) and item in stored_votes(machine.frame.code):
            return unknown
        return _ballot(machine, lanes_that_vote(machine, item, mask) & mask.lanes)
    if isinstance(value, OPEN):
        return unknown
    if kind not in ("any", "all", "ballot"):
        return unknown
    flags = to_array(
        value, machine.frame.code.register_types[item.args[0]], machine.lane_count
    ).astype(np.bool_)
    active = mask.lanes
    if machine.lane_count < WARP_SIZE:
        return int(bool(flags[0]))
    grouped = (flags & active) if kind == "any" else (flags | ~active)
    voters = machine.lanes.lanes_per_block if of_block else WARP_SIZE
    rows = grouped.reshape(-1, voters)
    answer = np.asarray(rows.any(axis=1) if kind == "any" else rows.all(axis=1))
    if answer.all() or not answer.any():
        return int(bool(answer[0]))
    return np.repeat(answer, voters).astype(DTYPES[item.scalar])


def _ballot(machine: Machine, lanes: NDArray[np.bool_]) -> Value:
    if machine.lane_count < WARP_SIZE:
        return 1
    bits = (np.uint64(1) << np.arange(WARP_SIZE, dtype=np.uint64)).astype(np.uint64)
    words = (lanes.reshape(-1, WARP_SIZE).astype(np.uint64) * bits).sum(axis=1)
    return np.repeat(words, WARP_SIZE).astype(np.uint32)
