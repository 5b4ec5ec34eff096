"""Types and record layouts: libclang types to IR types, each resolved once."""

from __future__ import annotations

from clang_queries._cindex import Clang, CType, Cursor, is_null
from clang_queries._kinds import REFERENCE_TYPES, Kind, TypeKind
from clang_queries.ir.types import (
    ArrayType,
    Field,
    FunctionType,
    OpaqueType,
    PointerType,
    Record,
    RecordType,
    Scalar,
    ScalarType,
    Type,
)

_SCALARS = {
    TypeKind.VOID: Scalar.VOID,
    TypeKind.BOOL: Scalar.BOOL,
    TypeKind.CHAR_U: Scalar.U8,
    TypeKind.UCHAR: Scalar.U8,
    TypeKind.CHAR16: Scalar.U16,
    TypeKind.CHAR32: Scalar.U32,
    TypeKind.USHORT: Scalar.U16,
    TypeKind.UINT: Scalar.U32,
    TypeKind.ULONG: Scalar.U64,
    TypeKind.ULONGLONG: Scalar.U64,
    TypeKind.UINT128: Scalar.U128,
    TypeKind.CHAR_S: Scalar.I8,
    TypeKind.SCHAR: Scalar.I8,
    TypeKind.WCHAR: Scalar.I32,
    TypeKind.SHORT: Scalar.I16,
    TypeKind.INT: Scalar.I32,
    TypeKind.LONG: Scalar.I64,
    TypeKind.LONGLONG: Scalar.I64,
    TypeKind.INT128: Scalar.I128,
    TypeKind.FLOAT: Scalar.F32,
    TypeKind.DOUBLE: Scalar.F64,
    TypeKind.LONGDOUBLE: Scalar.F64,
    TypeKind.FLOAT128: Scalar.F64,
    TypeKind.HALF: Scalar.F16,
    TypeKind.FLOAT16: Scalar.F16,
    TypeKind.BFLOAT16: Scalar.BF16,
}
_SCALAR_TYPES = {int(kind): ScalarType(scalar) for kind, scalar in _SCALARS.items()}
_SIZED = frozenset(
    {TypeKind.VECTOR, TypeKind.EXT_VECTOR, TypeKind.COMPLEX, TypeKind.MEMBER_POINTER}
)
_VOID_POINTER = PointerType(ScalarType(Scalar.VOID))
_CONST_BIT = 1
"""libclang's type handle is clang's QualType: the lowest three bits hold const, restrict and volatile."""
_RESTRICT_BIT = 2
_VOLATILE_BIT = 4


class FieldInfo:
    """One field as member expressions need it."""

    __slots__ = (
        "bit_offset",
        "bit_width",
        "is_reference",
        "name",
        "offset_bytes",
        "parent",
        "type",
    )

    def __init__(
        self,
        name: str,
        field_type: Type,
        offset_bytes: int,
        bit_offset: int,
        bit_width: int | None,
        parent: str,
    ) -> None:
        self.name = name
        self.type = field_type
        self.offset_bytes = offset_bytes
        self.bit_offset = bit_offset
        self.bit_width = bit_width
        self.is_reference = isinstance(field_type, PointerType) and field_type.is_reference
        self.parent = parent


class Bases:
    """The base classes of a record in order, with their offsets."""

    __slots__ = ("known", "subobjects")

    def __init__(self, subobjects: list[tuple[RecordType, int]], *, known: bool) -> None:
        self.subobjects = subobjects
        self.known = known


