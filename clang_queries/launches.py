"""Launch tokens of the source against the launches of the tree: an error in a launch deletes it without a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import Position
from clang_queries.lexing import LexemeKind, Lines, Skipped, lexemes
from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from clang_queries.lowering.unit_context import UnitContext


@dataclass(frozen=True, slots=True)
class LaunchToken:
    """One ``<<<``."""

    file: int
    offset: int
    position: Position


def launch_tokens(context: UnitContext) -> list[LaunchToken]:
    """The ``<<<`` tokens of the project's files that the preprocessor kept, macro definitions left out."""
    found = []
    for handle in context.project_files:
        text = context.unit.contents(handle)
        if b"<<<" not in text:
            continue
        skipped = Skipped(context.unit.skipped_ranges(handle))
        lines = Lines(text)
        name = context.unit.file_name(handle)
        for lexeme in lexemes(text):
            if lexeme.kind is LexemeKind.LAUNCH and not skipped.covers(lexeme.begin):
                position = Position(name, *lines.place(lexeme.begin))
                found.append(LaunchToken(handle, lexeme.begin, position))
    return sorted(found, key=lambda token: (token.position.file, token.offset))


def lost_launches(context: UnitContext, tokens: list[LaunchToken]) -> tuple[Position, ...]:
    """Tokens that no launch of the tree covers."""
    spans: dict[int, list[tuple[int, int]]] = {}
    for begin, end in context.launch_extents:
        spans.setdefault(begin[0], []).append((begin[3], end[3]))
    return tuple(
        token.position
        for token in tokens
        if not any(begin <= token.offset <= end for begin, end in spans.get(token.file, ()))
    )
