"""Branches on marks that the host gives to single elements: walls, fixed nodes, the padding of short rows.

Such a mark sets a few elements apart from all the others, which are those that the kernel is there for. Marks that kernels
change themselves, as those of a search's front, say nothing of that kind.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from roofstat.execution.jumps import all_leaves
from roofstat.execution.numbers.values import Mixed, Unknown
from roofstat.execution.stored.kernel_stores import is_written
from roofstat.program.code import MemoryAccess, Op, Space, instructions_of
from roofstat.program.slices import copied_once

if TYPE_CHECKING:
    from roofstat.execution.machine import Machine
    from roofstat.program.code import Code, If, Instruction, Region

MARKED = 0.1
"""Part of the elements that are left out."""
_OUTSIDE = {Op.LT: 0, Op.GE: 0, Op.GT: -1, Op.LE: -1, Op.EQ: -1, Op.NE: -1}
"""Comparisons that tell indices from what stands where there is none -> with what."""
_LEADING = frozenset({Op.MOV, Op.NOT})
"""What a condition is of its last comparison: that of ``in && marked`` decides where nobody knows."""


def chance_of_mark(
    machine: Machine, region: If, inner: frozenset[int] | None
) -> tuple[float, str] | None:
    """(probability that the branch is taken, why), where it leaves out what the host has marked; None for others.

    Args:
        machine: The running machine.
        region: The branch.
        inner: Labels of the scopes inside the innermost loop; None outside of loops.
    """
    known = machine.facts.marks
    if (region.number, inner) not in known:
        known[region.number, inner] = _mark_of(machine, region, inner)
    found = known[region.number, inner]
    if found is None or not _is_of_host(machine, machine.read(found[0])):
        return None
    return found[1], "few elements are marked to be left out"


def _mark_of(
    machine: Machine, region: If, inner: frozenset[int] | None
) -> tuple[int, float] | None:
    """(register of the mark, probability that the branch is taken), where one arm leaves or is all that there is."""
    leaving = [all_leaves(arm) for arm in (region.then, region.otherwise)]
    if inner is not None and any(labels - inner for labels in leaving):
        return None  # where a loop ends is another question
    is_guard = not leaving[0] and not leaving[1]
    if region.otherwise if is_guard else leaving[0] and leaving[1]:
        return None
    code = machine.frames[-1].code
    work = region.then if is_guard else code.body
    load = _mark_behind(machine, region.condition, work)
    if load is None or not isinstance(load.detail, MemoryAccess):
        return None
    if is_guard and not any(
        item.op is Op.LOAD or item.scalar.is_float for item in instructions_of(work)
    ):
        return None  # a count, or a mark itself
    if load.detail.array in _stored_arrays(code):
        return None
    return load.dest, (MARKED if leaving[0] else 1.0 - MARKED)


@lru_cache(maxsize=16)
def _stored_arrays(code: Code) -> frozenset[str]:
    """Names of the arrays that a kernel changes; the empty one where there is something without a name."""
    return frozenset(
        getattr(item.detail, "array", "")
        for _, item in code.instructions()
        if item.op in (Op.STORE, Op.ATOMIC)
    )


def _mark_behind(machine: Machine, condition: int, work: list[Region]) -> Instruction | None:
    """The load of a number that a condition compares with zero, or, of an index, with what stands where there is none."""
    definitions, writers = machine.facts.definitions, machine.facts.writers
    comparison, seen = definitions.get(condition), {condition}
    while comparison is not None and comparison.op in _LEADING and comparison.args[0] not in seen:
        seen.add(comparison.args[0])
        comparison = definitions.get(comparison.args[0])
    if comparison is None or comparison.op not in _OUTSIDE or not comparison.scalar.is_integer:
        return None
    mark, limit = comparison.args
    number = machine.frames[-1].code.constants.get(copied_once(writers, limit))
    load = definitions.get(copied_once(writers, mark))
    if load is None or load.op is not Op.LOAD:
        return None
    if number == 0 and comparison.op in (Op.EQ, Op.NE):
        return load
    is_index = number == _OUTSIDE[comparison.op] and any(
        item.op is Op.PTR_ADD and copied_once(writers, item.args[1]) == load.dest
        for item in instructions_of(work)
    )
    return load if is_index else None


def _is_of_host(machine: Machine, value: object) -> bool:
    """Whether a value is one of an array's many, which the host has filled and no kernel changes."""
    mark = value.unknown if isinstance(value, Mixed) else value
    if not isinstance(mark, Unknown) or mark.origin is None or mark.lane_index is None:
        return False
    found = machine.memory.objects.get(mark.origin)
    return found is not None and found.buffer.space is Space.GLOBAL and not is_written(found)
