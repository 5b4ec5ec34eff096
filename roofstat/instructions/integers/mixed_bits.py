"""64-bit integers that come out of a hash or a generator, whose high word is anything but zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.graph.folding import ROTATION
from roofstat.instructions.graph.values import Pseudo
from roofstat.instructions.integers.widths import WIDE, WORD_BITS
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.instructions.graph.values import Value

_KEEPING = frozenset({Op.ADD, Op.SUB, Op.OR, Op.XOR, Op.MUL, Op.CAST, Op.SELECT})
_CARRIED = frozenset({Pseudo.PHI, Pseudo.JOIN, Pseudo.EXIT})
_SHIFTS = frozenset({Op.SHL, Op.SHR})


def is_mixed(value: Value) -> bool:
    """Whether the bits of a 64-bit integer were spread over both of its words on purpose.

    So do products with a constant of more than one word, and a value that meets its own shift in XOR.
    """
    seen: set[int] = set()
    pending = [value]
    while pending:
        item = pending.pop()
        if item.number in seen or item.scalar not in WIDE:
            continue
        seen.add(item.number)
        if _mixes(item):
            return True
        pending.extend(_sources(item))
    return False


def is_product_of_data(value: Value) -> bool:
    """Whether a 64-bit number is a product, or a sum with one, of which data from memory or another remainder is a factor.

    Whoever multiplies such numbers in 64 bits expects more than a word holds; places of arrays are made of indices.
    """
    terms = [value]
    if value.op in {Op.ADD, Op.SUB}:
        terms = value.args
    products = [term for term in terms if term.op is Op.MUL and term.scalar in WIDE]
    return any(_is_data(factor) for product in products for factor in product.args)


def _is_data(value: Value) -> bool:
    """Whether a number comes from memory or is a remainder, as it is, widened, or in turn with others."""
    seen: set[int] = set()
    pending = [value]
    while pending:
        item = pending.pop()
        if item.number in seen:
            continue
        seen.add(item.number)
        if item.op is Op.LOAD or (item.op is Op.REM and not item.args[1].is_constant):
            return True
        if item.op in _CARRIED or item.op in {Op.CAST, Op.SELECT}:
            pending.extend(item.args)
    return False


def _mixes(value: Value) -> bool:
    if value.op is Op.MUL:
        return any(_is_wide_constant(arg) for arg in value.args)
    if value.op is Op.XOR:
        first, second = value.args
        return _is_moved(first, second) or _is_moved(second, first)
    return value.op is Op.MATH and value.detail == ROTATION


def _is_wide_constant(value: Value) -> bool:
    constant = value.constant
    return isinstance(constant, int) and abs(constant) >> WORD_BITS > 0


def _is_moved(value: Value, original: Value) -> bool:
    return value.op in _SHIFTS and value.args[0] is original


def _sources(value: Value) -> list[Value]:
    """Operands whose high words reach that of the value."""
    if value.op in _KEEPING or value.op in _CARRIED:
        return value.args
    if value.op is Op.SHL:
        return value.args[:1]
    if value.op is Op.SHR:
        amount = value.args[1].constant
        return value.args[:1] if isinstance(amount, int) and amount < WORD_BITS else []
    if value.op is Op.AND:
        return value.args if any(_is_wide_constant(arg) for arg in value.args) else []
    return []
