"""How many threads the host has: a number of the machine that runs the program, which nobody here knows."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.host.registry import HostCall, models

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofstat.execution.host.launch_table import HostLaunch
    from roofstat.execution.numbers.values import Value

ASSUMED_THREADS = 8


@dataclass(slots=True, eq=False)
class HostThreads:
    """What one run of the host program takes the number to be."""

    assumed: int = ASSUMED_THREADS
    chosen: Value | None = None
    """What the program itself has set for its parallel regions."""
    asked: set[str] = field(default_factory=set)
    """Functions that the program has asked for the number, where nobody states it."""


@models(
    "omp_get_max_threads",
    "omp_get_num_procs",
    "thread::hardware_concurrency",
    "get_nprocs",
    pure=True,
)
def _threads(call: HostCall) -> Value:
    state = call.state(HostThreads)
    if call.name == "omp_get_max_threads" and state.chosen is not None:
        return state.chosen
    program, name = call.run.program, call.name.rsplit("::", 1)[-1]
    stated = program.stated.get(name)
    if stated is not None:
        program.used_values.add(name)
        return int(stated)
    state.asked.add(name)
    return state.assumed


@models("omp_set_num_threads")
def _set_threads(call: HostCall) -> Value:
    call.state(HostThreads).chosen = call.arguments[0]
    return 0


def note_influence(
    launches: Sequence[HostLaunch], others: Sequence[HostLaunch], names: set[str]
) -> None:
    """The launches that a run with another number of threads does not have say that they rest on it.

    Args:
        launches: Of the run whose launches are reported.
        others: Of the run with another number.
        names: Functions that gave the number.
    """
    same = {_identity(launch) for launch in others}
    calls = " and ".join(f"{name}()" for name in sorted(names))
    states = " ".join(f"--set {name}=NUMBER" for name in sorted(names))
    for launch in launches:
        if _identity(launch) not in same:
            text = f"this launch depends on what {calls} gives on the host, taken as {ASSUMED_THREADS}: state it with {states}"
            launch.notes.append(("argument", text))


def _identity(launch: HostLaunch) -> tuple[object, ...]:
    """What a launch does, and how large its buffers are."""
    sizes = sorted(
        (buffer.name, buffer.size_bytes or 0) for buffer in launch.trace.buffers.values()
    )
    configuration = launch.kernel, launch.grid, launch.block, launch.shared_bytes
    return *configuration, launch.count, round(launch.work), tuple(sizes)
