"""Kernel launches of a host program: each configuration is traced when it is new, else counted."""

from __future__ import annotations

import math
import operator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeGuard

from clang_queries.ir.types import PointerType
from clang_queries.quick_dataclass import dataclass
from roofstat.execution.host.deciding_contents import DecidingContents
from roofstat.execution.host.deciding_parameters import argument_piece, deciding_parameters
from roofstat.execution.host.defects import DEFECTS, defect_of
from roofstat.execution.host.launch_arguments import LaunchArguments
from roofstat.execution.host.launch_changes import LaunchChanges
from roofstat.execution.host.launch_pointers import pointer_relations
from roofstat.execution.host.launch_table import Deciding, Dim3, HostLaunch, LaunchTable
from roofstat.execution.host.openmp_runtime import (
    consistent_arguments,
    default_region_launch,
    odd_sizes,
    region_launch,
)
from roofstat.execution.host.relaunch import MOST_OBJECTS, LaunchInputs, settle_written
from roofstat.execution.host.vectors import expected, is_any_word
from roofstat.execution.kernel_run import run_kernel
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import Unknown
from roofstat.execution.unstated.default_launch import default_grid_of, default_launch, grid_axes
from roofstat.hardware.units import MAX_GRID
from roofstat.program.code import LaunchSite, Space
from roofstat.program.openmp.runtime_calls import is_region

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from clang_queries.ir.expressions import Position
    from clang_queries.ir.types import Scalar
    from roofstat.execution.host.deciding_parameters import Piece
    from roofstat.execution.host.launch_table import LaunchKey
    from roofstat.execution.host.run import HostRun
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.trace import LaunchTrace
    from roofstat.program.code import Code, Instruction

