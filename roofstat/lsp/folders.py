"""Workspace folders: the settings that hold in each, and the options that follow from them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from clang_queries.quick_dataclass import dataclass
from roofstat.errors import RoofstatError
from roofstat.lsp.settings import (
    SECTION,
    EditorSettings,
    FolderOptions,
    OptionsReader,
    read_settings,
    unknown_settings,
)

__all__ = ["Folder", "Folders"]

_PLAIN = ("--no-config",)
"""What holds where a configuration file is wrong from the first."""
_State = tuple[tuple[str, int, int], ...]


@dataclass(eq=False)
class Folder:
    """A workspace folder, or the directory of a document outside of all.

    Attributes:
        path: Where it is.
        section: What the editor says, without what makes no sense.
        settings: The same, read.
        options: What follows for the analysis.
        number: Tells options apart.
        state: Dates and sizes of the files that the options were read from; None to have them read again.
    """

    path: Path
    section: Mapping[str, Any]
    settings: EditorSettings
    options: FolderOptions
    number: int
    state: _State | None


class Folders:
    """All folders of the client."""

    def __init__(self, read_options: OptionsReader, complain: Callable[[str], None]) -> None:
        self._read_options = read_options
        self._complain = complain
        self._roots: list[Path] = []
        self._folders: dict[Path, Folder] = {}
        self._common: Mapping[str, Any] = {}
        self._sections: dict[Path | None, Mapping[str, Any]] = {}
        self._number = 0

    @property
    def roots(self) -> tuple[Path, ...]:
        """The workspace folders."""
        return tuple(self._roots)

    def set_roots(self, roots: Iterable[Path]) -> None:
        """Take the workspace folders."""
        self._roots = sorted(roots, key=lambda path: -len(path.parts))
        self._read_again()

    def set_common_section(self, section: Mapping[str, Any]) -> None:
        """Take the settings that the client has sent unasked: they hold where an answer sets nothing."""
        self._common = section
        self._read_again()

    def set_section(self, section: Mapping[str, Any] | None, root: Path | None = None) -> None:
        """Take the settings of a folder, or of all that have none of their own; None where nothing is set."""
        self._sections.pop(root, None)
        if section is not None:
            self._sections[root] = section
        self._read_again()

    def _read_again(self) -> None:
        for folder in self._folders.values():
            folder.state = None

    def root_of(self, path: str) -> Path:
        """Return the innermost folder that holds a file, or the file's directory."""
        place = Path(path)
        return next((root for root in self._roots if place.is_relative_to(root)), place.parent)

    def of(self, path: str) -> Folder:
        """Return the folder of a file, with options as its files say now."""
        root = self.root_of(path)
        known = self._folders.get(root)
        if known is None or known.state != _state(known.options.files):
            known = self._folders[root] = self._read(root, known)
        return known

    def _read(self, root: Path, before: Folder | None) -> Folder:
        """What cannot be read is said, and costs nothing else."""
        section = self._sections.get(root, self._sections.get(None, self._common))
        for name in unknown_settings(section):
            self._complain(f"{name} is no setting; docs/editors.md lists them")
        try:
            settings = read_settings(section)
            options = self._read_options(root, settings.words)
        except RoofstatError:
            section, options = self._read_one_by_one(root, section, before)
            settings = read_settings(section)
        self._number += 1
        return Folder(
            path=root,
            section=section,
            settings=settings,
            options=options,
            number=self._number,
            state=_state(options.files),
        )

    def _read_one_by_one(
        self, root: Path, section: Mapping[str, Any], before: Folder | None
    ) -> tuple[Mapping[str, Any], FolderOptions]:
        """Settings that make no sense stay as they were; so do all options where the folder's files make none."""
        plain: tuple[str, ...] = ()
        kept: FolderOptions | None = None
        try:
            self._read_options(root, ())
        except RoofstatError as error:
            self._complain(str(error))
            plain, kept = _PLAIN, before.options if before is not None else None

        def read(section: Mapping[str, Any]) -> FolderOptions:
            settings = read_settings(section)
            return kept or self._read_options(root, (*plain, *settings.words))

        good: dict[str, Any] = {}
        options = read(good)
        for name, value in section.items():
            known = before.section.get(name) if before is not None else None
            try:
                good, options = _with(good, name, value, read)
            except RoofstatError as error:
                said, place = str(error), f"{SECTION}.{name}"
                self._complain(said if said.startswith(place) else f"{place}: {said}")
                with contextlib.suppress(RoofstatError):
                    good, options = _with(good, name, known, read)
        return good, options


def _with(
    section: dict[str, Any],
    name: str,
    value: object,
    read: Callable[[Mapping[str, Any]], FolderOptions],
) -> tuple[dict[str, Any], FolderOptions]:
    longer = {**section, name: value}
    return longer, read(longer)


def _state(files: Iterable[Path]) -> _State:
    found = []
    for file in files:
        try:
            facts = file.stat()
        except OSError:
            found.append((str(file), 0, 0))
        else:
            found.append((str(file), facts.st_mtime_ns, facts.st_size))
    return tuple(found)
