"""The lanes that are active."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware.units import WARP_SIZE

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(slots=True, eq=False)
class Mask:
    """A set of active lanes."""

    lanes: NDArray[np.bool_]
    is_full: bool = False
    """All existing lanes are active."""
    _weight: NDArray[np.float64] | None = None
    _totals: tuple[float, float] = (0.0, 0.0)
    _diverges: bool | None = None
    _first: int | None = None
    _rows: slice | NDArray[np.intp] | None = None
    _leaders: tuple[NDArray[np.intp], NDArray[np.intp]] | None = None
    _shares: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None

    @property
    def first(self) -> int:
        """Number of the first active lane; 0 where there is none."""
        if self._first is None:
            self._first = int(self.lanes.argmax())
        return self._first

    @property
    def is_empty(self) -> bool:
        """Whether no lane is active."""
        return not self.lanes[self.first]

    @property
    def rows(self) -> slice | NDArray[np.intp]:
        """What takes the active lanes out of an array: quicker than the lanes themselves, and found once."""
        if self._rows is None:
            self._rows = slice(None) if self.lanes.all() else np.flatnonzero(self.lanes)
        return self._rows

    @property
    def leaders(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """(warp, lane in it) of the first active lane of each warp."""
        if self._leaders is None:
            active = self.lanes.reshape(-1, WARP_SIZE)
            self._leaders = np.arange(len(active)), active.argmax(axis=1)
        return self._leaders

    def shares(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights of the active lanes; not to be written to."""
        if self._shares is None or self._shares[0] is not weight:
            self._shares = weight, weight[self.rows]
        return self._shares[1]

    def totals(self, weight: NDArray[np.float64]) -> tuple[float, float]:
        """(threads, warps) of the launch that the active lanes stand for under a weight."""
        if self._weight is not weight:
            active = np.where(self.lanes, weight, 0.0)
            warps = (
                float(active.reshape(-1, WARP_SIZE).max(axis=1).sum())
                if len(active) >= WARP_SIZE
                else float(active.max())
            )
            self._totals = (float(active.sum()), warps)
            self._weight = weight
        return self._totals

    @property
    def diverges(self) -> bool:
        """Whether most warps are there in part, the tails of guards apart."""
        if self._diverges is None:
            rows = self.lanes.reshape(-1, WARP_SIZE)
            busy = rows.any(axis=1)
            self._diverges = bool(busy.any() and rows[busy].all(axis=1).mean() < 0.5)
        return self._diverges
