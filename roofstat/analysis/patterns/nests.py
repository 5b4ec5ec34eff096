"""Loop nests of OpenMP target regions that could be distributed further."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.program.openmp import nested_loops
from roofstat.program.openmp.clauses import (
    directives_in,
    directives_of,
    has_clause,
    is_target,
    words_of,
)
from roofstat.report import PatternKind, PatternReport

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofstat.execution.host.launch_table import HostLaunch
    from roofstat.program.link import Program

__all__ = ["undistributed_nests"]

_DISTRIBUTING = frozenset({"distribute", "loop"})


def undistributed_nests(launch: HostLaunch, program: Program) -> Iterator[PatternReport]:
    """A distributed loop whose whole body is a loop that `collapse` would distribute too."""
    region = program.regions.get(launch.kernel)
    function = program.functions.get(region.function_key) if region is not None else None
    if region is None or function is None:
        return
    for target in directives_of(program, function):
        if not is_target(target) or target.position.line != region.line:
            continue
        for directive in directives_in(target):
            if not _DISTRIBUTING & words_of(directive):
                continue
            if not has_clause(directive, "collapse") and nested_loops(directive, 2) > 1:
                yield PatternReport(
                    kind=PatternKind.UNDISTRIBUTED_NEST,
                    line=region.line,
                    column=region.position.column or None,
                    executions=launch.count,
                )
            return
