"""The abstract machine: runs structured code on all sampled lanes at once, under masks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.execution import operations
from roofstat.execution.arithmetic import drawn, new_key
from roofstat.execution.best_so_far import Best, chance_of_new_best, is_new_best_in_memory
from roofstat.execution.comparisons import (
    comparison_distance,
    comparisons_of,
    note_edge,
    short_circuits,
)
from roofstat.execution.counters import Counters
from roofstat.execution.loops.entry import LoopEntry, direct_leaves, goes_on_with
from roofstat.execution.loops.facts import LoopFacts
from roofstat.execution.loops.runner import facts_of, run_loop
from roofstat.execution.loops.turns import decision_of
from roofstat.execution.nest_share import inside_share
from roofstat.execution.values import Mixed, Unknown, Value, to_array, uniform_draws
from roofstat.program.code import (
    ABORTING_CALLS,
    Block,
    Code,
    If,
    Leave,
    LibraryCall,
    Loop,
    Op,
    Region,
    Scope,
    Switch,
    children,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clang_queries.ir.expressions import Position
    from clang_queries.ir.statements import VariableDeclaration
    from roofstat.execution.address_space import AddressSpace, MemoryObject
    from roofstat.execution.kernel_stores import KernelStores
    from roofstat.execution.recorder import Recorder
    from roofstat.execution.trace import Lanes, LoopCoordinate
    from roofstat.program.code import CalledFunction, Instruction
    from roofstat.program.link import Program
    from roofstat.program.nests import NestShape

Decision = tuple[int, bool | None]
"""Number of a branch, and which way all lanes go: None where they part or nobody knows."""
MAX_CALL_DEPTH = 48
WHOLE_LOOP_SHARE = 128
"""The part of the budget that may go into running short loops whole rather than extrapolating them."""


class BudgetExceededError(Exception):
    """The run has used up its instruction budget."""


class ProgramExit(Exception):  # noqa: N818 - it is not an error
    """The program called exit()."""


@dataclass(slots=True, eq=False)
class Mask:
    """A set of active lanes."""

    lanes: NDArray[np.bool_]
    is_full: bool = False
    """All existing lanes are active."""
    _weight: NDArray[np.float64] | None = None
    _totals: tuple[float, float] = (0.0, 0.0)

    def totals(self, weight: NDArray[np.float64]) -> tuple[float, float]:
        """(threads, warps) of the launch that the active lanes stand for under a weight."""
        if self._weight is not weight:
            active = np.where(self.lanes, weight, 0.0)
            warps = (
                float(active.reshape(-1, 32).max(axis=1).sum())
                if len(active) >= 32
                else float(active.max())
            )
            self._totals = (float(active.sum()), warps)
            self._weight = weight
        return self._totals


@dataclass(slots=True, eq=False)
class Frame:
    """One activation of a `Code`."""

    code: Code
    registers: list[Value | None]
    arguments: list[Value]
    slots: dict[int, MemoryObject] = field(default_factory=dict)
    break_traces: dict[int, list[Value]] = field(default_factory=dict)


class LibraryModel(Protocol):
    """Answers calls of functions without a body (host run time, C library, launches)."""

    def call(self, machine: Machine, instruction: Instruction, arguments: list[Value]) -> Value:
        """The result of a LIBRARY or LAUNCH instruction."""
        ...

    def invoke(self, machine: Machine, code: Code, arguments: list[Value], mask: Mask) -> Value:
        """The result of a host function with a body."""
        ...

    def initialise(self, machine: Machine, variable: VariableDeclaration) -> None:
        """Give a global variable an initial value that is computed."""
        ...

    def launches_so_far(self) -> int:
        """A mark for `doubt_count_since`."""
        ...

    def doubt_count_since(self, mark: int, loop: Loop) -> None:
        """How often the launches since a mark take place rests on a loop whose end nobody knows."""
        ...

    def preferred_arm(self, region: If) -> bool | None:
        """Which arm of a host branch on unknown data leads to launches; None where both or none do."""
        ...

    def arm_to_run(self, branch: If | Switch, arms: Sequence[list[Region]], chosen: int) -> int:
        """The arm of a host branch to run where the program's values choose one; -1 for none."""
        ...

    def enters(self, loop: Loop) -> bool:
        """Whether a loop of host code that has no iteration is run once, for what it launches."""
        ...

    def note_guess(self, region: If, reason: str, *, taken: bool) -> None:
        """A branch of host code has been decided without knowing its condition."""
        ...


