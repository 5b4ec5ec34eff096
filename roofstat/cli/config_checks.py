"""Whether values of a configuration file make sense: said there, where the reader has to mend them."""

from __future__ import annotations

from collections.abc import Callable

from roofstat.cli.option_values import (
    jobs_of,
    macro_name_of,
    macro_of,
    probability_of,
    program_args_of,
    regular_expression,
    standard_of,
    timeout_s_of,
)
from roofstat.errors import RoofstatError, UsageError

__all__ = ["check_value"]


def check_value(option: str, key: str, value: object, file: str) -> None:
    """Look at the value of an option that only its command would look at otherwise.

    Args:
        option: Name of the option in the program.
        key: Its name in the file.
        value: What the file gives.
        file: The configuration file.

    Raises:
        UsageError: The value is none of the option's; the error names the file.
    """
    check = _CHECKS.get(option)
    if check is None:
        return
    try:
        for item in value if isinstance(value, list) else [value]:
            check(item)
    except RoofstatError as error:
        problem = error.problem if error.file is None else f"{error.file}: {error.problem}"
        raise UsageError(f"{key}: {problem}", file=file, remedy=error.remedy) from error


def _check_gpu(name: str) -> None:
    from roofstat.hardware import load_gpu

    load_gpu(name)


def _check_rules(words: str) -> None:
    from roofstat.rules.selection import rule_words

    rule_words(words)


def _check_failing(words: str) -> None:
    from roofstat.cli.checking import failing_rules

    failing_rules(words)


def _check_launch(text: str) -> None:
    from roofstat.analysis import parse_launch

    parse_launch(text)


def _check_set(text: str) -> None:
    from roofstat.analysis import parse_set

    parse_set(text)


def _check_kernel(pattern: str) -> None:
    regular_expression("--kernel", pattern)


_CHECKS: dict[str, Callable[..., object]] = {
    "args": program_args_of,
    "defines": macro_of,
    "fail_on": _check_failing,
    "gpu": _check_gpu,
    "ignore": _check_rules,
    "jobs": jobs_of,
    "kernel": _check_kernel,
    "launch": _check_launch,
    "min_confidence": probability_of,
    "select": _check_rules,
    "set": _check_set,
    "std": standard_of,
    "undefines": macro_name_of,
    "timeout": timeout_s_of,
}
