"""What can be said of a loop from its code alone: what it writes, carries along, and decides by."""

from __future__ import annotations

from functools import partial
from math import lcm
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.jumps import all_leaves
from roofstat.execution.loops.balances import balanced_counters
from roofstat.program.code import (
    MEMORY_ACCESSES,
    Block,
    If,
    Leave,
    LibraryCall,
    Loop,
    Op,
    Region,
    Scope,
    SpecialRegister,
    Switch,
    children,
    every_region,
    instructions_of,
    leaves_to,
)
from roofstat.program.comparisons import COMPARISONS, ORDERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from roofstat.execution.machine import Machine
    from roofstat.program.code import Code, Instruction

LARGEST_PERIOD = 16
"""Conditions that repeat less often are not looked for."""

_LONGEST_WAY = 16
"""Steps from an address back to the pointer that it rests on."""

APPENDING = frozenset({"push_back", "emplace_back", "push", "emplace"})
"""Methods of containers that add an element."""

_READS = frozenset(
    {
        Op.LOAD,
        Op.ATOMIC,
        Op.CALL,
        Op.CALL_POINTER,
        Op.LIBRARY,
        Op.UNKNOWN,
        Op.SHUFFLE,
        Op.VOTE,
        Op.ASM,
    }
)
"""Operations whose result does not follow from registers alone."""


_MIXES = frozenset({Op.MUL, Op.REM, Op.XOR})
_SWAPS = frozenset({"cas", "exch", "min", "max"})


_EVEN = frozenset(
    {Op.MOV, Op.ADD, Op.SUB, Op.MUL, Op.NEG, Op.CAST, Op.PTR_ADD, Op.PTR_DIFF, Op.SHL}
    | COMPARISONS
    | {Op.NOT}
)
"""Operations whose result changes evenly where their operands do (and comparisons of such values)."""


@dataclass(frozen=True, slots=True)
class LoopFacts:
    """Static facts of one loop."""

    assigned: frozenset[int]
    """Variables written anywhere inside."""
    computed: frozenset[int]
    """Temporaries written anywhere inside."""
    inner_labels: frozenset[int]
    """Labels of the scopes inside: leaving to them does not leave the loop."""
    control: frozenset[int]
    """Variables written inside that branches and inner loops of an iteration depend on."""
    carried: frozenset[int]
    """Variables whose value from the iteration before may be read."""
    branched: frozenset[int]
    """Carried variables that only some branches write."""
    conditional: frozenset[int]
    """Carried variables that some iterations do not write: those of branches, and what stands behind a ``continue``."""
    sums: frozenset[int]
    """Carried variables to which the loop only adds (or from which it subtracts)."""
    balanced: frozenset[int]
    """Those of `sums` that it moves up as well as down, and that do not end it."""
    reads_memory: bool
    """Whether such a decision depends on loaded data (or a call)."""
    ends_on_memory: bool
    """Whether its own end does: its condition, or a branch that leaves it."""
    draws_again: bool
    """Whether it goes on until a number passes a test that comes, in each iteration, from the state of a generator alone."""
    ends_on_swap: bool
    """Whether its own end depends on what a compare-and-swap or an exchange has found."""
    period: int
    """Decisions by a remainder repeat after so many iterations of a counter with step 1; 1 without such decisions."""
    counts: bool
    """Whether it has branches and counts something or appends to containers: how often may follow from them."""
    appends: bool
    """Whether it puts elements into containers."""
    stores_uneven: bool
    """Whether it stores values that need not change evenly although the variables they come from do."""
    kept: frozenset[int]
    """Carried variables that are written under conditions and nowhere else, as the best of candidates is."""
    stores_by_branches: bool
    """Whether it stores, and branches of its body decide something."""
    conditional_stores: frozenset[int]
    """Sites of stores that some iterations may leave out."""
    uneven: frozenset[int]
    """Temporaries that need not change evenly although the variables they come from do (quotients, loads, ...)."""
    reads_pointers: bool
    """Whether iterations take pointers from a table: each may go to an array of its own."""


