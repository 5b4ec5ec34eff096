"""Walks loops: trial, decision, then fully unrolled, or as a loop of one or more copies."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.addressing.constant_memory import is_constant_load
from roofstat.instructions.addressing.ranges import counted_bound
from roofstat.instructions.addressing.shared_pointers import is_in_vector, is_shared_pointer
from roofstat.instructions.graph.details import LoadDetail, RoundDetail, SetupDetail
from roofstat.instructions.graph.memory_state import Root, RootKind, root_of
from roofstat.instructions.graph.values import Context, LoopFrame, Pseudo, Value, split_pointer
from roofstat.instructions.instruction_walk import InstructionWalk
from roofstat.instructions.integers.arithmetic import PURE
from roofstat.instructions.integers.known_bits import Advance, Progression
from roofstat.instructions.integers.polynomials import polynomial
from roofstat.instructions.integers.widths import WIDE, WORDS
from roofstat.instructions.loops import loop_facts, unrolling
from roofstat.instructions.loops.guarded_loops import guard_of, is_open, lone_loops
from roofstat.instructions.loops.index_sizes import (
    constant_places,
    fields,
    further_size,
    multiples_of_indices,
    unsized,
    widened_twice,
)
from roofstat.instructions.loops.joined_tests import (
    JoinedLoop,
    end_labels,
    joined,
    tests_break,
    without_breaks,
)
from roofstat.instructions.loops.jump_cleanup import has_calls, tidies_jumps
from roofstat.instructions.loops.last_breaks import ends_with_data_break
from roofstat.instructions.loops.live_pointers import live_pointers
from roofstat.instructions.loops.lost_stores import lost_stores
from roofstat.instructions.loops.sizes import (
    ADDRESSES,
    assembler_weight,
    expanded_size,
    has_call,
    has_loop,
    ir_size,
    is_fused,
    is_member,
    loop_weight,
    pair_size,
    unfused_weight,
)
from roofstat.instructions.loops.trip_counts import (
    ends_at_constant,
    is_costly,
    largest,
    loses_overflow,
)
from roofstat.instructions.loops.turned_loops import is_turned_again
from roofstat.instructions.weights import Factor, FactorKind
from roofstat.program.code import Op
from roofstat.program.comparisons import COMPARISONS

if TYPE_CHECKING:
    from roofstat.instructions.graph.memory_state import MemoryState
    from roofstat.instructions.loops.loop_facts import Induction
    from roofstat.instructions.walk_state import Environment
    from roofstat.instructions.weights import Weight
    from roofstat.program.code import Loop, Region

MAX_VALUES = 40_000
"""Beyond this many values nothing is unrolled any more, so that time stays bounded."""

_LOOP_JUMPS = 3
"""Jumps of a loop inside another: into it, back and out of it; one around it where it may run not at all."""
_TEST_SIZE = 3.0
"""Operations of a further test: a sum, a comparison and what joins it."""
_WITHOUT_ADDRESS = frozenset({Op.SHUFFLE, Op.VOTE, Op.BARRIER})
"""Effects that are one operation."""
_LINEAR = frozenset({Op.CAST, Op.ADD, Op.SUB})
_FLOATING = (Scalar.F32, Scalar.F64)
_FUNCTIONS = frozenset({Op.DIV, Op.REM, Op.MATH})
_ARITHMETIC = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.MATH})


class LoopWalk(InstructionWalk):
    """The part of a walk that handles loops."""

    @abstractmethod
    def _regions(self, regions: list[Region]) -> bool:
        """Walks a list of regions; False if its end cannot be reached."""

    def _facts_of(self, loop: Loop) -> loop_facts.LoopFacts:
        facts = self._facts.get(loop.number)
        if facts is None:
            facts = loop_facts.loop_facts(loop, self._code.variables)
            self._facts[loop.number] = facts
        return facts

    def _loop(self, loop: Loop) -> bool:
        facts = self._facts_of(loop)
        trips = loop_facts.constant_trips(loop, facts, self._code, self._known_before)
        found = loop_facts.inductions(facts, self._code)
        # Where a break is a part of the loop's test, a known trip count does not unroll it.
        is_folded = False
        if self._parameters.unroll.joins_tests:
            plain, breaks = without_breaks(loop, self._end_of(loop), self._code.variables)
            is_folded = loop.unroll is None and tests_break(breaks, facts)
            if trips is None or is_folded:
                several = self._several_tests(plain, facts, breaks, found)
                if several is not None:
                    of_one = self._decision_of_several(several, found)
                    if of_one.copies > 1:
                        return self._decided_several(several, found, of_one)
        if is_folded or (trips is not None and self._keeps_last_break(loop, facts, trips)):
            trips, is_folded = None, True
        counter = loop_facts.counting_variable(loop, facts, found)
        if trips is None and not is_folded and self._parameters.unroll.doubles_known_copies:
            trips = loop_facts.counted_trips(loop, facts, counter, self._code, self._known_before)
        if trips is None and counter is not None:
            self._note_guard(loop, facts, counter)
        most = None if trips is not None or is_folded else self._most_trips(loop, facts)
        key = (loop.number, trips, most)
        decision = self._decisions.get(key)
        if decision is None:
            decision = self._decision(loop, facts, trips, counter, most=most)
            self._decisions[key] = decision
        return self._decided(loop, facts, found, decision, trips=trips, counter=counter)

    def _keeps_last_break(self, loop: Loop, facts: loop_facts.LoopFacts, trips: int) -> bool:
        """Whether a loop of known length stays rolled as its body ends with a break."""
        policy = self._parameters.unroll
        if loop.unroll is not None or trips < policy.fewest_with_break:
            return False
        is_alone = not (self._numberer.frames or self._numberer.unrolled_loops)
        if is_alone and policy.unrolls_breaks_alone:
            return False
        return ends_with_data_break(loop, self._end_of(loop), facts, self._code)

    def _several_tests(
        self,
        plain: Loop,
        facts: loop_facts.LoopFacts,
        breaks: list[int],
        found: dict[int, Induction],
    ) -> JoinedLoop | None:
        """A loop of several tests as one of a single test; None where the compiler leaves them, as it does of few iterations."""
        several = joined(plain, facts, breaks, found, self._code)
        if several is None:
            return None
        alone = not (self._numberer.frames or self._numberer.unrolled_loops)
        for variable, bound in several.bounds:
            first, last = self._known_before(variable), largest(self._value(bound))
            if not (alone and isinstance(first, int) and last is not None):
                continue
            if last - first <= self._parameters.unroll.few_trips:
                return None
        return several

    def _decision_of_several(
        self, several: JoinedLoop, found: dict[int, Induction]
    ) -> unrolling.UnrollDecision:
        loop, facts = several.loop, several.facts
        key = (loop.number, None, None)
        decision = self._of_several.get(loop.number)
        if decision is None:
            counter = loop_facts.counting_variable(loop, facts, found)
            decision = self._decision(loop, facts, None, counter, more_tests=several.tests)
            self._of_several[loop.number] = decision
            if decision.copies > 1:
                self._decisions[key] = decision
        return decision

    def _decided_several(
        self, several: JoinedLoop, found: dict[int, Induction], decision: unrolling.UnrollDecision
    ) -> bool:
        """Walks the copies of a loop of several tests: they count down from a constant start, and test all of it from another.

        Then no pointer advances, and the assembler leaves the loop.
        """
        facts, counter = (
            several.facts,
            loop_facts.counting_variable(several.loop, several.facts, found),
        )
        if counter is None or self._known_before(counter.variable) is not None or not several.tests:
            return self._decided(
                several.loop, facts, found, decision, counter=counter, more_tests=several.tests
            )
        batch = decision.batch
        decision = replace(decision, copies=batch, repeats=1, keeps_indices=True)
        return self._decided(
            several.whole, facts, found, decision, counter=counter, more_tests=several.tests
        )

    def _decision(
        self,
        loop: Loop,
        facts: loop_facts.LoopFacts,
        trips: int | None,
        counter: Induction | None,
        *,
        most: int | None = None,
        more_tests: int = 0,
    ) -> unrolling.UnrollDecision:
        is_countable = not facts.has_exit and (trips is not None or counter is not None)
        trial = self._trial(loop, facts, trips, is_countable=is_countable)
        if more_tests:
            size = trial.counts.size + more_tests * _TEST_SIZE
            trial = replace(trial, counts=replace(trial.counts, size=size))
        return unrolling.decide(
            loop,
            facts,
            trial,
            trips=trips,
            most=most,
            counter=counter,
            policy=self._parameters.unroll,
            has_tests_last=bool(self._numberer.frames) or self._tidies_jumps(),
            tidies_jumps=self._has_tidying_calls(),
            is_turned_again=is_turned_again(loop, facts, self._code),
        )

    def _decided(
        self,
        loop: Loop,
        facts: loop_facts.LoopFacts,
        found: dict[int, Induction],
        decision: unrolling.UnrollDecision,
        *,
        trips: int | None = None,
        counter: Induction | None,
        more_tests: int = 0,
    ) -> bool:
        """Walks a loop as it was decided.

        Args:
            loop: The loop.
            facts: Of it.
            found: What it counts with.
            decision: How it is emitted.
            trips: Its trip count where that is known.
            counter: What its condition compares.
            more_tests: How many tests it had besides.

        Returns:
            Whether its end can be reached.
        """
        if len(self._numberer.values) > MAX_VALUES:
            decision = unrolling.ROLLED
        if decision.full:
            return self._unrolled(loop, decision.copies, is_compiled=decision.repeats == 1)
        frame = LoopFrame(loop.number, self._numberer.context, decision.copies)
        frame.batch = decision.batch
        frame.has_known_trips = trips is not None
        frame.known_trips = trips
        frame.size = decision.size
        frame.stays_rolled = decision.stays_rolled
        frame.keeps_indices = decision.keeps_indices
        frame.keeps_falling = decision.keeps_falling
        frame.is_countable = not facts.has_exit and (trips is not None or counter is not None)
        frame.shares_indices = decision.shares_indices
        frame.has_moving_bound = loop_facts.has_moving_bound(loop, facts, found)
        frame.has_runtime_step = counter is not None and counter.step is None
        frame.has_wide_step = counter is not None and counter.step is None and counter.is_wide
        frame.more_tests = more_tests
        frame.is_inner = bool(self._numberer.frames) or self._numberer.unrolled_loops > 0
        frame.unrolls_rest = (
            self._parameters.nested_copies is not None
            and frame.is_inner
            and frame.batch > 1
            and not (frame.has_known_trips or frame.has_runtime_step)
        )
        reached = self._rolled(loop, facts, frame)
        if self._numberer.frames:
            self._numberer.frames[-1].take_in(frame)
        self._jumps += _LOOP_JUMPS + (trips is None)
        return reached

    def _end_of(self, loop: Loop) -> int | None:
        """The label that a break out of a loop jumps to."""
        if self._ends is None:
            self._ends = end_labels(self._code.body)
        return self._ends.get(loop.number)

    def _note_guard(self, loop: Loop, facts: loop_facts.LoopFacts, counter: Induction) -> None:
        """Notes the branch at which the compiler parts a loop that starts at zero."""
        if not self._parameters.parts_guarded_loops or loop.number in self._guards:
            return
        if self._numberer.frames or self._known_before(counter.variable) != 0:
            return
        guard = guard_of(loop, facts, counter, self._code)
        if guard is not None and self._stands_alone(loop):
            self._guards[loop.number] = guard

    def _stands_alone(self, loop: Loop) -> bool:
        """Whether a loop is the only one behind some condition that runs as often as only the run knows."""
        for lone, others in lone_loops(self._code):
            if lone is loop:
                return all(self._has_constant_bound(other) for other in others)
        return False

    def _has_constant_bound(self, loop: Loop) -> bool:
        facts = self._facts_of(loop)
        found = loop_facts.inductions(facts, self._code)
        counter = loop_facts.counting_variable(loop, facts, found)
        return counter is not None and not is_open(loop, facts, counter, self._code)

    def _tidies_jumps(self) -> bool:
        if self._is_tidied is None:
            lanes_tidy = self._parameters.lanes_tidy_jumps
            weighs = self._parameters.unroll.assembler_weighs
            self._is_tidied = weighs and tidies_jumps(self._code, lanes_tidy=lanes_tidy)
        return self._is_tidied

    def _has_tidying_calls(self) -> bool:
        if self._has_calls is None:
            lanes_tidy = self._parameters.lanes_tidy_jumps
            self._has_calls = has_calls(self._code, lanes_tidy=lanes_tidy)
        return self._has_calls

    def _most_trips(self, loop: Loop, facts: loop_facts.LoopFacts) -> int | None:
        """The most iterations of a loop whose bounds follow from counters of loops around it of known trip count."""
        found = [
            loop_facts.constant_trips(
                loop, facts, self._code, partial(self._known_at, is_last=is_last)
            )
            for is_last in (False, True)
        ]
        first, last = found
        return None if first is None or last is None else max(first, last)

    def _known_at(self, register: int, *, is_last: bool) -> loop_facts.Known | None:
        """A constant in a register at the first or the last iteration of loops around."""
        known = self._known_before(register)
        return known if known is not None else self._extreme(self._value(register), is_last=is_last)

    def _extreme(self, value: Value, *, is_last: bool) -> int | None:
        if value.is_constant:
            return value.constant if isinstance(value.constant, int) else None
        for frame in self._numberer.frames:
            step = frame.counters.get(value.number)
            if step is not None and frame.trips:
                start = self._extreme(value.args[0], is_last=is_last)
                rounds = frame.trips - 1 if is_last else 0
                return None if start is None else start + rounds * step
        if value.op not in _LINEAR:
            return None
        args = [self._extreme(arg, is_last=is_last) for arg in value.args]
        match value.op, args:
            case Op.CAST, [int(word)]:
                return word
            case Op.ADD, [int(left), int(right)]:
                return left + right
            case Op.SUB, [int(left), int(right)]:
                return left - right
            case _:
                return None

    def _trial(
        self,
        loop: Loop,
        facts: loop_facts.LoopFacts,
        trips: int | None,
        *,
        is_countable: bool,
    ) -> unrolling.Trial:
        """Walks one copy of the body to see what is left of it, and undoes that."""
        environment, memory = dict(self._environment), self._memory.copy()
        effects, marks, notes = len(self._effects), self._marks, len(self._notes)
        branches, jumps = self._branches, self._jumps
        self._branches = self._jumps = 0
        exits = [(scope, len(scope.exits)) for scope in self._scopes]
        before = self._tried_from[loop.number] = len(self._numberer.values)
        context = self._numberer.context
        segment = self._numberer.segment
        frame = LoopFrame(loop.number, context, 1)
        frame.trips = frame.known_trips = trips
        frame.is_countable = is_countable
        frames = self._numberer.frames
        outer_flags = [(f, f.has_inner_loop, f.has_word_index) for f in frames]
        self._rolled(loop, facts, frame)
        for outer, inner_loop, word_index in outer_flags:
            outer.has_inner_loop, outer.has_word_index = inner_loop, word_index
        self._leave_context(context)
        depth = len(self._numberer.frames)
        stored = [effect.args[0] for effect in self._effects[effects:] if effect.op is Op.STORE]
        kept = {address.number for address in stored if address.context.depth <= depth}
        seen = self._counts(frame, self._numberer.values[before:], depth, kept, facts)
        lost = lost_stores(self._numberer.values[before:])
        stores = sum(
            effect.op not in _WITHOUT_ADDRESS
            and effect.number not in lost
            and not self._is_kept(effect, depth)
            for effect in self._effects[effects:]
        )
        starts = [self._numberer.values[number].args[0] for number in frame.counters]
        del self._effects[effects:]
        del self._notes[notes:]
        for scope, count in exits:
            del scope.exits[count:]
        self._marks = marks
        self._numberer.segment = segment
        self._environment, self._memory = environment, memory
        found = unrolling.Trial(
            counts=replace(
                seen,
                size=seen.size + stores * self._parameters.unroll.effect_size,
                casts=seen.casts + len(frame.word_indices),
                foldable=max(seen.foldable - unrolling.COUNTER_SIZE, 0.0),
            ),
            branches=self._branches,
            jumps=self._jumps,
            hoisted_size=self._hoisted_size(self._numberer.values[before:], depth),
            repeated_size=sum(frame.repeated.values()),
            has_word_index=frame.has_word_index or _keeps_words(frame),
            keeps_falling=len(frame.falling) > 1 and any(alone for _, alone in frame.falling),
            counts_down=frame.counts_down,
            has_inner_loop=frame.has_inner_loop,
            starts_anywhere=any(not start.is_constant for start in starts),
            start_varies=any(start.context.loop is not None for start in starts),
            has_costly_count=self._has_costly_count(frame),
            most_trips=self._most_of(frame),
            live=live_pointers(
                frame,
                self._numberer.values[before:],
                frames[-1] if frames else None,
                self._numberer.values,
            ),
        )
        self._branches, self._jumps = branches, jumps
        return found

    def _most_of(self, frame: LoopFrame) -> int | None:
        """The most iterations that the bound of a loop outside of others allows, as far as the compiler sees."""
        if self._numberer.frames or self._numberer.unrolled_loops or len(frame.bounds) != 1:
            return None
        if frame.tested is None or frame.has_inner_loop:
            return None
        start = frame.tested.args[0]
        (bound,) = frame.bounds
        last = largest(self._numberer.values[bound])
        step = frame.counters.get(frame.tested.number) or 0
        if last is None or step <= 0 or not isinstance(start.constant, int):
            return None
        return -((start.constant - last) // step)

    def _hoisted_size(self, values: list[Value], depth: int) -> float:
        """What a trial walk computed outside of the loop; constants in indices become offsets of accesses."""
        indexed = self._parameters.unroll.indexed_load_size
        if not indexed:
            return 0.0  # nobody asks
        return sum(
            ir_size(value, fast_math=self._fast_math) + indexed * (value.op is Op.LOAD)
            for value in values
            if value.context.depth <= depth and not _adds_constant(value)
        )

    def _has_costly_count(self, frame: LoopFrame) -> bool:
        bounds = [self._numberer.values[number] for number in frame.bounds]
        if frame.tested is None or len(bounds) != 1:
            return False
        is_product = self._numberer.is_stepped_product(bounds[0])
        return is_costly(frame.tested.args[0], bounds[0], is_product=is_product)

    def _counts(
        self,
        frame: LoopFrame,
        values: list[Value],
        depth: int,
        kept: set[int],
        facts: loop_facts.LoopFacts,
    ) -> unrolling.BodyCounts:
        """What the values deeper than `depth` come to.

        Args:
            frame: The loop's, which learns of loops inside library functions.
            values: What a trial walk computed.
            depth: Of the loops around it.
            kept: Addresses outside the loop that it stores to.
            facts: Of the loop.
        """
        counts, folding, fast_math = unrolling.BodyCounts(), set(frame.counters), self._fast_math
        fuses = self._parameters.fuses_statements and not fast_math
        inside = [v for v in values if v.context.depth > depth and v.number not in self._tried]
        self._tried.update(value.number for value in inside)
        if self._parameters.unroll.drops_unused:
            taken = {*frame.indices} | multiples_of_indices(inside, frame.indices)
            needed = _needed(inside, taken, self._environment)
            inside = [value for value in inside if value.number in needed]
            left_out = unsized(inside, frame.indices, depth)
            counts.casts -= widened_twice(inside, frame.word_indices)
            counts.addresses += fields(inside, depth)
        else:
            left_out = set()
            counts.places = constant_places(inside, depth)
        left = _needed(inside, set(), self._environment)
        sized: dict[int, float] = {}
        remaining = [value for value in inside if value.number in left]
        counts.leaves_counter = not self._uses_counter(frame, remaining)
        lost = lost_stores(inside)
        for value in inside:
            if value.number in lost or self._is_kept(value, depth):
                continue
            is_load = value.op is Op.LOAD
            inner = _loop_at(value, depth + 2)
            share = 1.0 / self._copies_below(value, depth + 1)
            if inner is not None and inner.size is not None:
                sized[id(inner)] = inner.size
                share = 0.0
            size = share * ir_size(value, fast_math=fast_math)
            expanded = expanded_size(value) if self._parameters.unroll.expands_builtins else None
            if expanded is not None:
                size = share * expanded
            if self._parameters.unroll.weighs_pairs:
                size += share * pair_size(value)
            if value.number in left_out or (fuses and is_fused(value)):
                size = 0.0
            counts.functions += size * (value.op in _FUNCTIONS)
            counts.addresses += share * (value.op in ADDRESSES and value.number not in left_out)
            counts.casts += share * (value.op is Op.CAST and _is_conversion(value))
            counts.gathers += (
                value.op is Pseudo.ADDRESS and root_of(value).kind is not RootKind.SLOT
            )
            counts.loads += is_load and not is_constant_load(value)
            counts.indexed_loads += is_load and value.args[0].context.depth > depth
            counts.bytes += value.op in {Op.LOAD, Op.STORE} and value.scalar.size_bytes == 1
            counts.size += size
            weight = assembler_weight(value, fast_math=fast_math)
            counts.weight += 0.0 if is_shared_pointer(value, frame) else weight
            is_further = is_member(value)
            counts.members += is_further
            weight += unfused_weight(value)
            is_operand = is_further or (is_load and is_constant_load(value))
            counts.left_weight += weight * (value.number in left and not is_operand)
            if value.number in left and not (is_load and value.args[0].number in kept):
                # What the copy before has stored is in a register.
                counts.loop_weight += loop_weight(value, weight)
            counts.is_local |= value.op in {Op.LOAD, Op.STORE} and self._is_private(value, frame)
            counts.vectors += is_load and is_in_vector(value, frame)
            is_known_element = is_load and self._is_known_element(value, folding)
            counts.known_elements += is_known_element
            if is_known_element or _folds(value, folding):
                folding.add(value.number)
                counts.foldable += size
            in_shared = is_load and self._is_in_slot(value)
            counts.shared_loads += in_shared
            is_own = root_of(value.args[0]).identity in self._private if in_shared else True
            counts.shared_accesses += not (is_own or is_further)
            counts.doubles += value.scalar is Scalar.F64 and value.op in _ARITHMETIC
            counts.chosen_loads += value.op is Op.SELECT and _chooses_load(value)
            counts.calls += has_call(value, fast_math=fast_math)
            frame.has_inner_loop |= has_loop(value, fast_math=fast_math)
        counts.size += sum(sized.values())
        counts.further_size = further_size(
            inside, self._parameters.unroll, depth, is_around=facts.has_inner_loop
        )
        counts.has_copies = bool(sized)
        return counts

    def _is_kept(self, value: Value, depth: int) -> bool:
        """Whether an access goes to what a loop keeps in a register: a local, or one element of a private array."""
        if self._is_register(value):
            return True
        if value.op not in {Op.LOAD, Op.STORE} or not self._parameters.unroll.copies_setup_size:
            return False
        root = root_of(value.args[0])
        is_private = root.kind is RootKind.SLOT and root.identity in self._private
        return is_private and value.args[0].context.depth <= depth

    def _is_private(self, access: Value, frame: LoopFrame) -> bool:
        """Whether the counter of a loop is in the index of an access to a private array."""
        root = root_of(access.args[0])
        if root.kind is not RootKind.SLOT or root.identity not in self._private:
            return False
        address, _ = split_pointer(access.args[0])
        while address.op in ADDRESSES:
            numbers = {n for arg in address.args[1:] for m in polynomial(arg) for n in m}
            advances = address.op is Pseudo.STREAM and address.context.loop is frame
            if advances or numbers & frame.counters.keys():
                return True
            address, _ = split_pointer(address.args[0])
        return False

    def _uses_counter(self, frame: LoopFrame, values: list[Value]) -> bool:
        """Whether anything but pointers that advance, the step and the test takes a counter of a loop."""
        counters = [self._numberer.values[number] for number in frame.counters]
        own = {arg.number for counter in counters for arg in counter.args[1:]}
        return any(
            arg.number in frame.counters
            for value in values
            if value.number not in own and value.op is not Pseudo.STREAM
            for arg in value.args
        )

    def _is_known_element(self, load: Value, folding: set[int]) -> bool:
        """Whether a load reads a constant array at an index that is constant in each iteration."""
        detail = load.detail
        if not isinstance(detail, LoadDetail):
            return False
        if detail.root.kind is not RootKind.GLOBAL or detail.root.identity not in self._code.tables:
            return False
        address = load.args[0]
        return address.op in _INDEXED and all(
            arg.op is Op.GLOBAL or arg.is_constant or arg.number in folding for arg in address.args
        )

    def _copies_below(self, value: Value, depth: int) -> int:
        """How often copies of loops inside the one at a depth hold a value; pointers and tests of a loop it holds once."""
        if not self._parameters.unroll.unrolls_fully_first:
            return 1
        copies, loop = 1, value.context.loop
        if loop is not None and (value.op is Pseudo.STREAM or value in loop.exits):
            loop = loop.outside.loop
        while loop is not None and loop.depth > depth:
            copies *= loop.copies
            loop = loop.outside.loop
        return copies

    def _is_in_slot(self, load: Value) -> bool:
        detail = load.detail
        return isinstance(detail, LoadDetail) and detail.root.kind is RootKind.SLOT

    def _unrolled(self, loop: Loop, trips: int, *, is_compiled: bool) -> bool:
        share = self._share
        if trips:
            self._share = share.times(1.0 / trips)
        reached = True
        if not self._numberer.unrolled_loops:
            self._numberer.unrolled_from = len(self._numberer.values)
        self._numberer.unrolled_loops += 1
        self._unrolled_variables.append(self._facts_of(loop).assigned)
        self._unrolled_starts.append((self._numberer.context, self._numberer.segment))
        self._join_hoisted(loop)
        if is_compiled:
            self._addresses.enter_unrolled()
        for _ in range(trips):
            if loop.tests_before:
                self._regions(loop.condition)
            reached = self._regions(loop.body) and self._regions(loop.step)
            if not reached:
                break
        self._numberer.unrolled_loops -= 1
        self._unrolled_variables.pop()
        self._unrolled_starts.pop()
        if is_compiled:
            self._addresses.leave_unrolled()
        self._share = share
        return reached

    def _join_hoisted(self, loop: Loop) -> None:
        """Puts what the trial walk moved in front of a loop that vanishes into the basic block that its copies are in."""
        here = self._numberer.context
        first = self._tried_from.pop(loop.number, len(self._numberer.values))
        for value in self._numberer.values[first:]:
            context = value.context.parent if value.context.is_preheader else value.context
            if value.segment == 0 and context is here:
                value.segment = self._numberer.segment

    def _iteration(self, loop: Loop) -> bool:
        """Walks a copy of a body and its step, which runs less often where the test stands between them (`endless_loops`)."""
        if not self._regions(loop.body):
            return False
        if loop.step and not loop.tests_before:
            self._enter(guarded=False)
        return self._regions(loop.step)

    def _keeps_counter(self, frame: LoopFrame, condition: Value) -> bool:
        """Whether clang keeps the counter of a loop that ends at a constant; where it starts is known to be small in counted nests."""
        if self._parameters.advances_by_runtime_strides or not ends_at_constant(condition):
            return False
        counter = condition.args[0]
        start = polynomial(counter.args[0])
        is_known = counted_bound(start, self._numberer.values, self._numberer.frames[:-1])
        return frame.counters.get(counter.number) == 1 and is_known is None

    def _rolled(self, loop: Loop, facts: loop_facts.LoopFacts, frame: LoopFrame) -> bool:
        outer = frame.outside
        copies = frame.copies
        share = self._share
        writes = self._writes(facts)
        frame.writes = writes
        found = loop_facts.inductions(facts, self._code)
        marks = self._marks
        if self._numberer.frames:
            self._numberer.frames[-1].has_inner_loop = True
        self._numberer.frames.append(frame)
        self._enter(guarded=False)
        frame.header = self._numberer.context
        self._memory.enter_loop(writes)
        phis = self._make_phis(facts, frame, found)
        alternating = self._start_alternating(facts, frame, phis)
        if copies > 1:
            self._share = _share_of_copy(share, FactorKind.FIRST_COPY, frame)
        condition: Value | None = None
        exit_environment: Environment | None = None
        exit_memory: MemoryState | None = None
        if loop.tests_before:
            self._regions(loop.condition)
            if loop.condition_register is not None:
                condition = self._value(loop.condition_register)
                if condition.op in COMPARISONS:
                    bounds = (arg for arg in condition.args if arg.op is not Pseudo.PHI)
                    frame.bounds = {bound.number for bound in bounds}
                    frame.tested = next((a for a in condition.args if a.op is Pseudo.PHI), None)
                    frame.loses_overflow = loses_overflow(condition)
                    frame.keeps_counter = self._keeps_counter(frame, condition)
                self._control.append(condition)
                exit_environment = dict(self._environment)
                exit_memory = self._memory.copy()
            header = self._numberer.context
            self._numberer.context = frame.preheader = self._preheader(frame, share)
            self._enter(guarded=False)
            frame.header = self._numberer.context
        else:
            header = self._numberer.context
        reached = self._iteration(loop)
        guard = self._guards.get(loop.number)
        if guard is not None and guard.is_alone:
            frame.header.weight = self._numberer.context.weight
        for copy in range(1, copies):
            if not reached:
                break
            self._share = _share_of_copy(share, FactorKind.LATER_COPY, frame)
            self._enter(guarded=False)
            frame.copy_from = len(self._numberer.values)
            if frame.shares_indices and not copy % frame.batch:
                self._part_counters(phis, frame)
            reached = self._iteration(loop)
        if not loop.tests_before and reached:
            self._regions(loop.condition)
            if loop.condition_register is not None:
                condition = self._value(loop.condition_register)
            exit_environment, exit_memory = self._environment, self._memory
        if loop.tests_before and loop.condition_register is not None:
            self._control.pop()
        for variable, phi in phis.items():
            following = self._environment.get(variable, phi)
            phi.args = [phi.args[0], following] + ([condition] if condition is not None else [])
        if loop.tests_before:
            if frame.header.weight is None:
                frame.header.weight = header.weight
            self._leave_context(outer)
            self._numberer.context = header
        else:
            self._leave_context(header)
        if condition is not None and self._marks != marks:
            self._branch(condition)
        overhead: list[Value] = []
        self._note_conversions(frame)
        if not (frame.has_known_trips or frame.keeps_indices):
            frame.has_scaled_counter |= bool(frame.scaled.kept())
        is_scaled = frame.has_scaled_counter and not frame.advances_words
        if (copies > 1 and is_scaled) or frame.has_common_offset:
            multiplied = copies * len(frame.multiplied_indices)
            shape = RoundDetail(frame.has_common_offset, multiplied, copies // frame.batch)
            more = self._numberer.fresh(Pseudo.ROUND, Scalar.VOID, [], shape)
            overhead.append(more)
        if condition is not None:
            frame.exits.append(condition)
        if copies > 1 and not frame.has_known_trips and self._parameters.counts_remaining:
            rising = [number for number, step in frame.counters.items() if (step or 0) > 0]
            starts = [self._numberer.values[number].args[0] for number in rising[:1]]
            if starts:
                overhead.append(self._numberer.fresh(Pseudo.REMAINING, Scalar.VOID, starts, None))
        self._leave_context(outer)
        self._numberer.frames.pop()
        self._share = share
        if copies > 1 and not frame.has_known_trips:
            frame.varies_trips = self._varies_trips(frame)
            parts = self._parts_of_copies(frame)
            detail = SetupDetail(copies, frame.has_runtime_step, frame, *parts)
            for _ in range(1 if guard is None else 2):
                setup = self._numberer.fresh(Pseudo.SETUP, Scalar.VOID, [], detail)
                setup.context = frame.preheader
                overhead.append(setup)
        # Whatever keeps a loop alive needs one of its variables, and with it the overhead.
        for phi in phis.values():
            phi.args.extend(overhead)
        if exit_environment is None or exit_memory is None:
            return False
        self._environment, self._memory = exit_environment, exit_memory
        self._environment.update(alternating)
        self._close_loop(facts)
        return True

    def _part_counters(self, phis: dict[int, Value], frame: LoopFrame) -> None:
        """Lets the compiler's copies that the assembler repeats count from a number of their own, from which their indices are made."""
        for variable, phi in phis.items():
            if phi.number not in frame.counters:
                continue
            count = self._environment[variable]
            own = self._numberer.fresh(count.op, count.scalar, count.args, count.detail)
            own.polynomial = {(own.number,): 1}
            self._environment[variable] = own

    def _varies_trips(self, frame: LoopFrame) -> bool:
        """Whether a loop around one that was walked changes what its counter starts at or is compared with."""
        values = self._numberer.values
        asked = [values[number] for number in frame.bounds]
        asked += [values[number].args[0] for number in frame.counters]
        around = len(self._numberer.frames)
        return around > 0 and self._numberer.natural_depth(asked) >= around

    def _note_conversions(self, frame: LoopFrame) -> None:
        """Notes where a loop makes a floating-point number of its counter."""
        for number in frame.counters:
            for scalar in _FLOATING:
                known = self._numberer.known_cast(scalar, self._numberer.values[number])
                if known is not None and known.context.loop is frame:
                    frame.scaled.note_use()

    def _preheader(self, frame: LoopFrame, share: Weight) -> Context:
        """Where a loop begins once its first test is passed: what is moved out of it goes there.

        The trial walk and the walk of the loop itself have it in common.
        """
        key = (frame.number, frame.outside)
        preheader = self._preheaders.get(key)
        if preheader is None:
            preheader = Context(frame.outside, frame.outside.loop)
            preheader.is_preheader = True
            preheader.weight = share.times(1.0, Factor(FactorKind.STARTS, frame.number))
            self._preheaders[key] = preheader
        preheader.is_active = True
        return preheader

    def _parts_of_copies(self, frame: LoopFrame) -> tuple[Context, Context, Context]:
        """What runs before the copies of a body, before the loop behind them, and in each iteration of that."""
        weight = frame.preheader.effective_weight()
        parts = []
        for kind in (FactorKind.ROUNDS, FactorKind.REST, FactorKind.LEFT):
            part = Context(frame.preheader, frame.outside.loop)
            if weight is not None:
                factor = Factor(kind, frame.number, frame.copies, frame.batch)
                part.weight = weight.times(1.0, factor)
            parts.append(part)
        rounds, rest, left = parts
        return rounds, rest, left

    def _make_phis(
        self,
        facts: loop_facts.LoopFacts,
        frame: LoopFrame,
        found: dict[int, loop_facts.Induction],
    ) -> dict[int, Value]:
        phis = {}
        for variable in sorted(facts.assigned):
            scalar = self._code.register_types[variable]
            # Without a value before the loop, it may still be read after it.
            initial = self._environment.get(variable) or self._numberer.leaf(
                Pseudo.UNDEFINED, scalar, variable
            )
            induction = found.get(variable)
            root = self._local_root(variable) if scalar is Scalar.U64 else None
            phi = self._numberer.fresh(Pseudo.PHI, scalar, [initial], root)
            if induction is not None and scalar.is_integer and self._moves_addresses(induction):
                frame.counters[phi.number] = induction.step
                start = initial.constant
                if induction.step is not None:
                    stride = induction.step * frame.batch
                    if isinstance(start, int):
                        self._numberer.remember_counter(phi, Progression(start, stride))
                    self._numberer.remember_advance(phi, Advance(initial, stride))
            phis[variable] = phi
            self._environment[variable] = phi
        return phis

    def _moves_addresses(self, induction: loop_facts.Induction) -> bool:
        """Whether the compiler may let addresses advance with a counter: it does not wrap around, or only where addresses do."""
        is_long = induction.is_wide and induction.step is None
        return not induction.wraps or (is_long and not self._parameters.advances_by_runtime_strides)

    def _start_alternating(
        self, facts: loop_facts.LoopFacts, frame: LoopFrame, phis: dict[int, Value]
    ) -> dict[int, Value]:
        """Sets variables that an even number of copies leaves as they were to what they start at.

        So the halves of a double buffer have addresses of their own, which the loop does not compute.

        Returns:
            The variables as they are after the loop, whose remainder may leave either value in them.
        """
        if frame.batch % 2:
            return {}
        found: dict[int, Value] = {}
        for variable in loop_facts.alternating(facts, self._code):
            self._environment[variable] = phis[variable].args[0]
            found[variable] = phis[variable]
        return found

    def _local_root(self, variable: int) -> Root | None:
        """The object of a pointer that may point to locals; None for others, which stay with what they start in."""
        roots = self._points_to.roots(variable)
        if all(root.kind is not RootKind.SLOT for root in roots):
            return None
        return next(iter(roots)) if len(roots) == 1 else Root(RootKind.UNKNOWN, ("any", variable))

    def _close_loop(self, facts: loop_facts.LoopFacts) -> None:
        """Values that leave a loop are defined outside it from now on."""
        for variable in facts.assigned:
            value = self._environment.get(variable)
            if value is not None and not value.context.is_active:
                self._environment[variable] = self._numberer.fresh(
                    Pseudo.EXIT, value.scalar, [value]
                )


