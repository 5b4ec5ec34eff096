"""libclang through own ctypes structures: the only module that touches the shared library.

The official bindings lack operator kinds, evaluation, initialisers and pretty printing, raise on cursor kinds they do not
know, and cost some 10 microseconds a cursor. Here a cursor is a plain structure whose `kind` is an integer, and visiting
children costs about one microsecond each.
"""

from __future__ import annotations

import ctypes
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_double,
    c_int,
    c_longlong,
    c_ubyte,
    c_uint,
    c_ulong,
    c_ulonglong,
    c_ushort,
    c_void_p,
)
from functools import cache
from typing import Any

from clang.cindex import Config

from clang_queries._kinds import EvaluationKind, Kind
from clang_queries.errors import FrontEndUnavailableError


class Cursor(Structure):
    """``CXCursor``; `d0` is the declaration of declaration and reference cursors, `d1` the statement of others."""

    _fields_ = (
        ("kind", c_int),
        ("xdata", c_int),
        ("d0", c_void_p),
        ("d1", c_void_p),
        ("d2", c_void_p),
    )
    kind: int
    xdata: int
    d0: int | None
    d1: int | None
    d2: int | None


class CType(Structure):
    """``CXType``; `d0` identifies the type with its qualifiers."""

    _fields_ = (("kind", c_int), ("d0", c_void_p), ("d1", c_void_p))
    kind: int
    d0: int | None


class Location(Structure):
    """``CXSourceLocation``."""

    _fields_ = (("p0", c_void_p), ("p1", c_void_p), ("i", c_uint))


class Range(Structure):
    """``CXSourceRange``."""

    _fields_ = (("p0", c_void_p), ("p1", c_void_p), ("begin", c_uint), ("end", c_uint))


class RangeList(Structure):
    """``CXSourceRangeList``."""

    _fields_ = (("count", c_uint), ("ranges", POINTER(Range)))


class CString(Structure):
    """``CXString``."""

    _fields_ = (("data", c_void_p), ("flags", c_uint))


class UnsavedFile(Structure):
    """``CXUnsavedFile``."""

    _fields_ = (("filename", c_char_p), ("contents", c_char_p), ("length", c_ulong))


class IndexOptions(Structure):
    """``CXIndexOptions``; its bit-fields share the word with the two bytes before them."""

    _fields_ = (
        ("size", c_uint),
        ("background_priority_for_indexing", c_ubyte),
        ("background_priority_for_editing", c_ubyte),
        ("exclude_declarations_from_pch", c_ushort, 1),
        ("display_diagnostics", c_ushort, 1),
        ("store_preambles_in_memory", c_ushort, 1),
        ("reserved", c_ushort, 13),
        ("preamble_storage_path", c_char_p),
        ("invocation_emission_path", c_char_p),
    )


_CURSOR_VISITOR = CFUNCTYPE(c_int, Cursor, Cursor, c_void_p)
_FIELD_VISITOR = CFUNCTYPE(c_int, Cursor, c_void_p)
INCLUSION_VISITOR = CFUNCTYPE(None, c_void_p, POINTER(Location), c_uint, c_void_p)

