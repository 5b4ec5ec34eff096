"""Pointers that advance with a loop instead of being computed in each iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.addressing.address_shapes import CounterTerm, StreamShape
from roofstat.instructions.addressing.factored_words import WordAdvance, word_advance
from roofstat.instructions.addressing.indices import WORD
from roofstat.instructions.addressing.ranges import counted_bound, upper_bound
from roofstat.instructions.addressing.scaled_words import ScaledWord
from roofstat.instructions.graph.values import Pseudo, Value
from roofstat.instructions.integers.polynomials import polynomial, signature, without_constant
from roofstat.instructions.integers.widths import WIDE, is_word, multiplies_wide, scales_wide
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofstat.instructions.addressing.indices import Indices
    from roofstat.instructions.addressing.scaled_words import Terms
    from roofstat.instructions.graph.numbering import Numberer
    from roofstat.instructions.graph.values import LoopFrame
    from roofstat.instructions.integers.polynomials import Monomial, Polynomial
    from roofstat.instructions.tables.parameters import LoweringParameters


_WORD_OF_ITS_OWN = 2.0
"""The word of a copy, and the multiply-add that widens it."""
_NEVER_OVERFLOWS = 2
"""A counter that grows from zero stays below 2^31, and twice that fits an unsigned word."""


class Streams:
    """Makes the advancing pointers of one walk, and notes on the loops what their indices cost."""

    def __init__(
        self, numberer: Numberer, indices: Indices, parameters: LoweringParameters
    ) -> None:
        self._numberer = numberer
        self._indices = indices
        self._parameters = parameters

    def note(self, index: Value, rest: Polynomial, constant: int, *, is_shared: bool) -> None:
        """Notes on the innermost loop how the index of an access uses its counter.

        Args:
            index: The index.
            rest: That without its constant.
            constant: The constant.
            is_shared: Whether the access is to shared memory, whose addresses are words anyhow.
        """
        if not self._numberer.frames or not self._parameters.advances_scaled_words:
            return
        frame = self._numberer.frames[-1]
        word = self._scaled_word(frame, index, rest)
        if word is not None and not is_shared:
            frame.scaled.note(word, constant)
        for monomial in rest:
            if not any(n in frame.counters for n in monomial):
                continue
            if len(monomial) > 1 or (abs(rest[monomial]) == _NEVER_OVERFLOWS and not is_shared):
                frame.scaled.note_use()
            elif abs(rest[monomial]) == 1:
                frame.scaled.note_use(_without(rest, monomial))

    def _scaled_word(self, frame: LoopFrame, index: Value, rest: Polynomial) -> ScaledWord | None:
        """An index that multiplies the counter by a constant, in a word that is widened after that."""
        moving = [monomial for monomial in rest if any(n in frame.counters for n in monomial)]
        if len(moving) != 1 or len(moving[0]) > 1:
            return None
        if abs(rest[moving[0]]) in {1, _NEVER_OVERFLOWS}:
            return None
        (monomial,) = moving
        counter = self._numberer.values[monomial[0]]
        if not is_word(counter) or frame.counters[counter.number] is None:
            return None
        if scales_wide(_moving_part(index, counter)):
            return None
        start, step = counter.args[0], frame.counters[counter.number]
        frame.counts_itself = not start.is_constant or abs(step or 0) != 1
        return ScaledWord(
            factor=rest[monomial],
            beside=_without(rest, monomial),
            is_of_sum=not _scales(index, counter.number),
            is_guarded=self._numberer.context.is_guarded_within(frame),
        )

    def stream(
        self, base: Value, index: Value, rest: Polynomial, scale_bytes: int, *, in_row: bool = False
    ) -> Value | None:
        """A pointer that advances, where the index is affine in the innermost loop's counter.

        Args:
            base: What is indexed.
            index: The index.
            rest: That without its constant.
            scale_bytes: Bytes of an element.
            in_row: Whether the index is that of a row and one in the row, widened apart.
        """
        if not self._numberer.frames or base.op is Op.SLOT:
            return None
        frame = self._numberer.frames[-1]
        has_end = frame.is_countable or frame.has_moving_bound
        if self._parameters.keeps_uniform_stream_base and not has_end:
            return None
        if frame.keeps_indices and not frame.shares_indices:
            return None
        if frame.keeps_counter and is_word(index):
            return None
        invariants: dict[int, Value] = {}
        constant_step = True
        plain_stride = True
        counter: Value | None = None
        is_word_kept = False
        for monomial in rest:
            counters = [n for n in monomial if n in frame.counters]
            if len(counters) > 1:
                return None
            if counters:
                counter = self._numberer.values[counters[0]]
                known = frame.counters[counters[0]] is not None
                constant_step = constant_step and len(monomial) == 1 and known
                plain_stride = plain_stride and self._is_plain_stride(
                    frame, index, monomial, counter
                )
                is_word_kept |= self._note_if_scaled(frame, index, rest, monomial)
            for number in monomial:
                if number in frame.counters:
                    continue
                factor = self._numberer.values[number]
                if self._numberer.natural_depth((factor,)) >= frame.depth:
                    return None
                invariants[number] = factor
        if counter is None or self._numberer.natural_depth((base,)) >= frame.depth:
            return None
        if constant_step and frame.shares_indices:
            return None
        if self._steps_apart(frame, index, rest):
            return None
        if constant_step and invariants and self._is_positive_row(rest):
            frame.counts_down = True
        if is_word(index) and self._falls_to_constant(frame, counter):
            frame.falling.add((base.number, rest == {(counter.number,): 1}))
            if frame.keeps_falling:
                return None
        by_offset = False
        advances = self._parameters.advances_by_runtime_strides or (
            multiplies_wide(index) and (frame.counters[counter.number] or 0) > 0
        )
        if not constant_step and not advances:
            by_offset = frame.counters[counter.number] is None and _adds_counter(
                index, rest, counter.number
            )
            if not by_offset:
                return None
            frame.has_common_offset = True
        elif not constant_step and (
            self._is_recomputed(frame, index, counter) or self._may_pass(frame, index, counter)
        ):
            return None
        is_bytes = scale_bytes == 1
        word = None
        if constant_step and self._parameters.advances_scaled_words:
            word = self._scaled_word(frame, index, rest)
        advance = WordAdvance.NONE
        if not constant_step and self._parameters.reorders_words:
            indices = [self._numberer.values[number] for number in frame.indices]
            advance = word_advance(index, counter, frame.counters[counter.number], indices)
        frame.has_word_index |= advance is WordAdvance.OF_FACTORS
        shape = StreamShape(
            constant_step,
            bool(invariants),
            by_offset,
            plain_stride,
            is_bytes,
            word,
            in_row,
            is_widened=not constant_step and plain_stride and multiplies_wide(index),
            is_of_word=is_word(index),
            word_operations=_WORD_OF_ITS_OWN if is_word_kept else 0.0,
            adds_product=any(len(m) > 1 and counter.number not in m for m in rest),
            starts_at_stride=_starts_at_stride(rest, counter.number),
            element_bytes=scale_bytes,
            word_row=() if advance is WordAdvance.NONE else _row(rest, counter.number),
            counts_up=advance is WordAdvance.OF_FACTORS,
            term=self._term(index, rest, counter) if constant_step else None,
        )
        frame.adds_thread_number |= constant_step and _adds_thread_number(
            rest, self._numberer.values
        )
        args = [base, counter.args[0], *invariants.values()]
        context = (
            frame.header if constant_step and frame.header is not None else self._numberer.context
        )
        return self._numberer.new(Pseudo.STREAM, Scalar.U64, args, shape, context)

    def _steps_apart(self, frame: LoopFrame, index: Value, rest: Polynomial) -> bool:
        """Whether a 64-bit index multiplies a word that steps by what only the run knows, and takes another counter.

        LLVM does not know that such a word never wraps around, so each copy widens and multiplies it anew: as other copies differ by
        more than the product, none follows from the one before.
        """
        found = {n for monomial in rest for n in monomial if n in frame.counters}
        multiplied = {n for monomial in rest if len(monomial) > 1 for n in monomial} & found
        unknown = any(frame.counters[n] is None for n in multiplied)
        return len(found) > 1 and unknown and not is_word(index)

    def _term(self, index: Value, rest: Polynomial, counter: Value) -> CounterTerm | None:
        moving = [monomial for monomial in rest if counter.number in monomial]
        if not self._parameters.tests_offsets or len(moving) != 1 or not is_word(index):
            return None
        plain = self._indices.without_constant(index)
        word = plain.args[0] if plain.op is Op.CAST and plain.scalar in WIDE else plain
        is_counted = counted_bound(rest, self._numberer.values, self._numberer.frames) is not None
        if word.scalar is not Scalar.I32 or is_counted:
            return None
        beside = _without(rest, moving[0])
        is_of_sum = bool(beside) and not _scales(index, counter.number)
        return CounterTerm(
            factor=rest[moving[0]],
            beside=beside,
            index=plain.number,
            inner=self._numberer.reordered.get(_without_added_constant(index).number),
            adds_sum=_adds_sum(plain, counter),
            is_of_sum=is_of_sum and abs(rest[moving[0]]) != 1,
        )

    def _falls_to_constant(self, frame: LoopFrame, counter: Value) -> bool:
        """Whether a counter goes down while it is not negative, as often as only the run knows.

        Clang extends it by zeros where it is all of an index, and what is extended so and falls moves no pointer, as LLVM does not know
        that it stays above zero. Where that is one of several arrays, each copy has a word of its own for all of them; a lone array has a
        pointer for most of its copies, as have those whose index adds something to the counter (24 own loops).
        """
        if self._parameters.advances_by_runtime_strides or frame.trips or frame.has_known_trips:
            return False
        if (frame.counters[counter.number] or 0) >= 0:
            return False
        bounds = [self._numberer.values[number] for number in frame.bounds]
        return bool(bounds) and is_word(counter) and all(map(_is_natural, bounds))

    def _is_plain_stride(
        self, frame: LoopFrame, index: Value, monomial: Monomial, counter: Value
    ) -> bool:
        """Whether a runtime stride is a word that one multiply-add scales, widens and adds."""
        if multiplies_wide(index):
            # Of copies of unknown number, the test for too few rounds stands between the widening and the scaling, and the
            # assembler sees two operations.
            is_one = frame.has_known_trips or frame.copies == 1
            return is_one and _widens_stride(index, counter)
        known = frame.counters[counter.number] is not None
        return (known or is_word(counter)) and all(
            self._numberer.values[n].op is Op.PARAM and is_word(self._numberer.values[n])
            for n in monomial
            if n not in frame.counters
        )

    def _is_recomputed(self, frame: LoopFrame, index: Value, counter: Value) -> bool:
        """Whether no pointer advances by a runtime stride, as iterations skip the access.

        Nvcc multiplies anew where the product is one of words, or where the word that it widens does not start at zero; clang where
        that may overflow.
        """
        if not self._numberer.context.is_guarded_within(frame):
            return False
        if is_word(index):
            return True
        words = [
            word
            for word in _widened_words(index)
            if counter.number in _numbers(word) and not _starts_at_zero(word, counter)
        ]
        if self._parameters.advances_by_runtime_strides:
            return bool(words)
        return any(self._may_leave_words(frame, word, counter) for word in words)

    def _may_pass(self, frame: LoopFrame, index: Value, counter: Value) -> bool:
        """Whether clang multiplies anew what it widens, as the counter may overflow for all that LLVM knows.

        `k <= end` is tested before `k` counts; from a start that is not negative it still is extended by zeros.
        """
        if self._parameters.advances_by_runtime_strides or not frame.loses_overflow:
            return False
        start = counter.args[0]
        is_clipped = (
            start.op is Op.MATH
            and start.detail == "max"
            and any(_is_natural(arg) for arg in start.args)
        )
        if is_clipped or upper_bound(start, set(), knows_launches=False) is not None:
            return False
        return any(counter.number in _numbers(word) for word in _widened_words(index))

    def _may_leave_words(self, frame: LoopFrame, word: Value, counter: Value) -> bool:
        """Whether LLVM does not know that a word with the counter in it does not overflow, as a branch skips its sum.

        It knows where each round makes the sum, as for a test; one that is tested for its sign is extended by zeros then.
        """
        if self._numberer.is_tested_for_sign(word):
            return True
        if not word.context.is_guarded_within(frame) or self._is_in_tile(frame, word, counter):
            return False
        takes_off = word.op is Op.SUB and word.args[0] is counter
        return not takes_off or word.args[1].is_constant

    def _is_in_tile(self, frame: LoopFrame, word: Value, counter: Value) -> bool:
        """Whether a word adds a counter that stays small to one of a loop around: the sum of both is known not to overflow."""
        values = self._numberer.values
        is_small = frame.has_known_trips or any(
            values[number].op is Op.MATH
            and values[number].detail == "min"
            and any(arg.is_constant for arg in values[number].args)
            for number in frame.bounds
        )
        outer = {
            n for each in self._numberer.frames[:-1] for n, step in each.counters.items() if step
        }
        others = [m for m in without_constant(polynomial(word)) if m != (counter.number,)]
        return is_small and all(len(m) == 1 and m[0] in outer for m in others)

    def note_scaled(self, index: Value, rest: Polynomial) -> None:
        """Notes on the innermost loop what an index into shared memory that multiplies its counter adds to each round.

        What the assembler copies as well has too many rounds that are no round of all copies.
        """
        frame = self._numberer.frames[-1]
        if index.is_uniform or frame.copies > frame.batch:
            return
        for monomial in rest:
            if any(number in frame.counters for number in monomial):
                self._note_if_scaled(frame, index, rest, monomial, in_shared=True)

    def _note_if_scaled(
        self,
        frame: LoopFrame,
        index: Value,
        rest: Polynomial,
        monomial: Monomial,
        *,
        in_shared: bool = False,
    ) -> bool:
        """Notes that an index multiplies the counter; whether its word is kept, as it is where a loop inside vanished."""
        is_scaled = len(rest) > 1 and len(monomial) == 1 and abs(rest[monomial]) != 1
        if not is_scaled or self._parameters.advances_scaled_words:
            return False
        frame.has_word_index = frame.has_word_index or _scales(index, monomial[0])
        if self._stays_below(frame, rest, monomial):
            return False
        if self._parameters.advances_indices and self._numberer.unrolled_loops:
            return True
        self._note_scaled(frame, rest, monomial)
        frame.scales_outside |= not in_shared
        return False

    def _note_scaled(self, frame: LoopFrame, rest: Polynomial, monomial: Monomial) -> None:
        """What an index that multiplies the counter adds to each round of the loop.

        Clang lets a pointer advance where it knows that the sum does not overflow: of a shift where the trips are known and
        the rest of the sum is bounded or counts in a loop around, and of another product where the rest counts up in loops
        around. Else each copy adds its constant to the word and widens it, unless the factor is a shift. Of a counter
        that is taken off, each copy has its own address anyhow.
        """
        frame.has_scaled_counter = True
        factor = abs(rest[monomial])
        if factor & (factor - 1):
            frame.multiplied_indices.add(signature(rest))

    def _stays_below(self, frame: LoopFrame, rest: Polynomial, monomial: Monomial) -> bool:
        """Whether clang knows that an index does not overflow, so that a pointer advances, or computes each copy's anyhow."""
        others = [other for other in rest if other != monomial]
        factor = abs(rest[monomial])
        is_counted = frame.has_known_trips and len(others) == 1 and not factor & (factor - 1)
        return self._parameters.advances_by_bounded_rows and (
            rest[monomial] < 0 or is_counted or self._cannot_overflow(frame, others, factor)
        )

    def _cannot_overflow(self, frame: LoopFrame, others: list[Monomial], factor: int) -> bool:
        """Whether clang knows that a multiple of a loop's counter and the other terms of a sum fit a word."""
        if any(len(other) > 1 for other in others):
            return False
        terms = [self._numberer.values[other[0]] for other in others]
        is_bounded = all(self._indices.is_bounded(term) for term in terms)
        if factor & (factor - 1):
            # Numbers of threads have no bound for clang before version 19.
            return is_bounded and not any(_is_special(term) for term in terms)
        outer = {number for each in self._numberer.frames[:-1] for number in each.counters}
        is_even = not frame.copies & (frame.copies - 1)
        counts_outside = all(term.number in outer for term in terms)
        return frame.has_known_trips and is_even and (is_bounded or counts_outside)

    def _is_positive_row(self, rest: Polynomial) -> bool:
        """Whether the part of an index that does not change in the innermost loop is known not to be negative.

        LLVM then widens it and the counter apart, and lets the trip count run down below zero beside the pointer.
        """
        frame = self._numberer.frames[-1]
        bounds = {number for outer in self._numberer.frames for number in outer.bounds}
        growing = {
            n for outer in self._numberer.frames for n, step in outer.counters.items() if step
        }
        for monomial, factor in rest.items():
            if any(number in frame.counters for number in monomial):
                continue
            largest = 1
            for number in monomial:
                if number in bounds:
                    continue
                bound = upper_bound(self._numberer.values[number], growing)
                if bound is None:
                    return False
                if number not in growing:
                    largest *= bound
            if factor < 0 or largest >= WORD // 2:
                return False
        return True


