"""What one launch is, does and moves: configuration, operations, traffic, residency, latency."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware import OccupancyLimiter
from roofstat.instructions.timing.warp_steps import WarpStep
from roofstat.memory.records import DramTerms
from roofstat.report.kinds import (
    LaunchSource,
    MemoryLevel,
    TrafficRegime,
)
from roofstat.roofline import NumberType

Dim3 = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One launch configuration of a kernel.

    Attributes:
        grid: Blocks in x, y and z.
        block: Threads in x, y and z.
        shared_bytes: Dynamic shared memory of a block.
        count: How often the program launches this configuration, 0 where it takes no branch to it; None where unknown.
        index: Which of the program's launches of the kernel it is, from 0, in order of execution.
        source: Where the configuration comes from.
        file: File of the launch statement; None where there is none.
        line: 1-based line of the launch statement.
    """

    grid: Dim3
    block: Dim3
    shared_bytes: int = 0
    count: int | None = 1
    index: int = 0
    source: LaunchSource
    file: str | None = None
    line: int | None = None

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def threads_per_block(self) -> int:
        """Threads of one block."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def threads(self) -> int:
        """Threads of the whole launch."""
        return self.blocks * self.threads_per_block


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Thread-level operations of one launch: add + mul + 2 * fma, integer and special instructions one each.

    `special_op` are those of the special-function unit: special functions, most conversions between number formats, and what
    counts or reverses bits, which is integer work as well. `instructions` are those of all kinds, accesses, branches and barriers included.
    """

    sp_flop: float | None = None
    dp_flop: float | None = None
    hp_flop: float | None = None
    tensor_flop: float | None = None
    int_op: float | None = None
    special_op: float | None = None
    instructions: float | None = None

    def of(self, kind: NumberType) -> float | None:
        """Return the operations of one type."""
        match kind:
            case NumberType.FP32:
                return self.sp_flop
            case NumberType.FP64:
                return self.dp_flop
            case NumberType.FP16:
                return self.hp_flop
            case NumberType.TENSOR:
                return self.tensor_flop
            case NumberType.INT:
                return self.int_op


@dataclass(frozen=True, slots=True, kw_only=True)
class DramBytes:
    """DRAM traffic of one launch in one regime."""

    read_bytes: float | None = None
    write_bytes: float | None = None

    @property
    def total_bytes(self) -> float | None:
        """Both directions; None where either is unknown."""
        if self.read_bytes is None or self.write_bytes is None:
            return None
        return self.read_bytes + self.write_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficBytes:
    """Memory traffic of one launch.

    Attributes:
        dram_terms: What the DRAM bytes are made of; None where that is not known.
        compulsory_bytes: Distinct bytes read and distinct bytes written, in whole sectors: what must move once.
        profiled: DRAM bytes as a profiler sees one isolated launch.
        steady: DRAM bytes of a launch inside a running program.
        l2_bytes: Bytes between the SMs and L2.
        global_ld_requests: Warp-level global load requests.
        global_ld_sectors: Sectors of 32 bytes that they touch.
        global_st_requests: Warp-level global store requests.
        global_st_sectors: Sectors of 32 bytes that they touch.
        local_bytes: Local-memory traffic: spills and private arrays that are indexed.
        shared_bytes: Shared-memory traffic in full wavefronts, bank conflicts included.
        l1_bytes: Lines of L1 that warps touch in global and local memory, in bytes of whole lines.
        shared_bank_conflicts: Wavefronts beyond those that the width of the shared accesses needs.
    """

    profiled: DramBytes = field(default_factory=DramBytes)
    steady: DramBytes = field(default_factory=DramBytes)
    dram_terms: DramTerms | None = None
    compulsory_bytes: float | None = None
    l2_bytes: float | None = None
    global_ld_requests: float | None = None
    global_ld_sectors: float | None = None
    global_st_requests: float | None = None
    global_st_sectors: float | None = None
    local_bytes: float | None = None
    shared_bytes: float | None = None
    l1_bytes: float | None = None
    shared_bank_conflicts: float | None = None

    @property
    def global_requests(self) -> float | None:
        """Load and store requests; None where either is unknown."""
        return _sum(self.global_ld_requests, self.global_st_requests)

    @property
    def global_sectors(self) -> float | None:
        """Load and store sectors; None where either is unknown."""
        return _sum(self.global_ld_sectors, self.global_st_sectors)

    @property
    def unit_bytes(self) -> float | None:
        """What the unit moves that holds L1 and shared memory; None where either is unknown."""
        return _sum(self.l1_bytes, self.shared_bytes)

    def dram(self, regime: TrafficRegime) -> DramBytes:
        """Return the DRAM bytes of one regime."""
        return self.steady if regime is TrafficRegime.STEADY else self.profiled


@dataclass(frozen=True, slots=True, kw_only=True)
class OccupancyReport:
    """Residency that the time model assumes.

    Attributes:
        registers_per_thread: Estimated registers of a thread.
        shared_bytes_per_block: Static plus dynamic shared memory.
        blocks_per_sm: Resident blocks.
        warps_per_sm: Resident warps.
        share: Resident warps over the most that fit, 0 to 1.
        limiter: What keeps further blocks off the SM.
        waves: Blocks of the grid over blocks that the whole GPU holds.
    """

    registers_per_thread: int
    shared_bytes_per_block: int
    blocks_per_sm: int
    warps_per_sm: int
    share: float
    limiter: OccupancyLimiter
    waves: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyReport:
    """What the latency of a launch is made of: waves x clocks of a warp on its own, and what is rare once.

    Attributes:
        time_s: The whole.
        waves: Rounds of resident blocks, a part of one counted as a whole.
        step_clocks: What a warp spends its clocks on that has its SM for itself.
        rare_clocks: Further clocks of a warp on paths that few blocks take; they count once for the launch.
        load_clocks: Clocks of a load from global memory, in the mean over the levels.
        load_lines: By file and line of loads, the clocks that a warp waits for them.
        level_clocks: Clocks of a load that hits in a level.
        level_shares: Part of the loads that hit in it.
    """

    time_s: float
    waves: int
    step_clocks: Mapping[WarpStep, float]
    rare_clocks: float
    load_clocks: float
    load_lines: Mapping[tuple[str, int], float]
    level_clocks: Mapping[MemoryLevel, float]
    level_shares: Mapping[MemoryLevel, float]


def _sum(left: float | None, right: float | None) -> float | None:
    return None if left is None or right is None else left + right
