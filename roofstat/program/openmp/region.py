"""A target region: how its kernel is started, which variables it captures, and its outlining into code of its own."""

from __future__ import annotations

from collections import Counter
from enum import Enum
from typing import TYPE_CHECKING

from clang_queries.ir.expressions import Variable
from clang_queries.ir.statements import Directive, Stmt, VariableDeclaration
from clang_queries.ir.types import ArrayType, PointerType, Scalar
from clang_queries.ir.walk import walk
from clang_queries.quick_dataclass import dataclass
from roofstat.program.code import Code, Op, Parameter, ParameterPiece, Scope
from roofstat.program.context import Context, Frame, InMemory, InRegister, InSlot, Place
from roofstat.program.memory_access import store_place
from roofstat.program.openmp.binding import has_parallel_loop
from roofstat.program.openmp.canonical import known_trips, loop_nest
from roofstat.program.openmp.clauses import (
    WORKSHARING,
    clauses,
    directives_in,
    directives_of,
    has_clause,
    is_target,
    launch_chain,
    named_variables,
    nested_directive,
    words_of,
)
from roofstat.program.openmp.stated_sizes import StatedSizes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from clang_queries.ir.expressions import Position
    from clang_queries.ir.statements import Function
    from roofstat.program.code import Region
    from roofstat.program.link import Program


