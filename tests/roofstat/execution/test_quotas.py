"""Loops that collect elements until so many are there: as many are found in all of the range as are wanted."""

import pytest

THREADS, POINTS, WANTED = 1024, 1000, 20
NEAR = "float d = p[i] - x; if (d * d < r)"


@pytest.mark.parametrize(
    "loop",
    [
        f"for (int i = 0; i < n && found < {WANTED}; i++) {{ {NEAR} g[found++] = i; }}",
        f"int i = 0; while (found < {WANTED} && i < n) {{ {NEAR} {{ g[found] = i; found++; }} ++i; }}",
        f"for (int i = 0; i < n; i++) {{ {NEAR} {{ g[found++] = i; if (found == {WANTED}) break; }} }}",
        "for (int i = 0; i < n; i++) { "
        + NEAR
        + " { g[found++] = i; if (found >= wanted) break; } }",
    ],
)
def test_a_search_for_so_many_goes_through_most_of_the_range(run, loop):
    text = (
        "__global__ void k(const float *p, int *group, float r, int n, int wanted) {"
        " int c = blockIdx.x * blockDim.x + threadIdx.x, found = 0; float x = p[c]; int *g = group + c * 32;"
        f" {loop} }}"
    )
    arguments = {"p": 4096, "group": THREADS * 32, "r": 2, "n": POINTS, "wanted": WANTED}
    ran = run(text, grid=8, block=128, arguments=arguments)
    # One element in 50 is taken. The 20th of them stands at place 1,000 in the mean, before it in about half of the ranges.
    assert 0.7 * POINTS < ran.loads("p") / THREADS <= 1.02 * POINTS
    assert ran.stores("g") / THREADS == pytest.approx(WANTED, rel=0.3)


def test_where_most_elements_are_wanted_nothing_is_known(run):
    text = (
        "__global__ void k(const float *p, int *group, float r, int n) {"
        " int c = blockIdx.x * blockDim.x + threadIdx.x, found = 0; float x = p[c]; int *g = group + c * 32;"
        f" for (int i = 0; i < n && found < 20; i++) {{ {NEAR} g[found++] = i; }} }}"
    )
    ran = run(text, grid=8, block=128, arguments={"p": 4096, "group": 32768, "r": 2, "n": 30})
    assert ran.stores("g") / THREADS == pytest.approx(15, rel=0.1)
