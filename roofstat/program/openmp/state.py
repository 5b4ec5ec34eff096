"""What the device lowering of a target region knows about the threads that run the statement at hand."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from clang_queries.ir.expressions import (
    Assign,
    Call,
    CompoundAssign,
    Expr,
    IncDec,
    Variable,
)
from clang_queries.ir.statements import Directive, Loop, Stmt
from clang_queries.ir.types import ArrayType, Scalar
from clang_queries.ir.walk import Node, children, walk
from clang_queries.quick_dataclass import dataclass
from roofstat.program.code import If, LibraryCall, Op, Space, SpecialRegister
from roofstat.program.context import InMemory, InSlot
from roofstat.program.openmp.clauses import (
    directives_in,
    directives_of,
    has_clause,
    launch_chain,
    words_of,
)
from roofstat.program.openmp.modules import RegionModule, region_module
from roofstat.program.openmp.region import ExecutionMode, execution_mode
from roofstat.program.openmp.runtime_calls import COUNTED, LOOKED_UP, RuntimeCall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clang_queries.ir.expressions import Position
    from clang_queries.ir.statements import Function, VariableDeclaration
    from roofstat.program.context import Context, Frame, Place


@dataclass(frozen=True, slots=True)
class LastPrivate:
    """A variable of a `lastprivate` clause."""

    original: Place
    private: Place
    scalar: Scalar


@dataclass(slots=True, eq=False)
class RegionState:
    """Who runs the code that is being lowered."""

    is_spmd: bool = True
    """Whether the region is nothing but parallel: all threads run everything."""
    module: RegionModule = field(default_factory=RegionModule)
    """What the compiler can resolve."""
    counts_threads: bool = False
    """Whether a `num_threads` clause of its own sets the number of threads."""
    has_one_parallel: bool = False
    """Whether the region holds one parallel region, outside of loops of the team."""
    is_one_chunk: bool = False
    """Whether the one loop of the region is known to have no more iterations than a team has threads."""
    parallel_depth: int = 0
    """Enclosing parallel regions; the second and deeper ones have one thread each."""
    constructs: list[str] = field(default_factory=list)
    """Words of the constructs around the code, outermost first."""
    is_work_shared: bool = False
    """Inside an iteration of a loop that the threads share."""
    enclosing: tuple[str, Frame] | None = None
    """Name of the closest construct around, and the function in which it stands."""
    launch: tuple[Directive, ...] = ()
    """Directives whose clauses the host has turned into the launch."""
    width: int | None = None
    """Register with the threads of the parallel region, where not all of the team take part."""
    is_one_thread: bool = False
    """Inside code that only the first thread of a team runs."""
    last_private: list[LastPrivate] = field(default_factory=list)
    """Variables whose value in the last iteration goes back to the original."""

    @property
    def case(self) -> str:
        """What the compiler could not resolve, as the end of a call's name."""
        is_last = bool(self.launch) and self.launch[0] is self.module.last
        if self.module.is_mixed and not is_last:
            return LOOKED_UP
        is_counted = self.module.is_mixed or self.module.counts_threads
        return COUNTED if self.is_spmd and is_counted else ""

    @property
    def is_team_part(self) -> bool:
        """Between parallel regions: all threads run along, but side effects are left to the first."""
        return self.parallel_depth == 0 and not self.is_one_thread


def library(
    context: Context,
    call: str,
    scalar: Scalar = Scalar.I32,
    *operands: int,
    case: str = "",
) -> int:
    """Work of the device run time, by every active thread; `case` ends its name where it has several forms."""
    detail = LibraryCall(name=call + case)
    return context.builder.value(
        Op.LIBRARY, scalar, *operands, thread_index(context), detail=detail
    )


def thread_count(context: Context) -> int:
    """Threads of the parallel region."""
    state = context.openmp
    if state is not None and state.width is not None:
        return state.width
    return context.builder.value(Op.SPECIAL, Scalar.U32, detail=SpecialRegister.NTID_X)


def thread_index(context: Context) -> int:
    """Index of the thread in its team."""
    return context.builder.value(Op.SPECIAL, Scalar.U32, detail=SpecialRegister.TID_X)


def first_thread(
    context: Context, position: Position, body: Callable[[], None], number: int | None = None
) -> None:
    """Only one thread of each team runs `body`: the first, or the one that register `number` tells."""
    builder = context.builder
    state = context.openmp
    if number is None:
        number = builder.constant(0, Scalar.U32)
    flag = builder.value(Op.EQ, Scalar.BOOL, thread_index(context), number, scalar=Scalar.U32)
    region = If(flag, [], [], position, "if", builder.new_branch_number())
    before = state.is_one_thread if state is not None else False
    if state is not None:
        state.is_one_thread = True
    with builder.inside(region.then):
        body()
    if state is not None:
        state.is_one_thread = before
    builder.add(region)


