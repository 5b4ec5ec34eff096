"""What the code of a kernel does that numbers alone do not show: the facts that rules need besides counts and traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.analysis.patterns.divergence import divergent_branches
from roofstat.analysis.patterns.divisions import runtime_divisions
from roofstat.analysis.patterns.loads import load_patterns
from roofstat.analysis.patterns.mapping import mapped_each_launch
from roofstat.analysis.patterns.nests import undistributed_nests
from roofstat.analysis.patterns.precision import widened_arithmetic
from roofstat.analysis.patterns.subject import KernelCode

if TYPE_CHECKING:
    from roofstat.analysis.patterns.source_text import SourceTexts
    from roofstat.execution.host.launch_table import HostLaunch
    from roofstat.instructions.model import InstructionCounts
    from roofstat.program.link import Program
    from roofstat.report import PatternReport

__all__ = ["patterns_of"]


def patterns_of(
    launch: HostLaunch,
    counts: InstructionCounts,
    program: Program,
    texts: SourceTexts,
    own_file: str,
) -> tuple[PatternReport, ...]:
    """Return the patterns in a kernel's code, in the order of their lines."""
    code = KernelCode(trace=launch.trace, counts=counts, own_file=own_file, texts=texts)
    found = [
        *widened_arithmetic(code, program),
        *runtime_divisions(code),
        *load_patterns(code),
        *divergent_branches(code),
        *mapped_each_launch(launch, program),
        *undistributed_nests(launch, program),
    ]
    return tuple(sorted(found, key=lambda item: (item.file or "", item.line, item.column or 0)))
