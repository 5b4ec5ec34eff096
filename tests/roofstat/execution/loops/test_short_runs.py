"""Loops that go on while elements equal a number from elsewhere end at once, as a rule; runs of one array's own do not."""

import pytest

from roofstat.execution.guesses.equalities import EQUAL

THREADS = 4096
MEAN = EQUAL / (1 - EQUAL)
"""Elements that are equal one after the other, if each is so by that chance."""


@pytest.mark.parametrize(
    ("loop", "iterations"),
    [
        ("while (k > 0 && text[k - 1] == '\\\\') k--;", MEAN),
        ("for (; k < n && text[k] == ' '; k++) ;", MEAN),
        ("for (; k < n && key[k] == wanted[i]; k++) ;", MEAN),
        ("int w = wanted[i] * 3 + 1; while (k < n && (key[k] >> 16) == w) k++;", MEAN),
        # kinds, and what belongs together in one array
        ("for (; k < n && key[k] == 1; k++) ;", 8),
        ("int w = key[k]; for (; k < n && key[k] == w; k++) ;", 8),
    ],
)
def test_runs_of_a_given_number_are_short(run, loop, iterations):
    text = (
        "__global__ void k(const char *text, const int *key, const int *wanted, int *out, int n) {"
        f" int i = blockIdx.x * blockDim.x + threadIdx.x, k = i + 100;\n{loop}\nout[i] = k; }}"
    )
    size = 1 << 20
    arguments = {"text": size, "key": size, "wanted": size, "out": size, "n": size}
    ran = run(text, grid=16, block=256, arguments=arguments)
    assert ran.iterations(2) / THREADS == pytest.approx(iterations, rel=0.25)
