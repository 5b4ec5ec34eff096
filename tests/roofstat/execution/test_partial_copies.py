"""Arrays of which the host has copied a part: what was copied is known element by element, whatever nobody knows behind it."""

import numpy as np
import pytest

from clang_queries.ir.types import Scalar
from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.execution.numbers.values import Mixed
from roofstat.execution.stored.contents import Contents
from roofstat.execution.stored.fill import Fill, Pattern, bytes_fill
from roofstat.hardware import load_gpu

_LAYERS = """
#include <vector>
struct Layer { float *w; int n; };
__global__ void scale(Layer *layers) {
  Layer l = layers[blockIdx.y];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < l.n; i += gridDim.x * blockDim.x) l.w[i] *= 2;
}
int main() {
  std::vector<Layer> h(9);
  for (auto &l : h) { l.n = 1 << 20; cudaMalloc(&l.w, l.n * 4); }
  Layer *d;
  cudaMalloc(&d, 9 * sizeof(Layer));
  cudaMemcpy(d, h.data(), 8 * sizeof(Layer), cudaMemcpyHostToDevice);
  scale<<<dim3(64, 9), 256>>>(d);
}
"""


def test_what_cells_and_fills_know_between_them_is_known():
    """The first row begins at 0, the others at multiples of nine: what was unknown below says nothing."""
    contents = Contents()
    contents.add_fill(bytes_fill(0, 40, None))
    contents.add_fill(
        Fill(
            start=4,
            dims=((4, 9),),
            scalar=Scalar.I32,
            pattern=Pattern.AFFINE,
            first=9,
            steps=(9.0,),
        )
    )
    contents.store(0, Scalar.I32, 0)
    found = contents.load(np.arange(0, 40, 4), Scalar.I32, 1, "data")
    assert isinstance(found, np.ndarray)
    assert found.tolist() == [9 * row for row in range(10)]


def test_elements_over_a_fill_stay_known_where_others_are_not():
    contents = Contents()
    contents.add_fill(bytes_fill(0, 16, 0))
    contents.store(4, Scalar.I32, 7)
    found = contents.load(np.arange(0, 24, 4), Scalar.I32, 1, "data")
    assert isinstance(found, Mixed)
    assert found.known.tolist() == [True] * 4 + [False] * 2
    assert found.values[:4].tolist() == [0, 7, 0, 0]


def test_copied_layers_are_worked_on_though_one_was_not_copied(tmp_path):
    """2**20 weights of eight layers, and a few iterations of the ninth."""
    path = tmp_path / "a.cu"
    path.write_text(_LAYERS)
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("a100"))).kernels
    assert kernel.counts.sp_flop == pytest.approx(8 << 20, rel=0.05)
