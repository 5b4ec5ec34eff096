"""Distinct elements of an array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["distinct"]


def distinct(values: NDArray[Any], axis: int | None = None) -> NDArray[Any]:
    """Return the distinct elements in rising order: single elements, or those along an axis.

    Counts are asked for and dropped: without them numpy looks whether the array is masked, and loads for that what it
    has of masked arrays, a tenth of the time of a short run.
    """
    return np.unique(values, axis=axis, return_counts=True)[0]
