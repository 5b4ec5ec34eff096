"""Names of the device run time's work in lowered code; `roofstat/instructions/data/openmp.toml` gives their costs.

A name is the entry point of LLVM's run time that stands for the work, with the case after a colon where the cost depends
on what the compiler could resolve: `COUNTED` and `LOOKED_UP` end names where it could not resolve all.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from roofstat.program.code import LibraryCall

if TYPE_CHECKING:
    from roofstat.program.code import Code

_RUN_TIME = "__kmpc"

SELECTING = ":select"
"""Ends the name of a reduction that chooses one of two values (`min`, `max`) instead of combining them."""
COMBINED = ":combined"
"""Ends the name of a reduction whose arithmetic is code of the program, lowered beside the call."""


COUNTED = ":counted"
"""The number of threads goes through memory of the team, since a `num_threads` clause stands in the module."""
LOOKED_UP = ":looked-up"
"""The mode and the levels too are looked up while the region runs, since the module has regions of both modes."""


class RuntimeCall(StrEnum):
    """Work that the run time adds to a region."""

    INIT_SPMD = "__kmpc_target_init:spmd"
    INIT_ONLY = "__kmpc_target_init:spmd-only"
    """The same where the loop is known to be one chunk: what one thread writes is never read."""
    NUM_THREADS = "__kmpc_push_num_threads"
    """A `num_threads` clause of the region's own."""
    INIT_TEAMS = "__kmpc_target_init:teams"
    INIT_SEQUENTIAL = "__kmpc_target_init:sequential"
    DISTRIBUTE = "__kmpc_distribute_static_init"
    DISTRIBUTE_WIDE = "__kmpc_distribute_static_init:wide"
    """What teams with a chunk compute before the first one for a counter of 64 bits."""
    DISTRIBUTE_WIDE_NEST = "__kmpc_distribute_static_init:wide-nest"
    """The same with the product of the trip counts of a nest."""
    PART = "__kmpc_distribute_static_init:part"
    """The bounds of a team's contiguous part, beside the division that the lowered code states."""
    PART_SIGNED = "__kmpc_distribute_static_init:part-signed"
    """The same for a signed counter."""
    CHUNK = "__kmpc_parallel_51:chunk"
    """A chunk of `distribute parallel for`: bounds, the parallel region around it, the step to the next one."""
    CHUNK_SIGNED = "__kmpc_parallel_51:chunk-signed"
    """The same for a signed counter of 32 bits: the threads' own counters have 64."""
    ROUND_SIGNED = "__kmpc_parallel_51:round-signed"
    """An iteration of a thread in such a chunk, whose counter is widened and compared in two words."""
    CHUNK_WIDE = "__kmpc_parallel_51:chunk-wide"
    """The same for a counter of 64 bits."""
    CHUNK_ONLY = "__kmpc_parallel_51:chunk-only"
    """The chunk of a loop that is known to have no more."""
    PARALLEL_SPMD = "__kmpc_parallel_51:spmd"
    """A parallel region that is the whole of its target region."""
    PARALLEL_ONLY = "__kmpc_parallel_51:only"
    """The one parallel region of a teams region."""
    PARALLEL = "__kmpc_parallel_51"
    """One of several parallel regions, or one in a loop of the team."""
    MODE = "__kmpc_is_spmd_exec_mode"
    """A look at the mode, which barriers of teams regions take in modules of both modes."""
    THREAD_NUMBER = "omp_get_thread_num"
    THREAD_COUNT = "omp_get_num_threads"
    FOR = "__kmpc_for_static_init"
    BLOCK = "__kmpc_for_static_init:block"
    """The bounds of a thread's contiguous part: two divisions."""
    ITERATION = "__kmpc_for_static_init:iteration"
    """An iteration of `for` in a parallel region, around which clang keeps a loop of its own."""
    ITERATION_WIDE = "__kmpc_for_static_init:iteration-wide"
    """What that loop, made ready for copies, takes more for a counter of 64 bits."""
    ITERATION_WIDE_UNSIGNED = "__kmpc_for_static_init:iteration-wide-unsigned"
    """The same without a sign."""
    DISPATCH = "__kmpc_dispatch_next"
    REDUCE_THREADS = "__kmpc_nvptx_parallel_reduce_nowait_v2"
    """One number of a reduction over the threads of a team."""
    REDUCE_REGION = "__kmpc_nvptx_parallel_reduce_nowait_v2:region"
    """What all numbers that a parallel region reduces have in common: which warp and lane a thread is, who takes part."""
    REDUCE_CHUNK = "__kmpc_nvptx_parallel_reduce_nowait_v2:chunk"
    """The same in chunks of `distribute parallel for`, less what stands before the first one."""
    REDUCE_START = "__kmpc_nvptx_parallel_reduce_nowait_v2:start"
    """What a thread computes once for the reductions of all chunks of its team."""
    REDUCE_TEAMS = "__kmpc_nvptx_teams_reduce_nowait_v2"
    """The end of a teams region with reductions, by every thread: who goes on, and whether its team is the last."""
    REDUCE_RECORD = "__kmpc_nvptx_teams_reduce_nowait_v2:record"
    """One number of a team's results combined with those of other teams, by one thread."""
    CRITICAL = "__kmpc_critical"


def is_region(code: Code) -> bool:
    """Whether code is that of a target region: it calls the run time of OpenMP."""
    return any(is_run_time_work(item.detail) for _, item in code.instructions())


def is_run_time_work(detail: object) -> bool:
    """Whether the detail of an instruction is that of work of the run time."""
    return isinstance(detail, LibraryCall) and detail.name.startswith(_RUN_TIME)
