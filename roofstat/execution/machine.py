"""The abstract machine: runs structured code on all sampled lanes at once, under masks."""

from __future__ import annotations

import itertools
import sys
from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution import operations
from roofstat.execution.activation import Frame, code_facts, kernel_facts
from roofstat.execution.branches import run_if, run_switch
from roofstat.execution.cut_recursions import extend_vectors, forget_rest, part_done
from roofstat.execution.guesses.counters import Counters
from roofstat.execution.guesses.even_draws import EvenElements
from roofstat.execution.loops.runner import run_loop
from roofstat.execution.mask import Mask
from roofstat.execution.numbers.keys import enter_code, leave_code, new_key
from roofstat.execution.numbers.values import Unknown, Value, uniform_draws
from roofstat.execution.run_ends import BudgetExceededError
from roofstat.program.code import (
    Block,
    Code,
    If,
    Leave,
    Loop,
    Region,
    Scope,
    Switch,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clang_queries.ir.expressions import Position
    from clang_queries.ir.types import Scalar
    from roofstat.execution.activation import CodeFacts
    from roofstat.execution.library_model import LibraryModel
    from roofstat.execution.loops.entry import LoopEntry
    from roofstat.execution.loops.turns import Decision
    from roofstat.execution.recorder import Recorder
    from roofstat.execution.run_ends import Deadline
    from roofstat.execution.stored.address_space import AddressSpace, MemoryObject
    from roofstat.execution.stored.kernel_stores import KernelStores
    from roofstat.execution.trace import Lanes, LoopCoordinate
    from roofstat.program.code import CalledFunction, Instruction
    from roofstat.program.link import Program

MAX_CALL_DEPTH = 48
_RUNS = itertools.count(1)
CENSUS_SHARE = 4
"""The part of the budget that may go into iterations of host loops which tell how often branches let them count."""
MOST_IN_A_RUN = 300_000_000
"""Instructions, counted in each iteration, of host loops whose iterations are gone through all at once."""
LOOK_EVERY = 2_000
"""Instructions of kernels between two looks at the clock: a tenth of a second or less on thousands of lanes."""
WHOLE_LOOP_SHARE = 128
"""The part of the budget that may go into running short loops whole rather than extrapolating them."""


class Machine:
    """Holds one run; `frame` is the innermost activation."""

    def __init__(
        self,
        program: Program,
        memory: AddressSpace,
        lanes: Lanes,
        library: LibraryModel,
        *,
        is_host: bool,
        recorder: Recorder | None = None,
        budget: int = 400_000,
        deadline: Deadline | None = None,
    ) -> None:
        self.program = program
        self.memory = memory
        self.lanes = lanes
        self.lane_count = lanes.count
        self.library = library
        self.is_host = is_host
        self.recorder = recorder
        self.budget = budget
        self.limit = budget
        """Instructions at which the run, or the host function that runs, is cut off."""
        self.hurry_at = budget // 4
        """Instructions after which loops are looked at less closely."""
        self.executed = 0
        self.deadline = deadline
        self.look_at = LOOK_EVERY if deadline is not None else sys.maxsize
        """Instructions after which the run looks at the clock."""
        self.is_out_of_time = False
        """Whether the clock has put it in a hurry."""
        self.whole_loop_allowance = budget // WHOLE_LOOP_SHARE
        """Instructions that may still be spent on running loops whole whose iterations differ."""
        self.census_allowance = budget // CENSUS_SHARE
        """Instructions that may still be spent on iterations of host loops that count under conditions."""
        self.lane_allowance = MOST_IN_A_RUN
        """Instructions that may still be spent on iterations of host loops that are gone through at once."""
        self.weight: NDArray[np.float64] = lanes.weight
        self.pending: dict[int, Mask] = {}
        self.loop_stack: list[LoopEntry] = []
        self.frames: list[Frame] = []
        self.shared: dict[str, MemoryObject] = {}
        self.written: set[int] = set()
        """Buffers that this run has stored to."""
        self.counters = Counters()
        self.unfilled: dict[int, dict[int, tuple[Scalar, float]]] = {}
        """Branch that fills lists -> counter of one that nobody got into -> threads that came; none once somebody got in."""
        self.overflowed: set[int] = set()
        """Instructions whose results are said to run over, by identity."""
        self.element_bytes: dict[int, int] = {}
        """Number of a buffer -> the narrowest access to it."""
        self.run_number = next(_RUNS)
        """Identity of this run, for what it leaves in memory."""
        self.stores: dict[int, KernelStores] = {}
        """What a kernel has stored, by buffer."""
        self.store_count = 0
        self.summed: MemoryObject | None = None
        """The array that a kernel has loaded last of those whose numbers it sums up."""
        self.globals: dict[str, MemoryObject] = {}
        self.launch_dimensions: dict[str, int] = {}
        self.special_cache: dict[object, Value] = {}
        self.code_cache: dict[str, Code] = {}
        self.guessed_exits = 0
        """Branches of host code on unknown data, one arm of which would have left."""
        self.branch_turns: dict[tuple[int, int], float] = {}
        """How often branches of host code whose likelihood is known would have been taken."""
        self.branch_history: dict[int, list[int]] = {}
        """How often branches in loops of host code went each way by known conditions: [taken, not taken]."""
        self.branch_sums: dict[int, tuple[dict[int, int], dict[int, int]]] = {}
        """What the arms of such branches add to variables."""
        self.turns_of_loops: dict[tuple[str, int], int] = {}
        """How often loops of host code inside of others were entered."""
        self.elements: dict[int, EvenElements] = {}
        """Number of a buffer -> numbers of its elements that nobody knows, where few were looked at."""
        self.decided: dict[int, NDArray[np.float64]] = {}
        """Key of a condition -> the numbers by which lanes have decided on it, of the last ones."""
        self.voted: dict[int, NDArray[np.bool_]] = {}
        """Key of a condition -> the lanes that have voted for it, of the last ones."""
        self.tested: dict[int, float] = {}
        """Number of a branch for a new extreme of all threads -> values that were compared there."""
        self.drawn_votes: set[Instruction] = set()
        """Votes on what nobody knows, whose lanes were drawn."""
        self.decisions: list[Decision] | None = None
        """While an iteration is only looked at: its branches and which way all lanes go."""
        self.dry = 0
        """Above 0 while looking ahead: nothing is recorded or stored."""
        self.doubt = 0
        """How many guesses decided that the running code runs: branches on unknown data, assumed trip counts."""
        self._facts: dict[int, CodeFacts] = {}
        self._innermost: Frame | None = None
        """The last call of a recursion that is being left before its end."""
        self._rng_key = 0x5EED

    # State

    @property
    def frame(self) -> Frame:
        """The innermost activation."""
        return self.frames[-1]

    @property
    def facts(self) -> CodeFacts:
        """Static facts of the running code."""
        frame = self.frames[-1]
        return frame.facts or self._facts_of(frame)

    def _facts_of(self, frame: Frame) -> CodeFacts:
        code = frame.code
        found = self._facts.get(id(code))
        if found is None:
            number = len(self._facts)
            found = code_facts(code, number) if self.is_host else kernel_facts(code, number)
            self._facts[id(code)] = found
        frame.facts = found
        return found

    @property
    def coordinates(self) -> tuple[LoopCoordinate, ...]:
        """Where the enclosing loops are."""
        return tuple(entry.coordinate for entry in self.loop_stack)

    @property
    def census_spent(self) -> int:
        """What such iterations have taken: it comes on top of the budget, so that the program is run as far as without them."""
        return self.budget // CENSUS_SHARE - self.census_allowance

    @property
    def is_hurried(self) -> bool:
        """Whether so much of the budget is spent that loops are looked at less closely."""
        return self.executed > self.hurry_at

    def full_mask(self) -> Mask:
        """All existing lanes."""
        return Mask(self.lanes.exists, is_full=True)

    def read(self, register: int) -> Value:
        """The value of a register; one that nothing wrote is unknown."""
        value = self.frames[-1].registers[register]
        if value is None:
            value = Unknown(new_key(), uniform=True, reason="uninitialised variable")
            self.frames[-1].registers[register] = value
        return value

    def assume(self, kind: str, text: str, position: Position, mask: Mask) -> None:
        """Record a guess that the active lanes depend on."""
        if self.recorder is not None and not self.dry:
            threads, _ = mask.totals(self.weight)
            self.recorder.assume(kind, text, position, threads)
        elif self.is_host and not self.dry:
            note = getattr(self.library, "note", None)
            if note is not None:
                note(kind, text, position)

    def draws(self, unknown: Unknown) -> NDArray[np.float64]:
        """Reproducible numbers in [0, 1) for an unknown condition."""
        return uniform_draws(unknown, self.lane_count)

    # Activations

    def call(
        self,
        code: Code,
        arguments: list[Value],
        mask: Mask,
        function: CalledFunction | None = None,
    ) -> Value:
        """Run a `Code`, or one of the functions in it, to its end; returns its result."""
        is_cut = len(self.frames) >= MAX_CALL_DEPTH and any(
            outer.code is code and outer.function is function for outer in self.frames
        )
        self._note_recursion(code, function, mask, is_cut=is_cut)
        if is_cut:
            return Unknown(new_key(), uniform=True, reason="recursion cut off")
        registers: list[Value | None] = [None] * len(code.register_types)
        for register, value in code.constants.items():
            registers[register] = value
        here = enter_code(code)
        frame = Frame(code, registers, arguments, here, function=function, mask=mask)
        self.frames.append(frame)
        pending, self.pending = self.pending, {}
        try:
            if function is None:
                operations.enter_frame(self, mask)
            entered: Code | CalledFunction = function or code
            self.run(entered.body, mask)
            return self.read(entered.result) if entered.result is not None else 0
        except BudgetExceededError:
            self._cut(frame)
            raise
        finally:
            self.pending = pending
            self.frames.pop()
            leave_code(here)

    def _cut(self, frame: Frame) -> None:
        """A recursion is left before its end."""
        if any(outer.code is frame.code for outer in self.frames[:-1]):
            forget_rest(frame)
            if self._innermost is None:
                self._innermost = frame
        elif self._innermost is not None and self._innermost.code is frame.code:
            part = part_done(frame.arguments, self._innermost.arguments)
            if part is not None:
                extend_vectors(frame, part)
            forget_rest(frame)
            self._innermost = None

    def _note_recursion(
        self, code: Code, function: CalledFunction | None, mask: Mask, *, is_cut: bool
    ) -> None:
        """Say where calls are left out, or how many there are is a guess: all lanes that entered the first one rest on it."""
        around: list[Frame] = []
        if function is not None and not self.is_host:
            depths = (n for n, frame in enumerate(self.frames) if frame.function is function)
            around = self.frames[next(depths, len(self.frames)) :]
        entered = around[0].mask if around and around[0].mask is not None else mask
        # Known depths end for all or by what lanes hold; where some lanes have left by a guess, so may the others.
        is_guessed = any(frame.is_guessed for frame in around) and bool(
            (entered.lanes & ~mask.lanes).any()
        )
        if not (is_cut or is_guessed):
            return
        name = code.name if function is None else function.name
        notes: list[tuple[str, str]] = []
        if is_cut:
            kind = "recursion" if self.is_host else "recursion-cut"
            notes.append((kind, f"recursion deeper than {MAX_CALL_DEPTH} is cut off"))
        if is_guessed:
            notes.append(("recursion", "how deep it recurses rests on guesses"))
        _, first = next(code.instructions())
        for kind, text in notes:
            self.assume(kind, f"{name}: {text}", first.position, entered)

    # Regions

    def run(self, regions: list[Region], mask: Mask | None) -> Mask | None:
        """Run regions in order; returns the lanes that reach the end."""
        for region in regions:
            if mask is None:
                return None
            match region:
                case Block():
                    self._run_block(region, mask)
                case If():
                    self.frames[-1].here.item = region
                    mask = run_if(self, region, mask)
                case Loop():
                    self.frames[-1].here.item = region
                    if self.decisions is None:
                        mask = run_loop(self, region, mask)
                case Scope():
                    mask = self._run_scope(region, mask)
                case Leave():
                    self.leave(region.label, mask)
                    return None
                case Switch():
                    self.frames[-1].here.item = region
                    mask = run_switch(self, region, mask)
        return mask

    def leave(self, label: int, mask: Mask) -> None:
        """Send lanes to the end of a scope."""
        both = self.union(self.pending.get(label), mask)
        assert both is not None
        self.pending[label] = both

    def union(self, a: Mask | None, b: Mask | None) -> Mask | None:
        """Lanes in either."""
        if a is None or a is b:
            return b
        if b is None:
            return a
        lanes = a.lanes | b.lanes
        if self.is_host:
            return Mask(lanes, is_full=True)
        return Mask(lanes, is_full=bool(np.array_equal(lanes, self.lanes.exists)))

    def intersect(self, mask: Mask, lanes: NDArray[np.bool_]) -> Mask | None:
        """Active lanes that are also in `lanes`."""
        both = mask.lanes & lanes
        count = np.count_nonzero(both)
        if not count:
            return None
        if count == np.count_nonzero(mask.lanes):
            return mask
        return Mask(both)

    def _run_block(self, block: Block, mask: Mask) -> None:
        recorder = self.recorder
        if recorder is not None and not self.dry:
            threads, warps = mask.totals(self.weight)
            recorder.block(block.number, threads, warps, is_doubtful=self.doubt > 0)
        self.executed += len(block.instructions)
        if self.executed > self.limit and self.executed > self.limit + self.census_spent:
            raise BudgetExceededError
        if self.executed > self.look_at:
            self._look_at_clock()
        frame = self.frames[-1]
        known = (frame.facts or self._facts_of(frame)).steps
        steps = known.get(block.number)
        if steps is None:
            steps = known[block.number] = operations.steps_of(self, block)
        here = frame.here
        for handler, item in steps:
            here.item = item
            handler(self, item, mask)

    def _look_at_clock(self) -> None:
        assert self.deadline is not None
        self.look_at = self.executed + LOOK_EVERY
        if self.deadline.is_hurried():
            self.hurry_at = 0
            self.is_out_of_time = True

    def _run_scope(self, scope: Scope, mask: Mask) -> Mask | None:
        outer = self.pending.pop(scope.label, None)
        remaining = self.run(scope.body, mask)
        arrived = self.pending.pop(scope.label, None)
        if outer is not None:
            self.pending[scope.label] = outer
        return self.union(remaining, arrived)