class TypeTable:
    """Resolves types and remembers the layouts of the records met."""

    def __init__(self, clang: Clang) -> None:
        self.clang = clang
        self.records: dict[str, Record] = {}
        self.declarations: dict[str, Cursor] = {}
        self._owners: dict[str, list[int | None]] = {}
        self._types: dict[int, Type] = {}
        self._fields: dict[int, FieldInfo] = {}
        self._bases: dict[str, Bases] = {}
        self._anonymous: dict[str, list[tuple[RecordType, int]]] = {}

    def of(self, cursor: Cursor) -> Type:
        """The IR type of an expression or declaration."""
        ctype = self.clang.cursor_type(cursor)
        found = self._types.get(ctype.d0 or 0)
        return found if found is not None else self.resolve(ctype)

    def resolve(self, ctype: CType) -> Type:
        """The IR type of a libclang type."""
        key = ctype.d0
        if key is None:
            return OpaqueType("?")
        found = self._types.get(key)
        if found is not None:
            return found
        canonical = self.clang.canonical_type(ctype)
        found = self._types.get(canonical.d0)
        if found is None:
            found = self._build(canonical)
            self._types[canonical.d0] = found
        self._types[key] = found
        return found

    def is_const(self, ctype: CType) -> bool:
        """Whether the type is const-qualified at the top level, looking through arrays."""
        return self._is_qualified(ctype, _CONST_BIT)

    def is_volatile(self, ctype: CType) -> bool:
        """Whether the type is volatile-qualified at the top level, looking through arrays."""
        return self._is_qualified(ctype, _VOLATILE_BIT)

    def _is_qualified(self, ctype: CType, bit: int) -> bool:
        canonical = self.clang.canonical_type(ctype)
        found = (canonical.d0 or 0) & bit
        # an array of qualified elements has the qualifier itself, or its elements have it
        while canonical.kind in (TypeKind.CONSTANT_ARRAY, TypeKind.INCOMPLETE_ARRAY):
            canonical = self.clang.lib.clang_getArrayElementType(canonical)
            found |= (canonical.d0 or 0) & bit
        return bool(found)

    def _build(self, canonical: CType) -> Type:
        kind = canonical.kind
        scalar = _SCALAR_TYPES.get(int(kind))
        if scalar is not None:
            return scalar
        lib = self.clang.lib
        if kind in (TypeKind.POINTER, *REFERENCE_TYPES):
            pointee = lib.clang_getPointeeType(canonical)
            return PointerType(
                self.resolve(pointee),
                is_reference=kind != TypeKind.POINTER,
                is_restrict=bool((canonical.d0 or 0) & _RESTRICT_BIT),
                is_const=self.is_const(pointee),
                is_volatile=self.is_volatile(pointee),
            )
        if kind == TypeKind.RECORD:
            return self._build_record(canonical)
        if kind == TypeKind.ENUM:
            underlying = lib.clang_getEnumDeclIntegerType(lib.clang_getTypeDeclaration(canonical))
            resolved = self.resolve(underlying)
            return resolved if isinstance(resolved, ScalarType) else ScalarType(Scalar.I32)
        if kind == TypeKind.CONSTANT_ARRAY:
            element = self.resolve(lib.clang_getArrayElementType(canonical))
            return ArrayType(element, int(lib.clang_getArraySize(canonical)))
        if kind in (TypeKind.INCOMPLETE_ARRAY, TypeKind.VARIABLE_ARRAY):
            return ArrayType(self.resolve(lib.clang_getArrayElementType(canonical)), None)
        if kind in (TypeKind.FUNCTION_PROTO, TypeKind.FUNCTION_NO_PROTO):
            return FunctionType(self.resolve(lib.clang_getResultType(canonical)))
        if kind == TypeKind.NULLPTR:
            return _VOID_POINTER
        if kind == TypeKind.ATOMIC:
            return self.resolve(lib.clang_Type_getValueType(canonical))
        # libclang stops the process when asked for the size of a placeholder type
        size = max(int(lib.clang_Type_getSizeOf(canonical)), 0) if kind in _SIZED else 0
        return OpaqueType(self.clang.type_spelling(canonical), size)

    def _build_record(self, canonical: CType) -> Type:
        lib = self.clang.lib
        name = self.clang.type_spelling(canonical).removeprefix("const ").removeprefix("volatile ")
        size = int(lib.clang_Type_getSizeOf(canonical))
        if size < 0:
            return OpaqueType(name)
        declaration = lib.clang_getTypeDeclaration(canonical)
        key = self._key_of(declaration, name)
        result = RecordType(key, name, size)
        if canonical.d0 is not None:
            self._types[canonical.d0] = result
        if key not in self.records:
            self.declarations[key] = declaration
            self.records[key] = Record(
                key=key, name=name, size_bytes=size, align_bytes=1, fields=()
            )
            self._lay_out(key, result, canonical, declaration)
        return result

    def _key_of(self, declaration: Cursor, name: str) -> str:
        """The USR, numbered where libclang gives several local types the same."""
        canonical = self.clang.canonical_cursor(declaration)
        usr = self.clang.usr(canonical) or name
        owners = self._owners.setdefault(usr, [])
        if canonical.d0 not in owners:
            owners.append(canonical.d0)
        index = owners.index(canonical.d0)
        return usr if index == 0 else f"{usr}@{index}"

    def _lay_out(self, key: str, record: RecordType, canonical: CType, declaration: Cursor) -> None:
        lib = self.clang.lib
        fields: list[Field] = []
        anonymous: list[tuple[RecordType, int]] = []
        cursors = self.clang.fields(canonical)
        for cursor in cursors:
            info = self._describe(cursor, key)
            fields.append(
                Field(
                    name=info.name,
                    type=info.type,
                    offset_bytes=info.offset_bytes,
                    bit_offset=info.bit_offset,
                    bit_width=info.bit_width,
                )
            )
            if isinstance(info.type, RecordType) and lib.clang_Cursor_isAnonymousRecordDecl(
                lib.clang_getTypeDeclaration(self.clang.cursor_type(cursor))
            ):
                anonymous.append((info.type, info.offset_bytes))
        self._anonymous[key] = anonymous
        bases = self._find_bases(record, declaration, fields)
        self._bases[key] = bases
        base_fields = [
            Field(name=base.name, type=base, offset_bytes=offset)
            for base, offset in bases.subobjects
        ]
        self.records[key] = Record(
            key=key,
            name=record.name,
            size_bytes=record.size_bytes,
            align_bytes=max(int(lib.clang_Type_getAlignOf(canonical)), 1),
            fields=(*base_fields, *fields),
            is_union=declaration.kind == Kind.UNION,
        )

    def _find_bases(self, record: RecordType, declaration: Cursor, fields: list[Field]) -> Bases:
        """Base classes with offsets: in order, each aligned, behind the pointer to the virtual table."""
        specifiers = [
            child for child in self.clang.children(declaration) if child.kind == Kind.BASE_SPECIFIER
        ]
        if not specifiers:
            template = self.clang.lib.clang_getSpecializedCursorTemplate(declaration)
            is_template = not is_null(template)
            has_bases = is_template and any(
                child.kind == Kind.BASE_SPECIFIER for child in self.clang.children(template)
            )
            return Bases([], known=not has_bases)
        subobjects: list[tuple[RecordType, int]] = []
        offset = 0
        for specifier in specifiers:
            base = self.of(specifier)
            if not isinstance(base, RecordType):
                continue
            known = self.records.get(base.key)
            is_empty = known is not None and not known.fields and base.size_bytes == 1
            align = known.align_bytes if known is not None else 8
            place = 0 if is_empty else -(-offset // align) * align
            subobjects.append((base, place))
            offset = offset if is_empty else place + base.size_bytes
        first = fields[0].offset_bytes if fields else record.size_bytes
        if (
            len(subobjects) == 1
            and subobjects[0][1] == 0
            and first >= subobjects[0][0].size_bytes + 8
        ):
            align = self.records[subobjects[0][0].key].align_bytes
            if (
                align <= 8
                and not any(self._has_virtual(base) for base, _ in subobjects)
                and self._is_dynamic(declaration)
            ):
                subobjects[0] = (subobjects[0][0], 8)
        return Bases(subobjects, known=True)

    def _is_dynamic(self, declaration: Cursor) -> bool:
        return any(
            child.kind in (Kind.METHOD, Kind.DESTRUCTOR)
            and self.clang.lib.clang_CXXMethod_isVirtual(child)
            for child in self.clang.children(declaration)
        )

    def _has_virtual(self, record: RecordType) -> bool:
        declaration = self.declarations.get(record.key)
        if declaration is None:
            return False
        bases = self._bases.get(record.key)
        inherited = bases is not None and any(
            self._has_virtual(base) for base, _ in bases.subobjects
        )
        return inherited or self._is_dynamic(declaration)

    def _describe(self, cursor: Cursor, parent: str) -> FieldInfo:
        lib = self.clang.lib
        field_type = self.of(cursor)
        bits = int(lib.clang_Cursor_getOffsetOfField(cursor))
        bits = max(bits, 0)
        width: int | None = None
        offset_bytes, bit_offset = bits // 8, 0
        if lib.clang_Cursor_isBitField(cursor):
            width = int(lib.clang_getFieldDeclBitWidth(cursor))
            unit = max(field_type.size_bytes, 1) * 8
            offset_bytes, bit_offset = bits // unit * (unit // 8), bits % unit
        info = FieldInfo(
            self.clang.spelling(cursor), field_type, offset_bytes, bit_offset, width, parent
        )
        if cursor.d0 is not None:
            self._fields[cursor.d0] = info
        return info

    def field(self, cursor: Cursor) -> FieldInfo:
        """Name, type and place of a field within its immediate record."""
        found = self._fields.get(cursor.d0 or 0)
        if found is not None:
            return found
        parent = self.clang.semantic_parent(cursor)
        record = self.of(parent)
        found = self._fields.get(cursor.d0 or 0)
        if found is not None:
            return found
        return self._describe(cursor, record.key if isinstance(record, RecordType) else "")

    def tuple_members(self, key: str) -> list[tuple[Type, int]]:
        """Types and offsets of what a ``std::tuple`` of the bundled headers holds: each before the row of all that follow it."""
        declaration, lib = self.declarations.get(key), self.clang.lib
        if declaration is None:
            return []
        whole = self.clang.cursor_type(declaration)
        count = max(lib.clang_Type_getNumTemplateArguments(whole), 0)
        members = [lib.clang_Type_getTemplateArgumentAsType(whole, at) for at in range(count)]
        aligned = [max(int(lib.clang_Type_getAlignOf(member)), 1) for member in members]
        found: list[tuple[Type, int]] = []
        offset = 0
        for place, member in enumerate(members):
            type_ = self.resolve(member)
            found.append((type_, offset))
            rest = max(aligned[place + 1 :], default=1)
            offset += -(-(type_.size_bytes or 0) // rest) * rest
        return found

    def subobject_offset(self, outer: str, inner: str) -> int | None:
        """Offset of a base class or of an anonymous member's record within a record; None where it is unknown."""
        if outer == inner:
            return 0
        for candidates in (self._anonymous.get(outer, ()), self._subobjects(outer)):
            for record, offset in candidates:
                within = self.subobject_offset(record.key, inner)
                if within is not None:
                    return offset + within
        return None

    def _subobjects(self, key: str) -> list[tuple[RecordType, int]]:
        bases = self._bases.get(key)
        return [] if bases is None else bases.subobjects

    def base_offset(self, derived: str, base: str) -> int | None:
        """Offset of a base class; 0 where the bases of a template instance cannot be seen."""
        offset = self.subobject_offset(derived, base)
        if offset is not None:
            return offset
        return 0 if self.hides_bases(derived) else None

    def hides_bases(self, key: str) -> bool:
        """Whether the record or one of its bases is a template instance whose bases libclang does not show."""
        bases = self._bases.get(key)
        if bases is None:
            return False
        return not bases.known or any(self.hides_bases(base.key) for base, _ in bases.subobjects)


def same_layout(left: Type, right: Type) -> bool:
    """Whether two types differ at most in qualifiers."""
    if left is right:
        return True
    if isinstance(left, PointerType) and isinstance(right, PointerType):
        return same_layout(left.pointee, right.pointee)
    if isinstance(left, ArrayType) and isinstance(right, ArrayType):
        return left.length == right.length and same_layout(left.element, right.element)
    return left == right
