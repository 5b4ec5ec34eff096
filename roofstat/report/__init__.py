"""The one record that every consumer reads, its JSON form and its JSON Schema."""

from roofstat.instructions.timing.warp_steps import WarpStep
from roofstat.memory.records import DramTerms
from roofstat.report.amounts import (
    Counts,
    DramBytes,
    LatencyReport,
    Launch,
    OccupancyReport,
    TrafficBytes,
)
from roofstat.report.json_form import gpu_to_json, kernel_to_json, to_json
from roofstat.report.kinds import (
    AssumptionKind,
    Compiler,
    Direction,
    ErrorKind,
    Language,
    LaunchSource,
    MemoryLevel,
    MemorySpace,
    PatternKind,
    Severity,
    TrafficRegime,
    TripCountSource,
)
from roofstat.report.opinion import OpinionFlag, OpinionPlace, SecondOpinion
from roofstat.report.places import (
    AccessReport,
    LineReport,
    LineTerm,
    LoopReport,
    PatternReport,
    SourceSpan,
)
from roofstat.report.ranking import launch_time_s, ranked
from roofstat.report.records import SCHEMA_NAME, KernelReport, LibraryOrigin, Report, Tool
from roofstat.report.remarks import (
    AnalysisError,
    Assumption,
    Diagnostic,
    Edit,
    Evidence,
    strongest_weights,
)
from roofstat.report.schema import report_schema
from roofstat.roofline import BoundBy, Interval, NumberType, Verdict

__all__ = [
    "SCHEMA_NAME",
    "AccessReport",
    "AnalysisError",
    "Assumption",
    "AssumptionKind",
    "BoundBy",
    "Compiler",
    "Counts",
    "Diagnostic",
    "Direction",
    "DramBytes",
    "DramTerms",
    "Edit",
    "ErrorKind",
    "Evidence",
    "Interval",
    "KernelReport",
    "Language",
    "LatencyReport",
    "Launch",
    "LaunchSource",
    "LibraryOrigin",
    "LineReport",
    "LineTerm",
    "LoopReport",
    "MemoryLevel",
    "MemorySpace",
    "NumberType",
    "OccupancyReport",
    "OpinionFlag",
    "OpinionPlace",
    "PatternKind",
    "PatternReport",
    "Report",
    "SecondOpinion",
    "Severity",
    "SourceSpan",
    "Tool",
    "TrafficBytes",
    "TrafficRegime",
    "TripCountSource",
    "Verdict",
    "WarpStep",
    "gpu_to_json",
    "kernel_to_json",
    "launch_time_s",
    "ranked",
    "report_schema",
    "strongest_weights",
    "to_json",
]
