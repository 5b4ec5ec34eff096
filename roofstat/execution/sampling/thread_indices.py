"""What registers take from the indices of threads and blocks, and what parameters these are compared with."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.program.code import Op, ParameterPiece, SpecialRegister
from roofstat.program.slices import copied_once

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roofstat.program.code import Code, Instruction

Dim3 = tuple[int, int, int]

AXES = {
    SpecialRegister.TID_X: 0,
    SpecialRegister.TID_Y: 1,
    SpecialRegister.TID_Z: 2,
    SpecialRegister.CTAID_X: 0,
    SpecialRegister.CTAID_Y: 1,
    SpecialRegister.CTAID_Z: 2,
}
SIZES = {
    SpecialRegister.NTID_X: SpecialRegister.TID_X,
    SpecialRegister.NTID_Y: SpecialRegister.TID_Y,
    SpecialRegister.NTID_Z: SpecialRegister.TID_Z,
    SpecialRegister.NCTAID_X: SpecialRegister.CTAID_X,
    SpecialRegister.NCTAID_Y: SpecialRegister.CTAID_Y,
    SpecialRegister.NCTAID_Z: SpecialRegister.CTAID_Z,
}
_OPAQUE = frozenset({Op.LOAD, Op.ATOMIC, Op.CALL, Op.TEXTURE})
"""What these give is not computed from their operands."""
THREADS = frozenset({SpecialRegister.TID_X, SpecialRegister.TID_Y, SpecialRegister.TID_Z})
BLOCK_AXES = (SpecialRegister.CTAID_X, SpecialRegister.CTAID_Y, SpecialRegister.CTAID_Z)
BLOCKS = frozenset(BLOCK_AXES)
_BLOCK_COUNTS = frozenset(
    {SpecialRegister.NCTAID_X, SpecialRegister.NCTAID_Y, SpecialRegister.NCTAID_Z}
)
ALONG_X = frozenset({SpecialRegister.TID_X, SpecialRegister.CTAID_X})
_PARTS = frozenset({Op.DIV, Op.REM, Op.SHR, Op.AND})
_MOST_BITS = 62.0
"""Shifts by numbers that are far beyond a word (they may hold anything) overflow nothing here."""
_LARGEST = 1e30
"""Products end there: those of many hash factors are no indices, and none may become infinite."""
_PRODUCTS = frozenset({"__mul24", "__umul24", "mul24", "umul24"})


@dataclass(frozen=True, slots=True)
class ThreadIndex:
    """What a register takes from the thread and block indices.

    Attributes:
        last: Largest value in a launch; None where that is not known.
        axes: The indices that it is computed from.
        divisors: Parameters that it is a quotient or remainder by.
        has_pitch: Whether some of it is a multiple of a number that is not known, such as the width of a row.
        step: Distance of its values: the block that starts there, or the thread, has so many elements.
        advances: Whether a loop adds to it.
    """

    last: float | None = None
    axes: frozenset[SpecialRegister] = frozenset()
    divisors: frozenset[int] = frozenset()
    has_pitch: bool = False
    step: float = 1.0
    advances: bool = False

    @property
    def extent(self) -> float:
        """Elements from 0 to the end of the last step."""
        return 1.0 if self.last is None else max(self.last + self.step, 1.0)


_OTHER = ThreadIndex()


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound that grows with parameters: so many times their product, but for a few elements and what is taken off.

    Attributes:
        parameters: A parameter is there as often as it is a factor.
        scale: What their product is multiplied by.
        less: Parameters of which multiples are taken off (of a product: off its factors), each with its factor:
            ``last - first``, ``n - 2 * halo``.
    """

    parameters: tuple[int, ...]
    scale: float
    less: tuple[tuple[int, float], ...] = ()

    def of_extent(self, extent: float, known: Mapping[int, float]) -> float:
        """What the product of the parameters is where the bound is the extent of an index."""
        less = self.less if len(self.parameters) == 1 else ()
        off = sum(factor * known.get(number, 0.0) for number, factor in less)
        return (extent + off) / self.scale


