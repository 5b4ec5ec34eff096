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


def _bits(x: NDArray[np.generic]) -> tuple[int, list[int]]:
    """Width of the operand's type, and the values as unsigned numbers."""
    width = x.dtype.itemsize * 8
    return width, [int(value) & ((1 << width) - 1) for value in x.tolist()]


def _popcount(x: NDArray[np.generic]) -> NDArray[np.int64]:
    return np.array([value.bit_count() for value in _bits(x)[1]], np.int64)


def _leading_zeros(x: NDArray[np.generic]) -> NDArray[np.int64]:
    width, values = _bits(x)
    return np.array([width - value.bit_length() for value in values], np.int64)


def _find_first_set(x: NDArray[np.generic]) -> NDArray[np.int64]:
    return np.array([(value & -value).bit_length() for value in _bits(x)[1]], np.int64)


def _reversed_bits(x: NDArray[np.generic]) -> NDArray[np.generic]:
    width, values = _bits(x)
    unsigned = np.array(
        [int(f"{value:0{width}b}"[::-1], 2) for value in values], np.dtype(f"u{width // 8}")
    )
    return unsigned.view(x.dtype)


def _high_product(a: NDArray[np.generic], b: NDArray[np.generic]) -> NDArray[np.generic]:
    width = a.dtype.itemsize * 8
    high = [(int(x) * int(y)) >> width for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    return np.array(high, a.dtype)


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
    "__sincosf": np.sin,
    "__sincosf.second": np.cos,
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
    "fmin": np.minimum,
    "fmax": np.maximum,
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
    "popc": _popcount,
    "clz": _leading_zeros,
    "ffs": _find_first_set,
    "brev": _reversed_bits,
    "mulhi": _high_product,
    "__mul24": np.multiply,
    "__umul24": np.multiply,
    "mul24": np.multiply,
    "umul24": np.multiply,
}


_RISING = frozenset(
    {
        "sqrt",
        "cbrt",
        "log",
        "log2",
        "log10",
        "log1p",
        "atan",
        "tanh",
        "floor",
        "ceil",
        "trunc",
        "round",
    }
    | {"rint", "nearbyint", "lround", "lrint"}
)
_WIDEST_EXPONENT = 3.0
"""Beyond it, the values of an exponential are nothing like evenly spread between their bounds."""


def result_bounds(name: str, operands: list[tuple[float, float]]) -> tuple[float, float] | None:
    """Bounds of a function of one or more bounded numbers; None where none are known."""
    (low, high), *rest = operands
    if name in ("min", "fmin"):
        return min(low, *(bound[0] for bound in rest)), min(high, *(bound[1] for bound in rest))
    if name in ("max", "fmax"):
        return max(low, *(bound[0] for bound in rest)), max(high, *(bound[1] for bound in rest))
    if name == "abs":
        ends = sorted((abs(low), abs(high)))
        return (0 if low < 0 < high else ends[0]), ends[1]
    if name in ("sin", "cos", "__sinf", "__cosf"):
        return -1.0, 1.0
    if name in _RISING or (name in ("exp", "exp2", "__expf") and high - low <= _WIDEST_EXPONENT):
        with np.errstate(all="ignore"):
            ends = [float(FLOAT_FUNCTIONS[name](np.float64(end))) for end in (low, high)]
        return (ends[0], ends[1]) if all(math.isfinite(end) for end in ends) else None
    return None


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
    name: str, operands: list[int | float], dtype: np.dtype[np.generic], *, is_float: bool
) -> int | float | None:
    """The same for Python numbers of a type."""
    if is_float and len(operands) == 1 and name in ("sqrt", "floor", "ceil"):
        value = float(operands[0])
        if name == "sqrt":
            return math.sqrt(value) if value >= 0 else float("nan")
        return (
            float(math.floor(value) if name == "floor" else math.ceil(value))
            if math.isfinite(value)
            else value
        )
    try:
        arrays = [np.array([operand], dtype) for operand in operands]
    except OverflowError:
        return None
    result = evaluate(name, arrays, is_float=is_float)
    if result is None:
        return None
    item = result[0].item()
    return item if isinstance(item, int | float) else None
