"""Loads, stores and record copies as instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import ArrayType, RecordType, Scalar
from roofstat.program.code import MemoryAccess, Op
from roofstat.program.context import INDEX, Place

if TYPE_CHECKING:
    from clang_queries.ir.types import Type
    from roofstat.program.context import Context

MAX_COPIED_LEAVES = 64
"""Larger records are copied as bytes."""


def _access(place: Place, scalar: Scalar) -> MemoryAccess:
    return MemoryAccess(
        offset_bytes=place.offset_bytes,
        access_bytes=scalar.size_bytes,
        array=place.array,
        is_volatile=place.is_volatile,
        is_read_only=place.is_read_only,
        is_in_assembly=place.is_in_assembly,
        bit_offset=place.bit_offset,
        bit_width=place.bit_width,
        record=place.record,
        record_offset_bytes=place.record_offset_bytes,
        record_align_bytes=place.record_align_bytes,
    )


def load_place(context: Context, place: Place, scalar: Scalar) -> int:
    """Load the scalar at a place."""
    return context.builder.load(scalar, place.address, _access(place, scalar))


def store_place(context: Context, place: Place, value: int, scalar: Scalar) -> None:
    """Store a scalar."""
    context.builder.store(scalar, place.address, value, _access(place, scalar))


def copy_record(context: Context, target: Place, source: Place, type_: Type) -> None:
    """Copy a record or array by its scalar parts."""
    builder = context.builder
    leaves = context.program.leaves(type_)
    if not leaves or len(leaves) > MAX_COPIED_LEAVES:
        unit = copy_unit(context, type_)
        if type_.size_bytes:
            to, from_ = place_address(context, target), place_address(context, source)
            builder.emit(Op.COPY, unit, to, from_, detail=type_.size_bytes)
        return
    record = context.program.records.get(type_.key) if isinstance(type_, RecordType) else None
    key, align = (record.key, record.align_bytes) if record is not None else ("", 0)
    parts = [
        (leaf, source.part(leaf.offset_bytes, record=key, align_bytes=align)) for leaf in leaves
    ]
    values = [load_place(context, part, leaf.scalar) for leaf, part in parts]
    for leaf, value in zip(leaves, values, strict=True):
        part = target.part(leaf.offset_bytes, record=key, align_bytes=align)
        store_place(context, part, value, leaf.scalar)


_UNITS = {2: Scalar.U16, 4: Scalar.U32, 8: Scalar.U64, 16: Scalar.U128}


def copy_unit(context: Context, type_: Type) -> Scalar:
    """The widest access that the alignment of a type allows."""
    while isinstance(type_, ArrayType):
        type_ = type_.element
    record = context.program.records.get(type_.key) if isinstance(type_, RecordType) else None
    align = record.align_bytes if record is not None else type_.size_bytes
    return _UNITS.get(min(align, 16), Scalar.U8)


def place_address(context: Context, place: Place) -> int:
    """The address of a place in one register."""
    if place.offset_bytes == 0:
        return place.address
    builder = context.builder
    offset = builder.constant(place.offset_bytes, INDEX)
    return builder.value(Op.PTR_ADD, Scalar.U64, place.address, offset, scalar=INDEX, detail=1)
