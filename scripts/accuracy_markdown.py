"""Numbers and tables of the pages on accuracy as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Figures = Mapping[str, Any]


def limits(bounds: Sequence[float | None]) -> str:
    """Return a range in words."""
    low, high = bounds
    if high is None:
        return f"at least {low}"
    return f"at most {high}" if low is None else f"{low} to {high}"


def percent(share: float | None, digits: int = 0) -> str:
    """Return a share as text."""
    return "" if share is None else f"{100 * share:.{digits}f} %"


def interval(bounds: Sequence[float] | None) -> str:
    """Return an interval of shares as text."""
    return "" if bounds is None else " to ".join(f"{100 * bound:.1f}" for bound in bounds)


def number(value: float | None, digits: int = 2) -> str:
    """Return a ratio as text."""
    return "" if value is None else f"{value:.{digits}f}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a Markdown table and an empty line."""
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""
