"""Built-in operators."""

from __future__ import annotations

from clang_queries._cindex import Cursor
from clang_queries._kinds import BinaryKind, Kind, UnaryKind
from clang_queries.ir.expressions import (
    Assign,
    Binary,
    BinaryOp,
    Cast,
    Comma,
    CompoundAssign,
    Conditional,
    Constant,
    Expr,
    FunctionName,
    IncDec,
    Logical,
    LogicalOp,
    StatementExpr,
    Subscript,
    Unary,
    UnaryOp,
)
from clang_queries.ir.statements import Compound
from clang_queries.ir.types import (
    BOOL,
    I32,
    ArrayType,
    FunctionType,
    OpaqueType,
    PointerType,
    ScalarType,
    Type,
)
from clang_queries.lowering.conversions import as_condition, decayed, fold, truth
from clang_queries.lowering.expressions import constant, value_children
from clang_queries.lowering.registry import expression
from clang_queries.lowering.scope import (
    LONGEST_CHAIN,
    Scope,
    address_of,
    dereference,
    is_expression,
)
from clang_queries.lowering.variable_rows import row_of

_BINARY = {
    BinaryKind.MUL: BinaryOp.MUL,
    BinaryKind.DIV: BinaryOp.DIV,
    BinaryKind.REM: BinaryOp.REM,
    BinaryKind.ADD: BinaryOp.ADD,
    BinaryKind.SUB: BinaryOp.SUB,
    BinaryKind.SHL: BinaryOp.SHL,
    BinaryKind.SHR: BinaryOp.SHR,
    BinaryKind.LT: BinaryOp.LT,
    BinaryKind.GT: BinaryOp.GT,
    BinaryKind.LE: BinaryOp.LE,
    BinaryKind.GE: BinaryOp.GE,
    BinaryKind.EQ: BinaryOp.EQ,
    BinaryKind.NE: BinaryOp.NE,
    BinaryKind.AND: BinaryOp.AND,
    BinaryKind.XOR: BinaryOp.XOR,
    BinaryKind.OR: BinaryOp.OR,
}
_BINARY_BY_NUMBER = {int(kind): op for kind, op in _BINARY.items()}
_LOGICAL = {int(BinaryKind.LOGICAL_AND): LogicalOp.AND, int(BinaryKind.LOGICAL_OR): LogicalOp.OR}
_COMPOUND = {
    int(BinaryKind.MUL_ASSIGN): BinaryOp.MUL,
    int(BinaryKind.DIV_ASSIGN): BinaryOp.DIV,
    int(BinaryKind.REM_ASSIGN): BinaryOp.REM,
    int(BinaryKind.ADD_ASSIGN): BinaryOp.ADD,
    int(BinaryKind.SUB_ASSIGN): BinaryOp.SUB,
    int(BinaryKind.SHL_ASSIGN): BinaryOp.SHL,
    int(BinaryKind.SHR_ASSIGN): BinaryOp.SHR,
    int(BinaryKind.AND_ASSIGN): BinaryOp.AND,
    int(BinaryKind.XOR_ASSIGN): BinaryOp.XOR,
    int(BinaryKind.OR_ASSIGN): BinaryOp.OR,
}
_STEPS = {
    int(UnaryKind.POST_INC): (1, False),
    int(UnaryKind.POST_DEC): (-1, False),
    int(UnaryKind.PRE_INC): (1, True),
    int(UnaryKind.PRE_DEC): (-1, True),
}
_UNARY = {
    int(UnaryKind.MINUS): UnaryOp.NEG,
    int(UnaryKind.BIT_NOT): UnaryOp.BIT_NOT,
    int(UnaryKind.NOT): UnaryOp.NOT,
}


