"""Memory model: coalescing, footprints, cache reuse and DRAM traffic of one launch, from its trace."""

from roofstat.memory.model import model_memory
from roofstat.memory.records import (
    AccessSummary,
    Direction,
    DramTraffic,
    FootprintMethod,
    MemoryTraffic,
)

__all__ = [
    "AccessSummary",
    "Direction",
    "DramTraffic",
    "FootprintMethod",
    "MemoryTraffic",
    "model_memory",
]
