"""The launches of a program: an entry for each configuration of a kernel and each amount of work and traffic under it."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.host.launch_amounts import Amounts, are_alike, moved_by, work_of
from roofstat.program.code import Op

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Position
    from roofstat.execution.host.launch_changes import LaunchChanges
    from roofstat.execution.host.relaunch import LaunchInputs
    from roofstat.execution.trace import LaunchTrace

Dim3 = tuple[int, int, int]
LaunchKey = tuple[str, Dim3, Dim3, int]
"""Kernel, grid, block, dynamic shared bytes."""

_CONFIGURATIONS = 6
"""Configurations of one kernel that are traced in any case."""
_APART = 1.5
"""A further one is traced where no traced one has its number of threads within this factor."""
_ARGUMENTS = 16
"""So many other arguments of one configuration are traced; of further ones the 32nd, the 64th ..."""
_EVEN = 4
"""After so many that do and move the same only every second, fourth ... one is traced, where it stands for itself."""
_STEPS = 60_000
"""Steps of the machine for the further launches of one kernel: expensive ones are looked at less often."""
_GROWTH = 4
"""What is traced even beyond: a configuration with so many times the threads of all before."""
_REMEMBERED = 1024
"""Argument tuples of one configuration that are remembered."""


class Deciding(NamedTuple):
    """What of a launch's arguments decides how much a kernel does, and what it moves."""

    numbers: tuple[int | float | None, ...]
    """Those that conditions and the distances between addresses rest on; None for unknown ones."""
    pointers: tuple[int, ...] = ()
    """Which of the pointers lead into one allocation, and which nowhere (`launch_pointers`)."""
    contents: tuple[object, ...] = ()
    """What memory holds that conditions rest on (`deciding_contents`)."""


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
    inputs: LaunchInputs | None = None
    """What it takes to repeat the first of them; None where that was not kept."""
    changes: LaunchChanges | None = None
    """What the first of them has left; None where nobody asks."""
    is_exact: bool = True
    """Whether the program itself computes this configuration."""
    folded: float = 0.0
    """How many of the launches have other sizes or arguments, whose work was not looked at."""
    repeats: int = 0
    """How often the same launch came again."""
    replayed: float = 0.0
    """How many of the launches are those of a graph, the same every time."""
    guessed_loop: Position | None = None
    """A loop around the launches whose end nobody knows: how many there are is a guess."""
    estimate: str = ""
    """What is said of its number of launches where that was told from a part of a loop."""
    last: int = 0
    """Number of the latest of them among all launches of the program."""
    is_untaken: bool = False
    """Whether main() does not take the branch to it: it is analysed as it would be."""
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

    @cached_property
    def work(self) -> float:
        """Thread-level instructions of one launch, before they are lowered."""
        return work_of(self.trace)

    @cached_property
    def moved(self) -> Amounts:
        """What one launch moves, looked at only where that decides something: it takes all accesses."""
        return moved_by(self.trace)

    def is_like(self, other: HostLaunch) -> bool:
        """Whether another launch does and moves the same but for small differences."""
        return are_alike((self.work,), (other.work,)) and are_alike(self.moved, other.moved)


@dataclass(slots=True, eq=False)
class _Group:
    """Launches with one configuration."""

    members: list[HostLaunch]
    """Those that are traced."""
    by_arguments: dict[Deciding, HostLaunch]
    others: int = 0
    """Launches with arguments that were not seen before."""

    @property
    def is_even(self) -> bool:
        """Whether several arguments were looked at and made no difference."""
        return len(self.members) > _EVEN and len(_alike(self.members)) == 1


@dataclass(slots=True, eq=False)
class _Kernel:
    """Launches of one kernel."""

    groups: dict[LaunchKey, _Group] = field(default_factory=dict)
    steps: int = 0
    """What the machine has spent on all launches but the first."""

    @property
    def is_expensive(self) -> bool:
        return self.steps > _STEPS

    @property
    def varies(self) -> bool:
        """Whether its launches have different sizes or arguments."""
        return len(self.groups) > 1 or any(
            len({(known.numbers, known.contents) for known in group.by_arguments}) > 1
            for group in self.groups.values()
        )


