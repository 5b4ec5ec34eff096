"""Options about findings, and what becomes of a report under them."""

from __future__ import annotations

import argparse
import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.errors import UsageError

if TYPE_CHECKING:
    from roofstat.analysis import AnalysisOptions
    from roofstat.cli.differences import Analyze, Differences
    from roofstat.report import Diagnostic, Report
    from roofstat.rules.baseline import Baseline
    from roofstat.rules.rule import KernelKey, PreviousVerdict
    from roofstat.rules.selection import Selection
    from roofstat.rules.suppressions import ReadLines

__all__ = ["Checks", "add_check_options", "check_options", "failing_rules"]

_LEVELS = ("note", "warning", "error")
_IF_MEANT = "go without this rule once: --ignore RS901, or SKIP=roofstat-verdict under pre-commit"
"""How a verdict that is meant to be another than that of a revision passes a check."""


def add_check_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose findings."""
    group = parser.add_argument_group("findings (see roofstat rules)")
    add_selection_options(group)
    group.add_argument(
        "--fail-on",
        metavar="LEVEL|RULES",
        help="exit with 1 on a finding of this level (note, warning, error) or above, or of one of these rules",
    )
    group.add_argument(
        "--baseline",
        metavar="FILE",
        help="leave out the findings that a file of roofstat baseline knows, and report changed verdicts",
    )
    group.add_argument(
        "--diff",
        metavar="REV",
        help="only findings on lines that changed since a git revision (BRANCH...: since it was left), findings on other lines that were not there before, and verdicts that changed",
    )

    group.add_argument(
        "--includers",
        action="store_true",
        help="also analyse the sources of the git repository that include the headers given; of findings in them only verdicts that changed",
    )


def add_selection_options(group: argparse._ArgumentGroup) -> None:
    """Add the options that turn rules on and off."""
    group.add_argument(
        "--select",
        metavar="RULES",
        help="only these: codes, their beginnings or names, with commas",
    )
    group.add_argument("--ignore", metavar="RULES", help="not these")


def selection(args: argparse.Namespace) -> Selection:
    """Return the rules that are on.

    Raises:
        UsageError: A word fits no rule.
    """
    from roofstat.rules.selection import Selection, rule_words

    return Selection(select=rule_words(args.select or ""), ignore=rule_words(args.ignore or ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """What the user wants to know of findings.

    Attributes:
        selection: Rules that are on.
        level: Severity from which findings fail; None for none.
        failing: Rules whose findings fail.
        baseline: What is known; None without.
        baseline_file: Its file; names in it are relative to its directory.
        revision: Git revision to compare with; None for none.
        named: Paths that findings are wanted of; None for all that is analysed.
    """

    selection: Selection
    level: str | None
    failing: Selection | None
    baseline: Baseline | None
    baseline_file: Path | None
    revision: str | None
    named: tuple[str, ...] | None = None

    def apply(
        self,
        report: Report,
        paths: Sequence[str],
        options: AnalysisOptions,
        analyze: Analyze,
        read_lines: ReadLines,
    ) -> Report:
        """Return a report with the findings that are asked for.

        Args:
            report: The report without findings.
            paths: What was analysed.
            options: How.
            analyze: Analyses other paths in the same way.
            read_lines: Gives the text of files.

        Raises:
            UsageError: The baseline is for another card, or git knows no such revision.
        """
        from roofstat.cli.differences import Differences
        from roofstat.rules.rule import REWRITE_BASELINE
        from roofstat.rules.runner import unsuppressed_findings

        rules = self.selection.rules()
        since = (
            Differences(self.revision, report, paths, options, analyze, read_lines, rules)
            if self.revision is not None
            else None
        )
        previous = self._previous(report, since)
        accepting = REWRITE_BASELINE if since is None else _IF_MEANT
        found = unsuppressed_findings(report, rules, read_lines, previous, accepting)
        remarks = report.diagnostics
        if self.baseline is not None:
            codes = {rule.code for rule in rules}
            gone = self.baseline.gone(found, report.kernels, codes, self.baseline_root, read_lines)
            remarks += self._outdated(gone)
            found = self.baseline.new(found, self.baseline_root, read_lines)
        if since is not None:
            found = since.new(found)
        if self.named is not None:
            found = _in_named(found, self.named)
        if not any(map(os.path.isabs, paths)):
            found = tuple(map(_below_here, found))
        return dataclasses.replace(report, diagnostics=(*remarks, *found))

    def _outdated(self, gone: int) -> tuple[Diagnostic, ...]:
        """What is said of a baseline with findings that are no longer there, which would hide new ones like them."""
        from roofstat.render.quantities import plural
        from roofstat.report import Diagnostic, Severity

        if not gone or self.baseline_file is None:
            return ()
        return (
            Diagnostic(
                code="baseline",
                severity=Severity.NOTE,
                message=f"{plural(gone, 'finding')} that it knows {'are' if gone > 1 else 'is'} no longer there",
                file=str(self.baseline_file),
                line=1,
                help="write it anew with roofstat baseline",
            ),
        )

    @property
    def baseline_root(self) -> Path:
        """Directory that file names in the baseline are relative to."""
        return self.baseline_file.parent if self.baseline_file is not None else Path()

    def fails(self, report: Report) -> bool:
        """Return whether a report has a finding that fails."""
        from roofstat.rules import RULES

        failing = {
            rule.code for rule in RULES if self.failing is not None and self.failing.decide(rule)
        }
        least = _LEVELS.index(self.level) if self.level is not None else len(_LEVELS)
        return any(
            item.code in failing or _LEVELS.index(item.severity.value) >= least
            for item in report.diagnostics
        )

    def _previous(
        self, report: Report, since: Differences | None
    ) -> dict[KernelKey, PreviousVerdict]:
        found: dict[KernelKey, PreviousVerdict] = {}
        if self.baseline is not None:
            if self.baseline.gpu != report.gpu.id:
                raise UsageError(
                    f"the baseline is for {self.baseline.gpu}, the analysis for {report.gpu.id}",
                    remedy=f"use --gpu {self.baseline.gpu}, or write the baseline anew",
                )
            found |= self.baseline.previous(report.kernels, self.baseline_root)
        if since is not None and self._compares:
            found |= since.verdicts
        return found

    @property
    def _compares(self) -> bool:
        """Whether changed verdicts are asked for: they cost a second analysis."""
        from roofstat.rules import rs901_verdict_changed

        return self.selection.decide(rs901_verdict_changed.RULE)


def check_options(args: argparse.Namespace) -> Checks:
    """Read the options.

    Raises:
        UsageError: A rule, a level or the baseline is not what it must be.
    """
    from roofstat.rules.selection import Selection

    fail_on = args.fail_on
    for option, value in (("--fail-on", fail_on), ("--select", args.select)):
        if isinstance(value, str) and not value.strip(" ,"):
            raise UsageError(f"{option} is empty", remedy="name a rule, or leave the option out")
    is_level = fail_on in _LEVELS
    failing = failing_rules(fail_on) if fail_on else ()
    baseline = Path(args.baseline) if args.baseline else None
    if args.diff is not None and "-" in args.paths:
        raise UsageError("--diff: standard input has no revision", remedy="name files")
    return Checks(
        selection=selection(args),
        level=fail_on if is_level else None,
        failing=Selection(select=failing) if failing else None,
        baseline=_read_baseline(baseline) if baseline is not None else None,
        baseline_file=baseline,
        revision=args.diff,
        named=tuple(args.paths) if args.includers else None,
    )


def failing_rules(text: str) -> tuple[str, ...]:
    """Return the rules that `--fail-on` names; none for a level.

    Raises:
        UsageError: It is neither.
    """
    from roofstat.rules.selection import rule_words

    if text in _LEVELS:
        return ()
    try:
        return rule_words(text)
    except UsageError as error:
        raise UsageError(
            f"--fail-on {text}: {error.problem}",
            remedy=f"give a level ({', '.join(_LEVELS)}), or rules: {error.remedy}",
        ) from error


def _read_baseline(file: Path) -> Baseline:
    """Read a baseline.

    Raises:
        UsageError: The file cannot be read or is no baseline.
    """
    from roofstat.rules.baseline import parse_baseline

    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            "the baseline cannot be read",
            file=str(file),
            remedy=f"write it with roofstat baseline -o {file}",
        ) from error
    return parse_baseline(text, str(file))


def _below_here(item: Diagnostic) -> Diagnostic:
    """A finding in a header that a build names by its whole path, with the name that the other files have."""
    place = Path(item.file)
    if not place.is_absolute() or not place.is_relative_to(Path.cwd()):
        return item
    return dataclasses.replace(item, file=str(place.relative_to(Path.cwd())))


def _in_named(found: Sequence[Diagnostic], named: Sequence[str]) -> tuple[Diagnostic, ...]:
    """Findings in files that were asked for, and changed verdicts of kernels that include them."""
    from roofstat.rules import rs901_verdict_changed

    places = [Path(path).resolve() for path in named]
    return tuple(
        item
        for item in found
        if item.code == rs901_verdict_changed.RULE.code
        or any(Path(item.file).resolve().is_relative_to(place) for place in places)
    )