def _row(rest: Polynomial, counter: int) -> tuple[object, ...]:
    """An index apart from multiples of what a loop adds to it in each round, which its copies differ by."""
    strides = {
        tuple(n for n in monomial if n != counter) for monomial in rest if counter in monomial
    }
    beside = {m: factor for m, factor in rest.items() if counter not in m and m not in strides}
    return tuple(sorted(strides)), signature(beside)


def _adds_sum(index: Value, counter: Value) -> bool:
    """Whether a sum is added to a counter or a multiple of it, the number of a thread in the grid being one."""
    word = _without_added_constant(index)
    fixed = [arg for arg in word.args if not _has(arg, counter)]
    if word.op not in {Op.ADD, Op.SUB} or len(fixed) != 1:
        return False
    return _without_added_constant(fixed[0]).op in {Op.ADD, Op.SUB}


def _without_added_constant(index: Value) -> Value:
    """The word behind an index, without constants that are added to it last."""
    while index.op is Op.CAST or (index.op in {Op.ADD, Op.SUB} and index.args[1].is_constant):
        index = index.args[0]
    return index


def _adds_thread_number(rest: Polynomial, values: list[Value]) -> bool:
    """Whether an index adds the number of the thread in the grid: a product of block number and size, and one more register."""
    found = {
        tuple(sorted(str(values[number].detail) for number in monomial))
        for monomial, factor in rest.items()
        if factor == 1 and all(values[number].op is Op.SPECIAL for number in monomial)
    }
    return len(rest) == _TERMS_OF_THREAD + 1 and {len(names) for names in found} == {1, 2}