_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "clang_createIndex": (c_void_p, (c_int, c_int)),
    "clang_createIndexWithOptions": (c_void_p, (POINTER(IndexOptions),)),
    "clang_disposeIndex": (None, (c_void_p,)),
    "clang_parseTranslationUnit2": (
        c_int,
        (
            c_void_p,
            c_char_p,
            POINTER(c_char_p),
            c_int,
            POINTER(UnsavedFile),
            c_uint,
            c_uint,
            POINTER(c_void_p),
        ),
    ),
    "clang_reparseTranslationUnit": (c_int, (c_void_p, c_uint, POINTER(UnsavedFile), c_uint)),
    "clang_disposeTranslationUnit": (None, (c_void_p,)),
    "clang_saveTranslationUnit": (c_int, (c_void_p, c_char_p, c_uint)),
    "clang_getTranslationUnitCursor": (Cursor, (c_void_p,)),
    "clang_visitChildren": (c_uint, (Cursor, _CURSOR_VISITOR, c_void_p)),
    "clang_Type_visitFields": (c_uint, (CType, _FIELD_VISITOR, c_void_p)),
    "clang_getInclusions": (None, (c_void_p, INCLUSION_VISITOR, c_void_p)),
    "clang_getCursorType": (CType, (Cursor,)),
    "clang_getCursorReferenced": (Cursor, (Cursor,)),
    "clang_getCursorDefinition": (Cursor, (Cursor,)),
    "clang_getCanonicalCursor": (Cursor, (Cursor,)),
    "clang_getCursorSemanticParent": (Cursor, (Cursor,)),
    "clang_getCursorLocation": (Location, (Cursor,)),
    "clang_getCursorExtent": (Range, (Cursor,)),
    "clang_getRangeStart": (Location, (Range,)),
    "clang_getRangeEnd": (Location, (Range,)),
    "clang_getFileLocation": (
        None,
        (Location, POINTER(c_void_p), POINTER(c_uint), POINTER(c_uint), POINTER(c_uint)),
    ),
    "clang_getSpellingLocation": (
        None,
        (Location, POINTER(c_void_p), POINTER(c_uint), POINTER(c_uint), POINTER(c_uint)),
    ),
    "clang_Location_isInSystemHeader": (c_int, (Location,)),
    "clang_getFileName": (CString, (c_void_p,)),
    "clang_getFile": (c_void_p, (c_void_p, c_char_p)),
    "clang_getFileContents": (c_void_p, (c_void_p, c_void_p, POINTER(c_ulong))),
    "clang_getSkippedRanges": (POINTER(RangeList), (c_void_p, c_void_p)),
    "clang_getAllSkippedRanges": (POINTER(RangeList), (c_void_p,)),
    "clang_disposeSourceRangeList": (None, (POINTER(RangeList),)),
    "clang_getCString": (c_char_p, (CString,)),
    "clang_disposeString": (None, (CString,)),
    "clang_getCursorSpelling": (CString, (Cursor,)),
    "clang_getCursorUSR": (CString, (Cursor,)),
    "clang_Cursor_getMangling": (CString, (Cursor,)),
    "clang_getTypeSpelling": (CString, (CType,)),
    "clang_getCanonicalType": (CType, (CType,)),
    "clang_getPointeeType": (CType, (CType,)),
    "clang_Type_getValueType": (CType, (CType,)),
    "clang_getArrayElementType": (CType, (CType,)),
    "clang_getElementType": (CType, (CType,)),
    "clang_getArraySize": (c_longlong, (CType,)),
    "clang_getNumElements": (c_longlong, (CType,)),
    "clang_getResultType": (CType, (CType,)),
    "clang_getNumArgTypes": (c_int, (CType,)),
    "clang_getArgType": (CType, (CType, c_uint)),
    "clang_isFunctionTypeVariadic": (c_uint, (CType,)),
    "clang_isConstQualifiedType": (c_uint, (CType,)),
    "clang_isRestrictQualifiedType": (c_uint, (CType,)),
    "clang_getTypeDeclaration": (Cursor, (CType,)),
    "clang_getEnumDeclIntegerType": (CType, (Cursor,)),
    "clang_getEnumConstantDeclValue": (c_longlong, (Cursor,)),
    "clang_getEnumConstantDeclUnsignedValue": (c_ulonglong, (Cursor,)),
    "clang_Type_getSizeOf": (c_longlong, (CType,)),
    "clang_Type_getAlignOf": (c_longlong, (CType,)),
    "clang_Type_getNumTemplateArguments": (c_int, (CType,)),
    "clang_Type_getTemplateArgumentAsType": (CType, (CType, c_uint)),
    "clang_Cursor_getOffsetOfField": (c_longlong, (Cursor,)),
    "clang_Cursor_isBitField": (c_uint, (Cursor,)),
    "clang_getFieldDeclBitWidth": (c_int, (Cursor,)),
    "clang_Cursor_isAnonymous": (c_uint, (Cursor,)),
    "clang_Cursor_isAnonymousRecordDecl": (c_uint, (Cursor,)),
    "clang_Cursor_isInlineNamespace": (c_uint, (Cursor,)),
    "clang_Cursor_getNumTemplateArguments": (c_int, (Cursor,)),
    "clang_Cursor_getTemplateArgumentKind": (c_int, (Cursor, c_uint)),
    "clang_Cursor_getTemplateArgumentType": (CType, (Cursor, c_uint)),
    "clang_Cursor_getTemplateArgumentValue": (c_longlong, (Cursor, c_uint)),
    "clang_Cursor_getNumArguments": (c_int, (Cursor,)),
    "clang_Cursor_getArgument": (Cursor, (Cursor, c_uint)),
    "clang_Cursor_getStorageClass": (c_int, (Cursor,)),
    "clang_Cursor_getVarDeclInitializer": (Cursor, (Cursor,)),
    "clang_Cursor_isFunctionInlined": (c_uint, (Cursor,)),
    "clang_Cursor_Evaluate": (c_void_p, (Cursor,)),
    "clang_EvalResult_getKind": (c_int, (c_void_p,)),
    "clang_EvalResult_getAsLongLong": (c_longlong, (c_void_p,)),
    "clang_EvalResult_isUnsignedInt": (c_uint, (c_void_p,)),
    "clang_EvalResult_getAsUnsigned": (c_ulonglong, (c_void_p,)),
    "clang_EvalResult_getAsDouble": (c_double, (c_void_p,)),
    "clang_EvalResult_getAsStr": (c_char_p, (c_void_p,)),
    "clang_EvalResult_dispose": (None, (c_void_p,)),
    "clang_getCursorBinaryOperatorKind": (c_int, (Cursor,)),
    "clang_getCursorUnaryOperatorKind": (c_int, (Cursor,)),
    "clang_CXXMethod_isStatic": (c_uint, (Cursor,)),
    "clang_CXXMethod_isVirtual": (c_uint, (Cursor,)),
    "clang_CXXMethod_isDefaulted": (c_uint, (Cursor,)),
    "clang_CXXMethod_isDeleted": (c_uint, (Cursor,)),
    "clang_CXXConstructor_isCopyConstructor": (c_uint, (Cursor,)),
    "clang_CXXConstructor_isMoveConstructor": (c_uint, (Cursor,)),
    "clang_getSpecializedCursorTemplate": (Cursor, (Cursor,)),
    "clang_getOverriddenCursors": (None, (Cursor, POINTER(POINTER(Cursor)), POINTER(c_uint))),
    "clang_disposeOverriddenCursors": (None, (POINTER(Cursor),)),
    "clang_getNumOverloadedDecls": (c_uint, (Cursor,)),
    "clang_getOverloadedDecl": (Cursor, (Cursor, c_uint)),
    "clang_getCursorPrintingPolicy": (c_void_p, (Cursor,)),
    "clang_PrintingPolicy_setProperty": (None, (c_void_p, c_int, c_uint)),
    "clang_PrintingPolicy_dispose": (None, (c_void_p,)),
    "clang_getCursorPrettyPrinted": (CString, (Cursor, c_void_p)),
    "clang_getNumDiagnostics": (c_uint, (c_void_p,)),
    "clang_getDiagnostic": (c_void_p, (c_void_p, c_uint)),
    "clang_disposeDiagnostic": (None, (c_void_p,)),
    "clang_getDiagnosticSeverity": (c_int, (c_void_p,)),
    "clang_getDiagnosticSpelling": (CString, (c_void_p,)),
    "clang_getDiagnosticLocation": (Location, (c_void_p,)),
    "clang_getDiagnosticNumFixIts": (c_uint, (c_void_p,)),
}