@dataclass(slots=True, eq=False)
class CodeFacts:
    """Static facts of a `Code`, computed once."""

    definitions: dict[int, Instruction]
    """Temporary -> the instruction that writes it; variable -> the last one, so that what follows them may go in a circle."""
    short_circuits: dict[int, tuple[int, int]]
    """Host code: variable -> operands of the ``&&`` that it holds; in kernels the right one reads other data each time."""
    steps: dict[int, list[tuple[operations.Handler, Instruction]]] = field(default_factory=dict)
    """Block number -> its instructions with their handlers."""
    loops: dict[int, LoopFacts] = field(default_factory=dict)
    """Loop number -> what its code says."""
    bests: dict[int, Best | None] = field(default_factory=dict)
    """If number -> what it asks for, where that is a new best."""
    leaving: dict[int, frozenset[int]] = field(default_factory=dict)
    """If number -> labels that its arms surely leave to."""


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
        self.executed = 0
        self.whole_loop_allowance = budget // WHOLE_LOOP_SHARE
        """Instructions that may still be spent on running loops whole whose iterations differ."""
        self.weight: NDArray[np.float64] = lanes.weight
        self.pending: dict[int, Mask] = {}
        self.loop_stack: list[LoopEntry] = []
        self.frames: list[Frame] = []
        self.shared: dict[str, MemoryObject] = {}
        self.written: set[int] = set()
        """Buffers that this run has stored to."""
        self.counters = Counters()
        self.element_bytes: dict[int, int] = {}
        """Number of a buffer -> the narrowest access to it."""
        self.run_number = new_key()
        """Identity of this run, for what it leaves in memory."""
        self.stores: dict[int, KernelStores] = {}
        """What a kernel has stored, by buffer."""
        self.store_count = 0
        self.globals: dict[str, MemoryObject] = {}
        self.launch_dimensions: dict[str, int] = {}
        self.special_cache: dict[object, Value] = {}
        self.code_cache: dict[str, Code] = {}
        self.guessed_exits = 0
        """Branches of host code on unknown data, one arm of which would have left."""
        self._turns: dict[tuple[int, int], float] = {}
        """How often branches of host code whose likelihood is known would have been taken."""
        self._added: dict[int, tuple[dict[int, int], dict[int, int]]] = {}
        """What the arms of such branches add to variables."""
        self.decisions: list[Decision] | None = None
        """While an iteration is only looked at: its branches and which way all lanes go."""
        self.dry = 0
        """Above 0 while looking ahead: nothing is recorded or stored."""
        self.doubt = 0
        """How many guesses decided that the running code runs: branches on unknown data, assumed trip counts."""
        self._facts: dict[int, CodeFacts] = {}
        self._rng_key = 0x5EED

    # State

    @property
    def frame(self) -> Frame:
        """The innermost activation."""
        return self.frames[-1]

    @property
    def facts(self) -> CodeFacts:
        """Static facts of the running code."""
        code = self.frames[-1].code
        found = self._facts.get(id(code))
        if found is None:
            found = CodeFacts(
                {item.dest: item for _, item in code.instructions() if item.dest >= 0},
                short_circuits(code) if self.is_host else {},
            )
            self._facts[id(code)] = found
        return found

    @property
    def coordinates(self) -> tuple[LoopCoordinate, ...]:
        """Where the enclosing loops are."""
        return tuple(entry.coordinate for entry in self.loop_stack)

    @property
    def is_hurried(self) -> bool:
        """Whether so much of the budget is spent that loops are looked at less closely."""
        return self.executed > self.budget // 4

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
        if len(self.frames) >= MAX_CALL_DEPTH:
            position = next((item.position for _, item in code.instructions()), None)
            if position is not None:
                name = code.name if function is None else function.name
                self.assume(
                    "recursion",
                    f"{name}: recursion deeper than {MAX_CALL_DEPTH} is cut off",
                    position,
                    mask,
                )
            return Unknown(new_key(), uniform=True, reason="recursion cut off")
        registers: list[Value | None] = [None] * len(code.register_types)
        for register, value in code.constants.items():
            registers[register] = value
        frame = Frame(code, registers, arguments)
        self.frames.append(frame)
        pending, self.pending = self.pending, {}
        try:
            if function is None:
                operations.enter_frame(self, mask)
            entered: Code | CalledFunction = function or code
            self.run(entered.body, mask)
            return self.read(entered.result) if entered.result is not None else 0
        finally:
            self.pending = pending
            self.frames.pop()

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
                    mask = self._run_if(region, mask)
                case Loop():
                    if self.decisions is None:
                        mask = run_loop(self, region, mask)
                case Scope():
                    mask = self._run_scope(region, mask)
                case Leave():
                    self.leave(region.label, mask)
                    return None
                case Switch():
                    mask = self._run_switch(region, mask)
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
        if not both.any():
            return None
        if both.sum() == mask.lanes.sum():
            return mask
        return Mask(both)

    def _run_block(self, block: Block, mask: Mask) -> None:
        recorder = self.recorder
        if recorder is not None and not self.dry:
            threads, warps = mask.totals(self.weight)
            recorder.block(block.number, threads, warps, is_doubtful=self.doubt > 0)
        self.executed += len(block.instructions)
        if self.executed > self.limit:
            raise BudgetExceededError
        facts = self.facts
        steps = facts.steps.get(block.number)
        if steps is None:
            handlers = operations.HANDLERS
            steps = [(handlers[item.op], item) for item in block.instructions]
            facts.steps[block.number] = steps
        for handler, item in steps:
            handler(self, item, mask)

    def _run_scope(self, scope: Scope, mask: Mask) -> Mask | None:
        outer = self.pending.pop(scope.label, None)
        remaining = self.run(scope.body, mask)
        arrived = self.pending.pop(scope.label, None)
        if outer is not None:
            self.pending[scope.label] = outer
        return self.union(remaining, arrived)

    def _run_if(self, region: If, mask: Mask) -> Mask | None:
        condition = self.read(region.condition)
        if not self.is_host and is_new_best_in_memory(self, region):
            # Of a list that is kept sorted the sampled values say less than that they come in no order.
            condition = Unknown(new_key(), reason="the best so far")
        self._trace_break(region, condition)
        if self.decisions is not None:
            self.decisions.append((region.number, decision_of(condition, mask.lanes)))
        if region.nest is not None:
            condition = self._in_nest(region, region.nest, condition, mask)
        if isinstance(condition, int | float):
            arms = (region.then, region.otherwise)
            return self.run(arms[self._arm_to_run(region, arms, 0 if condition else 1)], mask)
        taken, skipped = self.split(region, condition, mask)
        guesses = int(isinstance(condition, Unknown | Mixed))
        self.doubt += guesses
        if self.is_host and isinstance(condition, Unknown) and condition.sample is not None:
            after = self._run_by_share(region, condition.sample, mask, is_taken=taken is not None)
            self.doubt -= guesses
            return after
        after_then = self.run(region.then, taken) if taken is not None else None
        after_else = self.run(region.otherwise, skipped) if skipped is not None else None
        self.doubt -= guesses
        if taken is mask and after_then is mask:
            return mask
        if skipped is mask and after_else is mask:
            return mask
        if (
            after_then is taken
            and after_else is skipped
            and taken is not None
            and skipped is not None
        ):
            return mask
        return self.union(after_then, after_else)

    def _run_by_share(
        self, region: If, sample: NDArray[np.float64], mask: Mask, *, is_taken: bool
    ) -> Mask | None:
        """Run an arm of a host branch of which is known how often it is taken: sums grow by as much on the average."""
        arm = region.then if is_taken else region.otherwise
        entry = self.loop_stack[-1] if self.loop_stack else None
        if entry is None or entry.frame is not self.frames[-1]:
            return self.run(arm, mask)
        share = float((sample != 0).mean())
        registers = self.frames[-1].registers
        before = {variable: registers[variable] for variable in facts_of(self, entry.loop).sums}
        reached = self.run(arm, mask)
        added = self._added.setdefault(id(region), ({}, {}))
        for variable, value in before.items():
            now = registers[variable]
            if isinstance(now, int) and isinstance(value, int) and now != value:
                added[not is_taken][variable] = now - value
            then, otherwise = (arm.get(variable, 0) for arm in added)
            if then or otherwise:
                expected = share * then + (1.0 - share) * otherwise
                entry.expected.setdefault(variable, {})[id(region)] = expected
        return reached

    def _arm_to_run(self, branch: If | Switch, arms: Sequence[list[Region]], chosen: int) -> int:
        if not self.is_host or self.dry:
            return chosen
        return self.library.arm_to_run(branch, arms, chosen)

    def _in_nest(self, region: If, nest: NestShape, condition: Value, mask: Mask) -> Value:
        """The condition of a branch that guards a nest; how many lanes ought to hold it is noted."""
        recorder = self.recorder
        values = tuple(self.read(register) for register in nest.registers)
        if recorder is None or self.dry or isinstance(condition, Unknown | Mixed):
            return condition
        if not all(isinstance(value, int) for value in values):
            return condition
        share = inside_share(nest, cast("tuple[int, ...]", values))
        if recorder.missed_nests and share:
            condition = True
        lanes = to_array(condition, Scalar.BOOL, self.lane_count)
        taken = self.intersect(mask, lanes)
        inside = taken.totals(self.weight)[0] if taken is not None else 0.0
        recorder.nest(region.number, share * mask.totals(self.weight)[0], inside)
        return condition

    def split(self, region: If, condition: Value, mask: Mask) -> tuple[Mask | None, Mask | None]:
        """Lanes that take the branch and lanes that do not."""
        explained = False
        if isinstance(condition, Unknown | Mixed):
            lanes = self.guess_branch(region, condition, mask)
        else:
            lanes = to_array(condition, Scalar.BOOL, self.lane_count)
            explained = self.note_edges(region.condition)
        taken = self.intersect(mask, lanes)
        self._note_uniformity(region.number, mask, lanes, explained=explained)
        if taken is mask:
            return mask, None
        if taken is None:
            return None, mask
        return taken, Mask(mask.lanes & ~lanes)

    def _note_uniformity(
        self, number: int, mask: Mask, lanes: NDArray[np.bool_], *, explained: bool
    ) -> None:
        if self.recorder is None or self.dry or self.is_host:
            return
        if not explained:
            self.note_block_difference(mask, lanes)
        taken = (lanes & mask.lanes).reshape(-1, 32).any(axis=1)
        skipped = (~lanes & mask.lanes).reshape(-1, 32).any(axis=1)
        self.recorder.branch(number, uniform=not bool((taken & skipped).any()))

    def note_edges(self, condition: int) -> bool:
        """Notice where along the grid a condition turns; whether that says all about how blocks differ."""
        edges = self.recorder.edges if self.recorder is not None else None
        if edges is None or self.dry:
            return False
        found = comparisons_of(self, condition)
        explained = bool(found)
        for comparison in found:
            known = edges.explained(comparison.dest)
            if known is None:
                distance = comparison_distance(self, comparison.dest)
                known = note_edge(self, comparison, distance)
            explained = explained and known
        return explained

    def note_block_difference(self, mask: Mask, lanes: NDArray[np.bool_]) -> None:
        """Notice when whole blocks decide differently: then the sample of blocks matters."""
        recorder = self.recorder
        if recorder is None or recorder.blocks_differ or self.dry:
            return
        rows = (-1, self.lanes.lanes_per_block)
        taken = (lanes & mask.lanes).reshape(rows).sum(axis=1)
        active = mask.lanes.reshape(rows).sum(axis=1)
        counted = (active > 0) & self.lanes.is_inner_block
        if counted.any():
            shares = taken[counted] / active[counted]
            recorder.blocks_differ = bool(shares.max() - shares.min() > 0.25)

    def guess_branch(self, region: If, condition: Unknown | Mixed, mask: Mask) -> NDArray[np.bool_]:
        """Decide a branch on data that nobody knows: by what the arms do, else evenly."""
        unknown = condition if isinstance(condition, Unknown) else condition.unknown
        if self.loop_stack and self.loop_stack[-1].frame is self.frames[-1]:
            goes_on = goes_on_with(self.loop_stack[-1], region)
            if goes_on is not None:
                self.loop_stack[-1].open_tests.append(unknown)
                lanes = np.full(self.lane_count, goes_on)
                if isinstance(condition, Mixed):
                    lanes = np.where(condition.known, condition.values.astype(np.bool_), lanes)
                return lanes
        known = None
        if not self.is_host:
            known = chance_of_new_best(self, region, mask) or self._chance_of_own(region, mask)
        probability, why = known or branch_probability(
            region, inner=self._labels_inside_loop(), is_host=self.is_host
        )
        if not self.is_host and self._ends_on_difference(region, probability):
            self.loop_stack[-1].open_breaks.append(unknown)
            lanes = np.full(self.lane_count, probability == 1.0)
            if isinstance(condition, Mixed):
                lanes = np.where(condition.known, condition.values.astype(np.bool_), lanes)
            return lanes
        if self.is_host:
            preferred = self.library.preferred_arm(region)
            if preferred is None:
                preferred = self._turn_by_share(region, unknown)
            if preferred is None:
                preferred = self._likely_by_comparison(region)
            if preferred is not None:
                probability, why = float(preferred), "host code: the likely arm"
            if self.leaving_labels(region):
                self.guessed_exits += 1
        if (not self.is_host and why != _ABORTS) or 0.0 < probability < 1.0:
            self.assume(
                "branch",
                f"branch on {unknown.reason or 'unknown data'}: taken with probability {probability:g} ({why})",
                region.position,
                mask,
            )
        if probability in (0.0, 1.0):
            lanes = np.full(self.lane_count, probability == 1.0)
        else:
            lanes = (
                self.draws(unknown.fresh(new_key()) if unknown.lane_index is None else unknown)
                < probability
            )
            if unknown.uniform and len(lanes) >= 32:
                lanes = np.repeat(lanes[::32], 32)
        if self.is_host and not self.dry and not self.leaving_labels(region):
            reason = unknown.reason or "unknown data"
            self.library.note_guess(region, reason, taken=bool(lanes[0]))
        if isinstance(condition, Mixed):
            lanes = np.where(condition.known, condition.values.astype(np.bool_), lanes)
        return lanes

    def _chance_of_own(self, region: If, mask: Mask) -> tuple[float, str] | None:
        """(probability, why) where data that nobody knows are compared with a number that each lane has for itself."""
        comparison = self.facts.definitions.get(region.condition)
        if comparison is None or comparison.op not in (Op.EQ, Op.NE) or comparison.scalar.is_float:
            return None
        values = [self.read(register) for register in comparison.args]
        for data, own in (values, values[::-1]):
            if not isinstance(data, Unknown) or data.uniform or not isinstance(own, np.ndarray):
                continue
            numbers = own[mask.lanes]
            size = comparison.scalar.size_bytes
            is_at_home = data.lane_index is not None and np.array_equal(
                data.lane_index // size, own
            )
            if (numbers != numbers[0]).any() and not is_at_home:
                return float(comparison.op is Op.NE), "hardly ever the lane's own number"
        return None

    def _ends_on_difference(self, region: If, probability: float) -> bool:
        """Whether a branch leaves the running loop where two whole numbers differ, as comparisons of texts and keys do.

        That most data are equal is as little known as the opposite: the loop is one on unknown data.
        """
        if self._labels_inside_loop() is None or probability not in (0.0, 1.0):
            return False
        definition = self.facts.definitions.get(region.condition)
        leaving = [Op.NE, Op.EQ] if probability == 0.0 else [Op.EQ, Op.NE]
        if definition is not None and definition.op is Op.NOT:
            definition = self.facts.definitions.get(definition.args[0])
            leaving.reverse()
        return (
            definition is not None
            and definition.op is leaving[0]
            and definition.scalar.is_integer
            and self.loop_stack[-1].loop.condition_register is not None
        )

    def _turn_by_share(self, region: If, unknown: Unknown) -> bool | None:
        """The arm of a host branch whose turn it is, where it is known how often the condition holds."""
        if unknown.sample is None or self.leaving_labels(region):
            return None
        share = float((unknown.sample != 0).mean())
        if not self.loop_stack or self.loop_stack[-1].frame is not self.frames[-1]:
            return share >= 0.5
        # Its turn comes at once, so that what it does is seen, and then once in so many iterations.
        key = (id(region), self.dry)
        before = self._turns.get(key, 1.0 - share)
        after = before + share
        self._turns[key] = after
        return int(after) > int(before)

    def _likely_by_comparison(self, region: If) -> bool | None:
        """The likely arm of a host branch by what it compares (Ball and Larus): pointers are set, data differ."""
        definition = self.facts.definitions.get(region.condition)
        if definition is None or definition.op not in (Op.EQ, Op.NE):
            return None
        constants = self.frames[-1].code.constants
        if definition.scalar is Scalar.U64 and any(
            constants.get(register) == 0 for register in definition.args
        ):
            return definition.op is Op.NE
        if definition.op is Op.EQ and not self.leaving_labels(region):
            return False
        return None

    def _labels_inside_loop(self) -> frozenset[int] | None:
        """Scopes inside the innermost loop of the running code; None outside of loops."""
        if self.loop_stack and self.loop_stack[-1].frame is self.frames[-1]:
            return self.loop_stack[-1].inner_labels
        return None

    def _trace_break(self, region: If, condition: Value) -> None:
        """Remember how far a loop-leaving condition is from turning, so that the loop can be extrapolated."""
        if not self.loop_stack:
            return
        entry = self.loop_stack[-1]
        if entry.frame is not self.frames[-1] or entry.dry != self.dry:
            return
        labels = self.leaving_labels(region) - entry.inner_labels
        if labels:
            distance = comparison_distance(self, region.condition)
            known = not isinstance(condition, Unknown | Mixed)
            entry.note_break(region, distance, known=known)

    def leaving_labels(self, region: If) -> frozenset[int]:
        """Labels that the arms of the branch surely leave to."""
        facts = self.facts
        found = facts.leaving.get(region.number)
        if found is None:
            found = direct_leaves(region.then) | direct_leaves(region.otherwise)
            facts.leaving[region.number] = found
        return found

    def _run_switch(self, region: Switch, mask: Mask) -> Mask | None:
        selector = self.read(region.selector)
        running: Mask | None = None
        unmatched: Mask | None = mask
        matches = self._case_masks(region, selector, mask)
        for case, matched in zip(region.cases, matches, strict=True):
            if matched is not None and unmatched is not None:
                unmatched = (
                    self.intersect(unmatched, ~matched.lanes) if matched is not mask else None
                )
            running = self.union(running, matched)
            if running is not None:
                running = self.run(case.body, running)
        if any(case.is_default for case in region.cases):
            return running
        return self.union(running, unmatched)

    def _case_masks(self, region: Switch, selector: Value, mask: Mask) -> list[Mask | None]:
        cases = region.cases
        if isinstance(selector, int | float):
            chosen = next(
                (
                    n
                    for n, case in enumerate(cases)
                    if any(low <= selector <= high for low, high in case.values)
                ),
                next((n for n, case in enumerate(cases) if case.is_default), -1),
            )
            chosen = self._arm_to_run(region, [case.body for case in cases], chosen)
            return [mask if n == chosen else None for n in range(len(cases))]
        selector = drawn(selector, self.lane_count)
        if isinstance(selector, int | float):
            return self._case_masks(region, selector, mask)
        if isinstance(selector, Unknown):
            draws = self.draws(selector.fresh(new_key()))
            values = np.floor(draws * len(cases)).astype(np.int64)
            self.assume(
                "branch",
                f"switch on {selector.reason or 'unknown data'}: all cases equally likely",
                region.position,
                mask,
            )
            return [self.intersect(mask, values == n) for n in range(len(cases))]
        array = np.asarray(selector.values if isinstance(selector, Mixed) else selector).astype(
            np.int64
        )
        rest = np.ones(self.lane_count, np.bool_)
        found: list[NDArray[np.bool_]] = []
        for case in cases:
            lanes = np.zeros(self.lane_count, np.bool_)
            for low, high in case.values:
                lanes |= (array >= low) & (array <= high)
            rest &= ~lanes
            found.append(lanes)
        return [
            self.intersect(mask, lanes | rest if case.is_default else lanes)
            for case, lanes in zip(cases, found, strict=True)
        ]


