"""Number formats of the emulated machine: 32-bit words and the floats that they encode."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

WORD = 0xFFFFFFFF
LONG = 0xFFFFFFFFFFFFFFFF
_SMALLEST_NORMAL = 2.0**-126
_LARGEST_SINGLE = (2 - 2.0**-23) * 2.0**127


def signed(value: int, bits: int = 32) -> int:
    """Two's complement reading of the low `bits`."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def float_of(word: int) -> float:
    """Single-precision value of a word."""
    return float(struct.unpack("<f", struct.pack("<I", word & WORD))[0])


def word_of(value: float, mode: str = "") -> int:
    """Nearest single-precision encoding, or rounded towards `RZ`, `RM` (down), `RP` (up)."""
    if math.isnan(value):
        return 0x7FFFFFFF
    if math.isinf(value):
        return 0x7F800000 if value > 0 else 0xFF800000
    try:
        word = int(struct.unpack("<I", struct.pack("<f", value))[0])
    except OverflowError:
        word = 0x7F800000 if value > 0 else 0xFF800000
    if mode:
        word = _adjust(word, float_of(word), value, mode)
    return word


def _adjust(word: int, rounded: float, exact: float | Fraction, mode: str) -> int:
    """Step one unit in the last place where nearest rounding went the wrong way."""
    down = mode == "RM" or (mode == "RZ" and exact > 0)
    up = mode == "RP" or (mode == "RZ" and exact < 0)
    if down and rounded > exact:
        return word - 1 if rounded > 0 else word + 1
    if up and rounded < exact:
        return word + 1 if rounded >= 0 else word - 1
    return word


def flushed(value: float) -> float:
    """Zero for a single-precision denormal."""
    return math.copysign(0.0, value) if abs(value) < _SMALLEST_NORMAL else value


def double_of(bits: int) -> float:
    """Double-precision value of 64 bits."""
    return float(struct.unpack("<d", struct.pack("<Q", bits & LONG))[0])


def bits_of(value: float) -> int:
    """Encoding of a double."""
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


def fused(a: float, b: float, c: float) -> float:
    """`a * b + c` in double precision with one rounding."""
    if not all(map(math.isfinite, (a, b, c))):
        try:
            return a * b + c
        except OverflowError:
            return math.inf
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c
    try:
        return float(exact)
    except OverflowError:
        return math.copysign(math.inf, exact)


def fused_single(a: float, b: float, c: float, mode: str) -> int:
    """Word of `a * b + c` in single precision."""
    if not mode or not all(map(math.isfinite, (a, b, c))):
        return word_of(fused(a, b, c))
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0 or abs(exact) > _LARGEST_SINGLE:
        return word_of(a * b + c)
    nearest = word_of(float(exact))
    return _adjust(nearest, float_of(nearest), exact, mode)


def half_of(bits: int, *, brain: bool) -> float:
    """Value of 16 bits, as IEEE half or as bfloat16."""
    if brain:
        return float_of((bits & 0xFFFF) << 16)
    return float(struct.unpack("<e", struct.pack("<H", bits & 0xFFFF))[0])


def half_bits(value: float, *, brain: bool) -> int:
    """Nearest 16-bit encoding."""
    if brain:
        word = word_of(value)
        return (
            ((word + 0x7FFF + (word >> 16 & 1)) >> 16) & 0xFFFF
            if math.isfinite(value)
            else (word >> 16)
        )
    try:
        return int(struct.unpack("<H", struct.pack("<e", value))[0])
    except OverflowError:
        return 0x7C00 if value > 0 else 0xFC00


@dataclass(frozen=True, slots=True)
class Narrow:
    """A format of eight bits, its infinities apart: conversions to it saturate.

    Attributes:
        mantissa_bits: of the fraction; the exponent has what is left beside the sign.
        largest: the largest finite number, which conversions saturate to.
    """

    mantissa_bits: int
    largest: float

    @property
    def bias(self) -> int:
        """Of the exponent."""
        return (1 << 6 - self.mantissa_bits) - 1

    def value(self, byte: int) -> float:
        """Of eight bits; NaN where all bits of exponent and fraction are set."""
        magnitude, sign = byte & 0x7F, -1.0 if byte & 0x80 else 1.0
        if magnitude == 0x7F:
            return math.nan
        exponent, fraction = (
            magnitude >> self.mantissa_bits,
            magnitude & ((1 << self.mantissa_bits) - 1),
        )
        unit = 2.0 ** (max(exponent, 1) - self.bias - self.mantissa_bits)
        return sign * unit * (fraction + ((1 << self.mantissa_bits) if exponent else 0))

    def bits(self, value: float) -> int:
        """Nearest encoding, ties to even, too large ones at the end of the range."""
        sign = 0x80 if math.copysign(1.0, value) < 0 else 0
        if math.isnan(value):
            return 0x7F
        magnitude = min(abs(value), self.largest)
        if not magnitude:
            return sign
        exponent = max(math.frexp(magnitude)[1] - 1, 1 - self.bias)
        # Rounding up to the next power of two carries into the exponent by itself.
        whole = round(magnitude / 2.0 ** (exponent - self.mantissa_bits))
        return sign | whole + ((exponent + self.bias - 1) << self.mantissa_bits)


NARROW: Final = {"E4M3": Narrow(3, 448.0), "E5M2": Narrow(2, 57344.0)}


def immediate_float(text: str) -> float:
    """Value of a floating immediate as the disassembler prints it."""
    special = {"+INF": math.inf, "INF": math.inf, "-INF": -math.inf}
    if text in special:
        return special[text]
    if "QNAN" in text or "SNAN" in text:
        return math.nan
    return float(int(text, 16)) if text.lower().lstrip("+-").startswith("0x") else float(text)


def special_function(name: str, value: float) -> float:
    """What the special function unit computes, without its error."""
    if math.isnan(value):
        return math.nan
    if name == "RCP":
        return math.copysign(math.inf, value) if value == 0 else 1 / value
    if name in ("RSQ", "SQRT"):
        if value < 0:
            return math.nan
        if name == "SQRT":
            return math.sqrt(value)
        return math.inf if value == 0 else 1 / math.sqrt(value)
    if name == "EX2":
        return float(2.0 ** min(max(value, -200.0), 200.0))
    if name == "LG2":
        if value <= 0:
            return -math.inf if value == 0 else math.nan
        return math.inf if math.isinf(value) else math.log2(value)
    if name == "TANH":
        return math.tanh(value)
    if math.isinf(value):
        return math.nan
    return math.sin(2 * math.pi * value) if name == "SIN" else math.cos(2 * math.pi * value)