class LaunchTable:
    """Decides which launches are traced, and counts the others with the traced one that they resemble."""

    def __init__(self) -> None:
        self._kernels: dict[str, _Kernel] = {}
        self.mark = 0
        """Launches so far, as they were seen."""
        self.seen: Counter[str] = Counter()
        """Those of each kernel."""
        self.estimates: dict[str, str] = {}
        """Kernel -> what is said of launches whose number is not exact."""

    def entries(self) -> list[HostLaunch]:
        """Launches of the program: alike ones of a configuration together, each shown by the one nearest to their mean."""
        found: list[HostLaunch] = []
        for kernel in self._kernels.values():
            own = [
                _together(alike, varies=kernel.varies)
                for group in kernel.groups.values()
                for alike in _alike(group.members)
            ]
            _make_whole(own)
            for entry in own:
                entry.estimate = self.estimates.get(entry.kernel, "")
            found += own
        return sorted(found, key=lambda entry: entry.index)

    def doubt_count_since(self, mark: int, loop: Position) -> None:
        """Launches seen after a mark stand in a loop whose end nobody knows."""
        for kernel in self._kernels.values():
            for group in kernel.groups.values():
                for launch in group.members:
                    if launch.last > mark and launch.guessed_loop is None:
                        launch.guessed_loop = loop

    def counted_with(
        self, configuration: LaunchKey, arguments: Deciding, weight: float, *, is_exact: bool
    ) -> HostLaunch | None:
        """Count a launch with a traced one; None where it has to be traced.

        Args:
            configuration: Of the launch.
            arguments: What decides how much it does.
            weight: Launches that it stands for.
            is_exact: Whether the program itself computes the configuration.
        """
        kernel = self._kernels.get(configuration[0])
        if kernel is None:
            return None
        group = kernel.groups.get(configuration)
        if group is None:
            group = _nearest(kernel, configuration)
            return None if group is None else self._fold(group, arguments, weight)
        first = group.members[0]
        if not is_exact:
            return self.count(first, weight)
        if not first.is_exact:
            return None
        known = group.by_arguments.get(arguments)
        if known is not None:
            known.repeats += 1
            return self.count(known, weight)
        group.others += 1
        most = _EVEN if weight == 1.0 and group.is_even else _ARGUMENTS
        is_few = group.others <= most or group.others & (group.others - 1) == 0
        if is_few and not kernel.is_expensive:
            return None
        return self._fold(group, arguments, weight)

    def add(self, configuration: LaunchKey, arguments: Deciding, launch: HostLaunch) -> None:
        """Add a traced launch."""
        self.mark += 1
        self.seen[launch.kernel] += 1
        launch.last = self.mark
        kernel = self._kernels.get(launch.kernel)
        if kernel is None:
            kernel = self._kernels[launch.kernel] = _Kernel()
        else:
            kernel.steps += launch.trace.steps
        group = kernel.groups.get(configuration)
        if group is None:
            kernel.groups[configuration] = _Group([launch], {arguments: launch})
            return
        first = group.members[0]
        if not first.is_exact and launch.is_exact:
            # A stated configuration: the launch that really has it replaces the one that it was applied to.
            launch.count += first.count
            group.members[0] = launch
            group.by_arguments = {arguments: launch}
            return
        group.members.append(launch)
        if len(group.by_arguments) < _REMEMBERED:
            group.by_arguments[arguments] = launch

    def count(self, launch: HostLaunch, weight: float) -> HostLaunch:
        """Count further launches with a traced one."""
        self.mark += 1
        self.seen[launch.kernel] += 1
        launch.last = self.mark
        launch.count += weight
        return launch

    def _fold(self, group: _Group, arguments: Deciding, weight: float) -> HostLaunch:
        """Count a launch that is not looked at with the one whose arguments are nearest."""
        _, launch = min(group.by_arguments.items(), key=lambda item: _distance(item[0], arguments))
        launch.folded += weight
        return self.count(launch, weight)


def _nearest(kernel: _Kernel, configuration: LaunchKey) -> _Group | None:
    """Of many configurations the one that a new one is counted with; None where that has to be traced."""
    if len(kernel.groups) < _CONFIGURATIONS:
        return None
    threads = _threads(configuration[1], configuration[2])
    sizes = {key: _threads(key[1], key[2]) for key in kernel.groups}
    key = min(sizes, key=lambda item: abs(math.log(sizes[item] / threads)))
    if kernel.is_expensive:
        is_new = threads >= _GROWTH * max(sizes.values())
    else:
        is_new = not 1 / _APART <= sizes[key] / threads <= _APART
    return None if is_new else kernel.groups[key]


def _distance(first: Deciding, second: Deciding) -> tuple[float, bool, bool]:
    """How far arguments are apart, by their ratios; among equals, whether their pointers and contents are."""
    ratios = sum(
        abs(math.log((1 + abs(one or 0)) / (1 + abs(other or 0))))
        for one, other in zip(first.numbers, second.numbers, strict=True)
        if one != other
    )
    return ratios, first.pointers != second.pointers, first.contents != second.contents


def _alike(members: list[HostLaunch]) -> list[list[HostLaunch]]:
    """Launches of one configuration, those together that do and move the same."""
    if len(members) == 1:
        return [members]
    found: list[list[HostLaunch]] = []
    for launch in members:
        for group in found:
            if group[0].is_like(launch):
                group.append(launch)
                break
        else:
            found.append([launch])
    return found


def _together(alike: list[HostLaunch], *, varies: bool) -> HostLaunch:
    """One entry for launches that are alike."""
    count = math.fsum(launch.count for launch in alike)
    shown = alike[0]
    if len(alike) > 1:
        mean = math.fsum(launch.count * launch.work for launch in alike) / count
        shown = min(alike, key=lambda launch: abs(launch.work - mean))
    # One that a loop ran once for many of its iterations stands for others with other arguments.
    others = [
        launch.count - launch.replayed - 1 if varies and not launch.repeats else launch.folded
        for launch in alike
    ]
    return replace(
        shown,
        count=count,
        folded=math.fsum(others),
        index=min(launch.index for launch in alike),
        guessed_loop=next((one.guessed_loop for one in alike if one.guessed_loop), None),
        last=max(launch.last for launch in alike),
    )


def _make_whole(entries: list[HostLaunch]) -> None:
    """Whole numbers of launches, with the same sum: what is lost below goes to those that lose most."""
    missing = round(math.fsum(entry.count for entry in entries))
    fractions = {id(entry): entry.count % 1 for entry in entries}
    for entry in entries:
        entry.count = max(math.floor(entry.count), 1)
        missing -= entry.count
    for entry in sorted(entries, key=lambda entry: -fractions[id(entry)])[: max(missing, 0)]:
        entry.count += 1


def _threads(grid: Dim3, block: Dim3) -> int:
    return math.prod(grid) * math.prod(block)
