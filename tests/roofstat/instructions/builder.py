"""Kernels and traces for tests of the instruction model."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.unit import lower_unit
from roofstat.execution.trace import Lanes, LaunchTrace, LoopTotals
from roofstat.instructions.model import CompilerFlags, InstructionCounts, count_instructions
from roofstat.instructions.tables.costs import Compiler
from roofstat.instructions.tables.quantities import Quantity
from roofstat.program.code import Block, Code, If, Loop, Region, Scope, Switch
from roofstat.program.link import link
from roofstat.program.lowering import lower_kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PROLOGUE = "#include <cuda_runtime.h>\n"
GLOBAL_INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


@cache
def kernel(parameters: str, body: str, prologue: str = PROLOGUE) -> Code:
    """The code of a kernel with these parameters and this body."""
    text = f'{prologue}extern "C" __global__ void k({parameters}) {{ {body} }}'
    unit = lower_unit("kernel.cu", text=text)
    assert not unit.diagnostics, unit.diagnostics
    program = link([unit])
    return lower_kernel(program, unit.kernels[0])


@dataclass(slots=True)
class Run:
    """How a synthetic launch went.

    `trips` gives the trip count of loops by number, `taken` the share of threads that take the first
    arm of branches in program order; everything else runs for all threads.
    """

    threads: float = 1.0
    trips: Mapping[int, float] = field(default_factory=dict)
    taken: tuple[float, ...] = ()
    default_trips: float = 1.0


def trace_of(code: Code, run: Run) -> LaunchTrace:
    """A trace of a launch that went like `run`."""
    lane = np.zeros(32, dtype=np.int64)
    lanes = Lanes(
        tid=(lane, lane, lane),
        bid=(lane, lane, lane),
        exists=np.ones(32, dtype=np.bool_),
        weight=np.full(32, run.threads / 32.0),
        warp_of_block=lane,
        block_slot=lane,
    )
    trace = LaunchTrace(
        code=code, grid=(1, 1, 1), block=(32, 1, 1), dynamic_shared_bytes=0, lanes=lanes
    )
    branches = iter(run.taken)

    def visit(regions: list[Region], weight: float) -> None:
        for region in regions:
            match region:
                case Block():
                    trace.block_threads[region.number] = weight
                    trace.block_warps[region.number] = weight / 32.0
                case If():
                    share = next(branches, 1.0)
                    visit(region.then, weight * share)
                    visit(region.otherwise, weight * (1.0 - share))
                case Loop():
                    trips = run.trips.get(region.number, run.default_trips)
                    tests = trips + 1.0 if region.tests_before else trips
                    visit(region.condition, weight * tests)
                    visit(region.body, weight * trips)
                    visit(region.step, weight * trips)
                    trace.loops[region.number] = LoopTotals(
                        entries=weight, starts=weight * min(trips, 1.0), iterations=weight * trips
                    )
                case Scope():
                    visit(region.body, weight)
                case Switch():
                    for case in region.cases:
                        visit(case.body, weight / len(region.cases))
                case _:
                    pass

    visit(code.body, run.threads)
    return trace


def count(
    parameters: str,
    body: str,
    run: Run | None = None,
    *,
    compiler: Compiler = Compiler.NVCC,
    architecture: str = "sm_80",
    flags: CompilerFlags | None = None,
    prologue: str = PROLOGUE,
) -> InstructionCounts:
    """Counts of a launch of a kernel given as source."""
    trace = trace_of(kernel(parameters, body, prologue), run or Run())
    return count_instructions(
        trace,
        compiler=compiler,
        architecture=architecture,
        flags=flags or CompilerFlags(),
    )


def integer_ops(counts: InstructionCounts) -> float:
    """Integer instructions other than register copies."""
    return counts.int_op - counts.total(Quantity.INTEGER_COPIES)


def ops_per_iteration(
    parameters: str,
    body: str,
    run_of: Callable[[float], Run] = lambda trips: Run(default_trips=trips),
    *,
    trips: float = 64.0,
    compiler: Compiler = Compiler.NVCC,
    architecture: str = "sm_90",
) -> float:
    """Integer operations that one more iteration takes, over `trips` further ones.

    `run_of` gives the run from the trip count of the loop that is asked about: of all loops unless it says otherwise.
    """
    few, many = (
        integer_ops(
            count(parameters, body, run_of(length), compiler=compiler, architecture=architecture)
        )
        for length in (trips, 2 * trips)
    )
    return (many - few) / trips
