"""How sure a verdict is: a probability from the distance to the ridge and from what the numbers rest on.

The prediction's largest intensity over ridge differs from the profiler's by a factor, and the verdict is wrong where
that factor reaches past the ridge. Such factors have long tails (a missed loop or a missed reuse is off by orders of
magnitude), so the probability of one beyond a distance d is taken as ``1/2 (1 + d / (tail spread))^-tail``, with d a
natural logarithm. Errors towards compute are the larger ones, since traffic is what gets missed, so the two verdicts
have spreads of their own; a compute verdict is the less sure the more traffic it trusts the L2 cache to absorb.
"""

from __future__ import annotations

import functools
import math
import tomllib
from collections.abc import Iterable, Sequence
from importlib import resources

from clang_queries.quick_dataclass import dataclass
from roofstat.roofline.kinds import Verdict

__all__ = [
    "ConfidenceParameters",
    "confidence",
    "confidence_parameters",
    "decision_distance",
    "log_absorbed",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceParameters:
    """Calibration of the confidence; read from `data/confidence.toml`.

    Attributes:
        base_compute: Spread of the log intensity of compute verdicts without any assumption.
        base_bandwidth: The same of bandwidth verdicts.
        absorbed: Spread that each factor e between L2 and DRAM traffic adds to compute verdicts.
        tail: Exponent with which the probability of large errors falls.
        highest: No verdict is surer than this.
        interval_share: Share of cases that intensity intervals hold.
    """

    base_compute: float
    base_bandwidth: float
    absorbed: float
    tail: float
    highest: float
    interval_share: float

    def spread(
        self, verdict: Verdict, weights: Sequence[float] = (), log_absorbed: float = 0.0
    ) -> float:
        """Return the spread of the log intensity.

        Args:
            verdict: Whether the intensity would have to be lower (compute) or higher for another verdict.
            weights: Spread that each assumption adds.
            log_absorbed: Natural logarithm of L2 bytes over DRAM bytes.
        """
        if verdict is Verdict.COMPUTE:
            return math.hypot(self.base_compute, self.absorbed * log_absorbed, *weights)
        return math.hypot(self.base_bandwidth, *weights)

    def beyond(self, distance: float, spread: float) -> float:
        """Return the probability of an error of at least this log distance, in one direction."""
        return 0.5 * math.pow(1 + distance / (self.tail * spread), -self.tail)

    def reach(
        self, verdict: Verdict, weights: Sequence[float] = (), log_absorbed: float = 0.0
    ) -> float:
        """Return how far an intensity interval reaches to the side that would contradict a verdict, as a natural logarithm.

        Below, DRAM moves at most what the L2 does: without any reuse there, only the other errors are left.
        """
        spread = self.half_width(self.spread(verdict, weights, log_absorbed))
        return min(spread, log_absorbed + self.half_width(self.spread(verdict, weights)))

    def half_width(self, spread: float) -> float:
        """Return the distance that the stated share of errors of this spread does not exceed on one side."""
        return self.tail * spread * (math.pow(1 - self.interval_share, -1 / self.tail) - 1)


@functools.cache
def confidence_parameters() -> ConfidenceParameters:
    """Return the shipped calibration."""
    text = (resources.files("roofstat.roofline") / "data" / "confidence.toml").read_text("utf-8")
    table = tomllib.loads(text)
    names = ConfidenceParameters.__dataclass_fields__
    return ConfidenceParameters(**{name: float(table[name]) for name in names})


def decision_distance(ratios: Iterable[float]) -> float:
    """Return how far the deciding type is from its ridge, as a natural logarithm.

    Infinite where no type has work, or where one has work without any DRAM traffic.

    >>> round(decision_distance([0.5, 0.02]), 3)
    0.693
    """
    largest = max(ratios, default=0.0)
    return abs(math.log(largest)) if largest > 0 else math.inf


def log_absorbed(l2_bytes: float | None, dram_bytes: float | None) -> float:
    """Return the natural logarithm of L2 bytes over DRAM bytes: how much traffic the L2 is trusted to absorb.

    0 where either is unknown or zero, and where DRAM moves more.
    """
    if not l2_bytes or not dram_bytes:
        return 0.0
    return max(math.log(l2_bytes) - math.log(dram_bytes), 0.0)


def confidence(
    ratios: Iterable[float], spread: float, parameters: ConfidenceParameters | None = None
) -> float:
    """Return the probability that the verdict agrees with a profiler, 0.5 to the calibrated highest.

    Args:
        ratios: Intensity over ridge of each judged type.
        spread: Of the log intensity towards the other verdict.
        parameters: Calibration; the shipped one by default.
    """
    fitted = parameters or confidence_parameters()
    distance = decision_distance(ratios)
    if math.isinf(distance):
        return fitted.highest
    return min(1 - fitted.beyond(distance, spread), fitted.highest)
