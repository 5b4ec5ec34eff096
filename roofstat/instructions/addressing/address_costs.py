"""Integer work for addresses: scaling an index, advancing a pointer, offsets out of range."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from roofstat.instructions.addressing.address_shapes import AddressShape, StreamShape
from roofstat.instructions.addressing.assembly_loads import pointers_of_copies
from roofstat.instructions.addressing.constant_memory import constant_roots
from roofstat.instructions.addressing.long_pointers import LongPointers
from roofstat.instructions.addressing.offset_rows import pointers_beside
from roofstat.instructions.addressing.signed_remainders import pointers_by_sign
from roofstat.instructions.graph.details import LoadDetail
from roofstat.instructions.graph.memory_state import RootKind, root_of
from roofstat.instructions.graph.values import Pseudo, Value
from roofstat.instructions.integers.polynomials import constant_multiple
from roofstat.instructions.integers.widths import WIDE, is_word
from roofstat.instructions.tables.parameters import PointerCosts
from roofstat.program.code import LibraryCall, Op
from roofstat.program.openmp.runtime_calls import RuntimeCall

if TYPE_CHECKING:
    from roofstat.instructions.graph.liveness import LiveGraph
    from roofstat.instructions.graph.values import LoopFrame
    from roofstat.instructions.integers.wide_arithmetic import WideArithmetic
    from roofstat.instructions.tables.parameters import LoweringParameters

_FEW_STREAMS = 4
"""With more pointers the compiler advances each instead of adding a common uniform part."""
_FEWEST_COPIED = 4
"""With fewer pointers the loop that clang keeps around each iteration that threads share is unrolled, and they vanish."""
_COPIED_POINTER = 2.0
"""Copies of a pointer that starts at a product, for each access."""
_MANY_STEPPED = 9
"""Of so many pointers that advance by a word none adds an offset (clang 18.1.6: six do, nine do not)."""
_MOST_WEIGHED = 10
"""With more pointers clang no longer finds the offset that arrays read in several rows have in common."""
_COPY_OF_POINTER = 3.0
"""Operations for a pointer in that loop: a copy of two words, an advance of two, less what the words share."""
_COPY_OF_ROW_POINTER = 3.5
"""The same where the pointer starts in a row, not at the array."""
_LONE_BYTE_POINTER = 2.5
"""Two words are added; a copy of one, for the access, is an integer operation half of the time (MOV, IMAD.MOV)."""
_MOST_POINTERS = 4
"""Up to so many accesses, nvcc 13.0 advances a pointer for each by the step of all copies, and no chain of one."""
_INDEX_ARITHMETIC = frozenset({Pseudo.DERIVED, Op.ADD, Op.SUB, Op.MUL, Op.CAST})
_PARTS_OF_ROW = 4.0
"""A word is widened and added to another one as a pair of words, which is scaled and added to the array."""
_SHIFTED_SUM = 3.0
"""SHF.R.S64, IADD3, LEA.HI.X.SX32 beside the sum itself: `sext(trunc(k) + c)` is two shifts of 64 bits to LLVM."""
_ROW_OF_NEST = 2.0
"""A product or a sum and its widening, where an iteration of a loop around has a row of its own."""
_IMMEDIATE_OFFSET = 1 << 23
"""Offsets of accesses have 24 bits with sign."""
_SIGN_BIT = 1 << 31
_ADDED_OFFSET = 2.0
"""Two words are added, both in ordinary registers."""
_SHARED_SCALES = frozenset({1, 4, 8, 16})


class AddressCosts:
    """Costs of the addresses of one graph; each value must be asked for once, in order."""

    def __init__(
        self,
        graph: LiveGraph,
        parameters: LoweringParameters,
        wide: WideArithmetic,
        on_vector: frozenset[int],
    ) -> None:
        self._parameters = parameters
        self._wide = wide
        self._on_vector = on_vector
        """What is the same for all threads of a warp and yet in ordinary registers, by number."""
        self._in_stack = graph.local_slots | graph.element_choices.slots
        self._constant_tables = graph.constant_tables
        self._users = graph.users
        self._extended: set[int] = set()
        """Words whose high word exists already."""
        self._scaled: set[tuple[int, int]] = set()
        """64-bit indices that were scaled already, with the scale."""
        self._far: dict[int, list[int]] = {}
        """Far offsets of addresses that exist already, with a sum for each."""
        self._streams: dict[int, int] = {}
        """Pointers by loop that all copies of its body share."""
        self._indexed: Counter[tuple[int, ...]] = Counter()
        """How many of them start at the same word index."""
        self._widened: dict[int, int] = {}
        """Accesses by loop, those of all copies, whose pointers advance by a widened word."""
        self._pointers: dict[int, list[Value]] = {}
        """Those that advance, by loop."""
        self._scaled_in_copies: set[int] = set()
        """Loops whose copies find addresses in shared memory by scaling the counter, which then is each thread's."""
        self._copied = _copied_pointers(graph.live)
        """Numbers of the pointers that a loop around each iteration copies."""
        self._wide_indices: dict[tuple[int, int], int] = {}
        """How many addresses scale a 64-bit index by the same size."""
        self._scaled_for_shared: set[tuple[int, int]] = set()
        self._scaled_for_global: set[tuple[int, int]] = set()
        """Word indices with the scale, by where the arrays are."""
        self._constants = constant_roots(graph.live)
        """Arrays in constant memory."""
        self._scaled_for_constants: set[tuple[int, int]] = set()
        self.long_pointers = LongPointers(graph.live)
        self._of_copies: dict[int, int] = {}
        if parameters.loads_in_assembly:
            self._of_copies = pointers_by_sign(graph.live)
            self._of_copies |= pointers_of_copies(graph.live)
        """Pointers of which each copy of the compiler's has its own -> how many there are."""
        self._widened_factors = _widened_factors(graph.live)
        self._stepped = Counter(
            _step_of(value) for value in graph.live if self.steps_by_word(value)
        )
        """How many pointers of a rolled loop have a step in common that is a widened word."""
        self._steps_counted: set[tuple[int, int]] = set()
        self._beside = (
            pointers_beside(graph.live)
            if parameters.advances_by_runtime_strides
            else frozenset[int]()
        )
        """Pointers with a stride of the run that the accesses of late copies have beside their own."""
        self._summed = graph.summed_words
        self._rows: dict[tuple[int, ...], int] = {}
        """Indices that an outer loop changes -> the first array with pointers that start there."""
        self._row_steps = _row_steps(graph.live)
        """Pointers behind an index that advances as a word -> operations of that, at the first of them."""
        self._uniform_words = _uniform_words(graph.live)
        """Loops all of whose advancing words are the same in all threads."""
        for value in graph.live:
            if wide.needs_high_word(value):
                self._extended.add(value.args[0].number)
            loop = value.context.loop
            advances = isinstance(value.detail, StreamShape) and (
                value.detail.constant_step or value.detail.by_offset
            )
            if isinstance(value.detail, StreamShape) and loop is not None:
                counts_words = loop.unrolls_rest or parameters.inner_copies is not None
                if counts_words or not self.is_one_word(value):
                    self._pointers.setdefault(id(loop), []).append(value)
                is_by_thread = self.is_one_word(value) and not value.is_uniform
                is_scaled = is_by_thread and parameters.scales_copied_counter
                if is_scaled and loop.copies == loop.batch > 1 and not loop.has_known_trips:
                    self._scaled_in_copies.add(id(loop))
                if _adds_word(value.detail) and not self.is_one_word(value):
                    self._indexed[_index_of(value, loop)] += 1
            is_widened = isinstance(value.detail, StreamShape) and value.detail.is_widened
            if is_widened and loop is not None:
                self._widened[id(loop)] = self._widened.get(id(loop), 0) + 1
            if advances and loop is not None and not self.is_one_word(value):
                self._streams[id(loop)] = self._streams.get(id(loop), 0) + 1
            if value.op is Pseudo.ADDRESS and isinstance(value.detail, AddressShape):
                index = value.args[1]
                key = (index.number, value.detail.scale_bytes)
                if value.detail.is_split or not is_word(index) or value.detail.scale_bytes == 1:
                    self._wide_indices[key] = self._wide_indices.get(key, 0) + 1
                in_shared = root_of(value.args[0]).kind is RootKind.SLOT
                found = self._scaled_for_shared if in_shared else self._scaled_for_global
                found.add((_word_behind(index).number, value.detail.scale_bytes))

    def address(self, value: Value) -> float:
        """Operations of an ADDRESS: a wide multiply-add for a word, more for 64 bits and across blocks."""
        base, index = value.args
        shape = value.detail
        if isinstance(shape, AddressShape) and shape.is_shared:
            return 0.0
        if isinstance(shape, AddressShape) and shape.is_truncated:
            return _SHIFTED_SUM
        scale = shape.scale_bytes if isinstance(shape, AddressShape) else 1
        root = root_of(base)
        if root in self._constants:
            return self._constant_address(index, scale)
        if root.kind is RootKind.SLOT and root.identity not in self._constant_tables:
            if root.identity in self._in_stack:
                # An offset to the stack pointer, or the scale that places of elements have.
                return 1.0
            if self._shares_product(index, scale) or self._continues(index):
                return 0.0
            free = scale == 1 or (
                self._parameters.scales_shared_indices and scale in _SHARED_SCALES
            )
            return 0.0 if free and base.op is Op.SLOT else 1.0
        if self.steps_wide(base) and index.context.depth < base.context.depth:
            return 0.0  # the pointer to the row starts with it
        if isinstance(shape, AddressShape) and shape.is_parted:
            return _PARTS_OF_ROW
        if isinstance(shape, AddressShape) and shape.is_chained:
            if is_word(index):
                return 3.0 if shape.is_doubled else 1.0
            return 2.0 + self._shared_shift(index, scale)
        if self._adds_hoisted_offset(value, base, index):
            return 2.0
        if self._wide.is_taken(index):
            return self._multiple(index, scale)
        power = scale & (scale - 1) == 0
        if self._shares_product(index, scale):
            key = (_word_behind(index).number, scale)
            product = 0.0 if key in self._scaled else 1.0
            self._scaled.add(key)
            return product + 2.0
        if is_word(index) and scale == 1:
            # The addition with carry extends the sign by itself, unless several arrays need that.
            several = self._wide_indices.get((index.number, scale), 0) > 1
            return 2.0 + (self._sign_extension(index) if several else 0.0)
        if power and self._parameters.shifts_masked_indices and _is_masked(index):
            return 2.0 + self._masked_shift(index, scale)
        is_split = isinstance(shape, AddressShape) and shape.is_split
        if is_word(index) and not is_split:
            return 1.0 + self._copies(value)
        product = 2.0 if power else 3.0
        signed = self._sign_extension(index) if is_word(index) else 0.0
        return product + signed + self._shared_shift(index, scale)

    def _multiple(self, index: Value, scale: int) -> float:
        """An index that is a product which its addresses take in."""
        if scale == 1:
            return self._wide.product(index)
        factor = constant_multiple(index)[1] * scale
        if factor & (factor - 1) == 0:
            return 2.0 + self._shared_shift(index, scale)
        key = (index.number, scale)
        is_known = key in self._scaled
        self._scaled.add(key)
        return 2.0 if is_known else 3.0  # all have the product with the high word in common

    def _constant_address(self, index: Value, scale: int) -> float:
        """A place in constant memory is one word: the index in bytes, the same for all arrays."""
        if scale == 1 or index.is_uniform:
            return 0.0
        power = scale & (scale - 1) == 0
        if power and self._parameters.shifts_masked_indices and _is_masked(index):
            return self._masked_shift(index, scale)
        key = (_word_behind(index).number, scale)
        if key in self._scaled_for_constants:
            return 0.0
        self._scaled_for_constants.add(key)
        return 1.0

    def _continues(self, index: Value) -> bool:
        """Whether an index that was made from an earlier one is no value of its own: the step is added to the address."""
        if index.op is not Pseudo.DERIVED or not self._parameters.chains_addresses:
            return False
        return sum(use.op is not Pseudo.DERIVED for use in self._users[index.number]) == 1

    def _adds_hoisted_offset(self, value: Value, base: Value, index: Value) -> bool:
        """Whether the scaled index was moved out of the loop, which leaves an addition of two words."""
        loop = value.context.loop
        if loop is None or index.context.depth >= loop.depth or base.context.depth < loop.depth:
            return False
        return not (self._parameters.advances_by_runtime_strides and index.op is Op.PARAM)

    def _shares_product(self, index: Value, scale: int) -> bool:
        """Whether an index is scaled once for arrays in shared and in global memory, whose bases are then added."""
        if not self._parameters.shares_scaled_indices or scale == 1 or not is_word(index):
            return False
        key = (_word_behind(index).number, scale)
        return key in self._scaled_for_shared and key in self._scaled_for_global

    def _masked_shift(self, index: Value, scale: int) -> float:
        """An index with a constant mask is scaled as a word, once for all arrays; a shift before the mask takes that in."""
        word = _word_behind(index)
        key = (word.number, scale)
        if key in self._scaled or word.args[0].op is Op.SHR:
            return 0.0
        self._scaled.add(key)
        return 1.0

    def _sign_extension(self, index: Value) -> float:
        """One shift gives the high word of a signed index, for all addresses with that index."""
        word = index.args[0] if index.op is Op.CAST and index.scalar in WIDE else index
        if not word.scalar.is_signed or word.number in self._extended:
            return 0.0
        self._extended.add(word.number)
        return 1.0

    def _shared_shift(self, index: Value, scale: int) -> float:
        """A 64-bit index that several arrays use is scaled once, with two shifts."""
        several = self._wide_indices.get((index.number, scale), 0) > 1
        is_uniform = index.is_uniform and index.number not in self._on_vector
        if scale == 1 or is_uniform or not several:
            return 0.0
        key = (index.number, scale)
        if key in self._scaled:
            return 0.0
        self._scaled.add(key)
        return 2.0

    def stream(self, value: Value) -> float:
        """Operations for each advance of a pointer."""
        shape = value.detail
        if not isinstance(shape, StreamShape):
            return 2.0
        if value.number in self._of_copies:
            return 2.0 * self._of_copies[value.number]
        if value.number in self._summed.in_copy:
            copies = 1 if value.context.loop is None else value.context.loop.copies
            in_round = self._summed.in_round[value.number]
            return self._summed.in_copy[value.number] * copies + in_round
        if self.is_one_word(value):
            is_free = value.is_uniform and not self.scales_counter(value.context.loop)
            return 0.0 if is_free else 1.0
        if root_of(value) in self._constants:
            again = 1.0 if value.context.loop is None else _assembler_copies(value.context.loop)
            return 0.0 if value.is_uniform else again
        if shape.word_operations:
            copies = 1 if value.context.loop is None else value.context.loop.copies
            return shape.word_operations * copies
        if shape.by_offset and self.long_pointers.has(value):
            return self.long_pointers.advance(value) + self._copies(value)
        if shape.by_offset:
            # Alone it takes the step by a multiply-add, from a copy of itself where it starts in a row.
            if self.has_common_offset(value.context.loop):
                return 2.0 + self._copies(value)
            if shape.is_bytes:
                return _LONE_BYTE_POINTER
            return 2.0 if shape.has_invariants else 1.0
        if self.steps_by_word(value):
            return self._step(value)
        if self.steps_wide(value):
            return 2.0
        if not shape.constant_step:
            # A pair of words that the uniform datapath adds is brought over by MOV and IMAD.U32.
            if shape.is_widened and shape.is_multiplied and not value.is_uniform:
                return 1.0 + self._copies_of_few(value)
            step = 1.0 if shape.is_multiplied or value.is_uniform else 2.0
            return step + self._beside_steps(value) + self._row_steps.get(value.number, 0.0)
        base, start = value.args[:2]
        parameters = self._parameters
        loop = value.context.loop
        if loop is not None and loop.offset_step is not None:
            return _ADDED_OFFSET
        rolled = loop is None or loop.copies == 1
        if loop is not None and not rolled and _is_kept_word(value):
            again = _assembler_copies(loop)
            widened = _PARTS_OF_ROW if shape.is_in_row else 1.0
            return widened * again + (again if again > 1.0 else 0.0)
        # The start of a row is a product that the uniform datapath is not given, unless a loop around this one moves it on.
        starts_row = shape.adds_product and loop is not None and loop.depth == 1
        if value.is_uniform and not (rolled and starts_row):
            return parameters.uniform_stream_rolled if rolled else parameters.uniform_stream
        if not parameters.keeps_uniform_stream_base:
            return 2.0
        if rolled or loop is None:
            return 2.0
        few = self._streams.get(id(loop), 0) <= _FEW_STREAMS
        # What the assembler copies again walks in two words.
        repeated = not loop.has_known_trips and loop.copies > parameters.unroll.runtime_copies
        shared = few and base.is_uniform and start.is_uniform and self._shares_index(value, loop)
        return 1.0 if shared and not repeated else 2.0

    def steps_wide(self, pointer: Value) -> bool:
        """Whether a pointer of clang's advances by a stride of 64 bits that only the run knows."""
        shape = pointer.detail
        return (
            pointer.op is Pseudo.STREAM
            and isinstance(shape, StreamShape)
            and not (shape.constant_step or shape.by_offset)
            and not self._parameters.advances_by_runtime_strides
        )

    def steps_by_word(self, pointer: Value) -> bool:
        """Whether such a stride is a word that is widened, in a loop that nothing copies."""
        shape, loop = pointer.detail, pointer.context.loop
        return (
            self.steps_wide(pointer)
            and isinstance(shape, StreamShape)
            and shape.is_widened
            and not shape.is_bytes
            and not pointer.is_uniform
            and loop is not None
            and loop.copies == 1
            and not any(arg.number in self._widened_factors for arg in pointer.args[2:])
        )

    def _step(self, pointer: Value) -> float:
        """One multiply-add advances a lone pointer, and an offset that several pointers add; very many take two each."""
        key = _step_of(pointer)
        pointers = self._stepped[key]
        shape, loop = pointer.detail, pointer.context.loop
        if pointers == 1:
            starts_far = isinstance(shape, StreamShape) and shape.starts_at_stride
            is_copied = starts_far and loop is not None and loop.depth == 1
            return 1.0 + (_COPIED_POINTER if is_copied else 0.0)
        first = key not in self._steps_counted and pointers < _MANY_STEPPED
        self._steps_counted.add(key)
        return 3.0 if first else 2.0

    def _shares_index(self, stream: Value, loop: LoopFrame) -> bool:
        """Whether pointers to several arrays add one index, which advances in their place."""
        return self._indexed[_index_of(stream, loop)] > 1

    def word_advances(self, loop: LoopFrame | None) -> float:
        """Operations of each round for indices that advance as words, and for the test of what is left to do."""
        if loop is None:
            return 0.0
        if loop.copies > loop.batch:
            return 0.0 if loop.counts_itself else 2.0
        words = loop.scaled.kept()
        off = sum(loop.scaled.takes_constant_off(word) for word in words)
        # What is left is counted from the counter, which nothing but the uniform datapath needs where no thread differs.
        left = 0.0 if loop.counts_itself or id(loop) in self._uniform_words else 1.0
        return len(words) + off + left

    def _beside_steps(self, stream: Value) -> float:
        """Sums of two words for accesses beside the pointer, in the mean of the copies: all but two have one."""
        loop = stream.context.loop
        if loop is None or stream.number not in self._beside or stream.is_uniform:
            return 0.0
        return 2.0 * max(loop.batch - 2, 0) / loop.batch

    def _copies_of_few(self, stream: Value) -> float:
        """Copies for each advance of a pointer whose accesses have a pointer each, as they are so few."""
        loop = stream.context.loop
        pointers = self._widened.get(id(loop), 0)
        if loop is None or loop.copies == 1 or pointers > _MOST_POINTERS:
            return 0.0
        return pointers / _MOST_POINTERS

    def sums_words(self, loop: LoopFrame | None) -> bool:
        """Whether copies of a loop add up indices anew, which then are counted as such."""
        return id(loop) in self._summed.loops

    def shares_offset(self, loop: LoopFrame | None) -> bool:
        """Whether all that multiplies a loop's counter is in shared memory, at offsets of one word from copy to copy."""
        return loop is not None and not (loop.scales_outside or id(loop) in self._summed.several)

    def scales_counter(self, loop: LoopFrame | None) -> bool:
        """Whether the compiler copied a loop that scales its counter for shared memory, where no pointer advances.

        What the assembler copies as well has pointers.
        """
        return id(loop) in self._scaled_in_copies

    def is_one_word(self, stream: Value) -> bool:
        """Whether an advancing pointer is one word, as those into shared memory are."""
        in_slot = root_of(stream).kind is RootKind.SLOT
        return in_slot and self._parameters.advances_shared_pointers

    def _copies(self, pointer: Value) -> float:
        """Where threads share iterations one by one, clang keeps a loop around each, which copies and advances pointers."""
        if pointer.number not in self._copied:
            return 0.0
        shape = pointer.detail
        is_plain = isinstance(shape, StreamShape) and not shape.has_invariants
        return _COPY_OF_POINTER if is_plain else _COPY_OF_ROW_POINTER

    def has_common_offset(self, loop: LoopFrame | None) -> bool:
        """Whether pointers of a loop add an offset that advances; one alone takes the step by a multiply-add."""
        return self._streams.get(id(loop), 0) > 1

    def common_offset(self, loop: LoopFrame | None) -> float:
        """Operations of each round for what pointers of a loop add in common."""
        if self.long_pointers.counts(loop):
            return self.long_pointers.offsets(loop)
        return 1.0 if self.has_common_offset(loop) else 0.0

    def pointers(self, loop: LoopFrame) -> list[PointerCosts]:
        """What the pointers of a loop take that the compiler copied."""
        return [
            self._pointer(stream)
            for stream in self._pointers.get(id(loop), [])
            for _ in range(self._of_copies.get(stream.number, 1))
        ]

    def _pointer(self, stream: Value) -> PointerCosts:
        shape, loop = stream.detail, stream.context.loop
        assert isinstance(shape, StreamShape)
        unrolls_rest = loop is not None and loop.unrolls_rest
        costs = self._parameters.costs_of_copies(
            unrolls_rest=unrolls_rest, is_inner=loop is not None and loop.is_inner
        )
        is_strided = not (shape.constant_step or shape.by_offset)
        found = costs.plain_pointer
        if self.is_one_word(stream):
            found = costs.uniform_word_pointer if stream.is_uniform else costs.word_pointer
        elif stream.is_uniform:
            found = costs.uniform_pointer
        elif is_strided:
            found = costs.strided_pointer
        elif shape.word is not None:
            found = costs.scaled_pointer
        elif shape.is_in_row:
            found = costs.row_pointer
        elif not shape.has_invariants:
            found = costs.counter_pointer
        if loop is not None and loop.unrolls_rest and self._starts_row(stream, loop):
            found = found._replace(
                before_rounds=found.before_rounds + _ROW_OF_NEST,
                before_rest=found.before_rest + _ROW_OF_NEST,
            )
        if self._starts_at_product(stream, shape, loop):
            more = costs.product_of_row
            found = PointerCosts(*(a + b for a, b in zip(found, more, strict=True)))
        if is_strided and loop is not None:
            found = PointerCosts(*(cost / loop.copies for cost in found))  # each copy has one
        return found._replace(in_rest=max(found.in_rest, -self.stream(stream)))

    def _starts_at_product(self, stream: Value, shape: StreamShape, loop: LoopFrame | None) -> bool:
        """Whether a pointer starts at a product of 64 bits, which each part of the loop makes anew; once for all arrays at one index.

        What a row takes whose parts are widened apart has the product in it.
        """
        if loop is None or loop.unrolls_rest or shape.is_of_word or not shape.constant_step:
            return False
        is_first = self._is_first_at(stream, loop)
        return is_first and shape.adds_product and not shape.is_in_row

    def _is_first_at(self, stream: Value, loop: LoopFrame) -> bool:
        """Whether a pointer is the first one of its loop that starts at its index."""
        base = stream.args[0].number
        return self._rows.setdefault(_index_of(stream, loop), base) == base

    def _starts_row(self, stream: Value, loop: LoopFrame) -> bool:
        """Whether a loop around the one that a pointer advances in changes where it starts; once for all arrays at one index."""
        if all(arg.context.depth < loop.depth - 1 for arg in stream.args):
            return False
        return self._is_first_at(stream, loop)

    def far_offset(self, value: Value) -> float:
        """An offset that a LOAD or STORE cannot hold is added to the address, in two words."""
        detail = value.detail
        if not isinstance(detail, LoadDetail) or abs(detail.offset_bytes) < _IMMEDIATE_OFFSET:
            return 0.0
        if detail.root.kind is RootKind.SLOT:
            return 0.0
        # Accesses near each other share the sum.
        sums = self._far.setdefault(value.args[0].number, [])
        if any(abs(detail.offset_bytes - known) < _IMMEDIATE_OFFSET for known in sums):
            return 0.0
        sums.append(detail.offset_bytes)
        return 2.0


