"""Time that each resource needs for the work of a launch, each on its own and at its peak."""

from __future__ import annotations

import math
from collections.abc import Mapping

from roofstat.hardware import Gpu, TensorType, Vendor
from roofstat.roofline.kinds import BoundBy, NumberType
from roofstat.roofline.work import Work

__all__ = [
    "NOT_WORK",
    "binding_resource",
    "issued_op_per_s",
    "latency_time_s",
    "launch_terms",
    "least_times_s",
    "modelled_time_s",
    "peak_op_per_s",
    "resource_times_s",
]

NOT_WORK = frozenset({BoundBy.LATENCY, BoundBy.LAUNCH})
"""What passes without a resource being busy."""
_SATURATED = 0.9
"""Of the time of the schedulers, from which on a pipe is named for it."""
_ARITHMETIC = {
    BoundBy.FP32: NumberType.FP32,
    BoundBy.FP64: NumberType.FP64,
    BoundBy.FP16: NumberType.FP16,
    BoundBy.INT: NumberType.INT,
    BoundBy.TENSOR: NumberType.TENSOR,
}


def _tensor_peak_flop_per_s(gpu: Gpu, tensor_flop: Mapping[TensorType, float]) -> float | None:
    """Return the matrix peak for a mix of input types: total work over the sum of the times.

    Without matrix work it is the FP16 peak. None where the card has no matrix peak for a type that is used; TF32 work
    on a card without it is not rescaled to another type.
    """
    used = {kind: flop for kind, flop in tensor_flop.items() if flop > 0}
    if not used:
        return gpu.tensor_flop_per_s.get(TensorType.FP16)
    if any(kind not in gpu.tensor_flop_per_s for kind in used):
        return None
    seconds = math.fsum(flop / gpu.tensor_flop_per_s[kind] for kind, flop in used.items())
    return math.fsum(used.values()) / seconds


def peak_op_per_s(gpu: Gpu, kind: NumberType, work: Work | None = None) -> float | None:
    """Return the peak rate of one type of arithmetic, in the unit of `Work`; None where the card has none."""
    match kind:
        case NumberType.FP32:
            peak = gpu.fp32_flop_per_s
        case NumberType.FP64:
            peak = gpu.fp64_flop_per_s
        case NumberType.FP16:
            peak = gpu.fp16_counted_flop_per_s
        case NumberType.INT:
            peak = gpu.int_op_per_s
        case NumberType.TENSOR:
            return _tensor_peak_flop_per_s(gpu, work.tensor_flop if work else {})
    return peak or None


def resource_times_s(work: Work, gpu: Gpu) -> dict[BoundBy, float]:
    """Return the seconds that each resource needs alone; a resource without work or with unknown work is left out.

    Resources of an SM count only the SMs that have a block. `issue` is what the schedulers take for all instructions, one of
    a warp a clock. `latency` is there where the work states it, `launch` always.
    """
    share = work.busy_sm_share
    times: dict[BoundBy, float | None] = {
        BoundBy.DRAM: _time(work.dram_bytes, gpu.dram_bytes_per_s),
        BoundBy.L2: _time(work.l2_bytes, gpu.l2_bytes_per_s),
        BoundBy.SHARED: _l1_time_s(work, gpu),
        BoundBy.CONSTANT: _constant_time_s(work, gpu),
        BoundBy.SPECIAL: _time(work.special_op, gpu.special_op_per_s * share),
        BoundBy.ATOMICS: _atomic_time_s(work, gpu),
        BoundBy.LATENCY: work.latency_s,
        BoundBy.LAUNCH: gpu.launch_overhead_s,
    }
    for resource, kind in _ARITHMETIC.items():
        peak = peak_op_per_s(gpu, kind, work)
        times[resource] = _time(_pipe_op(work, gpu, kind), peak * share) if peak else None
    if gpu.vendor is Vendor.NVIDIA:
        times[BoundBy.ISSUE] = _time(work.issued_op, issued_op_per_s(gpu) * share)
    return {resource: seconds for resource, seconds in times.items() if seconds}


def modelled_time_s(times: Mapping[BoundBy, float]) -> float:
    """Return what a launch most likely takes: its start, the longest chain of waits, and the busiest resource.

    The first blocks fill the pipes and the last ones drain them, so that the busiest resource does not hide the chain.
    Compared with the 998 rows of an RTX 3080 that have a time, by the mean distance in binary digits: 0.80, where the longest
    of all has 1.08 and the root of the sum of squares 0.88.
    """
    return math.fsum(times[part] for part in launch_terms(times))


