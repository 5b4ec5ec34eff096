"""Stores to places counted in shared memory fill sectors; gathers through data that nobody knows have locality."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu

if TYPE_CHECKING:
    from pathlib import Path

    from roofstat.memory.records import DramTraffic

_COUNT = 1 << 24


def traffic(path: Path, text: str) -> DramTraffic:
    path.write_text(text)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("rtx3080"))).kernels
    return kernel.traffic.profiled


def radix(digits: int) -> str:
    return f"""
    __global__ void k(const unsigned *keys, const int *first, unsigned *out) {{
      __shared__ int at[{digits}];
      for (int d = threadIdx.x; d < {digits}; d += 256) at[d] = first[d * gridDim.x + blockIdx.x];
      __syncthreads();
      for (int i = 0; i < 16; i++) {{
        unsigned key = keys[(blockIdx.x * 16 + i) * 256 + threadIdx.x];
        out[atomicAdd(&at[key % {digits}], 1)] = key;
      }}
    }}
    int main() {{
      unsigned *keys, *out; int *first;
      cudaMalloc(&keys, {4 * _COUNT}); cudaMalloc(&out, {4 * _COUNT});
      cudaMalloc(&first, {digits} * {_COUNT // 4096} * 4);
      k<<<{_COUNT // 4096}, 256>>>(keys, first, out);
    }}
    """


def test_few_counters_fill_one_sector_after_the_other(tmp_path: Path) -> None:
    """6 blocks on each of 68 SMs with 16 open sectors: 209 KB of the 0.9 MB that stay dirty, so that each byte goes out once."""
    found = traffic(tmp_path / "radix.cu", radix(16))
    assert found.write_bytes == pytest.approx(4 * _COUNT, rel=0.05)


def test_many_counters_write_a_sector_each_time(tmp_path: Path) -> None:
    """With 2,048 of them it is 27 MB, as much as 400 stores of a block ago: 32 bytes leave for each 4 that are stored."""
    found = traffic(tmp_path / "buckets.cu", radix(2048))
    assert found.write_bytes > 0.8 * 32 * _COUNT


def test_gathers_of_which_half_is_known_have_locality(tmp_path: Path) -> None:
    """2^16 boxes of 2 KB, each read by 16 blocks, half of them near: 134 MB once, and 4 MB of the numbers of neighbours.

    Were the others anywhere, most of their 8 x 134 MB would come from DRAM.
    """
    found = traffic(
        tmp_path / "boxes.cu",
        """
    __global__ void k(const float4 *box, const int *neighbour, float4 *out) {
      float4 sum = {0, 0, 0, 0};
      for (int n = 0; n < 16; n++) {
        int from = n < 8 ? blockIdx.x ^ n : neighbour[blockIdx.x * 16 + n];
        float4 one = box[from * 128 + threadIdx.x];
        sum.x += one.x; sum.y += one.y; sum.z += one.z; sum.w += one.w;
      }
      if (sum.x == 0) out[threadIdx.x] = sum;
    }
    int main() {
      float4 *box, *out; int *neighbour;
      cudaMalloc(&box, 65536 * 2048); cudaMalloc(&out, 2048); cudaMalloc(&neighbour, 65536 * 64);
      k<<<65536, 128>>>(box, neighbour, out);
    }
    """,
    )
    assert found.read_bytes == pytest.approx(65536 * 2048, rel=0.05)


HASHED = "(keys[i] * 2654435769u) >> 8"


@pytest.mark.parametrize(
    ("place", "steps", "bytes_each"),
    [(HASHED, 1, 32), ("(keys[i] * 2654435768u) & 0xffffff", 1, 14), (HASHED, 5, 48)],
)
def test_hashed_places_have_no_locality(
    tmp_path: Path, place: str, steps: int, bytes_each: int
) -> None:
    """2^22 probes of a table of 2^21 sectors: one sector each, of 1.5 % of which the L2 still has; else 0.86 of them once.

    Four steps to the next element lead into half a sector more.
    """
    found = traffic(
        tmp_path / "probe.cu",
        f"""
    __global__ void k(const unsigned *keys, const unsigned *table, unsigned *out) {{
      int i = blockIdx.x * 256 + threadIdx.x;
      unsigned at = {place}, sum = 0;
      for (int n = 0; n < {steps}; n++) {{
        sum += table[at];
        at = (at + 1) & 0xffffff;
      }}
      out[i] = sum;
    }}
    int main() {{
      unsigned *keys, *table, *out;
      cudaMalloc(&keys, {_COUNT}); cudaMalloc(&table, {4 * _COUNT}); cudaMalloc(&out, {_COUNT});
      k<<<{_COUNT // 1024}, 256>>>(keys, table, out);
    }}
    """,
    )
    assert found.read_bytes == pytest.approx((bytes_each + 4) * _COUNT / 4, rel=0.05)


@pytest.mark.parametrize(("words", "sectors"), [(8, 1), (6, 1.5), (16, 2)])
def test_members_of_a_record_at_a_random_place_come_together(
    tmp_path: Path, words: int, sectors: float
) -> None:
    """2^22 records at hashed places: of 32 bytes in one sector; of 24, which lie in two in half of the cases; of 64 in two."""
    found = traffic(
        tmp_path / "members.cu",
        f"""
    struct R {{ unsigned w[{words}]; }};
    __global__ void k(const unsigned *keys, const R *table, unsigned *out) {{
      int i = blockIdx.x * 256 + threadIdx.x;
      unsigned at = (keys[i] * 2654435769u) >> 8;
      out[i] = {" + ".join(f"table[at].w[{number}]" for number in range(words))};
    }}
    int main() {{
      unsigned *keys, *out; R *table;
      cudaMalloc(&keys, {_COUNT}); cudaMalloc(&table, {4 * words * _COUNT}ull); cudaMalloc(&out, {_COUNT});
      k<<<{_COUNT // 1024}, 256>>>(keys, table, out);
    }}
    """,
    )
    assert found.read_bytes == pytest.approx((32 * sectors + 4) * _COUNT / 4, rel=0.05)
