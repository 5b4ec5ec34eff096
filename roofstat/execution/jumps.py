"""Where the arms of branches leave to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.program.code import Leave, Scope, children

if TYPE_CHECKING:
    from roofstat.program.code import Region


def direct_leaves(regions: list[Region]) -> frozenset[int]:
    """Labels that an arm surely leaves to: its own jumps, not those under further conditions."""
    found: set[int] = set()
    for region in regions:
        if isinstance(region, Leave):
            found.add(region.label)
        elif isinstance(region, Scope):
            found |= direct_leaves(region.body) - {region.label}
    return frozenset(found)


def all_leaves(regions: list[Region]) -> set[int]:
    """Labels that code leaves to, minus those of scopes inside it."""
    found: set[int] = set()
    for region in regions:
        if isinstance(region, Leave):
            found.add(region.label)
        else:
            inner: set[int] = set()
            for part in children(region):
                inner |= all_leaves(part)
            if isinstance(region, Scope):
                inner.discard(region.label)
            found |= inner
    return found
