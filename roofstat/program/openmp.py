"""OpenMP: a target region becomes a kernel of its own, and work-sharing loops become loops over the grid.

What clang's run time does by default: adjacent threads take adjacent iterations (a distribute chunk is one team's
threads, the inner schedule is static with chunk 1), so a combined construct is a grid-stride loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clang_queries.ir.expressions import (
    Assign,
    Binary,
    BinaryOp,
    Cast,
    CompoundAssign,
    Constant,
    Expr,
    IncDec,
    Variable,
)
from clang_queries.ir.statements import (
    Compound,
    Declare,
    Directive,
    Evaluate,
    Loop as LoopStatement,
    Stmt,
    VariableDeclaration,
)
from clang_queries.ir.types import ArrayType, Scalar
from clang_queries.ir.walk import walk
from roofstat.program.code import (
    AtomicAccess,
    Code,
    If,
    LaunchSite,
    LibraryCall,
    Loop,
    Op,
    Parameter,
    ParameterPiece,
    Scope,
    SpecialRegister,
)
from roofstat.program.context import Context, Frame, InMemory, InRegister, InSlot, Place
from roofstat.program.expressions import (
    binary_operation,
    convert,
    lower_place,
    lower_value,
    place_address,
)
from roofstat.program.memory_access import load_place, store_place

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Position
    from clang_queries.ir.statements import Function
    from roofstat.program.code import Region

_DATA_DIRECTIVES = (
    "target data",
    "target enter data",
    "target exit data",
    "target update",
    "declare",
)
_INTEGER = Scalar.I32


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

    @property
    def line(self) -> int:
        """1-based line of the directive."""
        return self.position.line


@dataclass(frozen=True, slots=True)
class CanonicalLoop:
    """One loop of an associated nest."""

    key: str
    name: str
    declaration: VariableDeclaration | None
    lower: Expr
    upper: Expr
    comparison: BinaryOp
    step: Expr | int
    is_decreasing: bool
    body: Stmt


def lower_directive(context: Context, statement: Directive) -> None:
    """Lower a directive and the statement bound to it."""
    words = statement.name.split()
    if context.is_host:
        if "target" in words and not statement.name.startswith(_DATA_DIRECTIVES):
            _launch_region(context, statement, words)
        elif statement.body is not None:
            _lower_body(context, statement.body)
        return
    _lower_device(context, statement, words)


def _lower_body(context: Context, body: Stmt) -> None:
    from roofstat.program.statements import lower_statement

    lower_statement(context, body)


# Host side: the launch


def _launch_region(context: Context, statement: Directive, words: list[str]) -> None:
    builder = context.builder
    captured = _captured(context, statement)
    region = _outline(context, statement, words, captured)
    context.program.regions[region.key] = region
    zero = builder.constant(0, _INTEGER)
    one = builder.constant(1, _INTEGER)
    nested = _directives(statement)
    teams = _clause_value(context, nested, ("num_teams",)) or zero
    threads = _clause_value(context, nested, ("num_threads", "thread_limit")) or zero
    if not any("teams" in item.name.split() for item in nested):
        teams = one
    if (
        not any({"parallel", "loop"} & set(item.name.split()) for item in nested)
        and threads == zero
    ):
        threads = zero
    trips = _host_trips(context, statement)
    operands = [teams, one, one, threads, one, one, zero, trips]
    operands.extend(
        _capture_value(context, variable, by_reference=by_reference)
        for variable, by_reference in captured
    )
    builder.position = statement.position
    builder.value(
        Op.LAUNCH,
        Scalar.I32,
        *operands,
        detail=LaunchSite(kernel=region.key, is_target_region=True),
    )


def _directives(statement: Directive) -> list[Directive]:
    """The directive and those inside it."""
    return [node for node in walk(statement) if isinstance(node, Directive)]


def _clause_value(
    context: Context, directives: list[Directive], names: tuple[str, ...]
) -> int | None:
    found: int | None = None
    for name in names:
        for directive in directives:
            for clause in directive.clauses:
                if clause.name == name and clause.expressions:
                    value = convert(context, lower_value(context, clause.expressions[0]), _INTEGER)
                    if found is None:
                        found = value
    return found


def _captured(context: Context, statement: Directive) -> list[tuple[Variable, bool]]:
    """Variables of the host function that the region uses, and whether each is shared (mapped) memory."""
    declared = {node.key for node in walk(statement) if isinstance(node, VariableDeclaration)}
    mapped: set[str] = set()
    private: set[str] = set()
    for directive in _directives(statement):
        for clause in directive.clauses:
            keys = {
                node.key
                for item in clause.expressions
                for node in walk(item)
                if isinstance(node, Variable)
            }
            if clause.name in ("map", "reduction", "in_reduction", "shared"):
                mapped |= keys
            elif clause.name == "private":
                private |= keys
    found: dict[str, tuple[Variable, bool]] = {}
    for node in walk(statement):
        if not isinstance(node, Variable) or node.key in found or node.key in declared:
            continue
        if context.binding(node.key) is None:
            continue
        in_memory = isinstance(node.type, ArrayType) or context.program.scalar_of(node.type) is None
        is_pointer = type(node.type).__name__ == "PointerType"
        shared = node.key in mapped and not is_pointer and node.key not in private
        found[node.key] = (node, in_memory or shared)
    return list(found.values())


def _capture_value(context: Context, variable: Variable, *, by_reference: bool) -> int:
    if by_reference:
        return place_address(context, lower_place(context, variable))
    return lower_value(context, variable)


def _host_trips(context: Context, statement: Directive) -> int:
    """Iterations of the outermost work-sharing nest, computed where the launch is; 0 where there is none."""
    builder = context.builder
    for directive in _directives(statement):
        words = set(directive.name.split())
        if not words & {"for", "loop", "distribute", "do"}:
            continue
        nest = _nest(directive)
        if not nest:
            continue
        if not all(_computable(context, loop) for loop in nest):
            return builder.unknown(
                Scalar.I64, "a trip count that depends on values inside the region"
            )
        total = builder.constant(1, Scalar.I64)
        for loop in nest:
            trips = convert(context, _trip_count(context, loop), Scalar.I64)
            total = binary_operation(context, BinaryOp.MUL, total, trips, Scalar.I64)
        return total
    return builder.constant(0, Scalar.I64)


def _computable(context: Context, loop: CanonicalLoop) -> bool:
    for part in (loop.lower, loop.upper):
        for node in walk(part):
            if (
                isinstance(node, Variable)
                and context.binding(node.key) is None
                and node.key not in context.program.globals
            ):
                return False
    return True


# Outlining


def _outline(
    host: Context, statement: Directive, words: list[str], captured: list[tuple[Variable, bool]]
) -> TargetRegion:
    from roofstat.program.builder import Builder
    from roofstat.program.passes import optimise
    from roofstat.program.statements import _unwrap

    function = host.frame.function
    builder = Builder()
    builder.position = statement.position
    context = Context(host.program, builder, is_host=False, mutation_cache=host.mutation_cache)
    frame = Frame(function, host.frame.mutated, builder.new_label())
    context.frames.append(frame)
    parameters: list[Parameter] = []
    scope = Scope(frame.return_label, [], function.name)
    with builder.inside(scope.body):
        for variable, by_reference in captured:
            _bind_capture(context, variable, parameters, by_reference=by_reference)
        builder.value(Op.LIBRARY, Scalar.I32, detail=LibraryCall(name="__kmpc_target_init"))
        _lower_device(context, statement, words)
    builder.body.extend(_unwrap(scope))
    optimise(builder, {}, result=None, is_host=False)
    key = f"omp:{statement.position.file}:{statement.position.line}:{function.key}"
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
    )
    return TargetRegion(
        key=key,
        code=code,
        function=function.name,
        function_key=function.key,
        position=statement.position,
        end_line=max(
            (node.position.line for node in walk(statement) if isinstance(node, Stmt)), default=0
        ),
        directive=_spelled(statement),
    )


def _spelled(statement: Directive) -> str:
    clauses = " ".join(
        f"{clause.name}({clause.text})" if clause.text else clause.name
        for clause in statement.clauses
    )
    return f"#pragma omp {statement.name} {clauses}".rstrip()


def _bind_capture(
    context: Context, variable: Variable, parameters: list[Parameter], *, by_reference: bool
) -> None:
    builder, frame = context.builder, context.frame
    scalar = Scalar.U64 if by_reference else context.program.scalar_of(variable.type) or Scalar.U64
    index = len(parameters)
    pointee = getattr(variable.type, "pointee", None)
    parameters.append(
        Parameter(
            variable.name,
            8 if by_reference else variable.type.size_bytes,
            scalar,
            is_pointer=by_reference or pointee is not None,
            pointee_bytes=variable.type.size_bytes
            if by_reference
            else getattr(pointee, "size_bytes", 0),
        )
    )
    piece = ParameterPiece(index=index, offset_bytes=0, name=variable.name)
    register = builder.value(Op.PARAM, scalar, detail=piece)
    if by_reference:
        frame.bindings[variable.key] = InMemory(register, variable.name)
    elif variable.key in frame.mutated:
        slot = builder.local_slot(
            variable.name, max(variable.type.size_bytes, 1), host=False, element=scalar
        )
        frame.bindings[variable.key] = InSlot(slot, variable.name)
        store_place(
            context, Place(builder.slot_address(slot), array=variable.name), register, scalar
        )
    else:
        frame.bindings[variable.key] = InRegister(register)


# Device side


def _lower_device(context: Context, statement: Directive, words: list[str]) -> None:
    builder = context.builder
    names = set(words)
    if statement.body is None:
        if "barrier" in names:
            builder.emit(Op.BARRIER, Scalar.VOID, detail="block")
        return
    if "atomic" in names:
        _lower_atomic(context, statement.body)
        return
    _bind_private(context, statement)
    if names & {"single", "master", "masked"} and not names & {"for", "loop"}:
        _first_thread(context, lambda: _lower_body(context, statement.body or statement), statement)
        return
    if names & {"for", "distribute", "loop"}:
        _lower_worksharing(context, statement, names)
        return
    inner = [set(node.name.split()) for node in walk(statement.body) if isinstance(node, Directive)]
    runs_alone = not names & {"parallel"} and not any(item & {"parallel", "loop"} for item in inner)
    if "target" in names and runs_alone:
        _first_thread(context, lambda: _lower_body(context, statement.body or statement), statement)
        return
    _lower_body(context, statement.body)


def _bind_private(context: Context, statement: Directive) -> None:
    for clause in statement.clauses:
        if clause.name not in ("private", "firstprivate", "lastprivate", "linear"):
            continue
        for item in clause.expressions:
            if isinstance(item, Variable):
                value = None
                scalar = context.program.scalar_of(item.type)
                if (
                    clause.name == "firstprivate"
                    and scalar is not None
                    and context.binding(item.key) is not None
                ):
                    value = lower_value(context, item)
                _private_slot(context, item, value)


def _private_slot(context: Context, variable: Variable, value: int | None) -> Place:
    builder = context.builder
    scalar = context.program.scalar_of(variable.type)
    slot = builder.local_slot(
        variable.name, max(variable.type.size_bytes, 1), host=False, element=scalar
    )
    context.frame.bindings[variable.key] = InSlot(slot, variable.name)
    place = Place(builder.slot_address(slot), array=variable.name)
    if value is not None and scalar is not None:
        store_place(context, place, value, scalar)
    return place


def _first_thread(context: Context, body: object, statement: Stmt) -> None:
    """Only the first thread of each team runs it (generic mode outside of parallel regions)."""
    builder = context.builder
    tid = builder.value(Op.SPECIAL, Scalar.U32, detail=SpecialRegister.TID_X)
    flag = builder.value(
        Op.EQ, Scalar.BOOL, tid, builder.constant(0, Scalar.U32), scalar=Scalar.U32
    )
    region = If(flag, [], [], statement.position, "if", builder.new_branch_number())
    with builder.inside(region.then):
        if callable(body):
            body()
    builder.add(region)


def _lower_worksharing(context: Context, statement: Directive, names: set[str]) -> None:
    assert statement.body is not None
    reductions = _begin_reductions(context, statement)
    nest = _nest(statement)
    if not nest:
        context.builder.assume(
            "control-flow",
            f"the loop under '{statement.name}' has no canonical form; run by every thread",
        )
        _lower_body(context, statement.body)
    else:
        over_teams = bool(names & {"distribute", "loop"})
        over_threads = bool(names & {"parallel", "loop"}) or ("for" in names and not over_teams)
        inner = [
            set(node.name.split()) for node in walk(statement.body) if isinstance(node, Directive)
        ]
        alone = (
            over_teams
            and not over_threads
            and not any(item & {"parallel", "loop", "for"} for item in inner)
        )
        if alone:
            _first_thread(
                context,
                lambda: _grid_loop(context, statement, nest, over_teams=True, over_threads=False),
                statement,
            )
        else:
            _grid_loop(context, statement, nest, over_teams=over_teams, over_threads=over_threads)
    _end_reductions(context, statement, reductions)


def _grid_loop(
    context: Context,
    statement: Directive,
    nest: list[CanonicalLoop],
    *,
    over_teams: bool,
    over_threads: bool,
) -> None:
    """``for (t = first; t < trips; t += stride)`` with the nest's indices decoded from t."""
    builder = context.builder
    builder.position = statement.position
    scalar = Scalar.I64 if len(nest) > 1 else Scalar.I32
    builder.value(Op.LIBRARY, Scalar.I32, detail=LibraryCall(name="__kmpc_for_static_init"))
    trips = [convert(context, _trip_count(context, loop), scalar) for loop in nest]
    lowers = [lower_value(context, loop.lower) for loop in nest]
    builder.position = statement.position
    total = trips[0]
    for count in trips[1:]:
        total = binary_operation(context, BinaryOp.MUL, total, count, scalar)
    first, stride = _first_and_stride(
        context, scalar, over_teams=over_teams, over_threads=over_threads
    )
    index = builder.variable(scalar)
    builder.move(index, first)
    condition: list[Region] = []
    step: list[Region] = []
    body = Scope(builder.new_label(), [])
    number = builder.loop_count
    builder.loop_count += 1
    with builder.inside(condition):
        flag = builder.value(Op.LT, Scalar.BOOL, index, total, scalar=scalar)
    context.frame.continue_labels.append(body.label)
    with builder.inside(body.body):
        _decode(context, nest, trips, lowers, index, scalar)
        _lower_body(context, nest[-1].body)
    context.frame.continue_labels.pop()
    builder.position = statement.position
    with builder.inside(step):
        builder.move(index, builder.value(Op.ADD, scalar, index, stride))
    builder.add(
        Loop(number, condition, flag, [body], step, statement.position, is_grid_stride=True)
    )


