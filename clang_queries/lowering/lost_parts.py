"""Errors of the parser that cost a statement: what it would have done stands in no tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries._kinds import Kind
from clang_queries.ir.expressions import Position
from clang_queries.ir.statements import OpaqueStmt
from clang_queries.lowering.scope import is_expression
from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from clang_queries._cindex import Cursor
    from clang_queries.lowering.unit_context import UnitContext


_REFERENCES = range(40, 51)
"""Kinds of cursors that name something within an expression: ``CXCursor_FirstRef`` to ``CXCursor_LastRef``."""


@dataclass(frozen=True, slots=True)
class LostPart:
    """The place of such an error."""

    offset: int
    statement: OpaqueStmt


def lost_parts(unit: UnitContext, body: Cursor) -> list[LostPart]:
    """The lost parts of a function's body.

    An error with a fix-it costs nothing, for the parser goes on as if it were mended; neither does one inside an
    expression whose operands the tree holds all the same.
    """
    handle, _, _, begin = unit.clang.start(body)
    end = unit.clang.end(body)[3]
    name = unit.unit.file_name(handle)
    return [
        LostPart(message.offset, _lost_statement(message.text, name, message.line, message.column))
        for message in unit.errors_in(name, begin, end)
        if not message.has_fix and not _is_kept(unit, body, handle, message.offset)
    ]


def _lost_statement(text: str, file: str, line: int, column: int) -> OpaqueStmt:
    """What stands in the IR for it."""
    position = Position(file, line, column)
    return OpaqueStmt(position, f"line {line} did not parse: {text}", is_lost=True)


def _is_kept(unit: UnitContext, body: Cursor, handle: int, offset: int) -> bool:
    """Whether the smallest cursor around a place is an expression that shows what it is made of."""
    clang = unit.clang
    cursor = body
    while True:
        children = clang.children(cursor)
        inner = None
        for child in children:
            start = clang.start(child)
            if start[0] == handle and start[3] <= offset < clang.end(child)[3]:
                inner = child
        if inner is None:
            is_hidden = cursor.kind == Kind.UNEXPOSED_EXPR and not children
            return is_expression(cursor) and not is_hidden
        if inner.kind == Kind.LAMBDA_EXPR:
            return True  # its body is that of another function
        if inner.kind in _REFERENCES:
            return is_expression(cursor)
        cursor = inner
