"""One kernel in full, as a rich renderable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from roofstat.hardware import Gpu
from roofstat.render.access_groups import grouped, times
from roofstat.render.chart import Mark, Roof, roofline_chart
from roofstat.render.hints import conflict_ways, hints, wasteful
from roofstat.render.opinion import opinion_lines
from roofstat.render.quantities import (
    count,
    duration,
    intensity,
    percent,
    plain,
    quantity,
    ratio_to_ridge,
    shorten,
    significant,
    spread,
    stride,
    trimmed,
)
from roofstat.render.roofline_spots import roofline_spots
from roofstat.render.words import (
    ARITHMETIC,
    BOUND_NAMES,
    LANGUAGE_NAMES,
    RESOURCE_NAMES,
    TRIP_SOURCES,
    TYPE_NAMES,
    TYPE_UNITS,
    confidence_text,
    instance_name,
    is_uncertain,
    launch_source_text,
    launch_text,
    launches_text,
    line_of,
    loop_share,
    of_ridge,
    place_text,
    readable_signature,
    types_in_use,
    verdict_text,
)
from roofstat.report import (
    AccessReport,
    BoundBy,
    KernelReport,
    LoopReport,
    MemorySpace,
    NumberType,
    Report,
    Verdict,
)

__all__ = ["kernel_title", "kernel_view", "plain_table", "verdict_line", "verdict_style"]

_GLYPHS = {
    NumberType.FP32: ("●", "green"),
    NumberType.FP64: ("■", "blue"),
    NumberType.FP16: ("◆", "yellow"),
    NumberType.INT: ("▲", "magenta"),
    NumberType.TENSOR: ("★", "red"),
}
_RATES = {
    BoundBy.DRAM: "at full bandwidth",
    BoundBy.L2: "at full bandwidth",
    BoundBy.SHARED: "at full rate",
    BoundBy.CONSTANT: "one address at a time",
    BoundBy.ATOMICS: "at full rate",
    BoundBy.ISSUE: "one instruction of a warp a clock, of whatever kind",
    **dict.fromkeys(ARITHMETIC, "instructions at full rate, FLOP or not"),
}
"""At what rate a time is that a resource needs alone."""
_WIDE = 116
_SMALL = 60
_MAX_ACCESSES = 8
_MAX_LOOPS = 8
_MAX_ASSUMPTIONS = 8
_BAR = 24
_INDENT = 2


def verdict_style(kernel: KernelReport, report: Report) -> str:
    """Return the style that a verdict is written in."""
    if kernel.verdict is Verdict.UNKNOWN or is_uncertain(kernel, report):
        return "bold yellow"
    return "bold cyan" if kernel.verdict is Verdict.BANDWIDTH else "bold magenta"


def kernel_view(kernel: KernelReport, report: Report, width: int) -> RenderableType:
    """Return everything about one kernel that a person acts on, for a terminal of that width."""
    room = max(width - _INDENT, 30)
    body: list[RenderableType] = [verdict_line(kernel, report), _launch_line(kernel)]
    if kernel.times_s or types_in_use(kernel):
        body += [Text(), *_roofline_block(kernel, report.gpu, room)]
        body += [Text(), _times_table(kernel, room)]
        body += [Text(), _traffic_line(kernel)]
    sections = (
        _accesses(kernel, room),
        _loops(kernel),
        _assumptions(kernel),
        _opinion(kernel),
        _scaling(kernel),
        _hints(kernel),
        _unknowns(kernel),
    )
    for section in sections:
        if section is not None:
            body += [Text(), section]
    return Group(kernel_title(kernel, width), *(Padding(part, (0, 0, 0, _INDENT)) for part in body))


def kernel_title(kernel: KernelReport, width: int) -> RenderableType:
    """Return the heading of a kernel: its signature and its place."""
    where = plain(place_text(kernel.file, kernel.line))
    tail = f"{LANGUAGE_NAMES[kernel.language]}, {kernel.compiler.value}"
    if kernel.library is not None:
        tail = (
            f"kernel of {kernel.library.name}: its numbers were measured, not derived from source"
        )
    name = readable_signature(kernel)
    if kernel.directive is not None and kernel.function is not None:
        name = f"{kernel.function}: {kernel.directive}"
    room = max(width - 4, 16)
    instance = f"{instance_name(kernel)}(…)"
    if len(instance) <= room < len(name) and "<" in instance:
        name = instance  # template arguments tell instances apart, parameters do not
    heading = Text(shorten(name, room), style="bold")
    return Group(Rule(heading, align="left", style="dim"), Text(f"{where} · {tail}", style="dim"))


def verdict_line(kernel: KernelReport, report: Report) -> Text:
    """Return the verdict with its confidence, its limiter and what binds the time."""
    style = verdict_style(kernel, report)
    line = Text("▌", style=style)
    line.append(verdict_text(kernel, report).upper(), style=style)
    if kernel.verdict is not Verdict.UNKNOWN:
        lean = f", leans {kernel.verdict.value}" if is_uncertain(kernel, report) else ""
        line.append(f"  {confidence_text(kernel)} sure{lean}")
    ratio = kernel.over_ridge(kernel.limiter)
    if ratio is not None and kernel.limiter is not None:
        line.append(f" · {TYPE_NAMES[kernel.limiter]} at ")
        line.append(ratio_to_ridge(ratio), style="bold")
        line.append(" its ridge")
    if kernel.bound_by is not None:
        line.append(" · time bound by ")
        line.append(BOUND_NAMES[kernel.bound_by], style="bold")
    return line


def _launch_line(kernel: KernelReport) -> Text:
    if kernel.launch is None:
        return Text("no launch is known: give one with --launch", style="yellow")
    line = Text(launch_text(kernel))
    line.append(f" ({count(kernel.launch.threads)} threads)")
    line.append(f" · {launches_text(kernel)}, {plain(launch_source_text(kernel))}", style="dim")
    occupancy = kernel.occupancy
    if occupancy is not None:
        resident = (
            f"{percent(occupancy.share)} occupancy: {occupancy.blocks_per_sm} blocks, {occupancy.warps_per_sm} "
            f"warps an SM, held by {occupancy.limiter.value}"
            if occupancy.blocks_per_sm
            else f"no block fits on an SM, for its {RESOURCE_NAMES[occupancy.limiter]}: taken as 1"
        )
        line.append(
            f"\n{resident} · {significant(occupancy.waves)} waves"
            f" · {occupancy.registers_per_thread} registers"
        )
        if occupancy.shared_bytes_per_block:
            line.append(f" · {occupancy.shared_bytes_per_block:,} B shared a block")
    return line


def _roofline_block(kernel: KernelReport, gpu: Gpu, room: int) -> Iterator[RenderableType]:
    table = _type_table(kernel, room)
    chart = _chart(kernel, gpu, room)
    if chart is None:
        yield table
    elif room >= _WIDE:
        grid = Table.grid(padding=(0, 4, 0, 0))
        grid.add_row(table, chart)
        yield grid
    else:
        yield table
        yield Text()
        yield chart


def _type_table(kernel: KernelReport, room: int) -> RenderableType:
    kinds = types_in_use(kernel)
    if not kinds:
        return Text("no arithmetic of any type")
    table = plain_table()
    table.add_column("")
    table.add_column("type")
    table.add_column("work", justify="right")
    table.add_column("op/byte", justify="right")
    if room >= _SMALL:
        table.add_column("80 % within", justify="right", style="dim")
    table.add_column("ridge", justify="right")
    table.add_column("of ridge", justify="right")
    for kind in kinds:
        glyph, colour = _GLYPHS[kind]
        ridge = kernel.ridge.get(kind)
        interval = kernel.intensity_interval.get(kind)
        style = "bold" if kind is kernel.limiter else ""
        cells = [
            Text(glyph, style=colour),
            Text(TYPE_NAMES[kind], style=style),
            Text(quantity(kernel.counts.of(kind), TYPE_UNITS[kind]), style=style),
            Text(intensity(kernel.intensity.get(kind)), style=style),
        ]
        if room >= _SMALL:
            span = f"{intensity(interval.low)} to {intensity(interval.high)}" if interval else "-"
            cells.append(Text(span))
        cells.append(Text(intensity(ridge) if ridge else "-", style=style))
        cells.append(Text(of_ridge(kernel, kind), style=style))
        table.add_row(*cells)
    if kernel.counts.special_op:
        table.add_row(
            "",
            "special",
            quantity(kernel.counts.special_op, "op"),
            *[""] * (len(table.columns) - 3),
        )
    return table


def _chart(kernel: KernelReport, gpu: Gpu, room: int) -> Text | None:
    spots = roofline_spots(kernel, gpu)
    if not spots:
        return None
    roofs = [Roof(name=TYPE_NAMES[spot.kind], peak_op_per_s=spot.peak_op_per_s) for spot in spots]
    marks = [
        Mark(glyph=_GLYPHS[spot.kind][0], intensity=spot.intensity, op_per_s=spot.op_per_s)
        for spot in spots
    ]
    width = min(room, 58) if room < _WIDE else min(room - 62, 72)
    lines = roofline_chart(gpu.dram_bytes_per_s, roofs, marks, width=width, height=11)
    text = Text("op/s, modelled, over op/byte", style="dim")
    for line in lines:
        text.append("\n")
        text.append_text(_colour_marks(line))
    return text


def _colour_marks(line: str) -> Text:
    text = Text(line, style="dim", no_wrap=True)
    for glyph, colour in _GLYPHS.values():
        text.highlight_words([glyph], style=f"not dim bold {colour}")
    return text


def _times_table(kernel: KernelReport, room: int) -> RenderableType:
    ranked = sorted(kernel.times_s.items(), key=lambda pair: -pair[1])
    if not ranked:
        return Text("no time can be modelled", style="dim")
    longest = ranked[0][1]
    shown = [(bound, seconds) for bound, seconds in ranked if seconds >= 0.01 * longest][:6]
    table = plain_table(header=False)
    table.add_column("resource")
    table.add_column("time", justify="right")
    table.add_column("bar", no_wrap=True)
    bar = min(_BAR, max(8, room - 40))
    computing = next((bound for bound, _ in shown if bound in ARITHMETIC), None)
    for bound, seconds in shown:
        style = "bold" if bound is kernel.bound_by else ""
        is_told = bound in _RATES and (style or bound is computing)
        note = f"  {_RATES[bound]}" if is_told else ""
        table.add_row(
            Text(BOUND_NAMES[bound], style=style),
            Text(duration(seconds), style=style),
            Text("━" * max(1, round(bar * seconds / longest)), style="green" if style else "dim")
            + Text(note, style="dim"),
        )
    return table


def _traffic_line(kernel: KernelReport) -> Text:
    chosen = kernel.traffic.dram(kernel.regime)
    other = kernel.traffic.dram(kernel.regime.other)
    line = Text("DRAM ")
    line.append(quantity(chosen.total_bytes, "B"), style="bold")
    line.append(
        f" {kernel.regime.value}: {quantity(chosen.read_bytes, 'B')} read, {quantity(chosen.write_bytes, 'B')} written"
    )
    line.append(f" · {quantity(other.total_bytes, 'B')} {kernel.regime.other.value}", style="dim")
    line.append(f" · L2 {quantity(kernel.traffic.l2_bytes, 'B')}", style="dim")
    if kernel.traffic.local_bytes:
        line.append(f" · local {quantity(kernel.traffic.local_bytes, 'B')}", style="yellow")
    requests, sectors = kernel.traffic.global_requests, kernel.traffic.global_sectors
    if requests and sectors is not None:
        line.append(f" · {trimmed(sectors / requests)} sectors a global request", style="dim")
    return line


def _accesses(kernel: KernelReport, room: int) -> RenderableType | None:
    if not kernel.accesses:
        return None
    ordered = sorted(
        grouped(kernel.accesses), key=lambda row: (-(row[0].share or 0.0), row[0].line)
    )
    table = plain_table()
    table.add_column("line", justify="right", style="dim")
    table.add_column("access", no_wrap=True, overflow="ellipsis", max_width=28)
    table.add_column("bytes", justify="right")
    table.add_column("sectors", justify="right")
    table.add_column("stride", justify="right")
    if room >= _SMALL:
        table.add_column("footprint", justify="right")
    table.add_column("of DRAM", justify="right")
    for access, alike in ordered[:_MAX_ACCESSES]:
        table.add_row(*_access_cells(access, alike, room))
    return _titled("accesses", table, len(ordered) - _MAX_ACCESSES)


def _access_cells(access: AccessReport, alike: int, room: int) -> list[Text]:
    space = "" if access.space is MemorySpace.GLOBAL else f" ({access.space.value})"
    cells = [
        Text(line_of(access.line, access.file)),
        Text(f"{access.direction.value} {plain(access.array)}{space}{times(alike)}"),
        Text(str(access.element_bytes)),
        _sectors_cell(access),
        Text(stride(access.stride_bytes)),
    ]
    if room >= _SMALL:
        footprint = access.footprint_bytes
        cells.append(Text("-" if footprint is None else quantity(footprint, "B")))
    cells.append(Text("-" if access.share is None else percent(access.share)))
    return cells


def _sectors_cell(access: AccessReport) -> Text:
    touched = access.sectors_per_request
    ways = conflict_ways(access)
    if ways is not None:
        return Text(f"{trimmed(ways)}-way", style="bold yellow")
    if touched is None:
        return Text("-")
    waste = wasteful(access)
    if waste is None or access.ideal_sectors_per_request is None:
        return Text(trimmed(touched))
    return Text(
        f"{trimmed(touched)} for {trimmed(access.ideal_sectors_per_request)}", style="bold yellow"
    )


def _loops(kernel: KernelReport) -> RenderableType | None:
    if not kernel.loops:
        return None
    table = plain_table()
    table.add_column("line", justify="right", style="dim")
    table.add_column("loop", no_wrap=True)
    table.add_column("iterations", justify="right")
    table.add_column("known", no_wrap=True)
    table.add_column("of the work", justify="right")
    shown = _telling_loops(kernel.loops)
    for loop in shown:
        style = "yellow" if loop.source.value == "assumed" else ""
        table.add_row(
            Text(line_of(loop.line, loop.file)),
            Text("  " * loop.depth + ("loop" if loop.depth == 0 else "inner loop")),
            Text(count(loop.trip_count), style=style),
            Text(TRIP_SOURCES[loop.source], style=style),
            Text(loop_share(loop)),
        )
    return _titled("loops", table, len(kernel.loops) - len(shown))


def _telling_loops(loops: Sequence[LoopReport]) -> list[LoopReport]:
    """Return the loops with the most work, in order of place."""
    best = sorted(loops, key=lambda loop: -(loop.share if loop.share is not None else 1.0))
    chosen = {id(loop) for loop in best[:_MAX_LOOPS]}
    return [loop for loop in loops if id(loop) in chosen]


def _assumptions(kernel: KernelReport) -> RenderableType | None:
    if not kernel.assumptions:
        return None
    ordered = sorted(kernel.assumptions, key=lambda assumption: -assumption.weight)
    table = plain_table(header=False)
    table.add_column("line", justify="right", style="dim", no_wrap=True)
    table.add_column("text", overflow="fold")
    table.add_column("weight", justify="right", no_wrap=True, style="dim")
    for assumption in ordered[:_MAX_ASSUMPTIONS]:
        line = "" if assumption.line is None else str(assumption.line)
        table.add_row(Text(line), Text(plain(assumption.text)), Text(spread(assumption.weight)))
    return _titled("assumptions", table, len(ordered) - _MAX_ASSUMPTIONS)


def _opinion(kernel: KernelReport) -> RenderableType | None:
    if kernel.llm is None:
        return None
    first, *rest = opinion_lines(kernel.llm)
    style = "bold yellow" if kernel.llm.flags or kernel.llm.verdict is None else "bold"
    lines = Text(first, style=style)
    for line in rest:
        lines.append(f"\n{line}", style="not bold default")
    return _titled("language model", lines, 0)


def _scaling(kernel: KernelReport) -> RenderableType | None:
    if not kernel.scaling:
        return None
    table = plain_table(header=False)
    table.add_column("parameter", no_wrap=True)
    table.add_column("growth", overflow="fold")
    for parameter, powers in kernel.scaling.items():
        growth = ", ".join(
            f"{plain(quantity_name)} ∝ {plain(parameter)}^{trimmed(power)}"
            for quantity_name, power in powers.items()
        )
        table.add_row(Text(plain(parameter), style="bold"), Text(growth))
    return _titled("growth", table, 0)


def _hints(kernel: KernelReport) -> RenderableType | None:
    found = hints(kernel)
    if not found:
        return None
    table = plain_table(header=False)
    table.add_column("mark", no_wrap=True)
    table.add_column("text", overflow="fold")
    for hint in found:
        table.add_row(Text("→", style="green"), Text(plain(hint)))
    return _titled("what follows", table, 0)


def _unknowns(kernel: KernelReport) -> RenderableType | None:
    if not kernel.unknown:
        return None
    table = plain_table(header=False)
    table.add_column("what", style="yellow", no_wrap=True)
    table.add_column("why", overflow="fold")
    for path, reason in kernel.unknown.items():
        table.add_row(Text(plain(path)), Text(plain(reason)))
    return _titled("unknown", table, 0)


def _titled(title: str, table: RenderableType, left_out: int) -> RenderableType:
    heading = Text(title, style="bold")
    more = f"{left_out} more, in --format json" if left_out > 0 else ""
    parts: list[RenderableType] = [heading, Padding(table, (0, 0, 0, _INDENT))]
    return (
        Group(*parts, Padding(Text(more, style="dim"), (0, 0, 0, _INDENT)))
        if more
        else Group(*parts)
    )


def plain_table(*, header: bool = True) -> Table:
    """Return a table without lines."""
    return Table(
        box=None, show_header=header, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0)
    )
