"""What the server's worker process does: analyse one document, again and again."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from clang_queries.quick_dataclass import dataclass
from roofstat.analysis import AnalysisOptions, ProgramResult
from roofstat.analysis.discovery import program_of
from roofstat.analysis.runner import program_options
from roofstat.analysis.workers import more_is_waiting
from roofstat.errors import RoofstatError

if TYPE_CHECKING:
    from clang_queries.translation_unit import KeptUnits
    from roofstat.analysis.incremental import EditedSource, KernelUpdate

__all__ = [
    "AnalyzeDocument",
    "Answer",
    "CancelTask",
    "SupersededError",
    "Task",
    "WarmUp",
    "perform",
]

_ANALYSIS = "roofstat.analysis.incremental"
_MOST_UNITS = 16
"""Of a program of the folder; larger ones would take too long for an editor."""
_MOST_SOURCES = 8
"""Documents whose last analysis is kept."""


class SupersededError(RoofstatError):
    """The work was given up, since what it was about has changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyzeDocument:
    """Analyse a document, as `roofstat PATH` does.

    Attributes:
        path: Its file, which need not exist.
        options: How; None for those of the task before that had the same number.
        options_number: Tells options apart.
        with_folder: Whether other units of its folder count that are of the same program.
        unsaved: Texts of open documents by path.
        number: Of the task.
        base: Task whose whole result is known, so that what has changed since will do; None to have all of it.
    """

    path: Path
    options: AnalysisOptions | None
    options_number: int
    with_folder: bool
    unsaved: Mapping[str, str]
    number: int
    base: int | None


@dataclass(frozen=True, slots=True)
class WarmUp:
    """Be ready for the first analysis."""


@dataclass(frozen=True, slots=True)
class CancelTask:
    """Give up the task before."""


Task = AnalyzeDocument | WarmUp | CancelTask

Answer: TypeAlias = "ProgramResult | KernelUpdate | None"
"""Nothing for tasks that analyse nothing."""

_options: dict[int, AnalysisOptions] = {}
_sources: dict[Path, EditedSource] = {}


def perform(task: Task) -> Answer:
    """Carry a task out; the body of the worker process.

    Raises:
        SupersededError: A newer task is waiting.
    """
    match task:
        case WarmUp():
            importlib.import_module(_ANALYSIS)
            return None
        case CancelTask():
            return None
        case AnalyzeDocument():
            return _analyze(task)


def _analyze(task: AnalyzeDocument) -> Answer:
    if task.options is not None:
        _options.clear()
        _options[task.options_number] = task.options
    options = dataclasses.replace(_options[task.options_number], unsaved=task.unsaved)
    source = _source(task.path)
    update = source.update(options, task.base) if task.base is not None else None
    if update is not None:
        return update
    others: tuple[Path, ...] = ()
    if task.with_folder:
        program = program_of(task.path)
        if len(program.units) <= _MOST_UNITS:
            others = tuple(path for path in program.units if path != task.path)
            options = program_options(program, options)
    return source.analyze(options, task.number, others, _give_way)


def _source(path: Path) -> EditedSource:
    from roofstat.analysis.incremental import EditedSource  # noqa: PLC0415 - the server needs no front end

    found = _sources.pop(path, None) or EditedSource(path, _units())
    _sources[path] = found
    if len(_sources) > _MOST_SOURCES:
        del _sources[next(iter(_sources))]
    return found


@cache
def _units() -> KeptUnits:
    from clang_queries.translation_unit import KeptUnits  # noqa: PLC0415 - as above

    return KeptUnits()


def _give_way() -> None:
    if more_is_waiting():
        raise SupersededError("a newer version is waiting")
