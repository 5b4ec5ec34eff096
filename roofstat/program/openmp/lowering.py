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
from roofstat.program.openmp.binding import (
    Binding,
    has_parallel_loop,
    loop_binding,
    threads_of,
)
from roofstat.program.openmp.canonical import loop_nest
from roofstat.program.openmp.clauses import (
    DATA_DIRECTIVES,
    clauses,
    is_target,
    words_of,
)
from roofstat.program.openmp.generic_mode import generic_reason
from roofstat.program.openmp.launching import launch_region, map_sections
from roofstat.program.openmp.modules import has_parallel
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
    has_side_effects,
    library,
    region_state,
    shared_by_team,
    thread_index,
    wait_for_first_thread,
)
from roofstat.program.openmp.worksharing import (
    distribute_loop,
    distribute_parallel_loop,
    thread_loop,
)
from roofstat.program.register_arithmetic import convert

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clang_queries.ir.statements import VariableDeclaration
    from roofstat.program.code import Region
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
        code: list[Region] = []
        with context.builder.inside(code):
            _device(context, statement)
        context.builder.position = statement.position
        call = RuntimeCall.INIT_ONLY if context.openmp.is_one_chunk else RuntimeCall.INIT_SPMD
        library(context, call, case=context.openmp.case)
        if context.openmp.counts_threads:
            library(context, RuntimeCall.NUM_THREADS)
        context.builder.region.extend(code)
    elif has_parallel(statement, context.program):
        library(context, RuntimeCall.INIT_TEAMS, case=context.openmp.case)
        reason = generic_reason(statement, context.program)
        if reason is not None:
            context.builder.assume(
                "openmp",
                f"{reason} between parallel regions leaves such parts to one thread of each team, apart from the others; "
                "counted as if all ran along",
            )
        _device(context, statement)
    else:
        # Nothing starts threads: the others leave at once.
        library(context, RuntimeCall.INIT_SEQUENTIAL, case=context.openmp.case)
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
        wait_for_first_thread(context)
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
            wait_for_first_thread(context)
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
    elif "atomic" in words:
        lower_atomic(context, directive)
    elif "critical" in words:
        library(context, RuntimeCall.CRITICAL)
        _note_serial(context, directive)
        _lower_body(context, directive.body)
    elif directive.name == "ordered":
        _note_serial(context, directive)
        _lower_body(context, directive.body)
    elif words & _ONE_THREAD and not words & {"taskloop"} and "parallel" not in words:
        _one_thread(context, directive)
    elif "sections" in words and "parallel" not in words:
        _sections(context, directive)
    else:
        with private_variables(context, directive):
            _construct(context, directive, words)


@contextmanager
def _inside(context: Context, directive: Directive) -> Iterator[None]:
    """What is lowered stands inside a construct."""
    state = context.openmp
    if state is None:
        yield
        return
    before = state.enclosing
    state.enclosing = directive.name, context.frame
    try:
        yield
    finally:
        state.enclosing = before


def _standalone(context: Context, words: frozenset[str]) -> None:
    if "barrier" in words:
        state = context.openmp
        if state is None or not state.is_one_thread:
            barrier(context)
    elif "flush" in words:
        context.builder.emit(Op.BARRIER, Scalar.VOID, detail="fence")


def _one_thread(context: Context, directive: Directive) -> None:
    state = context.openmp
    if state is not None and (state.is_one_thread or state.parallel_depth > 1):
        _body_of(context, directive)
        return
    number = None
    for clause in clauses(directive, "filter"):
        if clause.expressions:
            number = convert(context, lower_value(context, clause.expressions[0]), Scalar.U32)
    first_thread(context, directive.position, lambda: _body_of(context, directive), number)
    if "single" in words_of(directive) and not clauses(directive, "nowait"):
        barrier(context)


def _note_serial(context: Context, directive: Directive) -> None:
    context.builder.position = directive.position
    context.builder.assume(
        "serialised",
        f"threads run what stands under '{directive.name}' one after another: neither their waiting nor its time is counted",
    )


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
    binding = loop_binding(directive, _enclosing(context)) if "loop" in words else None
    depth = 0 if state is None else state.parallel_depth
    if "distribute" in words or (binding is Binding.TEAMS and depth == 0):
        is_parallel = "parallel" in words
        if binding is not None:
            is_parallel = not has_parallel_loop(directive)
        _distribute(context, directive, over_threads=is_parallel)
    elif state is not None and (
        "parallel" in words or (binding is Binding.PARALLEL and depth == 0)
    ):
        _parallel(context, directive, words)
    elif words & {"for", "do", "taskloop"} or binding is Binding.PARALLEL:
        _share_among_threads(context, directive)
    elif "teams" in words and clauses(directive, "reduction"):
        reductions = begin_reductions(context, directive)
        _body_of(context, directive)
        _finish_teams(context, directive, reductions)
    else:
        _body_of(context, directive)


