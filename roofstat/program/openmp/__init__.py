"""OpenMP: a target region becomes a kernel of its own, and work-sharing loops become loops over the grid."""

from roofstat.program.openmp.lowering import lower_directive, lower_in_team
from roofstat.program.openmp.modules import RegionModule
from roofstat.program.openmp.queries import lower_query
from roofstat.program.openmp.region import ExecutionMode, TargetRegion, region_functions
from roofstat.program.openmp.schedules import DEFAULT_TEAMS, DEFAULT_THREADS
from roofstat.program.openmp.validity import InvalidClause, invalid_clauses, nested_loops

__all__ = [
    "DEFAULT_TEAMS",
    "DEFAULT_THREADS",
    "ExecutionMode",
    "InvalidClause",
    "RegionModule",
    "TargetRegion",
    "invalid_clauses",
    "lower_directive",
    "lower_in_team",
    "lower_query",
    "nested_loops",
    "region_functions",
]