def _leaves(regions: list[Region]) -> set[int]:
    """Labels that code leaves to, minus those of scopes inside it."""
    found: set[int] = set()
    for region in regions:
        if isinstance(region, Leave):
            found.add(region.label)
        else:
            inner: set[int] = set()
            for part in children(region):
                inner |= _leaves(part)
            if isinstance(region, Scope):
                inner.discard(region.label)
            found |= inner
    return found


_FATAL = ABORTING_CALLS | {"exit", "_exit", "quick_exit", "perror", "usage"}
_ABORTS = "the arm ends the program"
_REPORTING = frozenset({"printf"})


def branch_probability(
    region: If, *, inner: frozenset[int] | None, is_host: bool
) -> tuple[float, str]:
    """Probability that an undecidable branch is taken, from what its arms do (after Ball and Larus, PLDI 1993).

    Args:
        region: The branch.
        inner: Labels of the scopes inside the innermost loop; None outside of loops.
        is_host: Whether it is host code.
    """
    then_leaves, else_leaves = bool(_leaves(region.then)), bool(_leaves(region.otherwise))
    in_loop = inner is not None
    if inner is not None and not is_host:
        then_leaves = bool(_leaves(region.then) - inner)
        else_leaves = bool(_leaves(region.otherwise) - inner)
    if is_host:
        if _is_fatal(region.then) or (then_leaves and not else_leaves):
            return 0.0, "the arm leaves"
        if _is_fatal(region.otherwise) or (else_leaves and not then_leaves):
            return 1.0, "the other arm leaves"
        return 1.0, "host code: the first arm"
    for calls, why in ((ABORTING_CALLS, _ABORTS), (_REPORTING, "the arm reports what went wrong")):
        for arm, probability in ((region.then, 0.0), (region.otherwise, 1.0)):
            if _calls_at_once(arm, calls):
                return probability, why
    if in_loop and then_leaves and not else_leaves:
        return 0.0, "it would leave the loop"
    if in_loop and else_leaves and not then_leaves:
        return 1.0, "the other arm would leave the loop"
    return 0.5, "no better knowledge"


def _is_fatal(regions: list[Region]) -> bool:
    return _calls_at_once(regions, _FATAL) or any(
        _is_fatal(part) for region in regions for part in children(region)
    )


def _calls_at_once(regions: list[Region], names: frozenset[str]) -> bool:
    """Whether an arm calls one of some library functions, under no further condition."""
    for region in regions:
        if isinstance(region, Scope) and _calls_at_once(region.body, names):
            return True
        if isinstance(region, Block) and any(
            isinstance(item.detail, LibraryCall) and item.detail.name.rsplit("::", 1)[-1] in names
            for item in region.instructions
        ):
            return True
    return False
