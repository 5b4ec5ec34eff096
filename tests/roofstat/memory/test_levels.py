"""What one level of the memory moves bounds the next: nothing reaches DRAM that did not pass the L2."""

from __future__ import annotations

import kernels
import pytest
from synthetic import Access, Kernel, analyse

from roofstat.hardware import load_gpu
from roofstat.hardware.units import SECTOR_BYTES
from roofstat.memory.parameters import memory_parameters
from roofstat.program.code import Op


def one_busy_block(trips: int) -> Kernel:
    """Only the last of 4,096 blocks reads: x[k * 256 + tid] for k < trips."""
    return Kernel(
        (4096, 1, 1),
        (256, 1, 1),
        [
            Access(
                lambda t, k: (k * 256 + t.tx) * 4,
                active=lambda t, _: t.bx == 4095,
                loops=(trips,),
            )
        ],
    )


def column_walk(rows: int, columns: int) -> Kernel:
    """Each thread of 8 blocks walks down one column of floats, and writes one value."""
    return Kernel(
        (columns // 128, 1, 1),
        (128, 1, 1),
        [
            Access(lambda t, k: (k * columns + t.x) * 4, loops=(rows,)),
            Access(lambda t: t.x * 4, op=Op.STORE, buffer=1),
        ],
    )


KERNELS = {
    "elementwise": kernels.elementwise(1 << 20),
    "stencil_1d": kernels.stencil_1d(1 << 20, 2),
    "stencil_2d": kernels.stencil_2d(2048, 1024),
    "stencil_3d": kernels.stencil_3d(256, 128, 64),
    "transpose": kernels.transpose(2048),
    "matmul_naive": kernels.matmul_naive(512, 512, 64),
    "matmul_tiled": kernels.matmul_tiled(512, 512, 64),
    "strided": kernels.strided(1 << 18, 128),
    "array_of_structs": kernels.array_of_structs(1 << 18, 48, 3),
    "broadcast": kernels.broadcast(64, 256),
    "gather": kernels.gather(1 << 18, 1 << 24),
    "block_reduction": kernels.block_reduction(2048),
    "grid_stride": kernels.grid_stride(1 << 22, 256),
    "padded_rows": kernels.padded_rows(1000, 1024, 512),
    "one_busy_block": one_busy_block(100_000),
    "column_walk": column_walk(4096, 1024),
}


@pytest.mark.property
@pytest.mark.parametrize("gpu", ["a100", "h100", "rtx3080", "v100"])
@pytest.mark.parametrize("name", KERNELS)
def test_dram_moves_no_more_than_the_l2_asks_for(name, gpu):
    """Reads may bring the neighbour of a sector along, and complete sectors that are written in part."""
    card, parameters = load_gpu(gpu), memory_parameters()
    traffic = analyse(KERNELS[name], gpu)
    floor = analyse(Kernel((1, 1, 1), (32, 1, 1), []), gpu).steady.read_bytes
    widening = parameters.fetch_bytes(card) / SECTOR_BYTES * card.ecc_dram_factor
    fill = parameters.partial_fill(card) * card.ecc_dram_factor * traffic.unique_write_bytes
    moved = traffic.steady.read_bytes + traffic.steady.write_bytes
    # Numbers of sectors are rounded up.
    assert moved <= 1.001 * widening * traffic.l2_bytes + fill + floor + 4096


@pytest.mark.parametrize("gpu", ["a100", "v100"])
def test_a_block_that_reads_alone_shares_its_requests_with_nobody(gpu):
    """100,000 trips x 256 threads x 4 bytes go through the L2, and come from DRAM."""
    traffic = analyse(one_busy_block(100_000), gpu)
    assert traffic.l2_bytes == pytest.approx(102.4e6, rel=0.01)
    assert traffic.steady.read_bytes == pytest.approx(102.4e6, rel=0.01)
