"""What the result of a program rests on besides its options: the files that were read, and those that were looked for.

A result may be used again while every file still has its content and no file has appeared where one would be read
instead. What cannot be told with certainty, such as an include whose name is a macro, yields no record at all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from clang_queries.header_paths import shadowing_names
from clang_queries.quick_dataclass import dataclass
from clang_queries.quick_pattern import pattern

if TYPE_CHECKING:
    from clang_queries.command_line import ParseOptions
    from clang_queries.ir.statements import Unit

__all__ = ["Inputs", "digest_of", "gather_inputs"]

_INCLUDE = pattern(
    rb"(?:(?:#|%:)[ \t]*(?:include|include_next|import|embed)"
    rb"|\b__has_(?:include|include_next|embed)[ \t]*\()[ \t]*"
    rb'(?:"(?P<quoted>[^"\n]+)"|<(?P<angled>[^>\n]+)>|(?P<macro>\S))'
    # A comment or a line's end inside a directive can hide its name.
    rb"|(?:#|%:)[ \t]*(?P<hidden>/[*]|\\\r?\n)"
)
_MOST_BYTES = 64 * 1024 * 1024
_MOST_PLACES = 10_000
_CLOCK_STEP_NS = 20_000_000
"""File times lag behind the clock by up to a tick of the kernel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """Files on which a result rests.

    Attributes:
        digests: Content of each file that was read, by its path.
        absent: Paths without a file, where one would have been read.
        directories: Include directories that hold no name of a bundled header.
    """

    digests: Mapping[str, str]
    absent: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()

    def hold(self, digest: Callable[[str], str | None]) -> bool:
        """Return whether nothing has changed.

        Args:
            digest: Returns the digest of a file's content, None where it cannot be read.
        """
        return (
            all(digest(path) == known for path, known in self.digests.items())
            and not any(Path(path).exists() for path in self.absent)
            and not any(map(shadowing_names, self.directories))
        )


def digest_of(path: str) -> str | None:
    """Return the digest of a file's content; None where it cannot be read or is too large to be worth it."""
    try:
        file = Path(path)
        if not file.is_file() or file.stat().st_size > _MOST_BYTES:
            return None
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except (OSError, ValueError):
        return None


def gather_inputs(
    units: Sequence[Unit],
    parse: ParseOptions,
    data_files: Iterable[Path],
    unsaved: Mapping[str, str],
    started_ns: int,
) -> Inputs | None:
    """Return what the result of a program rests on, or None where that cannot be told.

    Args:
        units: The program's units as parsed.
        parse: Flags they were parsed with.
        data_files: Every path at which the host program's input files were looked for.
        unsaved: Text of files that came with the options.
        started_ns: When the analysis began; a file that is younger may have changed under it.
    """
    directories = parse.search_directories
    if parse.system_headers or parse.extra_flags or any(map(shadowing_names, directories)):
        return None
    sources = dict.fromkeys(name for unit in units for name in (unit.path, *unit.included_files))
    places = _places(tuple(sources), parse, unsaved)
    included = {str(Path(name)) for unit in units for name in unit.included_files}
    if places is None or not included <= {*places, *(str(Path(unit.path)) for unit in units)}:
        return None
    sources.update(dict.fromkeys(str(path) for path in data_files if path.is_file()))
    places.update(dict.fromkeys(map(str, data_files)))
    digests: dict[str, str] = {}
    for name in sources:
        if name in unsaved:
            continue
        digest = digest_of(name)
        if digest is None:
            return None
        digests[name] = digest
    if not all(_is_older(name, started_ns) for name in (*digests, *places)):
        return None
    return Inputs(
        digests=digests,
        absent=tuple(name for name in places if not Path(name).exists()),
        directories=directories,
    )


def _places(
    sources: Sequence[str], parse: ParseOptions, unsaved: Mapping[str, str]
) -> dict[str, None] | None:
    """Every path that the includes of the sources may mean; None where an include cannot be told."""
    directories = parse.search_directories
    found = {
        str(Path(folder, target)): None
        for target in parse.forced_includes
        for folder in ("", *directories)
    }
    for name in sources:
        content = _content(name, unsaved)
        includes = [None] if content is None else list(_includes(content))
        for include in includes:
            if include is None:
                return None
            target, is_quoted = include
            folders = (str(Path(name).parent), *directories) if is_quoted else directories
            found.update(dict.fromkeys(str(Path(folder, target)) for folder in folders))
        if len(found) > _MOST_PLACES:
            return None
    return found


def _content(name: str, unsaved: Mapping[str, str]) -> bytes | None:
    if name in unsaved:
        return unsaved[name].encode()
    try:
        return Path(name).read_bytes()
    except (OSError, ValueError):
        return None


def _includes(content: bytes) -> Iterator[tuple[str, bool] | None]:
    """Name and kind of every include, taken or not; None for one without a literal name."""
    for match in _INCLUDE.finditer(content):
        if match["macro"] is not None or match["hidden"] is not None:
            yield None
            return
        target = match["quoted"] or match["angled"]
        yield target.decode("utf-8", "surrogateescape"), match["quoted"] is not None


def _is_older(path: str, moment_ns: int) -> bool:
    """Whether a file was there, unchanged, before a moment; true for one that is not there."""
    try:
        facts = Path(path).stat()
    except OSError:
        return True
    return max(facts.st_mtime_ns, facts.st_ctime_ns) < moment_ns - _CLOCK_STEP_NS
