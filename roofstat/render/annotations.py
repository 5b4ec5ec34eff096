"""One line a finding: workflow commands of GitHub Actions, and the form of compilers."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.render.file_names import repository_name
from roofstat.render.options import CharacterColumn, RenderOptions
from roofstat.render.quantities import bound, plain
from roofstat.report import Diagnostic, Report, Severity
from roofstat.rules import RULES

__all__ = ["remark_text", "render_gcc", "render_github"]

_COMMANDS = {Severity.NOTE: "notice", Severity.WARNING: "warning", Severity.ERROR: "error"}
_NAMES = {rule.code: rule.name for rule in RULES}


def render_github(report: Report, options: RenderOptions) -> str:
    """Return workflow commands, which GitHub shows beside the lines of a pull request."""
    return "".join(f"{line}\n" for line in _commands(report, options.character_column))


def render_gcc(report: Report, _options: RenderOptions) -> str:
    """Return `file:line:column: warning: message [code]` lines, for the problem matchers of editors.

    Columns count bytes, as clang's do and as Vim reads them.
    """
    return "".join(f"{line}\n" for line in _compiler_lines(report))


def _commands(report: Report, column_of: CharacterColumn) -> Iterator[str]:
    for item in report.diagnostics:
        column = item.column
        if item.line is not None and column is not None:
            column = column_of(item.file, item.line, column)
        place = {"file": repository_name(item.file), "line": item.line, "col": column}
        title = f"{item.code} {_NAMES.get(item.code, '')}".rstrip()
        properties = ",".join(
            f"{key}={_property(str(value))}"
            for key, value in {**place, "title": title}.items()
            if value is not None
        )
        yield f"::{_COMMANDS[item.severity]} {properties}::{_data(remark_text(item))}"
    for error in report.errors:
        line = f",line={error.line}" if error.line is not None else ""
        yield f"::error file={_property(repository_name(error.file))}{line},title=not analysed::{_data(error.message)}"


def _compiler_lines(report: Report) -> Iterator[str]:
    for item in report.diagnostics:
        place = f"{plain(item.file)}:{item.line or 1}:{item.column or 1}"
        yield f"{place}: {item.severity.value}: {_one_line(remark_text(item))} [{item.code}]"
    for error in report.errors:
        yield f"{plain(error.file)}:{error.line or 1}:1: error: {_one_line(error.message)} [not-analysed]"


def remark_text(item: Diagnostic) -> str:
    """Return a remark with what it may gain and what to do about it."""
    gain = f" (at most {bound(item.speedup_bound)} faster)" if item.speedup_bound else ""
    return f"{item.message}{gain}" + (f"; {item.help}" if item.help else "")


def _data(text: str) -> str:
    """Escape the message of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape a property of a workflow command."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _one_line(text: str) -> str:
    return " ".join(text.split())
