"""Fits the table of library kernels to a label table of their calls, and says how well it reproduces the counts.

Usage: python scripts/fit_library_kernels.py LABELS.csv [-o roofstat/libraries/data/kernels.toml]

The label table holds launches of calls of CUB, Thrust and cuBLAS on known numbers of items, as `roofstat profile` writes
them: programs named ``..._int``, ``..._float``, ``..._double`` and ``..._long`` after the type of the elements, with the
number of items as last program argument, and ``blas`` with the number of elements as first. Each amount of a kernel is
fitted as ``a * items + b * blocks + c`` with no negative term, relative errors weighing alike.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from roofstat.libraries.table import blocks_needed, spread_tile

Row = dict[str, str]

ELEMENTS = {"int": 4, "float": 4, "double": 8, "long": 8}
SMS = 132
"""Of the card that the launches were measured on."""

AMOUNTS = {
    "int_op": "int_op",
    "sp_flop": "sp_flop",
    "dp_flop": "dp_flop",
    "read_bytes": "dram_read_bytes",
    "sectors": "global_ld_sectors global_st_sectors",
}


@dataclass(frozen=True)
class Rule:
    """Rows of one variant of a kernel.

    Attributes:
        name: The kernel's name without template arguments.
        variant: What of its template arguments decides.
        pattern: Found in the kernel's full name; the first rule that fits holds.
        written: Elements (of the type of the keys) that it writes for each item.
        further: Bytes of other types that it writes for each item.
        items: What its items are: "call" (those of the call), "blocks" (the blocks of the launch before it),
            "tiles" (those of the launch behind it), "grid" (none: its blocks say how much it does).
        element: "key", the type that the program is named after; "sum", the first template argument; or "any".
    """

    name: str
    variant: str
    pattern: str = ""
    written: float = 0.0
    further: float = 0.0
    items: str = "call"
    element: str = "key"


_PARTIALS = r"Policy1000, (?:[\w ]+|cub::KeyValuePair<[^>]*>) \*, (?:[\w ]+|cub::KeyValuePair<[^>]*>) \*, int,"
_TILE_STATE_BYTES = 8.0

RULES = (
    Rule("reduce::DeviceReduceSingleTileKernel", "argmin-partials", rf"ArgM.*{_PARTIALS}", items="blocks"),
    Rule("reduce::DeviceReduceSingleTileKernel", "max-partials", rf"(?:maximum|minimum).*{_PARTIALS}", items="blocks", element="sum"),
    Rule("reduce::DeviceReduceSingleTileKernel", "sum-partials", rf"plus<void>.*{_PARTIALS}", items="blocks", element="sum"),
    Rule("reduce::DeviceReduceSingleTileKernel", "thrust-partials", _PARTIALS, items="blocks", element="sum"),
    *(
        Rule(f"reduce::{kernel}", variant, pattern)
        for kernel in ("DeviceReduceKernel", "DeviceReduceSingleTileKernel")
        for variant, pattern in (
            ("argmin", "ArgM"),
            ("max", "maximum|minimum"),
            ("inner-product", "zip_function"),
            ("count", "transform_iterator"),
            ("transform", r"^(?!.*cuda::__identity>)"),
            ("thrust", "thrust::"),
            ("sum", ""),
        )
    ),
    Rule("scan::DeviceScanInitKernel", "", items="tiles", element="any", further=_TILE_STATE_BYTES),
    Rule("scan::DeviceCompactInitKernel", "", items="tiles", element="any", further=_TILE_STATE_BYTES),
    Rule("scan::DeviceScanKernel", "thrust", "thrust::", written=1),
    Rule("scan::DeviceScanKernel", "exclusive", "InputValue", written=1),
    Rule("scan::DeviceScanKernel", "inclusive", written=1),
    Rule("select::DeviceSelectSweepKernel", "thrust-remove", "__not_fn", written=0.5),
    Rule("select::DeviceSelectSweepKernel", "thrust-if", "thrust::", written=0.5),
    Rule("select::DeviceSelectSweepKernel", "unique", "equal_to", written=1),
    Rule("select::DeviceSelectSweepKernel", "if", written=0.5),
    Rule("radix_sort::DeviceRadixSortHistogramKernel", "long", "unsigned long long"),
    Rule("radix_sort::DeviceRadixSortHistogramKernel", ""),
    Rule("radix_sort::DeviceRadixSortExclusiveSumKernel", "long", "unsigned long long"),
    Rule("radix_sort::DeviceRadixSortExclusiveSumKernel", ""),
    *(
        Rule(f"radix_sort::{kernel}", variant, pattern, written=1, further=further)
        for kernel in ("DeviceRadixSortOnesweepKernel", "DeviceRadixSortSingleTileKernel")
        for variant, pattern, further in (
            ("keys-long", r"policy_hub<[\w ]+, cub::NullType, unsigned long long", 0.0),
            ("keys", r"policy_hub<[\w ]+, cub::NullType", 0.0),
            ("pairs-long", r"policy_hub<[\w ]+, int, unsigned long long", 4.0),
            ("pairs", "", 4.0),
        )
    ),
    Rule("histogram::DeviceHistogramInitKernel", "", element="any"),
    Rule("histogram::DeviceHistogramSweepKernel", ""),
    Rule("reduce::DeviceReduceByKeyKernel", "runs", "rle::policy_hub", written=1, further=4.0),
    Rule("reduce::DeviceReduceByKeyKernel", "", written=1, further=4.0),
    Rule("transform::transform_kernel", "gather", "permutation_iterator", written=1),
    Rule("transform::transform_kernel", "unary", "policy_hub<1", written=1),
    Rule("transform::transform_kernel", "binary", "policy_hub<0", written=1),
    Rule("for_each::static_kernel", "fill", "__fill", written=1),
    Rule("for_each::static_kernel", "sequence", "__tabulate", written=1),
    Rule("for_each::static_kernel", "for-each", written=1),
    Rule("core::_kernel_agent", "init", "InitAgent", items="tiles", element="any", further=_TILE_STATE_BYTES),
    Rule("core::_kernel_agent", "drain", "DrainAgent", element="any"),
    Rule("core::_kernel_agent", "unique", "UniqueAgent", written=1),
    Rule("core::_kernel_agent", "by-key", "ReduceByKeyAgent", written=1, further=4.0),
    Rule("core::_kernel_agent", "extremum-partials", r"_kernel_agent<__reduce::ReduceAgent<cuda::tuple", items="blocks"),
    Rule("core::_kernel_agent", "extremum"),
    Rule("merge_sort::DeviceMergeSortBlockSortKernel", "", written=1),
    Rule("merge_sort::DeviceMergeSortPartitionKernel", "", items="tiles"),
    Rule("merge_sort::DeviceMergeSortMergeKernel", "", written=1),
    Rule("dot_kernel", "", element="sum"),
    Rule("reduce_1Block_kernel", "", items="blocks", element="sum"),
    Rule("axpy_kernel_val", "", element="sum", written=1),
    Rule("scal_kernel_val", "", element="sum", written=1),
    Rule("copy_kernel", "", element="sum", written=1),
    Rule("swap_kernel", "", element="sum", written=2),
    Rule("asum_kernel", "partials", items="blocks", element="sum"),
    Rule("asum_kernel", "", element="sum"),
    Rule("iamax_kernel", "partials", items="blocks", element="sum"),
    Rule("iamax_kernel", "", element="sum"),
    Rule("cublasLt::splitKreduce_kernel", "", items="grid", element="sum"),
)  # fmt: skip
"""Other kernels of matrices, and norms (whose work depends on the data), are not described by numbers of items."""

_TWO_STEPS = frozenset({"asum_kernel", "iamax_kernel"})
"""Kernels that run a second time, with one block, on what the blocks of the first have left."""


@dataclass
class Group:
    """Measured launches of one kernel, variant and type."""

    rule: Rule
    element: str
    rows: list[tuple[int, Row]] = field(default_factory=list)

    @property
    def threads(self) -> int:
        """Threads of a block."""
        row = self.rows[0][1]
        return int(row["block_x"]) * int(row["block_y"])

    def points(self) -> list[tuple[int, int]]:
        """(items, blocks) of the launches."""
        return [(items, blocks_of(row)) for items, row in self.rows]


def blocks_of(row: Row) -> int:
    """Blocks of the launch."""
    return int(row["grid_x"]) * int(row["grid_y"])


def kernel_name(full: str) -> str:
    """The name without result type, template arguments and parameters.

    >>> kernel_name("void scan::DeviceScanKernel<int, 3>(T1)")
    'scan::DeviceScanKernel'
    """
    return re.split(r"[<(]", full.removeprefix("void "))[0]


def rule_of(row: Row) -> Rule | None:
    """The rule for a row; None for kernels that are not modelled."""
    name = kernel_name(row["kernel"])
    for rule in RULES:
        if rule.name != name or not re.search(rule.pattern, row["kernel"]):
            continue
        if name in _TWO_STEPS and (rule.variant == "partials") != (row["grid_x"] == "1"):
            continue
        return rule
    return None


def read_groups(rows: list[Row]) -> list[Group]:
    """Groups of the rows that a rule fits, in the order of the rules."""
    groups: dict[tuple[int, str], Group] = {}
    for position, row in enumerate(rows):
        rule = rule_of(row)
        if rule is None:
            continue
        element = _element(rule, row)
        other = {"call": 0, "blocks": -1, "tiles": 1, "grid": 0}[rule.items]
        words = row["args"].split()
        items = int(words[0] if row["program"] == "blas" else words[-1])
        if other:
            items = blocks_of(rows[position + other])
        key = (RULES.index(rule), element)
        groups.setdefault(key, Group(rule, element)).rows.append((items, row))
    return [groups[key] for key in sorted(groups)]


def _element(rule: Rule, row: Row) -> str:
    if rule.element == "any":
        return "any"
    if rule.element == "key":
        return row["program"].rpartition("_")[2]
    words = "float|double" if row["program"] == "blas" else "int|long|float|double"
    found = re.search(rf"\b(?:{words})\b", row["kernel"])
    assert found is not None, row["kernel"]
    return found[0]


def grid_of(group: Group) -> dict[str, int]:
    """The rule that gives the blocks of all the group's launches."""
    if group.rule.items == "grid":
        return {}
    points = group.points()
    blocks = {found for _, found in points}
    most = max(blocks)
    if len(blocks) == 1 and (most == 1 or len(points) > 1):
        return {"blocks_per_sm": most // SMS} if most % SMS == 0 else {"blocks": most}
    threads = group.threads
    for cap, step in itertools.product((0, most), (threads, 32)):
        for tile in range(threads, 64 * threads, step):
            if all(blocks_needed(items, tile, cap) == found for items, found in points):
                capped = {"blocks_per_sm": cap // SMS} if cap % SMS == 0 else {"blocks": cap}
                return {"tile": tile, **(capped if cap else {})}
    for tile in range(threads, 64 * threads, threads):
        if all(
            blocks_needed(items, spread_tile(items, tile, threads, SMS)) == found
            for items, found in points
        ):
            return {"tile": tile, "spread": 1}
    return {"tile": round(max(items / found for items, found in points))}


def fit(points: list[tuple[int, int]], values: list[float]) -> tuple[tuple[float, ...], float]:
    """Terms for each item, block and launch, and the largest relative error.

    >>> terms, error = fit([(100, 1), (1000, 10), (3000, 20)], [205.0, 2050.0, 6100.0])
    >>> [round(term, 6) for term in terms], round(error, 6)
    ([2.0, 5.0, 0.0], 0.0)
    """
    measured = np.array(values, dtype=float)
    if not measured.any():
        return (0.0, 0.0, 0.0), 0.0
    matrix = np.array([(items, blocks, 1) for items, blocks in points], dtype=float)
    weights = 1 / np.maximum(measured, measured.max() * 1e-6)
    found: list[tuple[float, int, tuple[float, ...]]] = []
    for size in (1, 2, 3):
        # of a single launch all is taken to be the blocks' part
        for columns in itertools.combinations((1, 2, 0), size):
            part = matrix[:, columns] * weights[:, None]
            terms = np.linalg.lstsq(part, measured * weights, rcond=None)[0]
            if (terms < 0).any():
                continue
            whole = np.zeros(3)
            whole[list(columns)] = terms
            error = float(np.abs(matrix @ whole * weights - measured * weights).max())
            found.append((error, size, tuple(float(term) for term in whole)))
    best = min(error for error, _, _ in found)
    # of equally good fits the one with the fewest terms
    error, _, terms = min(
        (entry for entry in found if entry[0] <= best + 0.002), key=lambda e: e[1]
    )
    return terms, error


def table_text(groups: list[Group], source: str) -> tuple[str, list[tuple[float, str]]]:
    """The table as TOML, and the largest relative error of each fitted amount."""
    lines = [
        "# Kernels of CUDA's libraries: written by scripts/fit_library_kernels.py, not by hand.",
        f"# Measured: {source}.",
        "# Amounts of a launch are given as [for each item, for each block, once]; bytes written as those of each item.",
        "# Grids: `tile` items a block, at most `blocks_per_sm` for each SM (or `blocks`); without a tile always that many.",
        "# `pattern`: what the template arguments of the variant hold; of one name the first that fits is meant.",
        "# `spread`: while there are fewer items than a tile for each resident thread, blocks get as many times fewer.",
        "",
    ]
    errors: list[tuple[float, str]] = []
    for rule, members in itertools.groupby(groups, key=lambda group: group.rule):
        lines += ["[[kernel]]", f'name = "{rule.name}"', f'variant = "{rule.variant}"']
        if rule.pattern:
            lines.append(f"pattern = '{rule.pattern}'")
        for group in members:
            row = group.rows[0][1]
            entries = {"block": [int(row["block_x"]), int(row["block_y"])], **grid_of(group)}
            lines.append(f"[kernel.{group.element}]")
            lines += [f"{key} = {value}" for key, value in entries.items()]
            for amount, columns in AMOUNTS.items():
                values = [
                    sum(float(row[name] or 0) for name in columns.split()) for _, row in group.rows
                ]
                terms, error = fit(group.points(), values)
                errors.append((error, f"{rule.name} {rule.variant} {group.element} {amount}"))
                if any(terms):
                    lines.append(f"{amount} = [{', '.join(f'{term:.5g}' for term in terms)}]")
            written = rule.written * ELEMENTS.get(group.element, 0) + rule.further
            if written:
                lines.append(f"write_bytes = {written:g}")
        lines.append("")
    return "\n".join(lines), errors


def main() -> int:
    """Fit, write and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("labels", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--source", default="H100 SXM, CUDA 13.0")
    arguments = parser.parse_args()
    with arguments.labels.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    text, errors = table_text(read_groups(rows), arguments.source)
    if arguments.output is None:
        sys.stdout.write(text)
    else:
        arguments.output.write_text(text, encoding="utf-8")
    counted = [error for error, _ in errors]
    for limit in (0.02, 0.1, 0.25, 0.5):
        share = sum(error <= limit for error in counted) / max(len(counted), 1)
        sys.stderr.write(f"{share:6.1%} of {len(counted)} amounts within {limit:.0%}\n")
    for error, label in sorted(errors, reverse=True)[:20]:
        sys.stderr.write(f"{error:8.1%}  {label}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
