"""The derivation of a kernel's numbers: from source lines to counts, from counts to the verdict."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from roofstat.hardware import Figure, Gpu
from roofstat.render.explain_latency import latency_derivation
from roofstat.render.explain_memory import (
    dram_derivation,
    occupancy_derivation,
    traffic_derivation,
)
from roofstat.render.kernel_view import kernel_title, kernel_view, plain_table, verdict_line
from roofstat.render.options import RenderOptions
from roofstat.render.quantities import (
    count,
    duration,
    plain,
    quantity,
    ratio_to_ridge,
    significant,
    trimmed,
)
from roofstat.render.terminal import print_text
from roofstat.render.words import BOUND_NAMES, KNOWN_BIASES, TYPE_NAMES, TYPE_UNITS, types_in_use
from roofstat.report import (
    BoundBy,
    KernelReport,
    LineReport,
    NumberType,
    Report,
    Verdict,
    strongest_weights,
)
from roofstat.roofline import (
    confidence_parameters,
    decision_distance,
    issued_op_per_s,
    launch_terms,
    log_absorbed,
)

__all__ = ["render_explanation"]

_RATES = {
    NumberType.FP32: ("fp32_per_clk", 2),
    NumberType.FP64: ("fp64_per_clk", 2),
    NumberType.FP16: ("fp16_per_clk", 1),  # a packed instruction counts once
    NumberType.INT: ("int32_per_clk", 1),
}
_COLUMNS = (
    ("FP32", "sp_flop"),
    ("FP64", "dp_flop"),
    ("FP16", "hp_flop"),
    ("tensor", "tensor_flop"),
    ("INT", "int_op"),
    ("special", "special_op"),
)


def render_explanation(
    kernel: KernelReport, report: Report, source: Sequence[str], options: RenderOptions
) -> str:
    """Return the derivation as text.

    Args:
        kernel: The kernel to explain.
        report: The report that it is part of.
        source: Lines of the kernel's file; empty where it cannot be read.
        options: Width, colour and character set.
    """
    parts: list[RenderableType] = [
        kernel_title(kernel, options.width),
        verdict_line(kernel, report),
        Text(),
        *_section("counts by line", _lines(kernel, source, options.width)),
        *_section("bytes by access", traffic_derivation(kernel)),
        *_section(f"DRAM, {kernel.regime.value}", dram_derivation(kernel)),
        *_section("occupancy", occupancy_derivation(kernel, report.gpu)),
        *_section("ridges", _ridges(kernel, report.gpu)),
        *_section("intensities", _intensities(kernel)),
        *_section("latency", latency_derivation(kernel, report.gpu)),
        *_section("times", _times(kernel, report.gpu)),
        *_section("confidence", _confidence(kernel)),
        kernel_view(kernel, report, options.width),
    ]
    return print_text(Group(*parts), options)


def _section(title: str, body: Sequence[RenderableType]) -> Iterator[RenderableType]:
    if body:
        yield Text(title, style="bold")
        yield from (Padding(part, (0, 0, 0, 2)) for part in body)
        yield Text()


def _lines(kernel: KernelReport, source: Sequence[str], width: int) -> list[RenderableType]:
    if not kernel.lines:
        return []
    columns = [
        (name, field)
        for name, field in _COLUMNS
        if any(getattr(line.counts, field) for line in kernel.lines)
    ]
    table = plain_table()
    table.add_column("line", justify="right", style="dim", no_wrap=True)
    for name in ("runs", *(name for name, _ in columns), "DRAM"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("source", max_width=max(width // 2, 20))  # the one that narrow screens cut
    for line in kernel.lines:
        amounts = [getattr(line.counts, field) for _, field in columns]
        dram = line.dram_bytes
        table.add_row(
            str(line.line),
            "" if any(amounts) else count(line.executions),
            *("" if amount == 0 else count(amount) for amount in amounts),
            "" if dram == 0 else quantity(dram, "B"),
            Text(_source_text(line, source), style="dim", no_wrap=True, overflow="ellipsis"),
        )
        for term in line.terms:
            each = [getattr(term.counts, field) for _, field in columns]
            if any(each):
                cells = ("" if amount == 0 else f"× {trimmed(amount)}" for amount in each)
                table.add_row("", count(term.executions), *cells, style="dim")
    totals = [count(getattr(kernel.counts, field)) for _, field in columns]
    traffic = quantity(kernel.traffic.dram(kernel.regime).total_bytes, "B")
    table.add_row("all", "", *totals, traffic, f"{kernel.regime.value} traffic", style="bold")
    if not any(len(line.terms) > 1 for line in kernel.lines):
        return [table]
    legend = (
        "below a line: how often threads execute a part of it × its operations; copies of an unrolled loop's body that "
        "are executed equally often are one part"
    )
    return [table, Text(legend, style="dim")]


def _source_text(line: LineReport, source: Sequence[str]) -> str:
    if line.file is not None:
        return plain(line.file)
    index = line.line - 1
    return plain(source[index].expandtabs(4).strip()) if 0 <= index < len(source) else ""


def _ridges(kernel: KernelReport, gpu: Gpu) -> list[RenderableType]:
    rows: list[RenderableType] = []
    bandwidth = quantity(gpu.dram_bytes_per_s, "B/s")
    for kind in types_in_use(kernel):
        ridge = kernel.ridge.get(kind)
        if ridge is None:
            continue
        if kind in _RATES:
            key, factor = _RATES[kind]
            figure = gpu.figures[key]
            terms = f"{'2 × ' if factor == 2 else ''}{figure.value:g} a clock × {gpu.sm_count} SMs"
            peak = f"{terms} × {significant(gpu.clock_hz / 1e9)} GHz"
            sources = f"  {_source(figure)}; bandwidth {_source(gpu.figures['dram_gb_per_s'])}"
        else:
            peak, sources = "the card's matrix peak", ""
        unit = f"{TYPE_UNITS[kind]}/s"
        text = Text(f"{TYPE_NAMES[kind]}: {peak} = {quantity(ridge * gpu.dram_bytes_per_s, unit)}")
        text.append(f"; / {bandwidth} = ")
        text.append(f"{significant(ridge)} {TYPE_UNITS[kind]}/B", style="bold")
        text.append(sources, style="dim")
        rows.append(text)
    return rows


def _source(figure: Figure) -> str:
    return f"[{plain(figure.source)}, {figure.status.value}]"


def _intensities(kernel: KernelReport) -> list[RenderableType]:
    rows: list[RenderableType] = []
    dram = kernel.traffic.dram(kernel.regime).total_bytes
    for kind in types_in_use(kernel):
        value, ridge = kernel.intensity.get(kind), kernel.ridge.get(kind)
        unit = TYPE_UNITS[kind]
        text = Text(
            f"{TYPE_NAMES[kind]}: {quantity(kernel.counts.of(kind), unit)} / {quantity(dram, 'B')} = "
        )
        if value is None:
            text.append("unknown", style="yellow")
        else:
            text.append(f"{significant(value)} {unit}/B", style="bold")
            if ridge:
                side = "at or above" if value >= ridge else "below"
                text.append(f", {ratio_to_ridge(value / ridge)} the ridge: {side} it")
        rows.append(text)
    return rows


def _times(kernel: KernelReport, gpu: Gpu) -> list[RenderableType]:
    work = {
        BoundBy.DRAM: (kernel.traffic.dram(kernel.regime).total_bytes, gpu.dram_bytes_per_s, "B"),
        BoundBy.L2: (kernel.traffic.l2_bytes, gpu.l2_bytes_per_s, "B"),
        BoundBy.SHARED: (kernel.traffic.unit_bytes, gpu.shared_bytes_per_s, "B"),
        BoundBy.FP32: (kernel.counts.sp_flop, gpu.fp32_flop_per_s, "FLOP"),
        BoundBy.FP64: (kernel.counts.dp_flop, gpu.fp64_flop_per_s, "FLOP"),
        BoundBy.FP16: (kernel.counts.hp_flop, gpu.fp16_counted_flop_per_s, "FLOP"),
        BoundBy.INT: (kernel.counts.int_op, gpu.int_op_per_s, "op"),
        BoundBy.SPECIAL: (kernel.counts.special_op, gpu.special_op_per_s, "op"),
        BoundBy.ISSUE: (kernel.counts.instructions, issued_op_per_s(gpu), "instr"),
    }
    blocks = math.prod(kernel.launch.grid) if kernel.launch is not None else gpu.sm_count
    busy = min(1.0, blocks / gpu.sm_count)
    rows: list[RenderableType] = []
    for bound, seconds in sorted(kernel.times_s.items(), key=lambda pair: -pair[1]):
        text = Text(f"{BOUND_NAMES[bound]}: ")
        amount, rate, unit = work.get(bound, (None, 0.0, ""))
        if amount:
            issued = seconds * rate * busy / 2.0
            if unit == "FLOP" and 2.0 * issued > 1.01 * amount:
                # Few multiply-adds: the pipe takes an instruction at a time, whatever it does.
                amount, rate, unit = issued, rate / 2.0, "instr"
            text.append(f"{quantity(amount, unit)} / {quantity(rate, f'{unit}/s')}")
            if not math.isclose(amount / rate, seconds, rel_tol=0.01):
                text.append(f" × {amount / rate / seconds:.3g} of the SMs busy")
            text.append(" = ")
        text.append(duration(seconds), style="bold" if bound is kernel.bound_by else "")
        rows.append(text)
    terms = launch_terms(kernel.times_s)
    if len(terms) > 1:
        sum_of = " + ".join(BOUND_NAMES[part] for part in terms)
        rows.append(Text(f"a launch: {sum_of} = {duration(kernel.modelled_time_s)}"))
    if rows:
        rows.append(Text(KNOWN_BIASES, style="dim"))
    return rows


def _confidence(kernel: KernelReport) -> list[RenderableType]:
    if kernel.verdict is Verdict.UNKNOWN or kernel.confidence is None:
        return []
    ratios = (kernel.over_ridge(kind) for kind in kernel.intensity)
    distance = decision_distance([ratio for ratio in ratios if ratio is not None])
    parameters = confidence_parameters()
    weights = strongest_weights(kernel.assumptions)
    absorbed = log_absorbed(kernel.traffic.l2_bytes, kernel.traffic.dram(kernel.regime).total_bytes)
    sigma = parameters.spread(kernel.verdict, weights, absorbed)
    parts = [f"{parameters.base_bandwidth:g}² for bandwidth verdicts"]
    if kernel.verdict is Verdict.COMPUTE:
        parts = [f"{parameters.base_compute:g}² for compute verdicts"]
        if absorbed > 0:
            parts.append(
                f"({parameters.absorbed:g} × {significant(absorbed)})² for the L2 bytes over DRAM bytes, as a logarithm"
            )
    if weights:
        parts.append("the squares of the weights of the assumptions, the largest of each kind")
    text = Text(
        f"|ln(intensity / ridge)| = {significant(distance)}; spread {significant(sigma)} = root of "
        f"{' + '.join(parts)}; 1 - ½ (1 + {significant(distance)} / ({parameters.tail:g} × {significant(sigma)}))"
        f"^-{parameters.tail:g} = {100 * (1 - parameters.beyond(distance, sigma)):.1f} %"
    )
    if kernel.confidence == kernel.highest_confidence:
        text.append(
            f"; at most {100 * kernel.highest_confidence:.0f} %, since not all of the kernel was seen"
            " or it never runs like this"
        )
    elif kernel.confidence >= parameters.highest:
        text.append(f"; at most {100 * parameters.highest:.1f} % is claimed of any")
    return [text]
