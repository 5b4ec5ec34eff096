"""Lvalues to the places that they designate."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clang_queries.ir.expressions import (
    Assign,
    Cast,
    Comma,
    CompoundAssign,
    Conditional,
    Deref,
    Expr,
    FunctionName,
    IncDec,
    Member,
    StringLiteral,
    Subscript,
    Variable,
)
from clang_queries.ir.statements import Storage, VariableDeclaration
from clang_queries.ir.types import (
    ArrayType,
    PointerType,
    RecordType,
    Scalar,
)
from roofstat.program import expressions, records
from roofstat.program.code import Op, Slot, Space
from roofstat.program.context import InMemory, InRegister, InSlot, Place
from roofstat.program.forms import array_name, is_lvalue
from roofstat.program.memory_access import place_address, store_place
from roofstat.program.special import special_variable_place
from roofstat.program.tables import table_of

if TYPE_CHECKING:
    from clang_queries.ir.types import Record, Type
    from roofstat.program.context import Context


def lower_place(context: Context, expression: Expr) -> Place:
    """Lower an lvalue (or a record value, through a temporary) to where it is."""
    builder = context.builder
    builder.position = expression.position
    match expression:
        case Variable():
            return variable_place(context, expression)
        case Deref(pointer=pointer):
            register = expressions.lower_value(context, pointer)
            return _pointed_place(register, pointer)
        case Subscript():
            return _subscript_place(context, expression)
        case Member(base=base):
            inner = lower_place(context, base)
            record = _record_of(context, base.type)
            part = inner.part(
                expression.offset_bytes,
                record=record.key if record is not None else "",
                align_bytes=record.align_bytes if record is not None else 0,
            )
            return replace(
                part,
                array=_member_name(inner.array, expression.name),
                bit_offset=expression.bit_offset,
                bit_width=expression.bit_width,
            )
        case StringLiteral(value=text):
            return Place(builder.value(Op.STRING, Scalar.U64, detail=text))
        case Comma(left=left, right=right):
            expressions.lower_effect(context, left)
            return lower_place(context, right)
        case Assign() | CompoundAssign():
            expressions.lower_value(context, expression)
            return lower_place(context, expression.target)
        case IncDec(is_prefix=True, target=target):
            expressions.lower_value(context, expression)
            return lower_place(context, target)
        case Conditional(condition=condition, then=then, otherwise=otherwise) if is_lvalue(
            expression
        ):
            flag = expressions.lower_condition(context, condition)
            first = place_address(context, lower_place(context, then))
            second = place_address(context, lower_place(context, otherwise))
            return Place(builder.value(Op.SELECT, Scalar.U64, flag, first, second))
        case Cast(operand=operand) if is_lvalue(operand):
            return lower_place(context, operand)
        case _:
            return records.record_place(context, expression)


def _record_of(context: Context, type_: Type) -> Record | None:
    return context.program.records.get(type_.key) if isinstance(type_, RecordType) else None


def variable_place(context: Context, variable: Variable) -> Place:
    """Where a variable is; one that is in a register gets memory of its own."""
    builder = context.builder
    binding = context.binding(variable.key)
    match binding:
        case InSlot(slot=slot, name=name):
            return Place(builder.slot_address(slot), array=name)
        case InMemory(address=address, name=name):
            return Place(address, array=name)
        case InRegister(register=register):
            size = max(variable.type.size_bytes, 1)
            scalar = builder.register_types[register]
            index = builder.local_slot(variable.name, size, host=context.is_host, element=scalar)
            place = Place(builder.slot_address(index), array=variable.name)
            store_place(context, place, register, scalar)
            return place
        case None:
            return _unbound_place(context, variable)


def _unbound_place(context: Context, variable: Variable) -> Place:
    builder = context.builder
    special = special_variable_place(context, variable)
    if special is not None:
        return special
    declaration = context.program.globals.get(variable.key)
    if declaration is not None and declaration.storage in (Storage.SHARED, Storage.DYNAMIC_SHARED):
        address = builder.slot_address(shared_slot(context, declaration))
        return Place(address, array=variable.name, is_volatile=declaration.is_volatile)
    address = builder.value(Op.GLOBAL, Scalar.U64, detail=variable.key)
    read_only = declaration is not None and declaration.storage is Storage.CONSTANT
    if declaration is not None and not context.is_host and variable.key not in builder.tables:
        table = table_of(declaration)
        if table is not None:
            builder.tables[variable.key] = table
    return Place(
        address,
        array=variable.name,
        is_read_only=read_only,
        is_volatile=declaration is not None and declaration.is_volatile,
    )


def shared_slot(context: Context, declaration: object) -> int:
    """The slot of a shared variable; one for each declaration, whoever names it."""
    assert isinstance(declaration, VariableDeclaration)
    found = context.shared_slots.get(declaration.key)
    if found is not None:
        return found
    first = context.program.first_leaf(_element_type(declaration.type))
    dynamic = declaration.storage is Storage.DYNAMIC_SHARED
    index = context.builder.slot(
        Slot(
            name=declaration.name,
            size_bytes=0 if dynamic else declaration.type.size_bytes,
            space=Space.SHARED,
            position=declaration.position,
            element=first.scalar if first is not None else None,
            key=declaration.key,
            is_dynamic_shared=dynamic,
        )
    )
    context.shared_slots[declaration.key] = index
    return index


def _element_type(type_: Type) -> Type:
    while isinstance(type_, ArrayType):
        type_ = type_.element
    return type_


def _member_name(outer: str, name: str) -> str:
    return f"{outer}.{name}" if outer and outer != "this" else name


def _subscript_place(context: Context, expression: Subscript) -> Place:
    builder = context.builder
    base = expression.base
    if isinstance(base.type, ArrayType):
        inner = lower_place(context, base)
    else:
        register = expressions.lower_value(context, base)
        inner = _pointed_place(register, base)
    index = expressions.lower_value(context, expression.index)
    builder.position = expression.position
    size = expression.type.size_bytes
    if size == 0 and not context.is_host:
        size = _row_bytes(context, expression.type, inner.array)
    if index in builder.constants:
        offset = int(builder.constants[index]) * size
        return replace(inner.part(offset), record="")
    address = builder.value(
        Op.PTR_ADD,
        Scalar.U64,
        inner.address,
        index,
        scalar=builder.register_types[index],
        detail=size,
    )
    return Place(
        address,
        inner.offset_bytes,
        inner.array,
        is_read_only=inner.is_read_only,
        is_volatile=inner.is_volatile,
    )


ASSUMED_ROW = 4096
"""Elements of a row of an array whose row length only a run knows: long enough for rows not to meet."""


def _row_bytes(context: Context, row: Type, array: str) -> int:
    """Size of a row with a variable length; 0 for other types without a size."""
    rows = 1
    while isinstance(row, ArrayType):
        rows *= ASSUMED_ROW if row.length is None else row.length
        row = row.element
    if rows > 1 and row.size_bytes:
        context.builder.assume(
            "argument",
            f"rows of the variable-length array {array or 'that is indexed'} are taken as {ASSUMED_ROW} elements long",
        )
    return rows * row.size_bytes if rows > 1 else 0


def _pointed_place(register: int, pointer: Expr) -> Place:
    """What a pointer in a register points to."""
    type_ = pointer.type
    name = array_name(pointer)
    if not isinstance(type_, PointerType):
        return Place(register, array=name)
    return Place(
        register,
        array=name,
        is_read_only=type_.is_const and type_.is_restrict,
        is_volatile=type_.is_volatile,
    )


def lower_address_of(context: Context, operand: Expr) -> int:
    """Lower the address of an object or function."""
    if isinstance(operand, FunctionName):
        return context.builder.function_address(operand.key)
    if is_lvalue(operand) or records.is_memory_type(context, operand.type):
        return place_address(context, lower_place(context, operand))
    return lower_temporary(context, expressions.lower_value(context, operand))


def lower_temporary(context: Context, register: int) -> int:
    """The address of a temporary that holds a value."""
    scalar = context.builder.register_types[register]
    index = context.builder.local_slot(
        "", max(scalar.size_bytes, 1), host=context.is_host, element=scalar
    )
    address = context.builder.slot_address(index)
    store_place(context, Place(address), register, scalar)
    return address
