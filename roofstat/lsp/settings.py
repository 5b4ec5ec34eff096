"""What an editor may set in the section `roofstat`, and the words of the command line that it stands for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from clang_queries.quick_dataclass import dataclass
from roofstat.analysis import AnalysisOptions
from roofstat.errors import UsageError
from roofstat.rules import Rule

__all__ = [
    "SECTION",
    "EditorSettings",
    "FolderOptions",
    "OptionsReader",
    "read_settings",
    "unknown_settings",
]

SECTION = "roofstat"
_LISTS = {"defines": "-D", "includeDirs": "-I", "values": "--set", "launches": "--launch"}
"""Settings that repeat an option for each of their strings."""
_TEXTS = {"gpu": "--gpu", "std": "--std", "buildDir": "-p", "programArgs": "--args"}
_JOINED = {"select": "--select", "ignore": "--ignore"}
_SWITCHES = ("inlayHints", "codeLens")
_PROGRAMS = ("file", "folder")
_NUMBERS = ("debounceMs", "timeLimitS")
_LIMITED_LINES = 1000
"""The time limit is for each of so many lines, begun ones included: a long document would never have a result."""
_OWN = frozenset({"path", "reportIn", "trace", "trace.server"})
"""Settings of clients themselves, which share the section."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditorSettings:
    """The settings that hold for one workspace folder.

    Attributes:
        words: Options of the command line.
        with_folder: Whether other units of a document's folder count that are of the same program.
        inlay_hints: Whether there are inlay hints.
        code_lens: Whether there are code lenses.
        debounce_s: Seconds without a keystroke before the analysis begins.
        time_limit_s: Seconds that the analysis of every thousand lines of a document may take.
    """

    words: tuple[str, ...] = ()
    with_folder: bool = True
    inlay_hints: bool = True
    code_lens: bool = True
    debounce_s: float = 0.15
    time_limit_s: float = 20.0

    def limit_s(self, lines: int) -> float:
        """Return the seconds that the analysis of a document of so many lines may take.

        >>> [EditorSettings().limit_s(lines) for lines in (1, 1000, 1001, 5273)]
        [20.0, 20.0, 40.0, 120.0]
        """
        return self.time_limit_s * max(math.ceil(lines / _LIMITED_LINES), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderOptions:
    """How the documents of a folder are analysed.

    Attributes:
        analysis: Options of the analysis.
        rules: Rules that are on.
        files: Files that the options were read from or would be; a change of one means to read them again.
    """

    analysis: AnalysisOptions
    rules: tuple[Rule, ...]
    files: tuple[Path, ...] = field(default=())


OptionsReader = Callable[[Path, tuple[str, ...]], FolderOptions]
"""Gives the options of a folder: those of its configuration file and, before them, the words of the command line given.

Raises a `RoofstatError` where they make no sense.
"""


def read_settings(section: Mapping[str, Any]) -> EditorSettings:
    """Read a section; what is null or missing has its default.

    Raises:
        UsageError: A setting has a value of a wrong kind.

    >>> read_settings({"gpu": "h100", "defines": ["N=4"], "codeLens": False}).words
    ('--gpu=h100', '-DN=4')
    """
    given = {key: value for key, value in section.items() if value is not None}
    switches = {name: _checked(given[name], bool, name) for name in _SWITCHES if name in given}
    numbers = {name: _number(given[name], name) for name in _NUMBERS if name in given}
    default = EditorSettings()
    return EditorSettings(
        words=tuple(_words(given)),
        with_folder=_program(given) == "folder",
        inlay_hints=switches.get("inlayHints", default.inlay_hints),
        code_lens=switches.get("codeLens", default.code_lens),
        debounce_s=numbers.get("debounceMs", default.debounce_s * 1e3) / 1e3,
        time_limit_s=numbers.get("timeLimitS", default.time_limit_s),
    )


def unknown_settings(section: Mapping[str, Any]) -> list[str]:
    """Return the names in a section that are no settings, neither of the server nor of a client.

    >>> unknown_settings({"gpu": "h100", "debounce": 10})
    ['roofstat.debounce']
    """
    known = {*_LISTS, *_TEXTS, *_JOINED, *_SWITCHES, *_NUMBERS, "options", "program"} | _OWN
    return [f"{SECTION}.{name}" for name in section if name not in known]


def _words(given: Mapping[str, Any]) -> Iterator[str]:
    for name, option in _TEXTS.items():
        text = _checked(given.get(name, ""), str, name)
        if text:
            yield f"{option}{'=' if option.startswith('--') else ''}{text}"
    for name, option in _LISTS.items():
        for text in _strings(given.get(name, []), name):
            yield f"{option}{'=' if option.startswith('--') else ''}{text}"
    for name, option in _JOINED.items():
        texts = _strings(given.get(name, []), name)
        if texts:
            yield f"{option}={','.join(texts)}"
    yield from _strings(given.get("options", []), "options")


def _program(given: Mapping[str, Any]) -> str:
    name: str = given.get("program", "folder")
    if name not in _PROGRAMS:
        raise UsageError(f"{SECTION}.program must be {' or '.join(_PROGRAMS)}")
    return name


def _strings(value: object, name: str) -> list[str]:
    if isinstance(value, str):
        return [value] if value else []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise UsageError(f"{SECTION}.{name} must be an array of strings")
    return value


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        raise UsageError(f"{SECTION}.{name} must be a number from 0")
    return float(value)


def _checked(value: object, kind: type, name: str) -> Any:
    if not isinstance(value, kind):
        raise UsageError(
            f"{SECTION}.{name} must be {'a string' if kind is str else 'true or false'}"
        )
    return value
