"""Findings, remarks and failures of a report as diagnostics of one file."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from roofstat.lsp.documents import Result, same_file
from roofstat.lsp.text import LineMap, Text
from roofstat.render.annotations import remark_text
from roofstat.report import AnalysisError, Diagnostic, Severity

__all__ = ["SOURCE", "diagnostics", "failure_diagnostic", "range_of"]

SOURCE = "roofstat"
_NOT_ANALYSED = "not-analysed"
_SEVERITIES = {
    Severity.NOTE: types.DiagnosticSeverity.Information,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.ERROR: types.DiagnosticSeverity.Error,
}


def diagnostics(result: Result, path: str, text: Text, moved: LineMap) -> list[types.Diagnostic]:
    """Return what a result says of a file.

    Args:
        result: Of the document or of one that includes it.
        path: The file.
        text: Its present text.
        moved: Where the lines of the result are in it.
    """
    return [*_remarks(result, path, text, moved), *_errors(result, path, text, moved)]


def failure_diagnostic(message: str, text: Text) -> types.Diagnostic:
    """Return what stands at the head of a document that has no result."""
    return types.Diagnostic(
        range=text.whole_line(1),
        message=message,
        severity=types.DiagnosticSeverity.Error,
        code=_NOT_ANALYSED,
        source=SOURCE,
    )


def range_of(item: Diagnostic, text: Text, moved: LineMap) -> types.Range | None:
    """Return what a remark is about; None where that line has been edited."""
    line = moved.line(item.line or 1)
    return None if line is None else text.span(line, item.column)


def _remarks(result: Result, path: str, text: Text, moved: LineMap) -> Iterator[types.Diagnostic]:
    for item in result.report.diagnostics:
        place = range_of(item, text, moved) if same_file(item.file, path) else None
        if place is not None:
            yield types.Diagnostic(
                range=place,
                message=remark_text(item),
                severity=_SEVERITIES[item.severity],
                code=item.code,
                source=SOURCE,
            )


def _errors(result: Result, path: str, text: Text, moved: LineMap) -> Iterator[types.Diagnostic]:
    for error in result.report.errors:
        line = moved.line(error.line or 1) if same_file(error.file, path) else None
        if line is not None:
            yield types.Diagnostic(
                range=text.span(line, None),
                message=_error_text(error),
                severity=types.DiagnosticSeverity.Error,
                code=_NOT_ANALYSED,
                source=SOURCE,
            )


def _error_text(error: AnalysisError) -> str:
    return f"{error.message}; {error.remedy}" if error.remedy else error.message