def barrier(context: Context) -> None:
    """All threads of the team meet."""
    state = context.openmp
    if state is not None and not state.is_spmd and state.case:
        library(context, RuntimeCall.MODE)
    wait_for_first_thread(context)


def wait_for_first_thread(context: Context) -> None:
    """The barrier behind what one thread does for all: the compiler has put it there and knows the mode."""
    context.builder.emit(Op.BARRIER, Scalar.VOID, detail="block")


def region_state(context: Context, statement: Directive) -> RegionState:
    """The state at the start of a region."""
    own_count = any(has_clause(item, "num_threads") for item in directives_in(statement))
    parallel = [item for item in directives_in(statement) if words_of(item) & {"parallel", "loop"}]
    in_loop = any(_is_in_loop(item, statement) for item in parallel)
    return RegionState(
        is_spmd=execution_mode(statement) is ExecutionMode.SPMD,
        module=region_module(context.program, context.frame.function),
        launch=tuple(launch_chain(statement)),
        counts_threads=own_count,
        has_one_parallel=len(parallel) == 1 and not in_loop,
    )


def _is_in_loop(wanted: Directive, statement: Stmt) -> bool:
    """Whether a directive stands in a loop of a statement."""
    stack: list[tuple[Node, bool]] = [(statement, False)]
    while stack:
        node, is_inside = stack.pop()
        if node is wanted:
            return is_inside
        is_inside = is_inside or isinstance(node, Loop)
        stack.extend((below, is_inside) for below in children(node))
    return False


# Which statements need the guard, which variables the team shares


def shared_by_team(context: Context, variable: VariableDeclaration) -> bool:
    """Whether a variable declared between parallel regions lives in memory of the team.

    Arrays and records that parallel regions use do, and scalars that they change. Other scalars have the same value in
    every thread: where a loop with a barrier uses them they are loaded anew in each round, since the compiler does not
    know that nobody changes them, and so nothing that depends on them is computed before the loop.
    """
    state = context.openmp
    if state is None or not (state.is_team_part or state.is_one_thread) or state.parallel_depth:
        return False
    used, in_memory = _used_in_parallel(context.frame.function, context)
    if context.program.scalar_of(variable.type) is None or isinstance(variable.type, ArrayType):
        return variable.key in used
    return variable.key in in_memory


def _used_in_parallel(
    function: Function, context: Context
) -> tuple[frozenset[str], frozenset[str]]:
    """Variables that parallel regions of a function use, and scalars that they assign or load anew."""
    found = context.program.team_variables.get(function.key)
    if found is None:
        names: set[str] = set()
        assigned: set[str] = set()
        for directive in directives_of(context.program, function):
            if not words_of(directive) & {"parallel", "loop"}:
                continue
            assigned |= _loaded_anew(directive)
            for node in walk(directive):
                if isinstance(node, Variable):
                    names.add(node.key)
                elif isinstance(node, Assign | CompoundAssign | IncDec) and isinstance(
                    node.target, Variable
                ):
                    assigned.add(node.target.key)
        found = frozenset(names), frozenset(assigned)
        context.program.team_variables[function.key] = found
    return found


def _loaded_anew(parallel: Directive) -> set[str]:
    """Variables that loops with barriers of a parallel region use."""
    found: set[str] = set()
    for loop in walk(parallel):
        if isinstance(loop, Loop) and any(_waits(node) for node in walk(loop)):
            found.update(node.key for node in walk(loop) if isinstance(node, Variable))
    return found


def _waits(node: Node) -> bool:
    """Whether the threads of a team wait for each other at a directive, or at its end."""
    if not isinstance(node, Directive):
        return False
    words = words_of(node)
    is_shared = bool(words & {"for", "single"}) and "parallel" not in words
    return "barrier" in words or (is_shared and not has_clause(node, "nowait"))


def has_side_effects(context: Context, expression: Expr) -> bool:
    """Whether an expression statement does more than set private variables."""
    if isinstance(expression, Call):
        return True
    return any(
        not isinstance(target, Variable) or _is_shared(context, target)
        for target in _targets(expression)
    )


def _targets(expression: Expr) -> Iterator[Expr]:
    for node in walk(expression):
        if isinstance(node, Assign | CompoundAssign | IncDec):
            yield node.target


def _is_shared(context: Context, variable: Variable) -> bool:
    binding = context.binding(variable.key)
    if isinstance(binding, InSlot):
        return context.builder.slots[binding.slot].space is Space.SHARED
    return binding is None or isinstance(binding, InMemory)
