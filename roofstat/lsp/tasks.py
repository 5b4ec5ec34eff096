"""What the server's worker process does: analyse one document."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from roofstat.analysis import AnalysisOptions, ProgramResult
from roofstat.analysis.workers import more_is_waiting
from roofstat.errors import RoofstatError

__all__ = ["AnalyzeDocument", "CancelTask", "SupersededError", "Task", "perform"]


class SupersededError(RoofstatError):
    """The work was given up, since what it was about has changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyzeDocument:
    """Analyse a document, as `roofstat PATH` does.

    Attributes:
        path: Its file, which need not exist.
        options: How; None for those of the task before that had the same number.
        options_number: Tells options apart.
        unsaved: Texts of open documents by path.
    """

    path: Path
    options: AnalysisOptions | None
    options_number: int
    unsaved: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class CancelTask:
    """Give up the task before."""


Task = AnalyzeDocument | CancelTask

_options: dict[int, AnalysisOptions] = {}


def perform(task: Task) -> ProgramResult | None:
    """Carry a task out; the body of the worker process.

    Raises:
        SupersededError: A newer task is waiting.
    """
    if isinstance(task, CancelTask):
        return None
    if task.options is not None:
        _options[task.options_number] = task.options
    from roofstat.analysis.pipeline import analyze_program  # noqa: PLC0415 - the server itself needs no front end

    options = dataclasses.replace(_options[task.options_number], unsaved=task.unsaved)
    return analyze_program([task.path], options, _give_way)


def _give_way() -> None:
    if more_is_waiting():
        raise SupersededError("a newer version is waiting")
