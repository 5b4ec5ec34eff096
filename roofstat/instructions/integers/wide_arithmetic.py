"""Sums, products and extensions of 64-bit integers, whose instructions take pairs of words or single ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.graph.values import Pseudo
from roofstat.instructions.integers.low_words import fits_word, is_word_product
from roofstat.instructions.integers.widths import WIDE, is_extended
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.instructions.graph.fusion import Fusion
    from roofstat.instructions.graph.liveness import LiveGraph
    from roofstat.instructions.graph.values import Value
    from roofstat.instructions.tables.parameters import LoweringParameters

_MASKING = frozenset({Op.AND, Op.SHL, Op.SHR})
_PRODUCTS = frozenset({Op.MUL, Op.SHL})
_LARGEST_SHIFT = 30
"""A multiplication by a power of two of one word."""


class WideArithmetic:
    """Integer instructions of 64-bit values of one graph of which both words are used."""

    def __init__(self, graph: LiveGraph, fusion: Fusion, parameters: LoweringParameters) -> None:
        self._users = graph.users
        self._widens_used_words = parameters.widens_used_words
        self._low_words = graph.low_words
        self._extends_counters = parameters.extends_counters
        self._fusion = fusion

    def sum(self, value: Value) -> float:
        """One instruction for each word; a product of words takes its addend as a pair."""
        for arg in value.args if value.number in self._fusion.fused else ():
            if arg.number in self._fusion.absorbed and arg.op in {Op.MUL, Op.SHL}:
                return self.product(arg)
        return 2.0

    def product(self, value: Value) -> float:
        """Of words of one kind it is one instruction; each further word of the operands takes one more, and a sum."""
        if value.op is Op.SHL:
            return 1.0 if scales_word(value) else 2.0
        if is_word_product(value):
            # That a mask or a shift leaves no high word is found late: a product of nothing is added in its place.
            return 2.0 if any(self._is_masked_pair(factor) for factor in value.args) else 1.0
        first, second = value.args
        for factor, other in ((first, second), (second, first)):
            if fits_word(factor) or (self._extends_counters and counts_naturally(factor)):
                # The product with the high word of a signed one is added to the rest in the same instruction.
                return 2.0 if is_extended(other, signed=True) else 3.0
        return 4.0

    def is_taken(self, index: Value) -> bool:
        """Whether an index is a product that its addresses take in."""
        return index.op in _PRODUCTS and index.number in self._fusion.absorbed

    def _is_masked_pair(self, factor: Value) -> bool:
        """Whether the high word of a factor is zero because a pair of words was masked or shifted.

        So it is where the low word of a pair was masked and widened again, which is the same to the compilers.
        """
        if factor.is_constant or is_extended(factor, signed=True):
            return False
        if not is_extended(factor, signed=False):
            return True
        word = factor.args[0]
        while True:
            uses = self._users.get(word.number, [])
            if not self._widens_used_words and any(use is not uses[0] for use in uses):
                return False
            if word.op is Op.CAST:
                return word.detail in WIDE
            if word.op not in _MASKING or not word.args[1].is_constant:
                return False
            word = word.args[0]

    def needs_high_word(self, value: Value) -> bool:
        """Whether an instruction of its own extends the sign of a word: some that use it do so by themselves."""
        if value.number in self._low_words or value.op is not Op.CAST or value.scalar not in WIDE:
            return False
        if not is_extended(value, signed=True) or is_extended(value, signed=False):
            return False
        if self._extends_counters and counts_naturally(value):
            return False
        uses = self._users.get(value.number, [])
        return self._is_summed_often(value) or not all(self._extends(use, value) for use in uses)

    def _is_summed_often(self, value: Value) -> bool:
        return sum(use.op is Op.ADD for use in self._users.get(value.number, [])) > 1

    def _extends(self, use: Value, value: Value) -> bool:
        match use.op:
            case Pseudo.ADDRESS:
                return use.number not in self._fusion.fused
            case Op.MUL:
                return is_word_product(use)
            case Op.SHL:
                return scales_word(use)
            case Op.ADD:
                return self._carries_sign(use, value)
            case _:
                return False

    def _carries_sign(self, addition: Value, value: Value) -> bool:
        """Whether the addition with carry extends a word: one of its operands, of two."""
        is_plain = addition.number not in self._fusion.fused | self._fusion.absorbed
        first, second = addition.args
        is_free = value is first or not is_extended(first, signed=True)
        return is_plain and first is not second and (is_free or self._is_summed_often(first))


def counts_naturally(factor: Value) -> bool:
    """Whether a factor is a widened counter that is not negative while its loop runs, or what its copies take off it."""
    if factor.op is not Op.CAST or factor.scalar not in WIDE:
        return False
    counter = factor.args[0]
    while counter.op in {Op.ADD, Pseudo.DERIVED} and counter.args[1].is_constant:
        counter = counter.args[0]
    loop = counter.context.loop
    if counter.op is not Pseudo.PHI or loop is None:
        return False
    step = loop.counters.get(counter.number) or 0
    if step >= 0:
        return step > 0 and _is_natural(counter.args[0])
    return any(
        test.op in {Op.LE, Op.LT} and _is_natural(test.args[0]) and test.args[1] is counter
        for test in loop.exits
    )


def _is_natural(value: Value) -> bool:
    return value.is_constant and isinstance(value.constant, int) and value.constant >= 0


def scales_word(shift: Value) -> bool:
    """Whether a shift is the product of a word and a power of two."""
    operand, amount = shift.args
    if not amount.is_constant or not 0 < int(amount.constant or 0) <= _LARGEST_SHIFT:
        return False
    return any(is_extended(operand, signed=signed) for signed in (True, False))
