"""Occupancy against cases worked out by hand from the allocation rules."""

import pytest
from hypothesis import given, strategies as st

from roofstat.hardware import OccupancyLimiter, available_gpus, load_gpu, occupancy


@pytest.mark.parametrize(
    ("gpu", "threads", "registers", "shared", "blocks", "limiter"),
    [
        # 64 warps / 8 warps a block = 8; 32 registers: 16,384 / 1,024 = 16 warps a file = 64 warps, no tighter
        ("a100", 256, 32, 0, 8, OccupancyLimiter.THREADS),
        # 64 registers: 2,048 a warp, 16,384 / 2,048 = 8 warps a file = 32 warps = 4 blocks of 8 warps
        ("a100", 256, 64, 0, 4, OccupancyLimiter.REGISTERS),
        # 33 registers round up from 1,056 to 1,280 a warp: 12 warps a file = 48 warps = 6 blocks
        ("a100", 256, 33, 0, 6, OccupancyLimiter.REGISTERS),
        # 255 registers: 8,160 to 8,192 a warp: 2 warps a file = 8 warps = 1 block
        ("a100", 256, 255, 0, 1, OccupancyLimiter.REGISTERS),
        # 1,024 threads at 65 registers: 2,304 a warp x 32 warps = 73,728 > 65,536: cannot run
        ("a100", 1024, 65, 0, 0, OccupancyLimiter.REGISTERS),
        # 48 KiB + 1 KiB taken by the system = 49 KiB; 164 / 49 = 3
        ("a100", 128, 16, 48 * 1024, 3, OccupancyLimiter.SHARED),
        # 163 KiB + 1 KiB = 164 KiB: just fits once
        ("a100", 128, 16, 163 * 1024, 1, OccupancyLimiter.SHARED),
        ("a100", 128, 16, 163 * 1024 + 1, 0, OccupancyLimiter.SHARED),
        # one warp a block: 32 blocks are the limit, not 64 warps
        ("a100", 32, 16, 0, 32, OccupancyLimiter.BLOCKS),
        # sm_86: 16 blocks, 1,536 threads: 48 warps / 8 = 6
        ("rtx3080", 256, 32, 0, 6, OccupancyLimiter.THREADS),
        ("rtx3080", 64, 32, 0, 16, OccupancyLimiter.BLOCKS),
        # sm_86, 10 KiB + 1 KiB: 100 / 11 = 9
        ("rtx3080", 128, 32, 10 * 1024, 9, OccupancyLimiter.SHARED),
        # sm_70 takes nothing for itself: 96 / 48 = 2; sm_75 has 16 blocks and 32 warps
        ("v100", 128, 32, 48 * 1024, 2, OccupancyLimiter.SHARED),
        ("t4", 32, 32, 0, 16, OccupancyLimiter.BLOCKS),
        # sm_89 has 24 blocks
        ("l4", 32, 32, 0, 24, OccupancyLimiter.BLOCKS),
        # 100 threads are 4 warps: 64 / 4 = 16
        ("h100", 100, 32, 0, 16, OccupancyLimiter.THREADS),
        # more than 1,024 threads is no launch
        ("h100", 1025, 16, 0, 0, OccupancyLimiter.THREADS),
        ("h100", 128, 256, 0, 0, OccupancyLimiter.REGISTERS),
        # one wave of 64 lanes is one warp here: 32 of them
        ("mi250x-gcd", 256, 64, 0, 8, OccupancyLimiter.THREADS),
    ],
)
def test_resident_blocks(gpu, threads, registers, shared, blocks, limiter):
    found = occupancy(
        load_gpu(gpu),
        threads_per_block=threads,
        registers_per_thread=registers,
        shared_bytes_per_block=shared,
    )
    assert (found.blocks_per_sm, found.limiter) == (blocks, limiter)
    assert found.warps_per_sm == blocks * found.warps_per_block
    assert found.share == found.warps_per_sm / load_gpu(gpu).max_warps_per_sm


def test_a_block_has_threads():
    with pytest.raises(ValueError, match="at least one thread"):
        occupancy(load_gpu("a100"), threads_per_block=0, registers_per_thread=16)


@pytest.mark.property
@given(
    gpu=st.sampled_from(available_gpus()),
    threads=st.integers(1, 1024),
    registers=st.integers(1, 254),
    shared=st.integers(0, 200_000),
)
def test_more_of_a_resource_never_raises_occupancy(gpu, threads, registers, shared):
    card = load_gpu(gpu)

    def blocks(more_registers, more_shared):
        return occupancy(
            card,
            threads_per_block=threads,
            registers_per_thread=registers + more_registers,
            shared_bytes_per_block=shared + more_shared,
        ).blocks_per_sm

    assert blocks(1, 0) <= blocks(0, 0)
    assert blocks(0, 512) <= blocks(0, 0)
    # What is resident fits: threads, shared memory and registers of all blocks together.
    resident = blocks(0, 0)
    assert resident * threads <= card.max_threads_per_sm
    assert resident * shared <= card.shared_bytes_per_sm
    assert resident * threads * registers <= card.registers_per_sm
