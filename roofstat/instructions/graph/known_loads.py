"""Loads from constant arrays of which nothing is left: every index is constant once loops are unrolled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.addressing.points_to import PointsTo
from roofstat.instructions.graph.memory_state import RootKind
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roofstat.instructions.graph.values import Value
    from roofstat.program.code import Code


def known_loads(code: Code, live: Iterable[Value]) -> frozenset[int]:
    """Sites of loads from constant arrays that are no instruction any more."""
    if not code.tables:
        return frozenset()
    points_to = PointsTo(code)
    sites = {
        item.site
        for _, item in code.instructions()
        if item.op is Op.LOAD
        and all(
            root.kind is RootKind.GLOBAL and root.identity in code.tables
            for root in points_to.roots(item.args[0])
        )
    }
    return frozenset(sites - {value.site for value in live if value.op is Op.LOAD})
