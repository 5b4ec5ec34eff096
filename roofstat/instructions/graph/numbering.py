"""Value numbering with placement: every expression exists once, at the outermost loop level where it can be computed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.addressing.address_shapes import AddressShape
from roofstat.instructions.graph.folding import Folder
from roofstat.instructions.graph.guarded_operations import stays_guarded
from roofstat.instructions.graph.stepped_products import SteppedProducts
from roofstat.instructions.graph.values import AnyOp, Context, LoopFrame, Origin, Pseudo, Value
from roofstat.instructions.integers.arithmetic import LOOPING, OF_ANGLES, Constant, wrap
from roofstat.instructions.integers.known_order import KnownOrder
from roofstat.instructions.integers.tested_signs import least_values
from roofstat.instructions.integers.widths import WIDE
from roofstat.program.code import Op
from roofstat.program.comparisons import COMPARISONS

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Position
    from roofstat.instructions.graph.folding import Rewritten
    from roofstat.instructions.integers.known_bits import Advance, Progression
    from roofstat.instructions.tables.parameters import LoweringParameters


_TRAPPING = frozenset({Op.DIV, Op.REM})
_INDEX_OPS: frozenset[AnyOp] = frozenset(
    {Op.ADD, Op.SUB, Op.MUL, Op.SHL, Op.NEG, Op.CAST, Pseudo.DERIVED}
)
"""What nvcc takes apart when it compares indices."""
_MAX_REWRITES = 8

_PREDICATES = 6
"""Comparisons that are kept: of seven predicate registers one is written."""


class Numberer:
    """Makes values. The walker tells it where it is by `context` and `frames`."""

    def __init__(self, parameters: LoweringParameters, *, fast_math: bool) -> None:
        self.values: list[Value] = []
        self.root = Context(None, None)
        self.context = self.root
        self.frames: list[LoopFrame] = []
        self.position: Position | None = None
        self.origin: Origin | None = None
        """The instruction that is being walked."""
        self._parameters = parameters
        self._fast_math = fast_math
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
        self.begins_arm = False
        """Whether that second arm has stored nothing yet, or what it stores goes behind both arms."""
        self._table: dict[tuple[object, ...], Value] = {}
        self.reordered: dict[int, int] = {}
        """Numbers of sums whose terms clang sorts (`summed_words`), with that of the sum inside which the counter is in."""
        self.plain_sums: set[int] = set()
        """Sums of a word and a constant, where the word is no sum that the compiler could add the constant to."""
        self.shared_sums: set[int] = set()
        """Sums of a word and what unrolling makes a constant that more than one operation takes."""
        self._predicates: list[Value] = []
        """Comparisons that predicate registers hold, the last used last."""
        self._first: dict[int, int] = {}
        """The first of equal comparisons, by the number of one that is made again: what was chosen by one is known by all."""
        self._least: dict[int, list[tuple[Context, int]]] = {}
        """Least values of words, by number, with where tests show them."""
        self._order = KnownOrder()
        self._constants: dict[tuple[Scalar, type, Constant], Value] = {}
        self.products = SteppedProducts(self)
        self._folder = Folder(
            self.constant,
            self.pure,
            fast_math=fast_math,
            called_on_constants=parameters.called_on_constants,
            finds_bit_counts=parameters.finds_bit_counts,
            finds_distances=parameters.finds_distances,
            compares_terms=parameters.compares_terms,
        )

    def remember_counter(self, counter: Value, progression: Progression) -> None:
        """Says what values a loop variable takes."""
        self._folder.counters[counter.number] = progression

    def remember_advance(self, counter: Value, advance: Advance) -> None:
        """Says where a loop variable starts and how far a round takes it."""
        self._folder.advances[counter.number] = advance

    def note_test(self, condition: Value, *, holds: bool) -> None:
        """Says that a condition holds, or does not, in the current context."""
        self._order.note(condition, self.context, holds=holds)
        if self._parameters.tests_signs:
            for word, least in least_values(condition, holds=holds):
                self._least.setdefault(word.number, []).append((self.context, least))

    def least(self, word: Value) -> int | None:
        """The least value that tests leave to a word here; None where they leave all."""
        shown = [least for context, least in self._least.get(word.number, ()) if context.is_active]
        if shown:
            return max(shown)
        if word.op is Op.ADD and isinstance(word.args[1].constant, int):
            rest = self.least(word.args[0])
            return None if rest is None else rest + word.args[1].constant
        return None

    def constant(self, scalar: Scalar, value: Constant) -> Value:
        """A known value."""
        value = wrap(scalar, value)
        key = (scalar, type(value), value)
        known = self._constants.get(key)
        # 0.0 and -0.0 are equal as keys but not as values; the sign never changes a count.
        if known is None:
            known = self.new(Pseudo.CONSTANT, scalar, [], None, self.root)
            known.constant = value
            self._constants[key] = known
        return known

    def leaf(self, op: AnyOp, scalar: Scalar, detail: object) -> Value:
        """A value without operands that is the same everywhere (parameter, special register, slot)."""
        key = (op, scalar, detail)
        known = self._table.get(key)
        if known is None:
            known = self.new(op, scalar, [], detail, self.root)
            self._table[key] = known
        return known

    def fresh(self, op: AnyOp, scalar: Scalar, args: list[Value], detail: object = None) -> Value:
        """A value of its own, in the current context."""
        return self.new(op, scalar, args, detail, self.context)

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
        if current[0] in COMPARISONS:
            truth = self._order.decided(*current[:3])
            if truth is not None:
                return self.constant(Scalar.BOOL, truth)
        return self._reduced(*current)

    def _reduced(self, op: Op, scalar: Scalar, args: tuple[Value, ...], detail: object) -> Value:
        """An operation that may follow from an earlier product."""
        if op is Op.MUL and scalar.is_integer and not any(arg.is_constant for arg in args):
            left, right = args
            return self.products.product(scalar, (left, right))
        if op is Op.ADD and scalar.is_integer:
            left, right = args
            return self.products.total(scalar, (left, right))
        return self.numbered(op, scalar, args, detail)

    def known_sum(self, scalar: Scalar, left: Value, right: Value) -> Value | None:
        """A sum that is there already."""
        known = self._table.get((Op.ADD, scalar, None, *sorted((left.number, right.number))))
        return known if known is not None and known.context.is_active else None

    def is_stepped_product(self, value: Value) -> bool:
        """Whether a sum stands for a product, so that nobody knows that it does not overflow."""
        return self.products.is_made(value)

    def chosen(self, scalar: Scalar, found: list[Value], conditions: list[Value]) -> Value:
        """One of several values that are all computed."""
        return self.numbered(Pseudo.JOIN, scalar, (*found, *conditions), len(found))

    def numbered(self, op: AnyOp, scalar: Scalar, args: tuple[Value, ...], detail: object) -> Value:
        """The value of an operation, which exists once."""
        if op is Op.MATH and scalar is Scalar.F32 and detail in LOOPING and not self._fast_math:
            return self._looping(scalar, args, detail)
        key = (op, scalar, detail, *[self._first.get(arg.number, arg.number) for arg in args])
        known = self._table.get(key)
        is_usable = known is not None and self.is_usable(known)
        if known is not None and is_usable and self._is_kept(known):
            return known
        result = self.new(op, scalar, list(args), detail, self._place(op, scalar, args, detail))
        self._table[key] = result
        if op in COMPARISONS:
            self._keep(result)
            if known is not None and is_usable:
                self._first[result.number] = self._first.get(known.number, known.number)
        return result

    def _is_kept(self, known: Value) -> bool:
        """Whether a comparison is still in a predicate register; the code compares again what is not.

        Those of a loop around stay, as do all other values.
        """
        if known.op not in COMPARISONS or known.context.loop is not self.context.loop:
            return True
        if known not in self._predicates:
            return False
        self._keep(known)
        return True

    def _keep(self, comparison: Value) -> None:
        if comparison in self._predicates:
            self._predicates.remove(comparison)
        self._predicates.append(comparison)
        del self._predicates[:-_PREDICATES]

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

    def known_cast(self, scalar: Scalar, value: Value) -> Value | None:
        """A value that was cast before, here or anywhere."""
        return self._table.get((Op.CAST, scalar, value.scalar, value.number))

    def is_tested_for_sign(self, value: Value) -> bool:
        """Whether one of the last comparisons was that of a value with zero."""
        return any(
            value in test.args and any(arg.is_constant and arg.constant == 0 for arg in test.args)
            for test in self._predicates
        )

    def factor_outside(self, product: Value) -> int | None:
        """The factor of a product that a constant was taken out of; None for other values."""
        return self._folder.spread.get(product.number)

    def has_taken_out(self, product: Value, constant: int) -> bool:
        """Whether a constant that is added to a product, or a part of it, came out of that."""
        taken = self._folder.taken_out.get(product.number, ())
        return any(0 < amount <= constant or constant <= amount < 0 for amount in taken)

    def note_whole_sum(self, total: Value) -> None:
        """Notes a sum of a word and a constant that several products take as it is."""
        self._folder.whole_sums.add(total.number)

    def note_shift(self, word: Value) -> None:
        """Notes a word that the code shifts to the left."""
        self._folder.shifts.add(word.number)

    def is_shift(self, word: Value) -> bool:
        """Whether the code shifts it, so that it may lose bits."""
        return word.number in self._folder.shifts

    def is_multiple_of_sum(self, product: Value) -> bool:
        """Whether a product takes such a sum."""
        return product.op in {Op.MUL, Op.SHL} and product.args[0].number in self._folder.whole_sums

    def note_shifted_apart(self, product: Value) -> None:
        """Notes a product that was taken apart before the constant in it was one."""
        self._folder.shifted_apart.add(product.number)

    def was_shifted_apart(self, product: Value) -> bool:
        """Whether a product was taken apart before a constant came out of it."""
        return product.number in self._folder.shifted_apart

    def is_usable(self, known: Value) -> bool:
        """Whether a value is known here, if need be by computing it earlier."""
        return known.context.is_active or self._moved_up(known)

    def _moved_up(self, known: Value) -> bool:
        """Moves a value that a branch computed, and that is asked for again on another path, to where the paths part.

        Compilers compute such a value once, before the branch, even where neither path needs it. Floating point stays,
        and so does what a loop between the two places holds. Nvcc does so with addresses, for which the sums and products
        in their indices move along, and with what stands in front of a loop whose test was passed; clang with what the first
        arm of a branch has computed from values that are there before it.
        """
        merges = self._parameters.merges_paths
        if merges and known.op is not Pseudo.ADDRESS and not known.context.is_preheader:
            return False
        is_of_copy = self._is_of_other_copy(known)
        if not merges and known.context is not self.first_arm and not is_of_copy:
            return False
        if known.scalar.is_float or known.op in _TRAPPING or known.op is Op.MATH:
            return False
        meeting = known.context.meeting(self.context)
        if not merges and not is_of_copy and self.context.parent is not meeting:
            return False
        if meeting.loop is not self.context.loop or meeting.loop is not known.context.loop:
            return False
        moved = _below(known, meeting, _INDEX_OPS if merges or is_of_copy else frozenset())
        if moved is None:
            return False
        if isinstance(known.detail, AddressShape) and not is_of_copy:
            # Behind a store clang scales the index in each arm, and has widened it before.
            known.detail = replace(known.detail, is_split=not merges and not self.begins_arm)
        for value in moved:
            value.context = meeting
        return True

    def _is_of_other_copy(self, address: Value) -> bool:
        """Whether copies of an unrolled loop access one place under conditions that are short enough to compute it before them."""
        shape = address.detail
        if address.origin != self.origin or not isinstance(shape, AddressShape):
            return False
        if not (self._parameters.moves_before_unrolling and self.unrolled_loops):
            return False
        if address.number < self.unrolled_from:
            return False
        meeting = address.context.meeting(self.context)
        in_shared = address.args[0].op is Op.SLOT
        is_joined = shape.is_parted and address.context.is_joined_below(meeting)
        return in_shared or is_joined

    def place(self, op: AnyOp, args: tuple[Value, ...]) -> Context:
        """The context where an operation on `args` is computed: outside all loops that it does not depend on."""
        depth = self.natural_depth(args)
        if depth >= len(self.frames):
            return self._before_arm(op, args) or self.context
        return self.frames[depth].preheader

    def _place(self, op: AnyOp, scalar: Scalar, args: tuple[Value, ...], detail: object) -> Context:
        """The same of an operation that a condition may keep in a loop."""
        depth = self.natural_depth(args)
        is_kept = depth < len(self.frames) and stays_guarded(
            op,
            scalar,
            args,
            detail,
            moves_library=self._parameters.moves_guarded_functions,
            fast_math=self._fast_math,
        )
        if is_kept and self.context.is_guarded_within(self.frames[depth]):
            return self.context
        return self.place(op, args)

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

    def widened(self, index: Value) -> Value:
        """An index in 64 bits, extended where it was computed, so that all accesses to a row share that."""
        if index.scalar in WIDE:
            return index
        known = self.known_cast(Scalar.I64, index)
        if known is None or not known.context.is_active:
            known = self.new(Op.CAST, Scalar.I64, [index], index.scalar, index.context)
            self._table[Op.CAST, Scalar.I64, index.scalar, index.number] = known
        return known

    def new(
        self, op: AnyOp, scalar: Scalar, args: list[Value], detail: object, context: Context
    ) -> Value:
        """A value of its own, in a given context."""
        value = Value(len(self.values), op, args, scalar, detail, context, self.position)
        value.segment = self.segment if context is self.context else 0
        value.origin = self.origin
        self.values.append(value)
        return value


def _below(value: Value, meeting: Context, through: frozenset[AnyOp]) -> list[Value] | None:
    """A value and what it is made of below a context; None where an operation other than `through` is among that."""
    found, pending = [value], list(value.args)
    while pending:
        operand = pending.pop()
        if operand.context.level <= meeting.level:
            continue
        if operand.op not in through or operand.scalar.is_float:
            return None
        found.append(operand)
        pending.extend(operand.args)
    return found
