"""Runs a program's main() abstractly and collects its kernel launches."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.execution.host import (  # noqa: F401 - they register their models
    algorithms,
    c_memory,
    char_numbers,
    control,
    cuda_runtime,
    device_queries,
    graphs,
    host_threads,
    input_files,
    launch_calls,
    nodes,
    random_numbers,
    skewed_distributions,
    streams,
    string_methods,
    texts,
    textures,
    vector_methods,
)
from roofstat.execution.host.defects import DEFECTS, Defect, defect_of
from roofstat.execution.host.effects import (
    Effect,
    FunctionEffects,
    calls_one_of,
    changes_anything,
)
from roofstat.execution.host.initializers import initializer_code, is_plain
from roofstat.execution.host.last_launches import LastLaunches
from roofstat.execution.host.launches import Launcher, LaunchOverride
from roofstat.execution.host.registry import MODELS, PURE, HostCall
from roofstat.execution.host.texts import argument_missing
from roofstat.execution.host.unmodelled import unmodelled
from roofstat.execution.host.untaken_arms import UntakenArms, sought_names
from roofstat.execution.host.virtual_calls import VirtualMethods
from roofstat.execution.jumps import direct_leaves
from roofstat.execution.machine import Machine
from roofstat.execution.numbers.keys import new_key, restart_keys
from roofstat.execution.numbers.values import Unknown
from roofstat.execution.run_ends import BudgetExceededError, ProgramExit, TimeSpentError
from roofstat.execution.sampling.sampling import host_lane
from roofstat.execution.stored.address_space import AddressSpace
from roofstat.libraries.names import library_of
from roofstat.program.code import If, LibraryCall, Op, Scope, Space
from roofstat.program.lowering import lower_host_function, lower_kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from clang_queries.ir.expressions import Position
    from clang_queries.ir.statements import VariableDeclaration
    from roofstat.execution.host.device_model import DeviceModel
    from roofstat.execution.host.library_calls import LibraryCalls
    from roofstat.execution.library_model import LaunchingBlocks
    from roofstat.execution.mask import Mask
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.run_ends import Deadline
    from roofstat.execution.stored.address_space import MemoryObject
    from roofstat.program.code import Code, Instruction, Loop, Region, Switch
    from roofstat.program.link import Program

HOST_BUDGET = 600_000
"""Machine instructions for a host program."""
CALL_BUDGET = 20_000
"""Machine instructions for a call of a host function that neither launches nor allocates: CPU references, checks."""
PREPARATION_BUDGET = 100_000
"""The same before the first launch, where such calls make what kernels read."""
_FIRST_BUDGET = 250_000
"""The same for the first long one, which leaves enough for others; beyond the usual budget it is in a hurry."""
LOOP_SHARE = 6
"""The part of what is left that a loop of such work may take in a function that launches."""
PREPARATION_SHARE = 3
"""The part of what is left that such a loop leaves to what follows it before the first launch."""
_ARGUMENTS_BEYOND = 32
"""Program arguments beyond those given that are known to be missing."""
MOST_NOTES = 200
MOST_GUESSES = 3
"""Undecided branches that a launch states."""
MOST_EXITS = 16
"""Exits that are passed over."""


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
        sought: frozenset[str] = frozenset(),
        before: HostRun | None = None,
        for_launches: bool = False,
        deadline: Deadline | None = None,
    ) -> None:
        """Prepare a run.

        Args:
            program: What is run.
            device: What host code is told of the card.
            arguments: Of main().
            overrides: Launch configurations that are stated, by kernel.
            wanted: Kernels whose launches are traced.
            sought: Kernels that an earlier run has passed by: arms that lead to them are taken, whatever decides there.
            before: That run.
            for_launches: Nothing but the launches is asked for: the run ends when all kernels have been launched and none can be again.
            deadline: Until when launches may be run to their end; None for any time.
        """
        self.program = program
        self.device = device
        self.arguments = list(arguments)
        self.deadline = deadline
        self.memory = AddressSpace()
        self.folders = _source_folders(program)
        """Where input files are looked for: next to the sources."""
        self.input_files: dict[Path, None] = {}
        """Paths at which input files were looked for, there or not."""
        self.notes: list[HostNote] = []
        self.defects: list[Defect] = []
        """What went wrong inside of the analysis."""
        self.state: dict[str, object] = {}
        self.library_calls: LibraryCalls | None = None
        """Calls that run kernels of libraries; None where there are none."""
        self.launcher = Launcher(
            self, overrides or (lambda _: None), wanted or (lambda _: True), is_search=bool(sought)
        )
        self._effects = FunctionEffects(program)
        self._last_launches = LastLaunches(self._effects) if for_launches else None
        self.arms: UntakenArms = UntakenArms(
            program, sought, before.arms.wishes if before is not None else None
        )
        """What branches lead to."""
        self._virtual = VirtualMethods(program, self.memory)
        self._kernel_code: dict[str, Code] = {}
        self._initializers: list[Code] = []
        """Kept, since the machine knows code by its identity."""
        self._guesses: dict[Position, str] = {}
        """Branches that were decided without knowing their conditions."""
        self.ending: str | None = None
        """How main() has ended, where it did not come to its end with success."""
        self._exits = 0
        self._noted: set[tuple[str, str, Position]] = set()
        self.end = ""
        """What is said of launches behind an end of the program that was passed over, though nothing says that it is none."""
        if not sought:
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
                status = machine.call(code, values[: len(code.parameters)], machine.full_mask())
            if isinstance(status, int) and status:
                self.ending = f"main() returns {status}"
        except ProgramExit:
            self.ending = "the program exits"
        except DEFECTS as error:
            position = self.program.functions[key].position
            self.defects.append(defect_of(error, None, "main", position))
        except BudgetExceededError:
            self.ending = "main() is not run to its end, which is too far,"
            self.notes.append(
                HostNote(
                    "budget",
                    "main() was too long to run abstractly to its end",
                    self.program.functions[key].position,
                )
            )

    def _argument_vector(self) -> int:
        words = ["./program", *self.arguments]
        size = len(words) + 1 + _ARGUMENTS_BEYOND
        vector = self.memory.allocate(8 * size, Space.HOST, "argv", initial=0)
        for index, word in enumerate(words):
            text = self.memory.allocate(len(word) + 1, Space.HOST, "argument")
            text.text = word
            vector.contents.store(8 * index, Scalar.U64, text.base)
        for index in range(len(words) + 1, size):
            missing = Unknown(new_key(), uniform=True, reason=argument_missing(index))
            vector.contents.store(8 * index, Scalar.U64, missing)
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
            return inner.text if inner is not None else self._view_at(found, at)
        characters: list[str] = []
        for offset in range(at, at + 4096):
            # What was never written has its initial value: memory of zeros begins with an empty text.
            code = found.contents.load(offset, Scalar.I8, found.buffer.number, "text")
            if not isinstance(code, int | float):
                return None
            if code == 0:
                return "".join(characters)
            characters.append(chr(int(code) & 0xFF))
        return None

    def _view_at(self, found: MemoryObject, at: int) -> str | None:
        """The text of a std::string_view, which holds its size first; None where something else stands there."""
        size, data = found.contents.cells.get(at), found.contents.cells.get(at + 8)
        if size is None or data is None or data[0] is not Scalar.U64:
            return None
        if not isinstance(size[1], int) or not isinstance(data[1], int):
            return None
        text = self.text_at(data[1])
        return text[: size[1]] if text is not None else None

    def goes_on_after_exit(self, status: int | None) -> bool:
        """Whether an exit is passed over: programs that do their work do not end before their launches."""
        launcher = self.launcher
        if not launcher.misses_launches() or (launcher.launched and status == 0):
            return False
        self._exits += 1
        return self._exits <= MOST_EXITS

    def passed_over(self, what: str) -> str:
        """What is said of an end of the program that is passed over.

        With arguments that the user gives, and where no guess has led there, the program does end there.
        """
        if self.arguments and not self.guesses() and not self.end:
            self.end = f"with these arguments the program ends before this launch: {what}"
        if self.end:
            return f"{what} ends the program with these arguments: what follows is analysed all the same"
        hint = "; give the program its arguments with --args" if self._lacks_arguments() else ""
        return f"{what} is taken for a check that this analysis failed: it goes on{hint}"

    def _lacks_arguments(self) -> bool:
        mains = (self.program.functions[key] for key in self.program.mains[:1])
        return not self.arguments and any(main.parameters for main in mains)

    def _is_early_end(self, branch: If | Switch, chosen: int) -> bool:
        """Whether the chosen arm returns from main() before anything was launched, and the other one goes on."""
        code = self.machine.frames[-1].code
        if not isinstance(branch, If) or chosen < 0 or code.key not in self.program.mains[:1]:
            return False
        labels = {region.label for region in code.body if isinstance(region, Scope)}
        arm, other = (branch.then, branch.otherwise)[:: 1 - 2 * chosen]
        if not direct_leaves(arm) & labels or direct_leaves(other) & labels:
            return False
        return not self.launcher.launched and self.goes_on_after_exit(None)

    # Library calls

    def call(self, machine: Machine, instruction: Instruction, arguments: list[Value]) -> Value:
        """Answer a LIBRARY or LAUNCH instruction."""
        if instruction.op is Op.LAUNCH:
            if machine.dry:
                return 0
            self.launcher.run_instruction(instruction, arguments)
            return 0
        detail = instruction.detail
        assert isinstance(detail, LibraryCall)
        name, model = _find_model(detail.name)
        if machine.dry and name not in PURE:
            return unknown_value("library call")
        call = HostCall(self, machine, instruction, detail, name, arguments)
        library = library_of(detail.name)
        if library is not None and not machine.dry:
            self._record(call, library)
        if model is not None:
            return model(call)
        if not self._virtual.is_empty:
            code = self.host_code(self._virtual.named(detail.name, arguments) or "")
            if code is not None:
                return self.invoke(machine, code, arguments, machine.full_mask())
        return unmodelled(call)

    def _record(self, call: HostCall, library: str) -> None:
        self._calls_of_libraries().record(call, library)

    def record_vector_fill(self, call: HostCall) -> None:
        """Note that a vector on the device is made of a size: a kernel of Thrust sets its elements."""
        if not call.machine.dry:
            self._calls_of_libraries().record_vector_fill(call)

    def _calls_of_libraries(self) -> LibraryCalls:
        from roofstat.execution.host.library_calls import (  # noqa: PLC0415 - few programs call libraries
            LibraryCalls,
        )

        if self.library_calls is None:
            self.library_calls = LibraryCalls()
        return self.library_calls

    def invoke(self, machine: Machine, code: Code, arguments: list[Value], mask: Mask) -> Value:
        """Call a host function; one that neither launches nor allocates is cut off when it takes long."""
        if not self._virtual.is_empty:
            target = self._virtual.target(code.key, arguments, machine.frames[-1].code.key)
            if target != code.key:
                code = self.host_code(target) or code
        arguments = self.wished(code, arguments)
        if not self._effects.may_launch(code.key):
            self._end_behind_launches()
        if self._effects.of(code.key) is not Effect.NONE:
            result = machine.call(code, arguments, mask)
        else:
            result = self._invoke_aside(machine, code, arguments, mask)
        if not self._virtual.is_empty:
            self._virtual.constructed(code.key, arguments)
        return result

    def _end_behind_launches(self) -> None:
        """End the run where nothing but launches is asked for and none can follow."""
        machine, launcher = self.machine, self.launcher
        if (
            self._last_launches is not None
            and not machine.dry
            and self._virtual.is_empty
            and launcher.launched
            and not launcher.misses_launches()
            and self._last_launches.are_over(machine.frames)
        ):
            raise ProgramExit

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

    def effect_of(self, key: str) -> Effect:
        """What a host function means for launches."""
        return self._effects.of(key)

    def why_missing(self) -> str:
        """Why a kernel may have no launch."""
        if not self.program.mains:
            return "nothing launches this kernel"
        takes_arguments = bool(self.program.functions[self.program.mains[0]].parameters)
        lacks_arguments = self._lacks_arguments() and not self.launcher.launched
        hint = ", give the program its arguments with --args" if takes_arguments else ""
        if self.ending is not None:
            return f"{self.ending} before a launch of this kernel{hint}"
        if any(note.kind == "lost-launch" for note in self.notes):
            return "the launch of this kernel is not understood, see the remarks"
        return f"main() ends without a launch of this kernel{hint if lacks_arguments else ''}"

    def launches_so_far(self) -> int:
        """A mark for `doubt_count_since`."""
        return self.launcher.table.mark

    def launching(self, loop: Loop) -> LaunchingBlocks | None:
        """What launches in a loop of which some iterations may launch less than others; None for other loops."""
        return self._effects.launching(loop)

    def launch_counts(self) -> Mapping[str, int]:
        """How often each kernel has been launched so far, by launches as they were run."""
        return self.launcher.table.seen

    def note_estimates(
        self, kernels: Collection[str], seen: float, trips: float, loop: Loop
    ) -> None:
        """How often a loop launches some kernels was told from so many of its iterations."""
        text = f"its number of launches is estimated from {seen:,.0f} of {trips:,.0f} iterations of the loop in line {loop.position.line}"
        for kernel in kernels:
            self.launcher.table.estimates[kernel] = text

    def awaits_launches(self) -> bool:
        """Whether a kernel that is asked for has not been launched so far."""
        return self.launcher.misses_launches()

    def budget_of(self, loop: Loop) -> int | None:
        """Instructions for a loop that computes or checks something: others are left to what follows."""
        self._end_behind_launches()
        if self._effects.may_matter(loop):
            return None
        machine = self.machine
        left = machine.limit - machine.executed
        if self.launcher.launched:
            return max(CALL_BUDGET, left // LOOP_SHARE)
        # What is cut off as a whole, a loop around it or a call, needs no cuts inside.
        return left - left // PREPARATION_SHARE if machine.limit == machine.budget else None

    def doubt_count_since(self, mark: int, loop: Loop) -> None:
        """How often the launches since a mark take place rests on a loop whose end nobody knows."""
        self.launcher.table.doubt_count_since(mark, loop.position)

    def preferred_arm(self, region: If) -> bool | None:
        """Of a branch on unknown data, the arm that leads to launches, but not ever deeper."""
        arms = (region.then, region.otherwise)
        sought = self.arm_to_run(region, arms, -1)
        if sought >= 0:
            return sought == 0
        active = Counter(frame.code.key for frame in self.machine.frames)
        again = frozenset(key for key, depth in active.items() if depth > 1)
        then, otherwise = (bool(again) and calls_one_of(arm, again) for arm in arms)
        return otherwise if then != otherwise else self._effects.preferred_arm(region)

    def arm_to_run(self, branch: If | Switch, arms: Sequence[list[Region]], chosen: int) -> int:
        """The arm that the program's values choose, or one that leads to a kernel that is sought."""
        if self._is_early_end(branch, chosen) and not any(self.arms.reached(branch, arms)):
            self.note("exit", self.passed_over("return from main()"), branch.position)
            return 1 - chosen
        self.arms.note_selectors(self.machine.frames[-1].code, branch, arms)
        return self.arms.choice(branch, arms, chosen, self.launcher.launched)

    def enters(self, loop: Loop) -> bool:
        """Whether a loop that has no iteration is run once, since it leads to a kernel that is sought."""
        return self.arms.choice(loop, (loop.body, []), 1, self.launcher.launched) == 0

    def note_guess(self, region: If, reason: str, *, taken: bool) -> None:
        """A branch was decided without knowing its condition: what is launched from now on may rest on it."""
        frame = self.machine.frames[-1]
        if self.effect_of(frame.code.key) is Effect.NONE or not changes_anything(region):
            return
        arm = "taken" if taken else "not taken"
        self._guesses[region.position] = (
            f"line {region.position.line} of the host code: branch on {reason}, {arm} here"
        )

    def guesses(self) -> list[tuple[str, str]]:
        """The branches that were decided last without knowing their conditions, as notes of a launch."""
        return [("host-branch", text) for text in list(self._guesses.values())[-MOST_GUESSES:]]

    def wished(self, code: Code, arguments: list[Value]) -> list[Value]:
        """Arguments of a host function, with those that lead to a kernel that is sought."""
        return self.arms.wished(code, arguments, self.launcher.launched)

    def passed_by(self) -> frozenset[str]:
        """Kernels and target regions that stand in arms which this run has not taken, and that it has not launched."""
        program, launched = self.program, self.launcher.launched
        return frozenset(
            key
            for key in (*program.kernels, *program.regions)
            if key not in launched and self.arms.passed & sought_names(program, (key,))
        )

    def _invoke_aside(
        self, machine: Machine, code: Code, arguments: list[Value], mask: Mask
    ) -> Value:
        """A function that computes or checks something: its result is unknown where a guess has decided it."""
        limit, weight, guesses = machine.limit, machine.weight, machine.guessed_exits
        budget = CALL_BUDGET if self.launcher.launched else PREPARATION_BUDGET
        hurry_at = machine.hurry_at
        if not self.launcher.launched and machine.executed < PREPARATION_BUDGET:
            machine.hurry_at = min(hurry_at, machine.executed + PREPARATION_BUDGET)
            budget = _FIRST_BUDGET
        machine.limit = min(limit, machine.executed + budget - machine.census_spent)
        try:
            result = machine.call(code, arguments, mask)
            is_guess = machine.guessed_exits != guesses and isinstance(result, int | float)
            if is_guess and not self._is_function(result):
                result = unknown_value(f"result of {code.name}, which depends on unknown data")
        except TimeSpentError:
            raise
        except BudgetExceededError:
            if machine.executed > limit + machine.census_spent or machine.limit == limit:
                raise
            machine.weight = weight
            return unknown_value(f"result of {code.name}, which was not run to its end")
        finally:
            machine.limit, machine.hurry_at = limit, hurry_at
        return result

    def _is_function(self, value: Value) -> bool:
        """Whether a value is the address of a function: any of those that may be chosen will do."""
        found = self.memory.find(value) if isinstance(value, int) else None
        return found is not None and found.function_key is not None

    def name_of(self, key: str) -> str:
        """A kernel's or a region's name, for messages."""
        function = self.program.functions.get(key)
        return function.name if function is not None else "a target region"


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
