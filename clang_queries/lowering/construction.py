"""Record values: constructors, implicit copies, aggregate lists."""

from __future__ import annotations

from clang_queries._cindex import Cursor
from clang_queries._kinds import REFERENCE_KINDS, Kind
from clang_queries.ir.expressions import (
    Cast,
    Constant,
    Construct,
    Expr,
    InitList,
    OpaqueExpr,
    Position,
    StringLiteral,
)
from clang_queries.ir.types import (
    ArrayType,
    FunctionType,
    OpaqueType,
    PointerType,
    Record,
    RecordType,
    ScalarType,
    Type,
)
from clang_queries.lowering.conversions import convert
from clang_queries.lowering.registry import expression
from clang_queries.lowering.scope import Scope, address_of, is_expression, is_lvalue


def construct(scope: Scope, cursor: Cursor, constructor: Cursor) -> Expr:
    """A constructor call; copies and moves by an implicit constructor are bitwise."""
    from clang_queries.lowering import calls  # noqa: PLC0415

    type_ = scope.types.of(cursor)
    position = scope.position(cursor)
    children = scope.clang.children(cursor)
    arguments = [child for child in children if is_expression(child)]
    implicit = is_implicit(scope, constructor)
    if implicit and len(arguments) == 1:
        operand = scope.expression(arguments[0])
        return _copy(operand, type_, position)
    if implicit and not arguments:
        spelled = any(child.kind in REFERENCE_KINDS for child in children)
        return default_construct(scope, type_, constructor, position, is_zeroed=spelled)
    reference = scope.unit.reference(constructor)
    if _is_copy_of_closure(type_, arguments):
        return _copy(scope.expression(arguments[0]), type_, position)
    lowered = tuple(calls.lower_arguments(scope, arguments, reference))
    return Construct(type_, position, reference.name_expression(position), lowered)


def _is_copy_of_closure(type_: Type, arguments: list[Cursor]) -> bool:
    return isinstance(type_, RecordType) and type_.name.startswith("(lambda") and len(arguments) == 1


def _copy(operand: Expr, type_: Type, position: Position) -> Expr:
    if is_lvalue(operand) or isinstance(operand, OpaqueExpr):
        return Construct(type_, position, None, (operand,))
    return operand


def is_implicit(scope: Scope, function: Cursor) -> bool:
    """Whether the compiler provides the function: it stands where its class does, or is defaulted."""
    lib = scope.clang.lib
    if lib.clang_CXXMethod_isDefaulted(function):
        return True
    parent = scope.clang.semantic_parent(function)
    return scope.clang.place(function) == scope.clang.place(parent)


def default_construct(
    scope: Scope, type_: Type, constructor: Cursor, position: Position, *, is_zeroed: bool
) -> Expr:
    """An object made by a constructor that the compiler provides."""
    if is_zeroed and not needs_construction(scope, type_, set()):
        return InitList(type_, position, ())
    if not needs_construction(scope, type_, set()):
        return Construct(type_, position, None, ())
    reference = scope.unit.reference(constructor)
    return Construct(type_, position, reference.name_expression(position), ())


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
        if child.kind == Kind.CONSTRUCTOR and not is_implicit(scope, child):
            found = True
        elif child.kind == Kind.FIELD and default_member_value(scope, child) is not None:
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


def default_constructor(scope: Scope, record: RecordType) -> Cursor | None:
    """A constructor that can be called without arguments, where libclang shows the record's members."""
    declaration = scope.types.declarations.get(record.key)
    if declaration is None:
        return None
    for child in scope.clang.children(declaration):
        if child.kind == Kind.CONSTRUCTOR and not scope.clang.lib.clang_CXXMethod_isDeleted(child):
            parameters = [item for item in scope.clang.children(child) if item.kind == Kind.PARM]
            if all(any(is_expression(value) for value in scope.clang.children(item)) for item in parameters):
                return child
    return None


def default_object(scope: Scope, type_: RecordType, position: Position) -> Expr | None:
    """A default-constructed record, None where that writes nothing."""
    from clang_queries.lowering import calls  # noqa: PLC0415

    constructor = default_constructor(scope, type_)
    if constructor is not None and not is_implicit(scope, constructor):
        reference = scope.unit.reference(constructor)
        parameters = [item for item in scope.clang.children(constructor) if item.kind == Kind.PARM]
        arguments = []
        for parameter, expected in zip(parameters, reference.parameters, strict=False):
            values = [child for child in scope.clang.children(parameter) if is_expression(child)]
            value = scope.expression(values[-1])
            if isinstance(expected, RecordType) and not isinstance(value.type, RecordType):
                value = from_value(scope, value, expected)
            arguments.append(calls.pass_as(scope, value, expected))
        return Construct(type_, position, reference.name_expression(position), tuple(arguments))
    if not needs_construction(scope, type_, set()):
        return None
    record = scope.types.records[type_.key]
    elements: list[tuple[int, Expr]] = []
    declaration = scope.types.declarations[type_.key]
    for field in scope.clang.fields(scope.clang.cursor_type(declaration)):
        value_cursor = default_member_value(scope, field)
        info = scope.types.field(field)
        if value_cursor is not None:
            elements.append((info.offset_bytes, initial_value(scope, value_cursor, info.type)))
        elif isinstance(info.type, RecordType):
            nested = default_object(scope, info.type, position)
            if nested is not None:
                elements.append((info.offset_bytes, nested))
    for base in record.fields:
        if isinstance(base.type, RecordType) and base.name == base.type.name:
            nested = default_object(scope, base.type, position)
            if nested is not None:
                elements.append((base.offset_bytes, nested))
    return InitList(type_, position, tuple(elements), zero_fill=False)


