"""Reductions: private copies, and how the partial results of threads and teams meet."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from clang_queries.clause_expressions import SECTION
from clang_queries.ir.expressions import OpaqueExpr, Subscript, Variable
from clang_queries.ir.types import ArrayType, PointerType, Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.program.code import AtomicAccess, Op, Slot, Space, SpecialRegister
from roofstat.program.context import INDEX, InRegister, InSlot, Place
from roofstat.program.expressions import lower_value
from roofstat.program.memory_access import load_place, place_address, store_place
from roofstat.program.openmp.clauses import clauses, constant_of, modifier
from roofstat.program.openmp.combining import Combination, combine_in_team, initialise
from roofstat.program.openmp.runtime_calls import COMBINED, LOOKED_UP, SELECTING, RuntimeCall
from roofstat.program.openmp.state import first_thread, library
from roofstat.program.places import lower_place

if TYPE_CHECKING:
    from collections.abc import Callable

    from clang_queries.ir.expressions import Expr
    from clang_queries.ir.statements import Combiner, Directive
    from clang_queries.ir.types import Type
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
POINTER_BYTES = 8
TEAM_RECORDS = 1024
"""Records in the buffer of a teams reduction (clang's `-fopenmp-cuda-teams-reduction-recs-num`)."""


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
    combinations: tuple[Combination, ...] = ()
    """How the program itself combines the elements; stands with the first of their numbers."""
    is_combined: bool = False
    """Whether the program's own code does the arithmetic."""


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
        combiners = clause.combiners or (None,) * len(clause.expressions)
        for item, combiner in zip(clause.expressions, combiners, strict=True):
            found.extend(_begin(context, item, operator, combiner))
    return found


def end_reductions(context: Context, reductions: list[Reduction]) -> None:
    """Names mean the originals again."""
    bindings = context.frame.bindings
    for item in reductions:
        if item.outer is None:
            bindings.pop(item.variable.key, None)
        else:
            bindings[item.variable.key] = item.outer


def _begin(
    context: Context, item: Expr, operator: str, combiner: Combiner | None
) -> list[Reduction]:
    builder = context.builder
    subject = _subject(item)
    leaves = context.program.leaves(subject.element) if subject is not None else ()
    if subject is None or not leaves or not _is_known(context, subject.variable):
        builder.assume("openmp", "a reduction is taken as accesses to the original")
        return []
    variable = subject.variable
    outer = context.binding(variable.key)
    is_whole = context.program.scalar_of(subject.element) is not None
    parts = subject.length * len(leaves)
    if not is_whole and parts > MAX_UNROLLED_ELEMENTS:
        text = f"the reduction of {parts} members of '{variable.name}' is taken as accesses to the original"
        builder.assume("openmp", text)
        return []
    is_combined = combiner is not None and parts <= MAX_UNROLLED_ELEMENTS
    if (operator not in _ATOMICS or not is_whole) and not is_combined:
        text = f"the reduction '{operator}' is taken as one addition for each number in '{variable.name}'"
        builder.assume("openmp", text)
    size = subject.element.size_bytes
    shared = _original(context, subject)
    private = _private_copy(context, subject, leaves[0].scalar if is_whole else None)
    if is_whole:
        scalar = leaves[0].scalar
        found = [Reduction(variable, shared, private, scalar, operator, subject.length, outer)]
    else:
        places = [
            (index * size + leaf.offset_bytes, leaf.scalar)
            for index in range(subject.length)
            for leaf in leaves
        ]
        found = [
            Reduction(
                variable, shared.part(offset), private.part(offset), scalar, operator, 1, outer
            )
            for offset, scalar in places
        ]
    for reduction in found:
        _set_neutral(context, reduction)
    if combiner is None or not is_combined:
        return found
    elements = [
        Combination(combiner, shared.part(index * size), private.part(index * size), leaves)
        for index in range(subject.length)
    ]
    for element in elements:
        initialise(context, element)
    first = replace(found[0], combinations=tuple(elements), is_combined=True)
    return [first, *(replace(other, is_combined=True) for other in found[1:])]


def _is_known(context: Context, variable: Variable) -> bool:
    return context.binding(variable.key) is not None or variable.key in context.program.globals


def _original(context: Context, subject: _Subject) -> Place:
    """The first element that is reduced."""
    offset = subject.first * subject.element.size_bytes
    variable = subject.variable
    if subject.is_pointer:
        return Place(lower_value(context, variable), offset, array=variable.name)
    whole = lower_place(context, variable)
    return Place(whole.address, whole.offset_bytes + offset, array=variable.name)


def _private_copy(context: Context, subject: _Subject, scalar: Scalar | None) -> Place:
    """Memory of the thread, which the variable means from here on; the place of the first element in it."""
    builder = context.builder
    variable, size = subject.variable, subject.element.size_bytes
    before = 0 if subject.is_pointer else subject.first
    bytes_ = (before + subject.length) * size
    slot = builder.local_slot(variable.name, bytes_, host=False, element=scalar)
    address = builder.slot_address(slot)
    if subject.is_pointer:
        back = builder.constant(-subject.first, INDEX)
        start = builder.value(Op.PTR_ADD, Scalar.U64, address, back, scalar=INDEX, detail=size)
        context.frame.bindings[variable.key] = InRegister(start)
    else:
        context.frame.bindings[variable.key] = InSlot(slot, variable.name)
    return Place(address, before * size, array=variable.name)


def _set_neutral(context: Context, item: Reduction) -> None:
    scalar = item.scalar
    value = context.builder.constant(neutral_element(item.operator, scalar), scalar)
    if item.length > MAX_UNROLLED_ELEMENTS:
        _each_element(
            context,
            item.length,
            lambda index: _store_element(context, item.private, index, value, scalar),
        )
    else:
        for index in range(item.length):
            store_place(context, item.private.part(index * scalar.size_bytes), value, scalar)


def _subject(item: Expr) -> _Subject | None:
    """The variable and the elements of a list item; None where their number is no constant, or they are not adjacent."""
    ranges: list[tuple[int, int | None]] = []
    while not isinstance(item, Variable):
        found = _range(item)
        if found is None:
            return None
        item = found[0]
        ranges.insert(0, found[1])
    is_pointer = isinstance(item.type, PointerType)
    extents, element = _extents(item.type)
    if len(ranges) > len(extents) or (is_pointer and not ranges):
        return None
    first, count = 0, 1
    whole = [(0, extent) for extent in extents[len(ranges) :]]
    for extent, (low, length) in zip(extents, [*ranges, *whole], strict=True):
        taken = length if length is not None else (extent or 0) - low
        if taken <= 0 or (count > 1 and (low, taken) != (0, extent)):
            return None
        first = first * (extent or 0) + low
        count *= taken
    return _Subject(item, element, first, count, is_pointer)


def _range(item: Expr) -> tuple[Expr, tuple[int, int | None]] | None:
    """What a subscript or a section is taken of, its first index and its length; None as length up to the end."""
    match item:
        case Subscript(base=base, index=index):
            first = constant_of(index)
            return None if first is None else (base, (first, 1))
        case OpaqueExpr(reason=reason, operands=(base, start, *rest)) if reason == SECTION:
            low = constant_of(start)
            count = constant_of(rest[0]) if rest else None
            return None if low is None or (rest and count is None) else (base, (low, count))
        case _:
            return None


def _extents(type_: Type) -> tuple[list[int | None], Type]:
    """Extents of an array, or of what a pointer points to (the outermost unknown), and the elements in it."""
    found: list[int | None] = []
    if isinstance(type_, PointerType):
        found.append(None)
        type_ = type_.pointee
    while isinstance(type_, ArrayType):
        found.append(type_.length)
        type_ = type_.element
    return found, type_


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


def combine_threads(
    context: Context, reductions: list[Reduction], call: RuntimeCall = RuntimeCall.REDUCE_REGION
) -> None:
    """The end of a parallel region: shuffles within warps, then shared memory; the first thread has the result.

    `call` is what all reductions of the region share.
    """
    if reductions:
        library(context, call, case=_looked_up(context))
    for item in reductions:
        _combine(context, item)
        if item.combinations:
            combine_in_team(context, item.combinations)


def combine_teams(context: Context, directive: Directive, reductions: list[Reduction]) -> None:
    """The end of a teams region: partial results go through a buffer in global memory.

    Every thread looks up where the buffer is. The first thread of each team stores its results as one record; there are
    `TEAM_RECORDS`, which later teams add to. The last team to arrive reads all of them. So each number is stored and read once
    a team, by one thread at a time, whether there are more teams than records or not.
    """
    if not reductions:
        return
    builder = context.builder
    builder.position = directive.position
    environment = _run_time_memory(context, directive, "launch environment", POINTER_BYTES)
    place = load_place(context, environment, Scalar.U64)
    library(context, RuntimeCall.REDUCE_TEAMS, Scalar.U64, place, case=_looked_up(context))
    size = sum(item.length * item.scalar.size_bytes for item in reductions)
    records = _run_time_memory(context, directive, "results of teams", TEAM_RECORDS * size)
    first_thread(
        context, directive.position, lambda: _exchange_records(context, reductions, records, size)
    )


def _run_time_memory(context: Context, directive: Directive, name: str, size: int) -> Place:
    """Global memory of the device run time."""
    builder = context.builder
    slot = builder.slot(
        Slot(name=name, size_bytes=size, space=Space.GLOBAL, position=directive.position)
    )
    return Place(builder.slot_address(slot), array=name, is_volatile=True)


def _exchange_records(
    context: Context, reductions: list[Reduction], records: Place, size: int
) -> None:
    """Each number of a team's results goes to its record and comes from there."""
    builder = context.builder
    team = builder.value(Op.SPECIAL, Scalar.U32, detail=SpecialRegister.CTAID_X)
    mask = builder.constant(TEAM_RECORDS - 1, Scalar.U32)
    number = builder.value(Op.AND, Scalar.U32, team, mask)
    start = builder.value(
        Op.PTR_ADD, Scalar.U64, records.address, number, scalar=Scalar.U32, detail=size
    )
    record = replace(records, address=start)
    for item in reductions:
        if item.length > MAX_UNROLLED_ELEMENTS:
            _each_element(context, item.length, partial(_exchange_at, context, item, record))
        else:
            for element in range(item.length):
                offset = element * item.scalar.size_bytes
                _exchange(context, item, item.private.part(offset), record.part(offset))
        record = record.part(item.length * item.scalar.size_bytes)


def _exchange_at(context: Context, item: Reduction, record: Place, index: int) -> None:
    own, shared = (
        replace(place, address=_element_address(context, place, index, item.scalar), offset_bytes=0)
        for place in (item.private, record)
    )
    _exchange(context, item, own, shared)


def _exchange(context: Context, item: Reduction, own: Place, record: Place) -> None:
    store_place(context, record, load_place(context, own, item.scalar), item.scalar)
    value = load_place(context, record, item.scalar)
    library(context, RuntimeCall.REDUCE_RECORD, item.scalar, value, case=_case(context, item))


def _combine(context: Context, item: Reduction) -> None:
    if item.length > MAX_UNROLLED_ELEMENTS:
        _each_element(context, item.length, lambda index: _combine_at(context, item, index))
    else:
        for number in range(item.length):
            place = item.private.part(number * item.scalar.size_bytes)
            value = load_place(context, place, item.scalar)
            library(
                context, RuntimeCall.REDUCE_THREADS, item.scalar, value, case=_case(context, item)
            )


def _combine_at(context: Context, item: Reduction, index: int) -> None:
    address = _element_address(context, item.private, index, item.scalar)
    value = load_place(context, Place(address, array=item.variable.name), item.scalar)
    library(context, RuntimeCall.REDUCE_THREADS, item.scalar, value, case=_case(context, item))


def _case(context: Context, item: Reduction) -> str:
    case = _looked_up(context)
    if item.is_combined:
        return case + COMBINED
    return case + SELECTING if item.operator in ("min", "max") else case


def _looked_up(context: Context) -> str:
    """The end of a call's name where the mode is looked up, which makes the code longer."""
    is_looked_up = context.openmp is not None and context.openmp.case == LOOKED_UP
    return LOOKED_UP if is_looked_up else ""


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
                value = load_place(context, item.private.part(offset), item.scalar)
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

    def is_below() -> int:
        bound = builder.constant(length, INDEX)
        return builder.value(Op.LT, Scalar.BOOL, index, bound, scalar=INDEX)

    def advance() -> None:
        one = builder.constant(1, INDEX)
        builder.move(index, builder.value(Op.ADD, INDEX, index, one))

    builder.repeat(is_below, lambda: body(index), advance)


def _store_element(context: Context, base: Place, index: int, value: int, scalar: Scalar) -> None:
    address = _element_address(context, base, index, scalar)
    store_place(context, Place(address, array=base.array), value, scalar)


def _element_address(context: Context, base: Place, index: int, scalar: Scalar) -> int:
    start = place_address(context, base)
    return context.builder.value(
        Op.PTR_ADD, Scalar.U64, start, index, scalar=INDEX, detail=scalar.size_bytes
    )
