"""Include directories that makefiles name, for builds that leave no `compile_commands.json` behind.

Nothing is run: words ``-I...`` count as they stand, with the variables that the same makefile sets to plain text. They are
used for headers alone that are found in no other way, so a makefile that names too many does no harm.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from clang_queries.header_paths import is_bundled_name
from roofstat.analysis.include_paths import include_targets, place_of_include

__all__ = ["directories_of_makefiles"]

_NAMES = ("GNUmakefile", "makefile", "Makefile")
"""In the order in which make looks for them."""
_MOST_BYTES = 1 << 20
_MOST_LEVELS = 3
"""Folders above a unit in which its makefile may stand."""
_MOST_NESTED = 8
"""Variables of variables."""
_MOST_HEADERS = 1000
_CONTINUED = re.compile(r"\\\r?\n")
_ASSIGNMENT = re.compile(
    r"^[ \t]*(?:(?:export|override)[ \t]+)*([\w.-]+)[ \t]*(?:(\+)|[:?]{0,3})=([^#\n]*)",
    re.MULTILINE,
)
_VARIABLE = re.compile(r"\$(?:\((\w+|shell pwd)\)|\{(\w+|shell pwd)\})")
_INCLUDE = re.compile(r"(?:^|[\s'\"=])-I[ \t]*['\"]?([^\s'\"]+)", re.MULTILINE)
_FOLDER_NAMES = ("CURDIR", "PWD", "shell pwd")


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


def _of_makefile(folder: Path) -> Sequence[Path]:
    """Directories that the nearest makefile of a folder names."""
    for place in (folder, *folder.parents[:_MOST_LEVELS]):
        for name in _NAMES:
            file = place / name
            try:
                if not file.is_file() or file.stat().st_size > _MOST_BYTES:
                    continue
                text = file.read_text("utf-8", "replace")
            except OSError:
                continue
            return _directories(_CONTINUED.sub(" ", text), place)
        if (place / ".git").exists():
            break
    return ()


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
