"""Markdown: for a pull request, a notebook or a hover text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from clang_queries.quick_pattern import pattern
from roofstat.render.access_groups import grouped, times
from roofstat.render.hints import hints, wasteful
from roofstat.render.opinion import opinion_cell, opinion_lines
from roofstat.render.options import Detail, RenderOptions
from roofstat.render.quantities import (
    bound,
    count,
    duration,
    intensity,
    percent,
    plain,
    quantity,
    shorten,
    spread,
    stride,
    trimmed,
)
from roofstat.render.words import (
    BOUND_NAMES,
    TRIP_SOURCES,
    TYPE_NAMES,
    TYPE_UNITS,
    confidence_text,
    grouped_remarks,
    instance_name,
    is_uncertain,
    launch_source_text,
    launch_text,
    launches_text,
    line_of,
    loop_share,
    no_kernel_text,
    of_ridge,
    place_text,
    readable_signature,
    time_text,
    types_in_use,
    verdict_text,
)
from roofstat.report import KernelReport, Report

__all__ = [
    "kernel_markdown",
    "markdown_code",
    "markdown_table",
    "markdown_text",
    "overview_markdown",
    "remarks_markdown",
    "render_markdown",
    "summary_table",
]

_SPECIAL = pattern(r"([\\`*_{}\[\]<>()#+!|~&])")
_BARE_PIPE = pattern(r"(?<!\\)\|")
_NAME_WIDTH = 60
_MAX_REMARKS = 20


def render_markdown(report: Report, options: RenderOptions) -> str:
    """Return the report as GitHub-flavoured Markdown."""
    kernels = () if options.detail is Detail.SUMMARY else report.kernels
    parts = [
        overview_markdown(report),
        *(kernel_markdown(kernel, report) for kernel in kernels),
        remarks_markdown(report),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def overview_markdown(report: Report) -> str:
    """Return the heading, the card and the table of kernels."""
    gpu = report.gpu
    card = (
        f"{markdown_text(gpu.name)}: DRAM {quantity(gpu.dram_bytes_per_s, 'B/s')}, "
        f"FP32 {quantity(gpu.fp32_flop_per_s, 'FLOP/s')}, FP64 {quantity(gpu.fp64_flop_per_s, 'FLOP/s')}, "
        f"INT {quantity(gpu.int_op_per_s, 'op/s')}"
    )
    lines = ["# roofstat", "", card, ""]
    if not gpu.validated:
        lines += [
            "**Unvalidated:** no verdict on this chip was ever checked against a profiler.",
            "",
        ]
    if report.kernels:
        lines += summary_table(report)
    else:
        text = no_kernel_text(report)
        lines.append(f"{text[0].upper()}{text[1:]}.")
    return "\n".join(lines)


def remarks_markdown(report: Report) -> str:
    """Return what is to be said of the source, and what was not analysed; empty where that is nothing."""
    lines: list[str] = []
    if report.diagnostics:
        groups = grouped_remarks(report.diagnostics)
        lines += ["## Remarks", ""]
        lines += [
            f"- {markdown_code(place_text(remark.file, remark.line))} {remark.severity.value}: {markdown_text(remark.message)} "
            f"({markdown_code(remark.code)})"
            + (f" {times} times" if times > 1 else "")
            + (f", at most {bound(remark.speedup_bound)} faster" if remark.speedup_bound else "")
            for remark, times in groups[:_MAX_REMARKS]
        ]
        if len(groups) > _MAX_REMARKS:
            lines.append(f"- {len(groups) - _MAX_REMARKS} more, in the JSON form")
        lines.append("")
    if report.errors:
        lines += ["## Not analysed", ""]
        lines += [
            f"- {markdown_code(place_text(error.file, error.line))} {markdown_text(error.message)}"
            + (f"; {markdown_text(error.remedy)}" if error.remedy else "")
            for error in report.errors
        ]
    return "\n".join(lines).rstrip()


def kernel_markdown(kernel: KernelReport, report: Report) -> str:
    """Return one kernel as a section of level 2."""
    lines = [f"## {markdown_code(shorten(readable_signature(kernel), 160))}", ""]
    lines += [f"{_verdict_sentence(kernel, report)}", ""]
    lines += [f"- place: {markdown_code(place_text(kernel.file, kernel.line))}"]
    if kernel.directive:
        lines.append(f"- directive: {markdown_code(kernel.directive)}")
    if kernel.launch is not None:
        lines.append(
            f"- launch: {launch_text(kernel)}, {launches_text(kernel)}, {markdown_text(launch_source_text(kernel))}"
        )
    if kernel.modelled_time_s is not None:
        lines.append(
            f"- time of a launch: {duration(kernel.modelled_time_s)} modelled,"
            f" at least {duration(kernel.attainable_time_s)}"
        )
    dram = kernel.traffic.dram(kernel.regime)
    lines.append(
        f"- DRAM, {kernel.regime.value}: {quantity(dram.total_bytes, 'B')} "
        f"({quantity(dram.read_bytes, 'B')} read, {quantity(dram.write_bytes, 'B')} written)"
    )
    sections = (
        _types(kernel),
        _accesses(kernel),
        _loops(kernel),
        _assumptions(kernel),
        _opinion(kernel),
        _hints(kernel),
    )
    for section in sections:
        if section:
            lines += ["", *section]
    return "\n".join(lines)


def _verdict_sentence(kernel: KernelReport, report: Report) -> str:
    sentence = f"**{verdict_text(kernel, report)}**"
    if is_uncertain(kernel, report):
        sentence += f", leaning to {kernel.verdict.value}"
    if confidence_text(kernel) != "-":
        sentence += f", {confidence_text(kernel)} sure"
    if kernel.limiter is not None:
        sentence += (
            f"; {TYPE_NAMES[kernel.limiter]} at {of_ridge(kernel, kernel.limiter)} its ridge"
        )
    if kernel.bound_by is not None:
        sentence += f"; time bound by {BOUND_NAMES[kernel.bound_by]}"
    return sentence


def summary_table(report: Report) -> list[str]:
    """Return the table of kernels."""
    header: tuple[str, ...]
    header = ("kernel", "verdict", "sure", "of ridge", "bound by", "time", "place")
    rows: list[tuple[str, ...]] = [
        (
            markdown_code(shorten(instance_name(kernel), _NAME_WIDTH)),
            verdict_text(kernel, report),
            confidence_text(kernel),
            f"{of_ridge(kernel, kernel.limiter)} {TYPE_NAMES[kernel.limiter] if kernel.limiter else ''}".strip(),
            BOUND_NAMES[kernel.bound_by] if kernel.bound_by else "-",
            time_text(kernel),
            markdown_code(place_text(kernel.file, kernel.line)),
        )
        for kernel in report.kernels
    ]
    if any(kernel.llm is not None for kernel in report.kernels):
        header = (*header, "llm")
        rows = [
            (*row, opinion_cell(kernel)) for row, kernel in zip(rows, report.kernels, strict=True)
        ]
    return markdown_table(header, rows, right={2, 3, 5})


def _types(kernel: KernelReport) -> list[str]:
    rows = [
        (
            TYPE_NAMES[kind],
            quantity(kernel.counts.of(kind), TYPE_UNITS[kind]),
            intensity(kernel.intensity.get(kind)),
            intensity(kernel.ridge.get(kind)),
            of_ridge(kernel, kind),
        )
        for kind in types_in_use(kernel)
    ]
    header = ("type", "work", "op/byte", "ridge", "of ridge")
    return markdown_table(header, rows, right={1, 2, 3, 4}) if rows else []


def _accesses(kernel: KernelReport) -> list[str]:
    rows = []
    for access, alike in grouped(kernel.accesses):
        touched = access.sectors_per_request
        sectors = "-" if touched is None else trimmed(touched)
        if wasteful(access) and access.ideal_sectors_per_request is not None:
            sectors = f"**{sectors}** for {trimmed(access.ideal_sectors_per_request)}"
        name = f"{access.direction.value} {markdown_code(access.array)}{times(alike)}"
        space = access.space.value
        share = "-" if access.share is None else percent(access.share)
        rows.append(
            (
                line_of(access.line, access.file),
                name,
                space,
                str(access.element_bytes),
                sectors,
                stride(access.stride_bytes),
                share,
            )
        )
    header = ("line", "access", "space", "bytes", "sectors a request", "stride", "of DRAM")
    return markdown_table(header, rows, right={0, 3, 4, 5, 6}) if rows else []


def _loops(kernel: KernelReport) -> list[str]:
    rows = [
        (
            line_of(loop.line, loop.file),
            str(loop.depth),
            count(loop.trip_count),
            TRIP_SOURCES[loop.source],
            loop_share(loop),
        )
        for loop in kernel.loops
    ]
    header = ("line", "depth", "iterations", "known", "of the work")
    return markdown_table(header, rows, right={0, 1, 2, 4}) if rows else []


def _assumptions(kernel: KernelReport) -> list[str]:
    if not kernel.assumptions:
        return []
    ordered = sorted(kernel.assumptions, key=lambda assumption: -assumption.weight)
    lines = ["Assumed:", ""]
    for assumption in ordered:
        where = "" if assumption.line is None else f"line {assumption.line}: "
        lines.append(f"- {where}{markdown_text(assumption.text)} ({spread(assumption.weight)})")
    return lines


def _opinion(kernel: KernelReport) -> list[str]:
    if kernel.llm is None:
        return []
    return [
        "Language model:",
        "",
        *(f"- {markdown_text(line)}" for line in opinion_lines(kernel.llm)),
    ]


def _hints(kernel: KernelReport) -> list[str]:
    found = hints(kernel)
    return (
        ["What would change it:", "", *(f"- {markdown_text(hint)}" for hint in found)]
        if found
        else []
    )


def markdown_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, right: set[int]
) -> list[str]:
    """Return a table; pipes in cells are escaped, columns in `right` aligned to the right."""
    rule = ["---:" if column in right else "---" for column in range(len(header))]
    return [
        f"| {' | '.join(header)} |",
        f"| {' | '.join(rule)} |",
        *(
            f"| {' | '.join(_BARE_PIPE.sub(chr(92) * 2 + '|', cell) for cell in row)} |"
            for row in rows
        ),
    ]


def markdown_text(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\1", plain(text))


def markdown_code(text: str) -> str:
    """Return text as inline code; a run of backticks inside needs a longer one around."""
    clean = plain(text)
    longest = max((len(run) for run in re.findall(r"`+", clean)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if clean.startswith("`") or clean.endswith("`") else ""
    return f"{fence}{pad}{clean}{pad}{fence}"
