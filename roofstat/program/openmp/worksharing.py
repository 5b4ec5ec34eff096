"""Work-sharing loops as loops over teams and threads, as clang's device code runs them.

`distribute parallel for`: a team takes chunks of as many iterations as it has threads, one for each thread, and goes on
by the number of teams; every chunk is a parallel region of its own, with its reductions. `distribute` alone: each team
takes one contiguous part. `for` in a parallel region: thread t takes t, t + threads, t + 2 threads and so on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clang_queries.ir.expressions import BinaryOp
from clang_queries.ir.types import Scalar
from roofstat.program.code import If, Loop, Op, Scope, SpecialRegister
from roofstat.program.expressions import lower_value
from roofstat.program.memory_access import load_place, store_place
from roofstat.program.openmp.canonical import bind_indices, nest_counts
from roofstat.program.openmp.clauses import clauses
from roofstat.program.openmp.reductions import begin_reductions, combine_threads, end_reductions
from roofstat.program.openmp.runtime_calls import RuntimeCall
from roofstat.program.openmp.state import library
from roofstat.program.register_arithmetic import binary_operation, convert

if TYPE_CHECKING:
    from collections.abc import Callable

    from clang_queries.ir.statements import Directive, Stmt
    from roofstat.program.code import Region
    from roofstat.program.context import Context
    from roofstat.program.openmp.canonical import CanonicalLoop
    from roofstat.program.openmp.state import LastPrivate, RegionState

INDEX_BYTES = 4
DYNAMIC_SCHEDULES = ("dynamic", "guided", "runtime", "auto")


@dataclass(frozen=True, slots=True)
class _Space:
    """The iteration space of a nest: registers computed before its loop."""

    nest: list[CanonicalLoop]
    trips: list[int]
    lowers: list[int]
    total: int
    scalar: Scalar


def _iteration_space(context: Context, directive: Directive, nest: list[CanonicalLoop]) -> _Space:
    builder = context.builder
    builder.position = directive.position
    counts = nest_counts(context, nest)
    if not counts.is_rectangular:
        builder.assume(
            "trip-count",
            "the collapsed nest is not rectangular: its inner loops run as often as in the middle of the outer one",
        )
    scalar = _counter_type(context, counts.trips)
    trips = [convert(context, count, scalar) for count in counts.trips]
    builder.position = directive.position
    total = trips[0]
    for count in trips[1:]:
        total = binary_operation(context, BinaryOp.MUL, total, count, scalar)
    return _Space(nest, trips, counts.lowers, total, scalar)


def _counter_type(context: Context, counts: list[int]) -> Scalar:
    """32 bits for one loop over words, and for nests whose number of iterations is a constant that fits; else 64."""
    builder = context.builder
    if any(builder.register_types[count].size_bytes > INDEX_BYTES for count in counts):
        return Scalar.I64
    if len(counts) == 1:
        return Scalar.I32
    if all(count in builder.constants for count in counts):
        total = math.prod(int(builder.constants[count]) for count in counts)
        if total < 1 << (8 * INDEX_BYTES - 1):
            return Scalar.I32
    return Scalar.I64


def _special(context: Context, register: SpecialRegister, scalar: Scalar) -> int:
    return convert(context, context.builder.value(Op.SPECIAL, Scalar.U32, detail=register), scalar)


def _body(context: Context, space: _Space, index: int, lower_body: Callable[[Stmt], None]) -> None:
    """The body of the innermost loop, with the indices decoded; `continue` ends it."""
    builder = context.builder
    scope = Scope(builder.new_label(), [])
    context.frame.continue_labels.append(scope.label)
    with builder.inside(scope.body):
        bind_indices(context, space.nest, space.trips, space.lowers, index, space.scalar)
        lower_body(space.nest[-1].body)
    context.frame.continue_labels.pop()
    builder.add(scope)
    if context.openmp is not None and context.openmp.last_private:
        _keep_last(context, space, index, context.openmp.last_private)


def _keep_last(context: Context, space: _Space, index: int, kept: list[LastPrivate]) -> None:
    """The thread of the last iteration writes its private values back."""
    builder = context.builder
    one = builder.constant(1, space.scalar)
    last = binary_operation(context, BinaryOp.SUB, space.total, one, space.scalar)
    flag = builder.value(Op.EQ, Scalar.BOOL, index, last, scalar=space.scalar)
    region = If(flag, [], [], builder.position, "if", builder.new_branch_number())
    with builder.inside(region.then):
        for item in kept:
            value = load_place(context, item.private, item.scalar)
            store_place(context, item.original, value, item.scalar)
    builder.add(region)


def distribute_parallel_loop(
    context: Context,
    directive: Directive,
    nest: list[CanonicalLoop],
    lower_body: Callable[[Stmt], None],
) -> None:
    """``distribute parallel for``: chunk after chunk of one iteration for each thread."""
    builder = context.builder
    space = _iteration_space(context, directive, nest)
    scalar = space.scalar
    library(context, RuntimeCall.DISTRIBUTE)
    threads = _special(context, SpecialRegister.NTID_X, scalar)
    chunk = _chunk(context, directive, threads, scalar)
    team = _special(context, SpecialRegister.CTAID_X, scalar)
    teams = _special(context, SpecialRegister.NCTAID_X, scalar)
    base = builder.variable(scalar)
    builder.move(base, binary_operation(context, BinaryOp.MUL, team, chunk, scalar))
    stride = binary_operation(context, BinaryOp.MUL, teams, chunk, scalar)

    def one_chunk() -> None:
        reductions = begin_reductions(context, directive)
        thread = _special(context, SpecialRegister.TID_X, scalar)
        first = binary_operation(context, BinaryOp.ADD, base, thread, scalar)
        end = binary_operation(context, BinaryOp.ADD, base, chunk, scalar)
        end = _minimum(context, end, space.total, scalar)
        _thread_loop(context, directive, space, first, end, threads, lower_body, is_chunk=True)
        combine_threads(context, reductions)
        end_reductions(context, reductions)

    _counted(context, directive, base, space.total, stride, scalar, one_chunk)


def _chunk_call(state: RegionState | None) -> RuntimeCall:
    if state is not None and not state.is_resolved:
        return RuntimeCall.CHUNK_UNRESOLVED
    if state is not None and state.counts_threads:
        return RuntimeCall.CHUNK_COUNTED
    return RuntimeCall.CHUNK


def _chunk(context: Context, directive: Directive, threads: int, scalar: Scalar) -> int:
    """Iterations that a team takes at a time."""
    for clause in clauses(directive, "dist_schedule"):
        if clause.expressions:
            return convert(context, lower_value(context, clause.expressions[-1]), scalar)
    return threads


def _is_dynamic(directive: Directive) -> bool:
    return any(
        clause.text.startswith(DYNAMIC_SCHEDULES) for clause in clauses(directive, "schedule")
    )


def _thread_loop(
    context: Context,
    directive: Directive,
    space: _Space,
    first: int,
    end: int,
    stride: int,
    lower_body: Callable[[Stmt], None],
    *,
    is_chunk: bool = False,
) -> None:
    """Iterations of one thread; `is_chunk`: one chunk of a team, in which it has at most one."""
    builder = context.builder
    index = builder.variable(space.scalar)
    builder.move(index, first)

    def body() -> None:
        if _is_dynamic(directive):
            library(context, RuntimeCall.DISPATCH)
        else:
            call = _chunk_call(context.openmp) if is_chunk else RuntimeCall.ITERATION
            library(context, call)
        _body(context, space, index, lower_body)

    _counted(context, directive, index, end, stride, space.scalar, body)


def distribute_loop(
    context: Context,
    directive: Directive,
    nest: list[CanonicalLoop],
    lower_body: Callable[[Stmt], None],
) -> None:
    """``distribute``: each team runs one contiguous part, or chunks where `dist_schedule` says so."""
    builder = context.builder
    space = _iteration_space(context, directive, nest)
    scalar = space.scalar
    library(context, RuntimeCall.DISTRIBUTE)
    team = _special(context, SpecialRegister.CTAID_X, scalar)
    teams = _special(context, SpecialRegister.NCTAID_X, scalar)
    if any(clause.expressions for clause in clauses(directive, "dist_schedule")):
        chunk = _chunk(context, directive, team, scalar)
        base = builder.variable(scalar)
        builder.move(base, binary_operation(context, BinaryOp.MUL, team, chunk, scalar))
        stride = binary_operation(context, BinaryOp.MUL, teams, chunk, scalar)

        def one_chunk() -> None:
            end = _minimum(
                context,
                binary_operation(context, BinaryOp.ADD, base, chunk, scalar),
                space.total,
                scalar,
            )
            _sequence(context, directive, space, base, end, lower_body)

        _counted(context, directive, base, space.total, stride, scalar, one_chunk)
        return
    one = builder.constant(1, scalar)
    less = binary_operation(context, BinaryOp.SUB, teams, one, scalar)
    padded = binary_operation(context, BinaryOp.ADD, space.total, less, scalar)
    part = binary_operation(context, BinaryOp.DIV, padded, teams, scalar)
    first = binary_operation(context, BinaryOp.MUL, team, part, scalar)
    end = _minimum(
        context, binary_operation(context, BinaryOp.ADD, first, part, scalar), space.total, scalar
    )
    _sequence(context, directive, space, first, end, lower_body)


def _sequence(
    context: Context,
    directive: Directive,
    space: _Space,
    first: int,
    end: int,
    lower_body: Callable[[Stmt], None],
) -> None:
    builder = context.builder
    index = builder.variable(space.scalar)
    builder.move(index, first)
    one = builder.constant(1, space.scalar)

    def body() -> None:
        _body(context, space, index, lower_body)

    _counted(context, directive, index, end, one, space.scalar, body)


def thread_loop(
    context: Context,
    directive: Directive,
    nest: list[CanonicalLoop],
    lower_body: Callable[[Stmt], None],
) -> None:
    """``for`` in a parallel region: adjacent threads take adjacent iterations, or chunks of the schedule."""
    builder = context.builder
    space = _iteration_space(context, directive, nest)
    scalar = space.scalar
    library(context, RuntimeCall.FOR)
    thread = _special(context, SpecialRegister.TID_X, scalar)
    threads = _special(context, SpecialRegister.NTID_X, scalar)
    chunk = _static_chunk(context, directive, scalar)
    if chunk is None:
        _thread_loop(context, directive, space, thread, space.total, threads, lower_body)
        return
    base = builder.variable(scalar)
    builder.move(base, binary_operation(context, BinaryOp.MUL, thread, chunk, scalar))
    stride = binary_operation(context, BinaryOp.MUL, threads, chunk, scalar)
    one = builder.constant(1, scalar)

    def one_chunk() -> None:
        end = _minimum(
            context,
            binary_operation(context, BinaryOp.ADD, base, chunk, scalar),
            space.total,
            scalar,
        )
        _thread_loop(context, directive, space, base, end, one, lower_body)

    _counted(context, directive, base, space.total, stride, scalar, one_chunk)


def _static_chunk(context: Context, directive: Directive, scalar: Scalar) -> int | None:
    """The chunk of ``schedule(static, n)``; None for 1, which is what clang takes by itself."""
    for clause in clauses(directive, "schedule"):
        if "static" in clause.text.partition(",")[0] and clause.expressions:
            chunk = convert(context, lower_value(context, clause.expressions[-1]), scalar)
            return None if context.builder.constants.get(chunk) == 1 else chunk
    return None


def _minimum(context: Context, a: int, b: int, scalar: Scalar) -> int:
    return context.builder.value(Op.MATH, scalar, a, b, detail="min")


def _counted(
    context: Context,
    directive: Directive,
    index: int,
    end: int,
    stride: int,
    scalar: Scalar,
    body: Callable[[], None],
) -> None:
    """``for (; index < end; index += stride) body``."""
    builder = context.builder
    condition: list[Region] = []
    inside: list[Region] = []
    step: list[Region] = []
    number = builder.loop_count
    builder.loop_count += 1
    builder.position = directive.position
    with builder.inside(condition):
        flag = builder.value(Op.LT, Scalar.BOOL, index, end, scalar=scalar)
    with builder.inside(inside):
        body()
    builder.position = directive.position
    with builder.inside(step):
        builder.move(index, builder.value(Op.ADD, scalar, index, stride))
    builder.add(
        Loop(number, condition, flag, inside, step, directive.position, is_grid_stride=True)
    )
