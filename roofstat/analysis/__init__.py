"""From paths to a report: options, discovery of programs, worker processes, and the analysis of one program."""

from roofstat.analysis.discovery import Discovery, Program, discover
from roofstat.analysis.options import (
    AnalysisOptions,
    LaunchOverride,
    parse_launch,
    parse_set,
)
from roofstat.analysis.result import ProgramResult
from roofstat.analysis.runner import Progress, analyze_paths

__all__ = [
    "AnalysisOptions",
    "Discovery",
    "LaunchOverride",
    "Program",
    "ProgramResult",
    "Progress",
    "analyze_paths",
    "discover",
    "parse_launch",
    "parse_set",
]
