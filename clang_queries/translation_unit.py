"""Source text to a parsed translation unit, whatever the text is."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Mapping
from ctypes import POINTER, Array, byref, c_char_p, c_ulong, c_void_p
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self

from clang_queries import header_paths
from clang_queries._cindex import INCLUSION_VISITOR, Clang, Cursor, IndexOptions, UnsavedFile
from clang_queries.command_line import (
    Language,
    ParseOptions,
    clang_arguments,
    is_c,
    language_arguments,
)
from clang_queries.errors import ParseError
from clang_queries.precompiled import with_precompiled_prelude
from clang_queries.quick_dataclass import dataclass
from clang_queries.quick_pattern import pattern

_PREPROCESSING_RECORD = 0x1
"""Keeps the ranges that the preprocessor skipped."""
_PREAMBLE = 0x4 | 0x100
"""Keeps what a file's beginning includes in a form that parsing it again loads, from the first time on."""
_KEEP_GOING = 0x200
"""Go on after fatal errors such as a missing header."""
_MAXIMUM_SCANNED_HEADERS = 400
_INCLUDE = pattern(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
_GUARD = pattern(rb"^[ \t]*#[ \t]*(?:pragma[ \t]+once|ifndef|if[ \t]+!)", re.MULTILINE)
_ERROR_SEVERITY = 3
_NO_LINKAGE = "is used but not defined in this translation unit"
"""Said of templates for types that no other unit knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One error message of the parser, at the place of macro use or argument."""

    text: str
    file: str
    line: int
    column: int
    offset: int
    has_fix: bool = False
    """Whether the parser knows what was meant, and goes on as if it stood there."""


class TranslationUnit:
    """A parsed file; a context manager, since libclang's memory must be given back.

    Attributes:
        clang: the library calls, bound to this thread.
        path: the main file as given.
        source: its bytes as parsed.
        language: how it was read.
        bundled_directories: where the headers of this package are.
    """

    def __init__(
        self,
        clang: Clang,
        index: int,
        handle: int,
        path: str,
        source: bytes,
        language: Language,
        bundled_directories: tuple[str, ...],
        *,
        is_kept: bool = False,
    ) -> None:
        self.clang = clang
        self.path = path
        self.source = source
        self.language = language
        self.bundled_directories = bundled_directories
        self._index = index
        self._handle = handle
        self._is_kept = is_kept
        self._contents: dict[int, bytes] = {}
        self._names: dict[int, str] = {0: ""}
        self.main_file = int(
            clang.lib.clang_getFile(handle, path.encode("utf-8", "surrogateescape")) or 0
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._is_kept:
            self.clang.lib.clang_disposeTranslationUnit(self._handle)
            self.clang.lib.clang_disposeIndex(self._index)

    @property
    def root(self) -> Cursor:
        """The cursor of the whole unit."""
        cursor: Cursor = self.clang.lib.clang_getTranslationUnitCursor(self._handle)
        return cursor

    def file_name(self, handle: int) -> str:
        """The name under which a file was opened."""
        name = self._names.get(handle)
        if name is None:
            name = self._names[handle] = self.clang.file_name(handle)
        return name

    def contents(self, handle: int) -> bytes:
        """The bytes of a file as the parser saw them."""
        found = self._contents.get(handle)
        if found is None:
            size = c_ulong()
            address = (
                self.clang.lib.clang_getFileContents(self._handle, handle, byref(size))
                if handle
                else None
            )
            found = ctypes.string_at(address, size.value) if address else b""
            self._contents[handle] = found
        return found

    def included_files(self) -> list[int]:
        """Handles of the main file and of everything it includes, in the order of the parser."""
        found: list[int] = []

        def visit(handle: int | None, _stack: object, _length: int, _data: object) -> None:
            if handle:
                found.append(handle)

        self.clang.lib.clang_getInclusions(self._handle, INCLUSION_VISITOR(visit), None)
        return found

    def is_bundled(self, handle: int) -> bool:
        """Whether a file belongs to the headers of this package."""
        return self.file_name(handle).startswith(self.bundled_directories)

    def skipped_ranges(self, handle: int) -> list[tuple[int, int]]:
        """Byte ranges of a file that the preprocessor left out, in order."""
        lib = self.clang.lib
        found = lib.clang_getSkippedRanges(self._handle, handle)
        if not found:
            return []
        ranges = []
        for position in range(found.contents.count):
            item = found.contents.ranges[position]
            begin = self.clang.location_place(lib.clang_getRangeStart(item))[3]
            end = self.clang.location_place(lib.clang_getRangeEnd(item))[3]
            ranges.append((begin, end))
        lib.clang_disposeSourceRangeList(found)
        return ranges

    def errors(self) -> list[Message]:
        """The errors among the parser's messages."""
        lib = self.clang.lib
        found = []
        for position in range(lib.clang_getNumDiagnostics(self._handle)):
            diagnostic = lib.clang_getDiagnostic(self._handle, position)
            if lib.clang_getDiagnosticSeverity(diagnostic) >= _ERROR_SEVERITY:
                handle, line, column, offset = self.clang.location_place(
                    lib.clang_getDiagnosticLocation(diagnostic)
                )
                text = self.clang.text(lib.clang_getDiagnosticSpelling(diagnostic))
                file = self.file_name(handle)
                has_fix = lib.clang_getDiagnosticNumFixIts(diagnostic) > 0
                found.append(
                    Message(
                        text=text,
                        file=file,
                        line=line,
                        column=column,
                        offset=offset,
                        has_fix=has_fix,
                    )
                )
            lib.clang_disposeDiagnostic(diagnostic)
        return [item for item in found if not _is_bundled_declaration(item)]


def read_source(path: str) -> bytes:
    """The bytes of a file.

    Raises:
        ParseError: it cannot be read.
    """
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ParseError(
            path, f"cannot be read: {reason}", "check the path and its permissions"
        ) from error


def parse(
    path: str,
    options: ParseOptions,
    source: bytes,
    unsaved: Mapping[str, bytes] = MappingProxyType({}),
) -> TranslationUnit:
    """Parses text under a name.

    Args:
        path: name of the text; quoted includes are looked up beside it. The file need not exist.
        options: flags.
        source: the text, in any encoding.
        unsaved: texts of other files that are not, or not yet, on disk.

    Raises:
        ParseError: libclang gave no tree at all.
    """
    clang = Clang()
    request = _request(clang, path, options, source, unsaved)
    for flags in request.attempts:
        index = clang.lib.clang_createIndex(1, 0)
        status, handle = _parse_once(clang, index, request, flags, request.options)
        if status == 0 and handle:
            return request.unit(clang, index, handle)
        clang.lib.clang_disposeIndex(index)
    raise request.failure(status)


Parser = Callable[[str, ParseOptions, bytes, Mapping[str, bytes]], TranslationUnit]
"""What `parse` is, and `KeptUnits.parse`."""


class KeptUnits:
    """Parses texts that change again and again: what their beginnings include is read once. Used by one thread.

    A unit holds until the next text under its name is parsed with the same flags.
    """

    _MOST = 8

    def __init__(self) -> None:
        self._kept: dict[tuple[str, tuple[str, ...], int], tuple[int, int]] = {}

    def parse(
        self,
        path: str,
        options: ParseOptions,
        source: bytes,
        unsaved: Mapping[str, bytes] = MappingProxyType({}),
    ) -> TranslationUnit:
        """As `parse`.

        Raises:
            ParseError: libclang gave no tree at all.
        """
        clang = Clang()
        request = _request(clang, path, options, source, unsaved)
        flags = request.attempts[0]
        key = (path, tuple(flags), request.options)
        index, handle = self._kept.pop(key, (0, 0))
        if handle:
            files = request.files
            status = clang.lib.clang_reparseTranslationUnit(
                handle, len(files), files, request.options | _PREAMBLE
            )
            if status != 0:
                self._dispose(clang, index, handle)
                handle = 0
        if not handle:
            index = _index_for_editing(clang)
            status, handle = _parse_once(clang, index, request, flags, request.options | _PREAMBLE)
            if status != 0 or not handle:
                clang.lib.clang_disposeIndex(index)
                return parse(path, options, source, unsaved)
        self._kept[key] = index, handle
        if len(self._kept) > self._MOST:
            self._dispose(clang, *self._kept.pop(next(iter(self._kept))))
        return request.unit(clang, index, handle, is_kept=True)

    def close(self) -> None:
        """Give the memory of all units back."""
        while self._kept:
            self._dispose(Clang(), *self._kept.popitem()[1])

    def _dispose(self, clang: Clang, index: int, handle: int) -> None:
        clang.lib.clang_disposeTranslationUnit(handle)
        clang.lib.clang_disposeIndex(index)


def _index_for_editing(clang: Clang) -> int:
    """An index whose units leave no files behind when the process is killed."""
    wanted = IndexOptions(
        size=ctypes.sizeof(IndexOptions),
        exclude_declarations_from_pch=1,
        store_preambles_in_memory=1,
    )
    return int(clang.lib.clang_createIndexWithOptions(byref(wanted)))


@dataclass(slots=True)
class _Request:
    """What libclang is asked for."""

    path: str
    name: bytes
    source: bytes
    language: Language
    bundled_directories: tuple[str, ...]
    attempts: list[list[str]]
    """Flags to try one after the other."""
    files: Array[UnsavedFile]
    options: int

    def unit(
        self, clang: Clang, index: int, handle: int, *, is_kept: bool = False
    ) -> TranslationUnit:
        """The unit that came of it."""
        return TranslationUnit(
            clang,
            index,
            handle,
            self.path,
            self.source,
            self.language,
            self.bundled_directories,
            is_kept=is_kept,
        )

    def failure(self, status: int) -> ParseError:
        """What is to be said where none came of it."""
        return ParseError(
            self.path,
            f"libclang gave no syntax tree (status {status})",
            "check the file and its flags",
        )


def _request(
    clang: Clang, path: str, options: ParseOptions, source: bytes, unsaved: Mapping[str, bytes]
) -> _Request:
    if path.startswith("-"):
        path = f"./{path}"  # not an option
    name = path.encode("utf-8", "surrogateescape")
    if b"\0" in name:
        raise ParseError(path, "the name holds a null character")
    language = options.language_for(path)
    headers = _header_arguments(path, language, options)
    attempts = [list(headers)]
    if options.precompiled_directory:
        precompiled = with_precompiled_prelude(
            clang,
            language_arguments(options, path),
            headers,
            options.search_directories,
            options.precompiled_directory,
        )
        if precompiled is not None:
            attempts.insert(0, precompiled)
    keep_going = 0 if _may_include_itself(path, source, options, unsaved) else _KEEP_GOING
    return _Request(
        path=path,
        name=name,
        source=source,
        language=language,
        bundled_directories=tuple(flag for flag in headers if not flag.startswith("-")),
        attempts=[[*clang_arguments(options, path), *flags] for flags in attempts],
        files=_unsaved_files({path: source, **{k: v for k, v in unsaved.items() if k != path}}),
        options=_PREPROCESSING_RECORD | keep_going,
    )


def _unsaved_files(texts: Mapping[str, bytes]) -> Array[UnsavedFile]:
    """Texts by name, as libclang takes them."""
    return (UnsavedFile * len(texts))(
        *(
            UnsavedFile(name.encode("utf-8", "surrogateescape"), text, len(text))
            for name, text in texts.items()
        )
    )


def _parse_once(
    clang: Clang, index: int, request: _Request, flags: list[str], options: int
) -> tuple[int, int]:
    """Libclang's status and the handle of the unit."""
    encoded = [flag.encode("utf-8", "surrogateescape") for flag in flags]
    arguments = (c_char_p * len(encoded))(*encoded)
    handle = c_void_p()
    status = clang.lib.clang_parseTranslationUnit2(
        index,
        request.name,
        ctypes.cast(arguments, POINTER(c_char_p)),
        len(encoded),
        request.files,
        len(request.files),
        options,
        byref(handle),
    )
    return int(status), handle.value or 0


def _header_arguments(path: str, language: Language, options: ParseOptions) -> tuple[str, ...]:
    """The flags of the bundled headers; those of the C++ library are left out for C."""
    arguments = header_paths.include_arguments(language.value, options.system_headers)
    if not is_c(path, options):
        return arguments
    library = str(header_paths.bundled_headers_directory() / "std")
    kept: list[str] = []
    for argument in arguments:
        if argument == library:
            kept.pop()
        else:
            kept.append(argument)
    return tuple(kept)


def _may_include_itself(
    path: str, source: bytes, options: ParseOptions, unsaved: Mapping[str, bytes]
) -> bool:
    """Whether quoted includes form a cycle through a file without a guard.

    Two such includes in one file would be followed to libclang's depth limit along every branch, unless the first fatal
    error ends the parse.
    """
    directories = [
        Path(path).parent,
        *map(Path, (*options.quote_directories, *options.include_directories)),
    ]
    visited: set[Path] = set()
    active: set[Path] = set()

    def visit(file: Path, text: bytes) -> bool:
        visited.add(file)
        active.add(file)
        for match in _INCLUDE.finditer(text):
            target = match[1].decode("utf-8", "replace")
            for directory in (file.parent, *directories):
                candidate = directory / target
                if candidate in active and not _GUARD.search(text):
                    return True
                known = unsaved.get(str(candidate))
                if candidate in visited or (known is None and not candidate.is_file()):
                    continue
                if len(visited) < _MAXIMUM_SCANNED_HEADERS and visit(
                    candidate, candidate.read_bytes() if known is None else known
                ):
                    return True
                break
        active.discard(file)
        return False

    try:
        return visit(Path(path), source)
    except (OSError, ValueError, RecursionError):
        return True


def _is_bundled_declaration(error: Message) -> bool:
    """Whether the error is that a template of the bundled headers, which only declare it, has a lambda's type."""
    return _NO_LINKAGE in error.text and header_paths.is_bundled_file(error.file)
