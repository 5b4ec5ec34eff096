"""The table of a report's kernels for a person at a terminal: one line each, whose figures are never cut."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.table import Table
from rich.text import Text

from roofstat.render.kernel_view import verdict_style
from roofstat.render.opinion import opinion_cell
from roofstat.render.quantities import plain, ratio_to_ridge, shorten_path, told_apart
from roofstat.render.words import (
    BOUND_NAMES,
    TYPE_NAMES,
    confidence_text,
    instance_name,
    is_uncertain,
    place_text,
    time_text,
    verdict_text,
)
from roofstat.report import KernelReport, LaunchSource, Report

__all__ = ["SummaryTable"]

_NARROW = 80
_GAP = 2
_COLUMNS: Mapping[str, JustifyMethod] = {
    "kernel": "left",
    "verdict": "left",
    "sure": "right",
    "llm": "left",
    "of ridge": "right",
    "bound by": "left",
    "time": "right",
    "launches": "right",
    "place": "left",
}
_NARROW_COLUMNS = ("kernel", "verdict", "sure", "llm", "time")
_LEAST = {"kernel": 16, "place": 16}
"""Columns that names and places are cut to before a column is left out for them."""
_LEFT_OUT = ("launches", "of ridge", "bound by", "place", "sure", "llm", "time")
"""What is left out where not all fits, the first first."""
_LONGEST_NAME = 60
"""Of a kernel where nothing else bounds it: more are the arguments of templates."""


class SummaryTable:
    """A renderable with one line for each kernel of the report.

    Args:
        report: Whose kernels.
        uncut: Whether lines may be longer than the console is wide.
    """

    def __init__(self, report: Report, *, uncut: bool) -> None:
        self._report = report
        self._uncut = uncut
        self._rows = [_row(kernel, report) for kernel in report.kernels]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the table, of the width of the options or of its own."""
        widths = self._own_widths()
        if not self._uncut:
            widths = _fitted(widths, options.max_width, self._needed_columns())
        needed = sum(widths.values()) + _GAP * len(widths)
        yield from console.render(self._table(widths), options.update(width=needed))

    def _own_widths(self) -> dict[str, int]:
        asked = any(kernel.llm is not None for kernel in self._report.kernels)
        widths = {
            name: max(len(name), *(len(row[name]) for row in self._rows))
            for name in _COLUMNS
            if name != "llm" or asked
        }
        return {**widths, "kernel": min(widths["kernel"], _LONGEST_NAME)}

    def _needed_columns(self) -> frozenset[str]:
        """That some launches are assumed is nothing to leave out."""
        assumed = any(
            kernel.launch is not None and kernel.launch.source is LaunchSource.ASSUMED
            for kernel in self._report.kernels
        )
        return frozenset({"kernel", "verdict", *(["launches"] if assumed else [])})

    def _table(self, widths: Mapping[str, int]) -> Table:
        table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, _GAP, 0, 0))
        for name, width in widths.items():
            table.add_column(name, justify=_COLUMNS[name], no_wrap=True, width=width)
        names = told_apart([row["kernel"].plain for row in self._rows], widths["kernel"])
        for row, kernel in zip(self._rows, names, strict=True):
            cells = {name: row[name] for name in widths}
            cells["kernel"] = Text(kernel, style="bold")
            if "place" in cells:
                place = shorten_path(row["place"].plain, widths["place"])
                cells["place"] = Text(place, style="dim")
            table.add_row(*cells.values())
        return table


def _fitted(widths: Mapping[str, int], width: int, needed: frozenset[str]) -> dict[str, int]:
    """Return the columns that are shown in so much room, with their widths: names and places give way, then columns."""
    kept = dict(widths)
    if width < _NARROW:
        kept = {name: size for name, size in kept.items() if name in _NARROW_COLUMNS}
    for name in _LEFT_OUT:
        if _least_width(kept) <= width:
            break
        if name not in needed:
            kept.pop(name, None)
    room = width - sum(size for name, size in kept.items() if name not in _LEAST)
    room -= _GAP * (len(kept) - 1)
    if "place" not in kept:
        return {**kept, "kernel": max(1, min(kept["kernel"], room))}
    place = min(kept["place"], max(room // 2, room - kept["kernel"]))
    return {**kept, "kernel": min(kept["kernel"], room - place), "place": place}


def _least_width(widths: Mapping[str, int]) -> int:
    least = (min(size, _LEAST.get(name, size)) for name, size in widths.items())
    return sum(least) + _GAP * (len(widths) - 1)


def _row(kernel: KernelReport, report: Report) -> dict[str, Text]:
    return {
        "kernel": Text(plain(_title(kernel))),
        "verdict": _verdict_cell(kernel, report),
        "sure": Text(confidence_text(kernel)),
        "llm": Text(opinion_cell(kernel)),
        "of ridge": Text(_of_ridge(kernel)),
        "bound by": Text(BOUND_NAMES[kernel.bound_by] if kernel.bound_by else "-"),
        "time": Text(time_text(kernel)),
        "launches": _launches_cell(kernel),
        "place": Text(plain(place_text(kernel.file, kernel.line))),
    }


def _launches_cell(kernel: KernelReport) -> Text:
    """How often a configuration is launched, or that nobody knows whether it is."""
    if kernel.launch is None or kernel.launch.count is None:
        return Text("-")
    if kernel.launch.source is LaunchSource.ASSUMED:
        return Text("assumed", style="yellow")
    return Text(f"{kernel.launch.count:,.0f}")


def _title(kernel: KernelReport) -> str:
    if kernel.directive is not None and kernel.function is not None:
        return f"{kernel.function} (omp target, line {kernel.line})"
    return instance_name(kernel)


def _verdict_cell(kernel: KernelReport, report: Report) -> Text:
    text = verdict_text(kernel, report)
    if is_uncertain(kernel, report):
        text = f"{kernel.verdict.value}?"
    return Text(text, style=verdict_style(kernel, report))


def _of_ridge(kernel: KernelReport) -> str:
    ratio = kernel.over_ridge(kernel.limiter)
    if ratio is None or kernel.limiter is None:
        return "-"
    return f"{ratio_to_ridge(ratio)} {TYPE_NAMES[kernel.limiter]}"
