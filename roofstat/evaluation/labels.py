"""Label tables: one CSV row is one measured launch of one kernel.

Columns that a table lacks are absent facts (None), never zeros. Unknown columns are ignored, so that a table may carry
remarks of its own.
"""

from __future__ import annotations

import csv
import math
import re
import shlex
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from clang_queries.quick_dataclass import dataclass
from roofstat.errors import LabelError, reason_of
from roofstat.report import Language
from roofstat.roofline import NumberType, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Dim3: TypeAlias = tuple[int, int, int]
_K = TypeVar("_K")
_E = TypeVar("_E", bound=Enum)


class InputState(Enum):
    """Whether the files that the program's arguments name can be read. Values are the words of the tables."""

    NO_FILE = ""
    AVAILABLE = "yes"
    MISSING = "no"


class Quantity(Enum):
    """Measured quantities of a row. Values are the column names; units are in the label tables' description."""

    SP_FLOP = "sp_flop"
    DP_FLOP = "dp_flop"
    HP_FLOP = "hp_flop"
    INT_OP = "int_op"
    DRAM_BYTES = "dram_bytes"
    DRAM_READ_BYTES = "dram_read_bytes"
    DRAM_WRITE_BYTES = "dram_write_bytes"
    L2_BYTES = "l2_bytes"
    GLOBAL_LD_REQUESTS = "global_ld_requests"
    GLOBAL_LD_SECTORS = "global_ld_sectors"
    GLOBAL_ST_REQUESTS = "global_st_requests"
    GLOBAL_ST_SECTORS = "global_st_sectors"
    SHARED_BANK_CONFLICTS = "shared_bank_conflicts"
    LOCAL_SECTORS = "local_sectors"


COUNT_OF_TYPE: Final[Mapping[NumberType, Quantity]] = {
    NumberType.FP32: Quantity.SP_FLOP,
    NumberType.FP64: Quantity.DP_FLOP,
    NumberType.INT: Quantity.INT_OP,
}
"""The types that the tables' rule judges, and the counts whose intensity it compares with their ridges."""

_RIDGE_COLUMNS: Final[Mapping[NumberType, str]] = {
    NumberType.FP32: "ridge_sp",
    NumberType.FP64: "ridge_dp",
    NumberType.INT: "ridge_int",
}
_LABELS: Final = (Verdict.COMPUTE, Verdict.BANDWIDTH)
_MOST_THREADS: Final = 1024
"""Threads in a block that any card takes (CUDA and HIP alike: `max_threads_per_block` of the GPU files)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRow:
    """One measured launch.

    Attributes:
        table: Stem of the file that the row stands in.
        table_line: Line in that file (the header is line 1).
        sources: Translation units, relative to the folder of the sources.
        flags: Compiler flags, relative to the same folder.
        kernel: CUDA: the profiler's demangled name (a few are mangled); None for OpenMP.
        function: OpenMP: the enclosing function.
        line: OpenMP: line of the directive.
        args: Program arguments, None where the table does not say.
        gpu: Card id, None where the table does not say.
        time_s: Measured duration in seconds.
        measured: What was measured; absent keys were not.
        ridge_op_per_byte: Ridges that made the label, where given.
        label: The class, where the table gives it.
        suspect: Why the measured bytes are doubtful, empty where they are not.
    """

    table: str
    table_line: int
    suite: str
    program: str
    sources: tuple[str, ...]
    flags: tuple[str, ...]
    language: Language
    kernel: str | None
    symbol: str | None
    function: str | None
    line: int | None
    args: tuple[str, ...] | None
    gpu: str | None
    grid: Dim3 | None
    block: Dim3 | None
    compiler: str | None
    selection: str
    time_s: float | None
    measured: Mapping[Quantity, float]
    ridge_op_per_byte: Mapping[NumberType, float]
    label: Verdict | None
    suspect: str
    input_state: InputState
    tensor: bool
    note: str

    @property
    def family(self) -> str:
        """Program without the suffix of its form: the cluster that errors are correlated in."""
        return program_family(self.program)

    @property
    def kernel_id(self) -> str:
        """The kernel's name, or `function:line` for OpenMP: unique for a program in the tables seen."""
        if self.language is Language.OPENMP:
            return f"{self.function}:{self.line}"
        return self.kernel or self.symbol or ""

    @property
    def key(self) -> tuple[str, str, str, str, str, str]:
        """What identifies the row between two evaluations."""
        grid = "x".join(map(str, self.grid or ()))
        block = "x".join(map(str, self.block or ()))
        source = self.sources[0] if self.language is Language.OPENMP and self.sources else ""
        kernel = f"{source}:{self.kernel_id}" if source else self.kernel_id
        return (
            self.table,
            self.program,
            kernel,
            self.gpu or "",
            shlex.join(self.args or ()),
            f"{grid}/{block}/{self.table_line if self.grid is None else ''}",
        )


