"""Equal addresses in straight-line code: local value numbering and linear forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.program.code import BINARY_ARITHMETIC, Op, ParameterPiece, Space

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roofstat.program.builder import Builder
    from roofstat.program.code import Instruction

Terms = frozenset[tuple[int, int]]
"""(value number, factor) pairs of a sum."""

SLOT_ALIGN_BYTES = 16
"""Compilers place shared arrays at multiples of this."""

_EXPRESSIONS = frozenset(
    {
        *BINARY_ARITHMETIC,
        Op.NEG,
        Op.BIT_NOT,
        Op.CAST,
        Op.BITCAST,
        Op.PTR_ADD,
        Op.SLOT,
        Op.GLOBAL,
        Op.PARAM,
        Op.SPECIAL,
    }
)
"""Operations whose result is equal wherever their operands are."""

_TRANSPARENT = frozenset({Op.PTR_ADD, Op.MOV, Op.BITCAST, Op.CAST})
_WRAPPING = frozenset({Scalar.U8, Scalar.U16, Scalar.U32})
"""Sums of these may wrap around before they are widened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linear:
    """``sum(factor * value) + constant``."""

    terms: Terms
    constant: int

    def times(self, factor: int) -> Linear:
        """The product with a number."""
        return Linear(
            terms=frozenset((number, each * factor) for number, each in self.terms if factor),
            constant=self.constant * factor,
        )

    def plus(self, other: Linear, sign: int = 1) -> Linear:
        """The sum, or the difference."""
        total = dict(self.terms)
        for number, factor in other.terms:
            total[number] = total.get(number, 0) + sign * factor
        return Linear(
            terms=frozenset((number, factor) for number, factor in total.items() if factor),
            constant=self.constant + sign * other.constant,
        )


