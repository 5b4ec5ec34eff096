"""The part of a launch's work that no guess decided on: what bounds its time from below."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from roofstat.hardware.units import SHARED_WAVEFRONT_BYTES
from roofstat.instructions.tables.quantities import Quantity
from roofstat.program.code import blocks, loops
from roofstat.report import NumberType, TrafficRegime

if TYPE_CHECKING:
    from roofstat.execution.trace import LaunchTrace
    from roofstat.instructions.model import InstructionCounts
    from roofstat.memory.records import MemoryTraffic
    from roofstat.roofline import Work

__all__ = ["PIPE_INSTRUCTIONS", "certain_work"]

PIPE_INSTRUCTIONS = {
    NumberType.FP32: Quantity.FP32_INSTRUCTIONS,
    NumberType.FP64: Quantity.FP64_INSTRUCTIONS,
    NumberType.FP16: Quantity.FP16_INSTRUCTIONS,
}


def certain_work(
    work: Work,
    counts: InstructionCounts,
    memory: MemoryTraffic,
    trace: LaunchTrace,
    regime: TrafficRegime,
) -> Work:
    """Return the part of the work that is done whichever way unknown branches and trip counts go.

    DRAM bytes are those of known addresses, each counted once: what a cache loses is a matter of its model.
    """
    doubtful = _doubtful_shares(trace)

    def certain(quantity: Quantity) -> float:
        in_doubt = sum(
            amounts.get(quantity, 0.0) * doubtful.get(block, 0.0)
            for block, amounts in counts.by_block.items()
        )
        return max(counts.total(quantity) - in_doubt, 0.0)

    written = memory.certain.dram_write_bytes
    if regime is TrafficRegime.PROFILED:
        kept = memory.steady.write_bytes - memory.profiled.write_bytes
        written = max(written - kept, 0.0)
    tensor = certain(Quantity.TENSOR_FLOP)
    return dataclasses.replace(
        work,
        sp_flop=certain(Quantity.SP_FLOP),
        dp_flop=certain(Quantity.DP_FLOP),
        hp_flop=certain(Quantity.HP_FLOP),
        int_op=certain(Quantity.INT_OP),
        special_op=certain(Quantity.SPECIAL_UNIT_OP),
        instructions={kind: certain(each) for kind, each in PIPE_INSTRUCTIONS.items()},
        tensor_flop=dict.fromkeys(work.tensor_flop, tensor),
        dram_bytes=memory.certain.dram_read_bytes + written,
        l2_bytes=memory.certain.l2_bytes,
        l1_bytes=0.0,
        constant_address=0.0,
        issued_op=0.0,
        shared_bytes=memory.certain_shared_wavefronts * SHARED_WAVEFRONT_BYTES,
        shared_atomic_op=memory.certain_shared_atomic_threads,
        global_atomic_op=memory.certain_atomic_threads,
        global_atomic_sector_op=(
            memory.certain_scattered_threads if work.global_atomic_sector_op else 0.0
        ),
        global_atomic_same_address_op=memory.certain_contention.floating,
        global_atomic_same_address_int_op=memory.certain_contention.integer,
        global_atomic_same_sector_request=memory.certain_contention.sector,
    )


def _doubtful_shares(trace: LaunchTrace) -> dict[int, float]:
    """The share of the executions of each block that a guess decided on; in tests of loops all but the first."""
    shares = {
        block: min(threads / trace.block_threads[block], 1.0)
        for block, threads in trace.doubtful_threads.items()
        if trace.block_threads.get(block, 0.0) > 0.0
    }
    for loop, _ in loops(trace.code.body):
        totals = trace.loops.get(loop.number)
        if totals is None or totals.source != "assumed":
            continue
        again = totals.iterations / max(totals.entries + totals.iterations, 1e-9)
        for block in blocks(loop.condition):
            shares[block.number] = max(shares.get(block.number, 0.0), again)
    return shares
