"""How long one warp takes on its own: a warp issues in order and waits where it needs what is not there yet.

This is what limits launches with too few warps to hide it. The structured code is walked once; a loop's first two
iterations tell the cost of the first and of all others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.program.code import (
    Block,
    If,
    Loop,
    Op,
    Scope,
    Space,
    Switch,
    blocks,
)

if TYPE_CHECKING:
    from roofstat.execution.trace import LaunchTrace
    from roofstat.program.code import Code, Instruction, Region

__all__ = ["Latencies", "warp_clocks"]

_FREE = frozenset({Op.MOV, Op.SLOT, Op.GLOBAL, Op.PARAM, Op.BITCAST, Op.UNKNOWN})
"""Nothing is issued for these, as a rule."""
_WARP = 32
_WHOLE = 1 << 30
_UNROLL = 2
"""Iterations of a short loop whose loads a compiler issues together; between one and four in measured launches."""
_SHORT_LOOP = 64
"""Instructions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Latencies:
    """Clocks from issue to result.

    Attributes:
        load: Of a load from global memory, in the mean over where it hits.
        shared: Of a load from shared memory, a shuffle or a vote.
        arithmetic: Of an addition, multiplication or logical operation.
        function: Of a division, a special function or a conversion.
        double_issue: Clocks that one FP64 instruction of a warp takes to issue.
        barrier: Of a barrier, once all warps have come.
    """

    load: float
    shared: float = 25.0
    arithmetic: float = 4.5
    function: float = 20.0
    double_issue: float = 2.0
    barrier: float = 20.0


def warp_clocks(
    trace: LaunchTrace,
    latencies: Latencies,
    *,
    has_local_memory: bool = False,
    instructions: float | None = None,
) -> float:
    """Return the clocks that a warp of the launch needs when it has its SM for itself.

    Args:
        trace: The launch.
        latencies: How long steps take.
        has_local_memory: Whether private arrays are in memory.
        instructions: What the compiler makes of the code, executions by threads: fusing and addresses shared by many
            accesses leave fewer instructions to issue. None to take the code as it is.
    """
    walk = _Walk(trace, latencies, has_local_memory=has_local_memory)
    clocks = walk.run()
    if instructions is None:
        return clocks
    written = sum(
        threads * sum(walk.is_issued(item) for item in block.instructions)
        for block in blocks(trace.code.body)
        if (threads := trace.block_threads.get(block.number, 0.0)) > 0.0
    )
    kept = min(instructions / written, 1.0) if written else 1.0
    return clocks - (1.0 - kept) * min(walk.issued, clocks)


@dataclass(frozen=True, slots=True)
class _Pace:
    """What one more iteration of a loop costs, and how much later it makes the variables that it carries."""

    clocks: float
    issued: float
    growth: dict[int, float]


