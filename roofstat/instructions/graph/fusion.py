"""Fusing: which values become part of the instructions that use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clang_queries.ir.types import Scalar
from roofstat.instructions.addressing.address_shapes import AddressShape
from roofstat.instructions.addressing.index_products import takes_product
from roofstat.instructions.graph.folding import ROTATION
from roofstat.instructions.graph.memory_state import RootKind, root_of
from roofstat.instructions.graph.values import Pseudo, Value
from roofstat.instructions.integers.byte_products import byte_products
from roofstat.instructions.integers.known_bits import range_of_bytes
from roofstat.instructions.integers.low_words import is_beside, is_word_product
from roofstat.instructions.integers.widths import NARROW, UNSIGNED_PARTS, WIDE, WORD_BITS, WORDS
from roofstat.program.code import Op
from roofstat.program.comparisons import COMPARISONS

if TYPE_CHECKING:
    from roofstat.instructions.graph.liveness import LiveGraph
    from roofstat.instructions.graph.values import Context
    from roofstat.instructions.tables.parameters import LoweringParameters

_ADDITIVE = frozenset({Op.ADD, Op.SUB})
_LOGIC = frozenset({Op.AND, Op.OR, Op.XOR})
_MINUS_ONE = 0xFFFFFFFF
_CHOICE = 3
"""Operands of a choice between two values."""
_BYTE_BITS = 8
_LOGIC_INPUTS = 3
"""Operands of LOP3."""
_NEAR = 32
"""Values between two tests whose predicates one instruction sets; it would keep them for longer.

