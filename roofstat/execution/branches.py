"""Runs branches: which lanes take which arm, and what is noted of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.execution.guesses.ballots import rests_on_drawn_lanes
from roofstat.execution.guesses.best_so_far import is_new_best_in_memory, lanes_with_enough
from roofstat.execution.guesses.branch_guesses import BREAKING_DOWN, guess_branch
from roofstat.execution.guesses.even_draws import even_draws
from roofstat.execution.guesses.neighbours import is_drawn_neighbour
from roofstat.execution.guesses.unfilled_lists import note_filter
from roofstat.execution.loops.facts import facts_of
from roofstat.execution.loops.tree_walks import goes_on_walking
from roofstat.execution.loops.turns import decision_of
from roofstat.execution.mask import Mask
from roofstat.execution.numbers.comparisons import (
    comparison_distance,
    note_block_difference,
    note_choice,
    note_choice_of_warp,
    note_edges,
    note_turning_warps,
)
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.unknowns import drawn
from roofstat.execution.numbers.values import NUMBERS, OPEN, Mixed, Unknown, Value, to_array
from roofstat.execution.sampling.nest_share import inside_share
from roofstat.program.comparisons import ORDERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from roofstat.execution.machine import Machine
    from roofstat.program.code import If, Region, Switch
    from roofstat.program.nests import NestShape

FEWEST_KNOWN = 16
"""From so many known decisions on a branch of a host loop is taken to go on as often one way as it did."""
_SHARES = 256


def run_if(machine: Machine, region: If, mask: Mask) -> Mask | None:
    """Run the arms that some lanes take; returns the lanes that reach the end."""
    condition = machine.read(region.condition)
    if isinstance(condition, np.ndarray) and not machine.is_host:
        note_choice(machine, region.condition)
    if not machine.is_host and is_new_best_in_memory(machine, region):
        # Of a list that is kept sorted the sampled values say less than that they come in no order.
        condition = Unknown(new_key(), reason="the best so far")
    elif (
        isinstance(condition, np.ndarray | int)
        and not machine.is_host
        and is_drawn_neighbour(machine, region)
    ):
        condition = Unknown(new_key(), reason="a point of the cells around")
    enough = None if machine.is_host else lanes_with_enough(machine, region)
    if enough is not None and enough.any():
        condition = enough
        machine.assume(
            "branch",
            "a search for the best: ends once it has as many as it keeps",
            region.position,
            mask,
        )
    elif (walking := goes_on_walking(machine, region)) is not None:
        condition = walking
    elif _has_settled(machine, region, condition, mask):
        condition = True
    elif _breaks_down(machine, region, condition):
        condition = Unknown(new_key(), reason=BREAKING_DOWN)
    else:
        _trace_break(machine, region, condition)
    if machine.decisions is not None:
        machine.decisions.append((region.number, decision_of(condition, mask.lanes)))
    if region.nest is not None:
        condition = _in_nest(machine, region, region.nest, condition, mask)
    if machine.is_host and machine.loop_stack and not machine.dry:
        condition = _by_history(machine, region, condition)
    if isinstance(condition, NUMBERS):
        if condition:
            _note_taken(machine, region)
        arms = (region.then, region.otherwise)
        return machine.run(arms[_arm_to_run(machine, region, arms, 0 if condition else 1)], mask)
    taken, skipped = _split(machine, region, condition, mask)
    if taken is not None:
        _note_taken(machine, region)
    guesses = int(isinstance(condition, OPEN) or rests_on_drawn_lanes(machine, region))
    machine.doubt += guesses
    if machine.is_host and isinstance(condition, Unknown) and condition.sample is not None:
        after = _run_by_share(machine, region, condition.sample, mask, is_taken=taken is not None)
        machine.doubt -= guesses
        return after
    after_then = machine.run(region.then, taken) if taken is not None else None
    after_else = machine.run(region.otherwise, skipped) if skipped is not None else None
    machine.doubt -= guesses
    if taken is mask and after_then is mask:
        return mask
    if skipped is mask and after_else is mask:
        return mask
    if after_then is taken and after_else is skipped and taken is not None and skipped is not None:
        return mask
    return machine.union(after_then, after_else)


def _note_taken(machine: Machine, region: If) -> None:
    """Remember in the loop around that host code took a branch."""
    if machine.is_host and machine.loop_stack:
        machine.loop_stack[-1].taken.add(region.number)


def _by_history(machine: Machine, region: If, condition: Value) -> Value:
    """The condition of a branch in a host loop; one that nobody knows holds as often as it did while it was known."""
    if isinstance(condition, NUMBERS):
        machine.branch_history.setdefault(id(region), [0, 0])[0 if condition else 1] += 1
        return condition
    if not isinstance(condition, Unknown) or condition.sample is not None:
        return condition
    taken, skipped = machine.branch_history.get(id(region), (0, 0))
    if min(taken, skipped) == 0 or taken + skipped < FEWEST_KNOWN:
        return condition
    share = taken / (taken + skipped)
    sample = (np.arange(_SHARES) < max(round(share * _SHARES), 1)).astype(np.float64)
    return Unknown(new_key(), uniform=True, low=0, high=1, reason=condition.reason, sample=sample)


def _has_settled(machine: Machine, region: If, condition: Value, mask: Mask) -> bool:
    """Whether a branch that leaves a loop by a tolerance is not taken where the loop is taken to have converged."""
    entry = machine.loop_stack[-1] if machine.loop_stack else None
    if entry is None or entry.converges is None or entry.frame is not machine.frames[-1]:
        return False
    after = entry.converges.exits.get(region.number)
    iteration = entry.coordinate.iteration
    if after is None or not isinstance(iteration, int) or iteration < after - 1:
        return False
    if isinstance(condition, int | float | np.ndarray) and np.all(condition):
        return False
    machine.assume(
        "trip-count", f"{after} iterations: {entry.converges.reason}", region.position, mask
    )
    return True


def _breaks_down(machine: Machine, region: If, condition: Value) -> bool:
    """Whether a loop over an array of a thread is left where a number is not above or below zero.

    Pivots and radicands are tested so, and reflections that must stay below one, by what must hold (`!(fabs(k) < 1)`, which sees
    NaN too). That they are right follows from how elements belong together (a matrix is positive
    definite), which is not known of elements that were drawn one by one.
    """
    if machine.is_host or not isinstance(condition, np.ndarray) or not machine.loop_stack:
        return False
    entry = machine.loop_stack[-1]
    if entry.frame is not machine.frames[-1]:
        return False
    if not machine.facts.leaving_labels(region) - entry.inner_labels:
        return False
    definition, is_negated = machine.facts.behind_negations(region.condition)
    if definition is None or definition.op not in ORDERS or not definition.scalar.is_float:
        return False
    operands = [machine.read(item) for item in definition.args]
    facts = facts_of(machine, entry.loop)
    return (
        any(isinstance(value, NUMBERS) and (is_negated or value == 0) for value in operands)
        and (facts.reads_memory or facts.ends_on_memory)
        and any(stores.lanes is not None for stores in machine.stores.values())
    )


def run_switch(machine: Machine, region: Switch, mask: Mask) -> Mask | None:
    """Run the cases that some lanes choose or fall into; returns the lanes that reach the end."""
    selector = machine.read(region.selector)
    note_choice_of_warp(machine, selector)
    running: Mask | None = None
    unmatched: Mask | None = mask
    matches = _case_masks(machine, region, selector, mask)
    for case, matched in zip(region.cases, matches, strict=True):
        if matched is not None and unmatched is not None:
            unmatched = (
                machine.intersect(unmatched, ~matched.lanes) if matched is not mask else None
            )
        running = machine.union(running, matched)
        if running is not None:
            running = machine.run(case.body, running)
    if any(case.is_default for case in region.cases):
        return running
    return machine.union(running, unmatched)


def _case_masks(machine: Machine, region: Switch, selector: Value, mask: Mask) -> list[Mask | None]:
    cases = region.cases
    if isinstance(selector, NUMBERS):
        chosen = next(
            (
                n
                for n, case in enumerate(cases)
                if any(low <= selector <= high for low, high in case.values)
            ),
            next((n for n, case in enumerate(cases) if case.is_default), -1),
        )
        chosen = _arm_to_run(machine, region, [case.body for case in cases], chosen)
        return [mask if n == chosen else None for n in range(len(cases))]
    selector = drawn(selector, machine.lane_count)
    if isinstance(selector, NUMBERS):
        return _case_masks(machine, region, selector, mask)
    if isinstance(selector, Unknown):
        draws = even_draws(machine, selector, mask)
        if machine.is_host:
            # Its turn comes first that is written first: what else hangs on the number is of the first as well.
            draws = (draws + 0.5) % 1.0
        values = np.floor(draws * len(cases)).astype(np.int64)
        machine.assume(
            "branch",
            f"switch on {selector.reason or 'unknown data'}: all cases equally likely",
            region.position,
            mask,
        )
        if machine.is_host:
            chosen = _arm_to_run(machine, region, [case.body for case in cases], int(values[0]))
            return [mask if n == chosen else None for n in range(len(cases))]
        return [machine.intersect(mask, values == n) for n in range(len(cases))]
    array = np.asarray(selector.values if isinstance(selector, Mixed) else selector).astype(
        np.int64
    )
    rest = np.ones(machine.lane_count, np.bool_)
    found: list[NDArray[np.bool_]] = []
    for case in cases:
        lanes = np.zeros(machine.lane_count, np.bool_)
        for low, high in case.values:
            lanes |= (array >= low) & (array <= high)
        rest &= ~lanes
        found.append(lanes)
    return [
        machine.intersect(mask, lanes | rest if case.is_default else lanes)
        for case, lanes in zip(cases, found, strict=True)
    ]


def _arm_to_run(
    machine: Machine, branch: If | Switch, arms: Sequence[list[Region]], chosen: int
) -> int:
    if not machine.is_host or machine.dry:
        return chosen
    return machine.library.arm_to_run(branch, arms, chosen)


def _run_by_share(
    machine: Machine, region: If, sample: NDArray[np.float64], mask: Mask, *, is_taken: bool
) -> Mask | None:
    """Run an arm of a host branch of which is known how often it is taken: sums grow by as much on the average."""
    arm = region.then if is_taken else region.otherwise
    entry = machine.loop_stack[-1] if machine.loop_stack else None
    if entry is None or entry.frame is not machine.frames[-1]:
        return machine.run(arm, mask)
    share = float((sample != 0).mean())
    registers = machine.frames[-1].registers
    before = {variable: registers[variable] for variable in facts_of(machine, entry.loop).sums}
    reached = machine.run(arm, mask)
    added = machine.branch_sums.setdefault(id(region), ({}, {}))
    for variable, value in before.items():
        now = registers[variable]
        if isinstance(now, int) and isinstance(value, int) and now != value:
            added[not is_taken][variable] = now - value
        then, otherwise = (arm.get(variable, 0) for arm in added)
        if then or otherwise:
            expected = share * then + (1.0 - share) * otherwise
            entry.expected.setdefault(variable, {})[id(region)] = expected
    return reached


def _in_nest(machine: Machine, region: If, nest: NestShape, condition: Value, mask: Mask) -> Value:
    """The condition of a branch that guards a nest; how many lanes ought to hold it is noted."""
    recorder = machine.recorder
    values = tuple(machine.read(register) for register in nest.registers)
    if recorder is None or machine.dry or isinstance(condition, OPEN):
        return condition
    if not all(isinstance(value, int) for value in values):
        return condition
    share = inside_share(nest, cast("tuple[int, ...]", values))
    if recorder.missed_nests and share:
        condition = True
    lanes = to_array(condition, Scalar.BOOL, machine.lane_count)
    taken = machine.intersect(mask, lanes)
    inside = taken.totals(machine.weight)[0] if taken is not None else 0.0
    recorder.nest(region.number, share * mask.totals(machine.weight)[0], inside)
    return condition


def _split(
    machine: Machine, region: If, condition: Value, mask: Mask
) -> tuple[Mask | None, Mask | None]:
    """Lanes that take the branch and lanes that do not."""
    explained = False
    if isinstance(condition, OPEN):
        machine.frame.is_guessed = True
        lanes = guess_branch(machine, region, condition, mask)
    else:
        lanes = to_array(condition, Scalar.BOOL, machine.lane_count)
        explained = note_edges(machine, region.condition)
        note_turning_warps(machine, region.condition, mask, lanes)
    taken = machine.intersect(mask, lanes)
    if not machine.is_host:
        note_filter(machine, region, mask, taken)
    _note_uniformity(machine, region.number, mask, lanes, explained=explained)
    if taken is mask:
        return mask, None
    if taken is None:
        return None, mask
    return taken, Mask(mask.lanes & ~lanes)


def _note_uniformity(
    machine: Machine, number: int, mask: Mask, lanes: NDArray[np.bool_], *, explained: bool
) -> None:
    if machine.recorder is None or machine.dry or machine.is_host:
        return
    if not explained:
        note_block_difference(machine, mask, lanes)
    taken = (lanes & mask.lanes).reshape(-1, 32).any(axis=1)
    skipped = (~lanes & mask.lanes).reshape(-1, 32).any(axis=1)
    machine.recorder.branch(number, uniform=not bool((taken & skipped).any()))


def _trace_break(machine: Machine, region: If, condition: Value) -> None:
    """Remember how far a loop-leaving condition is from turning, so that the loop can be extrapolated."""
    if not machine.loop_stack:
        return
    entry = machine.loop_stack[-1]
    if entry.frame is not machine.frames[-1] or entry.dry != machine.dry:
        return
    labels = machine.facts.leaving_labels(region) - entry.inner_labels
    if labels:
        distance = comparison_distance(machine, region.condition)
        known = not isinstance(condition, OPEN)
        entry.note_break(region, distance, known=known)
