"""What the analysis of one program yields."""

from __future__ import annotations

from clang_queries.quick_dataclass import dataclass
from roofstat.analysis.inputs import Inputs
from roofstat.report import AnalysisError, Diagnostic, KernelReport

__all__ = ["ProgramResult"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramResult:
    """Kernels, remarks and failures of one program.

    Attributes:
        kernels: One entry for each kernel instance and launch configuration, in order of place.
        diagnostics: Remarks on the source.
        errors: Files of the program without a result.
        files: Sources that were read, those included among them.
        used_launches: Names of the stated launch configurations that a kernel has.
        used_values: Names of the stated values that took the place of something unknown.
        unasked: Names of the kernels that were not asked for.
        inputs: What the result rests on; None where that cannot be told.
    """

    kernels: tuple[KernelReport, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    errors: tuple[AnalysisError, ...] = ()
    files: tuple[str, ...] = ()
    used_launches: tuple[str, ...] = ()
    used_values: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    inputs: Inputs | None = None