class ExecutionMode(Enum):
    """How the device run time executes a region (LLVM's names)."""

    SPMD = "spmd"
    """All threads run everything: combined constructs with `parallel`."""
    GENERIC_SPMD = "generic-spmd"
    """Sequential parts between parallel regions, run by all threads, with their side effects left to one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionSizes:
    """What constants, and values that the user states, say of a launch."""

    teams: int
    """What `num_teams` says; 0 where it says nothing or nothing known."""
    threads: int
    """The same of `thread_limit` and `num_threads`, the smaller."""
    trips: int
    """Iterations of the distributed loop where they are known, else 0."""
    arguments: Mapping[str, int]
    """Captured variables whose values are known, by name."""
    clauses: frozenset[str]
    """Names of the clauses that size the launch."""
    unknown: tuple[str, ...]
    """Clauses whose numbers are not known or not positive, as written."""
    stated: frozenset[str]
    """Names whose stated values the others rest on."""

    @property
    def is_stated(self) -> bool:
        """Whether the launch follows from what the user states."""
        return bool(self.stated and (self.teams or self.trips) and not self.unknown)


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRegion:
    """An outlined target region."""

    key: str
    code: Code
    function: str
    """Qualified name of the enclosing function."""
    function_key: str
    position: Position
    end_line: int
    directive: str
    """Its directive, and those directly within it, as one combined directive."""
    mode: ExecutionMode
    has_teams: bool
    """Whether it starts more than one team."""
    is_one_thread: bool
    """Whether a team has a single thread (`simd` without `parallel`)."""
    sizes: RegionSizes
    """What is known of its launch without the host code."""

    host_clauses: str = ""
    """Clauses that may keep it on the host; empty where it has none."""
    host_reason: str = ""
    """Why it is never launched, whatever the program does; empty for others."""

    @property
    def line(self) -> int:
        """1-based line of the directive."""
        return self.position.line


def execution_mode(statement: Directive) -> ExecutionMode:
    """The mode that clang gives a region: SPMD where a parallel construct is the whole of it."""
    directive: Directive | None = statement
    while directive is not None:
        words = words_of(directive)
        if words & {"parallel", "simd"} or ("loop" in words and not has_parallel_loop(directive)):
            return ExecutionMode.SPMD
        if words & {"distribute", "loop"}:
            break
        directive = nested_directive(directive)
    return ExecutionMode.GENERIC_SPMD


def region_functions(program: Program) -> list[Function]:
    """Functions that contain target regions."""
    return [
        function
        for function in program.functions.values()
        if any(map(is_target, directives_of(program, function)))
    ]


# Captured variables


@dataclass(frozen=True, slots=True)
class Capture:
    """A variable of the host function that a region uses."""

    variable: Variable
    by_reference: bool
    """Mapped memory, rather than a copy of the value."""


def captures(context: Context, statement: Directive) -> list[Capture]:
    """Variables of the host function that a region uses: scalars and pointers by value unless they are mapped."""
    declared = {node.key for node in walk(statement) if isinstance(node, VariableDeclaration)}
    mapped: set[str] = set()
    private: set[str] = set()
    # what the region's own directive makes private has no value outside
    own = {item.key for item in named_variables(clauses(statement, "private"))}
    for directive in directives_in(statement):
        shared = clauses(directive, "map", "reduction", "in_reduction", "shared", "lastprivate")
        mapped |= {item.key for item in named_variables(shared)}
        private |= {item.key for item in named_variables(clauses(directive, "private"))}
        if has_clause(directive, "defaultmap"):
            mapped |= _by_default_map(directive, context)
    own |= _counters(statement) - mapped
    found: dict[str, Capture] = {}
    for node in walk(statement):
        if not isinstance(node, Variable) or node.key in found or node.key in declared:
            continue
        if context.binding(node.key) is None or node.key in own:
            continue
        in_memory = isinstance(node.type, ArrayType) or context.program.scalar_of(node.type) is None
        is_pointer = isinstance(node.type, PointerType)
        shared_scalar = node.key in mapped and not is_pointer and node.key not in private
        found[node.key] = Capture(node, in_memory or shared_scalar)
    return list(found.values())


def _counters(statement: Directive) -> set[str]:
    """Variables that nothing but shared loops of a region uses as their counters: each iteration has its own."""
    uses = Counter(node.key for node in walk(statement) if isinstance(node, Variable))
    found: set[str] = set()
    for directive in directives_in(statement):
        if not words_of(directive) & (WORKSHARING | {"simd"}):
            continue
        counters = {loop.key for loop in loop_nest(directive)}
        inside = Counter(node.key for node in walk(directive) if isinstance(node, Variable))
        found |= {key for key in counters if inside[key] == uses[key]}
    return found


def _by_default_map(directive: Directive, context: Context) -> set[str]:
    """Scalars that ``defaultmap(tofrom: scalar)`` maps."""
    texts = "".join(clause.text for clause in clauses(directive, "defaultmap")).replace(" ", "")
    if not texts.startswith(("tofrom", "to:", "from", "alloc")):
        return set()
    return {
        node.key
        for node in walk(directive)
        if isinstance(node, Variable)
        and not isinstance(node.type, PointerType)
        and context.program.scalar_of(node.type) is not None
    }


def _bind_capture(context: Context, capture: Capture, parameters: list[Parameter]) -> None:
    builder, frame = context.builder, context.frame
    variable = capture.variable
    scalar = (
        Scalar.U64
        if capture.by_reference
        else context.program.scalar_of(variable.type) or Scalar.U64
    )
    pointer = variable.type if isinstance(variable.type, PointerType) else None
    size = variable.type.size_bytes
    index = len(parameters)
    parameters.append(
        Parameter(
            variable.name,
            8 if capture.by_reference else size,
            scalar,
            is_pointer=capture.by_reference or pointer is not None,
            pointee_bytes=size
            if capture.by_reference
            else (pointer.pointee.size_bytes if pointer else 0),
        )
    )
    piece = ParameterPiece(index=index, offset_bytes=0, name=variable.name)
    register = builder.value(Op.PARAM, scalar, detail=piece)
    if capture.by_reference:
        frame.bindings[variable.key] = InMemory(register, variable.name)
    elif variable.key in frame.mutated:
        slot = builder.local_slot(variable.name, max(size, 1), host=False, element=scalar)
        frame.bindings[variable.key] = InSlot(slot, variable.name)
        place = Place(builder.slot_address(slot), array=variable.name)
        store_place(context, place, register, scalar)
    else:
        frame.bindings[variable.key] = InRegister(register)


# Outlining


def outline(
    host: Context,
    statement: Directive,
    captured: list[Capture],
    lower: Callable[[Context, Directive], None],
) -> TargetRegion:
    """The region as code of its own; `lower` lowers its directive on the device."""
    from roofstat.program.builder import Builder
    from roofstat.program.called_functions import lower_called_functions
    from roofstat.program.passes import optimise
    from roofstat.program.statements import unwrap

    function = host.frame.function
    builder = Builder()
    builder.position = statement.position
    context = Context(host.program, builder, is_host=False, mutation_cache=host.mutation_cache)
    frame = Frame(function, host.frame.mutated, builder.new_label())
    context.frames.append(frame)
    parameters: list[Parameter] = []
    scope = Scope(frame.return_label, [], function.name)
    with builder.inside(scope.body):
        for capture in captured:
            _bind_capture(context, capture, parameters)
        lower(context, statement)
    body: list[Region] = unwrap(scope)
    builder.body.extend(body)
    functions = lower_called_functions(context)
    optimise(builder, {}, result=None, is_host=False, is_clang=True)
    key = _key(host.program, function, statement)
    code = Code(
        key=key,
        name=function.name,
        body=builder.body,
        register_types=builder.register_types,
        constants=builder.constants,
        variables=builder.variables,
        slots=builder.slots,
        parameters=parameters,
        result=None,
        assumptions=builder.assumptions,
        site_count=builder.site_count,
        block_count=builder.block_count,
        loop_count=builder.loop_count,
        functions=functions,
        tables=builder.tables,
    )
    words = frozenset().union(*(words_of(item) for item in directives_in(statement)))
    return TargetRegion(
        key=key,
        code=code,
        function=function.name,
        function_key=function.key,
        position=statement.position,
        end_line=max(
            (node.position.line for node in walk(statement) if isinstance(node, Stmt)), default=0
        ),
        directive=_spelled(launch_chain(statement)),
        mode=execution_mode(statement),
        has_teams="teams" in words,
        is_one_thread="simd" in words and not words & {"parallel", "loop"},
        sizes=_sizes(host, statement, captured),
    )


def _key(program: Program, function: Function, statement: Directive) -> str:
    """File, line and function; directives that a macro puts on one line are counted, as the profiler does."""
    place = statement.position
    same = [
        item
        for item in directives_of(program, function)
        if is_target(item) and item.position.line == place.line and item.position.file == place.file
    ]
    number = next((index for index, item in enumerate(same) if item is statement), 0)
    return f"omp:{place.file}:{place.line}{f'_{number}' if number else ''}:{function.key}"


def _sizes(host: Context, statement: Directive, captured: list[Capture]) -> RegionSizes:
    function = host.frame.function
    initial = host.program.unchanged_variables(function, host.frame.mutated)
    sizes = StatedSizes(host.program.stated, initial)
    chain = launch_chain(statement)
    found: dict[str, list[int]] = {"num_teams": [], "thread_limit": [], "num_threads": []}
    unknown: list[str] = []
    for clause in (clause for item in chain for clause in clauses(item, *found)):
        value = sizes.integer(clause.expressions[-1]) if clause.expressions else None
        if value is None:
            unknown.append(f"{clause.name}({clause.text})")
        elif value > 0:
            found[clause.name].append(value)
        else:
            unknown.append(f"{clause.name}({clause.text}), which is {value}")
    arguments = {
        capture.variable.name: value
        for capture in captured
        if not capture.by_reference and (value := sizes.integer(capture.variable)) is not None
    }
    return RegionSizes(
        teams=min(found["num_teams"], default=0),
        threads=min(found["thread_limit"] + found["num_threads"], default=0),
        trips=_trips(chain, sizes),
        arguments=arguments,
        clauses=frozenset(clause.name for item in chain for clause in clauses(item, *found)),
        unknown=tuple(unknown),
        stated=frozenset(sizes.used),
    )


def _trips(chain: list[Directive], sizes: StatedSizes) -> int:
    for directive in chain:
        words = words_of(directive)
        if words & WORKSHARING and words & {"distribute", "loop"}:
            nest = loop_nest(directive)
            return (known_trips(nest, sizes.integer) or 0) if nest else 0
    return 0


def _spelled(chain: list[Directive]) -> str:
    """Directives as one combined directive."""
    words = ["#pragma omp"]
    for statement in chain:
        words.append(statement.name)
        words += [
            f"{clause.name}({clause.text})" if clause.text else clause.name
            for clause in statement.clauses
        ]
    return " ".join(words)
