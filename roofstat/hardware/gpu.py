"""The record that describes one GPU at one clock."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping

from clang_queries.quick_dataclass import dataclass
from roofstat.errors import HardwareError
from roofstat.hardware.figures import Figure

__all__ = ["ClockChoice", "Gpu", "TensorType", "Vendor"]


class Vendor(enum.Enum):
    """Who makes the GPU."""

    NVIDIA = "NVIDIA"
    AMD = "AMD"
    INTEL = "Intel"


class TensorType(enum.Enum):
    """Input types of the matrix units that have a peak of their own."""

    FP64 = "fp64"
    TF32 = "tf32"
    FP16 = "fp16"
    """Also BF16: both have the same peak on every card described here."""
    FP8 = "fp8"
    INT8 = "int8"


class ClockChoice(enum.Enum):
    """Named clocks of `--clock`."""

    BASE = "base"
    BOOST = "boost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """One GPU at one core clock. Rates are for the whole GPU unless the name says otherwise.

    Peak rates count `FLOP` as add + mul + 2 * fma and integer operations as one each.

    Attributes:
        id: Name of the data file, or stem of the user's file.
        name: Product name.
        target: Compiler target, such as `sm_80` or `gfx942`.
        validated: Whether verdicts for this chip were ever checked against profiled labels.
        validated_on: What they were checked on; empty where they were not.
        clock_hz: The core clock that the rates are stated at.
        base_clock_hz: None where no base clock is known.
        fp16_flop_per_s: FP16 outside the tensor cores, both lanes of packed instructions.
        tensor_flop_per_s: Dense matrix peaks, for the types that the card has.
        l2_bytes: Size of the whole L2.
        l2_partitions: Parts of the L2 that may each hold a copy of shared data.
        display_frame_bytes: Moved for each frame of a display; 0 where the card drives none.
        shared_bytes_per_s: All SMs together, without bank conflicts.
        l1_bytes_per_s: All SMs together, in whole lines; as shared memory where no figure is known.
        constant_address_per_s: All SMs together, addresses of constant memory that differ within a warp; None where no figure is known.
        load_lanes_per_clk: Lanes of an SM that take addresses; a whole warp where no figure is known.
        shared_reserved_bytes: Taken from shared memory for each block.
        register_unit: Registers are given to a warp in multiples of this.
        sub_partitions: Register files of an SM; a warp lives in one of them.
        global_atomic_op_per_s: Consecutive addresses.
        global_atomic_sector_op_per_s: Scattered addresses, one sector each.
        global_atomic_same_address_op_per_s: All on one address, floating point.
        global_atomic_same_address_int_op_per_s: The same for integers and compare-and-swap.
        global_atomic_same_sector_request_per_s: Warp requests with atomics on one sector.
        shared_atomic_op_per_s: All SMs together, without conflict.
        ecc_dram_factor: DRAM bytes moved for each byte asked for.
        write_back_l2_share: `c` of the residue law min(stored, c * L2, k * L2 * write share).
        write_back_write_share: `k` of the same law.
        launch_overhead_s: Shortest duration of a kernel.
        figures: Every number behind this record, with its source.
    """

    id: str
    name: str
    vendor: Vendor
    architecture: str
    target: str
    memory_type: str
    validated_on: str

    clock_hz: float
    base_clock_hz: float | None
    boost_clock_hz: float
    sm_count: int
    warp_size: int

    fp64_flop_per_s: float
    fp32_flop_per_s: float
    fp16_flop_per_s: float
    int_op_per_s: float
    special_op_per_s: float
    tensor_flop_per_s: Mapping[TensorType, float]

    memory_bytes: float | None
    dram_bytes_per_s: float
    dram_latency_s: float
    ecc_dram_factor: float
    display_frame_bytes: float
    display_frames_per_s: float
    l2_bytes: int
    l2_partitions: int
    l2_bytes_per_s: float
    l2_latency_s: float
    sector_bytes: int
    line_bytes: int
    write_back_l2_share: float
    write_back_write_share: float
    l1_bytes_per_sm: int
    l1_bytes_per_s: float
    constant_address_per_s: float | None
    load_lanes_per_clk: float

    shared_bytes_per_sm: int
    shared_bytes_per_block: int
    shared_unit_bytes: int
    shared_reserved_bytes: int
    shared_bytes_per_s: float

    shared_atomic_op_per_s: float
    global_atomic_op_per_s: float
    global_atomic_sector_op_per_s: float
    global_atomic_same_address_op_per_s: float
    global_atomic_same_address_int_op_per_s: float
    global_atomic_same_sector_request_per_s: float

    max_threads_per_block: int
    max_threads_per_sm: int
    max_blocks_per_sm: int
    registers_per_sm: int
    max_registers_per_thread: int
    register_unit: int
    sub_partitions: int
    launch_overhead_s: float

    figures: Mapping[str, Figure] = dataclasses.field(repr=False)

    @property
    def validated(self) -> bool:
        """Whether verdicts for this chip were ever checked against profiled labels."""
        return bool(self.validated_on)

    @property
    def fp16_counted_flop_per_s(self) -> float:
        """The FP16 peak in the unit that work is counted in: a packed instruction counts once, as in the profiler.

        The peak counts both of its lanes, so this is half of it, for scalar and for packed code alike.
        """
        return self.fp16_flop_per_s / 2

    @property
    def max_warps_per_sm(self) -> int:
        """Warps that can be resident on an SM."""
        return self.max_threads_per_sm // self.warp_size

    def with_clock(self, clock: ClockChoice | float | str) -> Gpu:
        """Return the same GPU at another core clock. DRAM bandwidth does not follow the core clock.

        Args:
            clock: A named clock, a frequency in MHz, or the text of either.

        Raises:
            HardwareError: The clock is no clock, is unknown for this card, or is not positive.

        >>> from roofstat.hardware import load_gpu
        >>> round(load_gpu("rtx3080").with_clock(1440).fp32_flop_per_s / 1e9, 2)
        25067.52
        """
        hertz = self._clock_hz(clock)
        factor = hertz / self.clock_hz
        changes: dict[str, object] = {name: getattr(self, name) * factor for name in _CORE_RATES}
        changes |= {name: getattr(self, name) / factor for name in _CORE_LATENCIES}
        changes["tensor_flop_per_s"] = {
            kind: peak * factor for kind, peak in self.tensor_flop_per_s.items()
        }
        return dataclasses.replace(self, clock_hz=hertz, **changes)  # type: ignore[arg-type]

    def _clock_hz(self, clock: ClockChoice | float | str) -> float:
        if isinstance(clock, str):
            clock = _parse_clock(clock)
        if clock is ClockChoice.BOOST:
            return self.boost_clock_hz
        if clock is ClockChoice.BASE:
            if self.base_clock_hz is None:
                raise HardwareError(
                    f"no base clock is known for {self.id}", remedy="give --clock in MHz"
                )
            return self.base_clock_hz
        if not 0 < clock * 1e6 <= _MOST_OVERCLOCKED * self.boost_clock_hz:
            raise HardwareError(
                f"a clock of {clock:g} MHz makes no sense for {self.id}, whose boost clock is {self.boost_clock_hz / 1e6:g} MHz",
                remedy="give base, boost or a number of MHz",
            )
        return float(clock) * 1e6


_MOST_OVERCLOCKED = 2.0
"""A clock above so many times the boost clock is a slip."""
_CORE_RATES = (
    "fp64_flop_per_s",
    "fp32_flop_per_s",
    "fp16_flop_per_s",
    "int_op_per_s",
    "special_op_per_s",
    "l1_bytes_per_s",
    "l2_bytes_per_s",
    "shared_bytes_per_s",
    "shared_atomic_op_per_s",
    "global_atomic_op_per_s",
    "global_atomic_sector_op_per_s",
    "global_atomic_same_address_op_per_s",
    "global_atomic_same_address_int_op_per_s",
    "global_atomic_same_sector_request_per_s",
)
_CORE_LATENCIES = ("l2_latency_s",)


def _parse_clock(text: str) -> ClockChoice | float:
    word = text.strip().lower()
    if word in {choice.value for choice in ClockChoice}:
        return ClockChoice(word)
    number = word.removesuffix("mhz").strip()
    try:
        return float(number)
    except ValueError:
        raise HardwareError(
            f"{text!r} is not a clock", remedy="give base, boost or a number of MHz"
        ) from None
