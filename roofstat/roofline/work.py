"""What one launch of a kernel has to do."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware import TensorType
from roofstat.roofline.kinds import NumberType

__all__ = ["UNKNOWN_WORK", "Work"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Work of one launch, all threads together. None means unknown, which is never the same as 0.

    Attributes:
        sp_flop: FP32 add + mul + 2 * fma.
        dp_flop: FP64, likewise.
        hp_flop: FP16 outside the tensor cores, likewise; a packed instruction counts once.
        int_op: Integer instructions, one each.
        special_op: Instructions of the special-function unit.
        instructions: Instructions of the floating-point pipes, by type; types that are missing are not known.
        tensor_flop: 2 * M * N * K of each matrix operation, by input type.
        dram_bytes: DRAM reads and writes in the regime that is judged.
        l2_bytes: Bytes between the SMs and L2.
        shared_bytes: Shared-memory traffic in bytes of full wavefronts, bank conflicts included.
        l1_bytes: Bytes of the lines that L1 goes through for global and local memory.
        constant_address: Addresses of constant memory that warps ask for where their threads want different ones.
        issued_op: Instructions of all kinds, as executions by threads.
        shared_atomic_op: Thread-level shared-memory atomics.
        global_atomic_op: Thread-level global atomics on consecutive addresses.
        global_atomic_sector_op: Thread-level global atomics on scattered addresses.
        global_atomic_same_address_op: Floating-point global atomics on the most contended address.
        global_atomic_same_address_int_op: Integer global atomics on it, those of a warp as one.
        global_atomic_same_sector_request: Warp requests with global atomics on the most contended sector.
        busy_sm_share: Share of the SMs that have a block to run; 1 for grids of at least one block for each SM.
        latency_s: Time of the longest chain of dependent steps, of all waves of blocks one after another.
    """

    sp_flop: float | None = 0.0
    dp_flop: float | None = 0.0
    hp_flop: float | None = 0.0
    int_op: float | None = 0.0
    special_op: float | None = 0.0
    instructions: Mapping[NumberType, float] = field(default_factory=dict)
    tensor_flop: Mapping[TensorType, float] = field(default_factory=dict)
    dram_bytes: float | None = 0.0
    l2_bytes: float | None = 0.0
    shared_bytes: float | None = 0.0
    l1_bytes: float | None = 0.0
    constant_address: float | None = 0.0
    issued_op: float | None = 0.0
    shared_atomic_op: float | None = 0.0
    global_atomic_op: float | None = 0.0
    global_atomic_sector_op: float | None = 0.0
    global_atomic_same_address_op: float | None = 0.0
    global_atomic_same_address_int_op: float | None = 0.0
    global_atomic_same_sector_request: float | None = 0.0
    busy_sm_share: float = 1.0
    latency_s: float | None = None

    def __post_init__(self) -> None:
        """Refuse amounts that no launch can have."""
        for name in _AMOUNTS:
            amount = getattr(self, name)
            if amount is not None and not (amount >= 0 and math.isfinite(amount)):
                raise ValueError(f"{name} must be a finite amount of at least 0, not {amount}")
        if any(not (flop >= 0 and math.isfinite(flop)) for flop in self.tensor_flop.values()):
            raise ValueError("tensor_flop must hold finite amounts of at least 0")
        if not 0 < self.busy_sm_share <= 1:
            raise ValueError(
                f"busy_sm_share must be above 0 and at most 1, not {self.busy_sm_share}"
            )

    @property
    def is_known(self) -> bool:
        """Whether anything is known of the launch."""
        return any(getattr(self, name) is not None for name in _AMOUNTS)

    def amount(self, kind: NumberType) -> float | None:
        """Return the operations of one type."""
        match kind:
            case NumberType.FP32:
                return self.sp_flop
            case NumberType.FP64:
                return self.dp_flop
            case NumberType.FP16:
                return self.hp_flop
            case NumberType.INT:
                return self.int_op
            case NumberType.TENSOR:
                return math.fsum(self.tensor_flop.values())


_AMOUNTS = (
    "sp_flop",
    "dp_flop",
    "hp_flop",
    "int_op",
    "special_op",
    "dram_bytes",
    "l2_bytes",
    "shared_bytes",
    "l1_bytes",
    "constant_address",
    "issued_op",
    "shared_atomic_op",
    "global_atomic_op",
    "global_atomic_sector_op",
    "global_atomic_same_address_op",
    "global_atomic_same_address_int_op",
    "global_atomic_same_sector_request",
    "latency_s",
)

UNKNOWN_WORK = Work(
    sp_flop=None,
    dp_flop=None,
    hp_flop=None,
    int_op=None,
    special_op=None,
    dram_bytes=None,
    l2_bytes=None,
    shared_bytes=None,
    l1_bytes=None,
    constant_address=None,
    issued_op=None,
    shared_atomic_op=None,
    global_atomic_op=None,
    global_atomic_sector_op=None,
    global_atomic_same_address_op=None,
    global_atomic_same_address_int_op=None,
    global_atomic_same_sector_request=None,
)
"""The work of a launch of which nothing is known."""
