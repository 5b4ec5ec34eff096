"""Elements that go on with a run, whose length is counted: four of five."""

import pytest

from roofstat.execution.guesses.runs import GOES_ON

THREADS, N = 4096, 64


@pytest.mark.parametrize(
    ("body", "share"),
    [
        ("if (v == 0) { run++; continue; } out[i] = run; run = 0;", 1 - GOES_ON),
        ("if (v != last) { out[i] = run; run = 1; last = v; } else run++;", 1 - GOES_ON),
        ("if (v == last) { run += 1; continue; } out[i] = run; last = v; run = 1;", 1 - GOES_ON),
        # what is counted all through, and what is counted by other numbers
        ("if (v == last) { run++; continue; } out[i] = run; last = v;", 0.5),
        ("if (v == last) { run += 2; continue; } out[i] = run; last = v; run = 1;", 0.5),
    ],
)
def test_runs_that_are_counted_are_long(run, body, share):
    text = (
        "__global__ void k(const int *c, float *out, int n) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x, run = 0, last = -1;"
        f" for (int j = 0; j < n; j++) {{ int v = c[i * n + j]; {body} }} }}"
    )
    ran = run(text, grid=16, block=256, arguments={"c": 1 << 22, "out": 1 << 20, "n": N})
    assert ran.stores("out") / THREADS / N == pytest.approx(share, abs=0.06)
