"""Read what `ncu --csv --page raw` prints: a row of names, a row of units, and a row for each profiled launch.

Lines of the profiler and of the program around the table do not matter. Units may be base or scaled ones.
"""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from roofstat.errors import ProfileError
from roofstat.profiling import ncu_counters
from roofstat.profiling.launches import ProfiledLaunch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roofstat.evaluation.labels import Dim3

_FIRST_COLUMN: Final = "ID"
_KERNEL: Final = "Kernel Name"
_POWERS: Final = ("", "K", "M", "G", "T")
_SECONDS: Final = {
    **dict.fromkeys(("ns", "nsecond"), 1e-09),
    **dict.fromkeys(("us", "usecond"), 1e-06),
    **dict.fromkeys(("ms", "msecond"), 0.001),
    **dict.fromkeys(("s", "second"), 1.0),
}
_SCALED_BYTES: Final = re.compile(r"([KkMGT]?)(i?)(?:[Bb]ytes?|B)")
_NUMBER: Final = re.compile(
    r"(-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?(?:[eE][+-]?\d+)?)(?: \(.*\))?"
)
"""Commas stand between groups of three digits only: elsewhere they are the point of another language."""
_MEASURES: Final = ncu_counters.BYTES | {ncu_counters.TIME}
"""Columns with a unit; what else is read is counted."""
_NO_NUMBER: Final = frozenset({"", "n/a", "N/A", "(!) n/a", "nan", "inf"})


def read_ncu_csv(text: str, file: str) -> tuple[ProfiledLaunch, ...]:
    """Read an export.

    Args:
        text: The export.
        file: Its name, for messages.

    Raises:
        ProfileError: It holds no such table, no launch, or a cell that is not what it must be.
    """
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines) if _is_header(line)), None)
    if start is None:
        raise _no_table(text, file)
    header, *rows = csv.reader(line for line in lines[start:] if line.startswith('"'))
    if "Metric Name" in header:
        raise ProfileError(
            "it is the page of details, a line for each metric",
            file=file,
            remedy="export with ncu --csv --page raw",
        )
    units: Mapping[str, str] = {}
    launches: list[ProfiledLaunch] = []
    for row in rows:
        if len(row) != len(header):
            raise ProfileError(
                f"a line of the table has {len(row)} cells for {len(header)} names",
                file=file,
                remedy="export it again: it is cut off or another program wrote into it",
            )
        cells = dict(zip(header, row, strict=True))
        if row[0] == _FIRST_COLUMN:  # another export follows in the same file
            header, units = row, {}
        elif not cells[_FIRST_COLUMN]:
            units = cells
        else:
            launches.append(_Row(cells, units, file).launch())
    if not launches:
        raise _no_launch(file)
    ran = [launch for launch in launches if 0 not in (launch.grid or ())]
    if ran and not any(launch.measured for launch in ran):
        raise ProfileError(
            "it holds none of the counters of a table",
            file=file,
            remedy=f"profile with ncu --metrics {','.join(ncu_counters.COLLECTED)}",
        )
    return tuple(launches)


def has_signature(kernel: str) -> bool:
    """Whether a name tells the instances of a template apart: a demangled or mangled one, not that of a function."""
    return "(" in kernel or kernel.startswith(("_Z", "__omp_offloading_"))


def with_symbols(
    launches: Sequence[ProfiledLaunch], mangled: Sequence[ProfiledLaunch]
) -> tuple[ProfiledLaunch, ...]:
    """The launches with the names that the same export has under `--print-kernel-base mangled`."""
    return tuple(
        replace(launch, symbol=other.kernel if other.kernel.startswith("_Z") else None)
        for launch, other in zip(launches, mangled, strict=True)
    )


def _is_header(line: str) -> bool:
    return line.startswith(f'"{_FIRST_COLUMN}",') and f'"{_KERNEL}"' in line


