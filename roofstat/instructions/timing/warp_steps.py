"""What the time of a warp is made of."""

from __future__ import annotations

from enum import Enum

__all__ = ["WarpStep"]


class WarpStep(Enum):
    """What the clocks of a warp are spent on."""

    __hash__ = (
        object.__hash__
    )  # members are looked up for every instruction: skip the hash of the name

    ISSUE = "issue"
    LOAD = "load"
    """Waits for loads from global memory, atomics and textures."""
    SHARED = "shared"
    """Waits for loads from shared, constant and local memory, shuffles, votes and matrix instructions."""
    FUNCTION = "function"
    """Waits for divisions, special functions and conversions."""
    ARITHMETIC = "arithmetic"
    BARRIER = "barrier"
