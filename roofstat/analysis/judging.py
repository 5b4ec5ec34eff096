"""Puts a kernel's place on the roofline into its report."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roofstat.report import KernelReport, TrafficRegime
    from roofstat.roofline import Placement


def judged(
    report: KernelReport, placements: Mapping[TrafficRegime, Placement], *, highest: float = 1.0
) -> KernelReport:
    """The report with its verdicts in both regimes and all that its own regime says.

    Args:
        report: Of a kernel that is not judged yet.
        placements: Its place in each regime.
        highest: The most that the verdict may claim.
    """
    chosen = placements[report.regime]
    return replace(
        report,
        verdicts={regime: placement.verdict for regime, placement in placements.items()},
        intensity=chosen.intensity,
        intensity_interval=chosen.intensity_interval,
        ridge=chosen.ridge,
        verdict=chosen.verdict,
        limiter=chosen.limiter,
        bound_by=chosen.bound_by,
        confidence=min(chosen.confidence, highest),
        highest_confidence=highest,
        times_s=chosen.times_s,
        attainable_time_s=chosen.attainable_time_s,
        modelled_time_s=chosen.modelled_time_s,
    )