_CONTINUE = 1
_TERSE_OUTPUT = 17
"""``CXPrintingPolicy_TerseOutput``: declarations without bodies."""


@cache
def library() -> Any:
    """The loaded shared library with the signatures above.

    Raises:
        FrontEndUnavailableError: no library, or one without a needed function.
    """
    try:
        loaded = ctypes.CDLL(Config().get_filename())
    except OSError as error:
        raise FrontEndUnavailableError(f"libclang cannot be loaded: {error}") from error
    for name, (result, arguments) in _SIGNATURES.items():
        try:
            function = getattr(loaded, name)
        except AttributeError as error:
            raise FrontEndUnavailableError(
                f"libclang has no {name}: install libclang 18.1"
            ) from error
        function.restype = result
        function.argtypes = arguments
    return loaded


class Clang:
    """Calls on cursors and types, with buffers reused between calls; one instance serves one thread.

    The attributes that are set in the constructor are the library's functions, bound once because a lookup on the shared
    library costs as much as the call.
    """

    def __init__(self) -> None:
        lib = library()
        self.lib = lib
        self.cursor_type = lib.clang_getCursorType
        self.referenced = lib.clang_getCursorReferenced
        self.definition = lib.clang_getCursorDefinition
        self.canonical_cursor = lib.clang_getCanonicalCursor
        self.semantic_parent = lib.clang_getCursorSemanticParent
        self.canonical_type = lib.clang_getCanonicalType
        self.initializer = lib.clang_Cursor_getVarDeclInitializer
        self.binary_kind = lib.clang_getCursorBinaryOperatorKind
        self.unary_kind = lib.clang_getCursorUnaryOperatorKind
        self._visit = lib.clang_visitChildren
        self._location = lib.clang_getCursorLocation
        self._extent = lib.clang_getCursorExtent
        self._file_location = lib.clang_getFileLocation
        self._found: list[Cursor] = []
        self._visitor = _CURSOR_VISITOR(self._collect)
        self._field_visitor = _FIELD_VISITOR(self._collect_field)
        self._file = c_void_p()
        self._line = c_uint()
        self._column = c_uint()
        self._offset = c_uint()
        self._out = (
            byref(self._file),
            byref(self._line),
            byref(self._column),
            byref(self._offset),
        )

    def _collect(self, cursor: Cursor, _parent: Cursor, _data: int | None) -> int:
        self._found.append(cursor)
        return _CONTINUE

    def _collect_field(self, cursor: Cursor, _data: int | None) -> int:
        self._found.append(cursor)
        return _CONTINUE

    def children(self, cursor: Cursor) -> list[Cursor]:
        """The direct children, in the order of the source."""
        found: list[Cursor] = []
        self._found = found
        self._visit(cursor, self._visitor, None)
        return found

    def parameters(self, function: Cursor) -> list[Cursor]:
        """The parameters of a function, without those of a function type that it returns."""
        found = [child for child in self.children(function) if child.kind == Kind.PARM]
        count = self.lib.clang_Cursor_getNumArguments(function)
        if not 0 <= count < len(found):
            return found
        own = {self.lib.clang_Cursor_getArgument(function, index).d0 for index in range(count)}
        return [child for child in found if child.d0 in own]

    def fields(self, ctype: CType) -> list[Cursor]:
        """The field declarations of a record type, instances of templates and closures included."""
        found: list[Cursor] = []
        self._found = found
        self.lib.clang_Type_visitFields(ctype, self._field_visitor, None)
        return found

    def text(self, string: CString) -> str:
        """The Python string of a ``CXString``, which is freed."""
        raw = self.lib.clang_getCString(string)
        self.lib.clang_disposeString(string)
        return "" if raw is None else str(raw.decode("utf-8", "replace"))

    def spelling(self, cursor: Cursor) -> str:
        """The name of a declaration or reference."""
        return self.text(self.lib.clang_getCursorSpelling(cursor))

    def usr(self, cursor: Cursor) -> str:
        """The unified symbol resolution string: the same for one entity in all units."""
        return self.text(self.lib.clang_getCursorUSR(cursor))

    def type_spelling(self, ctype: CType) -> str:
        """The type as clang prints it."""
        return self.text(self.lib.clang_getTypeSpelling(ctype))

    def place(self, cursor: Cursor) -> tuple[int, int, int, int]:
        """File handle (0: none), line, column and byte offset of the cursor.

        What a macro makes stands where the macro is used; what its arguments hold, where they are written.
        """
        self._file_location(self._location(cursor), *self._out)
        return (self._file.value or 0, self._line.value, self._column.value, self._offset.value)

    def location_place(self, location: Location) -> tuple[int, int, int, int]:
        """As `place`, of a location."""
        self._file_location(location, *self._out)
        return (self._file.value or 0, self._line.value, self._column.value, self._offset.value)

    def start(self, cursor: Cursor) -> tuple[int, int, int, int]:
        """As `place`, of the first character of the extent."""
        return self.location_place(self.lib.clang_getRangeStart(self._extent(cursor)))

    def end(self, cursor: Cursor) -> tuple[int, int, int, int]:
        """As `place`, just behind the last character of the extent."""
        return self.location_place(self.lib.clang_getRangeEnd(self._extent(cursor)))

    def file_name(self, handle: int) -> str:
        """The name of a file handle as it was opened."""
        return self.text(self.lib.clang_getFileName(handle)) if handle else ""

    def evaluate(self, cursor: Cursor) -> int | float | str | None:
        """The constant value of an expression, None where it is none."""
        lib = self.lib
        result = lib.clang_Cursor_Evaluate(cursor)
        if not result:
            return None
        try:
            kind = lib.clang_EvalResult_getKind(result)
            if kind == EvaluationKind.INT:
                if lib.clang_EvalResult_isUnsignedInt(result):
                    return int(lib.clang_EvalResult_getAsUnsigned(result))
                return int(lib.clang_EvalResult_getAsLongLong(result))
            if kind == EvaluationKind.FLOAT:
                return float(lib.clang_EvalResult_getAsDouble(result))
            if kind == EvaluationKind.STRING:
                raw = lib.clang_EvalResult_getAsStr(result)
                return None if raw is None else str(raw.decode("utf-8", "replace"))
            return None
        finally:
            lib.clang_EvalResult_dispose(result)

    def pretty(self, cursor: Cursor, *, terse: bool) -> str:
        """The declaration as clang prints it, macros expanded, attributes and pragmas included."""
        policy = self.lib.clang_getCursorPrintingPolicy(cursor)
        self.lib.clang_PrintingPolicy_setProperty(policy, _TERSE_OUTPUT, int(terse))
        try:
            return self.text(self.lib.clang_getCursorPrettyPrinted(cursor, policy))
        finally:
            self.lib.clang_PrintingPolicy_dispose(policy)

    def overridden(self, method: Cursor) -> list[Cursor]:
        """The methods that a virtual method overrides directly."""
        array = POINTER(Cursor)()
        count = c_uint()
        self.lib.clang_getOverriddenCursors(method, byref(array), byref(count))
        found = [Cursor.from_buffer_copy(array[index]) for index in range(count.value)]
        if count.value:
            self.lib.clang_disposeOverriddenCursors(array)
        return found


def is_null(cursor: Cursor) -> bool:
    """Whether libclang answered with no cursor."""
    return cursor.kind in (Kind.INVALID_FILE, 0)
