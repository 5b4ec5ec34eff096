"""What LLVM's OpenMP offload run time does on the host: launch configurations, device memory, mapped sections.

The launch rule and its constants are those of the run time of LLVM 18 for NVIDIA cards; `docs/openmp.md` holds them
against measured launches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.execution.host.cuda_runtime import copy_contents
from roofstat.execution.host.registry import HostCall, models
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.unknowns import value_bounds
from roofstat.execution.numbers.values import Unknown
from roofstat.program.openmp import DEFAULT_TEAMS, DEFAULT_THREADS, ExecutionMode

if TYPE_CHECKING:
    from roofstat.execution.numbers.values import Value
    from roofstat.program.openmp import TargetRegion

FEWEST_THREADS = 32
"""Threads of a team to which it goes down for loops that would not fill the default teams."""
MOST_THREADS = 1024


def region_launch(
    region: TargetRegion, teams: Value, threads: Value, trips: Value
) -> tuple[Value, Value]:
    """Teams and threads of a target region.

    Args:
        region: The region; its mode decides what one team does.
        teams: Value of `num_teams`; 0 where there is none.
        threads: Value of `thread_limit`, or of `num_threads` of a combined construct; 0 where there is none.
        trips: Iterations of the distributed loop; 0 where there is none.

    Returns:
        Grid and block along x; unknown where a clause is.
    """
    if isinstance(threads, Unknown) or not isinstance(threads, int | float):
        block: Value = threads
        is_given = True
    else:
        is_given = threads > 0
        block = min(int(threads), MOST_THREADS) if is_given else DEFAULT_THREADS
    if region.is_one_thread:
        block, is_given = 1, True
    if not region.has_teams:
        return 1, block
    if not isinstance(teams, int | float) or teams > 0:
        return teams, block
    if not isinstance(trips, int | float):
        bounds = value_bounds(trips) if isinstance(trips, Unknown) else None
        return (trips, block) if bounds is None else _between(region, threads, bounds)
    if trips <= 0 or not isinstance(block, int):
        return DEFAULT_TEAMS, block
    count = int(trips)
    if region.mode is not ExecutionMode.SPMD:
        return min(count, DEFAULT_TEAMS), block
    if not is_given and count < DEFAULT_TEAMS * block:
        block = _fewer_threads(count, block)
    return min(-(-count // block), DEFAULT_TEAMS), block


def _between(
    region: TargetRegion, threads: Value, trips: tuple[float, float]
) -> tuple[Value, Value]:
    """Teams between those of the fewest and the most iterations, and threads for the middle."""
    low, high = (max(int(number), 1) for number in trips)
    fewest, _ = region_launch(region, 0, threads, low)
    most, _ = region_launch(region, 0, threads, high)
    _, block = region_launch(region, 0, threads, (low + high) // 2)
    assert isinstance(fewest, int)
    assert isinstance(most, int)
    reason = f"{low} to {high} iterations"
    return Unknown(new_key(), uniform=True, low=fewest, high=most, reason=reason), block


def odd_sizes(
    region: TargetRegion, teams: Value, threads: Value, trips: Value
) -> tuple[tuple[str, str], ...]:
    """(kind, text) of sizes that no launch can have; the arguments are those of `region_launch`."""
    found = []
    for value, names in ((teams, ("num_teams",)), (threads, ("thread_limit", "num_threads"))):
        written = " or ".join(name for name in names if name in region.sizes.clauses)
        if written and isinstance(value, int) and value <= 0:
            found.append(
                f"{written} is {value} at this launch: read without it, make it positive by --args or --set"
            )
    if isinstance(trips, int) and trips < 0:
        found.append(
            f"the bounds of the loop give {trips} iterations, so that none is run: state positive sizes by --args or --set"
        )
    return tuple(("launch", text) for text in found)


def default_region_launch(region: TargetRegion) -> tuple[int, int]:
    """Teams and threads of a region that no host code reaches: what is stated, and loops that fill the default teams."""
    sizes = region.sizes
    threads = min(sizes.threads or DEFAULT_THREADS, MOST_THREADS)
    trips = sizes.trips or DEFAULT_TEAMS * threads
    teams, block = region_launch(region, sizes.teams, sizes.threads, trips)
    assert isinstance(teams, int)
    assert isinstance(block, int)
    return teams, block


def _fewer_threads(trips: int, block: int) -> int:
    """Smaller teams, so that there are more of them, where the loop has too few iterations for full ones."""
    fewest = min(FEWEST_THREADS, block)
    if trips < DEFAULT_TEAMS * fewest:
        return fewest
    each = trips // DEFAULT_TEAMS
    return min(block, 1 << (each - 1).bit_length())


def consistent_arguments(
    region: TargetRegion,
    arguments: list[Value],
    stated: tuple[Value, Value, Value],
    grid: int,
    block: int | None,
) -> list[Value]:
    """Arguments under a launch that the user states: a trip count that contradicts it is no longer believed.

    Args:
        region: The region.
        arguments: Values of its captured variables.
        stated: Values of `num_teams` and of the thread limit (0 where there is none), and the trip count.
        grid: Teams that the launch has.
        block: Threads of each, where stated.

    Returns:
        The arguments; the integer that is the trip count is unknown where the run time would start other teams for it.
    """
    teams, threads, trips = stated
    if not isinstance(trips, int) or not isinstance(teams, int) or teams > 0:
        return arguments
    own_grid, _ = region_launch(region, 0, block or threads, trips)
    if own_grid == grid or not region.has_teams:
        return arguments
    reason = "its value contradicts the number of teams"
    return [
        Unknown(new_key(), uniform=True, reason=reason) if _is_same(value, trips) else value
        for value in arguments
    ]


def _is_same(value: Value, trips: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value == trips


# Library calls


@models("omp_target_memcpy", "omp_target_memcpy_async")
def _target_memcpy(call: HostCall) -> Value:
    target, source = call.object(0), call.object(1)
    at, start = call.integer(3, 0) or 0, call.integer(4, 0) or 0
    copy_contents(
        (target[0], target[1] + at) if target is not None else None,
        (source[0], source[1] + start) if source is not None else None,
        call.integer(2),
    )
    return 0


@models("omp_target_memset", "omp_target_memset_async")
def _target_memset(call: HostCall) -> Value:
    target = call.object(0)
    if target is not None:
        target[0].contents.forget()
    return call.arguments[0]


@models("omp_map_section")
def _map_section(call: HostCall) -> Value:
    """A mapped section tells the extent of an array whose allocation nobody saw."""
    target, low, length = call.object(0), call.integer(1), call.integer(2)
    if target is not None and low is not None and length is not None and length > 0:
        found, at = target
        if found.buffer.size_bytes is None:
            found.resize(at + low + length)
    return 0


@models(
    "omp_target_free",
    "omp_set_default_device",
    "omp_set_num_teams",
    "omp_set_dynamic",
    "omp_set_nested",
    "omp_set_max_active_levels",
    "omp_set_teams_thread_limit",
    "omp_set_schedule",
    "omp_target_associate_ptr",
    "omp_target_disassociate_ptr",
    "omp_in_parallel",
    "omp_get_level",
    "omp_get_dynamic",
)
def _zero(call: HostCall) -> Value:
    return 0


@models("omp_target_is_present", "omp_get_num_teams", "omp_get_team_size")
def _one(call: HostCall) -> Value:
    return 1


@models("omp_get_mapped_ptr")
def _same_pointer(call: HostCall) -> Value:
    return call.arguments[0]
