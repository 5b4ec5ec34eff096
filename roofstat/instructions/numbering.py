"""Value numbering with placement: every expression exists once, at the outermost loop level where it can be computed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.arithmetic import LOOPING, OF_ANGLES, PURE, Constant, wrap
from roofstat.instructions.folding import Folder
from roofstat.instructions.memory_state import RootKind, root_of
from roofstat.instructions.polynomials import (
    Polynomial,
    constant_term,
    polynomial,
    signature,
    without_constant,
)
from roofstat.instructions.ranges import upper_bound
from roofstat.instructions.values import AnyOp, Context, LoopFrame, Pseudo, Value
from roofstat.instructions.widths import WIDE, is_word
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clang_queries.ir.expressions import Position
    from roofstat.instructions.folding import Rewritten
    from roofstat.instructions.known_bits import Progression
    from roofstat.instructions.parameters import LoweringParameters
    from roofstat.instructions.polynomials import Monomial


@dataclass(frozen=True, slots=True)
class AddressShape:
    """Detail of an ADDRESS: `base + index * scale_bytes`, where the index holds `constant` already."""

    scale_bytes: int
    constant: int
    is_split: bool = False
    """Whether the widened index comes from an earlier basic block, so that it cannot be fused with the scaling."""
    is_chained: bool = False
    """Whether the base is another address and the index a stride."""


@dataclass(frozen=True, slots=True)
class StreamShape:
    """Detail of a STREAM: an address that advances with a loop.

    `constant_step` tells whether the advance is known to the compiler, so that all copies of an unrolled
    body share one pointer; `has_invariants` whether something besides the counter is in the index.
    """

    constant_step: bool
    has_invariants: bool
    by_offset: bool = False
    """Whether all pointers of the loop add one common offset that advances (clang, runtime steps)."""
    plain_stride: bool = True
    """Whether a runtime stride is an argument as it is, which one multiply-add can take."""


@dataclass(frozen=True, slots=True)
class PointerSum:
    """How an address was made: `base + (index - excess) * scale_bytes`."""

    base: Value
    index: Value
    scale_bytes: int
    excess: int
    """Constant in the index that the address leaves to the accesses."""


_WORD = 1 << 32
_LEAST_TERMS = 2
_REMEMBERED_INDICES = 12
_TERMS_THAT_KEEP = 2
"""A sum of so many terms keeps a positive constant apart."""
_TRAPPING = frozenset({Op.DIV, Op.REM})
_MAX_REWRITES = 8


class Numberer:
    """Makes values. The walker tells it where it is by `context` and `frames`."""

    def __init__(self, parameters: LoweringParameters, *, fast_math: bool) -> None:
        self.values: list[Value] = []
        self.root = Context(None, None)
        self.context = self.root
        self.frames: list[LoopFrame] = []
        self.position: Position | None = None
        self._parameters = parameters
        self._fast_math = fast_math
        self._indices: list[Value] = []
        """Recent index expressions, for strength reduction."""
        self._sums: dict[int, PointerSum] = {}
        """How addresses were made, by number."""
        self._chains: dict[tuple[int, int], list[tuple[Polynomial, Value]]] = {}
        """Addresses by base and scale, with their indices without constants."""
        self.unrolled_loops = 0
        """Fully unrolled loops around the code that is being walked."""
        self.unrolled_from = 0
        """Number of the first value that the outermost of them computes."""
        self.segment = 1
        """Number of the basic block that is being walked, from 1."""
        self.before_arm: Context | None = None
        """Around the short arm that is being walked: what indexes and addresses in it need is computed there."""
        self.first_arm: Context | None = None
        """The other arm of the branch whose second arm is being walked: clang hoists what both begin with."""
        self._first_uses: dict[int, tuple[Context, int]] = {}
        self._table: dict[tuple[object, ...], Value] = {}
        self._constants: dict[tuple[Scalar, type, Constant], Value] = {}
        self._folder = Folder(
            self.constant,
            self.pure,
            fast_math=fast_math,
            called_on_constants=parameters.called_on_constants,
        )

    def remember_counter(self, counter: Value, progression: Progression) -> None:
        """Says what values a loop variable takes."""
        self._folder.counters[counter.number] = progression

    def constant(self, scalar: Scalar, value: Constant) -> Value:
        """A known value."""
        value = wrap(scalar, value)
        key = (scalar, type(value), value)
        known = self._constants.get(key)
        # 0.0 and -0.0 are equal as keys but not as values; the sign never changes a count.
        if known is None:
            known = self._new(Pseudo.CONSTANT, scalar, [], None, self.root)
            known.constant = value
            self._constants[key] = known
        return known

    def leaf(self, op: AnyOp, scalar: Scalar, detail: object) -> Value:
        """A value without operands that is the same everywhere (parameter, special register, slot)."""
        key = (op, scalar, detail)
        known = self._table.get(key)
        if known is None:
            known = self._new(op, scalar, [], detail, self.root)
            self._table[key] = known
        return known

    def fresh(self, op: AnyOp, scalar: Scalar, args: list[Value], detail: object = None) -> Value:
        """A value of its own, in the current context."""
        return self._new(op, scalar, args, detail, self.context)

    def pure(self, op: Op, scalar: Scalar, args: tuple[Value, ...], detail: object) -> Value:
        """An operation that depends on its operands alone."""
        current: Rewritten = (op, scalar, args, detail)
        for _ in range(_MAX_REWRITES):
            result = self._folder.fold(*current)
            if isinstance(result, Value):
                return result
            if result == current:
                break
            current = result
        return self._numbered(*current)

    def chosen(self, scalar: Scalar, found: list[Value], conditions: list[Value]) -> Value:
        """One of several values that are all computed."""
        return self._numbered(Pseudo.JOIN, scalar, (*found, *conditions), len(found))

    def _numbered(
        self, op: AnyOp, scalar: Scalar, args: tuple[Value, ...], detail: object
    ) -> Value:
        if op is Op.MATH and scalar is Scalar.F32 and detail in LOOPING and not self._fast_math:
            return self._looping(scalar, args, detail)
        key = (op, scalar, detail, *[arg.number for arg in args])
        known = self._table.get(key)
        if known is not None and (known.context.is_active or self._moved_up(known)):
            return known
        result = self._new(op, scalar, list(args), detail, self.place(op, args))
        self._table[key] = result
        return result

    def _looping(self, scalar: Scalar, args: tuple[Value, ...], detail: object) -> Value:
        """A function with a loop; sine after cosine of one angle, or the other way round, has the first as an operand."""
        if detail not in OF_ANGLES:
            return self.fresh(Op.MATH, scalar, list(args), detail)
        key = (Op.MATH, scalar, OF_ANGLES, args[0].number)
        known = self._table.get(key)
        if known is not None and known.detail != detail and known.context.is_active:
            return self.fresh(Op.MATH, scalar, [*args, known], detail)
        result = self.fresh(Op.MATH, scalar, list(args), detail)
        self._table[key] = result
        return result

    def _moved_up(self, known: Value) -> bool:
        """Moves a value that a branch computed, and that is asked for again on another path, to where the paths part.

        Compilers compute such a value once, before the branch, even where neither path needs it. Floating point stays,
        and so does what a loop between the two places holds.
        """
        if not self._parameters.merges_paths and known.context is not self.first_arm:
            return False
        if known.scalar.is_float or known.op in _TRAPPING or known.op is Op.MATH:
            return False
        meeting = known.context.meeting(self.context)
        if not self._parameters.merges_paths and self.context.parent is not meeting:
            return False
        if meeting.loop is not self.context.loop or meeting.loop is not known.context.loop:
            return False
        if any(arg.context.level > meeting.level for arg in known.args):
            return False
        known.context = meeting
        if isinstance(known.detail, AddressShape):
            known.detail = replace(known.detail, is_split=False)
        return True

    def place(self, op: AnyOp, args: tuple[Value, ...]) -> Context:
        """The context where an operation on `args` is computed: outside all loops that it does not depend on."""
        current = len(self.frames)
        depth = self.natural_depth(args)
        if depth >= current:
            return self._before_arm(op, args) or self.context
        if (op in _TRAPPING or op is Op.MATH) and self.context.is_guarded_within(
            self.frames[depth]
        ):
            return self.context
        return self.frames[depth].preheader

    def _before_arm(self, op: AnyOp, args: tuple[Value, ...]) -> Context | None:
        """Where a short arm's operation on registers goes that are there before it; floating point stays."""
        before = self.before_arm
        if before is None or op in _TRAPPING or op is Op.MATH:
            return None
        if any(arg.scalar.is_float or not arg.context.is_active for arg in args):
            return None
        return before if all(arg.context.level <= before.level for arg in args) else None

    def natural_depth(self, args: tuple[Value, ...] | list[Value]) -> int:
        """Depth of the innermost running loop that any of `args` is computed in."""
        depth = 0
        for arg in args:
            frame = arg.context.loop
            if frame is None or frame.depth <= depth:
                continue
            running = frame.depth <= len(self.frames) and self.frames[frame.depth - 1] is frame
            depth = frame.depth if running else len(self.frames)
        return depth

    def hoisted(self, args: list[Value], blocked: list[bool]) -> Context:
        """Where a load on `args` goes: out of all loops that it does not depend on.

        A loop holds it if it may overwrite it (`blocked`, by loop, outermost first) or runs it only on a condition.
        """
        depth = len(self.frames)
        natural = self.natural_depth(args)
        while depth > natural and not blocked[depth - 1]:
            if self.context.is_guarded_within(self.frames[depth - 1]):
                break
            depth -= 1
        return self.context if depth == len(self.frames) else self.frames[depth].preheader

    def split_pointer(self, pointer: Value) -> tuple[Value, int]:
        """A pointer as a value and a constant offset in bytes."""
        if pointer.op is Pseudo.OFFSET:
            return pointer.args[0], int(pointer.detail)  # type: ignore[call-overload]
        return pointer, 0

    def pointer_add(self, base: Value, index: Value, scalar: Scalar, scale_bytes: int) -> Value:
        """`base + index * scale_bytes`, with constants gathered into an OFFSET."""
        root, offset = self.split_pointer(base)
        if index.is_constant:
            return self.pointer_offset(root, offset + int(index.constant or 0) * scale_bytes)
        inner = self._sums.get(root.number)
        in_row = inner is not None and inner.scale_bytes == scale_bytes
        if inner is not None and in_row:
            root, offset = inner.base, offset - inner.excess * scale_bytes
            index, scalar = self._sum_of_indices(inner.index, index), Scalar.I64
        if scalar is Scalar.I32 and self._loses_constant(index):
            moved = self.constant(scalar, constant_term(polynomial(index)))
            sum_ = (self._without_constant(index), moved)
            index = self.pure(Op.ADD, scalar, sum_, None)
            poly: Polynomial = {(index.number,): 1}
        else:
            poly = self._index_polynomial(root, index, scalar)
        constant = constant_term(poly)
        if scalar.size_bytes == Scalar.I32.size_bytes:
            # Unsigned words count down by adding their largest value.
            constant = (constant + _WORD // 2) % _WORD - _WORD // 2
        rest = without_constant(poly)
        if not rest:
            return self.pointer_offset(root, offset + constant * scale_bytes)
        address, included = self._address(root, index, rest, constant, scale_bytes, in_row=in_row)
        return self.pointer_offset(address, offset + (constant - included) * scale_bytes)

    def _sum_of_indices(self, row: Value, index: Value) -> Value:
        """The index of an element of a row whose pointer was computed by an index of its own, in 64 bits."""
        args = (self._widened(row), self._widened(index))
        return self.pure(Op.ADD, Scalar.I64, args, None)

    def _widened(self, index: Value) -> Value:
        """An index in 64 bits, extended where it was computed, so that all accesses to a row share that."""
        if index.scalar in WIDE:
            return index
        key = (Op.CAST, Scalar.I64, index.scalar, index.number)
        known = self._table.get(key)
        if known is None or not known.context.is_active:
            args = [index]
            known = self._new(Op.CAST, Scalar.I64, args, index.scalar, index.context)
            self._table[key] = known
        return known

    def _index_polynomial(self, base: Value, index: Value, scalar: Scalar) -> Polynomial:
        """The index as a polynomial in 64 bits; unsigned words wrap around, so nothing may leave those.

        Shared and private memory have addresses of one word, where wrapping makes no difference.
        """
        word = index
        if index.op is Op.CAST and isinstance(index.detail, Scalar) and scalar.size_bytes == 8:
            word, scalar = index.args[0], index.detail
            if scalar.is_signed and self._loses_constant(word):
                return {(index.number,): 1}
        if base.op is Op.SLOT and word.scalar.size_bytes == Scalar.U32.size_bytes:
            return polynomial(word)
        if scalar.is_signed or scalar.size_bytes >= Scalar.I64.size_bytes:
            return polynomial(index)
        if self._parameters.bounds_unsigned_indices and self._bounded(word):
            return polynomial(word)
        if self._is_counter(word):
            return polynomial(word)
        return {(index.number,): 1}

    def _loses_constant(self, word: Value) -> bool:
        """Whether a constant inside a sum of words stays there.

        Clang moves it to the end of the sum; that forgets that the sum does not overflow, so that the constant cannot
        leave the widened index any more. Constants that full unrolling makes come too late for that, unless the sum is
        multiplied: taking a constant out of the product forgets the same.
        """
        if not self._parameters.loses_inner_constants:
            return False
        if self.unrolled_loops:
            return self._has_spread_constant(word)
        while word.op in {Op.ADD, Op.SUB} and word.args[1].is_constant:
            word = word.args[0]
        constant, terms = self._inner_constant(word)
        return constant != 0 and (constant < 0 or terms > _TERMS_THAT_KEEP)

    def _has_spread_constant(self, word: Value) -> bool:
        """Whether a sum has a constant that came out of a product; those of a copy's own counter stand for no sum."""
        if word.op not in {Op.ADD, Op.SUB}:
            return False
        product, constant = word.args
        factor = self._folder.spread.get(product.number)
        if factor is None or not constant.is_constant:
            return any(self._has_spread_constant(arg) for arg in word.args)
        rounds = int(constant.constant or 0) // factor
        counter = product.args[0].number
        return not any(
            0 < rounds < frame.copies * (frame.counters.get(counter) or 0) for frame in self.frames
        )

    def _inner_constant(self, word: Value) -> tuple[int, int]:
        """(the constants inside a sum, its other terms); parts without constants are one term each, as are counters."""
        if word.is_constant:
            return int(word.constant or 0), 0
        if word.op in {Op.MUL, Op.SHL} and word.args[1].is_constant:
            constant, terms = self._inner_constant(word.args[0])
            return constant * int(word.args[1].constant or 0), terms
        if word.op not in {Op.ADD, Op.SUB} or self._is_counter(word):
            return 0, 1
        parts = [self._inner_constant(arg) for arg in word.args]
        sign = 1 if word.op is Op.ADD else -1
        constant = parts[0][0] + sign * parts[1][0]
        return (constant, parts[0][1] + parts[1][1]) if constant else (0, 1)

    def _is_counter(self, word: Value) -> bool:
        """Whether it is a loop counter that grows, or a copy's counter: its bound keeps that from wrapping."""
        if word.op is Op.ADD and word.args[1].is_constant:
            word = word.args[0]
        return any((frame.counters.get(word.number) or 0) > 0 for frame in self.frames)

    def _bounded(self, value: Value) -> bool:
        counters = {n for frame in self.frames for n, step in frame.counters.items() if step}
        bound = upper_bound(value, counters)
        return bound is not None and bound < _WORD

    def moved_pointer(self, pointer: Value, offset_bytes: int) -> Value:
        """`pointer + offset_bytes`, where the pointer may have an offset already."""
        root, offset = self.split_pointer(pointer)
        return self.pointer_offset(root, offset + offset_bytes)

    def pointer_offset(self, base: Value, offset_bytes: int) -> Value:
        """`base + offset_bytes`."""
        if offset_bytes == 0:
            return base
        return self._numbered(Pseudo.OFFSET, Scalar.U64, (base,), offset_bytes)

    def _address(
        self,
        base: Value,
        index: Value,
        rest: Polynomial,
        constant: int,
        scale_bytes: int,
        *,
        in_row: bool,
    ) -> tuple[Value, int]:
        self._note_index(index, rest)
        key = ("address", base.number, signature(rest), scale_bytes)
        known = self._table.get(key)
        if known is not None and (known.context.is_active or self._moved_up(known)):
            shape = known.detail
            return known, shape.constant if isinstance(shape, AddressShape) else 0
        stream = self._stream(base, index, rest)
        if stream is not None:
            self._table[key] = stream
            index = self._without_constant(index)
            excess = constant_term(polynomial(index))
            self._remember_sum(stream, base, index, scale_bytes, excess)
            return stream, 0
        chained = self._chained(base, index, rest, scale_bytes)
        if chained is None and not in_row:
            chained = self._continued(base, index, scale_bytes)
        if chained is not None:
            self._table[key] = chained
            self._remember_address(base, rest, scale_bytes, chained)
            shape = chained.detail
            return chained, shape.constant if isinstance(shape, AddressShape) else 0
        if constant > 0 or (constant and self._parameters.strips_negative_constants):
            index = self._without_constant(index)
            constant = constant_term(polynomial(index))
        self._note_word_index(base, index)
        index = self._derived(index)
        shape = AddressShape(scale_bytes, constant, self._is_split(index))
        context = self.place(Pseudo.ADDRESS, (base, index))
        address = self._new(Pseudo.ADDRESS, Scalar.U64, [base, index], shape, context)
        self._table[key] = address
        self._remember_address(base, rest, scale_bytes, address)
        self._remember_sum(address, base, index, scale_bytes)
        return address, constant

    def _remember_sum(
        self, address: Value, base: Value, index: Value, scale_bytes: int, excess: int = 0
    ) -> None:
        if self._parameters.adds_indices_of_rows and root_of(base).kind is not RootKind.SLOT:
            self._sums[address.number] = PointerSum(base, index, scale_bytes, excess)

    def _chained(
        self, base: Value, index: Value, rest: Polynomial, scale_bytes: int
    ) -> Value | None:
        """An address as an earlier one plus a stride that an unrolled loop leaves alone, as one operation on that one."""
        if not self._parameters.chains_addresses or not self.unrolled_loops or base.op is Op.SLOT:
            return None
        for known, address in reversed(self._chains.get((base.number, scale_bytes), [])):
            if not address.context.is_active:
                continue
            if any(
                n >= self.unrolled_from for monomial in _difference(rest, known) for n in monomial
            ):
                continue
            step = self._single_step(rest, known, in_words=not _multiplies_wide(index))
            if step is None:
                continue
            return self._moved_by(address, step, scale_bytes)
        return None

    def _moved_by(self, address: Value, step: Value, scale_bytes: int) -> Value:
        shape = address.detail
        included = shape.constant if isinstance(shape, AddressShape) else 0
        moved = AddressShape(scale_bytes, included, is_chained=True)
        context = self.place(Pseudo.ADDRESS, (address, step))
        return self._new(Pseudo.ADDRESS, Scalar.U64, [address, step], moved, context)

    def _continued(self, base: Value, index: Value, scale_bytes: int) -> Value | None:
        """An address whose index is the sum of an earlier one's and a step: `x[i + s]` after `x[i]`.

        Only sums that do not overflow are taken apart.
        """
        if not self._parameters.chains_addresses or base.op is Op.SLOT:
            return None
        index = self._without_constant(index)
        if index.op is Op.CAST and index.detail is Scalar.I32:
            index = index.args[0]
        if index.op is not Op.ADD or not (index.scalar.is_signed or index.scalar in WIDE):
            return None
        for part, step in (index.args, index.args[::-1]):
            rest = without_constant(polynomial(part))
            known = self._table.get(("address", base.number, signature(rest), scale_bytes))
            if known is not None and known.op is Pseudo.ADDRESS and known.context.is_active:
                return self._moved_by(known, step, scale_bytes)
        return None

    def _remember_address(
        self, base: Value, rest: Polynomial, scale_bytes: int, address: Value
    ) -> None:
        known = self._chains.setdefault((base.number, scale_bytes), [])
        known.append((rest, address))
        del known[:-_REMEMBERED_INDICES]

    def _derived(self, index: Value) -> Value:
        """An index in a loop that differs from an earlier one by an invariant, as one operation on that one.

        So copies of a body find their indices: `(k + 1) * n + i` becomes `(k * n + i) + n`. Outside loops the
        compilers leave such products alone.
        """
        poly = polynomial(index)
        if len(poly) < _LEAST_TERMS or index.op in {Pseudo.DERIVED, Pseudo.PHI}:
            return index
        if not self.frames or not self._counts(poly):
            return index
        for known in reversed(self._indices):
            if known is index:
                return index
            if not known.context.is_active or known.scalar is not index.scalar:
                continue
            if polynomial(known) == poly:
                return known
            step = self._single_step(poly, polynomial(known))
            if step is not None and self.natural_depth((step,)) < len(self.frames):
                args = (known, step)
                context = self.place(Pseudo.DERIVED, args)
                derived = self._new(Pseudo.DERIVED, index.scalar, list(args), None, context)
                derived.polynomial = poly
                self._remember_index(derived)
                return derived
        self._remember_index(index)
        return index

    def _remember_index(self, index: Value) -> None:
        self._indices.append(index)
        if len(self._indices) > _REMEMBERED_INDICES:
            del self._indices[0]

    def _single_step(
        self, poly: Polynomial, known: Polynomial, *, in_words: bool = True
    ) -> Value | None:
        """The one product by which two polynomials differ, as a value; None if they differ by more.

        A product of several words is one word only if the code multiplies words.
        """
        difference = _difference(poly, known)
        if len(difference) != 1:
            return None
        (monomial,) = difference
        if not monomial:
            return None
        first, *others = (self.values[number] for number in monomial)
        if others and not in_words:
            first, *others = map(self._widened, (first, *others))
        step = first
        for factor in others:
            step = self.pure(Op.MUL, step.scalar, (step, factor), None)
        return step

    def _is_split(self, index: Value) -> bool:
        """Whether an earlier basic block widens an index, for an address or for anything else."""
        word = index.args[0] if index.op is Op.CAST and index.scalar in WIDE else index
        for wide in WIDE:
            widened = self._table.get((Op.CAST, wide, word.scalar, word.number))
            if (
                widened is not None
                and widened.context.is_active
                and widened.segment not in {0, self.segment}
            ):
                return True
        known = self._first_uses.get(index.number)
        if known is None or not known[0].is_active:
            self._first_uses[index.number] = (self.context, self.segment)
            return False
        return known[1] != self.segment

    def _counts(self, poly: Polynomial) -> bool:
        """Whether a polynomial contains a counter of the innermost loop."""
        counters = self.frames[-1].counters
        return any(number in counters for monomial in poly for number in monomial)

    def _note_word_index(self, base: Value, index: Value) -> None:
        if self.frames and base.op is not Op.SLOT and self._follows_counter(index):
            self.frames[-1].has_word_index = True

    def _note_index(self, index: Value, rest: Polynomial) -> None:
        """Notes the index of an address, and whether the innermost loop widens it from a word in every iteration."""
        if not self.frames:
            return
        self.frames[-1].indices.add(index.number)
        if is_word(index):
            numbers = [self.values[number] for monomial in rest for number in monomial]
            if self.natural_depth(numbers) == len(self.frames):
                self.frames[-1].word_indices.add(signature(rest))

    def _follows_counter(self, index: Value) -> bool:
        """Whether an index is computed from a counter of the innermost loop, by operations on registers alone."""
        counters = self.frames[-1].counters
        pending, seen = [index], {index.number}
        while pending:
            value = pending.pop()
            if value.number in counters:
                return True
            if value.op not in PURE and value.op is not Pseudo.DERIVED:
                continue
            for arg in value.args:
                if arg.number not in seen and arg.context.depth == len(self.frames):
                    seen.add(arg.number)
                    pending.append(arg)
        return False

    def _stream(self, base: Value, index: Value, rest: Polynomial) -> Value | None:
        """A pointer that advances, where the index is affine in the innermost loop's counter."""
        if not self.frames or base.op is Op.SLOT:
            return None
        frame = self.frames[-1]
        invariants: dict[int, Value] = {}
        constant_step = True
        plain_stride = True
        counter: Value | None = None
        for monomial in rest:
            counters = [n for n in monomial if n in frame.counters]
            if len(counters) > 1:
                return None
            if counters:
                counter = self.values[counters[0]]
                known = frame.counters[counters[0]] is not None
                constant_step = constant_step and len(monomial) == 1 and known
                in_words = (known or is_word(counter)) and not _multiplies_wide(index)
                plain_stride = (
                    plain_stride
                    and in_words
                    and all(
                        self.values[n].op is Op.PARAM and is_word(self.values[n])
                        for n in monomial
                        if n not in frame.counters
                    )
                )
                if len(rest) > 1 and len(monomial) == 1 and abs(rest[monomial]) != 1:
                    self._note_scaled(frame, rest, monomial)
                    frame.has_word_index = frame.has_word_index or _scales(index, counters[0])
            for number in monomial:
                if number in frame.counters:
                    continue
                factor = self.values[number]
                if self.natural_depth((factor,)) >= frame.depth:
                    return None
                invariants[number] = factor
        if counter is None or self.natural_depth((base,)) >= frame.depth:
            return None
        if constant_step and invariants and self._is_positive_row(rest):
            frame.counts_down = True
        by_offset = False
        if not constant_step and not self._parameters.advances_by_runtime_strides:
            by_offset = frame.counters[counter.number] is None and _adds_counter(
                index, rest, counter.number
            )
            if not by_offset:
                return None
            frame.has_common_offset = True
        elif not constant_step and self._is_recomputed(frame, index, counter):
            return None
        shape = StreamShape(constant_step, bool(invariants), by_offset, plain_stride)
        args = [base, counter.args[0], *invariants.values()]
        context = frame.header if constant_step and frame.header is not None else self.context
        return self._new(Pseudo.STREAM, Scalar.U64, args, shape, context)

    def _is_recomputed(self, frame: LoopFrame, index: Value, counter: Value) -> bool:
        """Whether no pointer advances by a runtime stride, as iterations skip the access.

        Nvcc multiplies anew where the product is one of words, or where the word that it widens does not start at zero.
        """
        if not self.context.is_guarded_within(frame):
            return False
        return is_word(index) or any(
            counter.number in _numbers(word) and not _starts_at_zero(word, counter)
            for word in _widened_words(index)
        )

    def _note_scaled(self, frame: LoopFrame, rest: Polynomial, monomial: Monomial) -> None:
        """What an index that multiplies the counter adds to each round of the loop.

        Where the rest of the sum is bounded, clang knows that it does not overflow, and a pointer advances. Else each
        copy adds its constant to the word and widens it, unless the factor is a shift. Of a counter that is taken off,
        each copy has its own address anyhow.
        """
        others = [other for other in rest if other != monomial]
        is_bounded = all(
            len(other) == 1 and self._bounded(self.values[other[0]]) for other in others
        )
        if (is_bounded or rest[monomial] < 0) and self._parameters.bounds_unsigned_indices:
            return
        frame.has_scaled_counter = True
        factor = abs(rest[monomial])
        if factor & (factor - 1):
            frame.multiplied_indices.add(signature(rest))

    def _is_positive_row(self, rest: Polynomial) -> bool:
        """Whether the part of an index that does not change in the innermost loop is known not to be negative.

        LLVM then widens it and the counter apart, and lets the trip count run down below zero beside the pointer.
        """
        frame = self.frames[-1]
        bounds = {number for outer in self.frames for number in outer.bounds}
        growing = {n for outer in self.frames for n, step in outer.counters.items() if step}
        for monomial, factor in rest.items():
            if any(number in frame.counters for number in monomial):
                continue
            largest = 1
            for number in monomial:
                if number in bounds:
                    continue
                bound = upper_bound(self.values[number], growing)
                if bound is None:
                    return False
                if number not in growing:
                    largest *= bound
            if factor < 0 or largest >= _WORD // 2:
                return False
        return True

    def _without_constant(self, value: Value) -> Value:
        """The same index without its constant term, as far as it stands on top of the expression."""
        if constant_term(polynomial(value)) == 0:
            return value
        match value.op:
            case Op.ADD if value.args[1].is_constant:
                return value.args[0]
            case Op.ADD | Op.SUB:
                parts = tuple(self._without_constant(arg) for arg in value.args)
                return self.pure(value.op, value.scalar, parts, value.detail)
            case Op.CAST:
                inner = self._without_constant(value.args[0])
                return self.pure(Op.CAST, value.scalar, (inner,), value.detail)
            case Op.MUL | Op.SHL if value.args[1].is_constant:
                inner = self._without_constant(value.args[0])
                return self.pure(value.op, value.scalar, (inner, value.args[1]), value.detail)
            case _:
                return value

    def _new(
        self, op: AnyOp, scalar: Scalar, args: list[Value], detail: object, context: Context
    ) -> Value:
        value = Value(len(self.values), op, args, scalar, detail, context, self.position)
        value.segment = self.segment if context is self.context else 0
        self.values.append(value)
        return value


def _difference(poly: Polynomial, known: Polynomial) -> Polynomial:
    difference = dict(poly)
    for monomial, factor in known.items():
        rest = difference.get(monomial, 0) - factor
        if rest:
            difference[monomial] = rest
        else:
            difference.pop(monomial, None)
    return difference


def _adds_counter(index: Value, rest: Polynomial, counter: int) -> bool:
    """Whether an index is a counter itself, or with something added in words that do not wrap around."""
    if rest.get((counter,)) != 1:
        return False
    if len(rest) == 1:
        return True
    while index.op is Op.CAST and index.scalar in WIDE:
        index = index.args[0]
    return index.op is Op.ADD and not any(_is_unsigned_sum(arg) for arg in index.args)


def _is_unsigned_sum(value: Value) -> bool:
    return value.op is Op.CAST and value.detail is Scalar.U32 and value.args[0].op is Op.ADD


def _multiplies_wide(index: Value) -> bool:
    """Whether a 64-bit sum has a product of 64 bits, whose step is then a pair of words."""
    if index.scalar not in WIDE:
        return False
    if index.op in {Op.ADD, Op.SUB}:
        return any(_multiplies_wide(arg) for arg in index.args)
    return index.op is Op.MUL


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
