"""Values that options of several commands have in common."""

from __future__ import annotations

import difflib
import os
import re
import shlex

from clang_queries.quick_pattern import pattern
from roofstat.errors import UsageError

__all__ = [
    "jobs_of",
    "macro_name_of",
    "macro_of",
    "probability_of",
    "program_args_of",
    "regular_expression",
    "standard_of",
    "timeout_s_of",
]

_MACRO = pattern(r"[A-Za-z_]\w*(?:\([\w\s,.]*\))?(?:=.*)?", re.DOTALL)
_C_STANDARDS = ("89", "90", "99", "9x", "11", "1x", "17", "18", "2x", "23")
_CPP_STANDARDS = (
    "98",
    "03",
    "11",
    "0x",
    "14",
    "1y",
    "17",
    "1z",
    "20",
    "2a",
    "23",
    "2b",
    "26",
    "2c",
)
_STANDARDS = frozenset(
    f"{family}{year}"
    for families, years in (
        (("c", "gnu"), _C_STANDARDS),
        (("c++", "gnu++"), _CPP_STANDARDS),
    )
    for family in families
    for year in years
)


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


def macro_of(text: str) -> str:
    """Return the macro that `-D` gives.

    Raises:
        UsageError: It is none.
    """
    if not _MACRO.fullmatch(text):
        raise UsageError(
            f"-D {text!r} is not NAME or NAME=VALUE", remedy="write, for example, -DN=4096"
        )
    return text


def macro_name_of(text: str) -> str:
    """Return the macro that `-U` leaves without a definition.

    Raises:
        UsageError: It is no name.
    """
    if not text.isidentifier():
        raise UsageError(f"-U {text!r} is no name of a macro", remedy="write, for example, -UDEBUG")
    return text


def standard_of(text: str | None) -> str | None:
    """Return the language standard of `-std`; None for the compiler's own.

    Raises:
        UsageError: There is none of that name.
    """
    if text is not None and text not in _STANDARDS:
        near = difflib.get_close_matches(text, sorted(_STANDARDS), n=1, cutoff=0.7)
        raise UsageError(
            f"-std={text} is no language standard",
            remedy=f"did you mean -std={near[0]}?" if near else "write, for example, -std=c++17",
        )
    return text


def probability_of(text: str) -> float:
    """Return what `--min-confidence` gives, as a share or in percent.

    Raises:
        UsageError: It is no probability.
    """
    number = text.strip().removesuffix("%")
    try:
        value = float(number) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise UsageError(
            f"--min-confidence {text!r} is not from 0 to 1", remedy="write, for example, 0.8"
        )
    return value