def _widened_factors(live: list[Value]) -> frozenset[int]:
    """Words that are widened for a product of 64 bits that is left: a pointer's step is a pair of words then, too."""
    return frozenset(
        arg.args[0].number
        for value in live
        if value.op is Op.MUL and value.scalar in WIDE
        for arg in value.args
        if arg.op is Op.CAST and is_word(arg)
    )


def _step_of(pointer: Value) -> tuple[int, int]:
    """The loop and the size of an element."""
    shape = pointer.detail
    return id(pointer.context.loop), shape.element_bytes if isinstance(shape, StreamShape) else 0


def _adds_word(shape: StreamShape) -> bool:
    """Whether a pointer advances by a constant from a word index with more in it than the counter."""
    return shape.constant_step and shape.has_invariants and shape.is_of_word


def _index_of(stream: Value, loop: LoopFrame) -> tuple[int, ...]:
    return id(loop), *(arg.number for arg in stream.args[1:])


_COUNTED_ON = 0.5
"""Of loops whose rest is counted on, the counter that half of them have in an ordinary register."""


def _row_steps(live: list[Value]) -> dict[int, float]:
    """What indices that advance as words take in the loops whose pointers follow from them (`factored_words`)."""
    found: dict[int, float] = {}
    seen: set[tuple[object, ...]] = set()
    for value in live:
        shape, loop = value.detail, value.context.loop
        if not isinstance(shape, StreamShape) or not shape.word_row or loop is None:
            continue
        if value.is_uniform:
            continue
        key = (id(loop), *shape.word_row)
        if key in seen:
            continue
        seen.add(key)
        if loop.copies > 1:
            again = shape.counts_up and (id(loop),) not in seen
            seen.add((id(loop),))
            found[value.number] = _assembler_copies(loop) + (_COUNTED_ON if again else 0.0)
        elif shape.counts_up:
            found[value.number] = 1.0
    return found


