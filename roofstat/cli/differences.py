"""What is new since a git revision: its files are analysed as well, and set beside those of today."""

from __future__ import annotations

import dataclasses
import os
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.cli.revisions import (
    changed_lines,
    export_revision,
    renamed_files,
    repository_root,
)

if TYPE_CHECKING:
    from roofstat.analysis import AnalysisOptions
    from roofstat.report import Diagnostic, Report
    from roofstat.rules.rule import KernelKey, PreviousVerdict, Rule
    from roofstat.rules.suppressions import ReadLines

__all__ = ["Differences"]

Analyze = Callable[[Sequence[str], "AnalysisOptions"], "Report"]

_Place = tuple[str, str, str]
"""Code, file and text of the line of a finding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Before:
    """What the analysis says of a revision.

    Attributes:
        verdicts: By the keys of the kernels of today.
        findings: Where there are some, in files as they are named today.
        files: Files that it holds kernels of; empty where that revision could not be read as today's files are.
    """

    verdicts: Mapping[KernelKey, PreviousVerdict] = field(default_factory=dict)
    findings: frozenset[_Place] = frozenset()
    files: frozenset[Path] = frozenset()


class Differences:
    """The differences between a report and what the same analysis says of a revision.

    Args:
        revision: The revision.
        report: Of the files of today.
        paths: What was analysed.
        options: How.
        analyze: Analyses other paths in the same way.
        read_lines: Gives the text of files.
        rules: Those that findings are wanted of.

    Raises:
        UsageError: Git knows no such revision, or the paths lie in no repository.
    """

    def __init__(
        self,
        revision: str,
        report: Report,
        paths: Sequence[str],
        options: AnalysisOptions,
        analyze: Analyze,
        read_lines: ReadLines,
        rules: Collection[Rule],
    ) -> None:
        self._revision = revision
        self._report = report
        self._paths = paths
        self._options = options
        self._analyze = analyze
        self._read_lines = read_lines
        self._rules = rules
        self._root = repository_root(map(Path, paths))

    @property
    def verdicts(self) -> Mapping[KernelKey, PreviousVerdict]:
        """What that revision's kernels were, by the keys of those of today."""
        return self._before.verdicts

    def new(self, found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Return the findings on lines that have changed, and those on other lines that were not there before."""
        from roofstat.rules import rs901_verdict_changed

        changed = changed_lines(self._root, self._revision)
        kept = []
        for item in found:
            lines = changed.get(Path(item.file).resolve(), frozenset())
            is_verdict = item.code == rs901_verdict_changed.RULE.code
            if is_verdict or lines is None or item.line in lines or self._has_arisen(item):
                kept.append(item)
        return tuple(kept)

    def _has_arisen(self, item: Diagnostic) -> bool:
        file = Path(item.file).resolve()
        place = _place(item, str(file), self._read_lines)
        return file in self._before.files and place not in self._before.findings

    @cached_property
    def _before(self) -> _Before:
        with tempfile.TemporaryDirectory(prefix="roofstat-") as name:
            return self._analyzed(Path(name).resolve())

    def _analyzed(self, directory: Path) -> _Before:
        from roofstat.rules.baseline import Baseline
        from roofstat.rules.runner import unsuppressed_findings

        renamed = renamed_files(self._root, self._revision)
        export_revision(self._root, self._revision, directory)
        there = [
            place
            for path in map(Path, self._paths)
            if (place := self._moved(renamed.get(path.resolve(), path), directory)).exists()
        ]
        if not there:
            return _Before()
        folders = (self._moved(path, directory) for path in self._options.include_dirs)
        options = dataclasses.replace(self._options, include_dirs=tuple(folders))
        report = self._analyze([str(place) for place in there], options)
        verdicts = Baseline.of(report, directory, self._read_lines).previous(
            self._report.kernels, self._root, renamed
        )
        if _unread(report) - _unread(self._report):
            # Files outside of the revision are missing there: what it lacks is not new.
            return _Before(verdicts=verdicts)
        found = unsuppressed_findings(report, self._rules, self._read_lines)
        today = {old: new for new, old in renamed.items()}

        def name_today(file: str) -> Path:
            old = self._root.resolve() / os.path.relpath(Path(file).resolve(), directory)
            return today.get(old, old)

        return _Before(
            verdicts=verdicts,
            findings=frozenset(
                _place(item, str(name_today(item.file)), self._read_lines) for item in found
            ),
            files=frozenset(name_today(kernel.file) for kernel in report.kernels),
        )

    def _moved(self, path: Path, directory: Path) -> Path:
        """Where a file of the repository lies in the other revision; other files stay."""
        place = path.resolve()
        root = self._root.resolve()
        return directory / place.relative_to(root) if place.is_relative_to(root) else path


def _place(item: Diagnostic, file: str, read_lines: ReadLines) -> _Place:
    from roofstat.rules.baseline import line_text

    return item.code, file, line_text(item, read_lines)


def _unread(report: Report) -> set[str]:
    """What could not be read."""
    errors = {item.message for item in report.errors}
    return errors | {item.message for item in report.diagnostics if item.code == "parse-error"}
