"""What arrays of a thread hold: every element of every lane, as far as all that was stored there is known.

Small problems that each thread solves for itself (matrices, stacks, sorted windows) live in such arrays, and loops over
them end by what they hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roofstat.execution.numbers.values import DTYPES, Mixed, Unknown, number_of, to_array

if TYPE_CHECKING:
    from clang_queries.ir.types import Scalar
    from roofstat.execution.mask import Mask
    from roofstat.execution.numbers.values import Value

LARGEST_BYTES = 1024
"""Larger arrays of a thread are not kept element by element."""
_UNIT_BYTES = 8
_Places = tuple[int | NDArray[np.int64], slice | NDArray[np.intp], int | NDArray[np.int64]]
_WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


class LaneMemory:
    """The bytes of an array that every lane has for itself; those that nobody knows are marked."""

    def __init__(self, size_bytes: int, lanes: int) -> None:
        self._lanes = lanes
        # Element by element all lanes lie side by side: most accesses go to one element.
        units = -(-size_bytes // _UNIT_BYTES)
        self._bytes = np.zeros((units, lanes, _UNIT_BYTES), np.uint8)
        self._known = np.zeros((units, lanes, _UNIT_BYTES), np.uint8)
        """255 for each byte that is known."""
        self._is_blank = True
        self.last = 0
        """Number of the last store among all stores of the run."""

    def forget(self) -> None:
        """Everything may have changed."""
        if not self._is_blank:
            self._known[:] = 0
            self._is_blank = True

    def clear(self) -> None:
        """All of it is zero."""
        self._bytes[:] = 0
        self._known[:] = 255
        self._is_blank = False

    def store(
        self,
        offset: int | NDArray[np.int64],
        scalar: Scalar,
        value: Value,
        mask: Mask,
    ) -> None:
        """Active lanes store a value at their offsets."""
        if self._is_blank and isinstance(value, Unknown):
            return
        at = self._places(offset, scalar, mask)
        if at is None:
            self.forget()
            return
        rows = mask.rows
        self._is_blank = False
        known = self._known.view(_WORDS[scalar.size_bytes])
        if isinstance(value, Unknown):
            known[at] = 0
            return
        everything = known.dtype.type(np.iinfo(known.dtype).max)
        if isinstance(value, Mixed):
            known[at] = np.where(value.known[rows], everything, known.dtype.type(0))
            numbers = to_array(value.values, scalar, self._lanes)[rows]
        elif isinstance(value, np.ndarray):
            known[at] = everything
            numbers = to_array(value, scalar, self._lanes)[rows]
        else:
            known[at] = everything
            numbers = np.asarray(number_of(value, scalar), DTYPES[scalar])
        self._bytes.view(DTYPES[scalar])[at] = numbers

    def load(
        self, offset: int | NDArray[np.int64], scalar: Scalar, mask: Mask
    ) -> NDArray[np.generic] | None:
        """What active lanes find; None where not all of it is known."""
        at = None if self._is_blank else self._places(offset, scalar, mask)
        if at is None:
            return None
        known = self._known.view(_WORDS[scalar.size_bytes])[at]
        if not (known == np.iinfo(known.dtype).max).all():
            return None
        found = np.zeros(self._lanes, DTYPES[scalar])
        found[mask.rows] = self._bytes.view(DTYPES[scalar])[at]
        return found

    def _places(
        self, offset: int | NDArray[np.int64], scalar: Scalar, mask: Mask
    ) -> _Places | None:
        """Indices of the elements of active lanes; None for places outside, or across elements."""
        size = scalar.size_bytes
        if size not in _WORDS or DTYPES[scalar].itemsize != size:
            return None
        end = len(self._bytes) * _UNIT_BYTES - size
        each = _UNIT_BYTES // size
        if isinstance(offset, int):
            if not 0 <= offset <= end or offset % size:
                return None
            element = offset // size
            return element // each, mask.rows, element % each
        places = offset[mask.rows]
        if not len(places) or places.min() < 0 or places.max() > end or (places % size).any():
            return None
        elements = places // size
        lanes = mask.rows if isinstance(mask.rows, np.ndarray) else np.arange(self._lanes)
        return elements // each, lanes, elements % each
