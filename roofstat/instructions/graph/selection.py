"""Instruction selection: what each live value costs, after fusing it with its operands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.addressing.address_costs import AddressCosts
from roofstat.instructions.addressing.chained_rows import strides_in_registers
from roofstat.instructions.addressing.constant_memory import is_constant_load
from roofstat.instructions.addressing.uniform_rows import NO_ROWS, uniform_rows
from roofstat.instructions.addressing.vector_bytes import extraction, vector_bytes
from roofstat.instructions.graph.aggregation import aggregation_ops
from roofstat.instructions.graph.details import RoundDetail, SetupDetail
from roofstat.instructions.graph.folding import ROTATION
from roofstat.instructions.graph.fusion import Fusion
from roofstat.instructions.graph.memory_state import RootKind, root_of
from roofstat.instructions.graph.values import Pseudo, Value
from roofstat.instructions.graph.whole_products import low_words_of_products
from roofstat.instructions.integers.arithmetic import PURE
from roofstat.instructions.integers.division import division_by_constant
from roofstat.instructions.integers.halved_counters import keeps_sign, more_of_halving
from roofstat.instructions.integers.known_bits import fits_mask, is_kept_by
from roofstat.instructions.integers.logic import tests_made_again
from roofstat.instructions.integers.low_words import fits_word
from roofstat.instructions.integers.mixed_bits import is_mixed, is_product_of_data
from roofstat.instructions.integers.wide_arithmetic import WideArithmetic, scales_word
from roofstat.instructions.integers.widths import (
    NARROW,
    SCALAR_NAMES,
    UNSIGNED_PARTS,
    WIDE,
    WORD_BITS,
    words,
)
from roofstat.instructions.integers.word_parts import word_parts
from roofstat.instructions.tables.quantities import Amounts, Quantity, add_into, float_arithmetic
from roofstat.instructions.tables.team_bounds import TeamBounds
from roofstat.program.code import Op
from roofstat.program.comparisons import COMPARISONS

if TYPE_CHECKING:
    from roofstat.instructions.graph.liveness import LiveGraph
    from roofstat.instructions.graph.values import Context, LoopFrame
    from roofstat.instructions.tables.costing import CostSource
    from roofstat.instructions.tables.parameters import LoweringParameters

_ADDITIVE = frozenset({Op.ADD, Op.SUB})
_BRAIN_NAMES = {Op.ADD: "add", Op.SUB: "sub", Op.MUL: "mul"}
_RECIPROCAL_OPS = 5.0
"""Integer operations of a 32-bit division that depend on the divisor alone (two IADD, IMAD, IMAD.HI, the test for zero)."""
_OF_RECIPROCAL = (Quantity.SPECIAL_OP, Quantity.CONVERSIONS, Quantity.SPECIAL_UNIT_OP)
"""MUFU.RCP and the conversions around it, of a division of words."""
_MAGNITUDE_OPS = 3.0
"""Further ones where it has a sign: its magnitude twice, once negated; in constant memory it takes two less."""
_HOISTED_QUOTIENTS = 2
"""Of as many quotients in a loop the reciprocals are computed in front of it."""
_ALL_BITS = 0xFFFFFFFF
_HIGH_WORD_OF_REMAINDER = 3.0
"""That of the quotient, and of its product with the divisor, which the low word of a remainder does without (clang 18.1.6, nvcc 13.0)."""
_POWER_SHARE = 0.39
"""Part of a power that depends on the exponent."""
# What reduces an angle by quarter turns, of which sine and cosine of one angle need one: a product, three multiply-adds
# and two conversions, one of them packed, in SASS of nvcc 13.0 and clang 18.1.6 (sm_86 and sm_90).
_REDUCTION = {
    Quantity.SP_FLOP: 7.0,
    Quantity.FP32_INSTRUCTIONS: 4.0,
    Quantity.CONVERSIONS: 2.0,
    Quantity.SPECIAL_UNIT_OP: 1.0,
}
_EXPONENTIAL_OPS = 3.0
"""Integer operations of an exponential of a double that finds its constants set.

