"""Bytes by which addresses step along one coordinate, from pairs of samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_AGREEMENT = 0.75
"""Least share of agreeing pairs, by weight."""
_SPREAD = 0.25
"""Pairs whose ratios lie within this share of their median follow a common slope nearly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slope:
    """Bytes for a coordinate that is greater by 1."""

    stride: int
    is_exact: bool
    """Whether most pairs share it; otherwise it is their mean, from which each pair differs a little."""


def common_slope(
    change: NDArray[np.int64], step: NDArray[np.int64], weight: NDArray[np.float64]
) -> Slope | None:
    """Return the slope of pairs of addresses; None where they disagree.

    Args:
        change: Difference of the addresses of each pair.
        step: Difference of their coordinates, positive.
        weight: What each pair stands for.
    """
    first = int(change[0]) // int(step[0])
    if bool((change == first * step).all()):
        return Slope(stride=first, is_exact=True)
    ratio = change // step
    exact = ratio * step == change
    values, place = np.unique(ratio, return_inverse=True)
    total = float(weight.sum())
    if total <= 0.0:
        weight = np.ones(len(ratio))
        total = float(len(ratio))
    votes = np.bincount(place, weights=np.where(exact, weight, 0.0))
    best = int(votes.argmax())
    if votes[best] >= _AGREEMENT * total:
        return Slope(stride=int(values[best]), is_exact=True)
    order = np.argsort(ratio)
    reached = np.cumsum(weight[order])
    low, middle, high = (
        float(ratio[order[min(int(np.searchsorted(reached, share * total)), len(order) - 1)]])
        for share in (0.1, 0.5, 0.9)
    )
    if middle and max(abs(low - middle), abs(high - middle)) <= _SPREAD * abs(middle):
        return Slope(stride=round(middle), is_exact=False)
    return None


def loop_slope(
    depth: int,
    address: NDArray[np.int64],
    active: NDArray[np.bool_],
    iterations: NDArray[np.int64],
) -> Slope | None:
    """Slope along one loop; 0 without any pair of iterations, None where pairs disagree.

    Args:
        depth: Which loop of the nest.
        address: (E, L).
        active: (E, L).
        iterations: (loops, E, L or 1).
    """
    changes = loop_changes(depth, address, active, iterations)
    if changes is None:
        return Slope(stride=0, is_exact=True)
    return common_slope(*changes, np.ones(len(changes[0])))


def loop_changes(
    depth: int,
    address: NDArray[np.int64],
    active: NDArray[np.bool_],
    iterations: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Differences of addresses and of iterations for pairs of executions that differ in one loop; None without any."""
    first, second = _event_pairs(depth, iterations)
    if not len(first):
        return None
    step = iterations[depth, second] - iterations[depth, first]
    both = active[second] & active[first] & (step != 0)
    others = np.delete(iterations, depth, axis=0)
    both &= (others[:, second] == others[:, first]).all(axis=0)
    if not both.any():
        return None
    change = (address[second] - address[first])[both]
    return change, np.broadcast_to(step, both.shape)[both]


def _event_pairs(
    depth: int, iterations: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Executions that differ in this loop and in no other (by their first lane), each with the next."""
    table = iterations[:, :, 0]
    others = np.delete(table, depth, axis=0)
    order = np.lexsort((table[depth], *others))
    one, two = order[:-1], order[1:]
    same = (others[:, one] == others[:, two]).all(axis=0)
    if iterations.shape[2] == 1:
        same &= table[depth, one] != table[depth, two]
    return one[same], two[same]


def mixed_slope(
    residual: NDArray[np.int64],
    coordinate: NDArray[np.int64],
    others: Sequence[NDArray[np.int64]],
    weight: NDArray[np.float64],
) -> Slope | None:
    """Slope along a coordinate from lanes that agree in `others`; None without two that differ in it alone.

    Args:
        residual: Addresses less what the coordinates of known slope explain.
        coordinate: Of each lane.
        others: Coordinates of unknown slope that must agree.
        weight: Of each lane.
    """
    order = np.lexsort((coordinate, *others))
    one, two = order[:-1], order[1:]
    step = coordinate[two] - coordinate[one]
    same = step > 0
    for other in others:
        same &= other[one] == other[two]
    one, two, step = one[same], two[same], step[same]
    if not len(one):
        return None
    return common_slope(residual[two] - residual[one], step, np.minimum(weight[one], weight[two]))
