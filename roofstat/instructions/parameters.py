"""Constants of the model, read from `data/lowering.toml`."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class UnrollPolicy:
    """Thresholds for unrolling; sizes are operations after optimisation."""

    full_size: float
    full_trips: int
    pragma_size: float
    partial_size: float
    partial_copies: int
    runtime_size: float
    runtime_copies: int
    assembler_size: float
    """Bodies (with all copies of the first stage) up to this size are copied again by the assembler."""
    assembler_copies: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoweringParameters:
    """How one compiler lowers for one architecture."""

    unroll: UnrollPolicy
    type_based_aliasing: bool
    strips_index_constants: bool
    """Whether the first access at `base[i + c]` computes `i` (clang) or `i + c` (nvcc) as the common index."""
    advances_by_runtime_strides: bool
    """Whether accesses with a stride that only the run knows become pointers that advance."""
    bounds_unsigned_indices: bool
    """Whether sums of thread indices and loop counters are known not to wrap around."""
    keeps_uniform_stream_base: bool
    """Whether a pointer that advances by a constant stays uniform and the thread's part is added (one operation)."""
    counter_on_vector: float
    """Share of uniform loop counters that are kept in ordinary registers."""
    uniform_on_vector: float
    """Share of warp-uniform integer work that runs on the ordinary datapath all the same."""
    shared_base_is_immediate: bool
    """Whether shared addresses need no register for the array's base."""
    moves_per_integer_op: float
    """Register moves that are emitted as integer multiply-adds, for each other integer operation."""


@functools.cache
def _table() -> dict[str, Any]:
    text = resources.files("roofstat.instructions").joinpath("data/lowering.toml").read_text()
    return tomllib.loads(text)


@functools.cache
def lowering_parameters(compiler: str, architecture: str) -> LoweringParameters:
    """The parameters for a compiler (``nvcc``, ``clang``) and an architecture (``sm_80``).

    An architecture without a row of its own takes that of the nearest older one that has one,
    else the oldest.
    """
    table = _table()[compiler]
    rows = sorted(table["architectures"], key=lambda row: int(row["sm"]))
    wanted = _number(architecture)
    chosen = rows[0]
    for row in rows:
        if int(row["sm"]) <= wanted:
            chosen = row
    merged = {**table["common"], **{k: v for k, v in chosen.items() if k != "sm"}}
    unroll = UnrollPolicy(**table["unroll"])
    return LoweringParameters(unroll=unroll, **merged)


def _number(architecture: str) -> int:
    digits = "".join(character for character in architecture if character.isdigit())
    return int(digits) if digits else 0