def _first_and_stride(
    context: Context, scalar: Scalar, *, over_teams: bool, over_threads: bool
) -> tuple[int, int]:
    def special(register: SpecialRegister) -> int:
        return convert(
            context, context.builder.value(Op.SPECIAL, Scalar.U32, detail=register), scalar
        )

    if over_teams and over_threads:
        threads = special(SpecialRegister.NTID_X)
        base = binary_operation(
            context, BinaryOp.MUL, special(SpecialRegister.CTAID_X), threads, scalar
        )
        first = binary_operation(
            context, BinaryOp.ADD, base, special(SpecialRegister.TID_X), scalar
        )
        stride = binary_operation(
            context, BinaryOp.MUL, special(SpecialRegister.NCTAID_X), threads, scalar
        )
        return first, stride
    if over_teams:
        return special(SpecialRegister.CTAID_X), special(SpecialRegister.NCTAID_X)
    return special(SpecialRegister.TID_X), special(SpecialRegister.NTID_X)


def _decode(
    context: Context,
    nest: list[CanonicalLoop],
    trips: list[int],
    lowers: list[int],
    index: int,
    scalar: Scalar,
) -> None:
    """Set the loop variables of the nest from the collapsed index."""
    builder = context.builder
    rest = builder.value(Op.MOV, scalar, index)
    counters: list[int] = [0] * len(nest)
    for position in range(len(nest) - 1, 0, -1):
        counters[position] = builder.value(Op.REM, scalar, rest, trips[position])
        rest = builder.value(Op.DIV, scalar, rest, trips[position])
    counters[0] = rest
    for loop, counter, lower in zip(nest, counters, lowers, strict=True):
        kind = context.program.scalar_of(loop.lower.type) or Scalar.I32
        if loop.declaration is not None:
            kind = context.program.scalar_of(loop.declaration.type) or kind
        moved = convert(context, counter, kind)
        step = (
            builder.constant(loop.step, kind)
            if isinstance(loop.step, int)
            else convert(context, lower_value(context, loop.step), kind)
        )
        if builder.constants.get(step) != 1:
            moved = binary_operation(context, BinaryOp.MUL, moved, step, kind)
        op = BinaryOp.SUB if loop.is_decreasing else BinaryOp.ADD
        start = convert(context, lower, kind)
        value = (
            moved
            if builder.constants.get(start) == 0 and op is BinaryOp.ADD
            else binary_operation(context, op, start, moved, kind)
        )
        _bind_index(context, loop, value, kind)


