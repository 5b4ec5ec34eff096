"""Numbers that a host loop scatters over an array, each iteration its own: a counting sort that puts indices in order.

An iteration that stands for others stores its own number alone. Once the loop is over, every number between the first and
the last one is somewhere.
"""

from __future__ import annotations

from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import number_of
from roofstat.execution.stored.fill import Fill, Pattern

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clang_queries.ir.types import Scalar
    from roofstat.execution.loops.run_state import LoopRun
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.stored.address_space import MemoryObject

_FEWEST_ITERATIONS = 4
"""Fewer numbers are no row."""
_FEWEST_ELEMENTS = 64
"""Of smaller arrays single elements matter."""
_LEAST_SHARE = 0.7
"""Where fewer elements are stored to, what the others hold is not left out."""


@dataclass(slots=True, eq=False)
class ScatteredNumbers:
    """What one store in a loop has put into elements that nobody knows."""

    found: MemoryObject
    scalar: Scalar
    numbers: dict[int, int] = field(default_factory=dict)
    """The number of each iteration that ran."""
    times: float = 0.0
    is_of_iteration: bool = True
    """Whether each iteration has stored one number only, which was known."""

    def add(self, iteration: int | NDArray[np.int64], value: Value, times: float) -> None:
        """The store is about to be made so many times."""
        self.times += times
        if isinstance(iteration, int) and isinstance(value, int):
            self.is_of_iteration &= self.numbers.setdefault(iteration, value) == value
        else:
            self.is_of_iteration = False

    def settle(self, bodies: int) -> None:
        """After the loop: any of the numbers in between may be anywhere, where they rise or fall with the iterations."""
        contents, size = self.found.contents, self.found.buffer.size_bytes or 0
        elements = size // self.scalar.size_bytes
        if not self.is_of_iteration or elements < _FEWEST_ELEMENTS:
            return
        if len(self.numbers) < _FEWEST_ITERATIONS or self.times < _LEAST_SHARE * elements:
            return
        points = sorted(self.numbers.items())
        steps = {np.sign(after - before) for (_, before), (_, after) in pairwise(points)}
        if steps not in ({1}, {-1}):
            return
        (start, first), (end, number) = points[0], points[-1]
        last = first + (number - first) * (bodies - 1 - start) / (end - start)
        contents.forget()
        contents.is_lost = False
        contents.add_fill(
            Fill(
                start=0,
                dims=((self.scalar.size_bytes, elements),),
                scalar=self.scalar,
                pattern=Pattern.RANDOM,
                low=number_of(min(first, round(last)), self.scalar),
                high=number_of(max(first, round(last)), self.scalar),
                even_share=1.0,
                is_order=True,
                key=new_key(),
            )
        )


def settle_scattered(run: LoopRun) -> None:
    """After a host loop that was not run in full: the contents of the arrays that it has scattered its numbers over."""
    if run.is_extrapolated:
        for scattered in run.entry.scattered.values():
            scattered.settle(run.bodies)
