"""Votes on data that nobody knows: which lanes of each warp are taken to vote for it, and which have the same number.

What follows such a vote hangs on which lanes these are: the first of them counts for all, and each takes the place that those
below it leave. They are drawn, so that all of it follows, and a later branch on the same condition takes the same ones.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.guesses.equalities import EQUAL, chance_of_equal
from roofstat.execution.guesses.even_draws import even_draws
from roofstat.execution.numbers.unknowns import drawn, value_bounds
from roofstat.execution.numbers.values import OPEN, Mixed, Unknown, to_array
from roofstat.hardware.units import WARP_SIZE
from roofstat.program.code import Op, writers_of
from roofstat.program.slices import backward_slice

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.execution.numbers.values import Value
    from roofstat.program.code import Code, If, Instruction

_SOURCES = frozenset({Op.LOAD, Op.ATOMIC, Op.SHUFFLE, Op.VOTE})
_EVEN = 0.5
_REMEMBERED = 16


def lanes_that_vote(machine: Machine, item: Instruction, mask: Mask) -> NDArray[np.bool_]:
    """The lanes that vote for what the operand of a ballot says."""
    register = item.args[0]
    asked = machine.read(register)
    unknown = asked.unknown if isinstance(asked, Mixed) else asked
    scalar = machine.frame.code.register_types[register]
    is_spread = isinstance(unknown, Unknown) and unknown.sample is not None
    value = drawn(asked, machine.lane_count) if is_spread else asked
    if not isinstance(value, OPEN):
        known = to_array(value, scalar, machine.lane_count).astype(np.bool_)
        if isinstance(unknown, Unknown):
            _remember(machine, unknown, known)
        return known
    unknown = value.unknown if isinstance(value, Mixed) else value
    lanes = machine.voted.get(unknown.key)
    if lanes is None:
        share = chance_of_equal(machine, register)
        share = _EVEN if share is None else share
        lanes = even_draws(machine, unknown, mask) < share
        if unknown.uniform and len(lanes) >= WARP_SIZE:
            lanes = np.repeat(lanes[::WARP_SIZE], WARP_SIZE)
        _remember(machine, unknown, lanes)
        machine.drawn_votes.add(item)
        machine.assume(
            "branch",
            f"vote on {unknown.reason or 'unknown data'}: each lane votes for it with probability {share:g}",
            item.position,
            mask,
        )
    return _where_known(value, lanes)


@lru_cache(maxsize=16)
def stored_votes(code: Code) -> frozenset[Instruction]:
    """Ballots whose word goes into whole numbers that are stored.

    What lies in memory then is near something that nobody looked at, such as the first place of a run: it is no number like
    others that are spread so, and stays unknown.
    """
    writers = writers_of(code)
    return frozenset(
        step
        for _, item in code.instructions()
        if item.op is Op.STORE and item.scalar.is_integer
        for step in backward_slice(writers, item.args[1], _computes)
        if step.op is Op.VOTE
    )


def _computes(item: Instruction) -> bool:
    return item.op not in _SOURCES


def lanes_that_voted(machine: Machine, region: If) -> NDArray[np.bool_] | None:
    """The lanes that take a branch on what they have voted on before; None for other branches."""
    if not machine.voted:
        return None
    register, is_negated = region.condition, False
    while True:
        value = machine.read(register)
        unknown = value.unknown if isinstance(value, Mixed) else value
        lanes = machine.voted.get(unknown.key) if isinstance(unknown, Unknown) else None
        if lanes is not None:
            return ~lanes if is_negated else lanes
        definition, is_odd = machine.facts.behind_negations(register)
        if definition is None or definition.dest == register:
            return None
        register, is_negated = definition.dest, is_negated ^ is_odd


def rests_on_drawn_lanes(machine: Machine, region: If) -> bool:
    """Whether a branch asks for the word of a vote whose lanes were drawn: which way it goes is as little known as they are."""
    if not machine.drawn_votes:
        return False
    known = machine.facts.votes_behind
    if region.number not in known:
        steps = backward_slice(machine.facts.writers, region.condition, _computes)
        known[region.number] = frozenset(step for step in steps if step.op is Op.VOTE)
    return not machine.drawn_votes.isdisjoint(known[region.number])


def same_numbers(machine: Machine, item: Instruction, mask: Mask) -> Value:
    """For each lane the word of those active lanes of its warp that have the same number.

    Of data that nobody knows two lanes have the same one as often as other comparisons find, unless less is known of their range.
    """
    lanes = machine.lane_count
    asked = machine.read(item.args[0])
    value = drawn(asked, lanes)
    scalar = machine.frame.code.register_types[item.args[0]]
    if isinstance(value, OPEN):
        unknown = value.unknown if isinstance(value, Mixed) else value
        bounds = None if unknown.is_type_range else value_bounds(unknown)
        kinds = 1.0 / EQUAL if bounds is None else bounds[1] - bounds[0] + 1.0
        numbers = np.floor(machine.draws(unknown) * kinds)
        if unknown.uniform:
            numbers = np.repeat(numbers[::WARP_SIZE], WARP_SIZE)
        if isinstance(value, Mixed):
            numbers = np.where(value.known, value.values, -1.0 - numbers)
        machine.drawn_votes.add(item)
        machine.assume(
            "branch",
            f"lanes with the same {unknown.reason or 'unknown data'}: one of {kinds:g} numbers each",
            item.position,
            mask,
        )
    else:
        numbers = to_array(value, scalar, lanes)
    by_warp = numbers.reshape(-1, WARP_SIZE)
    alike = by_warp[:, :, None] == by_warp[:, None, :]
    alike &= mask.lanes.reshape(-1, 1, WARP_SIZE)
    words: NDArray[np.uint32] = (alike @ (1 << np.arange(WARP_SIZE))).astype(np.uint32).ravel()
    return words


def _remember(machine: Machine, unknown: Unknown, lanes: NDArray[np.bool_]) -> None:
    if len(machine.voted) >= _REMEMBERED:
        del machine.voted[next(iter(machine.voted))]
    machine.voted[unknown.key] = lanes


def _where_known(value: Unknown | Mixed, lanes: NDArray[np.bool_]) -> NDArray[np.bool_]:
    if isinstance(value, Mixed):
        return np.where(value.known, value.values.astype(np.bool_), lanes)
    return lanes
