"""Loops that end by a tolerance: as many iterations as it takes to win the digits, by what a step does."""

import math

import pytest

THREADS = 512
NEWTON = {1e-13: 5, 1e-12: 5, 1e-6: 4}
"""Of 13, 12 and 6 digits one is right at first, then 2, 4, 8 and 16; one more step finds nothing to correct."""

ROTATIONS = """int moved = 0; for (int p = 0; p < 15; p++) for (int q = p + 1; q < 16; q++) {
    double g = a[p * 16 + q], h = x * a[i + p]; if (fabs(g) > tol * h) { moved = 1; double t = (h - x) / (2 * g);
    double cs = 1 / sqrt(1 + t * t); x = cs * x - cs * t * h; } }"""
"""A sweep over pairs of 16 columns: each that is not yet right is turned."""


def iterations(run, loop, values="a[0]"):
    """Iterations of a thread, by what it stores in each."""
    text = (
        "__global__ void k(const double *a, double *out, double tol, int n) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x; double x = 1, lo = 0, hi = 1, c = @; int it;"
        f" {loop} }}"
    ).replace("@", values)
    ran = run(text, grid=4, block=128, arguments={"a": 4096, "out": 1 << 20, "tol": 1e-12, "n": 50})
    return ran.stores("out") / THREADS


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        # f / f' corrects the number: each step doubles its right digits
        (
            "for (it = 0; it < 50; it++) { out[i] = 1; double d = (x * x - c) / (2 * x + c); x -= d; if (fabs(d) < 1e-13) break; }",
            NEWTON[1e-13],
        ),
        (
            """for (it = 0; it < n; it++) { out[i] = 1; double f = x * x - c, y = x - f / (2 * x + c);
              bool done = fabs(y - x) <= 1e-6 * fabs(x); x = y; if (done) break; }""",
            NEWTON[1e-6],
        ),
        (
            "double d = 1; it = 0; while (it++ < 90 && fabs(d) > tol) { out[i] = 1; d = (x * x - c) / (x + c); x -= d; }",
            NEWTON[1e-12],
        ),
        # the middle of what is left: one binary digit
        (
            """for (it = 0; it < 90; it++) { out[i] = 1; x = 0.5 * (lo + hi); if (x * x * c > 2) hi = x; else lo = x;
              if (hi - lo < 1e-6) break; }""",
            math.ceil(math.log2(1e6)),
        ),
        (
            """for (it = 0; it < 90; it++) { out[i] = 1; x = 0.5 * (lo + hi); double q = c / (x + c) - 0.5 * x;
              if (q > 2) hi = x; else lo = x; if (hi - lo < 1e-6) break; }""",
            math.ceil(math.log2(1e6)),
        ),
        # several numbers are corrected in turn: one binary digit for a sweep
        (
            """double v[3] = {c, x, hi}, l[3] = {c, c + 1, c + 2}; for (it = 0; it < 60; it++) { out[i] = 1; bool done = true;
              for (int j = 0; j < 3; j++) { double d = l[j] - v[j] * v[(j + 1) % 3];
                if (fabs(d) > 1e-6 * l[j]) { done = false; v[j] = v[j] + d / (v[j] + c); } }
              if (done) break; }""",
            math.ceil(math.log2(1e6)),
        ),
        (
            """int moved = 1; for (it = 0; it < 60; it++) { out[i] = 1; moved = 0; double d = a[i] - x * x;
              if (fabs(d) > tol) { moved = 1; x += 0.3 * d; } if (!moved) break; }""",
            math.ceil(math.log2(1e12)),
        ),
        # a flag of the block says so
        (
            """__shared__ int moved; for (it = 0; it < 60; it++) { out[i] = 1; if (threadIdx.x == 0) moved = 0; __syncthreads();
              double d = a[i] - x * x; if (fabs(d) > tol * a[i]) { x += 0.3 * d; if (threadIdx.x % 32 == 0) atomicAdd(&moved, 1); }
              __syncthreads(); int any = moved; __syncthreads(); if (any == 0) break; }""",
            math.ceil(math.log2(1e12)),
        ),
        # rotations of pairs of 16 columns: four sweeps bring them in order, three double a digit to eight
        (f"for (it = 0; it < 40; it++) {{ out[i] = 1; {ROTATIONS} if (!moved) break; }}", 4 + 3),
        # another flag than the one that a correction raises
        (
            """__shared__ int moved, other; for (it = 0; it < 60; it++) { out[i] = 1; double d = a[i] - x * x;
              if (fabs(d) > tol) { x += 0.3 * d; other = 1; } if (moved == 0) break; }""",
            60,
        ),
        # the count of the iterations is an index: a search
        ("for (it = 0; it < n; it++) { out[i] = 1; if (fabs(a[it + i] - c) < 1e-6) break; }", 50),
        # a limit that is no tolerance: any iteration may be the last
        ("for (it = 0; it < n; it++) { out[i] = 1; x += c; if (fabs(x) < 0.5) break; }", 25),
        # a number that is none of how far others are apart
        ("for (it = 0; it < n; it++) { out[i] = 1; x *= c; if (x < 1e-4) break; }", 50),
    ],
)
def test_a_loop_to_a_tolerance_ends_as_its_steps_converge(run, loop, expected):
    assert iterations(run, loop) == pytest.approx(expected, rel=0.02)


def test_drawn_data_that_do_not_converge_are_taken_to(run):
    # Numbers of the threads that have no root: Newton's method would go on to the cap.
    loop = "for (it = 0; it < 50; it++) { out[i] = 1; double d = (x * x + c) / (2 * x); x -= d; if (fabs(d) < 1e-13) break; }"
    assert iterations(run, loop, "1.0 + i % 7") == NEWTON[1e-13]


def test_data_that_converge_are_run_to_their_end(run):
    loop = "for (it = 0; it < 50; it++) { out[i] = 1; double d = (x * x - c) / (2 * x); x -= d; if (fabs(d) < 1e-13) break; }"
    assert iterations(run, loop, "1.0 + 1e-4 * (i % 7)") < 5
