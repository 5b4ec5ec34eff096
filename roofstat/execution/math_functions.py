"""Values of math functions and integer intrinsics on known operands."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Array = np.ndarray


def _round_half_away(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.trunc(x + np.copysign(0.5, x))


def _popcount(x: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.array([int(v).bit_count() for v in x.astype(np.uint64).tolist()], np.int64)


def _leading_zeros(bits: int) -> Callable[[NDArray[np.int64]], NDArray[np.int64]]:
    mask = (1 << bits) - 1

    def count(x: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.array([bits - (int(v) & mask).bit_length() for v in x.tolist()], np.int64)

    return count


def _find_first_set(x: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.array(
        [(int(v) & -int(v)).bit_length() for v in x.astype(np.uint64).tolist()], np.int64
    )


FLOAT_FUNCTIONS: dict[str, Callable[..., Array]] = {
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1.0 / np.sqrt(x),
    "cbrt": np.cbrt,
    "exp": np.exp,
    "exp2": np.exp2,
    "exp10": lambda x: np.power(10.0, x),
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "pow": np.power,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sincos": np.sin,
    "sincos.second": np.cos,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "hypot": np.hypot,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": _round_half_away,
    "lround": _round_half_away,
    "llround": _round_half_away,
    "rint": np.rint,
    "lrint": np.rint,
    "llrint": np.rint,
    "nearbyint": np.rint,
    "fmod": np.fmod,
    "abs": np.abs,
    "copysign": np.copysign,
    "min": np.minimum,
    "max": np.maximum,
    "fma": lambda a, b, c: a * b + c,
    "ldexp": lambda x, n: np.ldexp(x, n.astype(np.int64)),
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "__expf": np.exp,
    "__logf": np.log,
    "__log2f": np.log2,
    "__sinf": np.sin,
    "__cosf": np.cos,
    "__powf": np.power,
    "__fdividef": np.divide,
    "__saturatef": lambda x: np.clip(x, 0.0, 1.0),
    "__frcp_rn": lambda x: 1.0 / x,
    "__fsqrt_rn": np.sqrt,
    "__fadd_rn": np.add,
    "__fmul_rn": np.multiply,
    "__dadd_rn": np.add,
    "__dmul_rn": np.multiply,
    "__fmaf_rn": lambda a, b, c: a * b + c,
    "__fma_rn": lambda a, b, c: a * b + c,
}

INTEGER_FUNCTIONS: dict[str, Callable[..., Array]] = {
    "abs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
    "__popc": _popcount,
    "__popcll": _popcount,
    "__clz": _leading_zeros(32),
    "__clzll": _leading_zeros(64),
    "__ffs": _find_first_set,
    "__ffsll": _find_first_set,
    "__mul24": np.multiply,
    "__umul24": np.multiply,
    "mul24": np.multiply,
    "umul24": np.multiply,
    "__mulhi": lambda a, b: (a.astype(np.int64) * b.astype(np.int64)) >> 32,
    "__umulhi": lambda a, b: (a.astype(np.uint64) * b.astype(np.uint64)) >> np.uint64(32),
}


def evaluate(name: str, operands: list[Array], *, is_float: bool) -> Array | None:
    """Apply a function lane by lane; None where it is not modelled by value."""
    table = FLOAT_FUNCTIONS if is_float else INTEGER_FUNCTIONS
    function = table.get(name)
    if function is None:
        return None
    try:
        with np.errstate(all="ignore"):
            return np.asarray(function(*operands))
    except (TypeError, ValueError, OverflowError):
        return None


def evaluate_numbers(
    name: str, operands: list[int | float], *, is_float: bool
) -> int | float | None:
    """The same for Python numbers."""
    if is_float and len(operands) == 1 and name in ("sqrt", "floor", "ceil"):
        value = float(operands[0])
        if name == "sqrt":
            return math.sqrt(value) if value >= 0 else float("nan")
        return (
            float(math.floor(value) if name == "floor" else math.ceil(value))
            if math.isfinite(value)
            else value
        )
    dtype = np.float64 if is_float else np.int64
    try:
        arrays = [np.array([operand], dtype) for operand in operands]
    except OverflowError:
        return None
    result = evaluate(name, arrays, is_float=is_float)
    if result is None:
        return None
    item = result[0].item()
    return item if isinstance(item, int | float) else None
