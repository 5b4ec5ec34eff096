"""The figures of a GPU file: their names, units, bounds and provenance.

This table is the one definition of the file format. The loader checks files against it, the documentation is
generated from it, and error messages suggest names out of it.
"""

from __future__ import annotations

import enum

from clang_queries.quick_dataclass import dataclass

__all__ = ["FIGURES", "Figure", "FigureSpec", "FigureStatus"]


class FigureStatus(enum.Enum):
    """How far a figure can be trusted."""

    CONFIRMED = "confirmed"
    """Read in the named source."""
    MEASURED = "measured"
    """Measured on a card of this kind, by this project or by the named source."""
    UNCONFIRMED = "unconfirmed"
    """Believed from a vendor's document that was not read again."""
    ASSUMED = "assumed"
    """Taken over from a similar chip, because no figure was found."""
    USER = "user"
    """Given by the user's own file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One number of a GPU, with where it comes from.

    Attributes:
        value: The number, in the unit that its name and `FIGURES` state.
        source: Keys of `sources.toml`, separated by spaces, or the path of a user's file.
        status: How far to trust it.
        note: A remark; empty where there is none.
    """

    value: float
    source: str
    status: FigureStatus
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureSpec:
    """What one figure means and which values make sense.

    Attributes:
        meaning: One line for the documentation.
        unit: Unit of the value.
        required: Whether every GPU must have it.
        whole: Whether it must be an integer.
        minimum: Smallest value accepted.
        exclusive: Whether the minimum itself is refused.
    """

    meaning: str
    unit: str
    required: bool = True
    whole: bool = False
    minimum: float = 0.0
    exclusive: bool = True


def _count(meaning: str, unit: str, *, zero: bool = False, required: bool = True) -> FigureSpec:
    return FigureSpec(
        meaning=meaning, unit=unit, whole=True, minimum=0.0, exclusive=not zero, required=required
    )


def _rate(meaning: str, unit: str, *, zero: bool = False, required: bool = True) -> FigureSpec:
    return FigureSpec(meaning=meaning, unit=unit, exclusive=not zero, required=required)


FIGURES: dict[str, FigureSpec] = {
    "sm_count": _count("streaming multiprocessors (AMD: compute units, Intel: Xe cores)", "SM"),
    "boost_mhz": _rate("boost clock; the peaks are stated at it", "MHz"),
    "base_mhz": _rate("base clock; profilers lock to it", "MHz", required=False),
    "fp64_per_clk": _rate("FP64 results (one FMA is one result)", "results/clk/SM", zero=True),
    "fp32_per_clk": _rate("FP32 results", "results/clk/SM"),
    "fp16_per_clk": _rate("FP16 results outside the tensor cores", "results/clk/SM", zero=True),
    "int32_per_clk": _rate("32-bit integer operations: lanes, one operation each", "op/clk/SM"),
    "special_per_clk": _rate(
        "results of the special-function unit, most conversions and counts of bits included",
        "op/clk/SM",
    ),
    "tensor_fp64_tflop_per_s": _rate("dense matrix peak, FP64", "TFLOP/s", required=False),
    "tensor_tf32_tflop_per_s": _rate("dense matrix peak, TF32", "TFLOP/s", required=False),
    "tensor_fp16_tflop_per_s": _rate("dense matrix peak, FP16 and BF16", "TFLOP/s", required=False),
    "tensor_fp8_tflop_per_s": _rate("dense matrix peak, FP8", "TFLOP/s", required=False),
    "tensor_int8_top_per_s": _rate("dense matrix peak, INT8", "Top/s", required=False),
    "memory_gb": _rate("memory size", "GB", required=False),
    "dram_gb_per_s": _rate("DRAM bandwidth", "GB/s"),
    "ecc_dram_factor": _rate("DRAM bytes moved for each byte asked for, streaming", "ratio"),
    "dram_latency_clk": _rate("load latency from DRAM", "clk"),
    "llc_mib": _rate("cache behind the L2", "MiB", required=False),
    "display_frame_mb": _rate(
        "DRAM traffic for each frame of a display that the card drives", "MB", required=False
    ),
    "display_hz": _rate("frames of that display", "frames/s", required=False),
    "l2_mib": _rate("L2 cache size", "MiB"),
    "l2_partitions": _count("L2 partitions; shared data may live in each", "partitions"),
    "l2_bytes_per_clk": _rate("L2 read bandwidth of the whole GPU", "bytes/clk"),
    "l2_latency_clk": _rate("load latency from L2", "clk"),
    "sector_bytes": _count("smallest piece that L2 and DRAM exchange", "bytes"),
    "line_bytes": _count("cache line", "bytes"),
    "write_back_l2_share": _rate(
        "largest share of L2 that holds written data when a launch ends (c of the residue law)",
        "ratio",
        zero=True,
    ),
    "write_back_write_share": _rate(
        "residue in L2 sizes for each unit of write share (k of the residue law)",
        "ratio",
        zero=True,
    ),
    "l1_kib_per_sm": _rate("L1 cache, shared memory included where they share a store", "KiB"),
    "l1_bytes_per_clk": _rate("L1 bandwidth", "bytes/clk/SM", required=False),
    "shared_kib_per_sm": _rate("shared memory", "KiB"),
    "shared_kib_per_block": _rate("shared memory that one block may take", "KiB"),
    "shared_bytes_per_clk": _rate("shared-memory bandwidth without conflicts", "bytes/clk/SM"),
    "shared_unit_bytes": _count("shared memory is given out in multiples of this", "bytes"),
    "shared_reserved_bytes": _count(
        "shared memory that the system takes", "bytes/block", zero=True
    ),
    "constant_per_clk": _rate(
        "addresses of constant memory that the threads of a warp are served, where they differ",
        "addresses/clk/SM",
        required=False,
    ),
    "lsu_per_clk": _rate("load and store lanes", "lanes/clk/SM", required=False),
    "shared_atomic_per_clk": _rate("shared-memory atomics without conflict", "op/clk/SM"),
    "global_atomic_per_clk": _rate("global atomics on consecutive addresses", "op/clk"),
    "global_atomic_sector_per_clk": _rate("global atomics on scattered addresses", "op/clk"),
    "global_atomic_same_address_per_clk": _rate(
        "global floating-point atomics on one address", "op/clk"
    ),
    "global_atomic_same_address_int_per_clk": _rate(
        "global integer atomics on one address", "op/clk"
    ),
    "global_atomic_same_sector_per_clk": _rate(
        "warp requests with global atomics on one sector", "requests/clk"
    ),
    "warp_size": _count("threads in a warp (AMD: wave)", "threads"),
    "sub_partitions": _count("register files in an SM", "partitions"),
    "registers_per_sm": _count("32-bit registers", "registers/SM"),
    "max_registers_per_thread": _count("registers that one thread may use", "registers"),
    "register_unit": _count("registers are given out in multiples of this", "registers/warp"),
    "max_threads_per_block": _count("threads in a block", "threads"),
    "max_threads_per_sm": _count("resident threads", "threads/SM"),
    "max_blocks_per_sm": _count("resident blocks", "blocks/SM"),
    "launch_overhead_us": _rate("shortest duration of a kernel", "us"),
}
"""Every figure that a GPU file may hold."""
