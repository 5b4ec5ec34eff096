"""Launches of an earlier host run, repeated with other code of their kernel: what an edit inside of it changes."""

from __future__ import annotations

import dataclasses
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.host.deciding_parameters import deciding_memory, deciding_parameters
from roofstat.execution.kernel_run import run_kernel
from roofstat.execution.numbers.values import Unknown
from roofstat.execution.stored.kernel_stores import settle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clang_queries.ir.types import Scalar
    from roofstat.execution.host.launch_table import HostLaunch
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.stored.address_space import AddressSpace, MemoryObject
    from roofstat.execution.stored.contents import Contents
    from roofstat.execution.stored.fill import Fill
    from roofstat.program.code import Code
    from roofstat.program.link import Program

MOST_OBJECTS = 2000
"""Programs with more allocations keep nothing to repeat launches from: copies of all would cost more than they save."""


@dataclass(slots=True, eq=False)
class LaunchInputs:
    """What a launch began with, and what it left."""

    arguments: list[Value]
    is_known: bool
    """Whether the host program knows the arguments, so that they do not follow from the kernel's code."""
    memory: AddressSpace
    globals: dict[str, MemoryObject]
    left: dict[int, Contents] = field(default_factory=dict)
    """Contents of the allocations that it has written."""

    @classmethod
    def of(
        cls,
        arguments: list[Value],
        memory: AddressSpace,
        globals_: Mapping[str, MemoryObject],
        *,
        is_known: bool,
    ) -> LaunchInputs:
        """Keep what a launch is about to see."""
        kept = memory.fork()
        return cls(list(arguments), is_known, kept, _same_globals(globals_, kept))


def settle_written(memory: AddressSpace) -> dict[int, Contents]:
    """After a launch: settle what it has written; copies of what has changed, by number."""
    left: dict[int, Contents] = {}
    for number in sorted(memory.written):
        found = memory.objects[number]
        if settle(found):
            left[number] = found.contents.copy()
    memory.written.clear()
    return left


def relaunch(program: Program, code: Code, launch: HostLaunch) -> tuple[HostLaunch, bool]:
    """Repeat a launch with other code.

    Args:
        program: The program that the code is of.
        code: The kernel's.
        launch: One whose inputs were kept.

    Returns:
        The launch with its new trace, and whether all else of the host run stays what it was: the launch is counted with
        the same others, and leaves in memory what it left before.
    """
    inputs = launch.inputs
    assert inputs is not None
    memory = inputs.memory.fork()
    first_own = len(memory.objects)
    trace = run_kernel(
        program,
        code,
        grid=launch.grid,
        block=launch.block,
        arguments=list(inputs.arguments),
        memory=memory,
        globals_=_same_globals(inputs.globals, memory),
        dynamic_shared_bytes=launch.shared_bytes,
        code_cache={},
        number=launch.trace.number,
    )
    left = settle_written(memory)
    found = dataclasses.replace(launch, trace=trace)
    return found, (
        inputs.is_known
        and deciding_parameters(code) == deciding_parameters(launch.trace.code)
        and deciding_memory(code) == deciding_memory(launch.trace.code)
        and _shared(found.changing, first_own) == _shared(launch.changing, first_own)
        and _is_same_memory(left, inputs.left, first_own)
    )


def _same_globals(
    globals_: Mapping[str, MemoryObject], memory: AddressSpace
) -> dict[str, MemoryObject]:
    return {key: memory.objects[found.buffer.number] for key, found in globals_.items()}


def _shared(numbers: frozenset[int], first_own: int) -> frozenset[int]:
    """Those of allocations that were there before the launch."""
    return frozenset(number for number in numbers if number < first_own)


def _is_same_memory(
    one: Mapping[int, Contents], other: Mapping[int, Contents], first_own: int
) -> bool:
    numbers = {number for number in (*one, *other) if number < first_own}
    return all(
        number in one and number in other and _is_same(one[number], other[number])
        for number in numbers
    )


def _is_same(one: Contents, other: Contents) -> bool:
    """Whether contents are known to be the same; keys of what is random do not count."""
    return (
        (one.initial, one.is_lost) == (other.initial, other.is_lost)
        and one.cells.keys() == other.cells.keys()
        and all(_is_same_cell(cell, other.cells[at]) for at, cell in one.cells.items())
        and len(one.fills) == len(other.fills)
        and all(map(_is_same_fill, one.fills, other.fills))
    )


def _is_same_cell(one: tuple[Scalar, Value], other: tuple[Scalar, Value]) -> bool:
    """Whether two cells hold the same; counters do where they have come to the same number."""
    (scalar, first), (other_scalar, second) = one, other
    if scalar is not other_scalar or not isinstance(first, Unknown):
        return one == other
    return (
        isinstance(second, Unknown)
        and first.sample is not None
        and second.sample is not None
        and (first.low, first.high) == (second.low, second.high)
        and np.array_equal(first.sample, second.sample)
    )


def _is_same_fill(one: Fill, other: Fill) -> bool:
    if one.sample is None or other.sample is None:
        is_same_sample = one.sample is other.sample
    else:
        is_same_sample = np.array_equal(one.sample, other.sample)
    if not is_same_sample:
        return False
    return dataclasses.replace(one, key=0, sample=None) == dataclasses.replace(
        other, key=0, sample=None
    )
