"""Runs a program's main() abstractly and collects its kernel launches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.execution.address_space import AddressSpace
from roofstat.execution.arithmetic import new_key, restart_keys
from roofstat.execution.default_launch import DEFAULT_EXTENT, bounding_extents, index_bounds
from roofstat.execution.host import (  # noqa: F401 - they register their models
    algorithms,
    c_memory,
    control,
    cuda_runtime,
    device_queries,
    input_files,
    launch_calls,
    nodes,
    random_numbers,
    streams,
    texts,
    textures,
    vectors,
)
from roofstat.execution.host.deciding_parameters import deciding_parameters
from roofstat.execution.host.defects import DEFECTS, Defect, defect_of
from roofstat.execution.host.effects import Effect, FunctionEffects
from roofstat.execution.host.initializers import initializer_code, is_plain
from roofstat.execution.host.launch_table import Dim3, HostLaunch, LaunchTable
from roofstat.execution.host.library_kernels import library_of
from roofstat.execution.host.openmp_runtime import (
    consistent_arguments,
    default_region_launch,
    region_launch,
)
from roofstat.execution.host.registry import MODELS, PURE, HostCall
from roofstat.execution.host.stated_values import stated_value
from roofstat.execution.host.unmodelled import unmodelled
from roofstat.execution.host.vectors import expected
from roofstat.execution.host.virtual_calls import VirtualMethods
from roofstat.execution.kernel_run import run_kernel
from roofstat.execution.kernel_stores import settle
from roofstat.execution.machine import BudgetExceededError, Machine, ProgramExit
from roofstat.execution.sampling import host_lane
from roofstat.execution.values import Unknown
from roofstat.program.code import LaunchSite, LibraryCall, Op, Space
from roofstat.program.lowering import lower_host_function, lower_kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clang_queries.ir.expressions import Position
    from clang_queries.ir.statements import VariableDeclaration
    from roofstat.execution.default_launch import IndexBound
    from roofstat.execution.host.device_model import DeviceModel
    from roofstat.execution.host.launch_table import Deciding, LaunchKey
    from roofstat.execution.machine import Mask
    from roofstat.execution.values import Value
    from roofstat.program.code import Code, If, Instruction, Loop
    from roofstat.program.link import Program

HOST_BUDGET = 600_000
"""Machine instructions for a host program."""
CALL_BUDGET = 20_000
"""Machine instructions for a call of a host function that neither launches nor allocates: CPU references, checks."""
MOST_NOTES = 200
MOST_EXITS = 16
"""Exits that are passed over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOverride:
    """A launch configuration that the user or a label gives instead of the program's."""

    grid: Dim3 | None = None
    block: Dim3 | None = None
    shared_bytes: int | None = None
    source: str = "flag"


@dataclass(slots=True, eq=False)
class HostNote:
    """Something that the host run had to guess."""

    kind: str
    text: str
    position: Position


