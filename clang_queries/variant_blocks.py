"""``begin declare variant`` blocks: their functions get names of their own, since libclang sees a second definition.

The new name stands where the old one does and on the same line; inside of bodies the old name stays, because a call there
means the function that its own context chooses.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clang_queries.directive_syntax import parse_directive
from clang_queries.lexing import LexemeKind, balanced, directive_text, lexemes
from clang_queries.quick_pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

_PRAGMA = pattern(r"(?:#|%:)\s*pragma\s+omp\b(.*)", re.DOTALL)
_SUFFIX = "__omp_variant_"
_FARTHEST = 400
"""Characters before a brace that tell what it encloses."""
_RENAMED = pattern(rf"\b([A-Za-z_]\w*){_SUFFIX}\d+\b")
_PIECE = pattern(
    r"""//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|^[ \t]*\#(?:\\\r?\n|[^\n])*|[{}]|(?P<name>[A-Za-z_]\w*)(?=\s*\()""",
    re.DOTALL | re.MULTILINE,
)
_BODY_FOLLOWS = pattern(
    r"\s*(?:const\b|noexcept\b|override\b|final\b|__attribute__\s*\(\([^{};]*\)\)|->[^{};]*|\s)*\{"
)
_CONTAINER = pattern(r"(?:\bnamespace\b[^;{}()]*|\bextern\s*\"C(?:\+\+)?\"\s*)$")


def with_renamed_variants(source: bytes) -> bytes:
    """The source with the functions that are defined in such blocks renamed."""
    if b"variant" not in source or b"begin" not in source:
        return source
    parts: list[bytes] = []
    start = 0
    for number, (begin, end) in enumerate(_blocks(source)):
        text = source[begin:end].decode("latin-1")
        parts.append(source[start:begin])
        parts.append(_renamed(text, f"{_SUFFIX}{number}").encode("latin-1"))
        start = end
    return b"".join([*parts, source[start:]])


def renamed_functions(text: str) -> dict[str, str]:
    """New name -> old name of the functions that were renamed in a text.

    Example:
        >>> renamed_functions("int twice__omp_variant_0(int x) { return x + x; }")
        {'twice__omp_variant_0': 'twice'}
    """
    return {match[0]: match[1] for match in _RENAMED.finditer(text)}


def _blocks(source: bytes) -> Iterator[tuple[int, int]]:
    """Where the text between two of the directives begins and ends, if it stands in a block."""
    depth = begin = 0
    for lexeme in lexemes(source):
        if lexeme.kind is not LexemeKind.DIRECTIVE:
            continue
        match = _PRAGMA.match(directive_text(source[lexeme.begin : lexeme.end]))
        name = parse_directive(match[1])[0] if match is not None else ""
        if name not in ("begin declare variant", "end declare variant"):
            continue
        if depth:
            yield begin, lexeme.begin
        depth = depth + 1 if name.startswith("begin") else max(depth - 1, 0)
        begin = lexeme.end


def _renamed(text: str, suffix: str) -> str:
    places: list[int] = []
    inside = 0
    for piece in _PIECE.finditer(text):
        if piece[0] == "{":
            # A namespace holds functions; everything else that braces enclose is a body.
            if inside or not _CONTAINER.search(
                text, max(piece.start() - _FARTHEST, 0), piece.start()
            ):
                inside += 1
        elif piece[0] == "}":
            inside = max(inside - 1, 0)
        elif piece["name"] and not inside:
            closing = balanced(text, text.index("(", piece.end()))
            if _BODY_FOLLOWS.match(text, closing):
                places.append(piece.end())
    parts = [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]
    return suffix.join(parts)
