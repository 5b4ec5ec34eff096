"""Numbers of elements that nothing states, as far as the launches of a program tell them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofstat.execution.numbers.values import Unknown

__all__ = ["UnknownSizes"]


class UnknownSizes:
    """What launches say of unknown numbers, for the arguments of later ones that are made of the same numbers."""

    def __init__(self) -> None:
        self._roots: dict[int, int] = {}
        self._stated: set[int] = set()
        self._shared: list[tuple[list[Unknown], float]] = []

    def state(self, value: Unknown, size: int) -> None:
        """Take a number as what a stated launch says, and with it the number that it is a quotient of: the largest possible."""
        assert isinstance(value.offset, int)
        root = round((size - value.offset) / value.scale)
        self._roots[value.key] = root
        self._stated.add(value.key)
        if value.quotient_of is not None:
            whole, divisor = value.quotient_of
            if isinstance(whole.offset, int) and whole.scale:
                self.state(whole, root * divisor + divisor - 1)

    def is_stated(self, value: Unknown) -> bool:
        """Whether a stated launch says what a number is."""
        return value.key in self._stated

    def bounds(self, value: Unknown, extent: int) -> None:
        """Take a number as the extent of an index that it bounds alone; of several launches the closest fit."""
        assert isinstance(value.offset, int)
        root = round((extent - value.offset) / value.scale)
        known = self._roots.get(value.key)
        if value.key in self._stated:
            return
        if known is None or known // 2 < root < known:
            self._roots[value.key] = root

    def share(self, values: Sequence[Unknown], extent: float) -> None:
        """Remember numbers the product of which is the extent of an index."""
        self._shared.append((list(values), extent))

    def bounding(self, value: Unknown) -> int | None:
        """A number that bounds an index alone, in some launch so far."""
        assert isinstance(value.offset, int)
        root = self._roots.get(value.key)
        return None if root is None else root * value.scale + value.offset

    def value(self, value: Unknown) -> int | None:
        """A number that bounds an index alone, or together with others: these share what the former leave of it."""
        alone = self.bounding(value)
        if alone is not None:
            return alone
        for members, extent in self._shared:
            for member in members:
                if member.key == value.key:
                    assert isinstance(member.offset, int)
                    assert isinstance(value.offset, int)
                    stated = [size for other in members if (size := self.bounding(other))]
                    rest = extent / max(math.prod(stated), 1)
                    factor: float = max(rest ** (1 / (len(members) - len(stated))), 1.0)
                    root = round((factor - member.offset) / member.scale)
                    return root * value.scale + value.offset
        return None
