"""Which kernels matter most: modelled time of a launch times its launches."""

from __future__ import annotations

import math
from collections.abc import Iterable

from roofstat.report.records import KernelReport

__all__ = ["launch_time_s", "ranked"]


def launch_time_s(kernel: KernelReport) -> float | None:
    """Return modelled time times launches in seconds; None where either is unknown."""
    if kernel.modelled_time_s is None or kernel.launch is None or kernel.launch.count is None:
        return None
    return kernel.modelled_time_s * kernel.launch.count


def ranked(kernels: Iterable[KernelReport]) -> tuple[KernelReport, ...]:
    """Return kernels by falling time; those of unknown time last, ties in order of place."""
    return tuple(sorted(kernels, key=_rank))


def _rank(kernel: KernelReport) -> tuple[float, str, int, int, str]:
    seconds = launch_time_s(kernel)
    key = math.inf if seconds is None else -seconds
    index = kernel.launch.index if kernel.launch else 0
    return (key, kernel.file, kernel.line, index, kernel.signature)