def _enclosing(context: Context) -> str | None:
    """Name of the construct that closely encloses what is lowered, in the same function."""
    state = context.openmp
    if state is None or state.enclosing is None or state.enclosing[1] is not context.frame:
        return None
    return state.enclosing[0]


def _body_of(context: Context, directive: Directive) -> None:
    if directive.body is not None:
        with _inside(context, directive):
            _lower_body(context, directive.body)


def _iteration_of(
    context: Context, directive: Directive, *, is_work_shared: bool = True
) -> Callable[[Stmt], None]:
    """Lowers the body of a loop that a construct shares."""

    def lower(statement: Stmt) -> None:
        state = context.openmp
        before = state is not None and state.is_work_shared
        if state is not None:
            state.is_work_shared = is_work_shared
        with _inside(context, directive):
            _lower_body(context, statement)
        if state is not None:
            state.is_work_shared = before

    return lower


def _distribute(context: Context, directive: Directive, *, over_threads: bool) -> None:
    nest = loop_nest(directive)
    if not nest:
        _note_shape(context, directive)
        _body_of(context, directive)
        return
    reductions = begin_reductions(context, directive)
    body = _iteration_of(context, directive, is_work_shared=over_threads)
    if over_threads:
        with _parallel_region(context):
            distribute_parallel_loop(context, directive, nest, body)
    else:
        distribute_loop(context, directive, nest, body)
    _finish_teams(context, directive, reductions)


def _finish_teams(context: Context, directive: Directive, reductions: list[Reduction]) -> None:
    if reductions:
        combine_teams(context, directive, reductions)
        store_results(context, directive, reductions)
        end_reductions(context, reductions)


def _note_shape(context: Context, directive: Directive) -> None:
    context.builder.assume(
        "control-flow",
        f"the loop under '{directive.name}' has no canonical form; run by every thread",
    )


@contextmanager
def _parallel_region(context: Context, width: int | None = None) -> Iterator[None]:
    state = context.openmp
    if state is None:
        yield
        return
    before = state.is_one_thread, state.width, state.is_work_shared
    state.parallel_depth += 1
    state.is_one_thread, state.width, state.is_work_shared = False, width, False
    try:
        yield
    finally:
        state.parallel_depth -= 1
        state.is_one_thread, state.width, state.is_work_shared = before


def _parallel(context: Context, directive: Directive, words: frozenset[str]) -> None:
    """A parallel region of the team; inside another one it has one thread."""
    state = context.openmp
    assert state is not None
    if state.parallel_depth > 0:
        with _parallel_region(context):
            _parallel_body(context, directive, words)
        return
    _call_parallel(context, state)
    is_launched = any(item is directive for item in state.launch)
    width = None if is_launched else threads_of(context, directive)
    with _parallel_region(context, width):
        if width is None:
            _parallel_body(context, directive, words)
        else:
            _first_threads(
                context, directive, width, lambda: _parallel_body(context, directive, words)
            )
    barrier(context)


def _first_threads(
    context: Context, directive: Directive, width: int, body: Callable[[], None]
) -> None:
    """Only the first `width` threads of the team run `body`."""
    builder = context.builder
    flag = builder.value(Op.LT, Scalar.BOOL, thread_index(context), width, scalar=Scalar.U32)
    region = If(flag, [], [], directive.position, "if", builder.new_branch_number())
    with builder.inside(region.then):
        body()
    builder.add(region)


def _call_parallel(context: Context, state: RegionState) -> None:
    if state.is_spmd:
        library(context, RuntimeCall.PARALLEL_SPMD, case=state.case)
        return
    call = RuntimeCall.PARALLEL_ONLY if state.has_one_parallel else RuntimeCall.PARALLEL
    library(context, call, case=state.case)


def _parallel_body(context: Context, directive: Directive, words: frozenset[str]) -> None:
    if words & {"for", "do", "loop"}:
        _share_among_threads(context, directive)
        return
    reductions = begin_reductions(context, directive)
    if "sections" in words:
        _sections(context, directive)
    elif words & _ONE_THREAD and "taskloop" not in words:
        _one_thread(context, directive)
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
    is_shared_already = state is not None and state.is_work_shared
    if depth != 1 or is_shared_already or not nest:
        if depth == 1 and not is_shared_already:
            _note_shape(context, directive)
        _body_of(context, directive)
        return
    reductions = begin_reductions(context, directive)
    thread_loop(context, directive, nest, _iteration_of(context, directive))
    _finish_threads(context, directive, reductions)
    is_alone = "parallel" not in words_of(directive)
    if is_alone and not clauses(directive, "nowait"):
        barrier(context)


__all__ = ["declare_in_team", "lower_directive", "lower_in_team"]
