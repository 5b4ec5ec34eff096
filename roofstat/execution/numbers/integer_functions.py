"""Values of integer intrinsics on known operands; all operands have the type of the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Integers = NDArray[np.generic]

_WORD_BITS = 32
_WORD = (1 << _WORD_BITS) - 1


def _bits(x: Integers) -> tuple[int, list[int]]:
    """Width of the operand's type, and the values as unsigned numbers."""
    width = x.dtype.itemsize * 8
    return width, [int(value) & ((1 << width) - 1) for value in x.tolist()]


def _popcount(x: Integers) -> NDArray[np.int64]:
    return np.array([value.bit_count() for value in _bits(x)[1]], np.int64)


def _leading_zeros(x: Integers) -> NDArray[np.int64]:
    width, values = _bits(x)
    return np.array([width - value.bit_length() for value in values], np.int64)


def _find_first_set(x: Integers) -> NDArray[np.int64]:
    return np.array([(value & -value).bit_length() for value in _bits(x)[1]], np.int64)


def _reversed_bits(x: Integers) -> Integers:
    width, values = _bits(x)
    unsigned = np.array(
        [int(f"{value:0{width}b}"[::-1], 2) for value in values], np.dtype(f"u{width // 8}")
    )
    return unsigned.view(x.dtype)


def _high_product(a: Integers, b: Integers) -> Integers:
    width = a.dtype.itemsize * 8
    high = [(int(x) * int(y)) >> width for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    return np.array(high, a.dtype)


def _words(*operands: Integers) -> list[NDArray[np.uint64]]:
    """The words of operands, in 64 bits."""
    return [operand.astype(np.int64).astype(np.uint64) & np.uint64(_WORD) for operand in operands]


def _funnel_left(low: Integers, high: Integers, places: Integers) -> NDArray[np.uint64]:
    """`__funnelshift_l`: the upper word of both, shifted left by the lower five bits of `places`."""
    below, above, by = _words(low, high, places)
    by &= np.uint64(_WORD_BITS - 1)
    both = above << np.uint64(_WORD_BITS) | below
    return both << by >> np.uint64(_WORD_BITS)


def _funnel_right(low: Integers, high: Integers, places: Integers) -> NDArray[np.uint64]:
    """`__funnelshift_r`: the lower word of both, shifted right by the lower five bits of `places`."""
    below, above, by = _words(low, high, places)
    by &= np.uint64(_WORD_BITS - 1)
    return (above << np.uint64(_WORD_BITS) | below) >> by & np.uint64(_WORD)


def _byte_permutation(low: Integers, high: Integers, selector: Integers) -> NDArray[np.uint64]:
    """`__byte_perm`: four bytes of both words, each chosen by three bits of the selector."""
    below, above, chosen = _words(low, high, selector)
    both = above << np.uint64(_WORD_BITS) | below
    result = np.zeros_like(both)
    for place in range(4):
        byte = chosen >> np.uint64(4 * place) & np.uint64(7)
        result |= (both >> (byte * np.uint64(8)) & np.uint64(0xFF)) << np.uint64(8 * place)
    return result


def _dot_of_bytes(a: Integers, b: Integers, total: Integers) -> NDArray[np.int64]:
    """`__dp4a`: four products of bytes, signed or not as the first operand is."""
    byte = np.int8 if np.issubdtype(a.dtype, np.signedinteger) else np.uint8
    first, second = (
        np.ascontiguousarray(word.astype(np.uint32)).view(byte).reshape(len(word), 4)
        for word in _words(a, b)
    )
    products: NDArray[np.int64] = first.astype(np.int64) * second
    return total.astype(np.int64) + np.sum(products, axis=1, dtype=np.int64)


def _wide(x: Integers) -> NDArray[np.int64]:
    return x.astype(np.int64)


def _logic_of_three(a: Integers, b: Integers, c: Integers, table: Integers) -> NDArray[np.uint64]:
    """`lop3`: bit i of the result is the bit of the table that the i-th bits of a, b and c number."""
    words = _words(a, b, c)
    chosen = int(table.flat[0])
    result = np.zeros_like(words[0])
    for case in range(8):
        if chosen >> case & 1:
            bits = [
                word if case >> place & 1 else ~word
                for word, place in zip(words, (2, 1, 0), strict=True)
            ]
            result |= bits[0] & bits[1] & bits[2]
    return result & np.uint64(_WORD)


def _field(word: Integers, start: Integers, length: Integers) -> NDArray[np.int64]:
    """`bfe`: so many bits of a word, extended by the highest one where it is signed."""
    (bits,) = _words(word)
    low, count = (np.minimum(part.astype(np.int64) & 0xFF, _WORD_BITS) for part in (start, length))
    count = np.minimum(count, _WORD_BITS - low)
    field: NDArray[np.int64] = (bits.astype(np.int64) >> low) & ((np.int64(1) << count) - 1)
    if np.issubdtype(word.dtype, np.signedinteger):
        top = (np.int64(1) << np.maximum(count - 1, 0)) & field
        field = np.where(count > 0, field - 2 * top, 0)
    return field


def _inserted_field(
    field: Integers, word: Integers, start: Integers, length: Integers
) -> NDArray[np.int64]:
    """`bfi`: a word with so many of its bits replaced."""
    bits, target = (part.astype(np.int64) for part in _words(field, word))
    low, count = (np.minimum(part.astype(np.int64) & 0xFF, _WORD_BITS) for part in (start, length))
    mask = (((np.int64(1) << count) - 1) << low) & _WORD
    inserted: NDArray[np.int64] = (target & ~mask) | ((bits << low) & mask)
    return inserted


INTEGER_FUNCTIONS: dict[str, Callable[..., Integers]] = {
    "abs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
    "popc": _popcount,
    "clz": _leading_zeros,
    "ffs": _find_first_set,
    "brev": _reversed_bits,
    "mulhi": _high_product,
    "__mul24": np.multiply,
    "__umul24": np.multiply,
    "mul24": np.multiply,
    "umul24": np.multiply,
    "__funnelshift_l": _funnel_left,
    "__funnelshift_r": _funnel_right,
    "__byte_perm": _byte_permutation,
    "__dp4a": _dot_of_bytes,
    "ptx_lop3": _logic_of_three,
    "ptx_bfe": _field,
    "ptx_bfi": _inserted_field,
    "ptx_bfind": lambda x: np.int64(_WORD_BITS - 1) - _leading_zeros(x),
    "__sad": lambda x, y, z: np.abs(_wide(x) - _wide(y)) + _wide(z),
    "__hadd": lambda x, y: (_wide(x) + _wide(y)) >> 1,
    "__rhadd": lambda x, y: (_wide(x) + _wide(y) + 1) >> 1,
}
