"""What a kernel's parameters are compared with: how large those are that nothing states."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.known_arithmetic import COMPARISONS
from roofstat.program.code import Op, ParameterPiece, SpecialRegister, blocks, loops, writers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roofstat.program.code import Code, Instruction

Dim3 = tuple[int, int, int]

DEFAULT_EXTENT = 1024
"""Value of an integer argument that bounds neither a thread index nor a loop of one thread: a pitch, say."""
DEFAULT_COUNT = 32
"""Value of an integer argument that bounds a loop of one thread: features, neighbours, orders and the like."""

QUOTIENT = -1
"""Instead of a parameter: the number of parts that an index is divided into."""

_AXES = {
    SpecialRegister.TID_X: 0,
    SpecialRegister.TID_Y: 1,
    SpecialRegister.TID_Z: 2,
    SpecialRegister.CTAID_X: 0,
    SpecialRegister.CTAID_Y: 1,
    SpecialRegister.CTAID_Z: 2,
}
_SIZES = {
    SpecialRegister.NTID_X: SpecialRegister.TID_X,
    SpecialRegister.NTID_Y: SpecialRegister.TID_Y,
    SpecialRegister.NTID_Z: SpecialRegister.TID_Z,
    SpecialRegister.NCTAID_X: SpecialRegister.CTAID_X,
    SpecialRegister.NCTAID_Y: SpecialRegister.CTAID_Y,
    SpecialRegister.NCTAID_Z: SpecialRegister.CTAID_Z,
}
_OPAQUE = frozenset({Op.LOAD, Op.ATOMIC, Op.CALL, Op.TEXTURE})
"""What these give is not computed from their operands."""


@dataclass(frozen=True, slots=True)
class _Index:
    """What a register takes from the thread and block indices.

    Attributes:
        last: Largest value in a launch; None where that is not known.
        axes: The indices that it is computed from.
        divisors: Parameters that it is a quotient or remainder by.
        has_pitch: Whether some of it is a multiple of a number that is not known, such as the width of a row.
        step: Distance of its values: the block that starts there, or the thread, has so many elements.
    """

    last: float | None = None
    axes: frozenset[SpecialRegister] = frozenset()
    divisors: frozenset[int] = frozenset()
    has_pitch: bool = False
    step: float = 1.0

    @property
    def extent(self) -> float:
        """Elements from 0 to the end of the last step."""
        return 1.0 if self.last is None else max(self.last + self.step, 1.0)


_OTHER = _Index()
_PARTS = frozenset({Op.DIV, Op.REM, Op.SHR, Op.AND})


@dataclass(frozen=True, slots=True)
class _Bound:
    """A bound that grows with parameters: so many times their product, but for a few elements."""

    parameters: tuple[int, ...]
    scale: float


@dataclass(frozen=True, slots=True)
class SizeBounds:
    """Comparisons of a kernel that tell sizes.

    Attributes:
        compared: What bounds thread indices, and the registers with these indices.
        counts: Parameters that end a loop which each thread runs on its own.
    """

    code: Code
    definitions: dict[int, list[Instruction]]
    compared: tuple[tuple[_Bound, int], ...]
    counts: frozenset[int]

    def products(
        self, grid: Dim3, block: Dim3, known: Mapping[int, float]
    ) -> list[tuple[tuple[int, ...], float]]:
        """Parameters the product of which is the extent of an index in a launch, and that extent.

        A parameter is there as often as it is a factor. Bounds of several parts of one index (quotients and remainders by
        parameters) are such a product, too; so is a divisor with the quotient, which `QUOTIENT` stands for.
        """
        indices = _Indices(self.code, self.definitions, grid, block, known)
        products: dict[tuple[int, ...], float] = {}

        def add(members: Iterable[int], extent: float) -> None:
            key = tuple(sorted(members))
            products[key] = max(extent, products.get(key, 1.0))

        parts: defaultdict[frozenset[SpecialRegister], set[int]] = defaultdict(set)
        largest: defaultdict[frozenset[SpecialRegister], float] = defaultdict(float)
        for bound, register in self.compared:
            index = indices.of(register)
            # No more than the threads along its dimensions: of several elements for each thread nothing is known.
            dimensions = {_AXES[axis] for axis in index.axes}
            extent = min(index.extent, math.prod(grid[i] * block[i] for i in dimensions))
            if not index.divisors:
                add(bound.parameters, extent / bound.scale)
            elif bound.scale == 1.0:  # of a part of a part nothing is known
                parts[index.axes].update(bound.parameters)
                largest[index.axes] = max(extent, largest[index.axes])
                for divisor in index.divisors.difference(bound.parameters):
                    add((divisor, QUOTIENT), extent)
        for axes, bounds in parts.items():
            add(bounds if len(bounds) > 1 else (*bounds, QUOTIENT), largest[axes])
        return list(products.items())

    def extents(
        self, grid: Dim3, block: Dim3, known: Mapping[int, float] | None = None
    ) -> dict[int, int]:
        """Values of the parameters that bound thread indices: what the known ones leave of a product, in equal factors."""
        stated = known or {}
        values: dict[int, int] = {}
        for members, extent in self.products(grid, block, stated):
            for parameter in {*members} - {QUOTIENT}:
                others = [stated.get(other) for other in members if other != parameter]
                rest = extent / max(math.prod(size for size in others if size), 1)
                unknown = members.count(parameter) + others.count(None)
                factor = max(round(rest ** (1 / unknown)), 1)
                values[parameter] = max(values.get(parameter, 0), factor)
        return values

    def default(self, parameter: int) -> int:
        """Value of a parameter that no thread index is compared with."""
        return DEFAULT_COUNT if parameter in self.counts else DEFAULT_EXTENT


def part_number(index: int, offset_bytes: int) -> int:
    """The number of a part of a parameter: that of the parameter itself for what stands first in it."""
    return index | offset_bytes << 16


def size_bounds(code: Code) -> SizeBounds:
    """What the parameters of a kernel are compared with."""
    definitions = writers(code.body)
    conditions = {
        item.dest
        for loop, _ in loops(code.body)
        for block in blocks(loop.condition)
        for item in block.instructions
    }
    indices = _Indices(code, definitions, (1, 1, 1), (1, 1, 1))
    compared: list[tuple[_Bound, int]] = []
    counts: set[int] = set()
    for _, item in code.instructions():
        if item.op not in COMPARISONS:
            continue
        for register, index in (item.args, item.args[::-1]):
            bound = _bound(register, definitions, code)
            if bound is None:
                continue
            if indices.of(index).axes:
                compared.append((bound, index))
            elif bound.scale == 1.0 and item.dest in conditions:
                counts.update(bound.parameters)
    return SizeBounds(code, definitions, tuple(compared), frozenset(counts))


def _bound(register: int, definitions: dict[int, list[Instruction]], code: Code) -> _Bound | None:
    """What a register is of parameters; None where it is anything else than a multiple or part of a product of them."""
    scale = 1.0
    for _ in range(8):
        found = definitions.get(register, [])
        if len(found) != 1:
            return None
        item = found[0]
        if item.op is Op.PARAM and isinstance(item.detail, ParameterPiece):
            return _Bound((part_number(item.detail.index, item.detail.offset_bytes),), scale)
        if item.op in _OPAQUE or not item.args:
            return None
        numbers = [code.constants.get(argument) for argument in item.args]
        if item.op is Op.MUL and numbers == [None, None]:
            sides = [_bound(argument, definitions, code) for argument in item.args]
            if sides[0] is None or sides[1] is None:
                return None
            return _Bound(
                sides[0].parameters + sides[1].parameters, scale * sides[0].scale * sides[1].scale
            )
        if item.op in (Op.MUL, Op.ADD) and numbers[0] is not None:  # 2 * n
            register, numbers = item.args[1], numbers[::-1]
        else:
            register = item.args[0]
        by = numbers[1] if len(numbers) > 1 else None
        if item.op not in (Op.MOV, Op.CAST):
            factor = None if by is None else _factor(item.op, by)
            if factor is None:
                return None
            scale *= factor
    return None


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


class _Indices:
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
            for axis, number in _AXES.items()
        }
        self._arguments = known or {}
        self._known: dict[int, _Index] = {}

    def of(self, register: int) -> _Index:
        """The index that a register holds first; what loops add to it is left out."""
        order = self._operands_first(register)
        for _ in range(2):  # again for what depends on a variable of a loop
            for current in order:
                if current not in self._known:
                    self._find(current)
        return self._known.setdefault(register, _OTHER)

    def _find(self, register: int) -> None:
        if register in self._code.constants:
            self._known[register] = _Index(float(self._code.constants[register]))
            return
        found = [
            self._written(item)
            for item in self._definitions.get(register, ())
            if item.op in _OPAQUE or all(argument in self._known for argument in item.args)
        ]
        if found:
            self._known[register] = max(found, key=lambda index: (len(index.axes), index.extent))

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

    def _written(self, item: Instruction) -> _Index:
        if item.op is Op.SPECIAL and isinstance(item.detail, SpecialRegister):
            if item.detail in _AXES:
                return _Index(self._sizes[item.detail] - 1.0, frozenset({item.detail}))
            return _Index(self._sizes[_SIZES[item.detail]] if item.detail in _SIZES else None)
        if item.op is Op.PARAM and isinstance(item.detail, ParameterPiece):
            number = part_number(item.detail.index, item.detail.offset_bytes)
            return _Index(self._arguments.get(number))
        if item.op in _OPAQUE or not item.args:
            return _OTHER
        operands = [self._known[argument] for argument in item.args]
        if item.op in _PARTS and operands[0].axes and not operands[1].axes:
            return self._part(item, operands[0], operands[1].last)
        return _Index(
            last=_last(item.op, operands),
            axes=frozenset[SpecialRegister]().union(*(index.axes for index in operands)),
            divisors=frozenset[int]().union(*(index.divisors for index in operands)),
            has_pitch=any(index.has_pitch for index in operands)
            or (item.op is Op.MUL and any(index.last is None for index in operands)),
            step=_step(item.op, operands),
        )

    def _part(self, item: Instruction, index: _Index, by: float | None) -> _Index:
        """A quotient or remainder: by a number it ends earlier, by parameters it shares the extent with them."""
        if by is None or by < 1 or index.last is None:
            divisor = _bound(item.args[1], self._definitions, self._code)
            if divisor is None or divisor.scale != 1.0:
                return index
            return replace(index, divisors=index.divisors.union(divisor.parameters))
        match item.op:
            case Op.DIV:
                last = index.last // by
            case Op.SHR:
                last = index.last // 2.0**by
            case Op.REM:
                last = min(index.last, by - 1.0)
            case _:
                last = min(index.last, by)
        return replace(index, last=last, step=1.0)


def _step(op: Op, operands: list[_Index]) -> float:
    steps = [index.step for index in operands if index.axes]
    factors = [index.last for index in operands if not index.axes and index.last is not None]
    return min(steps, default=1.0) * (math.prod(factors) if op is Op.MUL and steps else 1.0)


def _last(op: Op, operands: list[_Index]) -> float | None:
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
