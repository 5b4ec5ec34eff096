"""The table of measured kernels: grid and amounts of a launch from its number of items."""

from __future__ import annotations

import functools
import math
import re
import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware.units import SECTOR_BYTES

__all__ = [
    "ANY_ELEMENT",
    "ELEMENT_BYTES",
    "MEASURED_ON",
    "Amounts",
    "LibraryKernel",
    "bare_name",
    "library_kernels",
    "variants_of",
]

MEASURED_ON = "H100, CUDA 13.0"
ELEMENT_BYTES: Mapping[str, int] = {"int": 4, "float": 4, "long": 8, "double": 8}
"""The types that were measured; others count as the one that is most like them."""
ANY_ELEMENT = "any"
"""Of kernels that handle no elements of the user's."""
_RESIDENT_THREADS = 2048
"""Of an SM that was measured: what `spread` refers to."""

_Terms = tuple[float, float, float]
_NOTHING: _Terms = (0.0, 0.0, 0.0)


def spread_tile(items: int, tile: int, threads: int, sm_count: int) -> int:
    """Items of a block where blocks take fewer as long as there are too few for all threads that the card holds."""
    each = items // (sm_count * _RESIDENT_THREADS)
    return threads * min(max(each, 1), tile // threads)


def blocks_needed(items: int, tile: int, most: int = 0) -> int:
    """Blocks of so many items each, up to the most of them; 0 where there is no such bound."""
    needed = max(math.ceil(items / tile), 1)
    return min(needed, most) if most else needed


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """What one launch does; bytes as if nothing of what it writes stayed in the cache."""

    sp_flop: float
    dp_flop: float
    int_op: float
    read_bytes: float
    write_bytes: float
    l2_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryKernel:
    """One kernel for one type of elements.

    Attributes:
        name: Its name as profilers print it, without template arguments.
        variant: What of its template arguments decides how much it does.
        pattern: Found in its full name; of kernels with one name the first whose pattern fits is meant.
        element: The measured type.
        block: Threads of a block, in x and y.
        tile: Items of a block; None where the grid does not depend on the items.
        blocks_per_sm: The most blocks, or their fixed number, for each SM of the card; 0 where there is no such bound.
        blocks: The same for the whole card.
        spread: Blocks take as many items fewer as there are too few for all threads that the card holds.
        terms: Amounts for each item, for each block, and once.
        write_bytes: Bytes written for each item.
    """

    name: str
    variant: str
    pattern: str
    element: str
    block: tuple[int, int]
    tile: int | None
    blocks_per_sm: int
    blocks: int
    spread: bool
    terms: Mapping[str, _Terms]
    write_bytes: float

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.block[0] * self.block[1]

    def grid(self, items: int, sm_count: int) -> int:
        """Blocks of a launch on a card."""
        most = self.blocks or self.blocks_per_sm * sm_count
        if self.tile is None:
            return max(most, 1)
        tile = spread_tile(items, self.tile, self.threads, sm_count) if self.spread else self.tile
        return blocks_needed(items, tile, most)

    def items_of(self, blocks: int) -> int | None:
        """The number of items that a grid stands for, where it depends on them."""
        return None if self.tile is None else blocks * self.tile

    def amounts(self, items: int, blocks: int, element_bytes: float) -> Amounts:
        """Return what a launch does; `element_bytes` is the size of the elements, which may not be the measured one."""
        scale = element_bytes / ELEMENT_BYTES.get(self.element, element_bytes)

        def of(name: str, item_scale: float = 1.0) -> float:
            item, block, once = self.terms.get(name, _NOTHING)
            # where items count for nothing, blocks stand for the elements in them
            block_scale = 1.0 if item else item_scale
            return item * item_scale * items + block * block_scale * blocks + once

        return Amounts(
            sp_flop=of("sp_flop"),
            dp_flop=of("dp_flop"),
            int_op=of("int_op"),
            read_bytes=of("read_bytes", scale),
            write_bytes=self.write_bytes * scale * items,
            l2_bytes=SECTOR_BYTES * of("sectors", scale),
        )


_AMOUNTS = frozenset({"sp_flop", "dp_flop", "int_op", "read_bytes", "sectors"})


@functools.cache
def library_kernels() -> Mapping[tuple[str, str], Mapping[str, LibraryKernel]]:
    """Return the shipped table: by name and variant, then by element."""
    text = (resources.files("roofstat.libraries") / "data" / "kernels.toml").read_text("utf-8")
    return {
        (entry["name"], entry["variant"]): {
            element: _kernel(entry, element, facts)
            for element, facts in entry.items()
            if isinstance(facts, dict)
        }
        for entry in tomllib.loads(text)["kernel"]
    }


@functools.lru_cache(maxsize=1024)
def variants_of(full_name: str) -> frozenset[str]:
    """Return the variants that a kernel's full name, as profilers print it, may mean.

    >>> sorted(variants_of("void for_each::static_kernel<for_each::policy_500_t, long, __fill::functor<int>>(T2, T3)"))
    ['fill']
    """
    bare = bare_name(full_name)
    entries = [
        (next(iter(kernels.values())).pattern, variant)
        for (name, variant), kernels in library_kernels().items()
        if bare_name(name) == bare
    ]
    meant = next((pattern for pattern, _ in entries if re.search(pattern, full_name)), None)
    return frozenset(variant for pattern, variant in entries if pattern == meant)


def bare_name(full_name: str) -> str:
    """Return a kernel's name without result type, scope, template arguments and parameters."""
    return re.split(r"[<(]", full_name.removeprefix("void "))[0].rsplit("::", 1)[-1]


def _kernel(entry: Mapping[str, Any], element: str, facts: Mapping[str, Any]) -> LibraryKernel:
    return LibraryKernel(
        name=entry["name"],
        variant=entry["variant"],
        pattern=entry.get("pattern", ""),
        element=element,
        block=(facts["block"][0], facts["block"][1]),
        tile=facts.get("tile"),
        blocks_per_sm=facts.get("blocks_per_sm", 0),
        blocks=facts.get("blocks", 0),
        spread="spread" in facts,
        terms={key: tuple(value) for key, value in facts.items() if key in _AMOUNTS},
        write_bytes=facts.get("write_bytes", 0.0),
    )
