"""Thresholds that few numbers pass, and indices that stand for none."""

from __future__ import annotations

import pytest

THREADS = 1 << 16


def stores(run, test: str) -> float:
    """Part of the threads that do what stands behind a test."""
    ran = run(
        f"""
        __global__ void k(const float *v, int *link, const int *other, float *o, float level) {{
          int i = blockIdx.x * 256 + threadIdx.x, at = link[i];
          float x = v[i] * v[i];
          {test}
        }}""",
        grid=THREADS // 256,
        block=256,
        arguments={
            "v": THREADS,
            "link": THREADS,
            "other": THREADS,
            "o": THREADS,
            "level": 12.0,
        },
    )
    return ran.stores("o") / THREADS


@pytest.mark.parametrize(
    "test",
    [
        "if (x > level) o[i] = x;",
        "if (x >= 3.5f) o[i] = x;",
        "if (level < x) o[i] = x;",
        "if (!(x <= level)) o[i] = x;",
        "if (x < level) return; o[i] = x;",
    ],
)
def test_few_numbers_pass_a_threshold(run, test):
    assert stores(run, test) == pytest.approx(0.25, abs=0.03)


@pytest.mark.parametrize(
    "test",
    [
        "if (x < level) o[i] = x;",
        "if (x > level) return; o[i] = x;",
        "if (x > 0.0f) o[i] = x;",
        "if (x <= 1e-3f) return; o[i] = x;",
        "if (x > v[i / 2]) o[i] = x;",
    ],
)
def test_cutoffs_signs_and_comparisons_of_data_say_nothing_of_that_kind(run, test):
    assert stores(run, test) == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize(
    "test",
    [
        "if (at >= 0) o[i] = v[at];",
        "if (at != -1) o[i] = v[at];",
        "if (at < 0) return; o[i] = v[at];",
        "if (-1 == at) return; o[i] = v[at];",
        "if (at > -1) o[i] = v[at];",
    ],
)
def test_most_indices_are_there(run, test):
    # Of arrays that the kernel does not change itself the host has marked even fewer elements.
    assert stores(run, f"link[i] = 7; {test}") == pytest.approx(0.75, abs=0.03)


def test_a_computed_difference_is_no_index(run):
    assert stores(run, "int d = at - other[i]; if (d < 0) return; o[i] = d;") == pytest.approx(
        0.5, abs=0.03
    )


def test_elements_that_all_threads_compare_with_are_no_thresholds(run):
    assert stores(run, "if (v[3] < x) o[i] = x;") == pytest.approx(0.5, abs=0.03)
