"""The host's side of a target region: the launch with what its clauses say, the host fallback, and mapped data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clang_queries.clause_expressions import SECTION
from clang_queries.ir.expressions import BinaryOp, OpaqueExpr, Variable
from clang_queries.ir.statements import Declare, Directive
from clang_queries.ir.types import ArrayType, PointerType, Scalar
from clang_queries.ir.walk import walk
from roofstat.program.code import If, LaunchSite, LibraryCall, Op
from roofstat.program.expressions import lower_condition, lower_value
from roofstat.program.memory_access import place_address
from roofstat.program.openmp.binding import parallel_condition
from roofstat.program.openmp.canonical import loop_nest, nest_counts
from roofstat.program.openmp.clauses import (
    WORKSHARING,
    clauses,
    launch_chain,
    modifier,
    words_of,
)
from roofstat.program.openmp.host_fallback import host_clauses, launch_flag
from roofstat.program.openmp.region import captures, outline
from roofstat.program.places import lower_place
from roofstat.program.register_arithmetic import binary_operation, convert

if TYPE_CHECKING:
    from collections.abc import Callable

    from clang_queries.ir.expressions import Expr
    from clang_queries.ir.statements import Stmt
    from roofstat.program.context import Context
    from roofstat.program.openmp.canonical import CanonicalLoop
    from roofstat.program.openmp.region import Capture

MAP_CALL = "omp_map_section"
"""Host call that tells the machine the extent of a mapped array section: pointer, first byte, length in bytes."""


def launch_region(
    context: Context,
    statement: Directive,
    lower: Callable[[Context, Directive], None],
    lower_body: Callable[[Context, Stmt], None],
) -> None:
    """Launch a target region, or run it on the host where its `if` clause is false."""
    map_sections(context, statement)
    captured = captures(context, statement)
    region = outline(context, statement, captured, lower)
    host = host_clauses(statement)
    region = replace(region, host_clauses=host.written, host_reason=host.always)
    context.program.regions[region.key] = region
    builder = context.builder
    builder.position = statement.position
    flag = launch_flag(context, host)
    if flag is None:
        launched = builder.constant(1, Scalar.BOOL)
        _launch(context, statement, region.key, captured, launched)
        return
    choice = If(flag, [], [], statement.position, "if", builder.new_branch_number())
    with builder.inside(choice.then):
        _launch(context, statement, region.key, captured, flag)
    with builder.inside(choice.otherwise):
        reason = host.always or f"{host.written} keeps it on the host"
        site = LaunchSite(kernel=region.key, is_target_region=True, host_reason=reason)
        builder.value(Op.LAUNCH, Scalar.I32, detail=site)
        if statement.body is not None:
            lower_body(context, statement.body)
    builder.add(choice)


def _launch(
    context: Context, statement: Directive, key: str, captured: list[Capture], launched: int
) -> None:
    builder = context.builder
    builder.position = statement.position
    zero = builder.constant(0, Scalar.I32)
    one = builder.constant(1, Scalar.I32)
    chain = launch_chain(statement)
    teams = _clause_value(context, chain, "num_teams")
    threads = _thread_limit(context, chain)
    operands = [
        teams if teams is not None else zero,
        one,
        one,
        threads if threads is not None else zero,
        one,
        one,
        zero,
        _host_trips(context, chain),
        launched,
    ]
    operands.extend(_capture_value(context, capture) for capture in captured)
    builder.position = statement.position
    builder.value(
        Op.LAUNCH, Scalar.I32, *operands, detail=LaunchSite(kernel=key, is_target_region=True)
    )


def _clause_value(context: Context, chain: list[Directive], name: str) -> int | None:
    for directive in chain:
        for clause in clauses(directive, name):
            if clause.expressions:
                # Of a range ``lower : upper`` the upper bound counts; it is read last.
                return convert(context, lower_value(context, clause.expressions[-1]), Scalar.I32)
    return None


def _thread_limit(context: Context, chain: list[Directive]) -> int | None:
    """The smaller of `thread_limit` and `num_threads`; one thread where `if(parallel: ...)` does not hold."""
    builder = context.builder
    limit = _clause_value(context, chain, "thread_limit")
    threads = _clause_value(context, chain, "num_threads")
    if limit is None or threads is None:
        found = limit if threads is None else threads
    else:
        smaller = builder.value(Op.LT, Scalar.BOOL, threads, limit, scalar=Scalar.I32)
        found = builder.value(Op.SELECT, Scalar.I32, smaller, threads, limit)
    for directive in chain:
        condition = parallel_condition(directive)
        # An `if` without a name on the target construct itself has decided already that there is a launch.
        is_decided = directive is chain[0] and not _names_parallel(directive)
        if "parallel" in words_of(directive) and condition is not None and not is_decided:
            flag = lower_condition(context, condition)
            one, none = builder.constant(1, Scalar.I32), builder.constant(0, Scalar.I32)
            several = found if found is not None else none
            found = builder.value(Op.SELECT, Scalar.I32, flag, several, one)
    return found


def _names_parallel(directive: Directive) -> bool:
    return any(modifier(clause) == "parallel" for clause in clauses(directive, "if"))


def _host_trips(context: Context, chain: list[Directive]) -> int:
    """Iterations of the loop that is distributed over teams, computed where the launch is; 0 where there is none."""
    builder = context.builder
    for directive in chain:
        words = words_of(directive)
        if not words & WORKSHARING or not words & {"distribute", "loop"}:
            continue
        nest = loop_nest(directive)
        if not nest:
            break
        if not _computable(context, nest):
            reason = "a trip count that depends on values inside the region"
            return builder.unknown(Scalar.I64, reason)
        total = builder.constant(1, Scalar.I64)
        for count in nest_counts(context, nest).trips:
            trips = convert(context, count, Scalar.I64)
            total = binary_operation(context, BinaryOp.MUL, total, trips, Scalar.I64)
        return total
    return builder.constant(0, Scalar.I64)


def _computable(context: Context, nest: list[CanonicalLoop]) -> bool:
    """Whether the bounds of a nest use what the host knows, or what the nest itself declares."""
    own = {loop.key for loop in nest}
    parts: list[Expr | Stmt] = []
    for loop in nest:
        parts += [*loop.before, loop.lower, loop.upper]
        own |= {item.variable.key for item in loop.before if isinstance(item, Declare)}
    return all(
        not isinstance(node, Variable)
        or node.key in own
        or context.binding(node.key) is not None
        or node.key in context.program.globals
        for part in parts
        for node in walk(part)
    )


def _capture_value(context: Context, capture: Capture) -> int:
    if capture.by_reference:
        return place_address(context, lower_place(context, capture.variable))
    return lower_value(context, capture.variable)


# Mapped data


def map_sections(context: Context, statement: Directive) -> None:
    """Tell the machine how long the mapped array sections are, for arrays whose allocation it did not see."""
    for clause in clauses(statement, "map", "to", "from"):
        for expression in clause.expressions:
            if isinstance(expression, OpaqueExpr) and expression.reason == SECTION:
                _map_section(context, expression)


def _map_section(context: Context, section: OpaqueExpr) -> None:
    if len(section.operands) != 3:
        return
    base, low, length = section.operands
    if isinstance(base.type, PointerType):
        size = base.type.pointee.size_bytes
        address = lower_value(context, base)
    elif isinstance(base.type, ArrayType):
        return
    else:
        return
    if size <= 0:
        return
    builder = context.builder
    element = builder.constant(size, Scalar.I64)
    parts = [
        binary_operation(
            context,
            BinaryOp.MUL,
            convert(context, lower_value(context, part), Scalar.I64),
            element,
            Scalar.I64,
        )
        for part in (low, length)
    ]
    builder.value(Op.LIBRARY, Scalar.I32, address, *parts, detail=LibraryCall(name=MAP_CALL))
