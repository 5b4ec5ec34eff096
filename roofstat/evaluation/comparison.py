"""Two evaluations of the same rows: what a change did.

The old one is read from its JSON, so that results of earlier versions can be compared.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from clang_queries.quick_dataclass import dataclass
from roofstat.errors import UsageError, reason_of
from roofstat.evaluation.json_form import SCHEMA_NAME
from roofstat.evaluation.metrics import McNemar, mcnemar

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

_MOVED_SHARE: Final = 0.10
"""A count moved where new over old differs from 1 by more than this."""

_REMEDY: Final = "give a file that `roofstat eval --format json` wrote"
_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictChange:
    """A row whose verdict, or whose rightness, changed. A verdict is None where there was no prediction."""

    row: str
    label: str | None
    old: str | None
    new: str | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CountChange:
    """A predicted quantity that moved, as predicted over measured (or predicted alone for a measured zero)."""

    row: str
    quantity: str
    old_ratio: float | None
    new_ratio: float | None

    @property
    def gain(self) -> float:
        """Decrease of the absolute log error: above 0 is an improvement. Infinite errors count as e^10."""
        return _log_error(self.old_ratio) - _log_error(self.new_ratio)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What changed between two evaluations, over the rows that both hold.

    Attributes:
        shared: Rows in both; `only_old` and `only_new` are in one.
        left_out: Rows of the old one that the new one was not asked for; not among `only_old`.
        changed: Unlabelled rows, or rows that are wrong either way, whose verdict changed.
        test: McNemar's test over labelled shared rows.
    """

    shared: int
    only_old: int
    left_out: int
    only_new: int
    fixed: tuple[VerdictChange, ...]
    broken: tuple[VerdictChange, ...]
    changed: tuple[VerdictChange, ...]
    closer: tuple[CountChange, ...]
    farther: tuple[CountChange, ...]
    test: McNemar


def read_result(file: Path) -> dict[str, Any]:
    """Read a stored result.

    Raises:
        UsageError: It cannot be read or is no evaluation result.
    """
    try:
        data = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise UsageError(
            f"cannot read it: {reason_of(error)}",
            file=str(file),
            remedy=_REMEDY,
        ) from error
    except ValueError as error:
        raise UsageError(
            f"it is not JSON: {error}",
            file=str(file),
            remedy=_REMEDY,
        ) from error
    if not isinstance(data, dict) or data.get("schema") != SCHEMA_NAME:
        raise UsageError(
            f"it is not a {SCHEMA_NAME} result",
            file=str(file),
            remedy=_REMEDY,
        )
    return data


def compare(
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    left_out: Collection[tuple[str, ...]] = frozenset(),
) -> Comparison:
    """Compare two results in JSON form.

    Args:
        old: The earlier result.
        new: The later one.
        left_out: Keys of rows that the later one was not asked for.
    """
    before, after = _by_key(old["per_row"]), _by_key(new["per_row"])
    shared = [key for key in after if key in before]
    unasked = sum(key not in after and key[:-1] in left_out for key in before)
    fixed: list[VerdictChange] = []
    broken: list[VerdictChange] = []
    changed: list[VerdictChange] = []
    moved: list[CountChange] = []
    for key in shared:
        first, second = before[key], after[key]
        if bool(first["right"]) != bool(second["right"]):
            (fixed if second["right"] else broken).append(_verdict_change(first, second))
        elif first["verdict"] != second["verdict"]:
            changed.append(_verdict_change(first, second))
        moved.extend(_count_changes(first, second))
    closer = [change for change in moved if change.gain > 0]
    farther = [change for change in moved if change.gain < 0]
    return Comparison(
        shared=len(shared),
        only_old=len(before) - len(shared) - unasked,
        left_out=unasked,
        only_new=len(after) - len(shared),
        fixed=tuple(fixed),
        broken=tuple(broken),
        changed=tuple(changed),
        closer=tuple(sorted(closer, key=lambda change: -change.gain)),
        farther=tuple(sorted(farther, key=lambda change: change.gain)),
        test=mcnemar(len(fixed), len(broken)),
    )


def _by_key(rows: Iterable[Mapping[str, Any]]) -> dict[_Key, Mapping[str, Any]]:
    """Rows by key; equal keys are told apart by their order."""
    found: dict[_Key, Mapping[str, Any]] = {}
    seen: Counter[_Key] = Counter()
    for row in rows:
        key = tuple(row["key"])
        found[*key, str(seen[key])] = row
        seen[key] += 1
    return found


def _row_name(row: Mapping[str, Any]) -> str:
    """Short name of a row for readers."""
    return f"{row['program']} {shorten(kernel_name(row))} on {row['gpu'] or 'no card'}"


def kernel_name(row: Mapping[str, Any]) -> str:
    """The kernel's name, or `function:line` for OpenMP."""
    return str(row["kernel"] or f"{row['function']}:{row['directive_line']}")


def shorten(text: str, limit: int = 60) -> str:
    """The start of a long name."""
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def _verdict_change(first: Mapping[str, Any], second: Mapping[str, Any]) -> VerdictChange:
    return VerdictChange(
        row=_row_name(second),
        label=second["label"],
        old=first["verdict"],
        new=second["verdict"],
        reason=second["reason"] or first["reason"],
    )


def _count_changes(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterable[CountChange]:
    for quantity, measured in second["measured"].items():
        old, new = first["predicted"].get(quantity), second["predicted"].get(quantity)
        if old == new or not measured:
            continue
        if old and new and abs(new / old - 1) <= _MOVED_SHARE:
            continue
        yield CountChange(
            row=_row_name(second),
            quantity=quantity,
            old_ratio=None if old is None else old / measured,
            new_ratio=None if new is None else new / measured,
        )


_LARGEST_LOG_ERROR: Final = 10.0


def _log_error(ratio: float | None) -> float:
    if not ratio:
        return _LARGEST_LOG_ERROR
    return min(abs(math.log(ratio)), _LARGEST_LOG_ERROR)
