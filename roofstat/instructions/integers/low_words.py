"""64-bit integers of which one word matters: the compilers compute no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.graph.memory_state import RootKind, root_of
from roofstat.instructions.graph.values import Pseudo
from roofstat.instructions.integers.widths import WIDE, WORD_BITS, is_extended
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roofstat.instructions.graph.values import Value

_LOW_FROM_LOW = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.AND, Op.OR, Op.XOR, Op.NEG, Op.BIT_NOT})


def low_words(live: Sequence[Value], users: Mapping[int, list[Value]]) -> frozenset[int]:
    """Numbers of the 64-bit integers of which all uses need the low word alone.

    Args:
        live: values in order of creation, so that uses come later; what a loop carries is needed whole.
        users: live users by value number.
    """
    found: set[int] = set()
    for value in reversed(live):
        if value.scalar not in WIDE or value.op in _CARRIED:
            continue
        uses = users.get(value.number)
        if uses and all(_takes_low(use, value, found) for use in uses):
            found.add(value.number)
    return frozenset(found)


_CARRIED = frozenset({Pseudo.PHI, Pseudo.JOIN, Pseudo.EXIT})


def _takes_low(use: Value, value: Value, found: set[int]) -> bool:
    op = use.op
    if op is Op.CAST:
        target = use.scalar
        if target.is_float or target is Scalar.BOOL:
            return False
        return target not in WIDE or use.number in found
    if op is Pseudo.ADDRESS:
        return value is use.args[1] and root_of(use.args[0]).kind is RootKind.SLOT
    if op is Op.AND and any(fits_word(arg) for arg in use.args):
        return True
    if op is Op.SHL:
        return value is use.args[1] or use.number in found
    return op in _LOW_FROM_LOW and use.number in found


def fits_word(value: Value) -> bool:
    """Whether the high word of a 64-bit integer is known to be zero."""
    if value.is_constant or value.op is Op.CAST:
        return is_extended(value, signed=False)
    match value.op:
        case Op.AND:
            return any(fits_word(arg) for arg in value.args)
        case Op.OR | Op.XOR:
            return all(fits_word(arg) for arg in value.args)
        case Op.SHR:
            amount = value.args[1]
            moved = int(amount.constant or 0) if amount.is_constant else 0
            return not value.scalar.is_signed and moved >= WORD_BITS
        case _:
            return False


def is_word_product(product: Value) -> bool:
    """Whether a 64-bit product is one multiplication of words.

    Both factors are words extended in the same way: zeros are seen anywhere, but the sign of a word that an earlier basic block
    extended is a number like any other.
    """
    if all(fits_word(factor) for factor in product.args):
        return True
    return all(
        is_extended(factor, signed=True) and is_beside(factor, product) for factor in product.args
    )


def is_beside(value: Value, user: Value) -> bool:
    """Whether two values are computed in one basic block."""
    if value.is_constant:
        return True
    return value.segment == user.segment and (value.segment > 0 or value.context is user.context)
