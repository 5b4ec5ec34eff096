"""Walks over triangles: rows and columns of uneven length, dealt out to threads as one list."""

from __future__ import annotations

import pytest

from roofstat.report import TrafficRegime

SOURCE = """
#include <cstdlib>
int main() {
  const int n = 1024;
  float *a = (float *)malloc(n * n * sizeof(float));
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : a[0 : n * n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) a[i * n + j] = a[j * n + i];
}
"""


def test_columns_of_a_triangle_pass_the_l1_sector_by_sector(kernel_of):
    """n (n - 1) / 2 = 523,776 elements read down columns, a sector each: 16.8 MB; written in rows, 16,369 warps with
    4.9 sectors each (rows end anywhere): 2.6 MB.
    """
    kernel = kernel_of(SOURCE, name="a.cpp", traffic=TrafficRegime.STEADY)
    assert kernel.traffic.l2_bytes == pytest.approx(523_776 * 32 + 16_369 * 4.9 * 32, rel=0.05)