_FORM_SUFFIXES: Final = ("-cuda", "-omp", "-openmp", "-hip", "-sycl")
_TYPE_SUFFIX: Final = re.compile(
    r"(?<=.)[-_](?:(?:fp|bf|tf|f|int|uint|i|u|s)(?:8|16|32|64)|(?:half|float|double|int)[2-4]?)$"
)


def program_family(program: str) -> str:
    """The program's name without the suffixes of its form and of the type that it computes with.

    >>> program_family("saxpy-omp"), program_family("saxpy-cuda"), program_family("saxpy")
    ('saxpy', 'saxpy', 'saxpy')
    >>> program_family("matmul_fp32"), program_family("matmul_fp64-omp"), program_family("axpy-half2")
    ('matmul', 'matmul', 'axpy')
    """
    for suffix in _FORM_SUFFIXES:
        if program.endswith(suffix):
            program = program.removesuffix(suffix)
            break
    return _TYPE_SUFFIX.sub("", program)


def read_label_tables(files: Sequence[Path]) -> tuple[LabelRow, ...]:
    """Read several tables, in the order given.

    Raises:
        LabelError: A file is given twice, cannot be read, has no rows or holds a malformed row.
    """
    seen: set[Path] = set()
    for file in files:
        if file.resolve() in seen:
            raise _error(file, None, "is given twice", "its rows would count twice: leave one out")
        seen.add(file.resolve())
    return tuple(row for file in files for row in read_label_table(file))


