"""Decides branches on data that nobody knows: by what their arms do and what they compare, else evenly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.execution.guesses.ballots import lanes_that_voted
from roofstat.execution.guesses.best_so_far import chance_of_new_best
from roofstat.execution.guesses.equalities import chance_of_equality, chance_of_free_bit
from roofstat.execution.guesses.even_draws import even_draws
from roofstat.execution.guesses.guards import chance_of_guard
from roofstat.execution.guesses.marks import chance_of_mark
from roofstat.execution.guesses.matches import chance_of_match
from roofstat.execution.guesses.neighbours import chance_of_neighbour
from roofstat.execution.guesses.queues import kept_going
from roofstat.execution.guesses.quotas import chance_of_wanted
from roofstat.execution.guesses.reservoirs import chance_of_refill
from roofstat.execution.guesses.runs import chance_of_run
from roofstat.execution.guesses.shared_extremes import chance_of_new_extreme
from roofstat.execution.guesses.singularities import chance_of_singularity, small_number
from roofstat.execution.guesses.votes import chance_of_vote
from roofstat.execution.jumps import all_leaves
from roofstat.execution.loops.ending_forms import (
    DIFFERENCE,
    DIFFERENCE_TRIPS,
    DRAWN,
    DRAWS,
    compares_sequences,
    finds_place,
    is_counted,
    is_passing,
)
from roofstat.execution.loops.entry import goes_on_with
from roofstat.execution.loops.facts import APPENDING, exits_at_end, facts_of, never_turns
from roofstat.execution.loops.tree_walks import chance_on_walk
from roofstat.execution.loops.unknown_trips import contended_trips, note_trips
from roofstat.execution.numbers.choices import clamped
from roofstat.execution.numbers.values import Mixed, Unknown
from roofstat.program.code import (
    ABORTING_CALLS,
    Block,
    LibraryCall,
    Op,
    Scope,
    children,
    instructions_of,
)
from roofstat.program.comparisons import COMPARISONS, ORDERS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.program.code import If, Instruction, Region

_FATAL = ABORTING_CALLS | {"exit", "_exit", "quick_exit", "perror", "usage"}
_ABORTS = "the arm ends the program"
_LIMITS = frozenset({Op.MOV, Op.ADD, Op.SUB, Op.CAST})
_REPORTING = frozenset({"printf"})
BREAKING_DOWN = "numbers that must not break down"
"""Why it is not known of pivots and radicands whether they are above zero."""
_EVEN = 0.5
_ALONE = 1.5
"""Rounds in which a lane of a warp succeeds, in the mean, that are still as good as one."""


def guess_branch(
    machine: Machine, region: If, condition: Unknown | Mixed, mask: Mask
) -> NDArray[np.bool_]:
    """Decide a branch on data that nobody knows: by what the arms do, else evenly."""
    unknown = condition if isinstance(condition, Unknown) else condition.unknown
    if machine.loop_stack and machine.loop_stack[-1].frame is machine.frames[-1]:
        goes_on = goes_on_with(machine.loop_stack[-1], region)
        if goes_on is not None:
            machine.loop_stack[-1].open_tests.append(unknown)
            return _with_known(condition, np.full(machine.lane_count, goes_on))
    voted = lanes_that_voted(machine, region)
    if voted is not None:
        machine.assume(
            "branch",
            f"branch on {unknown.reason or 'unknown data'}: taken by the lanes that have voted for it",
            region.position,
            mask,
        )
        return _with_known(condition, voted)
    known = None
    if not machine.is_host:
        known = (
            _chance_of_end(machine, region)
            or chance_on_walk(machine, region, unknown)
            or chance_of_new_extreme(machine, region, mask)
            or chance_of_new_best(machine, region, mask)
            or chance_of_refill(machine, region, mask)
            or _chance_of_own(machine, region, mask)
            or _chance_outside(machine, region)
            or chance_of_singularity(machine, region)
            or chance_of_free_bit(machine, region)
            or chance_of_wanted(machine, region)
            or chance_of_neighbour(machine, region)
            or chance_of_match(machine, region)
            or chance_of_run(machine, region)
            or chance_of_mark(machine, region, _labels_inside_loop(machine))
            or _chance_of_draw(machine, region)
        )
    probability, why = known or _chance_by_arms(machine, region)
    if known is None and probability == _EVEN and not machine.is_host:
        better = (
            chance_of_vote(machine, region)
            or chance_of_equality(machine, region)
            or chance_of_guard(machine, region)
        )
        probability, why = better or (probability, why)
    alone = None if machine.is_host else _leaves_at_once(machine, region, probability)
    if alone is not None:
        probability, why = alone
    elif not machine.is_host:
        goes_on = _decide_open_break(machine, region, probability, unknown, mask)
        if goes_on is not None:
            return _with_known(condition, np.full(machine.lane_count, goes_on == probability))
    if machine.is_host:
        preferred = machine.library.preferred_arm(region)
        if preferred is None:
            preferred = _turn_by_share(machine, region, unknown)
        if preferred is None:
            preferred = _likely_by_comparison(machine, region)
        if preferred is not None:
            probability, why = float(preferred), "host code: the likely arm"
        if machine.facts.leaving_labels(region):
            machine.guessed_exits += 1
    if (not machine.is_host and why != _ABORTS) or 0.0 < probability < 1.0:
        machine.assume(
            "branch",
            f"branch on {unknown.reason or 'unknown data'}: taken with probability {probability:g} ({why})",
            region.position,
            mask,
        )
    if probability in (0.0, 1.0):
        lanes = np.full(machine.lane_count, probability == 1.0)
    else:
        # Flags in memory are the same whenever they are read.
        definition = machine.facts.definitions.get(region.condition)
        is_flag = definition is None or definition.op not in COMPARISONS
        is_kept = unknown.lane_index is not None and is_flag
        draws = machine.draws(unknown) if is_kept else even_draws(machine, unknown, mask)
        lanes = draws < probability
        if unknown.uniform and len(lanes) >= 32:
            lanes = np.repeat(lanes[::32], 32)
        if not machine.is_host:
            lanes = kept_going(machine, region, lanes, mask)
    if machine.is_host and not machine.dry and not machine.facts.leaving_labels(region):
        reason = unknown.reason or "unknown data"
        machine.library.note_guess(region, reason, taken=bool(lanes[0]))
    return _with_known(condition, lanes)


def _with_known(condition: Unknown | Mixed, guessed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Lanes that take a branch: by the condition where they know it, by a guess elsewhere."""
    if isinstance(condition, Mixed):
        return np.where(condition.known, condition.values.astype(np.bool_), guessed)
    return guessed


