"""The spelling of source ranges, for the few facts that cursors do not hold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clang_queries.quick_pattern import pattern

if TYPE_CHECKING:
    from clang_queries._cindex import Cursor
    from clang_queries.lowering.scope import Scope

_ESCAPE = pattern(r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]+)|(.))", re.DOTALL)
_ESCAPED = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "e": "\x1b",
    "\n": "",
}


def string_value(literal: str) -> str:
    """The characters of a string literal as libclang spells it, prefix and quotes included."""
    start, end = literal.find('"'), literal.rfind('"')
    inner = literal[start + 1 : end] if 0 <= start < end else literal
    return unescape(inner) if "\\" in inner else inner


def unescape(text: str) -> str:
    """C escape sequences replaced by their characters."""
    return _ESCAPE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    if match[1] is not None:
        return chr(int(match[1], 8))
    if match[2] is not None:
        return chr(int(match[2], 16) & 0xFF)
    return _ESCAPED.get(match[3], match[3])


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
