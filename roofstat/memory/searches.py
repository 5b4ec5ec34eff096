"""Places of accesses that fall at random, and of the steps of a search."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from roofstat.memory.footprint import ModelledSite, SampledStep

_FEWEST_STEPS = 3
"""That show by which factor the places of a search grow."""
_NEGLIGIBLE = 1e-6
_MOST_STEPS = 1_000
"""Steps of a search that are told apart."""


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Requests that fall at random, each kind on places of its own."""

    fresh_shares: NDArray[np.float64]
    """Shares of all requests, without those on a place that the same thread has just been at."""
    places: NDArray[np.float64]

    def absent(self, requests: float) -> NDArray[np.float64]:
        """For each kind the chance that a place is not among so many requests."""
        return np.exp(-requests * self.fresh_shares / self.places)

    def seen(self, requests: float) -> float:
        """Distinct places among so many requests."""
        return float(self.places @ (1.0 - self.absent(requests)))


def draws_of(sites: Sequence[ModelledSite], own: float) -> Draws:
    """What sites draw from: all granules that they touch, and the steps of a search each from places of their own.

    A search looks at ever more places, and at other ones in each step, until no granule is left.
    """
    total = sum(site.requests.sectors for site in sites)
    searches = [site for site in sites if site.is_decided and site.hashed_share is None]
    found = [_steps(site, site.requests.sectors / total) for site in searches]
    steps = np.concatenate([*found, np.empty((0, 2))])
    places, shares = steps[np.lexsort((steps[:, 1], steps[:, 0]))].T
    left = np.maximum(own - (np.cumsum(places) - places), 0.0)
    fresh = np.minimum(places, left)
    is_any = fresh > 0.0
    fresh_shares, kept = (shares * fresh / places)[is_any], fresh[is_any]
    anywhere = 1.0 - float(shares.sum())
    if anywhere > _NEGLIGIBLE:
        fresh_shares, kept = np.append(fresh_shares, anywhere), np.append(kept, own)
    return Draws(fresh_shares, kept)


def _steps(site: ModelledSite, weight: float) -> NDArray[np.float64]:
    """(places, share of all requests) of each step of a search, from the sampled steps.

    The places grow by about the same factor from step to step, so that their logarithms lie on lines in between. Of more
    steps than can tell anything apart, several are one that has the places of all.
    """
    sampled = [found for found in site.sampled_steps() if not math.isinf(found.places)]
    if not sampled:
        return np.empty((0, 2))
    known = sum(found.share for found in sampled)
    depth = _search_depth(sampled)
    count = 1 if depth is None else max(round(site.site.mean_trips[depth]), 1)
    wanted = np.linspace(0, count - 1, min(count, _MOST_STEPS))
    at, steps = _by_step(sampled, depth)
    places = np.exp(np.interp(wanted, at, np.log(_grown(at, steps))))
    sectors = np.interp(wanted, at, [found.sectors for found in steps])
    shares = weight * known * sectors / sectors.sum()
    return np.stack([places * count / len(wanted), shares], axis=1)


def _search_depth(sampled: Sequence[SampledStep]) -> int | None:
    """Depth of the loop that takes a search to ever more places, of those alike the innermost; None without a loop.

    A loop inside of it goes over the words of what is found at one place, such as a key of several.
    """

    def growth(depth: int) -> tuple[float, int, int]:
        _, steps = _by_step(sampled, depth)
        return max(found.places for found in steps) / steps[0].places, len(steps), depth

    return max(range(len(sampled[0].iterations)), key=growth, default=None)


def _by_step(
    sampled: Sequence[SampledStep], depth: int | None
) -> tuple[list[float], list[SampledStep]]:
    """The iterations of one loop that were sampled, and the mean of what was sampled in each."""
    found: dict[float, list[SampledStep]] = defaultdict(list)
    for one in sampled:
        found[0.0 if depth is None else one.iterations[depth]].append(one)
    at = sorted(found)
    return at, [_mean(found[step]) for step in at]


def _mean(sampled: Sequence[SampledStep]) -> SampledStep:
    share = sum(one.share for one in sampled)
    return replace(
        sampled[0],
        share=share,
        sectors=sum(one.share * one.sectors for one in sampled) / share,
        places=sum(one.share * one.places for one in sampled) / share,
        lanes=max(one.lanes for one in sampled),
    )


def _grown(at: Sequence[float], steps: Sequence[SampledStep]) -> list[float]:
    """Places of steps in their order, by their iterations; beyond those that are told they grow as these do.

    Gaps between the lanes' addresses tell fewer places than there are lanes. Where there are more, the gaps still tell
    them if places are evenly apart, as in tables of 2^n elements; midpoints of other tables are rounded.
    """
    told = [(step, found.places) for step, found in zip(at, steps, strict=True) if found.is_told]
    if len(told) < _FEWEST_STEPS or told[-1][1] <= told[0][1]:
        return [found.places for found in steps]
    (first, before), (last, after) = told[0], told[-1]
    factor = (after / before) ** (1.0 / (last - first))
    return [
        found.places if step <= last else min(found.places, after * factor ** (step - last))
        for step, found in zip(at, steps, strict=True)
    ]