def read_label_table(file: Path) -> tuple[LabelRow, ...]:
    """Read one table.

    Raises:
        LabelError: The file cannot be read, has no rows or holds a malformed row.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise _error(file, None, reason_of(error), "give the path of a CSV file") from error
    except UnicodeDecodeError as error:
        raise _error(file, None, "is not UTF-8 text", "save the table as UTF-8 CSV") from error
    rows: list[LabelRow] = []
    lines_of: dict[tuple[object, ...], int] = {}
    begin = 1
    reader = csv.DictReader(text.splitlines(keepends=True), strict=True)
    try:
        _check_header(file, reader.fieldnames or ())
        begin = reader.line_num + 1
        for cells in reader:
            found = _Cells(file, reader.line_num, cells)
            rows.append(found.row())
            same = lines_of.setdefault(tuple(cells.values()), reader.line_num)
            if same != reader.line_num:
                raise found.error(f"repeats line {same}", "leave out one of the two")
            begin = reader.line_num + 1
    except csv.Error as error:
        raise _error(
            file,
            begin,
            f"is not CSV: {error}",
            "close every quote, double quotes inside of quotes, and quote cells that hold commas",
        ) from error
    if not rows:
        raise _error(file, 1, "holds no rows", "give a table with at least one measured launch")
    return tuple(rows)


def _error(file: Path, line: int | None, problem: str, remedy: str) -> LabelError:
    return LabelError(problem, file=str(file), line=line, remedy=remedy)


def _check_header(file: Path, names: Sequence[str]) -> None:
    present = set(names)
    repeated = [name for name in dict.fromkeys(names) if name and names.count(name) > 1]
    if repeated:
        problem = f"has the column {' and the column '.join(repeated)} more than once"
        raise _error(file, 1, problem, "keep one of each")
    missing = [name for name in ("program", "language") if name not in present]
    if missing:
        raise _error(
            file,
            1,
            f"has no column {' and no column '.join(missing)}",
            "add it, one value for each row",
        )
    if not present & {"kernel", "symbol"} and not {"function", "line"} <= present:
        raise _error(
            file,
            1,
            "names no kernels",
            "add the column kernel (CUDA), or function and line (OpenMP)",
        )


@dataclass(frozen=True, slots=True)
class _Cells:
    """The cells of one line, read by type."""

    file: Path
    line_number: int
    cells: Mapping[str | None, str | list[str] | None]

    def row(self) -> LabelRow:
        if None in self.cells:
            raise self.error("has more cells than the header", "quote cells that hold commas")
        if None in self.cells.values():
            raise self.error(
                "has fewer cells than the header", "leave a cell empty where nothing was measured"
            )
        language = self.choice("language", Language, may_be_empty=False)
        if language is None:
            raise self.error("has no language", "write cuda or openmp")
        program = self.text("program")
        if not program:
            raise self.error("has no program", "write the program's folder")
        row = LabelRow(
            table=self.file.stem,
            table_line=self.line_number,
            suite=self.text("suite"),
            program=program,
            sources=tuple(part.strip() for part in self.text("sources").split(";") if part.strip()),
            flags=self.words("flags") or (),
            language=language,
            kernel=self.text("kernel") or None,
            symbol=self.text("symbol") or None,
            function=self.text("function") or None,
            line=self.whole("line"),
            args=self.words("args"),
            gpu=self.text("gpu") or None,
            grid=self.dimensions("grid"),
            block=self.dimensions("block"),
            compiler=self.text("compiler") or None,
            selection=self.text("selection"),
            time_s=self.seconds(),
            measured=self.numbers({quantity: quantity.value for quantity in Quantity}),
            ridge_op_per_byte=self.numbers(_RIDGE_COLUMNS),
            label=self.choice("label", _LABELS),
            suspect=self.text("suspect"),
            input_state=self.choice("input_available", InputState) or InputState.NO_FILE,
            tensor=self.text("tensor").lower() in {"yes", "true", "1"},
            note=self.text("note"),
        )
        self.check_identity(row)
        self.check_block(row)
        return row

    def check_identity(self, row: LabelRow) -> None:
        if row.language is Language.OPENMP:
            if row.function is None or row.line is None:
                raise self.error("is an OpenMP row without function or line", "give both")
        elif row.kernel is None and row.symbol is None:
            raise self.error("names no kernel", "fill in the column kernel or symbol")

    def check_block(self, row: LabelRow) -> None:
        threads = math.prod(row.block or ())
        if threads > _MOST_THREADS:
            raise self.error(
                f"has {threads:,} threads in a block", f"no card takes more than {_MOST_THREADS:,}"
            )

    def error(self, problem: str, remedy: str) -> LabelError:
        return _error(self.file, self.line_number, problem, remedy)

    def text(self, column: str) -> str:
        value = self.cells.get(column)
        return value.strip() if isinstance(value, str) else ""

    def words(self, column: str) -> tuple[str, ...] | None:
        """Shell words; None where the table lacks the column, () where the cell is empty."""
        if column not in self.cells:
            return None
        try:
            return tuple(shlex.split(self.text(column)))
        except ValueError as error:
            raise self.error(f"{column}: {error}", "quote it as a shell would") from error

    def number(self, column: str) -> float | None:
        text = self.text(column)
        if not text:
            return None
        try:
            value = float(text)
        except ValueError:
            raise self.error(
                f"{column} is {text!r}, not a number", "write a number or leave it empty"
            ) from None
        if not math.isfinite(value) or value < 0:
            raise self.error(
                f"{column} is {text}", "write a finite number of at least 0 or leave it empty"
            )
        return value

    def whole(self, column: str) -> int | None:
        value = self.number(column)
        if value is None:
            return None
        if value != int(value):
            raise self.error(
                f"{column} is {value}, not a whole number", "write a whole number or leave it empty"
            )
        return int(value)

    def numbers(self, columns: Mapping[_K, str]) -> dict[_K, float]:
        found = {key: self.number(column) for key, column in columns.items()}
        return {key: value for key, value in found.items() if value is not None}

    def dimensions(self, name: str) -> Dim3 | None:
        """Launch dimensions; missing y and z are 1, a missing x makes the whole unknown."""
        x, y, z = (self.whole(f"{name}_{axis}") for axis in "xyz")
        if x is None:
            return None
        shape = (x, 1 if y is None else y, 1 if z is None else z)
        if min(shape) < 1:
            raise self.error(f"{name} is {shape}", "every dimension of a launch is at least 1")
        return shape

    def seconds(self) -> float | None:
        value = self.number("time_ns")
        return None if value is None else value * 1e-9

    def choice(self, column: str, kind: Iterable[_E], *, may_be_empty: bool = True) -> _E | None:
        """The member whose value the cell holds; None for an empty cell."""
        text = self.text(column).lower()
        if not text:
            return None
        for member in kind:
            if member.value == text:
                return member
        allowed = ", ".join(str(member.value) for member in kind if member.value)
        remedy = f"use one of {allowed}" + (", or leave it empty" if may_be_empty else "")
        raise self.error(f"{column} is {text!r}", remedy)
