"""Register copies: which operands need one, and how many become integer multiply-adds.

An instruction takes one operand that is a constant or (before sm_90) a parameter; a second one is copied into a
register first. The assembler writes a copy as `MOV` or as `IMAD.MOV`, which the integer counter counts, so that the
pipe of integer logic and the pipe of multiply-adds are used evenly: over the whole function, in relocatable code over
each block.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.instructions.addressing.address_shapes import AddressShape, StreamShape
from roofstat.instructions.addressing.long_pointers import LongPointers
from roofstat.instructions.graph.aggregation import aggregation_ops
from roofstat.instructions.graph.details import SetupDetail
from roofstat.instructions.graph.folding import ROTATION
from roofstat.instructions.graph.memory_state import RootKind, root_of
from roofstat.instructions.graph.values import Pseudo, Value
from roofstat.instructions.integers.arithmetic import OF_ANGLES
from roofstat.instructions.integers.widths import is_word, words
from roofstat.instructions.tables.quantities import Amounts, Quantity
from roofstat.program.code import MEMORY_ACCESSES, Op
from roofstat.program.comparisons import COMPARISONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from roofstat.instructions.graph.values import Context, LoopFrame
    from roofstat.instructions.tables.parameters import LoweringParameters


_ARITHMETIC = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.AND, Op.OR, Op.XOR, Op.SHL, Op.SHR, Op.SELECT})
_MULTIPLIES = frozenset({Op.MUL, Pseudo.DERIVED})

# Instructions of the subroutines for unusual operands, which stand in the function once: logic, multiply-adds.
_SLOW_PATHS: dict[tuple[str, Scalar], tuple[float, float]] = {
    ("div", Scalar.F32): (53.0, 21.0),
    ("rcp", Scalar.F32): (28.0, 13.0),
    ("sqrt", Scalar.F32): (5.0, 10.0),
    ("div", Scalar.F64): (40.0, 3.0),
    ("rcp", Scalar.F64): (11.0, 0.0),
    ("sqrt", Scalar.F64): (9.0, 0.0),
    ("rsqrt", Scalar.F64): (4.0, 0.0),
    ("sin", Scalar.F32): (43.0, 12.0),
    ("cos", Scalar.F32): (43.0, 12.0),
    ("sincos", Scalar.F32): (43.0, 12.0),
    ("div", Scalar.I64): (50.0, 36.0),
    ("rem", Scalar.I64): (50.0, 36.0),
}


@dataclass(frozen=True, slots=True)
class Copy:
    """Copies that one value needs, made in `context`."""

    value: Value
    context: Context
    count: float


def integer_copies(
    counted: list[tuple[Value, Amounts]],
    inputs: Callable[[Value], list[Value]],
    users: dict[int, list[Value]],
    parameters: LoweringParameters,
) -> list[Copy]:
    """Copies that count as integer instructions.

    Args:
        counted: live values with what they cost, in order of creation.
        inputs: operands of a value's instruction, those of absorbed values in their place.
        users: live users by value number.
        parameters: of the compiler and architecture.

    Returns:
        The copies, their counts already multiplied by the share that becomes multiply-adds.
    """
    if not counted:
        return []
    found = list(_Finder(inputs, users, parameters).copies(counted))
    if not parameters.evens_pipes:
        return _shared(found, _of_function(counted, inputs, fuses_sums=True).share_by_ratio())
    if not parameters.evens_blocks:
        return _evened(found, _of_function(counted, inputs))
    inside: dict[Context, list[tuple[Value, Amounts]]] = {}
    for value, amounts in counted:
        inside.setdefault(_block_of(value.context), []).append((value, amounts))
    copies: dict[Context, list[Copy]] = {}
    for copy in found:
        copies.setdefault(_block_of(copy.context), []).append(copy)
    divided: list[Copy] = []
    for block, members in copies.items():
        divided += _evened(members, _pipes(inside.get(block, []), inputs))
    return divided


def _evened(copies: list[Copy], pipes: Pipes) -> list[Copy]:
    return _shared(copies, pipes.even_share(sum(copy.count for copy in copies)))


def _shared(copies: list[Copy], share: float) -> list[Copy]:
    return [Copy(copy.value, copy.context, copy.count * share) for copy in copies if share > 0.0]


def _block_of(context: Context) -> Context:
    """What is scheduled together: an arm whose result is selected has no branch."""
    while context.chosen is not None and context.parent is not None:
        context = context.parent
    return context


@dataclass(frozen=True, slots=True)
class Pipes:
    """What a function gives to the pipe of logic and to that of multiply-adds, and sums that go to either."""

    logic: float
    products: float
    sums: float

    def even_share(self, copies: float) -> float:
        """Which part of the copies becomes multiply-adds so that both pipes get the same; logic in doubt.

        Sums of two registers are divided as the copies are.
        """
        movable = copies + self.sums
        excess = self.logic + movable - self.products
        if movable == 0.0 or (self.logic <= self.products and excess < _LEAST_EXCESS):
            return 0.0
        return min(max(math.floor(excess / 2.0) / movable, 0.0), 1.0)

    def share_by_ratio(self) -> float:
        """The same, by how the pipes stand without the copies."""
        ratio = (self.logic + self.sums) / max(self.products, 1.0)
        return min(max((ratio - _BALANCED) / (_LOGIC_ONLY - _BALANCED), 0.0), 1.0) * _MOST


def _pipes(
    counted: list[tuple[Value, Amounts]],
    inputs: Callable[[Value], list[Value]],
    *,
    fuses_sums: bool = False,
) -> Pipes:
    logic = products = sums = 0.0
    for value, amounts in counted:
        ops = amounts.get(Quantity.INT_OP, 0.0)
        if _adds_registers(value, ops, inputs):
            sums += ops
        else:
            multiplied = ops * _product_share(value, ops, inputs, fuses_sums=fuses_sums)
            products += multiplied
            logic += ops - multiplied
        products += amounts.get(Quantity.FP32_INSTRUCTIONS, 0.0)
        if value.op is not Pseudo.JOIN:
            moves = amounts.get(Quantity.MOVES, 0.0)
            is_function = value.op is Op.MATH and not _is_double_extremum(value)
            logic += moves * _LOGIC_OF_FUNCTIONS if is_function else moves
    return Pipes(logic, products, sums)


def _of_function(
    counted: list[tuple[Value, Amounts]],
    inputs: Callable[[Value], list[Value]],
    *,
    fuses_sums: bool = False,
) -> Pipes:
    """The same for a whole function, with the subroutines that stand in it once.

    Args:
        counted: live values with what they cost.
        inputs: operands of a value's instruction.
        fuses_sums: whether sums of products count as products also where the product is a value of its own, as the ratio was measured.
    """
    pipes = _pipes(counted, inputs, fuses_sums=fuses_sums)
    logic, products = pipes.logic, pipes.products
    for path in {_slow_path(value, amounts) for value, amounts in counted}:
        more_logic, more_products = _SLOW_PATHS.get(path, (0.0, 0.0))
        logic += more_logic
        products += more_products
    return Pipes(logic, products, pipes.sums)


_LEAST_EXCESS = 4.0
"""Instructions by which the pipe of logic has to be ahead, where copies alone put it ahead, to hand any over."""
_LOGIC_OF_FUNCTIONS = 0.4
"""Comparisons and selects among what library functions do besides arithmetic; the rest are moves."""
_BALANCED = 0.8
_LOGIC_ONLY = 1.6
_MOST = 0.9
"""Measured shares of `IMAD.MOV` among copies, by the ratio of the pipes: none below the first, all but 0.1 above."""
_MOST_CONSTANTS = 3.0
_CONSTANT_SHARE = 0.6
_COPIES_OF_START = 1.0
_COPIES_OF_ROUNDS = 2.0
_POINTER_WORDS = 2.0
"""Copies in front of a loop that stands in another one: SASS of 90 own nests of 1 to 33 iterations (nvcc 13.0, sm_90)."""
_EXTREMUM_COPIES = 3.5
"""Words that `fmax` of doubles copies around its comparison: 3 to 4 in SASS of nvcc 13.0 and clang 18.1.6 (sm_86, sm_90)."""


def _product_share(
    value: Value,
    ops: float,
    inputs: Callable[[Value], list[Value]],
    *,
    fuses_sums: bool,
) -> float:
    op = value.op
    if op in _MULTIPLIES:
        return 1.0
    if op is Pseudo.ADDRESS:
        return 1.0 if ops <= 1.0 else 0.0
    if op is Pseudo.STREAM:
        return 0.5
    if op in {Op.ADD, Op.SUB} and any(arg.op is Op.MUL for arg in value.args):
        # A sum of two words that the product was not fused into is logic.
        is_apart = ops > 1.0 and not fuses_sums and any(a.op is Op.MUL for a in inputs(value))
        return 0.0 if is_apart else 1.0
    if op is Op.MATH and value.detail == ROTATION:
        return 0.0
    if op in {Op.DIV, Op.REM, Op.MATH}:
        return 0.4
    return 0.0


def _adds_registers(value: Value, ops: float, inputs: Callable[[Value], list[Value]]) -> bool:
    """Whether a value is the sum or difference of two registers, which `IMAD.IADD` can make."""
    if value.op not in {Op.ADD, Op.SUB} or ops != 1.0:
        return False
    operands = inputs(value)
    return len(operands) == 2 and not any(operand.is_constant for operand in operands)


def _slow_path(value: Value, amounts: Amounts) -> tuple[str, Scalar]:
    if value.op is Op.MATH:
        return str(value.detail).removesuffix("f"), value.scalar
    if _divides_by_constant(value, amounts):
        return "div", value.scalar
    if value.op is Op.DIV and value.scalar.is_float and not value.args[1].is_constant:
        reciprocal = value.args[0].is_constant and value.args[0].constant == 1.0
        return "rcp" if reciprocal else "div", value.scalar
    if value.op in {Op.DIV, Op.REM} and value.scalar.size_bytes == 8:
        return "div", value.scalar if value.scalar.is_float else Scalar.I64
    return "", value.scalar


def _divides_by_constant(value: Value, amounts: Amounts) -> bool:
    """Whether a division has a subroutine for unusual numerators, and a reciprocal that is copied for each."""
    is_short = value.op is Op.DIV and value.scalar is Scalar.F32 and value.args[1].is_constant
    return is_short and Quantity.BRANCHES in amounts


def _may_call(value: Value) -> bool:
    """Whether unusual operands take a subroutine."""
    if value.op is Op.MATH:
        return value.scalar is Scalar.F64 and value.detail in {"sqrt", "rsqrt"}
    if value.op is Op.DIV and value.scalar.is_float:
        return not value.args[1].is_constant
    is_wide = value.scalar.size_bytes == 8
    return value.op in {Op.DIV, Op.REM} and is_wide and not value.args[1].is_constant


def _is_double_extremum(value: Value) -> bool:
    """Whether a value is `fmin` or `fmax` of doubles: a comparison, and a choice of each word."""
    return value.op is Op.MATH and value.scalar is Scalar.F64 and value.detail in {"fmin", "fmax"}


def _words_of_pointer(value: Value) -> float:
    """Words of a pointer that advances in ordinary registers: two, and as many of a stride that only the run knows."""
    shape, loop = value.detail, value.context.loop
    if value.op is not Pseudo.STREAM or value.is_uniform or loop is None:
        return 0.0
    if not isinstance(shape, StreamShape) or root_of(value).kind is RootKind.SLOT:
        return 0.0
    # Each copy has a pointer of its own where it steps by such a stride.
    return _POINTER_WORDS if shape.constant_step else 2.0 * _POINTER_WORDS / loop.copies


def _runs_uniformly(value: Value) -> bool:
    """Whether a value is computed on the uniform datapath, which has no floating point."""
    return value.is_uniform and not value.scalar.is_float


class _Finder:
    """Finds copies in one function; a constant that has a register already is not copied again."""

    def __init__(
        self,
        inputs: Callable[[Value], list[Value]],
        users: dict[int, list[Value]],
        parameters: LoweringParameters,
    ) -> None:
        self._inputs = inputs
        self._users = users
        self._parameters = parameters
        self._held: dict[object, Context] = {}
        self._pointers: defaultdict[int, float] = defaultdict(float)
        """Words of the pointers that advance in a loop, by its identity."""
        self._long_pointers = LongPointers(())

    def copies(self, counted: list[tuple[Value, Amounts]]) -> Iterator[Copy]:
        """All copies, in the order of the values that need them."""
        if self._parameters.copies_stack_pointer:
            value = counted[0][0]
            yield Copy(value, _root(value.context), 1.0)
        self._long_pointers = LongPointers(value for value, _ in counted)
        for value, _ in counted:
            words_of_pointer = _words_of_pointer(value)
            if words_of_pointer:
                self._pointers[id(value.context.loop)] += words_of_pointer
        for value, amounts in counted:
            yield from self._of(value, amounts)
            if amounts and _may_call(value):
                # The subroutine has the registers: what is cheap to copy again is not kept for after it.
                self._held.clear()

    def _of(self, value: Value, amounts: Amounts) -> Iterator[Copy]:
        op = value.op
        if op in MEMORY_ACCESSES and value.args[0].op is Op.PARAM:
            yield from self._hold(value, [value.args[0]], 0)
        if op is Op.STORE or (op is Op.ATOMIC and self._takes_value(value)):
            yield from self._hold(value, [value.args[1]], 0)
        elif op is Pseudo.ADDRESS:
            yield from self._scale(value)
        elif op is Pseudo.JOIN and value.scalar is not Scalar.BOOL and not self._is_in_place(value):
            yield Copy(value, value.context, self._join_copies(value))
        elif op is Pseudo.PHI and not value.is_uniform:
            yield from self._carried(value)
        elif op is Pseudo.STREAM:
            loop = value.context.loop
            if loop is not None and loop.copies == 1:
                # An access wants the words of its address side by side in ordinary registers.
                yield Copy(value, value.context, self._pointer_copies(value, loop))
        elif op is Pseudo.SETUP and isinstance(value.detail, SetupDetail):
            yield from self._of_setup(value, value.detail)
        elif op is Op.DIV and value.scalar.is_float:
            # The divisor and its reciprocal are multiplied over and over; the numerator once.
            yield from self._hold(value, [value.args[1]], 0)
            if _divides_by_constant(value, amounts):
                yield Copy(value, value.context, 1.0)
        elif op is Op.MATH and len(value.args) > 1 and value.detail in OF_ANGLES:
            return  # the other function of the angle has these constants in registers
        elif op is Op.MATH and value.detail in OF_ANGLES and value.context.loop is not None:
            return  # in loops they are no more than the tables hold
        elif _is_double_extremum(value):
            yield Copy(value, value.context, _EXTREMUM_COPIES)
        elif op is Op.MATH and value.scalar is Scalar.F32 and Quantity.INT_OP in amounts:
            # Constants of the function. The tables of the other types hold theirs already.
            count = min(_MOST_CONSTANTS, _CONSTANT_SHARE * amounts.get(Quantity.MOVES, 0.0))
            if self._parameters.evens_pipes:
                yield from self._once(value, value.context, ("function", value.detail), count)
            else:
                yield Copy(value, value.context, count)
        elif (op in _ARITHMETIC or op in COMPARISONS) and amounts and not _runs_uniformly(value):
            yield from self._hold(value, self._inputs(value), 1)

    def _of_setup(self, value: Value, detail: SetupDetail) -> Iterator[Copy]:
        """Where a nest starts its inner loop anew: the counter, and for its copies that again, what is left of the count, and pointers."""
        if detail.frame.unrolls_rest:
            yield Copy(value, value.context, _COPIES_OF_START)
            pointers = self._pointers[id(detail.frame)]
            yield Copy(value, detail.before_rounds, _COPIES_OF_ROUNDS + pointers)

    def _takes_value(self, atomic: Value) -> bool:
        """Whether each thread brings its own value to an atomic, which the threads of a warp do not combine."""
        is_returned = bool(self._users.get(atomic.number))
        return len(atomic.args) > 1 and not aggregation_ops(atomic, is_returned=is_returned)

    def _is_in_place(self, join: Value) -> bool:
        """Whether all but one of the paths change one variable that is used nowhere else, in the register that it has."""
        found = join.args[: int(str(join.detail))]
        for old in found:
            changed = [value for value in found if value is not old]
            members = {join.number, *(value.number for value in changed)}
            if changed and all(old in self._inputs(value) for value in changed):
                return all(user.number in members for user in self._users.get(old.number, ()))
        return False

    def _join_copies(self, join: Value) -> float:
        """Moves that one of several values takes: those of a branch that only exchanges variables are all it consists of."""
        alternatives = join.args[: join.detail if isinstance(join.detail, int) else 0]
        if len(alternatives) != _EITHER or any(
            not _encloses(value.context, join.context) for value in alternatives
        ):
            return self._parameters.copies_per_join
        others = {
            use.number
            for value in alternatives
            for use in self._users.get(value.number, ())
            if use.op is Pseudo.JOIN and use.args[_EITHER:] == join.args[_EITHER:]
        }
        return _EXCHANGE_COPIES if len(others) > 1 else self._parameters.copies_per_join

    def _pointer_copies(self, stream: Value, loop: LoopFrame) -> float:
        if isinstance(stream.detail, StreamShape) and stream.detail.by_offset:
            return _POINTER_WORDS if self._long_pointers.is_lone(stream) else 0.0
        if root_of(stream).kind is RootKind.SLOT or loop.offset_step is not None:
            return 0.0  # one word, or the sum of an array and an offset
        if (
            root_of(stream).kind is RootKind.GLOBAL
            and not self._parameters.keeps_uniform_stream_base
        ):
            return 0.0  # as a rule in constant memory
        if stream.is_uniform:
            advances = _steps_by_constant(stream) and loop.is_countable
            return self._parameters.copies_per_uniform_pointer if advances else 0.0
        shape = stream.detail
        if not self._parameters.keeps_uniform_stream_base:
            is_step = isinstance(shape, StreamShape) and shape.is_widened and not shape.is_bytes
            return 0.0 if is_step else 1.0
        if _steps_by_constant(stream):
            return 1.0 if loop.is_countable or loop.has_moving_bound else 0.0
        return 0.0 if isinstance(shape, StreamShape) and shape.is_multiplied else 1.0

    def _carried(self, phi: Value) -> Iterator[Copy]:
        """A variable that a loop carries: its start, and in each round a copy where the old value outlives the new."""
        size = words(phi.scalar)
        loop = phi.context.loop
        if phi.args[0].is_constant and loop is not None:
            yield Copy(phi, loop.preheader, self._parameters.copies_per_start * size)
        following = phi.args[1] if len(phi.args) > 1 else phi
        if following is phi or following.is_constant:
            return
        is_moved = following.op is Pseudo.PHI and following.context.loop is loop
        outlives = any(
            user.number > following.number
            and user.op is not Pseudo.PHI
            and user.context.loop is loop
            for user in self._users.get(phi.number, ())
        )
        if is_moved or outlives:
            is_pair = following.op is Op.ATOMIC and size > 1.0
            yield Copy(phi, phi.context, _PAIR_OF_ATOMIC if is_pair else size)

    def _scale(self, value: Value) -> Iterator[Copy]:
        """The scale of an index takes a register where the base is a parameter that is not in one.

        In loops the assembler makes it anew in each round.
        """
        shape = value.detail
        base, index = value.args
        if not self._parameters.parameters_in_constant_bank or not isinstance(shape, AddressShape):
            return
        if shape.scale_bytes == 1 or root_of(base).kind is RootKind.SLOT or not is_word(index):
            return
        if base.op is Op.PARAM:
            yield from self._once(value, value.context, ("scale", shape.scale_bytes), 1.0)

    def _hold(self, value: Value, operands: list[Value], allowed: int) -> Iterator[Copy]:
        """Copies all but `allowed` of the operands that no register holds."""
        outside = [operand for operand in operands if self._needs_register(operand)]
        outside = [o for o in outside if not self._is_held(o.number, value.context)]
        for operand in outside[allowed:]:
            # Parameters are cheap to copy again; constants keep their registers through loops.
            context = _outside_loops(value.context) if operand.is_constant else value.context
            yield from self._once(value, context, operand.number, words(operand.scalar))

    def _needs_register(self, operand: Value) -> bool:
        if operand.is_constant:
            return bool(operand.constant)
        return self._parameters.parameters_in_constant_bank and operand.op is Op.PARAM

    def _is_held(self, key: object, context: Context) -> bool:
        """Whether a register that was set on every path to `context` holds it."""
        holder = self._held.get(key)
        above: Context | None = context
        while above is not None and above is not holder:
            above = above.parent
        return holder is not None and above is holder

    def _once(self, value: Value, context: Context, key: object, count: float) -> Iterator[Copy]:
        if not self._is_held(key, context):
            self._held[key] = context
            yield Copy(value, context, count)


_PAIR_OF_ATOMIC = 1.1
"""Copies of the two words that a loop around an atomic operation gets back: one is a MOV (nvcc 13.0, sm_80 and sm_90)."""
_EITHER = 2
_EXCHANGE_COPIES = 1.5
"""Three moves for two variables that are exchanged under a condition."""


def _encloses(outer: Context, inner: Context) -> bool:
    above: Context | None = inner
    while above is not None and above is not outer:
        above = above.parent
    return above is outer


def _steps_by_constant(stream: Value) -> bool:
    return isinstance(stream.detail, StreamShape) and stream.detail.constant_step


def _outside_loops(context: Context) -> Context:
    """Where a copy goes that every iteration can use."""
    while context.loop is not None:
        context = context.loop.outside
    return context


def _root(context: Context) -> Context:
    while context.parent is not None:
        context = context.parent
    return context
