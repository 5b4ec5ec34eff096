"""Loops that go on until a number has settled, as those of Newton's method, bisections and sweeps of a Jacobi method.

They end by a tolerance. A step of Newton's method (a correction by a quotient) doubles the digits that are right, of which the first guess
has one; a step of another method wins a binary digit, and so does a sweep over several numbers that are corrected in turn, which
upset each other: a flag, of a thread or of its block, says whether one of them was. Where each correction is a plane rotation (Jacobi's
method for eigenvalues and singular values), sweeps double the digits behind those that bring the numbers in order, as many as the side of the matrix
has binary digits: random matrices of 4, 8, 16, 32 and 48 columns take 4, 5, 6, 7 and 8 sweeps to 2e-6, one more to 1e-12 (run in NumPy). A cap on the iterations stands there for what does not converge, which data do not that were drawn
number by number without what they have to do with each other.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.guesses.singularities import small_number
from roofstat.execution.jumps import direct_leaves
from roofstat.execution.loops.ending_forms import loop_conditions
from roofstat.execution.loops.facts import copied_from
from roofstat.execution.numbers.comparisons import conjunction_of
from roofstat.program.code import If, Loop, Op, children, every_region, instructions_of
from roofstat.program.comparisons import ORDERS
from roofstat.program.slices import copied_once

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from roofstat.execution.loops.facts import LoopFacts
    from roofstat.execution.machine import Machine
    from roofstat.program.code import Instruction, Region

_MAGNITUDES = frozenset({"abs", "fabs", "sqrt"})
_FACTORS = frozenset({Op.MOV, Op.CAST, Op.NEG, Op.MUL, Op.SELECT})
_ASKING = frozenset({Op.MOV, Op.CAST, Op.NOT, Op.NE, Op.EQ})
"""What lies between a flag and a condition."""
_ROOTS = frozenset({"sqrt", "rsqrt", "__frsqrt_rn", "__fsqrt_rn"})
_FEWEST_COLUMNS = 4
"""Of a matrix whose size is not known, as of the smallest that are turned so."""
_MAX_DEPTH = 6


@dataclass(frozen=True, slots=True)
class Convergence:
    """How a loop ends by a tolerance."""

    exits: dict[int, int]
    """If number -> iterations after which it leaves the loop, its condition holding."""
    trips: int | None
    """Iterations after which the condition of the loop fails; None where that does not ask for a tolerance."""
    reason: str


def convergence_of(machine: Machine, loop: Loop) -> Convergence | None:
    """How a kernel's loop ends by a tolerance; None for others, and for those that use the count of their iterations."""
    known = machine.facts.convergences
    if loop.number not in known:
        known[loop.number] = None if machine.is_host else _find(machine, loop)
    return known[loop.number]


def _find(machine: Machine, loop: Loop) -> Convergence | None:
    facts = machine.facts.loops[loop.number]
    inside = list(instructions_of([*loop.condition, *loop.body, *loop.step]))
    is_quadratic = any(_corrects_by_quotient(machine, item, facts) for item in inside)

    def settled_after(
        comparisons: list[Instruction],
        below: tuple[Op, ...],
        *,
        is_magnitude: bool,
        is_quadratic: bool = is_quadratic,
    ) -> int | None:
        found = [
            tolerance
            for item in comparisons
            if item.op in ORDERS and item.scalar.is_float
            for tolerance in [_tolerance_of(machine, item, below, is_magnitude=is_magnitude)]
            if tolerance is not None
        ]
        if not found:
            return None
        if is_quadratic:  # from one decimal digit on; the last step finds nothing left to correct
            return 1 + math.ceil(math.log2(-math.log10(max(found))))
        return math.ceil(-math.log2(max(found)))

    register = loop.condition_register
    leaves = [] if register is None else conjunction_of(machine, register, is_lazy=True) or []
    trips = settled_after(leaves, (Op.GT, Op.GE), is_magnitude=False)
    exits: dict[int, int] = {}
    columns = _columns_turned(machine, loop)
    for region in _branches([*loop.body, *loop.step]):
        if direct_leaves(region.then) - facts.inner_labels:
            after = settled_after(
                _comparisons(machine, region.condition), (Op.LT, Op.LE), is_magnitude=True
            )
            if after is None:
                after = settled_after(
                    _tests_of_sweep(machine, region.condition, loop),
                    (Op.GT, Op.GE),
                    is_magnitude=True,
                    is_quadratic=False,
                )
                if after is not None and columns is not None:
                    is_quadratic = True
                    after = _sweeps_of_rotations(columns, after)
            if after is not None:
                exits[region.number] = after
    if (trips is None and not exits) or _uses_counter(machine, leaves, inside, facts):
        return None
    steps = "each step doubles" if is_quadratic else "each step wins one of"
    return Convergence(
        exits, trips, f"an iteration that converges: {steps} the digits that are right"
    )


def _branches(regions: list[Region]) -> Iterator[If]:
    """Branches of a loop, those of inner loops apart."""
    for region in regions:
        if isinstance(region, If):
            yield region
        if not isinstance(region, Loop):
            for part in children(region):
                yield from _branches(part)


def _comparisons(machine: Machine, register: int) -> list[Instruction]:
    """The comparison that a condition is, or a variable holds."""
    definitions = machine.facts.definitions
    return conjunction_of(machine, copied_from(register, definitions), is_lazy=True) or []


