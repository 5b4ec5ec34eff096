"""Implicit and explicit conversions: libclang hides their kind, so it follows from the two types."""

from __future__ import annotations

import math
import struct

from clang_queries.ir.expressions import Cast, Constant, Expr, FunctionName, InitList, OpaqueExpr
from clang_queries.ir.types import (
    BOOL,
    I32,
    ArrayType,
    FunctionType,
    OpaqueType,
    PointerType,
    RecordType,
    Scalar,
    ScalarType,
    Type,
)
from clang_queries.lowering.scope import Scope, address_of, dereference, member_at
from clang_queries.lowering.types import same_layout


def convert(scope: Scope, operand: Expr, target: Type) -> Expr:
    """`operand` converted to `target`; qualifiers alone change nothing."""
    source = operand.type
    if source is target:
        return operand
    if isinstance(target, ScalarType):
        return _to_scalar(scope, operand, target)
    if isinstance(target, PointerType):
        return _to_pointer(scope, operand, target)
    if isinstance(target, RecordType):
        return _to_record(scope, operand, target)
    if isinstance(target, (FunctionType, ArrayType)) or same_layout(source, target):
        return operand
    if target.name in _TRANSPARENT:
        return operand
    return _opaque(scope, operand, target, "conversion to a type without layout")


_TRANSPARENT = frozenset(
    {"<dependent type>", "auto", "<bound member function type>", "<overloaded function type>"}
)


def _opaque(scope: Scope, operand: Expr, target: Type, reason: str) -> Expr:
    scope.unit.opaque(reason)
    return OpaqueExpr(target, operand.position, reason, (operand,))


def _to_scalar(scope: Scope, operand: Expr, target: ScalarType) -> Expr:
    source = operand.type
    if isinstance(operand, Constant) and target.scalar is not Scalar.VOID:
        folded = fold(operand.value, target.scalar)
        if folded is not None:
            return Constant(target, operand.position, folded)
    if source == target:
        return operand
    if (
        isinstance(source, (ScalarType, PointerType, ArrayType, FunctionType))
        or target.scalar is Scalar.VOID
    ):
        return Cast(target, operand.position, operand)
    if isinstance(operand, OpaqueExpr):
        return OpaqueExpr(target, operand.position, operand.reason, operand.operands)
    if isinstance(operand, InitList):
        values = [value for _, value in operand.elements]
        return (
            convert(scope, values[0], target) if values else Constant(target, operand.position, 0)
        )
    return _opaque(scope, operand, target, "conversion of a record to a number")


def _to_pointer(scope: Scope, operand: Expr, target: PointerType) -> Expr:
    source = operand.type
    if isinstance(operand, Constant) and not operand.value:
        return Constant(target, operand.position, 0)
    if isinstance(source, PointerType):
        if source.is_volatile != target.is_volatile:
            return Cast(target, operand.position, operand)
        if same_layout(source.pointee, target.pointee):
            return operand
        if isinstance(source.pointee, RecordType) and isinstance(target.pointee, RecordType):
            return _between_record_pointers(scope, operand, source.pointee, target.pointee, target)
        return Cast(target, operand.position, operand)
    if isinstance(source, FunctionType) and isinstance(operand, FunctionName):
        return operand
    if isinstance(source, (ScalarType, ArrayType, FunctionType)):
        return Cast(target, operand.position, operand)
    if isinstance(operand, OpaqueExpr):
        return OpaqueExpr(target, operand.position, operand.reason, operand.operands)
    if isinstance(source, RecordType):
        return _opaque(scope, operand, target, "conversion of a record to a pointer")
    return Cast(target, operand.position, operand)


def _between_record_pointers(
    scope: Scope, operand: Expr, source: RecordType, pointee: RecordType, target: PointerType
) -> Expr:
    offset = scope.types.subobject_offset(source.key, pointee.key)
    if offset:
        return address_of(member_at(dereference(operand), pointee.name, pointee, offset))
    return Cast(target, operand.position, operand)


def _to_record(scope: Scope, operand: Expr, target: RecordType) -> Expr:
    source = operand.type
    if isinstance(source, RecordType):
        if source.key == target.key:
            return operand
        offset = scope.types.subobject_offset(source.key, target.key)
        if offset is not None:
            return member_at(operand, target.name, target, offset)
        address = address_of(operand)
        return dereference(Cast(PointerType(target), operand.position, address))
    if isinstance(operand, OpaqueExpr):
        return OpaqueExpr(target, operand.position, operand.reason, operand.operands)
    return _opaque(scope, operand, target, "conversion of a value to a record")


def fold(value: float, scalar: Scalar) -> int | float | bool | None:
    """A constant converted to an arithmetic type; None where the result is undefined."""
    if scalar is Scalar.BOOL:
        return bool(value)
    if scalar.is_float:
        return _round_to(float(value), scalar)
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        value = math.trunc(value)
    return scalar.wrapped(int(value))


def _round_to(value: float, scalar: Scalar) -> float:
    """A number rounded to a floating type."""
    if not math.isfinite(value):
        return value
    try:
        if scalar is Scalar.F32:
            return float(struct.unpack("f", struct.pack("f", value))[0])
        if scalar is Scalar.F16:
            return float(struct.unpack("e", struct.pack("e", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)
    return value


def base_subobject(scope: Scope, base: Expr, record: RecordType) -> Expr:
    """The base class of an object."""
    if isinstance(base.type, RecordType) and base.type.key != record.key:
        offset = scope.types.base_offset(base.type.key, record.key)
        return member_at(base, record.name, record, offset or 0)
    return base


def pass_as(scope: Scope, operand: Expr, parameter: Type | None) -> Expr:
    """A value as a parameter or return type takes it."""
    if parameter is None:
        return operand
    if isinstance(parameter, PointerType) and parameter.is_reference:
        if isinstance(operand.type, FunctionType) or isinstance(
            parameter.pointee, (FunctionType, OpaqueType)
        ):
            return operand if isinstance(operand, FunctionName) else address_of(operand)
        if isinstance(parameter.pointee, RecordType) and isinstance(operand.type, RecordType):
            operand = base_subobject(scope, operand, parameter.pointee)
        return address_of(operand)
    if isinstance(parameter, (ScalarType, PointerType)) and isinstance(
        operand.type, (ScalarType, PointerType)
    ):
        return convert(scope, operand, parameter)
    return operand


def as_condition(scope: Scope, operand: Expr) -> Expr:
    """A value as a truth value; in C comparisons are integers, which is undone."""
    if isinstance(operand, Cast) and operand.operand.type == BOOL and operand.type == I32:
        return operand.operand
    return convert(scope, operand, BOOL)


def truth(operand: Expr, type_: Type) -> Expr:
    """A truth value in the type that the language gives it: bool in C++, int in C."""
    return operand if operand.type == type_ else Cast(type_, operand.position, operand)


def decayed(type_: Type) -> Type:
    """The type of a value: libclang shows array parameters with their array type."""
    return PointerType(type_.element) if isinstance(type_, ArrayType) else type_
