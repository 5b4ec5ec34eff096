"""The spelling of source ranges, for the few facts that cursors do not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clang_queries._cindex import Cursor
    from clang_queries.lowering.scope import Scope


def source_text(scope: Scope, cursor: Cursor) -> bytes:
    """The bytes of the cursor's extent; the macro's name where it comes from a macro."""
    handle, _, _, begin = scope.clang.start(cursor)
    end_handle, _, _, end = scope.clang.end(cursor)
    if not handle or handle != end_handle:
        return b""
    return scope.unit.unit.contents(handle)[begin:end]


def text_between(
    scope: Scope, begin: tuple[int, int, int, int], end: tuple[int, int, int, int]
) -> bytes:
    """The bytes between two places of one file."""
    if not begin[0] or begin[0] != end[0]:
        return b""
    return scope.unit.unit.contents(begin[0])[begin[3] : end[3]]
