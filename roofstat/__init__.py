"""Static roofline analysis of GPU kernels: no GPU, no toolkit, no build.

>>> import roofstat
>>> roofstat.load_gpu("a100").sm_count
108
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roofstat.analysis import AnalysisOptions, analyze_paths
    from roofstat.errors import (
        AnalysisTimeout,
        HardwareError,
        LabelError,
        RoofstatError,
        SourceError,
        UsageError,
    )
    from roofstat.hardware import Gpu, available_gpus, load_gpu
    from roofstat.report import KernelReport, Report, to_json
    from roofstat.roofline import Verdict

__version__ = "0.1.0"

__all__ = [
    "AnalysisOptions",
    "AnalysisTimeout",
    "Gpu",
    "HardwareError",
    "KernelReport",
    "LabelError",
    "Report",
    "RoofstatError",
    "SourceError",
    "UsageError",
    "Verdict",
    "__version__",
    "analyze_paths",
    "available_gpus",
    "load_gpu",
    "to_json",
]

_HOMES = {
    "AnalysisOptions": "roofstat.analysis",
    "analyze_paths": "roofstat.analysis",
    "AnalysisTimeout": "roofstat.errors",
    "HardwareError": "roofstat.errors",
    "LabelError": "roofstat.errors",
    "RoofstatError": "roofstat.errors",
    "SourceError": "roofstat.errors",
    "UsageError": "roofstat.errors",
    "Gpu": "roofstat.hardware",
    "available_gpus": "roofstat.hardware",
    "load_gpu": "roofstat.hardware",
    "KernelReport": "roofstat.report",
    "Report": "roofstat.report",
    "to_json": "roofstat.report",
    "Verdict": "roofstat.roofline",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that `roofstat --version` imports nothing else."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'roofstat' has no attribute {name!r}")
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
