"""Algebraic simplification of one operation, before it gets a value number."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from clang_queries.ir.types import Scalar
from roofstat.instructions.addressing.ranges import upper_bound
from roofstat.instructions.integers.arithmetic import Constant, evaluate, wrap
from roofstat.instructions.integers.bit_counts import counted_word
from roofstat.instructions.integers.decided_comparisons import decided
from roofstat.instructions.integers.known_bits import (
    fits_mask,
    in_first_round,
    is_kept_by,
    low_bits,
    range_of_bytes,
)
from roofstat.instructions.integers.polynomials import constant_multiple, lowest_bit, polynomial
from roofstat.instructions.integers.widths import NARROW, WIDE, WORD_BITS, WORDS
from roofstat.program.code import Op
from roofstat.program.comparisons import NEGATED

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence

    from roofstat.instructions.graph.values import AnyOp, Value
    from roofstat.instructions.integers.known_bits import Advance, Progression

Rewritten: TypeAlias = "tuple[Op, Scalar, tuple[Value, ...], object]"

ROTATION = "__funnelshift_l"
"""Name of a MATH operation that rotates a word, or shifts a pair of them."""
COMMUTATIVE = frozenset({Op.ADD, Op.MUL, Op.AND, Op.OR, Op.XOR, Op.EQ, Op.NE})

_SINKABLE = frozenset({Op.ADD, Op.MUL, Op.AND, Op.OR, Op.XOR})
_LOW_FROM_LOW = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.AND, Op.OR, Op.XOR})
_WORD_BYTES = 4
_PAIR_BYTES = 16
_TRUTH_LOGIC = frozenset({Op.AND, Op.OR, Op.XOR})
_SWAPPED = {Op.GT: Op.LT, Op.GE: Op.LE}


class Folder:
    """Rewrites operations to simpler ones; `constant` and `make` make values."""

    def __init__(
        self,
        constant: Callable[[Scalar, Constant], Value],
        make: Callable[[Op, Scalar, tuple[Value, ...], object], Value],
        *,
        fast_math: bool,
        called_on_constants: Container[str] = (),
        finds_bit_counts: bool = False,
        finds_distances: bool = False,
        compares_terms: bool = False,
    ) -> None:
        self._finds_bit_counts = finds_bit_counts
        self._finds_distances = finds_distances
        self._compares_terms = compares_terms
        self._called_on_constants = called_on_constants
        self._constant = constant
        self._make = make
        self._fast_math = fast_math
        self.counters: dict[int, Progression] = {}
        """What is known of loop counters, by value number."""
        self.advances: dict[int, Advance] = {}
        """Where they start, known or not, by value number."""
        self.spread: dict[int, int] = {}
        """Product -> its factor, of products that a constant was taken out of."""
        self.taken_out: dict[int, set[int]] = {}
        """Product -> what was taken out of it."""
        self.whole_sums: set[int] = set()
        """Sums with a constant that several products take, which is why it leaves none of them."""
        self.shifts: set[int] = set()
        """Words that the code shifts, which may lose bits where a product may not."""
        self.shifted_apart: set[int] = set()
        """Those of them that compilers take apart before loops are unrolled: `(k * 8 + j) * 4` is `k * 32 + j * 4`."""

    def fold(
        self, op: Op, scalar: Scalar, args: tuple[Value, ...], detail: object
    ) -> Value | Rewritten:
        """Simplifies an operation.

        Returns:
            An existing value, or the operation to number (possibly another one, operands in canonical order).
        """
        is_called = op is Op.MATH and detail in self._called_on_constants
        if args and all(arg.is_constant for arg in args) and op is not Op.BITCAST and not is_called:
            constants = tuple(arg.constant for arg in args)
            known = evaluate(op, scalar, constants, detail)  # type: ignore[arg-type]
            if known is not None:
                return self._constant(_result_scalar(op, scalar), known)
        if op in COMMUTATIVE:
            args = _ordered(args)
        elif op in _SWAPPED:
            op, args = _SWAPPED[op], (args[1], args[0])
        simple = self._truth(op, scalar, args)
        if simple is None:
            simple = self._identity(op, scalar, args, detail)
        if simple is not None:
            return simple
        return op, scalar, args, detail

    def _identity(
        self, op: Op, scalar: Scalar, args: tuple[Value, ...], detail: object
    ) -> Value | Rewritten | None:
        match op:
            case Op.ADD:
                return self._add(scalar, args[0], args[1])
            case Op.SUB:
                return self._sub(scalar, args[0], args[1])
            case Op.MUL:
                return self._mul(scalar, args[0], args[1])
            case Op.DIV:
                return self._div(scalar, args[0], args[1])
            case Op.REM:
                return self._rem(scalar, args[0], args[1])
            case Op.AND | Op.OR | Op.XOR:
                return self._logic(op, scalar, args[0], args[1]) or _rotation(op, scalar, args)
            case Op.SHL | Op.SHR:
                return self._shift(op, scalar, args[0], args[1])
            case Op.NOT:
                return self._not(args[0])
            case Op.NEG:
                return args[0].args[0] if args[0].op is Op.NEG else None
            case Op.CAST:
                return self._cast(scalar, args[0], detail)
            case Op.BITCAST:
                return args[0] if detail is scalar else None
            case Op.SELECT:
                return self._select(args)
            case Op.EQ | Op.NE if not scalar.is_float and args[0].op is Op.AND:
                return self._bit_test(op, scalar, args[0], args[1])
            case Op.EQ | Op.NE if not scalar.is_float and args[0].op is Op.REM:
                return self._multiple_test(op, scalar, args[0], args[1])
            case Op.EQ | Op.LE if args[0] is args[1] and not scalar.is_float:
                return self._constant(Scalar.BOOL, True)
            case Op.NE | Op.LT if args[0] is args[1] and not scalar.is_float:
                return self._constant(Scalar.BOOL, False)
            case Op.EQ | Op.NE | Op.LT | Op.LE:
                truth = decided(op, scalar, args)
                if truth is not None:
                    return self._constant(Scalar.BOOL, truth)
                return self._compared(op, scalar, args) if self._compares_terms else None
            case _:
                return None

    def _truth(self, op: Op, scalar: Scalar, args: tuple[Value, ...]) -> Value | Rewritten | None:
        """Comparisons and logic on integers that are truth values become logic on truth values."""
        if len(args) != 2 or scalar.is_float or scalar is Scalar.BOOL:
            return None
        left = _truth_behind(args[0])
        if left is None:
            return None
        right = args[1]
        if op in {Op.EQ, Op.NE} and right.is_constant and right.constant in {0, 1}:
            keeps = (op is Op.NE) == (right.constant == 0)
            return left if keeps else (Op.NOT, Scalar.BOOL, (left,), None)
        other = _truth_behind(right)
        if other is None and right.is_constant and right.constant in {0, 1}:
            other = self._constant(Scalar.BOOL, bool(right.constant))
        if other is None:
            return None
        if op in {Op.EQ, Op.NE}:
            differ = self._make(Op.XOR, Scalar.BOOL, (left, other), None)
            return differ if op is Op.NE else (Op.NOT, Scalar.BOOL, (differ,), None)
        if op in _TRUTH_LOGIC:
            joined = self._make(op, Scalar.BOOL, (left, other), None)
            return Op.CAST, scalar, (joined,), Scalar.BOOL
        return None

    def _add(self, scalar: Scalar, left: Value, right: Value) -> Value | Rewritten | None:
        if not right.is_constant:
            whole = self._whole(left, right) if scalar is Scalar.I32 else None
            return whole or _rotation(Op.ADD, scalar, (left, right))
        if right.constant == 0 and (not scalar.is_float or self._fast_math):
            return left
        if scalar.is_float:
            return None
        if left.op is Op.ADD and left.args[1].is_constant and left.scalar is scalar:
            total = int(left.args[1].constant or 0) + int(right.constant or 0)
            constant = self._constant(scalar, total)
            if constant.constant == 0:
                return left.args[0]
            return Op.ADD, scalar, (left.args[0], constant), None
        return None

    def _whole(self, left: Value, right: Value) -> Rewritten | None:
        """The counter of a collapsed nest that its rows and columns add up to again.

        Clang takes them apart from outside in: of three loops the division for the outermost one stays.
        """
        divided = _divided(left, right)
        if divided is not None:
            counter = divided[0]
            return (
                (Op.CAST, Scalar.I32, (counter,), counter.scalar)
                if counter.op is not Op.DIV
                else None
            )
        for product, rest in ((left, right), (right, left)):
            remainder = _cut(rest)
            if product.op is not Op.MUL or remainder is None or remainder.op is not Op.REM:
                continue
            for row, length in (product.args, product.args[::-1]):
                inner = _divided(*row.args) if row.op is Op.ADD else None
                if inner is None or inner[0].op is not Op.DIV or inner[0].args != remainder.args:
                    continue
                counter = remainder.args[0]
                both = self._make(Op.MUL, Scalar.I64, (inner[1], remainder.args[1]), None)
                outer = self._make(Op.DIV, Scalar.I64, (counter, both), None)
                words = [
                    self._make(Op.CAST, Scalar.I32, (x,), Scalar.I64) for x in (counter, outer)
                ]
                return (
                    Op.ADD,
                    Scalar.I32,
                    (words[0], self._make(Op.MUL, Scalar.I32, (words[1], length), None)),
                    None,
                )
        return None

    def _sub(self, scalar: Scalar, left: Value, right: Value) -> Value | Rewritten | None:
        if right.is_constant:
            if right.constant == 0:
                return left
            if scalar.is_float:
                negated = self._constant(scalar, -float(right.constant or 0.0))
            else:
                negated = self._constant(scalar, -int(right.constant or 0))
            return self._add(scalar, left, negated) or (Op.ADD, scalar, (left, negated), None)
        if left is right and not scalar.is_float:
            return self._constant(scalar, 0)
        if not scalar.is_float and left.op is Op.ADD and right in left.args:
            return left.args[1] if left.args[0] is right else left.args[0]
        return None

    def _mul(self, scalar: Scalar, left: Value, right: Value) -> Value | Rewritten | None:
        if not right.is_constant:
            return self._sign_outside(scalar, left, right) if scalar.is_float else None
        factor = right.constant
        if factor == 1:
            return left
        if scalar.is_float:
            return (Op.NEG, scalar, (left,), None) if factor == -1.0 else None
        if factor == 0:
            return right
        if factor == _ones(scalar):
            return Op.NEG, scalar, (left,), None
        if left.op is Op.MUL and left.args[1].is_constant and left.scalar is scalar:
            product = int(left.args[1].constant or 0) * int(factor or 0)
            return Op.MUL, scalar, (left.args[0], self._constant(scalar, product)), None
        spread = self._spread(scalar, left, int(factor or 0))
        if spread is not None:
            return spread
        shift = _power_of_two(int(factor or 0))
        if shift is not None:
            return Op.SHL, scalar, (left, self._constant(Scalar.I32, shift)), None
        return None

    def _sign_outside(self, scalar: Scalar, left: Value, right: Value) -> Rewritten | None:
        """``-x * y`` becomes ``-(x * y)``, so that one sign is left of a product's."""
        is_negative = [value.op is Op.NEG for value in (left, right)]
        if not any(is_negative):
            return None
        plain = tuple(value.args[0] if value.op is Op.NEG else value for value in (left, right))
        if all(is_negative):
            return Op.MUL, scalar, plain, None
        return Op.NEG, scalar, (self._make(Op.MUL, scalar, plain, None),), None

    def _spread(self, scalar: Scalar, left: Value, factor: int) -> Rewritten | None:
        """``(x + c) * k`` becomes ``x * k + c k``: one multiply-add."""
        if left.op is not Op.ADD or not left.args[1].is_constant or left.scalar is not scalar:
            return None
        if left.number in self.whole_sums:
            return None
        product = self._make(Op.MUL, scalar, (left.args[0], self._constant(scalar, factor)), None)
        self.spread[product.number] = factor
        amount = int(left.args[1].constant or 0) * factor
        self.taken_out.setdefault(product.number, set()).add(amount)
        moved = self._constant(scalar, amount)
        return Op.ADD, scalar, (product, moved), None

    def _div(self, scalar: Scalar, left: Value, right: Value) -> Value | Rewritten | None:
        whole = _behind_remainder(left, right)
        if whole is not None and not scalar.is_float:
            return Op.DIV, scalar, (whole, right), None
        if not right.is_constant:
            return None
        divisor = right.constant
        if divisor == 1:
            return left
        if scalar.is_float:
            real = float(divisor or 0.0)
            exact = math.frexp(real)[0] in {0.5, -0.5}
            if exact or (self._fast_math and real):
                return Op.MUL, scalar, (left, self._constant(scalar, 1.0 / real)), None
            return None
        number = int(divisor or 0)
        if left.op is Op.DIV and left.scalar is scalar and left.args[1].is_constant:
            product = self._constant(scalar, int(left.args[1].constant or 0) * number)
            if product.constant == int(left.args[1].constant or 0) * number:
                return Op.DIV, scalar, (left.args[0], product), None
        shift = _power_of_two(number)
        is_positive = not scalar.is_signed or _is_never_negative(left)
        if shift is not None and is_positive:
            return Op.SHR, scalar, (left, self._constant(Scalar.I32, shift)), None
        if scalar is Scalar.I32 and is_positive and number > 0:
            return Op.DIV, Scalar.U32, (left, right), None
        return None

    def _rem(self, scalar: Scalar, left: Value, right: Value) -> Value | Rewritten | None:
        if not right.is_constant or scalar.is_float:
            return None
        divisor = int(right.constant or 0)
        if divisor == 1:
            return self._constant(scalar, 0)
        is_positive = not scalar.is_signed or _is_never_negative(left)
        if _power_of_two(divisor) is None:
            is_word = scalar is Scalar.I32 and is_positive and divisor > 0
            return (Op.REM, Scalar.U32, (left, right), None) if is_word else None
        if is_positive:
            return Op.AND, scalar, (left, self._constant(scalar, divisor - 1)), None
        known = low_bits(left, divisor - 1, self.counters)
        # Of what may be negative so may be the remainder, unless it is none.
        rising = {number for number, counter in self.counters.items() if counter.rises}
        if known is None or (known and upper_bound(left, rising) is None):
            return None
        return self._constant(scalar, known)

    def _logic(self, op: Op, scalar: Scalar, left: Value, right: Value) -> Value | Rewritten | None:
        if left is right:
            return self._constant(scalar, 0) if op is Op.XOR else left
        if not right.is_constant:
            return None
        ones = 1 if scalar is Scalar.BOOL else _ones(scalar)
        if right.constant == 0:
            return right if op is Op.AND else left
        if right.constant == ones:
            if op is Op.AND:
                return left
            if op is Op.OR:
                return right
        if op is Op.AND and scalar is not Scalar.BOOL:
            return self._mask(scalar, left, right)
        return None

    def _mask(self, scalar: Scalar, left: Value, mask: Value) -> Value | Rewritten | None:
        """Low bits: known ones of a counter, or `(x ^ byte) & 255`, which masks `x` before it is combined."""
        bits = int(mask.constant or 0)
        if bits <= 0 or bits & (bits + 1):
            return None
        known = low_bits(left, bits, self.counters)
        if known is not None:
            return self._constant(scalar, known)
        first = in_first_round(left, bits, self.advances, self._make, self._constant)
        if first is not None:
            return Op.AND, scalar, (first, mask), None
        if left.op not in {Op.XOR, Op.OR} or left.scalar is not scalar:
            return None
        for part, other in (left.args, left.args[::-1]):
            if fits_mask(part, bits) and not other.is_constant:
                masked = self._make(Op.AND, scalar, (other, mask), None)
                return Op(left.op), scalar, (masked, part), None
        return None

    def _shift(
        self, op: Op, scalar: Scalar, operand: Value, amount: Value
    ) -> Value | Rewritten | None:
        if operand.is_constant and operand.constant == 0:
            return operand
        if not amount.is_constant:
            return None
        if amount.constant == 0:
            return operand
        if operand.op is op and operand.scalar is scalar and operand.args[1].is_constant:
            total = int(amount.constant or 0) + int(operand.args[1].constant or 0)
            if total < 8 * scalar.size_bytes:
                return op, scalar, (operand.args[0], self._constant(Scalar.I32, total)), None
        if op is Op.SHL and operand.op is Op.CAST and operand.detail is Scalar.BOOL:
            bit = self._constant(scalar, wrap(scalar, 1 << int(amount.constant or 0)))
            return Op.SELECT, scalar, (operand.args[0], bit, self._constant(scalar, 0)), None
        if op is Op.SHL:
            return self._spread(scalar, operand, 1 << (int(amount.constant or 0) & 63))
        counted = counted_word(scalar, operand, amount) if self._finds_bit_counts else None
        return (Op.MATH, scalar, (counted,), "popc") if counted is not None else None

    def _bit_test(self, op: Op, scalar: Scalar, operand: Value, zero: Value) -> Rewritten | None:
        """`(x >> c & m) == 0` tests `x & (m << c)`, without the shift."""
        if operand.op is not Op.AND or not zero.is_constant or zero.constant != 0:
            return None
        shifted, mask = operand.args
        if shifted.op is not Op.SHR or not mask.is_constant or not shifted.args[1].is_constant:
            return None
        bits, amount = 8 * operand.scalar.size_bytes, int(shifted.args[1].constant or 0)
        if not 0 <= amount < bits:
            return None
        moved = int(mask.constant or 0) << amount
        if not 0 < moved < 1 << bits:
            return None
        tested = self._make(
            Op.AND, operand.scalar, (shifted.args[0], self._constant(operand.scalar, moved)), None
        )
        return op, scalar, (tested, zero), None

    def _multiple_test(
        self, op: Op, scalar: Scalar, remainder: Value, zero: Value
    ) -> Rewritten | None:
        """Of a power of two, multiples are told by bits, whatever the sign."""
        number, divisor = remainder.args
        if not zero.is_constant or zero.constant != 0 or not divisor.is_constant:
            return None
        if _power_of_two(int(divisor.constant or 0)) is None:
            return None
        mask = self._constant(scalar, int(divisor.constant or 0) - 1)
        return op, scalar, (self._make(Op.AND, scalar, (number, mask), None), zero), None

    def _compared(self, op: Op, scalar: Scalar, args: tuple[Value, ...]) -> Rewritten | None:
        """`x * k + c < d` compares x, as the sum of a signed word does not overflow."""
        if scalar is not Scalar.I32 or op not in {Op.LT, Op.LE}:
            return None
        for place, (word, limit) in enumerate((args, args[::-1])):
            if not isinstance(limit.constant, int) or word.scalar is not scalar:
                continue
            bound = limit.constant
            if word.op is Op.ADD and isinstance(word.args[1].constant, int):
                if 0 < word.args[1].constant < lowest_bit(polynomial(word.args[0])):
                    return None  # a bitwise or to LLVM
                bound -= word.args[1].constant
            else:
                multiplied, factor = constant_multiple(word)
                if multiplied is word or factor <= 0 or word.number in self.shifts:
                    continue
                # `x * k < d` is `x < ceil(d / k)`, `x * k <= d` is `x <= floor(d / k)`, the other way round below a word.
                rounds_up = (op is Op.LT) == (place == 0)
                bound = -(-bound // factor) if rounds_up else bound // factor
            least = self._constant(scalar, bound)
            if least.constant != bound:
                return None
            return op, scalar, (word.args[0], least) if place == 0 else (least, word.args[0]), None
        return None

    def _comparisons(self, condition: Value, first: Value, second: Value) -> Iterator[_Comparison]:
        """A condition as it is, and as comparisons of what is chosen that come to the same (`x < 9` of `x - 8 < 1`)."""
        yield _Comparison(condition.op, condition.scalar, condition.args)
        if not self._compares_terms or condition.op not in {Op.LT, Op.LE}:
            return
        chosen = [part for arm in (first, second) for part in (arm, *_inside(arm))]
        words = [word for word in chosen if not word.is_constant]
        limits = [word for word in chosen if word.is_constant]
        for word in words:
            for limit in (*limits, self._constant(Scalar.I32, 0)):
                for op in (Op.LT, Op.LE):
                    for args in ((word, limit), (limit, word)):
                        if self._comes_to(condition, op, args):
                            yield _Comparison(op, condition.scalar, args)

    def _comes_to(self, condition: Value, op: Op, args: tuple[Value, Value]) -> bool:
        current: Rewritten | None = (op, Scalar.I32, args, None)
        while current is not None:
            op, scalar, found, _ = current
            if op is condition.op and all(map(operator.is_, found, condition.args)):
                return True
            current = self._compared(op, scalar, found)
        return False

    def _not(self, operand: Value) -> Value | Rewritten | None:
        if operand.op is Op.NOT:
            return operand.args[0]
        if operand.op in NEGATED and not operand.scalar.is_float:
            inverse = NEGATED[operand.op]
            args = tuple(operand.args)
            if inverse in _SWAPPED:
                inverse, args = _SWAPPED[inverse], (args[1], args[0])
            return inverse, operand.scalar, args, None
        return None

    def _cast(self, scalar: Scalar, operand: Value, detail: object) -> Value | Rewritten | None:
        if detail is scalar:
            return operand
        factors = _factors_of_high_word(scalar, operand)
        if factors is not None:
            return Op.MATH, scalar, factors, "mulhi"
        if scalar in NARROW and operand.scalar in WORDS:
            whole = self._cut_once(scalar, operand)
            if whole is not None:
                return Op.CAST, scalar, (whole,), detail
        word = _packed_word(scalar, operand)
        if word is not None:
            source = word.args[0]
            return source if word.detail is scalar else (Op.CAST, scalar, (source,), word.detail)
        if operand.op is not Op.CAST or not isinstance(operand.detail, Scalar):
            return self._truncated(scalar, operand, detail)
        # Back to the type it was widened from.
        inner = operand.detail
        widened = operand.scalar
        if inner is scalar and inner.is_integer and widened.size_bytes > inner.size_bytes:
            return operand.args[0]
        # What was cut to a narrow type that holds it.
        is_word = inner in WORDS and scalar in WORDS and widened.size_bytes < inner.size_bytes
        return operand.args[0] if is_word and is_kept_by(widened, operand.args[0]) else None

    def _cut_once(self, scalar: Scalar, operand: Value) -> Value | None:
        """The operation on what its operands were cut from, where the cut of its result does for both."""
        if operand.op not in _LOW_FROM_LOW:
            return None
        whole = tuple(_before_cut(scalar, arg) for arg in operand.args)
        if whole == tuple(operand.args):
            return None
        return self._make(Op(operand.op), operand.scalar, whole, operand.detail)

    def _truncated(self, scalar: Scalar, operand: Value, detail: object) -> Rewritten | None:
        """The low word of an operation on a widened word and something else is that operation on words."""
        if detail not in WIDE or scalar not in WORDS or operand.op not in _LOW_FROM_LOW:
            return None
        if not any(_is_widened(arg) for arg in operand.args):
            return None
        low = tuple(self._make(Op.CAST, scalar, (arg,), detail) for arg in operand.args)
        return operand.op, scalar, low, None

    def _select(self, args: tuple[Value, ...]) -> Value | Rewritten | None:
        condition, first, second = args
        if condition.is_constant:
            return first if condition.constant else second
        if first is second:
            return first
        for comparison in self._comparisons(condition, first, second):
            extreme = _extreme(comparison, first, second)
            if extreme is not None:
                return extreme
        if self._finds_distances and _is_distance(condition, first, second):
            return Op.MATH, first.scalar, (first,), "abs"
        op = first.op
        if op is second.op and isinstance(op, Op) and op in _SINKABLE:
            # The common operation is done once, on a selected operand.
            common = [arg for arg in first.args if arg in second.args]
            if first.scalar is second.scalar and len(common) == 1:
                others = [next(a for a in v.args if a is not common[0]) for v in (first, second)]
                chosen = self._make(Op.SELECT, others[0].scalar, (condition, *others), None)
                return op, first.scalar, (common[0], chosen), None
        return None


class _Comparison(NamedTuple):
    op: AnyOp
    scalar: Scalar
    args: Sequence[Value]


def _extreme(condition: _Comparison, first: Value, second: Value) -> Rewritten | None:
    """A choice between two words by which is less is the minimum or the maximum, or the absolute value."""
    if condition.op not in {Op.LT, Op.LE} or condition.scalar not in WORDS:
        return None
    left, right = condition.args
    if first.scalar is not condition.scalar or second.scalar is not condition.scalar:
        return None
    if (first, second) == (left, right):
        return Op.MATH, first.scalar, (left, right), "min"
    if (first, second) == (right, left):
        return Op.MATH, first.scalar, (left, right), "max"
    if first is right and _limits(second, "min", left, right):
        return Op.MATH, first.scalar, (second, right), "max"
    if first is left and _limits(second, "max", right, left):
        return Op.MATH, first.scalar, (second, left), "min"
    is_sign = condition.scalar.is_signed and right.is_constant and right.constant == 0
    if is_sign and second is left and first.op is Op.NEG and first.args[0] is left:
        return Op.MATH, left.scalar, (left,), "abs"
    return None


def _is_distance(condition: Value, first: Value, second: Value) -> bool:
    """Whether a choice is the larger of two signed words less the smaller."""
    if condition.op not in {Op.LT, Op.LE} or condition.scalar is not Scalar.I32:
        return False
    less, more = condition.args
    differences = first.op is Op.SUB and second.op is Op.SUB and first.scalar is Scalar.I32
    return differences and first.args == [more, less] and second.args == [less, more]


def _inside(arm: Value) -> list[Value]:
    """What a limited or a negated word is made of."""
    is_limited = arm.op is Op.MATH and arm.detail in {"min", "max"}
    return list(arm.args) if is_limited or arm.op is Op.NEG else []


def _limits(value: Value, name: str, number: Value, end: Value) -> bool:
    """Whether a value limits a number at the other side of a range that ends at a constant."""
    if value.op is not Op.MATH or value.detail != name or number not in value.args:
        return False
    other = value.args[1] if value.args[0] is number else value.args[0]
    if not isinstance(other.constant, int) or not isinstance(end.constant, int):
        return False
    return other.constant >= end.constant if name == "min" else other.constant <= end.constant


def _divided(left: Value, right: Value) -> tuple[Value, Value] | None:
    """(x, n) of `(x / n) * n + x % n`, words cut from pairs."""
    for product, rest in ((left, right), (right, left)):
        remainder = _cut(rest)
        if product.op is not Op.MUL or remainder is None or remainder.op is not Op.REM:
            continue
        for row, length in (product.args, product.args[::-1]):
            quotient = _cut(row)
            if quotient is None or quotient.op is not Op.DIV or quotient.args != remainder.args:
                continue
            if _is_widened_from(quotient.args[1], length):
                return quotient.args[0], quotient.args[1]
    return None


def _cut(word: Value) -> Value | None:
    """The pair of words that a word is the lower one of."""
    return word.args[0] if word.op is Op.CAST and word.detail is Scalar.I64 else None


def _is_widened_from(pair: Value, word: Value) -> bool:
    if pair.is_constant and word.is_constant:
        return pair.constant == word.constant
    return pair.op is Op.CAST and pair.args[0] is word


def _rotation(op: Op, scalar: Scalar, args: tuple[Value, ...]) -> Rewritten | None:
    """`x << k | y >> (width - k)` is one funnel shift, a rotation where both are one value."""
    if op is Op.AND or scalar.is_float or scalar.is_signed:
        return None
    bits = 8 * scalar.size_bytes
    for high, low in (args, args[::-1]):
        if low.op is not Op.SHR or low.scalar is not scalar:
            continue
        if high.op is Op.SHL and high.args[0] is low.args[0] and bits == WORD_BITS:
            right, left = low.args[1], high.args[1]
            if _complements(left, right) or _complements(right, left):
                return Op.MATH, scalar, (low.args[0], low.args[0], right), ROTATION
        if not low.args[1].is_constant:
            continue
        word, amount = low.args[0], bits - int(low.args[1].constant or 0)
        if 0 < amount < bits and _is_shifted(high, word, amount, bits):
            return Op.MATH, scalar, (word, word, low.args[1]), ROTATION
        if high.op is Op.SHL and high.args[1].constant == amount and bits == WORD_BITS:
            # Bits of two words side by side: the shift of a number of several words.
            return Op.MATH, scalar, (high.args[0], word, low.args[1]), ROTATION
    return None


def _complements(amount: Value, other: Value) -> bool:
    """`32 - other`, or `-other & 31`."""
    if amount.op is Op.CAST:
        return _complements(amount.args[0], other)
    if amount.op is Op.AND and amount.args[1].constant == WORD_BITS - 1:
        negated = amount.args[0]
        return negated.op is Op.NEG and _same(negated.args[0], other)
    if amount.op is not Op.SUB or not amount.args[0].is_constant:
        return False
    return amount.args[0].constant == WORD_BITS and _same(amount.args[1], other)


def _same(value: Value, other: Value) -> bool:
    """Whether two values are one word, whatever its sign."""
    return _without_sign_casts(value) is _without_sign_casts(other)


def _without_sign_casts(value: Value) -> Value:
    while value.op is Op.CAST and value.detail in WORDS and value.scalar in WORDS:
        value = value.args[0]
    return value


def _is_shifted(value: Value, word: Value, amount: int, bits: int) -> bool:
    """Whether a value is `word << amount`, possibly with a constant of a sum shifted apart."""
    if value.op is Op.ADD and word.op is Op.ADD and value.args[1].is_constant:
        moved = word.args[1]
        if not moved.is_constant:
            return False
        wanted = int(moved.constant or 0) << amount & ((1 << bits) - 1)
        same = int(value.args[1].constant or 0) & ((1 << bits) - 1) == wanted
        return same and _is_shifted(value.args[0], word.args[0], amount, bits)
    if value.op is not Op.SHL or not value.args[1].is_constant:
        return False
    return value.args[0] is word and int(value.args[1].constant or 0) == amount


def _is_widened(value: Value) -> bool:
    source = value.detail
    return value.op is Op.CAST and isinstance(source, Scalar) and source.size_bytes <= _WORD_BYTES


def _packed_word(scalar: Scalar, operand: Value) -> Value | None:
    """The widened word that is the upper or the lower one of `high << 32 | low`: packing takes nothing."""
    if scalar not in WORDS or operand.scalar not in WIDE:
        return None
    is_upper = operand.op is Op.SHR and operand.args[1].constant == WORD_BITS
    whole = operand.args[0] if is_upper else operand
    if whole.op is not Op.OR:
        return None
    for high, low in (whole.args, whole.args[::-1]):
        is_low = _is_widened(low) and isinstance(low.detail, Scalar) and not low.detail.is_signed
        if is_low and high.op is Op.SHL and high.args[1].constant == WORD_BITS:
            word = high.args[0] if is_upper else low
            return word if _is_widened(word) and word.detail in WORDS else None
    return None


def _truth_behind(value: Value) -> Value | None:
    """The truth value that an integer was converted from."""
    if value.op is Op.CAST and value.detail is Scalar.BOOL and value.scalar.is_integer:
        return value.args[0]
    return None


def _result_scalar(op: Op, scalar: Scalar) -> Scalar:
    return Scalar.BOOL if op in NEGATED or op is Op.NOT else scalar


def _ordered(args: tuple[Value, ...]) -> tuple[Value, ...]:
    """Constants last, else by value number."""
    left, right = args
    if left.is_constant or (not right.is_constant and left.number > right.number):
        return right, left
    return args


def _ones(scalar: Scalar) -> int:
    """The integer with all bits set: minus one."""
    return -1 if scalar.is_signed else (1 << (8 * scalar.size_bytes)) - 1


def _behind_remainder(difference: Value, divisor: Value) -> Value | None:
    """``x`` of ``(x - x % m) / m``, which is ``x / m``."""
    if difference.op is not Op.SUB:
        return None
    whole, remainder = difference.args
    is_it = remainder.op is Op.REM and remainder.args[0] is whole and remainder.args[1] is divisor
    return whole if is_it else None


def _power_of_two(value: int) -> int | None:
    """The exponent, for positive powers of two above one."""
    return value.bit_length() - 1 if value > 1 and value & (value - 1) == 0 else None


def _factors_of_high_word(scalar: Scalar, operand: Value) -> tuple[Value, Value] | None:
    """The two numbers of 64 bits whose product's high word is taken: `(u64)((u128)a * b >> 64)`."""
    if scalar not in WIDE or operand.op is not Op.SHR or operand.scalar.size_bytes != _PAIR_BYTES:
        return None
    product, amount = operand.args
    if product.op is not Op.MUL or not amount.is_constant or amount.constant != _PAIR_BYTES * 4:
        return None
    first, second = product.args
    if not all(factor.op is Op.CAST and factor.detail is scalar for factor in (first, second)):
        return None
    return first.args[0], second.args[0]


def _is_never_negative(value: Value) -> bool:
    limits = range_of_bytes(value)
    return limits is not None and limits[0] >= 0


def _before_cut(scalar: Scalar, word: Value) -> Value:
    """The word whose low bits were widened again, where a narrow type keeps no others."""
    if word.op is not Op.CAST or word.detail not in NARROW or word.scalar not in WORDS:
        return word
    part = word.args[0]
    is_cut = part.op is Op.CAST and part.detail in WORDS and part.scalar is word.detail
    return part.args[0] if is_cut and part.scalar.size_bytes >= scalar.size_bytes else word
