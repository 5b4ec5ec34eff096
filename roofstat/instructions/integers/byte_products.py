"""Sums of products of bytes, four of which nvcc 13.0 puts into one instruction (IDP.4A, sm_86 and sm_90).

The bytes are put together by PRMT or lie in one word that is loaded; constants are packed into one. Read off SASS of 16 own
kernels: rows of eight signed and unsigned bytes, in known and unknown number, weights of colours, windows. Products by powers of
two are shifts by then, and stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.instructions.integers.widths import WORDS
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roofstat.instructions.graph.values import Value

__all__ = ["ByteProducts", "byte_products"]

_PER_INSTRUCTION = 4
_BYTES = frozenset({Scalar.I8, Scalar.U8})
_SMALLEST, _LARGEST = -128, 255


@dataclass(frozen=True, slots=True)
class ByteProducts:
    """What becomes of sums of such products."""

    absorbed: frozenset[int]
    """Products, and additions that are none any more."""
    sums: frozenset[int]
    """Additions that are left: instructions for four products, or of what else is in the sum."""


def byte_products(live: Sequence[Value], users: Mapping[int, list[Value]]) -> ByteProducts:
    """Find sums of two and more products of bytes.

    Args:
        live: Live values in order of creation.
        users: Live users by value number.
    """
    absorbed: set[int] = set()
    sums: set[int] = set()
    inner: set[int] = set()
    for root in reversed(live):
        if root.number in inner or not _is_sum(root):
            continue
        additions = [root]
        products: list[Value] = []
        others = 0
        for addition in additions:
            for arg in addition.args:
                is_single = len(users.get(arg.number, ())) == 1
                if is_single and _is_sum(arg) and arg.context.loop is root.context.loop:
                    additions.append(arg)
                elif is_single and _is_product_of_bytes(arg):
                    products.append(arg)
                else:
                    others += 1
        inner.update(addition.number for addition in additions)
        kept = -(-len(products) // _PER_INSTRUCTION) + max(others - 1, 0)
        if len(products) > 1 and kept <= len(additions):
            ordered = sorted(addition.number for addition in additions)
            absorbed.update(ordered[: len(ordered) - kept])
            absorbed.update(product.number for product in products)
            sums.update(ordered[len(ordered) - kept :])
    return ByteProducts(frozenset(absorbed), frozenset(sums))


def _is_sum(value: Value) -> bool:
    return value.op is Op.ADD and value.scalar in WORDS


def _is_product_of_bytes(value: Value) -> bool:
    return value.op is Op.MUL and value.scalar in WORDS and all(map(_is_byte, value.args))


def _is_byte(value: Value) -> bool:
    if value.is_constant:
        number = int(value.constant or 0)
        return _SMALLEST <= number <= _LARGEST and number & (number - 1) != 0
    while value.op is Op.CAST and value.scalar in WORDS and value.detail in WORDS:
        value = value.args[0]
    return value.op is Op.CAST and value.scalar in WORDS and value.detail in _BYTES
