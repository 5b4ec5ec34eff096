"""Loop nests that one counter runs through although an inner bound depends on an outer variable.

The counter covers a box around the nest, and a branch leaves out what lies outside. How much of the box lies inside follows
from the bounds alone.
"""

from __future__ import annotations

from clang_queries.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class NestBound:
    """A bound as a linear function of the counter of one outer loop: registers with its values at both ends of that loop."""

    first: int
    last: int
    outer: int
    """Position of the outer loop in the nest."""

    @property
    def registers(self) -> tuple[int, ...]:
        """What it reads."""
        return self.first, self.last


@dataclass(frozen=True, slots=True)
class NestLoop:
    """One loop of the nest, outermost first."""

    trips: int
    """Register with its iterations in the box."""
    bounds: tuple[NestBound, NestBound] | None = None
    """Where it starts and ends, if that depends on an outer loop."""
    step: int = 1
    """Constant step, negative for loops that count down."""
    is_closed: bool = False
    """Whether the end belongs to it."""

    @property
    def registers(self) -> tuple[int, ...]:
        """What it reads."""
        if self.bounds is None:
            return (self.trips,)
        low, high = self.bounds
        return (self.trips, *low.registers, *high.registers)


@dataclass(frozen=True, slots=True)
class NestShape:
    """The box and what of it lies inside."""

    loops: tuple[NestLoop, ...]

    @property
    def registers(self) -> tuple[int, ...]:
        """What it reads: loop by loop."""
        return tuple(register for loop in self.loops for register in loop.registers)
