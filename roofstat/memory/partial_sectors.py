"""Which share of the written sectors of a buffer is written in part only: HBM reads those before it writes them.

A GH100 reads 404 of 531 MB written by a launch that leaves 4 of each 40 bytes out, which 4 of 5 sectors have a part of, and as
many bytes as it writes where data decide which threads store to their place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofstat.hardware.units import SECTOR_BYTES, WARP_SIZE
from roofstat.memory.records import FootprintMethod
from roofstat.memory.reuse import Part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.memory.footprint import Level, ModelledSite
    from roofstat.memory.reuse import BufferSites

_SCATTERED = 0.67
"""A third of the bytes missing means that the runs are shorter than sectors."""
_WARPS = 64
_EVENTS = 4
"""Sampled warps, and executions of each store, that are looked at."""


def partial_share(group: BufferSites, whole: Level) -> float:
    """Share of the sectors that stores write which they never write whole."""
    if any(site.method is FootprintMethod.RANDOM for site in group.writes):
        return float(all(site.site.element_bytes < SECTOR_BYTES for site in group.writes))
    sectors = group.granules(Part.WRITES, whole)
    touched = SECTOR_BYTES * sectors
    if group.granules(Part.WRITES, whole, 1) < _SCATTERED * touched:
        return 1.0
    # Each thread writes its bytes once at least: what all have written fills no more than that.
    stored = sum(site.site.threads * site.site.element_bytes for site in group.writes)
    covered = min(stored, group.granules(Part.WRITES, whole, 1)) / touched
    narrowest = min(site.site.element_bytes for site in group.writes)
    # A sector that is written in part lacks an element.
    most = max(1.0 - covered, 0.0) * SECTOR_BYTES / narrowest
    return min(most, _seen_in_part(group.writes), 1.0) if most > 0.0 else 0.0


def _seen_in_part(sites: list[ModelledSite]) -> float:
    """Share of the sectors that sampled warps write in part; what lies beyond the ends of a warp's may be of its neighbours."""
    warps = sites[0].site.active.shape[1] // WARP_SIZE
    in_part = seen = 0
    for warp in dict.fromkeys(np.linspace(0, warps - 1, min(_WARPS, warps)).astype(int).tolist()):
        places = np.unique(np.concatenate([_bytes_of(site, warp) for site in sites]))
        if not len(places):
            continue
        counts = np.unique(places // SECTOR_BYTES, return_counts=True)[1]
        counts[0] += places[0] % SECTOR_BYTES
        counts[-1] += SECTOR_BYTES - 1 - places[-1] % SECTOR_BYTES
        in_part += int(np.count_nonzero(counts < SECTOR_BYTES))
        seen += len(counts)
    return in_part / seen if seen else 0.0


def _bytes_of(site: ModelledSite, warp: int) -> NDArray[np.int64]:
    """Addresses of the bytes that a warp writes in the first executions of a store."""
    lanes = slice(warp * WARP_SIZE, (warp + 1) * WARP_SIZE)
    active = site.site.active[:_EVENTS, lanes]
    first = site.site.address[:_EVENTS, lanes][active]
    places: NDArray[np.int64] = (first[:, None] + np.arange(site.site.element_bytes)).ravel()
    return places
