"""Names, members, literals and casts."""

from __future__ import annotations

import re

from clang_queries._cindex import Cursor, is_null
from clang_queries._kinds import FUNCTION_KINDS, REFERENCE_KINDS, Kind
from clang_queries.ir.expressions import (
    BitCast,
    Cast,
    Constant,
    Expr,
    FunctionName,
    InitList,
    Member,
    Position,
    StringLiteral,
)
from clang_queries.ir.statements import VariableDeclaration
from clang_queries.ir.types import (
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
from clang_queries.lowering import variables
from clang_queries.lowering.conversions import convert, fold
from clang_queries.lowering.registry import expression
from clang_queries.lowering.scope import (
    Scope,
    address_of,
    dereference,
    is_expression,
    is_lvalue,
    use_variable,
)
from clang_queries.lowering.text import source_text, string_value
from clang_queries.lowering.variable_rows import size_of


def value_children(scope: Scope, cursor: Cursor) -> list[Cursor]:
    """The children that are no mere spellings of names."""
    return [child for child in scope.clang.children(cursor) if child.kind not in REFERENCE_KINDS]


def constant(scope: Scope, cursor: Cursor) -> Constant | None:
    """The constant value of an expression, of its own type."""
    value = scope.clang.evaluate(cursor)
    if value is None or isinstance(value, str):
        return None
    type_ = scope.types.of(cursor)
    position = scope.position(cursor)
    if isinstance(type_, ScalarType):
        folded = fold(value, type_.scalar) if type_.scalar is not Scalar.VOID else None
        return None if folded is None else Constant(type_, position, folded)
    if isinstance(type_, PointerType) and isinstance(value, int):
        return Constant(type_, position, value)
    return None


@expression(
    Kind.INTEGER_LITERAL,
    Kind.FLOATING_LITERAL,
    Kind.CHARACTER_LITERAL,
    Kind.BOOL_LITERAL_EXPR,
    Kind.SIZE_OF_PACK_EXPR,
)
def _literal(scope: Scope, cursor: Cursor) -> Expr:
    return constant(scope, cursor) or scope.opaque(cursor, "literal without value")


@expression(Kind.NULLPTR_LITERAL_EXPR, Kind.GNU_NULL_EXPR)
def _null(scope: Scope, cursor: Cursor) -> Expr:
    return Constant(scope.types.of(cursor), scope.position(cursor), 0)


@expression(Kind.STRING_LITERAL)
def _string(scope: Scope, cursor: Cursor) -> Expr:
    value = string_value(scope.clang.spelling(cursor))
    return StringLiteral(scope.types.of(cursor), scope.position(cursor), value)


@expression(Kind.UNARY_EXPR)
def _size_of(scope: Scope, cursor: Cursor) -> Expr:
    found = constant(scope, cursor)
    if found is not None:
        return found
    for child in value_children(scope, cursor):
        operand = scope.expression(child)
        if isinstance(operand.type, ArrayType) and operand.type.length is None:
            size = size_of(scope, operand)
            return size or scope.opaque(cursor, "size of a variable-length array", (operand,))
        if operand.type.size_bytes:
            return Constant(scope.types.of(cursor), scope.position(cursor), operand.type.size_bytes)
    return scope.opaque(cursor, "sizeof without value")


@expression(Kind.PAREN_EXPR)
def _parenthesis(scope: Scope, cursor: Cursor) -> Expr:
    children = scope.clang.children(cursor)
    return scope.expression(children[0]) if children else scope.opaque(cursor, "empty parentheses")


@expression(Kind.THIS_EXPR)
def _this(scope: Scope, cursor: Cursor) -> Expr:
    address = scope.this_address(scope.position(cursor))
    return address if address is not None else scope.opaque(cursor, "this outside a method")


@expression(Kind.UNEXPOSED_EXPR)
def _implicit(scope: Scope, cursor: Cursor) -> Expr:
    """Implicit conversions, temporaries, substituted template parameters, builtins without a cursor kind."""
    children = value_children(scope, cursor)
    if len(children) == 1:
        operand = scope.expression(children[0])
        target = scope.types.of(cursor)
        if operand.type is target:
            return operand
        if isinstance(target, RecordType) and isinstance(operand.type, ArrayType):
            return _initializer_list(scope, operand, operand.type, target)
        return convert(scope, operand, target)
    found = constant(scope, cursor)
    if found is not None:
        return found
    if not children:
        return _zero_value(scope, cursor)
    return _recovered(scope, cursor, children)


def _zero_value(scope: Scope, cursor: Cursor) -> Expr:
    """``T()`` and other values without written operands."""
    type_ = scope.types.of(cursor)
    position = scope.position(cursor)
    if isinstance(type_, (ScalarType, PointerType)) and scope.clang.start(cursor)[0]:
        return Constant(type_, position, 0)
    if isinstance(type_, (RecordType, ArrayType)):
        return InitList(type_, position, ())
    return scope.opaque(cursor, "expression that libclang does not show")


def _initializer_list(scope: Scope, operand: Expr, array: ArrayType, target: RecordType) -> Expr:
    """``std::initializer_list``: address and length of the array behind it, as its record lays them out."""
    record = scope.types.records.get(target.key)
    elements: list[tuple[int, Expr]] = []
    length = Constant(ScalarType(Scalar.U64), operand.position, array.length or 0)
    for field in () if record is None else record.fields:
        if isinstance(field.type, PointerType):
            elements.append((field.offset_bytes, Cast(field.type, operand.position, operand)))
        else:
            elements.append((field.offset_bytes, length))
    return InitList(target, operand.position, tuple(elements))


def _recovered(scope: Scope, cursor: Cursor, children: list[Cursor]) -> Expr:
    """An expression with an error in it: a call of an unresolved name is kept as a call by name."""
    from clang_queries.ir.expressions import Call  # noqa: PLC0415

    operands = [scope.expression(child) for child in children if is_expression(child)]
    if operands and isinstance(operands[0], FunctionName):
        type_ = scope.types.of(cursor)
        if isinstance(type_, OpaqueType):
            type_ = I32  # what C takes an undeclared function to return
        return Call(type_, scope.position(cursor), operands[0], tuple(operands[1:]))
    return scope.opaque(cursor, "expression with an error", tuple(operands))


@expression(Kind.DECL_REF_EXPR)
def _name(scope: Scope, cursor: Cursor) -> Expr:
    clang = scope.clang
    referenced = clang.referenced(cursor)
    kind = referenced.kind
    bound = scope.locals.get(referenced.d0 or 0)
    if bound is not None:
        if kind == Kind.VAR:
            value = scope.unit.constant_of(referenced)
            if value is not None:
                folded = _folded(scope, cursor, value)
                if folded is not None:
                    return folded
        position = scope.position(cursor)
        return (
            use_variable(bound, position)
            if isinstance(bound, VariableDeclaration)
            else bound(position)
        )
    if variables.is_global(scope, referenced):
        return variables.use_global(scope, cursor, referenced)
    if kind in FUNCTION_KINDS:
        return scope.unit.reference(referenced).name_expression(scope.position(cursor))
    if kind == Kind.ENUM_CONSTANT:
        return enumerator(scope, cursor, referenced)
    if kind == Kind.OVERLOADED_DECL_REF:
        return _unresolved_function(scope, cursor)
    if is_null(referenced) or kind == Kind.NON_TYPE_PARAMETER:
        found = constant(scope, cursor)
        if found is not None:
            return found
        children = value_children(scope, cursor)
        if len(children) == 1:
            return scope.expression(children[0])
    found = constant(scope, cursor)
    return found if found is not None else scope.opaque(cursor, f"name of kind {kind}")


def _folded(scope: Scope, cursor: Cursor, value: float) -> Constant | None:
    type_ = scope.types.of(cursor)
    if not isinstance(type_, ScalarType) or type_.scalar is Scalar.VOID:
        return None
    folded = fold(value, type_.scalar)
    return None if folded is None else Constant(type_, scope.position(cursor), folded)


variables.FOLDED.append(_folded)


def enumerator(scope: Scope, cursor: Cursor, declaration: Cursor) -> Expr:
    """An enumerator's value."""
    type_ = scope.types.of(cursor)
    lib = scope.clang.lib
    is_unsigned = isinstance(type_, ScalarType) and not type_.scalar.is_signed
    value = (
        lib.clang_getEnumConstantDeclUnsignedValue(declaration)
        if is_unsigned
        else lib.clang_getEnumConstantDeclValue(declaration)
    )
    return Constant(type_, scope.position(cursor), int(value))


def _unresolved_function(scope: Scope, cursor: Cursor) -> Expr:
    """The name of a function that overload resolution did not settle; it has no key."""
    name = ""
    for child in scope.clang.children(cursor):
        if child.kind == Kind.OVERLOADED_DECL_REF:
            name = scope.clang.spelling(child)
    return FunctionName(FunctionType(OpaqueType("?")), scope.position(cursor), "", name)


@expression(Kind.MEMBER_REF_EXPR)
def _member(scope: Scope, cursor: Cursor) -> Expr:
    clang = scope.clang
    referenced = clang.referenced(cursor)
    kind = referenced.kind
    if kind == Kind.FIELD:
        return _field(scope, cursor, referenced)
    if variables.is_global(scope, referenced):
        return variables.use_global(scope, cursor, referenced)
    if kind == Kind.ENUM_CONSTANT:
        return enumerator(scope, cursor, referenced)
    if kind in FUNCTION_KINDS:
        return scope.unit.reference(referenced).name_expression(scope.position(cursor))
    operands = tuple(scope.expression(child) for child in value_children(scope, cursor))
    what = "of an unknown type" if is_null(referenced) else f"of kind {kind}"
    return scope.opaque(cursor, f"member {what}", operands)


def _field(scope: Scope, cursor: Cursor, declaration: Cursor) -> Expr:
    info = scope.types.field(declaration)
    position = scope.position(cursor)
    children = value_children(scope, cursor)
    if children:
        base = scope.expression(children[0])
        if isinstance(base.type, (PointerType, ArrayType)):
            base = dereference(base)
    else:
        address = scope.this_address(position)
        if address is None:
            return scope.opaque(cursor, "field without an object")
        base = dereference(address)
    return field_of(scope, base, info.parent, position, declaration)


def field_of(
    scope: Scope, base: Expr, parent: str, position: Position, declaration: Cursor
) -> Expr:
    """A field of an object that is, or contains as base or anonymous member, the record `parent`."""
    info = scope.types.field(declaration)
    offset = info.offset_bytes
    if isinstance(base.type, RecordType) and base.type.key != parent:
        offset += scope.types.subobject_offset(base.type.key, parent) or 0
    found = Member(info.type, position, base, info.name, offset, info.bit_offset, info.bit_width)
    return dereference(found) if info.is_reference else found


@expression(Kind.CSTYLE_CAST_EXPR, Kind.STATIC_CAST_EXPR, Kind.FUNCTIONAL_CAST_EXPR)
def _cast(scope: Scope, cursor: Cursor) -> Expr:
    children = [child for child in value_children(scope, cursor) if is_expression(child)]
    if not children:
        return constant(scope, cursor) or _zero_value(scope, cursor)
    operand = scope.expression(children[-1])
    target = scope.types.of(cursor)
    if not isinstance(target, PointerType) and _is_reference_cast(
        scope, cursor, children[-1], operand, target
    ):
        return _view(operand, target)
    if isinstance(target, PointerType) and isinstance(operand.type, PointerType):
        return _explicit_pointer(scope, operand, operand.type, target)
    return convert(scope, operand, target)


def _explicit_pointer(
    scope: Scope, operand: Expr, source: PointerType, target: PointerType
) -> Expr:
    """Pointer casts: also from base to derived, which implicit conversions never do."""
    if isinstance(source.pointee, RecordType) and isinstance(target.pointee, RecordType):
        offset = scope.types.subobject_offset(target.pointee.key, source.pointee.key)
        if offset:
            return _step_back(operand, target, offset)
    return convert(scope, operand, target)


def _step_back(operand: Expr, target: PointerType, offset_bytes: int) -> Expr:
    from clang_queries.ir.expressions import Binary, BinaryOp  # noqa: PLC0415

    position = operand.position
    byte = PointerType(ScalarType(Scalar.I8))
    distance = Constant(ScalarType(Scalar.I64), position, -offset_bytes)
    moved = Binary(byte, position, BinaryOp.ADD, Cast(byte, position, operand), distance)
    return Cast(target, position, moved)


@expression(Kind.CONST_CAST_EXPR, Kind.DYNAMIC_CAST_EXPR)
def _qualifier_cast(scope: Scope, cursor: Cursor) -> Expr:
    children = value_children(scope, cursor)
    if not children:
        return scope.opaque(cursor, "cast of nothing")
    return convert(scope, scope.expression(children[-1]), scope.types.of(cursor))


@expression(Kind.REINTERPRET_CAST_EXPR)
def _reinterpret(scope: Scope, cursor: Cursor) -> Expr:
    children = value_children(scope, cursor)
    if not children:
        return scope.opaque(cursor, "cast of nothing")
    operand = scope.expression(children[-1])
    target = scope.types.of(cursor)
    to_reference = (
        re.match(rb"reinterpret_cast\s*<[^(]*&\s*>", source_text(scope, cursor)) is not None
        if isinstance(target, (PointerType, ScalarType))
        and isinstance(operand.type, (PointerType, ScalarType))
        else not isinstance(target, (PointerType, ScalarType))
        or not isinstance(operand.type, ArrayType)
    )
    if to_reference and not isinstance(operand.type, FunctionType):
        return _view(operand, target)
    if isinstance(target, PointerType) and isinstance(operand.type, PointerType):
        return Cast(target, scope.position(cursor), operand)
    return convert(scope, operand, target)


def _is_reference_cast(
    scope: Scope, cursor: Cursor, child: Cursor, operand: Expr, target: Type
) -> bool:
    """Whether ``(T&)x`` reinterprets an object; the cursor does not say it, the spelling does."""
    if operand.type == target or not is_lvalue(operand) or child.kind == Kind.UNEXPOSED_EXPR:
        return False
    if isinstance(target, RecordType) and isinstance(operand.type, RecordType):
        return False
    text = source_text(scope, cursor)
    return re.match(rb"\(\s*[\w:<>,\s]*&\s*\)|static_cast\s*<[^(]*&\s*>", text) is not None


def _view(operand: Expr, target: Type) -> Expr:
    """The object `operand` read as another type."""
    address = address_of(operand)
    return dereference(Cast(PointerType(target), operand.position, address))


@expression(Kind.BUILTIN_BIT_CAST_EXPR)
def _bit_cast(scope: Scope, cursor: Cursor) -> Expr:
    children = [child for child in value_children(scope, cursor) if is_expression(child)]
    if not children:
        return scope.opaque(cursor, "bit cast of nothing")
    return BitCast(scope.types.of(cursor), scope.position(cursor), scope.expression(children[-1]))
