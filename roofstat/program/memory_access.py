"""Loads, stores and record copies as instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import RecordType, Scalar
from roofstat.program.code import MemoryAccess, Op
from roofstat.program.context import INDEX, Place

if TYPE_CHECKING:
    from clang_queries.ir.types import Type
    from roofstat.program.context import Context

MAX_COPIED_LEAVES = 64
"""Larger records are copied as bytes."""


def _access(place: Place, scalar: Scalar, **overrides: int | None) -> MemoryAccess:
    return MemoryAccess(
        offset_bytes=place.offset_bytes,
        access_bytes=overrides.get("access_bytes", scalar.size_bytes) or 0,
        array=place.array,
        group=overrides.get("group"),
        is_read_only=place.is_read_only,
        bit_offset=place.bit_offset,
        bit_width=place.bit_width,
    )


def load_place(context: Context, place: Place, scalar: Scalar) -> int:
    """Load the scalar at a place."""
    return context.builder.load(scalar, place.address, _access(place, scalar))


def store_place(context: Context, place: Place, value: int, scalar: Scalar) -> None:
    """Store a scalar."""
    context.builder.store(scalar, place.address, value, _access(place, scalar))


def vector_bytes(context: Context, type_: Type) -> int:
    """Width of the vector access that moves a record in one go: 8 or 16 where its alignment allows, else 0."""
    if not isinstance(type_, RecordType):
        return 0
    record = context.program.records.get(type_.key)
    if record is None or record.size_bytes % record.align_bytes:
        return 0
    width = min(record.align_bytes, 16)
    if record.size_bytes == 2 * width == 8:
        width = 8 if record.align_bytes >= 8 else width
    return width if width > 1 else 0


def copy_record(context: Context, target: Place, source: Place, type_: Type) -> None:
    """Copy a record or array; parts of one aligned vector form one access."""
    builder = context.builder
    leaves = context.program.leaves(type_)
    if not leaves or len(leaves) > MAX_COPIED_LEAVES:
        size = type_.size_bytes
        if size:
            builder.emit(
                Op.COPY,
                Scalar.U8,
                _address(context, target),
                _address(context, source),
                detail=size,
            )
        return
    width = vector_bytes(context, type_)
    values: list[int] = []
    plan = _grouping(
        [leaf.offset_bytes for leaf in leaves], [leaf.scalar.size_bytes for leaf in leaves], width
    )
    for copying_out in (False, True):
        groups: dict[int, int] = {}
        for number, leaf in enumerate(leaves):
            chunk, access_bytes = plan[number]
            group = None
            if chunk is not None:
                group = groups.setdefault(chunk, builder.new_group() if chunk not in groups else 0)
            base = target if copying_out else source
            place = Place(
                base.address,
                base.offset_bytes + leaf.offset_bytes,
                base.array,
                is_read_only=base.is_read_only,
            )
            access = _access(place, leaf.scalar, access_bytes=access_bytes, group=group)
            if copying_out:
                builder.store(leaf.scalar, place.address, values[number], access)
            else:
                values.append(builder.load(leaf.scalar, place.address, access))


def _grouping(offsets: list[int], sizes: list[int], width: int) -> list[tuple[int | None, int]]:
    """For each leaf: its vector chunk (None when alone) and the bytes that its access moves (0 for followers)."""
    if width <= min(sizes):
        return [(None, size) for size in sizes]
    members: dict[int, list[int]] = {}
    for number, offset in enumerate(offsets):
        members.setdefault(offset // width, []).append(number)
    plan: list[tuple[int | None, int]] = [(None, size) for size in sizes]
    for chunk, numbers in members.items():
        if len(numbers) < 2:
            continue
        total = sum(sizes[number] for number in numbers)
        for position, number in enumerate(numbers):
            plan[number] = (chunk, total if position == 0 else 0)
    return plan


def _address(context: Context, place: Place) -> int:
    if place.offset_bytes == 0:
        return place.address
    builder = context.builder
    offset = builder.constant(place.offset_bytes, INDEX)
    return builder.value(Op.PTR_ADD, Scalar.U64, place.address, offset, scalar=INDEX, detail=1)