class _Walk:
    """One pass over the code; `now` is when the next instruction can issue."""

    def __init__(self, trace: LaunchTrace, latencies: Latencies, *, has_local_memory: bool) -> None:
        self._has_local_memory = has_local_memory
        self._trace = trace
        self._code: Code = trace.code
        self._latencies = latencies
        self._spaces: Mapping[int, Space] = {
            site: totals.space for site, totals in trace.sites.items() if totals.space is not None
        }
        self._ready: dict[int, float] = {}
        self._changed: dict[int, float] = {}
        """What has changed in `_ready` since the arms of the innermost branch began, with the moment before."""
        self._now = 0.0
        self._last = 0.0
        """When the last result arrives."""
        self._issued = 0.0
        """Clocks in which something was issued."""
        self._depth: dict[int, float] = {}
        """When a value would be there if everything were issued at once."""
        self._paces: dict[int, _Pace] = {}

    def run(self) -> float:
        """Walk the whole code."""
        self._regions(self._code.body)
        return max(self._now, self._last)

    def _regions(self, regions: list[Region]) -> None:
        for region in regions:
            match region:
                case Block():
                    if self._trace.block_threads.get(region.number, 0.0) > 0:
                        for item in region.instructions:
                            self._issue(item)
                case If():
                    self._wait_for(region.condition)
                    self._arms([region.then, region.otherwise])
                case Loop():
                    self._loop(region)
                case Scope():
                    self._regions(region.body)
                case Switch():
                    self._wait_for(region.selector)
                    self._arms([case.body for case in region.cases])
                case _:
                    pass

    def _wait_for(self, register: int) -> None:
        self._now = max(self._now, self._ready.get(register, 0.0))

    def _arrives(self, register: int, moment: float) -> None:
        self._changed.setdefault(register, self._ready.get(register, 0.0))
        self._ready[register] = moment

    def _issue(self, item: Instruction) -> None:
        start = max((self._ready.get(register, 0.0) for register in item.args), default=0.0)
        depth = max((self._depth.get(register, 0.0) for register in item.args), default=0.0)
        if not self.is_issued(item):
            self._arrives(item.dest, start)
            self._depth[item.dest] = depth
            return
        self._now = max(self._now, start)
        if item.op is Op.BARRIER:
            self._now = max(self._now, self._last) + self._latencies.barrier
            return
        is_double = item.scalar is Scalar.F64 and item.op not in (Op.LOAD, Op.STORE)
        issue = self._latencies.double_issue if is_double else 1.0
        self._now += issue
        self._issued += issue
        if item.dest >= 0:
            latency = self._latency(item)
            arrival = self._now + latency
            self._depth[item.dest] = depth + latency
            self._arrives(item.dest, arrival)
            self._last = max(self._last, arrival)

    @property
    def issued(self) -> float:
        """Clocks in which something was issued."""
        return self._issued

    def is_issued(self, item: Instruction) -> bool:
        """Whether an instruction is more than a name for something."""
        return item.op not in _FREE and not self._is_in_registers(item)

    def _is_in_registers(self, item: Instruction) -> bool:
        """Whether an access is to a private array that a compiler keeps in registers."""
        return (
            item.op in (Op.LOAD, Op.STORE)
            and not self._has_local_memory
            and self._spaces.get(item.site, Space.LOCAL) is Space.LOCAL
        )

    def _latency(self, item: Instruction) -> float:
        known = self._latencies
        match item.op:
            case Op.LOAD | Op.ATOMIC | Op.TEXTURE:
                space = self._spaces.get(item.site)
                if space in (Space.SHARED, Space.CONSTANT, Space.LOCAL):
                    return known.shared
                return known.load
            case Op.SHUFFLE | Op.VOTE | Op.TENSOR:
                return known.shared
            case Op.DIV | Op.REM | Op.MATH | Op.CAST:
                return known.function
            case _:
                return known.arithmetic

    def _arms(self, arms: list[list[Region]]) -> None:
        """Each arm costs its time in as far as warps take it."""
        begin, issued, outside = self._now, self._issued, self._changed
        changed: dict[int, float] = {}
        self._changed = changed
        counts = [self._entered(arm) for arm in arms]
        # One thread that takes an arm takes its warp along.
        most = max(sum(counts) / _WARP, 1e-30)
        spent = spent_issued = 0.0
        for arm, count in zip(arms, counts, strict=True):
            if not count:
                continue
            self._now, self._issued = begin, issued
            self._regions(arm)
            spent += (self._now - begin) * min(count / most, 1.0)
            spent_issued += (self._issued - issued) * min(count / most, 1.0)
        self._now, self._issued = begin + spent, issued + spent_issued
        for register, before in changed.items():
            moment = self._ready[register]
            if moment > before:
                self._ready[register] = min(moment, self._now + (moment - begin))
            outside.setdefault(register, before)
        self._changed = outside

    def _entered(self, regions: list[Region]) -> float:
        first = next(blocks(regions), None)
        return self._trace.block_threads.get(first.number, 0.0) if first is not None else 0.0

    def _loop(self, loop: Loop) -> None:
        totals = self._trace.loops.get(loop.number)
        trips = totals.mean_trips if totals is not None else 0.0
        if trips <= 0.0:
            self._regions(loop.condition)
            return
        pace = self._paces.get(loop.number)
        if pace is not None:
            self._pass(trips, pace)
            return
        begin, before = self._now, self._issued
        self._iteration(loop)
        if trips <= 1.0:
            clocks = max(self._now - begin, 1.0)
            self._paces[loop.number] = _Pace(clocks, self._issued - before, {})
            return
        middle, issued, depth = self._now, self._issued, dict(self._depth)
        self._iteration(loop)
        clocks = self._now - middle
        growth = {
            variable: self._depth[variable] - depth[variable]
            for variable in self._code.variables & depth.keys()
            if self._depth[variable] > depth[variable]
        }
        together = min(self._copies(loop), trips)
        if together > 1:
            # Iterations are on their way together, as far as none waits for the one before.
            chain = max(growth.values(), default=0.0)
            clocks = max(clocks / together, chain, self._issued - issued)
        pace = self._paces[loop.number] = _Pace(clocks, self._issued - issued, growth)
        self._pass(trips - 2.0, pace)

    def _iteration(self, loop: Loop) -> None:
        if loop.tests_before:
            self._regions(loop.condition)
        self._regions(loop.body)
        self._regions(loop.step)
        if not loop.tests_before:
            self._regions(loop.condition)

    def _pass(self, iterations: float, pace: _Pace) -> None:
        """Let iterations go by, with everything on its way moving along."""
        if iterations <= 0.0:
            return
        begin, clocks = self._now, iterations * pace.clocks
        self._now += clocks
        self._issued += iterations * pace.issued
        self._last += clocks
        for register, moment in list(self._ready.items()):
            if moment > begin:
                self._arrives(register, moment + clocks)
        for variable, growth in pace.growth.items():
            self._depth[variable] = self._depth.get(variable, 0.0) + iterations * growth

    def _copies(self, loop: Loop) -> int:
        """Iterations that a compiler issues together: of short and straight loops without barriers and atomics."""
        count = 0
        for part in (loop.condition, loop.body, loop.step):
            if not all(isinstance(region, Block | If | Scope) for region in part):
                return 1
            for block in blocks(part):
                count += sum(item.op not in _FREE for item in block.instructions)
                if any(item.op in (Op.BARRIER, Op.ATOMIC) for item in block.instructions):
                    return 1
        if loop.unroll is not None:
            return loop.unroll or _WHOLE
        return _UNROLL if count <= _SHORT_LOOP else 1
