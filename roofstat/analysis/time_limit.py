"""The time that a program may take: what is done before it runs out is kept."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from roofstat.execution.run_ends import Deadline
from roofstat.report import AnalysisError, ErrorKind

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["TimeLimit"]

_LAUNCHES_SHARE = 0.7
"""Of the time, after which no further launch is run: the models of those that ran take the rest."""
_HURRY_SHARE = 0.2
"""Of the time: so long before then launches begin to hurry."""
_CUT_SHARE = 0.05
"""The same for launches that are cut off, so that others are run at least for a moment."""
_REPORTS_SHARE = 0.9
"""Of the time, after which no further launch is reported, so that the worker ends before it is ended."""
_GRACE_SHARE = 0.05
"""Of the time: so long after they should have ended by themselves launches and reports are interrupted."""


class TimeLimit:
    """Tells when to stop; begins with its making.

    Attributes:
        deadline: Until when launches may be run to their end.
    """

    def __init__(self, seconds: float | None) -> None:
        self._seconds = math.inf if seconds is None else seconds
        self._begin = self._now = time.monotonic()
        self._launches_share = _LAUNCHES_SHARE
        self._left_out: set[str] = set()
        self._reported: set[str] = set()
        self.deadline = Deadline()
        self._set_deadline()

    def begin_reports(self) -> None:
        """From now on launches are reported as soon as they are run: no time is kept for their models."""
        self._launches_share = _REPORTS_SHARE
        self._set_deadline()

    def may_run(self, kernel: str) -> bool:
        """Whether there is time to run a launch; the kernel is noted where there is none."""
        if kernel not in self._left_out and self._is_within(self._launches_share):
            return True
        return self._leave_out(kernel)

    @property
    def launches_rest_s(self) -> float:
        """Seconds from the last look at the clock until launches, and the host code around them, are interrupted."""
        return self._rest_s(self._launches_share)

    def report_rest_s(self, *, is_last: bool) -> float:
        """The same for the report of one launch, which leaves as much to those behind it as it takes."""
        rest = self._rest_s(_REPORTS_SHARE)
        return rest if is_last else rest / 2

    def may_report(self, kernel: str) -> bool:
        """Whether there is time to make the report of a launch; the kernel is noted where there is none."""
        return self._is_within(_REPORTS_SHARE) or self._leave_out(kernel)

    def _set_deadline(self) -> None:
        share = self._launches_share
        self.deadline.hurry = self._begin + (share - _HURRY_SHARE) * self._seconds
        self.deadline.end = self._begin + (share - _CUT_SHARE) * self._seconds

    def note_report(self, kernel: str, *, is_interrupted: bool) -> None:
        """The report of a launch is made, or was interrupted."""
        (self._left_out if is_interrupted else self._reported).add(kernel)

    def _is_within(self, share: float) -> bool:
        self._now = time.monotonic()
        return self._now - self._begin <= share * self._seconds

    def _rest_s(self, share: float) -> float:
        return self._begin + (share + _GRACE_SHARE) * self._seconds - self._now

    def _leave_out(self, kernel: str) -> bool:
        self._left_out.add(kernel)
        return False

    def errors(self, files: Iterable[Path]) -> list[AnalysisError]:
        """What is said where something was left out."""
        if not self._left_out:
            return []
        lost = len(self._left_out - self._reported)
        what = f"{lost} kernel{'s have' if lost > 1 else ' has'} no result"
        return [
            AnalysisError(
                kind=ErrorKind.TIMEOUT,
                file=str(next(iter(files))),
                line=None,
                message=f"the time of {self._seconds:g} s is too short: "
                f"{what if lost else 'launches of the kernels are missing'}",
                remedy="raise --timeout, or narrow the work with --kernel",
            )
        ]
