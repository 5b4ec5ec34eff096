"""Addresses of fully unrolled loops inside of other loops, for which clang moves array and constant out of those."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.instructions.addressing.address_shapes import AddressShape
from roofstat.instructions.addressing.indices import sets_zero_bits
from roofstat.instructions.graph.memory_state import RootKind, root_of
from roofstat.instructions.graph.values import Pseudo, Value
from roofstat.instructions.integers.polynomials import Polynomial, polynomial, signature
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Callable

    from roofstat.instructions.graph.numbering import Numberer

_WORD_BYTES = 4
_SIZE_OF_WORD = 3.0
"""A sum, its conversion and the address."""
_SIZE_OF_PAIR = 2.0
"""The same where the counter is a pair of words."""


@dataclass(frozen=True, slots=True)
class IndexedPlace:
    """`base + index * scale_bytes`."""

    base: Value
    index: Value
    rest: Polynomial
    """The index without its constant."""
    constant: int
    scale_bytes: int

    @property
    def word(self) -> Value:
        """The index before it is widened."""
        return self.index.args[0] if self.index.op is Op.CAST else self.index


class MovedBases:
    """Finds accesses whose constant comes from a counter that full unrolling has replaced.

    LLVM widens such a counter by itself, so that `x[i * m + j]` becomes `(x + j) + i * m` in each copy, of which the loop
    around leaves `x + j` alone: one multiply-add for each copy, where constants of the source are offsets of one address.
    An index that several arrays share stays one sum, from which the constant is taken afterwards, and so does a sum
    whose constant only sets bits that are zero.
    """

    def __init__(self, numberer: Numberer) -> None:
        self._numberer = numberer
        self._depth = 0
        self._number = 0
        """Of the outermost unrolled loop around."""
        self._first: dict[tuple[object, ...], tuple[object, int]] = {}
        """The index of an instruction in the first copy."""
        self._known: dict[tuple[object, ...], Value] = {}
        self._by_index: dict[tuple[object, ...], list[Value]] = {}

    def enter(self) -> None:
        """A loop that is unrolled begins."""
        if not self._depth:
            self._number += 1
        self._depth += 1

    def leave(self) -> None:
        """It ends."""
        self._depth -= 1

    def address(
        self,
        place: IndexedPlace,
        plain: Callable[[Value], Value],
        is_split: Callable[[Value], bool],
    ) -> Value | None:
        """The address of a copy after the first, where it is one of its own."""
        if not self._depth:
            return None
        place_in_array = signature(place.rest), place.constant
        site = (self._number, self._numberer.origin, place.base.number, place.scale_bytes)
        if self._first.setdefault(site, place_in_array) == place_in_array:
            return None
        is_truncated = self._adds_to_wide_counter(place)
        is_moved = self._adds_constant(place) and self._is_moved(place)
        self._weigh(place, place_in_array, is_moved=is_moved)
        if not is_truncated and not is_moved:
            return None
        key = (self._number, place.base.number, place.scale_bytes, *place_in_array)
        known = self._known.get(key)
        if known is not None and self._numberer.is_usable(known):
            return known
        index = place.index if is_truncated else plain(place.index)
        shape = AddressShape(
            place.scale_bytes, 0, is_split(index) and not is_truncated, is_truncated=is_truncated
        )
        args = [place.base, index]
        context = self._numberer.place(Pseudo.ADDRESS, (*args,))
        address = self._numberer.new(Pseudo.ADDRESS, Scalar.U64, args, shape, context)
        self._known[key] = address
        if not is_truncated:
            self._note_shared(address, (self._number, index.number, place.constant))
        return address

    def _weigh(
        self, place: IndexedPlace, place_in_array: tuple[object, int], *, is_moved: bool
    ) -> None:
        """Notes the size of a later copy's address where it differs by a constant: LLVM finds that out after it copies loops.

        Until then each has its sum, conversion and address, and a product out of which the constant came.
        """
        frames = self._numberer.frames
        parts = [self._numberer.values[n] for monomial in place.rest for n in monomial]
        if not frames or self._numberer.natural_depth(parts) < len(frames) or not place.constant:
            return
        word = place.word
        size = _SIZE_OF_PAIR if self.advances(place.rest) else _SIZE_OF_WORD
        if is_moved:
            size = 1.0  # the conversion: its address is a value of its own
        factor = self._numberer.factor_outside(word.args[0]) if word.op is Op.ADD else None
        if factor is not None and place.constant % factor == 0:
            size += 1.0
        key = (place.base.number, place.scale_bytes, *place_in_array)
        frames[-1].repeated[key] = size

    def _adds_to_wide_counter(self, place: IndexedPlace) -> bool:
        """Whether a counter of 64 bits is cut to a word, to which a constant or a multiple of an invariant is added."""
        word = place.word
        frames = self._numberer.frames
        counters = {n for frame in frames if frame.has_wide_counter for n in frame.counters}
        if word.op is not Op.ADD or word.scalar is not Scalar.I32 or not counters:
            return False
        others = [arg for arg in word.args if arg.number not in counters]
        if len(others) != 1:
            return False
        (added,) = others
        factors = {abs(n) for m, n in place.rest.items() if not counters & {*m}}
        if self._numberer.natural_depth((added,)) or len(factors) > 1:
            return False
        # Shifts by powers of two come out as the sums of words that they are.
        return not factors or (
            place.constant == 0 and (factors == {1} or _is_odd_multiple(*factors))
        )

    def _adds_constant(self, place: IndexedPlace) -> bool:
        """Whether a constant is added to a signed word last, which changes more than bits that are zero."""
        word = place.word
        if word.scalar is not Scalar.I32 or word.op is not Op.ADD or not word.args[1].is_constant:
            return False
        factor = self._numberer.factor_outside(word.args[0])
        if factor is not None and place.constant >= factor:
            # What came out of a product may overflow to LLVM: the access takes it.
            return False
        last = int(word.args[1].constant or 0)
        sets_bits = sets_zero_bits(polynomial(word.args[0]), last)
        return not sets_bits and not _is_never_negative(word.args[0])

    def _is_moved(self, place: IndexedPlace) -> bool:
        """Whether a loop around leaves the array alone that changes the index."""
        if root_of(place.base).kind in {RootKind.SLOT, RootKind.GLOBAL}:
            return False
        parts = [self._numberer.values[n] for monomial in place.rest for n in monomial]
        depth = self._numberer.natural_depth(parts)
        if not 0 < depth > self._numberer.natural_depth((place.base,)):
            return False
        return not self.advances(place.rest)

    def advances(self, rest: Polynomial) -> bool:
        """Whether a pointer advances with the innermost loop by a constant, for LLVM knows that the index does not overflow."""
        frames = self._numberer.frames
        counters = frames[-1].counters if frames else {}
        moving = [monomial for monomial in rest if any(n in counters for n in monomial)]
        is_plain = all(len(m) == 1 and counters[m[0]] is not None for m in moving)
        adds_multiple = len(rest) > 1 and any(abs(rest[m]) != 1 for m in moving)
        return bool(moving) and is_plain and not adds_multiple

    def _note_shared(self, address: Value, key: tuple[object, ...]) -> None:
        """Several arrays at one index add that as it is."""
        found = self._by_index.setdefault(key, [])
        found.append(address)
        if any(other.args[0] is not address.args[0] for other in found):
            for each in found:
                assert isinstance(each.detail, AddressShape)
                each.detail = replace(each.detail, is_shared=True)


def _is_odd_multiple(factor: int) -> bool:
    return factor & (factor - 1) != 0


def _is_never_negative(word: Value) -> bool:
    """Whether LLVM knows a word to be no less than zero, so that it extends it by zeros."""
    if word.op is Op.AND and word.args[1].is_constant:
        return int(word.args[1].constant or 0) >= 0
    source = word.detail if word.op is Op.CAST else None
    return isinstance(source, Scalar) and not source.is_signed and source.size_bytes < _WORD_BYTES
