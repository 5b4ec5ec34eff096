"""Products of 64 bits that are an index: the address takes them in.

LLVM makes one constant of a factor and the size of an element, so that `x[((size_t)y * w + k) * 3]` scales its index once: in
LEA and LEA.HI.X where that is a power of two, else in a multiply-add, the product with the high word, and their sum. A product
that is an index of bytes (`x + (size_t)y * pitch`) is a multiply-add with the pointer. Read off SASS of nvcc 13.0, sm_90.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.addressing.address_shapes import AddressShape
from roofstat.instructions.graph.memory_state import RootKind, root_of
from roofstat.instructions.graph.values import Pseudo
from roofstat.instructions.integers.low_words import is_beside
from roofstat.instructions.integers.widths import WIDE, is_word
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofstat.instructions.graph.values import Value

_PRODUCTS = frozenset({Op.MUL, Op.SHL})


def takes_product(address: Value, index: Value, uses: Sequence[Value]) -> bool:
    """Whether an address takes in the product that its index is: one of bytes any, others a constant multiple.

    Args:
        address: An ADDRESS.
        index: Its index.
        uses: What takes the index; all of them are addresses then.
    """
    shape = address.detail
    if not isinstance(shape, AddressShape) or index.op not in _PRODUCTS or index.scalar not in WIDE:
        return False
    is_special = shape.is_chained or shape.is_shared or shape.is_truncated or index.is_uniform
    if is_special or root_of(address).kind is RootKind.SLOT:
        return False
    if not all(use.op is Pseudo.ADDRESS and is_beside(index, use) for use in uses):
        return False
    if shape.scale_bytes == 1:
        return index.op is Op.MUL and len(uses) == 1
    return index.args[1].is_constant and not is_word(index.args[0])
