"""Sizes that all NVIDIA GPUs share, and that profilers count in."""

from __future__ import annotations

from typing import Final

__all__ = [
    "DEFAULT_SHARED_BYTES",
    "LINE_BYTES",
    "MAX_BLOCK",
    "MAX_GRID",
    "SECTOR_BYTES",
    "SHARED_WAVEFRONT_BYTES",
    "WARP_SIZE",
]

WARP_SIZE: Final = 32
"""Threads that run together."""

SECTOR_BYTES: Final = 32
"""What L1, L2 and DRAM exchange."""

LINE_BYTES: Final = 128
"""What an L1 tag covers; its sectors are filled one by one."""

SHARED_WAVEFRONT_BYTES: Final = 128
"""What shared memory delivers in one pass: 32 banks of 4 bytes."""

MAX_GRID: Final = (2**31 - 1, 65535, 65535)
"""Blocks of a launch along x, y and z, at most; the same for all CUDA devices."""

MAX_BLOCK: Final = (1024, 1024, 64)
"""Threads of a block, likewise."""

DEFAULT_SHARED_BYTES: Final = 48 * 1024
"""Shared memory that a block may have unless the program asks for more; the same for all CUDA devices."""
