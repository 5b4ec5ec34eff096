"""Trip counts of loops on unknown data: what the sizes of the arrays say, else a stated default."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from roofstat.execution.loops.facts import copied_from, is_swap
from roofstat.program.code import Op, Space, blocks, instructions_of
from roofstat.program.comparisons import ORDERS
from roofstat.program.slices import backward_slice

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.execution.numbers.values import Unknown
    from roofstat.program.code import Instruction, Loop

DEFAULT_TRIPS = 8.0
"""Trip count of a loop on unknown data of which nothing else is known."""
DEFAULT = "default"
"""Why it is taken."""
HOST_DEFAULT_TRIPS = 2.0
_LIKELIEST = 0.99
"""How often a condition of chance holds at most, of which numbers that stand for it are known."""
_ORDERED_ROUNDS = 2.0
NO_BETTER = "it is another thread's, as a rule"
"""Why a loop that stores a new best is not entered."""
_FIRST_THREADS = 1 << 19
"""Twice as many as a large card runs at once: of more threads most come when the first are through."""
_MOST_COPIES = 8
_SAME_NUMBER = frozenset({Op.MOV, Op.CAST, Op.BITCAST})
_INDEXING = _SAME_NUMBER | {Op.ADD, Op.SUB, Op.MUL, Op.SHL}
_FILLED = 0.5
"""Part of its room that a row has elements for: who sets the room looks at the longest row."""
_WHOLE_COLUMN = 0.9
"""A step over about as many elements as there are rows leads to the next one of a row: the table is stored by columns."""
_SHIFTS = frozenset({Op.SHL, Op.SHR})
_MOVING_BITS = _SHIFTS | _SAME_NUMBER | {Op.OR, Op.ADD}
_LONGEST_ROW = 1000.0
"""Elements of a row that one thread goes through by an array of its block: what holds the ends of longer ones is in global memory."""


def drawn_trips(loop: Loop, unknown: Unknown) -> float | None:
    """Mean trips of a host loop that goes on as often as chance has its condition hold, each time anew; None for other conditions."""
    if unknown.sample is None or (unknown.low, unknown.high) != (0, 1):
        return None
    goes_on = min(float((unknown.sample != 0).mean()), _LIKELIEST)
    passed = round(goes_on / (1.0 - goes_on))
    return float(passed if loop.tests_before else passed + 1)


def assumed_trips(
    machine: Machine,
    loop: Loop,
    unknown: Unknown,
    touched: Iterable[int],
    stride: float,
    moved_bytes: Mapping[int, float],
    spanned_bytes: float = 0.0,
) -> tuple[float, str]:
    """Trip count and its reason: elements reached through an array of offsets or lengths share out evenly.

    Args:
        machine: The running machine.
        loop: The loop.
        unknown: What the condition rests on; its origin is that array.
        touched: Numbers of the buffers that an iteration accesses.
        stride: Elements that the loop moves on by in an iteration: as many threads share them.
        moved_bytes: Bytes that it moves on by in the arrays that it goes along, as far as that is known: several elements
            of an array may belong to one of the loop's. Where there are such arrays, others are looked up in only.
        spanned_bytes: Distance of the two offsets in their array; 0 where that is not known.
    """
    rows = (
        0.0
        if unknown.origin is None
        else _elements(machine, unknown.origin) * _copies(machine, unknown.origin)
    )
    others = {number for number in touched if number != unknown.origin}
    largest, stride = max(
        (
            (_elements(machine, number), _step(machine, number, stride, moved_bytes))
            for number in others & moved_bytes.keys() or others
        ),
        key=lambda item: item[0] / item[1],
        default=(0.0, stride),
    )
    if not rows or largest <= rows:
        return DEFAULT_TRIPS, DEFAULT
    assert unknown.origin is not None
    space = machine.memory.objects[unknown.origin].buffer.space
    is_own = space in (Space.SHARED, Space.LOCAL)
    if is_own and largest > rows * stride * _LONGEST_ROW:
        return DEFAULT_TRIPS, DEFAULT
    each = largest / rows
    name = machine.memory.objects[unknown.origin].buffer.name
    spanned = max(spanned_bytes / machine.element_bytes.get(unknown.origin, 1), 1.0)
    if spanned > rows:
        spanned = 1.0  # the ends are not both of this array
    steps = f", {spanned:.3g} of which lie between the ends" if spanned > 1.0 else ""
    if spanned == 1.0 < rows and _WHOLE_COLUMN * rows <= stride <= rows / _WHOLE_COLUMN:
        # Columns that hold an element of each row: a row goes on in the next column.
        stride, spanned = stride / rows, _FILLED
        steps += f", one in each of {largest / rows / stride:.3g} columns, half of which are filled"
    steps += f", {stride:.3g} in a step" if stride > 1.0 else ""
    if spanned == 1.0 and _has_rooms(machine, loop, each):
        spanned = _FILLED
        steps += ", half of the room that each has"
    return (
        max(each * spanned / stride, 1.0),
        f"the arrays read in the loop have {each:.3g} elements for each element of {name}{steps}",
    )


def _has_rooms(machine: Machine, loop: Loop, each: float) -> bool:
    """Whether rows of a table begin at multiples of their constant room, ``table[row * 64 + place]``."""
    definitions, writers = machine.facts.definitions, machine.facts.writers
    constants = machine.frames[-1].code.constants
    for access in instructions_of(loop.body):
        address = definitions.get(access.args[0]) if access.op is Op.LOAD else None
        if address is None or address.op is not Op.PTR_ADD:
            continue
        for item in backward_slice(writers, address.args[1], lambda item: item.op in _INDEXING):
            factors = [constants.get(part) for part in item.args]
            if item.op is Op.MUL and each in factors:
                return True
            if item.op is Op.SHL and isinstance(factors[-1], int) and each == 1 << factors[-1]:
                return True
    return False


def note_trips(
    machine: Machine, loop: Loop, unknown: Unknown, mask: Mask, trips: float, why: str
) -> None:
    """Record that a loop on unknown data is taken to run so many iterations."""
    machine.assume(
        "trip-count",
        f"loop on {unknown.reason or 'unknown data'}: {trips:.3g} iterations ({why})",
        loop.position,
        mask,
    )


def contended_trips(machine: Machine, loop: Loop) -> float | None:
    """Trips of a loop that tries a compare-and-swap until it succeeds; None for other loops, as those that make one for each element.

    Of the lanes of a warp that meet at one address one succeeds in each round. Where an order decides besides (maxima and
    minima kept in one place), most lanes find nothing to do in the second round, and in large launches not even in the first;
    those that put back what they have found succeed together.
    """
    recorder = machine.recorder
    swaps = _swaps(loop)
    if not swaps:
        return None
    conflicts = {} if recorder is None else recorder.trace.atomic_conflicts
    rounds = (max(conflicts.get(item.site, 1.0) for item in swaps) + 1) / 2
    if all(_keeps_extreme(machine, item) for item in swaps):
        return min(rounds, 1.0 if _is_large(machine) else _ORDERED_ROUNDS)
    register = loop.condition_register
    definition = None if register is None else machine.facts.definitions.get(register)
    if definition is None or definition.op not in ORDERS:
        return rounds
    if not any(_is_counter(machine, loop, item) for item in definition.args):
        return min(rounds, _ORDERED_ROUNDS)
    return rounds if machine.facts.loops[loop.number].ends_on_swap else None


def finds_better(machine: Machine, loop: Loop) -> bool:
    """Whether a loop may be entered that stores a maximum or minimum unless it finds a better one.

    Where a large launch keeps it in one place, hardly any thread is: of a million 0.1 % had to store.
    """
    definitions = machine.facts.definitions
    definition = definitions.get(-1 if loop.condition_register is None else loop.condition_register)
    if machine.is_host or definition is None or definition.op not in ORDERS:
        return True
    if not _is_large(machine) or any(_is_counter(machine, loop, item) for item in definition.args):
        return True
    swaps = _swaps(loop)
    places = [machine.read(_source(swap.args[0], definitions)) for swap in swaps]
    return not swaps or not all(isinstance(place, int) for place in places)


def _swaps(loop: Loop) -> list[Instruction]:
    return [
        item for item in instructions_of([*loop.condition, *loop.body, *loop.step]) if is_swap(item)
    ]


def _is_large(machine: Machine) -> bool:
    """Whether a launch has so many threads that most come when others are through."""
    trace = None if machine.recorder is None else machine.recorder.trace
    return trace is not None and math.prod(trace.grid + trace.block) > _FIRST_THREADS


def _source(register: int, definitions: dict[int, Instruction]) -> int:
    """The register whose number another one holds, through copies and reinterpretations."""
    for _ in range(_MOST_COPIES):
        definition = definitions.get(register)
        if definition is None or definition.op not in _SAME_NUMBER:
            break
        register = definition.args[0]
    return register


def _keeps_extreme(machine: Machine, swap: Instruction) -> bool:
    """Whether a compare-and-swap puts the larger or smaller of two numbers into its place."""
    definitions = machine.facts.definitions
    definition = definitions.get(_source(swap.args[-1], definitions))
    if len(swap.args) <= 2 or definition is None:
        return False
    if definition.op is Op.SELECT:
        condition = definitions.get(definition.args[0])
        return condition is not None and condition.op in ORDERS
    return definition.op is Op.MATH and definition.detail in ("min", "max")


def _is_counter(machine: Machine, loop: Loop, register: int) -> bool:
    """Whether a register holds a variable to which a loop only adds."""
    variable = copied_from(register, machine.facts.definitions)
    return variable in machine.facts.loops[loop.number].sums


def cleared_bits(machine: Machine, loop: Loop) -> float | None:
    """Trips of a loop that clears the lowest bit of a word, ``x &= x - 1``, until none is left; None for other loops."""
    definitions, constants = machine.facts.definitions, machine.frames[-1].code.constants

    def copied(register: int) -> int:
        definition = definitions.get(register)
        is_copy = definition is not None and definition.op is Op.MOV
        return definition.args[0] if definition is not None and is_copy else register

    for block in blocks([*loop.body, *loop.step]):
        for item in block.instructions:
            if item.op is not Op.AND or not item.scalar.is_integer:
                continue
            for word, other in (item.args, item.args[::-1]):
                less = definitions.get(other)
                if less is None or less.op not in (Op.ADD, Op.SUB):
                    continue
                if copied(less.args[0]) != copied(word):
                    continue
                if constants.get(less.args[1]) == (1 if less.op is Op.SUB else -1):
                    return 4.0 * item.scalar.size_bytes
    return None


def shifted_trips(machine: Machine, loop: Loop) -> float | None:
    """Trips of a loop that shifts a word by a constant until a comparison of it turns; None for other loops.

    All of the word is gone after as many as it has digits of that width: half of them are taken.
    """
    definitions = machine.facts.definitions
    test = definitions.get(-1 if loop.condition_register is None else loop.condition_register)
    if test is None or test.op not in (*ORDERS, Op.NE) or not test.scalar.is_integer:
        return None
    inside = instructions_of([*loop.body, *loop.step])
    written = {item.dest: item for item in inside}
    for side in test.args:
        word = copied_from(side, definitions)
        bits = _shifted_bits(machine, written, word)
        if bits is not None:
            return max(8.0 * test.scalar.size_bytes / bits / 2.0, 1.0)
    return None


def _shifted_bits(machine: Machine, written: Mapping[int, Instruction], word: int) -> int | None:
    """Bits that an iteration shifts a word by, whatever it puts in behind; None where it does something else to it."""
    definitions, constants = machine.facts.definitions, machine.frames[-1].code.constants
    item = written.get(word)
    for _ in range(_MOST_COPIES):
        if item is None or item.op in _SHIFTS:
            break
        sources = [written.get(register) for register in item.args]
        item = next((found for found in sources if found and found.op in _MOVING_BITS), None)
    if item is None or item.op not in _SHIFTS or copied_from(item.args[0], definitions) != word:
        return None
    bits = constants.get(item.args[1])
    return bits if isinstance(bits, int) and bits > 0 else None


def _step(machine: Machine, number: int, stride: float, moved_bytes: Mapping[int, float]) -> float:
    """Elements of a buffer that an iteration moves on by, not fewer than its counter does."""
    return max(moved_bytes.get(number, 0.0) / machine.element_bytes.get(number, 1), stride)


def _copies(machine: Machine, number: int) -> float:
    """How many of a buffer a launch has: arrays of a block or a thread hold the offsets of these alone."""
    trace = None if machine.recorder is None else machine.recorder.trace
    if trace is None:
        return 1.0
    match machine.memory.objects[number].buffer.space:
        case Space.SHARED:
            return float(math.prod(trace.grid))
        case Space.LOCAL:
            return float(math.prod(trace.grid) * math.prod(trace.block))
        case _:
            return 1.0


def _elements(machine: Machine, number: int) -> float:
    """Elements of a buffer of known size, by the width of what the kernel accesses there."""
    found = machine.memory.objects.get(number)
    if found is None or not found.buffer.size_bytes or found.buffer.size_is_assumed:
        return 0.0
    return found.buffer.size_bytes / machine.element_bytes.get(number, 1)
