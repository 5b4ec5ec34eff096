"""Errors of the parser that cost a statement: what it would have done stands in no tree."""

from __future__ import annotations

from bisect import bisect_left
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
    messages = [item for item in unit.errors_in(name, begin, end) if not item.has_fix]
    kept = _kept(unit, body, handle, sorted({item.offset for item in messages}))
    return [
        LostPart(item.offset, _lost_statement(item.text, name, item.line, item.column))
        for item in messages
        if item.offset not in kept
    ]


def _lost_statement(text: str, file: str, line: int, column: int) -> OpaqueStmt:
    """What stands in the IR for it."""
    position = Position(file, line, column)
    return OpaqueStmt(position, f"line {line} did not parse: {text}", is_lost=True)


def _kept(unit: UnitContext, body: Cursor, handle: int, places: list[int]) -> set[int]:
    """Of places in a body those around which the smallest cursor is an expression that shows what it is made of.

    All are followed down together: a body of one lost header may have hundreds, and its instances as many each.
    """
    clang = unit.clang
    kept: set[int] = set()
    pending = [(body, places)] if places else []
    while pending:
        cursor, within = pending.pop()
        children = clang.children(cursor)
        inner: dict[int, Cursor] = {}
        for child in children:
            start = clang.start(child)
            if start[0] == handle and start[3] <= within[-1]:
                stop = clang.end(child)[3]
                inner.update(
                    dict.fromkeys(
                        within[bisect_left(within, start[3]) : bisect_left(within, stop)], child
                    )
                )
        is_hidden = cursor.kind == Kind.UNEXPOSED_EXPR and not children
        if is_expression(cursor) and not is_hidden:
            kept.update(place for place in within if place not in inner)
        groups: dict[int, tuple[Cursor, list[int]]] = {}
        for place in within:
            if place in inner:
                groups.setdefault(id(inner[place]), (inner[place], []))[1].append(place)
        for child, inside in groups.values():
            if child.kind == Kind.LAMBDA_EXPR or (
                child.kind in _REFERENCES and is_expression(cursor)
            ):
                kept.update(inside)  # the body of a lambda is that of another function
            elif child.kind not in _REFERENCES:
                pending.append((child, inside))
    return kept
