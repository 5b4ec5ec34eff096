"""Where the declarations of a program's own files stand: what a reader needs who is to see a part of them.

Namespaces and linkage blocks are entered, so that each declaration inside is one of its own; macros that the files
define come too. Nothing is lowered.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from clang_queries._kinds import FUNCTION_KINDS, RECORD_KINDS, Kind
from clang_queries.command_line import ParseOptions
from clang_queries.quick_dataclass import dataclass
from clang_queries.quick_pattern import pattern
from clang_queries.translation_unit import TranslationUnit, parse, read_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clang_queries._cindex import Cursor

_CONTAINERS = frozenset({Kind.NAMESPACE, Kind.LINKAGE_SPEC})
_TYPES = frozenset(
    {
        Kind.TYPEDEF,
        Kind.TYPE_ALIAS,
        Kind.TYPE_ALIAS_TEMPLATE,
        Kind.ENUM,
        Kind.CLASS_TEMPLATE,
        Kind.CLASS_TEMPLATE_PARTIAL,
        *RECORD_KINDS,
    }
)
_FUNCTIONS = frozenset({*FUNCTION_KINDS, Kind.FUNCTION_TEMPLATE})
_NAME = pattern(r"[A-Za-z_]\w*")


class DeclarationKind(Enum):
    """What a declaration declares."""

    FUNCTION = "function"
    TYPE = "type"
    VARIABLE = "variable"
    MACRO = "macro"


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """One declaration with its lines; `names` are what other code calls it by, enumerators included."""

    kind: DeclarationKind
    names: tuple[str, ...]
    file: str
    line: int
    end_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredSource:
    """The project's own files of a translation unit.

    Attributes:
        texts: Content of each file with a declaration, by the name under which the parser opened it.
        declarations: In the order of the parser.
    """

    texts: dict[str, str]
    declarations: tuple[Declaration, ...]


def declared_source(
    path: str, options: ParseOptions | None = None, text: str | bytes | None = None
) -> DeclaredSource:
    r"""Parse a file and tell where its declarations stand; what bundled and system headers declare is left out.

    Args:
        path: The file; with `text` merely its name.
        options: Flags, none by default.
        text: The content, where it is not the file's.

    Raises:
        ParseError: The file cannot be read, or libclang gives no tree for it.

    Example:
        >>> found = declared_source("k.cu", text="#define N 4\n__device__ int twice(int x) {\n  return 2 * x;\n}\n")
        >>> [(item.names, item.line, item.end_line) for item in found.declarations]
        [(('N',), 1, 1), (('twice',), 2, 4)]
    """
    source = read_source(path) if text is None else text.encode() if isinstance(text, str) else text
    with parse(path, options or ParseOptions(), source) as unit:
        finder = _Finder(unit)
        declarations = tuple(finder.walk(unit.root))
        texts = {
            unit.file_name(handle): unit.contents(handle).decode("utf-8", "replace")
            for handle in (unit.main_file, *finder.own_files)
        }
    return DeclaredSource(texts=texts, declarations=declarations)


class _Finder:
    """Collects the declarations of one unit."""

    def __init__(self, unit: TranslationUnit) -> None:
        self._unit = unit
        self._clang = unit.clang
        self._own: dict[int, bool] = {0: False}

    @property
    def own_files(self) -> list[int]:
        """Handles of the project's files that declare something."""
        return [handle for handle, own in self._own.items() if own]

    def walk(self, parent: Cursor) -> Iterator[Declaration]:
        """Yield the declarations of a unit or a container in it."""
        for cursor in self._clang.children(parent):
            if not self._is_own(cursor):
                continue
            if cursor.kind in _CONTAINERS:
                yield from self.walk(cursor)
                continue
            kind = _kind(cursor.kind)
            if kind is not None:
                yield from self._declaration(cursor, kind)
            elif cursor.kind == Kind.UNEXPOSED_DECL:
                yield from self.walk(cursor)

    def _declaration(self, cursor: Cursor, kind: DeclarationKind) -> Iterator[Declaration]:
        handle, line, _, _ = self._clang.start(cursor)
        end_handle, end_line, _, _ = self._clang.end(cursor)
        if handle != end_handle or not line:
            return
        names = [self._clang.spelling(cursor)]
        if cursor.kind == Kind.ENUM:
            names += [
                self._clang.spelling(child)
                for child in self._clang.children(cursor)
                if child.kind == Kind.ENUM_CONSTANT
            ]
        found = tuple(name for name in names if _NAME.fullmatch(name))
        yield Declaration(
            kind=kind,
            names=found or tuple(names),
            file=self._unit.file_name(handle),
            line=line,
            end_line=end_line,
        )

    def _is_own(self, cursor: Cursor) -> bool:
        handle = self._clang.place(cursor)[0]
        known = self._own.get(handle)
        if known is None:
            location = self._clang.lib.clang_getCursorLocation(cursor)
            in_system = bool(self._clang.lib.clang_Location_isInSystemHeader(location))
            known = not in_system and not self._unit.is_bundled(handle)
            self._own[handle] = known
        return known


def _kind(kind: int) -> DeclarationKind | None:
    if kind in _FUNCTIONS:
        return DeclarationKind.FUNCTION
    if kind in _TYPES:
        return DeclarationKind.TYPE
    if kind == Kind.VAR:
        return DeclarationKind.VARIABLE
    return DeclarationKind.MACRO if kind == Kind.MACRO_DEFINITION else None
