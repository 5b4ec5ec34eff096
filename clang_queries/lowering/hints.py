"""What cursors do not hold and clang's printer does: unroll counts, launch bounds, asm text from macros."""

from __future__ import annotations

import re
from collections.abc import Callable

from clang_queries._cindex import Clang, Cursor
from clang_queries.lowering.asm import AsmText, parse_asm
from clang_queries.quick_dataclass import dataclass
from clang_queries.quick_pattern import pattern

_SOURCE_HINT = pattern(rb"#\s*pragma\s+(?:clang\s+loop\s+)?(nounroll|unroll)[ \t]*([^\r\n]*)")
_PRINTED_HINT = pattern(r"#pragma (?:clang loop )?(nounroll|unroll)(?:_count)?[ \t]*([^\n]*)")
_ASM = pattern(r"\basm\b(?:\s+\w+)*\s*\(")
_COMPLETE = 0
_NONE = 1


@dataclass(frozen=True, slots=True)
class FunctionHints:
    """Attributes of a function that are printed only."""

    max_threads_per_block: int | None = None
    min_blocks_per_sm: int | None = None
    is_noinline: bool = False
    is_always_inline: bool = False


class Printed:
    """The printed form of one function, made when first needed and read in the order of the source."""

    def __init__(self, clang: Clang, function: Cursor) -> None:
        self._clang = clang
        self._function = function
        self._text: str | None = None
        self._loops: list[int | None] | None = None
        self._loop_index = 0
        self._asm_index = 0

    def text(self) -> str:
        """The whole function as clang prints it."""
        if self._text is None:
            self._text = self._clang.pretty(self._function, terse=False)
        return self._text

    def next_loop(self, source: bytes) -> int | None:
        """The unroll count of the next loop with a pragma.

        Args:
            source: the text at the pragma; without a pragma where a macro makes it.

        Returns:
            As `Loop.unroll`.
        """
        index = self._loop_index
        self._loop_index += 1
        match = _SOURCE_HINT.match(source)
        if match is not None:
            argument = _strip_comment(match[2].decode("utf-8", "replace"))
            count = _count(match[1].decode(), argument, lambda _text: None)
            if count is not None:
                return count
        if self._loops is None:
            self._loops = [
                _count(found[1], found[2], _evaluate_integer)
                for found in _PRINTED_HINT.finditer(self.text())
            ]
        return self._loops[index] if index < len(self._loops) else None

    def next_asm(self, source: str) -> AsmText | None:
        """The parts of the next asm statement.

        Args:
            source: its text; where a macro makes it, the printed statement of the same number is read instead.
        """
        index = self._asm_index
        self._asm_index += 1
        parsed = parse_asm(source)
        if parsed is not None:
            return parsed
        starts = [match.start() for match in _ASM.finditer(self.text())]
        return parse_asm(self.text()[starts[index] :]) if index < len(starts) else None


def _strip_comment(text: str) -> str:
    return re.split(r"//|/\*", text)[0].strip()


def _count(word: str, argument: str, evaluate: Callable[[str], int | None]) -> int | None:
    if word == "nounroll" or argument in ("(disable)", "disable"):
        return _NONE
    argument = argument.strip()
    while argument.startswith("(") and argument.endswith(")"):
        argument = argument[1:-1].strip()
    if argument in ("", "full", "enable"):
        return _COMPLETE
    number = re.fullmatch(r"(\d+)[uUlL]*", argument)
    return int(number[1]) if number is not None else evaluate(argument)


def _evaluate_integer(text: str) -> int | None:
    """The value of a printed expression of integer literals."""
    cleaned = re.sub(r"(\d)[uUlL]+", r"\1", text)
    if not re.fullmatch(r"[\d\s()+\-*/%<>]+", cleaned) or "**" in cleaned:
        return None
    return _Arithmetic(cleaned).value()


class _Arithmetic:
    """A reader for ``+ - * / % << >>`` and parentheses."""

    _LEVELS = (("<<", ">>"), ("+", "-"), ("*", "/", "%"))

    def __init__(self, text: str) -> None:
        self._tokens = re.findall(r"\d+|<<|>>|[()+\-*/%]", text)
        self._next = 0

    def value(self) -> int | None:
        """The value, None where the text is no such expression."""
        found = self._level(0)
        return found if self._next == len(self._tokens) else None

    def _peek(self) -> str:
        return self._tokens[self._next] if self._next < len(self._tokens) else ""

    def _level(self, level: int) -> int | None:
        if level == len(self._LEVELS):
            return self._primary()
        left = self._level(level + 1)
        while left is not None and self._peek() in self._LEVELS[level]:
            op = self._peek()
            self._next += 1
            right = self._level(level + 1)
            if (
                right is None
                or (op in "/%" and right == 0)
                or (op in ("<<", ">>") and not 0 <= right < 64)
            ):
                return None
            left = _apply(op, left, right)
        return left

    def _primary(self) -> int | None:
        lexeme = self._peek()
        self._next += 1
        if lexeme.isdigit():
            return int(lexeme)
        if lexeme == "-":
            value = self._primary()
            return None if value is None else -value
        if lexeme == "(":
            value = self._level(0)
            if self._peek() != ")":
                return None
            self._next += 1
            return value
        return None


def _apply(op: str, left: int, right: int) -> int:
    if op == "+":
        return left + right
    if op == "-":
        return left - right
    if op == "*":
        return left * right
    if op == "<<":
        return left << right
    if op == ">>":
        return left >> right
    quotient = abs(left) // abs(right)
    quotient = quotient if (left < 0) == (right < 0) else -quotient
    return quotient if op == "/" else left - quotient * right


_LAUNCH_BOUNDS = pattern(r"launch_bounds\(")


def function_hints(printed: str) -> FunctionHints:
    """Reads the attributes of a printed declaration."""
    match = _LAUNCH_BOUNDS.search(printed)
    numbers: list[int | None] = []
    if match is not None:
        numbers = [_evaluate_integer(part) for part in _arguments(printed, match.end())]
    return FunctionHints(
        numbers[0] if numbers else None,
        numbers[1] if len(numbers) > 1 else None,
        re.search(r"\b_*noinline_*\b", printed) is not None,
        "always_inline" in printed,
    )


def _arguments(text: str, start: int) -> list[str]:
    depth = 0
    parts = [""]
    for character in text[start:]:
        if character == ")" and depth == 0:
            break
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts
