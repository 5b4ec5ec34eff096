"""Branches that are taken where a value is better than the best so far: of n values about ln(n) are.

The nearest hit of a ray, the best of all candidates and the sorted list of the k nearest are kept so. Which values are
better nobody knows, but the more have been seen, the rarer a new best becomes: the i-th of values in no order is one of
the best k with a probability of k / i.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.jumps import direct_leaves
from roofstat.execution.loops.facts import facts_of
from roofstat.execution.numbers.comparisons import comparisons_of, conjunction_of
from roofstat.execution.numbers.values import Mixed, Unknown
from roofstat.program.code import MemoryAccess, Op, instructions_of, loops
from roofstat.program.comparisons import ORDERS
from roofstat.program.slices import copied_once

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from roofstat.execution.loops.entry import LoopEntry
    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.program.code import If, Instruction, Loop, Region

_STEADY = frozenset(
    {Op.MOV, Op.SLOT, Op.GLOBAL, Op.PARAM, Op.PTR_ADD, Op.ADD, Op.SUB, Op.MUL, Op.CAST}
)
"""Operations of addresses, whose results change only where their operands do."""

_CHOICES = frozenset({Op.MOV, Op.SELECT})
_EXTREMES = frozenset({"min", "max", "fmin", "fmax"})


@dataclass(frozen=True, slots=True)
class Best:
    """A comparison of a candidate with the best so far, which the candidate replaces."""

    is_taken: bool
    """Whether the branch is taken for a new best."""
    kept: int
    """How many are kept."""
    root: int
    """The variable that holds them: a register, or -1 less the slot of an array."""
    is_memory: bool


def chance_of_new_best(machine: Machine, region: If, mask: Mask) -> tuple[float, str] | None:
    """(probability that the branch is taken, why), where it asks for a new best; None for other branches."""
    best = _known_best(machine, region)
    entry = _entry_of(machine, best) if best is not None else None
    if best is None or entry is None:
        return None
    seen = entry.candidates.get(region.number, 0.0)
    lanes = mask.lanes
    outside = float(entry.weights[lanes].sum())
    now = float(machine.weight[lanes].sum()) / outside if outside else 0.0
    if now <= 0:
        return None
    if not machine.dry:
        entry.candidates[region.number] = seen + now
    chance = _new_bests(best.kept, seen, seen + now) / now
    return chance if best.is_taken else 1.0 - chance, f"a new best after {seen:,.0f} candidates"


def is_new_best_in_memory(machine: Machine, region: If) -> bool:
    """Whether a branch asks for a new best of those that an array holds."""
    best = _known_best(machine, region)
    return best is not None and best.is_memory


def lanes_with_enough(machine: Machine, region: If) -> NDArray[np.bool_] | None:
    """Lanes that leave a loop where what is still to come is worse than the worst of the best so far.

    A search in growing rings ends so. It is taken to end as soon as all places of the best are taken, if an iteration brings
    more candidates than there are places; how good those are is not asked for, since nobody knows which data lie near each
    other. None for other branches, and until then.
    """
    entry = machine.loop_stack[-1] if machine.loop_stack else None
    facts = machine.facts
    if entry is None or entry.frame is not machine.frames[-1] or not entry.candidates:
        return None
    if not direct_leaves(region.then) - entry.inner_labels:
        return None
    leaves = conjunction_of(machine, region.condition, is_lazy=True) or []
    for leaf in leaves:
        for number, seen in entry.candidates.items():
            best = facts.bests[number]
            if best is None or not _asks_for_worst(machine, leaf, best, entry.loop):
                continue
            iterations = max(len(entry.coordinates) - 1, 1)  # those before the present one
            if not best.is_memory or seen <= best.kept * iterations:
                continue
            open_lanes = np.ones(machine.lane_count, np.bool_)
            for other in leaves:
                value = machine.frames[-1].registers[other.dest]
                if (
                    other is not leaf
                    and value is not None
                    and not isinstance(value, Unknown | Mixed)
                ):
                    open_lanes &= np.asarray(value, np.bool_)
            return open_lanes
    return None


def _asks_for_worst(machine: Machine, comparison: Instruction, best: Best, loop: Loop) -> bool:
    """Whether one side of a comparison is the worst of the best so far, and the other one none of their candidates."""
    if comparison.op not in ORDERS:
        return False
    loads = [load_behind(machine, item) for item in comparison.args]
    return any(
        load is not None
        and root_of_address(machine, load.args[0]) == best.root
        and _is_fixed(machine, load.args[0], loop)
        and setter_of(machine, loop.body, source_of(machine, other), best.root) is None
        for load, other in zip(loads, comparison.args[::-1], strict=True)
    )


def _known_best(machine: Machine, region: If) -> Best | None:
    """What a branch asks for, found once."""
    facts = machine.facts
    if region.number not in facts.bests:
        entry = machine.loop_stack[-1] if machine.loop_stack else None
        is_inside = entry is not None and entry.frame is machine.frames[-1]
        facts.bests[region.number] = (
            _best_of(machine, region, entry.loop) if entry is not None and is_inside else None
        )
    return facts.bests[region.number]


def _new_bests(kept: int, first: float, last: float) -> float:
    """How many of the candidates between two places are among the best so far."""
    rising = max(min(last, kept) - first, 0.0)
    return rising + kept * math.log(max(last, kept) / max(first, kept))


def _entry_of(machine: Machine, best: Best) -> LoopEntry | None:
    """The outermost loop around that hands the best on from one iteration to the next."""
    found = None
    for entry in reversed(machine.loop_stack):
        if entry.frame is not machine.frames[-1]:
            break
        if best.is_memory:
            is_carried = not _is_cleared(machine, entry.loop, best.root)
        else:
            is_carried = best.root in facts_of(machine, entry.loop).carried
        if not is_carried:
            break
        found = entry
    return found


def _best_of(machine: Machine, region: If, loop: Loop) -> Best | None:
    for comparison in comparisons_behind(machine, region.condition):
        if comparison.op in ORDERS:
            found = _best_by(machine, region, loop, comparison)
            if found is not None:
                return found
    return None


def comparisons_behind(machine: Machine, condition: int) -> list[Instruction]:
    """Comparisons of a condition; of ``own || worse`` with a branch the right one, which decides where the left one does not."""
    definition = machine.facts.definitions.get(condition)
    seen = {condition}
    while definition is not None and definition.op is Op.MOV and definition.args[0] not in seen:
        condition = definition.args[0]
        seen.add(condition)
        definition = machine.facts.definitions.get(condition)
    return comparisons_of(machine, condition)


def _best_by(machine: Machine, region: If, loop: Loop, comparison: Instruction) -> Best | None:
    for one, other in (comparison.args, comparison.args[::-1]):
        candidate, other_load = source_of(machine, one), load_behind(machine, other)
        for root, load in _held(machine, region, loop, other):
            setter = setter_of(machine, loop.body, candidate, root)
            is_taken = _is_taken(machine, region, candidate, root) if setter is not None else None
            if setter is None or is_taken is None:
                continue
            is_memory = setter.op is Op.STORE
            kept = 1
            if load is not None and is_memory:
                arm = region.then if is_taken else region.otherwise
                through = _gone_through(machine, arm, root)
                if (
                    not through
                    and load is other_load
                    and not _is_fixed(machine, load.args[0], loop)
                ):
                    # An array that is still filled up: nobody knows how far.
                    continue
                kept = max(_kept(machine, load, setter), through)
            return Best(is_taken, kept, root, is_memory)
    return None


def _held(
    machine: Machine, region: If, loop: Loop, register: int
) -> Iterator[tuple[int, Instruction | None]]:
    """What may hold the best of which a register is one: root, and the load from it where that is an array."""
    load, held = load_behind(machine, register), source_of(machine, register)
    if load is not None and _is_fixed(machine, load.args[0], loop, region):
        yield root_of_address(machine, load.args[0]), load
    elif held in machine.frames[-1].code.variables:
        yield held, None
        # the worst of an array, which is looked up again where a new one was put there
        for item in instructions_of([region]):
            again = load_behind(machine, item.args[0]) if item.dest == held else None
            if again is not None and item.op is Op.MOV:
                yield root_of_address(machine, again.args[0]), again


def _gone_through(machine: Machine, arm: list[Region], root: int) -> int:
    """How many elements of the best the code goes through that puts a new one among them; 0 where that is not known."""
    counts = [0]
    for inner, _ in loops(arm):
        accesses = (item for item in instructions_of(inner.body) if item.op in (Op.LOAD, Op.STORE))
        if any(root_of_address(machine, item.args[0]) == root for item in accesses):
            register = inner.condition_register
            leaves = None if register is None else comparisons_of(machine, register)
            counts += [
                (_number(machine, leaf.args[1]) or 0) + (leaf.op is Op.LE)
                for leaf in leaves or ()
                if leaf.op in (Op.LT, Op.LE) and leaf.scalar.is_integer
            ]
    return max(counts)


def _number(machine: Machine, register: int) -> int | None:
    """A whole number that the code states or was given, also where the code that computes it has not run yet."""
    frame = machine.frames[-1]
    register = copied_once(machine.facts.writers, register)
    known = frame.code.constants.get(register, frame.registers[register])
    if isinstance(known, int | float):
        return int(known)
    definition = machine.facts.definitions.get(register)
    if definition is None or definition.op not in (Op.ADD, Op.SUB):
        return None
    left, right = (_number(machine, item) for item in definition.args)
    if left is None or right is None:
        return None
    return left + right if definition.op is Op.ADD else left - right


def setter_of(
    machine: Machine, regions: list[Region], candidate: int, root: int
) -> Instruction | None:
    """What puts a candidate in the best's place."""
    for item in instructions_of(regions):
        if item.op is Op.STORE and root_of_address(machine, item.args[0]) == root:
            value = item.args[1]
        elif item.op is Op.MOV and item.dest == root:
            value = item.args[0]
        else:
            continue
        if source_of(machine, value) == candidate or _may_be(machine, value, candidate):
            return item
    return None


