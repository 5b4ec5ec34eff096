"""compile_commands.json: the flags of each source file, in the spelling of nvcc, clang or hipcc."""

from __future__ import annotations

import functools
import itertools
import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from clang_queries.command_line import ParseOptions, parse_command_line
from clang_queries.file_names import HEADER_SUFFIXES, UNIT_SUFFIXES
from clang_queries.quick_pattern import pattern
from roofstat.analysis.include_paths import include_targets, place_of_include
from roofstat.errors import UsageError, reason_of

__all__ = [
    "common_options",
    "compiler_name",
    "expanded",
    "flags_of_command",
    "options_for",
    "read_compile_commands",
]

_FILE = "compile_commands.json"
_REMEDY = "make them with cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"
_RESPONSE_FLAGS = frozenset({"--options-file", "-optf"})
_MOST_NESTED = 16
_NVCC = "nvcc"
_HOST_LEVEL = pattern(r"(?:-O|--optimize=?)\w*")


def read_compile_commands(place: Path) -> dict[str, ParseOptions]:
    """Return the options of each source of a build, by its real path; of several commands for a file the first counts.

    Args:
        place: The file, or the build directory that holds it.

    Raises:
        UsageError: There is none, or it is not what it must be.
    """
    file = place / _FILE if place.is_dir() else place
    try:
        entries = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(
            f"the compile commands cannot be read: {reason_of(error)}",
            file=str(file),
            remedy=_REMEDY,
        ) from error
    found: dict[str, ParseOptions] = {}
    if not isinstance(entries, list):
        raise UsageError("it is no list of compile commands", file=str(file), remedy=_REMEDY)
    for entry in entries:
        try:
            source, options = _entry(entry, file.parent)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UsageError(
                f"an entry cannot be read: {type(error).__name__}: {error}",
                file=str(file),
                remedy=_REMEDY,
            ) from error
        found.setdefault(source, options)
    return found


def options_for(path: Path, commands: Mapping[str, ParseOptions]) -> ParseOptions | None:
    """Return the options of a file: its own, or those of a source that includes it, directly or through others.

    A header that no source is seen to include takes those of a source that includes one of its name, or else of one beside
    it.
    """
    real = os.path.realpath(path)
    if real in commands:
        return commands[real]
    found = _options_of_includer(real, commands)
    if found is not None or path.suffix.lower() not in HEADER_SUFFIXES:
        return found
    for source, options in commands.items():
        if any(os.path.basename(name) == path.name for name in _includes(source)):  # noqa: PTH119 - the keys are texts
            return options
    folder = os.path.dirname(real)  # noqa: PTH120
    beside = (name for name in commands if os.path.dirname(name) == folder)  # noqa: PTH120
    return commands.get(next(beside, ""))


def _options_of_includer(real: str, commands: Mapping[str, ParseOptions]) -> ParseOptions | None:
    """Those of the first source from which includes lead to a file."""
    seen: dict[tuple[str, ...], set[str]] = {}
    for source, options in commands.items():
        directories = options.search_directories
        # What led nowhere from another source with the same directories leads nowhere again.
        known = seen.setdefault(directories, set())
        pending = [source, *map(os.path.realpath, options.forced_includes)]
        while pending:
            file = pending.pop()
            if file in known:
                continue
            known.add(file)
            reached = {
                os.path.realpath(place)
                for name in _includes(file)
                if (place := place_of_include(name, os.path.dirname(file), directories)) is not None  # noqa: PTH120
            }
            if real in reached:
                return options
            pending += reached - known
    return None


def _includes(file: str) -> tuple[str, ...]:
    """Names that a file includes; none where it cannot be read."""
    try:
        state = os.stat(file)  # noqa: PTH116
        return _includes_in(file, state.st_mtime_ns, state.st_size)
    except OSError:
        return ()


@functools.lru_cache(maxsize=1 << 14)
def _includes_in(file: str, _changed_ns: int, _size: int) -> tuple[str, ...]:
    return include_targets(Path(file).read_bytes())


def common_options(found: Iterable[ParseOptions | None]) -> ParseOptions:
    """Return what stands for the units of a program together: all their directories, and the rest of the first."""
    known = [options for options in found if options is not None]
    if not known:
        return ParseOptions()

    def together(name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(item for options in known for item in getattr(options, name)))

    return replace(
        known[0],
        language=None,
        include_directories=together("include_directories"),
        quote_directories=together("quote_directories"),
        system_directories=together("system_directories"),
    )


def flags_of_command(command: Sequence[str], directory: Path = Path()) -> list[str]:
    """Return the arguments of a compiler command that concern device code, response files expanded.

    The compiler and a launcher before it stay: they are no flags and fall away as sources do.

    Raises:
        UsageError: Response files include each other without end.
    """
    flags = list(expanded(command[1:], directory))
    if compiler_name(command) != _NVCC:
        return flags
    # Levels of nvcc are those of host code; a level that stands on its own follows its flag.
    return [
        word
        for before, word in zip(("", *flags), flags, strict=False)
        if not _HOST_LEVEL.fullmatch(word)
        and not (before in {"-O", "--optimize"} and word.isdigit())
    ]


def compiler_name(command: Sequence[str]) -> str:
    """Return the name of the program that compiles: the last word before the first flag, without folder and suffix.

    >>> compiler_name(["ccache", "/usr/local/cuda/bin/nvcc", "-c", "k.cu"])
    'nvcc'
    """
    words = list(itertools.takewhile(lambda word: not word.startswith(("-", "@")), command))
    known = [name for word in words if (name := Path(word).stem) and not _is_source(word)]
    return known[-1] if known else ""


def _is_source(word: str) -> bool:
    return Path(word).suffix.lower() in UNIT_SUFFIXES


def expanded(arguments: Sequence[str], directory: Path = Path(), depth: int = 0) -> Iterator[str]:
    """Yield the arguments with response files (`@file`, `--options-file file`) replaced by what they hold.

    Raises:
        UsageError: They include each other without end.
    """
    if depth > _MOST_NESTED:
        raise UsageError(
            "response files include each other without end", remedy="take one of them out"
        )
    waiting = iter(arguments)
    for argument in waiting:
        flag, equals, value = argument.partition("=")
        if argument.startswith("@"):
            files = [argument[1:]]
        elif flag in _RESPONSE_FLAGS:
            files = (value if equals else next(waiting, "")).split(",")
        else:
            yield argument
            continue
        for file in files:
            try:
                text = (directory / file).read_text("utf-8", "surrogateescape")
                inside = shlex.split(re.sub(r"^#.*$", "", text, flags=re.MULTILINE))
            except (OSError, ValueError):
                continue
            yield from expanded(inside, directory, depth + 1)


def _entry(entry: Mapping[str, Any], base: Path) -> tuple[str, ParseOptions]:
    directory = base / entry.get("directory", "")
    words = entry["arguments"] if "arguments" in entry else shlex.split(entry["command"])
    options, _ = parse_command_line(flags_of_command(words, directory))

    def absolute(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(str(directory / name) for name in names)

    return os.path.realpath(directory / entry["file"]), replace(
        options,
        include_directories=absolute(options.include_directories),
        quote_directories=absolute(options.quote_directories),
        system_directories=absolute(options.system_directories),
        forced_includes=tuple(
            str(directory / name) if (directory / name).is_file() else name
            for name in options.forced_includes
        ),
    )
