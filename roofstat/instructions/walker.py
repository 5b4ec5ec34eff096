"""Walks the structured code in order and builds the value graph with its effects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions import unrolling
from roofstat.instructions.arithmetic import PURE
from roofstat.instructions.memory_state import (
    LoopWrites,
    MemoryState,
    Place,
    Root,
    RootKind,
    root_of,
)
from roofstat.instructions.numbering import Numberer
from roofstat.instructions.values import Context, LoopFrame, Pseudo, Value
from roofstat.instructions.weights import Factor, FactorKind, Weight
from roofstat.program.code import (
    Block,
    If,
    Instruction,
    Leave,
    Loop,
    MemoryAccess,
    Op,
    ParameterPiece,
    Scope,
    Space,
    Switch,
    blocks,
)

if TYPE_CHECKING:
    from roofstat.instructions.arithmetic import Constant
    from roofstat.instructions.parameters import LoweringParameters, UnrollPolicy
    from roofstat.program.code import Code, Region

Environment = dict[int, Value]

MAX_VALUES = 40_000
"""Beyond this many values nothing is unrolled any more, so that time stays bounded."""

_LEAVES = frozenset({Op.SLOT, Op.GLOBAL, Op.PARAM, Op.SPECIAL, Op.STRING, Op.FUNCTION})
_MAY_WRITE_ANYTHING = frozenset({Op.CALL, Op.CALL_POINTER})


@dataclass(frozen=True, slots=True)
class LoadDetail:
    """Detail of a LOAD or STORE value: the access, its full constant offset and the object."""

    access: MemoryAccess
    offset_bytes: int
    root: Root


@dataclass(frozen=True, slots=True)
class SetupDetail:
    """Detail of a SETUP: copies of the body, and whether the step of the counter is only known at run time."""

    copies: int
    runtime_step: bool


@dataclass(slots=True)
class _Exit:
    """State at a jump to the end of a scope."""

    environment: Environment
    memory: MemoryState
    conditions: list[Value]


@dataclass(slots=True)
class _OpenScope:
    label: int
    control_depth: int
    exits: list[_Exit]


@dataclass(slots=True, kw_only=True)
class Graph:
    """The optimised program: values, and the effects that keep them alive."""

    values: list[Value]
    effects: list[Value]
    code: Code
    notes: list[tuple[str, Instruction]]
    """Kinds of things that were not modelled exactly."""


class Walker:
    """One walk over one `Code`."""

    def __init__(self, code: Code, parameters: LoweringParameters, *, fast_math: bool) -> None:
        self._code = code
        self._parameters = parameters
        self._numberer = Numberer(parameters, fast_math=fast_math)
        self._environment: Environment = {}
        self._temporaries: Environment = {}
        self._memory = MemoryState(type_based=parameters.type_based_aliasing)
        self._share = Weight(1.0, ())
        self._control: list[Value] = []
        self._scopes: list[_OpenScope] = []
        self._effects: list[Value] = []
        self._marks = 0
        """Counts effects and jumps, to tell whether an arm did something that values do not show."""
        self._notes: list[tuple[str, Instruction]] = []
        self._waste = (0.0, 0.0, 0.0)
        """Sizes and addresses of what trial walks left behind, which is no part of the loops around them."""
        self._facts: dict[int, unrolling.LoopFacts] = {}
        self._decisions: dict[tuple[int, int | None], unrolling.UnrollDecision] = {}
        self._definitions: dict[int, Instruction] = {}
        self._parameter_slots = {p.slot for p in code.parameters if p.slot is not None}
        self._private = frozenset(
            n for n, slot in enumerate(code.slots) if slot.space is Space.LOCAL
        )
        for _, instruction in code.instructions():
            if instruction.dest >= 0 and instruction.dest not in code.variables:
                self._definitions[instruction.dest] = instruction

    def run(self) -> Graph:
        """Walks the whole code."""
        self._regions(self._code.body)
        return Graph(
            values=self._numberer.values,
            effects=self._effects,
            code=self._code,
            notes=self._notes,
        )

    # Values of registers

    def _value(self, register: int) -> Value:
        code = self._code
        if register in code.constants:
            return self._numberer.constant(code.register_types[register], code.constants[register])
        known = self._environment.get(register)
        if known is None:
            known = self._temporaries.get(register)
        if known is None:
            known = self._numberer.leaf(Pseudo.UNDEFINED, code.register_types[register], register)
        return known

    def _known_constant(self, register: int) -> Constant | None:
        value = self._value(register)
        return value.constant if value.is_constant else None

    # Regions

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
        for instruction in block.instructions:
            self._numberer.position = instruction.position
            self._instruction(instruction)

    def _enter(self, *, guarded: bool) -> Context:
        """Opens a context below the current one; returns the current one."""
        self._numberer.segment += 1
        outer = self._numberer.context
        frames = self._numberer.frames
        loop = frames[-1] if frames else None
        self._numberer.context = Context(outer, loop, is_guarded=guarded)
        return outer

    def _leave_context(self, outer: Context) -> None:
        """Closes contexts until `outer` is current again."""
        context = self._numberer.context
        while context is not outer:
            context.is_active = False
            parent = context.parent
            if parent is None:
                break
            context = parent
        self._numberer.context = outer

    def _branch(self, condition: Value, detail: object = None) -> None:
        """Notes that control flow needs `condition`."""
        branch = self._numberer.fresh(Pseudo.BRANCH, Scalar.BOOL, [condition], detail)
        self._effects.append(branch)

    def _if(self, region: If) -> bool:
        condition = self._value(region.condition)
        if condition.is_constant:
            return self._folded_arm(region.then if condition.constant else region.otherwise)
        self._numberer.position = region.position
        marks = self._marks
        outer = self._numberer.context
        environment, memory = self._environment, self._memory
        self._control.append(condition)
        first_new = len(self._numberer.values)
        segment = self._numberer.segment
        states: list[tuple[Environment, MemoryState, Context]] = []
        arms: list[Context] = []
        for arm in (region.then, region.otherwise):
            self._environment = dict(environment)
            self._memory = memory.copy()
            self._enter(guarded=True)
            arms.append(self._numberer.context)
            if self._regions(arm):
                states.append((self._environment, self._memory, self._numberer.context))
            self._leave_context(outer)
        self._control.pop()
        if self._marks != marks:
            self._numberer.segment += 1
            self._branch(condition)
        elif self._is_cheap(first_new, outer, is_logical=region.kind == "logical"):
            for context in arms:
                context.weight = None
                context.is_guarded = False
            self._numberer.segment = segment
        if not states:
            return False
        if len(states) == 1:
            # The other arm jumped away: what follows runs only after this one.
            self._environment, self._memory, inner = states[0]
            self._reenter(outer, inner)
            return True
        both = [(environment, memory) for environment, memory, _ in states]
        self._merge(both, [condition], environment)
        return True

    def _is_cheap(self, first_new: int, outer: Context, *, is_logical: bool) -> bool:
        """Whether the arms of a branch are so short that both are computed and one result is selected."""
        size = 0.0
        for value in self._numberer.values[first_new:]:
            if value.context.level <= outer.level or value.context.loop is not outer.loop:
                continue
            if value.op in _NOT_SPECULATED or _ir_size(value) > 1.0:
                return False
            size += value.op not in _FREE and isinstance(value.op, Op)
        parameters = self._parameters
        limit = parameters.speculated_logic if is_logical else parameters.speculated_size
        return size <= limit

    def _reenter(self, outer: Context, inner: Context) -> None:
        """Makes `inner` and what lies between it and `outer` current again."""
        context: Context | None = inner
        while context is not None and context is not outer:
            context.is_active = True
            context = context.parent
        self._numberer.context = inner

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
        scope = _OpenScope(region.label, len(self._control), [])
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
                scope.exits.append(
                    _Exit(dict(self._environment), self._memory.copy(), conditions)
                )
                return

    def _merge(
        self,
        states: list[tuple[Environment, MemoryState]],
        conditions: list[Value],
        before: Environment,
    ) -> None:
        """Joins the states of several paths into the current one."""
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
            merged[register] = self._join(
                self._code.register_types[register], defined, conditions
            )
        for _, other in states[1:]:
            memory.merge(other)
        self._environment, self._memory = merged, memory

    def _join(self, scalar: Scalar, found: list[Value], conditions: list[Value]) -> Value:
        """One of several values; a common last operation is done once, after the choice."""
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
        return numberer.fresh(Pseudo.JOIN, scalar, [*found, *conditions], len(found))

    def _switch(self, region: Switch) -> bool:
        selector = self._value(region.selector)
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

    # Loops

    def _facts_of(self, loop: Loop) -> unrolling.LoopFacts:
        facts = self._facts.get(loop.number)
        if facts is None:
            facts = unrolling.loop_facts(loop, self._code.variables)
            self._facts[loop.number] = facts
        return facts

    def _loop(self, loop: Loop) -> bool:
        facts = self._facts_of(loop)
        trips = unrolling.constant_trips(loop, facts, self._code, self._known_constant)
        found = unrolling.inductions(facts, self._code)
        counter = unrolling.counting_variable(loop, facts, found)
        key = (loop.number, trips)
        decision = self._decisions.get(key)
        if decision is None:
            decision = unrolling.decide(
                loop,
                facts,
                self._trial(loop, facts),
                trips=trips,
                counter=counter,
                policy=self._parameters.unroll,
            )
            self._decisions[key] = decision
        if len(self._numberer.values) > MAX_VALUES:
            decision = unrolling.ROLLED
        if decision.full:
            return self._unrolled(loop, decision.copies)
        frame = LoopFrame(loop.number, self._numberer.context, decision.copies)
        frame.has_known_trips = trips is not None
        frame.has_runtime_step = counter is not None and counter.step is None
        return self._rolled(loop, facts, frame)

    def _trial(self, loop: Loop, facts: unrolling.LoopFacts) -> unrolling.Trial:
        """Walks one copy of the body to see what is left of it, and undoes that."""
        environment, memory = dict(self._environment), self._memory.copy()
        effects, marks, notes = len(self._effects), self._marks, len(self._notes)
        waste = self._waste
        exits = [(scope, len(scope.exits)) for scope in self._scopes]
        before = len(self._numberer.values)
        context = self._numberer.context
        segment = self._numberer.segment
        frame = LoopFrame(loop.number, context, 1)
        frames = self._numberer.frames
        outer_flags = [(f, f.has_inner_loop, f.has_word_index) for f in frames]
        self._rolled(loop, facts, frame)
        for outer, inner_loop, word_index in outer_flags:
            outer.has_inner_loop, outer.has_word_index = inner_loop, word_index
        self._leave_context(context)
        depth = len(self._numberer.frames)
        size = machine = 0.0
        addresses = 0
        for value in self._numberer.values[before:]:
            if value.context.depth > depth and not self._is_register(value):
                addresses += value.op in _ADDRESSES
                size += _ir_size(value)
                machine += _machine_size(value)
        inner = [now - then for now, then in zip(self._waste, waste, strict=True)]
        self._waste = (waste[0] + size, waste[1] + machine, waste[2] + addresses)
        stores = sum(not self._is_register(effect) for effect in self._effects[effects:])
        starts_anywhere = any(
            not self._numberer.values[number].args[0].is_constant for number in frame.counters
        )
        del self._effects[effects:]
        del self._notes[notes:]
        for scope, count in exits:
            del scope.exits[count:]
        self._marks = marks
        self._numberer.segment = segment
        self._environment, self._memory = environment, memory
        return unrolling.Trial(
            size=size - inner[0] + stores,
            machine_size=machine - inner[1] + stores,
            addresses=int(addresses - inner[2]),
            has_word_index=frame.has_word_index,
            has_inner_loop=frame.has_inner_loop,
            starts_anywhere=starts_anywhere,
        )

    def _is_register(self, value: Value) -> bool:
        """Whether an access goes to a local that will be in registers."""
        detail = value.detail
        if not isinstance(detail, LoadDetail) or value.args[0].op is not Op.SLOT:
            return False
        return detail.root.identity in self._private

    def _unrolled(self, loop: Loop, trips: int) -> bool:
        share = self._share
        if trips:
            self._share = share.times(1.0 / trips)
        reached = True
        for _ in range(trips):
            if loop.tests_before:
                self._regions(loop.condition)
            reached = self._regions(loop.body) and self._regions(loop.step)
            if not reached:
                break
        self._share = share
        return reached

    def _rolled(self, loop: Loop, facts: unrolling.LoopFacts, frame: LoopFrame) -> bool:
        outer = frame.outside
        copies = frame.copies
        share = self._share
        writes = self._writes(facts)
        frame.writes = writes
        found = unrolling.inductions(facts, self._code)
        marks = self._marks
        if self._numberer.frames:
            self._numberer.frames[-1].has_inner_loop = True
        self._numberer.frames.append(frame)
        self._enter(guarded=False)
        frame.header = self._numberer.context
        self._memory.enter_loop(writes)
        phis = self._make_phis(facts, frame, found)
        if copies > 1:
            self._share = share.times(1.0, Factor(FactorKind.FIRST_COPY, loop.number, copies))
        condition: Value | None = None
        exit_environment: Environment | None = None
        exit_memory: MemoryState | None = None
        if loop.tests_before:
            self._regions(loop.condition)
            if loop.condition_register is not None:
                condition = self._value(loop.condition_register)
                self._control.append(condition)
                exit_environment = dict(self._environment)
                exit_memory = self._memory.copy()
            header = self._enter(guarded=False)
            frame.header = self._numberer.context
        else:
            header = self._numberer.context
        reached = self._regions(loop.body) and self._regions(loop.step)
        for _ in range(copies - 1):
            if not reached:
                break
            self._share = share.times(1.0, Factor(FactorKind.LATER_COPY, loop.number, copies))
            self._enter(guarded=False)
            reached = self._regions(loop.body) and self._regions(loop.step)
        if not loop.tests_before and reached:
            self._regions(loop.condition)
            if loop.condition_register is not None:
                condition = self._value(loop.condition_register)
            exit_environment, exit_memory = self._environment, self._memory
        if loop.tests_before and loop.condition_register is not None:
            self._control.pop()
        for variable, phi in phis.items():
            following = self._environment.get(variable, phi)
            phi.args = [phi.args[0], following] + ([condition] if condition is not None else [])
        self._leave_context(header)
        if condition is not None and self._marks != marks:
            self._branch(condition)
        if copies > 1 and frame.has_scaled_counter:
            self._effects.append(self._numberer.fresh(Pseudo.ROUND, Scalar.VOID, []))
        self._leave_context(outer)
        self._numberer.frames.pop()
        self._share = share
        if copies > 1 and not frame.has_known_trips:
            detail = SetupDetail(copies, frame.has_runtime_step)
            self._effects.append(
                self._numberer.fresh(Pseudo.SETUP, Scalar.VOID, [], detail)
            )
        if exit_environment is None or exit_memory is None:
            return False
        self._environment, self._memory = exit_environment, exit_memory
        self._close_loop(facts)
        return True

    def _make_phis(
        self,
        facts: unrolling.LoopFacts,
        frame: LoopFrame,
        found: dict[int, unrolling.Induction],
    ) -> dict[int, Value]:
        phis = {}
        for variable in sorted(facts.assigned):
            initial = self._environment.get(variable)
            if initial is None:
                continue
            scalar = self._code.register_types[variable]
            induction = found.get(variable)
            phi = self._numberer.fresh(Pseudo.PHI, scalar, [initial], induction)
            if induction is not None and scalar.is_integer and not induction.wraps:
                frame.counters[phi.number] = induction.step
            phis[variable] = phi
            self._environment[variable] = phi
        return phis

    def _close_loop(self, facts: unrolling.LoopFacts) -> None:
        """Values that leave a loop are defined outside it from now on."""
        for variable in facts.assigned:
            value = self._environment.get(variable)
            if value is not None and not value.context.is_active:
                self._environment[variable] = self._numberer.fresh(
                    Pseudo.EXIT, value.scalar, [value]
                )

    def _writes(self, facts: unrolling.LoopFacts) -> LoopWrites:
        targets: list[tuple[Root, Scalar | None]] = []
        everything = facts.has_barrier
        for instruction in facts.instructions:
            match instruction.op:
                case Op.STORE:
                    root = self._static_root(instruction.args[0])
                    targets.append((root, instruction.scalar))
                case Op.ATOMIC | Op.COPY | Op.ZERO:
                    targets.append((self._static_root(instruction.args[0]), None))
                case Op.CALL | Op.CALL_POINTER:
                    everything = True
                case _:
                    pass
        if facts.has_barrier:
            targets.extend(
                (Root(RootKind.SLOT, n), None)
                for n in range(len(self._code.slots))
                if n not in self._private
            )
        return LoopWrites(
            tuple(dict.fromkeys(targets)), everything, self._parameters.type_based_aliasing
        )

    def _static_root(self, register: int) -> Root:
        """The object behind an address, before the loop that computes it is walked."""
        for _ in range(64):
            known = self._environment.get(register)
            if known is not None:
                return root_of(known)
            definition = self._definitions.get(register)
            if definition is None:
                break
            if definition.op in {Op.MOV, Op.PTR_ADD, Op.CAST, Op.BITCAST}:
                register = definition.args[0]
                continue
            if definition.op is Op.SLOT:
                return Root(RootKind.SLOT, definition.detail)
            if definition.op is Op.GLOBAL:
                return Root(RootKind.GLOBAL, definition.detail)
            if definition.op is Op.PARAM and isinstance(definition.detail, ParameterPiece):
                piece = definition.detail
                return Root(
                    RootKind.PARAMETER,
                    (piece.index, piece.offset_bytes),
                    piece.is_restrict,
                    piece.points_to_const,
                )
            break
        return Root(RootKind.UNKNOWN, -1)

    # Instructions

    def _instruction(self, instruction: Instruction) -> None:
        op = instruction.op
        if op is Op.MOV:
            value = self._value(instruction.args[0])
            if instruction.dest in self._code.variables:
                self._environment[instruction.dest] = value
            else:
                self._temporaries[instruction.dest] = value
            return
        args = tuple(self._value(argument) for argument in instruction.args)
        if op in PURE:
            result = self._numberer.pure(op, instruction.scalar, args, instruction.detail)
        elif op in _LEAVES:
            result = self._leaf(instruction)
        elif op is Op.PTR_ADD:
            scale = int(instruction.detail)  # type: ignore[call-overload]
            result = self._numberer.pointer_add(args[0], args[1], instruction.scalar, scale)
        elif op is Op.LOAD:
            result = self._load(instruction, args[0])
        elif op is Op.STORE:
            self._store(instruction, args[0], args[1])
            return
        else:
            result = self._effect(instruction, args)
        if instruction.dest >= 0:
            self._temporaries[instruction.dest] = result

    def _leaf(self, instruction: Instruction) -> Value:
        value = self._numberer.leaf(instruction.op, instruction.scalar, instruction.detail)
        value.site = instruction.site
        return value

    def _place(self, instruction: Instruction, address: Value) -> tuple[Place, Value]:
        access = instruction.detail
        assert isinstance(access, MemoryAccess)  # noqa: S101 - contract of LOAD and STORE
        root_value, offset = self._numberer.split_pointer(address)
        place = Place(
            root_of(root_value),
            root_value.number,
            offset + access.offset_bytes,
            instruction.scalar,
        )
        return place, root_value

    def _load(self, instruction: Instruction, address: Value) -> Value:
        chosen = self._load_of_choice(instruction, address)
        if chosen is not None:
            return chosen
        place, pointer = self._place(instruction, address)
        access = instruction.detail
        assert isinstance(access, MemoryAccess)  # noqa: S101 - contract of LOAD
        if not access.is_volatile and access.bit_width is None:
            known = self._memory.lookup(place)
            if known is not None:
                return known
        detail = LoadDetail(access, place.offset_bytes, place.root)
        value = self._numberer.fresh(Op.LOAD, instruction.scalar, [pointer], detail)
        value.site = instruction.site
        if access.is_volatile:
            self._effects.append(value)
            self._marks += 1
            return value
        blocked = [
            frame.writes is None or frame.writes.may_change(place)
            for frame in self._numberer.frames
        ]
        value.context = self._numberer.hoisted([pointer], blocked)
        if access.bit_width is None:
            self._memory.remember(place, value)
        return value

    def _load_of_choice(self, instruction: Instruction, address: Value) -> Value | None:
        """A load through one of two pointers to locals (`min` of references) chooses between their values."""
        if address.op is Op.SELECT:
            condition, *pointers = address.args
        elif address.op is Pseudo.JOIN and address.detail == 2:
            *pointers, condition = address.args[:3]
        else:
            return None
        roots = [root_of(self._numberer.split_pointer(pointer)[0]) for pointer in pointers]
        if any(r.kind is not RootKind.SLOT or r.identity not in self._private for r in roots):
            return None
        first, second = (self._load(instruction, pointer) for pointer in pointers)
        choice = (condition, first, second)
        return self._numberer.pure(Op.SELECT, instruction.scalar, choice, None)

    def _store(self, instruction: Instruction, address: Value, stored: Value) -> None:
        place, pointer = self._place(instruction, address)
        access = instruction.detail
        assert isinstance(access, MemoryAccess)  # noqa: S101 - contract of STORE
        self._memory.store(place)
        detail = LoadDetail(access, place.offset_bytes, place.root)
        effect = self._numberer.fresh(Op.STORE, instruction.scalar, [pointer, stored], detail)
        effect.site = instruction.site
        self._effects.append(effect)
        self._marks += 1
        if not access.is_volatile and access.bit_width is None:
            self._memory.remember(place, stored)

    def _effect(self, instruction: Instruction, args: tuple[Value, ...]) -> Value:
        numberer = self._numberer
        if instruction.op is Op.ATOMIC:
            args = (numberer.split_pointer(args[0])[0], *args[1:])
        value = numberer.fresh(
            instruction.op, instruction.scalar, list(args), instruction.detail
        )
        value.site = instruction.site
        self._effects.append(value)
        self._marks += 1
        match instruction.op:
            case Op.COPY | Op.ZERO | Op.ATOMIC:
                pointer, _ = numberer.split_pointer(args[0])
                self._memory.store_anywhere(root_of(pointer))
            case Op.BARRIER if instruction.detail != "fence":
                self._memory.forget_shared(self._private)
            case Op.CALL | Op.CALL_POINTER:
                self._memory.forget_shared(self._private)
                self._notes.append(("call", instruction))
            case Op.UNKNOWN:
                self._notes.append(("unknown", instruction))
            case _:
                pass
        return value


_SINKABLE = frozenset({Op.ADD, Op.MUL, Op.AND, Op.OR, Op.XOR})
_NOT_SPECULATED = frozenset({Op.LOAD})
_FREE = frozenset({Op.CAST, Op.BITCAST, Op.SLOT, Op.PARAM, Op.GLOBAL, Op.SPECIAL, Op.NOT})
_ADDRESSES = frozenset({Pseudo.ADDRESS, Pseudo.STREAM})
_SINGLE = frozenset({"sqrt", "rsqrt", "fma", "min", "max", "abs", "fabs", "floor", "ceil"})
_DIVISION_SIZE = 4.0
_LIBRARY_SIZE = 13.0


def _ir_size(value: Value) -> float:
    """Instructions of the compiler's own representation, as its unrolling thresholds count them."""
    if value.op in _FREE or not isinstance(value.op, Op):
        return 0.0
    if value.op in {Op.DIV, Op.REM}:
        return _DIVISION_SIZE
    if value.op is Op.MATH:
        return 1.0 if str(value.detail) in _SINGLE else _LIBRARY_SIZE
    return 1.0


_MACHINE_DIVISION = 9.0


def _machine_size(value: Value) -> float:
    """Machine instructions, as the assembler's thresholds count them; addresses are counted apart."""
    if value.op in {Op.ADD, Op.SUB} and value.scalar.is_float:
        return 0.0 if any(arg.op is Op.MUL for arg in value.args) else 1.0
    if value.op in {Op.DIV, Op.REM} or (value.op is Op.MATH and value.detail == "sqrt"):
        return _MACHINE_DIVISION
    return _ir_size(value)