class HostRun:
    """One abstract execution of a program."""

    def __init__(
        self,
        program: Program,
        device: DeviceModel,
        *,
        arguments: Sequence[str] = (),
        overrides: Callable[[str], LaunchOverride | None] | None = None,
        wanted: Callable[[str], bool] | None = None,
    ) -> None:
        self.program = program
        self.device = device
        self.arguments = list(arguments)
        self.memory = AddressSpace()
        self.folders = _source_folders(program)
        """Where input files are looked for: next to the sources."""
        self.input_files: dict[Path, None] = {}
        """Paths at which input files were looked for, there or not."""
        self.launches = LaunchTable()
        self._deciding: dict[str, frozenset[int]] = {}
        self.notes: list[HostNote] = []
        self.defects: list[Defect] = []
        """What went wrong inside of the analysis."""
        self.state: dict[str, object] = {}
        self._overrides = overrides or (lambda _: None)
        self._wanted = wanted or (lambda _: True)
        self._effects = FunctionEffects(program)
        self._virtual = VirtualMethods(program, self.memory)
        self._kernel_code: dict[str, Code] = {}
        self._device_code: dict[str, Code] = {}
        self._initializers: list[Code] = []
        """Kept, since the machine knows code by its identity."""
        self._launch_count = 0
        self._launched: set[str] = set()
        self._bounds: dict[str, list[IndexBound]] = {}
        self.solved: dict[int, int] = {}
        """Unknown numbers, by key, that a launch says something of."""
        self._exits = 0
        self._noted: set[tuple[str, str, Position]] = set()
        restart_keys()
        self.machine = Machine(
            program, self.memory, host_lane(), self, is_host=True, budget=HOST_BUDGET
        )

    # Running

    def run_main(self) -> None:
        """Run main(); stops at exit(), at the end, or when the budget is spent."""
        if not self.program.mains:
            return
        key = self.program.mains[0]
        code = lower_host_function(self.program, key)
        machine = self.machine
        machine.code_cache[key] = code
        values: list[Value] = [len(self.arguments) + 1, self._argument_vector(), 0]
        try:
            with np.errstate(all="ignore"):
                machine.call(code, values[: len(code.parameters)], machine.full_mask())
        except ProgramExit:
            pass
        except DEFECTS as error:
            position = self.program.functions[key].position
            self.defects.append(defect_of(error, None, "main", position))
        except BudgetExceededError:
            self.notes.append(
                HostNote(
                    "budget",
                    "main() was too long to run abstractly to its end",
                    self.program.functions[key].position,
                )
            )

    def _argument_vector(self) -> int:
        words = ["./program", *self.arguments]
        vector = self.memory.allocate(8 * (len(words) + 1), Space.HOST, "argv", initial=0)
        for index, word in enumerate(words):
            text = self.memory.allocate(len(word) + 1, Space.HOST, "argument")
            text.text = word
            vector.contents.store(8 * index, Scalar.U64, text.base)
        return vector.base

    def kernel_code(self, key: str) -> Code:
        """Code of a kernel, lowered once."""
        found = self._kernel_code.get(key)
        if found is None:
            region = self.program.regions.get(key)
            found = region.code if region is not None else lower_kernel(self.program, key)
            self._kernel_code[key] = found
        return found

    def note(self, kind: str, text: str, position: Position) -> None:
        """Record a guess about the host program."""
        key = (kind, text, position)
        if key not in self._noted and len(self.notes) < MOST_NOTES:
            self._noted.add(key)
            self.notes.append(HostNote(kind, text, position))

    def text_at(self, address: int) -> str | None:
        """The C string or std::string at an address, where known."""
        found = self.memory.find(address)
        if found is None:
            return None
        at = address - found.base
        if found.text is not None:
            return found.text[at:]
        first = found.contents.cells.get(at)
        if first is not None and first[0] is Scalar.U64:
            # A std::string: its first member points to the text.
            inner = self.memory.find(first[1]) if isinstance(first[1], int) else None
            return inner.text if inner is not None else None
        characters: list[str] = []
        for offset in range(at, at + 4096):
            cell = found.contents.cells.get(offset)
            if cell is None or not isinstance(cell[1], int | float):
                return None
            if cell[1] == 0:
                return "".join(characters)
            characters.append(chr(int(cell[1]) & 0xFF))
        return None

    def goes_on_after_exit(self, status: int | None) -> bool:
        """Whether an exit is passed over: programs that do their work do not end before their launches."""
        missing = any(
            key not in self._launched and self._wanted(key)
            for key in (*self.program.kernels, *self.program.regions)
        )
        if not missing or (self._launched and status == 0):
            return False
        self._exits += 1
        return self._exits <= MOST_EXITS

    # Library calls

    def call(self, machine: Machine, instruction: Instruction, arguments: list[Value]) -> Value:
        """Answer a LIBRARY or LAUNCH instruction."""
        if instruction.op is Op.LAUNCH:
            if machine.dry:
                return 0
            return self._launch_instruction(instruction, arguments)
        detail = instruction.detail
        assert isinstance(detail, LibraryCall)
        name, model = _find_model(detail.name)
        if machine.dry and name not in PURE:
            return unknown_value("library call")
        call = HostCall(self, machine, instruction, detail, name, arguments)
        library = library_of(detail.name)
        if library is not None and not (library == "CUB" and call.integer(0) == 0):
            call.note(
                "library-kernels",
                f"{detail.name} runs kernels of {library}: they are not in the source and not in this report",
            )
        if model is not None:
            return model(call)
        if not self._virtual.is_empty:
            code = self.host_code(self._virtual.named(detail.name, arguments) or "")
            if code is not None:
                return self.invoke(machine, code, arguments, machine.full_mask())
        return unmodelled(call)

    def invoke(self, machine: Machine, code: Code, arguments: list[Value], mask: Mask) -> Value:
        """Call a host function; one that cannot matter for launches is cut off when it takes long."""
        if not self._virtual.is_empty:
            target = self._virtual.target(code.key, arguments, machine.frames[-1].code.key)
            if target != code.key:
                code = self.host_code(target) or code
        if self._effects.of(code.key) is not Effect.NONE:
            result = machine.call(code, arguments, mask)
        else:
            result = self._invoke_aside(machine, code, arguments, mask)
        if not self._virtual.is_empty:
            self._virtual.constructed(code.key, arguments)
        return result

    def host_code(self, key: str) -> Code | None:
        """Code of a host function, lowered once."""
        cache = self.machine.code_cache
        if key not in cache and key in self.program.functions:
            cache[key] = lower_host_function(self.program, key)
        return cache.get(key)

    def initialise(self, machine: Machine, variable: VariableDeclaration) -> None:
        """Run the initial value of a global variable, where it is more than constants."""
        if not machine.dry and not is_plain(variable.initializer):
            code = initializer_code(self.program, variable)
            self._initializers.append(code)
            machine.call(code, [], machine.full_mask())

    def launches_so_far(self) -> int:
        """A mark for `doubt_count_since`."""
        return self.launches.mark

    def doubt_count_since(self, mark: int, loop: Loop) -> None:
        """How often the launches since a mark take place rests on a loop whose end nobody knows."""
        self.launches.doubt_count_since(mark, loop.position)

    def preferred_arm(self, region: If) -> bool | None:
        """Of a branch on unknown data, the arm that leads to launches."""
        return self._effects.preferred_arm(region)

    def _invoke_aside(
        self, machine: Machine, code: Code, arguments: list[Value], mask: Mask
    ) -> Value:
        """A function that computes or checks something: its result is unknown where a guess has decided it."""
        limit, weight, guesses = machine.limit, machine.weight, machine.guessed_exits
        machine.limit = min(limit, machine.executed + CALL_BUDGET)
        try:
            result = machine.call(code, arguments, mask)
            if machine.guessed_exits != guesses and isinstance(result, int | float):
                result = unknown_value(f"result of {code.name}, which depends on unknown data")
        except BudgetExceededError:
            if machine.executed > limit or machine.limit == limit:
                raise
            machine.weight = weight
            return unknown_value(f"result of {code.name}, which was not run to its end")
        finally:
            machine.limit = limit
        return result

    # Launches

    def _launch_instruction(self, instruction: Instruction, arguments: list[Value]) -> Value:
        site = instruction.detail
        assert isinstance(site, LaunchSite)
        values = list(arguments)
        key = site.kernel
        if site.is_target_region:
            assert key is not None
            self._launch_region(key, values, instruction.position)
            return 0
        if key is None:
            pointer = values.pop(0)
            found = self.memory.find(pointer) if isinstance(pointer, int) else None
            key = found.function_key if found is not None else None
            if key is None:
                self.note(
                    "lost-launch",
                    "launch through a function pointer whose target is unknown",
                    instruction.position,
                )
                return 0
        self.launch(key, values[0:3], values[3:6], values[6], values[7:], instruction.position)
        return 0

    def _launch_region(self, key: str, values: list[Value], position: Position) -> None:
        """An OpenMP target region: sizes that are not stated follow clang's run time."""
        region = self.program.regions[key]
        grid, block = region_launch(region, values[0], values[3], values[7])
        arguments = values[8:]
        override = self._overrides(key)
        if override is not None and override.grid is not None:
            stated = (values[0], values[3], values[7])
            threads = override.block[0] if override.block is not None else None
            arguments = consistent_arguments(region, arguments, stated, override.grid[0], threads)
        teams, team_threads = default_region_launch(region)
        defaults = (teams, 1, 1), (team_threads, 1, 1)
        self.launch(key, [grid, 1, 1], [block, 1, 1], 0, arguments, position, defaults)

    def launch(
        self,
        key: str,
        grid_values: Sequence[Value],
        block_values: Sequence[Value],
        shared: Value,
        arguments: list[Value],
        position: Position,
        defaults: tuple[Dim3, Dim3] = ((1024, 1, 1), (256, 1, 1)),
    ) -> None:
        """A kernel launch: traced when its configuration is new, else counted.

        `defaults` are the grid and block where those of the launch are unknown.
        """
        if key not in self.program.functions and key not in self.program.regions:
            self.note("lost-launch", "launch of a kernel without a visible body", position)
            return
        try:
            self._launch(key, grid_values, block_values, shared, arguments, position, defaults)
        except DEFECTS as error:
            self.defects.append(defect_of(error, key, self.name_of(key), position))

    def name_of(self, key: str) -> str:
        """A kernel's or a region's name, for messages."""
        function = self.program.functions.get(key)
        return function.name if function is not None else "a target region"

    def _launch(
        self,
        key: str,
        grid_values: Sequence[Value],
        block_values: Sequence[Value],
        shared: Value,
        arguments: list[Value],
        position: Position,
        defaults: tuple[Dim3, Dim3],
    ) -> None:
        if not self._wanted(key):
            self._forget_arguments(arguments)
            return
        notes: list[tuple[str, str]] = []
        override = self._overrides(key)
        source = "host-code"
        block = own_block = _dimensions(block_values, defaults[1], "block", notes)
        grid = own_grid = _dimensions(grid_values, defaults[0], "grid", notes)
        shared_bytes = int(shared) if isinstance(shared, int | float) else 0
        if override is not None:
            source = override.source
            if override.grid is not None:
                grid = override.grid
                notes = [note for note in notes if not note[1].startswith("grid")]
            if override.block is not None:
                block = override.block
                notes = [note for note in notes if not note[1].startswith("block")]
            if override.shared_bytes is not None:
                shared_bytes = override.shared_bytes
        elif notes:
            source = "assumed"
        is_exact = (grid, block) == (own_grid, own_block)
        if not is_exact:
            arguments = self._rescaled(key, arguments, (own_grid, own_block), (grid, block), notes)
        weight = float(self.machine.weight[0])
        configuration = (key, grid, block, shared_bytes)
        deciding = self._deciding_arguments(key, arguments)
        self._launch_count += 1
        self._launched.add(key)
        same = self.launches.counted_with(configuration, deciding, weight, is_exact=is_exact)
        if same is not None:
            for number in same.changing:
                self.memory.objects[number].contents.forget()
            return
        launch = self._trace(
            configuration, arguments, position, weight=weight, source=source, notes=notes
        )
        launch.is_exact = is_exact
        self.launches.add(configuration, deciding, launch)

    def _deciding_arguments(self, key: str, arguments: list[Value]) -> Deciding:
        """The arguments that decide how much a kernel does."""
        code = self.kernel_code(key)
        numbers = self._deciding.get(key)
        if numbers is None:
            numbers = self._deciding[key] = deciding_parameters(code)
        return tuple(
            value if isinstance(value := arguments[number], int | float) else None
            for number in sorted(numbers)
            if number < len(arguments) and not code.parameters[number].is_pointer
        )

    def _rescaled(
        self,
        key: str,
        arguments: list[Value],
        own: tuple[Dim3, Dim3],
        stated: tuple[Dim3, Dim3],
        notes: list[tuple[str, str]],
    ) -> list[Value]:
        """Arguments for a stated launch that differs from the computed one.

        Sizes that went with the computed grid (a file that was not read, say) are those of the stated grid.
        """
        code = self.kernel_code(key)
        own_extents = self._extents(code, *own)
        stated_extents = self._extents(code, *stated)
        values = list(arguments)
        for index, extent in own_extents.items():
            value = values[index] if index < len(values) else None
            slack = max(own[1][0] * own[1][1] * own[1][2], extent // 8)
            if (
                isinstance(value, int)
                and extent - slack < value <= extent
                and stated_extents[index] != extent
            ):
                name = code.parameters[index].name
                values[index] = stated_extents[index]
                text = f"argument {name} is {value} by the host code, for another grid: taken as {values[index]}"
                notes.append(("argument", text))
        if values != list(arguments):
            values = [self._unsized(value) for value in values]
        return values

    def _extents(self, code: Code, grid: Dim3, block: Dim3) -> dict[int, int]:
        """Parameters that bound the thread indices of a launch, and the extents of those."""
        found = self._bounds.get(code.key)
        if found is None:
            found = self._bounds[code.key] = index_bounds(code)
        return bounding_extents(found, grid, block)

    def _unsized(self, value: Value) -> Value:
        """A device buffer that was allocated for another problem size, as one of unknown size."""
        found = self.memory.find(value) if isinstance(value, int) else None
        if found is None or found.buffer.space is not Space.GLOBAL or value != found.base:
            return value
        fresh = self.memory.allocate(None, Space.GLOBAL, found.buffer.name, assumed=True)
        fresh.contents = found.contents.copy()
        return fresh.base

    def _trace(
        self,
        configuration: LaunchKey,
        arguments: list[Value],
        position: Position,
        *,
        weight: float,
        source: str,
        notes: list[tuple[str, str]],
    ) -> HostLaunch:
        key, grid, block, shared_bytes = configuration
        code = self.kernel_code(key)
        values = self._kernel_arguments(code, arguments, grid, block, notes)
        trace = run_kernel(
            self.program,
            code,
            grid=grid,
            block=block,
            arguments=values,
            memory=self.memory,
            globals_=self.machine.globals,
            dynamic_shared_bytes=shared_bytes,
            code_cache=self._device_code,
        )
        for found in self.memory.objects.values():
            if found.state.pop("written", None):
                settle(found)
        return HostLaunch(
            kernel=key,
            grid=grid,
            block=block,
            shared_bytes=shared_bytes,
            position=position,
            index=self._launch_count - 1,
            count=weight,
            source=source,
            trace=trace,
            notes=notes,
        )

    def _forget_arguments(self, arguments: list[Value]) -> None:
        """A launch that is not traced may have written to what its arguments point to."""
        for value in arguments:
            found = self.memory.find(value) if isinstance(value, int) else None
            if found is not None and found.buffer.space is Space.GLOBAL:
                found.contents.forget()

    def _kernel_arguments(
        self,
        code: Code,
        arguments: list[Value],
        grid: Dim3,
        block: Dim3,
        notes: list[tuple[str, str]],
    ) -> list[Value]:
        """Arguments with unknown integers replaced by what the launch suggests: about one element for each thread."""
        if not any(isinstance(value, Unknown) for value in arguments):
            return arguments
        arguments = [
            stated_value(self.program, parameter.name, parameter.scalar, value)
            if parameter.scalar is not None and not parameter.is_pointer
            else value
            for parameter, value in zip(code.parameters, arguments, strict=False)
        ]
        bounds = self._extents(code, grid, block)
        # First what the launch says of the numbers themselves: other arguments may be made of the same ones.
        for index, value in enumerate(arguments):
            if index in bounds and _is_size(code, index) and isinstance(value, Unknown):
                self._solve(value, bounds[index])
        values: list[Value] = []
        for index, value in enumerate(arguments):
            if isinstance(value, Unknown) and _is_size(code, index):
                name = code.parameters[index].name
                guess = bounds.get(index, DEFAULT_EXTENT)
                root = self.solved.get(value.key)
                if root is not None:
                    assert isinstance(value.offset, int)
                    solved = root * value.scale + value.offset
                    # Threads beyond the end are fewer than half: a thread each is what launches are made for.
                    if index not in bounds or guess // 2 < solved <= guess:
                        guess = solved
                text = f"argument {name} is unknown ({value.reason}): taken as {guess}"
                notes.append(("argument", text))
                values.append(guess)
            else:
                values.append(value)
        return values

    def _solve(self, value: Unknown, extent: int) -> None:
        """Take an unknown number of elements as the extent of the launch; of several launches the closest fit."""
        assert isinstance(value.offset, int)
        root = round((extent - value.offset) / value.scale)
        known = self.solved.get(value.key)
        if known is None or known // 2 < root < known:
            self.solved[value.key] = root


def _is_size(code: Code, index: int) -> bool:
    """Whether an argument may be a number of elements."""
    parameter = code.parameters[index] if index < len(code.parameters) else None
    return (
        parameter is not None
        and parameter.scalar is not None
        and parameter.scalar.is_integer
        and not parameter.is_pointer
        and parameter.scalar.size_bytes >= 4
    )


def _dimensions(
    values: Sequence[Value], default: Dim3, what: str, notes: list[tuple[str, str]]
) -> Dim3:
    parts: list[int] = []
    for axis, (value, fallback) in enumerate(zip(values, default, strict=True)):
        middle = expected(value) if isinstance(value, Unknown) else None
        taken = middle if middle is not None and 1 <= middle < 2**31 else fallback
        if isinstance(value, int | float) and 1 <= value < 2**31:
            parts.append(int(value))
        else:
            reason = value.reason if isinstance(value, Unknown) else f"computed as {value}"
            notes.append(
                (
                    "launch",
                    f"{what} size along {'xyz'[axis]} is unknown ({reason}): taken as {taken}",
                )
            )
            parts.append(taken)
    return parts[0], parts[1], parts[2]


def _plain_name(name: str) -> str:
    parts = [part for part in name.split("::") if part and not part.startswith("__")]
    return "::".join(parts[-2:])


@lru_cache(maxsize=4096)
def _find_model(name: str) -> tuple[str, Callable[[HostCall], Value] | None]:
    """(the name that a model is registered under, the model): by class and method, or by the last name."""
    plain = _plain_name(name)
    last = plain.rsplit("::", 1)[-1]
    names = [plain]
    if "::" not in plain or plain.startswith("std::"):
        names.append(last)
    if plain.startswith("hip"):
        names.append("cuda" + plain.removeprefix("hip"))
    for candidate in names:
        model = MODELS.get(candidate)
        if model is not None:
            return candidate, model
    return plain, None


def _source_folders(program: Program) -> tuple[Path, ...]:
    """Folders of the files that main() and the kernels stand in."""
    files = [
        program.functions[key].position.file
        for key in (*program.mains, *program.kernels)
        if key in program.functions
    ]
    return tuple(dict.fromkeys(Path(file).parent for file in files if file))


def unknown_value(reason: str) -> Unknown:
    """A uniform unknown."""
    return Unknown(new_key(), uniform=True, reason=reason)
