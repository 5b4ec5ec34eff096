"""What loops shared by teams and threads cost beside what their SASS executes: clang 18.1.6 with its device run time, ptxas 12.6 for
sm_90, whole programs, threads of a team run in step to their end."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu
from roofstat.report import Compiler

if TYPE_CHECKING:
    from pathlib import Path


THREADS = 128
"""Threads that the run time gives a team."""

COPY = "x[i] = y[i];"
COUNT = '_Pragma("omp atomic") bins[bytes[i]] += 1;'
COMBINED = """
#pragma omp target teams distribute parallel for{}
for (int i = 0; i < n; i++) bins[i] = 0;
"""
SHARED = """
#pragma omp target teams distribute
for (int b = 0; b < 4; b++) {{
  float s = 0;
  #pragma omp parallel for {}
  for ({} i = 0; i < n; i++) {{ {} }}
  sums[b] = s;
}}
"""


def work_of_a_thread(path: Path, regions: str, n: int) -> float:
    """Integer operations of a thread of the first of the regions, which share one file and arrays of n and more elements."""
    source = path / "regions.cpp"
    source.write_text(
        f"""
        void f(int *bins, unsigned char *bytes, float *x, float *y, float *sums, int n) {{
          {regions}
        }}
        int main() {{
          const int n = {n};
          int *bins = new int[n]();
          unsigned char *bytes = new unsigned char[n]();
          float *x = new float[n](), *y = new float[n](), *sums = new float[8]();
          #pragma omp target enter data map(to: bins[0:n], bytes[0:n], x[0:n], y[0:n], sums[0:8])
          f(bins, bytes, x, y, sums, n);
        }}
        """
    )
    options = AnalysisOptions(gpu=load_gpu("h200-sxm"), compiler=Compiler.CLANG)
    kernel = analyze_program([source], options).kernels[0]
    assert kernel.counts.int_op is not None
    assert kernel.launch is not None
    return kernel.counts.int_op / math.prod((*kernel.launch.grid, *kernel.launch.block))


@pytest.mark.parametrize(
    ("counter", "body", "executed"),
    [
        ("int", COPY, 18.0),
        ("long", COPY, 34.0),
        ("unsigned long", COPY, 38.0),
        ("int", COUNT, 15.0),
        ("unsigned long", COUNT, 20.0),
    ],
)
def test_an_iteration_of_a_shared_loop(
    tmp_path: Path, counter: str, body: str, executed: float
) -> None:
    """Around each iteration LLVM leaves a loop of one, made ready for copies, which a long counter makes dear; atomics are not copied."""
    short, long = (
        work_of_a_thread(tmp_path, SHARED.format("", counter, body), rounds * THREADS)
        for rounds in (8, 16)
    )
    assert (long - short) / 8 == pytest.approx(executed, rel=0.2)


def test_reductions_of_a_team_look_the_mode_up(tmp_path: Path) -> None:
    """Eight rounds and the reduction execute 186 instructions in a file of its own, 216 beside a region of the other mode."""
    summed = SHARED.format("reduction(+: s)", "int", "s += x[i];")
    alone = work_of_a_thread(tmp_path, summed, 8 * THREADS)
    mixed = work_of_a_thread(tmp_path, summed + COMBINED.format(""), 8 * THREADS)
    assert alone == pytest.approx(186, rel=0.12)
    assert mixed == pytest.approx(216, rel=0.12)


@pytest.mark.parametrize(
    ("beside", "with_chunk", "without"),
    [
        ("", 46.5, 2.5),
        (COMBINED.format(" num_threads(64)"), 53.0, 3.0),
        (SHARED.format("", "int", COPY), 68.0, 3.0),
    ],
)
def test_teams_of_few_threads(
    tmp_path: Path, beside: str, with_chunk: float, without: float
) -> None:
    """60,000 words are cleared by 1,875 teams of 32 threads, of which 469 run a chunk: four iterations a thread."""
    found = work_of_a_thread(tmp_path, COMBINED.format("") + beside, 60000)
    assert found == pytest.approx((469 * with_chunk + 1406 * without) / 1875, rel=0.1)
