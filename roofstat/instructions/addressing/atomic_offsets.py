"""Constants in the indices of atomics, which nvcc leaves in them more often than in those of loads and stores.

Its passes for addresses take the constant out of any signed index of a load or store. Atomics only have LLVM's straight-line
reduction of strength: `&a[x + c]` is made from `&a[x]` where that is there before and the sum is of words that does not
overflow. A constant that came out of a product forgets that: `a[2 * (x + 1)]` and `a[2 * x]` have an address each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clang_queries.ir.types import Scalar
from roofstat.instructions.addressing.indices import sets_zero_bits
from roofstat.instructions.graph.memory_state import RootKind, root_of
from roofstat.instructions.integers.polynomials import (
    constant_term,
    difference_of,
    polynomial,
    signature,
    without_constant,
)
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.instructions.graph.numbering import Numberer
    from roofstat.instructions.graph.values import Context, Value
    from roofstat.instructions.integers.polynomials import Monomial, Polynomial


class _Address(NamedTuple):
    """What makes an address."""

    base: int
    terms: tuple[tuple[Monomial, int], ...]
    scale_bytes: int


_NOWHERE = (None, False)


class AtomicOffsets:
    """The addresses of one walk, and which of them are made from an earlier one."""

    def __init__(self, numberer: Numberer) -> None:
        self._numberer = numberer
        self._first: dict[_Address, tuple[Context, bool]] = {}
        """Where an address was asked for first, and whether its constant was added to another one."""
        self._of_places: dict[int, list[_Address]] = {}
        """The addresses that one place in the code has made."""

    def keeps(
        self, base: Value, index: Value, poly: Polynomial, scale_bytes: int, place: int
    ) -> bool:
        """Whether an atomic's index keeps its constant; to be asked for every address, in their order.

        Args:
            base: What is indexed.
            index: The index.
            poly: The same as a polynomial.
            scale_bytes: Bytes of an element.
            place: Register that the code puts the address into.
        """
        word = index.args[0] if index.op is Op.CAST and index.detail is Scalar.I32 else index
        if word.scalar is not Scalar.I32 or root_of(base).kind is RootKind.SLOT:
            return False
        counters = [frame.counters for frame in self._numberer.frames]
        if any(number in found for found in counters for monomial in poly for number in monomial):
            return False  # a pointer advances
        address = _Address(base.number, signature(poly), scale_bytes)
        context, is_moved = self._first.get(address, _NOWHERE)
        if context is None or not context.is_active:
            is_moved = self._is_moved(word, poly, address, place)
            self._first[address] = (self._numberer.context, is_moved)
            self._of_places.setdefault(place, []).append(address)
        return not is_moved

    def _is_moved(self, word: Value, poly: Polynomial, address: _Address, place: int) -> bool:
        constant, rest = constant_term(poly), without_constant(poly)
        if constant == 0 or self._follows_copy(poly, place):
            return True
        context, _ = self._first.get(address._replace(terms=signature(rest)), _NOWHERE)
        is_known = context is not None and context.is_active
        return is_known and self._is_added_last(word, rest, constant)

    def _follows_copy(self, poly: Polynomial, place: int) -> bool:
        """Whether an earlier copy of an unrolled loop has the address a stride before, to which that is added."""
        for earlier in self._of_places.get(place, ()):
            step = difference_of(poly, dict(earlier.terms))
            if len(step) == 1 and () not in step:
                return True
        return False

    def _is_added_last(self, word: Value, rest: Polynomial, constant: int) -> bool:
        """Whether a sum of words is known not to overflow with its constant: as in the code, or as it only sets bits."""
        if sets_zero_bits(rest, constant):
            return True
        if word.op not in {Op.ADD, Op.SUB} or not word.args[1].is_constant:
            return False
        inner = word.args[0]
        is_taken_out = self._numberer.has_taken_out(inner, constant)
        return not is_taken_out and constant_term(polynomial(inner)) == 0
