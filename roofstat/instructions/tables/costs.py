"""What the compiler emits for an operator or a library function, from measured tables.

The tables stand in `data/<compiler>/`, one file for a group of scalar types; each is read when the
first cost of its types is asked for. `docs/cost-tables.md` says how they were measured.
"""

from __future__ import annotations

import enum
import functools
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from importlib import resources
from typing import Final

from clang_queries.quick_dataclass import dataclass
from clang_queries.quick_pattern import pattern

_REFERENCE: Final = "sm_80"
_SM_NAME: Final = pattern(r"sm_(?P<number>\d+)[a-z]?$")
_FILES: Final[Mapping[str, str]] = {
    "float": "float",
    "double": "double",
    **dict.fromkeys(("half", "half2", "bfloat16", "bfloat162"), "half"),
    **dict.fromkeys(("int8", "uint8", "int16", "uint16", "int32", "uint32"), "int32"),
    **dict.fromkeys(("int64", "uint64"), "int64"),
    **dict.fromkeys(("void", "xorwow", "philox"), "device"),
}
# The kernel IR's short names.
_ALIASES: Final[Mapping[str, str]] = {
    "f32": "float",
    "f64": "double",
    "f16": "half",
    "bf16": "bfloat16",
    "i8": "int8",
    "u8": "uint8",
    "bool": "uint8",
    "i16": "int16",
    "u16": "uint16",
    "i32": "int32",
    "u32": "uint32",
    "i64": "int64",
    "u64": "uint64",
}


class Compiler(enum.Enum):
    """Compilers with measured tables."""

    NVCC = "nvcc"
    CLANG = "clang"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Thread-level instructions of one operation.

    Costs add, and scale by how often the operation runs.

    Attributes:
        fp32_flop: single-precision FLOP (fused multiply-add counts 2).
        fp64_flop: double-precision FLOP.
        fp16_flop: half-precision FLOP as the hardware counts them, one packed instruction once.
        int_op: integer instructions.
        special_op: special-function instructions (`MUFU`).
        conversion_op: conversions between number formats, rounding included.
        branch_op: branches, calls and returns.
        instructions: all instructions, those above included.
        slow_path: the same for exceptional arguments (denormals, huge angles, 64-bit operands
            above 32 bits), or `None` where they cost the same.
        source: what was measured.
        approximate: the asked architecture or compiler was not measured; the nearest generation, or nvcc, stands in.

    Example:
        >>> (Cost(fp32_flop=1.0) + Cost(fp32_flop=2.0, int_op=1.0)) * 2.0
        Cost(fp32_flop=6.0, int_op=2.0)
    """

    fp32_flop: float = 0.0
    fp64_flop: float = 0.0
    fp16_flop: float = 0.0
    int_op: float = 0.0
    special_op: float = 0.0
    conversion_op: float = 0.0
    branch_op: float = 0.0
    instructions: float = 0.0
    slow_path: Cost | None = None
    source: str = ""
    approximate: bool = False

    def __add__(self, other: Cost) -> Cost:
        slow = None
        if self.slow_path is not None or other.slow_path is not None:
            slow = (self.slow_path or _flat(self)) + (other.slow_path or _flat(other))
        sources = dict.fromkeys(s for s in (self.source, other.source) if s)
        return Cost(
            **{name: getattr(self, name) + getattr(other, name) for name in COUNTS},
            slow_path=slow,
            source="; ".join(sources),
            approximate=self.approximate or other.approximate,
        )

    def __mul__(self, times: float) -> Cost:
        return Cost(
            **{name: getattr(self, name) * times for name in COUNTS},
            slow_path=None if self.slow_path is None else self.slow_path * times,
            source=self.source,
            approximate=self.approximate,
        )

    __rmul__ = __mul__

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{field.name}={getattr(self, field.name)!r}"
            for field in fields(self)
            if getattr(self, field.name) != field.default
        )
        return f"Cost({shown})"


COUNTS: Final = (
    "fp32_flop",
    "fp64_flop",
    "fp16_flop",
    "int_op",
    "special_op",
    "conversion_op",
    "branch_op",
    "instructions",
)


def _flat(cost: Cost) -> Cost:
    return replace(cost, slow_path=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class CostTable:
    """One data file.

    Attributes:
        architectures: measured architectures.
        compiler: compiler with its version.
        entries: scalar to function to variant to counts.
    """

    architectures: tuple[str, ...]
    compiler: str
    entries: Mapping[str, Mapping[str, Mapping[str, Mapping[str, object]]]]


class _Functions(Mapping[str, Mapping[str, Mapping[str, object]]]):
    """The functions of one scalar: each is read when it is first asked for, since a program needs few of hundreds."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._read: dict[str, Mapping[str, Mapping[str, object]]] = {}

    def __getitem__(self, function: str) -> Mapping[str, Mapping[str, object]]:
        found = self._read.get(function)
        if found is None:
            found = self._read[function] = tomllib.loads(self._texts[function])
        return found

    def __contains__(self, function: object) -> bool:
        return function in self._texts

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