The exponent is put in place (IMAD), the other word is copied, and large functions set some of the four constants again: 2 to
4 in SASS of nvcc 13.0 and clang 18.1.6, sm_90.
"""
_STEP_OF_OFFSET = 2.0
"""Two words of an offset that all pointers of a loop add."""
_ON_VECTOR = frozenset({Pseudo.STREAM, Pseudo.SETUP, Pseudo.ROUND, Pseudo.REMAINING, Op.MATH})
_DIVISIONS = frozenset({Op.DIV, Op.REM})
_IN_CONSTANT_MEMORY = frozenset({Op.PARAM, Op.SPECIAL})
_BITWISE = frozenset({Op.AND, Op.OR, Op.XOR})
_UNSIGNED = {Scalar.I32: Scalar.U32, Scalar.I64: Scalar.U64}


class Selector:
    """Costs of the live values of one graph; asked for in order of creation."""

    def __init__(
        self,
        graph: LiveGraph,
        costs: CostSource,
        parameters: LoweringParameters,
        *,
        contract: bool,
        registers: int,
    ) -> None:
        self._users = graph.users
        self._low_words = graph.low_words
        self._parts = word_parts(
            graph.live, graph.users, graph.low_words, shifts_parts=parameters.shifts_parts
        )
        self._choices = graph.element_choices
        self._costs = costs
        self._parameters = parameters
        self._fusion = Fusion(graph, parameters, contract=contract)
        self._low_products = low_words_of_products(graph.live, graph.users, self._fusion.absorbed)
        self._wide = WideArithmetic(graph, self._fusion, parameters)
        self._rows = (
            uniform_rows(graph, loads_arguments=not parameters.parameters_in_constant_bank)
            if parameters.adds_terms_to_pointers
            else NO_ROWS
        )
        self._strides = strides_in_registers(graph.live)
        self._addresses = AddressCosts(graph, parameters, self._wide, self._rows.on_vector)
        self._bounds = TeamBounds(graph, parameters, registers)
        self._addressing = _addressing(graph.live)
        self._pointed = {
            id(value.context.loop)
            for value in graph.live
            if value.op is Pseudo.STREAM and root_of(value).kind is not RootKind.SLOT
        }
        """Loops with pointers that advance outside of shared memory."""
        self._made_again = tests_made_again(graph) if parameters.makes_tests_again else {}
        self._divisors: set[tuple[int, Scalar]] = set()
        """Divisors whose reciprocal exists already."""
        self._quotients = _quotients(graph.live)
        self._exchanges = graph.exchanges
        self._vector_bytes = vector_bytes(graph.live) if parameters.extends_vector_bytes else {}
        self._tested: set[tuple[int, frozenset[int]]] = set()
        """Loops in copies of others, with their bounds, whose tests are made."""
        self.moved: list[tuple[Value, Context, Amounts]] = []
        """Parts of what values cost that run in another context: an outer one, or a loop that compares again."""
        self._exponentials: set[Context] = set()
        """Where exponentials of doubles have set their constants."""
        self._logarithms: set[tuple[int, Context]] = set()
        """Bases of powers whose logarithm a loop found computed."""
        self.moved += [(value, context, self.amounts(value)) for value, context in graph.remade]

    def _uses(self, value: Value) -> list[Value]:
        return self._users.get(value.number, [])

    def amounts(self, value: Value) -> Amounts:
        """What one thread executes for `value`."""
        loop = value.context.loop
        if loop is not None and value.number == loop.offset_step:
            return _integer(_STEP_OF_OFFSET)
        if value.number in self._fusion.absorbed or value.number in self._low_products:
            return {}
        if value.number in self._made_again:
            return _integer(self._made_again[value.number])
        found = self._amounts(value)
        if _shrinks_counter(value):
            found = dict(found)
            late = self._parameters.folds_halving_late
            add_into(found, _integer(more_of_halving(value, folds_late=late)))
        is_bound = self._bounds.runs_uniformly(value)
        is_free = is_bound or (value.is_uniform and not self._on_vector(value))
        if is_free and Quantity.INT_OP in found:
            is_free = is_bound or value.number in self._rows.free
            share = 0.0 if is_free else self._vector_share(value)
            ops = found[Quantity.INT_OP]
            found = dict(found)
            found[Quantity.INT_OP] = ops * share
            found[Quantity.UNIFORM_OPS] = ops * (1.0 - share)
        return found

    def inputs(self, value: Value) -> list[Value]:
        """Operands of the instruction of `value`; what was fused into it is replaced by its own operands."""
        found: list[Value] = []
        for arg in value.args:
            if arg.number in self._fusion.absorbed:
                is_packed = value.number in self._fusion.without_constants
                found.extend(a for a in self.inputs(arg) if not (is_packed and a.is_constant))
            else:
                found.append(arg)
        return found

    def _vector_share(self, value: Value) -> float:
        """Which part of a warp-uniform value's work runs on the ordinary datapath."""
        parameters = self._parameters
        if value.number in self._rows.on_vector or value.number in self._strides:
            return 1.0
        uses = self._uses(value)
        if value.op in COMPARISONS:
            if all(use.op is Op.SELECT for use in uses):
                return parameters.uniform_on_vector
            in_loop = value.context.loop is not None
            return parameters.test_in_loop_on_vector if in_loop else parameters.test_on_vector
        if value.op in _ADDITIVE and all(_is_chosen_by_threads(use) for use in uses):
            return 1.0
        if parameters.tests_offsets and self._counts_known_trips(value):
            return 1.0
        if any(use.op is Pseudo.PHI for use in uses):
            if _shrinks_counter(value) and (
                keeps_sign(value, folds_late=parameters.folds_halving_late)
                or self._stays_in_register(value)
            ):
                return 1.0
            loop = value.context.loop
            if loop is not None and loop.copies == 1 and not loop.has_known_trips:
                # What is compared with a constant stays in ordinary registers, which a comparison wants first.
                return parameters.rolled_counter_on_vector
            is_shift = value.op in {Op.SHL, Op.SHR} and value.args[1].is_constant
            is_shift = is_shift or _divides_counter(value)
            return (
                parameters.shifted_counter_on_vector if is_shift else parameters.counter_on_vector
            )
        return parameters.uniform_on_vector

    def _counts_known_trips(self, value: Value) -> bool:
        """Whether a value is the counter of a loop of known length in a further copy or round.

        Clang's are in ordinary registers if they count up, as what is compared with a constant is, unless pointers into shared memory
        are all that needs them.
        """
        loop = value.context.loop
        if loop is None or not loop.has_known_trips or value.op not in _ADDITIVE:
            return False
        counters = [arg for arg in value.args if (loop.counters.get(arg.number) or 0) > 0]
        return (bool(counters) and id(loop) in self._pointed) or any(
            use is not counter and use is not value and use not in loop.exits
            for counter in counters
            for use in self._uses(counter)
        )

    def _stays_in_register(self, halved: Value) -> bool:
        """Whether a loop variable that is tested against a constant is an operand of more than bitwise logic.

        The assembler then keeps it in an ordinary register: SASS of block reductions and bitonic steps (nvcc 13.0 and clang
        18.1.6, sm_90).
        """
        counter = halved.args[0]
        uses = [use for use in (*self._uses(counter), *self._uses(halved)) if use is not halved]
        others = [use for use in uses if use.op is not Pseudo.PHI and not _tests_constant(use)]
        is_tested = any(map(_tests_constant, uses))
        return is_tested and not all(use.op in _BITWISE for use in others)

    def _on_vector(self, value: Value) -> bool:
        """Whether a uniform value runs on the ordinary datapath in any case."""
        if value.op in _DIVISIONS:
            # A quotient of arguments by a constant needs no instruction that the uniform datapath lacks.
            is_plain = _is_of_arguments(value.args[0]) or _divides_counter(value)
            return not (value.args[1].is_constant and is_plain)
        if value.number in self._rows.free:
            return False
        return value.op in _ON_VECTOR or value.number in self._addressing

    def _amounts(self, value: Value) -> Amounts:
        op = value.op
        if value.number in self._fusion.predicated:
            return _integer(2.0 if op in _ADDITIVE else 1.0)
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
                return _integer(self._words(value))
            case Op.CAST:
                return self._cast_of_byte(value)
            case Op.SELECT:
                moves = {Quantity.MOVES: float(words(value.scalar))}
                return moves | self._choice_of_predicates(value)
            case Op.PTR_DIFF:
                return _integer(3.0 if value.detail not in {1, None} else 2.0)
            case Op.MATH:
                return {} if value.detail == "evenly" else self._function(value)
            case Op.LOAD | Op.STORE:
                chosen = self._choices.operations.get(value.number, 0.0)
                return _integer(self._addresses.far_offset(value) + chosen)
            case Op.NOT | Op.BITCAST:
                return {}
            case Op.ATOMIC:
                return self._atomic(value)
            case Op.LIBRARY:
                found = dict(self._costs.effect(value))
                add_into(found, _integer(self._bounds.cost(value)))
                return found
            case _:
                return self._costs.effect(value)

    def _atomic(self, value: Value) -> Amounts:
        found = self._costs.effect(value)
        more = aggregation_ops(value, is_returned=bool(self._uses(value)))
        # Of a warp whose lanes are combined only one goes through the loop that a long sum in shared memory is.
        alone = 0.0 if value.scalar in WIDE else found.get(Quantity.INT_OP, 0.0)
        return {**found, Quantity.INT_OP: max(alone, more)} if more else found

    def _pseudo(self, value: Value, op: Pseudo) -> Amounts:
        match op:
            case Pseudo.ADDRESS:
                return _integer(self._addresses.address(value))
            case Pseudo.STREAM:
                return self._stream(value)
            case Pseudo.DERIVED:
                return _integer(words(value.scalar))
            case Pseudo.OFFSET:
                root = root_of(value)
                return _integer(1.0 if root.kind is RootKind.SLOT else 2.0)
            case Pseudo.JOIN:
                return {Quantity.MOVES: 1.0} if value.scalar is not Scalar.BOOL else {}
            case Pseudo.BRANCH:
                return self._branch(value)
            case Pseudo.ROUND:
                return _integer(self._round(value))
            case Pseudo.REMAINING:
                # Of the two counters one goes to the uniform datapath where that may be used.
                is_left = value.is_uniform and not self._addresses.scales_counter(
                    value.context.loop
                )
                is_kept = is_left and not _starts_remainder(value.context.loop)
                return _integer(1.0 if value.args[0].is_uniform and not is_kept else 0.0)
            case Pseudo.SETUP:
                return self._setup(value)
            case _:
                return {}

    def _choice_of_predicates(self, value: Value) -> Amounts:
        """What makes a predicate again of two comparisons that nvcc chooses between as words (SEL, LOP3, ISETP)."""
        if value.scalar is not Scalar.BOOL or any(a.op not in COMPARISONS for a in value.args[1:]):
            return {}
        return _integer(self._parameters.choice_of_predicates)

    def _stream(self, value: Value) -> Amounts:
        found = _integer(self._addresses.stream(value))
        loop = value.context.loop
        if found and loop is not None and self._addresses.is_one_word(value):
            # Its first address.
            self.moved.append((value, loop.preheader, _integer(1.0)))
        is_far = self._addresses.steps_wide(value) and not self._addresses.steps_by_word(value)
        if loop is not None and self._addresses.long_pointers.has(value):
            self.moved.append(
                (value, loop.preheader, _integer(self._addresses.long_pointers.start(value)))
            )
        if loop is not None and is_far:
            starts = _START if loop.copies == 1 else _STARTS_OF_COPIES / loop.copies
            self.moved.append((value, loop.preheader, _integer(starts)))
        return found

    def _round(self, value: Value) -> float:
        detail = value.detail
        assert isinstance(detail, RoundDetail)
        if detail.by_offset:
            return self._addresses.common_offset(value.context.loop)
        if self._parameters.advances_scaled_words:
            return self._addresses.word_advances(value.context.loop)
        if self._addresses.sums_words(value.context.loop):
            return 0.0
        multiplied = detail.multiplied * self._parameters.multiplied_counter_copy
        if multiplied:
            return multiplied
        if self._addresses.shares_offset(value.context.loop):
            return 0.0
        # The assembler's repeats have these and the advance of the pointer for themselves.
        once = self._parameters.scaled_counter_round
        return once + (detail.repeats - 1) * (once + _POINTER)

    def _setup(self, value: Value) -> Amounts:
        detail = value.detail
        if not isinstance(detail, SetupDetail):
            return {}
        frame = detail.frame
        costs = self._parameters.costs_of_copies(
            unrolls_rest=frame.unrolls_rest, is_inner=frame.is_inner
        )
        if detail.runtime_step and not frame.has_wide_step:
            return _integer(costs.start_of_runtime_step)
        pointers = self._addresses.pointers(frame)
        if detail.runtime_step:
            step, more = costs.wide_step, costs.wide_step_pointer
            arrays = len(pointers) / frame.copies
            self._move_setup(
                value, detail, *(a + arrays * b for a, b in zip(step[1:], more[1:], strict=True))
            )
            return _integer(step.start + arrays * more.start)
        start = costs.start + sum(pointer.start for pointer in pointers)
        start += frame.more_tests * self._parameters.start_of_further_test
        if not all(condition.is_uniform for condition in frame.exits):
            start += costs.start_by_thread
        if frame.unrolls_rest:
            alone = self._parameters.copies
            if frame.varies_trips or frame.outside.loop is None:
                # Copies of the loop that a loop around it left share the tests of one bound.
                key = (frame.number, frozenset(frame.bounds))
                start += 0.0 if key in self._tested else alone.start - costs.start
                self._tested.add(key)
            else:
                tests = alone.start + (alone.start_anywhere if frame.counts_itself else 0.0)
                self.moved.append((value, frame.outside.loop.preheader, _integer(tests)))
        before_rounds = sum(pointer.before_rounds for pointer in pointers)
        if frame.counts_itself:
            start += costs.start_anywhere
        else:
            before_rounds += costs.before_rounds
        if detail.copies > self._parameters.unroll.runtime_copies:
            before_rounds += costs.before_repeats
        before_rest = costs.before_rest + sum(pointer.before_rest for pointer in pointers)
        in_rest = costs.in_rest + sum(pointer.in_rest for pointer in pointers)
        self._move_setup(value, detail, before_rounds, before_rest, in_rest)
        return _integer(start)

    def _move_setup(self, value: Value, detail: SetupDetail, *costs: float) -> None:
        """Says what stands before the rounds of a copied loop, before what is left over and in each iteration of that."""
        places = (detail.before_rounds, detail.before_rest, detail.in_rest)
        self.moved += [
            (value, place, _integer(cost)) for place, cost in zip(places, costs, strict=True)
        ]

    def _branch(self, value: Value) -> Amounts:
        cases = value.detail if isinstance(value.detail, int) else 0
        if cases:
            # Compared in a balanced tree.
            depth = max(1.0, float(cases.bit_length()))
            return {Quantity.INT_OP: depth, Quantity.BRANCHES: depth}
        return {Quantity.BRANCHES: 1.0}

    def _comparison(self, value: Value) -> Amounts:
        if value.scalar.is_float:
            return {Quantity.MOVES: 1.0}
        if value.scalar is Scalar.BOOL:
            return {}
        if value.number in self._exchanges:
            return _integer(self._exchanges[value.number])
        if value.number in self._fusion.word_tests:
            return _integer(1.0)
        again = value.scalar in WIDE and self._is_extremum_with_place(value)
        return _integer(words(value.scalar) * (2.0 if again else 1.0))

    def _is_extremum_with_place(self, test: Value) -> bool:
        """Whether an extremum is taken by a test that decides more besides: LLVM makes a minimum or maximum of that, with a test of its own.

        Of words that is one instruction, of 64 bits a comparison more (16 own kernels by nvcc 13.0 and clang 18.1.6, straight and in loops).
        """
        if test.op not in {Op.LT, Op.LE}:
            return False
        choices = [use for use in self._uses(test) if use.op is Op.SELECT]
        extrema = [use for use in choices if {*use.args[1:]} == {*test.args}]
        return bool(extrema) and len(choices) > len(extrema)

    def _floating(self, value: Value, op: Op) -> Amounts:
        label = value.scalar.label
        if op is Op.NEG:
            if self._negation_vanishes(value):
                return {}
            return float_arithmetic(label, 1)
        if op is Op.DIV:
            reciprocal = _is_reciprocal(value)
            if value.args[1].is_constant:
                found = self._costs.function("div_by_constant", value.scalar)
                if value.scalar is Scalar.F32:
                    # Copies of the divisor and its reciprocal, for either pipe.
                    found = {q: amount for q, amount in found.items() if q is not Quantity.INT_OP}
                return found
            if reciprocal and self._is_mergeable_root(value.args[1]):
                return self._costs.function("rsqrt", value.scalar)
            return self._costs.function("rcp" if reciprocal else "div", value.scalar)
        if op is Op.REM:
            return self._costs.function("fmod", value.scalar)
        if value.number in self._fusion.fused:
            return float_arithmetic(label, 2)
        if value.scalar is Scalar.BF16:  # before sm_90 a sum or a product is a multiply-add
            return self._costs.function(_BRAIN_NAMES[op], value.scalar)
        return float_arithmetic(label, 1)

    def more_for_zero(self, value: Value) -> Amounts:
        """What a division of floating-point numbers takes more where its numerator is zero: the subroutine's work."""
        name, scalar = _ZERO_DIVISION, value.scalar
        if value.op is not Op.DIV or scalar not in _CALLED_DIVISIONS or value.args[0].is_constant:
            return {}
        usual = self._costs.function("div", scalar)
        found = self._costs.function(name, scalar)
        return _beyond(usual, found)

    def more_for_pairs(self, value: Value) -> tuple[Amounts, float]:
        """What a division of 64-bit integers takes more where one is no word, and the share of those where nobody knows."""
        if value.op not in _DIVISIONS or value.scalar not in WIDE or value.args[1].is_constant:
            return {}, 0.0
        if value.op is Op.REM and self._has_quotient(value):
            return {}, 0.0
        name = "div" if value.op is Op.DIV else "rem"
        usual = self._costs.function(name, value.scalar)
        found = self._costs.function(name, value.scalar, is_unusual=True)
        is_long = any(map(is_mixed, value.args)) or is_product_of_data(value.args[0])
        return _beyond(usual, found), float(is_long)

    def _is_mergeable_root(self, value: Value) -> bool:
        """Whether a reciprocal of this value is a reciprocal square root."""
        is_root = value.op is Op.MATH and value.detail == "sqrt" and value.scalar is Scalar.F32
        return is_root and self._costs.merges_reciprocal_root

    def _negation_vanishes(self, value: Value) -> bool:
        """Whether the sign is an operand modifier of what uses the value, or of what computes its operand."""
        operand = value.args[0]
        takes_sign = operand.op in _ADDITIVE or (
            operand.op is Op.MUL and not self._parameters.negates_after_products
        )
        if takes_sign and len(self._uses(operand)) == 1:
            return True
        return all(_negates_freely(use) for use in self._uses(value))

    def _addition(self, value: Value) -> Amounts:
        if _is_bit_number(value):
            return {}
        words = self._words(value)
        return _integer(self._wide.sum(value) if words > 1.0 else words)

    def _words(self, value: Value) -> float:
        """Instructions of an operation that takes one for each word of its result that is used."""
        return 1.0 if value.number in self._low_words else words(value.scalar)

    def _multiplication(self, value: Value) -> float:
        return self._wide.product(value) if self._words(value) > 1.0 else 1.0

    def _division(self, value: Value, op: Op) -> Amounts:
        divisor = value.args[1]
        if divisor.is_constant and isinstance(divisor.constant, int) and divisor.constant:
            scalar = value.scalar
            if _stays_positive(value.args[0]):
                scalar = _UNSIGNED.get(scalar, scalar)
            whole = division_by_constant(op, scalar, divisor.constant, self._has_quotient(value))
            if scalar in WIDE and value.number in self._low_words and not _is_power(divisor):
                whole -= _HIGH_WORD_OF_REMAINDER if op is Op.REM else 1.0
            return _integer(whole + _of_narrow_remainder(op, value.args[0]))
        if op is Op.REM and self._has_quotient(value):
            # A sign change and a multiply-add.
            return _integer(4.0 if value.scalar in WIDE else 2.0)
        name = "div" if op is Op.DIV else "rem"
        if value.scalar in WIDE:
            return self._costs.function(name, value.scalar)
        found = dict(self._costs.function(name, value.scalar))
        of_divisor = _RECIPROCAL_OPS
        if value.scalar.is_signed:
            # The tables hold operands in registers.
            is_near = divisor.op in _IN_CONSTANT_MEMORY or is_constant_load(divisor)
            found[Quantity.INT_OP] = found.get(Quantity.INT_OP, 0.0) - (1.0 if is_near else 0.0)
            of_divisor += _MAGNITUDE_OPS - (2.0 if is_near else 0.0)
        key = (divisor.number, value.scalar)
        if key not in self._divisors:
            self._divisors.add(key)
            outer = self._outside(value, divisor)
            if outer is None:
                return found
            made = {q: found[q] for q in _OF_RECIPROCAL if q in found}
            self.moved.append((value, outer, {Quantity.INT_OP: of_divisor, **made}))
        # The reciprocal of the divisor is there already.
        found = {q: amount for q, amount in found.items() if q not in _OF_RECIPROCAL}
        found[Quantity.INT_OP] = max(found.get(Quantity.INT_OP, 0.0) - of_divisor, 1.0)
        return found

    def _outside(self, value: Value, divisor: Value) -> Context | None:
        """Where the reciprocal of a divisor is computed that a loop leaves alone.

        It moves in front of a loop that holds few quotients, and that does not keep this one for some iterations.
        """
        context, loop = value.context, value.context.loop
        if loop is None or divisor.context.depth >= loop.depth:
            return None
        many = self._quotients.get(id(loop), 0) > _HOISTED_QUOTIENTS * loop.copies
        if many or context.is_guarded_within(loop):
            return None
        return loop.preheader

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
        if value.number in self._parts:
            return _integer(self._parts[value.number])
        if any(fits_word(arg) for arg in value.args):
            if value.op is Op.AND and value.args[1].constant == _ALL_BITS:
                return {}  # the low word
            return _integer(1.0)  # the high word is that of the other operand, or zero
        return _integer(self._words(value))

    def _shift(self, value: Value) -> Amounts:
        if value.scalar not in WIDE:
            return _integer(1.0)
        if value.number in self._parts:
            return _integer(self._parts[value.number])
        amount = value.args[1]
        if value.op is Op.SHL and self._words(value) > 1.0 and scales_word(value):
            return _integer(self._wide.product(value))
        if not amount.is_constant:
            return _integer(self._words(value))
        moved = int(amount.constant or 0)
        if moved == WORD_BITS and not value.scalar.is_signed:
            return {}  # the other word of the register pair
        is_within = 0 <= moved < WORD_BITS
        if value.op is Op.SHL and is_within and fits_mask(value.args[0], _ALL_BITS >> moved):
            return _integer(1.0)
        return _integer(self._words(value) if moved < WORD_BITS else 1.0)

    def _negation(self, value: Value) -> Amounts:
        if all(use.op in _ADDITIVE for use in self._uses(value)):
            return {}
        return _integer(self._words(value))

    def _cast_of_byte(self, value: Value) -> Amounts:
        found = self._cast(value)
        place = self._vector_bytes.get(value.args[0].number)
        if place is None:
            return found
        more = extraction(value, place, self._uses(value))
        return {**found, Quantity.INT_OP: max(found.get(Quantity.INT_OP, 0.0), more)}

    def _cast(self, value: Value) -> Amounts:
        source, target = value.detail, value.scalar
        if not isinstance(source, Scalar):
            return {}
        if source.is_float or target.is_float:
            if source is Scalar.BOOL:
                return {Quantity.MOVES: 1.0}
            if target is Scalar.BOOL:
                return {Quantity.MOVES: 1.0}
            found = self._costs.function(f"to_{SCALAR_NAMES[target]}", source)
            is_stored = target in NARROW and self._is_only_stored(value)
            if is_stored or (source is Scalar.U8 and value.args[0].op is Op.LOAD):
                # A store takes the low part of a register, and a load clears the rest.
                return {
                    quantity: n for quantity, n in found.items() if quantity is not Quantity.INT_OP
                }
            return found
        if target is Scalar.BOOL:
            return _integer(words(source))
        if source is Scalar.BOOL:
            return {Quantity.MOVES: 1.0}
        if target.size_bytes > source.size_bytes:
            return _integer(1.0 if self._wide.needs_high_word(value) else 0.0)
        if target.size_bytes < 4 and target.size_bytes < source.size_bytes:
            return self._narrowing(value, target)
        return {}

    def _is_only_stored(self, value: Value) -> bool:
        """Whether a value goes to memory, possibly after a choice between it and others."""
        return all(
            use.op is Op.STORE or (use.op in {Op.SELECT, Pseudo.JOIN} and self._is_only_stored(use))
            for use in self._uses(value)
        )

    def _narrowing(self, value: Value, target: Scalar) -> Amounts:
        if self._is_only_stored(value) or is_kept_by(target, value.args[0]):
            return {}
        if target.is_signed:
            return {Quantity.MOVES: 1.0}
        return _integer(1.0)

    def _function(self, value: Value) -> Amounts:
        found = self._math(value)
        if value.args and all(arg.is_constant for arg in value.args):
            # What chooses by exponents and quadrants is decided at compile time; the polynomials stay.
            found = {
                quantity: n for quantity, n in found.items() if quantity is not Quantity.INT_OP
            }
        return found

    def _math(self, value: Value) -> Amounts:
        name = str(value.detail)
        scalar = value.scalar
        match name:
            case "min" | "max" | "fmin" | "fmax" if scalar.is_float:
                return {Quantity.MOVES: 1.0} if scalar is not Scalar.F64 else {Quantity.MOVES: 3.0}
            case "min" | "max":
                return _integer(3.0 if scalar in WIDE else 1.0)
            case "ffs" | "__ffs" if self._uses(value) and all(
                map(_is_bit_number, self._uses(value))
            ):
                # The number of the bit comes as such, and one is added to it for the function's result.
                found = self._costs.function(name, scalar)
                return {**found, Quantity.INT_OP: found.get(Quantity.INT_OP, 0.0) - 1.0}
            case "__byte_perm" if value.args[2].is_constant:
                return {Quantity.MOVES: 1.0}
            case _ if name == ROTATION:
                is_exchange = scalar in WIDE and value.args[2].constant == WORD_BITS
                return _integer(0.0 if is_exchange else self._words(value))
            case "abs" | "fabs" if scalar.is_float:
                if scalar in _ADDED_MAGNITUDES and not all(
                    map(_takes_magnitude, self._uses(value))
                ):
                    return float_arithmetic(scalar.label, 1)
                return {}
            case "fma" if scalar.is_float:
                return float_arithmetic(scalar.label, 2)
            case "sin" | "cos" if len(value.args) > 1:
                found = self._costs.function(name, scalar)
                return {key: found[key] - _REDUCTION.get(key, 0.0) for key in found}
            case "exp" if scalar is Scalar.F64:
                return self._exponential(value)
            case "sqrt" if self._is_mergeable_root(value) and all(
                _is_reciprocal(use) for use in self._uses(value)
            ):
                return {}  # the reciprocals are of the radicand
            case "pow" | "powf" if self._has_invariant_base(value):
                # The logarithm of the base is computed before the loop.
                found = self._costs.function(name, scalar)
                self._move_logarithm(value, found)
                return {quantity: _POWER_SHARE * amount for quantity, amount in found.items()}
            case _:
                return self._costs.function(name, scalar)

    def _exponential(self, value: Value) -> Amounts:
        """An exponential of a double: its constants are in registers from an earlier one in the same round of a loop."""
        found = dict(self._costs.function("exp", value.scalar))
        constants = max(found.get(Quantity.INT_OP, 0.0) - _EXPONENTIAL_OPS, 0.0)
        loop = value.context.loop
        above: Context | None = value.context
        while above is not None and above not in self._exponentials:
            above = above.parent
        if above is None or above.loop is not loop:
            self._exponentials.add(value.context)
            constants -= constants / (loop.copies if loop is not None else 1)
        found[Quantity.INT_OP] = found.get(Quantity.INT_OP, 0.0) - constants
        return found

    def _has_invariant_base(self, value: Value) -> bool:
        base = value.args[0]
        return not base.is_constant and base.context.depth < value.context.depth

    def _move_logarithm(self, power: Value, cost: Amounts) -> None:
        """Counts the logarithm of a base that loops leave alone, once in front of them."""
        base, loop = power.args[0], power.context.loop
        while loop is not None and loop.depth > base.context.depth + 1:
            loop = loop.outside.loop
        if loop is None or (base.number, loop.preheader) in self._logarithms:
            return
        self._logarithms.add((base.number, loop.preheader))
        share = {quantity: (1.0 - _POWER_SHARE) * amount for quantity, amount in cost.items()}
        self.moved.append((power, loop.preheader, share))


