"""What is known of the bytes of an allocation: single cells, and fills summarised from loops."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.execution.arithmetic import new_key
from roofstat.execution.values import DTYPES, Unknown, Value, number_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_CELLS = 20_000
"""Cells beyond this number are forgotten (the allocation then counts as unknown there)."""


class Pattern(Enum):
    """How the elements of a fill vary."""

    CONSTANT = "constant"
    AFFINE = "affine"
    RANDOM = "random"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """Elements at ``start + sum(i_k * stride_k)`` for ``0 <= i_k < count_k``."""

    start: int
    """Offset in bytes of the first element."""
    dims: tuple[tuple[int, int], ...]
    """(stride in bytes, count), outermost first; strides positive."""
    scalar: Scalar
    pattern: Pattern
    first: int | float = 0
    """Value of the first element (CONSTANT, AFFINE)."""
    steps: tuple[float, ...] = ()
    """Change of the value along each dim (AFFINE)."""
    low: int | float | None = None
    high: int | float | None = None
    """Inclusive bounds (RANDOM, UNKNOWN where known)."""
    key: int = 0
    """Identity of the random contents."""

    @property
    def end(self) -> int:
        """Offset just past the last element."""
        return (
            self.start
            + sum(stride * (count - 1) for stride, count in self.dims)
            + self.scalar.size_bytes
        )


@dataclass(slots=True, eq=False)
class Contents:
    """Cells win over fills, later fills over earlier ones, fills over `initial`."""

    initial: Value | None = None
    cells: dict[int, tuple[Scalar, Value]] = field(default_factory=dict)
    fills: list[Fill] = field(default_factory=list)
    key: int = 0
    is_lost: bool = False

    def copy(self) -> Contents:
        """An independent copy (cudaMemcpy)."""
        return Contents(self.initial, dict(self.cells), list(self.fills), self.key, self.is_lost)

    def forget(self) -> None:
        """Everything may have changed."""
        self.cells.clear()
        self.fills.clear()
        self.initial = None
        self.key = 0
        self.is_lost = True

    def store(self, offset: int, scalar: Scalar, value: Value) -> None:
        """Remember one element."""
        if len(self.cells) >= MAX_CELLS and offset not in self.cells:
            self.is_lost = True
            return
        self.cells[offset] = (scalar, value)

    def add_fill(self, fill: Fill) -> None:
        """Remember a summarised loop; cells inside its range are overwritten."""
        if self.cells:
            kept = {at: cell for at, cell in self.cells.items() if not fill.start <= at < fill.end}
            self.cells = kept
        self.fills = [
            old for old in self.fills if not (fill.start <= old.start and old.end <= fill.end)
        ]
        self.fills.append(fill)

    def identity(self) -> int:
        """Key of the unknown contents; drawn once."""
        if self.key == 0:
            self.key = new_key()
        return self.key

    def load(
        self, offset: int | NDArray[np.int64], scalar: Scalar, buffer: int, reason: str
    ) -> Value:
        """The value of the element at `offset` (one for each lane when an array)."""
        if isinstance(offset, int):
            return self._load_one(offset, scalar, buffer, reason)
        if self.cells:
            from_cells = self._load_cells(offset, scalar)
            if from_cells is not None:
                return from_cells
        for fill in reversed(self.fills):
            if np.any((offset >= fill.start) & (offset < fill.end)):
                return _evaluate(fill, offset, scalar, buffer, reason)
        if isinstance(self.initial, int | float) and not self.is_lost and not self.cells:
            return number_of(self.initial, scalar)
        return Unknown(
            self.identity(),
            reason=reason,
            is_float=scalar.is_float,
            origin=buffer,
            lane_index=offset,
        )

    def _load_one(self, offset: int, scalar: Scalar, buffer: int, reason: str) -> Value:
        cell = self.cells.get(offset)
        if cell is not None:
            stored, value = cell
            if stored is scalar or stored.size_bytes == scalar.size_bytes:
                return value
        for fill in reversed(self.fills):
            if fill.start <= offset < fill.end:
                lane = _evaluate(fill, np.array([offset]), scalar, buffer, reason)
                if isinstance(lane, np.ndarray):
                    return lane[0].item()
                return lane
        if isinstance(self.initial, int | float) and not self.is_lost:
            return number_of(self.initial, scalar)
        return Unknown(
            self.identity() * 1_000_003 + offset,
            uniform=True,
            reason=reason,
            is_float=scalar.is_float,
            origin=buffer,
        )

    def _load_cells(self, offset: NDArray[np.int64], scalar: Scalar) -> Value | None:
        """All lanes from cells, where every one is a known number."""
        unique = np.unique(offset)
        if len(unique) > 4096:
            return None
        found: dict[int, int | float] = {}
        for at in unique.tolist():
            cell = self.cells.get(at)
            if cell is None or not isinstance(cell[1], int | float):
                return None
            found[at] = cell[1]
        table = np.array([number_of(found[at], scalar) for at in unique.tolist()], DTYPES[scalar])
        result: NDArray[np.generic] = table[np.searchsorted(unique, offset)]
        return result


def _evaluate(
    fill: Fill, offset: NDArray[np.int64], scalar: Scalar, buffer: int, reason: str
) -> Value:
    if fill.pattern is Pattern.CONSTANT:
        return number_of(fill.first, scalar)
    if fill.pattern is Pattern.AFFINE:
        rest = offset - fill.start
        value: NDArray[np.float64] = np.full(len(offset), float(fill.first))
        for (stride, count), step in zip(fill.dims, fill.steps, strict=True):
            index = np.clip(rest // stride, 0, count - 1)
            rest = rest - index * stride
            value = value + index * step
        return (
            value.astype(DTYPES[scalar])
            if scalar.is_float
            else np.round(value).astype(np.int64).astype(DTYPES[scalar])
        )
    bounded = not scalar.is_float and fill.low is not None and fill.high is not None
    return Unknown(
        fill.key,
        low=int(fill.low) if bounded and fill.low is not None else None,
        high=int(fill.high) if bounded and fill.high is not None else None,
        reason=reason,
        is_float=scalar.is_float,
        origin=buffer,
        lane_index=offset,
    )
