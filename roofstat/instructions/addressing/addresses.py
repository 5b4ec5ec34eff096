"""One address for each base and index: shared, chained to an earlier one, or advancing with a loop."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.instructions.addressing.address_shapes import AddressShape, StreamShape
from roofstat.instructions.addressing.atomic_offsets import AtomicOffsets
from roofstat.instructions.addressing.chained_rows import IndexedAddress, chain_rows
from roofstat.instructions.addressing.indices import REMEMBERED, Indices
from roofstat.instructions.addressing.lower_places import LowerPlaces, difference_in
from roofstat.instructions.addressing.moved_bases import IndexedPlace, MovedBases
from roofstat.instructions.addressing.shared_streams import SharedStreams
from roofstat.instructions.addressing.streams import Streams
from roofstat.instructions.graph.memory_state import RootKind, root_of
from roofstat.instructions.graph.values import Pseudo, Value, split_pointer
from roofstat.instructions.integers.arithmetic import PURE
from roofstat.instructions.integers.polynomials import (
    Polynomial,
    constant_multiple,
    constant_term,
    difference_of,
    polynomial,
    polynomial_of_pairs,
    signature,
    without_constant,
)
from roofstat.instructions.integers.widths import WIDE, WORDS, is_word, multiplies_wide
from roofstat.program.code import Op
from roofstat.program.comparisons import COMPARISONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofstat.instructions.graph.numbering import Numberer
    from roofstat.instructions.graph.values import Context
    from roofstat.instructions.tables.parameters import LoweringParameters


@dataclass(frozen=True, slots=True)
class PointerSum:
    """How an address was made: `base + (index - excess) * scale_bytes`."""

    base: Value
    index: Value
    scale_bytes: int
    excess: int
    """Constant in the index that the address leaves to the accesses."""


_LONGEST_ROW = 1 << 24
"""Elements of a row whose bytes still are a factor of one word."""


class Addresses:
    """Makes the addresses of one walk."""

    def __init__(
        self, numberer: Numberer, parameters: LoweringParameters, shared_slots: frozenset[int]
    ) -> None:
        self._numberer = numberer
        self._parameters = parameters
        self._shared_slots = shared_slots
        self._indices = Indices(numberer, parameters)
        self._shared_streams = SharedStreams(numberer)
        self._streams = Streams(numberer, self._indices, parameters)
        self._known: dict[tuple[object, ...], Value] = {}
        """Addresses by base, index without constants, and scale."""
        self._sums: dict[int, PointerSum] = {}
        """How addresses were made, by number."""
        self._made: dict[int, IndexedAddress] = {}
        """The same of all that could follow another one in their block."""
        self._chains: dict[tuple[int, int], list[tuple[Polynomial, Value, Value]]] = {}
        """Addresses by base and scale, behind their indices without constants, as polynomials and as values."""
        self._first_uses: dict[int, tuple[Context, int]] = {}
        self._moved_bases = MovedBases(numberer)
        self._atomic_offsets = AtomicOffsets(numberer)
        self._lower_places = LowerPlaces()

    def enter_unrolled(self) -> None:
        """A loop that the compiler unrolls fully begins."""
        self._moved_bases.enter()

    def leave_unrolled(self) -> None:
        """It ends."""
        self._moved_bases.leave()

    def pointer_add(
        self,
        base: Value,
        index: Value,
        scalar: Scalar,
        scale_bytes: int,
        *,
        is_in_array: bool = False,
        register: int = -1,
        is_atomic: bool = False,
    ) -> Value:
        """`base + index * scale_bytes`, with constants gathered into an OFFSET.

        Args:
            base: What is indexed.
            index: The index.
            scalar: Its type.
            scale_bytes: Bytes of an element.
            is_in_array: Whether the code indexes an array, not a pointer.
            register: Register that the code puts the address into; -1 where nothing is atomic.
            is_atomic: Whether atomics take the address.
        """
        root, offset = split_pointer(base)
        if index.is_constant:
            return self.pointer_offset(root, offset + int(index.constant or 0) * scale_bytes)
        index, low = self._indices.apart_from_low_bits(index)
        offset += low * scale_bytes
        inner = self._sums.get(root.number)
        in_row = inner is not None and inner.scale_bytes == scale_bytes
        if inner is not None and in_row:
            root, offset = inner.base, offset - inner.excess * scale_bytes
            index, scalar = self._sum_of_indices(inner.index, index), Scalar.I64
        is_parted = (
            self._parameters.moves_bases
            and self._indices.is_parted(index)
            and not self._moved_bases.advances(without_constant(polynomial(index)))
        )
        if is_in_array and self._indices.is_kept_by_test(index, scalar):
            index, poly = self._indices.with_whole_constant(index)
        elif not is_parted and self._indices.keeps_constant(root, index, scalar):
            index, poly = self._indices.with_constant(index)
        else:
            poly = self._indices.polynomial_of(root, index, scalar)
            if self._parameters.keeps_constants_of_atomics and register >= 0:
                keeps = self._atomic_offsets.keeps(root, index, poly, scale_bytes, register)
                if keeps and is_atomic:
                    index, poly = self._indices.with_whole_constant(index)
        constant = constant_term(poly)
        if scalar.size_bytes >= Scalar.I32.size_bytes:
            # Unsigned numbers count down by adding their largest value.
            numbers = 1 << 8 * scalar.size_bytes
            constant = (constant + numbers // 2) % numbers - numbers // 2
        rest = without_constant(poly)
        if not rest:
            return self.pointer_offset(root, offset + constant * scale_bytes)
        is_shared = self._is_in_shared(root)
        if is_shared:
            advanced = self._shared_streams.stream(root, index, rest, scale_bytes)
            if advanced is not None:
                self._note_index(root, index, rest)
                self._streams.note(index, rest, constant, is_shared=True)
                self._streams.note_scaled(index, rest)
                pointer, beyond = advanced
                return self.pointer_offset(pointer, beyond + offset + constant * scale_bytes)
        if self._parameters.moves_bases and not in_row:
            place = IndexedPlace(root, index, rest, constant, scale_bytes)
            moved = self._moved_bases.address(place, self._plain, self._is_split)
            if moved is not None:
                self._keep_word((root.number, signature(rest), scale_bytes, False))
                return self.pointer_offset(moved, offset)
        if is_parted:
            index, constant, offset = (
                self._indices.without_constant(index),
                0,
                offset + constant * scale_bytes,
            )
        address, included = self._address(
            root, index, rest, constant, scale_bytes, in_row=in_row, is_parted=is_parted
        )
        if is_shared:
            self._shared_streams.remember(address, root, {**rest, (): included}, scale_bytes)
        return self.pointer_offset(address, offset + (constant - included) * scale_bytes)

    def _keep_word(self, key: tuple[object, ...]) -> None:
        """Of an index that other addresses take, the first one has no pointer that advances either."""
        first = self._known.get(key)
        if first is not None and isinstance(first.detail, StreamShape):
            first.detail = replace(first.detail, word_operations=1.0)
            self._numberer.frames[-1].advances_words = True

    def _plain(self, index: Value) -> Value:
        """An index without its constant, as its loop has it."""
        return self._indices.derived(self._indices.without_constant(index))

    def _is_in_shared(self, base: Value) -> bool:
        """Whether an address is in shared memory, and the compiler lets pointers advance there too."""
        if not self._parameters.advances_shared_pointers:
            return False
        root = root_of(base)
        return root.kind is RootKind.SLOT and root.identity in self._shared_slots

    def _sum_of_indices(self, row: Value, index: Value) -> Value:
        """The index of an element of a row whose pointer was computed by an index of its own, in 64 bits."""
        args = (self._numberer.widened(row), self._numberer.widened(index))
        return self._numberer.pure(Op.ADD, Scalar.I64, args, None)

    def closed(self, widened: Value) -> Value:
        """A widened word that a sum takes, from which no constant leaves that the compiler cannot take out."""
        is_closed = self._parameters.loses_inner_constants and self._numberer.unrolled_loops
        return self._indices.closed(widened) if is_closed else widened

    def chain_rows(self, live: Sequence[Value]) -> frozenset[int]:
        """Makes addresses of what is live from others in their basic blocks, and returns their numbers."""
        least = self._parameters.least_accesses_of_chains
        if not least:
            return frozenset()
        return chain_rows(
            live,
            self._made,
            self._stride,
            least_accesses=least,
            least_rows=self._parameters.least_rows_of_chains,
        )

    def _stride(self, difference: Polynomial, address: IndexedAddress) -> Value:
        """The difference of two indices as a value, computed where all is known that it takes."""
        parts = [self._numberer.values[n] for monomial in difference for n in monomial]
        context = self._numberer.context
        self._numberer.context = max(
            (part.context for part in parts), key=lambda each: each.level, default=context
        )
        stride = self._indices.stride(difference, in_words=not multiplies_wide(address.index))
        self._numberer.context = context
        return stride

    def moved_pointer(self, pointer: Value, offset_bytes: int) -> Value:
        """`pointer + offset_bytes`, where the pointer may have an offset already."""
        root, offset = split_pointer(pointer)
        return self.pointer_offset(root, offset + offset_bytes)

    def pointer_offset(self, base: Value, offset_bytes: int) -> Value:
        """`base + offset_bytes`."""
        if offset_bytes == 0:
            return base
        return self._numberer.numbered(Pseudo.OFFSET, Scalar.U64, (base,), offset_bytes)

    def _address(
        self,
        base: Value,
        index: Value,
        rest: Polynomial,
        constant: int,
        scale_bytes: int,
        *,
        in_row: bool,
        is_parted: bool,
    ) -> tuple[Value, int]:
        self._note_index(base, self._weighed(index, constant), rest)
        self._streams.note(index, rest, constant, is_shared=base.op is Op.SLOT)
        key: tuple[object, ...] = (base.number, signature(rest), scale_bytes, is_parted)
        is_apart = self._is_apart(key, base, index, constant, scale_bytes)
        if is_apart:
            key = (*key, "below")
        known = self._known.get(key)
        if known is not None and self._numberer.is_usable(known):
            shape = known.detail
            return known, shape.constant if isinstance(shape, AddressShape) else 0
        if is_apart:
            return self._whole(key, base, index, rest, constant, scale_bytes), constant
        chained = self._chained_in_loop(base, index, rest, scale_bytes)
        if chained is not None:
            return self._remember_chained(key, base, rest, index, chained)
        stream = self._streams.stream(base, index, rest, scale_bytes, in_row=in_row)
        if stream is not None:
            self._known[key] = stream
            self._remember_address(base, rest, scale_bytes, index, stream)
            index = self._indices.without_constant(index)
            excess = constant_term(polynomial(index))
            self._remember_sum(stream, base, index, scale_bytes, excess)
            return stream, 0
        chained = self._chained(base, index, rest, scale_bytes)
        if chained is None and not in_row:
            chained = self._continued(base, index, scale_bytes)
        if chained is not None:
            return self._remember_chained(key, base, rest, index, chained)
        strips = self._parameters.strips_negative_constants or index.scalar in WIDE
        if constant > 0 or (constant and strips):
            index = self._indices.without_constant(index)
            constant = constant_term(polynomial(index))
        self._note_word_index(base, index)
        index = self._indices.regrouped(index) if in_row else self._indices.derived(index)
        scaled, length = (
            self._row_of_word(base, index)
            or self._further_multiple(base, index, scale_bytes)
            or (index, 1)
        )
        is_split = scaled is index and not is_parted and self._is_split(index)
        shape = AddressShape(scale_bytes * length, constant, is_split, is_parted=is_parted)
        context = self._numberer.place(Pseudo.ADDRESS, (base, scaled))
        address = self._numberer.new(Pseudo.ADDRESS, Scalar.U64, [base, scaled], shape, context)
        self._known[key] = address
        self._remember_address(base, rest, scale_bytes, index, address)
        self._remember_sum(address, base, index, scale_bytes)
        return address, constant

    def _is_apart(
        self, row: tuple[object, ...], base: Value, index: Value, constant: int, scale_bytes: int
    ) -> bool:
        """Whether an access takes the address of what lies below its row (`lower_places`)."""
        numberer = self._numberer
        if self._parameters.strips_negative_constants or numberer.frames or numberer.unrolled_loops:
            return False
        if base.op is Op.SLOT or index.scalar is not Scalar.I32:
            return False
        follows = constant < 0 and row not in self._known
        follows = follows and self._earlier(base, index, scale_bytes) is not None
        difference = difference_in(index)
        return self._lower_places.is_apart(
            row,
            index,
            constant,
            follows=follows,
            is_stepped=difference is not None and numberer.is_stepped_product(difference),
        )

    def _whole(
        self,
        key: tuple[object, ...],
        base: Value,
        index: Value,
        rest: Polynomial,
        constant: int,
        scale_bytes: int,
    ) -> Value:
        """A new address of a whole index, a word."""
        shape = AddressShape(scale_bytes, constant)
        context = self._numberer.place(Pseudo.ADDRESS, (base, index))
        address = self._numberer.new(Pseudo.ADDRESS, Scalar.U64, [base, index], shape, context)
        self._known[key] = address
        self._remember_address(base, rest, scale_bytes, index, address)
        self._remember_sum(address, base, index, scale_bytes)
        return address

    def _row_of_word(self, base: Value, index: Value) -> tuple[Value, int] | None:
        """The number of a row and its length, where the one is a word and the other known.

        `(size_t)r * 12` and the size of an element are one factor, so that the address is one multiply-add (IMAD.WIDE).
        """
        if index.scalar not in WIDE or base.op is Op.SLOT:
            return None
        word, length = constant_multiple(index)
        if word is index or word.op is not Op.CAST or not is_word(word):
            return None
        return (word, length) if 0 < length < _LONGEST_ROW else None

    def _further_multiple(
        self, base: Value, index: Value, scale_bytes: int
    ) -> tuple[Value, int] | None:
        """The word of which an index is a multiple, and the factor, where another multiple has an address already.

        LLVM's straight-line reduction of strength adds what it is more (`x * 28` bytes for `a[x * 8]` behind `a[x]`). It
        does not see through a sum that a constant was taken out of.
        """
        word, factor = constant_multiple(index)
        is_exact = index.scalar is Scalar.I32 and not self._numberer.is_shift(index)
        is_exact = is_exact and self._numberer.factor_outside(index) is None
        if not (self._parameters.steps_to_multiples and is_exact and 1 < factor < _LONGEST_ROW):
            return None
        for _, known, address in self._chains.get((base.number, scale_bytes), []):
            if constant_multiple(known)[0] is word and address.context.is_active:
                return word, factor
        return None

    def _remember_sum(
        self, address: Value, base: Value, index: Value, scale_bytes: int, excess: int = 0
    ) -> None:
        if self._parameters.adds_indices_of_rows and root_of(base).kind is not RootKind.SLOT:
            self._sums[address.number] = PointerSum(base, index, scale_bytes, excess)

    def _remember_chained(
        self,
        key: tuple[object, ...],
        base: Value,
        rest: Polynomial,
        index: Value,
        chained: Value,
    ) -> tuple[Value, int]:
        shape = chained.detail
        assert isinstance(shape, AddressShape)
        self._known[key] = chained
        self._remember_address(base, rest, shape.scale_bytes, index, chained)
        return chained, shape.constant

    def _chained_in_loop(
        self, base: Value, index: Value, rest: Polynomial, scale_bytes: int
    ) -> Value | None:
        """An address in a loop that follows another one there by a stride that the loop leaves alone.

        Straight-line code is reduced before loops are: of the copies of an unrolled loop inside a loop, the first one's
        pointer advances with that, and the others follow from it.
        """
        depth = len(self._numberer.frames)
        if not depth:
            return None
        return self._chained(base, index, rest, scale_bytes, depth)

    def _chained(
        self, base: Value, index: Value, rest: Polynomial, scale_bytes: int, depth: int = 0
    ) -> Value | None:
        """An address as an earlier one plus a stride that an unrolled loop leaves alone, as one operation on that one.

        Args:
            base: What is indexed.
            index: The index.
            rest: That without its constant.
            scale_bytes: Bytes of an element.
            depth: Loops that the earlier address must be computed in, the innermost of which leaves the stride alone;
                0 for any.
        """
        chains = self._parameters.chains_addresses or (
            self._parameters.adds_terms_to_pointers and index.scalar in WIDE
        )
        if not chains or not self._numberer.unrolled_loops or base.op is Op.SLOT:
            return None
        if self._parameters.least_accesses_of_chains and not self._numberer.frames:
            return None
        for known, earlier, address in reversed(self._chains.get((base.number, scale_bytes), [])):
            if not address.context.is_active or address.context.depth < depth:
                continue
            if not depth and not self._is_step_of_pairs(index, earlier):
                continue
            if any(
                n >= self._numberer.unrolled_from
                for monomial in difference_of(rest, known)
                for n in monomial
            ):
                continue
            step = self._indices.single_step(rest, known, in_words=not multiplies_wide(index))
            if step is None or (depth and self._numberer.natural_depth((step,)) >= depth):
                continue
            return self._moved_by(address, step, scale_bytes)
        return None

    def _is_step_of_pairs(self, index: Value, earlier: Value) -> bool:
        """Whether clang sees a stride between two indices of 64 bits: none that lies in a word before that is widened."""
        if not self._parameters.adds_terms_to_pointers:
            return True
        difference = difference_of(polynomial_of_pairs(index), polynomial_of_pairs(earlier))
        return len(without_constant(difference)) == 1

    def _moved_by(self, address: Value, step: Value, scale_bytes: int) -> Value:
        shape = address.detail
        included = shape.constant if isinstance(shape, AddressShape) else 0
        moved = AddressShape(scale_bytes, included, is_chained=True)
        context = self._numberer.place(Pseudo.ADDRESS, (address, step))
        return self._numberer.new(Pseudo.ADDRESS, Scalar.U64, [address, step], moved, context)

    def _continued(self, base: Value, index: Value, scale_bytes: int) -> Value | None:
        """An address whose index is the sum of an earlier one's and a step: `x[i + s]` after `x[i]`.

        Only sums that do not overflow are taken apart.
        """
        found = self._earlier(base, index, scale_bytes)
        return None if found is None else self._moved_by(*found, scale_bytes)

    def _earlier(self, base: Value, index: Value, scale_bytes: int) -> tuple[Value, Value] | None:
        """That address, and the step."""
        in_shared = base.op is Op.SLOT
        numberer = self._numberer
        if not self._parameters.chains_addresses and (
            in_shared or numberer.frames or numberer.unrolled_loops
        ):
            return None
        if in_shared and not self._scales_in_shared(base):
            return None
        index = self._indices.without_constant(index)
        if index.op is Op.CAST and (index.detail is Scalar.I32 or (in_shared and is_word(index))):
            index = index.args[0]
        is_exact = index.scalar.is_signed and not self._numberer.is_stepped_product(index)
        is_exact = is_exact or index.scalar in WIDE or in_shared
        if index.op is not Op.ADD or not is_exact:
            return None
        for part, step in (index.args, index.args[::-1]):
            rest = without_constant(polynomial(part))
            known = self._known.get((base.number, signature(rest), scale_bytes, False))
            if known is not None and known.op is Pseudo.ADDRESS and known.context.is_active:
                return known, step
        return None

    def _scales_in_shared(self, base: Value) -> bool:
        """Whether an index into shared memory takes an operation to scale it, which may add it to another address too."""
        return self._is_in_shared(base) and not self._parameters.scales_shared_indices

    def _remember_address(
        self, base: Value, rest: Polynomial, scale_bytes: int, index: Value, address: Value
    ) -> None:
        self._made[address.number] = IndexedAddress(base, rest, index, scale_bytes)
        known = self._chains.setdefault((base.number, scale_bytes), [])
        known.append((rest, index, address))
        del known[:-REMEMBERED]

    def _is_split(self, index: Value) -> bool:
        """Whether an earlier basic block widens an index, for an address or for anything else."""
        word = index.args[0] if index.op is Op.CAST and index.scalar in WIDE else index
        if self._parameters.advances_indices and self._indices.is_affine(polynomial(word)):
            return False  # Each address has the word that advances.
        if self._parameters.widens_choices and _is_chosen_wide(word):
            return True
        for wide in WIDE:
            widened = self._numberer.known_cast(wide, word)
            if (
                widened is not None
                and widened.context.is_active
                and widened.segment not in {0, self._numberer.segment}
            ):
                return True
        known = self._first_use(index.number)
        if known is None and (self._numberer.least(word) or -1) >= 0:
            known = self._first_use(~index.number)
            number = ~index.number
        else:
            number = index.number
        if known is None:
            context = self._numberer.before_arm or self._numberer.context
            self._first_uses[number] = (context, self._numberer.segment)
            return False
        return known != self._numberer.segment

    def _first_use(self, number: int) -> int | None:
        """The basic block that widened an index first, of those that come before this one; negative numbers are of what zeros extend."""
        context, segment = self._first_uses.get(number, (None, 0))
        return segment if context is not None and context.is_active else None

    def _note_word_index(self, base: Value, index: Value) -> None:
        if self._numberer.frames and base.op is not Op.SLOT and self._follows_counter(index):
            self._numberer.frames[-1].has_word_index = True

    def _weighed(self, index: Value, constant: int) -> Value:
        """The index as LLVM finds it when it weighs a loop: without its constant. Copies share theirs."""
        frames = self._numberer.frames
        is_weighed = self._parameters.unroll.drops_unused and bool(frames)
        if not constant or not is_weighed or frames[-1].copies > 1:
            return index
        return self._indices.without_constant(index)

    def _note_index(self, base: Value, index: Value, rest: Polynomial) -> None:
        """Notes the index of an address with what it indexes, and whether the innermost loop widens it from a word in every iteration."""
        if not self._numberer.frames:
            return
        self._numberer.frames[-1].indices.setdefault(index.number, set()).add(base.number)
        if is_word(index) and not self._is_loaded(rest):
            numbers = [self._numberer.values[number] for monomial in rest for number in monomial]
            if self._numberer.natural_depth(numbers) == len(self._numberer.frames):
                self._numberer.frames[-1].word_indices.add(signature(rest))

    def _is_loaded(self, rest: Polynomial) -> bool:
        """Whether an index is what a load brings: LLVM counts that as a load of a pair."""
        return len(rest) == 1 and all(
            len(monomial) == 1 and factor == 1 and self._numberer.values[monomial[0]].op is Op.LOAD
            for monomial, factor in rest.items()
        )

    def _follows_counter(self, index: Value) -> bool:
        """Whether an index is computed from a counter of the innermost loop, by operations on registers alone."""
        counters = self._numberer.frames[-1].counters
        pending, seen = [index], {index.number}
        while pending:
            value = pending.pop()
            if value.number in counters:
                return True
            if value.op not in PURE and value.op is not Pseudo.DERIVED:
                continue
            for arg in value.args:
                if arg.number not in seen and arg.context.depth == len(self._numberer.frames):
                    seen.add(arg.number)
                    pending.append(arg)
        return False


def _is_chosen_wide(word: Value) -> bool:
    """Whether LLVM widens a word before it chooses it: one is a constant, and the condition compares no words."""
    if word.op is not Op.SELECT or not any(arg.is_constant for arg in word.args[1:]):
        return False
    condition = word.args[0]
    return not (condition.op in COMPARISONS and condition.scalar in WORDS)
