"""What the compiler provides or chooses without a trace in the tree: constructors, defaults of members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries._cindex import Cursor
from clang_queries._kinds import Kind
from clang_queries.ir.expressions import Construct, Expr, InitList, New
from clang_queries.ir.types import ArrayType, PointerType, RecordType, ScalarType, Type
from clang_queries.lowering.conversions import convert, pass_as
from clang_queries.lowering.scope import Scope, is_expression, is_lvalue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clang_queries.ir.expressions import Position


def is_implicit(scope: Scope, function: Cursor) -> bool:
    """Whether the compiler provides the function: it stands where its class does, or is defaulted."""
    lib = scope.clang.lib
    if lib.clang_CXXMethod_isDefaulted(function):
        return True
    parent = scope.clang.semantic_parent(function)
    return scope.clang.place(function) == scope.clang.place(parent)


def needs_construction(scope: Scope, type_: Type, seen: set[str]) -> bool:
    """Whether default construction of the type writes anything."""
    if isinstance(type_, ArrayType):
        return needs_construction(scope, type_.element, seen)
    if not isinstance(type_, RecordType) or type_.key in seen:
        return False
    seen.add(type_.key)
    declaration = scope.types.declarations.get(type_.key)
    record = scope.types.records.get(type_.key)
    if declaration is None or record is None:
        return False
    known = scope.unit.uninitialised_constructors.get(type_.key)
    if known is not None:
        return known
    found = False
    for child in scope.clang.children(declaration):
        if (child.kind == Kind.CONSTRUCTOR and not is_implicit(scope, child)) or (
            child.kind == Kind.FIELD and default_member_value(scope, child) is not None
        ):
            found = True
    if not found:
        for field_cursor in scope.clang.fields(scope.clang.cursor_type(declaration)):
            if default_member_value(scope, field_cursor) is not None:
                found = True
    found = found or any(needs_construction(scope, field.type, seen) for field in record.fields)
    scope.unit.uninitialised_constructors[type_.key] = found
    return found


def default_member_value(scope: Scope, field: Cursor) -> Cursor | None:
    """The default initialiser of a field."""
    children = [child for child in scope.clang.children(field) if is_expression(child)]
    if not children:
        return None
    is_bit_field = bool(scope.clang.lib.clang_Cursor_isBitField(field))
    type_ = scope.types.of(field)
    extents = 1 if is_bit_field else 0
    while isinstance(type_, ArrayType):
        extents += 1
        type_ = type_.element
    # the width of a bit-field and the extents of an array stand before the initialiser
    name_offset = scope.clang.place(field)[3]
    behind = [child for child in children if scope.clang.start(child)[3] > name_offset]
    if len(behind) > extents or (behind and extents and behind[-1].kind == Kind.INIT_LIST_EXPR):
        return behind[-1]
    return None


def default_value(scope: Scope, parameter: Cursor) -> Cursor | None:
    """The default argument of a parameter; expressions before its name belong to its type."""
    begin, name = scope.clang.start(parameter)[3], scope.clang.place(parameter)
    for child in reversed(scope.clang.children(parameter)):
        if is_expression(child):
            start = scope.clang.start(child)
            is_before = start[0] == name[0] and begin <= start[3] < name[3]
            return None if is_before else child
    return None


def default_constructor(scope: Scope, record: RecordType) -> Cursor | None:
    """A constructor that can be called without arguments, where libclang shows the record's members."""
    declaration = scope.types.declarations.get(record.key)
    if declaration is None:
        return None
    for child in scope.clang.children(declaration):
        if child.kind == Kind.CONSTRUCTOR and not scope.clang.lib.clang_CXXMethod_isDeleted(child):
            parameters = scope.clang.parameters(child)
            if all(default_value(scope, item) is not None for item in parameters):
                return child
    return None


def has_constructor(scope: Scope, type_: RecordType) -> bool:
    """Whether the record shows a constructor that the user wrote."""
    return any(True for _ in _written_constructors(scope, type_))


def _written_constructors(scope: Scope, type_: RecordType) -> Iterator[Cursor]:
    """Constructors that the user wrote; libclang shows those of an implicit template instance in the template."""
    declaration = scope.types.declarations.get(type_.key)
    if declaration is None:
        return
    shown = scope.clang.children(declaration)
    if not any(child.kind in _MEMBERS for child in shown):
        lib = scope.clang.lib
        template = lib.clang_getSpecializedCursorTemplate(declaration)
        shown = scope.clang.children(lib.clang_getCursorDefinition(template))
    for child in shown:
        if child.kind == Kind.CONSTRUCTOR and not is_implicit(scope, child):
            yield child


