"""The lanes that are active."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass

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

    def totals(self, weight: NDArray[np.float64]) -> tuple[float, float]:
        """(threads, warps) of the launch that the active lanes stand for under a weight."""
        if self._weight is not weight:
            active = np.where(self.lanes, weight, 0.0)
            warps = (
                float(active.reshape(-1, 32).max(axis=1).sum())
                if len(active) >= 32
                else float(active.max())
            )
            self._totals = (float(active.sum()), warps)
            self._weight = weight
        return self._totals