def from_value(scope: Scope, value: Expr, type_: RecordType) -> Expr:
    """A record made from one value by a converting constructor, where libclang hides the call."""
    declaration = scope.types.declarations.get(type_.key)
    best: Cursor | None = None
    best_score = -1
    for child in () if declaration is None else scope.clang.children(declaration):
        if child.kind != Kind.CONSTRUCTOR or is_implicit(scope, child):
            continue
        parameters = [item for item in scope.clang.children(child) if item.kind == Kind.PARM]
        optional = all(
            any(is_expression(part) for part in scope.clang.children(item)) for item in parameters[1:]
        )
        if not parameters or not optional:
            continue
        score = _match(scope.types.of(parameters[0]), value.type)
        if score > best_score:
            best, best_score = child, score
    if best is None:
        return convert(scope, value, type_)
    from clang_queries.lowering import calls  # noqa: PLC0415

    reference = scope.unit.reference(best)
    first = reference.parameters[0]
    arguments = [calls.pass_as(scope, value, first)]
    parameters = [item for item in scope.clang.children(best) if item.kind == Kind.PARM]
    for parameter, expected in zip(parameters[1:], reference.parameters[1:], strict=False):
        values = [child for child in scope.clang.children(parameter) if is_expression(child)]
        arguments.append(calls.pass_as(scope, scope.expression(values[-1]), expected))
    return Construct(type_, value.position, reference.name_expression(value.position), tuple(arguments))


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


def initial_value(scope: Scope, cursor: Cursor, type_: Type) -> Expr:
    """An initialiser lowered for an object of a type."""
    if isinstance(type_, PointerType) and type_.is_reference:
        return address_of(scope.expression(cursor))
    if cursor.kind == Kind.INIT_LIST_EXPR:
        return init_list(scope, cursor, type_)
    value = scope.expression(cursor)
    if isinstance(type_, RecordType) and not isinstance(value.type, RecordType):
        return from_value(scope, value, type_)
    if isinstance(type_, ArrayType):
        return value
    return convert(scope, value, type_)


@expression(Kind.INIT_LIST_EXPR)
def _init_list(scope: Scope, cursor: Cursor) -> Expr:
    return init_list(scope, cursor, scope.types.of(cursor))


@expression(Kind.COMPOUND_LITERAL_EXPR)
def _compound_literal(scope: Scope, cursor: Cursor) -> Expr:
    children = [child for child in scope.clang.children(cursor) if is_expression(child)]
    if not children:
        return InitList(scope.types.of(cursor), scope.position(cursor), ())
    return initial_value(scope, children[-1], scope.types.of(cursor))


def init_list(scope: Scope, cursor: Cursor, type_: Type) -> Expr:
    """``{...}``: libclang shows it as written, so nesting, designators and conversions are resolved here."""
    items = [child for child in scope.clang.children(cursor) if is_expression(child)]
    position = scope.position(cursor)
    if not isinstance(type_, (ArrayType, RecordType)):
        if not items:
            if isinstance(type_, (ScalarType, PointerType)):
                return Constant(type_, position, 0)
            return scope.opaque(cursor, "list for a type without layout")
        return convert(scope, scope.expression(items[0]), type_)
    if len(items) == 1 and isinstance(type_, ArrayType) and items[0].kind == Kind.STRING_LITERAL:
        return scope.expression(items[0])
    reader = _ListReader(scope, items)
    if isinstance(type_, RecordType) and items and not _is_designated(scope, items[0]):
        first = reader.peek()
        if isinstance(first.type, RecordType) and first.type.key == type_.key:
            return _copy(first, type_, position)
    return reader.aggregate(type_, position, is_braced=True)


def _is_designated(scope: Scope, cursor: Cursor) -> bool:
    if cursor.kind != Kind.UNEXPOSED_EXPR:
        return False
    children = scope.clang.children(cursor)
    return len(children) > 1 and (
        children[0].kind == Kind.MEMBER_REF or isinstance(scope.types.of(cursor), ScalarType)
    )


