"""How often a compiler, and the assembler after it, copies a loop's body."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.instructions.integers.widths import WIDE
from roofstat.instructions.loops.sizes import ACCESS_WEIGHT, IN_LOOP_WEIGHT
from roofstat.program.code import AtomicAccess, Op

if TYPE_CHECKING:
    from roofstat.instructions.loops.live_pointers import LivePointers
    from roofstat.instructions.loops.loop_facts import Induction, LoopFacts
    from roofstat.instructions.tables.parameters import UnrollPolicy
    from roofstat.program.code import Instruction, Loop


@dataclass(frozen=True, slots=True, kw_only=True)
class UnrollDecision:
    """How a loop is emitted."""

    full: bool
    copies: int
    """Copies of the body in the main loop; the trip count where `full`."""
    repeats: int = 1
    """How often the assembler copied what the compiler had copied."""
    stays_rolled: bool = False
    """Whether it has a known trip count and is surely too long to unroll, or is told not to be."""
    size: float | None = None
    """What it adds to the size of a loop around it, where that is not what its copies come to."""
    keeps_indices: bool = False
    """Whether no pointer advances in it: each round computes its indices anew."""

    keeps_falling: bool = False
    """Whether each copy makes the addresses anew of what a falling counter indexes."""

    @property
    def shares_indices(self) -> bool:
        """Whether the compiler's copies have one index for all where no pointer advances by a constant."""
        return self.keeps_indices and self.batch >= _CHAIN

    @property
    def batch(self) -> int:
        """Copies whose loads the compiler moves to the front of them all; the assembler's repeats follow one another."""
        return self.copies // self.repeats


ROLLED = UnrollDecision(full=False, copies=1)

COUNTER_SIZE = 2.0
"""Increment and test of the counter, which unrolling removes."""


@dataclass(slots=True)
class BodyCounts:
    """What a trial walk of one copy of a body counts."""

    size: float = 0.0
    """Operations in it as the compiler counts them, its counter and test included, addresses and branches apart."""
    functions: float = 0.0
    """Of those, the ones of library functions and divisions."""
    addresses: float = 0.0
    """Address computations in it."""
    casts: float = 0.0
    """Conversions in it, those of word indices to 64 bits included."""
    gathers: int = 0
    """Those that every copy has for itself, as no pointer advances to them."""
    loads: int = 0
    weight: float = 0.0
    """What the assembler weighs when it decides whether to copy the loop, its counter and test included."""
    left_weight: float = 0.0
    """The same without the indices that pointers replace."""
    loop_weight: float = 0.0
    """The same as nvcc's assembler weighs a loop of unknown length."""
    indexed_loads: int = 0
    """Loads at places that change with the iterations of the loop."""
    shared_loads: int = 0
    """Of the loads, the ones from shared memory."""
    shared_accesses: int = 0
    """Of those, the ones that are no further member of a vector."""
    vectors: int = 0
    """Of those, the ones that the assembler may make one access of with those of other copies."""
    doubles: int = 0
    """Operations in double precision."""
    calls: int = 0
    """What may call a subroutine."""
    bytes: int = 0
    """Accesses to single bytes."""
    foldable: float = 0.0
    """Operations in it as the compiler counts them that depend on its counters and constants alone."""
    leaves_counter: bool = False
    """Whether pointers that advance are all that takes its counter, so that the compiler may test one of their offsets instead."""
    has_copies: bool = False
    """Whether it holds a loop of unknown trip count that is copied."""
    members: int = 0
    """Accesses to further members of a vector, which the first one brings along."""
    places: int = 0
    """Operations of its accesses at constants behind an address (`constant_places`)."""
    is_local: bool = False
    """Whether its counter is in the index of a private array."""
    further_size: float = 0.0
    """Indices and addresses of accesses that share the address of another one but for a constant."""
    chosen_loads: int = 0
    """Choices that hold a load, which are branches until loops are copied."""
    known_elements: int = 0
    """Of those the loads from constant arrays, whose addresses go with them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What a trial walk of one copy of the body found."""

    counts: BodyCounts
    branches: int
    """Branches inside it."""
    jumps: int
    """Jumps inside it: those, and one at the end of each of their arms."""
    hoisted_size: float
    """What its iterations compute alike, as the compiler counts it before it moves that out of the loop."""
    repeated_size: float
    """What addresses in copies of loops inside that vanished add to its size, which constants take away where it vanishes too."""
    starts_anywhere: bool
    """Whether a counter starts at a value that is not constant."""
    start_varies: bool
    """Whether it starts at another value each time that a loop around it gets here."""
    has_costly_count: bool
    """Whether the compiler finds its trip count too costly to compute (`trip_counts`)."""
    has_word_index: bool
    """Whether an address is computed from a 32-bit counter in every iteration (no pointer advances)."""
    has_inner_loop: bool
    """Whether a loop is left inside it."""
    most_trips: int | None
    """The most that it runs, where it stands outside of others and a constant in its bound says so."""
    keeps_falling: bool
    """Whether no pointer advances to what a counter that falls to a constant indexes."""
    counts_down: bool
    """Whether the compiler turns its counter into one that runs below zero, which the assembler does not count."""
    live: LivePointers
    """What is alive in it beside its pointers."""


