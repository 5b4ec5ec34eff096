"""The loads and stores behind instructions that move more than one scalar: copies, matrix tiles, texture fetches.

Each of them has a site of its own, from the instruction's on, so that traces and models treat it like any other access.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.program.code import (
    Instruction,
    MemoryAccess,
    Op,
    TensorOperation,
    TextureAccess,
)

if TYPE_CHECKING:
    from roofstat.program.code import TensorTile

MAX_PIECES = 64
"""A copy in more pieces is seen as this many larger ones."""


def implied_accesses(item: Instruction) -> list[Instruction]:
    """LOADs and STOREs that stand for what a COPY, ZERO, TENSOR or TEXTURE instruction does; none for others."""
    detail = item.detail
    if item.op in (Op.COPY, Op.ZERO) and isinstance(detail, int):
        return _copied(item, detail)
    if item.op is Op.TENSOR and isinstance(detail, TensorOperation) and detail.tile is not None:
        lines, along = detail.tile.steps
        op = Op.STORE if detail.kind == "store" else Op.LOAD
        return [
            _access(item, op, number, item.args[0], 0, detail.tile.lane_bytes, detail.tile.array)
            for number in range(lines * along)
        ]
    if item.op is Op.TEXTURE and isinstance(detail, TextureAccess) and detail.access_bytes:
        op = Op.STORE if detail.is_store else Op.LOAD
        return [_access(item, op, 0, item.args[0], 0, detail.access_bytes, detail.array)]
    return []


def site_count(item: Instruction) -> int:
    """Sites that an instruction takes."""
    return max(len(implied_accesses(item)), 1)


def pieces(size_bytes: int, unit_bytes: int) -> list[tuple[int, int]]:
    """(offset, bytes) of the accesses that move a stretch of memory."""
    unit = max(unit_bytes, 1)
    count = -(-size_bytes // unit)
    if count > MAX_PIECES:
        unit *= -(-count // MAX_PIECES)
    return [(start, min(unit, size_bytes - start)) for start in range(0, size_bytes, unit)]


def _copied(item: Instruction, size_bytes: int) -> list[Instruction]:
    parts = pieces(size_bytes, item.scalar.size_bytes)
    found = [
        _access(item, Op.STORE, number, item.args[0], offset, size, "")
        for number, (offset, size) in enumerate(parts)
    ]
    if item.op is Op.COPY:
        found += [
            _access(item, Op.LOAD, len(parts) + number, item.args[1], offset, size, "")
            for number, (offset, size) in enumerate(parts)
        ]
    return found


def _access(
    item: Instruction, op: Op, number: int, address: int, offset: int, size: int, array: str
) -> Instruction:
    access = MemoryAccess(offset_bytes=offset, access_bytes=size, array=array)
    scalar = item.scalar if item.scalar is not Scalar.VOID else Scalar.U8
    return Instruction(op, -1, (address,), scalar, item.site + number, item.position, access)


def tile_position(tile: TensorTile, request: int, lane: int) -> tuple[int, int]:
    """(line, byte within the line) that a lane moves in one of the requests for a tile."""
    lines, neighbours = tile.shape
    step, along = divmod(request, tile.steps[1])
    line, neighbour = (lane % lines, lane // lines) if tile.is_crossed else divmod(lane, neighbours)
    return step * lines + line, (along * neighbours + neighbour) * tile.lane_bytes
