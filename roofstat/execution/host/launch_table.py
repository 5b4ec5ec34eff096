"""The launches of a program: an entry for each configuration of a kernel and each amount of work under it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from roofstat.program.code import Op, blocks

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Position
    from roofstat.execution.trace import LaunchTrace
    from roofstat.program.code import Instruction

Dim3 = tuple[int, int, int]
LaunchKey = tuple[str, Dim3, Dim3, int]
"""Kernel, grid, block, dynamic shared bytes."""
Deciding = tuple[int | float | None, ...]
"""Arguments that decide how much a kernel does; None for unknown ones."""

_CONFIGURATIONS = 6
"""Configurations of one kernel that are traced in any case."""
_GROWTH = 4
"""A further one is traced where it has so many times the threads of all before."""
_ALIKE = 1.25
"""Work within this factor is the same work."""
_CHEAP_STEPS = 20_000
"""Kernels that take the machine longer are looked at once for each configuration."""
_REMEMBERED = 1024
"""Argument tuples of one configuration that are remembered."""


_FUNCTION_WEIGHT = 10
"""What a function of the math library or a division counts as, in plain instructions."""
_PLAIN_FUNCTIONS = frozenset(
    {"min", "max", "abs", "fma", "floor", "ceil", "trunc", "rint", "evenly"}
)


def _instruction_weight(item: Instruction) -> int:
    is_function = item.op is Op.MATH and item.detail not in _PLAIN_FUNCTIONS
    return _FUNCTION_WEIGHT if is_function or (item.op is Op.DIV and item.scalar.is_float) else 1


@dataclass(eq=False, kw_only=True)
class HostLaunch:
    """Launches of one kernel with one configuration that do the same work, with the trace of the first of them."""

    kernel: str
    grid: Dim3
    block: Dim3
    shared_bytes: int
    position: Position
    index: int
    count: float
    source: str
    trace: LaunchTrace
    is_exact: bool = True
    """Whether the program itself computes this configuration."""
    folded: float = 0.0
    """How many of the launches have other sizes or arguments, whose work was not looked at."""
    guessed_loop: Position | None = None
    """A loop around the launches whose end nobody knows: how many there are is a guess."""
    last: int = 0
    """Number of the latest of them among all launches of the program."""
    notes: list[tuple[str, str]] = field(default_factory=list)
    """(kind, text) of what had to be assumed about the launch itself."""

    @property
    def threads(self) -> int:
        """Threads of one launch."""
        return _threads(self.grid, self.block)

    @cached_property
    def changing(self) -> frozenset[int]:
        """Buffers that every further launch changes again: all that are written, where one of them is also read."""
        directions: dict[Op, set[int]] = {op: set() for op in (Op.LOAD, Op.STORE, Op.ATOMIC)}
        operations = {item.site: item.op for _, item in self.trace.code.instructions()}
        for event in self.trace.events:
            touched = directions.get(operations.get(event.site, Op.MOV))
            if touched is not None and event.buffer is not None:
                touched.add(event.buffer)
        stored, counted = directions[Op.STORE], directions[Op.ATOMIC]
        return frozenset(stored | counted if stored & directions[Op.LOAD] else counted)

    @property
    def work(self) -> float:
        """Thread-level instructions of one launch, before they are lowered."""
        return math.fsum(
            threads * sum(map(_instruction_weight, block.instructions))
            for block in blocks(self.trace.code.body)
            if (threads := self.trace.block_threads.get(block.number, 0.0))
        )


@dataclass(slots=True, eq=False)
class _Group:
    """Launches with one configuration."""

    entries: list[HostLaunch]
    by_arguments: dict[Deciding, HostLaunch]
    others: int = 0
    """Launches with arguments that were not seen before."""


class LaunchTable:
    """Decides which launches are traced, and counts the others with the traced one that they resemble."""

    def __init__(self) -> None:
        self._groups: dict[LaunchKey, _Group] = {}
        self._kernels: dict[str, list[_Group]] = {}
        self.mark = 0
        """Launches so far, as they were seen."""

    def entries(self) -> list[HostLaunch]:
        """All entries, in the order in which their configurations first appeared."""
        return [entry for group in self._groups.values() for entry in group.entries]

    def doubt_count_since(self, mark: int, loop: Position) -> None:
        """Launches seen after a mark stand in a loop whose end nobody knows."""
        for entry in self.entries():
            if entry.last > mark and entry.guessed_loop is None:
                entry.guessed_loop = loop

    def _count(self, entry: HostLaunch, weight: float) -> HostLaunch:
        self.mark += 1
        entry.last = self.mark
        entry.count += weight
        return entry

    def counted_with(
        self, configuration: LaunchKey, arguments: Deciding, weight: float, *, is_exact: bool
    ) -> HostLaunch | None:
        """Count a launch with an entry; None where it has to be traced.

        Args:
            configuration: Of the launch.
            arguments: What decides how much it does.
            weight: Launches that it stands for.
            is_exact: Whether the program itself computes the configuration.
        """
        group = self._groups.get(configuration)
        if group is None:
            return self._counted_elsewhere(configuration, weight)
        first = group.entries[0]
        if not is_exact:
            return self._count(first, weight)
        if not first.is_exact:
            return None
        known = group.by_arguments.get(arguments)
        if known is None:
            group.others += 1
            is_cheap = first.trace.steps <= _CHEAP_STEPS
            if is_cheap and group.others & (group.others - 1) == 0:
                return None  # the 1st, 2nd, 4th, 8th ...: work may grow from launch to launch
            known = group.entries[-1]
            known.folded += weight
        return self._count(known, weight)

    def add(self, configuration: LaunchKey, arguments: Deciding, launch: HostLaunch) -> None:
        """Add a traced launch; one that does what another entry does is counted there."""
        self.mark += 1
        launch.last = self.mark
        group = self._groups.get(configuration)
        if group is None:
            group = self._groups[configuration] = _Group([launch], {arguments: launch})
            self._kernels.setdefault(launch.kernel, []).append(group)
            return
        if not group.entries[0].is_exact and launch.is_exact:
            # A stated configuration: the launch that really has it replaces the one that it was applied to.
            launch.count += group.entries[0].count
            group.entries[0] = launch
            group.by_arguments = {arguments: launch}
            return
        entry = next((item for item in group.entries if _alike(item.work, launch.work)), None)
        if entry is None:
            group.entries.append(launch)
            entry = launch
        else:
            self._count(entry, launch.count)
        if len(group.by_arguments) < _REMEMBERED:
            group.by_arguments[arguments] = entry

    def _counted_elsewhere(self, configuration: LaunchKey, weight: float) -> HostLaunch | None:
        """Count a launch of a new configuration with the nearest, where there are many already."""
        kernel, grid, block, _ = configuration
        groups = self._kernels.get(kernel, [])
        if len(groups) < _CONFIGURATIONS:
            return None
        threads = _threads(grid, block)
        if threads >= _GROWTH * max(group.entries[0].threads for group in groups):
            return None
        entry = min(
            (group.entries[-1] for group in groups),
            key=lambda item: abs(math.log(item.threads / threads)),
        )
        entry.folded += weight
        return self._count(entry, weight)


def _threads(grid: Dim3, block: Dim3) -> int:
    return math.prod(grid) * math.prod(block)


def _alike(first: float, second: float) -> bool:
    low, high = sorted((first, second))
    return high <= _ALIKE * low
