"""Errors of the parser, each with the function whose body holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import Position
from clang_queries.ir.statements import ParseDiagnostic

if TYPE_CHECKING:
    from clang_queries.lowering.unit_context import UnitContext


def parse_diagnostics(context: UnitContext) -> list[ParseDiagnostic]:
    """The parser's errors with the lowered function around each."""
    spans: dict[str, list[tuple[int, int, str]]] = {}
    for key, function in context.functions.items():
        place = function.position
        spans.setdefault(place.file, []).append((place.line, function.end_line, key))
    found = []
    for message in context.unit.errors():
        holders = [
            (end - begin, key)
            for begin, end, key in spans.get(message.file, ())
            if begin <= message.line <= end
        ]
        position = Position(message.file, message.line, message.column)
        holder = min(holders)[1] if holders else None
        found.append(ParseDiagnostic(text=message.text, position=position, function=holder))
    return found
