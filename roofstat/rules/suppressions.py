"""Comments that ignore findings: `// roofstat: ignore[RS101] reason`, on the line itself or alone on the line before."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from roofstat.report import Diagnostic
from roofstat.rules import rs903_unused_suppression
from roofstat.rules.registry import RULES
from roofstat.rules.rule import Rule

__all__ = ["Suppression", "suppressions", "without_suppressed"]

_COMMENT = re.compile(
    r"(?://|/\*)\s*roofstat:\s*ignore\[(?P<codes>[^\]]*)\]\s*(?P<reason>.*?)\s*(?:\*/|$)"
)

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
    """Return the comments of a file.

    >>> list(suppressions(["x[8 * i] = 1; // roofstat: ignore[RS101] given layout"]))
    [Suppression(line=1, target=1, codes=('RS101',), reason='given layout')]
    """
    for number, text in enumerate(lines, 1):
        found = _COMMENT.search(text)
        if found is None:
            continue
        codes = tuple(code.strip() for code in found["codes"].split(",") if code.strip())
        alone = not text[: found.start()].strip()
        yield Suppression(number, number + 1 if alone else number, codes, found["reason"])


def without_suppressed(
    diagnostics: Iterable[Diagnostic],
    read_lines: ReadLines,
    files: Iterable[str],
    rules: Collection[Rule] = RULES,
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics that no comment ignores, and one for each code of a comment that ignores nothing.

    Args:
        diagnostics: What was found.
        read_lines: Gives the text of files.
        files: Files whose comments are looked at, besides those of the diagnostics.
        rules: Those that were asked.
    """
    found = list(diagnostics)
    names = dict.fromkeys([*(item.file for item in found), *files])
    comments = {file: tuple(suppressions(read_lines(file))) for file in names}
    used: set[tuple[str, int, str]] = set()
    kept = []
    for item in found:
        mine = [
            (comment, code)
            for comment in comments[item.file]
            for code in comment.codes
            if comment.target == item.line and code in _words_for(item.code)
        ]
        used.update((item.file, comment.line, code) for comment, code in mine)
        if not mine:
            kept.append(item)
    if rs903_unused_suppression.RULE not in rules:
        return tuple(kept)
    return (*kept, *_unused(comments, used, rules))


def _words_for(code: str) -> tuple[str, ...]:
    return (code, *(rule.name for rule in RULES if rule.code == code))


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
                    help="remove the comment",
                )
