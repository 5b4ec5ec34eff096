"""What a run of a kernel on the abstract machine leaves behind; the input of the instruction and memory models.

All weights are numbers of threads (or warps) of the whole launch that an observation stands for: the machine runs a
sample of warps and a sample of loop iterations, and every observation carries the product of both weights.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware.units import WARP_SIZE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from clang_queries.ir.expressions import Position
    from roofstat.program.code import Code, Space


@dataclass(slots=True, eq=False, kw_only=True)
class Lanes:
    """The sampled threads: whole warps, so arrays have length 32 * warps (the tail of a block's last warp is padded).

    Lanes of one warp are adjacent and in hardware order (x fastest).
    """

    tid: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
    """threadIdx x, y, z of each lane."""
    bid: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
    """blockIdx x, y, z of each lane."""
    exists: NDArray[np.bool_]
    """False for padding beyond the block's last thread."""
    weight: NDArray[np.float64]
    """Threads of the launch that each lane stands for; sums (over existing lanes) to the number of threads."""
    warp_of_block: NDArray[np.int64]
    """Index of the warp within its block, for each lane."""
    block_slot: NDArray[np.int64]
    """Index of the sampled block, for each lane (lanes with the same value share shared memory)."""

    lanes_per_block: int = 1
    """Sampled lanes of each sampled block."""
    is_inner_block: NDArray[np.bool_] | None = None
    """For each sampled block, whether it stands for more than itself."""

    @property
    def is_whole(self) -> bool:
        """Whether every thread of the launch is there."""
        return bool((self.weight == 1.0).all())

    @property
    def has_all_warps(self) -> bool:
        """Whether every warp of each sampled block is there."""
        return self.lanes_per_block // WARP_SIZE > int(self.warp_of_block.max())

    def stands_alone(self, warp: int) -> bool:
        """Whether a warp of each sampled block stands for no other one of its block."""
        found = self.weight[self.warp_of_block == warp]
        return len(found) > 0 and float(found.sum()) <= float(
            self.weight[self.warp_of_block == 0].sum()
        )

    @property
    def count(self) -> int:
        """Number of lanes, padding included."""
        return len(self.weight)


@dataclass(slots=True, eq=False, kw_only=True)
class Buffer:
    """An allocation that device code can reach."""

    number: int
    name: str
    space: Space
    base: int
    """First address; allocations do not overlap and are 512-byte aligned, global ones start above 2**40."""
    size_bytes: int | None
    """None where the size is unknown; the address range up to the next base then is still reserved."""
    size_is_assumed: bool = False
    is_skipped: bool = False
    """Whether it is all that iterations of a host loop have allocated which were not run."""


@dataclass(slots=True, eq=False, kw_only=True)
class LoopCoordinate:
    """In which iteration of an enclosing loop an event happened."""

    loop: int
    iteration: int | NDArray[np.int64]
    """0-based; an array where lanes are in different iterations."""
    trips: float
    """Mean trip count of this entry of the loop, over its threads."""


@dataclass(slots=True, eq=False, kw_only=True)
class AccessEvent:
    """One execution of one LOAD, STORE or ATOMIC by the sampled lanes."""

    site: int
    buffer: int | None
    """Number of the buffer that all active lanes touch; None where they touch several or an unknown one."""
    address: NDArray[np.int64]
    """First byte that each lane touches; meaningful where `active`."""
    active: NDArray[np.bool_]
    weight: NDArray[np.float64]
    """Threads that each active lane stands for in this event (sampling times loop extrapolation)."""
    loops: tuple[LoopCoordinate, ...]
    """Enclosing loops that were running, outermost first (loops of inlined callees included)."""
    is_guess: bool
    """Whether the addresses rest on data that nobody knows (a gather through an unread index array)."""
    order: int
    """Sequence number over all events of the run, for temporal reasoning."""
    even_share: float = 0.0
    """How often the program itself has drawn the places that lanes go to."""
    is_order: bool = False
    """Whether they are drawn without meeting, as from a shuffled row."""


@dataclass(slots=True, eq=False, kw_only=True)
class SiteTotals:
    """Sums over all executions of one memory instruction, also of those without an `AccessEvent`."""

    threads: float = 0.0
    """Thread-level executions in the launch."""
    warps: float = 0.0
    """Warp-level requests in the launch."""
    events: int = 0
    """Executions on the machine."""
    unknown_address_threads: float = 0.0
    """Thread-level executions whose address could not even be guessed."""
    doubtful_threads: float = 0.0
    """Thread-level executions that a guess decided on: a branch on unknown data, an assumed trip count."""
    space: Space | None = None
    """Address space seen at run time (the last, where several)."""


@dataclass(slots=True, eq=False, kw_only=True)
class LoopTotals:
    """How often a loop was entered and run."""

    entries: float = 0.0
    """Thread-level entries in the launch."""
    starts: float = 0.0
    """Thread-level entries that run the body at all."""
    warp_starts: float = 0.0
    """The same of warps."""
    iterations: float = 0.0
    """Thread-level iterations of the body in the launch."""
    runs: int = 0
    """How often the machine has run it."""
    trips: float = 0.0
    """Mean iterations of a thread, summed over those."""
    source: str = "exact"
    """``exact``, ``extrapolated`` or ``assumed`` (data dependent)."""

    @property
    def mean_trips(self) -> float:
        """Iterations for each entry; 0 when never entered."""
        return self.iterations / self.entries if self.entries else 0.0


@dataclass(slots=True, eq=False, kw_only=True)
class DivisionTotals:
    """Sums over all executions of one division."""

    threads: float = 0.0
    """Thread-level executions in the launch."""
    of_zero: float = 0.0
    """Those whose numerator is known to be zero."""
    of_words: float = 0.0
    """Those of long integers that are known to fit into words, numerator and divisor."""
    of_pairs: float = 0.0
    """Those of which one is known not to."""

    @property
    def zero_share(self) -> float:
        """Share of the executions that divide zero."""
        return self.of_zero / self.threads if self.threads else 0.0

    def pair_share(self, elsewhere: float) -> float:
        """Share of the executions that divide numbers of two words, which is `elsewhere` where nobody knows the numbers."""
        if not self.threads:
            return elsewhere
        unknown = max(self.threads - self.of_words - self.of_pairs, 0.0)
        return (self.of_pairs + elsewhere * unknown) / self.threads


@dataclass(slots=True, eq=False, kw_only=True)
class RunAssumption:
    """A guess made while running, with the share of the launch's work that depends on it."""

    kind: str
    """``trip-count``, ``branch``, ``gather``, ``library-call``, ``buffer-size``, ``argument``, ``input-file``, ``budget``."""
    text: str
    position: Position
    weight: float
    """Threads (thread-level executions) that depended on it, over the threads of the launch; at most 1."""


@dataclass(slots=True, eq=False, kw_only=True)
class LaunchTrace:
    """Everything observed of one launch."""

    code: Code
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared_bytes: int
    lanes: Lanes
    number: int = 0
    """What tells its run from others."""
    arguments: dict[int, int] = field(default_factory=dict)
    """Values of the integer parameters of which one is known."""
    steps: int = 0
    """Instructions that the machine ran."""
    block_threads: dict[int, float] = field(default_factory=dict)
    """Block number -> thread-level executions in the launch (a thread in a loop counts each time)."""
    block_warps: dict[int, float] = field(default_factory=dict)
    """Block number -> warp-level executions (at least one active thread)."""
    doubtful_threads: dict[int, float] = field(default_factory=dict)
    """Block number -> those of its thread-level executions that a guess about a branch or a trip count decided on."""
    loops: dict[int, LoopTotals] = field(default_factory=dict)
    sites: dict[int, SiteTotals] = field(default_factory=dict)
    events: list[AccessEvent] = field(default_factory=list)
    """At most `EVENTS_PER_SITE` for each site, spread over the run; their weights are scaled so that they still sum to
    `SiteTotals.threads`."""
    buffers: dict[int, Buffer] = field(default_factory=dict)
    rows: list[tuple[int, int]] = field(default_factory=list)
    """First addresses and ends of the device memory that each loop of host code has allocated."""
    branch_uniform: dict[int, bool] = field(default_factory=dict)
    """If or Loop number (`If.number`, `Loop.number` have separate ranges: loops are keyed by -1 - number) -> whether all
    warps agreed within themselves whenever it ran."""
    atomic_conflicts: dict[int, float] = field(default_factory=dict)
    """Site -> mean number of lanes of a warp that hit the same address."""
    atomic_warps: dict[int, float] = field(default_factory=dict)
    """Site of a shared atomic -> mean number of warps of a block that hit the same address in one execution."""
    divisions: dict[int, DivisionTotals] = field(default_factory=dict)
    """Site of a division of floating-point numbers -> what was seen of its numerators."""
    assumptions: list[RunAssumption] = field(default_factory=list)
    is_out_of_time: bool = False
    """Whether there was no time to run it to its end, or on a better sample."""

    @property
    def threads(self) -> int:
        """Threads of the launch."""
        gx, gy, gz = self.grid
        bx, by, bz = self.block
        return gx * gy * gz * bx * by * bz


EVENTS_PER_SITE = 96
"""Bound on stored events, so that memory and time do not grow with the problem."""