def _starts_remainder(loop: LoopFrame | None) -> bool:
    """Whether the loop over what is left starts at a sum of three, which takes the counter from an ordinary register.

    Of two copies no loop is left.
    """
    return loop is not None and loop.adds_thread_number and loop.batch > _TWO


_TWO = 2


def _quotients(live: list[Value]) -> dict[int, int]:
    """Quotients of words by numbers that only the run knows, by loop; the remainder goes with its quotient."""
    found: dict[int, set[tuple[int, int]]] = {}
    for value in live:
        divides = value.op in {Op.DIV, Op.REM} and not value.scalar.is_float
        if divides and value.context.loop is not None and not value.args[1].is_constant:
            key = (value.args[0].number, value.args[1].number)
            found.setdefault(id(value.context.loop), set()).add(key)
    return {loop: len(keys) for loop, keys in found.items()}


def _addressing(live: list[Value]) -> set[int]:
    """Uniform values that make up a uniform global address: an access takes its address from ordinary registers."""
    found: set[int] = set()
    pending = [
        value
        for value in live
        if value.op is Pseudo.ADDRESS
        and value.is_uniform
        and root_of(value.args[0]).kind is not RootKind.SLOT
    ]
    while pending:
        value = pending.pop()
        if value.number in found or value.op in _NO_ADDRESS_PART:
            continue
        found.add(value.number)
        pending.extend(value.args)
    return found


