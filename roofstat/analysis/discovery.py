"""Which files to analyse, and which of them belong to one program.

A named file is always analysed. In a directory, files count that have a source suffix and GPU code by a quick look
at the text. The translation units of one directory form a program, host-only ones included, because they may hold the
`main` that launches; so do those of several directories that share headers and have one `main` among them. Where several
units of a directory define `main`, each of those is a program of its own. A header with GPU code is analysed through the
units that include it, or alone where none does; so is a unit that another unit includes.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import select
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from pathlib import Path

from clang_queries.file_names import GPU_UNIT_SUFFIXES, HEADER_SUFFIXES, UNIT_SUFFIXES
from clang_queries.quick_dataclass import dataclass
from clang_queries.quick_pattern import pattern
from roofstat.analysis.include_paths import IncludeGraph, include_targets
from roofstat.analysis.makefiles import (
    MakefileMacros,
    directories_of_makefiles,
    macros_of_makefile,
)
from roofstat.errors import UsageError, reason_of
from roofstat.report import AnalysisError, ErrorKind

__all__ = [
    "Discovery",
    "Program",
    "discover",
    "has_gpu_code",
    "including_units",
    "is_header",
    "program_of",
]

_STDIN = "-"
_FORTRAN_SUFFIXES = frozenset({".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08"})
_SKIPPED_DIRS = frozenset({"node_modules", "__pycache__", "CMakeFiles", "site-packages"})
_MAX_BYTES = 64 * 1024 * 1024
_TOO_LARGE = (
    f"it is larger than {_MAX_BYTES // 1024**2} MiB",
    "leave tables of data out of the source: give a version with shorter ones",
)
_BINARY_PROBE_BYTES = 8192
_MOST_JOINED = 64
"""Units of a program in several folders."""
_PATIENCE_MS = 30_000
"""How long a pipe may stay silent."""

# Three angle brackets, but not a conflict marker of a merge.
_LAUNCH = pattern(rb"(?<!<)<<<(?!<)")
# The clause text is bounded, so that no input makes the search quadratic.
_TARGET = pattern(
    rb"(?:^[ \t]*(?:#|%:)[ \t]*pragma[ \t]+|\w\s{0,9}\(\s{0,9}(?:(?:u8|[LuU])?(?:R\"[^\"(\s]{0,16}\(|\"))?"
    rb"|\[\[[^\[\]\n]{0,99}?\b(?=omp\s{0,9}:))omp\b"
    rb"(?:[^\n\\]|\\\r?\n|\\[^\r\n]){0,500}?\btarget\b",
    re.MULTILINE,
)
_LIBRARY = pattern(rb"\b(?:thrust|cub)::\w|\bcublas[A-Z]\w*\s{0,9}\(")
"""Calls of libraries that run kernels."""
_TARGET_MACRO = pattern(rb"^[ \t]*#[ \t]*define[ \t]+\w+[ \t]+target\b", re.MULTILINE)
"""The name of a directive, to be written behind ``#pragma omp``."""
_MAIN = pattern(rb"\b(?:int|void|auto)\s+main\s*\(")


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """Files that are analysed together.

    Attributes:
        files: Translation units (or a lone header) to report on.
        host_files: Units of the same project without GPU code; they may hold the host program.
        include_dirs: Directories where their includes find headers that they do not reach otherwise: of the tree, or named by
            the makefile beside them.
        build: Macros that the makefile beside them defines.
    """

    files: tuple[Path, ...]
    host_files: tuple[Path, ...] = ()
    include_dirs: tuple[Path, ...] = ()
    build: MakefileMacros | None = None

    @property
    def units(self) -> tuple[Path, ...]:
        """All files to parse, those to report on first."""
        return self.files + self.host_files


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """What the given paths lead to.

    Attributes:
        programs: Programs in order of their first file.
        errors: Paths that cannot be read or hold no source.
        unsaved: Text of inputs that are not regular files, such as standard input, by their stand-in path.
    """

    programs: tuple[Program, ...]
    errors: tuple[AnalysisError, ...] = ()
    unsaved: dict[str, str] = field(default_factory=dict)

    @property
    def file_count(self) -> int:
        """Files to report on."""
        return sum(len(program.files) for program in self.programs)


@dataclass
class _Source:
    path: Path
    text: bytes
    named: bool
    """Whether the user named this very file."""

    @property
    def is_unit(self) -> bool:
        return self.path.suffix.lower() not in HEADER_SUFFIXES

    @functools.cached_property
    def has_gpu_code(self) -> bool:
        return has_gpu_code(self.text) or (self.is_unit and bool(_LIBRARY.search(self.text)))

    @functools.cached_property
    def has_target_region(self) -> bool:
        return has_target_region(self.text)

    @property
    def has_main(self) -> bool:
        return b"main" in self.text and bool(_MAIN.search(self.text))


