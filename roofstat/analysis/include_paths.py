"""What includes say about the files of a source tree: which units are parts of others, and where headers are.

A build system would name the include directories; without one, a header that an include does not reach but that stands
elsewhere in the tree is most likely meant.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from clang_queries.header_paths import is_bundled_name
from clang_queries.quick_pattern import pattern

__all__ = ["IncludeGraph", "include_targets", "place_of_include"]

_INCLUDE = pattern(rb"^[ \t]*#[ \t]*include[ \t]*[\"<]([^\">\n]+)[\">]", re.MULTILINE)
_QUOTED = pattern(rb"^[ \t]*#[ \t]*include[ \t]*\"([^\"\n]+)\"", re.MULTILINE)


class IncludeGraph:
    """Includes between the files that a search has found."""

    def __init__(self, texts: Mapping[Path, bytes]) -> None:
        self._path = {os.path.realpath(path): path for path in texts}
        self._by_name: dict[str, list[str]] = {}
        for real in self._path:
            self._by_name.setdefault(os.path.basename(real), []).append(real)  # noqa: PTH119 - a million times faster than Path in large trees
        self._targets = {real: include_targets(texts[path]) for real, path in self._path.items()}
        self._direct = {real: self._reached(real) for real in self._path}
        self._quoted = {
            real: include_targets(texts[path], _QUOTED) for real, path in self._path.items()
        }

    def parts(self, units: Iterable[Path]) -> frozenset[Path]:
        """Return the units that another unit includes, directly or through headers, as `main.cu` does `kernels.cu`."""
        reals = {os.path.realpath(unit): unit for unit in units}
        inside = {real: self._closure(real, self._direct) - {real} for real in reals}
        return frozenset(
            reals[part]
            for unit, parts in inside.items()
            for part in parts & reals.keys()
            if unit not in inside[part]
        )

    def reached(self, unit: Path) -> frozenset[Path]:
        """Return the files of the tree that a unit includes, directly or through others."""
        return frozenset(
            self._path[real] for real in self._closure(os.path.realpath(unit), self._direct)
        )

    def including(self, headers: Iterable[Path]) -> frozenset[Path]:
        """Return the files of the tree that include one of these, directly or through others, by `-I` too."""
        direct = {
            real: self._direct[real]
            | {
                found
                for target in self._targets[real]
                if (found := self._elsewhere(real, target)) is not None
            }
            for real in self._path
        }
        wanted = {os.path.realpath(header) for header in headers}
        return frozenset(
            path for real, path in self._path.items() if wanted & self._closure(real, direct)
        )

    def search_directories(self, units: Sequence[Path]) -> tuple[Path, ...]:
        """Return the directories in which includes of these units find headers that they do not reach otherwise.

        Those of the units come first: versions of a program in folders beside each other have headers of the same names.
        """
        found = (
            str(self._path[header])[: -len(target)]
            for _, target, header in self._astray(units)
            if header is not None
        )
        own = {os.path.realpath(unit.parent) for unit in units}
        directories = [Path(directory or ".") for directory in dict.fromkeys(found)]
        return tuple(sorted(directories, key=lambda each: os.path.realpath(each) not in own))

    def unreached(self, units: Sequence[Path]) -> list[tuple[Path, str]]:
        """Return what these units and what they include name that is neither bundled nor in the tree.

        Each with the folder of the file that includes it.
        """
        return [
            (self._path[real].absolute().parent, target)
            for real, target, header in self._astray(units)
            if header is None and not is_bundled_name(target)
        ]

    def _astray(self, units: Iterable[Path]) -> Iterator[tuple[str, str, str | None]]:
        """Files, what they include without reaching it, and the file of the tree that is most likely meant."""
        seen: set[str] = set()
        pending = [os.path.realpath(unit) for unit in units]
        while pending:
            real = pending.pop()
            if real in seen or real not in self._targets:
                continue
            seen.add(real)
            pending += sorted(self._direct[real], reverse=True)
            for target in self._targets[real]:
                if os.path.normpath(os.path.join(os.path.dirname(real), target)) in self._path:  # noqa: PTH118, PTH120
                    continue
                header = self._elsewhere(real, target)
                yield real, target, header
                if header is not None:
                    pending.append(header)

    def headers(self, unit: Path) -> frozenset[str]:
        """Return what units of one project share: the files of the tree that this one includes, wherever they are.

        Quoted headers outside of the tree, which `-I` leads to, stand by their names.
        """
        found: set[str] = set()
        pending = [os.path.realpath(unit)]
        while pending:
            real = pending.pop()
            reached = set(self._direct[real])
            for target in self._quoted[real]:
                elsewhere = self._elsewhere(real, target)
                if elsewhere is not None:
                    reached.add(elsewhere)
                elif not is_bundled_name(target):
                    found.add(target)
            pending += reached - found
            found |= reached
        return frozenset(found)

    def _reached(self, real: str) -> frozenset[str]:
        folder = os.path.dirname(real)  # noqa: PTH120
        places = (os.path.normpath(os.path.join(folder, name)) for name in self._targets[real])  # noqa: PTH118
        return frozenset(place for place in places if place in self._path)

    def _elsewhere(self, real: str, target: str) -> str | None:
        """The file of the tree that an unreachable include most likely means: the one that stands nearest."""
        folder = os.path.dirname(real)  # noqa: PTH120
        if is_bundled_name(target) or os.path.normpath(os.path.join(folder, target)) in self._path:  # noqa: PTH118
            return None
        candidates = [
            path
            for path in self._by_name.get(target.rpartition("/")[2], ())
            if f"{os.sep}{self._path[path]}".endswith(f"{os.sep}{target}")
        ]
        return max(
            candidates,
            key=lambda path: (len(os.path.commonpath([folder, path])), -len(path)),
            default=None,
        )

    @staticmethod
    def _closure(start: str, direct: Mapping[str, frozenset[str]]) -> frozenset[str]:
        found: set[str] = set()
        pending = [start]
        while pending:
            new = direct[pending.pop()] - found
            found |= new
            pending += new
        return frozenset(found)


def place_of_include(target: str, folder: str, directories: Iterable[str]) -> str | None:
    """Return the file that an include in a folder leads to, looked for there and in the include directories; None without one."""
    places = (os.path.join(directory, target) for directory in (folder, *directories))  # noqa: PTH118
    return next((place for place in places if os.path.isfile(place)), None)  # noqa: PTH113


def include_targets(text: bytes, pattern: re.Pattern[bytes] = _INCLUDE) -> tuple[str, ...]:
    """Return what a source includes, each name once, as written but with slashes."""
    names = (
        match[1].decode("utf-8", "surrogateescape").replace("\\", "/")
        for match in pattern.finditer(text)
    )
    return tuple(dict.fromkeys(names))