_FUNCTION = pattern(r"^\[(\w+)\.(\w+)\]$", re.MULTILINE)
"""The head of what a data file says of one function."""


@functools.cache
def load_table(compiler: Compiler, file: str) -> CostTable:
    """Read one data file.

    Raises:
        FileNotFoundError: there is no such file.
    """
    place = resources.files("roofstat.instructions") / "data" / compiler.value / f"{file}.toml"
    head, *parts = _FUNCTION.split(place.read_text(encoding="utf-8"))
    texts: dict[str, dict[str, str]] = {}
    for scalar, function, text in zip(*[iter(parts)] * 3, strict=True):
        texts.setdefault(scalar, {})[function] = text
    measurement = tomllib.loads(head)["measurement"]
    return CostTable(
        architectures=tuple(measurement["architectures"]),
        compiler=measurement["compiler"],
        entries={scalar: _Functions(functions) for scalar, functions in texts.items()},
    )


def data_files() -> tuple[str, ...]:
    """Names of the data files of each compiler."""
    return tuple(dict.fromkeys(_FILES.values()))


@functools.cache
def cost_of(
    function: str, scalar: str, compiler: Compiler, architecture: str, fast_math: bool
) -> Cost | None:
    """Cost of one operation for one thread.

    Args:
        function: operator (`add`, `div_by_constant`, `to_double`) or function. A `std::` prefix
            and the `f` of single precision are dropped (`sqrtf` of `float` is `sqrt`).
        scalar: type that it works on: `float`, `double`, `half`, `half2`, `bfloat16`, `bfloat162`, `int8` to
            `uint64`, `void`, and `xorwow` or `philox` for cuRAND's device functions; the short
            names of the kernel IR (`f32`, `i64`) do too.
        compiler: which compiler builds the program.
        architecture: `sm_80` and the like, or an AMD `gfx...` name.
        fast_math: `-use_fast_math` or `-ffast-math`.

    Returns:
        The cost, or `None` when the operation was not measured. What was measured with nvcc only stands in for
        other compilers.

    Example:
        >>> cost_of("div", "double", Compiler.NVCC, "sm_80", False).fp64_flop
        15.0
    """
    scalar = table_label(scalar)
    found = _measured(function, scalar, compiler, architecture, fast_math)
    if found is None and compiler is not Compiler.NVCC:
        found = _measured(function, scalar, Compiler.NVCC, architecture, fast_math)
        return None if found is None else replace(found, approximate=True)
    return found


def table_label(scalar: str) -> str:
    """Return the name of a type in the tables, of the kernel IR's short name or of itself."""
    return _ALIASES.get(scalar, scalar)


def _measured(
    function: str, scalar: str, compiler: Compiler, architecture: str, fast_math: bool
) -> Cost | None:
    file = _FILES.get(scalar)
    if file is None:
        return None
    table = load_table(compiler, file)
    functions = table.entries.get(scalar, {})
    variants = next((functions[n] for n in _spellings(function, scalar) if n in functions), None)
    if variants is None:
        return None
    measured, approximate = nearest_architecture(architecture, table.architectures)
    counts = next((variants[k] for k in _variants(measured, fast=fast_math) if k in variants), None)
    if counts is None:
        return None
    source = f"{table.compiler}, {measured}{', fast math' if fast_math else ''}"
    return _cost(counts, source=source, approximate=approximate)


def nearest_architecture(architecture: str, measured: tuple[str, ...]) -> tuple[str, bool]:
    """The measured architecture that stands for another, and whether that is a guess.

    The newest measured one that is not newer stands in, else the oldest. It is a guess across
    generations and for other vendors.

    Example:
        >>> nearest_architecture("sm_87", ("sm_80", "sm_86", "sm_90"))
        ('sm_86', False)
        >>> nearest_architecture("gfx90a", ("sm_80", "sm_86", "sm_90"))
        ('sm_80', True)
    """
    match = _SM_NAME.match(architecture)
    if match is None:
        return _REFERENCE, True
    wanted = int(match["number"])
    numbers = sorted(int(name.removeprefix("sm_")) for name in measured)
    older = [number for number in numbers if number <= wanted]
    chosen = older[-1] if older else numbers[0]
    return f"sm_{chosen}", chosen // 10 != wanted // 10


def _spellings(function: str, scalar: str) -> tuple[str, ...]:
    name = function.removeprefix("::").removeprefix("std::")
    if scalar == "float" and name.endswith("f"):
        return name, name.removesuffix("f")
    return (name,)


def _variants(architecture: str, *, fast: bool) -> tuple[str, ...]:
    if fast:
        return f"{architecture}_fast_math", "fast_math", architecture, "default"
    return architecture, "default"


def _cost(counts: Mapping[str, object], *, source: str, approximate: bool) -> Cost:
    slow = counts.get("slow_path")
    return Cost(
        **{name: float(str(counts.get(name, 0))) for name in COUNTS},
        slow_path=_cost(slow, source=source, approximate=approximate)
        if isinstance(slow, dict)
        else None,
        source=source,
        approximate=approximate,
    )
