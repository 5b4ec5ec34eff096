"""What host code can ask about the GPU."""

from __future__ import annotations

from math import inf

from clang_queries.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceModel:
    """Device properties as the run time reports them."""

    name: str
    sm_count: int
    compute_major: int
    compute_minor: int
    max_threads_per_block: int
    max_threads_per_sm: int
    max_blocks_per_sm: int
    shared_bytes_per_block: int
    shared_bytes_per_sm: int
    registers_per_sm: int
    l2_bytes: int
    memory_bytes: int
    clock_hz: float
    memory_bytes_per_s: float
    warp_size: int = 32
    allocatable_bytes: float = inf
    """Memory of the card, where it is known."""
