"""How long one warp takes on its own: a warp issues in order and waits where it needs what is not there yet.

This is what limits launches with too few warps to hide it. The structured code is walked once; the third iteration of a
loop tells the cost of all that follow, because by then what was loaded before the loop has gone through its variables.
"""

from __future__ import annotations

import math
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware.units import WARP_SIZE
from roofstat.instructions.timing.issue_order import IssueOrder, issue_order
from roofstat.instructions.timing.loop_batches import LoopBatches, has_barrier
from roofstat.instructions.timing.step_costs import MEMORY, Latencies, StepCosts
from roofstat.instructions.timing.warp_clocks import (
    Clocks,
    SourceLine,
    Step,
    difference,
    growth_of,
    no_clocks,
    shortened,
)
from roofstat.instructions.timing.warp_steps import WarpStep
from roofstat.program.code import (
    Block,
    If,
    Loop,
    Op,
    Scope,
    Space,
    Switch,
    TensorOperation,
    blocks,
    writers,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roofstat.execution.trace import LaunchTrace
    from roofstat.instructions.model import InstructionCounts
    from roofstat.program.code import Code, Instruction, Region

__all__ = ["WarpTime", "warp_time"]

_ON_ADDRESSES = frozenset({Op.PTR_ADD, Op.MOV, Op.BITCAST})
_PROBED = 3
"""Iterations of a loop that are walked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WarpTime:
    """Clocks of a warp that has its SM for itself.

    Attributes:
        steps: What a warp in every wave of blocks spends them on.
        loads: The waits for loads from global memory among them, by the line of the load.
        rare: What one warp of the launch needs beyond that, on paths that few blocks take.
    """

    steps: Mapping[WarpStep, float]
    loads: Mapping[SourceLine, float]
    rare: float

    @property
    def clocks(self) -> float:
        """Clocks in every wave."""
        return sum(self.steps.values())


def warp_time(
    trace: LaunchTrace,
    latencies: Latencies,
    *,
    has_local_memory: bool = False,
    counts: InstructionCounts | None = None,
    requests: Mapping[int, float] | None = None,
) -> WarpTime:
    """Return the clocks that a warp of the launch needs when it has its SM for itself.

    Args:
        trace: The launch.
        latencies: How long steps take.
        has_local_memory: Whether private arrays are in memory.
        counts: What the compiler makes of the code: fusing and addresses shared by many accesses leave fewer
            instructions to issue, loads that it hoists or merges are not waited for again. None to take the code as
            it is.
        requests: Warp requests that memory sees, by site: what a loop keeps in registers is not loaded again. All where a
            site is missing.
    """
    costs = StepCosts(
        trace,
        latencies,
        has_local_memory=has_local_memory,
        counts=counts,
        requests=requests or {},
    )
    walk = _Walk(trace, latencies, costs, has_local_memory=has_local_memory, counts=counts)
    walk.run()
    steps = {step: walk.spent[step] for step in WarpStep}
    loads = {line: clocks for line, clocks in walk.spent.items() if not isinstance(line, WarpStep)}
    steps[WarpStep.LOAD] = sum(loads.values())
    if counts is not None:
        # What belongs to no single instruction (copies, what loops compute before they start) is issued as well.
        issued = sum(
            threads * costs.issue_slots(block, position)
            for block in blocks(trace.code.body)
            if (threads := trace.block_threads.get(block.number, 0.0)) > 0.0
            for position in range(len(block.instructions))
        )
        steps[WarpStep.ISSUE] *= counts.instructions / issued if issued else 1.0
    return WarpTime(steps=steps, loads=loads, rare=walk.rare)


@dataclass(frozen=True, slots=True)
class _Pace:
    """What one more iteration of a loop costs, and how much later it makes the variables that it carries."""

    steps: Clocks
    growth: dict[int, float]


@dataclass(frozen=True, slots=True)
class _Tails:
    """What is on its way at the end of an arm: by register, clocks until it is there and its depth; and the last."""

    registers: dict[int, tuple[float, float]]
    last: float


@dataclass(frozen=True, slots=True)
class _Arm:
    """One way on from a branch: how many of those who come take it, what it costs, and what of it is rare."""

    share: float
    clocks: float
    steps: Clocks
    rare: float
    tails: _Tails

    def mean_clocks(self) -> float:
        """Clocks of those who take it, spread over all who come."""
        return self.share * self.clocks


class _Walk:
    """One pass over the code; `now` is when the next instruction can issue."""

    def __init__(
        self,
        trace: LaunchTrace,
        latencies: Latencies,
        costs: StepCosts,
        *,
        has_local_memory: bool,
        counts: InstructionCounts | None,
    ) -> None:
        self._costs = costs
        self._trace = trace
        self._code: Code = trace.code
        self._latencies = latencies
        self._batches = LoopBatches(trace, costs, counts)
        self._ready: dict[int, float] = {}
        self._awaited: dict[int, Step] = {}
        """What a wait for a register is a wait for."""
        self._changed: dict[int, tuple[float, float]] = {}
        """Registers written since the innermost arm began, with `_ready` and `_depth` before."""
        self._now = 0.0
        self._last = 0.0
        """When the last result arrives."""
        self._last_step: Step = WarpStep.ARITHMETIC
        self.spent: Clocks = no_clocks()
        """The clocks until now."""
        self.rare = 0.0
        """Clocks beyond, of a warp that takes what few blocks take."""
        self._depth: dict[int, float] = {}
        """When a value would be there if everything were issued at once."""
        self._paces: dict[int, _Pace] = {}
        self._orders = _known_orders(self._code, self._costs.spaces, has_local_memory)
        self._warps = 0.0
        """Warps of the launch that come here; 0 where not known."""
        x, y, z = trace.block
        self._block_warps = -(-x * y * z // WARP_SIZE)
        self._companions = self._block_warps
        """Warps that wait for one another: those of a block, but in loops without a barrier each goes its way."""
        self._slots = _slot_addresses(self._code)
        self._elements = {
            item.dest for _, item in self._code.instructions() if item.op is Op.PTR_ADD
        }
        """Addresses inside of what they begin with."""
        self._threads = float(math.prod(trace.grid) * x * y * z)
        self._loops = 0

    def run(self) -> None:
        """Walk the whole code."""
        self._regions(self._code.body)
        self._wait_until(self._last, self._last_step)

    def _regions(self, regions: list[Region]) -> None:
        for position, region in enumerate(regions):
            match region:
                case Block():
                    warps = self._trace.block_warps.get(region.number, 0.0)
                    if not region.instructions or warps <= 0.0:
                        continue
                    if self._share(warps) < 1.0:
                        # Others have jumped away: what is left of the list is an arm of its own.
                        self._arms([regions[position:]])
                        return
                    self._warps = warps
                    self._block(region)
                    continue
                case _:
                    warps = self._warps
                    self._region(region)
                    self._warps = warps

    def _region(self, region: Region) -> None:
        match region:
            case If():
                self._wait_for(region.condition)
                splits_warps = not self._trace.branch_uniform.get(region.number, False)
                self._arms([region.then, region.otherwise], splits_warps=splits_warps)
            case Loop():
                self._loop(region)
            case Scope():
                self._regions(region.body)
            case Switch():
                self._wait_for(region.selector)
                self._arms([case.body for case in region.cases])
            case _:
                pass

    def _share(self, warps: float) -> float:
        """Part of the time that a path costs which so many warps take: one takes its companions along."""
        return min(self._companions * warps / self._warps, 1.0) if self._warps else 1.0

    def _wait_for(self, register: int) -> None:
        moment = self._ready.get(register, 0.0)
        if moment > self._now:
            self._wait_until(moment, self._awaited[register])

    def _wait_until(self, moment: float, step: Step) -> None:
        if moment > self._now:
            self.spent[step] += moment - self._now
            self._now = moment

    def _arrives(self, register: int, moment: float, depth: float) -> None:
        before = (self._ready.get(register, 0.0), self._depth.get(register, 0.0))
        self._changed.setdefault(register, before)
        self._ready[register], self._depth[register] = moment, depth

    def _block(self, block: Block) -> None:
        order = self._orders.get(block.number)
        if order is None:
            order = issue_order(block.instructions, self._costs.spaces, self._costs.is_in_registers)
            self._orders[block.number] = order
        results: list[tuple[float, float, Step]] = [(0.0, 0.0, WarpStep.ARITHMETIC)] * len(
            block.instructions
        )
        for group in order.groups:
            if len(group.positions) == 1:
                self._place(block, group.positions[0], order, results)
                continue
            before = list(group.before)
            ready = [
                (self._operands(block, group.positions[place], order, results)[0], place)
                for place, others in enumerate(before)
                if not others
            ]
            heapify(ready)
            while ready:
                _, place = heappop(ready)
                self._place(block, group.positions[place], order, results)
                for follower in group.followers.get(group.positions[place], ()):
                    before[follower] -= 1
                    if not before[follower]:
                        position = group.positions[follower]
                        moment = self._operands(block, position, order, results)[0]
                        heappush(ready, (moment, follower))
        for item, (moment, depth, step) in zip(block.instructions, results, strict=True):
            if item.dest >= 0:
                self._arrives(item.dest, moment, depth)
                self._awaited[item.dest] = step

    def _operands(
        self,
        block: Block,
        position: int,
        order: IssueOrder,
        results: list[tuple[float, float, Step]],
    ) -> tuple[float, float, Step]:
        """When the last operand of an instruction is there, how deep it is, and what is waited for."""
        moment = depth = 0.0
        step: Step = WarpStep.ARITHMETIC
        for register, source in zip(
            block.instructions[position].args, order.sources[position], strict=True
        ):
            if source >= 0:
                arrival, deep, kind = results[source]
            else:
                arrival = self._ready.get(register, 0.0)
                deep = self._depth.get(register, 0.0)
                kind = self._awaited.get(register, WarpStep.ARITHMETIC)
            depth = max(depth, deep)
            if arrival > moment:
                moment, step = arrival, kind
        for slot in self._fragments(block.instructions[position])[0]:
            if self._ready.get(slot, 0.0) > moment:
                moment, step = self._ready[slot], self._awaited[slot]
        return moment, depth, step

    def _fragments(self, item: Instruction) -> tuple[tuple[int, ...], int | None]:
        """Slots of the fragments that a matrix operation reads, and of the one that it writes, as far as they are known.

        Of an array of fragments that products add to each element is on its own.
        """
        operation = item.detail
        if item.op is not Op.TENSOR or not isinstance(operation, TensorOperation):
            return (), None
        slots = [self._slots.get(arg) for arg in item.args[len(item.args) - operation.fragments :]]
        is_product = operation.kind == "mma"
        if is_product and item.args[-operation.fragments] in self._elements:
            slots[0] = None
        read = slots if is_product or operation.kind == "store" else []
        written = slots[0] if slots and operation.kind != "store" else None
        return tuple(slot for slot in read if slot is not None), written

    def _place(
        self,
        block: Block,
        position: int,
        order: IssueOrder,
        results: list[tuple[float, float, Step]],
    ) -> None:
        moment, depth, step = self._operands(block, position, order, results)
        if self._costs.issue_slots(block, position) > 0.0:
            self._wait_until(moment, step)
            results[position] = self._issue(block, position, depth)
        else:
            results[position] = self._through_slot(
                block.instructions[position], (moment, depth, step)
            )

    def _through_slot(
        self, item: Instruction, result: tuple[float, float, Step]
    ) -> tuple[float, float, Step]:
        """What an instruction that is not issued hands on: private arrays in registers hold what is on its way to them.

        Arrays as wholes: arithmetic on one element is not waited for by what reads another.
        """
        slot = self._slots.get(item.args[0]) if item.op in MEMORY and item.args else None
        if slot is None:
            return result
        moment, depth, step = result
        if item.op is Op.STORE:
            if (step is WarpStep.SHARED or isinstance(step, tuple)) and moment > self._ready.get(
                slot, 0.0
            ):
                self._arrives(slot, moment, 0.0)
                self._awaited[slot] = step
        elif self._ready.get(slot, 0.0) > moment:
            return self._ready[slot], depth, self._awaited[slot]
        return result

    def _issue(self, block: Block, position: int, depth: float) -> tuple[float, float, Step]:
        """Issue what all operands are there for; when its result arrives, how deep it is, what waits for it wait for."""
        item = block.instructions[position]
        if item.op is Op.BARRIER:
            self._wait_until(self._last, self._last_step)
            self._wait_until(self._now + self._latencies.barrier, WarpStep.BARRIER)
            return self._now, depth, WarpStep.BARRIER
        slots = self._costs.issue_slots(block, position)
        slots += self._costs.doubles(block, position) * (self._latencies.double_issue - 1.0)
        self._wait_until(self._now + slots, WarpStep.ISSUE)
        step, latency = self._costs.latency(block, position)
        fragment = self._fragments(item)[1]
        if item.dest < 0 and fragment is None:
            return self._now, depth, step
        # The clock in which it is issued is the first of the time that it takes.
        arrival = self._now + max(latency - min(slots, 1.0), 0.0)
        if arrival > self._last:
            self._last, self._last_step = arrival, step
        if fragment is not None:
            self._arrives(fragment, arrival, 0.0)
            self._awaited[fragment] = step
        return arrival, depth + latency, step

    def _arms(self, arms: list[list[Region]], *, splits_warps: bool = True) -> None:
        """Each arm costs its time in as far as warps take it; arms that a warp never takes both run side by side."""
        begin, before, outside = self._now, self.spent, self._changed
        entered, rare, last = self._warps, self.rare, self._last
        taken: list[_Arm] = []
        for regions in arms:
            count = self._entered(regions)
            if not count:
                continue
            self._warps = entered or count
            share = self._share(count)
            self._now, self._last, self._warps, self.rare = begin, last, count, 0.0
            self.spent, self._changed = no_clocks(), {}
            self._regions(regions)
            taken.append(
                _Arm(share, self._now - begin, self.spent, self.rare, self._tails(share, last))
            )
        self._warps, self.spent, self.rare, self._changed = entered, before, rare, outside
        longest = max((arm.clocks + arm.rare for arm in taken), default=0.0)
        shown = taken if splits_warps else taken and [max(taken, key=_Arm.mean_clocks)]
        spent = sum(arm.mean_clocks() for arm in shown)
        for arm in shown:
            for step, clocks in arm.steps.items():
                before[step] += arm.share * clocks
        if not self._loops:
            self.rare += max(longest - spent, 0.0)
        self._now = begin + spent
        self._last = max([last, *(self._now + arm.tails.last for arm in taken)])
        for arm in taken:
            for register, (tail, depth) in arm.tails.registers.items():
                moment = max(self._ready.get(register, 0.0), self._now + tail)
                self._arrives(register, moment, max(self._depth.get(register, 0.0), depth))

    def _tails(self, share: float, last: float) -> _Tails:
        """What is on its way at the end of an arm, in as far as warps take it; undoes what the arm did to registers."""
        registers = {}
        for register, (moment, depth) in self._changed.items():
            deeper = self._depth[register] - depth
            registers[register] = (
                share * max(self._ready[register] - self._now, 0.0),
                depth + share * deeper,
            )
            self._ready[register], self._depth[register] = moment, depth
        left = share * (self._last - self._now) if self._last > max(last, self._now) else 0.0
        return _Tails(registers, left)

    def _entered(self, regions: list[Region]) -> float:
        first = next(blocks(regions), None)
        return self._trace.block_warps.get(first.number, 0.0) if first is not None else 0.0

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
        companions = self._companions
        self._companions = self._block_warps if has_barrier(loop) else 1
        self._loops += 1
        probed = max(1, min(int(trips), _PROBED))
        before = first = no_clocks()
        begin = self.spent.copy()
        depths: list[dict[int, float]] = []
        variables = self._code.variables & writers([loop]).keys()
        for _ in range(probed):
            before = self.spent.copy()
            self._iteration(loop)
            first = first or difference(self.spent, begin)
            depths.append({v: self._depth[v] for v in variables & self._depth.keys()})
        self._loops -= 1
        self._companions = companions
        steps = difference(self.spent, before)
        growth = growth_of(depths)
        together = min(self._batches.together(loop), trips)
        if together > 1 and probed > 1:
            # Iterations are on their way together, as far as none waits for the one before.
            whole, steps = steps, shortened(steps, together, max(growth.values(), default=0.0))
            for step, clocks in steps.items():
                begin[step] += max(first[step] - whole[step], 0.0) + probed * clocks
            self._move_to(begin)
        pace = self._paces[loop.number] = _Pace(steps, growth)
        self._pass(trips - probed, pace)

    def _move_to(self, spent: Clocks) -> None:
        """Put the clock back to what was spent by then, with everything on its way."""
        back = sum(self.spent.values()) - sum(spent.values())
        begin = self._now - back
        for register, moment in list(self._ready.items()):
            if moment > begin:
                self._arrives(register, max(moment - back, begin), self._depth.get(register, 0.0))
        self._now = begin
        self._last = max(self._last - back, begin)
        self.spent = spent

    def _iteration(self, loop: Loop) -> None:
        parts = (loop.body, loop.step)
        for part in (loop.condition, *parts) if loop.tests_before else (*parts, loop.condition):
            self._warps = 0.0
            self._regions(part)

    def _pass(self, iterations: float, pace: _Pace) -> None:
        """Let iterations go by, with everything on its way moving along."""
        if iterations <= 0.0:
            return
        begin, clocks = self._now, iterations * sum(pace.steps.values())
        self._now += clocks
        self._last += clocks
        for step, each in pace.steps.items():
            self.spent[step] += iterations * each
        for register, moment in list(self._ready.items()):
            if moment > begin:
                self._arrives(register, moment + clocks, self._depth.get(register, 0.0))
        for variable, growth in pace.growth.items():
            moment, depth = self._ready.get(variable, 0.0), self._depth.get(variable, 0.0)
            self._arrives(variable, moment, depth + iterations * growth)


def _slot_addresses(code: Code) -> dict[int, int]:
    """Registers that point into private slots, with the number by which the slot is known among registers: below zero."""
    found: dict[int, int] = {}
    for _, item in code.instructions():
        if item.op is Op.SLOT and isinstance(item.detail, int):
            if code.slots[item.detail].space is Space.LOCAL:
                found[item.dest] = -2 - item.detail
        elif item.op in _ON_ADDRESSES and item.args and item.args[0] in found:
            found[item.dest] = found[item.args[0]]
    return found


@dataclass(frozen=True, slots=True)
class _Orders:
    """Orders of issue by block, and what they rest on."""

    code: Code
    spaces: Mapping[int, Space]
    has_local_memory: bool
    by_block: dict[int, IssueOrder]


_latest: list[_Orders] = []
"""Those of the kernel that was walked last: its launches come one after another."""


def _known_orders(
    code: Code, spaces: Mapping[int, Space], has_local_memory: bool
) -> dict[int, IssueOrder]:
    """What earlier walks found out about the same code, to be added to."""
    for known in _latest:
        if (
            known.code is code
            and known.spaces == spaces
            and known.has_local_memory == has_local_memory
        ):
            return known.by_block
    _latest[:] = [_Orders(code, spaces, has_local_memory, {})]
    return _latest[0].by_block
