"""Numbers in the sentences of rules."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["joined", "percentage"]


def joined(parts: Sequence[str]) -> str:
    """Return an enumeration.

    >>> joined(["0.9"]), joined(["0.9", "0.1", ".5"])
    ('0.9', '0.9, 0.1 and .5')
    """
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def percentage(share: float) -> str:
    """Return a part of a whole to two digits.

    >>> percentage(0.9962), percentage(0.374), percentage(0.0031)
    ('100 %', '37 %', '0.31 %')
    """
    return f"{float(f'{100 * share:.2g}'):g} %"
