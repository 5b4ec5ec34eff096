"""``declare variant``: which function takes the place of another, and in which context."""

from __future__ import annotations

import re

from clang_queries.ir.statements import Selector
from clang_queries.lexing import balanced, split_list
from clang_queries.quick_pattern import pattern

_SET = pattern(r"\s*,?\s*(\w+)\s*=\s*\{")
_SELECTOR = pattern(r"\s*,?\s*(\w+)\s*(\()?")
_SCORE = pattern(r"score\s*\([^()]*\)\s*:")
_BLANK = pattern(r"//[^\n]*|/\*.*?\*/|^[ \t]*(?:#|%:)(?:\\\r?\n|[^\n])*", re.DOTALL | re.MULTILINE)
_CALLED = pattern(r"([A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*)\s*\(")
_NO_FUNCTIONS = frozenset(
    {"__attribute__", "__declspec", "alignas", "decltype", "noexcept", "requires"}
)
_FARTHEST = 4000


def selectors(text: str) -> tuple[Selector, ...]:
    """The selectors of a ``match`` clause.

    Example:
        >>> [(item.set, item.trait, item.properties) for item in selectors("construct={target}, device={kind(gpu)}")]
        [('construct', 'target', ()), ('device', 'kind', ('gpu',))]
    """
    found: list[Selector] = []
    place = 0
    while (match := _SET.match(text, place)) is not None:
        place = balanced(text, match.end() - 1, "{}")
        found.extend(_traits(match[1], text[match.end() : place - 1]))
    if text[place:].strip(" ,"):
        found.append(Selector(text[place:].strip(" ,"), "", ()))
    return tuple(found)


def _traits(name: str, inner: str) -> list[Selector]:
    found: list[Selector] = []
    place = 0
    while (match := _SELECTOR.match(inner, place)) is not None:
        place = match.end()
        properties: list[str] = []
        if match[2] is not None:
            place = balanced(inner, match.end() - 1)
            listed = _SCORE.sub("", inner[match.end() : place - 1])
            properties = [part.strip('" ') for part in split_list(listed)]
        found.append(Selector(name, match[1], tuple(properties)))
    return found


def declared_function(text: str) -> str | None:
    """The name of the function whose declaration a text starts with."""
    head = _BLANK.sub(" ", text[:_FARTHEST])
    for match in _CALLED.finditer(head):
        if match[1] not in _NO_FUNCTIONS:
            return "".join(match[1].split())
    return None
