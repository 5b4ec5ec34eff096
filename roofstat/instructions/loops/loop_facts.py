"""What can be read off a loop: facts, trip counts that the compiler can work out, induction variables."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.instructions.integers.arithmetic import PURE, Constant, evaluate, wrap
from roofstat.program.code import (
    Block,
    If,
    Instruction,
    Leave,
    Loop,
    MemoryAccess,
    Op,
    Scope,
    Switch,
    children,
)
from roofstat.program.comparisons import COMPARISONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from roofstat.instructions.graph.values import Value
    from roofstat.program.code import Code, Region

MAX_SIMULATED_TRIPS = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopFacts:
    """What can be read off a loop without walking it."""

    assigned: frozenset[int]
    """Variables written anywhere in it."""
    defined: dict[int, Instruction]
    """Temporaries with the instruction that computes them."""
    instructions: tuple[Instruction, ...]
    """Everything in it, in program order."""
    straight: tuple[Instruction, ...]
    """What runs in every iteration (not in branches or inner loops)."""
    has_inner_loop: bool
    has_barrier: bool
    has_call: bool
    writes_memory: bool
    """Stores, atomics, barriers or calls: loads in it may change from iteration to iteration."""
    has_exit: bool
    """A jump out of it besides its condition (break, return)."""
    slices: dict[int, set[int] | None] = field(default_factory=dict)
    """Memory of `_slice`, by the condition: trip counts are asked for each time that the loop is walked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Induction:
    """A variable that grows by the same amount each iteration."""

    variable: int
    step: int | None
    """The constant step; None where the step is an invariant register."""
    is_wide: bool
    """Whether it has 64 bits."""
    is_signed: bool
    wraps: bool
    """Whether it may wrap around: unsigned arithmetic, except in steps of one up to a bound."""
    may_pass: bool = False
    """Whether the loop's condition compares without sign, so that steps above one may jump over the bound."""
    is_widened: bool = False
    """Whether the loop's condition compares it in 64 bits though it has 32."""


def loop_facts(loop: Loop, variables: set[int]) -> LoopFacts:
    """Collects the facts of a loop in one traversal; `variables` are those of the code."""
    everything: list[Instruction] = []
    straight: list[Instruction] = []
    labels: set[int] = set()
    left: set[int] = set()
    flags = {"inner": False}

    def visit(regions: list[Region], *, always: bool) -> None:
        for region in regions:
            match region:
                case Block():
                    everything.extend(region.instructions)
                    if always:
                        straight.extend(region.instructions)
                case Scope():
                    labels.add(region.label)
                    visit(region.body, always=always)
                case Leave():
                    left.add(region.label)
                case Loop() | If() | Switch():
                    flags["inner"] |= isinstance(region, Loop)
                    for inner in children(region):
                        visit(inner, always=False)

    for part in children(loop):
        visit(part, always=True)
    return LoopFacts(
        assigned=frozenset(i.dest for i in everything if i.dest in variables),
        defined={i.dest: i for i in everything if i.dest >= 0 and i.dest not in variables},
        instructions=tuple(everything),
        straight=tuple(straight),
        has_inner_loop=flags["inner"],
        has_barrier=any(i.op is Op.BARRIER and i.detail != "fence" for i in everything),
        has_call=any(i.op in _CALLS for i in everything),
        writes_memory=any(i.op in _WRITES for i in everything),
        has_exit=bool(left - labels),
    )


_WRITES = frozenset(
    {
        Op.STORE,
        Op.ATOMIC,
        Op.COPY,
        Op.ZERO,
        Op.TENSOR,
        Op.BARRIER,
        Op.CALL,
        Op.CALL_POINTER,
        Op.ASM,
    }
)
_CALLS = frozenset({Op.CALL, Op.CALL_POINTER, Op.LIBRARY})


@dataclass(frozen=True, slots=True)
class Address:
    """A pointer as an offset in bytes from something that does not change in the loop."""

    base: object
    offset_bytes: int


Known = Constant | Address


