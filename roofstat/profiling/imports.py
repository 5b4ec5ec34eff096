"""Read exports that were made elsewhere, and put the files of one run together."""

from __future__ import annotations

import codecs
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from clang_queries.quick_dataclass import dataclass
from roofstat.errors import ProfileError, reason_of
from roofstat.evaluation.labels import COUNT_OF_TYPE
from roofstat.profiling.ncu import REPORT_SUFFIX, import_report
from roofstat.profiling.ncu_export import has_signature, read_ncu_csv
from roofstat.profiling.rocprof import is_rocprof_csv, read_rocprof_csv

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from roofstat.profiling.launches import ProfiledLaunch

_BARE: Final = "names without signature: the instances of a template look alike"


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What came of exports.

    Attributes:
        launches: In the order of the files.
        repeated: How many launches of a file are, by kernel and configuration, those of a file before it.
        notes: What the user should know of the files.
    """

    launches: tuple[ProfiledLaunch, ...]
    repeated: Counter[str]
    notes: tuple[str, ...]


def read_exports(names: Sequence[str], ncu: Callable[[], Path]) -> Imported:
    """Read reports and tables of either profiler.

    Args:
        names: Paths of the files.
        ncu: Where the program of Nsight Compute is; asked only where there is a report.

    Raises:
        ProfileError: A file cannot be read, or holds nothing.
    """
    files: list[tuple[str, tuple[ProfiledLaunch, ...]]] = []
    passes: list[tuple[str, str]] = []
    notes: list[str] = []
    for name in names:
        if name.endswith(REPORT_SUFFIX):
            if not Path(name).is_file():
                raise ProfileError("no such file", file=name, remedy="give the path of a report")
            files.append((name, import_report(Path(name), ncu())))
            continue
        text = _text(name)
        if is_rocprof_csv(text):
            passes.append((text, name))
            continue
        launches = read_ncu_csv(text, name)
        if not any(has_signature(launch.kernel) for launch in launches):
            launches = tuple(map(_told_apart, launches))
            notes.append(
                f"{name}: {_BARE}, and eval may take another than was measured; "
                "export without --print-kernel-base function"
            )
        files.append((name, launches))
    if passes:
        files.append((passes[0][1], read_rocprof_csv(passes)))
    together, repeated = _put_together(files)
    return Imported(launches=together, repeated=repeated, notes=tuple(notes))


def _put_together(
    files: Sequence[tuple[str, Sequence[ProfiledLaunch]]],
) -> tuple[tuple[ProfiledLaunch, ...], Counter[str]]:
    """Make one launch of those that several files have, each with other counters.

    The n-th launch of a kernel and configuration in one file is the n-th in another. Where both measured the same
    quantity they are two runs, and both stay.

    Returns:
        The launches, and how many of each file are repetitions of those of a file before it.
    """
    launches: list[ProfiledLaunch] = []
    places: dict[tuple[tuple[str, str, str], int], int] = {}
    repeated: Counter[str] = Counter()
    for name, more in files:
        seen: Counter[tuple[str, str, str]] = Counter()
        for launch in more:
            number = (launch.key, seen[launch.key])
            seen[launch.key] += 1
            place = places.setdefault(number, len(launches))
            if place == len(launches):
                launches.append(launch)
            elif launches[place].measured.keys() & launch.measured.keys():
                repeated[name] += 1
                launches.append(launch)
            else:
                launches[place] = _with_counters_of(launches[place], launch)
    return tuple(launches), repeated


def _with_counters_of(launch: ProfiledLaunch, other: ProfiledLaunch) -> ProfiledLaunch:
    return replace(
        launch,
        measured={**launch.measured, **other.measured},
        time_s=other.time_s if launch.time_s is None else launch.time_s,
        tensor=other.tensor if launch.tensor is None else launch.tensor,
    )


def _told_apart(launch: ProfiledLaunch) -> ProfiledLaunch:
    """The launch with its arithmetic as part of its configuration: what differs in it may be another kernel."""
    counts = [launch.measured.get(quantity) for quantity in COUNT_OF_TYPE.values()]
    return replace(launch, configuration=f"{launch.configuration} {counts}", note=_BARE)


def _text(name: str) -> str:
    try:
        content = Path(name).read_bytes()
    except OSError as error:
        raise ProfileError(
            f"cannot read it: {reason_of(error)}", file=name, remedy="give the path of an export"
        ) from error
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    # Names of programs and machines may be in any encoding; nothing that is read is.
    text = content.decode("utf-16" if wide else "utf-8-sig", "replace")
    if "\0" in text:
        raise ProfileError(
            "it is not text", file=name, remedy="give .ncu-rep files their suffix, or export CSV"
        )
    return text