def facts_of(machine: Machine, loop: Loop) -> LoopFacts:
    """Static facts of a loop of the running code, found once."""
    facts = machine.facts
    found = facts.loops.get(loop.number)
    if found is None:
        found = loop_facts(machine.frames[-1].code, loop, facts.definitions)
        facts.loops[loop.number] = found
    return found


def loop_facts(code: Code, loop: Loop, definitions: dict[int, Instruction]) -> LoopFacts:
    """Analyse a loop.

    Args:
        code: The code that holds it.
        loop: The loop.
        definitions: Temporary register -> the instruction that writes it.
    """
    whole = [*loop.condition, *loop.body, *loop.step]
    moves: dict[int, list[int]] = {}
    inside: set[int] = set()
    for item in instructions_of(whole):
        if item.dest in code.variables:
            moves.setdefault(item.dest, []).extend(item.args)
        elif item.dest >= 0:
            inside.add(item.dest)
    carried = frozenset(moves) & _read_first(code, loop)
    labels = frozenset(region.label for region in every_region(whole) if isinstance(region, Scope))
    depends = partial(_Dependence, code, moves, inside, definitions)
    search = depends(_decisions(loop, labels))
    end = depends(_ends(loop, partial(_is_plain_exit, labels=labels)))
    exits = list(_ends(loop, partial(exits_at_end, labels=labels)))
    sums = frozenset(
        variable
        for variable in carried
        if all(_is_added(source, variable, definitions) for source in moves[variable])
    )
    uneven = _uneven(whole, frozenset(moves))
    chosen = list(_under_conditions(loop))
    numbers = {id(item) for item in chosen}
    always = {item.dest for item in instructions_of(whole) if id(item) not in numbers}
    return LoopFacts(
        assigned=frozenset(moves),
        computed=frozenset(inside),
        inner_labels=labels,
        control=frozenset(search.variables),
        carried=carried,
        branched=carried & frozenset(_written_in_branches(code, loop)),
        conditional=carried & {item.dest for item in chosen},
        kept=carried & {item.dest for item in chosen} - always,
        sums=sums,
        balanced=balanced_counters(code, loop, sums, definitions) - end.variables,
        reads_memory=search.reads_memory,
        ends_on_memory=end.reads_memory,
        draws_again=_draws_again(code, depends, exits, moves, carried, sums),
        ends_on_swap=end.swaps,
        period=search.period if search.period <= LARGEST_PERIOD else 1,
        counts=_counts(code, loop, labels, sums),
        appends=_appends(loop),
        stores_uneven=any(
            item.op is Op.STORE and item.args[1] in uneven for item in instructions_of(loop.body)
        ),
        stores_by_branches=_branches(loop, labels)
        and any(item.op is Op.STORE for item in instructions_of(loop.body)),
        conditional_stores=frozenset(item.site for item in chosen if item.op is Op.STORE),
        uneven=uneven,
        reads_pointers=any(
            item.op in MEMORY_ACCESSES
            and _is_from_table(item.args[0], code, moves, inside, definitions, carried)
            for item in instructions_of(loop.body)
        ),
    )


def _draws_again(
    code: Code,
    depends: Callable[..., _Dependence],
    ends: list[int],
    moves: dict[int, list[int]],
    carried: frozenset[int],
    sums: frozenset[int],
) -> bool:
    """Whether words that a loop mixes anew, and tables that are looked up by them, are all that its ends rest on.

    The words may be the states themselves, or be made of a counter by a hash.
    """
    way = depends(ends, through_loads=True)
    if not way.compares_float:
        return False
    # Others are results of functions, of which not every way seems to set them.
    handed_on = [
        variable
        for variable in (carried & way.variables) - sums
        if variable in depends(moves[variable], through_loads=True).variables
    ]
    summed = [*handed_on, *(way.variables & sums)]
    if any(code.register_types[variable].is_float for variable in summed):
        return False
    hashed = depends(ends)
    if hashed.scrambles and not hashed.reads_memory and hashed.variables & sums:
        return True
    states = depends(handed_on)
    return states.mixes and not states.reads_memory


