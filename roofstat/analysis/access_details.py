"""What the source and the sampled addresses say of one memory access, besides what it moves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from roofstat.hardware.units import SECTOR_BYTES, WARP_SIZE
from roofstat.program.code import MemoryAccess, TensorOperation
from roofstat.program.implied_accesses import site_count

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Position
    from roofstat.analysis.patterns.source_text import SourceTexts
    from roofstat.execution.trace import LaunchTrace
    from roofstat.program.code import TensorTile

__all__ = ["AccessDetails", "subscript"]

_WIDEST_BYTES = 16
_SUBSCRIPTED = re.compile(r"[A-Za-z_]\w*(?:\s*(?:\.|->)\s*[A-Za-z_]\w*)*\s*(?=\[)")


class AccessDetails:
    """Looks accesses up by their sites."""

    def __init__(self, trace: LaunchTrace, texts: SourceTexts) -> None:
        self._texts = texts
        self._conflicts = trace.atomic_conflicts
        self._records: dict[int, str] = {}
        self._tiles: dict[int, float] = {}
        for _, item in trace.code.instructions():
            if isinstance(item.detail, TensorOperation) and item.detail.tile is not None:
                sectors = _tile_sectors(item.detail.tile)
                sites = range(item.site, item.site + site_count(item))
                self._tiles.update(dict.fromkeys(sites, sectors))
            if isinstance(item.detail, MemoryAccess) and item.detail.record:
                self._records[item.site] = item.detail.record
        self._bits: dict[int, int] = {}
        for event in trace.events:
            if not event.is_guess and event.active.any():
                seen = int(np.bitwise_or.reduce(event.address[event.active]))
                self._bits[event.site] = self._bits.get(event.site, 0) | seen

    def record(self, site: int) -> str | None:
        """Name of the record that the datum is a member of."""
        key = self._records.get(site)
        return re.split(r"[>#]", key.rsplit("@", 1)[-1])[0] or None if key else None

    def alignment_bytes(self, site: int) -> int | None:
        """Largest power of two, up to 16, that divides all known addresses."""
        bits = self._bits.get(site)
        if bits is None:
            return None
        return min(bits & -bits, _WIDEST_BYTES) if bits else _WIDEST_BYTES

    def ideal_sectors(self, site: int, element_bytes: int) -> float:
        """The fewest sectors that hold what a warp moves in one request: a fragment takes them from several lines."""
        known = self._tiles.get(site)
        return max(WARP_SIZE * element_bytes / SECTOR_BYTES, 1.0) if known is None else known

    def lanes_per_address(self, site: int) -> float | None:
        """Atomics: mean threads of a warp at one address."""
        return self._conflicts.get(site)

    def index(self, position: Position) -> str | None:
        """The subscripts as written."""
        return subscript(self._texts.line(position.file, position.line)[position.column - 1 :])


def _tile_sectors(tile: TensorTile) -> float:
    lines, neighbours = tile.shape
    return float(lines * -(-neighbours * tile.lane_bytes // SECTOR_BYTES))


def subscript(text: str) -> str | None:
    """Return the subscripts of the array that a text begins with; None where it begins with something else.

    >>> subscript("a[i * n + j] + b[0]"), subscript("p->cells[map[i]][1];"), subscript("f(a[i])")
    ('[i * n + j]', '[map[i]][1]', None)
    """
    name = _SUBSCRIPTED.match(text)
    if name is None:
        return None
    depth, end = 0, None
    for place in range(name.end(), len(text)):
        character = text[place]
        if depth == 0 and character not in "[ ":
            break
        depth += {"[": 1, "]": -1}.get(character, 0)
        if depth == 0 and character == "]":
            end = place + 1
    return text[name.end() : end] if end is not None else None