def _bind_index(context: Context, loop: CanonicalLoop, value: int, kind: Scalar) -> None:
    """The loop variable is private to the iteration; the loop's own step no longer changes it."""
    builder = context.builder
    written = any(
        isinstance(node, Assign | CompoundAssign | IncDec)
        and isinstance(node.target, Variable)
        and node.target.key == loop.key
        for node in walk(loop.body)
    )
    if not written:
        context.frame.bindings[loop.key] = InRegister(value)
        return
    slot = builder.local_slot(loop.name, kind.size_bytes, host=False, element=kind)
    context.frame.bindings[loop.key] = InSlot(slot, loop.name)
    store_place(context, Place(builder.slot_address(slot), array=loop.name), value, kind)


# Canonical loops


def _nest(statement: Directive) -> list[CanonicalLoop]:
    depth = 1
    for clause in statement.clauses:
        if clause.name == "collapse":
            depth = (
                _constant(clause.expressions[0] if clause.expressions else None, clause.text) or 1
            )
    found: list[CanonicalLoop] = []
    body: Stmt | None = statement.body
    for _ in range(depth):
        loop = _only_loop(body)
        canonical = _canonical(loop) if loop is not None else None
        if canonical is None:
            break
        found.append(canonical)
        body = canonical.body
    return found


