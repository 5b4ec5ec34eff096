"""What a language model is told of a row's kernel: gathered in the workers, where the program is at hand."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from clang_queries.quick_dataclass import dataclass
from roofstat.analysis import AnalysisOptions
from roofstat.hardware import Gpu
from roofstat.llm.quoting import SourcePiece
from roofstat.llm.slices import read_program, slice_kernel
from roofstat.report import KernelReport

__all__ = ["Evidence", "Gatherer", "gather_evidence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A matched kernel, its card and the source that it needs."""

    kernel: KernelReport
    gpu: Gpu
    pieces: tuple[SourcePiece, ...]


Gatherer: TypeAlias = Callable[
    [Sequence[Path], AnalysisOptions, Sequence[KernelReport]], Sequence[Evidence]
]


def gather_evidence(
    files: Sequence[Path], options: AnalysisOptions, kernels: Sequence[KernelReport]
) -> list[Evidence]:
    """Return the evidence for kernels of one program."""
    program = read_program(files, options)
    return [
        Evidence(
            # Figures by line are for readers of reports; they would only cost time on the way back.
            kernel=dataclasses.replace(kernel, lines=()),
            gpu=options.gpu,
            pieces=slice_kernel(program, kernel),
        )
        for kernel in kernels
    ]
