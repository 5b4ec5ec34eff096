"""Arrays whose rows have a length that only the run knows, as C passes them: `a[n][m]`."""

from __future__ import annotations

import pytest

from roofstat.report import TrafficRegime

N, M = 1024, 16384
COLUMNS = """
void columns(int n, int m, float a[n][m], float *s) {
#pragma omp target teams distribute parallel for map(to : a[0:n][0:m]) map(from : s[0:m])
  for (int j = 0; j < m; j++) { float t = 0; for (int i = 0; i < n; i++) t += a[i][j]; s[j] = t; }
}
"""
CALL = f"""
#include <stdlib.h>
{COLUMNS}
int main(void) {{
  int n = {N}, m = {M};
  float (*a)[m] = malloc(sizeof(*a) * n), *s = malloc(sizeof(float) * m);
  columns(n, m, a, s);
}}
"""


@pytest.mark.parametrize(
    ("text", "sets"), [(CALL, {}), (COLUMNS, {"n": N, "m": M})], ids=["call", "set"]
)
def test_sums_of_columns_read_each_element_once(kernel_of, text, sets):
    """4 n m bytes read, n m additions."""
    kernel = kernel_of(text, name="a.c", values=sets, traffic=TrafficRegime.STEADY)
    assert kernel.counts.sp_flop == pytest.approx(N * M, rel=0.01)
    assert kernel.traffic.steady.read_bytes == pytest.approx(4 * N * M, rel=0.02)
    assert not [item for item in kernel.assumptions if "variable-length" in item.text]


def test_rows_of_rows_and_local_arrays_have_their_lengths(kernel_of):
    """n m k doubles read and written, 8 bytes each."""
    n, m, k = 256, 128, 32
    text = f"""
    #include <stdlib.h>
    static void twice(int n, int m, int k, double a[n][m][k], double b[][m][k]) {{
    #pragma omp target teams distribute parallel for collapse(2)
      for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {{
        double *row = a[i][j];
        for (int q = 0; q < k; q++) b[i][j][q] = 2.0 * row[q];
      }}
    }}
    int main(void) {{
      int n = {n}, m = {m}, k = {k};
      double (*a)[m][k] = malloc(n * sizeof *a), (*b)[m][k] = malloc(n * sizeof(a[0]));
      #pragma omp target enter data map(to : a[0:n][0:m][0:k], b[0:n][0:m][0:k])
      twice(n, m, k, a, b);
    }}
    """
    kernel = kernel_of(text, name="a.c", traffic=TrafficRegime.STEADY)
    assert kernel.traffic.steady.read_bytes == pytest.approx(8 * n * m * k, rel=0.05)
    assert kernel.traffic.steady.write_bytes == pytest.approx(8 * n * m * k, rel=0.05)


def test_rows_of_an_unnamed_length_are_apart(kernel_of):
    """A type that is named elsewhere does not say how long: rows are assumed to lie 4,096 elements apart, and that is said."""
    n = 1000
    text = f"""
    #include <stdlib.h>
    int main(void) {{
      int n = {n};
      typedef double row[n];
      row *v = malloc(8L * n * n);
      #pragma omp target teams distribute parallel for collapse(2) map(tofrom: v[0:n][0:n])
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) v[i][j] += 1.0;
    }}
    """
    kernel = kernel_of(text, name="a.c")
    assert kernel.traffic.steady.read_bytes == pytest.approx(8 * n * n, rel=0.01)
    assert [item.text for item in kernel.assumptions if "variable-length" in item.text]
