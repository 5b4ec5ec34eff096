"""Loads of the coefficients of the math library, which no variable of the source stands for.

Sines and cosines in double precision choose between the polynomials of both by the quadrant, so their coefficients are not in
the code but in global memory, a row of 64 bytes for each polynomial. Read off SASS of nvcc 13.0 (three loads of 16 bytes) and of clang
18.1.6 with ptxas 12.6 (six of 8), every function of the library: `sincos` and all of single precision have both in the code. A warp whose angles
lie in different quadrants fetches a sector of either row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.instructions.graph.values import Value

__all__ = ["loads_coefficients"]

_FUNCTIONS = frozenset({"sin", "cos", "sinpi", "cospi"})


def loads_coefficients(value: Value) -> bool:
    """Whether a call of the library loads its coefficients."""
    return value.op is Op.MATH and value.scalar is Scalar.F64 and value.detail in _FUNCTIONS