def _tests_of_sweep(machine: Machine, register: int, loop: Loop) -> list[Instruction]:
    """The comparisons by which a sweep finds a number to correct, where a condition is the flag that says so."""
    definitions = machine.facts.definitions
    variables = machine.frames[-1].code.variables
    flag, shared = register, None
    while flag not in variables and shared is None:
        item = definitions.get(flag)
        if item is None or item.op not in (*_ASKING, Op.LOAD):
            return []
        flag = item.args[0]
        shared = _shared_variable(machine, item) if item.op is Op.LOAD else None
        if item.op is Op.LOAD and shared is None:
            return []

    def raises(item: Instruction) -> bool:
        if shared is None:
            return item.op is Op.MOV and item.dest == flag
        return item.op in (Op.STORE, Op.ATOMIC) and _shared_variable(machine, item) == shared

    return [
        comparison
        for region in every_region(loop.body)
        if isinstance(region, If) and any(raises(item) for item in instructions_of(region.then))
        for comparison in _comparisons(machine, region.condition)
    ]


def _shared_variable(machine: Machine, access: Instruction) -> Hashable:
    """Which variable of the block an access goes to; None for other places."""
    slot = machine.facts.definitions.get(copied_from(access.args[0], machine.facts.definitions))
    if slot is None or slot.op is not Op.SLOT:
        return None
    return slot.detail


def _sweeps_of_rotations(columns: int, binary_digits: int) -> int:
    """Sweeps of plane rotations until none is left, of random matrices: see above."""
    return max(int(math.log2(columns) + math.log2(binary_digits * math.log10(2))), 1)


def _columns_turned(machine: Machine, loop: Loop) -> int | None:
    """Columns of a matrix that a loop turns in pairs, one more than the outermost loop has rounds; None for other loops."""
    if not any(_is_cosine(machine, item) for item in instructions_of(loop.body)):
        return None
    limits = [
        value
        for region in every_region(loop.body)
        if isinstance(region, Loop)
        and any(_is_cosine(machine, item) for item in instructions_of(region.body))
        for comparison in loop_conditions(machine, region)
        if comparison.op in ORDERS and comparison.scalar.is_integer
        for part in comparison.args
        for value in [machine.frames[-1].registers[copied_from(part, machine.facts.definitions)]]
        if isinstance(value, int) and value > 1
    ]
    return limits[0] + 1 if limits else _FEWEST_COLUMNS


def _is_cosine(machine: Machine, item: Instruction) -> bool:
    """Whether the root of one and the square of a number is computed."""
    if item.op is not Op.MATH or item.detail not in _ROOTS:
        return False
    definitions = machine.facts.definitions
    total = definitions.get(copied_from(item.args[0], definitions))
    if total is None or total.op is not Op.ADD:
        return False
    return any(
        machine.frames[-1].code.constants.get(copied_once(machine.facts.writers, one)) == 1
        and square is not None
        and square.op is Op.MUL
        and square.args[0] == square.args[1]
        for one, other in (total.args, total.args[::-1])
        for square in [definitions.get(copied_from(other, definitions))]
    )


def _tolerance_of(
    machine: Machine, comparison: Instruction, below: tuple[Op, ...], *, is_magnitude: bool
) -> float | None:
    """The tolerance that a comparison asks for."""
    number, limit = comparison.args if comparison.op in below else comparison.args[::-1]
    tolerance = small_number(machine, limit)
    if is_magnitude and not _is_magnitude(machine, number):
        return None
    return tolerance


def _is_magnitude(machine: Machine, register: int, depth: int = 0) -> bool:
    """Whether a number says how far two others, or a residual from zero, are apart."""
    item = machine.facts.definitions.get(register)
    if item is None or depth > _MAX_DEPTH:
        return False
    if item.op in (Op.MOV, Op.CAST):
        return _is_magnitude(machine, item.args[0], depth + 1)
    if item.op is Op.ADD:
        return all(_is_magnitude(machine, part, depth + 1) for part in item.args)
    is_square = item.op is Op.MUL and item.args[0] == item.args[1]
    return is_square or item.op is Op.SUB or (item.op is Op.MATH and item.detail in _MAGNITUDES)


def _corrects_by_quotient(machine: Machine, item: Instruction, facts: LoopFacts) -> bool:
    """Whether a number that the loop hands on is corrected by a quotient of two others that it computes."""
    if item.op not in (Op.ADD, Op.SUB) or not item.scalar.is_float:
        return False
    definitions = machine.facts.definitions
    return any(
        _is_quotient(machine, part, facts)
        and (copied_from(other, definitions) in facts.carried or _is_loaded(definitions.get(other)))
        for part, other in (item.args, item.args[::-1])
    )


def _is_loaded(item: Instruction | None) -> bool:
    return item is not None and item.op is Op.LOAD


def _is_quotient(machine: Machine, register: int, facts: LoopFacts, depth: int = 0) -> bool:
    item = machine.facts.definitions.get(register)
    if item is None or depth > _MAX_DEPTH:
        return False
    if item.op is Op.DIV:
        changing = facts.computed | facts.assigned
        return all(part in changing for part in item.args)
    return item.op in _FACTORS and any(
        _is_quotient(machine, part, facts, depth + 1) for part in item.args
    )


def _uses_counter(
    machine: Machine, leaves: list[Instruction], inside: list[Instruction], facts: LoopFacts
) -> bool:
    """Whether more than the condition asks for the number of the iteration, as where that is an index."""
    definitions = machine.facts.definitions
    counters = {
        variable
        for leaf in leaves
        if leaf.scalar.is_integer
        for part in leaf.args
        for variable in (part, copied_from(part, definitions))
        if variable in facts.sums
    }
    moves = [item for item in inside if item.op is Op.MOV]
    copies = counters | {item.dest for item in moves if item.args[0] in counters}
    known = {item.args[0] for item in moves if item.dest in counters} | {
        leaf.dest for leaf in leaves
    }
    return any(
        not copies.isdisjoint(item.args) and item.dest not in known
        for item in inside
        if item.op is not Op.MOV
    )