def _constant(expression: Expr | None, text: str) -> int | None:
    if isinstance(expression, Constant):
        return int(expression.value)
    return int(text) if text.strip().isdigit() else None


def _only_loop(body: Stmt | None) -> LoopStatement | None:
    while isinstance(body, Compound | Directive):
        if isinstance(body, Directive):
            body = body.body
            continue
        statements = [
            item for item in body.body if not (isinstance(item, Compound) and not item.body)
        ]
        if len(statements) != 1:
            return None
        body = statements[0]
    return body if isinstance(body, LoopStatement) else None


def _canonical(loop: LoopStatement) -> CanonicalLoop | None:
    if (
        loop.condition is None
        or loop.step is None
        or not loop.tests_before
        or len(loop.initial) != 1
    ):
        return None
    first = loop.initial[0]
    declaration: VariableDeclaration | None = None
    if isinstance(first, Declare) and first.variable.initializer is not None:
        declaration = first.variable
        key, name, lower = declaration.key, declaration.name, first.variable.initializer
    elif (
        isinstance(first, Evaluate)
        and isinstance(first.expression, Assign)
        and isinstance(first.expression.target, Variable)
    ):
        key, name, lower = (
            first.expression.target.key,
            first.expression.target.name,
            first.expression.value,
        )
    else:
        return None
    bound = _bound(loop.condition, key)
    step = _step(loop.step, key)
    if bound is None or step is None:
        return None
    return CanonicalLoop(
        key, name, declaration, lower, bound[1], bound[0], step[0], step[1], loop.body
    )


