"""Walks the structured code in order and builds the value graph with its effects."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.graph.details import Graph, LoadDetail
from roofstat.instructions.graph.liveness import needed_values
from roofstat.instructions.graph.values import Pseudo, Value
from roofstat.instructions.integers.arithmetic import PURE
from roofstat.instructions.integers.logic import joined_tests
from roofstat.instructions.loops.loop_walk import LoopWalk
from roofstat.instructions.loops.sizes import FREE, ir_size
from roofstat.instructions.speculation import are_speculated
from roofstat.instructions.walk_state import Environment, OpenScope, ScopeExit
from roofstat.instructions.weights import Factor, FactorKind
from roofstat.program.code import Block, If, Leave, Loop, Op, Scope, Switch, blocks
from roofstat.program.comparisons import COMPARISONS

if TYPE_CHECKING:
    from roofstat.instructions.graph.memory_state import MemoryState
    from roofstat.instructions.graph.values import Context
    from roofstat.instructions.loops.guarded_loops import Guard
    from roofstat.instructions.weights import Weight
    from roofstat.program.code import Region

_SINKABLE = frozenset({Op.ADD, Op.MUL, Op.AND, Op.OR, Op.XOR})


_MOST_HOISTED = 7
_MOST_LEFT = 4
"""Limits of LLVM's pass for speculative execution: what it hoists, and what it leaves besides the jump at the end."""


_MOST_JOINED = 3
"""Comparisons that LLVM joins into the condition of one branch: of four the first one has a branch of its own, which keeps the arm."""


def _is_short_arm(region: If) -> bool:
    """Whether the only arm of a branch is so short that its arithmetic is computed before the branch."""
    arms = [arm for arm in (region.then, region.otherwise) if arm]
    if len(arms) != 1 or not all(isinstance(part, Block) for part in arms[0]):
        return False
    hoisted = left = 0
    for block in blocks(arms[0]):
        for instruction in block.instructions:
            if instruction.op in PURE and instruction.op is not Op.MATH:
                hoisted += 2 if instruction.scalar.is_float else 1
            elif instruction.op is Op.PTR_ADD:
                hoisted += 1
            elif instruction.op not in _NO_INSTRUCTION:
                left += 1
    return hoisted <= _MOST_HOISTED and left <= _MOST_LEFT


def _chooses_stored(region: If) -> bool:
    """Whether both arms compute little and store at their ends: one set of stores takes what is chosen."""
    arms = (region.then, region.otherwise)
    return all(arm and all(map(_stores_at_end, arm)) for arm in arms)


def _stores_at_end(region: Region) -> bool:
    if not isinstance(region, Block):
        return False
    stored, size = False, 0
    for instruction in region.instructions:
        if instruction.op is Op.STORE:
            stored = True
        elif instruction.op in PURE and instruction.op not in {Op.MATH, Op.DIV, Op.REM, Op.CAST}:
            size += 1
            if stored:
                return False
        elif instruction.op not in _NO_INSTRUCTION | {Op.PTR_ADD, Op.CAST}:
            return False
    return size <= _MOST_HOISTED


def _choices(region: If, before: Environment, after: list[Environment]) -> int:
    """Variables that the arms of a branch leave with different values, without those that an arm sets for itself."""
    own = {register for arm in (region.then, region.otherwise) for register in _set_and_read(arm)}
    first, second = after
    return sum(
        register not in own and value.number != first[register].number
        for register in before.keys() & first.keys() & second.keys()
        if (value := second[register]) is not first[register]
    )


def _set_and_read(arm: list[Region]) -> set[int]:
    found: set[int] = set()
    written: set[int] = set()
    for block in blocks(arm):
        for instruction in block.instructions:
            found.update(written.intersection(instruction.args))
            written.add(instruction.dest)
    return found


def _does_something(arm: list[Region]) -> bool:
    return any(not isinstance(region, Leave) for region in arm)


_BOTH = 2
_MOST_CHOICES = 3
"""LLVM keeps the branch in front of more than three phis, and the assembler makes predicated moves of them."""
_NO_INSTRUCTION = frozenset({Op.MOV, Op.SLOT, Op.PARAM, Op.GLOBAL})


