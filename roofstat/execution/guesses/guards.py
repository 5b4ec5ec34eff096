"""Branches on computed numbers that stand before work: thresholds that few pass, and indices that may be none.

What detects, corrects or refines asks first whether a number is above a threshold, and does something in the few cases that are.
Counted in 145 target regions of the blind sets, by runs on a CPU: a quarter passed, in the mean of eleven such tests that nothing
else tells (0 to 0.8); three of four indices that are compared with zero or -1 were there, of fourteen (0.5 to 1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.execution.guesses.singularities import LARGEST_TOLERANCE
from roofstat.execution.jumps import all_leaves
from roofstat.execution.numbers.unknowns import is_uniform
from roofstat.execution.numbers.values import NUMBERS, Mixed, Unknown
from roofstat.program.code import Op, instructions_of
from roofstat.program.comparisons import MIRRORED, ORDERS
from roofstat.program.slices import copied_once

if TYPE_CHECKING:
    from roofstat.execution.machine import Machine
    from roofstat.program.code import If, Instruction

PASSED = 0.25
"""Part of the numbers that are above a threshold behind which there is work."""
THERE = 0.75
"""Part of the indices that are none of those that stand for none."""
_ABOVE_TOLERANCES = 2 * LARGEST_TOLERANCE
"""Smaller numbers are compared with in place of zero."""
_UPWARDS = frozenset({Op.GT, Op.GE})
_NONE_IF = {(Op.LT, 0): True, (Op.GE, 0): False, (Op.GT, -1): False, (Op.LE, -1): True} | {
    (Op.EQ, -1): True,
    (Op.NE, -1): False,
}
"""Comparisons of an index with a constant -> whether they hold where there is none."""
_TRIVIAL = frozenset({Op.MOV, Op.CAST, Op.NEG})


def chance_of_guard(machine: Machine, region: If) -> tuple[float, str] | None:
    """(probability that the branch is taken, why), where it is one of these; None for others."""
    comparison, is_inverted = machine.facts.behind_negations(region.condition)
    if comparison is None or len(comparison.args) != 2:
        return None
    is_none = _asks_for_none(machine, comparison)
    if is_none is not None:
        return (1.0 - THERE if is_none ^ is_inverted else THERE), "most indices are there"
    works_if_taken = _works_if_taken(region)
    exceeds = _exceeds(machine, comparison)
    if works_if_taken is None or exceeds is None:
        return None
    if works_if_taken != (exceeds ^ is_inverted):
        return None  # a cutoff: as many may be below it
    return (PASSED if works_if_taken else 1.0 - PASSED), "few numbers pass a threshold"


def _works_if_taken(region: If) -> bool | None:
    """Whether the work stands in the branch, else behind one that leaves; None where both arms do something, or neither much."""
    if region.kind != "if" or region.otherwise:
        return None
    if all_leaves(region.then):
        return False if all(item.op in _TRIVIAL for item in instructions_of(region.then)) else None
    return None if all(item.op in _TRIVIAL for item in instructions_of(region.then)) else True


def _exceeds(machine: Machine, comparison: Instruction) -> bool | None:
    """Whether a comparison holds for data above a given number that is not as good as zero, or a parameter; None for other comparisons."""
    if comparison.op not in ORDERS or not comparison.scalar.is_float:
        return None
    writers = machine.facts.writers
    for data, limit in (comparison.args, comparison.args[::-1]):
        given, number = machine.read(limit), machine.read(data)
        is_parameter = not writers.get(copied_once(writers, limit))
        if isinstance(given, NUMBERS):
            is_given = abs(given) > _ABOVE_TOLERANCES
        else:
            is_given = is_parameter and is_uniform(given)
        if is_given and isinstance(number, Unknown | Mixed) and not is_uniform(number):
            op = comparison.op if data == comparison.args[0] else MIRRORED[comparison.op]
            return op in _UPWARDS
    return None


def _asks_for_none(machine: Machine, comparison: Instruction) -> bool | None:
    """Whether a comparison holds where a loaded index or a variable is none; None for other comparisons."""
    if comparison.scalar not in (Scalar.I32, Scalar.I64):
        return None
    code, writers = machine.frames[-1].code, machine.facts.writers
    for index, limit in (comparison.args, comparison.args[::-1]):
        number = code.constants.get(copied_once(writers, limit))
        op = comparison.op if index == comparison.args[0] else MIRRORED.get(comparison.op)
        found = None if not isinstance(number, int) else _NONE_IF.get((op or comparison.op, number))
        if found is None:
            continue
        source = copied_once(writers, index)
        written = writers.get(source, ())
        if source in code.variables or (len(written) == 1 and written[0].op is Op.LOAD):
            return found
    return None