_TERMS_OF_THREAD = 2


def _is_natural(value: Value) -> bool:
    return value.is_constant and isinstance(value.constant, int) and value.constant >= 0


def _starts_at_stride(rest: Polynomial, counter: int) -> bool:
    """Whether what the loop adds to an index in each round is in the rest of it, too."""
    strides = {n for m in rest if counter in m for n in m} - {counter}
    return any(counter not in m and strides & {*m} for m in rest)


def _without(rest: Polynomial, monomial: Monomial) -> Terms:
    """What a polynomial has besides one monomial."""
    return signature({other: factor for other, factor in rest.items() if other != monomial})


def _widens_stride(index: Value, counter: Value) -> bool:
    """Whether a 64-bit index multiplies what has the counter in it once, by a widened word."""
    if index.op in {Op.ADD, Op.SUB}:
        moving = [arg for arg in index.args if _has(arg, counter)]
        return len(moving) == 1 and _widens_stride(moving[0], counter)
    if index.op is not Op.MUL:
        return False
    moving = [arg for arg in index.args if _has(arg, counter)]
    fixed = [arg for arg in index.args if arg not in moving]
    return (
        len(moving) == len(fixed) == 1
        and not multiplies_wide(moving[0])
        and fixed[0].op is Op.CAST
        and is_word(fixed[0].args[0])
    )


