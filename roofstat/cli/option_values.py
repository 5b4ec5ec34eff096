"""Values that options of several commands have in common."""

from __future__ import annotations

import os
import re
import shlex

from roofstat.errors import UsageError

__all__ = ["jobs_of", "program_args_of", "regular_expression", "timeout_s_of"]


def jobs_of(number: int | None) -> int:
    """Return the worker processes of `-j`; by default all cores that this process may use.

    Raises:
        UsageError: There would be none.
    """
    if number is None:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    if number < 1:
        raise UsageError(
            f"-j {number}: at least one worker is needed", remedy="leave -j out to use all cores"
        )
    return number


def timeout_s_of(seconds: float) -> float | None:
    """Return the limit of `--timeout`; None for none.

    Raises:
        UsageError: It is negative, or no number.
    """
    if not seconds >= 0:
        raise UsageError(
            f"--timeout {seconds:g} makes no sense", remedy="give seconds, or 0 for no limit"
        )
    return seconds or None


def program_args_of(text: str) -> tuple[str, ...]:
    """Return the arguments of a program as a shell would take them from `--args`.

    Raises:
        UsageError: A quotation is not closed.
    """
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(
            f"--args {text!r}: {error}".lower(), remedy="close the quotation"
        ) from error


def regular_expression(option: str, text: str) -> re.Pattern[str]:
    """Return the pattern that an option gives.

    Raises:
        UsageError: It is no regular expression.
    """
    try:
        return re.compile(text)
    except re.error as error:
        raise UsageError(
            f"{option} {text!r} is no regular expression: {error}",
            remedy="escape characters such as ( and *",
        ) from error
