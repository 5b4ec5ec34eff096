"""DRAM traffic of a display that the card drives: a profiler's counters see it beside that of a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.roofline.times import modelled_time_s, resource_times_s

if TYPE_CHECKING:
    from roofstat.hardware import Gpu
    from roofstat.roofline.work import Work

__all__ = ["display_read_bytes"]

_MODELLED_SHARE = 0.85
"""Of the time of a launch, what is modelled: the median of the 239 rows of an RTX 3080 that last longer than 3 ms."""


def display_read_bytes(work: Work, gpu: Gpu) -> float:
    """Return the bytes that most probably feed a display while a launch runs; 0 for a card that drives none.

    Whole frames, each read in one go: a launch shorter than half a frame most probably meets none.
    """
    if not gpu.display_frame_bytes or not work.is_known:
        return 0.0
    seconds = modelled_time_s(resource_times_s(work, gpu)) / _MODELLED_SHARE
    return round(seconds * gpu.display_frames_per_s) * gpu.display_frame_bytes
