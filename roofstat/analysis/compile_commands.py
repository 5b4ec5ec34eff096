"""compile_commands.json: the flags of each source file, in the spelling of nvcc, clang or hipcc."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from clang_queries.command_line import ParseOptions, parse_command_line
from roofstat.errors import UsageError

__all__ = ["common_options", "expanded", "options_for", "read_compile_commands"]

_FILE = "compile_commands.json"
_RESPONSE_FLAGS = frozenset({"--options-file", "-optf"})
_MOST_NESTED = 16
_HEADER_SUFFIXES = frozenset({".h", ".hh", ".hpp", ".hxx", ".cuh", ".inl"})


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
            f"the compile commands cannot be read: {error}",
            file=str(file),
            remedy="make them with cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
        ) from error
    found: dict[str, ParseOptions] = {}
    if not isinstance(entries, list):
        raise UsageError("it is no list of compile commands", file=str(file))
    for entry in entries:
        try:
            source, options = _entry(entry, file.parent)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UsageError(
                f"an entry cannot be read: {type(error).__name__}: {error}", file=str(file)
            ) from error
        found.setdefault(source, options)
    return found


def options_for(path: Path, commands: Mapping[str, ParseOptions]) -> ParseOptions | None:
    """Return the options of a file: its own; for a header those of a source that includes it, or else of one beside it."""
    real = os.path.realpath(path)
    if real in commands or path.suffix.lower() not in _HEADER_SUFFIXES:
        return commands.get(real)
    include = re.compile(
        rb'^[ \t]*#[ \t]*include[ \t]*[<"](?:[^">\n]*/)?'
        + re.escape(os.fsencode(path.name))
        + rb'[>"]',
        re.MULTILINE,
    )
    for source, options in commands.items():
        try:
            if include.search(Path(source).read_bytes()):
                return options
        except OSError:
            continue
    folder = os.path.dirname(real)  # noqa: PTH120 - the keys are texts
    beside = (name for name in commands if os.path.dirname(name) == folder)  # noqa: PTH120
    return commands.get(next(beside, ""))


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


def expanded(arguments: Sequence[str], directory: Path = Path(), depth: int = 0) -> Iterator[str]:
    """Yield the arguments with response files (`@file`, `--options-file file`) replaced by what they hold.

    Raises:
        UsageError: They include each other without end.
    """
    if depth > _MOST_NESTED:
        raise UsageError("response files include each other without end")
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
    # The compiler, and a launcher before it, are no flags and fall away as sources do.
    options, _ = parse_command_line(list(expanded(words[1:], directory)))

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
