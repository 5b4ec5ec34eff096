"""Values of math functions on known operands, and bounds of what they make of bounded ones."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

import numpy as np

from roofstat.execution.numbers.integer_functions import INTEGER_FUNCTIONS
from roofstat.execution.numbers.values import NUMBERS, Unknown, outcomes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from roofstat.execution.numbers.values import Value

Array = np.ndarray
_NORMAL: Final = NormalDist()
_LARGEST_PLAIN_ERFCX: Final = 20.0


def _round_half_away(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.trunc(x + np.copysign(0.5, x))


def _each(function: Callable[..., float]) -> Callable[..., Array]:
    """A function of the standard library on every lane: poles and wrong domains become what C makes of them."""

    def on_lanes(*operands: NDArray[np.floating]) -> Array:
        columns = [operand.tolist() for operand in operands]
        try:
            found = list(map(function, *columns))
        except (OverflowError, ValueError, ZeroDivisionError):
            found = [_on_numbers(function, row) for row in zip(*columns, strict=True)]
        return np.array(found, operands[0].dtype)

    return on_lanes


def _on_numbers(function: Callable[..., float], operands: tuple[float, ...]) -> float:
    try:
        return function(*operands)
    except OverflowError:
        return math.inf
    except (ValueError, ZeroDivisionError):
        return math.nan


def _normal_quantile(probability: float) -> float:
    if probability in (0.0, 1.0):
        return math.inf if probability else -math.inf
    return _NORMAL.inv_cdf(probability)  # raises beyond the interval


def _scaled_complement(x: float) -> float:
    """`erfcx`: exp(x^2) erfc(x), by its leading terms where the factors leave the range of doubles."""
    if x > _LARGEST_PLAIN_ERFCX:
        return (1.0 - 0.5 / (x * x)) / (x * math.sqrt(math.pi))
    return math.exp(x * x) * math.erfc(x)


def _exponent(x: NDArray[np.floating]) -> Array:
    return np.where(x == 0, -np.inf, np.frexp(x)[1] - 1.0)


def _power(x: NDArray[np.floating], y: NDArray[np.floating]) -> Array:
    """Squares, which most powers are, are products: a general power takes a hundred times as long."""
    return x * x if (y == 2.0).all() else np.power(x, y)


FLOAT_FUNCTIONS: dict[str, Callable[..., Array]] = {
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1.0 / np.sqrt(x),
    "rcp": lambda x: 1.0 / x,
    "cbrt": np.cbrt,
    "rcbrt": lambda x: 1.0 / np.cbrt(x),
    "exp": np.exp,
    "exp2": np.exp2,
    "exp10": lambda x: np.power(10.0, x),
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "logb": _exponent,
    "ilogb": _exponent,
    "pow": _power,
    "powi": np.power,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sincos": np.sin,
    "sincos.second": np.cos,
    "sinpi": lambda x: np.sin(np.pi * x),
    "cospi": lambda x: np.cos(np.pi * x),
    "sincospi": lambda x: np.sin(np.pi * x),
    "sincospi.second": lambda x: np.cos(np.pi * x),
    "__sincosf": np.sin,
    "__sincosf.second": np.cos,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "tanh_approx": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "erf": _each(math.erf),
    "erfc": _each(math.erfc),
    "erfcx": _each(_scaled_complement),
    "erfinv": _each(lambda y: _normal_quantile((y + 1.0) / 2.0) / math.sqrt(2.0)),
    "erfcinv": _each(lambda y: -_normal_quantile(y / 2.0) / math.sqrt(2.0)),
    "normcdf": _each(lambda x: 0.5 * math.erfc(-x / math.sqrt(2.0))),
    "normcdfinv": _each(_normal_quantile),
    "tgamma": _each(math.gamma),
    "lgamma": _each(math.lgamma),
    "hypot": np.hypot,
    "rhypot": lambda x, y: 1.0 / np.hypot(x, y),
    "norm3d": lambda *x: np.sqrt(sum(part * part for part in x)),
    "norm4d": lambda *x: np.sqrt(sum(part * part for part in x)),
    "rnorm3d": lambda *x: 1.0 / np.sqrt(sum(part * part for part in x)),
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
    "remainder": _each(math.remainder),
    "fdim": lambda x, y: np.maximum(x - y, 0.0),
    "nextafter": np.nextafter,
    "signbit": np.signbit,
    "abs": np.abs,
    "copysign": np.copysign,
    "min": np.minimum,
    "max": np.maximum,
    "fmin": np.fmin,
    "fmax": np.fmax,
    "fma": lambda a, b, c: a * b + c,
    "ldexp": lambda x, n: np.ldexp(x, n.astype(np.int64)),
    "scalbn": lambda x, n: np.ldexp(x, n.astype(np.int64)),
    "scalbln": lambda x, n: np.ldexp(x, n.astype(np.int64)),
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "__expf": np.exp,
    "__logf": np.log,
    "__exp10f": lambda x: np.power(10.0, x),
    "__log2f": np.log2,
    "__log10f": np.log10,
    "__sinf": np.sin,
    "__cosf": np.cos,
    "__tanf": np.tan,
    "__powf": np.power,
    "__fdividef": np.divide,
    "__saturatef": lambda x: np.clip(x, 0.0, 1.0),
    "__frcp_rn": lambda x: 1.0 / x,
    "__fsqrt_rn": np.sqrt,
    "__frsqrt_rn": lambda x: 1.0 / np.sqrt(x),
    "__drcp_rn": lambda x: 1.0 / x,
    "__dsqrt_rn": np.sqrt,
    "__fadd_rn": np.add,
    "__fsub_rn": np.subtract,
    "__fmul_rn": np.multiply,
    "__fdiv_rn": np.divide,
    "__dadd_rn": np.add,
    "__dsub_rn": np.subtract,
    "__dmul_rn": np.multiply,
    "__ddiv_rn": np.divide,
    "__fmaf_rn": lambda a, b, c: a * b + c,
    "__fma_rn": lambda a, b, c: a * b + c,
    "ptx_tanh_approx": np.tanh,
}
for _ending in ("approx", "approx_ftz"):
    FLOAT_FUNCTIONS |= {
        f"ptx_ex2_{_ending}": np.exp2,
        f"ptx_lg2_{_ending}": np.log2,
        f"ptx_rcp_{_ending}": lambda x: 1.0 / x,
        f"ptx_sqrt_{_ending}": np.sqrt,
        f"ptx_rsqrt_{_ending}": lambda x: 1.0 / np.sqrt(x),
    }
for _ending in ("approx", "approx_ftz", "full", "full_ftz"):
    FLOAT_FUNCTIONS[f"ptx_div_{_ending}"] = np.divide

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
        "asinh",
        "erf",
        "normcdf",
        "floor",
        "ceil",
        "trunc",
        "round",
    }
    | {"rint", "nearbyint", "lround", "lrint"}
)
_WAVES = frozenset(
    f"{name}{part}"
    for name in ("sincos", "__sincosf", "sincospi", "sin", "__sinf", "sinpi")
    for part in ("", ".second")
) | {"cos", "__cosf", "cospi"}
_STRAIGHT = frozenset(
    {"floor", "ceil", "trunc", "round", "rint", "nearbyint", "lround", "lrint"}
) | {*("llround", "llrint", "abs", "min", "max", "fmin", "fmax")}
"""Functions whose values are spread as evenly as what they are given, nearly so where they cut some off."""
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
    if name in _WAVES:
        return -1.0, 1.0
    if name == "erfc":
        return 0.0, 2.0
    if name in _RISING or (name in ("exp", "exp2", "__expf") and high - low <= _WIDEST_EXPONENT):
        with np.errstate(all="ignore"):
            ends = [float(end) for end in FLOAT_FUNCTIONS[name](np.array([low, high], np.float64))]
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


def shape_of_function(
    name: str, operands: Sequence[Value], *, is_float: bool
) -> NDArray[np.float64] | None:
    """What a function of host code makes of numbers that are known by chance, each as likely; None where a range says as much.

    The logarithm of an even number is 1 below zero in the mean, wherever its bounds are.
    """
    is_shaped = any(isinstance(value, Unknown) and value.sample is not None for value in operands)
    if not is_shaped and (not is_float or name in _STRAIGHT):
        return None
    numbers = [outcomes(value) for value in operands]
    known = [found for found in numbers if found is not None]
    if len(known) < len(numbers) or len({len(found) for found in known}) != 1:
        return None
    if not is_float:
        known = [found.astype(np.int64) for found in known]
    made = evaluate(name, list(known), is_float=is_float)
    if made is None:
        return None
    found = made.astype(np.float64)
    return found if np.isfinite(found).all() else None


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
    return item if isinstance(item, NUMBERS) else None