@expression(Kind.BINARY_OPERATOR)
def _binary(scope: Scope, cursor: Cursor) -> Expr:
    """An operator, after those that are its left operand: sums in generated sources have thousands of terms."""
    chain: list[tuple[Cursor, Cursor]] = []
    first = cursor
    while first.kind == Kind.BINARY_OPERATOR and len(chain) <= LONGEST_CHAIN:
        children = scope.clang.children(first)
        if len(children) != 2:
            break
        chain.append((first, children[1]))
        first = children[0]
    if not chain:
        operands = tuple(scope.expression(child) for child in children if is_expression(child))
        return scope.opaque(cursor, "binary operator with hidden operands", operands)
    value = scope.too_deep(first) if len(chain) > LONGEST_CHAIN else scope.expression(first)
    for operator, right in reversed(chain):
        value = _operation(scope, operator, value, scope.expression(right))
    return value


def _operation(scope: Scope, cursor: Cursor, left: Expr, right: Expr) -> Expr:
    kind = scope.clang.binary_kind(cursor)
    type_, position = scope.types.of(cursor), scope.position(cursor)
    op = _BINARY_BY_NUMBER.get(kind)
    if isinstance(type_, OpaqueType):
        # Of operands that the parser does not know; what is stored to is known all the same.
        if kind == BinaryKind.ASSIGN:
            type_ = left.type
        elif isinstance(left.type, ScalarType) and isinstance(right.type, ScalarType):
            type_ = common_type(left.type, right.type)
    if op is not None:
        if op.is_comparison and type_ == I32:
            return truth(Binary(BOOL, position, op, left, right), type_)
        return Binary(decayed(type_), position, op, left, right)
    if kind == BinaryKind.ASSIGN:
        return Assign(type_, position, left, right)
    logical = _LOGICAL.get(kind)
    if logical is not None:
        left, right = as_condition(scope, left), as_condition(scope, right)
        return truth(Logical(BOOL, position, logical, left, right), type_)
    if kind == BinaryKind.COMMA:
        return Comma(type_, position, left, right)
    return scope.opaque(cursor, f"binary operator {kind}", (left, right))


@expression(Kind.COMPOUND_ASSIGNMENT_OPERATOR)
def _compound(scope: Scope, cursor: Cursor) -> Expr:
    children = scope.clang.children(cursor)
    op = _COMPOUND.get(scope.clang.binary_kind(cursor))
    if len(children) != 2 or op is None:
        operands = tuple(scope.expression(child) for child in children if is_expression(child))
        return scope.opaque(cursor, "compound assignment with hidden operands", operands)
    target, value = scope.expression(children[0]), scope.expression(children[1])
    computed = _computation_type(op, target.type, value.type)
    type_ = scope.types.of(cursor)
    return CompoundAssign(
        decayed(target.type if isinstance(type_, OpaqueType) else type_),
        scope.position(cursor),
        op,
        target,
        value,
        computed,
    )


def _computation_type(op: BinaryOp, target: Type, value: Type) -> Type:
    if not isinstance(target, ScalarType) or not isinstance(value, ScalarType):
        return target
    if op in (BinaryOp.SHL, BinaryOp.SHR):
        return promoted(target)
    return common_type(target, value)


def promoted(type_: ScalarType) -> ScalarType:
    """The type after integral promotion."""
    scalar = type_.scalar
    if scalar.is_integer and scalar.size_bytes < I32.size_bytes:
        return I32
    return type_


def common_type(left: ScalarType, right: ScalarType) -> ScalarType:
    """The type of the usual arithmetic conversions."""
    left, right = promoted(left), promoted(right)
    if left == right:
        return left
    a, b = left.scalar, right.scalar
    if a.is_float or b.is_float:
        if a.is_float and b.is_float:
            return left if a.size_bytes >= b.size_bytes else right
        return left if a.is_float else right
    if a.size_bytes != b.size_bytes:
        return left if a.size_bytes > b.size_bytes else right
    return right if a.is_signed else left