def operator_of(item: Instruction) -> Op:
    """What an instruction computes: products of numbers of 24 bits are calls, and products all the same."""
    return Op.MUL if item.op is Op.MATH and item.detail in _PRODUCTS else item.op


def part_number(index: int, offset_bytes: int) -> int:
    """The number of a part of a parameter: that of the parameter itself for what stands first in it."""
    return index | offset_bytes << 16


def bound_of(register: int, definitions: dict[int, list[Instruction]], code: Code) -> Bound | None:
    """What a register is of parameters; None where it is anything else than a multiple or part of a product of them."""
    scale = 1.0
    less: list[tuple[int, float]] = []
    for _ in range(8):
        found = definitions.get(register, [])
        if len(found) != 1:
            return None
        item = found[0]
        if item.op is Op.PARAM and isinstance(item.detail, ParameterPiece):
            own = part_number(item.detail.index, item.detail.offset_bytes)
            return Bound((own,), scale, tuple(less))
        if item.op in _OPAQUE or not item.args:
            return None
        op = operator_of(item)
        numbers = [code.constants.get(argument) for argument in item.args]
        if op is Op.MUL and numbers == [None, None]:
            sides = [bound_of(argument, definitions, code) for argument in item.args]
            if sides[0] is None or sides[1] is None:
                return None
            return Bound(
                sides[0].parameters + sides[1].parameters,
                scale * sides[0].scale * sides[1].scale,
                sides[0].less + sides[1].less,
            )
        if item.op is Op.SUB and numbers == [None, None] and scale == 1.0:
            taken = bound_of(item.args[1], definitions, code)
            if taken is None or len(taken.parameters) != 1 or taken.less:
                return None
            less.append((taken.parameters[0], taken.scale))
            register = item.args[0]
            continue
        if op in (Op.MUL, Op.ADD) and numbers[0] is not None:  # 2 * n
            register, numbers = item.args[1], numbers[::-1]
        else:
            register = item.args[0]
        by = numbers[1] if len(numbers) > 1 else None
        if item.op not in (Op.MOV, Op.CAST):
            factor = None if by is None else _factor(op, by)
            if factor is None:
                return None
            scale *= factor
    return None


def is_number_of_blocks(register: int, definitions: dict[int, list[Instruction]]) -> bool:
    """Whether a register holds the number of blocks along an axis."""
    found = definitions.get(register, [])
    while len(found) == 1 and found[0].op in (Op.MOV, Op.CAST):
        found = definitions.get(found[0].args[0], [])
    return len(found) == 1 and found[0].op is Op.SPECIAL and found[0].detail in _BLOCK_COUNTS


def steps_of(definitions: dict[int, list[Instruction]], code: Code) -> dict[int, int]:
    """Variable -> what a loop adds to it each time, where that is a number."""
    steps = {
        register: _step_among(found, definitions, code)
        for register, found in definitions.items()
        if len(found) > 1
    }
    return {register: step for register, step in steps.items() if step is not None}


def _step_among(
    writers: list[Instruction], definitions: dict[int, list[Instruction]], code: Code
) -> int | None:
    for item in writers:
        sums = definitions.get(item.args[0], []) if item.op is Op.MOV and item.args else []
        while len(sums) == 1 and sums[0].op is Op.CAST:
            sums = definitions.get(sums[0].args[0], [])
        if len(sums) == 1 and sums[0].op is Op.ADD:
            step = code.constants.get(sums[0].args[1])
            if step is not None:
                return int(step)
    return None


def variable_of(register: int, definitions: dict[int, list[Instruction]]) -> int:
    """The variable that a register is a copy of; -1 where it is computed otherwise."""
    for _ in range(8):
        found = definitions.get(register, [])
        if len(found) > 1:
            return register
        if not found or found[0].op not in (Op.MOV, Op.CAST):
            break
        register = found[0].args[0]
    return -1


