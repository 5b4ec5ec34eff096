"""Which results lie in docs/results, and what the pages on accuracy call them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from accuracy_markdown import Figures

RESULTS = Path(__file__).parents[1] / "docs" / "results"

NVCC, CLANG, OPENMP = "CUDA by nvcc 13", "CUDA by clang 18", "OpenMP by clang 18"


@dataclass(frozen=True, slots=True)
class Table:
    """A label table, of which there may be results with `-first` and `-inferred` behind its name."""

    name: str
    title: str
    kind: str = ""
    """Language and compiler of a blind set; empty for tables of development."""


BLIND = (
    Table("blind", "first set: 87 programs, H100", NVCC),
    Table("blind-suite", "second set: 52 programs in the form of a suite, H100", NVCC),
    Table("blind-third", "third set: 40 programs, H200", NVCC),
    Table("blind-fourth", "fourth set: 26 programs, H200", NVCC),
    Table("blind-fifth", "fifth set: 26 programs, H200", NVCC),
    Table("blind-sixth", "sixth set: 26 programs, H200", NVCC),
    Table("blind-seventh", "seventh set: 26 programs, H200", NVCC),
    Table("blind-eighth", "eighth set: 26 programs, H200", NVCC),
    Table("blind-ninth", "ninth set: 26 programs, H200", NVCC),
    Table("blind-tenth", "tenth set: 22 programs, H200", NVCC),
    Table("blind-eleventh", "eleventh set: 22 programs, H200", NVCC),
    Table("blind-third-clang", "third set: 39 of the programs, H200", CLANG),
    Table("blind-fourth-clang", "fourth set: 25 of the programs, H200", CLANG),
    Table("blind-fifth-clang", "fifth set: 25 of the programs, H200", CLANG),
    Table("blind-sixth-clang", "sixth set: 24 of the programs, H200", CLANG),
    Table("blind-seventh-clang", "seventh set: 22 of the programs, H200", CLANG),
    Table("blind-eighth-clang", "eighth set: 24 of the programs, H200", CLANG),
    Table("blind-ninth-clang", "ninth set: 26 programs, H200", CLANG),
    Table("blind-tenth-clang", "tenth set: 21 of the programs, H200", CLANG),
    Table("blind-eleventh-clang", "eleventh set: 22 programs, H200", CLANG),
    Table("blind-openmp", "first set: 38 programs, H100", OPENMP),
    Table("blind-suite-openmp", "second set: 22 programs in the form of a suite, H100", OPENMP),
    Table("blind-third-openmp", "third set: 18 programs, H200", OPENMP),
    Table("blind-fourth-openmp", "fourth set: 18 programs, H200", OPENMP),
    Table("blind-fifth-openmp", "fifth set: 18 programs, H200", OPENMP),
    Table("blind-sixth-openmp", "sixth set: 18 programs, H200", OPENMP),
    Table("blind-seventh-openmp", "seventh set: 14 programs, H200", OPENMP),
    Table("blind-eighth-openmp", "eighth set: 14 programs, H200", OPENMP),
    Table("blind-ninth-openmp", "ninth set: 14 programs, H200", OPENMP),
    Table("blind-tenth-openmp", "tenth set: 13 programs, H200", OPENMP),
    Table("blind-eleventh-openmp", "eleventh set: 14 programs, H200", OPENMP),
)

DEVELOPMENT = (
    Table("rtx3080", "HeCBench, RTX 3080"),
    Table("h100", "HeCBench, H100"),
    Table("4gpu", "HeCBench, four cards, averages over launches"),
    Table("fixtures", "own fixtures, H100"),
    Table("fixtures-second-sizes", "own fixtures at second sizes, H100, launch inferred"),
)

FIRST, INFERRED = "-first", "-inferred"


def load() -> dict[str, Figures]:
    """Return the results by the names of their files, in the order of the tables.

    Raises:
        ValueError: A file is of no table that is named here.
    """
    files = {path.stem for path in RESULTS.glob("*.json")}
    wanted = [name for table in (*DEVELOPMENT, *BLIND) for name in variants(table)]
    if not files.issubset(wanted):
        raise ValueError(f"results of no known table: {sorted(files.difference(wanted))}")
    return {
        name: json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
        for name in wanted
        if name in files
    }


def variants(table: Table) -> Iterator[str]:
    """Yield the names that results of a table may have."""
    for first in (FIRST, "") if table.kind else ("",):
        for inferred in ("", INFERRED):
            yield f"{table.name}{first}{inferred}"


def title(name: str) -> str:
    """Return what a result is of, in words."""
    plain = name.removesuffix(INFERRED)
    found = next(
        table for table in (*BLIND, *DEVELOPMENT) if table.name == plain.removesuffix(FIRST)
    )
    words = [f"{found.kind}, {found.title}" if found.kind else found.title]
    if found.kind:
        words.append("first predictions" if plain.endswith(FIRST) else "after work on its errors")
    if name != plain:
        words.append("launch inferred")
    return ", ".join(words)
