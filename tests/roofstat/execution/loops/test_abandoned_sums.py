"""Sums that are given up where they pass the best so far: the n-th of candidates is added up with a probability of 1 / n."""

from __future__ import annotations

import pytest

THREADS, M = 128, 64
DISTANCES = {
    "condition": "float e = 0; for (int j = 0; j < m && e < best; j++) { float d = x[c * m + j] - q[j]; e += d * d; } if (e < best) best = e;",
    "break": "float e = 0; for (int j = 0; j < m; j++) { float d = x[c * m + j] - q[j]; e += d * d; if (e >= best) break; } if (e < best) best = e;",
    "called": "float e = distance(x + c * m, q, m, best); if (e < best) best = e;",
    "whole numbers": "int e = 0; for (int j = 0; j < m; j++) { e += w[c * m + j]; if (best >= 0 && e >= best) break; } if (best < 0 || e < best) best = e;",
}
DISTANCE = """__device__ float distance(const float *x, const float *q, int m, float best) {
  float e = 0; for (int j = 0; j < m; j++) { float d = x[j] - q[j]; e += d * d; if (e >= best) break; } return e; }"""


def elements(run, body, candidates):
    """Elements that a thread adds up in the mean."""
    text = f"""{DISTANCE}
      __global__ void k(const float *x, const float *q, const int *w, float *out, int n, int m) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        {"int best = -1" if "e += w" in body else "float best = 1e30f"};
        for (int b = 0; b < n; b++) {{ int c = i * n + b; {body} }}
        out[i] = best; }}"""
    ran = run(
        text,
        grid=16,
        block=THREADS,
        arguments={
            "x": 1 << 28,
            "q": 4 * M,
            "w": 1 << 28,
            "out": 1 << 20,
            "n": candidates,
            "m": M,
        },
    )
    return ran.loads("w" if "e += w" in body else "x") / (16 * THREADS)


@pytest.mark.parametrize("body", DISTANCES.values(), ids=DISTANCES)
def test_the_first_is_added_up_to_its_end(run, body):
    assert elements(run, body, 1) == pytest.approx(M, rel=0.02)


@pytest.mark.parametrize("body", DISTANCES.values(), ids=DISTANCES)
def test_later_ones_are_given_up_anywhere(run, body):
    # 1, 1/2, 1/3 and 1/4 of the candidates are the best of those seen; the others pass it at any of the elements, half in the mean.
    best = 1 + 1 / 2 + 1 / 3 + 1 / 4
    assert elements(run, body, 4) == pytest.approx(best * M + (4 - best) * (M + 1) / 2, rel=0.05)


def test_a_limit_from_elsewhere_is_no_best_so_far(run):
    body = "float e = 0; for (int j = 0; j < m; j++) { float d = x[c * m + j] - q[j]; e += d * d; if (e >= out[i]) break; } best += e;"
    assert elements(run, body, 1) == pytest.approx(M / 2, rel=0.1)