_MIRRORED = {
    BinaryOp.LT: BinaryOp.GT,
    BinaryOp.GT: BinaryOp.LT,
    BinaryOp.LE: BinaryOp.GE,
    BinaryOp.GE: BinaryOp.LE,
    BinaryOp.NE: BinaryOp.NE,
}


def _bare(expression: Expr) -> Expr:
    while isinstance(expression, Cast):
        expression = expression.operand
    return expression


def _is_variable(expression: Expr, key: str) -> bool:
    bare = _bare(expression)
    return isinstance(bare, Variable) and bare.key == key


def _bound(condition: Expr, key: str) -> tuple[BinaryOp, Expr] | None:
    bare = _bare(condition)
    if not isinstance(bare, Binary) or bare.op not in _MIRRORED:
        return None
    if _is_variable(bare.left, key):
        return bare.op, bare.right
    if _is_variable(bare.right, key):
        return _MIRRORED[bare.op], bare.left
    return None


def _step(step: Expr, key: str) -> tuple[Expr | int, bool] | None:
    """(amount, whether it decreases)."""
    match _bare(step):
        case IncDec(target=target, delta=delta) if _is_variable(target, key):
            return 1, delta < 0
        case CompoundAssign(op=BinaryOp.ADD | BinaryOp.SUB as op, target=target, value=value) if (
            _is_variable(target, key)
        ):
            amount = _constant(_bare(value), "")
            return (amount if amount is not None else value), op is BinaryOp.SUB
        case Assign(target=target, value=value) if _is_variable(target, key):
            inner = _bare(value)
            if isinstance(inner, Binary) and inner.op in (BinaryOp.ADD, BinaryOp.SUB):
                for side, other in ((inner.left, inner.right), (inner.right, inner.left)):
                    if _is_variable(side, key):
                        amount = _constant(_bare(other), "")
                        return (amount if amount is not None else other), inner.op is BinaryOp.SUB
    return None


