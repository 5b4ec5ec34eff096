"""State of the lowering of one function: bindings, the object, and the dispatch to the handlers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from clang_queries._cindex import Cursor
from clang_queries._kinds import Kind
from clang_queries.ir.expressions import (
    AddressOf,
    Constant,
    Deref,
    Expr,
    Member,
    OpaqueExpr,
    Position,
    Variable,
)
from clang_queries.ir.statements import (
    Compound,
    ParseDiagnostic,
    Stmt,
    Storage,
    VariableDeclaration,
)
from clang_queries.ir.types import (
    ArrayType,
    OpaqueType,
    PointerType,
    RecordType,
    Type,
)
from clang_queries.lowering.asm import AsmText, parse_asm
from clang_queries.lowering.registry import EXPRESSIONS, STATEMENTS
from clang_queries.lowering.unit_context import Closure, UnitContext
from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from clang_queries.lowering.lost_parts import LostPart

Binding = VariableDeclaration | Callable[[Position], Expr]
"""What a name stands for: a variable, or an expression made at its use (captures, structured bindings)."""

_MAXIMUM_DEPTH = 2500
"""Nesting of expressions and statements beyond which lowering gives up on the part."""
LONGEST_CHAIN = 10_000
"""The same for operators that are each the left operand of the next."""
_FIRST_STATEMENT_KIND = Kind.UNEXPOSED_STMT
_LAST_STATEMENT_KIND = 349


@dataclass(slots=True)
class ThisObject:
    """The object of a method: its record and the expression of its address."""

    record: RecordType
    address: Callable[[Position], Expr]


class Scope:
    """One function body being lowered; also global initialisers, with an empty key."""

    def __init__(self, unit: UnitContext, key: str, result: Type) -> None:
        self.unit = unit
        self.clang = unit.clang
        self.types = unit.types
        self.key = key
        self.result = result
        self.this: ThisObject | None = None
        self.closure: Closure | None = None
        self.locals: dict[int, Binding] = {}
        self.names: dict[str, VariableDeclaration] = {}
        self.row_lengths: dict[str, tuple[Expr, ...]] = {}
        """By variable with rows of a length that only a run knows, the lengths of its dimensions but the first."""
        self.captured: dict[str, Callable[[Position], Expr]] = {}
        """What the lambda whose body this is captures, by name."""
        self.statement_hook: Callable[[Scope, Cursor], list[Stmt] | None] | None = None
        self.skip_hook: Callable[[Cursor], None] | None = None
        self.end_hook: Callable[[Scope, Cursor], list[Stmt]] | None = None
        self.loop_hint: Callable[[Cursor], int | None] = lambda _cursor: None
        self.parse_asm: Callable[[str], AsmText | None] = parse_asm
        self.pending_hint: int | None = None
        self.lost_parts: list[LostPart] = []
        """What the parser has lost of the body, as long as no statement around it is lowered."""
        self._counter = 0
        self._depth = 0

    def take_hint(self) -> int | None:
        """The unroll count that a pragma gives for the loop now being lowered."""
        hint, self.pending_hint = self.pending_hint, None
        return hint

    def position(self, cursor: Cursor) -> Position:
        """Where a cursor stands."""
        return self.unit.position(cursor)

    def fresh_key(self, name: str) -> str:
        """A key for a local variable, unique within the function."""
        self._counter += 1
        return f"{name}#{self._counter}"

    def expression(self, cursor: Cursor) -> Expr:
        """Lowers an expression; what is not understood becomes an `OpaqueExpr`."""
        handler = EXPRESSIONS.get(cursor.kind)
        if handler is None:
            return self.unknown_expression(cursor)
        if self._depth > _MAXIMUM_DEPTH:
            return self.too_deep(cursor)
        self._depth += 1
        try:
            return handler(self, cursor)
        finally:
            self._depth -= 1

    def statements(self, cursor: Cursor) -> list[Stmt]:
        """Lowers a statement, to several where it declares several variables."""
        if self.statement_hook is not None:
            hooked = self.statement_hook(self, cursor)
            if hooked is not None:
                return hooked
        return self.plain_statements(cursor)

    def plain_statements(self, cursor: Cursor) -> list[Stmt]:
        """As `statements`, after pending directives were dealt with."""
        self.unit.statement_count += 1
        handler = STATEMENTS.get(cursor.kind)
        if handler is None:
            handler = STATEMENTS[
                _FIRST_STATEMENT_KIND if is_statement(cursor) else Kind.UNEXPOSED_EXPR
            ]
        self._depth += 1
        try:
            found = handler(self, cursor)
        finally:
            self._depth -= 1
        if self.lost_parts:
            begin, end = self.clang.start(cursor)[3], self.clang.end(cursor)[3]
            found = [*found, *self.take_lost(begin, end)]
        return found

    def take_lost(self, begin: int, end: int) -> list[Stmt]:
        """What stands for the lost parts between two places; they wait no longer."""
        found: list[Stmt] = [
            part.statement for part in self.lost_parts if begin <= part.offset < end
        ]
        if found:
            self.lost_parts = [part for part in self.lost_parts if not begin <= part.offset < end]
        return found

    def statement(self, cursor: Cursor) -> Stmt:
        """Lowers a statement to one."""
        found = self.statements(cursor)
        if len(found) == 1:
            return found[0]
        return Compound(self.position(cursor), tuple(found))

    def opaque(
        self,
        cursor: Cursor,
        reason: str,
        operands: tuple[Expr, ...] = (),
        type_: Type | None = None,
    ) -> OpaqueExpr:
        """An expression that could not be lowered, counted."""
        self.unit.opaque(reason)
        return OpaqueExpr(
            self.types.of(cursor) if type_ is None else type_,
            self.position(cursor),
            reason,
            operands,
        )

    def too_deep(self, cursor: Cursor) -> OpaqueExpr:
        """What stands for an expression in so many others that the lowering gives up, with a remark."""
        position = self.position(cursor)
        self.unit.remarks.append(
            ParseDiagnostic(
                text="expression nested too deeply", position=position, function=self.key or None
            )
        )
        return self.opaque(cursor, "nested too deeply")

    def unknown_expression(self, cursor: Cursor) -> Expr:
        """An expression of a kind without handler: its operands are kept."""
        if is_statement(cursor) or cursor.kind < Kind.UNEXPOSED_EXPR:
            return self.opaque(cursor, f"cursor kind {cursor.kind}")
        operands = tuple(
            self.expression(child) for child in self.clang.children(cursor) if is_expression(child)
        )
        return self.opaque(cursor, f"expression kind {cursor.kind}", operands)

    def variable(self, declaration: VariableDeclaration, position: Position) -> Expr:
        """A use of a variable; references are followed."""
        return use_variable(declaration, position)

    def bind(self, cursor: Cursor, declaration: VariableDeclaration) -> None:
        """Makes a declared variable visible."""
        if cursor.d0 is not None:
            self.locals[cursor.d0] = declaration
            if declaration.storage is not Storage.LOCAL:
                self.unit.static_locals[cursor.d0] = declaration
        if declaration.name:
            self.names[declaration.name] = declaration

    def this_address(self, position: Position) -> Expr | None:
        """The address of the object, None outside methods."""
        return None if self.this is None else self.this.address(position)


def use_variable(declaration: VariableDeclaration, position: Position) -> Expr:
    """A use of a variable; references are followed."""
    declared = declaration.type
    use = Variable(declared, position, declaration.key, declaration.name)
    if isinstance(declared, PointerType) and declared.is_reference:
        return Deref(declared.pointee, position, use)
    return use


def is_statement(cursor: Cursor) -> bool:
    """Whether the cursor is a statement that is no expression."""
    return (
        _FIRST_STATEMENT_KIND <= cursor.kind <= _LAST_STATEMENT_KIND
        and cursor.kind != Kind.BUILTIN_BIT_CAST_EXPR
    )


def is_expression(cursor: Cursor) -> bool:
    """Whether the cursor is an expression."""
    return (
        Kind.UNEXPOSED_EXPR <= cursor.kind < _FIRST_STATEMENT_KIND
        or cursor.kind == Kind.BUILTIN_BIT_CAST_EXPR
    )


def address_of(operand: Expr) -> Expr:
    """The address of an lvalue, or of a temporary that holds a value."""
    if isinstance(operand, Deref):
        return operand.pointer
    return AddressOf(PointerType(operand.type), operand.position, operand)


def dereference(pointer: Expr) -> Expr:
    """The object that a pointer designates."""
    if isinstance(pointer, AddressOf):
        return pointer.operand
    pointee: Type = OpaqueType("?")
    if isinstance(pointer.type, PointerType):
        pointee = pointer.type.pointee
    elif isinstance(pointer.type, ArrayType):
        pointee = pointer.type.element
    return Deref(pointee, pointer.position, pointer)


def member_at(base: Expr, name: str, member_type: Type, offset_bytes: int) -> Expr:
    """A member (or base class) of an object."""
    return Member(member_type, base.position, base, name, offset_bytes)


def is_lvalue(operand: Expr) -> bool:
    """Whether an expression designates an object rather than a value."""
    if isinstance(operand, Member):
        return is_lvalue(operand.base)
    return not isinstance(operand, Constant) and type(operand).__name__ in _LVALUES


_LVALUES = frozenset(
    {
        "Variable",
        "Deref",
        "Subscript",
        "StringLiteral",
        "Conditional",
        "Comma",
        "Assign",
        "CompoundAssign",
        "IncDec",
    }
)