def counted_trips(
    loop: Loop,
    facts: LoopFacts,
    counter: Induction | None,
    code: Code,
    known: Callable[[int], Known | None],
) -> int | None:
    """Iterations of a loop whose counter takes constant steps from a constant to one, however many there are.

    Args:
        loop: the loop, which tests before each iteration.
        facts: of it.
        counter: the variable that its condition compares.
        code: for constants.
        known: the constant or address that a register holds before the loop, or None.
    """
    condition = loop.condition_register
    if condition is None or counter is None or not counter.step or not loop.tests_before:
        return None
    step = counter.step
    chosen = _slice(condition, facts)
    compare = facts.defined.get(behind(condition, facts, _TRUTH))
    start = known(counter.variable)
    if chosen is None or compare is None or not isinstance(start, int):
        return None
    bounds = [code.constants[arg] for arg in compare.args if arg in code.constants]
    if len(bounds) != 1 or not isinstance(bounds[0], int):
        return None
    test = [i for i in _flat(loop.condition) if id(i) in chosen]

    def runs(trips: int) -> bool | None:
        state: dict[int, Known] = {counter.variable: start + trips * step}

        def read(register: int) -> Known | None:
            return state.get(register, code.constants.get(register))

        return bool(read(condition)) if _run(test, state, read, code) else None

    about = (bounds[0] - start) // step
    for trips in range(max(about - 1, 1), about + _NEXT_TO_BOUND):
        if runs(0) and runs(trips - 1) and runs(trips) is False:
            return trips
    return None


_NEXT_TO_BOUND = 3


def constant_trips(
    loop: Loop, facts: LoopFacts, code: Code, known: Callable[[int], Known | None]
) -> int | None:
    """Iterations until the condition fails, if the compiler can work them out.

    The slice of the loop that feeds its condition is run on constants.

    Args:
        loop: the loop.
        facts: of it.
        code: for constants.
        known: the constant or address that a register holds before the loop, or None.

    Returns:
        The number of times the body runs, or None where it depends on data or exceeds `MAX_SIMULATED_TRIPS`.
    """
    condition = loop.condition_register
    if condition is None:
        return None
    chosen = _slice(condition, facts)
    if chosen is None:
        return None
    state: dict[int, Known] = {}

    def read(register: int) -> Known | None:
        if register in state:
            return state[register]
        if register in code.constants:
            return code.constants[register]
        return known(register)

    test = [i for i in _flat(loop.condition) if id(i) in chosen]
    work = [i for part in (loop.body, loop.step) for i in _flat(part) if id(i) in chosen]
    for trips in range(MAX_SIMULATED_TRIPS + 1):
        if (trips or loop.tests_before) and not _run(test, state, read, code):
            return None
        if trips or loop.tests_before:
            value = read(condition)
            if value is None:
                return None
            if not value:
                return trips
        if not _run(work, state, read, code):
            return None
    return None


def _run(
    instructions: list[Instruction],
    state: dict[int, Known],
    read: Callable[[int], Known | None],
    code: Code,
) -> bool:
    for instruction in instructions:
        values = [read(argument) for argument in instruction.args]
        operands = tuple(value for value in values if value is not None)
        if len(operands) < len(values):
            return False
        result = _result(instruction, operands)
        if result is None:
            return False
        if instruction.op is Op.MOV and not isinstance(result, Address):
            result = wrap(code.register_types[instruction.dest], result)
        state[instruction.dest] = result
    return True


def _result(instruction: Instruction, operands: tuple[Known, ...]) -> Known | None:
    op = instruction.op
    if op in _OBJECTS:
        return Address((op, instruction.detail), 0)
    if op is Op.MOV:
        return operands[0]
    constants = tuple(value for value in operands if not isinstance(value, Address))
    if len(constants) == len(operands):
        return evaluate(op, instruction.scalar, constants, instruction.detail)
    return _address_result(instruction, operands)


def _address_result(instruction: Instruction, operands: tuple[Known, ...]) -> Known | None:
    """Of an operation on addresses: steps, differences and comparisons within one object."""
    first, second = (*operands, None)[:2]
    if not isinstance(first, Address):
        return None
    scale = instruction.detail
    if instruction.op is Op.PTR_ADD and isinstance(second, int) and isinstance(scale, int):
        return Address(first.base, first.offset_bytes + second * scale)
    if not isinstance(second, Address) or second.base != first.base:
        return None
    offsets = (first.offset_bytes, second.offset_bytes)
    if instruction.op is Op.PTR_DIFF and isinstance(scale, int):
        return (offsets[0] - offsets[1]) // scale
    return evaluate(instruction.op, Scalar.I64, offsets, None)


def address_of(pointer: Value, offset_bytes: int) -> Address:
    """The address of a value plus an offset, as the loops inside see it."""
    base = (pointer.op, pointer.detail) if pointer.op in _OBJECTS else pointer.number
    return Address(base, offset_bytes)


