"""Branches that keep a number away from where a quotient, a logarithm or the like has no value.

``norm > 0 ? v / norm : v``, ``if (fabs(det) < 1e-12) return``: such code guards against what hardly ever comes, or it
would have little to compute. So does what asks whether the size of a number is below a small one, or a small part of another, whatever
it does there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.execution.jumps import all_leaves
from roofstat.program.code import MemoryAccess, Op, instructions_of
from roofstat.program.comparisons import MIRRORED, ORDERS
from roofstat.program.slices import copied_once

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from roofstat.execution.machine import Machine
    from roofstat.program.code import If, Instruction

LARGEST_TOLERANCE = 1e-3
"""Numbers up to this one are compared with in place of zero."""
_SINGULAR = frozenset(
    {"rsqrt", "rcp", "log", "log2", "log10", "__logf", "__log2f", "__log10f", "__fdividef"}
    | {"__frsqrt_rn", "__frcp_rn", "__drcp_rn", "__fdiv_rn", "__ddiv_rn"}
)
"""Functions without a value at zero, by their last argument."""
_VANISHING = frozenset({"sqrt", "fabs", "abs", "cbrt"})
"""Functions that are zero where their argument is, and nowhere else."""
_SIZES = frozenset({"fabs", "abs"})
_COPIES = frozenset({Op.MOV, Op.CAST, Op.NEG, Op.MUL})
_MAX_DEPTH = 8


def chance_of_singularity(machine: Machine, region: If) -> tuple[float, str] | None:
    """(probability that the branch is taken, why), where it keeps a divisor or the like from zero; None for others."""
    known = machine.facts.singular
    if region.number not in known:
        known[region.number] = _is_taken_elsewhere(machine, region)
    is_taken = known[region.number]
    if is_taken is None:
        return None
    return float(is_taken), "what is divided by is seldom zero"


def _is_taken_elsewhere(machine: Machine, region: If) -> bool | None:
    """Whether the branch is taken for numbers that are not near zero; None where it does not ask for that."""
    comparison, is_inverted = machine.facts.behind_negations(region.condition)
    if comparison is None or len(comparison.args) != 2:
        return None
    for number, limit in (comparison.args, comparison.args[::-1]):
        op = comparison.op if number == comparison.args[0] else MIRRORED.get(comparison.op)
        if op in ORDERS and _is_size(machine, number) and small_number(machine, limit):
            # a series near zero, a result that is as good as none, or something left to correct
            return (op in (Op.GT, Op.GE)) ^ is_inverted
        is_near = _is_near_zero(machine, op or comparison.op, limit)
        if is_near is None:
            continue
        is_near ^= is_inverted
        near, elsewhere = region.then, region.otherwise
        if not is_near:
            near, elsewhere = elsewhere, near
        numbers = _vanishing_with(machine, number)
        if _divides(machine, instructions_of(near), numbers):
            continue
        behind = machine.frames[-1].code.body if all_leaves(near) else []
        if _divides(machine, [*instructions_of(elsewhere), *instructions_of(behind)], numbers):
            return not is_near
    return None


def _is_near_zero(machine: Machine, op: Op, limit: int) -> bool | None:
    """Whether a comparison of a number with a limit holds near zero and not elsewhere, or the other way round."""
    value = machine.frames[-1].code.constants.get(copied_once(machine.facts.writers, limit))
    if not isinstance(value, int | float) or not 0 <= value <= LARGEST_TOLERANCE:
        return None
    if op in (Op.EQ, Op.NE):
        return op is Op.EQ
    if op not in ORDERS or (value == 0 and op in (Op.LT, Op.GE)):
        return None  # which sign a number has
    return op in (Op.LT, Op.LE)


def _is_size(machine: Machine, number: int) -> bool:
    size = machine.facts.definitions.get(copied_once(machine.facts.writers, number))
    return size is not None and size.op is Op.MATH and size.detail in _SIZES


def small_number(machine: Machine, register: int, depth: int = 0) -> float | None:
    """A tolerance, or the factor of one that is relative."""
    value = machine.frames[-1].registers[register]
    if isinstance(value, int | float):
        return float(value) if 0 < value <= LARGEST_TOLERANCE else None
    item = machine.facts.definitions.get(register)
    if item is None or depth > _MAX_DEPTH or item.op not in (Op.MUL, Op.ADD, Op.MOV, Op.CAST):
        return None
    found = [small_number(machine, part, depth + 1) for part in item.args]
    if item.op is Op.ADD and None in found:
        return None
    return max((part for part in found if part is not None), default=None)


def _divides(machine: Machine, instructions: Iterable[Instruction], numbers: set[Hashable]) -> bool:
    return any(
        not numbers.isdisjoint(_vanishing_with(machine, item.args[-1]))
        for item in instructions
        if item.op is Op.DIV or (item.op is Op.MATH and item.detail in _SINGULAR)
    )


def _vanishing_with(machine: Machine, register: int) -> set[Hashable]:
    """Numbers that are zero where a register is, or that make it zero."""
    definitions = machine.facts.definitions
    found: set[Hashable] = set()
    stack, seen = [register], set()
    while stack:
        current = stack.pop()
        if current in seen:
            continue
        seen.add(current)
        found.add(_identity(machine, current))
        item = definitions.get(current)
        if item is None or current in machine.frames[-1].code.variables:
            continue
        if item.op in _COPIES or (item.op is Op.MATH and item.detail in _VANISHING):
            stack.extend(item.args)
    return found - set(machine.frames[-1].code.constants)


def _identity(machine: Machine, register: int, depth: int = 0) -> Hashable:
    """What is the same for loads of one place by one expression; the register itself for other values."""
    item = machine.facts.definitions.get(register)
    if item is None or register in machine.frames[-1].code.variables or depth > _MAX_DEPTH:
        return register
    if item.op is Op.MOV:
        return _identity(machine, item.args[0], depth + 1)
    if item.op not in (Op.LOAD, Op.PTR_ADD, Op.ADD, Op.MUL, Op.CAST, Op.SLOT, Op.GLOBAL, Op.PARAM):
        return register
    detail = item.detail.offset_bytes if isinstance(item.detail, MemoryAccess) else item.detail
    return (
        item.op.value,
        item.scalar,
        str(detail),
        *(_identity(machine, arg, depth + 1) for arg in item.args),
    )
