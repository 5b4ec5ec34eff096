"""Rows that threads go to in an order that chance has made: no two ask for one, unless they draw them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.hardware.units import SECTOR_BYTES
from roofstat.memory.records import Direction

if TYPE_CHECKING:
    from roofstat.execution.trace import Buffer
    from roofstat.memory.footprint import Level, ModelledSite

_AS_MANY = 0.01
"""Rows that are asked for are as many as there are within this share of them."""
_FULL = 0.999
"""A warp whose lanes ask for this share of their sectors leaves nothing out."""


def permuted_granules(
    sites: list[ModelledSite], buffer: Buffer | None, level: Level, granule: int
) -> float | None:
    """Granules of `granule` bytes that sites touch at a level which go to whole rows of a buffer, each to its own.

    The program has shuffled them, or as many are asked for as there are (places that a kernel has counted: 0.63 of the rows are
    met by as many draws, and all were measured). Rows that the program draws one by one, or that a hash function chooses, meet by
    chance; None for those and for all others.
    """
    size = buffer.size_bytes if buffer is not None and not buffer.size_is_assumed else None
    if not size or not sites or not all(map(_goes_to_rows, sites)):
        return None
    asked: dict[tuple[int, int], float] = {}
    here: dict[tuple[int, int], float] = {}
    for site in sites:
        # Sites that go to the same elements of rows ask for the same.
        core = site.fit.core
        key = site.fit.origin + (core.low if core is not None else 0), site.site.element_bytes
        amount = site.site.threads * site.site.element_bytes
        asked[key] = max(asked.get(key, 0.0), amount)
        here[key] = max(here.get(key, 0.0), amount * site.share(level))
    is_all = abs(sum(asked.values()) - size) <= _AS_MANY * size
    if not is_all and not all(site.site.is_order for site in sites):
        return None
    part = min(sum(here.values()) / size, 1.0)
    rows_in_one = max(granule / min(map(_row_bytes, sites)), 1.0)
    touched: float = (size / granule) * (1.0 - (1.0 - part) ** rows_in_one)
    return max(touched, 1.0)


def _goes_to_rows(site: ModelledSite) -> bool:
    """Whether a site goes to whole rows at places that data say, none of which the program has drawn one by one."""
    if _row_bytes(site) < SECTOR_BYTES or site.site.direction is Direction.ATOMIC:
        return False
    is_hashed = site.hashed_share is not None or site.is_mixed or site.is_chased
    is_unknown = site.is_local and site.site.even_share == 0.0
    return (is_unknown or (site.site.is_order and not is_hashed)) and not site.is_beyond


def _row_bytes(site: ModelledSite) -> float:
    """What places are apart, or what a warp asks for at one of them where its lanes leave nothing out."""
    core = site.fit.core
    if core is not None and core.granule_bytes >= SECTOR_BYTES:
        return core.granule_bytes
    sectors = site.requests.sectors * SECTOR_BYTES
    is_whole = site.site.threads * site.site.element_bytes >= _FULL * sectors
    return sectors / site.site.warps if is_whole and site.site.warps else 0.0
