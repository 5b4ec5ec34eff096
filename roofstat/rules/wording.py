"""Numbers in the sentences of rules."""

from __future__ import annotations

__all__ = ["percentage"]


def percentage(share: float) -> str:
    """Return a part of a whole to two digits.

    >>> percentage(0.9962), percentage(0.374), percentage(0.0031)
    ('100 %', '37 %', '0.31 %')
    """
    return f"{float(f'{100 * share:.2g}'):g} %"
