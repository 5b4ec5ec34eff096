"""Errors that a user or a caller can act on.

    RoofstatError
      UsageError          a wrong option, argument or path; the command ends with status 2
      HardwareError       an unknown GPU, or a GPU file that does not say what it must
      SourceError         a source file that cannot be read or understood
      LabelError          a label table that does not say what it must
      ProfileError        a profiler, or what it exported, gave no measurement
      LlmError            a language model, or its server, gave no answer that can be used
      AnalysisFailure     the analysis of one input failed
        AnalysisTimeout   it took longer than allowed
        WorkerCrash       its process ended by a signal or an exit

Every error carries its parts, so that a renderer, an editor and a JSON report show the same facts.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

__all__ = [
    "AnalysisFailure",
    "AnalysisTimeout",
    "HardwareError",
    "LabelError",
    "LlmError",
    "LlmFailure",
    "ProfileError",
    "RoofstatError",
    "SourceError",
    "UsageError",
    "WorkerCrash",
    "reason_of",
]


def reason_of(error: OSError | ValueError) -> str:
    """Return why the system could not do something, in lower case as the words of all messages are.

    >>> reason_of(FileNotFoundError(2, "No such file or directory")), reason_of(ValueError("Embedded null byte"))
    ('no such file or directory', 'embedded null byte')
    """
    text = error.strerror if isinstance(error, OSError) else None
    return (text or str(error)).lower()


class RoofstatError(Exception):
    """Base of all errors of this package.

    Attributes:
        problem: What is wrong, in one line without a full stop.
        file: The file concerned, as the user wrote it; None where there is none.
        line: 1-based line in `file`; None where unknown.
        remedy: What to do about it, in one line; None where there is nothing to say.
    """

    def __init__(
        self,
        problem: str,
        *,
        file: str | None = None,
        line: int | None = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.file = file
        self.line = line
        self.remedy = remedy

    def __str__(self) -> str:
        """One line: `file:line: problem; remedy`."""
        place = self.file or ""
        if place and self.line is not None:
            place = f"{place}:{self.line}"
        text = f"{place}: {self.problem}" if place else self.problem
        return f"{text}; {self.remedy}" if self.remedy else text

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep every part when the error crosses a process boundary."""
        return (_rebuild, (type(self), self.problem, dict(self.__dict__)))


class UsageError(RoofstatError):
    """A wrong option, argument or path."""


class HardwareError(RoofstatError):
    """An unknown GPU, or a GPU file with a missing or wrong entry."""


class SourceError(RoofstatError):
    """A source file that cannot be read or understood."""


class LabelError(RoofstatError):
    """A label table that cannot be read or lacks a column."""


class ProfileError(RoofstatError):
    """A profiler, the program under it, or a file that it exported gave no measurement."""


class LlmFailure(Enum):
    """Why there is no answer. Values are the words of the log and of reports."""

    KEY = "key"
    """The server refused the key, or there is none."""
    BUSY = "busy"
    """Too many requests, or a used-up quota."""
    SERVER = "server"
    CONNECTION = "connection"
    TIMEOUT = "timeout"
    REQUEST = "request"
    """The server does not take the request: an unknown model, a prompt that is too long."""
    REFUSAL = "refusal"
    TRUNCATED = "truncated"
    MALFORMED = "malformed"
    """The answer is not what was asked for."""
    ABSENT = "absent"
    """Nothing was asked: a replay without a logged answer, a spent budget, a run that stopped before."""


class LlmError(RoofstatError):
    """A language model, or its server, gave no answer that can be used.

    Attributes:
        kind: What kind of failure it is.
    """

    def __init__(self, kind: LlmFailure, problem: str, *, remedy: str | None = None) -> None:
        super().__init__(problem, remedy=remedy)
        self.kind = kind


class AnalysisFailure(RoofstatError):  # noqa: N818 - the record of it in a report is an AnalysisError
    """The analysis of one input failed; other inputs are unaffected.

    Attributes:
        detail: Further lines for a bug report; empty where there are none.
    """

    detail: str = ""


class AnalysisTimeout(AnalysisFailure):
    """The analysis of one input took longer than allowed.

    Attributes:
        seconds: The limit that it ran into.
    """

    def __init__(self, seconds: float, *, file: str | None = None) -> None:
        super().__init__(
            f"gave up after {seconds:g} s",
            file=file,
            remedy="raise --timeout, or narrow the work with --kernel",
        )
        self.seconds = seconds


class WorkerCrash(AnalysisFailure):
    """The process that analysed one input ended without an answer.

    Attributes:
        signal: Name of the signal that ended it, such as `SIGSEGV`; None for a plain exit.
        exit_code: Exit status of the process, negative for a signal.
    """

    def __init__(
        self, *, signal: str | None, exit_code: int, file: str | None = None, detail: str = ""
    ) -> None:
        how = f"by {signal}" if signal else f"with exit status {exit_code}"
        super().__init__(
            f"the analysis process ended {how}",
            file=file,
            remedy="the other files are unaffected; please report it with the file",
        )
        self.signal = signal
        self.exit_code = exit_code
        self.detail = detail


def _rebuild(kind: type[RoofstatError], problem: str, state: dict[str, Any]) -> RoofstatError:
    error = kind.__new__(kind)
    Exception.__init__(error, problem)
    error.__dict__.update(state)
    return error
