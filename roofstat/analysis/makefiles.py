"""Include directories and macros that makefiles name, for builds that leave no `compile_commands.json` behind.

Nothing is run. Words ``-I...`` count wherever they stand, with the variables that the same makefile sets to plain text: they are
used for headers alone that are found in no other way, so a makefile that names too many does no harm. Macros change what a source
means, so ``-D...`` counts only where a compile line has it (`makefile_rules`), and where a source names the macro.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from clang_queries.header_paths import is_bundled_name
from clang_queries.quick_dataclass import dataclass
from clang_queries.quick_pattern import pattern
from roofstat.analysis.include_paths import include_targets, place_of_include
from roofstat.analysis.makefile_rules import compile_words

__all__ = ["MakefileMacros", "directories_of_makefiles", "macros_of_makefile"]

_NAMES = ("GNUmakefile", "makefile", "Makefile")
"""In the order in which make looks for them."""
_MOST_BYTES = 1 << 20
_MOST_LEVELS = 3
"""Folders above a unit in which its makefile may stand."""
_MOST_NESTED = 8
"""Variables of variables."""
_MOST_HEADERS = 1000
_CONTINUED = pattern(r"\\\r?\n")
_ASSIGNMENT = pattern(
    r"^[ \t]*(?:(?:export|override)[ \t]+)*([\w.-]+)[ \t]*(?:(\+)|[:?]{0,3})=([^#\n]*)",
    re.MULTILINE,
)
_VARIABLE = pattern(r"\$(?:\((\w+|shell pwd)\)|\{(\w+|shell pwd)\})")
_INCLUDE = pattern(r"(?:^|[\s'\"=])-I[ \t]*['\"]?([^\s'\"]+)", re.MULTILINE)
_MACRO = pattern(r"-D([A-Za-z_]\w*)(=[^$]*)?")
"""One whose value a make need not work out."""
_WORD = pattern(rb"[A-Za-z_]\w*")
_FOLDER_NAMES = ("CURDIR", "PWD", "shell pwd")


@dataclass(frozen=True, slots=True, kw_only=True)
class MakefileMacros:
    """Macros that a build defines.

    Attributes:
        path: Of the makefile.
        macros: As `NAME` or `NAME=VALUE`.
    """

    path: Path
    macros: tuple[str, ...]


def directories_of_makefiles(
    units: Iterable[Path], unreached: Iterable[tuple[Path, str]]
) -> tuple[Path, ...]:
    """Return the include directories in which headers are found that are found nowhere else, in the order of their use.

    Args:
        units: Of a program.
        unreached: Files and what they include that is neither in the tree nor bundled.
    """
    pending = list(unreached)
    if not pending:
        return ()
    named = dict.fromkeys(
        directory for unit in units for directory in _of_makefile(unit.absolute().parent)
    )
    found: dict[Path, None] = {}
    seen: set[Path] = set()
    while pending and named and len(seen) < _MOST_HEADERS:
        folder, target = pending.pop()
        reached = place_of_include(target, str(folder), map(str, named))
        place = None if reached is None else Path(reached)
        if place is None or place in seen:
            continue
        seen.add(place)
        if not (folder / target).is_file():
            found[place.parents[target.count("/")]] = None
        try:
            inner = include_targets(place.read_bytes())
        except OSError:
            continue
        pending += [(place.parent, name) for name in inner if not is_bundled_name(name)]
    return tuple(directory for directory in named if directory in found)


def macros_of_makefile(units: Sequence[Path], folders: Sequence[Path]) -> MakefileMacros | None:
    """Return the macros that the makefile of some units defines when it compiles, or None where it has none for them.

    A macro that neither the units nor what they include names is left out.

    Args:
        units: Of a program; the makefile is that of the first.
        folders: Where includes are looked up besides the folders of the including files.
    """
    found = _makefile(units[0].absolute().parent)
    if found is None:
        return None
    text, path = found
    words = compile_words(text, [unit.name for unit in units])
    parted = (f"-D{word}" for flag, word in itertools.pairwise(words) if flag == "-D")
    defined = {
        match[1]: f"{match[1]}{match[2] or ''}"
        for match in map(_MACRO.fullmatch, (*words, *parted))
        if match is not None
    }
    if not defined:
        return None
    named = {word.decode() for each in _texts(units, folders) for word in _WORD.findall(each)}
    macros = tuple(macro for name, macro in defined.items() if name in named)
    return MakefileMacros(path=path, macros=macros) if macros else None


def _texts(units: Sequence[Path], folders: Sequence[Path]) -> Iterator[bytes]:
    """Yield the text of units and of what they include."""
    seen: set[Path] = set()
    pending = list(units)
    while pending and len(seen) < _MOST_HEADERS:
        path = pending.pop()
        if path in seen:
            continue
        seen.add(path)
        try:
            text = path.read_bytes()
        except OSError:
            continue  # a unit that is not on disk
        yield text
        for target in include_targets(text):
            inner = place_of_include(target, str(path.parent), map(str, folders))
            if inner is not None and not is_bundled_name(target):
                pending.append(Path(inner))


def _of_makefile(folder: Path) -> Sequence[Path]:
    """Directories that the nearest makefile of a folder names."""
    found = _makefile(folder)
    return [] if found is None else _directories(found[0], found[1].parent)


def _makefile(folder: Path) -> tuple[str, Path] | None:
    """Text, with continued lines as one, and path of the nearest makefile of a folder."""
    for place in (folder, *folder.parents[:_MOST_LEVELS]):
        for name in _NAMES:
            file = place / name
            try:
                if not file.is_file() or file.stat().st_size > _MOST_BYTES:
                    continue
                text = file.read_text("utf-8", "replace")
            except OSError:
                continue
            return _CONTINUED.sub(" ", text), file
        if (place / ".git").exists():
            break
    return None


def _directories(text: str, folder: Path) -> list[Path]:
    variables = dict.fromkeys(_FOLDER_NAMES, str(folder))
    for match in _ASSIGNMENT.finditer(text):
        name, is_added, value = match[1], match[2], match[3].strip()
        if is_added:
            variables[name] = f"{variables.get(name, '')} {value}"
        else:
            variables.setdefault(name, value)
    for _ in range(_MOST_NESTED):
        expanded = _VARIABLE.sub(lambda match: variables.get(match[1] or match[2], match[0]), text)
        if expanded == text or len(expanded) > _MOST_BYTES:
            break
        text = expanded
    words = dict.fromkeys(match[1] for match in _INCLUDE.finditer(text) if "$" not in match[1])
    return [folder / word for word in words if os.path.isdir(folder / word)]  # noqa: PTH112 - any word at all
