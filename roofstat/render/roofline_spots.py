"""Where a kernel stands under the roofs of a card, for charts of any kind."""

from __future__ import annotations

import math

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware import Gpu
from roofstat.render.words import types_in_use
from roofstat.report import KernelReport, NumberType

__all__ = ["RooflineSpot", "roofline_spots"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RooflineSpot:
    """The place of one type of arithmetic.

    Attributes:
        kind: The type.
        peak_op_per_s: Height of its roof.
        intensity: Operations for each byte of DRAM traffic, above 0.
        op_per_s: Rate that the modelled time gives, above 0.
    """

    kind: NumberType
    peak_op_per_s: float
    intensity: float
    op_per_s: float


def roofline_spots(kernel: KernelReport, gpu: Gpu) -> list[RooflineSpot]:
    """Return the places of the types in use that have one."""
    seconds = kernel.modelled_time_s
    spots: list[RooflineSpot] = []
    if not seconds:
        return spots
    for kind in types_in_use(kernel):
        value, ridge = kernel.intensity.get(kind), kernel.ridge.get(kind)
        amount = kernel.counts.of(kind)
        if not value or not ridge or not amount or not math.isfinite(value):
            continue
        if not 0 < amount / seconds < math.inf:
            continue  # amounts at the ends of the number range have no place on a chart
        spots.append(
            RooflineSpot(
                kind=kind,
                peak_op_per_s=ridge * gpu.dram_bytes_per_s,
                intensity=value,
                op_per_s=amount / seconds,
            )
        )
    return spots
