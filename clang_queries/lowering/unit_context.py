"""State shared by the lowering of one translation unit: declarations by cursor, the worklist, the counters."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING

from clang_queries import signatures
from clang_queries._cindex import Cursor, is_null
from clang_queries._kinds import METHOD_KINDS, RECORD_KINDS, Kind
from clang_queries.ir.expressions import FunctionName, Position
from clang_queries.ir.statements import Function, ParseDiagnostic, VariableDeclaration
from clang_queries.ir.types import FunctionType, PointerType, RecordType, Type
from clang_queries.lowering.types import TypeTable
from clang_queries.quick_dataclass import dataclass
from clang_queries.translation_unit import Message, TranslationUnit

if TYPE_CHECKING:
    from clang_queries.lowering.scope import Scope

_CONFIGURATION_CALLS = frozenset(
    {
        "cudaConfigureCall",
        "__cudaPushCallConfiguration",
        "hipConfigureCall",
        "__hipPushCallConfiguration",
    }
)


Place = tuple[int, int, int, int]
"""File handle, line, column and offset."""


@dataclass(slots=True)
class FunctionReference:
    """What calls of one function need to know."""

    key: str
    name: str
    kind: int
    cursor: Cursor
    """The definition where there is one, else the declaration referred to."""
    declaration: Cursor
    type: FunctionType
    result: Type
    parameters: tuple[Type, ...]
    template_arguments: tuple[str, ...]
    is_static: bool
    is_virtual: bool
    is_configuration: bool
    record: RecordType | None

    @property
    def is_method(self) -> bool:
        """Whether calls pass an object."""
        return self.record is not None and not self.is_static

    def name_expression(self, position: Position) -> FunctionName:
        """A use of the function."""
        return FunctionName(self.type, position, self.key, self.name, self.template_arguments)


@dataclass(frozen=True, slots=True)
class Captured:
    """A variable that a closure holds."""

    name: str
    offset_bytes: int
    type: Type
    by_reference: bool


@dataclass(slots=True)
class Closure:
    """The captures of a lambda: what its body finds in the closure object."""

    captured: dict[int, Captured] = field(default_factory=dict)
    """Declaration -> how it is captured."""
    this_offset: int | None = None
    this_type: RecordType | None = None
    copies_this: bool = False


class UnitContext:
    """Everything that outlives the lowering of one function."""

    def __init__(self, unit: TranslationUnit) -> None:
        self.unit = unit
        self.clang = unit.clang
        self.types = TypeTable(unit.clang)
        self.functions: dict[str, Function] = {}
        self.globals: dict[str, VariableDeclaration] = {}
        self.static_locals: dict[int, VariableDeclaration] = {}
        """Those of functions lowered so far by declaration: lambdas in them name them without a capture."""
        self.call_operators: dict[str, str] = {}
        self.closures: dict[str, Closure] = {}
        self.pending: deque[tuple[str, Cursor]] = deque()
        self.pending_globals: deque[tuple[str, Cursor]] = deque()
        self.instantiated: set[int] = set()
        """Declarations of the templates with a lowered instance."""
        self._enumerators: dict[str, int] = {}
        self._has_header_enumerators = False
        self.named_types: dict[str, Cursor] = {}
        self.launches: list[Position] = []
        self.launch_extents: list[tuple[Place, Place]] = []
        self.statement_count = 0
        self.project_files: set[int] = {unit.main_file}
        self.remarks: list[ParseDiagnostic] = []
        """What of the source was read otherwise than it is written, or not at all."""
        self.opaque_reasons: Counter[str] = Counter()
        self.uninitialised_constructors: dict[str, bool] = {}
        self.prepare: Callable[[Scope, Cursor], None] | None = None
        self._errors: list[Message] | None = None
        self._queued: set[str] = set()
        self._references: dict[int, FunctionReference] = {}
        self._owners: dict[str, int] = {}
        self._scopes: dict[int, str] = {}
        self._constants: dict[int, int | float | None] = {}
        self._folding: Callable[[Cursor], int | float | None] = self._evaluate_variable

    def errors_in(self, file: str, begin: int, end: int) -> list[Message]:
        """The parser's errors between two places of a file."""
        if self._errors is None:
            self._errors = self.unit.errors()
        return [item for item in self._errors if item.file == file and begin <= item.offset < end]

    def position(self, cursor: Cursor) -> Position:
        """Where a cursor stands."""
        handle, line, column, _ = self.clang.place(cursor)
        return Position(self.unit.file_name(handle), line, column)

    def reference(self, cursor: Cursor) -> FunctionReference:
        """Describes a function and puts its body on the worklist."""
        known = self._references.get(cursor.d0 or 0)
        if known is None:
            known = self._describe(cursor)
            self._references[cursor.d0 or 0] = known
            if not self.is_implicit_assignment(known):
                self.enqueue(known.key, known.cursor)
        return known

    def is_implicit_assignment(self, function: FunctionReference) -> bool:
        """Whether the function is an assignment operator that the compiler provides: a bitwise copy here."""
        if function.record is None or not function.name.endswith("::operator="):
            return False
        declaration = function.declaration
        if self.clang.lib.clang_CXXMethod_isDefaulted(declaration):
            return True
        return self.clang.place(declaration) == self.clang.place(
            self.clang.semantic_parent(declaration)
        )

    def enqueue(self, key: str, cursor: Cursor) -> None:
        """Puts a function with a body on the worklist, once."""
        if key not in self._queued:
            self._queued.add(key)
            self.pending.append((key, cursor))

    def key_of(self, cursor: Cursor) -> str:
        """The key of a function or global: its USR, made unique where libclang gives two entities the same."""
        clang = self.clang
        canonical = clang.canonical_cursor(cursor)
        key = clang.usr(canonical) or f"{clang.spelling(cursor)}@{canonical.d0:x}"
        owner = self._owners.setdefault(key, canonical.d0 or 0)
        if owner != (canonical.d0 or 0):
            symbol = clang.text(clang.lib.clang_Cursor_getMangling(cursor))
            alternative = f"{key}@{symbol}" if symbol else key
            self._owners.setdefault(alternative, canonical.d0 or 0)
            return alternative
        return key

    def _describe(self, cursor: Cursor) -> FunctionReference:
        clang, lib = self.clang, self.clang.lib
        definition = clang.definition(cursor)
        ctype = clang.canonical_type(clang.cursor_type(cursor))
        count = lib.clang_getNumArgTypes(ctype)
        parameters = tuple(
            self.types.resolve(lib.clang_getArgType(ctype, index)) for index in range(max(count, 0))
        )
        result = self.types.resolve(lib.clang_getResultType(ctype))
        name = self.qualified_name(cursor)
        record: RecordType | None = None
        if cursor.kind in METHOD_KINDS:
            parent = self.types.of(clang.semantic_parent(cursor))
            record = parent if isinstance(parent, RecordType) else RecordType("", "?", 0)
        return FunctionReference(
            key=self.key_of(cursor),
            name=name,
            kind=cursor.kind,
            cursor=cursor if is_null(definition) else definition,
            declaration=cursor,
            type=FunctionType(result),
            result=result,
            parameters=parameters,
            template_arguments=self.template_arguments(cursor),
            is_static=bool(lib.clang_CXXMethod_isStatic(cursor)) if record is not None else False,
            is_virtual=bool(lib.clang_CXXMethod_isVirtual(cursor)) if record is not None else False,
            is_configuration=name in _CONFIGURATION_CALLS,
            record=record,
        )

    def template_arguments(self, cursor: Cursor) -> tuple[str, ...]:
        """Spelled arguments of a function template's instance, packs included; for methods those of static ones."""
        lib = self.clang.lib
        count = lib.clang_Cursor_getNumTemplateArguments(cursor)
        # libclang does not tell the arguments of methods; their symbols do
        if count <= 0 and not lib.clang_CXXMethod_isStatic(cursor):
            return ()
        mangled = signatures.template_arguments(
            self.clang.text(lib.clang_Cursor_getMangling(cursor))
        )
        if mangled is not None:
            return mangled
        types = (lib.clang_Cursor_getTemplateArgumentType(cursor, index) for index in range(count))
        return tuple(self.clang.type_spelling(item) for item in types)

    def qualified_name(self, cursor: Cursor) -> str:
        """Name with its namespaces and classes, without template arguments."""
        name = self.clang.spelling(cursor)
        if cursor.kind == Kind.CONSTRUCTOR:
            # an inherited one is spelled like its base
            name = self.clang.spelling(self.clang.semantic_parent(cursor)) or name
        if cursor.kind in (Kind.CONSTRUCTOR, Kind.DESTRUCTOR):
            name = name.partition("<")[0]
        prefix = self._scope_prefix(self.clang.semantic_parent(cursor))
        return prefix + name

    def _scope_prefix(self, parent: Cursor) -> str:
        key = parent.d0 or 0
        known = self._scopes.get(key)
        if known is not None:
            return known
        kind = parent.kind
        if kind == Kind.NAMESPACE:
            hidden = self.clang.lib.clang_Cursor_isAnonymous(
                parent
            ) or self.clang.lib.clang_Cursor_isInlineNamespace(parent)
            own = "" if hidden else f"{self.clang.spelling(parent)}::"
        elif kind in RECORD_KINDS or kind in (Kind.CLASS_TEMPLATE, Kind.CLASS_TEMPLATE_PARTIAL):
            own = f"{self.clang.spelling(parent)}::"
        elif kind == Kind.LINKAGE_SPEC:
            own = ""
        else:
            self._scopes[key] = ""
            return ""
        result = self._scope_prefix(self.clang.semantic_parent(parent)) + own
        self._scopes[key] = result
        return result

    def add_enumerators(self, enumeration: Cursor) -> None:
        """Remembers the values of an enumeration by name, alone and behind the name of the enumeration."""
        owner = self.clang.spelling(enumeration)
        for child in self.clang.children(enumeration):
            if child.kind == Kind.ENUM_CONSTANT:
                value = int(self.clang.lib.clang_getEnumConstantDeclValue(child))
                name = self.clang.spelling(child)
                self._enumerators[name] = self._enumerators[f"{owner}::{name}"] = value

    def enumerator(self, name: str) -> int | None:
        """The value of an enumerator, qualified or not; None for other names."""
        if not self._has_header_enumerators and name not in self._enumerators:
            # Headers declare many, and hardly any source asks for one of them.
            self._has_header_enumerators = True
            own, self._enumerators = self._enumerators, {}
            self._add_enumerators_of(self.unit.root)
            self._enumerators |= own
        parts = name.split("::")
        spelled = ("::".join(parts[-2:]), parts[-1])
        return next(
            (self._enumerators[item] for item in spelled if item in self._enumerators), None
        )

    def _add_enumerators_of(self, scope: Cursor) -> None:
        for child in self.clang.children(scope):
            if child.kind == Kind.ENUM:
                self.add_enumerators(child)
            elif child.kind in (Kind.LINKAGE_SPEC, Kind.NAMESPACE):
                self._add_enumerators_of(child)

    def constant_of(self, variable: Cursor) -> int | float | None:
        """The value of a const scalar variable with a constant initialiser."""
        key = variable.d0 or 0
        if key not in self._constants:
            self._constants[key] = None
            self._constants[key] = self._folding(variable)
        return self._constants[key]

    def _evaluate_variable(self, variable: Cursor) -> int | float | None:
        clang = self.clang
        ctype = clang.cursor_type(variable)
        if isinstance(self.types.resolve(ctype), PointerType) or not self.types.is_const(ctype):
            return None
        initializer = clang.initializer(variable)
        if is_null(initializer):
            definition = clang.definition(variable)
            if is_null(definition) or definition.d0 == variable.d0:
                return None
            initializer = clang.initializer(definition)
            if is_null(initializer):
                return None
        value = clang.evaluate(initializer)
        return None if isinstance(value, str) else value

    def opaque(self, reason: str) -> None:
        """Counts one construct that could not be lowered."""
        self.opaque_reasons[reason] += 1
