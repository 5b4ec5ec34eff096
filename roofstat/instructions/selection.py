"""Instruction selection: what each live value costs, after fusing it with its operands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.arithmetic import COMPARISONS
from roofstat.instructions.costing import CostSource
from roofstat.instructions.division import division_by_constant
from roofstat.instructions.memory_state import RootKind, root_of
from roofstat.instructions.numbering import AddressShape, StreamShape
from roofstat.instructions.quantities import Amounts, Quantity, float_arithmetic
from roofstat.instructions.values import Pseudo, Value
from roofstat.instructions.walker import LoadDetail, SetupDetail
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.instructions.liveness import LiveGraph
    from roofstat.instructions.parameters import LoweringParameters

_ADDITIVE = frozenset({Op.ADD, Op.SUB})
_LOGIC = frozenset({Op.AND, Op.OR, Op.XOR})
_WIDE = frozenset({Scalar.I64, Scalar.U64})
_HALVES = frozenset({Scalar.F16, Scalar.BF16})
_RECIPROCAL_OPS = 5.0
"""Integer operations of a 32-bit division that depend on the divisor alone (IABS, two IADD, IMAD, IMAD.HI)."""
_POWER_SHARE = 0.35
"""Part of a power that depends on the exponent."""
_FEW_STREAMS = 4
"""With more pointers the compiler advances each instead of adding a common uniform part."""
_IMMEDIATE_OFFSET = 1 << 23
"""Offsets of accesses have 24 bits with sign."""
_ON_VECTOR = frozenset({Pseudo.STREAM, Pseudo.SETUP, Pseudo.ROUND, Op.DIV, Op.REM, Op.MATH})
_SHARED_SCALES = frozenset({1, 4, 8, 16})
MAX_FUSED_USES = 8
"""A product with more uses is kept, so that its operands need not stay alive."""


class Selector:
    """Costs of the live values of one graph."""

    def __init__(
        self,
        graph: LiveGraph,
        costs: CostSource,
        parameters: LoweringParameters,
        *,
        contract: bool,
    ) -> None:
        self._users = graph.users
        self._costs = costs
        self._parameters = parameters
        self._absorbed: set[int] = set()
        """Values that cost nothing, since they are part of their users' instructions."""
        self._fused: set[int] = set()
        """Additions that became multiply-adds."""
        self._leaves: dict[int, int] = {}
        """Inputs of three-input logic, by value number."""
        self._extended: set[int] = set()
        self._streams: dict[int, int] = {}
        """Advancing pointers by loop."""
        for value in graph.live:
            if value.op is Pseudo.STREAM and value.context.loop is not None:
                key_of_loop = id(value.context.loop)
                self._streams[key_of_loop] = self._streams.get(key_of_loop, 0) + 1
        self._far: set[tuple[int, int]] = set()
        self._divisors: dict[tuple[int, Scalar], Value] = {}
        self._scaled: set[tuple[int, int]] = set()
        self._wide_indices: dict[tuple[int, int], int] = {}
        """How many addresses scale a 64-bit index by the same size."""
        for value in graph.live:
            if value.op is Pseudo.ADDRESS and isinstance(value.detail, AddressShape):
                key = (value.args[1].number, value.detail.scale_bytes)
                self._wide_indices[key] = self._wide_indices.get(key, 0) + 1
        if contract:
            self._contract(graph.live)
        for value in graph.live:
            self._fuse(value)

    def amounts(self, value: Value) -> Amounts:
        """What one thread executes for `value`."""
        if value.number in self._absorbed:
            return {}
        found = self._amounts(value)
        if value.is_uniform and Quantity.INT_OP in found and not self._on_vector(value):
            share = self._vector_share(value)
            ops = found[Quantity.INT_OP]
            found = dict(found)
            found[Quantity.INT_OP] = ops * share
            found[Quantity.UNIFORM_OPS] = ops * (1.0 - share)
        return found

    def _vector_share(self, value: Value) -> float:
        """Which part of a warp-uniform value's work runs on the ordinary datapath."""
        parameters = self._parameters
        uses = self._uses(value)
        if value.op in COMPARISONS:
            if all(use.op is Op.SELECT for use in uses):
                return parameters.uniform_on_vector
            in_loop = value.context.loop is not None
            return parameters.test_in_loop_on_vector if in_loop else parameters.test_on_vector
        if any(use.op is Pseudo.PHI for use in uses):
            return parameters.counter_on_vector
        return parameters.uniform_on_vector

    def _on_vector(self, value: Value) -> bool:
        """Whether a uniform value runs on the ordinary datapath in any case: tests for branches do."""
        return value.op in _ON_VECTOR

    # Fusing

    def _uses(self, value: Value) -> list[Value]:
        return self._users.get(value.number, [])

    def _contract(self, live: list[Value]) -> None:
        """Multiply-adds in floating point."""
        taken: dict[int, int] = {}
        for value in live:
            if value.op not in _ADDITIVE or not value.scalar.is_float:
                continue
            best: Value | None = None
            for arg in value.args:
                product = arg.args[0] if arg.op is Op.NEG else arg
                if product.op is not Op.MUL or not self._fusible(product):
                    continue
                if best is None or self._preference(product) < self._preference(best):
                    best = product
            if best is not None:
                self._fused.add(value.number)
                taken[best.number] = taken.get(best.number, 0) + 1
                if taken[best.number] >= len(self._uses(best)):
                    self._absorbed.add(best.number)

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
        if value.op in _ADDITIVE:
            self._fuse_addition(value)
        elif value.op in _LOGIC and value.scalar is not Scalar.BOOL:
            self._fuse_logic(value)
        elif value.op in COMPARISONS:
            self._fuse_comparison(value)

    def _fuse_minimum(self, value: Value) -> None:
        """`min(a + b, c)` in one operation; a comparison whose operands are selected is the minimum itself."""
        args = value.args
        if value.op is Op.MATH and value.detail in {"min", "max"} and not value.scalar.is_float:
            for arg in args:
                if arg.op is Op.ADD and arg.scalar not in _WIDE and self._single(arg):
                    self._absorbed.add(arg.number)
                    return
        if value.op not in {Op.LT, Op.LE} or value.scalar.is_float or value.scalar in _WIDE:
            return
        for arg in args:
            users = self._uses(arg)
            others = [use for use in users if use is not value]
            minimum = len(others) == 1 and others[0].op in {Op.SELECT, Pseudo.JOIN}
            if arg.op is Op.ADD and minimum and value in others[0].args:
                chosen = [a for a in others[0].args if a is not value]
                if set(chosen[:2]) == set(args) and arg.number not in self._absorbed:
                    self._absorbed.add(arg.number)
                    return

    def _single(self, value: Value) -> bool:
        return len(self._uses(value)) == 1 and value.number not in self._absorbed

    def _fuse_addition(self, value: Value) -> None:
        for arg in value.args:
            if self._is_product(arg, value) and self._single(arg):
                self._absorbed.add(arg.number)
                self._fused.add(value.number)
                return
        for arg in value.args:
            inner = (
                arg.op in _ADDITIVE
                and arg.scalar is value.scalar
                and arg.number not in self._fused
                and self._single(arg)
                and value.scalar not in _WIDE
            )
            if inner:
                self._absorbed.add(arg.number)
                self._fused.add(value.number)
                return

    def _is_product(self, arg: Value, value: Value) -> bool:
        if arg.op is Op.MUL:
            return arg.scalar.size_bytes == value.scalar.size_bytes
        if arg.op is Op.SHL and arg.args[1].is_constant:
            return True
        # A product that is only widened: one wide multiply-add.
        return False

    def _fuse_logic(self, value: Value) -> None:
        inputs = 0
        for arg in value.args:
            if arg.is_constant:
                inputs += 1
                continue
            mergeable = arg.op in _LOGIC and arg.scalar is not Scalar.BOOL and self._single(arg)
            inner = self._leaves.get(arg.number, 2) if mergeable else 1
            others = sum(1 for other in value.args if other is not arg)
            if mergeable and inputs + inner + others <= 3:
                self._absorbed.add(arg.number)
                inputs += inner
            else:
                if arg.op is Op.BIT_NOT and self._single(arg):
                    self._absorbed.add(arg.number)
                inputs += 1
        self._leaves[value.number] = inputs
        self._fuse_rotation(value)

    def _fuse_rotation(self, value: Value) -> None:
        """`x << k | x >> (32 - k)` is one funnel shift."""
        first, second = value.args
        if first.op is Op.SHR:
            first, second = second, first
        if first.op is not Op.SHL or second.op is not Op.SHR or first.args[0] is not second.args[0]:
            return
        if value.op is Op.AND or value.scalar in _WIDE:
            return
        left, right = first.args[1], second.args[1]
        bits = 8 * value.scalar.size_bytes
        complementary = left.is_constant and right.is_constant
        if complementary and int(left.constant or 0) + int(right.constant or 0) == bits:
            if self._single(first) and self._single(second):
                self._absorbed.update((first.number, second.number))

    def _fuse_comparison(self, value: Value) -> None:
        left, right = value.args
        if value.op in {Op.EQ, Op.NE} and right.is_constant and right.constant == 0:
            if left.op in _LOGIC and self._single(left) and left.scalar is not Scalar.BOOL:
                self._absorbed.add(left.number)

    # Costs

    def _amounts(self, value: Value) -> Amounts:
        op = value.op
        if isinstance(op, Pseudo):
            return self._pseudo(value, op)
        if op in COMPARISONS:
            return self._comparison(value)
        if value.scalar.is_float and op in {Op.ADD, Op.SUB, Op.MUL, Op.NEG, Op.DIV, Op.REM}:
            return self._floating(value, op)
        match op:
            case Op.ADD | Op.SUB:
                return self._addition(value)
            case Op.MUL:
                return _integer(self._multiplication(value))
            case Op.DIV | Op.REM:
                return self._division(value, op)
            case Op.AND | Op.OR | Op.XOR:
                return self._logic(value)
            case Op.SHL | Op.SHR:
                return self._shift(value)
            case Op.NEG:
                return self._negation(value)
            case Op.BIT_NOT:
                return _integer(_words(value.scalar))
            case Op.CAST:
                return self._cast(value)
            case Op.SELECT:
                return {Quantity.MOVES: float(_words(value.scalar))}
            case Op.PTR_DIFF:
                return _integer(3.0 if value.detail not in {1, None} else 2.0)
            case Op.MATH:
                return self._math(value)
            case Op.LOAD | Op.STORE:
                return self._far_offset(value)
            case Op.NOT | Op.BITCAST:
                return {}
            case _:
                return self._costs.effect(value)

    def _far_offset(self, value: Value) -> Amounts:
        """An offset that the access cannot hold is added to the address, in two words."""
        detail = value.detail
        if not isinstance(detail, LoadDetail) or abs(detail.offset_bytes) < _IMMEDIATE_OFFSET:
            return {}
        # Accesses near each other share the sum.
        key = (value.args[0].number, detail.offset_bytes // _IMMEDIATE_OFFSET)
        if key in self._far or detail.root.kind is RootKind.SLOT:
            return {}
        self._far.add(key)
        return _integer(2.0)

    def _pseudo(self, value: Value, op: Pseudo) -> Amounts:
        match op:
            case Pseudo.ADDRESS:
                return _integer(self._address(value))
            case Pseudo.STREAM:
                return _integer(self._stream(value))
            case Pseudo.DERIVED:
                return _integer(_words(value.scalar))
            case Pseudo.OFFSET:
                root = root_of(value)
                return _integer(1.0 if root.kind is RootKind.SLOT else 2.0)
            case Pseudo.JOIN:
                return {Quantity.MOVES: 1.0} if value.scalar is not Scalar.BOOL else {}
            case Pseudo.BRANCH:
                return self._branch(value)
            case Pseudo.ROUND:
                return _integer(self._parameters.scaled_counter_round)
            case Pseudo.SETUP:
                return _integer(self._setup(value.detail))
            case _:
                return {}

    def _setup(self, detail: object) -> float:
        parameters = self._parameters
        if not isinstance(detail, SetupDetail):
            return 0.0
        if detail.runtime_step:
            return parameters.setup_of_runtime_step
        twice = detail.copies > parameters.unroll.runtime_copies
        return parameters.setup_of_both if twice else parameters.setup_of_copies

    def _branch(self, value: Value) -> Amounts:
        cases = value.detail if isinstance(value.detail, int) else 0
        if cases:
            # Compared in a balanced tree.
            depth = max(1.0, float(cases.bit_length()))
            return {Quantity.INT_OP: depth, Quantity.BRANCHES: depth}
        return {Quantity.BRANCHES: 1.0}

    def _address(self, value: Value) -> float:
        base, index = value.args
        shape = value.detail
        scale = shape.scale_bytes if isinstance(shape, AddressShape) else 1
        if root_of(base).kind is RootKind.SLOT:
            free = scale == 1 or (
                self._parameters.scales_shared_indices and scale in _SHARED_SCALES
            )
            return 0.0 if free and base.op is Op.SLOT else 1.0
        power = scale & (scale - 1) == 0
        signed = self._sign_extension(value, index)
        if _is_word(index) and scale > 1 and not (isinstance(shape, AddressShape) and shape.is_split):
            if value.is_uniform and value.context.loop is not None:
                return self._parameters.uniform_stream
            return 1.0
        if _is_word(index):
            return (2.0 if power else 3.0) + signed
        return (2.0 if power else 3.0) + self._shared_shift(value, index, scale)

    def _sign_extension(self, value: Value, index: Value) -> float:
        """One shift gives the high word of a signed index, for all addresses with that index."""
        if not index.scalar.is_signed or index.number in self._extended:
            return 0.0
        _ = value
        self._extended.add(index.number)
        return 1.0

    def _shared_shift(self, value: Value, index: Value, scale: int) -> float:
        """A 64-bit index that several arrays use is scaled once, with two shifts."""
        if scale == 1 or self._wide_indices.get((index.number, scale), 0) < 2:
            return 0.0
        key = (index.number, scale)
        if key in self._scaled:
            return 0.0
        self._scaled.add(key)
        _ = value
        return 2.0

    def _stream(self, value: Value) -> float:
        """Operations for each advance of a pointer."""
        shape = value.detail
        if not isinstance(shape, StreamShape):
            return 2.0
        if not shape.constant_step:
            return 1.0 if shape.plain_stride else 2.0
        base, start = value.args[:2]
        parameters = self._parameters
        loop = value.context.loop
        rolled = loop is None or loop.copies == 1
        if value.is_uniform:
            return parameters.uniform_stream_rolled if rolled else parameters.uniform_stream
        if not parameters.keeps_uniform_stream_base:
            return 2.0
        few = loop is None or self._streams.get(id(loop), 0) <= _FEW_STREAMS
        shared = few and shape.has_invariants and base.is_uniform and start.is_uniform
        return 1.0 if rolled or shared else 2.0

    def _comparison(self, value: Value) -> Amounts:
        if value.scalar.is_float:
            return {Quantity.MOVES: 1.0}
        if value.scalar is Scalar.BOOL:
            return {}
        return _integer(_words(value.scalar))

    def _floating(self, value: Value, op: Op) -> Amounts:
        label = value.scalar.label
        if op is Op.NEG:
            if self._negation_vanishes(value):
                return {}
            return float_arithmetic(label, 1)
        if op is Op.DIV:
            reciprocal = value.args[0].is_constant and value.args[0].constant == 1.0
            if value.args[1].is_constant:
                return self._costs.function("div_by_constant", value.scalar)
            return self._costs.function("rcp" if reciprocal else "div", value.scalar)
        if op is Op.REM:
            return self._costs.function("fmod", value.scalar)
        fused = value.number in self._fused or value.scalar is Scalar.BF16
        return float_arithmetic(label, 2 if fused else 1)

    def _negation_vanishes(self, value: Value) -> bool:
        """Whether the sign is an operand modifier of what uses the value, or of what computes its operand."""
        operand = value.args[0]
        if operand.op in {Op.ADD, Op.SUB, Op.MUL} and len(self._uses(operand)) == 1:
            return True
        return all(_negates_freely(use) for use in self._uses(value))

    def _addition(self, value: Value) -> Amounts:
        if value.scalar in _WIDE:
            if value.number in self._fused:
                return _integer(2.0)
            return _integer(2.0)
        return _integer(1.0)

    def _multiplication(self, value: Value) -> float:
        if value.scalar not in _WIDE:
            return 1.0
        if all(_is_word(arg) for arg in value.args):
            return 1.0
        return 3.0 if any(_is_word(arg) or arg.is_constant for arg in value.args) else 4.0

    def _division(self, value: Value, op: Op) -> Amounts:
        divisor = value.args[1]
        if divisor.is_constant and isinstance(divisor.constant, int) and divisor.constant:
            return _integer(
                division_by_constant(op, value.scalar, divisor.constant, self._has_quotient(value))
            )
        if op is Op.REM and self._has_quotient(value):
            return _integer(4.0 if value.scalar in _WIDE else 1.0)
        found = self._costs.function("div" if op is Op.DIV else "rem", value.scalar)
        key = (divisor.number, value.scalar)
        if key not in self._divisors or value.scalar in _WIDE:
            self._divisors[key] = value
            return found
        # The reciprocal of the divisor is there already.
        shared = dict(found)
        shared[Quantity.INT_OP] = max(found.get(Quantity.INT_OP, 0.0) - _RECIPROCAL_OPS, 1.0)
        return shared

    def _has_quotient(self, value: Value) -> bool:
        """Whether the quotient of the same operands is computed as well."""
        if value.op is not Op.REM:
            return False
        return any(
            use.op is Op.DIV and use.args[0] is value.args[0] and use.args[1] is value.args[1]
            for use in self._uses(value.args[0])
        )

    def _logic(self, value: Value) -> Amounts:
        if value.scalar is Scalar.BOOL:
            return {}
        return _integer(_words(value.scalar))

    def _shift(self, value: Value) -> Amounts:
        if value.scalar not in _WIDE:
            return _integer(1.0)
        if value.args[1].is_constant:
            return _integer(2.0 if int(value.args[1].constant or 0) < 32 else 1.0)
        return _integer(4.0)

    def _negation(self, value: Value) -> Amounts:
        if all(use.op in _ADDITIVE for use in self._uses(value)):
            return {}
        return _integer(_words(value.scalar))

    def _cast(self, value: Value) -> Amounts:
        source, target = value.detail, value.scalar
        if not isinstance(source, Scalar):
            return {}
        if source.is_float or target.is_float:
            if source is Scalar.BOOL:
                return {Quantity.MOVES: 1.0}
            if target is Scalar.BOOL:
                return {Quantity.MOVES: 1.0}
            return self._costs.function(f"to_{_NAMES[target]}", source)
        if target is Scalar.BOOL:
            return _integer(_words(source))
        if source is Scalar.BOOL:
            return {Quantity.MOVES: 1.0}
        if target.size_bytes > source.size_bytes:
            return self._widening(value, source, target)
        if target.size_bytes < 4 and target.size_bytes < source.size_bytes:
            return self._narrowing(value, target)
        return {}

    def _widening(self, value: Value, source: Scalar, target: Scalar) -> Amounts:
        if target not in _WIDE or not source.is_signed:
            return {}
        free = all(self._takes_words(use) for use in self._uses(value))
        return {} if free else _integer(1.0)

    def _takes_words(self, use: Value) -> bool:
        """Whether a user of a sign-extended word has an instruction that extends by itself."""
        if use.op is Pseudo.ADDRESS:
            return True
        return use.op is Op.MUL and all(_is_word(arg) for arg in use.args)

    def _narrowing(self, value: Value, target: Scalar) -> Amounts:
        if all(use.op is Op.STORE for use in self._uses(value)):
            return {}
        if target.is_signed:
            return {Quantity.MOVES: 1.0}
        return _integer(1.0)

    def _math(self, value: Value) -> Amounts:
        name = str(value.detail)
        scalar = value.scalar
        match name:
            case "min" | "max" | "fmin" | "fmax" if scalar.is_float:
                return {Quantity.MOVES: 1.0} if scalar is not Scalar.F64 else {Quantity.MOVES: 3.0}
            case "min" | "max":
                return _integer(3.0 if scalar in _WIDE else 1.0)
            case "abs" | "fabs" if scalar.is_float:
                return {}
            case "fma" if scalar.is_float:
                return float_arithmetic(scalar.label, 2)
            case "pow" | "powf" if self._has_invariant_base(value):
                # The logarithm of the base is computed before the loop.
                found = self._costs.function(name, scalar)
                return {quantity: _POWER_SHARE * amount for quantity, amount in found.items()}
            case _:
                return self._costs.function(name, scalar)

    def _has_invariant_base(self, value: Value) -> bool:
        base = value.args[0]
        return not base.is_constant and base.context.depth < value.context.depth


def _negates_freely(use: Value) -> bool:
    return use.op in {Op.ADD, Op.SUB, Op.MUL, Op.DIV, *COMPARISONS} or (
        use.op is Op.MATH and use.detail == "fma"
    )


def _integer(count: float) -> Amounts:
    return {Quantity.INT_OP: count} if count else {}


def _words(scalar: Scalar) -> float:
    return 2.0 if scalar.size_bytes == 8 else 1.0


def _is_word(value: Value) -> bool:
    """Whether the value fits a 32-bit register, possibly extended by the instruction that uses it."""
    if value.scalar.size_bytes <= 4 and value.op is not Op.CAST:
        return True
    if value.op is Op.CAST and isinstance(value.detail, Scalar):
        return value.detail.is_integer and value.detail.size_bytes <= 4
    if value.is_constant and isinstance(value.constant, int):
        return -(1 << 31) <= value.constant < 1 << 31
    return False


_NAMES = {
    Scalar.BOOL: "bool",
    Scalar.I8: "int8",
    Scalar.U8: "uint8",
    Scalar.I16: "int16",
    Scalar.U16: "uint16",
    Scalar.I32: "int32",
    Scalar.U32: "uint32",
    Scalar.I64: "int64",
    Scalar.U64: "uint64",
    Scalar.I128: "int128",
    Scalar.U128: "uint128",
    Scalar.F16: "half",
    Scalar.BF16: "bfloat16",
    Scalar.F32: "float",
    Scalar.F64: "double",
    Scalar.VOID: "void",
}
