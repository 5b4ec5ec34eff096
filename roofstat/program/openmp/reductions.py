"""Reductions: private copies, and how the partial results of threads and teams meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clang_queries.clause_expressions import SECTION
from clang_queries.ir.expressions import OpaqueExpr, Subscript, Variable
from clang_queries.ir.types import ArrayType, PointerType, Scalar
from roofstat.program.code import AtomicAccess, Loop, Op
from roofstat.program.context import INDEX, InRegister, InSlot, Place
from roofstat.program.expressions import lower_value
from roofstat.program.memory_access import load_place, store_place
from roofstat.program.openmp.clauses import clauses, constant_of, modifier
from roofstat.program.openmp.runtime_calls import SELECTING, RuntimeCall
from roofstat.program.openmp.state import first_thread, library
from roofstat.program.places import lower_place, place_address

if TYPE_CHECKING:
    from collections.abc import Callable

    from clang_queries.ir.expressions import Expr
    from clang_queries.ir.statements import Directive
    from clang_queries.ir.types import Type
    from roofstat.program.code import Region
    from roofstat.program.context import Binding, Context

_ATOMICS = {
    "+": "add",
    "-": "add",
    "*": "cas",
    "min": "min",
    "max": "max",
    "&": "and",
    "|": "or",
    "^": "xor",
    "&&": "and",
    "||": "or",
}
MAX_UNROLLED_ELEMENTS = 16


@dataclass(frozen=True, slots=True)
class Reduction:
    """One variable, or one array, of a reduction clause."""

    variable: Variable
    shared: Place
    """The original, or its first element."""
    private: Place
    scalar: Scalar
    operator: str
    length: int
    """Elements; 1 for a scalar."""
    outer: Binding | None
    """What the variable is bound to outside."""


@dataclass(frozen=True, slots=True)
class _Subject:
    """What a list item reduces."""

    variable: Variable
    element: Type
    first: int
    """Index of the first element."""
    length: int
    """Elements; 1 for a scalar."""
    is_pointer: bool


def begin_reductions(context: Context, directive: Directive) -> list[Reduction]:
    """Give each reduction variable a private copy that holds the neutral element."""
    found: list[Reduction] = []
    for clause in clauses(directive, "reduction", "in_reduction"):
        operator = modifier(clause)
        for item in clause.expressions:
            reduction = _begin(context, item, operator)
            if reduction is not None:
                found.append(reduction)
    return found


def end_reductions(context: Context, reductions: list[Reduction]) -> None:
    """Names mean the originals again."""
    bindings = context.frame.bindings
    for item in reductions:
        if item.outer is None:
            bindings.pop(item.variable.key, None)
        else:
            bindings[item.variable.key] = item.outer


def _begin(context: Context, item: Expr, operator: str) -> Reduction | None:
    builder = context.builder
    subject = _subject(item)
    scalar = context.program.scalar_of(subject.element) if subject is not None else None
    variable = subject.variable if subject is not None else None
    outer = context.binding(variable.key) if variable is not None else None
    known = variable is not None and (outer is not None or variable.key in context.program.globals)
    if subject is None or variable is None or scalar is None or not known:
        builder.assume("openmp", "a reduction is taken as accesses to the original")
        return None
    offset = subject.first * scalar.size_bytes
    if subject.is_pointer:
        shared = Place(lower_value(context, variable), offset, array=variable.name)
    else:
        whole = lower_place(context, variable)
        shared = Place(whole.address, whole.offset_bytes + offset, array=variable.name)
    size = subject.length * scalar.size_bytes
    slot = builder.local_slot(variable.name, size, host=False, element=scalar)
    address = builder.slot_address(slot)
    private = Place(address, array=variable.name)
    if subject.is_pointer:
        back = builder.constant(-subject.first, INDEX)
        detail = scalar.size_bytes
        start = builder.value(Op.PTR_ADD, Scalar.U64, address, back, scalar=INDEX, detail=detail)
        context.frame.bindings[variable.key] = InRegister(start)
    else:
        context.frame.bindings[variable.key] = InSlot(slot, variable.name)
    value = builder.constant(neutral_element(operator, scalar), scalar)
    if subject.length > MAX_UNROLLED_ELEMENTS:
        _each_element(
            context,
            subject.length,
            lambda index: _store_element(context, private, index, value, scalar),
        )
    else:
        for index in range(subject.length):
            place = Place(address, index * scalar.size_bytes, array=variable.name)
            store_place(context, place, value, scalar)
    return Reduction(variable, shared, private, scalar, operator, subject.length, outer)


def _subject(item: Expr) -> _Subject | None:
    """The variable and the elements of a list item; None where their number is no constant."""
    if isinstance(item, Variable):
        if isinstance(item.type, PointerType):
            return None
        if isinstance(item.type, ArrayType):
            element = _innermost(item.type)
            return _Subject(item, element, 0, item.type.size_bytes // element.size_bytes, False)
        return _Subject(item, item.type, 0, 1, False)
    if isinstance(item, Subscript):
        base, first, length = item.base, constant_of(item.index), 1
    elif isinstance(item, OpaqueExpr) and item.reason == SECTION and len(item.operands) == 3:
        base = item.operands[0]
        first = constant_of(item.operands[1])
        length = constant_of(item.operands[2]) or 0
    else:
        return None
    if not isinstance(base, Variable) or first is None or length <= 0:
        return None
    if isinstance(base.type, PointerType):
        return _Subject(base, base.type.pointee, first, length, True)
    if isinstance(base.type, ArrayType) and first == 0:
        element = _innermost(base.type)
        rows = base.type.element.size_bytes // element.size_bytes
        return _Subject(base, element, 0, length * rows, False)
    return None


def _innermost(type_: Type) -> Type:
    while isinstance(type_, ArrayType):
        type_ = type_.element
    return type_


def neutral_element(operator: str, scalar: Scalar) -> int | float | bool:
    """The value that changes nothing."""
    bits = 8 * scalar.size_bytes
    low = -(1 << (bits - 1)) if scalar.is_signed else 0
    high = (1 << (bits - 1)) - 1 if scalar.is_signed else (1 << bits) - 1
    value: int | float = 0
    match operator:
        case "*" | "&&":
            value = 1
        case "min":
            value = float("inf") if scalar.is_float else high
        case "max":
            value = float("-inf") if scalar.is_float else low
        case "&":
            value = -1 if scalar.is_signed else high
    return float(value) if scalar.is_float else value


def combine_threads(context: Context, reductions: list[Reduction]) -> None:
    """The end of a parallel region: shuffles within warps, then shared memory; the first thread has the result."""
    for item in reductions:
        _combine(context, item, RuntimeCall.REDUCE_THREADS)


def combine_teams(context: Context, reductions: list[Reduction]) -> None:
    """The end of a teams region: partial results go through a buffer in global memory."""
    for item in reductions:
        _combine(context, item, RuntimeCall.REDUCE_TEAMS)


def _combine(context: Context, item: Reduction, call: RuntimeCall) -> None:
    if item.length > MAX_UNROLLED_ELEMENTS:
        _each_element(context, item.length, lambda index: _combine_at(context, item, index, call))
    else:
        for number in range(item.length):
            place = Place(
                item.private.address, number * item.scalar.size_bytes, array=item.variable.name
            )
            value = load_place(context, place, item.scalar)
            library(context, call, item.scalar, value, case=_case(item))


def _combine_at(context: Context, item: Reduction, index: int, call: RuntimeCall) -> None:
    builder = context.builder
    address = builder.value(
        Op.PTR_ADD,
        Scalar.U64,
        item.private.address,
        index,
        scalar=INDEX,
        detail=item.scalar.size_bytes,
    )
    value = load_place(context, Place(address, array=item.variable.name), item.scalar)
    library(context, call, item.scalar, value, case=_case(item))


def _case(item: Reduction) -> str:
    return SELECTING if item.operator in ("min", "max") else ""


def store_results(context: Context, directive: Directive, reductions: list[Reduction]) -> None:
    """The first thread of each team adds its result to the original."""
    builder = context.builder
    if not reductions:
        return

    def finish() -> None:
        for item in reductions:
            detail = AtomicAccess(
                name=_ATOMICS.get(item.operator, "add"),
                access_bytes=item.scalar.size_bytes,
                array=item.variable.name,
                result_used=False,
            )
            for number in range(min(item.length, MAX_UNROLLED_ELEMENTS)):
                offset = number * item.scalar.size_bytes
                private = Place(item.private.address, offset, array=item.variable.name)
                value = load_place(context, private, item.scalar)
                target = Place(
                    item.shared.address,
                    item.shared.offset_bytes + offset,
                    array=item.variable.name,
                )
                address = place_address(context, target)
                builder.value(Op.ATOMIC, item.scalar, address, value, detail=detail)

    first_thread(context, directive.position, finish)


def _each_element(context: Context, length: int, body: Callable[[int], None]) -> None:
    """A loop over the elements of an array; `body` gets the register with the index."""
    builder = context.builder
    index = builder.variable(INDEX)
    builder.move(index, builder.constant(0, INDEX))
    condition: list[Region] = []
    inside: list[Region] = []
    step: list[Region] = []
    number = builder.loop_count
    builder.loop_count += 1
    with builder.inside(condition):
        bound = builder.constant(length, INDEX)
        flag = builder.value(Op.LT, Scalar.BOOL, index, bound, scalar=INDEX)
    with builder.inside(inside):
        body(index)
    with builder.inside(step):
        one = builder.constant(1, INDEX)
        builder.move(index, builder.value(Op.ADD, INDEX, index, one))
    builder.add(Loop(number, condition, flag, inside, step, builder.position))


def _store_element(context: Context, base: Place, index: int, value: int, scalar: Scalar) -> None:
    address = context.builder.value(
        Op.PTR_ADD, Scalar.U64, base.address, index, scalar=INDEX, detail=scalar.size_bytes
    )
    store_place(context, Place(address, array=base.array), value, scalar)
