"""The few lexical facts that no cursor holds, read from the bytes of a file: directives, launches, macro definitions."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from enum import Enum

from clang_queries.quick_dataclass import dataclass
from clang_queries.quick_pattern import pattern

_LEXEME = pattern(
    rb"""
    (?P<comment>//(?:[^\n\\]|\\.|\\\n)*|/\*.*?(?:\*/|\Z))
  | (?P<raw>R"(?P<mark>[^(\s"]{0,16})\(.*?\)(?P=mark)")
  | (?P<string>"(?:[^"\\\n]|\\.)*"?)
  | (?P<character>(?<![0-9a-zA-Z_])'(?:[^'\\\n]|\\.)*'?)
  | (?P<directive>^[ \t]*(?:\#|%:)(?:[^\n\\/"]|\\\r?\n|\\.|"(?:[^"\\\n]|\\.)*"?|/(?![/*])|/\*(?:[^*]|\*(?!/))*\*/)*)
  | (?P<launch><<<)
  | (?P<attribute>\[\s*\[(?=[^\[\]]*\bomp\b))
  | (?P<word>[A-Za-z_]\w*)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_DEFINE = pattern(r"(?:#|%:)\s*define\s+(\w+)(\([^)]*\))?[ \t]*(.*)", re.DOTALL)
_CONTINUATION = pattern(r"\\\r?\n")
_COMMENT = pattern(r"/\*.*?\*/|//.*", re.DOTALL)


class LexemeKind(Enum):
    """What a lexeme is."""

    DIRECTIVE = "directive"
    LAUNCH = "launch"
    WORD = "word"
    ATTRIBUTE = "attribute"
    """The brackets that open a C++ attribute of OpenMP."""


@dataclass(frozen=True, slots=True)
class Lexeme:
    """One lexeme with its place."""

    kind: LexemeKind
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro; `parameters` is None without a parameter list."""

    name: str
    parameters: tuple[str, ...] | None
    body: str


def lexemes(text: bytes, *, words: bool = False) -> Iterator[Lexeme]:
    """Preprocessor directives, launch tokens, attributes of OpenMP and (on request) words, outside comments and strings."""
    for match in _LEXEME.finditer(text):
        group = match.lastgroup
        if group == "directive":
            yield Lexeme(LexemeKind.DIRECTIVE, match.start(), match.end())
        elif group == "launch":
            yield Lexeme(LexemeKind.LAUNCH, match.start(), match.end())
        elif group == "attribute":
            yield Lexeme(LexemeKind.ATTRIBUTE, match.start(), match.end())
        elif words and group == "word":
            yield Lexeme(LexemeKind.WORD, match.start(), match.end())


def directive_text(raw: bytes) -> str:
    """A directive in one line without comments."""
    joined = _CONTINUATION.sub(" ", raw.decode("utf-8", "replace"))
    return _COMMENT.sub(" ", joined).strip()


def spliced(text: str) -> str:
    """The text with its continued lines joined."""
    return _CONTINUATION.sub("", text)


def macro_of(directive: str) -> Macro | None:
    """The macro that a directive defines."""
    match = _DEFINE.match(directive)
    if match is None:
        return None
    parameters = (
        None if match[2] is None else tuple(part.strip() for part in match[2][1:-1].split(","))
    )
    return Macro(match[1], parameters, match[3].strip())


class Lines:
    """Offsets of a file to lines and columns."""

    def __init__(self, text: bytes) -> None:
        self._starts = [0, *(match.end() for match in re.finditer(rb"\n", text))]

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


class Skipped:
    """The ranges that the preprocessor left out."""

    def __init__(self, ranges: list[tuple[int, int]]) -> None:
        self._ranges = sorted(ranges)
        self._starts = [begin for begin, _ in self._ranges]

    def covers(self, offset: int) -> bool:
        """Whether the offset lies in one of them."""
        return self.behind(offset) > offset

    def behind(self, offset: int) -> int:
        """The end of the range around an offset; the offset itself outside of them."""
        index = bisect_right(self._starts, offset) - 1
        return max(self._ranges[index][1], offset) if index >= 0 else offset


def balanced(text: str, start: int, brackets: str = "()") -> int:
    """The offset behind the bracket that closes the one at `start`; the text's length without one."""
    depth = 0
    for position in range(start, len(text)):
        if text[position] == brackets[0]:
            depth += 1
        elif text[position] == brackets[1]:
            depth -= 1
            if depth == 0:
                return position + 1
    return len(text)


def split_list(text: str) -> list[str]:
    """The parts between commas that stand in no brackets."""
    parts = [""]
    depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]
