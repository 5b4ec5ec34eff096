"""Footprints of loops in which every thread walks over the same small array, again and again.

Truth by enumeration of one block: the others touch the same addresses, so the launch does not matter.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu

if TYPE_CHECKING:
    from pathlib import Path

GPU = load_gpu("a100")
THREADS = 256
GRIDS = (1, 32, 4096)
PERIOD = 1000
"""Argument `n` of the kernel."""
STARTS = {
    "0": [0] * THREADS,
    "t % 8": [thread % 8 for thread in range(THREADS)],
    "t / 32": [thread // 32 for thread in range(THREADS)],
    "t": list(range(THREADS)),
}


def footprints(folder: Path, body: str) -> list[float]:
    """Bytes that the launches of each grid touch in `a`."""
    launches = "".join(f"k<<<{grid}, {THREADS}>>>(a, o, {PERIOD});" for grid in GRIDS)
    path = folder / "walk.cu"
    path.write_text(f"""
    __global__ void k(const float *a, float *o, int n) {{
      int t = threadIdx.x;
      float s = 0;
      {body}
      o[blockIdx.x * blockDim.x + t] = s;
    }}
    int main() {{
      float *a, *o;
      cudaMalloc(&a, 100000000); cudaMalloc(&o, 100000000);
      {launches}
    }}
    """)
    result = analyze_program([path], AnalysisOptions(gpu=GPU))
    assert len(result.kernels) == len(GRIDS)
    return [
        access.footprint_bytes
        for kernel in result.kernels
        for access in kernel.accesses
        if access.array == "a"
    ]


WALKS = [
    # (repetitions, start, end, step, elements for each index)
    (20, "t / 32", 1000, 256, 16),
    (20, "t % 8", 1000, 256, 16),
    (20, "t / 32", 1024, 32, 16),
    (4, "t / 32", 1024, 8, 3),
    (20, "0", 1000, 17, 1),
    (1, "0", 4096, 16, 1),
    (20, "t", 4096, 256, 2),
    (4, "t % 8", 64, 16, 8),
]


@pytest.mark.parametrize(("repeated", "start", "end", "step", "scale"), WALKS)
def test_a_walk_touches_what_it_reaches_whatever_the_launch(
    tmp_path: Path, repeated: int, start: str, end: int, step: int, scale: int
) -> None:
    found = footprints(
        tmp_path,
        f"""for (int r = 0; r < {repeated}; r++)
          for (int j = {start}; j < {end}; j += {step}) s += a[j * {scale}];""",
    )
    places = itertools.chain.from_iterable(range(first, end, step) for first in STARTS[start])
    sectors = {place * scale * 4 // 32 for place in places}
    assert found == [pytest.approx(32 * len(sectors), rel=0.02)] * len(GRIDS)


def test_an_index_that_stays_for_some_turns_is_no_constant(tmp_path: Path) -> None:
    # One sampled iteration in the middle stands for nearly all: that it agrees with itself says nothing. 1,024 floats.
    found = footprints(tmp_path, "for (int j = 0; j < 4096; j++) s += a[j / 4];")
    assert found == [pytest.approx(4096, rel=0.02)] * len(GRIDS)


INDICES = [
    # (start, end, step, index); the truth is every place that some thread reaches in some turn
    ("0", 5000, 1, "j % 64"),
    ("0", 5000, 1, "(j * 64) % 1000"),
    ("0", 5000, 1, "(j * 64 + t) % 1000"),
    ("t", 4096, 256, "(j * 17) % 1024"),
    ("0", 700, 1, "(j * 7) & 1023"),
    ("0", 100, 1, "(j * 96) % 1000"),
    ("0", 300, 1, "(j & 31) * 24"),
    ("t", 4096, 256, "(j * 5) % n"),
    ("0", 200, 1, "(j * 40 + 8) % n"),
    ("0", 5000, 1, "(j * 24 + t) % blockDim.x"),
    ("0", 900, 3, "1000 + (2000 - j) % 120 * 4"),
    ("0", 16, 1, "t * 320 + (j * 24 + 3) % 72"),
]


@pytest.mark.parametrize(("start", "end", "step", "index"), INDICES)
def test_an_index_that_wraps_around_reaches_the_places_of_its_period(
    tmp_path: Path, start: str, end: int, step: int, index: str
) -> None:
    found = footprints(tmp_path, f"for (int j = {start}; j < {end}; j += {step}) s += a[{index}];")
    places = {
        eval(index.replace("blockDim.x", "256"), {"j": j, "t": thread, "n": PERIOD})  # noqa: S307
        for thread, first in enumerate(STARTS[start])
        for j in range(first, end, step)
    }
    sectors = {place * 4 // 32 for place in places}
    assert found == [pytest.approx(32 * len(sectors), rel=0.001)] * len(GRIDS)


def test_threads_of_teams_walk_the_same_array(tmp_path: Path) -> None:
    path = tmp_path / "walk.cpp"
    path.write_text("""
    #include <stdlib.h>
    int main() {
      float *a = (float *)malloc(4096 * 16), *o = (float *)malloc(4000000);
      for (int n = 1000; n <= 1000000; n *= 100) {
        #pragma omp target teams distribute parallel for map(to: a[0:16384]) map(from: o[0:n])
        for (int i = 0; i < n; i++) {
          float s = 0;
          for (int r = 0; r < 20; r++)
            for (int j = i % 8; j < 1000; j += 256) s += a[j * 16];
          o[i] = s;
        }
      }
    }
    """)
    kernels = analyze_program([path], AnalysisOptions(gpu=GPU)).kernels
    found = [
        access.footprint_bytes
        for kernel in kernels
        for access in kernel.accesses
        if access.array == "a"
    ]
    # j from 0 to 7 in each of four steps: 32 sectors.
    assert found == [pytest.approx(1024, rel=0.02)] * 2


def test_a_period_beyond_all_addresses_never_wraps(tmp_path: Path) -> None:
    """4,096 blocks of 256 threads read a float each; 2**62 of them are more bytes than 64 bits count."""
    path = tmp_path / "far.cu"
    path.write_text("""
    __global__ void k(const float *a, float *o, unsigned long m) {
      unsigned long i = blockIdx.x * blockDim.x + threadIdx.x;
      o[i] = a[i % m];
    }
    int main() { float *a; cudaMalloc(&a, 1 << 22); k<<<4096, 256>>>(a, a, 1ul << 62); }
    """)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=GPU)).kernels
    (access,) = (item for item in kernel.accesses if item.array == "a")
    assert access.footprint_bytes == 4096 * 256 * 4


def test_a_thread_that_moves_on_where_data_say_so_brings_each_sector_once(tmp_path: Path) -> None:
    # 512 of 1,024 turns read the next float of a row that begins at any sector: 64 sectors for each thread, not 512.
    path = tmp_path / "rows.cu"
    path.write_text("""
    __global__ void k(const int *first, const int *mark, const float *a, float *o) {
      int t = blockIdx.x * blockDim.x + threadIdx.x;
      const float *p = a + 8 * first[t];
      float s = 0;
      for (int j = 0; j < 1024; j++) if (mark[t + j] > 9) s += *p++;
      o[t] = s;
    }
    int main() {
      int *first, *mark; float *a, *o;
      cudaMalloc(&first, 65536); cudaMalloc(&mark, 131072);
      cudaMalloc(&a, 1 << 30); cudaMalloc(&o, 65536);
      k<<<64, 256>>>(first, mark, a, o);
    }
    """)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=GPU)).kernels
    (walk,) = (access for access in kernel.accesses if access.array in ("a", "p"))
    assert walk.footprint_bytes == pytest.approx(64 * 256 * 64 * 32, rel=0.1)
    assert walk.threads == pytest.approx(64 * 256 * 512, rel=0.1)


def test_a_digit_between_a_remainder_and_a_quotient_leads_nowhere(tmp_path: Path) -> None:
    # 16 blocks of outputs read the same 64 planes of 3,136 floats in turn: of 32 images an L2 of 40 MB brings each once.
    path = tmp_path / "planes.cu"
    path.write_text("""
    __global__ void k(const float *in, float *out, int n) {
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * 16 * 3136; i += gridDim.x * blockDim.x) {
        int p = i % 3136, b = i / 3136 % 16, image = i / (16 * 3136);
        const float *plane = in + image * 384 * 3136 + p;
        float s = b;
        for (int c = 0; c < 384; c++) s += plane[c * 3136];
        out[i] = s;
      }
    }
    int main() {
      float *in, *out;
      cudaMalloc(&in, 32 * 384 * 3136 * 4); cudaMalloc(&out, 32 * 16 * 3136 * 4);
      k<<<3200, 256>>>(in, out, 32);
    }
    """)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=GPU)).kernels
    # The planes of an image at the edge of a wave are read in both.
    assert 1.0 <= kernel.traffic.profiled.read_bytes / (32 * 384 * 3136 * 4) <= 1.5
