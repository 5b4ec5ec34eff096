"""Writes measured costs as TOML: one entry for each operation, other variants as overrides."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from cost_kernels import Toolchain

# File of each scalar type, so that a reader loads only the types that a kernel uses.
FILES = {
    "float": "float",
    "double": "double",
    "half": "half",
    "half2": "half",
    "bfloat16": "half",
    "bfloat162": "half",
    "int8": "int32",
    "uint8": "int32",
    "int16": "int32",
    "uint16": "int32",
    "int32": "int32",
    "uint32": "int32",
    "int64": "int64",
    "uint64": "int64",
    "void": "device",
    "xorwow": "device",
    "philox": "device",
}
FIELDS = {
    "fp32": "fp32_flop",
    "fp64": "fp64_flop",
    "fp16": "fp16_flop",
    "int": "int_op",
    "special": "special_op",
    "conversion": "conversion_op",
    "branch": "branch_op",
    "instructions": "instructions",
}
REFERENCE = "sm_80"


class Entry(Protocol):
    """Counts of an operation: `fast` and, where one exists, `slow`."""

    @property
    def fast(self) -> Mapping[str, float]:
        """Mean over ordinary arguments."""

    @property
    def slow(self) -> Mapping[str, float] | None:
        """Mean over exceptional arguments."""


Tables = Mapping[tuple[str, bool], Mapping[tuple[str, str], Entry]]


def variant_name(architecture: str, *, fast: bool) -> str:
    """Key of a variant in an entry."""
    if architecture == REFERENCE:
        return "fast_math" if fast else "default"
    return f"{architecture}_fast_math" if fast else architecture


def lookup_order(architecture: str, *, fast: bool) -> list[str]:
    """Keys that a reader tries, first match wins (`roofstat.instructions.tables.costs` does the same)."""
    if fast:
        return [f"{architecture}_fast_math", "fast_math", architecture, "default"]
    return [architecture, "default"]


def write_tables(folder: Path, toolchain: Toolchain, tables: Tables, date: dt.date) -> list[Path]:
    """Write `<folder>/<compiler>/<file>.toml` for all scalars.

    Raises:
        ValueError: the reference architecture was not measured.
    """
    if (REFERENCE, False) not in tables or (REFERENCE, True) not in tables:
        raise ValueError(f"the tables need {REFERENCE}")
    architectures = list(dict.fromkeys(architecture for architecture, _ in tables))
    target = folder / toolchain.name
    target.mkdir(parents=True, exist_ok=True)
    keys = dict.fromkeys(key for table in tables.values() for key in table)
    written = []
    for name in dict.fromkeys(FILES.values()):
        lines = [_header(toolchain, architectures, date)]
        for function, scalar in sorted(keys, key=lambda key: (key[1], key[0])):
            if FILES[scalar] == name:
                lines += _entry(function, scalar, tables, architectures)
        path = target / f"{name}.toml"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        written.append(path)
    return written


def add_entries(folder: Path, toolchain: Toolchain, tables: Tables) -> list[Path]:
    """Put the entries of newly measured operations into the files that are there already.

    They must come from the compiler and the architectures of the files, which stay as they are otherwise.

    Raises:
        ValueError: a file was measured with another compiler or for other architectures.
    """
    architectures = list(dict.fromkeys(architecture for architecture, _ in tables))
    keys = dict.fromkeys(key for table in tables.values() for key in table)
    written = []
    for name in dict.fromkeys(FILES[scalar] for _, scalar in keys):
        path = folder / toolchain.name / f"{name}.toml"
        header, entries = _read_entries(path)
        listed = ", ".join(f'"{architecture}"' for architecture in architectures)
        if f'compiler = "{toolchain.version}"' not in header or f"[{listed}]" not in header:
            raise ValueError(f"{path.name} was not measured with this compiler for {listed}")
        for function, scalar in keys:
            if FILES[scalar] == name:
                entries[scalar, function] = _entry(function, scalar, tables, architectures)
        lines = [header, *(line for key in sorted(entries) for line in entries[key])]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        written.append(path)
    return written


def is_measured(folder: Path, toolchain: Toolchain, function: str, scalar: str) -> bool:
    """Whether the files have an entry."""
    _, entries = _read_entries(folder / toolchain.name / f"{FILES[scalar]}.toml")
    return (scalar, function) in entries


def _read_entries(path: Path) -> tuple[str, dict[tuple[str, str], list[str]]]:
    """The head of a table file, and its entries as lines by scalar and function."""
    header: list[str] = []
    entries: dict[tuple[str, str], list[str]] = {}
    current = header
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line != "[measurement]":
            scalar, _, function = line.strip("[]").partition(".")
            current = entries.setdefault((scalar, function), [])
        current.append(line)
    return "\n".join(header), entries


def _header(toolchain: Toolchain, architectures: list[str], date: dt.date) -> str:
    listed = ", ".join(f'"{a}"' for a in architectures)
    return (
        "# What one operation costs in thread-level SASS instructions, docs/cost-tables.md.\n"
        "# Measured by scripts/measure_costs.py: each operation compiled alone, its SASS executed\n"
        "# for ordinary arguments (slow_path: exceptional ones), loads and stores taken off.\n"
        f"# `default` is {REFERENCE} without fast math; other keys are where it differs. "
        "Absent fields are 0.\n"
        "[measurement]\n"
        f'compiler = "{toolchain.version}"\n'
        f'assembler = "{toolchain.assembler}"\n'
        f'flags = "{" ".join(f for f in toolchain.flags if "=/" not in f)}"\n'
        f'fast_math_flags = "{" ".join(toolchain.fast_flags)}"\n'
        f"architectures = [{listed}]\n"
        f"date = {date.isoformat()}\n"
    )


def _entry(function: str, scalar: str, tables: Tables, architectures: list[str]) -> list[str]:
    chosen: dict[str, str] = {}
    lines = [f"[{scalar}.{function}]"]
    order = [REFERENCE, *(a for a in architectures if a != REFERENCE)]
    for fast in (False, True):
        for architecture in order:
            entry = tables[architecture, fast].get((function, scalar))
            if entry is None:
                continue
            text = _inline(entry)
            found = next(
                (chosen[k] for k in lookup_order(architecture, fast=fast) if k in chosen), None
            )
            if text != found:
                name = variant_name(architecture, fast=fast)
                chosen[name] = text
                lines.append(f"{name} = {text}")
    return lines


def _inline(entry: Entry) -> str:
    parts = _fields(entry.fast)
    if entry.slow is not None:
        parts.append(f"slow_path = {{ {', '.join(_fields(entry.slow))} }}")
    return f"{{ {', '.join(parts)} }}" if parts else "{}"


def _fields(counts: Mapping[str, float]) -> list[str]:
    return [
        f"{field} = {round(counts[key], 4):g}"
        for key, field in FIELDS.items()
        if round(counts.get(key, 0.0), 4)
    ]
