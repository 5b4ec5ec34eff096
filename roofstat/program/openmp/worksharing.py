"""Work-sharing loops as loops over teams and threads, as clang's device code runs them.

`distribute parallel for`: a team takes chunks of as many iterations as it may have threads, and goes on by the number of
teams; every chunk is a parallel region of its own, with its reductions. `distribute` alone: each team takes one contiguous
part. `for` in a parallel region: thread t takes t, t + threads, t + 2 threads and so on. Clauses that say otherwise are
read by `schedules`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from clang_queries.ir.expressions import BinaryOp
from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.program.code import If, Op, Scope, SpecialRegister, instructions_of
from roofstat.program.expressions import lower_value
from roofstat.program.memory_access import load_place, store_place
from roofstat.program.openmp.canonical import bind_indices, loop_scalar, nest_counts
from roofstat.program.openmp.clauses import clauses, constant_of, has_clause
from roofstat.program.openmp.reductions import begin_reductions, combine_threads, end_reductions
from roofstat.program.openmp.runtime_calls import RuntimeCall
from roofstat.program.openmp.schedules import (
    DEFAULT_THREADS,
    Schedule,
    Sharing,
    team_chunk,
    thread_schedule,
)
from roofstat.program.openmp.state import library, thread_count
from roofstat.program.register_arithmetic import binary_operation, convert, distance

if TYPE_CHECKING:
    from collections.abc import Callable

    from clang_queries.ir.expressions import Expr
    from clang_queries.ir.statements import Directive, Stmt
    from roofstat.program.code import Region
    from roofstat.program.context import Context
    from roofstat.program.openmp.canonical import CanonicalLoop, NestCounts
    from roofstat.program.openmp.state import LastPrivate

INDEX_BYTES = 4


@dataclass(frozen=True, slots=True)
class _Space:
    """The iteration space of a nest: registers computed before its loop."""

    nest: list[CanonicalLoop]
    counts: NestCounts
    trips: list[int]
    """Trip counts in the type of the index."""
    total: int
    scalar: Scalar
    is_signed: bool
    """Whether the loops count with signed numbers."""


def _iteration_space(
    context: Context,
    directive: Directive,
    nest: list[CanonicalLoop],
    *,
    shared_by_threads: bool = True,
) -> _Space:
    builder = context.builder
    builder.position = directive.position
    counts = nest_counts(context, nest)
    if counts.shape is None:
        builder.assume(
            "trip-count",
            "a bound in the collapsed nest is no linear function of an outer variable, which clang refuses: its loop has "
            "at most as many iterations as in the first, the middle or the last turn of the outer ones",
        )
    scalar = _counter_type(context, counts.trips)
    counts_unsigned = len(counts.trips) == 1 and _counts_unsigned(
        context, nest[0], counts.lowers[0]
    )
    if shared_by_threads and counts_unsigned and scalar is Scalar.I32:
        # What may wrap around cannot be widened, so that no pointer advances with it; a team's part was measured without.
        scalar = Scalar.U32
    trips = [convert(context, count, scalar) for count in counts.trips]
    builder.position = directive.position
    total = trips[0]
    for count in trips[1:]:
        total = binary_operation(context, BinaryOp.MUL, total, count, scalar)
    is_signed = not counts_unsigned and any(loop_scalar(context, loop).is_signed for loop in nest)
    return _Space(nest, counts, trips, total, scalar, is_signed)


def _counts_unsigned(context: Context, loop: CanonicalLoop, first: int) -> bool:
    """Whether clang counts the iterations of a loop without a sign: where their number may not fit the signed type."""
    if loop_scalar(context, loop) is Scalar.U32:
        return True
    start = context.builder.constants.get(first)
    is_closed = loop.comparison in (BinaryOp.LE, BinaryOp.GE)
    return is_closed or loop.is_decreasing or start is None or start < 0


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


def _body(
    context: Context, space: _Space, index: int, lower_body: Callable[[Stmt], None]
) -> list[Region]:
    """The body of the innermost loop, with the indices decoded; `continue` ends it."""
    builder = context.builder
    scope = Scope(builder.new_label(), [])
    context.frame.continue_labels.append(scope.label)
    with builder.inside(scope.body):
        flags = bind_indices(context, space.nest, space.counts, space.trips, index, space.scalar)
        _guarded(context, space, flags, lambda: lower_body(space.nest[-1].body))
    context.frame.continue_labels.pop()
    builder.add(scope)
    if context.openmp is not None and context.openmp.last_private:
        _keep_last(context, space, index, context.openmp.last_private)
    return scope.body


def _guarded(context: Context, space: _Space, flags: list[int], body: Callable[[], None]) -> None:
    """The body, where all flags hold."""
    if not flags:
        body()
        return
    builder = context.builder
    flag, *others = flags
    for other in others:
        flag = binary_operation(context, BinaryOp.AND, flag, other, Scalar.BOOL)
    position = space.nest[-1].lower.position
    region = If(flag, [], [], position, "if", builder.new_branch_number(), space.counts.shape)
    with builder.inside(region.then):
        body()
    builder.add(region)


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
    """``distribute parallel for``: each part of a team is a parallel region of its own.

    Where the region is nothing but parallel and no `dist_schedule` is written, clang gives a team as many iterations at a
    time as the code was compiled to have threads; a run time that starts fewer makes each thread take several in turn.
    """
    space = _iteration_space(context, directive, nest)
    scalar = space.scalar
    reduces = bool(clauses(directive, "reduction", "in_reduction"))
    threads = _special(context, SpecialRegister.NTID_X, scalar)
    state = context.openmp
    stated = team_chunk(directive)
    if stated is not None:
        chunk: int | None = convert(context, lower_value(context, stated), scalar)
    else:
        is_default = not has_clause(directive, "dist_schedule")
        is_per_team = is_default and (state is None or state.is_spmd)
        chunk = _compiled_threads(context, threads, scalar) if is_per_team else None
    schedule = thread_schedule(directive)
    has_own_rounds = stated is None and chunk is not None and schedule.chunk is None
    is_only = (
        has_own_rounds
        and schedule == Schedule(Sharing.ROUND_ROBIN)
        and _is_one_chunk(context, space)
    )
    if is_only and state is not None:
        state.is_one_chunk = True
    if is_only and scalar is not Scalar.I64:
        # The bounds are known, which leaves no sign.
        scalar = Scalar.U32
        trips = [convert(context, count, scalar) for count in space.trips]
        total = convert(context, space.total, scalar)
        space = replace(space, trips=trips, total=total, scalar=scalar)
        threads = convert(context, threads, scalar)
    kind = RuntimeCall.CHUNK_ONLY if is_only else _chunk_call(space)
    chunk_call = kind + ("" if state is None else state.case)
    reduce_call = RuntimeCall.REDUCE_REGION if chunk is None else RuntimeCall.REDUCE_CHUNK

    def part(first: int, end: int) -> None:
        reductions = begin_reductions(context, directive)
        if has_own_rounds:
            thread = _special(context, SpecialRegister.TID_X, scalar)
            own = binary_operation(context, BinaryOp.ADD, first, thread, scalar)
            if schedule.sharing is Sharing.ONE_BLOCK:
                library(context, RuntimeCall.BLOCK)
            if schedule.is_dispatched:
                call: str | None = RuntimeCall.DISPATCH
            else:
                library(context, chunk_call)
                steps_wide = _steps_in_64_bits(space) and not is_only
                call = RuntimeCall.ROUND_SIGNED if steps_wide else None
            _sequence(context, directive, space, own, end, threads, lower_body, call)
        else:
            library(context, chunk_call)
            _share(context, directive, space, first, end, schedule, lower_body)
        combine_threads(context, reductions, reduce_call)
        end_reductions(context, reductions)

    wide = RuntimeCall.DISTRIBUTE_WIDE_NEST if len(nest) > 1 else RuntimeCall.DISTRIBUTE_WIDE
    starts = [wide] if scalar is Scalar.I64 and not is_only else []
    starts += [RuntimeCall.REDUCE_START] if reduces else []

    def prepare() -> None:
        for call in starts:
            library(context, call)

    if is_only:
        _first_team(context, directive, space, part, prepare)
        return
    _over_teams(context, directive, space, chunk, part, prepare if starts else None)


def _is_one_chunk(context: Context, space: _Space) -> bool:
    """Whether the compiler knows that one chunk has all iterations: it leaves no loop over chunks then."""
    total = context.builder.constants.get(space.total)
    clause = _thread_clause(context)
    limit = (clause and constant_of(clause)) or DEFAULT_THREADS
    return total is not None and total <= limit


def _thread_clause(context: Context) -> Expr | None:
    """Threads of a team as far as a clause tells the compiler."""
    chain = () if context.openmp is None else context.openmp.launch
    found = [
        clause.expressions[-1]
        for name in ("num_threads", "thread_limit")
        for item in chain
        for clause in clauses(item, name)
        if clause.expressions
    ]
    return found[0] if found else None


def _compiled_threads(context: Context, threads: int, scalar: Scalar) -> int:
    """Threads of a team as far as the compiler knows: those of a clause, else the most that the run time starts unasked."""
    clause = _thread_clause(context)
    known = DEFAULT_THREADS if clause is None else constant_of(clause)
    # Teams of a stated size are not made smaller: the launch has what the compiler read.
    return threads if known is None else context.builder.constant(known, scalar)


def _steps_in_64_bits(space: _Space) -> bool:
    return space.is_signed and space.scalar is not Scalar.I64


def _chunk_call(space: _Space) -> RuntimeCall:
    if space.scalar is Scalar.I64:
        return RuntimeCall.CHUNK_WIDE
    return RuntimeCall.CHUNK_SIGNED if _steps_in_64_bits(space) else RuntimeCall.CHUNK


def distribute_loop(
    context: Context,
    directive: Directive,
    nest: list[CanonicalLoop],
    lower_body: Callable[[Stmt], None],
) -> None:
    """``distribute``: each team runs one contiguous part, or chunks where `dist_schedule` says so."""
    space = _iteration_space(context, directive, nest, shared_by_threads=False)
    stated = team_chunk(directive)
    is_part = stated is None and space.scalar is not Scalar.I64
    part = RuntimeCall.PART_SIGNED if space.is_signed else RuntimeCall.PART
    library(context, part if is_part else RuntimeCall.DISTRIBUTE)
    chunk = (
        convert(context, lower_value(context, stated), space.scalar) if stated is not None else None
    )
    one = context.builder.constant(1, space.scalar)
    _over_teams(
        context,
        directive,
        space,
        chunk,
        lambda first, end: _sequence(context, directive, space, first, end, one, lower_body),
    )


def thread_loop(
    context: Context,
    directive: Directive,
    nest: list[CanonicalLoop],
    lower_body: Callable[[Stmt], None],
) -> None:
    """``for`` in a parallel region."""
    space = _iteration_space(context, directive, nest)
    library(context, RuntimeCall.FOR)
    zero = context.builder.constant(0, space.scalar)
    schedule = thread_schedule(directive)
    _share(context, directive, space, zero, space.total, schedule, lower_body)


def _first_team(
    context: Context,
    directive: Directive,
    space: _Space,
    part: Callable[[int, int], None],
    prepare: Callable[[], object],
) -> None:
    """Run `part` for all iterations in the first team; the others leave."""
    builder, scalar = context.builder, space.scalar
    zero = builder.constant(0, scalar)
    team = _special(context, SpecialRegister.CTAID_X, scalar)
    flag = builder.value(Op.EQ, Scalar.BOOL, team, zero, scalar=scalar)
    region = If(flag, [], [], directive.position, "if", builder.new_branch_number())
    with builder.inside(region.then):
        prepare()
        part(zero, space.total)
    builder.add(region)


def _over_teams(
    context: Context,
    directive: Directive,
    space: _Space,
    chunk: int | None,
    part: Callable[[int, int], None],
    prepare: Callable[[], object] | None = None,
) -> None:
    """Run `part` for the iterations of a team: its chunks in turn, or one contiguous part of the loop.

    `prepare` is for teams with a chunk.
    """
    scalar = space.scalar
    team = _special(context, SpecialRegister.CTAID_X, scalar)
    teams = _special(context, SpecialRegister.NCTAID_X, scalar)
    if chunk is not None:
        _chunks(context, directive, _Range(team, space.total), teams, chunk, scalar, part, prepare)
        return
    zero = context.builder.constant(0, scalar)
    part(*_block_of(context, zero, space.total, team, teams, scalar))


def _share(
    context: Context,
    directive: Directive,
    space: _Space,
    first: int,
    end: int,
    schedule: Schedule,
    lower_body: Callable[[Stmt], None],
) -> None:
    """Share iterations `first` to `end` among the threads of the team."""
    builder, scalar = context.builder, space.scalar
    thread = _special(context, SpecialRegister.TID_X, scalar)
    threads = convert(context, thread_count(context), scalar)
    one = builder.constant(1, scalar)
    call = RuntimeCall.DISPATCH if schedule.is_dispatched else RuntimeCall.ITERATION
    if schedule.sharing is Sharing.ONE_BLOCK:
        library(context, RuntimeCall.BLOCK)
        low, high = _block_of(context, first, end, thread, threads, scalar)
        _sequence(context, directive, space, low, high, one, lower_body, call)
        return
    chunk = (
        convert(context, lower_value(context, schedule.chunk), scalar)
        if schedule.chunk is not None
        else one
    )
    if builder.constants.get(chunk) == 1:
        own = _plus(context, first, thread, scalar)
        _sequence(context, directive, space, own, end, threads, lower_body, call)
        return

    def one_chunk(low: int, high: int) -> None:
        if schedule.is_dispatched:
            library(context, call)
        inside = None if schedule.is_dispatched else call
        _sequence(context, directive, space, low, high, one, lower_body, inside)

    _chunks(context, directive, _Range(thread, end, first), threads, chunk, scalar, one_chunk)


@dataclass(frozen=True, slots=True)
class _Range:
    """Iterations that entities share in turn."""

    entity: int
    """Register with the number of the team or thread."""
    end: int
    first: int | None = None
    """Register with the first iteration; None for 0."""


def _chunks(
    context: Context,
    directive: Directive,
    shared: _Range,
    entities: int,
    chunk: int,
    scalar: Scalar,
    body: Callable[[int, int], None],
    prepare: Callable[[], object] | None = None,
) -> None:
    """Chunks of a loop in turn: entity e runs chunks e, e + entities, ...; `prepare` comes before its first one."""
    builder = context.builder
    base = builder.variable(scalar)
    start = binary_operation(context, BinaryOp.MUL, shared.entity, chunk, scalar)
    builder.move(
        base, start if shared.first is None else _plus(context, shared.first, start, scalar)
    )
    stride = binary_operation(context, BinaryOp.MUL, entities, chunk, scalar)
    if prepare is not None:
        flag = builder.value(Op.LT, Scalar.BOOL, base, shared.end, scalar=scalar)
        region = If(flag, [], [], directive.position, "if", builder.new_branch_number())
        with builder.inside(region.then):
            prepare()
        builder.add(region)

    def one_chunk() -> None:
        end = binary_operation(context, BinaryOp.ADD, base, chunk, scalar)
        body(base, _minimum(context, end, shared.end, scalar))

    _counted(context, directive, base, shared.end, stride, scalar, one_chunk)


def _block_of(
    context: Context, first: int, end: int, entity: int, entities: int, scalar: Scalar
) -> tuple[int, int]:
    """The contiguous iterations of a thread or team: equal parts, the first ones taking one of the rest each."""
    builder = context.builder
    size = distance(context, first, end, scalar)
    each = binary_operation(context, BinaryOp.DIV, size, entities, scalar)
    shared = binary_operation(context, BinaryOp.MUL, each, entities, scalar)
    rest = binary_operation(context, BinaryOp.SUB, size, shared, scalar)

    def bound(number: int) -> int:
        before = binary_operation(context, BinaryOp.MUL, number, each, scalar)
        extra = _minimum(context, number, rest, scalar)
        return _plus(
            context, first, binary_operation(context, BinaryOp.ADD, before, extra, scalar), scalar
        )

    following = binary_operation(context, BinaryOp.ADD, entity, builder.constant(1, scalar), scalar)
    return bound(entity), bound(following)


def _plus(context: Context, a: int, b: int, scalar: Scalar) -> int:
    if context.builder.constants.get(a) == 0:
        return b
    return binary_operation(context, BinaryOp.ADD, a, b, scalar)


def _sequence(
    context: Context,
    directive: Directive,
    space: _Space,
    first: int,
    end: int,
    stride: int,
    lower_body: Callable[[Stmt], None],
    call: str | None = None,
) -> None:
    """Iterations `first`, `first` + `stride`, ... of one thread, with what the run time does in each."""
    builder = context.builder
    index = builder.variable(space.scalar)
    builder.move(index, first)

    def body() -> None:
        if call is not None:
            library(context, call)
        lowered = _body(context, space, index, lower_body)
        if call == RuntimeCall.ITERATION and _is_copied_wide(space, lowered):
            signed, unsigned = RuntimeCall.ITERATION_WIDE, RuntimeCall.ITERATION_WIDE_UNSIGNED
            library(context, signed if space.is_signed else unsigned)

    _counted(context, directive, index, end, stride, space.scalar, body)


def _is_copied_wide(space: _Space, body: list[Region]) -> bool:
    """Whether LLVM makes a loop with a counter of 64 bits ready for copies: neither with atomics in it nor most nests, which divide."""
    has_atomics = any(item.op is Op.ATOMIC for item in instructions_of(body))
    return space.scalar is Scalar.I64 and len(space.nest) == 1 and not has_atomics


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
    builder.position = directive.position
    builder.repeat(
        lambda: builder.value(Op.LT, Scalar.BOOL, index, end, scalar=scalar),
        body,
        lambda: builder.move(index, builder.value(Op.ADD, scalar, index, stride)),
        is_grid_stride=True,
    )
