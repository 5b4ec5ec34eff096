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
from roofstat.analysis.workers import Outcome, run_isolated

__all__ = [
    "AnalysisOptions",
    "Discovery",
    "LaunchOverride",
    "Outcome",
    "Program",
    "ProgramResult",
    "Progress",
    "analyze_paths",
    "discover",
    "parse_launch",
    "parse_set",
    "run_isolated",
]