def is_arithmetic(condition: int, facts: LoopFacts) -> bool:
    """Whether a condition of a loop follows from plain arithmetic that each iteration does."""
    return _slice(condition, facts) is not None


def makes_test_alone(before: Sequence[Region], register: int, variables: set[int]) -> bool:
    """Whether all that stands before a test makes its condition, and changes nothing."""
    needed = {register}
    for region in reversed(before):
        if not isinstance(region, Block):
            return False
        for item in reversed(region.instructions):
            if item.dest not in needed or item.dest in variables or item.op not in _RUNNABLE:
                return False
            needed.update(item.args)
    return True


def _slice(condition: int, facts: LoopFacts) -> set[int] | None:
    """Instructions (by identity) that the condition depends on; None where they are not plain arithmetic."""
    if condition not in facts.slices:
        facts.slices[condition] = _found_slice(condition, facts)
    return facts.slices[condition]


def _found_slice(condition: int, facts: LoopFacts) -> set[int] | None:
    definitions: dict[int, list[Instruction]] = {}
    for instruction in facts.instructions:
        if instruction.dest >= 0:
            definitions.setdefault(instruction.dest, []).append(instruction)
    always = {id(instruction) for instruction in facts.straight}
    chosen: set[int] = set()
    pending = [condition]
    seen = {condition}
    while pending:
        for instruction in definitions.get(pending.pop(), ()):
            if id(instruction) not in always:
                return None
            if instruction.op not in _RUNNABLE:
                return None
            chosen.add(id(instruction))
            for argument in instruction.args:
                if argument not in seen:
                    seen.add(argument)
                    pending.append(argument)
    return chosen


def _flat(regions: list[Region]) -> Iterator[Instruction]:
    for region in regions:
        if isinstance(region, Block):
            yield from region.instructions
        elif isinstance(region, Scope):
            yield from _flat(region.body)


def inductions(facts: LoopFacts, code: Code) -> dict[int, Induction]:
    """Variables written once an iteration, by adding a constant or invariant to themselves."""
    writes: dict[int, list[Instruction]] = {}
    for instruction in facts.instructions:
        if instruction.dest in facts.assigned:
            writes.setdefault(instruction.dest, []).append(instruction)
    always = {id(instruction) for instruction in facts.straight}
    result = {}
    for variable, moves in writes.items():
        if len(moves) != 1 or id(moves[0]) not in always:
            continue
        induction = _induction(variable, moves[0].args[0], facts, code)
        if induction is not None:
            result[variable] = induction
    return result


def alternating(facts: LoopFacts, code: Code) -> frozenset[int]:
    """Variables that have their value back after two iterations: `b ^= 1`, `b = 1 - b`, two that change places."""
    always = {id(instruction) for instruction in facts.straight}
    sometimes = {i.dest for i in facts.instructions if id(i) not in always}
    origins: dict[int, tuple[int, bool]] = {v: (v, False) for v in facts.assigned - sometimes}
    for instruction in facts.straight:
        origin = _turned(instruction, origins, code)
        if origin is not None:
            origins[instruction.dest] = origin
        else:
            origins.pop(instruction.dest, None)
    return frozenset(
        variable
        for variable in facts.assigned & origins.keys()
        if origins[variable] == (variable, True)
        or (
            origins[variable] != (variable, False)
            and origins.get(origins[variable][0]) == (variable, False)
        )
    )


def _turned(
    instruction: Instruction, origins: dict[int, tuple[int, bool]], code: Code
) -> tuple[int, bool] | None:
    """The variable at the begin of an iteration that a result is, and whether what it is turned into turns back likewise."""
    args = instruction.args
    match instruction.op:
        case Op.MOV | Op.CAST:
            return origins.get(args[0])
        case Op.NOT if instruction.scalar is Scalar.BOOL:
            source = origins.get(args[0])
        case Op.XOR if args[1] in code.constants:
            source = origins.get(args[0])
        case Op.XOR | Op.SUB if args[0] in code.constants:
            source = origins.get(args[1])
        case _:
            return None
    return (source[0], True) if source is not None and not source[1] else None


