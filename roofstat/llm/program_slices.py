"""Slices for the kernels of a report: each program is parsed once more, in a worker process of its own."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.analysis.discovery import Program, discover
from roofstat.analysis.runner import program_options
from roofstat.analysis.workers import run_isolated
from roofstat.llm.quoting import SourcePiece
from roofstat.llm.slices import read_program, slice_kernel
from roofstat.report import KernelReport

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from roofstat.analysis import AnalysisOptions

__all__ = ["slices_of"]

Pieces = tuple[SourcePiece, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    program: Program
    kernels: Mapping[int, KernelReport]
    options: AnalysisOptions


def slices_of(
    paths: Sequence[Path | str],
    options: AnalysisOptions,
    kernels: Sequence[KernelReport],
    read_stdin: Callable[[], bytes] | None = None,
) -> list[Pieces]:
    """Return the source that each kernel needs; empty where it cannot be told.

    Args:
        paths: As given to the analysis that made the reports.
        options: Of that analysis.
        kernels: The kernels.
        read_stdin: Returns the text of standard input, again.
    """
    found = discover(paths, read_stdin=read_stdin)
    settings = dataclasses.replace(options, unsaved={**options.unsaved, **found.unsaved})
    tasks = []
    for program in found.programs:
        wanted = {
            number: kernel for number, kernel in enumerate(kernels) if _may_hold(program, kernel)
        }
        if wanted:
            tasks.append(
                _Task(program=program, kernels=wanted, options=program_options(program, settings))
            )
    outcomes = run_isolated(
        _slice_program,
        tasks,
        jobs=options.jobs,
        timeout_s=lambda _task: options.timeout_s,
        memory_limit_bytes=options.memory_limit_bytes,
    )
    slices: list[Pieces] = [()] * len(kernels)
    for outcome in outcomes:
        for number, pieces in (outcome.value or {}).items():
            slices[number] = slices[number] or pieces
    return slices


def _may_hold(program: Program, kernel: KernelReport) -> bool:
    """Whether a program may hold a kernel: its file or its launch is one of the units, or both stand in headers."""
    units = {str(path) for path in program.units}
    places = {kernel.file, *([kernel.launch.file] if kernel.launch and kernel.launch.file else [])}
    if units & places:
        return True
    return not any(place.endswith((".cu", ".cpp", ".cc", ".c", ".cxx", ".hip")) for place in places)


def _slice_program(task: _Task) -> dict[int, Pieces]:
    program = read_program(task.program.units, task.options)
    return {number: slice_kernel(program, kernel) for number, kernel in task.kernels.items()}
