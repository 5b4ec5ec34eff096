"""A profiler on a card that drives a display counts what the display reads."""

from __future__ import annotations

import dataclasses

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu
from roofstat.report import TrafficRegime

SOURCE = """
__global__ void spin(float *out, float x, int rounds) {
  float a = x;
  for (int i = 0; i < rounds; ++i) a = a * 1.0001f + 0.5f;
  out[threadIdx.x] = a;
}
int main() { float *p; cudaMalloc(&p, 128); spin<<<1, 32>>>(p, 1.f, ROUNDS); }
"""


@pytest.mark.parametrize("rounds", [100_000, 3_000_000, 30_000_000])
def test_profiled_bytes_hold_the_frames_that_a_launch_meets(tmp_path, rounds):
    """One warp waits for its own chain of additions: frames are the rounded time times frames a second."""
    path = tmp_path / "spin.cu"
    path.write_text(SOURCE.replace("ROUNDS", str(rounds)))
    card = load_gpu("rtx3080-paper")
    dark = dataclasses.replace(card, display_frame_bytes=0.0)
    kernel, plain = (
        analyze_program([path], AnalysisOptions(gpu=gpu)).kernels[0] for gpu in (card, dark)
    )
    assert plain.modelled_time_s is not None
    frames = round(plain.modelled_time_s / 0.85 * 60)
    assert frames == {100_000: 0, 3_000_000: 1, 30_000_000: 7}[rounds]
    seen, unseen = (
        kernel.traffic.dram(TrafficRegime.PROFILED),
        plain.traffic.dram(TrafficRegime.PROFILED),
    )
    assert seen.read_bytes - unseen.read_bytes == pytest.approx(20.7e6 * frames)
    assert seen.write_bytes == unseen.write_bytes
    assert kernel.traffic.dram(TrafficRegime.STEADY) == plain.traffic.dram(TrafficRegime.STEADY)
