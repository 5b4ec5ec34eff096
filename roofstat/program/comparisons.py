"""Comparisons: what they say of two numbers, and what they are called when they are negated or read from the right."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Final

from roofstat.program.code import Op

COMPARE: Final[dict[Op, Callable[[float, float], bool]]] = {
    Op.LT: operator.lt,
    Op.LE: operator.le,
    Op.GT: operator.gt,
    Op.GE: operator.ge,
    Op.EQ: operator.eq,
    Op.NE: operator.ne,
}
COMPARISONS: Final = frozenset(COMPARE)
ORDERS: Final = frozenset({Op.LT, Op.LE, Op.GT, Op.GE})
"""Comparisons that tell which of two numbers is the larger."""

NEGATED: Final = {
    Op.LT: Op.GE,
    Op.GE: Op.LT,
    Op.GT: Op.LE,
    Op.LE: Op.GT,
    Op.EQ: Op.NE,
    Op.NE: Op.EQ,
}
"""Comparison -> the one that holds where it does not, NaN apart."""
MIRRORED: Final = {
    Op.LT: Op.GT,
    Op.GT: Op.LT,
    Op.LE: Op.GE,
    Op.GE: Op.LE,
    Op.EQ: Op.EQ,
    Op.NE: Op.NE,
}
"""Comparison -> the same of exchanged operands."""