def _shrinks_counter(value: Value) -> bool:
    """Whether a loop variable is shifted to the right, or divided by a power of two."""
    is_shift = value.op is Op.SHR and value.args[0].op is Pseudo.PHI and value.args[1].is_constant
    return is_shift or _divides_counter(value)


def _is_power(divisor: Value) -> bool:
    magnitude = abs(int(divisor.constant or 0))
    return magnitude & (magnitude - 1) == 0


def _stays_positive(counter: Value) -> bool:
    """Whether a loop ends before its variable becomes negative: both compilers divide such a variable as an unsigned one."""
    if counter.op is not Pseudo.PHI or not counter.scalar.is_signed or len(counter.args) < 3:
        return False
    condition = counter.args[2]
    if condition.op not in {Op.LT, Op.LE} or condition.args[1] is not counter:
        return False
    least = condition.args[0].constant
    return isinstance(least, int) and least >= 0


def _tests_constant(use: Value) -> bool:
    return use.op in COMPARISONS and any(arg.is_constant for arg in use.args)


def _divides_counter(value: Value) -> bool:
    """Whether a loop variable is divided by a power of two."""
    if value.op is not Op.DIV:
        return False
    counter, divisor = value.args
    if counter.op is not Pseudo.PHI or not divisor.is_constant:
        return False
    number = divisor.constant
    return isinstance(number, int) and number > 1 and number & (number - 1) == 0


