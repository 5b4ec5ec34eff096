"""The time of a launch in which nothing hides the waits of a warp, with the terms that it is made of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from roofstat.hardware.units import SECTOR_BYTES
from roofstat.instructions.timing.chains import warp_time
from roofstat.instructions.timing.step_costs import Latencies
from roofstat.memory.records import Direction
from roofstat.report import LatencyReport, MemoryLevel, TrafficRegime
from roofstat.roofline import latency_time_s

if TYPE_CHECKING:
    from roofstat.execution.trace import LaunchTrace
    from roofstat.hardware import Gpu
    from roofstat.instructions.model import InstructionCounts
    from roofstat.memory.records import MemoryTraffic

__all__ = ["latency_report"]

_L1_CLOCKS = 33.0
"""From a load to its datum, where it hits in L1 (Volta to Hopper)."""


def latency_report(
    trace: LaunchTrace,
    counts: InstructionCounts,
    memory: MemoryTraffic,
    regime: TrafficRegime,
    gpu: Gpu,
    waves: float,
) -> LatencyReport:
    """Waves of blocks one after another, each as long as a warp needs that has its SM for itself.

    Args:
        trace: The launch.
        counts: What the compiler makes of the code.
        memory: Where loads hit.
        regime: Which DRAM traffic to go by.
        gpu: The card.
        waves: Blocks of the grid over blocks that the whole GPU holds; a part of a wave takes as long as a whole one.
    """
    dram = memory.steady if regime is TrafficRegime.STEADY else memory.profiled
    asked = memory.global_load_sectors * SECTOR_BYTES
    beyond_l1 = min(memory.l2_load_bytes / asked, 1.0) if asked else 1.0
    beyond_l2 = min(dram.read_bytes / asked, beyond_l1) if asked else 1.0
    shares = {
        MemoryLevel.L1: 1.0 - beyond_l1,
        MemoryLevel.L2: beyond_l1 - beyond_l2,
        MemoryLevel.DRAM: beyond_l2,
    }
    level_clocks = {
        MemoryLevel.L1: _L1_CLOCKS,
        MemoryLevel.L2: gpu.l2_latency_s * gpu.clock_hz,
        MemoryLevel.DRAM: gpu.dram_latency_s * gpu.clock_hz,
    }
    load_clocks = sum(share * level_clocks[level] for level, share in shares.items())
    double_issue = max(gpu.fp32_flop_per_s / max(gpu.fp64_flop_per_s, 1.0), 1.0)
    time = warp_time(
        trace,
        Latencies(load=load_clocks, double_issue=double_issue),
        has_local_memory=bool(memory.local_bytes),
        counts=counts,
        requests={
            access.site: access.requests
            for access in memory.accesses
            if access.direction is Direction.READ
        },
    )
    whole_waves = max(1, math.ceil(waves))
    return LatencyReport(
        waves=whole_waves,
        step_clocks={step: clocks for step, clocks in time.steps.items() if clocks > 0.0},
        rare_clocks=time.rare,
        load_clocks=load_clocks,
        load_lines={
            (file, max(line, 1)): clocks
            for (file, line), clocks in time.loads.items()
            if clocks > 0.0
        },
        level_clocks=level_clocks,
        level_shares=shares,
        time_s=latency_time_s(
            gpu, waves=whole_waves, serial_clocks=time.clocks, rare_clocks=time.rare
        ),
    )