def _is_from_table(
    register: int,
    code: Code,
    moves: dict[int, list[int]],
    inside: set[int],
    definitions: dict[int, Instruction],
    carried: frozenset[int],
) -> bool:
    """Whether an address rests on a pointer that each iteration loads from another place."""
    for _ in range(_LONGEST_WAY):
        sources = moves.get(register, ())
        if len(sources) == 1 and register not in carried:
            register = sources[0]
        item = definitions.get(register)
        if item is None or register not in inside:
            return False
        if item.op is Op.LOAD:
            places = _Dependence(code, moves, inside, definitions, item.args[:1])
            return not carried.isdisjoint(places.variables)
        if item.op not in (Op.PTR_ADD, Op.MOV, Op.CAST):
            return False
        register = item.args[0]
    return False


def _uneven(regions: list[Region], assigned: frozenset[int]) -> frozenset[int]:
    changing: set[int] = set(assigned)
    found: set[int] = set()
    for item in instructions_of(regions):
        if item.dest < 0 or item.dest in assigned:
            continue
        inputs = [register for register in item.args if register in changing]
        if not inputs:
            continue
        changing.add(item.dest)
        is_product = item.op is Op.MUL and len(inputs) > 1
        is_power = item.op is Op.SHL and item.args[1] in changing
        is_even = item.op in _EVEN and not is_product and not is_power
        if not is_even or not found.isdisjoint(inputs):
            found.add(item.dest)
    return frozenset(found)


def _branches(loop: Loop, labels: frozenset[int]) -> bool:
    """Whether iterations take different ways through the body."""
    return any(
        isinstance(region, Switch)
        or (isinstance(region, If) and not _is_plain_exit(region, labels))
        for region in every_region(loop.body)
    )


def _counts(code: Code, loop: Loop, labels: frozenset[int], sums: frozenset[int]) -> bool:
    """Whether a loop has branches and counts: whole numbers that its body adds to, elements of containers."""
    if not _branches(loop, labels):
        return False
    counted = {variable for variable in sums if code.register_types[variable].is_integer}
    return _appends(loop) or any(item.dest in counted for item in instructions_of(loop.body))


def _appends(loop: Loop) -> bool:
    """Whether a loop puts elements into containers."""
    return any(
        isinstance(item.detail, LibraryCall) and item.detail.name.rsplit("::", 1)[-1] in APPENDING
        for item in instructions_of(loop.body)
    )


def _is_added(source: int, variable: int, definitions: dict[int, Instruction]) -> bool:
    """Whether what a variable is set to is itself plus or minus something."""
    item = definitions.get(_widened_from(source, definitions))
    if item is None or item.op not in (Op.ADD, Op.SUB):
        return False
    operands = item.args if item.op is Op.ADD else item.args[:1]
    return any(
        copied_from(_widened_from(operand, definitions), definitions) == variable
        for operand in operands
    )


def _widened_from(register: int, definitions: dict[int, Instruction]) -> int:
    """The whole number of which a register holds a conversion to another width; itself where it holds none."""
    item = definitions.get(register)
    while item is not None and item.op is Op.CAST and item.scalar.is_integer:
        source = definitions.get(item.args[0])
        if source is not None and source.scalar.is_float:
            break
        register, item = item.args[0], source
    return register


def copied_from(register: int, definitions: dict[int, Instruction]) -> int:
    """What a register is a plain copy of; itself where it is none."""
    item = definitions.get(register)
    return item.args[0] if item is not None and item.op is Op.MOV else register