def _no_launch(file: str) -> ProfileError:
    return ProfileError(
        "it holds no profiled kernel",
        file=file,
        remedy="profile a run in which the program launches one",
    )


def _no_table(text: str, file: str) -> ProfileError:
    if "No kernels were profiled" in text:
        return _no_launch(file)
    return ProfileError(
        "it is no table of Nsight Compute, rocprofv3 or rocprof-compute",
        file=file,
        remedy="export with ncu --csv --page raw (from a run or with --import FILE.ncu-rep), or rocprofv3 --output-format csv",
    )


def _bytes_of(unit: str) -> float | None:
    """Bytes of a unit such as `Mbyte`, `kB` or `Kibyte`; None where it is none."""
    size = _SCALED_BYTES.fullmatch(unit)
    return None if size is None else (1024.0 if size[2] else 1e3) ** _POWERS.index(size[1].upper())


class _Row:
    """The cells of one launch, read by kind."""

    def __init__(self, cells: Mapping[str, str], units: Mapping[str, str], file: str) -> None:
        self._cells = cells
        self._units = units
        self._file = file

    def launch(self) -> ProfiledLaunch:
        grid = self._shape("Grid Size", "launch__grid_dim")
        block = self._shape("Block Size", "launch__block_dim")
        shared = self._cells.get("launch__shared_mem_per_block_dynamic", "")
        tensor = self.value(ncu_counters.TENSOR)
        return ProfiledLaunch(
            kernel=self._cells[_KERNEL],
            grid=grid,
            block=block,
            configuration=f"{grid} {block} {shared}",
            device=self._text(ncu_counters.DEVICE_NAME),
            process=PurePath(name).name if (name := self._text("Process Name")) else None,
            time_s=self.value(ncu_counters.TIME),
            measured=ncu_counters.quantities(self.value),
            tensor=None
            if tensor is None
            else tensor > (self.value(ncu_counters.HALF_ON_TENSOR) or 0),
        )

    def _text(self, column: str) -> str | None:
        return self._cells.get(column) or None

    def value(self, column: str) -> float | None:
        """A number in base units (bytes, seconds, plain counts); None where it was not collected."""
        text = self._cells.get(column, "")
        if text in _NO_NUMBER:
            return None
        number = _NUMBER.fullmatch(text)
        if number is None:
            raise self._wrong(f"{column} is {text!r}, not a number")
        value = float(number[1].replace(",", "")) * self._scale(column)
        if value < 0:
            raise self._wrong(f"{column} is {text!r}, below zero")
        if column not in _MEASURES and not value.is_integer():
            raise self._wrong(f"{column} is {text!r}, not a whole number")
        return value

    def _wrong(self, problem: str) -> ProfileError:
        return ProfileError(
            problem,
            file=self._file,
            remedy="export it again with LC_ALL=C ncu --csv --page raw",
        )

    def _scale(self, column: str) -> float:
        if column not in _MEASURES:
            return 1.0
        unit = self._units.get(column, "")
        scale = _SECONDS.get(unit) if column == ncu_counters.TIME else _bytes_of(unit)
        if scale is None:
            kind = "time" if column == ncu_counters.TIME else "bytes"
            raise ProfileError(
                f"{column} is in {unit!r}, no unit of {kind}"
                if unit
                else f"{column} has no unit; the second line of the table holds the units",
                file=self._file,
                remedy="export it again with ncu --csv --page raw --print-units base, and keep all lines",
            )
        return scale

    def _shape(self, column: str, parts: str) -> Dim3 | None:
        """`(16, 1, 1)` of newer exports, or the launch's own metrics of older ones."""
        numbers = re.findall(r"\d+", self._cells.get(column, ""))
        if len(numbers) == 3:
            return (int(numbers[0]), int(numbers[1]), int(numbers[2]))
        x, y, z = (self.value(f"{parts}_{axis}") for axis in "xyz")
        return None if x is None else (int(x), int(y or 1), int(z or 1))
