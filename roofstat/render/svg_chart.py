"""A roofline chart as SVG: log-log, in colours that a page of any background shows."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence

from roofstat.render.quantities import intensity, quantity
from roofstat.render.roofline_spots import RooflineSpot
from roofstat.render.words import TYPE_NAMES, TYPE_UNITS
from roofstat.report import NumberType

__all__ = ["svg_roofline"]

_COLOURS = {
    NumberType.FP32: "#2e9e44",
    NumberType.FP64: "#3b7dd8",
    NumberType.FP16: "#b8860b",
    NumberType.INT: "#b455b4",
    NumberType.TENSOR: "#d9483b",
}
_WIDTH, _HEIGHT = 640, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 96, 72, 12, 44
# Room that the axes leave around what they show, in decades, and the most that the upright one shows.
_MARGIN = 0.4
_MOST_DECADES = 6
_LABEL_HEIGHT = 14


class _Axis:
    """A logarithmic axis from one place on the page to another."""

    def __init__(self, values: Sequence[float], begin: float, end: float) -> None:
        self._low = math.log10(min(values)) - _MARGIN
        self._high = math.log10(max(values)) + _MARGIN
        self._begin, self._end = begin, end

    @property
    def low(self) -> float:
        return float(10**self._low)

    @property
    def high(self) -> float:
        return float(10**self._high)

    def place(self, value: float) -> float:
        """Return where a value is, held within the axis."""
        share = (math.log10(value) - self._low) / (self._high - self._low)
        return self._begin + min(max(share, 0.0), 1.0) * (self._end - self._begin)

    def decades(self) -> Iterator[float]:
        """Give the powers of ten on the axis."""
        yield from (
            10.0**power for power in range(math.ceil(self._low), math.floor(self._high) + 1)
        )


def svg_roofline(bytes_per_s: float, spots: Sequence[RooflineSpot]) -> str:
    """Return a chart of the roofs and spots, at least one, under the slope of the DRAM bandwidth."""
    ridges = [spot.peak_op_per_s / bytes_per_s for spot in spots]
    x = _Axis([*ridges, *(spot.intensity for spot in spots)], _LEFT, _WIDTH - _RIGHT)
    highest = max(spot.peak_op_per_s for spot in spots)
    lowest = min(bytes_per_s * x.low, *(spot.op_per_s for spot in spots))
    heights = [highest, max(lowest, highest * 10.0**-_MOST_DECADES)]
    y = _Axis(heights, _HEIGHT - _BOTTOM, _TOP)
    parts = [*_grid(x, y)]
    labels: list[float] = []
    for spot in sorted(spots, key=lambda spot: -spot.peak_op_per_s):
        parts += _roof(bytes_per_s, spot, x, y)
        level = max([y.place(spot.peak_op_per_s), *(label + _LABEL_HEIGHT for label in labels)])
        labels.append(level)
        parts.append(
            f'<text x="{_WIDTH - _RIGHT + 6}" y="{level + 4:.1f}" fill="{_COLOURS[spot.kind]}">'
            f"{TYPE_NAMES[spot.kind]}</text>"
        )
    parts += [_mark(spot, x, y) for spot in spots]
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="Roofline">'
        f"{''.join(parts)}</svg>"
    )


def _grid(x: _Axis, y: _Axis) -> Iterator[str]:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    for value in x.decades():
        at = f"{x.place(value):.1f}"
        yield f'<path class="grid" d="M{at} {_TOP}V{bottom}"/>'
        yield f'<text x="{at}" y="{bottom + 16}" text-anchor="middle">{value:g}</text>'
    for value in y.decades():
        level = y.place(value)
        yield f'<path class="grid" d="M{_LEFT} {level:.1f}H{right}"/>'
        name = quantity(value, "op/s")
        yield f'<text x="{_LEFT - 6}" y="{level + 4:.1f}" text-anchor="end">{name}</text>'
    middle = (_LEFT + right) / 2
    yield f'<text x="{middle}" y="{_HEIGHT - 8}" text-anchor="middle">op/byte</text>'


def _roof(bytes_per_s: float, spot: RooflineSpot, x: _Axis, y: _Axis) -> Iterator[str]:
    ridge = spot.peak_op_per_s / bytes_per_s
    begin = max(x.low, y.low / bytes_per_s)
    points = [
        (begin, bytes_per_s * begin),
        (ridge, spot.peak_op_per_s),
        (x.high, spot.peak_op_per_s),
    ]
    path = "L".join(f"{x.place(at):.1f} {y.place(rate):.1f}" for at, rate in points)
    yield f'<path class="roof" stroke="{_COLOURS[spot.kind]}" d="M{path}"/>'


def _mark(spot: RooflineSpot, x: _Axis, y: _Axis) -> str:
    rate = quantity(spot.op_per_s, f"{TYPE_UNITS[spot.kind]}/s")
    title = html.escape(f"{TYPE_NAMES[spot.kind]}: {intensity(spot.intensity)} op/byte, {rate}")
    return (
        f'<circle cx="{x.place(spot.intensity):.1f}" cy="{y.place(spot.op_per_s):.1f}" r="5" '
        f'fill="{_COLOURS[spot.kind]}"><title>{title}</title></circle>'
    )
