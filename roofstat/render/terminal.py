"""The report for a person at a terminal."""

from __future__ import annotations

import io

from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.text import Text

from roofstat.render.kernel_view import kernel_view
from roofstat.render.options import Detail, RenderOptions
from roofstat.render.quantities import bound, duration, plain, plural, quantity, significant
from roofstat.render.summary_table import SummaryTable
from roofstat.render.words import (
    KNOWN_BIASES,
    grouped_remarks,
    is_uncertain,
    no_kernel_text,
    place_text,
)
from roofstat.report import AnalysisError, Diagnostic, Report, Verdict, launch_time_s

__all__ = ["print_text", "render_text"]

_FULL_UP_TO = 3
"""Kernels that are shown in full without being asked for; more become a table."""
_MAX_REMARKS = 8

_ASCII = str.maketrans(
    {
        "·": "-",
        "×": "x",
        "÷": "/",
        "µ": "u",
        "…": "~",
        "─": "-",
        "━": "=",
        "╸": "=",
        "╌": ".",
        "│": "|",
        "┤": "|",
        "└": "+",
        "┬": "+",
        "┼": "+",
        "●": "o",
        "■": "#",
        "▲": "^",
        "◆": "d",
        "★": "*",
        "▌": "|",
        "◀": "<",
        "∞": "inf",
        "→": ">",
        "∝": "~",
        **{chr(code): "." for code in range(0x2801, 0x2900)},
    }
)


def render_text(report: Report, options: RenderOptions) -> str:
    """Return the report as text of the given width, coloured where wanted."""
    return print_text(_report_view(report, options), options)


def print_text(view: RenderableType, options: RenderOptions) -> str:
    """Return a rich renderable as text, without trailing blanks, in ASCII where nothing else can be shown."""
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=max(options.width, 20),
        force_terminal=options.colour,
        no_color=not options.colour,
        color_system="256" if options.colour else None,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
    )
    console.print(view, crop=False)
    text = "\n".join(line.rstrip() for line in stream.getvalue().splitlines())
    return f"{text if options.unicode else text.translate(_ASCII)}\n"


def _report_view(report: Report, options: RenderOptions) -> RenderableType:
    parts: list[RenderableType] = [_heading(report)]
    full = options.detail is Detail.FULL or (
        options.detail is Detail.AUTO and len(report.kernels) <= _FULL_UP_TO
    )
    if report.kernels and not (full and len(report.kernels) == 1):
        parts += [Text(), SummaryTable(report, uncut=options.uncut)]
    if full:
        for kernel in report.kernels:
            parts += [Text(), kernel_view(kernel, report, options.width)]
    if report.diagnostics:
        parts += [Text(), Rule("remarks", align="left", style="dim")]
        parts += _remark_lines(report, options)
    if report.errors:
        parts += [Text(), Rule("not analysed", align="left", style="red")]
        parts += [_error_line(error) for error in report.errors]
    parts += [Text(), _closing(report, full=full)]
    return Group(*parts)


def _heading(report: Report) -> Text:
    gpu = report.gpu
    line = Text(f"{plain(gpu.name)}", style="bold")
    line.append(f" at {significant(gpu.clock_hz / 1e9)} GHz", style="bold")
    line.append(
        f" · DRAM {quantity(gpu.dram_bytes_per_s, 'B/s')}"
        f" · FP32 {quantity(gpu.fp32_flop_per_s, 'FLOP/s')}"
        f" · FP64 {quantity(gpu.fp64_flop_per_s, 'FLOP/s')}"
        f" · INT {quantity(gpu.int_op_per_s, 'op/s')}",
        style="dim",
    )
    if not gpu.validated:
        line.append(" · unvalidated: no verdict on this chip was ever checked", style="yellow")
    return line


def _remark_lines(report: Report, options: RenderOptions) -> list[Text]:
    groups = grouped_remarks(report.diagnostics)
    shown = groups if options.detail is Detail.FULL else groups[:_MAX_REMARKS]
    lines = [_remark_line(remark, times) for remark, times in shown]
    if len(groups) > len(shown):
        lines.append(Text(f"{len(groups) - len(shown)} more, with -v", style="dim"))
    return lines


def _remark_line(diagnostic: Diagnostic, times: int) -> Text:
    style = {"error": "red", "warning": "yellow", "note": "cyan"}[diagnostic.severity.value]
    line = Text(plain(place_text(diagnostic.file, diagnostic.line)), style="bold")
    line.append(": ")
    line.append(diagnostic.severity.value, style=style)
    line.append(f": {plain(diagnostic.message)} [{plain(diagnostic.code)}]")
    if times > 1:
        line.append(f" {times} times")
    if diagnostic.speedup_bound is not None:
        line.append(f"; at most {bound(diagnostic.speedup_bound)} faster")
    if diagnostic.help:
        line.append(f"; {plain(diagnostic.help)}", style="dim")
    return line


def _error_line(error: AnalysisError) -> Text:
    line = Text(plain(place_text(error.file, error.line)), style="bold")
    line.append(f": {plain(error.message)}")
    if error.remedy:
        line.append(f"; {plain(error.remedy)}", style="dim")
    return line


def _closing(report: Report, *, full: bool) -> Text:
    kernels = report.kernels
    files = plural(report.files, "file")
    if not kernels:
        return Text(no_kernel_text(report), style="yellow")
    parts = [f"{plural(len(kernels), 'kernel')} in {files}"]
    for verdict, words in (
        (Verdict.BANDWIDTH, "bandwidth-bound"),
        (Verdict.COMPUTE, "compute-bound"),
        (Verdict.UNKNOWN, "unknown"),
    ):
        number = sum(
            kernel.verdict is verdict and not is_uncertain(kernel, report) for kernel in kernels
        )
        if number:
            parts.append(f"{number} {words}")
    uncertain = sum(is_uncertain(kernel, report) for kernel in kernels)
    if uncertain:
        parts.append(f"{uncertain} uncertain")
    if report.errors:
        parts.append(plural(len(report.errors), "error"))
    known = [value for value in map(launch_time_s, kernels) if value is not None]
    if known and len(kernels) > 1:
        parts.append(f"{duration(sum(known))} in all")
    parts.append(f"{kernels[0].regime.value} traffic")
    line = Text(" · ".join(parts), style="dim")
    if not full:
        line.append(
            "\n-v shows each kernel in full; roofstat explain FILE KERNEL derives its numbers"
        )
    elif known:
        line.append(f"\n{KNOWN_BIASES}")
    return line