def _induction(variable: int, register: int, facts: LoopFacts, code: Code) -> Induction | None:
    update = facts.defined.get(behind(register, facts, _CONVERSIONS))
    if update is None or update.op not in {Op.ADD, Op.SUB, Op.PTR_ADD}:
        return None
    first, second = (behind(argument, facts, _CONVERSIONS) for argument in update.args)
    if second == variable and update.op is Op.ADD:
        first, second = second, first
    if first != variable:
        return None
    constant = code.constants.get(second)
    step: int | None = None
    if constant is not None:
        step = int(constant) * (-1 if update.op is Op.SUB else 1)
    elif not is_invariant(second, facts):
        return None
    scalar = code.register_types[variable]
    if scalar.is_signed:
        wraps = not update.scalar.is_signed and update.op is not Op.PTR_ADD
    else:
        wraps = step is None or abs(step) != 1
    return Induction(
        variable=variable,
        step=step,
        is_wide=scalar.size_bytes > _WORD_BYTES,
        is_signed=scalar.is_signed,
        wraps=wraps,
    )


_CONVERSIONS = frozenset({Op.MOV, Op.CAST})
_SHIFTED = frozenset({Op.MOV, Op.CAST, Op.ADD, Op.SUB})


def behind(register: int, facts: LoopFacts, through: frozenset[Op]) -> int:
    """The register behind copies and other operations (`through`) on one value."""
    instruction = facts.defined.get(register)
    while instruction is not None and instruction.op in through:
        register = instruction.args[0]
        instruction = facts.defined.get(register)
    return register


def counting_variable(
    loop: Loop, facts: LoopFacts, found: dict[int, Induction]
) -> Induction | None:
    """The induction variable that the loop's condition compares with an invariant."""
    for induction, bound, scalar in _compared_counters(loop, facts, found):
        if is_invariant(bound, facts):
            return _compared(induction, scalar)
    return None


def has_moving_bound(loop: Loop, facts: LoopFacts, found: dict[int, Induction]) -> bool:
    """Whether the loop ends by a counter that each iteration compares with what it loads anew."""
    return not facts.has_exit and any(
        not is_invariant(bound, facts) for _, bound, _ in _compared_counters(loop, facts, found)
    )


def _compared_counters(
    loop: Loop, facts: LoopFacts, found: dict[int, Induction]
) -> Iterator[tuple[Induction, int, Scalar]]:
    """Induction variables that the loop's condition compares, with the other operand and the type."""
    register = loop.condition_register
    if register is None:
        return
    compare = facts.defined.get(behind(register, facts, _TRUTH))
    if compare is None or compare.op not in COMPARISONS or compare.scalar.is_float:
        return
    for mine, other in ((0, 1), (1, 0)):
        induction = found.get(behind(compare.args[mine], facts, _SHIFTED))
        if induction is not None:
            yield induction, compare.args[other], compare.scalar


def _compared(induction: Induction, scalar: Scalar) -> Induction:
    """A counter as a condition sees it that compares in `scalar`."""
    is_widened = scalar.size_bytes > _WORD_BYTES and not induction.is_wide
    is_unsigned = induction.is_signed and not scalar.is_signed
    may_pass = is_unsigned and abs(induction.step or 0) != 1
    return replace(induction, may_pass=may_pass, is_widened=is_widened)


_WORD_BYTES = 4


_TRUTH = frozenset({Op.MOV, Op.CAST, Op.NOT})


def is_invariant(register: int, facts: LoopFacts) -> bool:
    """Whether a register is the same in all iterations of a loop."""
    if register in facts.assigned:
        return False
    instruction = facts.defined.get(register)
    if instruction is None:
        return True
    fixed = (
        instruction.op in PURE
        or instruction.op in _INVARIANT
        or (instruction.op in _LOADED and (_is_read_only(instruction) or not facts.writes_memory))
    )
    return fixed and all(is_invariant(argument, facts) for argument in instruction.args)


def _is_read_only(instruction: Instruction) -> bool:
    """Whether nothing that the kernel writes changes what is loaded, or where it is loaded from."""
    detail = instruction.detail
    return instruction.op is Op.PTR_ADD or (
        isinstance(detail, MemoryAccess) and detail.is_read_only
    )


_OBJECTS = frozenset({Op.SLOT, Op.GLOBAL, Op.PARAM})
_INVARIANT = frozenset({Op.MOV, Op.SPECIAL, *_OBJECTS})
_RUNNABLE = frozenset({*PURE, *_INVARIANT, Op.PTR_ADD, Op.PTR_DIFF})
_LOADED = frozenset({Op.LOAD, Op.PTR_ADD})
