"""Which rows: a balanced sample for a costly predictor, and the split into training and validation.

Both depend on nothing but the rows' own names, so that they are the same on every machine and for every order of the tables.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from roofstat.evaluation.labels import LabelRow

__all__ = ["balanced_sample", "is_validation_family"]

_VALIDATION_OF: Final = 5
"""One family in so many is kept for validation."""


def is_validation_family(family: str) -> bool:
    """Whether a program family is kept out of fine-tuning and few-shot examples of the fine-tuned scenario.

    >>> sorted(name for name in ("a", "b", "c", "d", "e", "f", "g", "h") if is_validation_family(name))
    ['b', 'd', 'f']
    """
    return _digest(f"split:{family}") % _VALIDATION_OF == 0


def balanced_sample(rows: Sequence[LabelRow], size: int) -> tuple[LabelRow, ...]:
    """Return so many labelled rows, as many of each class and language as there are, and no family twice while others are left.

    Args:
        rows: Of which those count that carry a label.
        size: How many to take.
    """
    groups: dict[tuple[str, str], list[LabelRow]] = {}
    for row in rows:
        if row.label is not None:
            groups.setdefault((row.language.value, row.label.value), []).append(row)
    queues = [_spread(groups[name]) for name in sorted(groups)]
    chosen: set[tuple[str, ...]] = set()
    taken: list[LabelRow] = []
    while len(taken) < size and any(queues):
        for queue in queues:
            if queue and len(taken) < size:
                row = queue.pop(0)
                if row.key not in chosen:
                    chosen.add(row.key)
                    taken.append(row)
    kept = {id(row) for row in taken}
    return tuple(row for row in rows if id(row) in kept)


def _spread(rows: Iterable[LabelRow]) -> list[LabelRow]:
    """Rows in an order without meaning, the first of every family before the second of any."""
    seen: dict[str, int] = {}
    ranked = []
    for row in sorted(rows, key=lambda row: _digest("sample:" + "\0".join(row.key))):
        rank = seen[row.family] = seen.get(row.family, -1) + 1
        ranked.append((rank, row))
    return [row for _, row in sorted(ranked, key=lambda entry: entry[0])]


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
