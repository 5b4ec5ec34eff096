"""A source without the bodies of functions that do not matter: it takes a fraction of the time to parse."""

from __future__ import annotations

import re
from collections.abc import Iterable

from clang_queries.quick_pattern import pattern

_DIRECTIVE = pattern(rb"^[ \t]*(?:#|%:)(?![ \t]*pragma\b)", re.MULTILINE)
_NEEDS_BODY = pattern(rb"\b(?:constexpr|consteval|auto|decltype)\b")
"""Words of a function's head by which its body has a meaning for others."""
_HEAD_BYTES = 400
_BLANK = pattern(rb"[^\r\n]")


def without_bodies(
    source: bytes, bodies: Iterable[tuple[int, int]]
) -> tuple[bytes, list[tuple[int, int]]]:
    """Blanks what stands between the braces of some functions; every line and column stays where it is.

    Args:
        source: the text.
        bodies: where the bodies begin and end, braces included. Bodies that others may need, or that hold directives of the
            preprocessor, are passed over.

    Returns:
        The text, and the bodies that are blank.

    Example:
        >>> without_bodies(b"int f() { return 1; }", [(8, 21)])
        (b'int f() {           }', [(8, 21)])
    """
    parts: list[bytes] = []
    blank: list[tuple[int, int]] = []
    at = 0
    for begin, end in sorted(bodies):
        body = source[begin:end]
        if begin < at or body[:1] != b"{" or body[-1:] != b"}" or _DIRECTIVE.search(body):
            continue
        if has_meaning_for_others(source, begin):
            continue
        parts += [source[at : begin + 1], _BLANK.sub(b" ", body[1:-1])]
        blank.append((begin, end))
        at = end - 1
    return b"".join([*parts, source[at:]]), blank


def has_meaning_for_others(source: bytes, body: int) -> bool:
    """Whether by its head the body of a function, which begins at a place, is part of what it means to its callers.

    Example:
        >>> text = b"int f() { return 1; } constexpr int g() { return 2; }"
        >>> has_meaning_for_others(text, 8), has_meaning_for_others(text, 40)
        (False, True)
    """
    head = re.split(rb"[;}]", source[max(0, body - _HEAD_BYTES) : body])[-1]
    return bool(_NEEDS_BODY.search(head))
