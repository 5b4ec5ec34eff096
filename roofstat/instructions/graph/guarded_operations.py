"""Operations that stay behind the condition that guards them in a loop, where what they work on is there before the loop.

Compilers move what may run for nothing: quotients by constants, all that is one instruction or a few in a row. Read off SASS of own loops
`if (p[k] > 0) o[k * 128 + t] = f(x)` with 170 functions and divisions (nvcc 13.0 for sm_90, clang 18.1.6 for sm_86). Nvcc inlines
its library with branches in it, which stay; clang's are choices by then, but for those that loop, call or are very long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.instructions.graph.values import AnyOp, Value

_IN_A_ROW = frozenset(
    {
        *("sqrt", "rsqrt", "floor", "ceil", "trunc", "rint", "round", "nearbyint"),
        *("abs", "min", "max", "fdim", "copysign", "fma", "less"),
        *("popc", "clz", "ffs", "brev", "mulhi"),
    }
)
"""Functions that nvcc moves, beside intrinsics and conversions."""
_SINGLE_IN_A_ROW = frozenset({"exp2"})
_FAST = frozenset({"exp", "exp10", "log", "log2", "log10", "sin", "cos", "tan", "pow", "tanh"})
"""Functions of single precision that fast math makes intrinsics."""
_FAST_DIVISION = "__fdividef"
"""Of a constant it stays: own loops with stores, sums and atomics, in nests and not."""
_ASSEMBLY = ("__dp4a", "__dp2a")
_PARTED = {
    Scalar.F32: frozenset(
        {
            *("sin", "cos", "tan", "sincos", "fmod", "remainder", "tgamma", "lgamma"),
            *("tanh", "erf", "erfinv", "asin", "atan", "j0", "j1", "y0", "y1"),
        }
    ),
    Scalar.F64: frozenset(
        {
            *("log", "log2", "log10", "log1p", "sin", "cos", "tan", "sincos", "atan", "pow"),
            *("acosh", "asinh", "atanh", "tgamma", "lgamma", "erfinv", "fmod", "remainder"),
            *("j0", "j1", "y0", "y1"),
        }
    ),
}
"""Functions that clang leaves where they are."""


def stays_guarded(
    op: AnyOp,
    scalar: Scalar,
    args: tuple[Value, ...],
    detail: object,
    *,
    moves_library: bool,
    fast_math: bool,
) -> bool:
    """Whether an operation stays behind a condition in a loop that it does not depend on.

    Args:
        op: The operation.
        scalar: Its type.
        args: Its operands.
        detail: The function of a MATH.
        moves_library: Whether library functions move (clang).
        fast_math: Whether single precision is `-use_fast_math`.
    """
    if op in {Op.DIV, Op.REM}:
        if scalar.is_float:
            return op is Op.REM
        # A divisor may be zero; the assembler moves words all the same where clang left one instruction.
        is_word = scalar.size_bytes <= _WORD_BYTES
        return not (args[1].is_constant or (moves_library and is_word))
    if op is not Op.MATH:
        return False
    name = str(detail).removesuffix(".second")
    if scalar is Scalar.F32 and not name.startswith("__") and name not in _IN_A_ROW:
        name = name.removesuffix("f")
    if name == "abs" and scalar.is_float:
        return True  # part of what takes it
    if moves_library:
        return name in _PARTED.get(scalar, ())
    is_fast = scalar is Scalar.F32 and (name in _SINGLE_IN_A_ROW or (fast_math and name in _FAST))
    is_intrinsic = name.startswith(("__", "to_")) and not name.startswith(_ASSEMBLY)
    if name == _FAST_DIVISION and args[0].is_constant:
        return True
    return not (name in _IN_A_ROW or is_fast or is_intrinsic)


_WORD_BYTES = 4
