"""Explicit instantiations of functions: libclang shows no cursor for them, but it shows what a pointer refers to.

So the source is parsed again with such a pointer behind each of them, on the same line, which keeps all places.
"""

from __future__ import annotations

import re

from clang_queries.lexing import LexemeKind, lexemes
from clang_queries.quick_pattern import pattern

_TEMPLATE = b"template"
_ATTRIBUTE = pattern(
    r"__launch_bounds__\s*\([^()]*(?:\([^()]*\)[^()]*)*\)"
    r"|__attribute__\s*\(\([^()]*(?:\([^()]*\)[^()]*)*\)\)|\[\[[^\]]*\]\]"
    r"|\b(?:__global__|__host__|__device__|__forceinline__|__noinline__|static|inline|extern)\b"
)
_NAMED = pattern(r"(?P<result>.+?)(?P<name>(?<![\w:])(?:::)?\w+(?:::\w+)*\s*(?:<.*>)?)")
_COMMENT = pattern(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_MAXIMUM_LENGTH = 4000
REFERENCE_PREFIX = "cq_explicit_instance_"
"""Names of the pointers that are added."""


def with_references(source: bytes) -> bytes | None:
    """The source with a pointer behind each explicit instantiation of a function.

    Returns:
        None where there is no explicit instantiation.
    """
    insertions: list[tuple[int, bytes]] = []
    for lexeme in lexemes(source, words=True):
        if lexeme.kind is not LexemeKind.WORD or source[lexeme.begin : lexeme.end] != _TEMPLATE:
            continue
        before = source[max(lexeme.begin - 80, 0) : lexeme.begin].rstrip()
        if before.endswith((b".", b"->", b"::")):
            continue  # the keyword before a dependent member
        end = source.find(b";", lexeme.end, lexeme.end + _MAXIMUM_LENGTH)
        body = source[lexeme.end : end] if end > 0 else b""
        if not body or body.lstrip().startswith(b"<") or b"{" in body or b"(" not in body:
            continue
        pointer = _pointer(body.decode("utf-8", "replace"), len(insertions))
        if pointer is not None:
            insertions.append((end + 1, pointer.encode()))
    if not insertions:
        return None
    parts = []
    start = 0
    for place, text in insertions:
        parts += [source[start:place], text]
        start = place
    return b"".join([*parts, source[start:]])


def _pointer(declaration: str, number: int) -> str | None:
    """``__global__ void k<float>(float *)`` as a pointer that refers to the instance."""
    text = " ".join(_ATTRIBUTE.sub(" ", _COMMENT.sub(" ", declaration)).split())
    if not text.endswith(")"):
        return None
    depth = 0
    opening = -1
    for place in range(len(text) - 1, -1, -1):
        depth += (text[place] == ")") - (text[place] == "(")
        if depth == 0:
            opening = place
            break
    head = text[:opening].strip()
    match = _NAMED.fullmatch(head)
    if opening < 0 or match is None:
        return None
    parameters = text[opening:]
    variable = f"{REFERENCE_PREFIX}{number}"
    return f" static {match['result']} (*const {variable}){parameters} = &{match['name']};"
