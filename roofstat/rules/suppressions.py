"""Comments that ignore findings: `// roofstat: ignore[RS101] reason`, on the line itself or alone before it.

On or before the head of a kernel they are about the whole kernel.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from clang_queries.quick_dataclass import dataclass
from clang_queries.quick_pattern import pattern
from roofstat.report import Diagnostic, KernelReport
from roofstat.rules import rs903_unused_suppression
from roofstat.rules.registry import RULES
from roofstat.rules.rule import Rule

__all__ = ["ReadLines", "Suppression", "suppressions", "without_suppressed"]

_COMMENT = pattern(
    r"(?://|/\*)(?:(?!\*/).)*?\broofstat:\s*ignore\b(?:\s*\[(?P<codes>[^\]]*)\]\s*(?P<reason>(?:(?!\*/).)*?)\s*(?:\*/|(?=//\s*roofstat:)|$))?"
)
_ONLY_COMMENT = pattern(r"\s*(?://.*|(?:/\*(?:(?!\*/).)*\*/\s*)+)?")
_STATEMENT = pattern(r"[;{}]")

ReadLines = Callable[[str], Sequence[str]]
"""Returns the lines of a source file; none for a file that cannot be read."""


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment.

    Attributes:
        line: 1-based line of the comment.
        target: Line that it is about.
        codes: Codes or names of rules.
        reason: What stands behind; may be empty.
    """

    line: int
    target: int
    codes: tuple[str, ...]
    reason: str


def suppressions(lines: Sequence[str]) -> Iterator[Suppression]:
    """Return the comments of a file; those that name no codes have none.

    >>> list(suppressions(["x[8 * i] = 1; // roofstat: ignore[RS101] given layout"]))
    [Suppression(line=1, target=1, codes=('RS101',), reason='given layout')]
    """
    for number, text in enumerate(lines, 1):
        for found in _COMMENT.finditer(text):
            codes = tuple(
                code.strip() for code in (found["codes"] or "").split(",") if code.strip()
            )
            target = _next_code(lines, number) if _ONLY_COMMENT.fullmatch(text) else number
            yield Suppression(number, target, codes, found["reason"] or "")


def _next_code(lines: Sequence[str], number: int) -> int:
    """The line after one that is more than a comment or blank."""
    for following in range(number, len(lines)):
        if not _ONLY_COMMENT.fullmatch(lines[following]):
            return following + 1
    return number + 1


def without_suppressed(
    diagnostics: Iterable[Diagnostic],
    read_lines: ReadLines,
    files: Iterable[str],
    rules: Collection[Rule] = RULES,
    kernels: Iterable[KernelReport] = (),
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics that no comment ignores, and one for each code of a comment that ignores nothing.

    Args:
        diagnostics: What was found.
        read_lines: Gives the text of files.
        files: Files whose comments are looked at, besides those of the diagnostics.
        rules: Those that were asked.
        kernels: Those of the report: a comment before the head of one is about all of it.
    """
    found = list(diagnostics)
    names = dict.fromkeys([*(item.file for item in found), *files])
    comments = {file: tuple(suppressions(read_lines(file))) for file in names}
    whole = _about_kernels(comments, read_lines, kernels)
    used: set[tuple[str, int, str]] = set()
    kept = []
    for item in found:
        here = [
            (item.file, comment) for comment in comments[item.file] if comment.target == item.line
        ]
        mine = [
            (file, comment.line, code)
            for file, comment in (*here, *whole.get(item.kernel or "", ()))
            for code in comment.codes
            if code in _words_for(item.code)
        ]
        used.update(mine)
        if not mine:
            kept.append(item)
    if rs903_unused_suppression.RULE not in rules:
        return tuple(kept)
    return (*kept, *_unused(comments, used, rules))


def _about_kernels(
    comments: Mapping[str, Sequence[Suppression]],
    read_lines: ReadLines,
    kernels: Iterable[KernelReport],
) -> dict[str, list[tuple[str, Suppression]]]:
    """The comments on or before the heads of kernels, by signature."""
    whole: dict[str, list[tuple[str, Suppression]]] = {}
    for file, line, signature in {(each.file, each.line, each.signature) for each in kernels}:
        for comment in comments.get(file, ()):
            # Template parameters and attributes may stand on lines of their own before the name.
            head = read_lines(file)[comment.target - 1 : line - 1]
            if comment.target <= line and not any(map(_STATEMENT.search, head)):
                whole.setdefault(signature, []).append((file, comment))
    return whole


def _words_for(code: str) -> tuple[str, ...]:
    return (code, *(rule.name for rule in RULES if rule.code == code))


def _near(code: str, known: Collection[str]) -> str:
    found = difflib.get_close_matches(code.upper(), known, n=1)
    return f"did you mean {found[0]}?" if found else "roofstat rules lists them"


def _unused(
    comments: dict[str, tuple[Suppression, ...]],
    used: set[tuple[str, int, str]],
    rules: Collection[Rule],
) -> Iterator[Diagnostic]:
    rule = rs903_unused_suppression.RULE
    known = {word for each in RULES for word in (each.code, each.name)}
    off = {word for each in RULES if each not in rules for word in (each.code, each.name)}
    for file, found in comments.items():
        for comment in found:
            if not comment.codes:
                yield Diagnostic(
                    code=rule.code,
                    severity=rule.severity,
                    message="the comment ignores nothing: it names no rule",
                    file=file,
                    line=comment.line,
                    help="write roofstat: ignore[CODE] reason",
                )
            for code in comment.codes:
                if (file, comment.line, code) in used or code in off:
                    continue
                yield Diagnostic(
                    code=rule.code,
                    severity=rule.severity,
                    message=f"nothing is found here for {code} to be ignored"
                    if code in known
                    else f"no rule is called {code}",
                    file=file,
                    line=comment.line,
                    help="remove the comment" if code in known else _near(code, known),
                )