class Numbering:
    """Value numbers within one straight run of instructions."""

    def __init__(self, builder: Builder, definitions: dict[int, Instruction]) -> None:
        self._builder = builder
        self._definitions = definitions
        self._numbers: dict[object, int] = {}
        self._linear: dict[int, Linear] = {}
        self._of_register: dict[int, int] = {}

    def forget(self, variables: Iterable[int]) -> None:
        """The variables were written in a way that is not followed."""
        for variable in variables:
            self._of_register[variable] = self._fresh()

    def define(self, item: Instruction) -> None:
        """Follow one instruction of the run."""
        if item.dest < 0:
            return
        if item.op is Op.MOV:
            self._of_register[item.dest] = self.number(item.args[0])
        elif item.dest in self._builder.variables:
            self._of_register[item.dest] = self._fresh()
        elif item.dest not in self._of_register:
            self._of_register[item.dest] = self._expression(item)

    def number(self, register: int) -> int:
        """The value number of a register here."""
        known = self._of_register.get(register)
        if known is not None:
            return known
        if register in self._builder.constants:
            value = self._builder.constants[register]
            found = self._intern(("constant", value))
            if isinstance(value, int):  # infinities and their kin are no part of an address
                self._linear[found] = Linear(terms=frozenset(), constant=int(value))
        elif register in self._builder.variables:
            found = self._fresh()
        else:
            definition = self._definitions.get(register)
            stable = definition is not None and self._is_stable(definition)
            found = self._expression(definition) if stable and definition else self._fresh()
        self._of_register[register] = found
        return found

    def linear(self, register: int) -> Linear:
        """An address or index as a sum."""
        return self._form(self.number(register))

    def _form(self, number: int) -> Linear:
        return self._linear.get(number) or Linear(terms=frozenset({(number, 1)}), constant=0)

    def _is_stable(self, item: Instruction) -> bool:
        """Whether an instruction before the run would give the same here: it reads no variable."""
        variables, constants = self._builder.variables, self._builder.constants
        return item.op in _EXPRESSIONS and all(
            arg in constants or arg not in variables for arg in item.args
        )

    def _fresh(self) -> int:
        return self._intern(object())

    def _intern(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _expression(self, item: Instruction) -> int:
        if item.op not in _EXPRESSIONS:
            return self._fresh()
        numbers = tuple(self.number(arg) for arg in item.args)
        form = self._sum(item, numbers)
        if form is not None:
            found = self._intern((form.terms, form.constant))
            if len(form.terms) == 1 and form.constant == 0:
                ((number, factor),) = form.terms
                if factor == 1:
                    return number
            self._linear[found] = form
            return found
        key = (item.op, item.scalar, item.detail, numbers)
        return self._intern(key)

    def _sum(self, item: Instruction, numbers: tuple[int, ...]) -> Linear | None:
        """The linear form of an operation; None where it has none."""
        if item.op is Op.PTR_ADD and isinstance(item.detail, int):
            return self._form(numbers[0]).plus(self._form(numbers[1]).times(item.detail))
        if not item.scalar.is_integer:
            return None
        if item.op is Op.CAST:
            source = item.detail
            wraps = source in _WRAPPING and item.scalar.size_bytes > 4
            return None if wraps or not _widens(source, item.scalar) else self._form(numbers[0])
        if item.op in (Op.ADD, Op.SUB):
            sign = 1 if item.op is Op.ADD else -1
            return self._form(numbers[0]).plus(self._form(numbers[1]), sign)
        if item.op in (Op.MUL, Op.SHL):
            return self._product(item, numbers)
        return None

    def _product(self, item: Instruction, numbers: tuple[int, ...]) -> Linear | None:
        forms = [self._form(number) for number in numbers]
        constants = [form.constant if not form.terms else None for form in forms]
        if item.op is Op.SHL:
            shift = constants[1]
            return forms[0].times(1 << shift) if shift is not None and 0 <= shift < 63 else None
        for factor, other in ((constants[1], forms[0]), (constants[0], forms[1])):
            if factor is not None:
                return other.times(factor)
        return None


def _widens(source: object, target: Scalar) -> bool:
    return (
        isinstance(source, Scalar)
        and source.is_integer
        and source is not Scalar.BOOL
        and source.size_bytes <= target.size_bytes
    )


class Roots:
    """Which object the address in a register points into, as the code says it."""

    def __init__(self, builder: Builder, writers: dict[int, list[Instruction]]) -> None:
        self._builder = builder
        self._writers = writers
        self._known: dict[int, Instruction | None] = {}

    def root(self, register: int) -> Instruction | None:
        """The PARAM, SLOT or GLOBAL instruction behind an address; None where there is not one."""
        if register not in self._known:
            found = self._follow(register, set())
            self._known[register] = found.pop() if len(found) == 1 else None
        return self._known[register]

    def _follow(self, register: int, seen: set[int]) -> set[Instruction | None]:
        if register in seen:
            return set()
        seen.add(register)
        found: set[Instruction | None] = set()
        for writer in self._writers.get(register, ()):
            if writer.op in (Op.PARAM, Op.SLOT, Op.GLOBAL):
                found.add(writer)
            elif writer.op in _TRANSPARENT and writer.args:
                found |= self._follow(writer.args[0], seen)
            else:
                found.add(None)
        return found or {None}

    def slot_space(self, root: Instruction | None) -> Space | None:
        """The space of the slot that a root names."""
        if root is None or root.op is not Op.SLOT or not isinstance(root.detail, int):
            return None
        return self._builder.slots[root.detail].space

    def are_distinct(self, one: Instruction | None, two: Instruction | None) -> bool:
        """Whether the two objects cannot overlap."""
        if one is None or two is None or _same_object(one, two):
            return False
        if Op.SLOT in (one.op, two.op) or (one.op is Op.GLOBAL and two.op is Op.GLOBAL):
            return True
        return any(
            isinstance(root.detail, ParameterPiece) and root.detail.is_restrict
            for root in (one, two)
        )


def _same_object(one: Instruction, two: Instruction) -> bool:
    return one.op is two.op and one.detail == two.detail
