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
_PREFIXES: Final = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_SECONDS: Final = {
    **dict.fromkeys(("ns", "nsecond"), 1e-09),
    **dict.fromkeys(("us", "usecond"), 1e-06),
    **dict.fromkeys(("ms", "msecond"), 0.001),
    **dict.fromkeys(("s", "second"), 1.0),
}
_SCALED_BYTES: Final = re.compile(r"([KMGT]?)bytes?", re.IGNORECASE)


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
        if not cells[_FIRST_COLUMN]:
            units = cells
        else:
            launches.append(_Row(cells, units, file).launch())
    if not launches:
        raise _no_launch(file)
    return tuple(launches)


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
        "it is no table of Nsight Compute",
        file=file,
        remedy="export with ncu --csv --page raw, from a run or with --import FILE.ncu-rep",
    )


class _Row:
    """The cells of one launch, read by kind."""

    def __init__(self, cells: Mapping[str, str], units: Mapping[str, str], file: str) -> None:
        self._cells = cells
        self._units = units
        self._file = file

    def launch(self) -> ProfiledLaunch:
        grid = self._shape("Grid Size", "launch__grid_dim")
        block = self._shape("Block Size", "launch__block_dim")
        shared = self.value("launch__shared_mem_per_block_dynamic") or 0
        tensor = self.value(ncu_counters.TENSOR)
        return ProfiledLaunch(
            kernel=self._cells[_KERNEL],
            grid=grid,
            block=block,
            configuration=f"{grid} {block} {shared:g}",
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
        text = self._cells.get(column, "").replace(",", "")
        if text in {"", "n/a", "N/A", "nan", "inf"}:
            return None
        try:
            return float(text) * self._scale(column)
        except ValueError:
            raise ProfileError(
                f"{column} is {text!r}, not a number",
                file=self._file,
                remedy="export it again with LC_ALL=C",
            ) from None

    def _scale(self, column: str) -> float:
        unit = self._units.get(column, "")
        if unit in _SECONDS:
            return _SECONDS[unit]
        size = _SCALED_BYTES.fullmatch(unit)
        return _PREFIXES[size[1].upper()] if size else 1.0

    def _shape(self, column: str, parts: str) -> Dim3 | None:
        """`(16, 1, 1)` of newer exports, or the launch's own metrics of older ones."""
        numbers = re.findall(r"\d+", self._cells.get(column, ""))
        if len(numbers) == 3:
            return (int(numbers[0]), int(numbers[1]), int(numbers[2]))
        x, y, z = (self.value(f"{parts}_{axis}") for axis in "xyz")
        return None if x is None else (int(x), int(y or 1), int(z or 1))