_MEMBERS = frozenset({Kind.CONSTRUCTOR, Kind.METHOD, Kind.FIELD})


def from_value(scope: Scope, value: Expr, type_: RecordType) -> Expr:
    """A record made from one value by a converting constructor, where libclang hides the call."""
    best: Cursor | None = None
    best_score = -1
    for child in _written_constructors(scope, type_):
        parameters = scope.clang.parameters(child)
        optional = all(default_value(scope, item) is not None for item in parameters[1:])
        if not parameters or not optional:
            continue
        score = _match(scope.types.of(parameters[0]), value.type)
        if score > best_score:
            best, best_score = child, score
    if best is None:
        wrapped = _function_object(scope, value, type_)
        return convert(scope, value, type_) if wrapped is None else wrapped
    return _constructed(scope, best, [value], type_, value.position)


def from_values(
    scope: Scope, items: Sequence[Cursor], type_: RecordType, position: Position
) -> Expr | None:
    """A record of the user's made by the constructor that a list within a list means, where libclang hides the call.

    None where there is none for these values, and where one takes a list.
    """
    constructors = (
        [] if type_.name.startswith("std::") else list(_written_constructors(scope, type_))
    )
    shown = [(child, scope.clang.parameters(child)) for child in constructors]
    if any(_is_list(scope.types.of(parameter)) for _, all_ in shown for parameter in all_[:1]):
        return None
    fitting = [
        (child, parameters)
        for child, parameters in shown
        if len(parameters) >= len(items)
        and all(default_value(scope, item) is not None for item in parameters[len(items) :])
    ]
    if not fitting:
        return None
    values = [scope.expression(item) for item in items]
    best: tuple[int, Cursor] | None = None
    for child, parameters in fitting:
        pairs = zip(parameters, values, strict=False)
        scores = [_match(scope.types.of(parameter), value.type) for parameter, value in pairs]
        if min(scores) >= 0 and (best is None or sum(scores) > best[0]):
            best = sum(scores), child
    return None if best is None else _constructed(scope, best[1], values, type_, position)


def _is_list(type_: Type) -> bool:
    if isinstance(type_, PointerType) and type_.is_reference:
        type_ = type_.pointee
    return isinstance(type_, RecordType) and type_.name.startswith("std::initializer_list<")


def _constructed(
    scope: Scope, constructor: Cursor, values: Sequence[Expr], type_: RecordType, position: Position
) -> Expr:
    """A call of a constructor; the arguments that are not given have their defaults."""
    reference = scope.unit.reference(constructor)
    given = zip(values, reference.parameters, strict=False)
    arguments = [pass_as(scope, value, expected) for value, expected in given]
    parameters = scope.clang.parameters(constructor)
    rest = zip(parameters[len(values) :], reference.parameters[len(values) :], strict=False)
    for parameter, expected in rest:
        default = default_value(scope, parameter)
        if default is not None:
            arguments.append(pass_as(scope, scope.expression(default), expected))
    return Construct(type_, position, reference.name_expression(position), tuple(arguments))


def _function_object(scope: Scope, value: Expr, type_: RecordType) -> Expr | None:
    """A ``std::function`` of a lambda or another object that can be called, as its constructor, a template, makes it.

    Its caller takes the object's address before the arguments, as the object's own call operator does.
    """
    if not type_.name.startswith("std::function<") or not isinstance(value.type, RecordType):
        return None
    declaration = scope.types.declarations.get(value.type.key)
    layout = scope.types.records.get(type_.key)
    if declaration is None or layout is None:
        return None
    operators = [
        child
        for child in scope.clang.children(declaration)
        if child.kind == Kind.METHOD and scope.clang.spelling(child) == "operator()"
    ]
    offsets = {field.name: field.offset_bytes for field in layout.fields}
    if len(operators) != 1 or not {"cq_object", "cq_caller"} <= offsets.keys():
        return None
    position = value.position
    kept = Construct(value.type, position, None, (value,)) if is_lvalue(value) else value
    target = New(PointerType(value.type), position, value.type, None, kept)
    caller = scope.unit.reference(operators[0]).name_expression(position)
    return InitList(
        type_, position, ((offsets["cq_object"], target), (offsets["cq_caller"], caller))
    )


def _match(parameter: Type, value: Type) -> int:
    if isinstance(parameter, PointerType) and parameter.is_reference:
        parameter = parameter.pointee
    if parameter == value:
        return 3
    if isinstance(parameter, ScalarType) and isinstance(value, ScalarType):
        return 2 if parameter.scalar.is_float == value.scalar.is_float else 1
    if isinstance(parameter, PointerType) and isinstance(value, (PointerType, ArrayType)):
        return 2
    return -1
