"""How often a compiler, and the assembler after it, copies a loop's body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roofstat.instructions.loop_facts import Induction, LoopFacts
    from roofstat.instructions.parameters import UnrollPolicy
    from roofstat.program.code import Loop


@dataclass(frozen=True, slots=True, kw_only=True)
class UnrollDecision:
    """How a loop is emitted."""

    full: bool
    copies: int
    """Copies of the body in the main loop; the trip count where `full`."""
    repeats: int = 1
    """How often the assembler copied what the compiler had copied."""

    @property
    def batch(self) -> int:
        """Copies whose loads the compiler moves to the front of them all; the assembler's repeats follow one another."""
        return self.copies // self.repeats


ROLLED = UnrollDecision(full=False, copies=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What a trial walk of one copy of the body found."""

    size: float
    """Operations in it as the compiler counts them, its counter and test included, addresses apart."""
    machine_size: float
    """Machine instructions in it, with the same exceptions."""
    addresses: int
    """Address computations in it."""
    gathers: int
    """Those that every copy has for itself, as no pointer advances to them."""
    loads: int
    starts_anywhere: bool
    """Whether a counter starts at a value that is not constant."""
    start_varies: bool
    """Whether it starts at another value each time that a loop around it gets here."""
    has_word_index: bool
    """Whether an address is computed from a 32-bit counter in every iteration (no pointer advances)."""
    has_inner_loop: bool
    """Whether a loop is left inside it."""


def decide(
    loop: Loop,
    facts: LoopFacts,
    trial: Trial,
    *,
    trips: int | None,
    counter: Induction | None,
    policy: UnrollPolicy,
) -> UnrollDecision:
    """What the compiler does with a loop, by its trip count where that is known, else by its counter."""
    if trips is not None:
        return _known_trips(loop, facts, trial, trips, policy)
    if counter is None or facts.has_exit or facts.has_call:
        return ROLLED
    if loop.unroll is not None and loop.unroll >= 1:
        return UnrollDecision(full=False, copies=loop.unroll)
    return _runtime(loop, facts, trial, counter, policy)


def _runtime(
    loop: Loop, facts: LoopFacts, trial: Trial, counter: Induction, policy: UnrollPolicy
) -> UnrollDecision:
    """A trip count that only the run knows: a main loop of several copies and a remainder."""
    barrier = facts.has_barrier and not policy.copies_barriers
    if trial.has_inner_loop or barrier or not _is_countable(counter, trial, policy):
        return ROLLED
    copies = repeats = 1
    strided = trial.starts_anywhere and abs(counter.step or 0) != 1
    # A division for each entry is too much where a loop around this one holds it.
    countable = counter.step is not None or (
        policy.unrolls_runtime_steps and not trial.start_varies
    )
    if countable and not facts.has_inner_loop and not (strided and policy.needs_plain_trip_count):
        copies = policy.runtime_copies
        body = trial.size + trial.addresses * policy.address_size - policy.size_offset
        while copies > 1 and body * copies > policy.copies_size:
            copies //= 2
    may_repeat = (
        (copies == 1 or policy.assembler_repeats)
        and not (trial.has_word_index and policy.assembler_needs_pointers)
        and not counter.is_wide
        and not counter.wraps
        and not (counter.may_pass and policy.unrolls_wrapping_counters)
        and counter.step is not None
        and loop.unroll is None
    )
    size = _machine_size(trial, copies)
    # The assembler copies to overlap loads; long chains of arithmetic without them it leaves.
    worth = size <= _SMALL_LOOP or trial.loads * copies >= _LEAST_LOADS * size
    if may_repeat and worth and size <= policy.assembler_size:
        repeats = policy.assembler_copies
    return UnrollDecision(full=False, copies=copies * repeats, repeats=repeats)


def _is_countable(counter: Induction, trial: Trial, policy: UnrollPolicy) -> bool:
    """Whether the compiler finds an expression for the trip count."""
    if counter.wraps and (counter.step is None or not policy.unrolls_wrapping_counters):
        return False
    if counter.may_pass and counter.step is None and policy.unrolls_wrapping_counters:
        return False
    # What is widened for the comparison only may wrap around in between, unless it counts up from a constant.
    return not counter.is_widened or (counter.is_signed and not trial.starts_anywhere)


def _machine_size(trial: Trial, copies: int) -> float:
    """Instructions of the loop as the assembler finds it: counter, test and pointers once for all copies."""
    body = max(trial.machine_size - _COUNTER_SIZE, 1.0) + trial.gathers
    return body * copies + 2.0 * (trial.addresses - trial.gathers) + _LOOP_OVERHEAD


_SMALL_LOOP = 12.0
_LEAST_LOADS = 0.1
_COUNTER_SIZE = 2.0
"""Increment and test of the counter, which unrolling removes."""
_LOOP_OVERHEAD = 3.0
"""Counter, test and branch."""


def _known_trips(
    loop: Loop, facts: LoopFacts, trial: Trial, trips: int, policy: UnrollPolicy
) -> UnrollDecision:
    body = max(trial.size - _COUNTER_SIZE + trial.addresses * policy.known_address_size, 1.0)
    if trips <= 1:
        return UnrollDecision(full=True, copies=trips)
    if loop.unroll is not None:
        if loop.unroll == 1:
            return ROLLED
        if loop.unroll == 0 or loop.unroll >= trips:
            if trips * body <= policy.pragma_size:
                return UnrollDecision(full=True, copies=trips)
        else:
            return UnrollDecision(full=False, copies=loop.unroll)
    limit = policy.full_size
    if trips <= _ANALYSED_TRIPS:
        limit *= policy.few_trips_boost
    if trips * body <= limit and trips <= policy.full_trips:
        return UnrollDecision(full=True, copies=trips)
    if facts.has_call or facts.has_exit or trial.has_inner_loop:
        return ROLLED
    copies = _dividing_copies(trips, body, policy)
    again = copies * policy.assembler_copies
    small = _machine_size(trial, copies) <= policy.assembler_known_size
    if small and trips % again == 0 and again <= _MOST_KNOWN_COPIES:
        return UnrollDecision(full=False, copies=again, repeats=policy.assembler_copies)
    return UnrollDecision(full=False, copies=copies)


_MOST_KNOWN_COPIES = 40
_ANALYSED_TRIPS = 10
"""Up to this trip count LLVM simulates the unrolled body and lets savings raise the threshold."""


def _dividing_copies(trips: int, body: float, policy: UnrollPolicy) -> int:
    """The largest count that divides the trips and keeps the body within the size for partial unrolling."""
    best = 1
    for copies in range(2, int(policy.copies_size / body) + 1):
        if trips % copies == 0:
            best = copies
    return best
