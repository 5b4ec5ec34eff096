"""Loops whose length lies in data that nobody knows: a stated trip count, never none in silence."""

from __future__ import annotations

import pytest

ROWS = 1000
ENTRIES = 7 * ROWS


def csr(loop: str, parameters: str = "const int *rp") -> str:
    return (
        f"__global__ void k({parameters}, const float *v, float *y, int n) {{"
        " int r = blockIdx.x * blockDim.x + threadIdx.x; if (r < n) { float s = 0;"
        f" {loop} y[r] = s; }} }}"
    )


@pytest.mark.parametrize(
    "loop",
    [
        "for (int j = rp[r]; j < rp[r + 1]; ++j) s += v[j];",
        "int b = rp[r], e = rp[r + 1]; for (int j = b; j < e; ++j) s += v[j];",
        "const int e = rp[r + 1]; int j = rp[r]; while (j < e) { s += v[j]; j++; }",
        "for (int j = __ldg(rp + r); j < __ldg(rp + r + 1); ++j) s += v[j];",
        "int m = rp[r + 1] - rp[r]; for (int j = 0; j < m; ++j) s += v[rp[r] + j];",
    ],
)
def test_rows_between_unknown_offsets_share_out_the_entries(run, loop):
    ran = run(csr(loop), grid=4, block=256, arguments={"rp": ROWS, "v": ENTRIES, "n": ROWS})
    # 7 entries for each element of rp (element, not byte): 7 iterations, one addition each.
    assert ran.flop == pytest.approx(ENTRIES)
    assert ran.loads("v") == pytest.approx(ENTRIES)
    (assumed,) = (item for item in ran.trace.assumptions if item.kind == "trip-count")
    assert "7 elements for each element of rp" in assumed.text


def test_offsets_of_a_record_bound_a_loop_of_unknown_length(run):
    loop = "int2 q = rp[r]; for (int j = q.x; j < q.y; ++j) s += v[j];"
    ran = run(csr(loop, "const int2 *rp"), grid=4, block=256, arguments={"n": ROWS})
    # Nothing is known of the sizes: the default of 8 iterations, and it is said.
    assert ran.flop == pytest.approx(8 * ROWS)
    assert [item.kind for item in ran.trace.assumptions if "8 iterations" in item.text] == [
        "trip-count"
    ]


def test_neighbouring_unknown_elements_are_not_equal(run):
    body = "if (r < n) { if (rp[r] == rp[r + 1]) y[r] = v[r] + 1.0f; }"
    text = f"__global__ void k(const int *rp, const float *v, float *y, int n) {{ int r = threadIdx.x; {body} }}"
    ran = run(text, grid=1, block=256, arguments={"n": 256})
    # Some threads at most, by a stated probability; an element does equal itself.
    assert ran.stores("y") < 256
    assert any(item.kind == "branch" for item in ran.trace.assumptions)
    same = run(text.replace("r + 1]", "r]"), grid=1, block=256, arguments={"n": 256})
    assert same.stores("y") == 256
    assert not any(item.kind == "branch" for item in same.trace.assumptions)
