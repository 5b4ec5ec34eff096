"""Bytes that clang loads four at a time, and what it takes to get one of them out of the word.

It has PTX load four registers of 16 bits. What converts or compares such a register has its byte extended first, sign and
all, and cleared above; sums and products of integers take their byte by a permutation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.graph.details import LoadDetail
from roofstat.program.code import Op
from roofstat.program.comparisons import COMPARISONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofstat.instructions.graph.values import Value

_BYTES = frozenset({Scalar.I8, Scalar.U8})
_IN_WORD = 4


def vector_bytes(live: Sequence[Value]) -> dict[int, int]:
    """Place in its word of each byte of a vector all of whose bytes are used, by value number."""
    words: dict[tuple[int, int, int], dict[int, Value]] = {}
    for value in live:
        detail = value.detail
        if value.op is Op.LOAD and value.scalar in _BYTES and isinstance(detail, LoadDetail):
            group, member = detail.access.group, detail.access.offset_bytes
            if group is not None:
                key = (group, value.args[0].number, detail.offset_bytes - member)
                words.setdefault(key, {})[member] = value
    return {
        value.number: member - min(members)
        for members in words.values()
        if len(members) == _IN_WORD
        for member, value in members.items()
    }


def extraction(cast: Value, place: int, uses: Sequence[Value]) -> float:
    """Integer operations that take a byte out of its word for a conversion (sm_86, clang 18.1.6 with ptxas 12.6).

    Args:
        cast: The conversion of the byte.
        place: Of the byte in its word.
        uses: Of the conversion.
    """
    shifted = 1.0 if place else 0.0
    becomes_float = cast.scalar.is_float or all(_becomes_float(use) for use in uses)
    if cast.args[0].scalar.is_signed:
        return 0.0 if becomes_float else shifted + 1.0
    is_short = becomes_float or all(use.op in COMPARISONS or _becomes_float(use) for use in uses)
    return shifted + 2.0 if is_short else 0.0


def _becomes_float(use: Value) -> bool:
    return use.op is Op.CAST and use.scalar.is_float
