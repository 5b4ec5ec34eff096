"""Results of the memory model."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Position
    from roofstat.execution.trace import RunAssumption
    from roofstat.program.code import Space


class Direction(Enum):
    """What an access does to memory."""

    READ = "read"
    WRITE = "write"
    ATOMIC = "atomic"


class FootprintMethod(Enum):
    """How the footprint of an access was found."""

    AFFINE = "affine"
    """Addresses are an affine function of thread, block and loop coordinates."""
    LATTICE = "lattice"
    """Range of the sampled addresses times the density of their lattice, bounded by the number of accesses."""
    RANDOM = "random"
    """Expected number of distinct sectors among random ones."""
    UNKNOWN = "unknown"
    """No address was seen: every access counts as new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessSummary:
    """One memory instruction and what it moves in the launch."""

    site: int
    position: Position
    array: str
    space: Space
    direction: Direction
    element_bytes: int
    """Bytes that one thread touches at once (the whole vector for vector accesses)."""
    requests: float
    """Warp-level executions."""
    sectors_per_request: float
    """32-byte sectors (shared memory: wavefronts) that a warp touches, on average."""
    stride_bytes: int | None
    """Between adjacent threads; None where there is no single one."""
    footprint_bytes: float
    """Unique bytes, in whole sectors; for shared memory the bytes of the sampled range."""
    share: float
    """Of the DRAM bytes of the launch, stores that stay in L2 included; 0 to 1."""
    method: FootprintMethod
    is_guess: bool
    """Whether the addresses rest on data that nobody knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DramTraffic:
    """DRAM bytes of one launch in one regime."""

    read_bytes: float
    write_bytes: float

    @property
    def total_bytes(self) -> float:
        """Reads and writes together."""
        return self.read_bytes + self.write_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class DramTerms:
    """What the DRAM bytes of a launch are made of; all but `launch_bytes` and `display_bytes` are multiplied by `factor`."""

    launch_bytes: float
    """Code, arguments and what every launch reads."""
    distinct_read_bytes: float
    beside_read_bytes: float
    """What DRAM gives beside the sectors that are asked for, in units of more than one."""
    repeated_read_bytes: float
    """What the L2 does not keep until it is read again."""
    fill_bytes: float
    """Reads that complete sectors which are written in part."""
    profiled_fill_bytes: float
    """Those of them that take place before the launch ends."""
    distinct_write_bytes: float
    repeated_write_bytes: float
    """What leaves the L2 and is written again."""
    kept_bytes: float
    """Dirty bytes that still sit in L2 when an isolated launch ends."""
    factor: float
    """Bytes that move for each byte of data: 1 but for error correction in line."""
    display_bytes: float = 0.0
    """Reads of a display that a profiler sees beside those of the launch."""
    foreign_bytes: float = 0.0
    """Dirty bytes of others that an isolated launch sweeps out of the L2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CertainTraffic:
    """Bytes that move whatever the data are and the caches keep: what bounds a time from below.

    Accesses count that run without a guess, at addresses that are known; those to DRAM count once.
    """

    dram_read_bytes: float
    dram_write_bytes: float
    l2_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AtomicContention:
    """Atomics that meet at one place."""

    integer: float
    """Of whole numbers at one address, those of a warp as one."""
    floating: float
    """Of floating-point numbers there."""
    sector: float
    """Requests of warps at one sector."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryTraffic:
    """What one launch moves, at every level."""

    profiled: DramTraffic
    """What a profiler sees in one isolated launch: cold caches before, dirty lines left in L2 not counted."""
    steady: DramTraffic
    """Inside a running program: every unique byte written is paid for."""
    dram_terms: DramTerms
    l2_bytes: float
    """Between the L1s and the L2, both directions."""
    l2_load_bytes: float
    """The part of them that loads from global memory ask for."""
    l1_passes: float
    """Clocks that the L1 of an SM takes for accesses to global and local memory: one for each line that a warp touches, and no
    fewer than its lanes need to hand over their addresses."""
    constant_addresses: float
    """Addresses of constant memory that warps ask for where their threads want different ones."""
    global_load_requests: float
    global_load_sectors: float
    global_store_requests: float
    global_store_sectors: float
    local_bytes: float
    """Requested from local memory, both directions, in whole sectors."""
    shared_wavefronts: float
    """Passes of the shared-memory data stage."""
    shared_bank_conflicts: float
    """Passes beyond those that the width of the accesses needs."""
    atomic_threads: float
    """Thread-level global atomics."""
    atomic_addresses: float
    """Distinct 32-byte sectors that global atomics hit; 0 without any."""
    atomic_contention_int: float
    """Integer atomics that meet at one address, those of a warp as one."""
    atomic_contention_float: float
    """The same for floating point, where compilers merge nothing."""
    atomic_contention_sector: float
    """Warp requests with atomics that meet at one sector."""
    shared_atomic_threads: float
    unique_read_bytes: float
    unique_write_bytes: float
    certain: CertainTraffic
    certain_shared_wavefronts: float
    """Passes of the shared-memory data stage by accesses that surely run, at known addresses."""
    certain_atomic_threads: float
    """Thread-level global atomics that surely run."""
    certain_scattered_threads: float
    """Those of them at addresses that are known."""
    certain_contention: AtomicContention
    """What meets of those atomics that surely run."""
    certain_shared_atomic_threads: float
    """Thread-level shared atomics that surely run."""
    accesses: tuple[AccessSummary, ...]
    assumptions: tuple[RunAssumption, ...]
