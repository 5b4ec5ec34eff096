"""Findings, remarks and failures of a report as diagnostics of one file."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from roofstat.lsp.documents import View
from roofstat.lsp.text import Text
from roofstat.render.annotations import remark_text
from roofstat.render.words import error_text
from roofstat.report import Diagnostic, Severity

__all__ = ["SOURCE", "diagnostics", "failure_diagnostic", "range_of"]

SOURCE = "roofstat"
_NOT_ANALYSED = "not-analysed"
_SEVERITIES = {
    Severity.NOTE: types.DiagnosticSeverity.Information,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.ERROR: types.DiagnosticSeverity.Error,
}


def diagnostics(view: View) -> list[types.Diagnostic]:
    """Return what a result says of a file."""
    return [*_remarks(view), *_errors(view)]


def failure_diagnostic(message: str, text: Text) -> types.Diagnostic:
    """Return what stands at the head of a document that has no result."""
    return types.Diagnostic(
        range=text.whole_line(1),
        message=message,
        severity=types.DiagnosticSeverity.Error,
        code=_NOT_ANALYSED,
        source=SOURCE,
    )


def range_of(item: Diagnostic, view: View) -> types.Range | None:
    """Return what a remark is about; None where it is about another file, or its line has been edited."""
    line = view.line(item.line, item.file)
    return None if line is None else view.text.span(line, item.column)


def _remarks(view: View) -> Iterator[types.Diagnostic]:
    for item in view.report.diagnostics:
        place = range_of(item, view)
        if place is not None:
            yield types.Diagnostic(
                range=place,
                message=remark_text(item),
                severity=_SEVERITIES[item.severity],
                code=item.code,
                source=SOURCE,
            )


def _errors(view: View) -> Iterator[types.Diagnostic]:
    for error in view.report.errors:
        line = view.line(error.line, error.file)
        if line is not None:
            yield types.Diagnostic(
                range=view.text.span(line, None),
                message=error_text(error),
                severity=types.DiagnosticSeverity.Error,
                code=_NOT_ANALYSED,
                source=SOURCE,
            )
