"""Names of the device run time's work in lowered code; `roofstat/instructions/data/openmp.toml` gives their costs.

A name is the entry point of LLVM's run time that stands for the work, with the case after a colon where the cost depends
on what the compiler could resolve.
"""

from __future__ import annotations

from enum import StrEnum

SELECTING = ":select"
"""Ends the name of a reduction that chooses one of two values (`min`, `max`) instead of combining them."""
COMBINED = ":combined"
"""Ends the name of a reduction whose arithmetic is code of the program, lowered beside the call."""


class RuntimeCall(StrEnum):
    """Work that the run time adds to a region."""

    INIT_SPMD = "__kmpc_target_init:spmd"
    INIT_TEAMS = "__kmpc_target_init:teams"
    INIT_SEQUENTIAL = "__kmpc_target_init:sequential"
    DISTRIBUTE = "__kmpc_distribute_static_init"
    CHUNK = "__kmpc_parallel_51:chunk"
    """A chunk of `distribute parallel for`: bounds, the parallel region around it, the step to the next one."""
    CHUNK_COUNTED = "__kmpc_parallel_51:chunk-counted"
    """The same with a `num_threads` clause: the number of threads goes through memory of the team."""
    CHUNK_UNRESOLVED = "__kmpc_parallel_51:chunk-unresolved"
    """The same where the mode is looked up while the region runs."""
    PARALLEL_ONLY = "__kmpc_parallel_51:only"
    """The one parallel region of a teams region."""
    PARALLEL_UNRESOLVED = "__kmpc_parallel_51:only-unresolved"
    PARALLEL = "__kmpc_parallel_51"
    """One of several parallel regions, or one in a loop of the team."""
    FOR = "__kmpc_for_static_init"
    ITERATION = "__kmpc_for_static_init:iteration"
    """An iteration of `for` in a parallel region of its own: its counter has 64 bits."""
    DISPATCH = "__kmpc_dispatch_next"
    REDUCE_THREADS = "__kmpc_nvptx_parallel_reduce_nowait_v2"
    REDUCE_TEAMS = "__kmpc_nvptx_teams_reduce_nowait_v2"
    CRITICAL = "__kmpc_critical"
