"""Kernel launches and allocations in host code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import (
    BinaryOp,
    FunctionName,
    Launch,
    New,
)
from clang_queries.ir.types import (
    Scalar,
)
from roofstat.program import expressions, records
from roofstat.program.code import LaunchSite, LibraryCall, Op
from roofstat.program.context import Place
from roofstat.program.memory_access import load_place
from roofstat.program.register_arithmetic import binary_operation, convert

if TYPE_CHECKING:
    from roofstat.program.context import Context


def lower_launch(context: Context, expression: Launch) -> int:
    """Lower a kernel launch."""
    builder = context.builder
    operands: list[int] = []
    key: str | None = None
    if isinstance(expression.kernel, FunctionName):
        key = expression.kernel.key
    else:
        operands.append(expressions.lower_value(context, expression.kernel))
    for dimensions in (expression.grid, expression.block):
        place = records.record_place(context, dimensions)
        for offset in (0, 4, 8):
            part = Place(place.address, place.offset_bytes + offset)
            operands.append(load_place(context, part, Scalar.U32))
    if expression.shared_bytes is None:
        operands.append(builder.constant(0, Scalar.U64))
    else:
        operands.append(expressions.lower_value(context, expression.shared_bytes))
    operands.extend(expressions.lower_value(context, argument) for argument in expression.arguments)
    builder.position = expression.position
    return builder.value(Op.LAUNCH, Scalar.I32, *operands, detail=LaunchSite(kernel=key))


def lower_new(context: Context, expression: New) -> int:
    """Lower a `new` expression."""
    builder = context.builder
    size = max(expression.allocated.size_bytes, 1)
    if expression.count is None:
        count = builder.constant(1, Scalar.U64)
    else:
        count = convert(context, expressions.lower_value(context, expression.count), Scalar.U64)
    bytes_register = binary_operation(
        context, BinaryOp.MUL, count, builder.constant(size, Scalar.U64), Scalar.U64
    )
    builder.position = expression.position
    pointer = builder.value(
        Op.LIBRARY, Scalar.U64, bytes_register, detail=LibraryCall(name="malloc")
    )
    if expression.initializer is not None:
        records.lower_record_into(context, expression.initializer, Place(pointer))
    return pointer
