"""Where the best was found: each of n candidates in no order is the best with the same probability."""

from __future__ import annotations

import pytest

BLOCKS, THREADS, N = 40, 128, 600


def work(run, body):
    """Stores through `out` of a thread, whose candidates nobody knows."""
    text = (
        "__global__ void k(const float *x, float *out, int n) {"
        f" int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}"
    )
    ran = run(text, grid=BLOCKS, block=THREADS, arguments={"x": 1 << 20, "out": 1 << 20, "n": N})
    return ran.stores("out") / (BLOCKS * THREADS)


SEARCH = "float best = 1e30f; int at = 0; for (int a = 0; a < n; a++) { float d = x[a + i]; if (d < best) { best = d; at = a; } }"


@pytest.mark.parametrize("part", [4, 2])
def test_the_best_lies_anywhere_among_the_candidates(run, part):
    count = f"if (at < n / {part}) out[i] = 1;"
    assert work(run, f"{SEARCH} {count}") == pytest.approx(1 / part, rel=0.15)


def test_its_mean_place_is_the_middle(run):
    assert work(run, f"{SEARCH} for (int a = 0; a < at; a++) out[i] = a;") == pytest.approx(
        N / 2, rel=0.1
    )


@pytest.mark.parametrize("place", ["u", "v"])
def test_both_places_of_a_search_in_two_directions_are_spread(run, place):
    search = f"""float best = 1e30f; int u = 0, v = 0;
      for (int b = 0; b < n; b++)
        for (int a = 0; a < n; a++) {{ float d = x[b * n + a + i]; if (d < best) {{ best = d; u = a; v = b; }} }}
      if ({place} < n / 2) out[i] = 1;"""
    assert work(run, search) == pytest.approx(0.5, rel=0.15)
