"""Counted loops that data may leave: each lane by any of the iterations, half of them in the mean."""

import numpy as np
import pytest

from roofstat.execution.sampling.representatives import common_places

THREADS, COUNT = 4096, 400


def kernel(loop):
    return (
        "__global__ void k(const float *x, const int *own, float *out, int n, float t) {"
        f" int c = blockIdx.x * blockDim.x + threadIdx.x; bool hit = false; float s = 0, l = x[c];\n{loop}\n"
        " if (!hit) out[c] = s; }"
    )


def run_loop(run, loop):
    arguments = {"x": 1 << 22, "own": THREADS, "out": THREADS, "n": COUNT, "t": 3.0}
    return run(kernel(loop), grid=16, block=256, arguments=arguments)


@pytest.mark.parametrize(
    "loop",
    [
        "for (int i = 0; i < n; i++) if (x[i * 4096 + c] < t) { hit = true; break; }",
        "for (int i = n; i > 0; --i) { s += x[i * 4096 + c]; if (s * s > l) break; }",
        "for (int i = 0; i < n; i++) { s += x[i * 4096 + c]; if (s * l > t) return; }",
    ],
)
def test_threads_leave_anywhere(run, loop):
    ran = run_loop(run, loop)
    assert ran.iterations(2) / THREADS == pytest.approx(COUNT / 2, rel=0.05)
    # A warp goes on until the last of its lanes has left: the largest of 32 even draws, 32 / 33 of the range in the mean.
    assert ran.warps("x") / (THREADS / 32) == pytest.approx(32 / 33 * COUNT, rel=0.1)


def test_a_found_flag_is_set_where_a_loop_is_left(run):
    ran = run_loop(
        run, "for (int i = 0; i < n; i++) if (x[i * 4096 + c] < t) { hit = true; break; }"
    )
    assert ran.stores("out") < 0.1 * THREADS


@pytest.mark.parametrize(
    "loop",
    [
        # a tolerance, and a limit that nothing reaches
        "l = 1; for (int i = 0; i < n; i++) { s += l * x[i * 4096 + c]; l *= x[i]; if (l < 1e-4f) break; }",
        "for (int i = 0; i < n; i++) { s = s * l + x[i * 4096 + c]; if (s > 3e38f) break; }",
    ],
)
def test_what_hardly_happens_leaves_no_loop(run, loop):
    ran = run_loop(run, loop)
    assert ran.iterations(2) / THREADS == pytest.approx(COUNT, rel=0.02)


def test_a_count_that_nobody_knows_is_halved_as_well(run):
    full = "for (int i = 0; i < own[c]; i++) s += own[c + i];"
    left = "for (int i = 0; i < own[c]; i++) { s += own[c + i]; if (s * l > t) break; }"
    whole, half = (run_loop(run, loop).iterations(2) / THREADS for loop in (full, left))
    # the first, and any number of the 7 others
    assert (whole, half) == (8, pytest.approx(1 + 3.5, rel=0.05))


def test_common_places_weigh_as_much_as_all_iterations():
    counts = np.array([0.0, 3.0, 17.0, 100.0])
    places = common_places(counts, 4)
    assert [place for place, _ in places] == [12, 37, 62, 87]
    np.testing.assert_allclose(sum(share for _, share in places), counts)
