"""Numbers in the sentences of rules."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["figure", "joined", "percentage"]


def figure(value: float | None) -> str:
    """Return a number to three digits, in full from a thousand.

    >>> figure(4.0), figure(2.3456), figure(1024.0), figure(0.00123), figure(None)
    ('4', '2.35', '1,024', '0.00123', '?')
    """
    if value is None:
        return "?"
    return f"{value:,.0f}" if abs(value) >= 999.5 else f"{value:.3g}"


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
