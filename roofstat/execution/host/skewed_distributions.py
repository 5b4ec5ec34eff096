"""Random numbers of the C++ library that are not spread evenly: a hundred numbers, each as likely, stand for what is drawn."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.execution.host.random_numbers import Engines
from roofstat.execution.host.records import scalar_named, template_arguments
from roofstat.execution.host.registry import HostCall, models
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import NUMBERS, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from roofstat.execution.numbers.values import Value

    Quantiles = NDArray[np.float64]

_PARTS: Final = (np.arange(100) + 0.5) / 100
"""Parts of all draws that are smaller than a number that stands for a hundredth of them."""
_NORMAL: Final = np.array([NormalDist().inv_cdf(part) for part in _PARTS.tolist()])
_LARGEST: Final = 2.0**31
"""Parameters beyond it are none that a program means."""


def _exponential(rate: float, _second: float) -> Quantiles:
    return np.asarray(-np.log1p(-_PARTS) / rate)


def _lognormal(mean: float, deviation: float) -> Quantiles:
    return np.asarray(np.exp(mean + deviation * _NORMAL))


def _gamma(shape: float, scale: float) -> Quantiles:
    """By the cube of a normal number (Wilson and Hilferty 1931)."""
    root = 1.0 - 1.0 / (9.0 * shape) + _NORMAL / (3.0 * math.sqrt(shape))
    return np.asarray(shape * scale * np.maximum(root, 0.0) ** 3)


def _weibull(shape: float, scale: float) -> Quantiles:
    return np.asarray(scale * (-np.log1p(-_PARTS)) ** (1.0 / shape))


def _geometric(chance: float, _second: float) -> Quantiles:
    if chance >= 1.0:
        return np.zeros(len(_PARTS))
    return np.floor(np.log1p(-_PARTS) / math.log1p(-chance))


def _binomial(tries: float, chance: float) -> Quantiles:
    deviation = math.sqrt(tries * chance * (1.0 - chance))
    return np.clip(np.rint(tries * chance + deviation * _NORMAL), 0.0, tries)


def _bernoulli(chance: float, _second: float) -> Quantiles:
    return np.asarray(chance > _PARTS, np.float64)


_QUANTILES: Final[dict[str, tuple[Callable[[float, float], Quantiles], Scalar | None]]] = {
    "exponential_distribution": (_exponential, None),
    "lognormal_distribution": (_lognormal, None),
    "gamma_distribution": (_gamma, None),
    "weibull_distribution": (_weibull, None),
    "geometric_distribution": (_geometric, Scalar.F64),
    "binomial_distribution": (_binomial, Scalar.I32),
    "bernoulli_distribution": (_bernoulli, Scalar.F64),
}
"""Distribution -> its numbers by its parameters, and the type of the first of these; that of its results where it is None."""
_WITH_TWO: Final = frozenset({_lognormal, _gamma, _weibull, _binomial})
_SECOND: Final = 8
"""Bytes from the first parameter to the second one."""


@models(*(f"{name}::operator()" for name in _QUANTILES))
def _draw(call: HostCall) -> Value:
    call.state(Engines).known.pop(call.integer(1) or 0, None)
    quantiles, first = _QUANTILES[call.name.split("::")[-2]]
    arguments = template_arguments(call.detail.object_type)
    result = scalar_named(arguments[0]) if arguments else None
    address = call.integer(2 if len(call.arguments) > 2 else 0)
    one = call.load(address, first or result or Scalar.F64)
    two = call.load(address, Scalar.F64, _SECOND) if quantiles in _WITH_TWO else 1.0
    if not isinstance(one, NUMBERS) or not isinstance(two, NUMBERS):
        return call.unknown("a random number")
    if not -_LARGEST < one < _LARGEST or not -_LARGEST < two < _LARGEST:
        return call.unknown("a random number")
    try:
        numbers = quantiles(float(one), float(two))
    except (ValueError, ZeroDivisionError, OverflowError):
        return call.unknown("a random number")
    if not np.isfinite(numbers).all():
        return call.unknown("a random number")
    is_float = call.instruction.scalar.is_float
    low, high = float(numbers.min()), float(numbers.max())
    return Unknown(
        new_key(),
        uniform=True,
        low=low if is_float else int(low),
        high=high if is_float else int(high),
        reason="a random number",
        is_float=is_float,
        sample=numbers,
    )
