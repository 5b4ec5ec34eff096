"""The state of a running loop: variables that change by a constant, and where they will be iterations ahead."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.execution.loops.linear import Steps, constant_step, likely_step
from roofstat.execution.numbers.values import (
    DTYPES,
    NUMBERS,
    OPEN,
    Mixed,
    Unknown,
    Value,
    number_of,
    shifted,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.loops.all_iterations import AllIterations
    from roofstat.execution.loops.entry import LoopEntry
    from roofstat.execution.loops.facts import LoopFacts
    from roofstat.execution.loops.host_loops import HostMoves
    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.execution.sampling.representatives import Position
    from roofstat.execution.trace import LoopTotals
    from roofstat.program.code import Loop, Op


@dataclass(slots=True, eq=False)
class LoopRun:
    """What is known of a loop while it runs: its iterations so far, and the pace of its variables."""

    machine: Machine
    loop: Loop
    entry: LoopEntry
    totals: LoopTotals
    facts: LoopFacts
    threads: float
    """Threads of the launch that enter."""
    iterated_before: float
    """Thread-level iterations of the launch before."""
    iteration: int = 0
    """Iterations completed; the number of the one that runs."""
    bodies: int = 0
    """Iterations whose body was entered."""
    snapshots: list[dict[int, Value | None]] = field(default_factory=list)
    trail: list[tuple[int, dict[int, Value | None]]] = field(default_factory=list)
    """(iteration, variables) of a host loop whenever its end was looked for."""
    reached: list[int] = field(default_factory=list)
    """First free address of device memory before each of the last iterations of a host loop."""
    work: list[float] = field(default_factory=list)
    marks: list[tuple[int, list[tuple[Op, Value]]]] = field(default_factory=list)
    """(iteration, comparisons with their distances) of the condition whenever it was looked at."""
    is_extrapolated: bool = False
    moves: HostMoves | None = None
    exact: list[AllIterations] = field(default_factory=list)
    """Stretches of a host loop of which every iteration is known."""
    next_check: int = 0
    """The iteration before which the loop is looked at again: whether its rest can be extrapolated."""
    cost: int = 0
    """Instructions that the last iteration took."""
    jumps: int = 0
    """How often iterations were skipped."""

    def state(self) -> dict[int, Value | None]:
        """The variables that the loop writes, as they are now."""
        registers = self.machine.frames[-1].registers
        return {variable: registers[variable] for variable in self.facts.assigned}

    def steps(self, active: Mask) -> Steps:
        """Affine variables and their change in an iteration."""
        if len(self.snapshots) < 3:
            return {}
        first, second, third = self.snapshots[-3:]
        steps: Steps = {}
        for variable in self.facts.assigned - self.balanced:
            step = constant_step(first[variable], second[variable], third[variable], active.lanes)
            if step is not None:
                steps[variable] = step
        return steps

    @property
    def balanced(self) -> frozenset[int]:
        """Counters that stay about where they are; of the stack of a walk more is known, and host code is seen longer."""
        is_other = self.machine.is_host or self.entry.walk is not None
        return frozenset() if is_other else self.facts.balanced

    def pace(self, steps: Steps, active: Mask) -> dict[int, NDArray[np.float64]]:
        """Mean change in an iteration of variables that a kernel's loop adds uneven values to."""
        if self.machine.is_host or len(self.snapshots) < 2:
            return {}
        pace: dict[int, NDArray[np.float64]] = {}
        for variable in self.facts.sums - steps.keys() - self.balanced:
            seen = [snapshot[variable] for snapshot in self.snapshots]
            known = [
                np.asarray(value, np.float64)
                for value in seen
                if value is not None and not isinstance(value, OPEN)
            ]
            if len(known) == len(seen):
                rows = np.stack([np.broadcast_to(values, active.lanes.shape) for values in known])
                mean = likely_step(np.diff(rows, axis=0), active.lanes)
                if np.isfinite(mean[active.lanes]).all():
                    pace[variable] = mean
        return pace

    def move_sums(
        self,
        base: dict[int, Value | None],
        pace: dict[int, NDArray[np.float64]],
        distance: Position,
        active: Mask,
    ) -> None:
        """Set sums of active lanes to what they are likely to be `distance` iterations after `base`."""
        frame = self.machine.frames[-1]
        if not active.is_full:
            distance = np.where(active.lanes, distance, 0)
        for variable, step in pace.items():
            start = base[variable]
            if start is None or isinstance(start, OPEN):
                continue
            scalar = frame.code.register_types[variable]
            moved = np.asarray(start, np.float64) + step * distance
            if not scalar.is_float:
                moved = np.rint(moved).astype(np.int64)
            frame.registers[variable] = np.broadcast_to(moved, (self.machine.lane_count,)).astype(
                DTYPES[scalar]
            )

    def jump(
        self,
        base: dict[int, Value | None],
        steps: Steps,
        distance: Position,
        active: Mask,
    ) -> None:
        """Set the affine variables of active lanes to their values `distance` iterations after `base`."""
        frame = self.machine.frames[-1]
        if self.moves is not None:
            self.moves.apply(self.machine, int(np.max(distance)))
        if self.machine.stores and not self.machine.dry and np.any(distance):
            for stores in self.machine.stores.values():
                stores.forget_since(self.entry.first_store)
        if not active.is_full:
            distance = np.where(active.lanes, distance, 0)
        for variable, step in steps.items():
            start = base[variable]
            if start is None or isinstance(start, Mixed):
                continue
            if isinstance(start, Unknown):
                frame.registers[variable] = shifted(start, _integer_product(step, distance))
                continue
            scalar = frame.code.register_types[variable]
            if isinstance(step, NUMBERS) and step == 0:
                frame.registers[variable] = start
            elif (
                isinstance(start, NUMBERS)
                and isinstance(step, NUMBERS)
                and isinstance(distance, int)
            ):
                frame.registers[variable] = number_of(start + step * distance, scalar)
            elif scalar.is_float:
                moved = np.asarray(start, np.float64) + np.asarray(step, np.float64) * distance
                frame.registers[variable] = np.broadcast_to(
                    moved, (self.machine.lane_count,)
                ).astype(DTYPES[scalar])
            else:
                shifted_by = _integer_product(step, distance)
                whole = np.broadcast_to(
                    np.asarray(start).astype(np.int64) + shifted_by, (self.machine.lane_count,)
                )
                frame.registers[variable] = (
                    whole.copy() if _is_pointer_array(start) else whole.astype(DTYPES[scalar])
                )

    def is_alike(self, steps: Steps, active: Mask) -> bool:
        """Whether nothing that an iteration decides by changes from one to the next."""
        registers = self.machine.frames[-1].registers
        is_random = self.facts.reads_memory
        for variable in self.facts.control & self.facts.carried:
            step = steps.get(variable)
            if step is None:
                if not isinstance(registers[variable], OPEN):
                    return False
                is_random = True
            elif np.any(step[active.lanes] if isinstance(step, np.ndarray) else step):
                return False
        return not is_random or self._worked_alike()

    def _worked_alike(self) -> bool:
        work = self.work
        return len(work) >= 2 and abs(work[-1] - work[-2]) <= 1e-9 * max(abs(work[-1]), 1.0)

    def is_uneven(self, steps: Steps) -> bool:
        """Whether iterations hand on known whole numbers that no step leads to: products, remainders, bits."""
        frame = self.machine.frames[-1]
        return any(
            frame.code.register_types[variable].is_integer
            and not isinstance(frame.registers[variable], OPEN)
            for variable in self.facts.carried - self.facts.sums - steps.keys()
        )

    def is_erratic(self, steps: Steps) -> bool:
        """Whether decisions depend on known variables that do not change evenly."""
        registers = self.machine.frames[-1].registers
        return any(
            (variable not in steps or variable in self.facts.branched)
            and not isinstance(registers[variable], OPEN)
            for variable in self.facts.control & self.facts.carried
        )


def _is_pointer_array(value: Value) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == np.int64


def _integer_product(
    step: float | NDArray[np.generic], distance: int | NDArray[np.int64]
) -> int | NDArray[np.int64]:
    if isinstance(step, NUMBERS) and isinstance(distance, int):
        return Scalar.I64.wrapped(int(step) * distance)
    product = np.asarray(step).astype(np.int64) * np.asarray(distance)
    return product if product.ndim else int(product)