def _is_of_arguments(value: Value) -> bool:
    """Whether a value is made of kernel arguments and constants alone."""
    if not value.args:
        return value.op is Op.PARAM or value.is_constant
    return value.op in PURE and all(_is_of_arguments(arg) for arg in value.args)


_NO_ADDRESS_PART = frozenset({Pseudo.PHI, Pseudo.JOIN, Pseudo.EXIT, Pseudo.STREAM})


def _negates_freely(use: Value) -> bool:
    return use.op in {Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.MATH, *COMPARISONS}


def _takes_magnitude(use: Value) -> bool:
    """Whether an instruction has the absolute value as an operand modifier; what stores, passes on or chooses has not."""
    return use.op in {Op.CAST, Op.NEG} or _negates_freely(use)


_POINTER = 2.0
"""Operations that advance a pointer."""
_START = 4.0
"""Operations for where a pointer with a stride of 64 bits starts."""
_STARTS_OF_COPIES = 8.0
"""The same for those of all copies and of what they leave over."""
_ZERO_DIVISION = "div_of_zero"
_CALLED_DIVISIONS = frozenset({Scalar.F32, Scalar.F64})
"""Types whose division leaves unusual operands to a subroutine."""
_ADDED_MAGNITUDES = frozenset({Scalar.F32, Scalar.F64})
"""Types whose absolute value on its own is an addition of zero (SASS of both compilers on sm_86 and sm_90)."""


