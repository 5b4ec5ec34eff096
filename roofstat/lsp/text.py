"""A document's text: lines, and positions in the client's units."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from lsprotocol import types

__all__ = ["Text", "units"]

_LINE_END = re.compile(r"\r\n|\n|\r")
_NUMBER = re.compile(r"\.?\d(?:[eEpP][+-]|'?\w|\.)*")
_WORD = re.compile(r"[A-Za-z_]\w*")


def units(text: str, encoding: str) -> int:
    """Return the length of a text in the code units of an encoding.

    >>> units("a🚀", "utf-16"), units("a🚀", "utf-8"), units("a🚀", "utf-32")
    (3, 5, 2)
    """
    if encoding == types.PositionEncodingKind.Utf32:
        return len(text)
    if encoding == types.PositionEncodingKind.Utf8:
        return len(text.encode())
    return len(text) + sum(character > "\uffff" for character in text)


class Text:
    """One version of a document, as the protocol and the parser see it: both end lines at line feeds and returns only.

    Reports count lines and columns from 1, columns in bytes of UTF-8; clients count from 0, in units of their own.
    """

    def __init__(self, source: str, encoding: str) -> None:
        # A client may send halves of surrogate pairs, which have no bytes.
        self.source = source.encode("utf-8", "replace").decode()
        self.encoding = encoding

    @cached_property
    def lines(self) -> Sequence[str]:
        """Lines without their ends."""
        return _LINE_END.split(self.source)

    def line(self, number: int) -> str:
        """Return a 1-based line; empty where there is none."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def position(self, line: int, column: int = 1) -> types.Position:
        """Return a place of a report as the client writes it, within the text."""
        line = min(max(line, 1), len(self.lines))
        before = self.line(line).encode()[: max(column - 1, 0)].decode("utf-8", "ignore")
        return types.Position(line=line - 1, character=units(before, self.encoding))

    def end_of_line(self, line: int) -> types.Position:
        """Return the place behind the last character of a line."""
        return self.position(line, len(self.line(line).rstrip().encode()) + 1)

    def column(self, position: types.Position) -> int:
        """Return the 1-based byte column of a client's position in its line."""
        text = self.line(position.line + 1)
        if self.encoding == types.PositionEncodingKind.Utf8:
            return min(position.character, len(text.encode())) + 1
        if self.encoding == types.PositionEncodingKind.Utf32:
            return len(text[: position.character].encode()) + 1
        encoded = text.encode("utf-16-le")[: 2 * position.character]
        return len(encoded.decode("utf-16-le", "ignore").encode()) + 1

    def span(self, line: int, column: int | None) -> types.Range:
        """Return what a remark at a place is about: the expression that begins there, or the line without its margins."""
        text = self.line(line)
        if column is None:
            indent = len(text) - len(text.lstrip())
            return types.Range(self.position(line, indent + 1), self.end_of_line(line))
        rest = text.encode()[column - 1 :].decode("utf-8", "ignore")
        end = column + len(_expression(rest).encode())
        return types.Range(self.position(line, column), self.position(line, end))

    def whole_line(self, line: int) -> types.Range:
        """Return a line with its indentation."""
        return types.Range(self.position(line), self.end_of_line(line))

    def word_at(self, position: types.Position) -> str:
        """Return the identifier around a position; empty where there is none."""
        text = self.line(position.line + 1)
        at = len(text.encode()[: self.column(position) - 1].decode("utf-8", "ignore"))
        return next(
            (found[0] for found in _WORD.finditer(text) if found.start() <= at <= found.end()), ""
        )


def _expression(text: str) -> str:
    """The number, access or word at the beginning of a text, subscripts and members included.

    >>> [_expression(text) for text in ("1e-3 + x", "0x1p-2;", "1'000.0)", ".5*x", "p->x[i - 1] + 2")]
    ['1e-3', '0x1p-2', "1'000.0", '.5', 'p->x[i - 1]']
    """
    number = _NUMBER.match(text)
    if number is not None:
        return number[0]
    end = 0
    depth = 0
    for place, character in enumerate(text):
        if character in "([":
            if character == "(" and depth == 0:
                break
            depth += 1
        elif character in ")]":
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and not (character.isalnum() or character in "_.:"):
            is_arrow = text.startswith("->", place) or text.startswith("->", place - 1)
            if not is_arrow or place == 0:
                break
        if depth == 0:
            end = place + 1
    return text[: max(end, 1)]
