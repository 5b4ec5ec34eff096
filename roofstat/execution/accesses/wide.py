"""Accesses of instructions that move more than a scalar: record copies and the tiles of matrix instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.accesses.addresses import pointer_add, resolve
from roofstat.execution.accesses.recording import record_access
from roofstat.execution.numbers.values import Mixed, Unknown
from roofstat.execution.stored.kernel_stores import forget_lanes, stores_of
from roofstat.hardware.units import WARP_SIZE
from roofstat.program.code import MemoryAccess, Space, TensorOperation
from roofstat.program.implied_accesses import implied_accesses, tile_position

if TYPE_CHECKING:
    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.execution.numbers.values import Value
    from roofstat.program.code import Instruction, TensorTile


def record_copy(machine: Machine, item: Instruction, mask: Mask) -> None:
    """Record the pieces that a COPY or ZERO moves."""
    if machine.recorder is None or machine.dry or machine.is_host:
        return
    for piece in implied_accesses(item):
        access = piece.detail
        assert isinstance(access, MemoryAccess)
        target = resolve(machine, machine.read(piece.args[0]), access.offset_bytes)
        record_access(machine, piece, mask, target)


def tensor(machine: Machine, item: Instruction, mask: Mask) -> None:
    """A TENSOR: record what a load or store of a tile moves."""
    operation = item.detail
    if not isinstance(operation, TensorOperation):
        return
    if operation.fragments and operation.kind != "store" and not machine.dry:
        _forget(machine, machine.read(item.args[-operation.fragments]))
    if operation.tile is None:
        return
    tile = operation.tile
    address, stride = machine.read(item.args[0]), machine.read(item.args[1])
    if isinstance(stride, Unknown | Mixed):
        machine.assume(
            "unknown-address",
            "the leading dimension of a matrix is unknown: its lines are taken as adjacent",
            item.position,
            mask,
        )
        stride = tile.line_bytes // tile.element_bytes
    for request, piece in enumerate(implied_accesses(item)):
        lane_address = _lane_addresses(machine, tile, request, address, stride)
        target = resolve(machine, lane_address, 0)
        record_access(machine, piece, mask, target)
        if operation.kind == "store" and target.found is not None and not machine.dry:
            machine.memory.written.add(target.found.buffer.number)
            stores_of(target.found, machine.run_number).spoil()
            if target.found.buffer.space is Space.SHARED:
                target.found.contents.forget_cells()


def _forget(machine: Machine, fragment: Value) -> None:
    """The elements of a fragment are no longer what was stored there."""
    found = machine.memory.find(fragment) if isinstance(fragment, int) else None
    if found is not None:
        found.contents.forget()
        forget_lanes(found, machine.run_number)


def _lane_addresses(
    machine: Machine, tile: TensorTile, request: int, address: Value, stride: Value
) -> Value:
    places = np.array([tile_position(tile, request, lane) for lane in range(WARP_SIZE)], np.int64)
    lanes = -(-machine.lane_count // WARP_SIZE)
    line, within = (np.tile(column, lanes)[: machine.lane_count] for column in places.T)
    offset = line * (np.asarray(stride, np.int64) * tile.element_bytes) + within
    return pointer_add(machine, address, offset, 1)