class Walker(LoopWalk):
    """One walk over one `Code`."""

    def run(self) -> Graph:
        """Walks the whole code."""
        self._regions(self._code.body)
        graph = Graph(
            values=self._numberer.values,
            effects=self._effects,
            code=self._code,
            exposed=self._points_to.exposed,
            notes=self._notes,
            batches=self._batches(),
            vanished=self._vanished(),
        )
        if self._parameters.least_accesses_of_chains:
            self._chain_rows(graph)
        return graph

    def _chain_rows(self, graph: Graph) -> None:
        """Makes addresses from others, and puts what is new in front of those that take it."""
        needed = needed_values(graph)
        chained = self._addresses.chain_rows([v for v in graph.values if v.number in needed])
        ordered: dict[int, Value] = {}
        for value in graph.values if chained else ():
            pending = [value] if value.number in chained else []
            while pending:
                missing = [arg for arg in pending[-1].args if arg.number not in ordered]
                pending.extend(missing)
                if not missing:
                    part = pending.pop()
                    ordered[part.number] = part
            ordered[value.number] = value
        graph.values = list(ordered.values()) or graph.values

    def _batches(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for (number, *_), decision in self._decisions.items():
            found[number] = min(found.get(number, decision.batch), decision.batch)
        return found

    def _vanished(self) -> frozenset[int]:
        left = {number for (number, *_), decision in self._decisions.items() if not decision.full}
        return frozenset(number for number, *_ in self._decisions).difference(left)

    def _regions(self, regions: list[Region]) -> bool:
        """Walks a list; False if its end cannot be reached."""
        for region in regions:
            match region:
                case Block():
                    self._block(region)
                    continues = True
                case If():
                    continues = self._if(region)
                case Loop():
                    continues = self._loop(region)
                case Scope():
                    continues = self._scope(region)
                case Leave():
                    self._leave(region)
                    continues = False
                case Switch():
                    continues = self._switch(region)
            if not continues:
                return False
        return True

    def _block(self, block: Block) -> None:
        context = self._numberer.context
        if context.weight is None:
            context.weight = self._share.times(1.0, Factor(FactorKind.BLOCK, block.number))
        for place, instruction in enumerate(block.instructions):
            self._numberer.position = instruction.position
            self._numberer.origin = block.number, place
            self._instruction(instruction)
        self._numberer.origin = None

    def _if(self, region: If) -> bool:
        condition = self._value(region.condition)
        if condition.is_constant:
            return self._folded_arm(region.then if condition.constant else region.otherwise)
        self._numberer.position = region.position
        loop = self._numberer.context.loop
        guard = None if loop is None else self._guards.get(loop.number)
        if guard is not None and guard.branch is region:
            return self._guarded(guard)
        marks = self._marks
        outer = self._numberer.context
        environment, memory = self._environment, self._memory
        self._control.append(condition)
        first_new = len(self._numberer.values)
        starts: list[int] = []
        segment = self._numberer.segment
        states: list[tuple[Environment, MemoryState, Context]] = []
        arms: list[Context] = []
        is_joined = len(joined_tests(condition)) <= _MOST_JOINED
        hoists = self._parameters.hoists_from_short_arms and _is_short_arm(region) and is_joined
        chooses_stored = self._parameters.hoists_from_short_arms and _chooses_stored(region)
        for arm in (region.then, region.otherwise):
            self._environment = dict(environment)
            self._memory = memory.copy()
            self._enter(guarded=True)
            self._numberer.context.is_joined = is_joined
            self._numberer.note_test(condition, holds=arm is region.then)
            if hoists or chooses_stored:
                self._numberer.segment = segment
            if hoists:
                self._numberer.before_arm = outer
            self._numberer.first_arm = arms[0] if arms and region.then and arm else None
            self._numberer.begins_arm = True
            self._chooses_stored = chooses_stored
            arms.append(self._numberer.context)
            starts.append(len(self._numberer.values))
            if self._regions(arm):
                states.append((self._environment, self._memory, self._numberer.context))
            self._numberer.before_arm = self._numberer.first_arm = None
            self._leave_context(outer)
        self._control.pop()
        is_flat = self._marks == marks
        if is_flat:
            chosen = (
                _choices(region, environment, [state[0] for state in states])
                if len(states) == _BOTH
                else 0
            )
            is_flat = self._is_cheap(starts, outer, region, hoists=hoists, choices=chosen) and (
                chosen <= _MOST_CHOICES or self._is_chosen_anyway(condition, first_new)
            )
        if not is_flat:
            self._branches += 1
            self._jumps += 1 + bool(region.then) + bool(region.otherwise)
        if self._marks != marks:
            self._numberer.segment = segment if chooses_stored else self._numberer.segment + 1
            self._branch(condition)
        elif is_flat:
            for context in arms:
                context.chosen, context.weight = context.weight, None
                context.is_guarded = False
            self._numberer.segment = segment
        else:
            self._numberer.segment += 1
        if not states:
            return False
        if len(states) == 1:
            # The other arm jumped away: what follows runs only after this one.
            self._environment, self._memory, inner = states[0]
            self._reenter(outer, inner)
            return True
        both = [(environment, memory) for environment, memory, _ in states]
        weights = tuple(arm.chosen for arm in arms) if is_flat else ()
        self._merge(both, [condition], environment, is_flat=is_flat, arms=weights)
        return True

    def _guarded(self, guard: Guard) -> bool:
        """Walks the arms of a branch at which a loop is parted: each is in a loop of its own, which does not decide."""
        arms = [arm for arm in (guard.branch.then, guard.branch.otherwise) if _does_something(arm)]
        environment, memory, outer = self._environment, self._memory, self._numberer.context
        states = []
        for arm in arms:
            self._environment, self._memory = dict(environment), memory.copy()
            self._enter(guarded=False)
            if self._regions(arm):
                states.append((self._environment, self._memory))
            if len(arms) > 1:
                self._leave_context(outer)
        if len(arms) > 1 and states:
            self._merge(states, [], environment)
        elif not arms or not guard.is_alone:
            self._enter(guarded=False)
        return bool(states) or not arms

    def _is_cheap(
        self, starts: list[int], outer: Context, region: If, *, hoists: bool, choices: int
    ) -> bool:
        """Whether the arms of a branch are so short that both are computed and one result is selected."""
        level = outer.level if hoists else outer.level + 1
        values = self._numberer.values
        arms: list[list[Value]] = []
        for start, end in pairwise([*starts, len(values)]):
            arm = [
                v
                for v in values[start:end]
                if v.context.level >= level and v.context.loop is outer.loop
            ]
            if any(v.op is Op.LOAD and not self._is_safe(v) for v in arm):
                return False
            if any(ir_size(v, fast_math=self._fast_math) > 1.0 for v in arm):
                return False
            arms.append(arm)
        if region.kind == "logical":
            size = sum(v.op not in FREE and isinstance(v.op, Op) for arm in arms for v in arm)
            return size <= self._parameters.speculated_logic
        return are_speculated(
            arms, self._parameters.speculation, choices=choices, is_called=region.is_inlined
        )

    def _is_chosen_anyway(self, condition: Value, first_new: int) -> bool:
        """Whether nvcc chooses between however many variables: of arms that compute nothing, by integers."""
        is_float = condition.op in COMPARISONS and condition.args[0].scalar.is_float
        computed = (v for v in self._numberer.values[first_new:] if isinstance(v.op, Op))
        return (
            self._parameters.chooses_exchanged
            and not is_float
            and all(value.op in FREE for value in computed)
        )

    def _is_safe(self, load: Value) -> bool:
        """Whether a load cannot fault: it is at a constant place of an object whose size the compiler knows."""
        root = load.args[0]
        detail = load.detail
        if not isinstance(detail, LoadDetail) or detail.access.is_volatile:
            return False
        if root.op is Op.SLOT and isinstance(detail.root.identity, int):
            return not self._code.slots[detail.root.identity].is_dynamic_shared
        return root.op is Op.GLOBAL

    def _folded_arm(self, arm: list[Region]) -> bool:
        """Walks the arm of a branch that is decided at compile time: it runs as often as the branch."""
        first = next(blocks(arm), None)
        if first is None:
            return self._regions(arm)
        share = self._share
        weight = self._numberer.context.effective_weight()
        if weight is not None:
            self._share = weight.over(Factor(FactorKind.BLOCK, first.number))
        reached = self._regions(arm)
        self._share = share
        return reached

    def _scope(self, region: Scope) -> bool:
        scope = OpenScope(
            label=region.label,
            control_depth=len(self._control),
            loop_depth=len(self._numberer.frames),
            exits=[],
        )
        self._scopes.append(scope)
        outer = self._numberer.context
        environment = dict(self._environment)
        reached = self._regions(region.body)
        self._scopes.pop()
        states = [(e.environment, e.memory) for e in scope.exits]
        if reached:
            states.append((self._environment, self._memory))
        conditions = {c.number: c for e in scope.exits for c in e.conditions}
        if not states:
            self._leave_context(outer)
            return False
        if not scope.exits:
            # Nothing jumped here: what was computed in the body stays available.
            return True
        self._leave_context(outer)
        self._merge(states, list(conditions.values()), environment)
        return True

    def _leave(self, region: Leave) -> None:
        self._marks += 1
        for scope in reversed(self._scopes):
            if scope.label == region.label:
                conditions = self._control[scope.control_depth :]
                for frame in self._numberer.frames[scope.loop_depth :]:
                    frame.exits.extend(conditions)
                scope.exits.append(
                    ScopeExit(dict(self._environment), self._memory.copy(), conditions)
                )
                return

    def _merge(
        self,
        states: list[tuple[Environment, MemoryState]],
        conditions: list[Value],
        before: Environment,
        *,
        is_flat: bool = False,
        arms: tuple[Weight | None, ...] = (),
    ) -> None:
        """Joins the states of several paths into the current one.

        `is_flat`: by selection, without a branch, of two of which the `arms` say how often each is taken.
        """
        first_environment, memory = states[0]
        merged: Environment = {}
        registers = set(first_environment)
        for environment, _ in states[1:]:
            registers |= set(environment)
        others = [environment for environment, _ in states[1:]]
        for register in registers:
            first = first_environment.get(register)
            if first is not None and first.context.is_active:
                # Most values are the same on every path; this loop is the hot one of the walk.
                for environment in others:
                    if environment.get(register) is not first:
                        break
                else:
                    merged[register] = first
                    continue
            found = [environment.get(register) for environment, _ in states]
            values = [value for value in found if value is not None]
            distinct = list({value.number: value for value in values}.values())
            defined = [v for v in distinct if v.op is not Pseudo.UNDEFINED] or distinct
            if len(defined) == 1 and (defined[0].context.is_active or register not in before):
                merged[register] = defined[0]
                if defined[0].context.is_active:
                    continue
            joined = self._join(
                self._code.register_types[register], defined, conditions, is_flat=is_flat
            )
            if joined.op is Op.SELECT and joined.args[1:] == defined:
                joined.arms = arms
            merged[register] = joined
        for _, other in states[1:]:
            memory.merge(other)
        self._environment, self._memory = merged, memory

    def _join(
        self, scalar: Scalar, found: list[Value], conditions: list[Value], *, is_flat: bool
    ) -> Value:
        """One of several values; a common last operation is done once, after the choice.

        A choice without a branch is an operation like others: it leaves the loops that it does not depend on.
        """
        numberer = self._numberer
        if len(found) == 2 and found[0].op is found[1].op:
            first, second = found
            op = first.op
            common = [arg for arg in first.args if arg in second.args]
            same = first.scalar is second.scalar and len(common) == 1
            if isinstance(op, Op) and op in _SINKABLE and same and common[0].context.is_active:
                others = [next(a for a in v.args if a is not common[0]) for v in found]
                chosen = numberer.fresh(Pseudo.JOIN, scalar, [*others, *conditions], 2)
                return numberer.pure(op, first.scalar, (common[0], chosen), None)
        if is_flat and len(found) == 2 and len(conditions) == 1 and scalar is not Scalar.BOOL:
            return numberer.pure(Op.SELECT, scalar, (conditions[0], *found), None)
        if is_flat:
            return numberer.chosen(scalar, found, conditions)
        return numberer.fresh(Pseudo.JOIN, scalar, [*found, *conditions], len(found))

    def _switch(self, region: Switch) -> bool:
        selector = self._value(region.selector)
        if isinstance(selector.constant, int):
            return self._folded_switch(region, selector.constant)
        self._numberer.position = region.position
        outer = self._numberer.context
        environment, memory = self._environment, self._memory
        marks = self._marks
        self._control.append(selector)
        falling: tuple[Environment, MemoryState] | None = None
        has_default = False
        for case in region.cases:
            has_default = has_default or case.is_default
            self._environment, self._memory = dict(environment), memory.copy()
            self._enter(guarded=True)
            if falling is not None:
                self._merge([falling, (self._environment, self._memory)], [selector], environment)
            reached = self._regions(case.body)
            falling = (self._environment, self._memory) if reached else None
            self._leave_context(outer)
        self._control.pop()
        if self._marks != marks:
            self._branch(selector, len(region.cases))
        states = [] if falling is None else [falling]
        if not has_default or not region.cases:
            states.append((environment, memory))
        if not states:
            return False
        self._merge(states, [selector], environment)
        return True

    def _folded_switch(self, region: Switch, number: int) -> bool:
        """Walks the cases that a switch of a number known at compile time runs through: a break at their end is no jump."""
        marks = self._marks
        exits = self._scopes[-1].exits if self._scopes else []
        left = len(exits)
        for case in region.cases[_entry(region, number) :]:
            if not self._folded_arm(case.body):
                is_break = len(exits) == left + 1 and self._marks == marks + 1
                self._marks -= is_break
                return False
        return True


def _entry(region: Switch, number: int) -> int:
    """Index of the case that a number enters at; one past the last where it enters none."""
    for index, case in enumerate(region.cases):
        if any(first <= number <= last for first, last in case.values):
            return index
    default = (index for index, case in enumerate(region.cases) if case.is_default)
    return next(default, len(region.cases))
