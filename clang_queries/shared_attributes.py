"""``__shared__ alignas(16) float s[64];``: the attributes of C++ go first, since clang takes them nowhere else.

nvcc takes ``__shared__`` for an attribute itself, so they may follow it there. The two change places with the blanks
between them, so that no line and no other token moves.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clang_queries.quick_pattern import pattern

if TYPE_CHECKING:
    from clang_queries.translation_unit import TranslationUnit

_ATTRIBUTES = pattern(
    rb"""
    \b__shared__(\s+)
    ( (?: (?: alignas\s*\( (?:[^()]|\((?:[^()]|\([^()]*\))*\))* \) | \[\[[^\[\]]*\]\] ) (?:\s*(?=alignas\b|\[\[))? )+ )
    (?=\s)
    """,
    re.VERBOSE,
)
_LATE = "an attribute list cannot appear here"


def with_attributes_first(source: bytes) -> bytes:
    """The source with attributes that follow ``__shared__`` in front of it.

    Example:
        >>> with_attributes_first(b"__shared__ alignas(16) float s[64];")
        b'alignas(16) __shared__ float s[64];'
    """
    if b"__shared__" not in source:
        return source
    return _ATTRIBUTES.sub(rb"\2\1__shared__", source)


def mended_headers(unit: TranslationUnit) -> dict[str, bytes]:
    """Texts of included files in which the parser met such attributes, with these in front."""
    files = {error.file for error in unit.errors() if error.text == _LATE}
    texts = {}
    for handle in unit.included_files() if files else ():
        name, text = unit.file_name(handle), unit.contents(handle)
        if name in files and with_attributes_first(text) != text:
            texts[name] = with_attributes_first(text)
    return texts
