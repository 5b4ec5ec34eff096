"""Tables of pointers to rows that a host loop has allocated one by one: bytes are those of all rows, however many were sampled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.execution.loops.uneven_rows import between_rows
from roofstat.execution.stored.address_space import AddressSpace
from roofstat.hardware import load_gpu
from roofstat.program.code import Space

if TYPE_CHECKING:
    from pathlib import Path

_TABLE = """
#include <vector>
__global__ void by_block(float **rows, float *out, int m) {
  float s = 0;
  for (int k = threadIdx.x; k < m; k += blockDim.x) s += rows[blockIdx.x][k];
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void by_step(float *const *rows, float *out, int m, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int r = 0; r < count; r++) s += rows[r][i];
  out[i] = s;
}
int main() {
  const int R = ROWS, m = 49152;
  float **d, *out;
  cudaMalloc(&out, 4L * R * 128 + 4 * m);
  HOST
  by_block<<<R, 128>>>(d, out, m);
  by_step<<<m / 128, 128>>>(d, out, m, R);
}
"""
_COPIED = "cudaMalloc(&d, R * sizeof(float *)); cudaMemcpy(d, &h[0], R * sizeof(float *), cudaMemcpyHostToDevice);"
_HOSTS = {
    "array": "float *h[R]; for (int i = 0; i < R; i++) cudaMalloc(&h[i], m * sizeof(float));"
    + _COPIED,
    "vector": "std::vector<float *> h(R); for (auto &p : h) cudaMalloc((void **)&p, m * 4);"
    + _COPIED,
    "managed": "cudaMallocManaged(&d, R * sizeof(float *)); for (int i = 0; i < R; i++) cudaMallocManaged(&d[i], m * 4);",
    "cleared": "float *h[R]; for (int i = 0; i < R; i++) { cudaMalloc(&h[i], m * 4); cudaMemset(h[i], 0, m * 4); }"
    + _COPIED,
}


def _kernels(tmp_path: Path, text: str):
    path = tmp_path / "a.cu"
    path.write_text(text)
    return {
        k.name: k for k in analyze_program([path], AnalysisOptions(gpu=load_gpu("a100"))).kernels
    }


@pytest.mark.parametrize(
    ("host", "rows"),
    [
        ("array", 20),
        ("array", 200),
        ("array", 3000),
        ("vector", 1000),
        ("managed", 1000),
        ("cleared", 1000),
    ],
)
def test_every_row_of_a_table_is_read(tmp_path: Path, host: str, rows: int) -> None:
    """Rows of 192 KiB: each byte once, and stores of a word a thread; the rows begin where an allocation may."""
    kernels = _kernels(tmp_path, _TABLE.replace("HOST", _HOSTS[host]).replace("ROWS", str(rows)))
    size = rows * 49152 * 4
    for name, stored in (("by_block", rows * 128 * 4), ("by_step", 49152 * 4)):
        traffic = kernels[name].traffic.steady
        assert traffic.read_bytes == pytest.approx(size + rows * 8, rel=0.02)
        assert traffic.write_bytes == pytest.approx(stored, rel=0.02)
        sectors = [a.sectors_per_request for a in kernels[name].accesses if a.element_bytes == 4]
        assert sectors == pytest.approx([4.0] * len(sectors))


_NESTED = """
#include <vector>
__global__ void scale(float *v, long n) { long i = blockIdx.x * (long)blockDim.x + threadIdx.x; if (i < n) v[i] *= 2; }
__global__ void sums(float **rows, float *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int r = 0; r < count; r++) s += rows[r][i];
  out[i] = s;
}
int main() {
  for (int step = 0; step < 1000000; step++) {
    float *p;
    cudaMalloc(&p, 1L << 30);
    scale<<<1 << 20, 256>>>(p, 1L << 28);
    cudaFree(p);
  }
  const int A = 300, B = 200;
  std::vector<float *> h(A * B);
  for (int a = 0; a < A; a++) for (int b = 0; b < B; b++) cudaMalloc(&h[a * B + b], 4096);
  float **d, *out;
  cudaMalloc(&d, A * B * 8); cudaMalloc(&out, 4096);
  cudaMemcpy(d, h.data(), A * B * 8, cudaMemcpyHostToDevice);
  sums<<<8, 128>>>(d, out, A * B);
}
"""


def test_rows_of_nested_loops_are_read_though_a_loop_before_has_allocated_a_petabyte(
    tmp_path: Path,
) -> None:
    """What is freed is allocated again; A B rows of 1,024 words, each read once."""
    found = _kernels(tmp_path, _NESTED)
    assert found["scale"].traffic.steady.read_bytes == pytest.approx(1 << 30, rel=0.01)
    assert found["sums"].traffic.steady.read_bytes == pytest.approx(
        300 * 200 * (4096 + 8), rel=0.01
    )


_LAYERS = """
#include <vector>
struct Layer { float *w, *b; int n; };
__global__ void update(Layer *layers, float rate) {
  Layer &l = layers[blockIdx.y];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < l.n; i += gridDim.x * blockDim.x) l.w[i] -= rate * l.b[i];
}
int main() {
  const int L = COUNT;
  std::vector<Layer> h(L);
  HOST
  Layer *d;
  cudaMalloc(&d, L * sizeof(Layer));
  cudaMemcpy(d, h.data(), L * sizeof(Layer), cudaMemcpyHostToDevice);
  update<<<dim3(64, L), 256>>>(d, 0.1f);
}
"""
_EQUAL = (
    "for (auto &l : h) { l.n = 1 << 20; cudaMalloc(&l.w, l.n * 4); cudaMalloc(&l.b, l.n * 4); }"
)
_GROWING = (
    "for (int k = 0; k < L; k++) { int n = (k + 1) << 16; h[k] = {nullptr, nullptr, n};"
    " cudaMalloc(&h[k].w, n * 4); cudaMalloc(&h[k].b, n * 4); }"
)


@pytest.mark.parametrize("count", [8, 9, 40, 300])
def test_every_layer_of_a_network_is_updated(tmp_path: Path, count: int) -> None:
    """Two operations, eight bytes read and four written for each of 2**20 weights of a layer."""
    kernel = _kernels(tmp_path, _LAYERS.replace("HOST", _EQUAL).replace("COUNT", str(count)))[
        "update"
    ]
    weights = count << 20
    assert kernel.counts.sp_flop == pytest.approx(2 * weights, rel=0.01)
    assert kernel.traffic.steady.read_bytes == pytest.approx(8 * weights, rel=0.02)
    assert kernel.traffic.steady.write_bytes == pytest.approx(4 * weights, rel=0.02)


@pytest.mark.parametrize("count", [12, 40])
def test_layers_of_many_sizes_are_updated(tmp_path: Path, count: int) -> None:
    """Layer k has (k + 1) 2**16 weights: count (count + 1) / 2 times as many in all, of which some layers are sampled."""
    kernel = _kernels(tmp_path, _LAYERS.replace("HOST", _GROWING).replace("COUNT", str(count)))[
        "update"
    ]
    weights = count * (count + 1) // 2 << 16
    assert kernel.counts.sp_flop == pytest.approx(2 * weights, rel=0.05)
    assert kernel.traffic.steady.read_bytes == pytest.approx(8 * weights, rel=0.15)


_RAGGED = """
__global__ void sums(float **rows, const int *length, float *out) {
  float s = 0;
  for (int k = threadIdx.x; k < length[blockIdx.x]; k += blockDim.x) s += rows[blockIdx.x][k];
  atomicAdd(out + blockIdx.x, s);
}
int main() {
  const int R = 4096;
  float **h = new float *[R], **d, *out;
  int *n = new int[R], *dn;
  for (int i = 0; i < R; i++) { n[i] = 1000 + i; cudaMalloc(&h[i], n[i] * 4); }
  cudaMalloc(&d, R * 8); cudaMalloc(&dn, R * 4); cudaMalloc(&out, R * 4);
  cudaMemcpy(d, h, R * 8, cudaMemcpyHostToDevice);
  cudaMemcpy(dn, n, R * 4, cudaMemcpyHostToDevice);
  sums<<<R, 128>>>(d, dn, out);
}
"""


def test_rows_of_growing_length_are_read(tmp_path: Path) -> None:
    """R rows of 1000 + i elements, the addresses of most of which lie between those that were computed."""
    kernel = _kernels(tmp_path, _RAGGED)["sums"]
    elements = 4096 * 1000 + 4096 * 4095 // 2
    assert kernel.counts.sp_flop == pytest.approx(elements, rel=0.02)
    assert kernel.traffic.steady.read_bytes == pytest.approx(4 * elements, rel=0.15)


_TREE = """
struct Tree { const int *level[6]; int n[6]; };
__global__ void look(Tree t, const int *key, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at = key[i];
  for (int l = 0; l < 6; l++) at = t.level[l][(unsigned)at % t.n[l]];
  out[i] = at;
}
int main() {
  Tree t;
  int n = 1 << 22, *key, *out;
  for (int l = 0; l < 6; l++) { t.n[l] = 32 << (4 * l); int *p; cudaMalloc(&p, t.n[l] * 4); t.level[l] = p; }
  cudaMalloc(&key, n * 4); cudaMalloc(&out, n * 4);
  look<<<n / 256, 256>>>(t, key, out, n);
}
"""


def test_levels_of_a_tree_are_no_rows(tmp_path: Path) -> None:
    """Each has 16 times as many elements as the one above it, and all are reached equally often: they stay apart."""
    reads = [a for a in _kernels(tmp_path, _TREE)["look"].accesses if a.array == "t.level"]
    assert len(reads) >= 5
    assert min(a.footprint_bytes for a in reads) == pytest.approx(32 * 4)


class TestGaps:
    def test_what_skipped_iterations_allocate_lies_between_what_was_run(self):
        memory = AddressSpace()
        first = memory.allocate(1000, Space.GLOBAL, "rows").base
        memory.go_on_at(Space.GLOBAL, first + 4096)
        later = memory.allocate(1000, Space.GLOBAL, "rows")
        memory.go_on_at(Space.GLOBAL, first + 8192)
        memory.fill_gaps(Space.GLOBAL, first, first + 8192)
        assert later.base == first + 4096
        assert memory.reached(Space.GLOBAL) == first + 8192
        found = [memory.find(first + place).buffer for place in (100, 2000, 4096, 6000)]
        assert [buffer.is_skipped for buffer in found] == [False, True, False, True]
        assert {buffer.name for buffer in found} == {"rows"}

    def test_an_allocation_moves_behind_what_is_in_its_way(self):
        memory = AddressSpace()
        first = memory.allocate(1000, Space.GLOBAL, "a")
        second = memory.allocate(1000, Space.GLOBAL, "b")
        memory.go_on_at(Space.GLOBAL, first.base)
        third = memory.allocate(100, Space.GLOBAL, "c")
        assert third.base > second.end
        assert memory.find(third.base + 50) is third


def test_addresses_lie_between_known_ones():
    base = 1 << 40
    rows = between_rows([(0, base), (1, base + 512), (5, base + 512 * 9)])
    assert rows is not None
    assert rows.sums(base, 512 * 9 / 5, 6).tolist() == [
        base + 512 * at for at in (0, 1, 3, 5, 7, 9)
    ]
    assert between_rows([(0, 5), (1, 7)]) is None
    assert between_rows([(0, base), (1, base + 512), (2, base)]) is None