def decide(
    loop: Loop,
    facts: LoopFacts,
    trial: Trial,
    *,
    trips: int | None,
    most: int | None,
    counter: Induction | None,
    policy: UnrollPolicy,
    has_tests_last: bool,
    tidies_jumps: bool,
    is_turned_again: bool,
) -> UnrollDecision:
    """What the compiler does with a loop, by its trip count where that is known, else by its counter.

    Args:
        loop: The loop.
        facts: Of it.
        trial: What one copy of its body comes to.
        trips: Its trip count where that is known.
        most: The most that it can be where counters of loops around it decide.
        counter: What it counts with.
        policy: The compiler's.
        has_tests_last: Whether all loops of the function end with their test.
        tidies_jumps: Whether the assembler tidies the jumps of the function.
        is_turned_again: Whether LLVM lets it end with its test as it begins with a loop that vanished (`turned_loops`).
    """
    if trips is not None:
        decision = _known_trips(loop, facts, trial, trips, policy, tidies_jumps=tidies_jumps)
        keeps_indices = _keeps_indices(trial, decision, policy, is_known=True)
        return replace(decision, keeps_indices=keeps_indices)
    counts = replace(trial.counts, size=trial.counts.size + trial.repeated_size)
    trial = replace(trial, counts=counts)
    decision = _unknown_trips(
        loop,
        facts,
        trial,
        counter=counter,
        policy=policy,
        has_tests_last=has_tests_last or is_turned_again,
    )
    keeps_indices = _keeps_indices(trial, decision, policy, is_known=False)
    decision = replace(decision, keeps_indices=keeps_indices, keeps_falling=trial.keeps_falling)
    if not policy.copies_setup_size or loop.unroll is not None:
        return decision
    return replace(decision, size=_size_inside(trial, most, decision.batch, policy))


def _keeps_indices(
    trial: Trial, decision: UnrollDecision, policy: UnrollPolicy, *, is_known: bool
) -> bool:
    """Whether nvcc lets no pointer advance in a loop: one around another, of two copies of unknown number, or a long one.

    LLVM's reduction of strength takes innermost loops alone. Two copies it takes where they are light, as under a pragma
    (46 to 58 operations have pointers, 52 to 74 none), or carry little in short chains, which is not modelled, and one or three up to a
    size, unless all they do is short chains. PTX of nvcc 13.0: 500 own loops.
    """
    if not policy.advancing_size or decision.full:
        return False
    if trial.has_inner_loop:
        return True
    size = _other_size(trial, policy) + trial.counts.addresses * policy.address_size
    if decision.batch == _PAIR and not is_known:
        return _PAIR * (size - trial.counts.functions) > _LIGHT_PAIR
    if decision.batch >= _CHAIN and not decision.batch & (decision.batch - 1) and not is_known:
        return trial.live.values(decision.batch) >= policy.live_values
    # Branches part what is too long in one piece.
    longest = policy.advancing_size * (1 + trial.branches)
    return decision.batch < _CHAIN and decision.batch * size > longest


_PAIR = 2
_CHAIN = 4
"""Of so many copies each makes its address from the last one's, whatever their size."""
_LIGHT_PAIR = 60.0
"""Operations of two copies up to which pointers advance in them; library functions and divisions, which part the chains, are none."""


