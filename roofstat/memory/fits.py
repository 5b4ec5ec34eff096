"""What is known of the addresses of a site: strides along the coordinates, and what they leave open."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware.units import SECTOR_BYTES, WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Collection

BLOCK_AXIS = 3
LOOP_AXIS = 6
"""Axes 0 to 2 are threadIdx, 3 to 5 blockIdx; loop number n is axis `LOOP_AXIS + n`."""
_LEAST_PHASE = 4
"""Bytes; finer alignments than this make no difference worth the work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedAxis:
    """Addresses step by `stride_bytes` along this coordinate, `extent` times."""

    axis: int
    stride_bytes: int
    """Magnitude of the distance between neighbours that are both active."""
    slope: int
    """Bytes for a coordinate that is greater by 1."""
    step: int
    """Distance of the coordinates that are active: 2 where only every second thread works."""
    first: int
    """Smallest coordinate seen active."""
    extent: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """What the affine axes do not explain."""

    low: int
    high: int
    """Range of first bytes after the affine part is removed; `high` is inclusive."""
    granule_bytes: int
    """Greatest common divisor of the differences; 0 where all are equal."""
    axes: tuple[int, ...]
    """Coordinates that it depends on."""
    unseen_factor: float
    """By how much the range may be larger: blocks of the launch over blocks between the outermost sampled ones."""
    is_random: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitIndex:
    """A linear index over threads, blocks and perhaps a loop that is divided by a period."""

    inner_bytes: int
    """Stride of the remainder."""
    outer_bytes: int
    """Stride of the quotient."""
    period: int
    parts: tuple[tuple[int, float], ...]
    """(axis, extent) of the coordinates that make up the index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrappedIndex:
    """A linear index over coordinates of which the remainder counts."""

    period_bytes: int
    start_bytes: int
    """Its value where all its coordinates are the first that were seen active."""
    parts: tuple[tuple[int, int, float], ...]
    """(axis, step in bytes, extent) of its coordinates; steps are not negative and less than the period."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Address = origin + sum of stride * (coordinate - first) + those of a split and a wrapped index + a value of the core."""

    origin: int
    axes: tuple[FittedAxis, ...]
    core: Core | None
    jitter_bytes: int = 0
    """By how much addresses leave the affine function; only what makes no difference to the footprint."""
    split: SplitIndex | None = None
    wrapped: WrappedIndex | None = None

    @property
    def is_exact(self) -> bool:
        """Whether the axes alone give every address."""
        return self.is_linear and not self.jitter_bytes

    @property
    def is_linear(self) -> bool:
        """Whether the axes alone give every address, but for the jitter."""
        return self.core is None and self.split is None and self.wrapped is None

    @property
    def block_axes(self) -> frozenset[int]:
        """Grid axes that the address depends on."""
        used = {axis.axis for axis in self.axes}
        if self.split is not None:
            used |= {axis for axis, _ in self.split.parts}
        if self.wrapped is not None:
            used |= {axis for axis, _, _ in self.wrapped.parts}
        if self.core is not None and not self.core.is_random:
            used |= set(self.core.axes)
        return frozenset(axis for axis in used if BLOCK_AXIS <= axis < LOOP_AXIS)

    def stride(self, axis: int) -> int | None:
        """Stride along a coordinate; 0 where the address does not depend on it, None where it does not fit."""
        if self.core is not None and axis in self.core.axes:
            return None
        if self.wrapped is not None and axis in (part for part, _, _ in self.wrapped.parts):
            return None
        if self.split is not None and axis in (part for part, _ in self.split.parts):
            return self.split.inner_bytes if axis == 0 else None
        return next((fitted.slope for fitted in self.axes if fitted.axis == axis), 0)


def phase_bytes(fit: Fit, block: tuple[int, int, int], loops_seen: Collection[int] = ()) -> int:
    """Return the unit of the alignment within a sector that warps have over the launch; a sector where all agree.

    Only exact affine fits tell; for others the samples have to do.

    Args:
        fit: Of the addresses.
        block: Threads of a block.
        loops_seen: Axes of loops all iterations of which are among the samples, which have their alignments.
    """
    if not fit.is_exact:
        return SECTOR_BYTES
    lanes_inside = (1, block[0], block[0] * block[1])
    unit = SECTOR_BYTES
    for axis in fit.axes:
        if axis.axis in loops_seen:
            continue
        # Along the axes of a warp, warps are as many coordinates apart as fit into one.
        apart = max(1, WARP_SIZE // lanes_inside[axis.axis]) if axis.axis < 3 else 1
        unit = math.gcd(unit, axis.slope * apart)
    # Elements are aligned to their size; smaller shifts would tear them.
    return unit if unit >= _LEAST_PHASE else SECTOR_BYTES