@dataclass(slots=True)
class _Search:
    """Sources and failures found so far."""

    sources: list[_Source] = field(default_factory=list)
    errors: list[AnalysisError] = field(default_factory=list)
    unsaved: dict[str, str] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)

    def fail(self, path: Path | str, message: str, remedy: str | None = None) -> None:
        self.errors.append(
            AnalysisError(kind=ErrorKind.READ, file=str(path), message=message, remedy=remedy)
        )


def has_gpu_code(text: bytes) -> bool:
    """Return whether a source text seems to hold kernels, launches or target directives.

    >>> has_gpu_code(b"__global__ void k();"), has_gpu_code(b"#pragma omp parallel for")
    (True, False)
    """
    return (
        b"__global__" in text
        or (b"<<<" in text and bool(_LAUNCH.search(text)))
        or has_target_region(text)
    )


def has_target_region(text: bytes) -> bool:
    """Return whether a source text seems to hold directives of OpenMP that start target regions.

    >>> has_target_region(b"#pragma omp target"), has_target_region(b"__global__ void k();")
    (True, False)
    """
    return (
        b"omp" in text
        and b"target" in text
        and bool(_TARGET.search(text) or _TARGET_MACRO.search(text))
    )


def discover(
    paths: Sequence[Path | str], *, read_stdin: Callable[[], bytes] | None = None
) -> Discovery:
    """Return the programs that the given files, directories or `-` hold.

    Args:
        paths: As the user gave them.
        read_stdin: Returns the whole standard input; needed where `-` is among the paths.

    Raises:
        UsageError: No path is given, or `-` without a way to read it.
    """
    if not paths:
        raise UsageError(
            "no input is given", remedy="name files or directories, or - for standard input"
        )
    search = _Search()
    for path in paths:
        _add(search, str(path), read_stdin)
    return Discovery(
        programs=tuple(_programs(search.sources)),
        errors=tuple(search.errors),
        unsaved=search.unsaved,
    )


def program_of(file: Path) -> Program:
    """Return the program that a file is of, among the files of its folder; itself alone where that is not known.

    Args:
        file: A unit or a header; one that no unit of the folder includes is a program of its own.
    """
    search = _Search()
    try:
        beside = sorted(file.parent.iterdir())
    except OSError:
        beside = []
    for path in beside:
        if path.suffix.lower() in UNIT_SUFFIXES | HEADER_SUFFIXES:
            with contextlib.suppress(OSError, ValueError):
                _add_file(search, path, named=path == file)
    found = (program for program in _programs(search.sources) if file in program.files)
    return next(found, Program(files=(file,)))


def is_header(path: Path) -> bool:
    """Return whether a file is by its name one that others include."""
    return path.suffix.lower() in HEADER_SUFFIXES


def including_units(headers: Sequence[Path], candidates: Sequence[Path]) -> tuple[Path, ...]:
    """Return the units with GPU code of their own or in what they include that include one of some headers.

    Args:
        headers: The headers.
        candidates: The files of the tree that they lie in.
    """
    search = _Search()
    for path in (*headers, *candidates):
        if path.suffix.lower() in UNIT_SUFFIXES | HEADER_SUFFIXES:
            with contextlib.suppress(OSError, ValueError):
                _add_file(search, path, named=False)
    by_path = {source.path: source for source in search.sources}
    graph = IncludeGraph({source.path: source.text for source in search.sources})
    return tuple(
        sorted(
            path
            for path in graph.including(headers)
            if by_path[path].is_unit
            and any(by_path[part].has_gpu_code for part in (path, *graph.reached(path)))
        )
    )


def _add(search: _Search, given: str, read_stdin: Callable[[], bytes] | None) -> None:
    if given == _STDIN:
        if read_stdin is None:
            raise UsageError("standard input is not available here", remedy="name a file")
        _add_text(search, "<stdin>", read_stdin())
        return
    path = Path(given)
    try:
        if path.is_dir():
            _add_directory(search, path)
        elif not path.exists():
            remedy = "it is a broken link" if path.is_symlink() else "check the spelling"
            search.fail(path, "no such file or directory", remedy)
        elif path.is_file():
            _add_file(search, path, named=True)
        else:
            _add_text(search, given, _read_stream(path))
    except (OSError, ValueError) as error:
        search.fail(given, f"cannot read it: {reason_of(error)}")