_REFUSED = "refused-launch"
_ASSUMED = frozenset({"launch", "any-launch", _REFUSED})
"""Kinds of notes on sizes that are not the program's."""
_DEFAULT_LAUNCH: tuple[Dim3, Dim3] = ((1024, 1, 1), (256, 1, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOverride:
    """A launch configuration that the user or a label gives instead of the program's."""

    grid: Dim3 | None = None
    block: Dim3 | None = None
    shared_bytes: int | None = None
    source: str = "flag"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchRequest:
    """What the host program asks for."""

    kernel: str
    grid: Sequence[Value]
    block: Sequence[Value]
    shared_bytes: Value
    arguments: list[Value]
    position: Position
    defaults: tuple[Dim3, Dim3] = _DEFAULT_LAUNCH
    """Grid and block where those of the launch are unknown."""
    notes: tuple[tuple[str, str], ...] = ()
    """(kind, text) of what is wrong with the sizes that the program gives."""


@dataclass(slots=True, eq=False)
class CountedLaunch:
    """A launch of a graph, and with which traced launch it is counted."""

    traced: HostLaunch
    weight: float
    is_new: bool = True
    """Whether it was counted when the graph was made, and the graph has not been launched yet."""


class Launcher:
    """Carries out the launches of one host run."""

    def __init__(
        self,
        run: HostRun,
        overrides: Callable[[str], LaunchOverride | None],
        wanted: Callable[[str], bool],
        *,
        is_search: bool = False,
    ) -> None:
        self.table = LaunchTable()
        self.launched: set[str] = set()
        self.keeps_inputs = False
        """Whether launches keep what it takes to repeat them."""
        self.kept_on_host: dict[str, str] = {}
        """Target regions that the host has run itself, and why."""
        self.captured: list[CountedLaunch] | None = None
        """Launches that a graph takes up, while one is made."""
        self._uncalled: str | None = None
        """A function that launches and that no run reaches, while it is called all the same."""
        self._is_search = is_search
        """Whether the run takes arms that the program's values do not choose, to reach what it launches."""
        self._run = run
        self._overrides = overrides
        self._wanted = wanted
        self._arguments = LaunchArguments(run.program, run.memory)
        self._deciding: dict[str, dict[Piece, Scalar]] = {}
        self._contents = DecidingContents(run.memory)
        self._device_code: dict[str, Code] = {}
        self._count = 0
        self._left_out: frozenset[str] = frozenset()
        """Kernels whose launches are passed over."""

    def run_instruction(self, instruction: Instruction, arguments: list[Value]) -> None:
        """A launch in the source: of a kernel, through a function pointer, or of a target region."""
        site = instruction.detail
        assert isinstance(site, LaunchSite)
        position = instruction.position
        key = site.kernel
        if site.is_target_region:
            assert key is not None
            if site.host_reason:
                self.kept_on_host.setdefault(key, site.host_reason)
                return
            self.launch(self._region_request(key, arguments, position))
            return
        values = list(arguments)
        if key is None:
            pointer = values.pop(0)
            found = self._run.memory.find(pointer) if isinstance(pointer, int) else None
            key = found.function_key if found is not None else None
        if key is None:
            text = "launch through a function pointer whose target is unknown"
            self._run.note("lost-launch", text, position)
            return
        self.launch(
            LaunchRequest(
                kernel=key,
                grid=values[0:3],
                block=values[3:6],
                shared_bytes=values[6],
                arguments=values[7:],
                position=position,
            )
        )

    def launch(self, request: LaunchRequest) -> None:
        """Carry out a launch: it is traced when its configuration is new, else counted."""
        key, position = request.kernel, request.position
        program = self._run.program
        if key not in program.functions and key not in program.regions:
            text = "launch of a kernel without a visible body"
            self._run.note("lost-launch", text, position)
            return
        if not self._wanted(key) or key in self._left_out:
            self._forget_arguments(key, request.arguments)
            return
        try:
            self._launch(request)
        except DEFECTS as error:
            self._run.defects.append(defect_of(error, key, self._run.name_of(key), position))

    @contextmanager
    def calling(self, uncalled: str) -> Iterator[None]:
        """While a function is called that no run reaches: kernels that were launched before keep to those launches."""
        self._uncalled, self._left_out = uncalled, frozenset(self.launched)
        yield
        self._uncalled, self._left_out = None, frozenset()

    def misses_launches(self) -> bool:
        """Whether a kernel that is asked for has not been launched so far."""
        program = self._run.program
        return any(
            key not in self.launched and self._wanted(key)
            for key in (*program.kernels, *program.regions)
        )

    def _region_request(self, key: str, values: list[Value], position: Position) -> LaunchRequest:
        """An OpenMP target region: sizes that are not stated follow clang's run time."""
        region = self._run.program.regions[key]
        grid, block = region_launch(region, values[0], values[3], values[7])
        arguments = values[9:]
        override = self._overrides(key)
        if override is not None and override.grid is not None:
            stated = (values[0], values[3], values[7])
            threads = override.block[0] if override.block is not None else None
            arguments = consistent_arguments(region, arguments, stated, override.grid[0], threads)
        notes = odd_sizes(region, values[0], values[3], values[7])
        if isinstance(values[8], Unknown):
            notes += (("launch", f"{region.host_clauses}: unknown, taken as launched"),)
        teams, team_threads = default_region_launch(region)
        return LaunchRequest(
            kernel=key,
            grid=[grid, 1, 1],
            block=[block, 1, 1],
            shared_bytes=0,
            arguments=arguments,
            position=position,
            defaults=((teams, 1, 1), (team_threads, 1, 1)),
            notes=notes,
        )

    def _launch(self, request: LaunchRequest) -> None:
        key, arguments = request.kernel, request.arguments
        code = self._run.kernel_code(key)
        notes: list[tuple[str, str]] = []
        override = self._overrides(key)
        source = "host-code"
        default_grid, default_block = request.defaults
        is_open = not all(map(_is_size, request.block))
        if is_open and key not in self._run.program.regions:
            default_block = default_launch(code)[1]
        block = own_block = _dimensions(request.block, default_block, "block", notes)
        if self._uncalled is not None:
            default_grid = default_grid_of(code, block)
            why = (
                f"{self._run.why_missing()}:"
                if self._run.program.mains
                else f"nothing calls {self._uncalled}(), which launches this kernel:"
            )
            text = f"{why} one call of {self._uncalled}() is assumed"
            notes.append(("launch-count", text))
        else:
            default_grid = _shared_out(default_grid, request.grid, grid_axes(code))
        if self._is_search:
            text = "main() does not take the branch to this launch: it is launched with what is known there"
            notes.append(("untaken", text))
        grid = own_grid = _dimensions(request.grid, default_grid, "grid", notes)
        if override is None and _is_refused((*request.block, *request.grid)):
            arguments = _without_zeros(code, arguments)
        if self._run.guesses():  # the program itself may compute another size
            notes = [("launch" if kind == _REFUSED else kind, text) for kind, text in notes]
        shared = request.shared_bytes
        shared_bytes = int(shared) if isinstance(shared, int | float) else 0
        if override is not None:
            source = override.source
            if override.grid is not None:
                grid = override.grid
                self._arguments.learn_launch(request.grid, grid, is_region=is_region(code))
                notes = [note for note in notes if not note[1].startswith("grid")]
            if override.block is not None:
                block = override.block
                self._arguments.learn_launch(request.block, block, is_region=is_region(code))
                notes = [note for note in notes if not note[1].startswith("block")]
            if override.shared_bytes is not None:
                shared_bytes = override.shared_bytes
        elif any(kind in _ASSUMED for kind, _ in notes):
            source = "assumed"
        if override is None:
            notes.extend(request.notes)
        if any(
            isinstance(size, int | float) and size < 1 for size in (*request.grid, *request.block)
        ):
            arguments = self._arguments.without_empty_sizes(code, arguments)
        elif self._run.guesses():
            arguments = self._arguments.without_lost_sizes(code, arguments, grid, block)
        is_exact = (grid, block) == (own_grid, own_block)
        if not is_exact:
            own = own_grid, own_block
            arguments = self._arguments.rescaled(code, arguments, own, (grid, block), notes)
        weight = float(self._run.machine.weight[0])
        notes.extend(self._run.guesses())
        if self._run.end:
            notes.append(("ended", self._run.end))
        configuration = (key, grid, block, shared_bytes)
        deciding = self._deciding_arguments(code, arguments, configuration)
        index = self._count
        self._count += 1
        self.launched.add(key)
        same = self.table.counted_with(configuration, deciding, weight, is_exact=is_exact)
        if same is not None:
            self._change(same, request.arguments)
            self._capture(same, weight)
            return
        trace, inputs, changes = self._trace(code, configuration, arguments, notes)
        launch = HostLaunch(
            kernel=key,
            grid=grid,
            block=block,
            shared_bytes=shared_bytes,
            position=request.position,
            index=index,
            count=weight,
            source=source,
            trace=trace,
            inputs=inputs,
            changes=changes,
            notes=notes,
            is_exact=is_exact,
            is_untaken=self._is_search,
        )
        self.table.add(configuration, deciding, launch)
        self._capture(launch, weight)

    def replay(self, launch: CountedLaunch) -> None:
        """A launch takes place again, as part of a graph; the first time is the one that was counted."""
        weight = launch.weight * float(self._run.machine.weight[0])
        again = weight - (launch.weight if launch.is_new else 0.0)
        self.table.count(launch.traced, again)
        launch.traced.replayed += again
        launch.is_new = False
        self._change(launch.traced)

    def _change(self, launch: HostLaunch, arguments: list[Value] | None = None) -> None:
        """What further launches change again is not known any more; what they change elsewhere is like what the first has left."""
        code, memory, changes = launch.trace.code, self._run.memory, launch.changes
        changing = launch.changing
        if changing and arguments is not None and changes is not None:
            changing -= changes.left_alone(code, arguments, memory)
        for number in changing:
            contents = memory.objects[number].contents
            if not contents.is_rising:  # sums of other numbers are sums
                contents.forget()
        written = set(changing)
        if arguments is not None and changes is not None:
            written |= changes.repeat(code, arguments, memory)
        self._contents.note_written(written)

    def _capture(self, launch: HostLaunch, weight: float) -> None:
        if self.captured is not None:
            self.captured.append(CountedLaunch(launch, weight))

    def _deciding_arguments(
        self, code: Code, arguments: list[Value], configuration: LaunchKey
    ) -> Deciding:
        """The arguments that decide how much a kernel does, and what it moves."""
        pieces = self._deciding.get(code.key)
        if pieces is None:
            pieces = self._deciding[code.key] = deciding_parameters(code)
        memory = self._run.memory
        numbers = tuple(
            argument_piece(code, arguments, piece, scalar, memory)
            for piece, scalar in pieces.items()
        )
        pointers = pointer_relations(code, arguments, memory)
        known = (configuration, numbers, pointers)
        variables = self._run.machine.globals
        contents = self._contents.marks(code, arguments, variables, known)
        return Deciding(numbers, pointers, contents)

    def _trace(
        self,
        code: Code,
        configuration: LaunchKey,
        arguments: list[Value],
        notes: list[tuple[str, str]],
    ) -> tuple[LaunchTrace, LaunchInputs | None, LaunchChanges]:
        _, grid, block, shared_bytes = configuration
        run = self._run
        guessed = self._arguments.guessed(code, arguments, grid, block, notes)
        inputs = None
        if self.keeps_inputs and len(run.memory.objects) <= MOST_OBJECTS:
            is_known = all(map(operator.is_, guessed, arguments))
            inputs = LaunchInputs.of(guessed, run.memory, run.machine.globals, is_known=is_known)
        trace = run_kernel(
            run.program,
            code,
            grid=grid,
            block=block,
            arguments=guessed,
            memory=run.memory,
            globals_=run.machine.globals,
            dynamic_shared_bytes=shared_bytes,
            code_cache=self._device_code,
            deadline=run.deadline,
        )
        left = settle_written(run.memory)
        self._arguments.forget_written(left)
        self._contents.note_written(left)
        if inputs is not None:
            inputs.left = left
        return trace, inputs, LaunchChanges.of(code, arguments, run.memory, left)

    def _forget_arguments(self, key: str, arguments: list[Value]) -> None:
        """A launch that is not traced may have written to what its arguments point to, but for pointers to constants."""
        memory = self._run.memory
        function = self._run.program.functions.get(key)
        types = [parameter.type for parameter in function.parameters] if function else []
        for index, value in enumerate(arguments):
            type_ = types[index] if index < len(types) else None
            found = memory.find(value) if isinstance(value, int) else None
            is_read_only = isinstance(type_, PointerType) and type_.is_const
            if found is not None and found.buffer.space is Space.GLOBAL and not is_read_only:
                found.contents.forget()


def _shared_out(default: Dim3, sizes: Sequence[Value], axes: Sequence[int]) -> Dim3:
    """The blocks of a default grid along the axes that a kernel reads and whose sizes are unknown, in equal parts."""
    unknown = [axis for axis in axes if isinstance(sizes[axis], Unknown)]
    if not unknown or axes == [0]:
        return default
    known = [sizes[axis] for axis in axes if axis not in unknown]
    stated = math.prod(max(int(size), 1) for size in known if isinstance(size, int | float))
    side = max(round((math.prod(default) / stated) ** (1 / len(unknown))), 1)
    x, y, z = (side if axis in unknown else 1 for axis in range(3))
    return x, y, z


def _is_refused(sizes: Sequence[Value]) -> bool:
    """Whether no device runs the launch."""
    return any(isinstance(size, int | float) and not _is_size(size) for size in sizes)


def _without_zeros(code: Code, arguments: list[Value]) -> list[Value]:
    """Arguments of a launch whose size is computed as 0: numbers that are 0 as well are as little known as the size."""
    return [
        Unknown(new_key(), uniform=True, reason="computed as 0, like the size of the launch")
        if isinstance(value, int) and value == 0 and not parameter.is_pointer
        else value
        for value, parameter in zip(arguments, code.parameters, strict=True)
    ]


def _is_size(value: Value) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and 1 <= value <= MAX_GRID[0]


def _dimensions(
    values: Sequence[Value], default: Dim3, what: str, notes: list[tuple[str, str]]
) -> Dim3:
    parts: list[int] = []
    for axis, (value, fallback) in enumerate(zip(values, default, strict=True)):
        middle = expected(value) if isinstance(value, Unknown) else None
        taken = middle if middle is not None and 1 <= middle <= MAX_GRID[0] else fallback
        if _is_size(value):
            parts.append(int(value))
        else:
            notes.append(_size_note(f"{what} size along {'xyz'[axis]}", value, taken))
            parts.append(taken)
    return parts[0], parts[1], parts[2]


def _size_note(size: str, value: Value, taken: int) -> tuple[str, str]:
    """What is said of a size that no launch can have, or that nobody knows."""
    if isinstance(value, Unknown):
        kind = "any-launch" if is_any_word(value) else "launch"
        return kind, f"{size} is unknown ({value.reason}): taken as {taken}"
    signed = ""
    if isinstance(value, int) and 2**31 <= value < 2**32:
        signed = f" ({value - 2**32} before it lost its sign)"
    return _REFUSED, f"{size} is computed as {value}{signed}, taken as {taken}"
