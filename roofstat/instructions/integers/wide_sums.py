"""Sums of 64 bits that are an index: where nothing else takes one, LLVM adds its terms to the pointer one by one.

So a row that all threads of a warp read is a pointer on the uniform datapath, and the word that is left takes one
multiply-add: `a[(size_t)y * n + x]` is `(a + y * n) + x`. What several arrays are indexed by stays a sum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.integers.arithmetic import PURE
from roofstat.instructions.integers.known_bits import fits_mask, low_bits
from roofstat.instructions.integers.widths import WIDE, is_word
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from roofstat.instructions.graph.values import Value
    from roofstat.program.code import Code, Instruction

_REPEATED = PURE | {Op.PARAM, Op.SPECIAL, Op.GLOBAL, Op.SLOT, Op.PTR_ADD, Op.MOV}
"""What makes the same of the same operands."""
_DEEPEST = 24
_LARGEST_FACTOR = 1 << 20


class WideSums:
    """The sums of 64 bits of one code, by the registers that hold them."""

    def __init__(
        self, code: Code, definitions: Mapping[int, Instruction], use_counts: Mapping[int, int]
    ) -> None:
        self._code = code
        self._definitions = definitions
        self._use_counts = use_counts
        self._sources = _sources(code)
        self._expressions: dict[tuple[object, ...], int] = {}
        """Numbers of expressions."""
        self._numbers: dict[int, int] = {}
        """Those of what registers hold."""
        self._pointers: dict[int, set[tuple[int, object]]] = {}
        """What is indexed by a sum, with the size of an element."""
        self._added: set[int] = set()
        """Registers that are terms of a sum."""
        for _, instruction in code.instructions():
            if instruction.op in {Op.ADD, Op.SUB} and instruction.scalar in WIDE:
                self._added.update(instruction.args)
            if instruction.op is not Op.PTR_ADD or instruction.scalar not in WIDE:
                continue
            register, _ = self._apart_from_constants(instruction.args[1])
            if self._sum(register) is not None:
                base, index = self._number(instruction.args[0]), self._number(register)
                self._pointers.setdefault(index, set()).add((base, instruction.detail))

    def is_term(self, register: int) -> bool:
        """Whether a sum takes what is in a register."""
        return register in self._added

    def terms(self, access: Instruction, is_joined: Callable[[int], bool]) -> list[int]:
        """Registers of the terms of an access's index that are added to its pointer one by one.

        Args:
            access: The instruction that makes the address.
            is_joined: Whether the sum in a register is none to LLVM, as its parts have no bits in common.
        """
        index, constants = self._apart_from_constants(access.args[1])
        if self._sum(index) is None or len(self._pointers.get(self._number(index), ())) > 1:
            return [index, *constants]
        return [*self._terms(index, is_joined), *constants]

    def _apart_from_constants(self, register: int) -> tuple[int, list[int]]:
        """What a constant is added to, and that: accesses take it, whatever else takes the sum."""
        constants: list[int] = []
        definition = self._definition(register)
        while definition is not None and definition.op is Op.ADD and definition.scalar in WIDE:
            first, second = definition.args
            if second not in self._code.constants or len(constants) == _DEEPEST:
                break
            register, definition = first, self._definition(first)
            constants.append(second)
        return register, constants

    def _terms(self, register: int, is_joined: Callable[[int], bool], depth: int = 0) -> list[int]:
        added = self._sum(register)
        if added is None or depth == _DEEPEST or is_joined(register):
            return [register]
        return [term for arg in added.args for term in self._terms(arg, is_joined, depth + 1)]

    def varies(self, register: int, assigned: frozenset[int]) -> bool:
        """Whether a register is computed from one of some variables."""
        pending, seen = [register], {register}
        while pending:
            each = pending.pop()
            if each in assigned:
                return True
            definition = self._definition(each)
            for arg in definition.args if definition is not None else ():
                if arg not in seen:
                    seen.add(arg)
                    pending.append(arg)
        return False

    def _definition(self, register: int) -> Instruction | None:
        return self._definitions.get(self._sources.get(register, register))

    def _sum(self, register: int) -> Instruction | None:
        """The sum in a register that nothing else takes."""
        if self._use_counts.get(register) != 1:
            return None
        found = self._definition(register)
        is_sum = found is not None and found.op is Op.ADD and found.scalar in WIDE
        return found if is_sum else None

    def _number(self, register: int, depth: int = 0) -> int:
        """Number of the expression of variables and loads in a register: the same for those that are computed once."""
        known = self._numbers.get(register)
        if known is None:
            expression = self._expression(register, depth)
            known = self._expressions.setdefault(expression, len(self._expressions))
            self._numbers[register] = known
        return known

    def _expression(self, register: int, depth: int) -> tuple[object, ...]:
        if register in self._code.constants:
            return "constant", self._code.constants[register]
        definition = self._definition(register)
        if definition is None or depth == _DEEPEST or definition.op not in _REPEATED:
            return "register", register
        parts = tuple(self._number(arg, depth + 1) for arg in definition.args)
        return definition.op, definition.scalar, definition.detail, *parts


def _sources(code: Code) -> dict[int, int]:
    """Temporaries that are all that a variable is ever set to."""
    found: dict[int, int] = {}
    several: set[int] = set()
    for _, instruction in code.instructions():
        if instruction.dest in code.variables:
            if instruction.dest in found or instruction.op is not Op.MOV:
                several.add(instruction.dest)
            found[instruction.dest] = instruction.args[0] if instruction.args else instruction.dest
    return {variable: source for variable, source in found.items() if variable not in several}


def joins_bits(first: Value, second: Value) -> bool:
    """Whether a sum of 64 bits only puts the bits of a small word behind those of a multiple: LLVM takes it for a bitwise or.

    So it does with `(size_t)e * 16 + (t & 15)`: the index is no sum any more whose parts it could add to a pointer.
    """
    return _fills_zeros(first, second) or _fills_zeros(second, first)


def _fills_zeros(multiple: Value, small: Value) -> bool:
    word = small.args[0] if small.op is Op.CAST and is_word(small) else small
    masks = ((1 << bits) - 1 for bits in range(1, _LARGEST_FACTOR.bit_length()))
    mask = next((mask for mask in masks if fits_mask(word, mask)), None)
    return mask is not None and not small.is_constant and low_bits(multiple, mask, {}) == 0


def scaled_word(index: Value) -> tuple[Value, int]:
    """An index as a widened word and a constant that multiplies it: the address takes both in one multiply-add."""
    if index.op not in {Op.MUL, Op.SHL} or not index.args[1].is_constant:
        return index, 1
    word, number = index.args[0], int(index.args[1].constant or 0)
    factor = number if index.op is Op.MUL else 1 << number
    if word.is_constant or not is_word(word) or not 0 < factor < _LARGEST_FACTOR:
        return index, 1
    return word, factor