def _assembler_copies(loop: LoopFrame) -> float:
    return loop.copies / loop.batch


def _is_kept_word(stream: Value) -> bool:
    """Whether an index advances as a word, and no pointer."""
    shape, loop = stream.detail, stream.context.loop
    if not isinstance(shape, StreamShape) or shape.word is None or loop is None:
        return False
    return not loop.has_known_trips and loop.scaled.keeps(shape.word)


def _uniform_words(live: list[Value]) -> set[int]:
    found: dict[int, bool] = {}
    for value in live:
        if value.op is Pseudo.STREAM and _is_kept_word(value):
            loop = id(value.context.loop)
            found[loop] = found.get(loop, True) and value.is_uniform
    return {loop for loop, is_uniform in found.items() if is_uniform}


def _is_shared_iteration(value: Value) -> bool:
    detail = value.detail
    return isinstance(detail, LibraryCall) and detail.name == RuntimeCall.ITERATION


def _copied_pointers(live: list[Value]) -> frozenset[int]:
    shared = {id(value.context.loop) for value in live if _is_shared_iteration(value)}
    pointers: dict[int, list[Value]] = {}
    for value in live:
        loop = id(value.context.loop)
        if loop in shared and (_advances(value) or _is_row(value)):
            pointers.setdefault(loop, []).append(value)
    return frozenset(
        value.number
        for values in pointers.values()
        if _copies_each(Counter(value.args[0].number for value in values))
        for value in values
    )


