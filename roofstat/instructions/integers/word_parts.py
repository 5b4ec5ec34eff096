"""Words of 64-bit logic and shifts that the compilers compute, by the bits that its uses ask for.

`(z ^ (z >> 31)) >> 40` asks for no bit that `z >> 31` has, so that both are gone; `(x ^ y) >> 33` asks for the upper words. Clang shifts the
parts of `((x >> 18) ^ x) >> 27` before it puts them together: the upper one is a word, as is what they make. (SASS of
clang 18.1.6 and nvcc 13.0, sm_86 and sm_90.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.integers.widths import WIDE, WORD_BITS
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roofstat.instructions.graph.values import Value

_LOGIC = frozenset({Op.AND, Op.OR, Op.XOR})
_BITS = 2 * WORD_BITS


def word_parts(
    live: Sequence[Value],
    users: Mapping[int, list[Value]],
    low_words: frozenset[int],
    *,
    shifts_parts: bool,
) -> dict[int, float]:
    """Operations of 64-bit logic and shifts to the right of which less than both words are computed, by number.

    Args:
        live: values in order of creation, so that uses come later.
        users: live users by value number.
        low_words: numbers of the values of which the low word alone is needed.
        shifts_parts: whether the compiler shifts operands of logic instead of its result.
    """
    lowest: dict[int, int] = {}
    found: dict[int, float] = {}
    for value in reversed(live):
        if value.scalar not in WIDE or not (value.op in _LOGIC or _moved(value) or _is_same(value)):
            continue
        uses = users.get(value.number, ())
        asked = min((_asked(use, lowest) for use in uses), default=0)
        lowest[value.number] = asked
        if _is_zero(value, asked) or any(_is_zero(arg, asked) for arg in value.args):
            if value.op is not Op.AND and value.op is not Op.CAST:
                found[value.number] = 0.0
        elif asked >= WORD_BITS and value.op is not Op.CAST:
            found[value.number] = 1.0
        elif (
            shifts_parts and value.op in _LOGIC and _is_shifted_apart(value, uses, users, low_words)
        ):
            found |= {part.number: 1.0 for part in (value, *filter(_moved, value.args))}
    return found


def _asked(use: Value, lowest: Mapping[int, int]) -> int:
    """The lowest bit that a use asks of a value."""
    if use.scalar not in WIDE:
        return 0
    beyond = lowest.get(use.number, 0)
    if use.op in _LOGIC or _is_same(use):
        return beyond
    return beyond + _moved(use)


def _moved(value: Value) -> int:
    """By how many bits a value is shifted to the right without a sign; 0 for all else."""
    if value.op is not Op.SHR or value.scalar.is_signed or value.scalar not in WIDE:
        return 0
    amount = value.args[1]
    return int(amount.constant or 0) if amount.is_constant else 0


def _is_same(value: Value) -> bool:
    return value.op is Op.CAST and value.detail in WIDE


def _is_zero(value: Value, asked: int) -> bool:
    """Whether a value has no bit from the one that is asked for on."""
    return asked > 0 and asked + _moved(value) >= _BITS


def _is_shifted_apart(
    value: Value,
    uses: Sequence[Value],
    users: Mapping[int, list[Value]],
    low_words: frozenset[int],
) -> bool:
    """Whether logic on a number that is shifted is shifted itself, and a word is left of that part."""
    if len(uses) != 1 or not _moved(uses[0]):
        return False
    shifted = [arg for arg in value.args if _moved(arg) and len(users.get(arg.number, ())) == 1]
    if len(shifted) != 1:
        return False
    places = _moved(shifted[0]) + _moved(uses[0])
    return places < _BITS and (places >= WORD_BITS or uses[0].number in low_words)