def _read_stream(path: Path) -> bytes:
    """Read a pipe or the like, as long as something comes.

    Raises:
        OSError: It cannot be read, or nothing comes from it.
    """
    # Opened without waiting for a writer at the other end.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb", buffering=0) as stream:
        parts: list[bytes] = []
        poll = select.poll()
        poll.register(stream, select.POLLIN | select.POLLHUP)
        while sum(map(len, parts)) <= _MAX_BYTES:
            events = poll.poll(_PATIENCE_MS)
            if not events:
                raise TimeoutError(None, f"nothing came from it in {_PATIENCE_MS // 1000} s")
            part = stream.read(1 << 20)
            if part:
                parts.append(part)
            elif part is not None:
                break
    return b"".join(parts)


def _add_text(search: _Search, name: str, text: bytes) -> None:
    """Take a text that is no regular file, under a stand-in path with a suffix that tells the language."""
    suffix = ".cpp" if _TARGET.search(text) and b"__global__" not in text else ".cu"
    path = Path(f"{name}{suffix}")
    if not _usable(search, path, text):
        return
    search.unsaved[str(path)] = text.decode("utf-8", "replace")
    search.sources.append(_Source(path=path, text=text, named=True))


def _add_file(search: _Search, path: Path, *, named: bool) -> None:
    real = os.path.realpath(path)
    if real in search.seen:
        if named:
            for source in search.sources:
                source.named = source.named or os.path.realpath(source.path) == real
        return
    search.seen.add(real)
    if path.stat().st_size > _MAX_BYTES:
        search.fail(path, *_TOO_LARGE)
        return
    text = path.read_bytes()
    if not named and b"\0" in text[:_BINARY_PROBE_BYTES]:
        return
    if _usable(search, path, text):
        search.sources.append(_Source(path=path, text=text, named=named))


def _usable(search: _Search, path: Path, text: bytes) -> bool:
    if path.suffix.lower() in _FORTRAN_SUFFIXES:
        search.fail(path, "Fortran is not read", "name CUDA, HIP, C or C++ sources")
        return False
    if len(text) > _MAX_BYTES:
        search.fail(path, *_TOO_LARGE)
        return False
    if b"\0" in text[:_BINARY_PROBE_BYTES]:
        if text.startswith((b"\xff\xfe", b"\xfe\xff")):
            search.fail(path, "it is UTF-16 text", "save it as UTF-8")
        else:
            search.fail(path, "it is binary data, not source", "name a source file")
        return False
    return True


def _add_directory(search: _Search, directory: Path) -> None:
    before = len(search.sources)
    errors = len(search.errors)
    known = _known_inside(search, directory)
    for path in _walk(search, directory):
        try:
            _add_file(search, path, named=False)
        except (OSError, ValueError) as error:
            search.fail(path, f"cannot read it: {reason_of(error)}")
    found = any(source.has_gpu_code for source in search.sources[before:])
    if not found and len(search.errors) == errors and not known:
        search.fail(
            directory,
            "no GPU code in this directory",
            "roofstat looks for __global__, <<<, #pragma omp target and calls of Thrust, CUB and cuBLAS",
        )


def _known_inside(search: _Search, directory: Path) -> bool:
    """Return whether another path already brought in files of this directory."""
    prefix = os.path.realpath(directory) + os.sep
    return any(real.startswith(prefix) for real in search.seen)


def _walk(search: _Search, directory: Path) -> Iterator[Path]:
    def failed(error: OSError) -> None:
        search.fail(error.filename or directory, f"cannot read it: {reason_of(error)}")

    for folder, subfolders, names in os.walk(directory, onerror=failed):
        subfolders[:] = sorted(
            name for name in subfolders if not name.startswith(".") and name not in _SKIPPED_DIRS
        )
        for name in sorted(names):
            path = Path(folder, name)
            if path.suffix.lower() in UNIT_SUFFIXES | HEADER_SUFFIXES and path.is_file():
                yield path


def _programs(sources: Sequence[_Source]) -> Iterator[Program]:
    order: dict[Path, int] = {}
    groups: dict[Path, list[_Source]] = {}
    for position, source in enumerate(sources):
        order.setdefault(source.path, position)
        groups.setdefault(source.path.parent, []).append(source)
    graph = IncludeGraph({source.path: source.text for source in sources})
    by_path = {source.path: source for source in sources}
    for source in sources:
        if source.is_unit and not source.has_gpu_code:
            # Kernels in what a C++ unit includes are for units that are compiled for a GPU; target regions are its own.
            is_gpu = source.path.suffix.lower() in GPU_UNIT_SUFFIXES
            source.has_gpu_code = any(
                by_path[part].has_gpu_code if is_gpu else by_path[part].has_target_region
                for part in graph.reached(source.path)
            )
    headers = _covered_headers(sources, graph)
    if _takes_kernels_of_headers(sources, headers):
        headers = _covered_headers(sources, graph)
    covered = graph.parts(source.path for source in sources if source.is_unit)
    covered -= {source.path for source in sources if source.named or source.has_main}
    own = [[source for source in group if source.path not in covered] for group in groups.values()]
    programs = [
        _with_flags(program, graph)
        for group in _joined(own, graph)
        for program in _group_programs(group, headers)
    ]
    yield from sorted(programs, key=lambda program: order[program.files[0]])


