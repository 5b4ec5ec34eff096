"""Derivation of the latency of a launch, for `roofstat explain`."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from roofstat.hardware import Gpu
from roofstat.render.quantities import duration, percent, significant
from roofstat.report import KernelReport, LatencyReport, MemoryLevel, WarpStep

__all__ = ["latency_derivation"]

_STEP_NAMES = {
    WarpStep.ISSUE: "instructions issued",
    WarpStep.LOAD: "loads from global memory",
    WarpStep.SHARED: "shared memory, shuffles, matrix units",
    WarpStep.FUNCTION: "divisions, functions, conversions",
    WarpStep.ARITHMETIC: "arithmetic",
    WarpStep.BARRIER: "barriers",
}
_LEVEL_NAMES = {MemoryLevel.L1: "L1", MemoryLevel.L2: "L2", MemoryLevel.DRAM: "DRAM"}


def latency_derivation(kernel: KernelReport, gpu: Gpu) -> list[RenderableType]:
    """What a warp on its own spends its clocks on, times the waves of blocks."""
    latency = kernel.latency
    if latency is None:
        return []
    return [Text(line) for line in _lines(latency, gpu)]


def _lines(latency: LatencyReport, gpu: Gpu) -> Iterator[str]:
    if WarpStep.LOAD in latency.step_clocks:
        parts = (
            f"{percent(share)} {_LEVEL_NAMES[level]} × {latency.level_clocks[level]:,.0f}"
            for level, share in latency.level_shares.items()
            if share > 0.0
        )
        yield f"a load: {' + '.join(parts)} = {latency.load_clocks:,.0f} clocks"
    total = sum(latency.step_clocks.values())
    lines = _by_line(latency)
    for step, clocks in latency.step_clocks.items():
        loads = (
            f" = {significant(clocks / latency.load_clocks)} waits × {latency.load_clocks:,.0f}{lines}"
            if step is WarpStep.LOAD
            else ""
        )
        verb = "" if step is WarpStep.ISSUE else "waits for "
        yield f"{verb}{_STEP_NAMES[step]}: {clocks:,.0f} clocks{loads}"
    waves = f"{latency.waves:,} wave{'s' if latency.waves > 1 else ''}"
    rare = (
        f" + {latency.rare_clocks:,.0f} once, on paths of few blocks"
        if latency.rare_clocks >= 1.0
        else ""
    )
    yield (
        f"{waves} × {total:,.0f} clocks{rare}; / {significant(gpu.clock_hz / 1e9)} GHz = {duration(latency.time_s)}"
    )


def _by_line(latency: LatencyReport) -> str:
    """How many of the waits for loads are for those of which line; what is loaded together is waited for once."""
    waits = sorted(latency.load_lines.items(), key=lambda item: -item[1])
    shown = [
        f"line {line}: {significant(clocks / latency.load_clocks)}"
        for (_, line), clocks in waits[:_MOST_LINES]
        if clocks >= _LEAST_SHARE * latency.load_clocks
    ]
    return f" ({', '.join(shown)})" if shown else ""


_MOST_LINES = 4
_LEAST_SHARE = 0.05
"""Of a load: what is hidden but for less is not shown."""