def _size_inside(trial: Trial, most: int | None, copies: int, policy: UnrollPolicy) -> float | None:
    """What a loop of unknown trip count adds to the size of one around it that may vanish; None for what it holds.

    One that indexes a private array is unrolled to the most that it may run, with a way out of each copy; from a constant start a few
    iterations are nothing, and many only with a plain body. Else it is copied first, and what is left over has a copy for each of its
    iterations. Read off PTX of nvcc 13.0: triangular nests and loops around loops over `n`.
    """
    body = _iteration_size(trial)
    if trial.counts.is_local and most is not None and not trial.branches:
        size = most * (body + _WAY_OUT)
        if not trial.starts_anywhere and most <= _FEW_TRIPS:
            return 0.0
        is_plain = trial.starts_anywhere or not trial.has_inner_loop
        if is_plain and size <= policy.local_full_size:
            return size
    if copies == 1:
        return None
    return body * (2 * copies - 1) + policy.copies_setup_size


_FEW_TRIPS = 9
_WAY_OUT = 2.0
"""A comparison and a jump."""


def _unknown_trips(
    loop: Loop,
    facts: LoopFacts,
    trial: Trial,
    *,
    counter: Induction | None,
    policy: UnrollPolicy,
    has_tests_last: bool,
) -> UnrollDecision:
    if counter is None or facts.has_exit or facts.has_call:
        return ROLLED
    if loop.unroll is not None and loop.unroll >= 1:
        return UnrollDecision(full=False, copies=loop.unroll)
    return _runtime(loop, facts, trial, counter, policy, has_tests_last=has_tests_last)


def _runtime(
    loop: Loop,
    facts: LoopFacts,
    trial: Trial,
    counter: Induction,
    policy: UnrollPolicy,
    *,
    has_tests_last: bool,
) -> UnrollDecision:
    """A trip count that only the run knows: a main loop of several copies and a remainder."""
    barrier = facts.has_barrier and not policy.copies_barriers
    if trial.has_inner_loop or barrier or not _is_countable(counter, trial, policy):
        return ROLLED
    copies = repeats = 1
    strided = trial.starts_anywhere and abs(counter.step or 0) != 1
    # A division for each entry is too much where a loop around this one holds it, or where atomics keep it from moving out.
    countable = counter.step is not None or (
        policy.unrolls_runtime_steps
        and not trial.start_varies
        and not any(item.op is Op.ATOMIC for item in facts.instructions)
    )
    is_plain = not (strided or trial.has_costly_count)
    is_short = trial.most_trips is not None and trial.most_trips <= policy.few_trips
    if countable and not is_short and (is_plain or not policy.needs_plain_trip_count):
        copies = policy.runtime_copies
        if facts.has_inner_loop and policy.indexed_load_size:
            body = _size_around(trial, policy)
        else:
            body = _other_size(trial, policy) + trial.counts.addresses * policy.address_size
            body += trial.branches * policy.branch_size
        body += trial.counts.further_size + trial.counts.chosen_loads * policy.branch_size
        body -= policy.size_offset
        while copies > 1 and body * copies > policy.runtime_copies_size:
            copies //= 2
    if policy.assembler_weighs:
        has_arms = trial.branches > 0
        ends_with_test = has_tests_last or has_arms or _ends_with_test(loop, trial, counter, copies)
        if ends_with_test and _is_repeated(loop, facts, trial, counter, copies):
            repeats = policy.assembler_copies
        return UnrollDecision(full=False, copies=copies * repeats, repeats=repeats)
    may_repeat = (
        not (trial.has_word_index and policy.assembler_needs_pointers)
        # A long counter from a constant has a count of its own, in pairs of words; another one tests the counter.
        and (trial.starts_anywhere or not counter.is_wide)
        and not counter.wraps
        and not (counter.may_pass and policy.unrolls_wrapping_counters)
        and counter.step is not None
        and loop.unroll is None
        and not any(map(_keeps_rounds, facts.instructions))
    )
    weight = trial.counts.loop_weight - COUNTER_SIZE + trial.branches * _BRANCH_WEIGHT
    weight = max(weight, 1.0) * copies
    # The assembler copies to overlap loads; long chains of arithmetic without them it leaves, and those that barriers part.
    parted = trial.counts.shared_loads if facts.has_barrier else 0
    worth = weight <= _SMALL_LOOP or trial.counts.loads > parted
    limit = policy.assembler_size
    counts = trial.counts
    is_uncertain = facts.has_inner_loop or counts.bytes or counts.loads > counts.shared_loads
    if counts.shared_accesses and not is_uncertain:
        limit = _shared_limit(counts.shared_accesses * copies)
        weight -= _FURTHER_IN_LOOP * counts.shared_accesses * copies
    if may_repeat and worth and weight <= limit:
        repeats = policy.assembler_copies
    return UnrollDecision(full=False, copies=copies * repeats, repeats=repeats)


