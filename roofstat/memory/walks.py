"""How often a thread that goes through memory step by step leaves the granule where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.memory.sites import AccessSite

_FEWEST_STEPS = 32
"""Steps of sampled threads that tell."""
_MOST_TURNS = 0.02
"""Steps back over steps forth of what still goes one way: draws that lie near each other go both ways."""


def moving_share(site: AccessSite, granule: int) -> float:
    """Share of the requests of each thread that go to another granule than its request before in the innermost loop.

    The first request of a loop goes to another one, those after it as often as the sampled ones of neighbouring iterations
    do, which a condition may leave out; 1 where too few were sampled.
    """
    if not site.loops:
        return 1.0
    last, is_known = site.address[0], site.active[0]
    weight = moved = 0.0
    forth = back = 0
    for event, follows in enumerate(_follows(site), start=1):
        address, weights = site.address[event], site.weight[event]
        is_known = is_known & follows
        told = is_known & site.active[event]
        forth += int(np.count_nonzero(told & (address > last)))
        back += int(np.count_nonzero(told & (address < last)))
        weight += float(weights[told].sum())
        # Wherever in a granule it begins, in the mean.
        step = np.minimum(np.abs(address - last), granule) / granule
        moved += float((weights * step)[told].sum())
        last = np.where(site.active[event], address, last)
        is_known = is_known | site.active[event]
    if max(forth, back) < _FEWEST_STEPS or min(forth, back) > _MOST_TURNS * max(forth, back):
        return 1.0
    first = 1.0 / max(site.mean_trips[-1], 1.0)
    return first + (1.0 - first) * moved / weight


def _follows(site: AccessSite) -> list[NDArray[np.bool_]]:
    """For each sampled execution but the first, which lanes are at the iteration after the one before it."""
    steps = np.diff(site.iterations, axis=1)
    is_next = (steps[-1] == 1) & (steps[:-1] == 0).all(axis=0)
    lanes = site.address.shape[1]
    return [np.broadcast_to(each, (lanes,)) for each in is_next]
