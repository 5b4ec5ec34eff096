"""Searches without branches read what those with branches do: the first steps stay in the L2, only the last ones are spread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware.catalogue import load_gpu

if TYPE_CHECKING:
    from pathlib import Path

_ELEMENTS = 12_000_000
"""48 MB, about what the L2 of an H200 holds."""
_QUERIES = 1 << 22
_SEARCHES = {
    "halves": """int lo = 0, hi = n;
      while (lo < hi) { int mid = lo + (hi - lo) / 2; if (a[mid] < k) lo = mid + 1; else hi = mid; }
      out[i] = lo;""",
    "steps from the highest bit": """int p = 0;
      for (int step = 1 << (31 - __clz(n)); step; step >>= 1) if (p + step <= n && a[p + step - 1] < k) p += step;
      out[i] = p;""",
    "products with comparisons": """int p = 0, left = n;
      while (left > 1) { int half = left / 2; p += (a[p + half - 1] < k) * half; left -= half; }
      out[i] = p;""",
    "children of an implicit tree": """unsigned p = 1;
      while (p <= (unsigned)n) p = 2 * p + (a[p] < k);
      out[i] = p >> __ffs(~p);""",
}


@pytest.mark.parametrize("search", _SEARCHES.values(), ids=_SEARCHES)
def test_only_the_last_steps_of_a_search_leave_the_cache(tmp_path: Path, search: str) -> None:
    """A profiler of an H200 saw 80 bytes for each query in such a table; 24 sectors of 32 bytes are asked for."""
    path = tmp_path / "search.cu"
    path.write_text(f"""
    #include <cstdlib>
    #include <vector>
    __global__ void search(const unsigned *a, int n, const unsigned *q, int *out) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      unsigned k = q[i];
      {search}
    }}
    int main() {{
      int n = {_ELEMENTS}, m = {_QUERIES};
      unsigned *a, *q; int *out;
      cudaMalloc(&a, n * 4L + 4); cudaMalloc(&q, m * 4L); cudaMalloc(&out, m * 4L);
      std::vector<unsigned> h(m);
      for (auto &x : h) x = rand();
      cudaMemcpy(q, h.data(), m * 4L, cudaMemcpyHostToDevice);
      search<<<m / 256, 256>>>(a, n, q, out);
    }}""")
    (kernel,) = analyze_program([path], AnalysisOptions(gpu=load_gpu("h200-sxm"))).kernels
    assert 40 * _QUERIES < kernel.traffic.profiled.read_bytes < 120 * _QUERIES
