"""Words of a thread's local memory that no variable of the source stands for: what library functions keep there.

The reduction of large angles is a function of its own in NVIDIA's library, which gets a pointer to where the quadrant goes. clang leaves
that word in memory where it inlines the rest: each sine, cosine and tangent in double precision stores it, however small the angle, and
loads it again where the angle was large, which is not counted. Read off SASS of clang 18.1.6 and ptxas 12.6 (sm_90), every function of the
library; nvcc 13.0 keeps it in a register. Bessel functions do so for large arguments only, which are not modelled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.instructions.graph.values import Value
    from roofstat.instructions.weights import Weight

__all__ = ["FrameWords", "library_word"]

_QUADRANTS = frozenset({"sin", "cos", "tan", "sincos"})


@dataclass(frozen=True, slots=True)
class FrameWords:
    """What the threads of a launch do with such words."""

    size_bytes: int = 0
    """Of each thread."""
    stored: float = 0.0
    """Words, each by a warp at once."""


def library_word(value: Value) -> Weight | None:
    """How often a call of the library stores its word in memory where clang compiles it; None where it has none."""
    if value.op is not Op.MATH or value.scalar is not Scalar.F64 or value.detail not in _QUADRANTS:
        return None
    return value.context.effective_weight()
