"""`memcpy`, `memmove` and `memset` in device code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import BitCast, Cast
from clang_queries.ir.types import ArrayType, PointerType, RecordType, Scalar, ScalarType
from roofstat.program.code import Op
from roofstat.program.context import Place
from roofstat.program.expressions import lower_value
from roofstat.program.forms import array_name
from roofstat.program.memory_access import load_place, store_place
from roofstat.program.register_arithmetic import convert

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Call, Expr
    from clang_queries.ir.types import Type
    from roofstat.program.builder import Builder
    from roofstat.program.context import Context
    from roofstat.program.link import Leaf

MAX_TYPED_BYTES = 64
"""Larger copies move bytes, as the compiler's expansion of `memcpy` does; smaller ones mostly reinterpret a value."""


def lower_memory_function(context: Context, name: str, call: Call) -> int:
    """Lower the call; returns the destination."""
    builder = context.builder
    target, source, size = (lower_value(context, argument) for argument in call.arguments)
    builder.position = call.position
    places = [Place(target, array=array_name(call.arguments[0]))]
    if name != "memset":
        places.append(Place(source, array=array_name(call.arguments[1])))
    if size not in builder.constants:
        _loop(context, places, source, size)
        return target
    size_bytes = int(builder.constants[size])
    is_clear = name != "memset" or builder.constants.get(source) == 0
    leaves = _leaves(context, call, size_bytes) if is_clear else None
    if leaves is not None:
        _typed(context, places, leaves)
    elif name != "memset":
        builder.emit(Op.COPY, Scalar.U8, target, source, detail=size_bytes)
    elif is_clear:
        builder.emit(Op.ZERO, Scalar.U8, target, detail=size_bytes)
    else:
        _loop(context, places, source, size)
    return target


ASYNC_UNITS = {4: Scalar.U32, 8: Scalar.U64, 16: Scalar.U128}
"""Sizes of asynchronous copies."""


def lower_async_copy(context: Context, call: Call) -> int:
    """A copy from global to shared memory that bypasses the registers: one access of 4, 8 or 16 bytes on each side."""
    builder = context.builder
    target, source, size = (lower_value(context, argument) for argument in call.arguments[:3])
    builder.position = call.position
    size_bytes = int(builder.constants.get(size, 0))
    unit = ASYNC_UNITS.get(size_bytes)
    if unit is None:
        builder.assume("library-call", "an asynchronous copy of unknown size is not counted")
        return -1
    emit_async_copy(builder, unit, target, source)
    return -1


def emit_async_copy(builder: Builder, unit: Scalar, target: int, source: int) -> None:
    """A copy that the threads wait for later, if at all: which wait is for which copy is not modelled."""
    builder.assume("async-copy", "waits for asynchronous copies are left out of the latency")
    builder.emit(Op.COPY, unit, target, source, detail=unit.size_bytes)


def _leaves(context: Context, call: Call, size_bytes: int) -> list[tuple[int, Leaf]] | None:
    """(start of the element, scalar) for a small copy of whole elements; None for others."""
    if size_bytes > MAX_TYPED_BYTES:
        return None
    for argument in call.arguments[:2]:
        element = _pointee(argument)
        width = element.size_bytes if element is not None else 0
        if element is not None and width > 1 and size_bytes % width == 0:
            parts = context.program.leaves(element)
            return [
                (start, leaf) for start in range(0, size_bytes, width) for leaf in parts
            ] or None
    return None


def _pointee(argument: Expr) -> Type | None:
    """What a pointer pointed to before it was converted to `void*`."""
    while isinstance(argument, Cast | BitCast) and isinstance(argument.type, PointerType):
        if isinstance(argument.operand.type, ArrayType):
            return argument.operand.type.element
        argument = argument.operand
    type_ = argument.type
    if isinstance(type_, ArrayType):
        return type_.element
    pointee = type_.pointee if isinstance(type_, PointerType) else None
    return pointee if isinstance(pointee, ScalarType | RecordType | PointerType) else None


def _typed(context: Context, places: list[Place], leaves: list[tuple[int, Leaf]]) -> None:
    builder = context.builder
    values: list[int] = []
    for start, leaf in leaves:
        if len(places) == 1:
            values.append(builder.constant(0.0 if leaf.scalar.is_float else 0, leaf.scalar))
        else:
            part = places[1].part(start + leaf.offset_bytes)
            values.append(load_place(context, part, leaf.scalar))
    for (start, leaf), value in zip(leaves, values, strict=True):
        store_place(context, places[0].part(start + leaf.offset_bytes), value, leaf.scalar)


def _loop(context: Context, places: list[Place], value: int, size: int) -> None:
    """Byte by byte, as compilers expand it."""
    builder = context.builder
    count = convert(context, size, Scalar.U64)
    index = builder.variable(Scalar.U64)
    builder.move(index, builder.constant(0, Scalar.U64))

    def body() -> None:
        parts = [
            Place(
                builder.value(
                    Op.PTR_ADD, Scalar.U64, place.address, index, scalar=Scalar.U64, detail=1
                ),
                array=place.array,
            )
            for place in places
        ]
        if len(parts) > 1:
            moved = load_place(context, parts[1], Scalar.U8)
        else:
            moved = convert(context, value, Scalar.U8)
        store_place(context, parts[0], moved, Scalar.U8)

    def advance() -> None:
        one = builder.constant(1, Scalar.U64)
        builder.move(index, builder.value(Op.ADD, Scalar.U64, index, one))

    builder.repeat(
        lambda: builder.value(Op.LT, Scalar.BOOL, index, count, scalar=Scalar.U64), body, advance
    )