def _is_bit_number(value: Value) -> bool:
    """`__ffs(x) - 1`."""
    found, offset = value.args if value.op is Op.ADD else (None, None)
    if found is None or offset is None or found.op is not Op.MATH:
        return False
    return found.detail in {"ffs", "__ffs"} and _is_minus_one(offset)


def _is_minus_one(value: Value) -> bool:
    return value.is_constant and value.constant in {-1, _ALL_BITS}


def _is_reciprocal(value: Value) -> bool:
    return (
        value.op is Op.DIV
        and value.scalar.is_float
        and value.args[0].is_constant
        and value.args[0].constant == 1.0
    )


def _integer(count: float) -> Amounts:
    return {Quantity.INT_OP: count} if count else {}


def _is_chosen_by_threads(use: Value) -> bool:
    """Whether a choice that threads make for themselves is all that a value is for: they compute it under its condition."""
    return use.op in {Op.SELECT, Pseudo.JOIN} and not use.is_uniform


def _beyond(usual: Amounts, found: Amounts) -> Amounts:
    """What is found more than usual."""
    more = {quantity: n - usual.get(quantity, 0.0) for quantity, n in found.items()}
    return {quantity: n for quantity, n in more.items() if n}


def _of_narrow_remainder(op: Op, dividend: Value) -> float:
    """What the remainder of a byte or short word takes more: it is found in 16 bits, whose upper half is cleared."""
    is_narrow = dividend.op is Op.CAST and dividend.detail in UNSIGNED_PARTS
    return 3.0 if op is Op.REM and is_narrow else 0.0
