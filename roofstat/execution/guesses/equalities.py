"""Branches that ask whether two numbers are equal of which nobody knows enough: they seldom are.

Two numbers that were computed, and whole numbers that do not come from one array, agree by chance only (Ball and Larus, PLDI
1993, predict so of branches in general), and marks between the words of a text are seldom any given one. What flags, marks
and kinds are compared with else, which are constants, says nothing of that kind, nor does a number of which few bits are left, the next one of another, the one before, or a count up to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.execution.numbers.values import Mixed, Unknown
from roofstat.program.code import Op, instructions_of
from roofstat.program.slices import backward_slice, copied_once

if TYPE_CHECKING:
    from roofstat.execution.machine import Machine
    from roofstat.program.code import If, Instruction

EQUAL = 0.1
"""Part of the comparisons that find equal numbers."""
_NARROWING = frozenset({Op.AND, Op.REM, Op.SHR, Op.VOTE})
"""Operations that leave few numbers."""
_MARKS = frozenset(map(ord, "\t\n !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"))
"""Characters between words; smaller numbers that are none of them are kinds."""
_STEPS = frozenset({Op.ADD, Op.SUB})
"""Operations that count up to a limit, or make the next number of one, as from level to level."""


def chance_of_equality(machine: Machine, region: If) -> tuple[float, str] | None:
    """(probability that the branch is taken, why), where it asks whether numbers are equal; None for others."""
    known = machine.facts.equal
    if region.number not in known:
        known[region.number] = _is_taken_if_equal(machine, region)
    is_taken = known[region.number]
    if is_taken is None:
        return None
    return EQUAL if is_taken else 1.0 - EQUAL, "two numbers are seldom equal"


def chance_of_equal(machine: Machine, register: int) -> float | None:
    """Probability that a condition holds that asks whether two numbers are equal; None for others."""
    comparison, is_inverted = machine.facts.behind_negations(register, through_casts=True)
    if (
        comparison is None
        or comparison.op not in (Op.EQ, Op.NE)
        or not _differ(machine, comparison)
    ):
        return None
    return EQUAL if (comparison.op is Op.EQ) ^ is_inverted else 1.0 - EQUAL


def chance_of_free_bit(machine: Machine, region: If) -> tuple[float, str] | None:
    """(probability that the branch is taken, why), where it asks whether a word has a bit that nothing has set; None for others.

    Such words are as wide as they are so that there is one, as a color that no neighbour has.
    """
    definitions, constants = machine.facts.definitions, machine.frames[-1].code.constants
    writers = machine.facts.writers
    test, is_inverted = machine.facts.behind_negations(region.condition, through_casts=True)
    if test is None:
        return None
    if test.op is Op.BIT_NOT:
        return _if_free(machine, test.args[0], is_taken=not is_inverted)
    if test.op not in (Op.EQ, Op.NE) or not test.scalar.is_integer:
        return None
    is_taken = (test.op is Op.NE) ^ is_inverted
    for number, limit in (test.args, test.args[::-1]):
        constant = constants.get(copied_once(writers, limit))
        word = definitions.get(copied_once(writers, number))
        if constant == 0 and word is not None and word.op is Op.BIT_NOT:
            return _if_free(machine, word.args[0], is_taken=is_taken)
        if constant in (-1, (1 << 8 * test.scalar.size_bytes) - 1):
            return _if_free(machine, number, is_taken=is_taken)
    return None


def _if_free(machine: Machine, register: int, *, is_taken: bool) -> tuple[float, str] | None:
    """The same of a variable to which bits are added and nothing else, after a start."""
    definitions, writers = machine.facts.definitions, machine.facts.writers
    variable = copied_once(writers, register)
    sums = [definitions.get(item.args[0]) for item in writers.get(variable, ()) if item.args]
    sets_bits = any(
        item is not None
        and item.op is Op.OR
        and variable in {copied_once(writers, part) for part in item.args}
        for item in sums
    )
    return (float(is_taken), "a word of bits has a free one") if sets_bits else None


def _is_taken_if_equal(machine: Machine, region: If) -> bool | None:
    comparison, is_inverted = machine.facts.behind_negations(region.condition)
    asks_for_any = _asks_for_difference(machine, region)
    if asks_for_any is not None:
        return not asks_for_any
    if comparison is None or comparison.op not in (Op.EQ, Op.NE):
        return None
    if region.kind == "logical" or _sets_flag(machine, region) or not _differ(machine, comparison):
        return None
    return (comparison.op is Op.EQ) ^ is_inverted


def _asks_for_difference(machine: Machine, region: If) -> bool | None:
    """Whether a branch is taken if a difference of two whole numbers is not zero, as that of the ends of a range; None for others."""
    writers, constants = machine.facts.writers, machine.frames[-1].code.constants
    test, is_inverted = machine.facts.behind_negations(region.condition, through_casts=True)
    if test is None:
        return None
    number, is_taken = test.dest, not is_inverted
    if test.op in (Op.EQ, Op.NE):
        zeros = [constants.get(copied_once(writers, item)) == 0 for item in test.args]
        if zeros[0] == zeros[1]:
            return None
        number, is_taken = test.args[zeros.index(False)], (test.op is Op.NE) ^ is_inverted
    written = writers.get(copied_once(writers, number), ())
    if len(written) != 1 or written[0].op is not Op.SUB or not written[0].scalar.is_integer:
        return None
    sources = [copied_once(writers, item) for item in written[0].args]
    return None if any(source in constants for source in sources) else is_taken


def _sets_flag(machine: Machine, region: If) -> bool:
    """Whether nothing but a flag follows, as from what is looked for until it is found."""
    constants = machine.frames[-1].code.constants
    items = list(instructions_of([*region.then, *region.otherwise]))
    return bool(items) and all(item.op is Op.MOV and item.args[0] in constants for item in items)


def _differ(machine: Machine, comparison: Instruction) -> bool:
    """Whether two numbers have so little to do with each other that they differ in general."""
    writers, constants = machine.facts.writers, machine.frames[-1].code.constants
    sources = [copied_once(writers, register) for register in comparison.args]
    fixed = [constants[source] for source in sources if source in constants]
    if comparison.scalar.is_float:
        return not any(fixed)
    if is_mark_of_text(machine, comparison):
        return True
    if fixed or comparison.scalar is Scalar.BOOL:
        return False
    for source, other in (sources, sources[::-1]):
        written = writers.get(source, ())
        computed = [
            writer
            for item in written
            for writer in (writers.get(item.args[0], ()) if item.op is Op.MOV else (item,))
        ]
        for item in (*written, *computed):
            parts = [copied_once(writers, part) for part in item.args]
            if item.op in _NARROWING or (item.op is Op.MOV and other in parts):
                return False  # few numbers, or the one before, as in a run of equal ones
            if item.op in _STEPS and (
                source in parts or any(constants.get(part) == 1 for part in parts)
            ):
                return False
            if item.op is Op.LOAD and any(
                step.op is Op.SLOT for step in backward_slice(writers, item.args[0], _leads_on)
            ):
                return False  # put there by threads, perhaps from where the other one comes
    origins = [_origin(machine.read(register)) for register in comparison.args]
    return origins[0] is None or origins[0] != origins[1]


def is_mark_of_text(machine: Machine, comparison: Instruction) -> bool:
    """Whether a loaded character is compared with a blank or a punctuation mark; not one at a place that an array gives.

    In texts one character in five to ten is a blank, in tables and JSON one in about ten a comma or a quote.
    """
    writers, constants = machine.facts.writers, machine.frames[-1].code.constants
    sources = [copied_once(writers, register) for register in comparison.args]
    is_marked = any(constants.get(source) in _MARKS for source in sources)
    return is_marked and any(
        item.op is Op.LOAD
        and item.scalar is Scalar.I8
        and not any(step.op is Op.LOAD for step in backward_slice(writers, item.args[0], _computes))
        for source in sources
        for item in writers.get(source, ())
    )


def _computes(item: Instruction) -> bool:
    return item.op is not Op.LOAD


def _leads_on(item: Instruction) -> bool:
    return item.op in (Op.PTR_ADD, Op.MOV)


def _origin(value: object) -> int | None:
    unknown = value.unknown if isinstance(value, Mixed) else value
    return unknown.origin if isinstance(unknown, Unknown) else None
