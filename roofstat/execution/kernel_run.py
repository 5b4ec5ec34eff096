"""Runs one launch of a kernel and returns its trace."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.guesses.unfilled_lists import fill_lists
from roofstat.execution.machine import Machine
from roofstat.execution.numbers.keys import in_run, named_key, new_key
from roofstat.execution.numbers.values import Unknown
from roofstat.execution.recorder import Recorder
from roofstat.execution.run_ends import BudgetExceededError, Deadline, TimeSpentError
from roofstat.execution.sampling.block_edges import EdgeFinder
from roofstat.execution.sampling.sampling import sample_lanes
from roofstat.execution.trace import LaunchTrace, RunAssumption
from roofstat.program.code import Space, SpecialRegister

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from clang_queries.ir.statements import VariableDeclaration
    from roofstat.execution.mask import Mask
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.stored.address_space import AddressSpace, MemoryObject
    from roofstat.execution.trace import Lanes
    from roofstat.program.code import Code, If, Instruction, Loop, Region, Switch
    from roofstat.program.link import Program

KERNEL_BUDGET = 200_000
"""Machine instructions for one launch; a typical one takes under 5,000."""

Dim3 = tuple[int, int, int]


_HEAP_UNIT_BYTES = 16
_ALLOCATORS = frozenset({"malloc", "operator new", "operator new[]"})


class DeviceLibrary:
    """Device code calls nothing whose result could be known, but for memory of its own."""

    def __init__(self) -> None:
        self._heaps: dict[tuple[int, int], int] = {}
        """Place of a call and its size -> where the memory of the first thread is."""

    def call(self, machine: Machine, instruction: Instruction, arguments: list[Value]) -> Value:
        """An unknown result, or memory for each thread."""
        name = getattr(instruction.detail, "name", "a library function")
        size = arguments[0] if arguments else None
        if name in _ALLOCATORS and isinstance(size, int) and size > 0:
            return self._own_memory(machine, instruction, size)
        return Unknown(new_key(), reason=f"result of {name}", is_float=instruction.scalar.is_float)

    def _own_memory(self, machine: Machine, instruction: Instruction, size: int) -> Value:
        """Memory from the heap, taken to lie thread by thread; a call in a loop gets the same again."""
        unit = -(-size // _HEAP_UNIT_BYTES) * _HEAP_UNIT_BYTES
        extents = [machine.launch_dimensions.get(r.value, 1) for r in (*_BLOCK, *_GRID)]
        key = (instruction.site, size)
        base = self._heaps.get(key)
        if base is None:
            found = machine.memory.allocate(unit * math.prod(extents), Space.GLOBAL, "heap")
            base = self._heaps[key] = found.base
            text = "memory that threads allocate is taken to lie thread by thread"
            machine.assume("gather", text, instruction.position, machine.full_mask())
        lanes = machine.lanes
        thread = np.zeros(lanes.count, np.int64)
        for place, extent in zip(
            reversed((*lanes.tid, *lanes.bid)), reversed(extents), strict=True
        ):
            thread = thread * extent + place
        return base + unit * thread

    def invoke(self, machine: Machine, code: Code, arguments: list[Value], mask: Mask) -> Value:
        """Kernels call their functions themselves."""
        return machine.call(code, arguments, mask)

    def initialise(self, machine: Machine, variable: VariableDeclaration) -> None:
        """Constants only: computed initial values are host code."""

    def awaits_launches(self) -> bool:
        """Device code launches nothing."""
        return False

    def budget_of(self, loop: Loop) -> None:
        """Loops of device code end by themselves."""

    def launches_so_far(self) -> int:
        """Kernels launch nothing."""
        return 0

    def launching(self, loop: Loop) -> None:
        """Kernels launch nothing."""

    def launch_counts(self) -> dict[str, int]:
        """Kernels launch nothing."""
        return {}

    def note_estimates(
        self, kernels: Collection[str], seen: float, trips: float, loop: Loop
    ) -> None:
        """Kernels launch nothing."""

    def doubt_count_since(self, mark: int, loop: Loop) -> None:
        """Kernels launch nothing."""

    def preferred_arm(self, region: If) -> bool | None:  # noqa: ARG002 - the protocol's signature
        """Kernels launch nothing."""
        return None

    def arm_to_run(
        self,
        branch: If | Switch,  # noqa: ARG002 - the protocol's signature
        arms: Sequence[list[Region]],  # noqa: ARG002
        chosen: int,
    ) -> int:
        """Kernels do as their values say."""
        return chosen

    def enters(self, loop: Loop) -> bool:  # noqa: ARG002 - the protocol's signature
        """Kernels launch nothing."""
        return False

    def note_guess(self, region: If, reason: str, *, taken: bool) -> None:
        """Guesses of kernels are assumptions of their traces."""


def run_kernel(
    program: Program,
    code: Code,
    *,
    grid: Dim3,
    block: Dim3,
    arguments: list[Value],
    memory: AddressSpace,
    globals_: dict[str, MemoryObject],
    dynamic_shared_bytes: int = 0,
    code_cache: dict[str, Code] | None = None,
    number: int | None = None,
    deadline: Deadline | None = None,
) -> LaunchTrace:
    """Run a launch on sampled lanes.

    Args:
        program: The linked program, for called device functions.
        code: The kernel's code.
        grid: Blocks along x, y, z; each at least 1.
        block: Threads along x, y, z; each at least 1.
        arguments: One value for each parameter (for records the address of a host copy).
        memory: All allocations; device pointers among the arguments point into it.
        globals_: Global variables of the program by key; device code sees what host code wrote.
        dynamic_shared_bytes: Dynamic shared memory of the launch.
        code_cache: Code of device functions that are called rather than inlined.
        number: Of an earlier run that is repeated: what is drawn is the same again.
        deadline: Until when the launch may be run; None for any time.

    Returns:
        The trace; where the budget or the time ran out it holds what was seen until then, with an assumption that says so.
    """
    if number is None:
        number = named_key(code.name)
    run = _Run(
        program,
        code,
        grid,
        block,
        arguments,
        memory,
        globals_,
        dynamic_shared_bytes,
        code_cache,
        number,
        deadline,
    )
    lanes = sample_lanes(grid, block)
    trace, recorder = run.trace(lanes)
    if lanes.is_whole or trace.is_out_of_time:
        return trace
    edges = recorder.edges.edges if recorder.edges is not None else None
    asked = frozenset(recorder.asked_warps)
    if any(not lanes.stands_alone(warp) for warp in asked):
        # What goes on around a thread that code asks for decides on how to sample.
        lanes = sample_lanes(grid, block, edges=edges, asked=asked)
        before = recorder
        trace, recorder = run.better(trace, recorder, lanes)
        recorder.take_over(before)
    blocks_differ, blocks_vary = recorder.blocks_differ, recorder.blocks_vary
    chooses_warps = recorder.chooses_warps
    lacks_warps = chooses_warps and not lanes.has_all_warps
    if recorder.has_windows:
        asked |= {warp + side for warp in asked for side in (-1, 1)}
    if edges is not None or blocks_differ or lacks_warps:
        lanes = sample_lanes(
            grid,
            block,
            dense=blocks_differ,
            edges=edges,
            whole_blocks=chooses_warps,
            asked=asked,
            has_windows=recorder.has_windows,
        )
        trace, recorder = run.better(trace, recorder, lanes)
    if any(nest.expected and not nest.seen for nest in recorder.nests.values()):
        trace, _ = run.better(trace, recorder, lanes, missed_nests=True)
    if blocks_vary and not lanes.is_whole:
        _note_sample(trace, code, lanes, is_much=blocks_differ)
    return trace


@dataclass(frozen=True, slots=True)
class _Run:
    """A launch that can be run on more than one sample."""

    program: Program
    code: Code
    grid: Dim3
    block: Dim3
    arguments: list[Value]
    memory: AddressSpace
    globals: dict[str, MemoryObject]
    dynamic_shared_bytes: int
    code_cache: dict[str, Code] | None
    number: int
    deadline: Deadline | None

    def better(
        self, before: LaunchTrace, found: Recorder, lanes: Lanes, *, missed_nests: bool = False
    ) -> tuple[LaunchTrace, Recorder]:
        """Run on other lanes; what an earlier run has seen stays where there is no time for that."""
        trace, recorder = self.trace(lanes, missed_nests=missed_nests)
        if not trace.is_out_of_time:
            return trace, recorder
        _note_budget(before, self.code, "there was no time to run the kernel on a better sample")
        before.is_out_of_time = True
        return before, found

    def trace(self, lanes: Lanes, *, missed_nests: bool = False) -> tuple[LaunchTrace, Recorder]:
        """Run on these lanes; the recorder knows how blocks differ."""
        trace = LaunchTrace(
            code=self.code,
            grid=self.grid,
            block=self.block,
            dynamic_shared_bytes=self.dynamic_shared_bytes,
            lanes=lanes,
            number=self.number,
            arguments={
                index: value
                for index, value in enumerate(self.arguments)
                if isinstance(value, int) and not isinstance(value, bool)
            },
        )
        recorder = Recorder(trace)
        recorder.missed_nests = missed_nests
        if not lanes.is_whole:
            recorder.edges = EdgeFinder(self.grid, lanes)
        machine = Machine(
            self.program,
            self.memory,
            lanes,
            DeviceLibrary(),
            is_host=False,
            recorder=recorder,
            budget=KERNEL_BUDGET,
            deadline=self.deadline,
        )
        machine.globals = self.globals
        if self.code_cache is not None:
            machine.code_cache = self.code_cache
        machine.launch_dimensions = _dimensions(self.grid, self.block, self.dynamic_shared_bytes)
        try:
            with in_run(self.number), np.errstate(all="ignore"):
                machine.call(self.code, self.arguments, machine.full_mask())
                fill_lists(machine)
        except TimeSpentError:
            trace.is_out_of_time = True
            _note_budget(trace, self.code, _TOO_SLOW)
        except BudgetExceededError:
            _note_budget(trace, self.code, _TOO_LONG)
        else:
            if machine.is_out_of_time:
                _note_budget(trace, self.code, _HURRIED, _LITTLE)
        trace.steps = machine.executed
        trace.rows = list(self.memory.rows)
        recorder.finish()
        return trace, recorder


_BLOCK = (SpecialRegister.NTID_X, SpecialRegister.NTID_Y, SpecialRegister.NTID_Z)
_GRID = (SpecialRegister.NCTAID_X, SpecialRegister.NCTAID_Y, SpecialRegister.NCTAID_Z)


def _dimensions(grid: Dim3, block: Dim3, dynamic_shared_bytes: int) -> dict[str, int]:
    register = SpecialRegister
    fixed = {"dynamic shared bytes": dynamic_shared_bytes}
    for names, sizes in (
        ((register.NTID_X, register.NTID_Y, register.NTID_Z), block),
        ((register.NCTAID_X, register.NCTAID_Y, register.NCTAID_Z), grid),
    ):
        fixed.update({name.value: size for name, size in zip(names, sizes, strict=True)})
    for names, sizes in (
        ((register.TID_X, register.TID_Y, register.TID_Z), block),
        ((register.CTAID_X, register.CTAID_Y, register.CTAID_Z), grid),
    ):
        fixed.update({name.value: 0 for name, size in zip(names, sizes, strict=True) if size == 1})
    return fixed


_LITTLE = 0.25
"""Weight of a sample of blocks that differ in few of their threads."""


def _note_sample(trace: LaunchTrace, code: Code, lanes: Lanes, *, is_much: bool) -> None:
    """Blocks differ in a way that no edge along the grid explains: the numbers are as good as the sample."""
    seen = lanes.count // lanes.lanes_per_block
    what, how_well = (
        ("different", "about a tenth") if is_much else ("slightly different", "a few percent")
    )
    text = f"blocks of the grid do {what} work: {seen:,} of {math.prod(trace.grid):,} stand for all, to {how_well}"
    first = next((item.position for _, item in code.instructions()), None)
    if first is not None:
        trace.assumptions.append(
            RunAssumption(
                kind="sampled", text=text, position=first, weight=1.0 if is_much else _LITTLE
            )
        )


_TOO_LONG = "the kernel was too long to run abstractly to its end; counts are lower bounds"
_TOO_SLOW = (
    "the time was too short to run the kernel abstractly to its end; counts are lower bounds"
)
_HURRIED = "there was too little time to look closely at all loops of the kernel"


def _note_budget(trace: LaunchTrace, code: Code, text: str, weight: float = 1.0) -> None:
    position = next((item.position for _, item in code.instructions()), None)
    if position is None:
        return
    trace.assumptions.append(
        RunAssumption(
            kind="budget",
            text=text,
            position=position,
            weight=weight,
        )
    )
