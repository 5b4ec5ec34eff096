"""How large nvcc takes a loop for before it unrolls anything: operations of its own representation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.program.code import Block, If, Loop, Op, Switch, children
from roofstat.program.comparisons import ORDERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roofstat.program.builder import Builder
    from roofstat.program.code import Instruction, Region
    from roofstat.program.invariant_values import InvariantValues

_NOTHING = frozenset(
    {Op.MOV, Op.SLOT, Op.GLOBAL, Op.PARAM, Op.SPECIAL, Op.STRING, Op.BITCAST, Op.NOT}
)
_PURE = frozenset({Op.CAST, Op.PTR_ADD, Op.ADD, Op.SUB, Op.MUL, Op.SHL, Op.SHR, Op.AND})
"""What is computed once however often an index says it."""
_LARGE = {
    **dict.fromkeys(("sin", "cos", "tan", "sincos", "pow", "lgamma", "tgamma"), 105.0),
    **dict.fromkeys(("log", "log2", "log10", "log1p", "expm1", "atan2", "acos", "asin"), 27.0),
    **dict.fromkeys(("exp", "exp2", "exp10", "tanh", "atan", "cbrt", "erf", "hypot"), 15.0),
}
"""Functions of the library, inlined; found by how many products fit beside one of them (PTX of nvcc 13.0)."""
_DOUBLE = 3.0
"""How much more those of doubles take."""
_JUMP = 1.0
_WORD_BYTES = 4
_MOST_UNROLLED = 400.0
"""Up to here a loop of known length vanishes before the loop around it is looked at."""


class LoopSizes:
    """Sizes of a loop, what it does not change left out."""

    def __init__(
        self,
        builder: Builder,
        values: InvariantValues,
        written: Mapping[int, Sequence[Instruction]],
    ) -> None:
        self._builder = builder
        self._values = values
        self._written = written
        self._seen: set[object] = set()
        self._held: dict[int, object] = {}
        """What registers hold: temporaries the variable that they were copied from, variables what was written last."""
        self.has_inner_loop = False
        """Whether a loop inside of what was sized is left."""

    def of(self, loop: Loop) -> float:
        """The size of a loop."""
        return _JUMP + sum(map(self._size, children(loop)))

    def _size(self, regions: Sequence[Region]) -> float:
        total = 0.0
        for region in regions:
            match region:
                case Block():
                    total += sum(map(self._instruction, region.instructions))
                case If() | Switch():
                    total += _JUMP + sum(map(self._size, children(region)))
                case Loop():
                    total += self._loop(region)
                case _:
                    total += sum(map(self._size, children(region)))
        return total

    def _loop(self, loop: Loop) -> float:
        around, self._seen = self._seen, set()
        once = self.of(loop)
        self._seen = around
        counted = counted_loop(loop, self._builder, self._written)
        if counted is not None and once * counted.trips <= _MOST_UNROLLED:
            return once * counted.trips
        self.has_inner_loop = True
        return once + _JUMP

    def _instruction(self, item: Instruction) -> float:
        if item.dest >= 0 and self._values.number(item.dest) is not None:
            return 0.0
        if item.op in _NOTHING:
            if item.op is Op.MOV:
                copied = item.dest not in self._builder.variables
                held = self._held.get(item.args[0], item.args[0])
                self._held[item.dest] = held if copied else ("written", item.site)
            return 0.0
        args = tuple(self._held.get(arg, arg) for arg in item.args)
        size = self._index(item, args)
        if item.op in _PURE:
            key = item.op, item.scalar, item.detail, args
            if key in self._seen:
                return size
            self._seen.add(key)
        match item.op:
            case Op.CAST:
                return size + _of_conversion(item)
            case Op.MATH:
                return size + _of_function(item)
            case _:
                return size + 1.0

    def _index(self, item: Instruction, args: tuple[object, ...]) -> float:
        """The widening of a word that an address takes."""
        if item.op is not Op.PTR_ADD or item.scalar.size_bytes > _WORD_BYTES:
            return 0.0
        index = args[1]
        key = Op.PTR_ADD, index
        if item.args[1] in self._builder.constants or key in self._seen:
            return 0.0
        self._seen.add(key)
        return 1.0


def _of_conversion(item: Instruction) -> float:
    source, target = item.detail, item.scalar
    if not isinstance(source, Scalar) or source.is_float is not target.is_float:
        return 1.0
    return float(source.size_bytes != target.size_bytes)


def _of_function(item: Instruction) -> float:
    name = str(item.detail)
    short = name.removesuffix("f")
    large = _LARGE.get(name, _LARGE.get(short, 1.0))
    return large * _DOUBLE if large > 1.0 and item.scalar is Scalar.F64 else large


@dataclass(frozen=True, slots=True)
class CountedLoop:
    """A loop that counts from one constant to another in constant steps."""

    counter: int
    """Variable that it counts with."""
    trips: int


def counted_loop(
    loop: Loop, builder: Builder, written: Mapping[int, Sequence[Instruction]]
) -> CountedLoop | None:
    """What a loop counts with, and how far; None for loops whose length the code does not show."""
    test = _only(written, loop.condition_register)
    if test is None or test.op not in ORDERS or not loop.tests_before:
        return None
    counter = _copied(written, test.args[0], builder)
    bound = builder.constants.get(test.args[1])
    starts: set[int | float | bool] = set()
    steps: set[int | None] = set()
    for move in written.get(counter, ()):
        if move.args[0] in builder.constants:
            starts.add(builder.constants[move.args[0]])
        else:
            steps.add(_step(_only(written, move.args[0]), counter, written, builder))
    if bound is None or len(starts) != 1 or len(steps) != 1:
        return None
    step = steps.pop()
    if not step:
        return None
    is_closed = test.op in {Op.LE, Op.GE}
    far = int(bound) - int(starts.pop()) + (is_closed if step > 0 else -is_closed)
    return CountedLoop(counter, max(-(-far // step), 0))


def _step(
    item: Instruction | None,
    counter: int,
    written: Mapping[int, Sequence[Instruction]],
    builder: Builder,
) -> int | None:
    if item is None or item.op not in {Op.ADD, Op.SUB}:
        return None
    by = builder.constants.get(item.args[1])
    if not isinstance(by, int) or _copied(written, item.args[0], builder) != counter:
        return None
    return -by if item.op is Op.SUB else by


def _only(written: Mapping[int, Sequence[Instruction]], register: int | None) -> Instruction | None:
    found = () if register is None else written.get(register, ())
    return found[0] if len(found) == 1 else None


def _copied(written: Mapping[int, Sequence[Instruction]], register: int, builder: Builder) -> int:
    while register not in builder.variables:
        item = _only(written, register)
        if item is None or item.op is not Op.MOV:
            break
        register = item.args[0]
    return register