def _moving_part(index: Value, counter: Value) -> Value:
    """The part of a 64-bit sum that has the counter, without what places the row before it."""
    while index.op in {Op.ADD, Op.SUB} and index.scalar in WIDE:
        moving = [arg for arg in index.args if _has(arg, counter)]
        if len(moving) != 1:
            break
        (index,) = moving
    return index


def _has(value: Value, counter: Value) -> bool:
    return any(counter.number in monomial for monomial in polynomial(value))


def _is_special(value: Value) -> bool:
    while value.op is Op.CAST:
        value = value.args[0]
    return value.op is Op.SPECIAL


def _adds_counter(index: Value, rest: Polynomial, counter: int) -> bool:
    """Whether an index is a counter itself, or with something added in words that do not wrap around."""
    if rest.get((counter,)) != 1:
        return False
    if len(rest) == 1:
        return True
    while index.op is Op.CAST and index.scalar in WIDE:
        index = index.args[0]
    return index.op in {Op.ADD, Op.SUB} and not any(_is_unsigned_sum(arg) for arg in index.args)


def _is_unsigned_sum(value: Value) -> bool:
    return value.op is Op.CAST and value.detail is Scalar.U32 and value.args[0].op is Op.ADD


def _widened_words(index: Value) -> Iterator[Value]:
    """Words that a 64-bit index multiplies and adds."""
    if index.op is Op.CAST and is_word(index):
        yield index.args[0]
    elif index.op in {Op.ADD, Op.SUB, Op.MUL, Op.SHL}:
        for arg in index.args:
            yield from _widened_words(arg)


def _numbers(word: Value) -> set[int]:
    return {number for monomial in polynomial(word) for number in monomial}


def _starts_at_zero(word: Value, counter: Value) -> bool:
    """Whether a word is a counter from zero, or a copy's."""
    start = counter.args[0]
    return (
        start.is_constant and start.constant == 0 and len(without_constant(polynomial(word))) == 1
    )


def _scales(index: Value, counter: int) -> bool:
    """Whether a sum takes a counter times a constant; a multiple of a sum with the counter in it is another thing."""
    while index.op is Op.CAST:
        index = index.args[0]
    if index.op in {Op.ADD, Op.SUB}:
        return any(_scales(arg, counter) for arg in index.args)
    return index.op in {Op.MUL, Op.SHL} and index.args[0].number == counter
