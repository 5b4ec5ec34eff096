"""Both words of a product: `__umulhi(a, b)` and `a * b` are one multiplication (IMAD.WIDE) to the assembler.

Not where the low word goes into a sum, or the high one: IMAD and IMAD.HI take an addend each. Read off SASS of nvcc 13.0 and clang 18.1.6
(sm_86, sm_90): seven own kernels, signed and unsigned, by constants and by words, in straight code and in loops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.integers.widths import WORDS
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from roofstat.instructions.graph.values import Value

__all__ = ["low_words_of_products"]

_CHAINED = frozenset({"ptx_addc"})
_WORD_MASK = (1 << 32) - 1

_Factors = tuple[int, frozenset[tuple[bool, int]]]


def low_words_of_products(
    live: Iterable[Value], users: Mapping[int, list[Value]], absorbed: Collection[int]
) -> frozenset[int]:
    """Return the products whose high word is computed in the same place, by value number.

    Args:
        live: Live values.
        users: What uses them.
        absorbed: Those that are part of another instruction.
    """
    high: set[_Factors] = set()
    low: dict[int, _Factors] = {}
    for value in live:
        if value.scalar not in WORDS or value.number in absorbed:
            continue
        if value.op is Op.MATH and value.detail == "mulhi":
            high.add(_factors(value))
        elif value.op is Op.MUL and not any(map(_adds, users.get(value.number, ()))):
            low[value.number] = _factors(value)
    return frozenset(number for number, factors in low.items() if factors in high)


def _adds(use: Value) -> bool:
    """Whether a value is a sum, or one of a chain with carries."""
    is_chained = use.op is Op.MATH and str(use.detail) in _CHAINED
    return use.op in {Op.ADD, Op.SUB} or is_chained


def _factors(value: Value) -> _Factors:
    """Where a product is computed, and of what."""
    factors = (
        (True, int(arg.constant) & _WORD_MASK)
        if arg.is_constant and arg.constant is not None
        else (False, arg.number)
        for arg in value.args
    )
    return id(value.context), frozenset(factors)
