"""Floating-point instructions and conversions of the emulated machine."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from sass_integer import combine, split_predicates
from sass_machine import PREDICATE, Machine
from sass_values import (
    NARROW,
    Narrow,
    bits_of,
    double_of,
    float_of,
    flushed,
    fused,
    fused_single,
    half_bits,
    half_of,
    immediate_float,
    signed,
    special_function,
    word_of,
)

Handler = Callable[[Machine, Sequence[str], Sequence[str]], None]
_ROUNDINGS = ("RZ", "RM", "RP")


def _rounding(mods: Sequence[str]) -> str:
    return next((mode for mode in _ROUNDINGS if mode in mods), "")


def _finish(machine: Machine, mods: Sequence[str], destination: str, word: int) -> None:
    """Saturate, flush and write a single-precision result."""
    if "SAT" in mods or "FTZ" in mods:
        value = float_of(word)
        if "SAT" in mods:
            value = min(max(value, 0.0), 1.0) if not math.isnan(value) else 0.0
        if "FTZ" in mods:
            value = flushed(value)
        word = word_of(value)
    machine.write(destination, word)


def fused_multiply_add(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """FFMA, FMUL, FADD through one fused operation."""
    flush = "FTZ" in mods
    a, b, c = (machine.single(s, flush=flush) for s in operands[1:4])
    _finish(machine, mods, operands[0], fused_single(a, b, c, _rounding(mods)))


def multiply(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """FMUL."""
    a, b = (machine.single(s, flush="FTZ" in mods) for s in operands[1:3])
    if not math.isfinite(a) or not math.isfinite(b):
        _finish(machine, mods, operands[0], word_of(a * b))
    else:
        _finish(machine, mods, operands[0], fused_single(a, b, -0.0, _rounding(mods)))


def addition(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """FADD."""
    a, b = (machine.single(s, flush="FTZ" in mods) for s in operands[1:3])
    _finish(machine, mods, operands[0], fused_single(a, 1.0, b, _rounding(mods)))


def double_fused(machine: Machine, _mods: Sequence[str], operands: Sequence[str]) -> None:
    """DFMA; directed rounding only matters on slow paths and is taken as nearest."""
    a, b, c = (machine.double(s) for s in operands[1:4])
    machine.write_long(operands[0], bits_of(fused(a, b, c)))


def double_multiply(machine: Machine, _mods: Sequence[str], operands: Sequence[str]) -> None:
    """DMUL."""
    a, b = (machine.double(s) for s in operands[1:3])
    machine.write_long(operands[0], bits_of(a * b))


def double_add(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """DADD."""
    sources = [s for s in operands[1:] if s != "RZ"] or ["RZ"]
    a = machine.double(sources[0])
    b = machine.double(sources[1]) if len(sources) > 1 else 0.0
    total = a + b
    if "RZ" in mods and math.isfinite(total):
        error = b - (total - a)
        if error and (error > 0) != (total > 0):
            total = math.nextafter(total, 0.0)
    machine.write_long(operands[0], bits_of(total))


_ORDERED: dict[str, Callable[[float, float], bool]] = {
    "LT": lambda a, b: a < b,
    "LE": lambda a, b: a <= b,
    "GT": lambda a, b: a > b,
    "GE": lambda a, b: a >= b,
    "EQ": lambda a, b: a == b,
    "NE": lambda a, b: a < b or a > b,
}


def _compare(kind: str, a: float, b: float) -> bool:
    unordered = math.isnan(a) or math.isnan(b)
    if kind == "NAN":
        return unordered
    if kind == "NUM":
        return not unordered
    if kind == "MIN":
        return a < b or math.isnan(b)
    if kind == "MAX":
        return a > b or math.isnan(b)
    if kind in _ORDERED:
        return _ORDERED[kind](a, b)
    return unordered or _ORDERED[kind[:-1]](a, b)


def _set_predicates(
    machine: Machine, mods: Sequence[str], operands: Sequence[str], a: float, b: float
) -> None:
    first, second, joined = operands[0], operands[1], operands[4]
    result = _compare(mods[0], a, b)
    complement = not result
    if mods[0] in ("MIN", "MAX"):
        complement = math.isnan(a) or math.isnan(b)
    machine.set_predicate(first, combine(machine, mods, result, joined))
    machine.set_predicate(second, combine(machine, mods, complement, joined))


def compare_single(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """FSETP."""
    flush = "FTZ" in mods
    a, b = machine.single(operands[2], flush=flush), machine.single(operands[3], flush=flush)
    _set_predicates(machine, mods, operands, a, b)


def compare_double(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """DSETP."""
    _set_predicates(
        machine, mods, operands, machine.double(operands[2]), machine.double(operands[3])
    )


def check_division(machine: Machine, _mods: Sequence[str], operands: Sequence[str]) -> None:
    """FCHK: true where a division needs the slow path.

    The bounds are those that an H100 shows for powers of two: a zero numerator, a divisor outside
    2**-126 to 2**125, a numerator below 2**-102, a quotient outside 2**-125 to 2**126.
    """
    a, b = machine.single(operands[1]), machine.single(operands[2])
    regular = math.isfinite(a) and math.isfinite(b) and a != 0 and b != 0
    if regular:
        top, bottom = math.frexp(a)[1], math.frexp(b)[1]
        regular = -125 < bottom < 126 and top >= -101 and -125 < top - bottom <= 126
    machine.set_predicate(operands[0], not regular)


def minimum_maximum(machine: Machine, _mods: Sequence[str], operands: Sequence[str]) -> None:
    """FMNMX."""
    a, b = machine.single(operands[1]), machine.single(operands[2])
    pick = min if machine.predicate(operands[-1]) else max
    values = [v for v in (a, b) if not math.isnan(v)]
    machine.write(operands[0], word_of(pick(values) if values else math.nan))


def select(machine: Machine, _mods: Sequence[str], operands: Sequence[str]) -> None:
    """FSEL."""
    chosen = operands[1] if machine.predicate(operands[3]) else operands[2]
    if chosen[0] in "RUc":
        machine.write(operands[0], machine.integer(chosen))
    else:
        machine.write(operands[0], word_of(machine.single(chosen)))


def special(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """MUFU."""
    destination, source = operands[0], operands[1]
    if mods[0] in ("RCP64H", "RSQ64H"):
        immediate = source[0] not in "RUc-|"
        value = machine.double(source) if immediate else double_of(machine.integer(source) << 32)
        result = special_function(mods[0][:3], value)
        machine.write(destination, bits_of(result) >> 32)
        return
    if "F16" in mods:
        low, _ = machine.halves(source, brain=False)
        machine.write(destination, half_bits(special_function(mods[0], low), brain=False))
        return
    value = machine.single(source)
    # The unit flushes denormal inputs and outputs, except SQRT on the newest generations.
    machine.write(destination, word_of(flushed(special_function(mods[0], flushed(value)))))


def _sized(mods: Sequence[str], letter: str, default: str) -> str:
    found = [m for m in mods if m in (f"{letter}64", f"{letter}32", f"{letter}16", f"{letter}8")]
    return found[0] if found else default


def to_integer(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """F2I."""
    destination, source = operands[0], operands[1]
    value = _source_float(machine, mods, source)
    unsigned = _sized(mods, "U", "")
    kind = unsigned or _sized(mods, "S", "S32")
    bits = int(kind[1:])
    low, high = (0, (1 << bits) - 1) if unsigned else (-(1 << bits - 1), (1 << bits - 1) - 1)
    if math.isnan(value):
        result = 0
    elif math.isinf(value):
        result = high if value > 0 else low
    else:
        result = min(max(_rounded(mods, value), low), high)
    if bits == 64:
        machine.write_long(destination, result)
    else:
        machine.write(destination, result)


def _rounded(mods: Sequence[str], value: float) -> int:
    if "TRUNC" in mods:
        return math.trunc(value)
    if "FLOOR" in mods:
        return math.floor(value)
    if "CEIL" in mods:
        return math.ceil(value)
    return round(value)


def _source_float(machine: Machine, mods: Sequence[str], source: str) -> float:
    if "F64" in mods:
        return machine.double(source)
    if "F16" in mods or "BF16" in mods:
        return machine.halves(source, brain="BF16" in mods)[0]
    return machine.single(source)


def from_integer(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """I2F and I2FP."""
    destination, source = operands[0], operands[1]
    unsigned = _sized(mods, "U", "")
    bits = int((unsigned or _sized(mods, "S", "S32"))[1:])
    name, _, part = source.partition(".")
    raw = machine.long(name) if bits == 64 else machine.integer(name)
    if part.startswith("B"):
        raw >>= 8 * int(part[1])
    elif part == "H1":
        raw >>= 16
    value = raw & ((1 << bits) - 1) if unsigned else signed(raw, bits)
    if "F64" in mods:
        machine.write_long(destination, bits_of(float(value)))
    elif "F16" in mods or "BF16" in mods:
        machine.write(destination, half_bits(float(value), brain="BF16" in mods))
    else:
        machine.write(destination, _single_of_integer(value, _rounding(mods)))


def _single_of_integer(value: int, mode: str) -> int:
    excess = max(abs(value).bit_length() - 24, 0)
    if not excess or not mode:
        return word_of(float(value))
    step = 1 << excess
    towards_zero = mode == "RZ"
    down = value // step if not towards_zero else int(math.copysign(abs(value) // step, value))
    whole = -(-value // step) if mode == "RP" else down
    return word_of(float(whole * step))


def between_floats(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """F2F: destination type first, then source type."""
    kinds = [m for m in mods if m in ("F64", "F32", "F16", "BF16")]
    target, origin = kinds[0], kinds[1]
    value = _source_float(machine, [origin], operands[1])
    if target == "F64":
        machine.write_long(operands[0], bits_of(value))
    elif target == "F32":
        machine.write(operands[0], word_of(value, _rounding(mods)))
    else:
        machine.write(operands[0], half_bits(value, brain=target == "BF16"))


def pack_halves(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """F2FP: two singles into one word of halves (first source on top), or from and to pairs of eight bits."""
    narrow = next((NARROW[mod] for mod in mods if mod in NARROW), None)
    if narrow is not None:
        _pack_bytes(machine, mods, operands, narrow)
        return
    high, low = machine.single(operands[1]), machine.single(operands[2])
    machine.write_halves(operands[0], low, high, brain="BF16" in mods)


def _pack_bytes(
    machine: Machine, mods: Sequence[str], operands: Sequence[str], narrow: Narrow
) -> None:
    """Two bytes to halves, or two numbers to bytes below the lower half of the last operand."""
    if "MERGE_C" not in mods[-1]:
        word = machine.integer(operands[1])
        machine.write_halves(
            operands[0], narrow.value(word & 0xFF), narrow.value(word >> 8 & 0xFF), brain=False
        )
        return
    if "F16" in mods:
        low, high = machine.halves(operands[1], brain=False)
    else:
        high, low = machine.single(operands[1]), machine.single(operands[2])
    above = machine.integer(operands[-1]) & 0xFFFF
    machine.write(operands[0], above << 16 | narrow.bits(high) << 8 | narrow.bits(low))


def round_float(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """FRND."""
    value = _source_float(machine, mods, operands[1])
    whole = float(_rounded(mods, value)) if math.isfinite(value) else value
    if "F64" in mods:
        machine.write_long(operands[0], bits_of(whole))
    elif "F16" in mods or "BF16" in mods:
        machine.write(operands[0], half_bits(whole, brain="BF16" in mods))
    else:
        machine.write(operands[0], word_of(whole))


def _half_sources(
    machine: Machine, mods: Sequence[str], sources: Sequence[str]
) -> list[tuple[float, float]]:
    """Packed sources; an immediate is printed as two numbers, upper half first."""
    brain = "BF16_V2" in mods or "BF16" in mods
    values: list[tuple[float, float]] = []
    pending: float | None = None
    for text in sources:
        if PREDICATE.match(text):
            continue
        bare = text.lstrip("-|")
        if bare[0] in "RUc":
            values.append(machine.halves(text, brain=brain))
            continue
        number = half_of(half_bits(immediate_float(text), brain=brain), brain=brain)
        if pending is None:
            pending = number
        else:
            values.append((number, pending))
            pending = None
    return values


def _half_result(
    machine: Machine, mods: Sequence[str], destination: str, low: float, high: float
) -> None:
    if "F32" in mods:
        machine.write(destination, word_of(low))
    else:
        machine.write_halves(destination, low, high, brain="BF16_V2" in mods or "BF16" in mods)


def half_add(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """HADD2."""
    a, b = _half_sources(machine, mods, operands[1:])[:2]
    _half_result(machine, mods, operands[0], a[0] + b[0], a[1] + b[1])


def half_multiply(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """HMUL2."""
    a, b = _half_sources(machine, mods, operands[1:])[:2]
    _half_result(machine, mods, operands[0], a[0] * b[0], a[1] * b[1])


def half_fused(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """HFMA2."""
    a, b, c = _half_sources(machine, mods, operands[1:])[:3]
    _half_result(machine, mods, operands[0], a[0] * b[0] + c[0], a[1] * b[1] + c[1])


def half_minimum_maximum(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """HMNMX2."""
    a, b = _half_sources(machine, mods, operands[1:])[:2]
    pick = min if machine.predicate(operands[-1]) else max
    _half_result(machine, mods, operands[0], pick(a[0], b[0]), pick(a[1], b[1]))


def half_compare(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """HSETP2 (both halves into two predicates)."""
    kind = next(m for m in mods if m not in ("BF16_V2", "FTZ"))
    a, b = _half_sources(machine, mods, operands[2:])[:2]
    machine.set_predicate(operands[0], _compare(kind, a[0], b[0]))
    machine.set_predicate(operands[1], _compare(kind, a[1], b[1]))


def half_set(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """HSET2: 1.0 or 0 in each half with BF, else all bits or none."""
    kind = next(m for m in mods if m in _ORDERED or m[:-1] in _ORDERED)
    _destination, _written, sources, _read = split_predicates(operands)
    a, b = _half_sources(machine, mods, sources)[:2]
    low, high = _compare(kind, a[0], b[0]), _compare(kind, a[1], b[1])
    if "BF" in mods:
        machine.write_halves(operands[0], float(low), float(high), brain="BF16_V2" in mods)
    else:
        machine.write(operands[0], 0xFFFF * low | 0xFFFF0000 * high)


HANDLERS: dict[str, Handler] = {
    "FFMA": fused_multiply_add,
    "FMUL": multiply,
    "FADD": addition,
    "DFMA": double_fused,
    "DMUL": double_multiply,
    "DADD": double_add,
    "FSETP": compare_single,
    "DSETP": compare_double,
    "FCHK": check_division,
    "FMNMX": minimum_maximum,
    "FSEL": select,
    "MUFU": special,
    "F2I": to_integer,
    "I2F": from_integer,
    "I2FP": from_integer,
    "F2F": between_floats,
    "F2FP": pack_halves,
    "FRND": round_float,
    "HADD2": half_add,
    "HMUL2": half_multiply,
    "HFMA2": half_fused,
    "HMNMX2": half_minimum_maximum,
    "HSETP2": half_compare,
    "HSET2": half_set,
}