@expression(Kind.UNARY_OPERATOR)
def _unary(scope: Scope, cursor: Cursor) -> Expr:
    children = scope.clang.children(cursor)
    if not children:
        return constant(scope, cursor) or scope.opaque(cursor, "unary operator with hidden operand")
    kind = scope.clang.unary_kind(cursor)
    type_ = scope.types.of(cursor)
    if kind == UnaryKind.ADDRESS_OF and isinstance(type_, OpaqueType):
        return scope.opaque(cursor, "pointer to a member")
    operand = scope.expression(children[-1])
    step = _STEPS.get(kind)
    if step is not None:
        return IncDec(decayed(type_), scope.position(cursor), operand, step[0], step[1])
    if kind == UnaryKind.DEREF:
        return (
            operand
            if isinstance(operand, FunctionName) or _is_function(operand)
            else dereference(operand)
        )
    if kind == UnaryKind.ADDRESS_OF:
        return operand if isinstance(operand, FunctionName) else address_of(operand)
    op = _UNARY.get(kind)
    if op is not None:
        return _value_operator(type_, scope, cursor, op, operand)
    if kind in (UnaryKind.PLUS, UnaryKind.EXTENSION):
        return operand
    return scope.opaque(cursor, f"unary operator {kind}", (operand,))


def _is_function(operand: Expr) -> bool:
    return isinstance(operand.type, PointerType) and isinstance(operand.type.pointee, FunctionType)


def _value_operator(type_: Type, scope: Scope, cursor: Cursor, op: UnaryOp, operand: Expr) -> Expr:
    position = scope.position(cursor)
    if isinstance(operand, Constant) and isinstance(type_, ScalarType):
        value = operand.value
        if op is UnaryOp.NEG:
            folded = fold(-value, type_.scalar)
            if folded is not None:
                return Constant(type_, position, folded)
        if op is UnaryOp.NOT:
            return Constant(type_, position, fold(not value, type_.scalar) or 0)
    if op is UnaryOp.NOT:
        return truth(Unary(BOOL, position, op, as_condition(scope, operand)), type_)
    return Unary(type_, position, op, operand)


@expression(Kind.ARRAY_SUBSCRIPT_EXPR)
def _subscript(scope: Scope, cursor: Cursor) -> Expr:
    children = scope.clang.children(cursor)
    if len(children) != 2:
        operands = tuple(scope.expression(child) for child in children if is_expression(child))
        return scope.opaque(cursor, "subscript with hidden operands", operands)
    base, index = scope.expression(children[0]), scope.expression(children[1])
    if not isinstance(base.type, (PointerType, ArrayType)) and isinstance(
        index.type, (PointerType, ArrayType)
    ):
        base, index = index, base
    if isinstance(base, Cast) and isinstance(base.operand.type, ArrayType):
        base = base.operand
    type_ = scope.types.of(cursor)
    if isinstance(type_, OpaqueType):
        # An index that the parser does not know, as of a macro that is missing: the elements are known all the same.
        type_ = dereference(base).type
    position = scope.position(cursor)
    return row_of(scope, base, index, type_, position) or Subscript(type_, position, base, index)


@expression(Kind.CONDITIONAL_OPERATOR)
def _conditional(scope: Scope, cursor: Cursor) -> Expr:
    children = scope.clang.children(cursor)
    if len(children) != 3:
        operands = tuple(scope.expression(child) for child in children if is_expression(child))
        return scope.opaque(cursor, "conditional without middle operand", operands)
    condition, then, otherwise = (scope.expression(child) for child in children)
    condition = as_condition(scope, condition)
    return Conditional(scope.types.of(cursor), scope.position(cursor), condition, then, otherwise)


@expression(Kind.STATEMENT_EXPR)
def _statement_expression(scope: Scope, cursor: Cursor) -> Expr:
    children = value_children(scope, cursor)
    body = scope.statement(children[0]) if children else Compound(scope.position(cursor), ())
    if not isinstance(body, Compound):
        body = Compound(body.position, (body,))
    return StatementExpr(scope.types.of(cursor), scope.position(cursor), body)