def never_turns(
    condition: int | None, definitions: dict[int, Instruction], facts: LoopFacts
) -> bool:
    """Whether a loop that is entered cannot end by its condition: none, ``x == x``, or nothing in it that iterations change."""
    if condition is None:
        return True
    test = definitions.get(condition)
    if test is not None and test.op in (Op.EQ, Op.LE, Op.GE):
        left, right = (copied_from(register, definitions) for register in test.args)
        if left == right:
            return True
    stack, seen = [condition], set[int]()
    while stack:
        register = stack.pop()
        if register in facts.assigned:
            return False
        item = definitions.get(register)
        if register in facts.computed and item is not None and register not in seen:
            seen.add(register)
            if item.op in _READS or item.op is Op.TEXTURE or item.detail is SpecialRegister.CLOCK:
                return False
            stack.extend(item.args)
    return True


def _written_in_branches(code: Code, loop: Loop) -> Iterator[int]:
    stack: list[tuple[Region, bool]] = [
        (region, False) for region in (*loop.condition, *loop.body, *loop.step)
    ]
    while stack:
        region, is_branched = stack.pop()
        if isinstance(region, Block) and is_branched:
            yield from (item.dest for item in region.instructions if item.dest in code.variables)
        inner = is_branched or isinstance(region, If | Switch)
        for part in children(region):
            stack.extend((item, inner) for item in part)


def _under_conditions(loop: Loop) -> Iterator[Instruction]:
    """Instructions in branches, or behind a branch that may leave what stands around both."""
    stack: list[tuple[list[Region], bool]] = [(loop.condition, False), (loop.body, False)]
    while stack:
        regions, is_conditional = stack.pop()
        for region in regions:
            if isinstance(region, Block) and is_conditional:
                yield from region.instructions
            is_branch = isinstance(region, If | Switch)
            stack.extend((part, is_conditional or is_branch) for part in children(region))
            is_conditional |= is_branch and bool(all_leaves([region]))


def is_swap(item: Instruction) -> bool:
    """Whether an instruction puts a value into a place by an atomic operation and tells what it has found there."""
    return item.op is Op.ATOMIC and getattr(item.detail, "name", "") in _SWAPS


class _Dependence:
    """What registers depend on: variables that a loop changes, and how they lead there."""

    def __init__(
        self,
        code: Code,
        moves: dict[int, list[int]],
        inside: set[int],
        definitions: dict[int, Instruction],
        registers: Iterable[int],
        *,
        through_loads: bool = False,
    ) -> None:
        self.variables: set[int] = set()
        self.reads_memory = False
        self.swaps = False
        self.mixes = False
        """Whether words are multiplied, reduced or put together bit by bit."""
        self.scrambles = False
        """Whether one of two bits decides, as in hash functions."""
        self.compares_float = False
        self.period = 1
        self._through_loads = through_loads
        self._code = code
        self._moves = moves
        self._inside = inside
        self._definitions = definitions
        self._follow(registers)

    def _follow(self, registers: Iterable[int]) -> None:
        stack, seen = list(registers), set[int]()
        while stack:
            current = stack.pop()
            if current in seen:
                continue
            seen.add(current)
            if current in self._moves:
                self.variables.add(current)
                stack.extend(self._moves[current])
                continue
            item = self._definitions.get(current)
            if item is None or current not in self._inside:
                continue
            if item.op in _READS:
                self.reads_memory = True
                self.swaps |= is_swap(item)
                if item.op is not Op.LOAD or not self._through_loads:
                    continue
            self.mixes |= item.op in _MIXES and item.scalar.is_integer
            self.scrambles |= item.op is Op.XOR and item.scalar.is_integer
            self.compares_float |= item.op in ORDERS and item.scalar.is_float
            self._note_period(item)
            stack.extend(item.args)

    def _note_period(self, item: Instruction) -> None:
        if item.op not in (Op.REM, Op.AND) or len(item.args) != 2:
            return
        value = self._code.constants.get(item.args[1])
        if not isinstance(value, int) or isinstance(value, bool) or value == 0:
            return
        if item.op is Op.REM:
            self.period = lcm(self.period, abs(value))
        elif value > 0:
            self.period = lcm(self.period, 1 << value.bit_length())


