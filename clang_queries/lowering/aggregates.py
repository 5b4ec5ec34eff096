"""Braced lists and other initial values."""

from __future__ import annotations

from clang_queries._cindex import Cursor
from clang_queries._kinds import Kind
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
    Field,
    FunctionType,
    OpaqueType,
    PointerType,
    Record,
    RecordType,
    ScalarType,
    Type,
)
from clang_queries.lowering.conversions import convert, pass_as
from clang_queries.lowering.implicit import (
    default_constructor,
    default_member_value,
    default_value,
    from_value,
    from_values,
    has_constructor,
    is_implicit,
    needs_construction,
)
from clang_queries.lowering.registry import expression
from clang_queries.lowering.scope import (
    Scope,
    ThisObject,
    address_of,
    is_expression,
    is_lvalue,
)

_LONGEST_RANGE = 65536
"""Elements that one ``[low ... high]`` designator sets at most."""


def copy_of(operand: Expr, type_: Type, position: Position) -> Expr:
    """A bitwise copy of an object; a value is its own."""
    if is_lvalue(operand) or isinstance(operand, OpaqueExpr):
        return Construct(type_, position, None, (operand,))
    return operand


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
            return copy_of(first, type_, position)
        if type_.name.startswith("std::tuple<"):
            return reader.row(type_, position)
        if not any(item.kind == Kind.INIT_LIST_EXPR for item in items):
            made = from_values(scope, items, type_, position)
            if made is not None:
                return made
    return reader.aggregate(type_, position, is_braced=True)


def default_object(
    scope: Scope, type_: RecordType, position: Position, *, is_zeroed: bool = False
) -> Expr | None:
    """A default-constructed record, on zeros where it is a part of a braced list; None where that writes nothing."""
    constructor = default_constructor(scope, type_)
    if constructor is not None and not is_implicit(scope, constructor):
        reference = scope.unit.reference(constructor)
        parameters = scope.clang.parameters(constructor)
        arguments = []
        for parameter, expected in zip(parameters, reference.parameters, strict=False):
            default = default_value(scope, parameter)
            if default is None:
                break
            value = scope.expression(default)
            if isinstance(expected, RecordType) and not isinstance(value.type, RecordType):
                value = from_value(scope, value, expected)
            arguments.append(pass_as(scope, value, expected))
        return Construct(type_, position, reference.name_expression(position), tuple(arguments))
    if not needs_construction(scope, type_, set()):
        return None
    elements = _default_members(scope, type_, position, frozenset(), is_zeroed=is_zeroed)
    return InitList(type_, position, elements, is_zeroed)


_Place = tuple[str, int, int]
"""Name, offset in bytes and offset in bits of a member."""


def _default_members(
    scope: Scope,
    type_: RecordType,
    position: Position,
    given: frozenset[_Place],
    *,
    is_zeroed: bool,
) -> tuple[tuple[int, Expr], ...]:
    """What the members and bases of a record are set to that no initialiser gives; those that are left alone are missing."""
    elements: list[tuple[int, Expr]] = []
    declaration = scope.types.declarations[type_.key]
    this = scope.this
    # Of the object itself nothing is known yet.
    pointer = OpaqueExpr(PointerType(type_), position, "object that is being made")
    scope.this = ThisObject(type_, lambda _: pointer)
    for field in scope.clang.fields(scope.clang.cursor_type(declaration)):
        info = scope.types.field(field)
        if (info.name, info.offset_bytes, info.bit_offset) in given:
            continue
        default = default_member_value(scope, field)
        if default is not None:
            elements.append((info.offset_bytes, initial_value(scope, default, info.type)))
        elif (value := _default_value(scope, info.type, position, is_zeroed=is_zeroed)) is not None:
            elements.append((info.offset_bytes, value))
    scope.this = this
    for base in scope.types.records[type_.key].fields:
        is_base = isinstance(base.type, RecordType) and base.name == base.type.name
        if is_base and (base.name, base.offset_bytes, base.bit_offset) not in given:
            value = _default_value(scope, base.type, position, is_zeroed=is_zeroed)
            if value is not None:
                elements.append((base.offset_bytes, value))
    return tuple(elements)


