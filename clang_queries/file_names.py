"""Which files are sources, by the suffixes of their names in lower case."""

from __future__ import annotations

__all__ = ["GPU_UNIT_SUFFIXES", "HEADER_SUFFIXES", "UNIT_SUFFIXES"]

GPU_UNIT_SUFFIXES = frozenset({".cu", ".hip"})
"""Units that are compiled for a GPU in any case."""
UNIT_SUFFIXES = GPU_UNIT_SUFFIXES | {".c", ".cc", ".cpp", ".cxx"}
"""What compilers are given."""
HEADER_SUFFIXES = frozenset({".cuh", ".h", ".hh", ".hpp", ".hxx", ".inl"})
"""What units include."""
