"""What comparisons are called when they are negated or read from the right."""

from __future__ import annotations

from typing import Final

from roofstat.program.code import Op

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