def _default_value(
    scope: Scope, type_: Type, position: Position, *, is_zeroed: bool
) -> Expr | None:
    if isinstance(type_, RecordType):
        return default_object(scope, type_, position, is_zeroed=is_zeroed)
    if isinstance(type_, ArrayType) and needs_construction(scope, type_, set()):
        element = _default_value(scope, type_.element, position, is_zeroed=is_zeroed)
        size = type_.element.size_bytes
        if element is not None and type_.length is not None and type_.length <= _LONGEST_RANGE:
            places = range(0, type_.length * size, size)
            return InitList(type_, position, tuple((place, element) for place in places), is_zeroed)
    return None


def _place(field: Field) -> _Place:
    return field.name, field.offset_bytes, field.bit_offset


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

    def aggregate(
        self, type_: ArrayType | RecordType, position: Position, *, is_braced: bool
    ) -> Expr:
        """The value of an array or record from the items that follow."""
        if isinstance(type_, ArrayType):
            return self._array(type_, position, is_braced=is_braced)
        record = self.scope.types.records.get(type_.key)
        if record is None:
            return InitList(type_, position, ())
        return self._record(type_, record, position, is_braced=is_braced)

    def row(self, type_: RecordType, position: Position) -> Expr:
        """A ``std::tuple`` of the items."""
        elements: list[tuple[int, Expr]] = []
        for member, offset in self.scope.types.tuple_members(type_.key):
            if not self.at_end():
                elements.append((offset, self._value(member)))
        return InitList(type_, position, tuple(elements))

    def _array(self, type_: ArrayType, position: Position, *, is_braced: bool) -> Expr:
        elements: list[tuple[int, Expr]] = []
        size = type_.element.size_bytes
        index = 0
        while not self.at_end() and (is_braced or type_.length is None or index < type_.length):
            designator = self._array_designator() if is_braced else None
            if designator is not None:
                low, high, value_cursor = designator
                value = initial_value(self.scope, value_cursor, type_.element)
                last = min(high, low + _LONGEST_RANGE)
                elements.extend((place * size, value) for place in range(low, last + 1))
                index = high + 1
                continue
            before = self.next
            elements.append((index * size, self._value(type_.element)))
            index += 1
            if self.next == before:
                break
        if type_.length is not None and index < type_.length <= _LONGEST_RANGE:
            omitted = _default_value(self.scope, type_.element, position, is_zeroed=True)
            if omitted is not None:
                places = range(index * size, type_.length * size, size)
                elements.extend((place, omitted) for place in places)
        return InitList(type_, position, tuple(elements))

    def _record(
        self, type_: RecordType, record: Record, position: Position, *, is_braced: bool
    ) -> Expr:
        elements: list[tuple[int, Expr]] = []
        given: set[_Place] = set()
        fields = [
            field for field in record.fields if field.name or isinstance(field.type, RecordType)
        ]
        index = 0
        while not self.at_end():
            designated = self._field_designator() if is_braced else None
            if designated is not None:
                offset, value, name = designated
                elements.append((offset, value))
                found = (place for place, field in enumerate(fields) if field.name == name)
                index = next(found, index - 1) + 1
                given.update(map(_place, fields[index - 1 : index]))
                continue
            if index >= len(fields) or (record.is_union and index):
                break
            field = fields[index]
            before = self.next
            elements.append((field.offset_bytes, self._value(field.type)))
            given.add(_place(field))
            index += 1
            if self.next == before:
                break
        if not record.is_union and needs_construction(self.scope, type_, set()):
            elements += _default_members(
                self.scope, type_, position, frozenset(given), is_zeroed=True
            )
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
            if (
                isinstance(item.type, RecordType)
                and scope.types.subobject_offset(item.type.key, type_.key) is not None
            ):
                return convert(scope, self.take(), type_)
            if has_constructor(scope, type_):
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