def _factor(op: Op, by: float) -> float | None:
    """What an operation with a number multiplies a large operand by; None where it is not in proportion."""
    match op:
        case Op.ADD | Op.SUB:
            return 1.0
        case Op.MUL if by > 0:
            return float(by)
        case Op.DIV if by > 0:
            return 1.0 / by
        case Op.SHL if by >= 0:
            return math.pow(2.0, by)
        case Op.SHR if by >= 0:
            return math.pow(0.5, by)
        case _:
            return None


class ThreadIndices:
    """What registers take from the indices of one launch; each is looked at once."""

    def __init__(
        self,
        code: Code,
        definitions: dict[int, list[Instruction]],
        grid: Dim3,
        block: Dim3,
        known: Mapping[int, float] | None = None,
    ) -> None:
        self._code = code
        self._definitions = definitions
        self._sizes = {
            axis: float((block if axis.value.startswith("thread") else grid)[number])
            for axis, number in AXES.items()
        }
        self._arguments = known or {}
        self._known: dict[int, ThreadIndex] = {}

    def of(self, register: int) -> ThreadIndex:
        """The index that a register holds first; what loops add to it is left out."""
        order = self._operands_first(register)
        for _ in range(2):  # again for what depends on a variable of a loop
            for current in order:
                if current not in self._known:
                    self._find(current)
        return self._known.setdefault(register, _OTHER)

    def _find(self, register: int) -> None:
        if register in self._code.constants:
            number = float(self._code.constants[register])
            self._known[register] = ThreadIndex(number) if math.isfinite(number) else _OTHER
            return
        found = [
            self._written(item)
            for item in self._definitions.get(register, ())
            if item.op in _OPAQUE or all(argument in self._known for argument in item.args)
        ]
        if found:
            widest = max(found, key=lambda index: (len(index.axes), index.extent))
            advances = widest.advances or self._is_carried(register)
            self._known[register] = replace(widest, advances=advances)

    def _is_carried(self, register: int) -> bool:
        """Whether a variable is computed from its own former value."""
        if len(self._definitions.get(register, ())) < 2:
            return False
        seen: set[int] = set()
        stack = [register]
        while stack:
            for item in self._definitions.get(stack.pop(), ()):
                if item.op in _OPAQUE:
                    continue
                if register in item.args:
                    return True
                stack.extend(set(item.args) - seen)
                seen.update(item.args)
        return False

    def _operands_first(self, register: int) -> list[int]:
        """Registers that one is computed from, operands before results, without those looked at before."""
        order: list[int] = []
        seen: set[int] = set()
        stack = [(register, False)]
        while stack:
            current, is_done = stack.pop()
            if is_done:
                order.append(current)
            elif current not in seen and current not in self._known:
                seen.add(current)
                stack.append((current, True))
                for item in self._definitions.get(current, ()):
                    if item.op not in _OPAQUE:
                        stack.extend((argument, False) for argument in item.args)
        return order

    def _written(self, item: Instruction) -> ThreadIndex:
        if item.op is Op.SPECIAL and isinstance(item.detail, SpecialRegister):
            if item.detail in AXES:
                return ThreadIndex(self._sizes[item.detail] - 1.0, frozenset({item.detail}))
            return ThreadIndex(self._sizes[SIZES[item.detail]] if item.detail in SIZES else None)
        if item.op is Op.PARAM and isinstance(item.detail, ParameterPiece):
            number = part_number(item.detail.index, item.detail.offset_bytes)
            return ThreadIndex(self._arguments.get(number))
        if item.op in _OPAQUE or not item.args:
            return _OTHER
        operands = [self._known[argument] for argument in item.args]
        op = operator_of(item)
        if op is Op.PTR_ADD and self._is_in_same_units(item):
            op = Op.ADD
        if op is Op.SHL:  # i << 2 is 4 * i
            by = operands[1].last
            factor = None if by is None else 2.0 ** min(by, _MOST_BITS)
            op, operands[1] = Op.MUL, replace(operands[1], last=factor)
        if item.op in _PARTS and not operands[1].axes:
            is_number = None not in (operands[0].last, operands[1].last)  # (blockDim.x + 31) / 32
            if operands[0].axes or is_number:
                return self._part(item, operands[0], operands[1].last)
        last, by = _last(op, operands), self._taken_off(item) if op is Op.SUB else None
        if last is not None:
            last = min(last, _LARGEST if by is None else by - 1.0)
        return ThreadIndex(
            last=last,
            axes=frozenset[SpecialRegister]().union(*(index.axes for index in operands)),
            divisors=frozenset[int]().union(*(index.divisors for index in operands)),
            has_pitch=any(index.has_pitch for index in operands)
            or (op is Op.MUL and any(index.last is None for index in operands)),
            step=min(_step(op, operands), _LARGEST),
            advances=any(index.advances for index in operands),
        )

    def _is_in_same_units(self, item: Instruction) -> bool:
        """Whether an address goes on from another one in steps of as many bytes."""
        found = self._definitions.get(copied_once(self._definitions, item.args[0]), ())
        return len(found) == 1 and (found[0].op, found[0].detail) == (Op.PTR_ADD, item.detail)

    def _taken_off(self, item: Instruction) -> float | None:
        """The divisor of a remainder: ``i - i / n * n``; None for other differences."""
        product = self._known[item.args[1]].last
        stack, seen = [item.args[1]], set[int]()
        while product and stack:
            found = self._definitions.get(stack.pop(), ())
            if len(found) != 1 or found[0].dest in seen:
                continue
            seen.add(found[0].dest)
            if found[0].op is Op.DIV:
                quotient, by = self._known.get(found[0].dest), self._known.get(found[0].args[1])
                if quotient is not None and by is not None and quotient.last and by.last:
                    return by.last if quotient.axes and quotient.last * by.last == product else None
            elif found[0].op in (Op.MUL, Op.CAST, Op.MOV):
                stack.extend(found[0].args)
        return None

    def _part(self, item: Instruction, index: ThreadIndex, by: float | None) -> ThreadIndex:
        """A quotient or remainder: by a number it ends earlier, by parameters it shares the extent with them."""
        if by is None or by < 1 or index.last is None:
            divisor = bound_of(item.args[1], self._definitions, self._code)
            if divisor is None or divisor.scale != 1.0 or not item.scalar.is_integer:
                return index  # x * (w / v) scales to another width
            return replace(index, divisors=index.divisors.union(divisor.parameters))
        match item.op:
            case Op.DIV:
                last = index.last // by
            case Op.SHR:
                last = index.last // 2.0 ** min(by, _MOST_BITS)
            case Op.REM:
                last = min(index.last, by - 1.0)
            case _:
                last = min(index.last, by)
        return replace(index, last=last, step=1.0)


def _step(op: Op, operands: list[ThreadIndex]) -> float:
    steps = [index.step for index in operands if index.axes and index.step]  # 0 of what is left out
    factors = [index.last for index in operands if not index.axes and index.last is not None]
    return min(steps, default=1.0) * (math.prod(factors) if op is Op.MUL and steps else 1.0)


def _last(op: Op, operands: list[ThreadIndex]) -> float | None:
    """The largest value of a result; rows and columns with a pitch that is not known between them lie side by side."""
    known = [index.last for index in operands if index.last is not None]
    if not known:
        return None
    indices = [index for index in operands if index.axes]
    match op:
        case Op.MUL:
            return math.prod(known)
        case Op.ADD if len(indices) > 1 and any(index.has_pitch for index in indices):
            return math.prod(index.extent for index in indices) - 1.0
        case Op.ADD:
            return sum(known)
        case Op.SUB if operands[0].last is not None:
            return operands[0].last
        case _:
            return max(known)
