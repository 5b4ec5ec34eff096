"""Upper bounds of gains: what a launch would take if some part of what it spends on a resource went away."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from clang_queries.quick_pattern import pattern
from roofstat.hardware import Gpu
from roofstat.hardware.units import LINE_BYTES, SECTOR_BYTES, WARP_SIZE
from roofstat.report import AccessReport, BoundBy, KernelReport, Severity, WarpStep

__all__ = [
    "VISIBLE",
    "bound_beyond_l1",
    "excess_sector_savings",
    "fill_savings",
    "idle_lane_savings",
    "load_wait_share",
    "speedup_bound",
    "step_share",
    "unit_share",
]

_PARALLEL = pattern(r"\b(?:parallel|loop)\b")
VISIBLE = 1.05
"""What cannot make a launch faster by more than this does not show."""
_NOTABLE = 1.2
_SCATTER_COST = 2.0
"""Of L2, for requests that take a word from each sector. Chosen, not fitted: the one transposing store seen measured moved
3.2 TB/s through the L2 of an H100, which carries 9.7."""
_SM_RESOURCES = (
    BoundBy.SHARED,
    BoundBy.FP32,
    BoundBy.FP64,
    BoundBy.FP16,
    BoundBy.INT,
    BoundBy.SPECIAL,
    BoundBy.TENSOR,
    BoundBy.ISSUE,
    BoundBy.LATENCY,
)
"""What more SMs at work make faster."""


def speedup_bound(kernel: KernelReport, saved: Mapping[BoundBy, float]) -> float | None:
    """Return the factor by which a launch gets faster at most; None where its times are unknown.

    Args:
        kernel: The kernel.
        saved: Part of the time of each resource that goes away, 0 to 1.
    """
    if not kernel.times_s:
        return None
    left = max(
        seconds * (1.0 - min(max(saved.get(resource, 0.0), 0.0), 1.0))
        for resource, seconds in kernel.times_s.items()
    )
    now = max(kernel.times_s.values())
    return now / left if left > 0 else None


def bound_beyond_l1(
    kernel: KernelReport, saved: Mapping[BoundBy, float]
) -> tuple[float | None, Severity | None]:
    """Return a bound for fewer sectors a request and the severity that goes with it.

    The model has no time for what single words of many sectors cost L2: where it sees no gain elsewhere, nothing bounds what
    fewer sectors bring. The finding is a note then, unless L2 would decide the time at half its rate.
    """
    bound = speedup_bound(kernel, saved)
    if bound is None or bound >= VISIBLE:
        return bound, None
    times = dict(kernel.times_s)
    times[BoundBy.L2] = _SCATTER_COST * times.get(BoundBy.L2, 0.0)
    slow = speedup_bound(dataclasses.replace(kernel, times_s=times), saved)
    return None, None if slow is not None and slow >= _NOTABLE else Severity.NOTE


def idle_lane_savings(
    kernel: KernelReport, wasted: float, *, shortens: bool
) -> dict[BoundBy, float]:
    """Return what goes away if lanes worked that are idle now.

    Args:
        kernel: The kernel.
        wasted: Their part of the lanes of all instructions, 0 to 1.
        shortens: Whether a warp has less to do then; else there are fewer warps, which take as long where all of them
            are resident at a time.
    """
    saved = dict.fromkeys(_SM_RESOURCES, wasted)
    found = kernel.occupancy
    if not shortens and found is not None and found.waves <= 1:
        saved[BoundBy.LATENCY] = 0.0
    return saved


def step_share(kernel: KernelReport, step: WarpStep) -> float:
    """Return the part of a lonely warp's clocks that one kind of step takes."""
    if kernel.latency is None:
        return 0.0
    total = sum(kernel.latency.step_clocks.values())
    return kernel.latency.step_clocks.get(step, 0.0) / total if total else 0.0


def load_wait_share(kernel: KernelReport, requests: float | None) -> float:
    """Return the part of the latency that the waits for some of the global requests make up."""
    total = kernel.traffic.global_requests
    if not total or requests is None:
        return 0.0
    return step_share(kernel, WarpStep.LOAD) * min(requests / total, 1.0)


def unit_share(kernel: KernelReport, unit_bytes: float) -> float:
    """Return the part of what L1 and shared memory move that some bytes of their passes make up."""
    total = kernel.traffic.unit_bytes
    return min(unit_bytes / total, 1.0) if total else 0.0


def excess_sector_savings(
    kernel: KernelReport, accesses: tuple[AccessReport, ...]
) -> dict[BoundBy, float]:
    """Return what goes away if accesses to one array touched no more sectors than their data fill."""
    excess = useful = share = footprint = requests = 0.0
    for access in accesses:
        touched, ideal = access.sectors_per_request, access.ideal_sectors_per_request
        if access.requests is None or touched is None or ideal is None:
            continue
        requests += access.requests
        excess += access.requests * max(touched - ideal, 0.0) * SECTOR_BYTES
        useful += access.requests * WARP_SIZE * access.element_bytes
        share += access.share or 0.0
        footprint = max(footprint, access.footprint_bytes or 0.0)
    needed = min(useful, footprint)
    l2, dram = kernel.traffic.l2_bytes, kernel.traffic.dram(kernel.regime).total_bytes
    return {
        # What L1 keeps does not reach L2, but what is needed does at least once.
        BoundBy.L2: min(excess, max(l2 - needed, 0.0)) / l2 if l2 else 0.0,
        BoundBy.DRAM: max(share - needed / dram, 0.0) if dram else 0.0,
        # A line of its own for each sector is the most that they take.
        BoundBy.SHARED: unit_share(kernel, excess / SECTOR_BYTES * LINE_BYTES),
        BoundBy.LATENCY: load_wait_share(kernel, requests),
    }


def fill_savings(kernel: KernelReport, gpu: Gpu) -> dict[BoundBy, float]:
    """Return what goes away if the same work were spread over all lanes of all SMs.

    Enough warps hide any latency. What one thread of a target region without `parallel` computes and asks L2 for is no measure
    of what whole warps would: only DRAM is left to bound them.
    """
    if kernel.directive is not None and not _PARALLEL.search(kernel.directive):
        return dict.fromkeys((*_SM_RESOURCES, BoundBy.L2, BoundBy.ATOMICS), 1.0)
    blocks = kernel.launch.blocks if kernel.launch is not None else gpu.sm_count
    idle = max(1.0 - blocks / gpu.sm_count, 0.0)
    return dict.fromkeys(_SM_RESOURCES, idle) | {BoundBy.LATENCY: 1.0}
