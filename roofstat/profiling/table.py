"""Write measured launches as a label table, in the form that `roofstat eval --labels` reads."""

from __future__ import annotations

import csv
import io
import re
import shlex
from typing import TYPE_CHECKING, Final

from clang_queries.quick_dataclass import dataclass
from clang_queries.signatures import demangle
from roofstat.evaluation.judgement import JUDGED, judge
from roofstat.evaluation.labels import COUNT_OF_TYPE, Quantity
from roofstat.profiling import ncu_counters, rocprof
from roofstat.report import Language
from roofstat.roofline import NumberType, Verdict, ridges

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from roofstat.hardware import Gpu
    from roofstat.profiling.launches import ProfiledLaunch

FIRST_OF_EACH: Final = "first launch of each kernel and launch configuration"
EVERY: Final = "every launch"

_RIDGES: Final = {
    NumberType.FP32: "ridge_sp",
    NumberType.FP64: "ridge_dp",
    NumberType.INT: "ridge_int",
}
_COLUMNS: Final = (
    "suite",
    "program",
    "sources",
    "flags",
    "language",
    "kernel",
    "symbol",
    "function",
    "line",
    "args",
    "gpu",
    *(f"{part}_{axis}" for part in ("grid", "block") for axis in "xyz"),
    "compiler",
    "selection",
    "time_ns",
    *(quantity.value for quantity in Quantity),
    *_RIDGES.values(),
    "label",
    "tensor",
    "note",
)
_OFFLOADED: Final = re.compile(
    r"__omp_offloading_[0-9a-f]+_[0-9a-f]+_(?P<function>.+)_l(?P<line>\d+)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFacts:
    """What a table says of a program beside what was measured.

    Attributes:
        program: Name of the program; that of the process where empty.
        sources: Translation units, relative to the folder that `roofstat eval --sources` will name.
        args: Arguments of the program; None where they are not known.
        selection: Which launches the rows are.
        note: Remark on every row.
    """

    program: str = ""
    suite: str = ""
    sources: tuple[str, ...] = ()
    flags: str = ""
    compiler: str = ""
    args: tuple[str, ...] | None = None
    selection: str = FIRST_OF_EACH
    note: str = ""


def table_text(
    launches: Sequence[ProfiledLaunch],
    facts: RowFacts,
    card_of: Callable[[ProfiledLaunch], Gpu | None],
    *,
    header: bool = True,
) -> str:
    """The table as CSV.

    Args:
        launches: The rows.
        facts: What they have in common.
        card_of: The card of a launch, whose ridges make the label; None where it is not known.
        header: Whether the names of the columns come first.
    """
    stream = io.StringIO()
    writer = csv.DictWriter(stream, _COLUMNS, restval="", lineterminator="\n")
    if header:
        writer.writeheader()
    writer.writerows(_cells(launch, facts, card_of(launch)) for launch in launches)
    return stream.getvalue()


def lacking_notes(launches: Sequence[ProfiledLaunch]) -> list[str]:
    """Why rows have no label for want of counters, and which counters to collect; one note for each profiler."""
    notes: list[str] = []
    for of_nvidia in (True, False):
        rows = [
            [quantity for quantity in JUDGED if quantity not in launch.measured]
            for launch in launches
            if (launch.language is not Language.HIP) is of_nvidia
        ]
        lacking = list(dict.fromkeys(quantity for row in rows for quantity in row))
        if not lacking:
            continue
        counters = ncu_counters.counters_of(lacking) if of_nvidia else rocprof.counters_of(lacking)
        notes.append(
            f"{sum(map(bool, rows))} rows have no label: {', '.join(quantity.value for quantity in lacking)} not measured; they need "
            + (f"ncu --metrics {','.join(counters)}" if of_nvidia else " ".join(counters))
        )
    return notes


def _cells(launch: ProfiledLaunch, facts: RowFacts, card: Gpu | None) -> dict[str, str]:
    shape = {
        f"{part}_{axis}": str(number)
        for part, size in (("grid", launch.grid), ("block", launch.block))
        for axis, number in zip("xyz", size or (), strict=False)
    }
    return {
        "suite": facts.suite,
        "program": facts.program or launch.process or "program",
        "sources": ";".join(facts.sources),
        "flags": facts.flags,
        **_identity(launch),
        "args": shlex.join(facts.args or ()),
        "gpu": "" if card is None else card.id,
        **shape,
        "compiler": facts.compiler,
        "selection": facts.selection,
        "time_ns": "" if launch.time_s is None else _number(launch.time_s * 1e9),
        **{quantity.value: _number(value) for quantity, value in launch.measured.items()},
        **_label(launch, card),
        "tensor": "yes" if launch.tensor else "",
        "note": "; ".join(note for note in (facts.note, launch.note) if note),
    }


def _identity(launch: ProfiledLaunch) -> dict[str, str]:
    """Language and name. Kernels of OpenMP are called after the place of their directive."""
    offloaded = _OFFLOADED.fullmatch(launch.kernel)
    if offloaded is None:
        return {
            "language": launch.language.value,
            "kernel": launch.kernel,
            "symbol": launch.symbol or "",
        }
    return {
        "language": Language.OPENMP.value,
        "kernel": launch.kernel,
        "function": demangle(offloaded["function"]),
        "line": offloaded["line"],
    }


def _label(launch: ProfiledLaunch, card: Gpu | None) -> dict[str, str]:
    """The class under the tables' rule, with the ridges that made it; empty where something is lacking."""
    if card is None:
        return {}
    all_ridges = ridges(card)
    judged_by: Mapping[NumberType, float] = {
        kind: all_ridges[kind] for kind in COUNT_OF_TYPE if kind in all_ridges
    }
    cells = {_RIDGES[kind]: f"{ridge:.5g}" for kind, ridge in judged_by.items()}
    if any(quantity not in launch.measured for quantity in JUDGED):
        return cells
    verdict = judge(launch.measured, judged_by).verdict
    return cells if verdict is Verdict.UNKNOWN else {**cells, "label": verdict.value}


def _number(value: float) -> str:
    """Counts without a point, other numbers as short as they are exact to nine digits."""
    return str(int(value)) if value == int(value) else f"{value:.9g}"