No compiler says how many: with these the integer work of three bodies with tests far apart came nearer to the measured.
"""
_BYTE = 0xFF
_PARTS = frozenset({_BYTE, 0xFFFF})
_UPPER_PARTS = frozenset({16, 24})
MAX_FUSED_USES = 8
"""A product with more uses is kept, so that its operands need not stay alive."""


class _ChosenSum(NamedTuple):
    """A choice of `base + y` or `base`."""

    base: Value
    addition: Value


class Fusion:
    """What is fused in one graph.

    Attributes:
        absorbed: numbers of values that cost nothing, since they are part of their users' instructions.
        fused: numbers of additions that became multiply-adds or three-input additions.
        word_tests: numbers of comparisons with zero that look at one word.
        predicated: numbers of values that count on a condition, or add one of two constants: an addition, and another one
            under the opposite predicate. Other steps under a condition take a predicated addition alone.
    """

    def __init__(self, graph: LiveGraph, parameters: LoweringParameters, *, contract: bool) -> None:
        self.absorbed: set[int] = set()
        self.fused: set[int] = set()
        self.word_tests: set[int] = set()
        self.predicated: set[int] = set()
        self._users = graph.users
        self._low_words = graph.low_words
        self._parameters = parameters
        self._sums: dict[int, _ChosenSum] = {}
        """Choices between a sum and one of its terms, by number."""
        self._chosen: set[int] = set()
        """Their additions."""
        self._negated: set[int] = set()
        """Terms that some choice adds negated."""
        self._leaves: dict[int, int] = {}
        """Inputs of three-input logic, by value number."""
        self._minima: set[int] = set()
        """Minima and maxima of three inputs, or of a sum."""
        self._packed: set[int] = set()
        """Words that byte permutations have put together."""
        self._bit_tests: dict[tuple[int, Context, int], list[int]] = {}
        """Tests of single bits by word, place and byte."""
        self.without_constants: set[int] = set()
        """Instructions that take no constants of what they absorb: a LOP3 behind a shift does, or they are packed."""
        if parameters.sums_byte_products:
            found = byte_products(graph.live, graph.users)
            self.absorbed |= found.absorbed
            self.fused |= found.sums
            self.without_constants |= found.sums
        if contract:
            self._contract(graph.live)
        if parameters.predicates_increments:
            for value in graph.live:
                self._predicate(value)
        for value in graph.live:
            if value.op is Op.SELECT:
                self._add_chosen(value)
        for value in graph.live:
            self._fuse(value)

    def _predicate(self, value: Value) -> None:
        if value.scalar not in WORDS:
            return
        if value.op is Op.ADD:
            for arg in value.args:
                truth = self._behind_casts(arg)
                if truth is not None and _is_choice_of_constants(truth):
                    self.absorbed.add(truth.number)
                    self.predicated.add(value.number)
                    return
        elif value.op in {Op.SELECT, Pseudo.JOIN} and len(value.args) == _CHOICE:
            first, second = _alternatives(value)
            if self._changes(first, second, value) or self._changes(second, first, value):
                self.predicated.add(value.number)

    def _add_chosen(self, choice: Value) -> None:
        """`c ? x + y : x` is `x + (c ? y : 0)`: an addition like others, which nested choices have in common."""
        if choice.scalar not in WORDS or choice.number in self.predicated:
            return
        first, second = _alternatives(choice)
        for changed, kept in ((first, second), (second, first)):
            if self._uses(changed) != [choice]:
                continue
            inner = self._sums.get(kept.number)
            if _adds_variable(changed, kept):
                self._note_sum(choice, _ChosenSum(kept, changed))
                return
            if inner and self._uses(kept) == [choice] and _adds_variable(changed, inner.base):
                if not self._negates(inner.addition, changed):
                    self.absorbed.add(inner.addition.number)
                self._note_sum(choice, _ChosenSum(inner.base, changed))
                return

    def _negates(self, inner: Value, outer: Value) -> bool:
        """Whether a term must be negated for two choices to have an addition in common, and was not before."""
        if inner.op is outer.op:
            return False
        subtracted = inner if inner.op is Op.SUB else outer
        term = subtracted.args[1].number
        is_first = term not in self._negated
        self._negated.add(term)
        return is_first

    def _note_sum(self, choice: Value, found: _ChosenSum) -> None:
        self._sums[choice.number] = found
        self._chosen.add(found.addition.number)
        if all(use in {choice, found.addition} for use in self._uses(found.base)):
            self._take_sum(found.addition, found.base)

    def _take_sum(self, value: Value, term: Value) -> bool:
        """Makes an addition one of three inputs if one of its terms is a sum of two that is used nowhere else."""
        known = self._sums.get(term.number)
        addition = term if known is None else known.addition
        is_plain = addition.op in _ADDITIVE and addition.scalar is value.scalar
        if not is_plain or addition.number in self.fused | self.absorbed | self.predicated:
            return False
        if known is None and any(self._is_product(arg, addition) for arg in addition.args):
            return False
        self.absorbed.add(addition.number)
        self.fused.add(value.number)
        return True

    def _behind_casts(self, value: Value) -> Value | None:
        """A value before conversions between words; None where it is used for anything else."""
        while self._single(value):
            if value.op is not Op.CAST or value.detail not in WORDS:
                return value
            value = value.args[0]
        return None

    def _changes(self, changed: Value, kept: Value, choice: Value) -> bool:
        """Whether one alternative is the next of the other one, computed on both paths."""
        is_sum = changed.op in _ADDITIVE and changed.args[0] is kept and _is_one(changed.args[1])
        is_flat = not changed.context.is_guarded or changed.context is choice.context
        return is_sum and is_flat and self._single(changed)

    def _uses(self, value: Value) -> list[Value]:
        return self._users.get(value.number, [])

    def _contract(self, live: list[Value]) -> None:
        """Multiply-adds in floating point."""
        taken: dict[int, int] = {}
        for value in live:
            if value.op not in _ADDITIVE or not self._contracts(value.scalar):
                continue
            best: Value | None = None
            for arg in value.args:
                product = arg.args[0] if arg.op is Op.NEG else arg
                if product.op is not Op.MUL or not self._fusible(product):
                    continue
                if best is None or self._preference(product) < self._preference(best):
                    best = product
            if best is not None:
                self.fused.add(value.number)
                taken[best.number] = taken.get(best.number, 0) + 1
                if taken[best.number] >= len(self._uses(best)):
                    self.absorbed.add(best.number)

    def _contracts(self, scalar: Scalar) -> bool:
        return scalar.is_float and (
            scalar is not Scalar.BF16 or self._parameters.contracts_brain_floats
        )

    def _preference(self, product: Value) -> tuple[int, int]:
        """Of two products the one with fewer uses is fused, then the later one."""
        return len(self._uses(product)), -product.number

    def _fusible(self, product: Value) -> bool:
        """Whether an addition may take in `product`: it is used once, or only by additions near it."""
        uses = self._uses(product)
        if len(uses) == 1:
            return True
        if len(uses) > MAX_FUSED_USES:
            return False
        if any(use.segment != product.segment for use in uses):
            return False
        if self._parameters.fuses_shared_products:
            return True
        return all(self._is_addition(use) for use in uses)

    def _is_addition(self, use: Value) -> bool:
        if use.op is Op.NEG:
            return all(user.op in _ADDITIVE for user in self._uses(use))
        return use.op in _ADDITIVE

    def _fuse(self, value: Value) -> None:
        """Absorbs operands into an integer or logic operation."""
        if self._parameters.fuses_minimum:
            self._fuse_minimum(value)
        if value.scalar.is_float or value.op is Op.MATH:
            return
        self._share_product(value)
        if self._pack_bytes(value):
            return
        if value.op is Pseudo.ADDRESS:
            self._fuse_byte_address(value)
            self._fuse_multiple(value)
        elif value.op in _ADDITIVE:
            self._fuse_addition(value)
        elif value.op in _LOGIC and value.scalar is not Scalar.BOOL:
            if self._is_cut_by_stores(value):
                self.absorbed.add(value.number)
            elif not self._take_part(value):
                self._fuse_logic(value)
        elif value.op is Op.SHR:
            self._take_upper_part(value)
        elif value.op in COMPARISONS:
            self._fuse_comparison(value)

    def _fuse_minimum(self, value: Value) -> None:
        """`min(a + b, c)` and `min(a, b, c)` in one operation; a comparison whose operands are selected is the minimum itself."""
        args = value.args
        if value.op is Op.MATH and value.detail in {"min", "max"} and not value.scalar.is_float:
            for arg in args:
                is_sum = arg.op in _ADDITIVE and arg.scalar not in WIDE
                is_sum = is_sum and arg.number not in self.fused
                if (is_sum or _clips_to_zero(value, arg)) and self._single(arg):
                    self.absorbed.add(arg.number)
                    self._minima.add(value.number)
                    return
            for arg in args:
                is_same = arg.op is Op.MATH and arg.detail == value.detail
                is_free = arg.scalar not in WIDE and arg.number not in self._minima
                if is_same and is_free and self._single(arg):
                    self.absorbed.add(arg.number)
                    self._minima.add(value.number)
                    return
        if value.op not in {Op.LT, Op.LE} or value.scalar.is_float or value.scalar in WIDE:
            return
        for arg in args:
            users = self._uses(arg)
            others = [use for use in users if use is not value]
            minimum = len(others) == 1 and others[0].op in {Op.SELECT, Pseudo.JOIN}
            if arg.op is Op.ADD and minimum and value in others[0].args:
                chosen = [a for a in others[0].args if a is not value]
                if set(chosen[:2]) == set(args) and arg.number not in self.absorbed:
                    self.absorbed.add(arg.number)
                    return

    def _single(self, value: Value) -> bool:
        return len(self._uses(value)) == 1 and value.number not in self.absorbed

    def _share_product(self, value: Value) -> None:
        """A product that only additions use is computed in each of them."""
        uses = self._uses(value)
        if len(uses) < 2 or not all(self._takes_product(use, value) for use in uses):
            return
        self.absorbed.add(value.number)
        self.fused.update(use.number for use in uses)

    def _takes_product(self, use: Value, product: Value) -> bool:
        if use.op not in _ADDITIVE or use.number in self.fused:
            return False
        if use.scalar in WIDE and not (is_word_product(product) and is_beside(product, use)):
            return False
        if use.args[0] is use.args[1] or (use.op is Op.SUB and use.args[1] is product):
            return False
        other = use.args[1] if use.args[0] is product else use.args[0]
        return self._is_product(product, use) and not self._is_product(other, use)

    def _fuse_addition(self, value: Value) -> None:
        if value.number in self.fused | self.predicated | self._chosen:
            return
        for arg in value.args:
            if arg.number in self._sums and self._single(arg) and self._take_sum(value, arg):
                return
        for arg in value.args:
            is_hoisted = arg.context.loop is not value.context.loop
            if self._is_product(arg, value) and self._single(arg) and not is_hoisted:
                self.absorbed.add(arg.number)
                self.fused.add(value.number)
                return
        for arg in value.args:
            inner = (
                arg.op in _ADDITIVE
                and arg.scalar is value.scalar
                and arg.number not in self.fused
                and arg.number not in self.predicated
                and self._single(arg)
            )
            if inner:
                self.absorbed.add(arg.number)
                self.fused.add(value.number)
                return

    def _pack_bytes(self, value: Value) -> bool:
        """`low | high << s`, where nothing of `low` is left above: a byte permutation, or a scaled addition."""
        packs = self._parameters.packs_bytes
        if value.scalar not in WORDS or value.op not in ({Op.ADD, Op.OR} if packs else {Op.OR}):
            return False
        for low, moved in (value.args, value.args[::-1]):
            if moved.op is not Op.SHL or not moved.args[1].is_constant or not self._single(moved):
                continue
            shift = int(moved.args[1].constant or 0)
            limits = range_of_bytes(low)
            if limits is None or limits[0] < 0 or limits[1] >> shift:
                continue
            if packs:
                if shift % _BYTE_BITS or not self._is_of_bytes(low, moved.args[0]):
                    continue
                self.absorbed.add(value.number)
                self._packed.add(value.number)
            self.absorbed.add(moved.number)
            self.fused.add(value.number)
            return True
        return False

    def _is_of_bytes(self, *values: Value) -> bool:
        for value in values:
            word = value.args[0] if value.op is Op.CAST and value.detail in WORDS else value
            is_part = word.op is Op.CAST and word.detail in UNSIGNED_PARTS
            if word.number not in self._packed and not is_part:
                return False
        return True

    def _fuse_byte_address(self, address: Value) -> None:
        """The addition of a base to an index of bytes takes a sum as its third input."""
        index, shape = address.args[1], address.detail
        is_plain = isinstance(shape, AddressShape) and shape.scale_bytes == 1
        is_plain = is_plain and root_of(address).kind is not RootKind.SLOT
        is_sum = index.op is Op.ADD and index.scalar in WIDE and index.number not in self.fused
        if is_plain and is_sum and self._single(index):
            self.absorbed.add(index.number)
            self.fused.add(address.number)

    def _fuse_multiple(self, address: Value) -> None:
        """An address takes in the product of 64 bits that its index is."""
        index = address.args[1]
        uses = self._uses(index)
        if index.number not in self._low_words and takes_product(address, index, uses):
            self.absorbed.add(index.number)
            self.fused.update(use.number for use in uses)

    def _is_narrow(self, value: Value) -> bool:
        """Whether the low word is all of a value that is computed."""
        return value.scalar not in WIDE or value.number in self._low_words

    def _is_product(self, arg: Value, value: Value) -> bool:
        if arg.op is Op.MUL:
            if arg.scalar in WIDE and value.op is Op.SUB and arg is value.args[1]:
                return False  # there is no product of words with a negative sign
            return arg.scalar.size_bytes == value.scalar.size_bytes
        if arg.op is Op.MATH and arg.detail == "mulhi":
            return value.op is Op.ADD and value.scalar in WORDS  # IMAD.HI takes an addend
        if arg.op is Op.MATH:
            # The high-part form of the scaled addition shifts a pair of words.
            rotates = arg.detail == ROTATION and arg.args[2].is_constant
            return rotates and value.op is Op.ADD and value.scalar not in WIDE
        if arg.op is Op.SHR and self._is_narrow(value):
            # The high-part form of the scaled addition: it subtracts from the shifted word, not the shifted word.
            adds = value.op is Op.ADD or arg is value.args[0]
            return adds and arg.args[1].is_constant and arg.scalar.size_bytes == 4
        return arg.op is Op.SHL and arg.args[1].is_constant

    def _fuse_logic(self, value: Value) -> None:
        inputs = 0
        is_scaled = self._is_scaled_mask(value)
        is_narrowed = self._parameters.narrows_masked_bytes and _combines_low_byte(value)
        # The later operand first: of a chain each link then takes in its own term.
        args = sorted(value.args, key=lambda arg: -arg.number)
        for position, arg in enumerate(args):
            if arg.is_constant:
                inputs += 1
                continue
            masked = self._masked_part(value, arg)
            if masked is not None and inputs + 2 + len(args) - 1 - position <= _LOGIC_INPUTS:
                self.absorbed.add(masked.number)
                self.without_constants.add(arg.number)
                inputs += 2
                continue
            part = self._mask_behind(value, arg)
            mergeable = part.op in _LOGIC and part.scalar is not Scalar.BOOL and self._single(part)
            mergeable = mergeable and not is_scaled and not is_narrowed
            mergeable = mergeable and part.number not in self.fused
            inner = self._leaves.get(part.number, 2) if mergeable else 1
            others = len(args) - 1 - position
            if mergeable and inputs + inner + others <= _LOGIC_INPUTS:
                self.absorbed.add(part.number)
                inputs += inner
            else:
                if arg.op is Op.BIT_NOT and self._single(arg):
                    self.absorbed.add(arg.number)
                inputs += 1
        self._leaves[value.number] = inputs

    def _mask_behind(self, value: Value, arg: Value) -> Value:
        """The mask of a word that is widened for a bitwise or: the one of the low words takes it in."""
        joins = self._parameters.adds_terms_to_pointers and value.op is Op.OR
        is_widened = joins and value.scalar in WIDE
        while is_widened and arg.op is Op.CAST and self._single(arg):
            arg = arg.args[0]
        return arg

    def _masked_part(self, value: Value, arg: Value) -> Value | None:
        """The mask in `x | (y & m) << s`, which is `x | (y << s) & (m << s)` to the compilers: LOP3 masks what was shifted."""
        if value.op not in {Op.OR, Op.XOR} or arg.op is not Op.SHL or not self._is_narrow(value):
            return None
        if not arg.args[1].is_constant or not self._single(arg):
            return None
        shifted = arg.args[0]
        is_same_word = shifted.op is Op.CAST and shifted.scalar in WORDS and shifted.detail in WORDS
        masked = shifted.args[0] if is_same_word else shifted
        is_masked = masked.op is Op.AND and masked.args[1].is_constant and self._single(masked)
        return masked if is_masked and masked.number not in self.fused else None

    def _is_cut_by_stores(self, value: Value) -> bool:
        """Whether a mask keeps all bits of the narrow types that a value is cut to before it is stored."""
        mask = value.args[1]
        if value.op is not Op.AND or not mask.is_constant:
            return False
        uses = self._uses(value)
        return bool(uses) and all(
            use.op is Op.CAST
            and use.scalar in NARROW
            and ~int(mask.constant or 0) & ((1 << _BYTE_BITS * use.scalar.size_bytes) - 1) == 0
            and all(user.op is Op.STORE for user in self._uses(use))
            for use in uses
        )

    def _is_scaled_mask(self, value: Value) -> bool:
        """Whether a masked index is scaled before it is masked, so that the mask stands alone."""
        if not self._parameters.shifts_masked_indices or value.op is not Op.AND:
            return False
        return value.args[1].is_constant and all(_scales(use) for use in self._uses(value))

    def _take_part(self, value: Value) -> bool:
        """A byte or half word of a word: loaded as such, a byte permutation, or a conversion's operand."""
        inner, mask = value.args
        if value.op is not Op.AND or not mask.is_constant or mask.constant not in _PARTS:
            return False
        if not self._is_narrow(value):
            return False
        is_shift = inner.op is Op.SHR and inner.args[1].is_constant and self._single(inner)
        moved = int(inner.args[1].constant or 0) if is_shift else 0
        if moved % _BYTE_BITS or moved >= WORD_BITS:
            return False
        whole = inner.args[0] if is_shift else inner
        is_aligned = moved % int(mask.constant or 0).bit_length() == 0
        is_loaded = whole.op is Op.LOAD and self._single(whole) and is_aligned
        permutes = self._parameters.permutes_bytes and is_shift
        converts = (
            mask.constant == _BYTE
            and (not is_shift or self._parameters.permutes_bytes)
            and all(use.op is Op.CAST and use.scalar.is_float for use in self._uses(value))
        )
        if not (is_loaded or permutes or converts):
            return False
        self.absorbed.add(value.number)
        if is_shift:
            self.absorbed.add(inner.number)
        return True

    def _take_upper_part(self, value: Value) -> None:
        """The upper byte or half word of a word that is loaded for nothing else is loaded alone."""
        whole, amount = value.args
        if value.scalar.is_signed or value.scalar.size_bytes != 4 or not amount.is_constant:
            return
        masked = [use.op for use in self._uses(value)] == [Op.AND]
        loaded = whole.op is Op.LOAD and self._single(whole)
        if amount.constant in _UPPER_PARTS and loaded and not masked:
            self.absorbed.add(value.number)

    def _fuse_comparison(self, value: Value) -> None:
        left, right = value.args
        against_zero = value.op in {Op.EQ, Op.NE} and right.is_constant and right.constant == 0
        logic = left.op in _LOGIC and left.scalar is not Scalar.BOOL
        if against_zero and logic and self._single(left) and not _takes_lowest_bit(left):
            self._note_bit_test(value, left)
            tested = _tested_words(left)
            if tested == 1:
                self.word_tests.add(value.number)
            if tested != 0:
                self.absorbed.add(left.number)
        elif self._is_lower_end(value):
            self.absorbed.add(value.number)

    def _note_bit_test(self, test: Value, masked: Value) -> None:
        """Bits of one byte become predicates together (R2P), two of them or more, but for the last one."""
        word, mask = masked.args
        if masked.op is not Op.AND or not mask.is_constant or masked.scalar in WIDE:
            return
        bit = int(mask.constant or 0).bit_length() - 1
        if bit < 0 or int(mask.constant or 0) != 1 << bit or bit % _BYTE_BITS == _BYTE_BITS - 1:
            return
        if any(_chooses_by_constant(use) for use in self._uses(test)):
            return  # the bit is spread over a word that masks the constant
        beside = self._bit_tests.setdefault((word.number, test.context, bit // _BYTE_BITS), [])
        if beside and test.number - beside[-1] > _NEAR:
            beside.clear()
        beside.append(test.number)
        if len(beside) > 1:
            self.absorbed.update(beside)

    def _is_lower_end(self, value: Value) -> bool:
        """Whether `0 <= x` goes with `x < c`, or `x < 0` with `c <= x`: one unsigned comparison says both."""
        left, right = value.args
        if not value.scalar.is_signed or value.scalar in WIDE:
            return False
        is_inside = value.op is Op.LE and _is_zero(left)
        if not is_inside and not (value.op is Op.LT and _is_zero(right)):
            return False
        number, position = (right, 0) if is_inside else (left, 1)
        decided = {use.number for use in self._uses(value)}
        for other in self._uses(number):
            if other.op not in {Op.LT, Op.LE} or other.args[position] is not number:
                continue
            end = other.args[1 - position].constant
            is_end = isinstance(end, int) and end > 0
            if is_end and decided & {use.number for use in self._uses(other)}:
                return True
        return False


def _clips_to_zero(value: Value, inner: Value) -> bool:
    """`max(min(x, c), 0)`."""
    if value.detail != "max" or inner.op is not Op.MATH or inner.detail != "min":
        return False
    return inner.scalar.is_signed and inner.scalar not in WIDE and any(map(_is_zero, value.args))


def _chooses_by_constant(choice: Value) -> bool:
    """Whether a constant comes into a value, or does not."""
    if choice.op not in {Op.SELECT, Pseudo.JOIN} or len(choice.args) != _CHOICE:
        return False
    if choice.scalar.is_float:
        return False
    first, second = _alternatives(choice)
    return any(
        changed.is_constant
        or (changed.op in _LOGIC and changed.args[0] is kept and changed.args[1].is_constant)
        for changed, kept in ((first, second), (second, first))
    )


def _combines_low_byte(value: Value) -> bool:
    """Whether logic combines a byte and the low byte of a word (the mask of both together has moved to the word)."""
    if value.op not in {Op.XOR, Op.OR} or not any(_is_byte(arg) for arg in value.args):
        return False
    return any(arg.op is Op.AND and arg.args[1].constant == _BYTE for arg in value.args)


def _is_byte(value: Value) -> bool:
    while value.op is Op.CAST:
        value = value.args[0]
    return value.scalar.is_integer and value.scalar.size_bytes == 1


def _takes_lowest_bit(logic: Value) -> bool:
    """Whether a test of it is one of a truth value: the bit is masked, then compared."""
    return logic.op is Op.AND and logic.args[1].is_constant and logic.args[1].constant == 1


def _tested_words(logic: Value) -> int:
    """Words that a test of bits looks at: the high one alone is tested alone, the low one (0) is masked first."""
    mask = logic.args[1].constant
    if logic.scalar not in WIDE or logic.op is not Op.AND or not isinstance(mask, int):
        return 2 if logic.scalar in WIDE else 1
    return 0 if mask >> WORD_BITS == 0 else 2 - (mask & _MINUS_ONE == 0)


def _alternatives(choice: Value) -> tuple[Value, Value]:
    first = 1 if choice.op is Op.SELECT else 0
    return choice.args[first], choice.args[first + 1]


def _adds_variable(value: Value, base: Value) -> bool:
    """Whether a value is another one and something not constant, or less that."""
    if value.op not in _ADDITIVE or value.scalar is not base.scalar or base not in value.args:
        return False
    if any(arg.is_constant for arg in value.args):
        return False
    return value.op is Op.ADD or value.args[0] is base


def _is_choice_of_constants(value: Value) -> bool:
    """Whether it is one constant or another, by a condition; a truth value is one or nothing."""
    if value.op is Op.CAST:
        return value.detail is Scalar.BOOL
    if value.op not in {Op.SELECT, Pseudo.JOIN} or len(value.args) != _CHOICE:
        return False
    return all(alternative.is_constant for alternative in _alternatives(value))


def _scales(use: Value) -> bool:
    """Whether an address multiplies its index by a power of two."""
    if use.op is not Pseudo.ADDRESS or not isinstance(use.detail, AddressShape):
        return False
    scale = use.detail.scale_bytes
    return scale > 1 and scale & (scale - 1) == 0


def _is_one(value: Value) -> bool:
    return value.is_constant and value.constant in {1, -1, _MINUS_ONE}


def _is_zero(value: Value) -> bool:
    return value.is_constant and value.constant == 0