def _keeps_rounds(instruction: Instruction) -> bool:
    """Whether nvcc's assembler leaves a loop alone that holds an instruction: matrix units, atomics that compute.

    Sums and extrema of words, floats and doubles do so in shared and in global memory, exchanges and sums of long integers do not
    (nvcc 13.0, sm_90).
    """
    if instruction.op is Op.TENSOR:
        return True
    detail = instruction.detail
    is_exchange = isinstance(detail, AtomicAccess) and detail.name == "exch"
    return instruction.op is Op.ATOMIC and instruction.scalar not in WIDE and not is_exchange


def _other_size(trial: Trial, policy: UnrollPolicy) -> float:
    """Size of everything but addresses."""
    return (
        trial.counts.size + trial.counts.casts * policy.cast_size + trial.jumps * policy.jump_size
    )


def _size_around(trial: Trial, policy: UnrollPolicy) -> float:
    """Size of a body of loops that vanished, of which nvcc has moved nothing out yet.

    PTX of nvcc 13.0: sums and products of rows and scans in shared memory, of loops of 2 to 1,024 iterations.
    """
    indexed = policy.indexed_load_size * trial.counts.indexed_loads
    return _other_size(trial, policy) + trial.hoisted_size + indexed + trial.branches


def _is_countable(counter: Induction, trial: Trial, policy: UnrollPolicy) -> bool:
    """Whether the compiler finds an expression for the trip count."""
    if counter.wraps and (counter.step is None or not policy.unrolls_wrapping_counters):
        return False
    if counter.may_pass and counter.step is None and policy.unrolls_wrapping_counters:
        return False
    # What is widened for the comparison only may wrap around in between, unless it counts up from a constant.
    return not counter.is_widened or (counter.is_signed and not trial.starts_anywhere)


def _ends_with_test(loop: Loop, trial: Trial, counter: Induction, copies: int) -> bool:
    """Whether the last instruction of a loop jumps back under a condition.

    LLVM turns the test of a counter that goes up by one into `if it is at its end, leave` and keeps other tests. It
    negates that where what follows stands right behind the body; else an unconditional jump back comes after it. The
    assembler copies such loops only inside others.
    """
    if not loop.leaves_backwards or counter.step is None or counter.step < 0:
        return True
    return copies == 1 and (counter.step != 1 or (trial.has_costly_count and trial.starts_anywhere))


