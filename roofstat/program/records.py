"""Records and arrays in memory: where they are, and how one comes to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import (
    Assign,
    Binary,
    BitCast,
    Call,
    Cast,
    Comma,
    Conditional,
    Construct,
    Expr,
    FunctionName,
    InitList,
    Member,
    OpaqueExpr,
    StatementExpr,
    StringLiteral,
)
from clang_queries.ir.types import (
    ArrayType,
    FunctionType,
    RecordType,
    Scalar,
)
from roofstat.program import expressions, places
from roofstat.program.code import Op
from roofstat.program.context import Place
from roofstat.program.forms import array_name, is_decayed, is_lvalue
from roofstat.program.memory_access import copy_record, place_address, store_place
from roofstat.program.register_arithmetic import convert

if TYPE_CHECKING:
    from clang_queries.ir.types import Type
    from roofstat.program.context import Context


LARGE_RECORD_BYTES = 4096
"""Larger records are cleared as a whole: spelling out a matrix within a class would cost seconds."""


def is_memory_type(context: Context, type_: Type) -> bool:
    """Whether values of a type live in memory, not in one register."""
    return isinstance(type_, RecordType | ArrayType) and context.program.scalar_of(type_) is None


def record_place(context: Context, expression: Expr) -> Place:
    """Where a record or array value is: its own place for lvalues, a new temporary otherwise."""
    if is_lvalue(expression):
        if isinstance(expression, Assign):
            # The value is complete before it is stored, so that one aligned vector is one access.
            source = record_place(context, expression.value)
            place = places.lower_place(context, expression.target)
            builder = context.builder
            builder.position = expression.position
            copy_record(context, place, source, expression.type)
            return place
        return places.lower_place(context, expression)
    match expression:
        case Cast(operand=operand) | Construct(constructor=None, arguments=(operand,)) if is_lvalue(
            operand
        ):
            return places.lower_place(context, operand)
        case Comma(left=left, right=right):
            expressions.lower_effect(context, left)
            return record_place(context, right)
        case Member():  # of a temporary
            return places.lower_place(context, expression)
        case Binary() if is_decayed(expression):
            return Place(expressions.lower_value(context, expression), array=array_name(expression))
        case _:
            size = max(expression.type.size_bytes, 1)
            index = context.builder.local_slot("", size, host=context.is_host)
            place = Place(context.builder.slot_address(index))
            lower_record_into(context, expression, place)
            return place


def lower_record_into(context: Context, expression: Expr, place: Place) -> None:
    """Evaluate a record (or array) expression into a place; scalars are stored."""
    builder = context.builder
    builder.position = expression.position
    type_ = expression.type
    # A function in an initialiser list is its address.
    scalar = Scalar.U64 if isinstance(type_, FunctionType) else context.program.scalar_of(type_)
    if scalar is not None and not isinstance(expression, Construct | InitList):
        if scalar is not Scalar.VOID:
            store_place(
                context,
                place,
                convert(context, expressions.lower_value(context, expression), scalar),
                scalar,
            )
        else:
            expressions.lower_effect(context, expression)
        return
    match expression:
        case Construct(constructor=None, arguments=arguments):
            if arguments:
                lower_record_into(context, arguments[0], place)
        case Construct(constructor=FunctionName() as constructor, arguments=arguments):
            from roofstat.program.calls import lower_constructor

            lower_constructor(context, constructor, arguments, place, expression)
        case InitList(elements=elements, zero_fill=zero_fill):
            _initialise(context, expression, elements, place, zero_fill=zero_fill)
        case Call():
            from roofstat.program.calls import lower_call

            lower_call(context, expression, place)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            flag = expressions.lower_condition(context, condition)
            expressions.lower_branch(
                context,
                flag,
                lambda: lower_record_into(context, then, place),
                lambda: lower_record_into(context, otherwise, place),
                expression,
                "conditional",
            )
        case Comma(left=left, right=right):
            expressions.lower_effect(context, left)
            lower_record_into(context, right, place)
        case StatementExpr():
            expressions.lower_statement_expression(context, expression, place)
        case StringLiteral(value=text):
            source = builder.value(Op.STRING, Scalar.U64, detail=text)
            builder.emit(
                Op.COPY,
                Scalar.U8,
                place_address(context, place),
                source,
                detail=type_.size_bytes,
            )
        case Cast(operand=operand) | BitCast(operand=operand):
            if is_lvalue(operand):
                copy_record(context, place, places.lower_place(context, operand), type_)
            else:
                lower_record_into(context, operand, place)
        case OpaqueExpr(reason=reason, operands=operands):
            for operand in operands:
                expressions.lower_effect(context, operand)
            _unknown_record(context, expression, place, reason)
        case Member():
            copy_record(context, place, places.lower_place(context, expression), type_)
        case _ if is_lvalue(expression):
            copy_record(context, place, record_place(context, expression), type_)
        case _:
            _unknown_record(
                context, expression, place, f"no lowering for {type(expression).__name__}"
            )


def _unknown_record(context: Context, expression: Expr, place: Place, reason: str) -> None:
    builder = context.builder
    builder.position = expression.position
    builder.assume("front-end", reason)
    for leaf in context.program.leaves(expression.type)[:64]:
        value = builder.unknown(leaf.scalar, reason)
        target = Place(place.address, place.offset_bytes + leaf.offset_bytes, place.array)
        store_place(context, target, value, leaf.scalar)


def _initialise(
    context: Context,
    expression: InitList,
    elements: tuple[tuple[int, Expr], ...],
    place: Place,
    *,
    zero_fill: bool,
) -> None:
    builder = context.builder
    covered: set[int] = set()
    for offset, element in elements:
        size = max(element.type.size_bytes, 1)
        covered.update(range(offset, offset + size) if size <= 4096 else ())
    if zero_fill:
        is_large = expression.type.size_bytes > LARGE_RECORD_BYTES
        leaves = () if is_large else context.program.leaves(expression.type)
        missing = [leaf for leaf in leaves if leaf.offset_bytes not in covered]
        if is_large or len(missing) > 64:
            builder.emit(
                Op.ZERO,
                Scalar.U8,
                place_address(context, place),
                detail=expression.type.size_bytes,
            )
        else:
            for leaf in missing:
                zero = builder.constant(0.0 if leaf.scalar.is_float else 0, leaf.scalar)
                target = Place(place.address, place.offset_bytes + leaf.offset_bytes, place.array)
                store_place(context, target, zero, leaf.scalar)
    for offset, element in elements:
        target = Place(place.address, place.offset_bytes + offset, place.array)
        lower_record_into(context, element, target)
