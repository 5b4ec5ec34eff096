"""State of one emulated thread: registers, predicates, memories, constants of the binary."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field

from sass_values import (
    LONG,
    WORD,
    double_of,
    float_of,
    half_bits,
    half_of,
    immediate_float,
    word_of,
)

GLOBAL_DATA_BASE = 0x7A0000000000
POINTER_ARGUMENT = 0x7F0000000000
# Bank 0 offsets of the kernel arguments and of the stack pointer, by generation.
_ARGUMENT_BASES = (0x380, 0x210, 0x160)
_STACK_OFFSETS = frozenset({0x28, 0x37C})
_STACK_TOP = 0x00FFF000

_CONSTANT = re.compile(r"c\[(?P<bank>0x[0-9a-f]+)\]\s*\[(?P<inside>[^\]]*)\]")
_ADDRESS_TERM = re.compile(r"(?P<sign>[+-]?)\s*(?P<term>U?R\w+(?:\.\w+)*|0x[0-9a-f]+|URZ)")
PREDICATE = re.compile(r"^!?U?P(\d|T)$")
_SWIZZLE = re.compile(r"\.(H0_H0|H1_H1|H1_H0|H0_H1|B[0-3]|H[01]|F32|64)$")


class UnsupportedError(RuntimeError):
    """The emulator does not know an instruction."""


@dataclass(slots=True, kw_only=True)
class Binary:
    """Constant banks and initialised global data of a cubin."""

    constants: dict[tuple[int, str], bytes]
    global_data: dict[int, int]

    def constant(self, bank: int, kernel: str) -> bytes:
        """Contents of a bank for a kernel, empty when the binary has none."""
        return self.constants.get((bank, kernel)) or self.constants.get((bank, ""), b"")


def read_binary(image: bytes) -> Binary:
    """Constant banks and global data of an ELF64 cubin, addresses relocated."""
    section_offset, entry, count, names_index = (
        struct.unpack_from("<Q", image, 0x28)[0],
        *struct.unpack_from("<HHH", image, 0x3A),
    )
    headers = [
        struct.unpack_from("<IIQQQQIIQQ", image, section_offset + i * entry) for i in range(count)
    ]
    names_at = headers[names_index][4]

    def text_at(offset: int) -> str:
        return image[offset : image.index(b"\0", offset)].decode()

    names = [text_at(names_at + header[0]) for header in headers]
    bases: dict[int, int] = {}
    data: dict[int, int] = {}
    base = GLOBAL_DATA_BASE
    constants: dict[tuple[int, str], bytearray] = {}
    bank_of_section: dict[int, tuple[int, str]] = {}
    for index, (name, header) in enumerate(zip(names, headers, strict=True)):
        if name.startswith(".nv.global"):
            bases[index] = base
            if name.startswith(".nv.global.init"):
                for i in range(header[5]):
                    data[base + i] = image[header[4] + i]
            base += header[5] + 0x1000 & ~0xFFF
        match = re.match(r"\.nv\.constant(\d+)(?:\.(.*))?$", name)
        if match and header[1] != 8:
            key = (int(match[1]), match[2] or "")
            constants[key] = bytearray(image[header[4] : header[4] + header[5]])
            bank_of_section[index] = key
    symbols_at = {index: headers[index][4] for index, name in enumerate(names) if name == ".symtab"}
    for header in headers:
        if header[1] not in (4, 9) or header[7] not in bank_of_section:
            continue
        target = constants[bank_of_section[header[7]]]
        table = symbols_at[header[6]]
        for offset in range(header[4], header[4] + header[5], header[9]):
            place, info = struct.unpack_from("<QQ", image, offset)
            addend = struct.unpack_from("<q", image, offset + 16)[0] if header[1] == 4 else 0
            symbol = struct.unpack_from("<IBBHQQ", image, table + 24 * (info >> 32))
            if symbol[3] in bases:
                value = bases[symbol[3]] + symbol[4] + addend
                target[place : place + 8] = struct.pack("<Q", value)
    return Binary(constants={k: bytes(v) for k, v in constants.items()}, global_data=data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """One thread of a launch: sizes and places in three dimensions, x first."""

    grid: tuple[int, int, int] = (1, 1, 1)
    block: tuple[int, int, int] = (1, 1, 1)
    block_index: tuple[int, int, int] = (0, 0, 0)
    thread_index: tuple[int, int, int] = (0, 0, 0)

    def special_register(self, name: str) -> int:
        """Value of a special register; 0 for the ones that a count does not depend on."""
        x, y, z = self.thread_index
        linear = x + self.block[0] * (y + self.block[1] * z)
        lane = linear % 32
        masks = {
            "SR_EQMASK": 1 << lane,
            "SR_LTMASK": (1 << lane) - 1,
            "SR_LEMASK": (2 << lane) - 1,
            "SR_GTMASK": WORD ^ (2 << lane) - 1,
            "SR_GEMASK": WORD ^ (1 << lane) - 1,
        }
        places = {"SR_TID": self.thread_index, "SR_CTAID": self.block_index}
        if name.rpartition(".")[0] in places:
            return places[name[:-2]]["XYZ".index(name[-1])]
        return masks.get(name, lane if name == "SR_LANEID" else 0)


@dataclass(slots=True, kw_only=True)
class Machine:
    """One lane. Registers hold 32-bit words; memories are byte maps.

    `arguments` are the kernel's arguments as they lie in the constant bank, `arguments_at` where; without
    the place, that of any generation is taken.
    """

    binary: Binary
    kernel: str
    thread: Thread = Thread()
    arguments: bytes = struct.pack("<Q", POINTER_ARGUMENT)
    arguments_at: int | None = None
    registers: dict[str, int] = field(default_factory=dict)
    predicates: dict[str, bool] = field(default_factory=dict)
    memories: dict[str, dict[int, int]] = field(
        default_factory=lambda: {"shared": {}, "global": {}, "local": {}}
    )

    def predicate(self, text: str) -> bool:
        """Value of `P0`, `!P1`, `PT`, `UP2`."""
        negated = text.startswith("!")
        name = text.lstrip("!")
        value = True if name in ("PT", "UPT") else self.predicates.get(name, False)
        return value != negated

    def set_predicate(self, name: str, value: bool) -> None:
        """Write a predicate register (writes to `PT` vanish)."""
        if name not in ("PT", "UPT"):
            self.predicates[name] = value

    def write(self, name: str, value: int) -> None:
        """Write a 32-bit register."""
        name = name.partition(".")[0]
        if name not in ("RZ", "URZ"):
            self.registers[name] = value & WORD

    def write_long(self, name: str, value: int) -> None:
        """Write a register pair."""
        name = name.partition(".")[0]
        if name in ("RZ", "URZ"):
            return
        self.write(name, value)
        self.write(next_register(name), value >> 32)

    def _raw(self, text: str) -> int:
        """Word of a register, constant or integer immediate, no sign applied."""
        name = text.partition(".")[0] if text[0] in "RU" else text
        if name in ("RZ", "URZ", "SRZ"):
            return 0
        if name[0] in "RU":
            return self.registers.get(name, 0)
        if name[0] == "c":
            return self.constant_word(name)
        return int(name, 0) & WORD

    def integer(self, text: str) -> int:
        """Word of an integer operand; `-` gives 2**32 - x (2**32 for 0, so that carries work)."""
        if text[0] == "~":
            return self._raw(text[1:]) ^ WORD
        if text.startswith("|"):
            return abs(_signed_word(self._raw(text.strip("|"))))
        if text[0] == "-" and not text[1].isdigit():
            return (1 << 32) - self.integer(text[1:])
        return self._raw(text)

    def long(self, text: str) -> int:
        """64 bits of a register pair, constant or immediate (sign-extended)."""
        if text[0] == "-" and not text[1].isdigit():
            return (-self.long(text[1:])) & LONG
        if text[0] == "~":
            return self.long(text[1:]) ^ LONG
        if text[0] in "RU":
            name = text.partition(".")[0]
            if name in ("RZ", "URZ"):
                return 0
            return self._raw(name) | self._raw(next_register(name)) << 32
        if text[0] == "c":
            return self.constant_word(text) | self.constant_word(text, 4) << 32
        return int(text, 0) & LONG

    def single(self, text: str, *, flush: bool = False) -> float:
        """Single-precision operand with its sign and absolute-value marks."""
        value = self._floating(text, self._single_raw)
        return 0.0 if flush and abs(value) < 2.0**-126 else value

    def double(self, text: str) -> float:
        """Double-precision operand; immediates are the printed value."""
        return self._floating(text, self._double_raw)

    def _floating(self, text: str, raw) -> float:  # type: ignore[no-untyped-def]  # noqa: ANN001
        if text[0] == "-" and (text[1] in "|RUc"):
            return -self._floating(text[1:], raw)
        if text[0] == "|":
            return abs(float(raw(text.strip("|"))))
        return float(raw(text))

    def _single_raw(self, text: str) -> float:
        if text[0] in "RUc":
            return float_of(self._raw(text))
        # Immediates are single precision already; rounding repairs shortened decimals.
        return float_of(word_of(immediate_float(text)))

    def _double_raw(self, text: str) -> float:
        if text[0] in "RUc":
            return double_of(self.long(text))
        return immediate_float(text)

    def halves(self, text: str, *, brain: bool) -> tuple[float, float]:
        """Low and high half of a packed operand, with its swizzle."""
        negate = text[0] == "-" and text[1] in "|RUc"
        body = text[1:] if negate else text
        absolute = body[0] == "|"
        body = body.replace("|", "")
        match = _SWIZZLE.search(body)
        swizzle = match[1] if match else "H1_H0"
        word = self._raw(body.partition(".")[0] if body[0] in "RU" else body)
        if swizzle == "F32":
            low = high = float_of(word)
        else:
            low = half_of(word & 0xFFFF, brain=brain)
            high = half_of(word >> 16, brain=brain)
        if swizzle == "H0_H0":
            high = low
        elif swizzle == "H1_H1":
            low = high
        if absolute:
            low, high = abs(low), abs(high)
        return (-low, -high) if negate else (low, high)

    def write_halves(self, name: str, low: float, high: float, *, brain: bool) -> None:
        """Pack two halves into a register."""
        self.write(name, half_bits(low, brain=brain) | half_bits(high, brain=brain) << 16)

    def constant_word(self, text: str, plus: int = 0) -> int:
        """Word of a constant bank; bank 0 holds launch data and the one kernel argument."""
        match = _CONSTANT.search(text)
        if match is None:
            raise UnsupportedError(text)
        bank, offset = int(match["bank"], 16), self.address(match["inside"]) + plus
        if bank == 0:
            return self._launch_word(offset)
        contents = self.binary.constant(bank, self.kernel)
        if offset + 4 > len(contents):
            raise UnsupportedError(f"{text}: outside of constant bank {bank}")
        return int.from_bytes(contents[offset : offset + 4], "little")

    def _launch_word(self, offset: int) -> int:
        """Word of bank 0: sizes of the launch, stack pointer and arguments."""
        bases = _ARGUMENT_BASES if self.arguments_at is None else (self.arguments_at,)
        for base in bases:
            if base <= offset < base + len(self.arguments):
                return int.from_bytes(self.arguments[offset - base : offset - base + 4], "little")
        if offset in _STACK_OFFSETS:
            return _STACK_TOP
        sizes = (*self.thread.block, *self.thread.grid)
        return sizes[offset // 4] if offset < 4 * len(sizes) else 0

    def address(self, inside: str) -> int:
        """Sum of the terms between the brackets of an address."""
        total = 0
        for match in _ADDRESS_TERM.finditer(inside):
            term = match["term"]
            name, _, suffix = term.partition(".")
            if name.startswith("0x"):
                value = int(name, 16)
            elif suffix.startswith("64") or ".64" in term:
                value = self.long(name)
            else:
                value = self._raw(name)
                scale = re.search(r"\.X(\d+)", term)
                value *= int(scale[1]) if scale else 1
            total += -value if match["sign"] == "-" else value
        return total

    def load(self, space: str, address: int, size: int) -> int:
        """Little-endian integer from a memory; absent bytes are a fixed pattern."""
        memory = self.memories[space]
        value = 0
        for i in range(size):
            place = address + i if space == "global" else (address + i) & WORD
            byte = memory.get(place)
            if byte is None and space == "global":
                byte = self.binary.global_data.get(place, 0)
            value |= (byte or 0) << 8 * i
        return value

    def store(self, space: str, address: int, size: int, value: int) -> None:
        """Little-endian integer to a memory."""
        memory = self.memories[space]
        for i in range(size):
            place = address + i if space == "global" else (address + i) & WORD
            memory[place] = value >> 8 * i & 0xFF


def next_register(name: str, step: int = 1) -> str:
    """Name of the register `step` after `name`."""
    prefix = "UR" if name.startswith("UR") else "R"
    return f"{prefix}{int(name[len(prefix) :]) + step}"


def _signed_word(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word