def _may_be(machine: Machine, value: int, candidate: int) -> bool:
    """Whether a candidate may be handed on to a value, as where it is carried through a sorted list."""
    stack, seen = [value], set()
    while stack:
        register = stack.pop()
        if register == candidate:
            return True
        if register in seen:
            continue
        seen.add(register)
        for item in machine.facts.writers.get(register, ()):
            if item.op in _CHOICES or (item.op is Op.MATH and item.detail in _EXTREMES):
                stack.extend(item.args)
    return False


def _is_taken(machine: Machine, region: If, candidate: int, root: int) -> bool | None:
    """Whether the branch is taken for a new best; None where that does not follow from its arms."""
    if setter_of(machine, region.then, candidate, root) is not None:
        return True
    if setter_of(machine, region.otherwise, candidate, root) is not None:
        return False
    if direct_leaves(region.then):
        return False
    return True if direct_leaves(region.otherwise) else None


def _kept(machine: Machine, load: Instruction, store: Instruction) -> int:
    """How many elements lie up to the one that candidates are compared with."""
    before = _known_offset(machine, load) - _known_offset(machine, store)
    return max(before, 0) // load.scalar.size_bytes + 1


def _known_offset(machine: Machine, access: Instruction) -> int:
    """How far behind its root an access lies, indices that are not constant left out."""
    assert isinstance(access.detail, MemoryAccess)
    constants = machine.frames[-1].code.constants
    return access.detail.offset_bytes + sum(
        int(constants.get(step.args[1], 0)) * step.detail
        for step in _steps(machine, access.args[0])
        if isinstance(step.detail, int)
    )


