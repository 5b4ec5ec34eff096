"""Rows that the lanes of a warp go through together: each row's elements are seen once, whatever its length."""

import pytest

ROWS = 256


def ran(run, each, loop):
    """A warp for each row; rows have so many elements in the mean."""
    text = (
        "__global__ void k(const int *rp, const float *v, float *y, int n) {"
        " int t = blockIdx.x * blockDim.x + threadIdx.x, w = t / 32, lane = t % 32;"
        f" if (w >= n) return; float s = 0; {loop} y[t] = s; }}"
    )
    arguments = {"rp": ROWS, "v": each * ROWS, "n": ROWS}
    return run(text, grid=32, block=256, arguments=arguments)


@pytest.mark.parametrize("each", [5, 20, 32, 40, 100])
@pytest.mark.parametrize(
    "loop",
    [
        "for (int j = rp[w] + lane; j < rp[w + 1]; j += 32) s += v[j];",
        "int j = rp[w] + lane; const int e = rp[w + 1]; while (j < e) { s += v[j]; j += warpSize; }",
    ],
)
def test_elements_of_a_row_are_each_seen_once(run, each, loop):
    found = ran(run, each, loop)
    assert found.flop == pytest.approx(each * ROWS)
    assert found.loads("v") == pytest.approx(each * ROWS)
    (assumed,) = (item for item in found.trace.assumptions if item.kind == "trip-count")
    assert f"have {each} elements for each element of rp, 32 in a step" in assumed.text


def test_ranges_without_a_known_length_are_no_rows(run):
    found = ran(run, 20, "for (int j = rp[w] + lane; j < rp[w + 1]; j += 32) s += 1;")
    assert any("8 iterations (default)" in item.text for item in found.trace.assumptions)