def _takes_kernels_of_headers(sources: Sequence[_Source], covered: frozenset[Path]) -> bool:
    """Whether C++ units alone include headers with kernels: they are for a GPU too, as their makefile compiles them as CUDA."""
    left = {
        source.path.name
        for source in sources
        if not (source.is_unit or source.named or source.path in covered) and source.has_gpu_code
    }
    units = [source for source in sources if left and source.is_unit and not source.has_gpu_code]
    for source in units:
        source.has_gpu_code = not left.isdisjoint(_included_names([source], sources))
    return any(source.has_gpu_code for source in units)


def _with_flags(program: Program, graph: IncludeGraph) -> Program:
    """Add what tree and makefile say about how the units are compiled."""
    units = program.units
    of_tree = graph.search_directories(units)
    folders = (*of_tree, *directories_of_makefiles(units, graph.unreached(units)))
    return replace(program, include_dirs=folders, build=macros_of_makefile(units, folders))


def _joined(groups: Sequence[list[_Source]], graph: IncludeGraph) -> list[list[_Source]]:
    """Folders of one project as one group: they share headers, and one file among them has the only `main`."""
    network: dict[int, set[int]] = {number: {number} for number in range(len(groups))}
    by_header: dict[str, int] = {}
    for number, group in enumerate(groups):
        for source in group:
            for header in graph.headers(source.path) if source.is_unit else ():
                other = network[by_header.setdefault(header, number)]
                if other is not network[number]:
                    other |= network[number]
                    network.update(dict.fromkeys(network[number], other))
    found: list[list[_Source]] = []
    for number, group in enumerate(groups):
        together = sorted(network[number])
        units = [source for part in together for source in groups[part] if source.is_unit]
        if sum(source.has_main for source in units) != 1 or len(units) > _MOST_JOINED:
            found.append(group)
        elif number == together[0]:
            found.append([source for part in together for source in groups[part]])
    return found


def _group_programs(group: Sequence[_Source], covered: frozenset[Path]) -> Iterator[Program]:
    units = [source for source in group if source.is_unit]
    gpu_units = [source for source in units if source.named or source.has_gpu_code]
    host_units = [source for source in units if source not in gpu_units]
    for header in group:
        is_alone = not header.is_unit and header.path not in covered
        if is_alone and (header.named or header.has_gpu_code):
            yield Program(files=(header.path,))
    with_main = [source for source in gpu_units if source.has_main]
    if len(with_main) > 1:
        for source in with_main:
            yield Program(files=(source.path,))
        gpu_units = [source for source in gpu_units if source not in with_main]
        host_units = []
    elif with_main:
        # A second main of the directory belongs to another program.
        host_units = [source for source in host_units if not source.has_main]
    elif sum(source.has_main for source in host_units) > 1:
        host_units = []
    if gpu_units:
        yield Program(
            files=tuple(source.path for source in gpu_units),
            host_files=tuple(source.path for source in host_units),
        )


def _covered_headers(sources: Sequence[_Source], graph: IncludeGraph) -> frozenset[Path]:
    """Return the headers that are read with a unit that is reported on.

    One that the user names must be what the include leads to; of others the name will do.
    """
    units = [
        source for source in sources if source.is_unit and (source.named or source.has_gpu_code)
    ]
    reached = {path for unit in units for path in graph.reached(unit.path)}
    names = _included_names(units, sources)
    return frozenset(
        source.path
        for source in sources
        if source.path in reached or (not source.named and source.path.name in names)
    )


def _included_names(units: Sequence[_Source], sources: Sequence[_Source]) -> frozenset[str]:
    """Return the file names that units include, directly or through other files found."""
    by_name: dict[str, list[_Source]] = {}
    for source in sources:
        by_name.setdefault(source.path.name, []).append(source)
    names: set[str] = set()
    pending = list(units)
    while pending:
        for target in include_targets(pending.pop().text):
            name = target.rpartition("/")[2]
            if name not in names:
                names.add(name)
                pending += by_name.get(name, [])
    return frozenset(names)
