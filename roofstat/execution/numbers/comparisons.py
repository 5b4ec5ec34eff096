"""The comparisons that conditions are made of, how far each is from turning, and where along the grid they turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.execution.numbers.arithmetic import binary
from roofstat.execution.numbers.unknowns import drawn
from roofstat.execution.numbers.values import OPEN, Mixed, Unknown, Value
from roofstat.hardware.units import WARP_SIZE
from roofstat.program.code import Block, If, Op, every_region
from roofstat.program.comparisons import COMPARISONS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.program.code import Code, Instruction


def comparisons_of(machine: Machine, register: int) -> list[Instruction]:
    """The comparisons that a condition is made of."""
    definition = machine.facts.definitions.get(register)
    if definition is None:
        return []
    if definition.op in COMPARISONS:
        return [definition]
    if definition.op in (Op.AND, Op.OR, Op.NOT):
        return [found for item in definition.args for found in comparisons_of(machine, item)]
    return []


def conjunction_of(
    machine: Machine, register: int, *, is_lazy: bool | None = None
) -> list[Instruction] | None:
    """The comparisons that a condition is a conjunction of; None for other shapes.

    Args:
        machine: The running machine.
        register: The condition.
        is_lazy: Whether to look through a ``&&`` whose right operand stands under a branch; of host code by default.
    """
    if is_lazy is None:
        is_lazy = machine.is_host
    definition = machine.facts.definitions.get(register)
    if definition is None:
        return None
    if definition.op in COMPARISONS:
        return [definition]
    if definition.op is Op.AND and definition.scalar is Scalar.BOOL:
        operands = definition.args
    elif is_lazy and definition.op is Op.MOV and definition.args[0] in machine.facts.short_circuits:
        operands = machine.facts.short_circuits[definition.args[0]]
    else:
        return None
    left, right = (conjunction_of(machine, operand, is_lazy=is_lazy) for operand in operands)
    return left + right if left is not None and right is not None else None


def short_circuits(code: Code) -> dict[int, tuple[int, int]]:
    """Variables that hold a ``&&`` whose right operand is evaluated under a branch -> its operands."""
    found: dict[int, tuple[int, int]] = {}
    for region in every_region(code.body):
        if not isinstance(region, If) or region.kind != "logical" or region.otherwise:
            continue
        last = region.then[-1] if region.then else None
        if isinstance(last, Block) and last.instructions:
            result = last.instructions[-1]
            if result.op is Op.MOV:
                found[result.dest] = (region.condition, result.args[0])
    return found


def comparison_distance(machine: Machine, register: int) -> Value | None:
    """``a - b`` of the comparison that computes a condition, as a number; None for other conditions."""
    definition = machine.facts.definitions.get(register)
    if definition is None or definition.op not in COMPARISONS:
        return None
    a, b = (machine.frames[-1].registers[item] for item in definition.args)
    if a is None or b is None or isinstance(a, Mixed) or isinstance(b, Mixed):
        return None
    a, b = drawn(a, machine.lane_count), drawn(b, machine.lane_count)
    if definition.scalar.is_float:
        if isinstance(a, Unknown) or isinstance(b, Unknown):
            return None
        return _float_difference(a, b)
    result = binary(Op.SUB, Scalar.I64, _wide(a), _wide(b), machine.lane_count)
    return None if isinstance(result, OPEN) else result


def note_edge(machine: Machine, comparison: Instruction, distance: Value | None) -> bool:
    """Notice where along the grid a comparison turns; whether that says all about how blocks differ in it."""
    edges = machine.recorder.edges if machine.recorder is not None else None
    if edges is None or not isinstance(distance, np.ndarray):
        return False
    return edges.note(comparison.dest, comparison.op, distance)


def note_edges(machine: Machine, condition: int) -> bool:
    """Notice where along the grid a condition turns; whether that says all about how blocks differ."""
    edges = machine.recorder.edges if machine.recorder is not None else None
    if edges is None or machine.dry:
        return False
    found = comparisons_of(machine, condition)
    explained = bool(found)
    for comparison in found:
        known = edges.explained(comparison.dest)
        if known is None:
            distance = comparison_distance(machine, comparison.dest)
            known = note_edge(machine, comparison, distance)
        explained = explained and known
    return explained


_TURNS = 3
"""Turns from warp to warp of a block of which no guard makes as many."""
_BENT = 0.5
"""Share of the range of a compared number by which it leaves the straight line from the first warp to the last."""
_APART = 0.25
"""Share of its threads in which a block decides otherwise than others for the sample to matter much."""


def note_block_difference(machine: Machine, mask: Mask, lanes: NDArray[np.bool_]) -> None:
    """Notice when whole blocks decide differently: then the sample of blocks matters."""
    recorder = machine.recorder
    if recorder is None or recorder.blocks_differ or machine.dry:
        return
    rows = (-1, machine.lanes.lanes_per_block)
    taken = (lanes & mask.lanes).reshape(rows).sum(axis=1)
    active = mask.lanes.reshape(rows).sum(axis=1)
    counted = (active > 0) & machine.lanes.is_inner_block
    if counted.any():
        shares = taken[counted] / active[counted]
        apart = float(shares.max() - shares.min())
        recorder.blocks_vary = recorder.blocks_vary or apart > 0.0
        recorder.blocks_differ = apart > _APART


def note_turning_warps(
    machine: Machine, condition: int, mask: Mask, lanes: NDArray[np.bool_]
) -> None:
    """Notice when whole warps of a block decide by turns (``if (i % 64 < 32)``): each then has to stand for itself.

    The sample may have too few of them to show the turns; then the number that is compared does not rise with the warps.
    """
    recorder = machine.recorder
    if recorder is None or machine.dry or recorder.edges is None or recorder.chooses_warps:
        return
    sampled = machine.lanes
    if sampled.has_all_warps or any(axis.any() for axis in sampled.tid[1:]):
        return  # of blocks with more than one axis mirror images are sampled
    rows = (-1, machine.lanes.lanes_per_block // WARP_SIZE, WARP_SIZE)
    active = mask.lanes.reshape(rows).sum(axis=2)
    taken = (lanes & mask.lanes).reshape(rows).sum(axis=2)
    is_told = ((active > 0) & ((taken == 0) | (taken == active))).all(axis=1)
    decided = taken > 0
    inner = (decided[:, 0] == decided[:, -1]) & (decided != decided[:, :1]).any(axis=1)
    inner &= (decided == decided[0]).all(axis=1)  # where each block has its own, data decide
    recorder.has_windows = recorder.has_windows or 2 * int(inner.sum()) > len(inner)
    is_told &= decided.any(axis=1) & ~decided.all(axis=1)
    if not is_told.any():
        return
    told = decided[is_told]
    if bool((told != told[0]).any()):
        return  # where each block has turns of its own, data decide
    # Guards turn once, and borders on both sides twice.
    if np.count_nonzero(np.diff(told[0])) >= _TURNS:
        recorder.chooses_warps = True
        return
    places = sampled.warp_of_block.reshape(rows)[is_told][0, :, 0]
    for comparison in comparisons_of(machine, condition):
        distance = comparison_distance(machine, comparison.dest)
        if isinstance(distance, np.ndarray):
            seen = distance.reshape(rows)[is_told][0, :, 0].astype(float)
            even = np.interp(places, places[[0, -1]], seen[[0, -1]])
            if np.abs(seen - even).max() > _BENT * np.ptp(seen):
                recorder.chooses_warps = True


def note_choice(machine: Machine, condition: int) -> None:
    """Notice when a branch asks for some of the warps of a block, or of the blocks by a remainder.

    Then all warps have to be run, or more blocks: the usual sample may have none of those that are asked for.
    """
    recorder = machine.recorder
    if recorder is None or machine.dry or recorder.edges is None:
        return  # without a finder of edges every thread is there
    if recorder.blocks_differ and recorder.chooses_warps:
        return
    for comparison in comparisons_of(machine, condition):
        if comparison.op not in (Op.EQ, Op.NE) or comparison.scalar.is_float:
            continue
        for number, wanted in (comparison.args, comparison.args[::-1]):
            value = machine.read(number)
            note_choice_of_warp(machine, value, machine.read(wanted))
            _note_asked_warp(machine, value, machine.read(wanted))
            if not recorder.blocks_differ and _is_remainder_of_block(machine, value):
                recorder.blocks_differ = recorder.blocks_vary = True


def note_choice_of_warp(machine: Machine, number: Value, wanted: Value | None = None) -> None:
    """Notice when code asks which warp of its block a thread is in.

    Args:
        machine: The running machine.
        number: What it asks for.
        wanted: What that is compared with; None for a switch.
    """
    recorder = machine.recorder
    if recorder is None or machine.dry or recorder.chooses_warps:
        return
    recorder.chooses_warps = _is_number_of_warp(machine, number, wanted)


def _note_asked_warp(machine: Machine, number: Value, wanted: Value | None) -> None:
    """Notice when code asks for one thread of each block (``if (threadIdx.x == 200)``): its warp need not be sampled."""
    recorder, lanes = machine.recorder, machine.lanes
    if recorder is None or not isinstance(number, np.ndarray) or not isinstance(wanted, int):
        return
    rows = (-1, lanes.lanes_per_block)
    numbers, exists = number.reshape(rows), lanes.exists.reshape(rows)[0]
    thread = lanes.warp_of_block[: rows[1]] * WARP_SIZE + np.arange(rows[1]) % WARP_SIZE
    first, last = np.flatnonzero(exists)[[0, -1]]
    step, rest = divmod(
        int(numbers[0, last]) - int(numbers[0, first]), int(thread[last] - thread[first]) or 1
    )
    if rest or not step:
        return
    line = int(numbers[0, first]) + step * (thread - thread[first])
    if (numbers[:, exists] != line[exists]).any():
        return
    asked, rest = divmod(wanted - int(line[first]), step)
    if not rest and 0 <= asked <= thread[last]:
        recorder.asked_warps.add(asked // WARP_SIZE)


def _is_remainder_of_block(machine: Machine, number: Value) -> bool:
    """Whether all threads of a block have one number, which goes up and down along the grid."""
    if not isinstance(number, np.ndarray):
        return False
    blocks = number.reshape(-1, machine.lanes.lanes_per_block)
    if (blocks != blocks[:, :1]).any():
        return False
    steps = np.diff(blocks[:, 0].astype(np.int64))
    return bool((steps > 0).any() and (steps < 0).any())


def _is_number_of_warp(machine: Machine, number: Value, wanted: Value | None) -> bool:
    """Whether warps of a block have different numbers, all threads of one the same.

    The first and the last warp stand for themselves in every sample: those are not asked for.
    """
    lanes = machine.lanes
    if not isinstance(number, np.ndarray) or lanes.lanes_per_block % WARP_SIZE:
        return False
    warps = number.reshape(-1, WARP_SIZE)
    blocks = warps[:, 0].reshape(-1, lanes.lanes_per_block // WARP_SIZE)
    if (warps != warps[:, :1]).any() or not (blocks != blocks[:, :1]).any():
        return False
    is_at_end = isinstance(wanted, int) and wanted in (0, int(lanes.warp_of_block.max()))
    return not (is_at_end and np.array_equal(number, lanes.warp_of_block))


def _wide(value: Value) -> Value:
    return value.astype(np.int64) if isinstance(value, np.ndarray) else value


def _float_difference(a: Value, b: Value) -> Value:
    assert not isinstance(a, OPEN)
    assert not isinstance(b, OPEN)
    first = a.astype(np.float64) if isinstance(a, np.ndarray) else float(a)
    second = b.astype(np.float64) if isinstance(b, np.ndarray) else float(b)
    return first - second
