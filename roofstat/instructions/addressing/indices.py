"""Indices of accesses: what of them is a constant, and which an earlier one and one step make up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.addressing.ranges import counted_bound, upper_bound
from roofstat.instructions.graph.memory_state import RootKind, root_of
from roofstat.instructions.graph.values import Pseudo, Value
from roofstat.instructions.integers.known_bits import low_bits
from roofstat.instructions.integers.polynomials import (
    Monomial,
    Polynomial,
    constant_term,
    difference_of,
    last_constant,
    lowest_bit,
    polynomial,
    without_constant,
)
from roofstat.instructions.integers.widths import WIDE, is_word, multiplies_wide
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.instructions.graph.numbering import Numberer
    from roofstat.instructions.tables.parameters import LoweringParameters

WORD = 1 << 32
REMEMBERED = 12
"""Indices, and addresses of a base, that later ones are compared with."""
_LINEAR = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.SHL})
_LEAST_TERMS = 2
_TERMS_THAT_KEEP = 2
"""A sum of so many terms keeps a positive constant apart."""


class Indices:
    """Takes the indices of one walk apart."""

    def __init__(self, numberer: Numberer, parameters: LoweringParameters) -> None:
        self._numberer = numberer
        self._parameters = parameters
        self._recent: list[Value] = []
        """Recent index expressions, for strength reduction."""

    def polynomial_of(self, base: Value, index: Value, scalar: Scalar) -> Polynomial:
        """The index as a polynomial in 64 bits; unsigned words may wrap around, so that nothing can leave most of those."""
        word = index
        if index.op is Op.CAST and isinstance(index.detail, Scalar) and scalar.size_bytes == 8:
            word, scalar = index.args[0], index.detail
            if scalar.is_signed and self.loses_constant(word):
                return {(index.number,): 1}
        if scalar.is_signed or scalar.size_bytes >= Scalar.I64.size_bytes:
            return polynomial(index)
        if self._keeps_wrapping(base, word) or self._is_counter(word):
            return polynomial(word)
        return {(index.number,): 1}

    def keeps_constant(self, base: Value, index: Value, scalar: Scalar) -> bool:
        """Whether the constant of an index that is a word is added to the rest of it before that is widened."""
        if scalar is Scalar.I32:
            return self.loses_constant(index)
        return (
            scalar is Scalar.U32
            and not self._parameters.bounds_unsigned_sums
            and constant_term(polynomial(index)) != 0
            and not self._keeps_wrapping(base, index)
            and not self._is_counter(index)
        )

    def is_kept_by_test(self, index: Value, scalar: Scalar) -> bool:
        """Whether what is taken off a word stays in an index of an array, as a test shows that it leaves no negative number."""
        if scalar is not Scalar.I32 or index.op not in {Op.ADD, Op.SUB}:
            return False
        taken = constant_term(polynomial(index))
        if taken >= 0:
            return False
        rest = self._numberer.least(self.without_constant(index))
        return rest is not None and rest + taken >= 0

    def with_whole_constant(self, word: Value) -> tuple[Value, Polynomial]:
        """A sum that keeps all of its constant."""
        kept = self._kept(word)
        return kept, {(kept.number,): 1}

    def is_parted(self, index: Value) -> bool:
        """Whether the constant of a sum leaves it at the price of an addition in 64 bits.

        Of `a + (k + 1)` both parts are widened where a loop around has computed `k + 1`, or where something else takes the sum too:
        else constants that full unrolling makes are added last.
        """
        word = index.args[0] if index.op is Op.CAST else index
        if word.op is not Op.ADD or word.scalar is not Scalar.I32:
            return False
        if self._numberer.unrolled_loops:
            return any(part.number in self._numberer.shared_sums for part in word.args)
        depth = self._numberer.natural_depth(word.args)
        return any(
            part.number in self._numberer.plain_sums
            and not self._is_counter(part)
            and self._numberer.natural_depth((part,)) < depth
            for part in word.args
        )

    def _keeps_wrapping(self, base: Value, word: Value) -> bool:
        """Whether a constant may leave an unsigned word without a change of the address.

        Nvcc knows that sums of thread indices do not wrap around, and that the addresses of shared and private memory
        are words, where wrapping makes no difference. LLVM only sees constants below the lowest bit of the rest.
        """
        if self._parameters.bounds_unsigned_sums:
            return root_of(base).kind is RootKind.SLOT or upper_bound(word, set()) is not None
        poly = polynomial(word)
        return sets_zero_bits(without_constant(poly), constant_term(poly))

    def apart_from_low_bits(self, index: Value) -> tuple[Value, int]:
        """An unsigned index without the constant that only sets low bits of it which are zero, and that constant.

        Such a sum does not wrap around, so the constant becomes the offset of the access.
        """
        is_cast = index.op is Op.CAST and index.scalar in WIDE
        word = index.args[0] if is_cast else index
        if not self._parameters.bounds_unsigned_sums or word.scalar is not Scalar.U32:
            return index, 0
        if word.op is not Op.ADD or not word.args[1].is_constant:
            return index, 0
        rest, low = word.args[0], int(word.args[1].constant or 0)
        if not 0 < low < WORD // 2 or low_bits(rest, (1 << low.bit_length()) - 1, {}) != 0:
            return index, 0
        if is_cast:
            rest = self._numberer.pure(Op.CAST, index.scalar, (rest,), index.detail)
        return rest, low

    def loses_constant(self, word: Value) -> bool:
        """Whether a constant inside a sum of words stays there.

        Clang moves it to the end of the sum; that forgets that the sum does not overflow, so that the constant cannot
        leave the widened index any more. Constants that full unrolling makes come too late for that, unless the sum is
        multiplied: taking a constant out of the product forgets the same.
        """
        if not self._parameters.loses_inner_constants or self._is_counted(word):
            return False
        if self._may_overflow(word) or self._falls(word):
            return True
        if self._numberer.unrolled_loops:
            return self._has_spread_constant(last_constant(word)[0])
        while word.op in {Op.ADD, Op.SUB} and word.args[1].is_constant:
            word = word.args[0]
        constant, terms = self._inner_constant(word)
        if constant == 0:
            return False
        return constant < 0 or terms > _TERMS_THAT_KEEP or self._split(word) is not None

    def _is_counted(self, word: Value) -> bool:
        """Whether a sum holds nothing but counters of loops of known length, so that LLVM knows that it does not overflow.

        When it weighs a loop, each such index still has an address.
        """
        frames = self._numberer.frames
        is_weighed = any(frame.trips for frame in frames)
        if not frames or is_weighed or word.op not in {Op.ADD, Op.SUB}:
            return False
        return counted_bound(polynomial(word), self._numberer.values, frames) is not None

    def _may_overflow(self, word: Value) -> bool:
        """Whether a sum takes the counter of a loop that may overflow, and more."""
        frames = self._numberer.frames
        if not frames or word.op not in {Op.ADD, Op.SUB}:
            return False
        if not frames[-1].loses_overflow and not frames[-1].keeps_counter:
            return False
        poly = without_constant(polynomial(word))
        counters = frames[-1].counters
        moving = [monomial for monomial in poly if any(n in counters for n in monomial)]
        return bool(moving) and len(poly) > len(moving)

    def _falls(self, word: Value) -> bool:
        """Whether it is a copy's counter in a loop that makes each of its addresses anew, as the counter falls to a constant."""
        frames = self._numberer.frames
        if not frames or not frames[-1].keeps_falling or word.op not in _LINEAR:
            return False
        if word.args[1].is_constant and word.op is Op.ADD:
            return (frames[-1].counters.get(word.args[0].number) or 0) < 0
        return any(map(self._falls, word.args))

    def with_constant(self, word: Value) -> tuple[Value, Polynomial]:
        """A sum that keeps its constant, as the compiler adds it up; what unrolling adds last to a signed one leaves it."""
        is_last = bool(self._numberer.unrolled_loops) and word.scalar is Scalar.I32
        inner, last = last_constant(word) if is_last else (word, 0)
        kept = self._kept(inner)
        poly: Polynomial = {(kept.number,): 1}
        if not last:
            return kept, poly
        added = self._numberer.constant(word.scalar, last)
        return self._numberer.pure(Op.ADD, word.scalar, (kept, added), None), {**poly, (): last}

    def _kept(self, word: Value) -> Value:
        split = self._split(word)
        if split is not None:
            return split
        moved = self._numberer.constant(word.scalar, constant_term(polynomial(word)))
        return self._numberer.pure(
            Op.ADD, word.scalar, (self.without_constant(word), moved), word.detail
        )

    def _split(self, word: Value) -> Value | None:
        """`k + (g + c)` of `(k + c) + g`, where the loop leaves `g` alone: clang adds the constant to that in front of it."""
        depth = len(self._numberer.frames)
        if not depth or word.op is not Op.ADD or word.args[1].is_constant:
            return None
        for inner, outer in (word.args, word.args[::-1]):
            constant, _ = self._inner_constant(inner)
            if not constant or self._numberer.natural_depth((inner,)) < depth:
                continue
            if self._numberer.natural_depth((outer,)) < depth:
                moved = (outer, self._numberer.constant(word.scalar, constant))
                parts = (
                    self.without_constant(inner),
                    self._numberer.pure(Op.ADD, word.scalar, moved, None),
                )
                return self._numberer.pure(Op.ADD, word.scalar, parts, None)
            rest = self._split(inner)
            if rest is not None:
                return self._numberer.pure(Op.ADD, word.scalar, (rest, outer), None)
        return None

    def closed(self, widened: Value) -> Value:
        """A widened word that is added to more, with a constant that came out of a product left inside.

        LLVM forgets that the sum of such a word does not overflow. As a whole index of an array it takes the constant out of it
        all the same, as that stays inside of the array; as one term of several it does not.
        """
        word = widened.args[0]
        if not self._has_spread_constant(word, is_term=True):
            return widened
        kept = self._kept(word)
        result = self._numberer.pure(Op.CAST, widened.scalar, (kept,), widened.detail)
        result.polynomial = {(result.number,): 1}
        return result

    def _has_spread_constant(self, word: Value, *, is_term: bool = False) -> bool:
        """Whether a sum has a constant that came out of a product; those of a copy's own counter stand for no sum."""
        if word.op in {Op.MUL, Op.SHL} and word.args[1].is_constant:
            return self._has_spread_constant(word.args[0], is_term=True)
        if word.op not in {Op.ADD, Op.SUB}:
            return False
        product, constant = word.args
        factor = self._numberer.factor_outside(product)
        if factor is None or not constant.is_constant:
            return any(self._has_spread_constant(arg, is_term=is_term) for arg in word.args)
        if self._numberer.was_shifted_apart(product) and not is_term:
            return False
        poly = polynomial(product)
        added = int(constant.constant or 0)
        added -= added % lowest_bit(poly)
        if len(poly) == 1:
            ((monomial, factor),) = poly.items()
            if len(monomial) == 1:
                counter = self._numberer.values[monomial[0]]
                return added != 0 and not self._counts_rounds(counter, added // factor)
        return added != 0

    def _counts_rounds(self, counter: Value, rounds: int) -> bool:
        """Whether a counter and so much more is the counter of a later copy."""
        return any(
            0 < rounds * step < frame.copies * step * step
            for frame in self._numberer.frames
            if (step := frame.counters.get(counter.number))
        )

    def _inner_constant(self, word: Value) -> tuple[int, int]:
        """(the constants inside a sum, its other terms); parts without constants are one term each, as are counters."""
        if word.is_constant:
            return int(word.constant or 0), 0
        if word.op in {Op.MUL, Op.SHL} and word.args[1].is_constant:
            constant, terms = self._inner_constant(word.args[0])
            return constant * int(word.args[1].constant or 0), terms
        if word.op is Op.CAST and word.scalar is Scalar.I32 and word.detail is Scalar.U32:
            # An unsigned difference wraps around to its large constant.
            constant, terms = self._inner_constant(word.args[0])
            constant = (constant + WORD // 2) % WORD - WORD // 2
            return (constant, terms) if constant < 0 else (0, 1)
        if word.op not in {Op.ADD, Op.SUB} or self._is_counter(word):
            return 0, 1
        parts = [self._inner_constant(arg) for arg in word.args]
        sign = 1 if word.op is Op.ADD else -1
        constant = parts[0][0] + sign * parts[1][0]
        return (constant, parts[0][1] + parts[1][1]) if constant else (0, 1)

    def _is_counter(self, word: Value) -> bool:
        """Whether it is a loop counter, or a copy's counter: its bound keeps that from wrapping."""
        added = 0
        if word.op is Op.ADD and word.args[1].is_constant:
            added = int(word.args[1].constant or 0)
            word = word.args[0]
            factor = self._numberer.factor_outside(word)
            if factor is not None and self._counts_rounds(word.args[0], added // factor):
                return True
        steps = [frame.counters.get(word.number) or 0 for frame in self._numberer.frames]
        return any(step > 0 or (step < 0 and added <= 0) for step in steps)

    def is_bounded(self, value: Value) -> bool:
        """Whether a value is known to fit an unsigned word."""
        counters = {
            n for frame in self._numberer.frames for n, step in frame.counters.items() if step
        }
        bound = upper_bound(value, counters)
        return bound is not None and bound < WORD

    def without_constant(self, value: Value) -> Value:
        """The same index without its constant term, as far as it stands on top of the expression."""
        if constant_term(polynomial(value)) == 0:
            return value
        match value.op:
            case Op.ADD if value.args[1].is_constant:
                return value.args[0]
            case Op.ADD | Op.SUB:
                parts = tuple(self.without_constant(arg) for arg in value.args)
                return self._numberer.pure(value.op, value.scalar, parts, value.detail)
            case Op.CAST:
                inner = self.without_constant(value.args[0])
                return self._numberer.pure(Op.CAST, value.scalar, (inner,), value.detail)
            case Op.MUL | Op.SHL if value.args[1].is_constant:
                inner = self.without_constant(value.args[0])
                return self._numberer.pure(
                    value.op, value.scalar, (inner, value.args[1]), value.detail
                )
            case _:
                return value

    def derived(self, index: Value) -> Value:
        """An index in a loop that differs from an earlier one by an invariant, as one operation on that one.

        So copies of a body find their indices: `(k + 1) * n + i` becomes `(k * n + i) + n`. Outside loops the
        compilers leave such products alone.
        """
        poly = polynomial(index)
        if len(poly) < _LEAST_TERMS or index.op in {Pseudo.DERIVED, Pseudo.PHI}:
            return index
        if not self._numberer.frames or not self._counts(poly):
            return index
        if self._parameters.extends_counters and self._falls_in_pairs(index):
            return index
        for known in reversed(self._recent):
            if known is index:
                return index
            if not known.context.is_active or known.scalar is not index.scalar:
                continue
            if polynomial(known) == poly:
                return known
            if self._is_of_other_copy(known):
                continue
            step = self._invariant_step(poly, polynomial(known))
            if step is not None:
                return self._made_of((known, step), index)
        start = self._start(poly) if self._parameters.advances_indices else None
        if start is not None:
            self._numberer.frames[-1].advances_words = True
            return self._made_of(start, index)
        self._remember_index(index)
        return index

    def _falls_in_pairs(self, index: Value) -> bool:
        """Whether a counter that falls is multiplied in 64 bits, which each copy does anew."""
        counters = self._numberer.frames[-1].counters
        return multiplies_wide(index) and any(
            (counters.get(number) or 0) < 0 for monomial in polynomial(index) for number in monomial
        )

    def regrouped(self, index: Value) -> Value:
        """The index of an element of a row, where no pointer advances: the sum of what the loop leaves alone is taken before it.

        Elsewhere it is made from the row's.
        """
        frames = self._numberer.frames
        if not frames or not frames[-1].keeps_indices or index.scalar not in WIDE:
            return self.derived(index)
        depth = frames[-1].depth
        moving: list[Value] = []
        fixed: list[Value] = []
        pending = [index]
        while pending:
            part = pending.pop()
            if self._numberer.natural_depth((part,)) < depth:
                fixed.append(part)
            elif part.op in {Op.ADD, Pseudo.DERIVED} and part.scalar in WIDE:
                pending.extend(part.args)
            else:
                moving.append(part)
        if not fixed or not moving:
            return self.derived(index)
        return self._sum_of([self._sum_of(fixed), *moving])

    def _sum_of(self, parts: list[Value]) -> Value:
        """A sum of 64 bits in the order of creation."""
        first, *others = map(self._numberer.widened, sorted(parts, key=lambda part: part.number))
        for part in others:
            first = self._numberer.pure(Op.ADD, Scalar.I64, (first, part), None)
        return first

    def _is_of_other_copy(self, known: Value) -> bool:
        """Whether a copy before this one made an index, and each makes its own: of a word that it steps and widens."""
        frame = self._numberer.frames[-1]
        if not frame.keeps_indices or known.number >= frame.copy_from:
            return False
        return any(is_word(self._numberer.values[number]) for number in frame.counters)

    def _made_of(self, args: tuple[Value, ...], index: Value) -> Value:
        """An index as one operation on others."""
        context = self._numberer.place(Pseudo.DERIVED, args)
        derived = self._numberer.new(Pseudo.DERIVED, index.scalar, list(args), None, context)
        derived.polynomial = polynomial(index)
        self._remember_index(derived)
        return derived

    def _invariant_step(self, poly: Polynomial, known: Polynomial) -> Value | None:
        """What a loop leaves alone by which two indices differ."""
        depth = len(self._numberer.frames)
        difference = difference_of(poly, known)
        if self._parameters.advances_indices and len(difference) > 1:
            parts = [self._numberer.values[n] for monomial in difference for n in monomial]
            return self._sum(difference) if self._numberer.natural_depth(parts) < depth else None
        step = self.single_step(poly, known)
        return step if step is not None and self._numberer.natural_depth((step,)) < depth else None

    def _start(self, poly: Polynomial) -> tuple[Value, ...] | None:
        """Counter and start of an index that LLVM advances as a word, where it takes more than one operation to compute."""
        counters = self._numberer.frames[-1].counters
        start = {m: factor for m, factor in poly.items() if not counters.keys() & {*m}}
        moving = [m for m in poly if m not in start]
        if len(moving) * len(start) < _LEAST_TERMS or not self.is_affine(poly):
            return None
        counter = next(n for n in moving[0] if n in counters)
        return self._numberer.values[counter], self._sum(start)

    def is_affine(self, poly: Polynomial) -> bool:
        """Whether a loop changes an index by what it leaves alone."""
        if not self._numberer.frames or not self._counts(poly):
            return False
        frame = self._numberer.frames[-1]
        others = [self._numberer.values[n] for m in poly for n in m if n not in frame.counters]
        is_linear = all(sum(n in frame.counters for n in m) < _LEAST_TERMS for m in poly)
        return is_linear and self._numberer.natural_depth(others) < frame.depth

    def _sum(self, poly: Polynomial) -> Value:
        """A polynomial as a value."""
        total: Value | None = None
        for monomial, factor in sorted(poly.items(), key=lambda item: -len(item[0])):
            term = self._product(monomial, factor)
            scalar = term.scalar
            total = (
                term if total is None else self._numberer.pure(Op.ADD, scalar, (total, term), None)
            )
        assert total is not None
        return total

    def _product(self, monomial: Monomial, factor: int) -> Value:
        values = [self._numberer.values[number] for number in monomial]
        if not values:
            return self._numberer.constant(Scalar.I32, factor)
        product = values[0]
        for value in values[1:]:
            product = self._numberer.pure(Op.MUL, product.scalar, (product, value), None)
        if factor != 1:
            constant = self._numberer.constant(product.scalar, factor)
            product = self._numberer.pure(Op.MUL, product.scalar, (product, constant), None)
        return product

    def _remember_index(self, index: Value) -> None:
        self._recent.append(index)
        if len(self._recent) > REMEMBERED:
            del self._recent[0]

    def single_step(
        self, poly: Polynomial, known: Polynomial, *, in_words: bool = True
    ) -> Value | None:
        """The one product by which two polynomials differ, as a value; None if they differ by more."""
        difference = difference_of(poly, known)
        if len(difference) != 1:
            return None
        (monomial,) = difference
        if not monomial:
            return None
        return self._product_of(monomial, in_words=in_words)

    def stride(self, difference: Polynomial, *, in_words: bool) -> Value:
        """The difference of two indices as a value.

        Args:
            difference: The same as a polynomial without a constant.
            in_words: Whether the code multiplies words.
        """
        total: Value | None = None
        for monomial, factor in difference.items():
            part = self._product_of(monomial, in_words=in_words)
            if factor != 1:
                amount = self._numberer.constant(part.scalar, factor)
                part = self._numberer.pure(Op.MUL, part.scalar, (part, amount), None)
            total = (
                part
                if total is None
                else self._numberer.pure(Op.ADD, part.scalar, (total, part), None)
            )
        assert total is not None
        return total

    def _product_of(self, monomial: Monomial, *, in_words: bool) -> Value:
        """The product of values; those of several words are one word only if the code multiplies words."""
        first, *others = (self._numberer.values[number] for number in monomial)
        if others and not in_words:
            first, *others = map(self._numberer.widened, (first, *others))
        step = first
        for factor in others:
            step = self._numberer.pure(Op.MUL, step.scalar, (step, factor), None)
        return step

    def _counts(self, poly: Polynomial) -> bool:
        """Whether a polynomial contains a counter of the innermost loop."""
        counters = self._numberer.frames[-1].counters
        return any(number in counters for monomial in poly for number in monomial)


def sets_zero_bits(rest: Polynomial, constant: int) -> bool:
    """Whether a constant only sets bits that are zero in what it is added to."""
    return 0 <= constant < lowest_bit(rest)
