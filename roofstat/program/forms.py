"""What an expression is, told from its form alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import (
    AddressOf,
    Assign,
    Binary,
    BinaryOp,
    Call,
    Cast,
    Comma,
    CompoundAssign,
    Conditional,
    Constant,
    Deref,
    Expr,
    FunctionName,
    IncDec,
    Logical,
    Member,
    StringLiteral,
    Subscript,
    Unary,
    Variable,
)
from clang_queries.ir.types import (
    ArrayType,
    PointerType,
)

if TYPE_CHECKING:
    from clang_queries.ir.types import Type


_LVALUES = (Variable, Deref, Subscript, Member, StringLiteral)


def is_lvalue(expression: Expr) -> bool:
    """Whether the expression designates an object."""
    match expression:
        case Member(base=base):
            return is_lvalue(base)
        case Conditional(then=then, otherwise=otherwise):
            return is_lvalue(then) and is_lvalue(otherwise) and then.type == otherwise.type
        case Comma(right=right):
            return is_lvalue(right)
        case Assign() | CompoundAssign():
            return True
        case IncDec(is_prefix=is_prefix):
            return is_prefix
        case _:
            return isinstance(expression, _LVALUES)


EXTREMA = {"std::min": "min", "std::max": "max", "thrust::min": "min", "thrust::max": "max"}


def is_extremum(call: Call) -> bool:
    """Whether a call is std::min or std::max of two values; they return references, which would keep both in memory."""
    callee = call.callee
    return isinstance(callee, FunctionName) and callee.name in EXTREMA and len(call.arguments) == 2


def is_decayed(expression: Expr) -> bool:
    """Whether it is a pointer that clang still calls an array: arithmetic on a parameter declared as ``T a[]``."""
    return isinstance(expression, Binary) and isinstance(expression.type, ArrayType)


def array_name(expression: Expr) -> str:
    """What the source calls the object that an expression points to or designates; empty where it has no name."""
    match expression:
        case Variable(name=name):
            return name
        case Member(base=base, name=name):
            outer = array_name(base)
            return f"{outer}.{name}" if outer and outer != "this" else name
        case Binary(left=left, right=right):
            return array_name(left if isinstance(left.type, PointerType | ArrayType) else right)
        case Cast(operand=operand) | Deref(pointer=operand) | AddressOf(operand=operand):
            return array_name(operand)
        case IncDec(target=operand) | Subscript(base=operand):
            return array_name(operand)
        case Call(arguments=arguments) if arguments:
            return array_name(arguments[0])
        case _:
            return ""


def element_size(type_: Type) -> int:
    """Return the bytes of what a pointer points to, or of an array's element."""
    if isinstance(type_, PointerType):
        return type_.pointee.size_bytes or 1
    if isinstance(type_, ArrayType):
        return type_.element.size_bytes or 1
    return 1


def is_cheap(expression: Expr, budget: int) -> bool:
    """Whether evaluating it always is harmless and as cheap as a branch: pure register arithmetic."""
    return _cheapness(expression) <= budget


def _tested(condition: Expr) -> int:
    """The same of a condition, whose comparison takes in what its second operand takes off (`i > n - 1` is `i >= n`)."""
    if isinstance(condition, Binary) and condition.op in _ORDERS:
        right = condition.right
        if isinstance(right, Binary) and right.op in _SUMS and isinstance(right.right, Constant):
            return 1 + _cheapness(condition.left) + _cheapness(right.left)
    return _cheapness(condition)


_ORDERS = frozenset({BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE})
_SUMS = frozenset({BinaryOp.ADD, BinaryOp.SUB})


def _cheapness(expression: Expr) -> int:
    match expression:
        case Constant() | Variable() | StringLiteral():
            return 0
        case Member(base=Variable()):
            return 0
        case Cast(operand=operand) | Unary(operand=operand):
            return 1 + _cheapness(operand)
        case Binary(op=op, left=left, right=right):
            if op in (BinaryOp.DIV, BinaryOp.REM) and not isinstance(right, Constant):
                return 100
            return 1 + _cheapness(left) + _cheapness(right)
        case Logical(left=left, right=right):
            return 1 + _cheapness(left) + _cheapness(right)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return 1 + _tested(condition) + _cheapness(then) + _cheapness(otherwise)
        case _:
            return 100
