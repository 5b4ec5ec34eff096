"""Names of the places in a code, by what they compute and of what: other code beside them does not change them."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from zlib import crc32

from roofstat.program.code import (
    AtomicAccess,
    Block,
    Code,
    If,
    Instruction,
    LaunchSite,
    LibraryCall,
    Loop,
    MemoryAccess,
    Op,
    ParameterPiece,
    Region,
    Switch,
    children,
)

_FACTOR = 0xD1342543DE82EF95
_WORD = (1 << 63) - 1


def mixed(*parts: int) -> int:
    """One number of 63 bits for several, in their order."""
    found = len(parts)
    for part in parts:
        found = ((found ^ part) * _FACTOR) & _WORD
        found ^= found >> 31
    return found


@lru_cache(maxsize=256)
def place_names(code: Code) -> dict[object, int]:
    """A number for each instruction, branch and loop; those that are alike are counted in program order."""
    names = _Names(code)
    names.add(code.body, 0)
    return names.found


class _Names:
    """Goes over a code in program order."""

    def __init__(self, code: Code) -> None:
        self.found: dict[object, int] = {}
        self._code = code
        self._seen: Counter[int] = Counter()
        self._registers: dict[int, int] = {}
        """Register -> the number of what it holds, of variables at first."""

    def add(self, regions: list[Region], around: int) -> None:
        """Name what stands in some regions, which stand in one of a name."""
        for region in regions:
            inside = around
            if isinstance(region, Loop) and region.tests_before:
                self.add(region.condition, around)
            if isinstance(region, If | Loop | Switch):
                register = _decides(region)
                on = 0 if register is None else self._value(register)
                inside = mixed(text_name(type(region).__name__), on, around)
                self._give(region, inside)
            match region:
                case Block():
                    for item in region.instructions:
                        self._add_instruction(item, around)
                case Loop() if region.tests_before:
                    self.add(region.body, inside)
                    self.add(region.step, inside)
                case _:
                    for inner in children(region):
                        self.add(inner, inside)

    def _add_instruction(self, item: Instruction, around: int) -> None:
        # Of launches the arguments do not count: others have others.
        args = () if item.op is Op.LAUNCH else item.args
        values = [self._value(register) for register in args]
        what = text_name(item.op.value), text_name(item.scalar.name), self._detail(item)
        name = mixed(*what, *values)
        if item.dest >= 0:
            self._registers.setdefault(item.dest, name)
        self._give(item, mixed(name, around))

    def _give(self, item: object, name: int) -> None:
        self._seen[name] += 1
        self.found[item] = mixed(name, self._seen[name])

    def _value(self, register: int) -> int:
        known = self._registers.get(register)
        if known is None:
            constant = self._code.constants.get(register)
            scalar = self._code.register_types[register].name
            known = text_name(scalar if constant is None else f"{scalar} {constant}")
            self._registers[register] = known
        return known

    def _detail(self, item: Instruction) -> int:
        detail = item.detail
        match detail:
            case MemoryAccess():
                return mixed(text_name(detail.array), detail.offset_bytes, detail.bit_offset)
            case AtomicAccess():
                return mixed(text_name(detail.name), text_name(detail.array))
            case ParameterPiece():
                return mixed(text_name(detail.name), detail.offset_bytes)
            case LibraryCall():
                return text_name(detail.name)
            case LaunchSite():
                return text_name(plain_name(detail.kernel or ""))
            case str():
                return text_name(detail)
            case int() if item.op is Op.SLOT:
                return text_name(self._code.slots[detail].name)
            case int():
                return detail & _WORD
        return text_name(type(detail).__name__)


def plain_name(key: str) -> str:
    """The key of a kernel without its parameters, and of a target region without its line."""
    return re.sub(r"^omp:.*?:\d+(_\d+)?:", "omp:", key).split("#")[0]


def _decides(region: If | Loop | Switch) -> int | None:
    """The register that a region goes by."""
    match region:
        case If():
            return region.condition
        case Loop():
            return region.condition_register
        case Switch():
            return region.selector


@lru_cache(maxsize=4096)
def text_name(text: str) -> int:
    """A number for a text, the same in every process."""
    return mixed(crc32(text.encode()), len(text))
