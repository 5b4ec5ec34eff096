"""Memory that a model does not get costs the launch at hand and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis import assemble
from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu

if TYPE_CHECKING:
    from pathlib import Path

_TWO = """
__global__ void first(float *a) { a[threadIdx.x] = 1; }
__global__ void second(float *a) { a[threadIdx.x] += 1; }
int main() { float *a; cudaMalloc(&a, 1024); first<<<1, 256>>>(a); second<<<1, 256>>>(a); }
"""


def test_a_launch_that_takes_too_much_memory_is_an_error_beside_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = assemble.model_memory

    def greedy(trace, *arguments, **settings):
        if trace.code.name == "first":
            raise MemoryError
        return model(trace, *arguments, **settings)

    monkeypatch.setattr(assemble, "model_memory", greedy)
    path = tmp_path / "two.cu"
    path.write_text(_TWO)
    result = analyze_program([path], AnalysisOptions(gpu=load_gpu("h100-sxm")))
    assert [kernel.name for kernel in result.kernels] == ["second"]
    (error,) = result.errors
    assert "MemoryError" in error.message