class _ListReader:
    """Hands the items of one list to the fields and elements that they initialise."""

    def __init__(self, scope: Scope, items: list[Cursor]) -> None:
        self.scope = scope
        self.items = items
        self.next = 0
        self._peeked: Expr | None = None

    def at_end(self) -> bool:
        """Whether all items are used."""
        return self.next >= len(self.items)

    def peek(self) -> Expr:
        """The next item's value, lowered once."""
        if self._peeked is None:
            self._peeked = self.scope.expression(self.items[self.next])
        return self._peeked

    def take(self) -> Expr:
        """The next item's value, used up."""
        value = self.peek()
        self._peeked = None
        self.next += 1
        return value

    def aggregate(self, type_: Type, position: Position, *, is_braced: bool) -> Expr:
        """The value of an array or record from the items that follow."""
        if isinstance(type_, ArrayType):
            return self._array(type_, position, is_braced=is_braced)
        assert isinstance(type_, RecordType)
        record = self.scope.types.records.get(type_.key)
        if record is None:
            return InitList(type_, position, ())
        return self._record(type_, record, position, is_braced=is_braced)

    def _array(self, type_: ArrayType, position: Position, *, is_braced: bool) -> Expr:
        elements: list[tuple[int, Expr]] = []
        size = type_.element.size_bytes
        index = 0
        while not self.at_end() and (is_braced or type_.length is None or index < type_.length):
            designator = self._array_designator() if is_braced else None
            if designator is not None:
                low, high, value_cursor = designator
                for place in range(low, min(high, low + 65536) + 1):
                    elements.append((place * size, initial_value(self.scope, value_cursor, type_.element)))
                index = high + 1
                continue
            before = self.next
            elements.append((index * size, self._value(type_.element)))
            index += 1
            if self.next == before:
                break
        return InitList(type_, position, tuple(elements))

    def _record(self, type_: RecordType, record: Record, position: Position, *, is_braced: bool) -> Expr:
        elements: list[tuple[int, Expr]] = []
        fields = [field for field in record.fields if field.name or isinstance(field.type, RecordType)]
        index = 0
        while not self.at_end():
            designated = self._field_designator() if is_braced else None
            if designated is not None:
                offset, value, name = designated
                elements.append((offset, value))
                index = next((place + 1 for place, field in enumerate(fields) if field.name == name), index)
                continue
            if index >= len(fields) or (record.is_union and index):
                break
            field = fields[index]
            before = self.next
            elements.append((field.offset_bytes, self._value(field.type)))
            index += 1
            if self.next == before:
                break
        return InitList(type_, position, tuple(elements))

    def _value(self, type_: Type) -> Expr:
        scope = self.scope
        cursor = self.items[self.next]
        if cursor.kind == Kind.INIT_LIST_EXPR:
            self._peeked = None
            self.next += 1
            if isinstance(type_, PointerType) and type_.is_reference:
                return address_of(scope.expression(cursor))
            return init_list(scope, cursor, type_)
        if isinstance(type_, (ArrayType, RecordType)):
            item = self.peek()
            if isinstance(type_, ArrayType):
                if isinstance(item, StringLiteral):
                    return self.take()
                return self.aggregate(type_, item.position, is_braced=False)
            if isinstance(item.type, RecordType) and scope.types.subobject_offset(item.type.key, type_.key) is not None:
                return convert(scope, self.take(), type_)
            if _has_constructor(scope, type_):
                return from_value(scope, self.take(), type_)
            return self.aggregate(type_, item.position, is_braced=False)
        value = self.take()
        if isinstance(type_, PointerType) and type_.is_reference:
            return address_of(value)
        if isinstance(value.type, ArrayType) and isinstance(type_, PointerType):
            return Cast(type_, value.position, value)
        if isinstance(value.type, FunctionType):
            return value
        return convert(scope, value, type_)

    def _array_designator(self) -> tuple[int, int, Cursor] | None:
        cursor = self.items[self.next]
        if cursor.kind != Kind.UNEXPOSED_EXPR or self.scope.types.of(cursor).size_bytes:
            return None
        children = self.scope.clang.children(cursor)
        if len(children) < 2 or any(child.kind == Kind.MEMBER_REF for child in children):
            return None
        low = self.scope.clang.evaluate(children[0])
        high = self.scope.clang.evaluate(children[1]) if len(children) > 2 else low
        if not isinstance(low, int) or not isinstance(high, int):
            return None
        self._peeked = None
        self.next += 1
        return low, high, children[-1]

    def _field_designator(self) -> tuple[int, Expr, str] | None:
        scope = self.scope
        cursor = self.items[self.next]
        if cursor.kind != Kind.UNEXPOSED_EXPR:
            return None
        children = scope.clang.children(cursor)
        members = [child for child in children if child.kind == Kind.MEMBER_REF]
        if not members:
            return None
        self._peeked = None
        self.next += 1
        offset = 0
        type_: Type = OpaqueType("?")
        name = ""
        for member in members:
            info = scope.types.field(scope.clang.referenced(member))
            offset += info.offset_bytes
            type_ = info.type
            name = name or info.name
        return offset, initial_value(scope, children[-1], type_), name


def _has_constructor(scope: Scope, type_: RecordType) -> bool:
    declaration = scope.types.declarations.get(type_.key)
    if declaration is None:
        return False
    return any(
        child.kind == Kind.CONSTRUCTOR and not is_implicit(scope, child)
        for child in scope.clang.children(declaration)
    )
