"""Integer and logic instructions of the emulated machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sass_machine import PREDICATE, Machine
from sass_values import LONG, WORD, signed

Handler = Callable[[Machine, Sequence[str], Sequence[str]], None]


def split_predicates(
    operands: Sequence[str],
) -> tuple[str, list[str], list[str], list[str]]:
    """Destination, predicates written, sources, predicates read."""
    destination, rest = operands[0], list(operands[1:])
    written: list[str] = []
    while rest and PREDICATE.match(rest[0]) and not rest[0].startswith("!"):
        written.append(rest.pop(0))
    sources: list[str] = []
    while rest and not PREDICATE.match(rest[0]):
        sources.append(rest.pop(0))
    return destination, written, sources, rest


def _carry(machine: Machine, written: Sequence[str], amount: int) -> None:
    for i, name in enumerate(written):
        machine.set_predicate(name, amount > i)


def add(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """IADD3, IADD, VIADD, with carries; `.64` on register pairs."""
    destination, written, sources, read = split_predicates(operands)
    if "64" in mods:
        machine.write_long(destination, sum(machine.long(s) for s in sources) & LONG)
        return
    total = sum(machine.integer(s) for s in sources)
    if "X" in mods:
        total += sum(machine.predicate(p) for p in read if p != "!PT")
    _carry(machine, written, total >> 32)
    machine.write(destination, total)


def multiply_add(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """IMAD in every form."""
    destination, written, sources, read = split_predicates(operands)
    a, b = machine.integer(sources[0]), machine.integer(sources[1])
    carry = sum(machine.predicate(p) for p in read) if "X" in mods else 0
    if "WIDE" in mods or "HI" in mods:
        unsigned = "U32" in mods
        product = (a & WORD) * (b & WORD) if unsigned else signed(a) * signed(b)
        total = product + machine.long(sources[2]) + carry
        if "HI" in mods:
            machine.write(destination, total >> 32)
        else:
            _carry(machine, written, total >> 64)
            machine.write_long(destination, total & LONG)
        return
    total = a * b + machine.integer(sources[2]) + carry
    _carry(machine, written, total >> 32)
    machine.write(destination, total)


def shift_add(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """LEA in every form."""
    destination, written, sources, read = split_predicates(operands)
    a, b = machine.integer(sources[0]), machine.integer(sources[1])
    carry = sum(machine.predicate(p) for p in read) if "X" in mods else 0
    shift = machine.integer(sources[-1])
    if "HI" in mods:
        high = 0 if "SX32" in mods else machine.integer(sources[2]) << 32
        wide = signed(a) & LONG if "SX32" in mods else (a & WORD) | high
        total = ((wide << shift) >> 32 & WORD) + b + carry
    else:
        total = (a << shift & WORD) + b + carry
    _carry(machine, written, total >> 32)
    machine.write(destination, total)


def funnel_shift(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """SHF: shift of the pair (third, first operand) by the second."""
    destination, low, amount, high = operands[:4]
    pair = (machine.integer(low) & WORD) | (machine.integer(high) & WORD) << 32
    limit = 64 if {"U64", "S64"} & set(mods) else 32
    shift = machine.integer(amount) & WORD
    shift = shift % limit if "W" in mods else min(shift, limit)
    if "L" in mods:
        result = pair << shift
    elif {"S32", "S64"} & set(mods):
        result = signed(pair, 64) >> shift
    else:
        result = pair >> shift
    machine.write(destination, result >> 32 if "HI" in mods else result)


def _lookup(table: int, a: int, b: int, c: int, mask: int) -> int:
    result = 0
    for row in range(8):
        if table >> row & 1:
            result |= (
                (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c) & mask
            )
    return result


def logic(machine: Machine, _mods: Sequence[str], operands: Sequence[str]) -> None:
    """LOP3.LUT."""
    rest = list(operands)
    predicate = rest.pop(0) if PREDICATE.match(rest[0]) else None
    destination = rest.pop(0)
    a, b, c = (machine.integer(s) & WORD for s in rest[:3])
    result = _lookup(int(rest[3], 16), a, b, c, WORD)
    machine.write(destination, result)
    if predicate:
        machine.set_predicate(predicate, result != 0)


def predicate_logic(machine: Machine, _mods: Sequence[str], operands: Sequence[str]) -> None:
    """PLOP3.LUT."""
    first, second, a, b, c, table1, table2 = operands
    bits = [int(machine.predicate(p)) for p in (a, b, c)]
    row = bits[0] << 2 | bits[1] << 1 | bits[2]
    machine.set_predicate(first, bool(int(table1, 16) >> row & 1))
    machine.set_predicate(second, bool(int(table2, 16) >> row & 1))


_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "LT": lambda a, b: a < b,
    "LE": lambda a, b: a <= b,
    "GT": lambda a, b: a > b,
    "GE": lambda a, b: a >= b,
    "EQ": lambda a, b: a == b,
    "NE": lambda a, b: a != b,
}


def combine(machine: Machine, mods: Sequence[str], result: bool, operand: str) -> bool:
    """A comparison joined with a predicate by AND, OR or XOR."""
    other = machine.predicate(operand)
    if "OR" in mods:
        return result or other
    if "XOR" in mods:
        return result != other
    return result and other


def compare(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """ISETP with extension of a lower word's comparison."""
    first, second, left, right, joined = operands[:5]
    kind = mods[0]
    if {"S64", "U64"} & set(mods):
        a, b = machine.long(left), machine.long(right)
        bits = 64
    else:
        a, b = machine.integer(left) & WORD, machine.integer(right) & WORD
        bits = 32
    if not {"U32", "U64"} & set(mods):
        a, b = signed(a, bits), signed(b, bits)
    if "EX" in mods:
        lower = machine.predicate(operands[5])
        if kind == "NE":
            result = a != b or lower
        elif kind == "EQ":
            result = a == b and lower
        else:
            strict = {"GE": "GT", "LE": "LT"}.get(kind, kind)
            result = _COMPARISONS[strict](a, b) or (a == b and lower)
    else:
        result = _COMPARISONS[kind](a, b)
    machine.set_predicate(first, combine(machine, mods, result, joined))
    machine.set_predicate(second, combine(machine, mods, not result, joined))


