"""A roofline chart in text: log-log, roofs drawn in braille dots, kernels as marks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from clang_queries.quick_dataclass import dataclass

__all__ = ["Mark", "Roof", "roofline_chart"]

# Dot numbers of a braille cell, by column and row within the cell.
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
_BLANK = 0x2800


@dataclass(frozen=True, slots=True, kw_only=True)
class Roof:
    """A horizontal roof.

    Attributes:
        name: Label.
        peak_op_per_s: Its height.
    """

    name: str
    peak_op_per_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A kernel's place.

    Attributes:
        glyph: One character.
        intensity: Operations for each byte, above 0.
        op_per_s: Height, above 0.
    """

    glyph: str
    intensity: float
    op_per_s: float


@dataclass(frozen=True, slots=True)
class _Axis:
    """A logarithmic axis; the ends are exponents of ten."""

    low: float
    high: float
    cells: int

    def position(self, value: float) -> float:
        """Return the place of a value in cells from the low end."""
        return (math.log10(value) - self.low) / (self.high - self.low) * self.cells

    def cell(self, value: float) -> int:
        """Return the cell that holds a value, or the nearest one."""
        return min(max(math.floor(self.position(value)), 0), self.cells - 1)

    def value(self, position: float) -> float:
        """Return the value at a place."""
        return float(10 ** (self.low + position / self.cells * (self.high - self.low)))

    def decades(self) -> range:
        """Return the exponents of the whole decades on the axis."""
        return range(math.ceil(self.low), math.floor(self.high) + 1)


_GUTTER = 6
_SUFFIXES = ("", "k", "M", "G", "T", "P", "E")
# Room that the axes leave around what they show, in decades.
_X_MARGIN = 0.5
_Y_MARGIN = 0.2
_Y_DECADES = 6


def roofline_chart(
    bytes_per_s: float, roofs: Sequence[Roof], marks: Sequence[Mark], *, width: int, height: int
) -> list[str]:
    """Return the lines of a chart of at most `width` columns and `height` rows, axis labels included.

    Args:
        bytes_per_s: DRAM bandwidth: the slope.
        roofs: Peaks of the types in use, at least one.
        marks: Where the kernel is, for each type.
        width: Columns.
        height: Rows.
    """
    label_width = max(len(roof.name) for roof in roofs) + 1
    x_values = [roof.peak_op_per_s / bytes_per_s for roof in roofs]
    x_values += [mark.intensity for mark in marks]
    x_axis = _axis(x_values, max(width - _GUTTER - label_width, 8), _X_MARGIN)
    highest = max(roof.peak_op_per_s for roof in roofs)
    lowest = min(bytes_per_s * 10.0**x_axis.low, *(mark.op_per_s for mark in marks))
    y_axis = _axis(
        [highest, max(lowest, highest * 10.0**-_Y_DECADES)], max(height - 2, 3), _Y_MARGIN
    )
    cells = _roof_cells(bytes_per_s, roofs, x_axis, y_axis)
    for mark in marks:
        cells[x_axis.cell(mark.intensity), y_axis.cell(mark.op_per_s)] = mark.glyph
    labels = _y_labels(y_axis)
    names = _roof_names(roofs, y_axis)
    lines = []
    for row in reversed(range(y_axis.cells)):
        body = "".join(cells.get((column, row), " ") for column in range(x_axis.cells))
        line = f"{labels.get(row, ''):>{_GUTTER - 1}}{'┤' if row in labels else '│'}{body}"
        lines.append(f"{line} {names[row]}" if row in names else line.rstrip())
    return [*lines, *_x_axis_lines(x_axis)]


def _axis(values: Sequence[float], cells: int, margin: float) -> _Axis:
    low = math.log10(min(values)) - margin
    high = math.log10(max(values)) + margin
    return _Axis(low, high, cells)


def _roof_cells(
    bytes_per_s: float, roofs: Sequence[Roof], x_axis: _Axis, y_axis: _Axis
) -> dict[tuple[int, int], str]:
    bits: dict[tuple[int, int], int] = {}
    for roof in roofs:
        for dot in range(2 * x_axis.cells):
            value = x_axis.value((dot + 0.5) / 2)
            level = y_axis.position(min(roof.peak_op_per_s, bytes_per_s * value))
            if not 0 <= level < y_axis.cells:
                continue
            up = int(level * 4)
            cell = (dot // 2, up // 4)
            bits[cell] = bits.get(cell, 0) | _DOTS[dot % 2][3 - up % 4]
    return {cell: chr(_BLANK + dots) for cell, dots in bits.items()}


def _roof_names(roofs: Sequence[Roof], axis: _Axis) -> Mapping[int, str]:
    names: dict[int, str] = {}
    for roof in sorted(roofs, key=lambda roof: -roof.peak_op_per_s):
        row = axis.cell(roof.peak_op_per_s)
        while row in names and row > 0:
            row -= 1
        names[row] = roof.name
    return names


def _y_labels(axis: _Axis) -> Mapping[int, str]:
    return {axis.cell(10.0**decade): _rate_label(decade) for decade in axis.decades()}


def _rate_label(decade: int) -> str:
    if decade < 0:
        return f"1e{decade}"
    step = min(decade // 3, len(_SUFFIXES) - 1)
    return f"{10 ** (decade - 3 * step)}{_SUFFIXES[step]}"


def _x_axis_lines(axis: _Axis) -> list[str]:
    line = ["─"] * axis.cells
    labels = [" "] * (axis.cells + _GUTTER)
    free_from = 0
    for decade in axis.decades():
        column = axis.cell(10.0**decade)
        line[column] = "┬"
        text = f"{10.0**decade:g}"
        start = max(column - len(text) // 2, 0)
        if start >= free_from:
            labels[start : start + len(text)] = text
            free_from = start + len(text) + 1
    pad = " " * (_GUTTER - 1)
    return [f"{pad}└{''.join(line)}", f"{pad} {''.join(labels)}".rstrip()]
