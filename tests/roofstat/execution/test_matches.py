"""Sorted lists that are merged: nearly all elements of both are passed, and few are in both."""

import pytest

ROWS = 1000
ENTRIES = 8 * ROWS
MERGES = [
    "if (a < b) i++; else if (a > b) j++; else { i++; j++; out[r] = a; }",
    "if (a < b) { i++; continue; } if (b < a) { j++; continue; } i++; j++; out[r] = a;",
    "if (a == b) { i++; j++; out[r] = a; } else if (a < b) i++; else j++;",
]


def merged(run, body: str, condition: str = "i < ie && j < je"):
    text = (
        "__global__ void k(const int *off, const int *v, int *out) {"
        " int r = blockIdx.x * blockDim.x + threadIdx.x;"
        " int i = off[r], ie = off[r + 1], j = off[r + 7], je = off[r + 8];"
        f" while ({condition}) {{ int a = v[i], b = v[j]; {body} }} }}"
    )
    return run(text, grid=4, block=256, arguments={"off": ROWS, "v": ENTRIES, "out": ROWS})


@pytest.mark.parametrize("body", [*MERGES, "int s = a <= b; j += b <= a; i += s;"])
def test_a_merge_passes_the_elements_of_both_lists(run, body):
    # 8 elements in each list: 16 iterations, two loads in each
    assert merged(run, body).loads("v") / ROWS == pytest.approx(32, rel=0.05)


@pytest.mark.parametrize("body", MERGES)
def test_few_elements_are_in_both_lists(run, body):
    share = merged(run, body).stores("out") / ROWS / 16
    # one of ten that are compared, or that are not less than the other
    assert share == pytest.approx(0.1 if "==" in body else 0.05, rel=0.3)


def test_lists_that_move_on_together_are_none_that_are_merged(run):
    # Element by element: 8 iterations, half of which agree.
    ran = merged(run, "i++; j++; if (a == b) out[r] = a;")
    assert ran.loads("v") / ROWS == pytest.approx(16, rel=0.05)
    assert ran.stores("out") / ROWS / 8 == pytest.approx(0.5, rel=0.1)
