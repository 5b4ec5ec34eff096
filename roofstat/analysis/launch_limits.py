"""What launches have too much of for a card, or need of it in vain."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from clang_queries.ir.expressions import FunctionName
from clang_queries.ir.walk import walk
from roofstat.hardware import Vendor
from roofstat.hardware.units import DEFAULT_SHARED_BYTES, MAX_BLOCK, MAX_GRID

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofstat.execution.host.launch_table import HostLaunch
    from roofstat.hardware import Gpu
    from roofstat.program.link import Program
    from roofstat.report import OccupancyReport


_CLUSTER_TARGET = 90
"""Clusters of blocks came with compute capability 9.0 (CUDA C++ Programming Guide, "Thread Block Clusters")."""
_CLUSTER_CALLS = ("cooperative_groups::this_cluster", "cooperative_groups::cluster_group::")
_OPT_IN = "FuncSetAttribute"
"""End of the names of the calls by which programs ask for more shared memory than a launch may have by itself."""


def exceeded_limits(
    launch: HostLaunch, gpu: Gpu, occupancy: OccupancyReport, program: Program
) -> list[str]:
    """Say what a launch has too much of, or needs in vain; nothing where the card takes it."""
    code, threads = launch.trace.code, math.prod(launch.block)
    most_threads = code.max_threads_per_block or gpu.max_threads_per_block
    whose = "" if code.max_threads_per_block is None else " by its launch bounds"
    limits = [("threads in a block", threads, most_threads, whose)]
    shared, most_shared, whose = occupancy.shared_bytes_per_block, gpu.shared_bytes_per_block, ""
    if gpu.vendor is Vendor.NVIDIA:
        limits += _axes("blocks", launch.grid, MAX_GRID)
        if threads <= most_threads:
            limits += _axes("threads in a block", launch.block, MAX_BLOCK)
        is_own = launch.source == "host-code" and launch.shared_bytes > 0
        if is_own and DEFAULT_SHARED_BYTES < shared <= most_shared and not _opts_in(program):
            most_shared, whose = DEFAULT_SHARED_BYTES, " without cudaFuncSetAttribute"
    limits.append(("bytes of shared memory in a block", shared, most_shared, whose))
    exceeded = [
        f"{size:,} {what}, of at most {most:,}{whose}"
        for what, size, most, whose in limits
        if size > most
    ]
    if _lacks_clusters(gpu) and _uses_clusters(launch, program):
        exceeded.append(f"clusters of blocks, which need sm_{_CLUSTER_TARGET} (it is {gpu.target})")
    return exceeded


def _lacks_clusters(gpu: Gpu) -> bool:
    target = re.fullmatch(r"sm_(\d+)[a-z]?", gpu.target)
    return target is not None and int(target[1]) < _CLUSTER_TARGET


def _uses_clusters(launch: HostLaunch, program: Program) -> bool:
    function = program.functions.get(launch.kernel)
    return function is not None and (
        function.has_cluster_sizes
        or any(
            isinstance(node, FunctionName) and node.name.startswith(_CLUSTER_CALLS)
            for node in walk(function.body)
        )
    )


def _opts_in(program: Program) -> bool:
    """Whether the program asks for more shared memory anywhere, for whatever kernel."""
    return any(
        isinstance(node, FunctionName) and node.name.endswith(_OPT_IN)
        for function in program.functions.values()
        for node in walk(function.body)
    )


def _axes(
    what: str, sizes: Sequence[int], limits: Sequence[int]
) -> list[tuple[str, int, int, str]]:
    return [
        (f"{what} along {axis}", size, most, "")
        for axis, size, most in zip("xyz", sizes, limits, strict=True)
    ]
