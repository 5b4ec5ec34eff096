"""Loads of several members of one record at a random place: the sectors that the first has fetched are there for the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofstat.hardware.units import SECTOR_BYTES
from roofstat.memory.records import FootprintMethod

if TYPE_CHECKING:
    from roofstat.memory.footprint import ModelledSite
    from roofstat.memory.sites import AccessSite


def fresh_parts(sites: list[ModelledSite]) -> list[float]:
    """Of the sectors that each site asks for, the part that no other one at the same place has asked for before.

    Sites are at one place where their addresses are equally far apart in all sampled lanes.
    """
    parts = [1.0] * len(sites)
    places: list[list[AccessSite]] = []
    for number in sorted(range(len(sites)), key=lambda n: -sites[n].requests.sectors):
        site = sites[number].site
        if sites[number].method is not FootprintMethod.RANDOM or site.is_volatile:
            continue
        there = next((place for place in places if _is_at(place[0], site)), None)
        if there is None:
            places.append([site])
            continue
        mine = site.address // SECTOR_BYTES
        fresh = np.logical_and.reduce([mine != other.address // SECTOR_BYTES for other in there])
        parts[number] = float(fresh[site.active].mean())
        there.append(site)
    return parts


def _is_at(first: AccessSite, other: AccessSite) -> bool:
    """Whether the addresses of two sites are the same number of bytes apart in all lanes."""
    if first.address.shape != other.address.shape:
        return False
    both = first.active & other.active
    apart = (other.address - first.address)[both]
    is_often = 2 * len(apart) >= np.count_nonzero(other.active)
    return bool(is_often and (apart == apart[:1]).all())
