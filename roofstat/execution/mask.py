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