def binding_resource(times: Mapping[BoundBy, float]) -> BoundBy | None:
    """Return what needs longest; the busiest arithmetic where the schedulers take hardly longer than it, and lead.

    A pipe as wide as the schedulers is saturated by what they issue, so that both take about as long.
    """
    longest = max(times, key=lambda resource: times[resource], default=None)
    if longest is not BoundBy.ISSUE:
        return longest
    pipes = [pipe for pipe in (*_ARITHMETIC, BoundBy.SPECIAL) if pipe in times]
    busiest = max(pipes, key=lambda pipe: times[pipe], default=None)
    if busiest is None or times[busiest] < _SATURATED * times[longest]:
        return longest
    return busiest


def launch_terms(times: Mapping[BoundBy, float]) -> list[BoundBy]:
    """Return what the time of a launch is made of: the busiest resource, and what passes without one being busy."""
    resources = [part for part in times if part not in NOT_WORK]
    busiest = max(resources, key=lambda part: times[part], default=None)
    return [part for part in times if part in NOT_WORK or part is busiest]


def issued_op_per_s(gpu: Gpu) -> float:
    """Return the instructions, as executions by threads, that all schedulers can issue: one of a warp each clock."""
    return gpu.sub_partitions * gpu.warp_size * gpu.clock_hz * gpu.sm_count


def _l1_time_s(work: Work, gpu: Gpu) -> float | None:
    """Time of the unit that holds L1 and shared memory, which serves one or the other; on other makers' cards they are apart."""
    share = work.busy_sm_share
    parts = (
        _time(work.shared_bytes, gpu.shared_bytes_per_s * share),
        _time(work.l1_bytes, gpu.l1_bytes_per_s * share),
    )
    known = [seconds for seconds in parts if seconds is not None]
    if not known:
        return None
    return math.fsum(known) if gpu.vendor is Vendor.NVIDIA else max(known)


def _constant_time_s(work: Work, gpu: Gpu) -> float | None:
    """Time of the constant caches for addresses that differ within a warp: one after the other."""
    if gpu.constant_address_per_s is None:
        return None
    return _time(work.constant_address, gpu.constant_address_per_s * work.busy_sm_share)


def _pipe_op(work: Work, gpu: Gpu, kind: NumberType) -> float | None:
    """Operations that a pipe could do while it takes the instructions of a launch: two of each, as a multiply-add has."""
    amount = work.amount(kind)
    if amount is None or gpu.vendor is not Vendor.NVIDIA:
        return amount
    return max(amount, 2.0 * work.instructions.get(kind, 0.0))


def least_times_s(work: Work, gpu: Gpu) -> dict[BoundBy, float]:
    """Return the times as `resource_times_s` does, integer work at the rate at which an SM can issue it.

    The integer peak is that of the integer lanes; multiply-adds run in a pipe of their own beside them, so that a mix of
    both reaches up to one instruction for each scheduler and clock.
    """
    times = resource_times_s(work, gpu)
    if BoundBy.INT in times and gpu.vendor is Vendor.NVIDIA:
        times[BoundBy.INT] *= min(gpu.int_op_per_s / issued_op_per_s(gpu), 1.0)
    return times


def latency_time_s(
    gpu: Gpu, *, waves: float, serial_clocks: float, rare_clocks: float = 0.0
) -> float:
    """Return the time of a launch in which nothing hides the waits of a warp.

    Args:
        gpu: The card.
        waves: Rounds of resident blocks; a part of a wave takes as long as a whole one.
        serial_clocks: Clocks of a warp that every wave waits for.
        rare_clocks: Further clocks of one warp of the launch.
    """
    return (max(1, math.ceil(waves)) * serial_clocks + rare_clocks) / gpu.clock_hz


def _time(amount: float | None, rate: float) -> float | None:
    return None if amount is None else amount / rate


def _atomic_time_s(work: Work, gpu: Gpu) -> float | None:
    shared_rate = gpu.shared_atomic_op_per_s * work.busy_sm_share
    parts = (
        _time(work.shared_atomic_op, shared_rate),
        _time(work.global_atomic_op, gpu.global_atomic_op_per_s),
        _time(work.global_atomic_sector_op, gpu.global_atomic_sector_op_per_s),
        _time(work.global_atomic_same_address_op, gpu.global_atomic_same_address_op_per_s),
        _time(work.global_atomic_same_address_int_op, gpu.global_atomic_same_address_int_op_per_s),
        _time(work.global_atomic_same_sector_request, gpu.global_atomic_same_sector_request_per_s),
    )
    known = [seconds for seconds in parts if seconds is not None]
    return max(known) if known else None
