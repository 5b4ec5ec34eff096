"""An estimate of registers per thread, for occupancy: the most that values need which are alive at once."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.hardware.units import WARP_SIZE
from roofstat.instructions.graph.details import LoadDetail
from roofstat.instructions.graph.memory_state import Root, RootKind, root_of, roots_may_alias
from roofstat.instructions.graph.values import Pseudo
from roofstat.instructions.loops.sizes import ir_size
from roofstat.program.code import Op, Space
from roofstat.program.comparisons import COMPARISONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofstat.instructions.graph.liveness import LiveGraph
    from roofstat.instructions.graph.values import LoopFrame, Value
    from roofstat.program.code import Code

BASE_REGISTERS = 7
"""Stack pointer, and what moves and address pairs need besides the values."""
FREE_REGISTERS = 32
"""So many cost no occupancy: loads are issued early until they take them."""
MAX_REGISTERS = 255
REGISTER_FILE = 65_536
"""32-bit registers of an SM, in all architectures that nvcc still compiles for."""
ALLOCATED_TOGETHER = 8
"""Registers of a thread are given out in multiples of this."""

_NO_REGISTER = frozenset(
    {
        Pseudo.CONSTANT,
        Pseudo.UNDEFINED,
        Pseudo.BRANCH,
        Pseudo.OFFSET,
        Pseudo.SETUP,
        Pseudo.ROUND,
        Pseudo.REMAINING,
        Op.PARAM,
        Op.SLOT,
        Op.GLOBAL,
        Op.STORE,
        Op.BARRIER,
        Op.STRING,
        Op.FUNCTION,
    }
)
_PREDICATES = COMPARISONS | {Op.NOT}
_AWAITED = frozenset({Op.LOAD, Op.TEXTURE, Op.ATOMIC})
_ORDERED = frozenset({Op.BARRIER, Op.CALL, Op.CALL_POINTER, Op.ASM, Op.TENSOR, Op.ATOMIC})
_ADDRESSES = frozenset({Pseudo.ADDRESS, Pseudo.STREAM})


def registers_per_thread(graph: LiveGraph, code: Code, limit: int | None) -> int:
    """The largest number of 32-bit registers alive at once, plus a base.

    Args:
        graph: live values in order of creation.
        code: what they come from; its launch bounds limit the registers.
        limit: `-maxrregcount`; None for the hardware's 255.

    Returns:
        Registers of one thread.
    """
    in_memory = in_local_memory(graph)
    written = Intervals(graph.live, in_memory, code).peak()
    early = Intervals(_loads_first(graph.live, graph.exposed), in_memory, code).peak()
    wanted = BASE_REGISTERS + max(written, min(early, FREE_REGISTERS - BASE_REGISTERS))
    return min(wanted, most_registers(code, limit))


def in_local_memory(graph: LiveGraph) -> frozenset[int]:
    """Private slots that no registers are needed for."""
    return graph.local_slots | graph.constant_tables


def most_registers(code: Code, limit: int | None) -> int:
    """Registers that a thread of a kernel can have."""
    return min(limit or MAX_REGISTERS, _launch_bounds_limit(code))


def _launch_bounds_limit(code: Code) -> int:
    """Registers that leave room for the blocks which `__launch_bounds__` promises."""
    if code.max_threads_per_block is None:
        return MAX_REGISTERS
    warps = -(-code.max_threads_per_block // WARP_SIZE) * (code.min_blocks_per_sm or 1)
    per_thread = REGISTER_FILE // (warps * WARP_SIZE)
    return max(min(per_thread - per_thread % ALLOCATED_TOGETHER, MAX_REGISTERS), ALLOCATED_TOGETHER)


class Intervals:
    """From where to where in the order of creation values are alive.

    What is defined outside a loop and used in it is alive in all of it, what an iteration hands to the next until its end.
    """

    def __init__(self, values: list[Value], in_memory: frozenset[int], code: Code) -> None:
        self._values = values
        self._code = code
        arguments = {p.slot for p in code.parameters if p.slot is not None}
        self._elsewhere = in_memory | arguments
        """Private slots that are not in registers: in local memory, or arguments and tables in constant memory."""
        self._loops = _ranges(values)
        self._innermost = _innermost(self._loops, len(values))
        self._positions = {value.number: position for position, value in enumerate(values)}
        self._end: dict[int, int] = {}

    def peak(self) -> int:
        """The most words alive at once."""
        return max(self.pressure())

    def pressure(self, left_out: frozenset[int] = frozenset()) -> list[int]:
        """Words alive at each place, but for values that are in memory."""
        arrays: dict[int, tuple[int, int]] = {}
        for position, value in enumerate(self._values):
            for index, arg in enumerate(value.args):
                end = self._use(value, index, arg, position)
                self._end[arg.number] = max(self._end.get(arg.number, 0), end)
                slot = self._register_array(arg) if arg.op in _POINTERS else None
                if slot is not None:
                    span = self._span(position, None)
                    first, last = arrays.get(slot, span)
                    arrays[slot] = min(first, span[0]), max(last, span[1])
        change = [0] * (len(self._values) + 1)
        for position, value in enumerate(self._values):
            words = 0 if value.number in left_out else self.words(value)
            end = self._end.get(value.number, -1)
            if words and end > position:
                change[self._start(value, position)] += words
                change[end] -= words
            extra = _temporaries(value)
            change[position] += extra
            change[position + 1] -= extra
        for slot, (first, last) in arrays.items():
            words = -(-self._code.slots[slot].size_bytes // 4)
            change[first] += words
            change[last] -= words
        return list(accumulate(change))

    def alive(self, place: int) -> list[Value]:
        """Values that have a register at a place, once the pressure is known."""
        return [
            value
            for position, value in enumerate(self._values)
            if self._end.get(value.number, -1) > place and self._start(value, position) <= place
        ]

    def is_hoisted(self, value: Value) -> bool:
        """Whether a value is computed before a loop that its place is in."""
        position = self._positions[value.number]
        return self._start(value, position) < position

    def uses_behind(self, value: Value, users: list[Value], place: int) -> list[Value]:
        """Users of a value behind a place, or anywhere in a loop around it that the value does not change in."""
        first, _ = self._span(place, value)
        return [user for user in users if self._positions.get(user.number, -1) >= min(first, place)]

    def _use(self, user: Value, index: int, arg: Value, position: int) -> int:
        """Until where a value is alive for one use."""
        if user.op is Pseudo.PHI and user.context.loop in self._loops:
            frame = user.context.loop
            if index == 1:
                return self._loops[frame][1]
            if index == 0:  # the variable takes its register over
                return position
        if user.op is Pseudo.JOIN and _is_on_one_way(arg, user):
            return self._positions[arg.number]
        return self._span(position, arg)[1]

    def _start(self, value: Value, position: int) -> int:
        """Where a value is computed: before the loops that it does not change in."""
        if value.op is Pseudo.JOIN:
            # Its alternatives are computed in its register.
            ways = [arg for arg in value.args if _is_on_one_way(arg, value)]
            position = min([position, *(self._positions[arg.number] for arg in ways)])
        return self._span(position, value)[0]

    def _span(self, position: int, value: Value | None) -> tuple[int, int]:
        """The range of the outermost loop around a place that a value is not defined in; else the place."""
        around = set(_frames(value.context.loop)) if value is not None else set()
        span = (position, position)
        for frame in _frames(self._innermost[position]):
            if frame not in around and frame in self._loops:
                span = self._loops[frame]
        return span

    def _register_array(self, pointer: Value) -> int | None:
        """The private array that an operand points into, where it is in registers."""
        root = root_of(pointer)
        if root.kind is not RootKind.SLOT or not isinstance(root.identity, int):
            return None
        if root.identity in self._elsewhere:
            return None
        return root.identity if self._code.slots[root.identity].space is Space.LOCAL else None

    def words(self, value: Value) -> int:
        """Registers that a value takes."""
        if value.op in _NO_REGISTER or value.op in _PREDICATES or value.is_uniform:
            return 0
        if value.op in _ADDRESSES:
            root = root_of(value)
            is_near = root.kind is RootKind.SLOT and root.identity not in self._elsewhere
            return 1 if is_near else 2
        if value.op is Op.LOAD:
            if self._register_array(value.args[0]) is not None:
                return 0
        elif value.scalar is Scalar.BOOL or value.scalar is Scalar.VOID:
            return 0
        return 2 if value.scalar.size_bytes == 8 else 1


def _is_on_one_way(arg: Value, join: Value) -> bool:
    """Whether an alternative is computed on its way to the join."""
    return arg.context.level > join.context.level


def _temporaries(value: Value) -> int:
    """Registers that the sequence or the subroutine of a long operation needs besides operands and result."""
    if ir_size(value) <= 1.0 and not (value.op is Op.MATH and value.detail == "sqrt"):
        return 0
    if value.scalar.is_float:
        return _WIDE_TEMPORARIES if value.scalar is Scalar.F64 else _TEMPORARIES
    return _WIDE_TEMPORARIES if value.scalar.size_bytes == 8 else _TEMPORARIES


_TEMPORARIES = 4
_WIDE_TEMPORARIES = 10
_POINTERS = frozenset({Op.SLOT, Pseudo.ADDRESS, Pseudo.OFFSET, Pseudo.STREAM})


def _frames(frame: LoopFrame | None) -> list[LoopFrame]:
    """A loop and those around it, innermost first."""
    found = []
    while frame is not None:
        found.append(frame)
        frame = frame.outside.loop
    return found


def _ranges(values: list[Value]) -> dict[LoopFrame, tuple[int, int]]:
    """First and last position of what each loop computes in every iteration."""
    ranges: dict[LoopFrame, tuple[int, int]] = {}
    for position, value in enumerate(values):
        for frame in _frames(value.context.loop):
            first, _ = ranges.get(frame, (position, position))
            ranges[frame] = (first, position)
    return ranges


def _innermost(loops: dict[LoopFrame, tuple[int, int]], count: int) -> list[LoopFrame | None]:
    """The innermost loop around each position."""
    found: list[LoopFrame | None] = [None] * count
    for frame, (first, last) in sorted(loops.items(), key=lambda entry: entry[0].depth):
        found[first : last + 1] = [frame] * (last + 1 - first)
    return found


def _loads_first(values: list[Value], exposed: frozenset[int]) -> list[Value]:
    """The values of each basic block in the order that issues all loads first which wait for the same number of others."""
    ordered: list[Value] = []
    for block in _straight_runs(values):
        levels = _levels(block, exposed)
        order = sorted(range(len(block)), key=levels.__getitem__)
        ordered += [block[position] for position in order]
    return ordered


def _straight_runs(values: list[Value]) -> Iterator[list[Value]]:
    """Values that no jump parts: short branches are predicated, copies of a loop's body follow one another."""
    places = _innermost(_ranges(values), len(values))
    run: list[Value] = []
    current: LoopFrame | None = None
    for place, value in zip(places, values, strict=True):
        if run and (place is not current or run[-1].op is Pseudo.BRANCH):
            yield run
            run = []
        current = place
        run.append(value)
    yield run


def _levels(block: list[Value], exposed: frozenset[int]) -> list[int]:
    """How many loads have to be waited for, one after another, before each value."""
    after: dict[int, int] = {}
    levels: list[int] = []
    stores: dict[Root, int] = {}
    floor = highest = 0
    for value in block:
        level = max((after.get(arg.number, 0) for arg in value.args), default=0)
        level = max(level, floor)
        detail = value.detail
        if isinstance(detail, LoadDetail):
            for root, stored in stores.items():
                if stored > level and roots_may_alias(root, detail.root, exposed):
                    level = stored
            if value.op is Op.STORE:
                stores[detail.root] = level
        elif value.op in _ORDERED:
            level = floor = max(level, highest)
        levels.append(level)
        highest = max(highest, level)
        after[value.number] = level + (value.op in _AWAITED)
    return levels
