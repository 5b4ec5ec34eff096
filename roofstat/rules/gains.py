"""Upper bounds of gains: what a launch would take if some part of what it spends on a resource went away."""

from __future__ import annotations

from collections.abc import Mapping

from roofstat.hardware import Gpu
from roofstat.report import AccessReport, BoundBy, KernelReport, Severity, WarpStep

__all__ = [
    "SM_RESOURCES",
    "bound_beyond_l1",
    "excess_sector_savings",
    "fill_savings",
    "load_wait_share",
    "speedup_bound",
    "step_share",
]

_SECTOR_BYTES = 32
_WARP_SIZE = 32
_VISIBLE = 1.05
SM_RESOURCES = (
    BoundBy.SHARED,
    BoundBy.FP32,
    BoundBy.FP64,
    BoundBy.FP16,
    BoundBy.INT,
    BoundBy.SPECIAL,
    BoundBy.TENSOR,
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


def bound_beyond_l1(bound: float | None) -> tuple[float | None, Severity | None]:
    """Return a bound and the severity that goes with it, for what also burdens L1.

    The model has no time for L1: where it sees no gain elsewhere, nothing bounds what fewer requests to L1 bring, and
    the finding is a note.
    """
    return (bound, None) if bound is not None and bound >= _VISIBLE else (None, Severity.NOTE)


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
        excess += access.requests * max(touched - ideal, 0.0) * _SECTOR_BYTES
        useful += access.requests * _WARP_SIZE * access.element_bytes
        share += access.share or 0.0
        footprint = max(footprint, access.footprint_bytes or 0.0)
    needed = min(useful, footprint)
    l2, dram = kernel.traffic.l2_bytes, kernel.traffic.dram(kernel.regime).total_bytes
    return {
        # What L1 keeps does not reach L2, but what is needed does at least once.
        BoundBy.L2: min(excess, max(l2 - needed, 0.0)) / l2 if l2 else 0.0,
        BoundBy.DRAM: max(share - needed / dram, 0.0) if dram else 0.0,
        BoundBy.LATENCY: load_wait_share(kernel, requests),
    }


def fill_savings(kernel: KernelReport, gpu: Gpu) -> dict[BoundBy, float]:
    """Return what goes away if the same work were spread over all SMs."""
    blocks = kernel.launch.blocks if kernel.launch is not None else gpu.sm_count
    idle = max(1.0 - blocks / gpu.sm_count, 0.0)
    return dict.fromkeys(SM_RESOURCES, idle)
