"""Numbers and names as people read them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from roofstat.report.plain_text import plain
from roofstat.report.whole_numbers import without_noise

__all__ = [
    "bound",
    "count",
    "dim3",
    "duration",
    "factor",
    "intensity",
    "percent",
    "plain",
    "plural",
    "quantity",
    "ratio_to_ridge",
    "shorten",
    "shorten_path",
    "significant",
    "spread",
    "stride",
    "told_apart",
    "trimmed",
]

_PREFIXES = ("", "k", "M", "G", "T", "P", "E")
_SMALL = ("", "m", "µ", "n", "p")
UNKNOWN = "?"


def significant(value: float, digits: int = 3) -> str:
    """Return a number with so many significant digits and no exponent, where that is readable.

    >>> significant(0.16666), significant(1234.5), significant(9.996)
    ('0.167', '1,230', '10.0')
    """
    if not math.isfinite(value):
        return "∞" if value > 0 else UNKNOWN
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits - 1}e}")
    exponent = math.floor(math.log10(abs(rounded)))
    if exponent < -4 or exponent > 9:
        return f"{rounded:.{digits - 1}e}"
    return f"{rounded:,.{max(0, digits - 1 - exponent)}f}"


def trimmed(value: float) -> str:
    """Return three significant digits without trailing zeros.

    >>> trimmed(4.0), trimmed(4.25), trimmed(100.0)
    ('4', '4.25', '100')
    """
    text = significant(value)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def quantity(value: float | None, unit: str) -> str:
    """Return an amount with an SI prefix.

    >>> quantity(33554432, "FLOP"), quantity(None, "B"), quantity(2.039e12, "B/s"), quantity(12, "B")
    ('33.6 MFLOP', '? B', '2.04 TB/s', '12 B')
    """
    if value is None:
        return f"{UNKNOWN} {unit}"
    if value == 0 or not math.isfinite(value):
        return f"{significant(value)} {unit}"
    step = min(max(math.floor(math.log10(abs(value)) / 3), 0), len(_PREFIXES) - 1)
    if step + 1 < len(_PREFIXES) and abs(float(f"{value / 1000.0**step:.2e}")) >= 1000:
        step += 1
    scaled = value / 1000.0**step
    number = f"{scaled:.0f}" if step == 0 and scaled == int(scaled) else significant(scaled)
    return f"{number} {_PREFIXES[step]}{unit}"


def stride(distance_bytes: float | None) -> str:
    """Return the bytes between adjacent threads; whole numbers in full.

    >>> stride(32768), stride(-4.0), stride(2.5), stride(None)
    ('32,768 B', '-4 B', '2.5 B', 'irregular')
    """
    if distance_bytes is None:
        return "irregular"
    is_whole = distance_bytes == int(distance_bytes)
    return f"{int(distance_bytes):,} B" if is_whole else f"{trimmed(distance_bytes)} B"


def duration(seconds: float | None) -> str:
    """Return a time with an SI prefix.

    >>> duration(9.87e-5), duration(1.5), duration(None)
    ('98.7 µs', '1.50 s', '?')
    """
    if seconds is None:
        return UNKNOWN
    if seconds == 0 or not math.isfinite(seconds) or seconds >= 1:
        return f"{significant(seconds)} s"
    step = min(max(math.ceil(-math.log10(seconds) / 3), 0), len(_SMALL) - 1)
    if step and float(f"{seconds * 1000.0**step:.2e}") >= 1000:
        step -= 1
    return f"{significant(seconds * 1000.0**step)} {_SMALL[step]}s"


def count(value: float | None) -> str:
    """Return a count: whole numbers with separators up to a million, then with a prefix."""
    if value is None:
        return UNKNOWN
    value = without_noise(value)
    if value == int(value) and abs(value) < 1e6:
        return f"{int(value):,}"
    return significant(value) if abs(value) < 1e4 else quantity(value, "").strip()


def percent(share: float | None) -> str:
    """Return a share in percent; small ones keep a digit."""
    if share is None:
        return UNKNOWN
    value = 100 * share
    if 0 < value < 0.1:
        return "<0.1 %"
    return (
        f"{value:.1f} %"
        if 0 < value < 10 and abs(value - round(value)) > 0.05
        else f"{value:.0f} %"
    )


def intensity(value: float | None) -> str:
    """Return operations for each byte."""
    return UNKNOWN if value is None else significant(value)


def factor(value: float) -> str:
    """Return a multiple of at least 1, such as `19x`."""
    return f"{trimmed(float(f'{value:.2g}'))}×"


def bound(value: float) -> str:
    """Return an upper bound of a multiple, never rounded down.

    >>> bound(13.5), bound(1.2456), bound(108), bound(1.5), bound(0.0)
    ('14×', '1.3×', '110×', '1.5×', '0×')
    """
    if not value or not math.isfinite(value):
        return factor(value)
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    # What differs in the last bits only is no more than it says.
    return f"{trimmed(float(f'{math.ceil(value / step - 1e-9) * step:.2g}'))}×"


def ratio_to_ridge(ratio: float) -> str:
    """Return intensity over ridge as a multiple of the ridge, rounded down below it.

    >>> ratio_to_ridge(0.0529), ratio_to_ridge(0.9999), ratio_to_ridge(3.2), ratio_to_ridge(0)
    ('0.052×', '0.99×', '3.2×', '0')
    """
    if ratio == 0:
        return "0"
    if math.isinf(ratio):
        return "∞"
    if ratio >= 1:
        return factor(ratio)
    step = 10.0 ** (math.floor(math.log10(ratio)) - 1)
    return f"{significant(math.floor(ratio / step + 1e-9) * step, 2)}×"


def spread(weight: float) -> str:
    """Return the standard deviation of a logarithm as the factor it stands for."""
    return f"×/÷ {math.exp(weight):.2f}" if weight > 0 else "no effect"


def dim3(sizes: Sequence[int]) -> str:
    """Return grid or block sizes without trailing ones.

    >>> dim3((1024, 2, 1)), dim3((256, 1, 1))
    ('1,024×2', '256')
    """
    kept = list(sizes)
    while len(kept) > 1 and kept[-1] == 1:
        kept.pop()
    return "×".join(f"{size:,}" for size in kept)


def plural(number: float, noun: str) -> str:
    """Return a number with its noun in the right form."""
    return f"{count(number)} {noun}" + ("" if number == 1 else "s")


def shorten(text: str, width: int) -> str:
    """Return a name of at most `width` columns: first without template arguments, then cut in the middle.

    >>> shorten("reduce<float, cub::Sum<float>, 256>(const float *, float *, int)", 40)
    'reduce<…>(const float *, float *, int)'
    """
    clean = plain(text)
    if len(clean) <= width:
        return clean
    folded = _fold_templates(clean)
    if len(folded) <= width:
        return folded
    head = folded.partition("(")[0]
    if len(head) + 3 <= width:
        return f"{head}(…)"
    return _cut(folded, width)


def told_apart(names: Sequence[str], width: int) -> list[str]:
    """Return names of at most `width` columns; those that would look alike are cut in the middle instead.

    >>> told_apart(["softmax<float>", "softmax<double>", "copy<float>", "copy"], 12)
    ['softmax…oat>', 'softmax…ble>', 'copy<float>', 'copy']
    """
    short = [shorten(name, width) for name in names]
    long_names: dict[str, set[str]] = {}
    for name, text in zip(names, short, strict=True):
        long_names.setdefault(text, set()).add(name)
    return [
        _cut(plain(name), width) if len(long_names[text]) > 1 else text
        for name, text in zip(names, short, strict=True)
    ]


def _cut(text: str, width: int) -> str:
    """A text without its middle where it is longer."""
    if len(text) <= width or width < 5:
        return text[:width]
    left = (width - 1) * 2 // 3
    return f"{text[:left]}…{text[len(text) - (width - 1 - left) :]}"


def shorten_path(text: str, width: int) -> str:
    """Return a path of at most `width` columns; its end tells most.

    >>> shorten_path("benchmarks/saxpy/main.cu:12", 16)
    '…axpy/main.cu:12'
    """
    clean = plain(text)
    return clean if len(clean) <= width else f"…{clean[len(clean) - max(width - 1, 0) :]}"


def _fold_templates(text: str) -> str:
    kept: list[str] = []
    depth = 0
    for position, character in enumerate(text):
        if character == "<" and not text.endswith("operator", 0, position):
            depth += 1
            if depth == 1:
                kept.append("<…>")
        elif character == ">" and depth:
            depth -= 1
        elif not depth:
            kept.append(character)
    return "".join(kept)