def minimum_maximum(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """IMNMX, VIMNMX: minimum where the predicate holds. Two-word forms on pairs."""
    if PREDICATE.match(operands[0]):
        # The two-word form prints its predicate results first.
        operands = list(operands)[2:]
    destination, _written, sources, read = split_predicates(operands)
    wide = bool({"S64", "U64"} & set(mods))
    bits = 64 if wide else 32
    values = [machine.long(s) if wide else machine.integer(s) & WORD for s in sources]
    if not {"U32", "U64"} & set(mods):
        values = [signed(v, bits) for v in values]
    if not wide and _packed(mods):
        rows = zip(*(_parts(machine.integer(s), mods) for s in sources), strict=True)
        choose = min if machine.predicate(read[-1]) else max
        machine.write(destination, _joined([choose(row) for row in rows], mods))
        return
    chosen = min(values) if machine.predicate(read[0 if wide else -1]) else max(values)
    (machine.write_long if wide else machine.write)(destination, chosen & (LONG if wide else WORD))


def add_minimum_maximum(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """VIADDMNMX: minimum or maximum of a sum and a third operand."""
    destination, _written, sources, read = split_predicates(operands)
    a, b, c = (_parts(machine.integer(source), mods) for source in sources)
    totals = [_part(x + y, mods) for x, y in zip(a, b, strict=True)]
    choose = min if machine.predicate(read[-1]) else max
    machine.write(
        destination, _joined([choose(x, y) for x, y in zip(totals, c, strict=True)], mods)
    )


def minimum_maximum_of_three(
    machine: Machine, mods: Sequence[str], operands: Sequence[str]
) -> None:
    """VIMNMX3."""
    destination, _written, sources, read = split_predicates(operands)
    parts = [_parts(machine.integer(source), mods) for source in sources]
    choose = min if machine.predicate(read[-1]) else max
    machine.write(destination, _joined([choose(row) for row in zip(*parts, strict=True)], mods))


def _parts(word: int, mods: Sequence[str]) -> list[int]:
    """A word as one number, or as its two halves."""
    word &= WORD
    return [
        _part(part, mods) for part in ((word & 0xFFFF, word >> 16) if _packed(mods) else (word,))
    ]


def _part(value: int, mods: Sequence[str]) -> int:
    bits = 16 if _packed(mods) else 32
    value &= (1 << bits) - 1
    return value if {"U32", "U16x2"} & set(mods) else signed(value, bits)


def _joined(parts: Sequence[int], mods: Sequence[str]) -> int:
    kept = [max(part, 0) if "RELU" in mods else part for part in parts]
    return kept[0] if len(kept) == 1 else (kept[1] & 0xFFFF) << 16 | kept[0] & 0xFFFF


def _packed(mods: Sequence[str]) -> bool:
    return bool({"S16x2", "U16x2"} & set(mods))


def permute(machine: Machine, _mods: Sequence[str], operands: Sequence[str]) -> None:
    """PRMT."""
    destination, low, selector, high = operands[:4]
    pool = (machine.integer(low) & WORD) | (machine.integer(high) & WORD) << 32
    chosen = machine.integer(selector)
    result = 0
    for i in range(4):
        nibble = chosen >> 4 * i & 0xF
        byte = pool >> 8 * (nibble & 7) & 0xFF
        if nibble & 8:
            byte = 0xFF if byte & 0x80 else 0
        result |= byte << 8 * i
    machine.write(destination, result)


def select(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """SEL."""
    destination, yes, no, predicate = operands[:4]
    chosen = yes if machine.predicate(predicate) else no
    if "64" in mods:
        machine.write_long(destination, machine.long(chosen))
    else:
        machine.write(destination, machine.integer(chosen))


def population(machine: Machine, _mods: Sequence[str], operands: Sequence[str]) -> None:
    """POPC."""
    machine.write(operands[0], (machine.integer(operands[-1]) & WORD).bit_count())


def leading_one(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """FLO: index of the highest one, or its distance from the top (`SH`)."""
    destination, _written, sources, _read = split_predicates(operands)
    value = machine.integer(sources[0]) & WORD
    if "U32" not in mods and value >> 31:
        value ^= WORD
    if value == 0:
        machine.write(destination, WORD)
    else:
        index = value.bit_length() - 1
        machine.write(destination, 31 - index if "SH" in mods else index)


def reverse(machine: Machine, _mods: Sequence[str], operands: Sequence[str]) -> None:
    """BREV."""
    machine.write(operands[0], int(f"{machine.integer(operands[1]) & WORD:032b}"[::-1], 2))


def absolute(machine: Machine, _mods: Sequence[str], operands: Sequence[str]) -> None:
    """IABS."""
    machine.write(operands[0], abs(signed(machine.integer(operands[1]))))


def sign_extend(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """SGXT."""
    bits = machine.integer(operands[2]) or 32
    value = machine.integer(operands[1]) & ((1 << bits) - 1)
    machine.write(operands[0], value if "U32" in mods else signed(value, bits))


def bit_mask(machine: Machine, _mods: Sequence[str], operands: Sequence[str]) -> None:
    """BMSK."""
    start, width = machine.integer(operands[1]), machine.integer(operands[2])
    machine.write(operands[0], ((1 << min(width, 32)) - 1) << min(start, 32))


def pack_predicates(machine: Machine, _mods: Sequence[str], operands: Sequence[str]) -> None:
    """P2R: predicates into the low bits."""
    mask = machine.integer(operands[-1])
    value = sum(1 << i for i in range(7) if machine.predicate(f"P{i}"))
    machine.write(operands[0], (machine.integer(operands[2]) & ~mask) | (value & mask))


def unpack_predicates(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """R2P: low bits (of a byte) into predicates."""
    del mods
    register, mask = operands[1], machine.integer(operands[2])
    value = machine.integer(register.partition(".")[0])
    if ".B" in register:
        value >>= 8 * int(register[-1])
    for i in range(7):
        if mask >> i & 1:
            machine.set_predicate(f"P{i}", bool(value >> i & 1))


def _zero(machine: Machine, _mods: Sequence[str], operands: Sequence[str]) -> None:
    """Packed integer work whose value decides nothing in the measured cases."""
    machine.write(operands[0], 0)


HANDLERS: dict[str, Handler] = {
    "IADD": add,
    "IADD3": add,
    "VIADD": add,
    "IMAD": multiply_add,
    "LEA": shift_add,
    "SHF": funnel_shift,
    "LOP3": logic,
    "PLOP3": predicate_logic,
    "ISETP": compare,
    "IMNMX": minimum_maximum,
    "VIMNMX": minimum_maximum,
    "VIADDMNMX": add_minimum_maximum,
    "VIMNMX3": minimum_maximum_of_three,
    "PRMT": permute,
    "SEL": select,
    "POPC": population,
    "FLO": leading_one,
    "BREV": reverse,
    "IABS": absolute,
    "SGXT": sign_extend,
    "BMSK": bit_mask,
    "P2R": pack_predicates,
    "R2P": unpack_predicates,
    "IDP": _zero,
    "VABSDIFF": _zero,
    "VABSDIFF4": _zero,
}