def _is_cleared(machine: Machine, loop: Loop, root: int) -> bool:
    """Whether an iteration clears the best, found once."""
    known = machine.facts.cleared
    if (loop.number, root) not in known:
        known[loop.number, root] = any(
            _is_start(machine, root, item) for item in instructions_of(loop.body)
        )
    return known[loop.number, root]


def _is_start(machine: Machine, root: int, item: Instruction) -> bool:
    """Whether a constant is stored in an array, as where the best are cleared."""
    if item.op is not Op.STORE or root_of_address(machine, item.args[0]) != root:
        return False
    return source_of(machine, item.args[1]) in machine.frames[-1].code.constants


def source_of(machine: Machine, register: int) -> int:
    """The variable or the temporary that a register was copied from."""
    variables = machine.frames[-1].code.variables
    while register not in variables:
        definition = machine.facts.definitions.get(register)
        if definition is None or definition.op is not Op.MOV:
            break
        register = definition.args[0]
    return register


def load_behind(machine: Machine, register: int) -> Instruction | None:
    """The load of a value, which a constant may stand for where nothing is kept yet; None of other values."""
    source = source_of(machine, register)
    if source not in machine.frames[-1].code.variables:
        load = machine.facts.definitions.get(source)
        return load if load is not None and load.op is Op.LOAD else None
    constants = machine.frames[-1].code.constants
    found: list[Instruction | None] = []
    for writer in machine.facts.writers.get(source, ()):
        value = source_of(machine, writer.args[0]) if writer.op is Op.MOV else -1
        if value not in constants:
            found.append(machine.facts.definitions.get(value))
    load = found[0] if len(found) == 1 else None
    return load if load is not None and load.op is Op.LOAD else None


def root_of_address(machine: Machine, address: int) -> int:
    """What an address is counted from: the variable of an array, or a register."""
    steps = _steps(machine, address)
    register = source_of(machine, steps[-1].args[0] if steps else address)
    definition = machine.facts.definitions.get(register)
    if definition is not None and isinstance(definition.detail, int) and definition.op is Op.SLOT:
        return -1 - definition.detail
    return register


def _steps(machine: Machine, address: int) -> list[Instruction]:
    """The additions that lead from a root to an address, the last first."""
    found: list[Instruction] = []
    definition = machine.facts.definitions.get(source_of(machine, address))
    while definition is not None and definition.op is Op.PTR_ADD:
        found.append(definition)
        definition = machine.facts.definitions.get(source_of(machine, definition.args[0]))
    return found


def _is_fixed(machine: Machine, register: int, loop: Loop, region: If | None = None) -> bool:
    """Whether an address is the same in all iterations, as long as a branch is not taken."""
    facts = facts_of(machine, loop)
    if register in facts.assigned:
        inside = _writes(region.then + region.otherwise, register) if region is not None else 0
        return inside == _writes([*loop.condition, *loop.body, *loop.step], register)
    if register not in facts.computed:
        return True
    definition = machine.facts.definitions[register]
    if definition.op not in _STEADY:
        return False
    return all(_is_fixed(machine, argument, loop, region) for argument in definition.args)


def _writes(regions: list[Region], register: int) -> int:
    return sum(item.dest == register for item in instructions_of(regions))
