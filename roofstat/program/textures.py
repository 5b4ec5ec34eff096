"""Texture fetches and surface accesses by name: `tex2D<float4>(object, x, y)` becomes TEXTURE instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import AddressOf, Cast
from clang_queries.ir.types import PointerType, RecordType
from clang_queries.quick_pattern import pattern
from roofstat.program.code import Op, TextureAccess
from roofstat.program.context import Place
from roofstat.program.expressions import lower_value
from roofstat.program.forms import array_name
from roofstat.program.memory_access import place_address, store_place
from roofstat.program.records import record_place

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Call, Expr
    from clang_queries.ir.types import Type
    from roofstat.program.context import Context

_FETCH = pattern(r"(tex1Dfetch|tex(1D|2D|3D|Cubemap)(Layered)?(Lod|Grad|gather)?)$")
_SURFACE = pattern(r"surf(1D|2D|3D|Cubemap)(Layered)?(read|write)$")
_DIMENSIONS = {"1D": 1, "2D": 2, "3D": 3, "Cubemap": 3}
_REFERENCES = ("texture<", "surface<", "textureReference", "surfaceReference")


def lower_texture(context: Context, name: str, call: Call) -> int | None:
    """Lower a fetch; None for other functions. The result is a register, or the address of a record."""
    fetch, surface = _FETCH.match(name), _SURFACE.match(name)
    if fetch is not None:
        dimensions = _DIMENSIONS.get(fetch.group(2) or "1D", 1) + bool(fetch.group(3))
        return _read(context, call, name, dimensions)
    if surface is None:
        return None
    dimensions = _DIMENSIONS[surface.group(1)] + bool(surface.group(2))
    if surface.group(3) == "write":
        return _write(context, call, name, dimensions)
    return _read(context, call, name, dimensions, is_byte_indexed=True)


def _read(
    context: Context,
    call: Call,
    name: str,
    dimensions: int,
    *,
    is_byte_indexed: bool = False,
) -> int | None:
    arguments = list(call.arguments)
    target: int | None = None
    type_ = call.type
    if arguments and isinstance(arguments[0].type, PointerType) and not _is_handle(arguments[0]):
        # The result goes through a pointer: `tex1Dfetch(&v, object, i)`.
        pointer = arguments.pop(0)
        assert isinstance(pointer.type, PointerType)
        type_ = pointer.type.pointee
        target = lower_value(context, pointer)
    if len(arguments) < 1 + dimensions:
        return None
    builder = context.builder
    operands = [_handle(context, arguments[0])]
    operands += [lower_value(context, item) for item in arguments[1 : 1 + dimensions]]
    builder.position = call.position
    parts = context.program.leaves(type_)
    if not parts:
        return None
    values = [
        builder.value(
            Op.TEXTURE,
            leaf.scalar,
            *operands,
            scalar=builder.register_types[operands[1]],
            detail=TextureAccess(
                name=name,
                dimensions=dimensions,
                access_bytes=type_.size_bytes if number == 0 else 0,
                is_byte_indexed=is_byte_indexed,
                component_offset_bytes=leaf.offset_bytes,
                array=array_name(arguments[0]),
            ),
        )
        for number, leaf in enumerate(parts)
    ]
    if target is None and context.program.scalar_of(type_) is not None:
        return values[0]
    if target is None:
        index = builder.local_slot("", max(type_.size_bytes, 1), host=context.is_host)
        target = builder.slot_address(index)
    for leaf, value in zip(parts, values, strict=True):
        store_place(context, Place(target, leaf.offset_bytes), value, leaf.scalar)
    return target


def _write(context: Context, call: Call, name: str, dimensions: int) -> int | None:
    arguments = call.arguments
    if len(arguments) < 2 + dimensions:
        return None
    value = lower_value(context, arguments[0])
    operands = [_handle(context, arguments[1])]
    operands += [lower_value(context, item) for item in arguments[2 : 2 + dimensions]]
    builder = context.builder
    builder.position = call.position
    detail = TextureAccess(
        name=name,
        dimensions=dimensions,
        access_bytes=max(_size(arguments[0].type), 1),
        is_store=True,
        is_byte_indexed=True,
        array=array_name(arguments[1]),
    )
    coordinate = builder.register_types[operands[1]]
    builder.emit(Op.TEXTURE, coordinate, *operands, value, detail=detail)
    return -1


def _size(type_: Type) -> int:
    return type_.size_bytes


def _is_handle(expression: Expr) -> bool:
    """Whether an argument is a texture reference rather than a place for the result."""
    inner = expression
    while isinstance(inner, Cast | AddressOf):
        inner = inner.operand
    return _is_reference(inner.type)


def _is_reference(type_: Type) -> bool:
    return isinstance(type_, RecordType) and any(word in type_.name for word in _REFERENCES)


def _handle(context: Context, expression: Expr) -> int:
    """The texture object, or the address of a texture reference."""
    if isinstance(expression.type, RecordType):
        return place_address(context, record_place(context, expression))
    return lower_value(context, expression)
