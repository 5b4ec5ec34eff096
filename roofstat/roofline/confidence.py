"""How sure a verdict is: a probability from the distance to the ridge and the weight of the assumptions.

The prediction's largest intensity over ridge differs from the profiler's by a factor whose logarithm is taken as
normal with standard deviation sigma. The verdict is wrong where the error reaches past the ridge, so the probability
that it is right is the normal distribution function at distance over sigma.
"""

from __future__ import annotations

import functools
import math
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources

__all__ = ["ConfidenceParameters", "confidence", "confidence_parameters", "decision_distance"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceParameters:
    """Calibration of the confidence; read from `data/confidence.toml`.

    Attributes:
        base_spread: Standard deviation of the log intensity without any assumption.
        highest: No verdict is surer than this.
        interval_z: Half width of intensity intervals in standard deviations.
    """

    base_spread: float
    highest: float
    interval_z: float

    def spread(self, weights: Sequence[float]) -> float:
        """Return the standard deviation of the log intensity under assumptions of these weights."""
        return math.hypot(self.base_spread, *weights)


@functools.cache
def confidence_parameters() -> ConfidenceParameters:
    """Return the shipped calibration."""
    text = (resources.files("roofstat.roofline") / "data" / "confidence.toml").read_text("utf-8")
    table = tomllib.loads(text)
    return ConfidenceParameters(
        base_spread=float(table["base_spread"]),
        highest=float(table["highest"]),
        interval_z=float(table["interval_z"]),
    )


def decision_distance(ratios: Iterable[float]) -> float:
    """Return how far the deciding type is from its ridge, as a natural logarithm.

    Infinite where no type has work, or where one has work without any DRAM traffic.

    >>> round(decision_distance([0.5, 0.02]), 3)
    0.693
    """
    largest = max(ratios, default=0.0)
    return abs(math.log(largest)) if largest > 0 else math.inf


def confidence(
    ratios: Iterable[float],
    assumption_weights: Sequence[float] = (),
    parameters: ConfidenceParameters | None = None,
) -> float:
    """Return the probability that the verdict agrees with a profiler, 0.5 to the calibrated highest.

    Args:
        ratios: Intensity over ridge of each judged type.
        assumption_weights: Spread that each assumption adds, as a standard deviation of the log intensity.
        parameters: Calibration; the shipped one by default.
    """
    fitted = parameters or confidence_parameters()
    distance = decision_distance(ratios)
    if math.isinf(distance):
        return fitted.highest
    deviations = distance / fitted.spread(assumption_weights)
    return min(0.5 * (1 + math.erf(deviations / math.sqrt(2))), fitted.highest)