def _advances(value: Value) -> bool:
    return isinstance(value.detail, StreamShape) and value.detail.by_offset


def _is_row(value: Value) -> bool:
    """Whether an address is of a further row of an array: its index is made from an earlier one, and of no data."""
    if value.op is not Pseudo.ADDRESS or root_of(value.args[0]).kind is RootKind.SLOT:
        return False
    pending = [value.args[1]]
    if pending[0].op not in {Pseudo.DERIVED, Op.ADD, Op.SUB}:
        return False
    seen: set[int] = set()
    while pending:
        index = pending.pop()
        if index.op is Op.LOAD:
            return False
        if index.number not in seen and index.op in _INDEX_ARITHMETIC:
            seen.add(index.number)
            pending.extend(index.args)
    return True


def _copies_each(pointers_of_arrays: Counter[int]) -> bool:
    """Whether pointers advance each on its own: where most arrays have one, and all of them or there are very many."""
    pointers, arrays = pointers_of_arrays.total(), len(pointers_of_arrays)
    single = sum(count == 1 for count in pointers_of_arrays.values())
    if pointers < _FEWEST_COPIED or 2 * single < arrays:
        return False
    return single == arrays or pointers > _MOST_WEIGHED


def _word_behind(index: Value) -> Value:
    return index.args[0] if index.op is Op.CAST else index


def _is_masked(index: Value) -> bool:
    """Whether an index is a word of which a constant mask leaves the lower bits."""
    word = _word_behind(index)
    if word.op is not Op.AND or word.scalar in WIDE or not word.args[1].is_constant:
        return False
    return 0 < int(word.args[1].constant or 0) < _SIGN_BIT
