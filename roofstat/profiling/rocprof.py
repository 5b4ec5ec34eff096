"""Read CSV of AMD's profilers, as far as their documentation says what it means. Never tried on a card.

`rocprofv3` writes a row for each dispatch and counter (`counter_collection.csv`), `rocprof-compute` a row for each
dispatch with a column for each counter (`pmc_perf.csv`). Both give the work items of a dispatch and of a work group
as one number, so that the axes of a launch are not known, and neither names the card.

Counts are instructions of a wave times its lanes: lanes that are switched off count too, unlike in NVIDIA's counters.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Final

from roofstat.errors import ProfileError
from roofstat.evaluation.labels import Quantity
from roofstat.profiling.launches import ProfiledLaunch
from roofstat.report import Language

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

UNTESTED: Final = "untested: read by the documentation of AMD's profiler alone"

_WAVE: Final = 64.0
"""Lanes of a wave on the CDNA cards that have these counters."""
_VALU: Final = "SQ_INSTS_VALU_{}"
_MATRIX_PREFIX: Final = "SQ_INSTS_VALU_MFMA_MOPS_"


def _arithmetic(bits: int) -> dict[str, float]:
    weights = (("ADD", 1.0), ("MUL", 1.0), ("FMA", 2.0))
    return {_VALU.format(f"{name}_F{bits}"): _WAVE * weight for name, weight in weights}


_COUNTS: Final[Mapping[Quantity, Mapping[str, float]]] = {
    Quantity.SP_FLOP: _arithmetic(32),
    Quantity.DP_FLOP: _arithmetic(64),
    Quantity.HP_FLOP: _arithmetic(16),
    Quantity.INT_OP: {_VALU.format("INT32"): _WAVE, _VALU.format("INT64"): _WAVE},
    Quantity.DRAM_READ_BYTES: {"FETCH_SIZE": 1024.0},
    Quantity.DRAM_WRITE_BYTES: {"WRITE_SIZE": 1024.0},
    Quantity.DRAM_BYTES: {"FETCH_SIZE": 1024.0, "WRITE_SIZE": 1024.0},
}
"""FETCH_SIZE and WRITE_SIZE are in KiB."""


def is_rocprof_csv(text: str) -> bool:
    """Whether a text begins like a table of AMD's profilers."""
    names = set(next(csv.reader(io.StringIO(text)), []))
    return "Kernel_Name" in names and "Grid_Size" in names


def read_rocprof_csv(exports: Sequence[tuple[str, str]]) -> tuple[ProfiledLaunch, ...]:
    """Read either form. Several exports are the passes of one run, each with other counters.

    Args:
        exports: Text and file name of each.

    Raises:
        ProfileError: There is no dispatch, the passes differ in their kernels, or a cell is not a number.
    """
    dispatches: dict[str, dict[str, str]] = {}
    for text, file in exports:
        for position, row in enumerate(csv.DictReader(io.StringIO(text))):
            number = row.get("Dispatch_Id") or row.get("Dispatch_ID") or str(position)
            merged = dispatches.setdefault(number, {})
            kernel = row.get("Kernel_Name") or ""
            if merged.get("Kernel_Name", kernel) != kernel:
                raise ProfileError(
                    f"dispatch {number} is another kernel than in the exports before it",
                    file=file,
                    remedy="import the passes of one run together, and each run alone",
                )
            merged |= {name: cell for name, cell in row.items() if name and cell}
            if row.get("Counter_Name"):
                merged[row["Counter_Name"]] = row.get("Counter_Value") or ""
    files = ", ".join(file for _, file in exports)
    if not dispatches:
        raise ProfileError(
            "it holds no dispatch", file=files, remedy="profile a run that launches a kernel"
        )
    launches = tuple(_launch(cells, files) for cells in dispatches.values())
    if not any(launch.measured for launch in launches):
        raise ProfileError(
            "it holds none of the counters of a table",
            file=files,
            remedy=f"profile with {' '.join(counters_of(_COUNTS))}",
        )
    return launches


def counters_of(wanted: Iterable[Quantity]) -> tuple[str, ...]:
    """The counters that quantities are made of; none for quantities that are not read here."""
    return tuple(dict.fromkeys(name for quantity in wanted for name in _COUNTS.get(quantity, ())))


def _launch(cells: Mapping[str, str], file: str) -> ProfiledLaunch:
    def value(name: str) -> float | None:
        text = cells.get(name)
        if not text:
            return None
        try:
            return float(text)
        except ValueError:
            raise ProfileError(
                f"{name} is {text!r}, not a number", file=file, remedy="export it again"
            ) from None

    begin, end = value("Start_Timestamp"), value("End_Timestamp")
    matrix = [value(name) for name in cells if name.startswith(_MATRIX_PREFIX)]
    sizes = (
        f"{cells.get('Grid_Size', '?')} work items in groups of {cells.get('Workgroup_Size', '?')}"
    )
    return ProfiledLaunch(
        kernel=cells["Kernel_Name"],
        configuration=sizes,
        time_s=None if begin is None or end is None else (end - begin) * 1e-9,
        measured=_quantities([(name, value(name)) for name in cells if name.isupper()]),
        tensor=any(matrix) if matrix else None,
        note=f"{sizes}; {UNTESTED}",
        language=Language.HIP,
    )


def _quantities(counters: Sequence[tuple[str, float | None]]) -> dict[Quantity, float]:
    known = {name: number for name, number in counters if number is not None}
    return {
        quantity: sum(known[name] * weight for name, weight in terms.items())
        for quantity, terms in _COUNTS.items()
        if all(name in known for name in terms)
    }