def _trip_count(context: Context, loop: CanonicalLoop) -> int:
    """Iterations of one loop: (upper - lower + step - 1) / step, with the comparison's own rounding."""
    builder = context.builder
    low, high = lower_value(context, loop.lower), lower_value(context, loop.upper)
    kinds = [builder.register_types[low], builder.register_types[high]]
    kind = max(kinds, key=lambda item: item.size_bytes)
    if kind.size_bytes < 4 or kind.is_float:
        kind = Scalar.I32
    low, high = convert(context, low, kind), convert(context, high, kind)
    start, end = (high, low) if loop.is_decreasing else (low, high)
    distance = (
        end
        if builder.constants.get(start) == 0
        else binary_operation(context, BinaryOp.SUB, end, start, kind)
    )
    if loop.comparison in (BinaryOp.LE, BinaryOp.GE):
        distance = binary_operation(
            context, BinaryOp.ADD, distance, builder.constant(1, kind), kind
        )
    if loop.step == 1:
        return distance
    step = (
        builder.constant(loop.step, kind)
        if isinstance(loop.step, int)
        else convert(context, lower_value(context, loop.step), kind)
    )
    rounding = binary_operation(context, BinaryOp.SUB, step, builder.constant(1, kind), kind)
    padded = binary_operation(context, BinaryOp.ADD, distance, rounding, kind)
    return binary_operation(context, BinaryOp.DIV, padded, step, kind)


# Reductions and atomics


def _begin_reductions(
    context: Context, statement: Directive
) -> list[tuple[Variable, Place, Place]]:
    found: list[tuple[Variable, Place, Place]] = []
    for clause in statement.clauses:
        if clause.name != "reduction":
            continue
        for item in clause.expressions:
            scalar = context.program.scalar_of(item.type)
            if (
                not isinstance(item, Variable)
                or scalar is None
                or context.binding(item.key) is None
            ):
                continue
            shared = lower_place(context, item)
            zero = context.builder.constant(0.0 if scalar.is_float else 0, scalar)
            found.append((item, shared, _private_slot(context, item, zero)))
    return found


def _end_reductions(
    context: Context, statement: Directive, reductions: list[tuple[Variable, Place, Place]]
) -> None:
    """Partial results of a team meet through shuffles and shared memory; its first thread adds them to the result."""
    builder = context.builder
    for variable, shared, private in reductions:
        scalar = context.program.scalar_of(variable.type) or Scalar.F64
        value = load_place(context, private, scalar)
        combined = builder.value(
            Op.LIBRARY, scalar, value, detail=LibraryCall(name="__kmpc_reduce")
        )

        def finish(
            shared: Place = shared,
            combined: int = combined,
            scalar: Scalar = scalar,
            name: str = variable.name,
        ) -> None:
            detail = AtomicAccess(
                name="add", access_bytes=scalar.size_bytes, array=name, result_used=False
            )
            builder.value(
                Op.ATOMIC, scalar, place_address(context, shared), combined, detail=detail
            )

        _first_thread(context, finish, statement)


def _lower_atomic(context: Context, body: Stmt) -> None:
    """``x op= v`` and its kin under `omp atomic`."""
    from roofstat.program.expressions import _array_name

    builder = context.builder
    inner = body
    while isinstance(inner, Compound) and len(inner.body) == 1:
        inner = inner.body[0]
    expression = inner.expression if isinstance(inner, Evaluate) else None
    names = {
        BinaryOp.ADD: "add",
        BinaryOp.SUB: "sub",
        BinaryOp.AND: "and",
        BinaryOp.OR: "or",
        BinaryOp.XOR: "xor",
    }
    if isinstance(expression, CompoundAssign | IncDec):
        target = expression.target
        scalar = context.program.scalar_of(target.type) or Scalar.I32
        if isinstance(expression, IncDec):
            name, value = "add", builder.constant(expression.delta, scalar)
        else:
            name = names.get(expression.op, "cas")
            value = convert(context, lower_value(context, expression.value), scalar)
        address = place_address(context, lower_place(context, target))
        detail = AtomicAccess(
            name=name, access_bytes=scalar.size_bytes, array=_array_name(target), result_used=False
        )
        builder.value(Op.ATOMIC, scalar, address, value, detail=detail)
        return
    _lower_body(context, body)


def region_functions(functions: dict[str, Function]) -> list[Function]:
    """Functions that contain target regions."""
    return [
        function
        for function in functions.values()
        if any(
            isinstance(node, Directive)
            and "target" in node.name.split()
            and not node.name.startswith(_DATA_DIRECTIVES)
            for node in walk(function.body)
        )
    ]
