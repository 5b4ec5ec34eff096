"""Directives on the device (inside a target region) and on the host (around and outside of them)."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from clang_queries.ir.expressions import Call
from clang_queries.ir.statements import Compound, Declare, Directive, Evaluate, Stmt
from clang_queries.ir.types import ArrayType, Scalar
from roofstat.program.code import If, Op, Slot, Space
from roofstat.program.context import InSlot, Place
from roofstat.program.expressions import lower_value
from roofstat.program.memory_access import store_place
from roofstat.program.openmp.atomics import lower_atomic
from roofstat.program.openmp.canonical import loop_nest
from roofstat.program.openmp.clauses import (
    DATA_DIRECTIVES,
    clauses,
    constant_of,
    is_target,
    modifier,
    words_of,
)
from roofstat.program.openmp.launching import launch_region, map_sections
from roofstat.program.openmp.private import private_variables
from roofstat.program.openmp.reductions import (
    Reduction,
    begin_reductions,
    combine_teams,
    combine_threads,
    end_reductions,
    store_results,
)
from roofstat.program.openmp.region import ExecutionMode, execution_mode
from roofstat.program.openmp.runtime_calls import RuntimeCall
from roofstat.program.openmp.state import (
    RegionState,
    barrier,
    first_thread,
    has_parallel,
    has_side_effects,
    library,
    region_state,
    shared_by_team,
    thread_index,
)
from roofstat.program.openmp.worksharing import (
    distribute_loop,
    distribute_parallel_loop,
    thread_loop,
)
from roofstat.program.register_arithmetic import convert

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clang_queries.ir.statements import VariableDeclaration
    from roofstat.program.context import Context

_ONE_THREAD = frozenset({"single", "master", "masked"})


def lower_directive(context: Context, statement: Directive) -> None:
    """Lower a directive and the statement bound to it."""
    if not context.is_host:
        _device(context, statement)
    elif is_target(statement):
        launch_region(context, statement, _lower_target, _lower_body)
    else:
        if statement.name in DATA_DIRECTIVES:
            map_sections(context, statement)
        if statement.body is not None:
            _lower_body(context, statement.body)


def _lower_body(context: Context, body: Stmt) -> None:
    from roofstat.program.statements import lower_statement

    lower_statement(context, body)


# The region as a whole


def _lower_target(context: Context, statement: Directive) -> None:
    """The code of a target region."""
    context.openmp = region_state(context, statement)
    mode = execution_mode(statement)
    if mode is ExecutionMode.SPMD:
        library(context, RuntimeCall.INIT_SPMD)
        _device(context, statement)
    elif has_parallel(statement, context.program):
        library(context, RuntimeCall.INIT_TEAMS)
        _device(context, statement)
    else:
        # Nothing starts threads: the others leave at once.
        library(context, RuntimeCall.INIT_SEQUENTIAL)
        first_thread(context, statement.position, lambda: _device(context, statement))


def lower_in_team(context: Context, statement: Stmt) -> bool:
    """Lower a statement between parallel regions that needs a guard or memory of the team; False if it needs neither."""
    state = context.openmp
    if state is None or not state.is_team_part:
        return False
    if isinstance(statement, Declare):
        return declare_in_team(context, statement.variable)
    if isinstance(statement, Evaluate) and has_side_effects(context, statement.expression):
        if isinstance(statement.expression, Call) and has_parallel(statement, context.program):
            return False
        first_thread(context, statement.position, lambda: _lower_body(context, statement))
        barrier(context)
        return True
    return False


def declare_in_team(context: Context, variable: VariableDeclaration) -> bool:
    """Give a variable memory of the team, where parallel regions share it; False if it stays private."""
    if not shared_by_team(context, variable):
        return False
    builder = context.builder
    element = variable.type
    while isinstance(element, ArrayType):
        element = element.element
    leaves = context.program.leaves(element)
    length = None
    if variable.length is not None:
        length = convert(context, lower_value(context, variable.length), Scalar.I64)
    slot = builder.slot(
        Slot(
            name=variable.name,
            size_bytes=max(variable.type.size_bytes, 1),
            space=Space.SHARED,
            position=variable.position,
            element=leaves[0].scalar if leaves else None,
            key=variable.key,
            length_register=length,
            element_bytes=element.size_bytes,
        )
    )
    context.frame.bindings[variable.key] = InSlot(slot, variable.name)
    initializer = variable.initializer
    if initializer is not None:
        from roofstat.program.records import lower_record_into

        scalar = context.program.scalar_of(variable.type)

        def initialise() -> None:
            place = Place(builder.slot_address(slot), array=variable.name)
            if scalar is None:
                lower_record_into(context, initializer, place)
            else:
                value = convert(context, lower_value(context, initializer), scalar)
                store_place(context, place, value, scalar)

        state = context.openmp
        if state is not None and state.is_one_thread:
            initialise()
        else:
            first_thread(context, variable.position, initialise)
            barrier(context)
    return True


# Directives


def _device(context: Context, directive: Directive) -> None:
    state = context.openmp
    depth = len(state.constructs) if state is not None else 0
    if state is not None:
        state.constructs += directive.name.split()
    _device_construct(context, directive)
    if state is not None:
        del state.constructs[depth:]


def _device_construct(context: Context, directive: Directive) -> None:
    words = words_of(directive)
    if directive.body is None:
        _standalone(context, words)
        return
    if "atomic" in words:
        lower_atomic(context, directive)
    elif "critical" in words:
        library(context, RuntimeCall.CRITICAL)
        _lower_body(context, directive.body)
    elif words & _ONE_THREAD and not words & {"taskloop"} and "parallel" not in words:
        _one_thread(context, directive)
    elif "sections" in words and "parallel" not in words:
        _sections(context, directive)
    else:
        with private_variables(context, directive):
            _construct(context, directive, words)


def _standalone(context: Context, words: frozenset[str]) -> None:
    if "barrier" in words:
        state = context.openmp
        if state is None or not state.is_one_thread:
            barrier(context)
    elif "flush" in words:
        context.builder.emit(Op.BARRIER, Scalar.VOID, detail="fence")


def _one_thread(context: Context, directive: Directive) -> None:
    state = context.openmp
    body = directive.body
    assert body is not None
    if state is not None and (state.is_one_thread or state.parallel_depth > 1):
        _lower_body(context, body)
        return
    first_thread(context, directive.position, lambda: _lower_body(context, body))
    if "single" in words_of(directive) and not clauses(directive, "nowait"):
        barrier(context)


def _sections(context: Context, directive: Directive) -> None:
    """Section k is run by thread k."""
    body = directive.body
    items = body.body if isinstance(body, Compound) else (body,)
    groups: list[list[Stmt]] = [[]]
    for item in items:
        if isinstance(item, Directive) and item.name == "section":
            groups.append([item.body] if item.body is not None else [])
            groups.append([])
        elif item is not None:
            groups[-1].append(item)
    builder = context.builder
    for number, group in enumerate(group for group in groups if group):
        wanted = builder.constant(number, Scalar.U32)
        flag = builder.value(Op.EQ, Scalar.BOOL, thread_index(context), wanted, scalar=Scalar.U32)
        region = If(flag, [], [], directive.position, "if", builder.new_branch_number())
        with builder.inside(region.then):
            for item in group:
                _lower_body(context, item)
        builder.add(region)
    if not clauses(directive, "nowait"):
        barrier(context)


def _construct(context: Context, directive: Directive, words: frozenset[str]) -> None:
    """A construct that starts threads, shares work, or only opens a region."""
    state = context.openmp
    over_teams = "distribute" in words or ("loop" in words and _is_bound_to_teams(context, words))
    over_threads = bool(words & {"parallel", "loop"})
    if over_teams:
        _distribute(context, directive, over_threads=over_threads)
    elif "parallel" in words and state is not None:
        _parallel(context, directive, words)
    elif words & {"for", "do", "loop", "taskloop"}:
        _share_among_threads(context, directive)
    elif "teams" in words and clauses(directive, "reduction"):
        reductions = begin_reductions(context, directive)
        _body_of(context, directive)
        _finish_teams(context, directive, reductions)
    else:
        _body_of(context, directive)


def _is_bound_to_teams(context: Context, words: frozenset[str]) -> bool:
    state = context.openmp
    return "parallel" not in words and (state is None or state.parallel_depth == 0)


def _body_of(context: Context, directive: Directive) -> None:
    if directive.body is not None:
        _lower_body(context, directive.body)


def _distribute(context: Context, directive: Directive, *, over_threads: bool) -> None:
    nest = loop_nest(directive)
    if not nest:
        _note_shape(context, directive)
        _body_of(context, directive)
        return
    reductions = begin_reductions(context, directive)
    body = lambda statement: _lower_body(context, statement)  # noqa: E731
    if over_threads:
        with _parallel_region(context):
            distribute_parallel_loop(context, directive, nest, body)
    else:
        distribute_loop(context, directive, nest, body)
    _finish_teams(context, directive, reductions)


def _finish_teams(context: Context, directive: Directive, reductions: list[Reduction]) -> None:
    if reductions:
        combine_teams(context, reductions)
        store_results(context, directive, reductions)
        end_reductions(context, reductions)


def _note_shape(context: Context, directive: Directive) -> None:
    context.builder.assume(
        "control-flow",
        f"the loop under '{directive.name}' has no canonical form; run by every thread",
    )


@contextmanager
def _parallel_region(context: Context) -> Iterator[None]:
    state = context.openmp
    if state is None:
        yield
        return
    before = state.is_one_thread
    state.parallel_depth += 1
    state.is_one_thread = False
    try:
        yield
    finally:
        state.parallel_depth -= 1
        state.is_one_thread = before


def _parallel(context: Context, directive: Directive, words: frozenset[str]) -> None:
    """A parallel region of the team; inside another one it has one thread."""
    state = context.openmp
    assert state is not None
    is_nested = state.parallel_depth > 0
    is_serial = is_nested or _is_serialised(directive)
    if not is_nested:
        library(context, _parallel_call(state))
    with _parallel_region(context):
        if is_serial and not is_nested:
            first_thread(
                context, directive.position, lambda: _parallel_body(context, directive, words)
            )
        else:
            _parallel_body(context, directive, words)
    if not is_nested:
        barrier(context)


def _parallel_call(state: RegionState) -> RuntimeCall:
    if not state.has_one_parallel:
        return RuntimeCall.PARALLEL
    return RuntimeCall.PARALLEL_ONLY if state.is_resolved else RuntimeCall.PARALLEL_UNRESOLVED


def _is_serialised(directive: Directive) -> bool:
    """Whether ``if(parallel: 0)`` or ``num_threads(1)`` leaves one thread."""
    for clause in clauses(directive, "if"):
        if modifier(clause) in ("", "parallel") and clause.expressions:
            return constant_of(clause.expressions[0]) == 0
    return any(
        constant_of(clause.expressions[0]) == 1
        for clause in clauses(directive, "num_threads")
        if clause.expressions
    )


def _parallel_body(context: Context, directive: Directive, words: frozenset[str]) -> None:
    if words & {"for", "do", "loop"}:
        _share_among_threads(context, directive)
        return
    reductions = begin_reductions(context, directive)
    if "sections" in words:
        _sections(context, directive)
    else:
        _body_of(context, directive)
    _finish_threads(context, directive, reductions)


def _finish_threads(context: Context, directive: Directive, reductions: list[Reduction]) -> None:
    if reductions:
        combine_threads(context, reductions)
        store_results(context, directive, reductions)
        end_reductions(context, reductions)


def _share_among_threads(context: Context, directive: Directive) -> None:
    """``for`` and its kin: over the threads of a parallel region, else a plain loop."""
    state = context.openmp
    depth = 1 if state is None else state.parallel_depth
    nest = loop_nest(directive)
    if depth != 1 or not nest:
        if depth == 1:
            _note_shape(context, directive)
        _body_of(context, directive)
        return
    reductions = begin_reductions(context, directive)
    thread_loop(context, directive, nest, lambda statement: _lower_body(context, statement))
    _finish_threads(context, directive, reductions)
    is_alone = "parallel" not in words_of(directive)
    if is_alone and not clauses(directive, "nowait"):
        barrier(context)


__all__ = ["declare_in_team", "lower_directive", "lower_in_team"]