def _is_repeated(
    loop: Loop, facts: LoopFacts, trial: Trial, counter: Induction, copies: int
) -> bool:
    """Whether the assembler copies a loop that ends with its test.

    It does so to overlap loads, which leaves room for more than arithmetic alone.
    """
    if counter.is_wide or counter.step is None or loop.unroll is not None:
        return False
    advances_down = counter.step < 0 and trial.counts.addresses > trial.counts.gathers
    counts_down = trial.counts_down and not facts.has_inner_loop
    if copies > 1 and (counts_down or advances_down):
        return False
    if trial.branches > 1 or (trial.counts.bytes and (copies > 1 or trial.branches)):
        return False
    if trial.counts.calls or any(i.op in _NOT_REPEATED for i in facts.instructions):
        return False
    if trial.counts.doubles * copies > _MOST_DOUBLES:
        return False
    limit = _ARITHMETIC_WEIGHT
    if trial.counts.shared_loads:
        limit = _shared_limit(trial.counts.shared_loads * copies)
    if trial.counts.loads > trial.counts.shared_loads:
        limit = _MOST_WEIGHT
    merged = trial.counts.vectors * (copies - -(-copies // _VECTOR))
    weight = (trial.counts.weight - COUNTER_SIZE) * copies - ACCESS_WEIGHT * merged
    return weight <= limit


def _shared_limit(loads: int) -> float:
    """Heaviest loop that the assembler copies of those that load from shared memory alone."""
    return min(_SHARED_WEIGHT + _ROOM_OF_SHARED_LOAD * loads, _MOST_SHARED_WEIGHT)


_NOT_REPEATED = frozenset({Op.ATOMIC, Op.SHUFFLE, Op.VOTE, Op.ASM, Op.TENSOR})
_MOST_DOUBLES = 16
_ARITHMETIC_WEIGHT = 18.0
"""Heaviest loop without loads."""
_MOST_WEIGHT = 45.0
"""Heaviest loop with a load from global memory."""
_SHARED_WEIGHT = 16.0
_ROOM_OF_SHARED_LOAD = 5.0
_MOST_SHARED_WEIGHT = 92.0
"""Heaviest loop with loads from shared memory alone: the first, and the second for each of them, up to the third.

Bodies of growing length with one to 24 such loads in one, two and four copies: clang 18.1.6, sm_86; with one to eight: nvcc 13.0, sm_90.
"""
_VECTOR = 4
"""Words that one load from shared memory brings."""


_FURTHER_IN_LOOP = IN_LOOP_WEIGHT - ACCESS_WEIGHT
"""What an access weighs more in a loop of unknown length, but for those to shared memory."""
_BRANCH_WEIGHT = 1.2
"""Of a branch for nvcc's assembler, its condition apart."""
_SMALL_LOOP = 19.6
"""Heaviest loop without loads that nvcc's assembler copies: of zero to three stores and growing arithmetic 19.2 is, 20 not."""
_LOOP_OVERHEAD = 3.0
"""Counter, test and branch."""


def _known_trips(
    loop: Loop,
    facts: LoopFacts,
    trial: Trial,
    trips: int,
    policy: UnrollPolicy,
    *,
    tidies_jumps: bool,
) -> UnrollDecision:
    body = _other_size(trial, policy) + trial.counts.addresses * policy.known_address_size
    body += trial.branches * policy.branch_size
    body = max(body - policy.known_size_offset, 1.0)
    if trips <= 1:
        return UnrollDecision(full=True, copies=trips)
    if loop.unroll is not None:
        if loop.unroll == 1:
            return replace(ROLLED, stays_rolled=True)
        if loop.unroll == 0 or loop.unroll >= trips:
            if trips * body <= policy.pragma_size:
                return UnrollDecision(full=True, copies=trips)
        else:
            return UnrollDecision(full=False, copies=loop.unroll, stays_rolled=True)
    is_few = trips <= policy.full_trips or trial.counts.is_local
    is_plain = policy.plain_full_size > 0.0 and _is_plain(trial)
    vanishes = (
        _fits_plain(trips, trial, policy, is_around=facts.has_inner_loop)
        if is_plain
        else _fits_unrolled(trips, body, trial, policy)
    )
    if is_few and vanishes:
        return UnrollDecision(full=True, copies=trips)
    surely = policy.surely_rolled
    if trial.branches:
        surely = max(surely, _SURELY_ROLLED_BRANCHES)
    stays_rolled = trips * body > surely * policy.full_size
    if facts.has_call or facts.has_exit or trial.has_inner_loop:
        return replace(ROLLED, stays_rolled=stays_rolled)
    if not policy.doubles_known_copies:
        copies = _dividing_copies(trips, body, policy)
        decision = UnrollDecision(full=False, copies=copies, stays_rolled=stays_rolled)
        if not (tidies_jumps or trips % copies or not loop.leaves_backwards):
            return decision
        return _repeated(decision, facts, trial, trips)
    # Offsets of copies are free only where the loop vanishes.
    addresses = trial.counts.addresses * (policy.address_size - policy.known_address_size)
    if is_plain:
        body = _size_of_nest(trial) if facts.has_inner_loop else _copied_size(trial)
    else:
        body += addresses
    copies = _doubled_copies(trips, body, policy, is_plain=is_plain)
    weight = _known_weight(trial, copies)
    rounds = trips // copies
    if is_plain and trips / copies * weight < _vanishing_weight(weight):
        return UnrollDecision(full=True, copies=trips, repeats=rounds)
    body_limit, limit = _OF_PLAIN if is_plain else _OF_OTHERS
    repeats = 1 if weight > body_limit else _known_repeats(rounds, weight, limit)
    return UnrollDecision(
        full=False, copies=copies * repeats, repeats=repeats, stays_rolled=stays_rolled
    )


def _iteration_size(trial: Trial) -> float:
    """Operations of nvcc for each iteration of a loop that vanishes, each address and conversion being one."""
    counts = trial.counts
    return max(counts.size + counts.casts + counts.addresses - 1.0, 1.0)


def _is_plain(trial: Trial) -> bool:
    """Whether the sizes of a body's operations are known one by one: arithmetic and accesses in one piece, nothing from constant tables."""
    counts = trial.counts
    is_simple = not (counts.functions or counts.known_elements or counts.is_local)
    return is_simple and not (trial.branches or trial.has_inner_loop)


def _fits_plain(trips: int, trial: Trial, policy: UnrollPolicy, *, is_around: bool) -> bool:
    """Whether nvcc itself unrolls a plain loop fully, at once or, of few rounds of its copies, in a second turn.

    PTX of nvcc 13.0: sums of one to four products of words and vectors with 6 to 66 iterations, 350 loops that store.
    """
    if is_around:
        return _fits_around(trips, trial, policy)
    size = trips * (_iteration_size(trial) + trial.counts.places - trial.counts.members)
    if size + COUNTER_SIZE <= policy.plain_full_size:
        return True
    rounds, left = divmod(trips, _doubled_copies(trips, _copied_size(trial), policy, is_plain=True))
    return not left and rounds <= _FEW_ROUNDS and size <= policy.plain_rounds_size


def _fits_around(trips: int, trial: Trial, policy: UnrollPolicy) -> bool:
    """The same of a loop around loops that vanished: what its counter folds in up to ten iterations is left out, and raises the limit.

    PTX of nvcc 13.0: 760 nests of two loops over rows, tiles, weights and strides of the run, of which 744 agree.
    """
    counts = trial.counts
    size = _size_of_nest(trial)
    if trips * size + COUNTER_SIZE <= policy.plain_nest_size:
        return True
    if trips <= policy.analysed_trips:
        left = max(size - counts.foldable - 1.0, 1.0)
        limit = policy.plain_nest_size * min(size / left, _MOST_RAISED)
        return trips * left + COUNTER_SIZE <= limit
    rounds, rest = divmod(trips, _doubled_copies(trips, size, policy, is_plain=True))
    is_few = not rest and rounds <= _FEW_ROUNDS
    return is_few and trips * size <= policy.nest_rounds_size


def _size_of_nest(trial: Trial) -> float:
    """Operations of an iteration around loops that vanished: their indices are in it, each access has an address."""
    counts = trial.counts
    return counts.size + counts.addresses + _OF_PLACE * counts.places - counts.members


_OF_PLACE = 0.5
"""An address, of the two operations of a further place: the sum is there already."""
_FEW_ROUNDS = 9


def _copied_size(trial: Trial) -> float:
    """Operations of an iteration when nvcc copies some: each access has an address, and further members of vectors weigh something by then.

    A quarter to two thirds fit PTX of nvcc 13.0 (products of vectors, one to eight loads).
    """
    counts = trial.counts
    return _iteration_size(trial) + counts.places - _IN_VECTOR * counts.members


_IN_VECTOR = 0.5


def _vanishing_weight(weight: float) -> float:
    """What rounds weigh together that the assembler of nvcc unrolls fully, by the weight of one.

    SASS of nvcc 13.0 (sm_90): 16 in 61 rounds, 20 in 43, 32 in 18, 40 in 12, 52 in 9, 58 in 7, 64 in 6 and 92 in 4 vanish; 67, 47, 20, 13,
    10, 8, 7 and 5 do not.
    """
    shortness: float = max(_LONG_ROUND / weight, 1.0) ** _OF_SHORT_ROUNDS
    return min(_HEAVIEST_ROUNDS * shortness, _MOST_OF_ROUNDS)


_HEAVIEST_ROUNDS = 398.0
_LONG_ROUND = 64.0
_OF_SHORT_ROUNDS = 0.8
_MOST_OF_ROUNDS = 1000.0


def _fits_unrolled(trips: int, body: float, trial: Trial, policy: UnrollPolicy) -> bool:
    if policy.copies_setup_size and not trial.branches:
        size = trips * _iteration_size(trial) + COUNTER_SIZE
        if trial.counts.is_local:
            return size <= policy.local_full_size
        if trial.counts.has_copies:
            return size <= policy.nest_full_size
    if trips * body + COUNTER_SIZE <= policy.full_size:
        return True
    if trips > policy.analysed_trips or trial.has_inner_loop:
        return False
    # What constants make of the copies saves work, the counter and the jump back included, and as much as it saves of a
    # rolled loop the limit rises.
    folded = trial.counts.foldable + trial.counts.known_elements * policy.known_address_size
    left = max(body + COUNTER_SIZE - folded - _LOOP_OVERHEAD, 1.0)
    return trips * left <= policy.full_size * min((body + COUNTER_SIZE) / left, _MOST_RAISED)


def _repeated(
    decision: UnrollDecision, facts: LoopFacts, trial: Trial, trips: int
) -> UnrollDecision:
    """What the assembler makes of a loop of known trip count that the compiler left.

    It has to end with its test, or one of the copies with an exit. SASS of clang 18.1.6 and ptxas 12.6 (sm_86): loops of 9 to 100
    iterations with one to five loads and 3 to 28 multiply-adds. Where LLVM tests the offset of a pointer, cut to a word, the
    assembler does not know the trip count.
    """
    has_pointers = trial.counts.addresses > trial.counts.gathers
    if has_pointers and trial.counts.leaves_counter:
        return decision
    if trial.branches or any(i.op in _NOT_REPEATED for i in facts.instructions):
        return decision
    copies = decision.copies
    weight = max(trial.counts.weight - COUNTER_SIZE, 1.0) * copies
    if weight * trips / copies <= _HEAVIEST_VANISHING:
        return UnrollDecision(full=True, copies=trips, repeats=trips)
    repeats = _known_repeats(trips // copies, weight, _HEAVIEST_REPEATED)
    return replace(decision, copies=copies * repeats, repeats=repeats)


_HEAVIEST_VANISHING = 530.0
"""What the copies of a loop weigh that the assembler unrolls fully."""
_HEAVIEST_REPEATED = 350.0
"""What the copies of others weigh, those in front of the loop included."""
_MOST_RAISED = 4.0
"""LLVM's `unroll-max-percent-threshold-boost`, which is 400."""
_SURELY_ROLLED_BRANCHES = 3.0
"""Times the size that is unrolled from which on a loop with branches is surely rolled: conditions that it does not change leave it, exchanges shrink."""
_OF_OTHERS = (50.0, 345.0)
"""Heaviest body of known trip count that nvcc's assembler copies, and what the copies and those left over weigh."""
_OF_PLAIN = (73.0, 355.0)
"""The same where weights are known: 72 is copied, 74 not; 350 in copies of 70, 360 in those of 72 not (one to 24 accesses, 14 to 80 multiply-adds, sm_90)."""


def _known_weight(trial: Trial, copies: int) -> float:
    """What the assembler weighs of a loop whose trip count it knows, counter and test apart."""
    return max(trial.counts.left_weight - COUNTER_SIZE, 1.0) * copies


def _known_repeats(rounds: int, weight: float, heaviest: float) -> int:
    """How often the assembler copies a loop whose trip count it knows.

    As often as the copies and what they leave over, which goes in front of the loop, stay within a weight. SASS of
    nvcc 13.0 (sm_90): 58 of 65 loops with 154 to 2048 iterations.
    """
    for repeats in range(min(int(heaviest / weight), rounds - 1), 1, -1):
        if (repeats + rounds % repeats) * weight <= heaviest:
            return repeats
    return 1


def _doubled_copies(trips: int, body: float, policy: UnrollPolicy, *, is_plain: bool) -> int:
    """The largest power of two that divides the trips and keeps the body within the size; where they are odd, four, or two of a plain body.

    The copies of an odd trip count have one more exit among them.
    """
    most = int(policy.copies_size / body)
    if trips % 2:
        if most >= policy.runtime_copies:
            return policy.runtime_copies
        return _PAIR if is_plain and most >= _PAIR else 1
    copies = 1
    while copies * 2 <= most and trips % (copies * 2) == 0:
        copies *= 2
    return copies


def _dividing_copies(trips: int, body: float, policy: UnrollPolicy) -> int:
    """The largest count that divides the trips and keeps the body within the size for partial unrolling.

    Where there is none, a power of two, of whose copies one has an exit.
    """
    most = int(policy.copies_size / body)
    for copies in range(most, 1, -1):
        if trips % copies == 0:
            return copies
    copies = policy.runtime_copies
    while copies > max(most, 1):
        copies //= 2
    return copies