def _loop_at(value: Value, depth: int) -> LoopFrame | None:
    """The loop of a depth that a value is in."""
    loop = value.context.loop
    while loop is not None and loop.depth > depth:
        loop = loop.outside.loop
    return loop if loop is not None and loop.depth == depth else None


def _keeps_words(frame: LoopFrame) -> bool:
    """Whether words advance instead of pointers, beside a counter whose end the assembler does not find.

    It finds that where the loop tests the counter itself, and where words are multiples of sums.
    """
    if frame.counts_itself or frame.scaled.replace_counter():
        return False
    return any(not word.is_of_sum for word in frame.scaled.kept())


def _needed(values: list[Value], indices: set[int], environment: Environment) -> set[int]:
    """Numbers of what is left of values: what has an effect, chooses or is used; folding leaves the rest without a use."""
    needed = indices | {value.number for value in environment.values()}
    needed.update(arg.number for value in values if value.op is Pseudo.PHI for arg in value.args)
    for value in reversed(values):
        if value.op not in PURE or value.number in needed:
            needed.add(value.number)
            needed.update(arg.number for arg in value.args)
    return needed


def _share_of_copy(share: Weight, kind: FactorKind, frame: LoopFrame) -> Weight:
    """How often a copy of a body runs, of how often its loop iterates."""
    factor = Factor(kind, frame.number, frame.copies, frame.batch, frame.unrolls_rest)
    return share.times(1.0, factor)


def _is_conversion(cast: Value) -> bool:
    """Whether a conversion is an operation to the compiler.

    Such is one between integers and floating point, and of a word to a pair unless the word is loaded.
    """
    source, target = cast.args[0].scalar, cast.scalar
    if source.is_float or target.is_float:
        return source is not target
    return target in WIDE and source in WORDS and cast.args[0].op is not Op.LOAD


_INDEXED = frozenset({Pseudo.STREAM, Pseudo.ADDRESS, Op.GLOBAL})


def _folds(value: Value, folding: set[int]) -> bool:
    """Whether a value is made of constants and of what is constant in each iteration."""
    if not isinstance(value.op, Op) or value.op is Op.LOAD or not value.args:
        return False
    return all(arg.is_constant or arg.number in folding for arg in value.args)


def _chooses_load(choice: Value) -> bool:
    """Whether one of two values to choose from is a load that its condition does not take, or takes one."""
    condition, *values = choice.args
    compared = {arg.number for arg in condition.args}
    taken = (part for value in values for part in (value, *value.args))
    return any(part.op is Op.LOAD and part.number not in compared for part in taken)


def _adds_constant(value: Value) -> bool:
    return value.op in {Op.ADD, Op.SUB} and any(arg.is_constant for arg in value.args)