def _chance_of_end(machine: Machine, region: If) -> tuple[float, str] | None:
    """(probability, why) of a branch that ends a search in a table."""
    entry = machine.loop_stack[-1] if machine.loop_stack else None
    if entry is None or entry.probes is None or entry.frame is not machine.frames[-1]:
        return None
    chance = entry.probes.tests.get(region.condition)
    if chance is None:
        return None
    ends_search = bool(all_leaves(region.then) - entry.inner_labels)
    return chance if ends_search else 1.0 - chance, "half of a table that is searched is full"


def _chance_of_own(machine: Machine, region: If, mask: Mask) -> tuple[float, str] | None:
    """(probability, why) where data that nobody knows are compared with a number that each lane has for itself."""
    comparison = machine.facts.definitions.get(region.condition)
    if comparison is None or comparison.op not in (Op.EQ, Op.NE) or comparison.scalar.is_float:
        return None
    values = [machine.read(register) for register in comparison.args]
    for data, own in (values, values[::-1]):
        if not isinstance(data, Unknown) or data.uniform or not isinstance(own, np.ndarray):
            continue
        numbers = own[mask.lanes]
        size = comparison.scalar.size_bytes
        is_at_home = data.lane_index is not None and np.array_equal(data.lane_index // size, own)
        if (numbers != numbers[0]).any() and not is_at_home:
            return float(comparison.op is Op.NE), "hardly ever the lane's own number"
    return None


def _chance_outside(machine: Machine, region: If) -> tuple[float, str] | None:
    """(probability, why) of ``c < 0 ? 0 : c`` and its like, which hold an index within an array."""
    definition = machine.facts.definitions.get(region.condition)
    if region.kind != "conditional" or definition is None or definition.op not in ORDERS:
        return None
    if not definition.scalar.is_integer:
        return None
    for own, limit in (definition.args, definition.args[::-1]):
        if clamped(machine.read(own), machine.read(limit)) is None:
            continue
        for arm, other, probability in (
            (region.then, region.otherwise, 0.0),
            (region.otherwise, region.then, 1.0),
        ):
            if _is_limit(arm, own) and _hands_on(other, own):
                return probability, "few indices lie outside of their array"
    return None


def _is_limit(arm: list[Region], own: int) -> bool:
    """Whether an arm computes nothing but a limit, from other numbers than the index."""
    return all(
        isinstance(region, Block)
        and all(item.op in _LIMITS and own not in item.args for item in region.instructions)
        for region in arm
    )


def _hands_on(arm: list[Region], own: int) -> bool:
    """Whether the index is what the arm results in."""
    return any(item.op is Op.MOV and own in item.args for item in instructions_of(arm))


def _decide_open_break(
    machine: Machine, region: If, probability: float, unknown: Unknown, mask: Mask
) -> bool | None:
    """Decides a branch that leaves the running loop by data which tell how long it runs, as a condition of the loop would.

    Those are two whole numbers that differ, as in comparisons of texts and keys: that most data are equal is as little
    known as the opposite. Where both move on with the loop, it is left at once, and by this branch: nobody comes to what
    follows a comparison to the end. And what a compare-and-swap or an exchange has found in a place where others try as well.

    Returns:
        Whether the loop goes on; None for other branches.
    """
    if not _leaves_conditional_loop(machine, probability):
        return None
    entry = machine.loop_stack[-1]
    facts = machine.facts.loops[entry.loop.number]
    difference = _difference_that_leaves(machine, region, probability)
    if difference is not None and compares_sequences(machine, facts, difference):
        if machine.recorder is not None and not machine.dry:
            machine.recorder.loop(entry.loop.number).source = "assumed"
        note_trips(machine, entry.loop, unknown, mask, DIFFERENCE_TRIPS, DIFFERENCE)
        return False
    arm = region.otherwise if probability else region.then
    passing, is_negated = machine.facts.behind_negations(region.condition)
    leaves_if_true = (probability == 0.0) ^ is_negated
    is_search = (
        passing is not None
        and bool(machine.facts.leaving_labels(region) - entry.inner_labels)
        and (
            is_passing(machine, entry.loop, passing)
            or (
                (passing.op is (Op.EQ if leaves_if_true else Op.NE))
                and finds_place(machine, entry.loop, passing, arm)
            )
        )
    )
    if difference is None and not is_search and not _ends_on_swap(machine):
        if not _is_left_anywhere(machine, region, unknown):
            return None
        entry.may_be_left = True
        entry.found_arms.append(arm)
    entry.open_breaks.append(unknown)
    if is_search and passing is not None:
        entry.open_orders.append(passing)
        entry.found_arms.append(arm)
    return True


def _is_left_anywhere(machine: Machine, region: If, unknown: Unknown) -> bool:
    """Whether a branch leaves a loop that ends by a count else: any iteration may be the last."""
    entry = machine.loop_stack[-1]
    if entry.converges is not None or entry.walk is not None or entry.probes is not None:
        return False
    if unknown.reason == BREAKING_DOWN:
        return False
    if not machine.facts.leaving_labels(region) - entry.inner_labels:
        return False
    comparison, _ = machine.facts.behind_negations(region.condition)
    if comparison is not None:
        if comparison.op in (Op.EQ, Op.NE) and comparison.scalar.is_integer:
            return False  # whole numbers are seldom equal
        if any(small_number(machine, side) is not None for side in comparison.args):
            return False  # a tolerance: what is left over counts for nothing, and few get there
    return is_counted(machine, entry.loop)


def _leaves_at_once(machine: Machine, region: If, probability: float) -> tuple[float, str] | None:
    """(probability, why) of a branch that leaves a loop of tries for a free place, where no other lane tries the same one."""
    if not _leaves_conditional_loop(machine, probability) or not _ends_on_swap(machine):
        return None
    if not machine.facts.leaving_labels(region):
        return None
    rounds = contended_trips(machine, machine.loop_stack[-1].loop)
    if rounds is None or rounds > _ALONE:
        return None
    return 1.0 - probability, "no other lane tries for the place"


def _leaves_conditional_loop(machine: Machine, probability: float) -> bool:
    """Whether a branch of a sure direction may leave the running loop, which has a condition beside."""
    is_decided = _labels_inside_loop(machine) is not None and probability in (0.0, 1.0)
    return is_decided and machine.loop_stack[-1].loop.condition_register is not None


def _ends_on_swap(machine: Machine) -> bool:
    return machine.facts.loops[machine.loop_stack[-1].loop.number].ends_on_swap


def _difference_that_leaves(machine: Machine, region: If, probability: float) -> Instruction | None:
    """The comparison of a branch that leaves the running loop where two whole numbers differ."""
    definition, is_negated = machine.facts.behind_negations(region.condition)
    leaving = Op.NE if (probability == 0.0) ^ is_negated else Op.EQ
    if definition is None or definition.op is not leaving or not definition.scalar.is_integer:
        return None
    return definition


def _turn_by_share(machine: Machine, region: If, unknown: Unknown) -> bool | None:
    """The arm of a host branch whose turn it is, where it is known how often the condition holds."""
    if unknown.sample is None or machine.facts.leaving_labels(region):
        return None
    share = float((unknown.sample != 0).mean())
    if not machine.loop_stack or machine.loop_stack[-1].frame is not machine.frames[-1]:
        return share >= 0.5
    # Its turn comes at once, so that what it does is seen, and then once in so many iterations.
    key = (id(region), machine.dry)
    before = machine.branch_turns.get(key, 1.0 - share)
    after = before + share
    machine.branch_turns[key] = after
    return int(after) > int(before)


def _likely_by_comparison(machine: Machine, region: If) -> bool | None:
    """The likely arm of a host branch by what it compares (Ball and Larus): pointers are set, data differ."""
    definition = machine.facts.definitions.get(region.condition)
    if definition is None or definition.op not in (Op.EQ, Op.NE):
        return None
    constants = machine.frames[-1].code.constants
    if definition.scalar is Scalar.U64 and any(
        constants.get(register) == 0 for register in definition.args
    ):
        return definition.op is Op.NE
    if definition.op is Op.EQ and not machine.facts.leaving_labels(region):
        # Of elements that are counted there are some, whatever they are compared with.
        return None if _counts(machine, region) else False
    return None


def _counts(machine: Machine, region: If) -> bool:
    """Whether an arm in a loop counts, or puts something into a container, under no further condition."""
    if not machine.loop_stack or machine.loop_stack[-1].frame is not machine.frames[-1]:
        return False
    facts = facts_of(machine, machine.loop_stack[-1].loop)
    counted = facts.sums & facts.conditional
    return _calls_at_once(region.then, APPENDING) or any(
        item.dest in counted or _counts_in_memory(machine, item)
        for part in region.then
        if isinstance(part, Block)
        for item in part.instructions
    )


def _counts_in_memory(machine: Machine, item: Instruction) -> bool:
    """Whether a store puts back a whole number that was loaded from what has the same name, and one more."""
    definitions = machine.facts.definitions
    total = definitions.get(item.args[1]) if item.op is Op.STORE else None
    if total is None or total.op is not Op.ADD or not total.scalar.is_integer:
        return False
    return any(
        loaded is not None and loaded.op is Op.LOAD and loaded.detail == item.detail
        for loaded in map(definitions.get, total.args)
    )


def _chance_of_draw(machine: Machine, region: If) -> tuple[float, str] | None:
    """Of a test that ends a loop without any other end, which draws until one is passed."""
    inner = _labels_inside_loop(machine)
    if inner is None or not exits_at_end(region, inner):
        return None
    loop = machine.loop_stack[-1].loop
    facts = facts_of(machine, loop)
    definitions = machine.facts.definitions
    if not facts.draws_again or not never_turns(loop.condition_register, definitions, facts):
        return None
    leaves = bool(all_leaves(region.then) - inner)
    return (1 / DRAWS if leaves else 1 - 1 / DRAWS), DRAWN


def _chance_by_arms(machine: Machine, region: If) -> tuple[float, str]:
    """What the arms say of a branch, looked at once for each loop that it stands in."""
    inner = _labels_inside_loop(machine)
    chances = machine.facts.chances
    found = chances.get((region.number, inner))
    if found is None:
        found = branch_probability(region, inner=inner, is_host=machine.is_host)
        chances[region.number, inner] = found
    return found


def _labels_inside_loop(machine: Machine) -> frozenset[int] | None:
    """Scopes inside the innermost loop of the running code; None outside of loops."""
    if machine.loop_stack and machine.loop_stack[-1].frame is machine.frames[-1]:
        return machine.loop_stack[-1].inner_labels
    return None


def branch_probability(
    region: If, *, inner: frozenset[int] | None, is_host: bool
) -> tuple[float, str]:
    """Probability that an undecidable branch is taken, from what its arms do (after Ball and Larus, PLDI 1993).

    Args:
        region: The branch.
        inner: Labels of the scopes inside the innermost loop; None outside of loops.
        is_host: Whether it is host code.
    """
    then_leaves, else_leaves = bool(all_leaves(region.then)), bool(all_leaves(region.otherwise))
    in_loop = inner is not None
    if inner is not None and not is_host:
        then_leaves = bool(all_leaves(region.then) - inner)
        else_leaves = bool(all_leaves(region.otherwise) - inner)
    if is_host:
        if _is_fatal(region.then) or (then_leaves and not else_leaves):
            return 0.0, "the arm leaves"
        if _is_fatal(region.otherwise) or (else_leaves and not then_leaves):
            return 1.0, "the other arm leaves"
        return 1.0, "host code: the first arm"
    for calls, why in ((ABORTING_CALLS, _ABORTS), (_REPORTING, "the arm reports what went wrong")):
        for arm, probability in ((region.then, 0.0), (region.otherwise, 1.0)):
            if _calls_at_once(arm, calls):
                return probability, why
    if in_loop and then_leaves and not else_leaves:
        return 0.0, "it would leave the loop"
    if in_loop and else_leaves and not then_leaves:
        return 1.0, "the other arm would leave the loop"
    return _EVEN, "no better knowledge"


def _is_fatal(regions: list[Region]) -> bool:
    return _calls_at_once(regions, _FATAL) or any(
        _is_fatal(part) for region in regions for part in children(region)
    )


def _calls_at_once(regions: list[Region], names: frozenset[str]) -> bool:
    """Whether an arm calls one of some library functions, under no further condition."""
    for region in regions:
        if isinstance(region, Scope) and _calls_at_once(region.body, names):
            return True
        if isinstance(region, Block) and any(
            isinstance(item.detail, LibraryCall) and item.detail.name.rsplit("::", 1)[-1] in names
            for item in region.instructions
        ):
            return True
    return False
