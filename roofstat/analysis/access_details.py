"""What the source and the sampled addresses say of one memory access, besides what it moves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_pattern import pattern
from roofstat.hardware.units import SECTOR_BYTES, WARP_SIZE
from roofstat.program.code import MemoryAccess, TensorOperation
from roofstat.program.implied_accesses import site_count

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Position
    from roofstat.analysis.patterns.source_text import SourceTexts
    from roofstat.execution.trace import AccessEvent, LaunchTrace
    from roofstat.memory.records import AccessSummary
    from roofstat.program.code import TensorTile

__all__ = ["AccessDetails"]

_WIDEST_BYTES = 16
_ROW_EVENTS = 8
"""Executions of an access that show how its rows lie."""
_SUBSCRIPTED = pattern(r"[A-Za-z_]\w*(?:\s*(?:\.|->)\s*[A-Za-z_]\w*)*\s*(?=\[)")


class AccessDetails:
    """Looks accesses up by their sites."""

    def __init__(self, trace: LaunchTrace, texts: SourceTexts) -> None:
        self._texts = texts
        self._conflicts = trace.atomic_conflicts
        self._totals = trace.sites
        self._records: dict[int, str] = {}
        self._tiles: dict[int, float] = {}
        for _, item in trace.code.instructions():
            if isinstance(item.detail, TensorOperation) and item.detail.tile is not None:
                sectors = _tile_sectors(item.detail.tile)
                sites = range(item.site, item.site + site_count(item))
                self._tiles.update(dict.fromkeys(sites, sectors))
            if isinstance(item.detail, MemoryAccess) and item.detail.record:
                self._records[item.site] = item.detail.record
        self._bits: dict[int, tuple[int, int]] = {}
        self._events: dict[int, list[AccessEvent]] = {}
        for event in trace.events:
            if not event.is_guess and event.active.any():
                seen = event.address[event.active]
                some, all_ = self._bits.get(event.site, (0, -1))
                some |= int(np.bitwise_or.reduce(seen))
                self._bits[event.site] = some, all_ & int(np.bitwise_and.reduce(seen))
                events = self._events.setdefault(event.site, [])
                if len(events) < _ROW_EVENTS:
                    events.append(event)

    def record(self, site: int) -> str | None:
        """Name of the record that the datum is a member of."""
        key = self._records.get(site)
        return re.split(r"[>#]", key.rsplit("@", 1)[-1])[0] or None if key else None

    def alignment_bytes(self, site: int) -> int | None:
        """Largest power of two, up to 16, that divides all known addresses."""
        if site not in self._bits:
            return None
        bits, _ = self._bits[site]
        return min(bits & -bits, _WIDEST_BYTES) if bits else _WIDEST_BYTES

    def ideal_sectors(self, site: int, element_bytes: int) -> float:
        """The fewest sectors that hold what a warp moves in one request: a fragment takes them from several lines."""
        known = self._tiles.get(site)
        return max(WARP_SIZE * element_bytes / SECTOR_BYTES, 1.0) if known is None else known

    def lanes_per_address(self, site: int) -> float | None:
        """Atomics: mean threads of a warp at one address."""
        return self._conflicts.get(site)

    def threads(self, site: int) -> float | None:
        """Thread-level executions in the launch."""
        found = self._totals.get(site)
        return found.threads if found is not None else None

    def addresses(self, access: AccessSummary) -> float:
        """The most addresses that an access can lie at: one where no other was seen."""
        some, all_ = self._bits.get(access.site, (0, -1))
        if some == all_:
            return 1.0
        return max(access.footprint_bytes / access.element_bytes, 1.0)

    def row_bytes(self, site: int, element_bytes: int) -> float | None:
        """Mean bytes of the pieces of adjacent data that the requests of a warp consist of."""
        threads = rows = 0
        for event in self._events.get(site, ()):
            address = event.address.reshape(-1, WARP_SIZE)
            active = event.active.reshape(-1, WARP_SIZE)
            goes_on = active[:, 1:] & active[:, :-1] & (np.diff(address) == element_bytes)
            threads += int(active.sum())
            rows += int(active.sum()) - int(goes_on.sum())
        return element_bytes * threads / rows if rows else None

    def index(self, position: Position) -> str | None:
        """The subscripts as written."""
        return _subscript(self._texts.line(position.file, position.line)[position.column - 1 :])


def _tile_sectors(tile: TensorTile) -> float:
    lines, neighbours = tile.shape
    return float(lines * -(-neighbours * tile.lane_bytes // SECTOR_BYTES))


def _subscript(text: str) -> str | None:
    """Return the subscripts of the array that a text begins with; None where it begins with something else.

    >>> _subscript("a[i * n + j] + b[0]"), _subscript("p->cells[map[i]][1];"), _subscript("f(a[i])")
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