def _decisions(loop: Loop, labels: frozenset[int]) -> Iterator[int]:
    """Registers that branches, switches and inner loops decide by; plain exits of the loop itself are left out."""
    for region in every_region([*loop.condition, *loop.body, *loop.step]):
        if isinstance(region, If):
            if not _is_plain_exit(region, labels):
                yield region.condition
        elif isinstance(region, Switch):
            yield region.selector
        elif isinstance(region, Loop) and region.condition_register is not None:
            yield region.condition_register


def _ends(loop: Loop, is_exit: Callable[[If], bool]) -> Iterator[int]:
    """Registers that the loop's condition and its exits decide by."""
    if loop.condition_register is not None:
        yield loop.condition_register
    for region in every_region([*loop.condition, *loop.body, *loop.step]):
        if isinstance(region, If) and is_exit(region):
            yield region.condition


def exits_at_end(region: If, labels: frozenset[int]) -> bool:
    """Whether an arm of a branch ends by leaving all scopes but the given ones.

    Beside plain exits those do that hand something on (`if (x < limit) return x;` of an inlined function).
    """
    lasts = (arm[-1] for arm in (region.then, region.otherwise) if arm)
    return any(isinstance(last, Leave) and last.label not in labels for last in lasts)


def _is_plain_exit(region: If, labels: frozenset[int]) -> bool:
    arms = [arm for arm in (region.then, region.otherwise) if arm]
    if len(arms) != 1 or len(arms[0]) != 1:
        return False
    only = arms[0][0]
    return isinstance(only, Leave) and only.label not in labels


def _read_first(code: Code, loop: Loop) -> frozenset[int]:
    """Variables that an iteration reads before it has surely written them."""
    found: set[int] = set()
    written: set[int] = set()
    parts = (loop.condition, loop.body, loop.step)
    for part in parts if loop.tests_before else (loop.body, loop.step, loop.condition):
        written = _scan(code, part, written, found)
    if loop.condition_register is not None and loop.condition_register in code.variables:
        found.add(loop.condition_register)
    return frozenset(found)


def _scan(code: Code, regions: list[Region], written: set[int], found: set[int]) -> set[int]:
    """Variables surely written after the regions; reads of others are added to `found`."""
    variables = code.variables
    written = set(written)

    def read(register: int | None) -> None:
        if register is not None and register in variables and register not in written:
            found.add(register)

    for region in regions:
        match region:
            case Block():
                for item in region.instructions:
                    for register in item.args:
                        read(register)
                    if item.dest in variables:
                        written.add(item.dest)
            case If():
                read(region.condition)
                then = _scan(code, region.then, written, found)
                otherwise = _scan(code, region.otherwise, written, found)
                written = _joined(region.then, then, region.otherwise, otherwise)
            case Loop():
                if region.tests_before:
                    written = _scan(code, region.condition, written, found)
                    read(region.condition_register)
                    _scan(code, [*region.body, *region.step], written, found)
                else:
                    inner = [*region.body, *region.step, *region.condition]
                    written = _scan(code, inner, written, found)
            case Switch():
                read(region.selector)
                for case in region.cases:
                    _scan(code, case.body, written, found)
            case Scope():
                after = _scan(code, region.body, written, found)
                if not leaves_to(region.body, region.label):
                    written = after
            case Leave():
                break
    return written


def _joined(
    then: list[Region], after_then: set[int], otherwise: list[Region], after_else: set[int]
) -> set[int]:
    """Written on every way that reaches the end of a branch."""
    if then and isinstance(then[-1], Leave):
        return after_else
    if otherwise and isinstance(otherwise[-1], Leave):
        return after_then
    return after_then & after_else
