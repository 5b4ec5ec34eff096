"""Walks instructions: pure operations get value numbers, memory accesses are forwarded or kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.hardware.units import WARP_SIZE
from roofstat.instructions.addressing.ranges import counted_bound, upper_bound
from roofstat.instructions.graph.details import LoadDetail
from roofstat.instructions.graph.memory_state import LoopWrites, Place, Root, RootKind, root_of
from roofstat.instructions.graph.values import Pseudo, Value, split_pointer
from roofstat.instructions.integers.arithmetic import PURE
from roofstat.instructions.integers.polynomials import lowest_bit, plus, polynomial
from roofstat.instructions.integers.wide_sums import joins_bits, scaled_word
from roofstat.instructions.integers.widths import WIDE
from roofstat.instructions.walk_state import WalkState
from roofstat.program.code import (
    Instruction,
    LibraryCall,
    MemoryAccess,
    Op,
    SpecialRegister,
    TensorOperation,
)
from roofstat.program.openmp.runtime_calls import RuntimeCall

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofstat.instructions.graph.values import Context
    from roofstat.instructions.loops.loop_facts import LoopFacts

_LEAVES = frozenset({Op.SLOT, Op.GLOBAL, Op.PARAM, Op.SPECIAL, Op.STRING, Op.FUNCTION})
_KNOWN_WRITES = frozenset({Op.STORE, Op.ATOMIC, Op.COPY, Op.ZERO, Op.TENSOR})
"""Effects that say what they write to; calls may write to the locals whose address they get."""
_REASSOCIATED = frozenset({Op.ADD, Op.MUL})
_SUMS_AND_REST = frozenset({Op.ADD, Op.SUB, Op.REM})
_MOST_LEAVES = 12
_NOT_MOVED = frozenset({Op.DIV, Op.REM, Op.MATH, Op.CAST})
"""Operations that stay under their condition, as they may fail, take long, or are part of an address."""
_OF_WORDS = frozenset({RootKind.SLOT, RootKind.GLOBAL})
"""Shared, private and constant memory, where addresses are words."""


class InstructionWalk(WalkState):
    """The part of a walk that handles single instructions."""

    def _instruction(self, instruction: Instruction) -> None:
        op = instruction.op
        if op is Op.MOV:
            value = self._value(instruction.args[0])
            if instruction.dest in self._code.variables:
                self._environment[instruction.dest] = value
            else:
                self._temporaries[instruction.dest] = value
            return
        args = tuple(self._value(argument) for argument in instruction.args)
        start = self._start_of_unrolled(instruction, args)
        if start is None:
            self._computed(instruction, args)
            return
        numberer = self._numberer
        here = numberer.context, numberer.segment
        numberer.context, numberer.segment = start
        self._computed(instruction, args)
        numberer.context, numberer.segment = here

    def _computed(self, instruction: Instruction, args: tuple[Value, ...]) -> None:
        op = instruction.op
        if op in _REASSOCIATED and instruction.scalar.is_integer:
            if op is Op.MUL and self._unrolled_variables and self._parameters.keeps_shared_sums:
                self._note_whole_sum(instruction)
            self._numberer.products.is_factored = instruction.dest in self._factored
            result = self._reassociated(instruction, args)
            self._numberer.products.is_factored = False
            if op is Op.MUL and self._numberer.is_multiple_of_sum(result):
                result.polynomial = {(result.number,): 1}
            self._note_sum(instruction, result)
            self._note_product(instruction, result)
            result = self._joined(result)
        elif op in PURE:
            detail = instruction.detail
            if op is Op.CAST and self._widens_unsigned(instruction, args[0]):
                detail = Scalar.U32
                args = (self._numberer.pure(Op.CAST, Scalar.U32, args, Scalar.I32),)
            result = self._numberer.pure(op, instruction.scalar, args, detail)
            if op is Op.SHL:
                self._numberer.note_shift(result)
            if self._widens_term(instruction) and result.op is Op.CAST:
                result = self._addresses.closed(result)
            if result.op in {Op.DIV, Op.REM} and result.site < 0:
                result.site = instruction.site
        elif op is Op.SPECIAL and args:
            result = self._numberer.numbered(op, instruction.scalar, args, instruction.detail)
        elif op in _LEAVES:
            result = self._leaf(instruction)
        elif op is Op.PTR_ADD:
            result = self._indexed(instruction, args)
        elif op is Op.LOAD:
            result = self._load(instruction, args[0])
        elif op is Op.STORE:
            self._store(instruction, args[0], args[1])
            return
        else:
            result = self._effect(instruction, args)
        if instruction.dest >= 0:
            self._temporaries[instruction.dest] = result

    def _start_of_unrolled(
        self, instruction: Instruction, args: tuple[Value, ...]
    ) -> tuple[Context, int] | None:
        """Where an operation goes that an unrolled loop leaves alone: compilers move it in front of that before they unroll."""
        op = instruction.op
        is_word = op in PURE - _NOT_MOVED and not instruction.scalar.is_float
        if not (self._parameters.moves_before_unrolling and self._unrolled_starts):
            return None
        if op is not Op.PTR_ADD and not is_word:
            return None
        here = self._numberer.context
        for start, changed in zip(self._unrolled_starts, self._unrolled_variables, strict=True):
            context, _ = start
            if context.loop is not here.loop or context is here:
                continue
            is_there = all(arg.context.level <= context.level for arg in args)
            if is_there and not any(self._is_made_of(arg, changed) for arg in instruction.args):
                return start
        return None

    def _indexed(self, instruction: Instruction, args: tuple[Value, ...]) -> Value:
        """An address; of a sum that nothing else takes, what changes least and what is no widened word is added first."""
        scale = int(instruction.detail)  # type: ignore[call-overload]
        pointer, index = args
        sums = self._wide_sums
        if sums is None or instruction.scalar not in WIDE or root_of(pointer).kind in _OF_WORDS:
            return self._addresses.pointer_add(
                pointer,
                index,
                instruction.scalar,
                scale,
                is_in_array=self._is_array(instruction.args[0]),
                register=instruction.dest if self._atomic_addresses else -1,
                is_atomic=instruction.dest in self._atomic_addresses,
            )
        terms = sums.terms(instruction, lambda term: self._value(term).op is Op.OR)
        found = [index]
        if len(terms) > 1:
            assigned = frozenset().union(*self._unrolled_variables)
            late = {term: sums.varies(term, assigned) for term in terms}
            terms.sort(key=lambda term: self._order(term, is_late=late[term]))
            found = [self._value(term) for term in terms]
        for term in found:
            word, factor = scaled_word(term)
            pointer = self._addresses.pointer_add(pointer, word, word.scalar, scale * factor)
        return pointer

    def _is_array(self, register: int) -> bool:
        """Whether a register holds an array of the code, or a row of one, for one access: pointers to arrays serve several."""
        definition = self._definitions.get(register)
        if definition is None or self._use_counts[register] > 1:
            return False
        if definition.op is Op.PTR_ADD:
            return self._is_array(definition.args[0])
        return definition.op in {Op.SLOT, Op.GLOBAL}

    def _order(self, term: int, *, is_late: bool) -> tuple[bool, int, bool]:
        value = self._value(term)
        return is_late, self._numberer.natural_depth((value,)), value.op is Op.CAST

    def _widens_unsigned(self, instruction: Instruction, word: Value) -> bool:
        """Whether clang knows that a signed word is not negative, and so extends it by zeros."""
        if instruction.scalar not in WIDE or instruction.detail is not Scalar.I32:
            return False
        if not self._parameters.adds_terms_to_pointers or word.is_constant:
            return False
        return upper_bound(word, set(), knows_launches=False) is not None

    def _widens_term(self, instruction: Instruction) -> bool:
        """Whether an instruction widens a word that a sum of 64 bits takes."""
        sums = self._wide_sums
        if sums is None or instruction.op is not Op.CAST or instruction.scalar not in WIDE:
            return False
        return instruction.detail is Scalar.I32 and sums.is_term(instruction.dest)

    def _note_sum(self, instruction: Instruction, result: Value) -> None:
        """Notes a sum of a word and a constant that keeps both apart from what else is added."""
        if (
            result.op is not Op.ADD
            or result.scalar is not Scalar.I32
            or not result.args[1].is_constant
        ):
            return
        word = result.args[0]
        firm = self._use_counts.get(instruction.dest, 0) - self._constant_tests.get(
            instruction.dest, 0
        )
        if self._unrolled_variables and firm > 1:
            self._numberer.shared_sums.add(result.number)
        inner = next((r for r in instruction.args if self._value(r) is word), None)
        # The columns of a collapsed nest are what rows leave of its counter.
        is_sum = (word.args[0] if word.op is Op.CAST else word).op in _SUMS_AND_REST
        if inner is not None and (not is_sum or self._use_counts[inner] > 1):
            self._numberer.plain_sums.add(result.number)

    def _note_whole_sum(self, product: Instruction) -> None:
        """Notes a sum that an unrolled loop leaves alone, of which each copy takes a multiple."""
        changed = self._unrolled_variables[-1]
        for register, other in (product.args, product.args[::-1]):
            total = self._value(register)
            is_sum = total.op is Op.ADD and total.args[1].is_constant
            if is_sum and not self._is_made_of(register, changed):
                if self._is_made_of(other, changed):
                    self._numberer.note_whole_sum(total)
                return

    def _is_made_of(self, register: int, variables: frozenset[int]) -> bool:
        """Whether a register is computed from one of some variables."""
        pending, seen = [register], {register}
        while pending:
            each = pending.pop()
            if each in variables:
                return True
            definition = self._definitions.get(each)
            fresh = [
                arg for arg in (() if definition is None else definition.args) if arg not in seen
            ]
            seen.update(fresh)
            pending.extend(fresh)
        return False

    def _note_product(self, instruction: Instruction, result: Value) -> None:
        """Notes a multiple of a sum with a multiple, both by powers of two, which are shifts before loops are unrolled."""
        if result.op is not Op.ADD or not self._is_shift(instruction):
            return
        added = self._definitions.get(instruction.args[0])
        if added is None or added.op is not Op.ADD or self._use_counts[instruction.args[0]] > 1:
            return
        parts = [self._definitions.get(arg) for arg in added.args if self._use_counts[arg] == 1]
        if any(part is not None and self._is_shift(part) for part in parts):
            self._numberer.note_shifted_apart(result.args[0])

    def _joined(self, total: Value) -> Value:
        """A sum of 64 bits as what clang makes of it; it stays a sum to what finds pointers that advance."""
        is_sum = total.op is Op.ADD and total.scalar in WIDE and self._wide_sums is not None
        if not is_sum or not joins_bits(*total.args):
            return total
        joined = self._numberer.pure(Op.OR, total.scalar, tuple(total.args), None)
        joined.polynomial = polynomial(total)
        return joined

    def _is_shift(self, instruction: Instruction) -> bool:
        """Whether it is a product by a power of two."""
        if instruction.op is not Op.MUL:
            return False
        factor = self._code.constants.get(instruction.args[1])
        return isinstance(factor, int) and factor > 0 and factor & factor - 1 == 0

    def _reassociated(self, instruction: Instruction, args: tuple[Value, ...]) -> Value:
        """A sum or product with its operands in order: of arguments alone, then as they came into being, constants.

        So what several expressions have in common is computed once: of `k * m + (j + 1) * n + i` and
        `k * m + (j + 2) * n + i` it is `i + k * m`. What is used more than once is not taken apart.
        """
        numberer = self._numberer
        op, scalar = instruction.op, instruction.scalar
        leaves: list[Value] = []
        operands: list[list[Value]] = []
        for register, value in zip(instruction.args, args, strict=True):
            parts = self._parts.get((op, register)) if self._use_counts[register] == 1 else None
            if parts is None or parts[0] is not value or value.scalar is not scalar:
                operands.append([value])
            else:
                operands.append(parts[1])
            leaves.extend(operands[-1])
        stays = self._parameters.loses_inner_constants and any(x.is_constant for x in leaves)
        if stays or len(leaves) <= len(args) or len(leaves) > _MOST_LEAVES:
            result = numberer.pure(op, scalar, args, instruction.detail)
        else:
            leaves.sort(
                key=lambda leaf: (leaf.is_constant, not self._is_argument(leaf), leaf.number)
            )
            result = leaves[0]
            for leaf in leaves[1:]:
                result = numberer.pure(op, scalar, (result, leaf), instruction.detail)
        if op is Op.ADD and self._parameters.tests_offsets:
            inner = self._buried_counter(args, operands)
            if inner is not None:
                numberer.reordered[result.number] = inner
        if instruction.dest not in self._code.variables:
            self._parts[op, instruction.dest] = (result, leaves)
        return result

    def _buried_counter(self, args: tuple[Value, ...], operands: list[list[Value]]) -> int | None:
        """Number of a sum of what changes in a loop and something else to which another term is added: clang sorts those."""
        numberer = self._numberer
        depth = len(numberer.frames)
        terms = [[leaf for leaf in leaves if not leaf.is_constant] for leaves in operands]
        moving = [[leaf for leaf in leaves if leaf.context.depth == depth] for leaves in terms]
        if not depth or not all(terms) or sum(map(len, moving)) != 1:
            return None
        place = next(i for i, found in enumerate(moving) if found)
        inner = args[place]
        if len(terms[place]) == 1 or self._is_joined(args):
            return None
        total = plus(*(polynomial(arg) for arg in args))
        is_bounded = counted_bound(total, numberer.values, numberer.frames) is not None
        return None if is_bounded else inner.number

    def _is_joined(self, parts: Sequence[Value]) -> bool:
        """Whether two words have no bits in common, as one counts to less than the lowest bit of the other: a bitwise or."""
        first, second = map(polynomial, parts)
        for multiple, small in ((first, second), (second, first)):
            bound = counted_bound(small, self._numberer.values, self._numberer.frames)
            if bound is not None and multiple and bound < lowest_bit(multiple):
                return True
        return False

    def _is_argument(self, value: Value) -> bool:
        """Whether a value is made of kernel arguments and constants alone."""
        known = self._arguments.get(value.number)
        if known is None:
            known = (
                value.op is Op.PARAM
                or value.is_constant
                or (value.op in PURE and all(self._is_argument(arg) for arg in value.args))
            )
            self._arguments[value.number] = known
        return known

    def _leaf(self, instruction: Instruction) -> Value:
        is_warp_size = instruction.detail is SpecialRegister.WARP_SIZE
        if is_warp_size and not self._parameters.reads_warp_size:
            return self._numberer.constant(instruction.scalar, WARP_SIZE)
        value = self._numberer.leaf(instruction.op, instruction.scalar, instruction.detail)
        value.site = instruction.site
        return value

    def _place(self, instruction: Instruction, address: Value) -> tuple[Place, Value]:
        access = instruction.detail
        assert isinstance(access, MemoryAccess)
        root_value, offset = split_pointer(address)
        place = Place(
            root_of(root_value),
            root_value.number,
            offset + access.offset_bytes,
            instruction.scalar,
        )
        return place, root_value

    def _load(self, instruction: Instruction, address: Value) -> Value:
        chosen = self._load_of_choice(instruction, address)
        if chosen is not None:
            return chosen
        place, pointer = self._place(instruction, address)
        access = instruction.detail
        assert isinstance(access, MemoryAccess)
        if not access.is_volatile and access.bit_width is None:
            known = self._element_of_table(place, pointer) or self._memory.lookup(place)
            if known is not None:
                return known
        detail = LoadDetail(access, place.offset_bytes, place.root)
        value = self._numberer.fresh(Op.LOAD, instruction.scalar, [pointer], detail)
        value.site = instruction.site
        if access.is_volatile:
            self._effects.append(value)
            self._marks += 1
            return value
        blocked = [
            frame.writes is None or frame.writes.may_change(place)
            for frame in self._numberer.frames
        ]
        value.context = self._numberer.hoisted([pointer], blocked)
        if access.bit_width is None:
            self._memory.remember(place, value)
        return value

    def _element_of_table(self, place: Place, pointer: Value) -> Value | None:
        """The element of a constant array at a constant index."""
        table = self._code.tables.get(str(pointer.detail)) if pointer.op is Op.GLOBAL else None
        number = None if table is None else table.at(place.offset_bytes, place.scalar)
        return None if number is None else self._numberer.constant(place.scalar, number)

    def _load_of_choice(self, instruction: Instruction, address: Value) -> Value | None:
        """A load through one of two pointers to locals (`min` of references) chooses between their values."""
        chosen = self._choice_of_locals(address)
        if chosen is None:
            return None
        condition, *pointers = chosen
        first, second = (self._load(instruction, pointer) for pointer in pointers)
        choice = (condition, first, second)
        return self._numberer.pure(Op.SELECT, instruction.scalar, choice, None)

    def _choice_of_locals(self, address: Value) -> tuple[Value, Value, Value] | None:
        """Condition, and the pointers to locals that it chooses from, where an address is such a choice."""
        pointer, offset = split_pointer(address)
        if pointer.op is Op.SELECT:
            condition, first, second = pointer.args
        elif pointer.op is Pseudo.JOIN and pointer.detail == 2:
            first, second, condition = pointer.args[:3]
        else:
            return None
        if not all(self._points_to_locals(choice) for choice in (first, second)):
            return None
        moved = (self._addresses.moved_pointer(choice, offset) for choice in (first, second))
        return (condition, *moved)  # type: ignore[return-value]

    def _points_to_locals(self, pointer: Value) -> bool:
        root = root_of(pointer)
        if root.kind is RootKind.SLOT:
            return root.identity in self._private
        return self._choice_of_locals(pointer) is not None

    def _store(self, instruction: Instruction, address: Value, stored: Value) -> None:
        chosen = self._choice_of_locals(address)
        if chosen is not None:
            # Each of the two gets the new value or keeps its own.
            condition, first, second = chosen
            kept = [self._load(instruction, pointer) for pointer in (first, second)]
            pure, scalar = self._numberer.pure, instruction.scalar
            new_first = pure(Op.SELECT, scalar, (condition, stored, kept[0]), None)
            new_second = pure(Op.SELECT, scalar, (condition, kept[1], stored), None)
            self._store(instruction, first, new_first)
            self._store(instruction, second, new_second)
            return
        place, pointer = self._place(instruction, address)
        access = instruction.detail
        assert isinstance(access, MemoryAccess)
        self._memory.store(place)
        detail = LoadDetail(access, place.offset_bytes, place.root)
        effect = self._numberer.fresh(Op.STORE, instruction.scalar, [pointer, stored], detail)
        effect.site = instruction.site
        self._note_effect(effect)
        if not access.is_volatile and access.bit_width is None:
            self._memory.remember(place, stored)

    def _note_effect(self, effect: Value) -> None:
        self._effects.append(effect)
        self._marks += 1
        self._numberer.begins_arm &= self._chooses_stored

    def _effect(self, instruction: Instruction, args: tuple[Value, ...]) -> Value:
        numberer = self._numberer
        if instruction.op is Op.ATOMIC:
            args = (split_pointer(args[0])[0], *args[1:])
        value = numberer.fresh(instruction.op, instruction.scalar, list(args), instruction.detail)
        value.site = instruction.site
        self._note_effect(value)
        match instruction.op:
            case Op.COPY | Op.ZERO | Op.ATOMIC:
                pointer, _ = split_pointer(args[0])
                self._memory.store_anywhere(root_of(pointer))
            case Op.TENSOR:
                written = _written_by_tensor(instruction)
                if written is not None:
                    pointer, _ = split_pointer(args[written])
                    self._memory.store_anywhere(root_of(pointer))
            case Op.BARRIER if instruction.detail != "fence":
                self._memory.forget_shared(self._private)
            case Op.CALL | Op.CALL_POINTER:
                self._memory.forget_shared(self._private)
                self._forget_handed(instruction)
                self._notes.append(("call", instruction))
            case Op.LIBRARY if _calls(instruction, *_LOOKUPS):
                # A load of what only a barrier lets change.
                changing = [
                    frame.writes is None or frame.writes.is_everything for frame in numberer.frames
                ]
                value.context = numberer.hoisted([], changing)
            case Op.LIBRARY | Op.ASM:
                self._forget_handed(instruction)
                if _calls(instruction, RuntimeCall.ROUND_SIGNED):
                    numberer.frames[-1].has_wide_counter = True
            case Op.UNKNOWN:
                self._notes.append(("unknown", instruction))
            case _:
                pass
        return value

    def _forget_handed(self, instruction: Instruction) -> None:
        """What a call gets the address of may change."""
        for register in instruction.args:
            for root in self._points_to.roots(register):
                if root.kind is RootKind.SLOT:
                    self._memory.store_anywhere(root)

    def _writes(self, facts: LoopFacts) -> LoopWrites:
        targets: list[tuple[Root, Scalar | None]] = []
        everything = facts.has_barrier
        for instruction in facts.instructions:
            written: tuple[int, ...] = ()
            match instruction.op:
                case Op.STORE | Op.ATOMIC | Op.COPY | Op.ZERO:
                    written = instruction.args[:1]
                case Op.TENSOR:
                    operand = _written_by_tensor(instruction)
                    written = () if operand is None else (instruction.args[operand],)
                case Op.CALL | Op.CALL_POINTER:
                    everything = True
                    written = instruction.args
                case Op.LIBRARY | Op.ASM:
                    written = instruction.args
                case _:
                    pass
            scalar = instruction.scalar if instruction.op is Op.STORE else None
            handed = instruction.op not in _KNOWN_WRITES
            for register in written:
                targets.extend(
                    (root, scalar)
                    for root in self._roots_before(register, facts)
                    if not handed or root.kind is RootKind.SLOT
                )
        if facts.has_barrier:
            targets.extend(
                (Root(RootKind.SLOT, n), None)
                for n in range(len(self._code.slots))
                if n not in self._private
            )
        return LoopWrites(
            tuple(dict.fromkeys(targets)),
            everything,
            self._parameters.type_based_aliasing,
            self._points_to.exposed,
        )

    def _roots_before(self, register: int, facts: LoopFacts) -> frozenset[Root]:
        """The objects behind an address, before the loop that may compute it is walked."""
        if register not in facts.assigned:
            known = self._environment.get(register)
            if known is not None:
                return frozenset({root_of(known)})
        return self._points_to.roots(register)

    def _is_register(self, value: Value) -> bool:
        """Whether an access goes to a local that will be in registers."""
        detail = value.detail
        if not isinstance(detail, LoadDetail) or value.args[0].op is not Op.SLOT:
            return False
        return detail.root.identity in self._private


_LOOKUPS = (RuntimeCall.THREAD_NUMBER, RuntimeCall.THREAD_COUNT)
"""They only read the state of the team."""


def _calls(instruction: Instruction, *names: str) -> bool:
    """Whether an instruction is work of the device run time with one of these names."""
    detail = instruction.detail
    return isinstance(detail, LibraryCall) and detail.name.startswith(names)


def _written_by_tensor(instruction: Instruction) -> int | None:
    """Which operand of a matrix operation is the address of what it writes: a tile in memory, or a fragment."""
    operation = instruction.detail
    if not isinstance(operation, TensorOperation):
        return None
    if operation.kind == "store":
        return 0
    return len(instruction.args) - operation.fragments if operation.fragments else None
