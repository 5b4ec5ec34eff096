"""The parts of an asm statement's text: libclang shows the operands' expressions only."""

from __future__ import annotations

import re

from clang_queries.lowering.text import unescape
from clang_queries.quick_dataclass import dataclass
from clang_queries.quick_pattern import pattern

_START = pattern(
    r"\s*(?:__asm__|__asm|asm)\b(?:\s*(?:volatile|__volatile__|__volatile|inline|goto))*\s*\("
)
_TOKEN = pattern(
    r"""
    (?P<raw>R"(?P<mark>[^(\s]{0,16})\(.*?\)(?P=mark)")
  | (?P<string>"(?:[^"\\]|\\.)*")
  | (?P<character>'(?:[^'\\]|\\.)*')
  | (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class AsmText:
    """The template and how many of the operands are outputs."""

    template: str
    output_count: int


def parse_asm(text: str) -> AsmText | None:
    """Reads ``asm [volatile] ("template" : outputs : inputs : clobbers)``.

    Returns:
        None where the text is no asm statement (it comes from a macro).
    """
    start = _START.match(text)
    if start is None:
        return None
    template: list[str] = []
    section = 0
    depth = 0
    outputs = 0
    for match in _TOKEN.finditer(text, start.end()):
        literal = match["string"]
        if literal is not None or match["raw"] is not None:
            if depth == 0 and section == 0:
                template.append(unescape(literal[1:-1]) if literal is not None else _raw(match))
            elif depth == 0 and section == 1:
                outputs += 1
            continue
        character = match["other"]
        if character is None:
            continue
        if character in "([{":
            depth += 1
        elif character in ")]}":
            if depth == 0:
                break
            depth -= 1
        elif character == ":" and depth == 0:
            section += 1
    return AsmText("".join(template), outputs) if template else None


def _raw(match: re.Match[str]) -> str:
    mark = match["mark"]
    return match["raw"][len(mark) + 3 : -len(mark) - 2]
