"""Markdown for a comment on a pull request: findings first, kernels folded away."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.render.markdown import markdown_code, markdown_table, markdown_text, summary_table
from roofstat.render.options import RenderOptions
from roofstat.render.quantities import bound, plural
from roofstat.render.words import grouped_remarks, place_text
from roofstat.report import Diagnostic, Report

__all__ = ["render_comment"]

_MOST = 50
"""Findings that are shown; a comment on GitHub holds 65,536 characters."""


def render_comment(report: Report, _options: RenderOptions) -> str:
    """Return the comment."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    findings = grouped_remarks(report.diagnostics)
    yield f"### roofstat: {plural(len(findings), 'finding')} in {plural(len(report.kernels), 'kernel')}"
    yield ""
    if findings:
        rows = [_row(item) for item, _ in findings[:_MOST]]
        yield from markdown_table(("place", "finding", "at most"), rows, right={2})
        if len(findings) > _MOST:
            yield ""
            yield f"{len(findings) - _MOST} more are in the full report."
        yield ""
    for error in report.errors:
        yield f"- not analysed: {markdown_code(place_text(error.file, error.line))} {markdown_text(error.message)}"
    if report.errors:
        yield ""
    if report.kernels:
        yield f"<details><summary>Kernels on {markdown_text(report.gpu.name)}</summary>"
        yield ""
        yield from summary_table(report)
        yield ""
        yield "</details>"


def _row(item: Diagnostic) -> tuple[str, str, str]:
    text = f"**{item.severity.value}** {markdown_text(item.message)} ({item.code})"
    if item.help:
        text += f"<br>{markdown_text(item.help)}"
    gain = f"{bound(item.speedup_bound)} faster" if item.speedup_bound is not None else ""
    return markdown_code(place_text(item.file, item.line)), text, gain
