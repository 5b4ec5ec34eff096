"""The host lines that a launch follows from: a backward slice by names, within the function around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

__all__ = ["launch_site"]

_MAX_LINES: Final = 60
_MAX_STATEMENT_LINES: Final = 40
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_NO_CODE: Final = re.compile(r"//.*|/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"")
_NO_NAMES: Final = frozenset(
    {
        "auto",
        "bool",
        "char",
        "const",
        "double",
        "else",
        "float",
        "for",
        "if",
        "int",
        "long",
        "return",
    }
    | {
        "short",
        "sizeof",
        "static",
        "std",
        "struct",
        "typename",
        "unsigned",
        "using",
        "void",
        "while",
    }
    | {"dim3", "size_t", "omp", "pragma", "target", "teams", "distribute", "parallel"}
)
_SETS: Final = r"(?:=(?!=)|\+\+|--|\(|\{|\[|;|,|\))"


def launch_site(lines: Sequence[str], first: int, last: int) -> list[int]:
    """Return the numbers of the lines (from 0) that a statement of a function rests on, in order.

    The function's head is always among them. Behind the statement nothing matters; before it, lines that declare or set
    one of its names, and then those that set the names of these.

    Args:
        lines: The function, its head first.
        first: First line of the statement.
        last: Last line; where a launch goes on over several lines, they are found.

    >>> code = ["void run(int n) {", "  int m = 3;", "  int blocks = n / 256;", "  k<<<blocks, 256>>>(n);", "}"]
    >>> launch_site(code, 3, 3)
    [0, 2, 3]
    """
    end = _statement_end(lines, first, last)
    chosen = {0, *range(first, end + 1)}
    names = _names(lines[first : end + 1])
    for number in range(first - 1, 0, -1):
        if len(chosen) >= _MAX_LINES:
            break
        code = _NO_CODE.sub(" ", lines[number])
        set_here = {name for name in _names([code]) & names if _sets(code, name)}
        if set_here:
            chosen.add(number)
            names |= _names([code])
    return sorted(chosen)


def _statement_end(lines: Sequence[str], first: int, last: int) -> int:
    """The line of the semicolon that ends the statement on `last`."""
    for number in range(last, min(last + _MAX_STATEMENT_LINES, len(lines))):
        if ";" in _NO_CODE.sub(" ", lines[number]) or "}" in lines[number]:
            return number
    return max(first, min(last, len(lines) - 1))


def _names(lines: Sequence[str]) -> set[str]:
    return {word for line in lines for word in _WORD.findall(_NO_CODE.sub(" ", line))} - _NO_NAMES


def _sets(code: str, name: str) -> bool:
    """Whether the line may declare or change a name: it is followed by an assignment, an initialiser or a call's comma."""
    return re.search(rf"\b{name}\b\s*(?:\[[^\]]*\]\s*)?{_SETS}", code) is not None
