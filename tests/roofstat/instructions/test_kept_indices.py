"""Loops of nvcc in which no pointer advances: loops around others, and two copies of unknown number.

Numbers are SASS of these loops by nvcc 13.0 for sm_90, each iteration executed without the loop inside it.
"""

from __future__ import annotations

import pytest
from builder import GLOBAL_INDEX, Run, ops_per_iteration

PARAMETERS = (
    "const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ z, float *o,"
    " int n, int m, int l"
)
HEAD = GLOBAL_INDEX.replace("int i", "int t") + " float v = 0.0f, w = l;"
ROUNDS = 640.0


def per_iteration(loop: str) -> float:
    """Integer operations that one more iteration of the first loop adds, where loops inside it do not run."""
    return ops_per_iteration(
        PARAMETERS,
        f"{HEAD} {loop} o[t] = v + w;",
        lambda trips: Run(trips={0: trips}, default_trips=0.0),
        trips=ROUNDS,
    )


@pytest.mark.parametrize(
    ("access", "sass"),
    [
        # The sum, the multiply-add that widens it and the test; the counter is an operand from the uniform datapath ...
        ("x[i + t]", 3),
        ("x[i * m + t]", 3),
        # ... but where it is widened or scaled.
        ("x[i]", 3),
        ("x[i * 64 + t]", 4),
        ("x[(size_t)i * 64 + t]", 5),
        ("x[(size_t)t * m + i]", 6),
        # A product of 64 bits: sign, three multiply-adds and a sum, and two words of the address.
        ("x[(size_t)i * m + t]", 9),
        ("x[((size_t)blockIdx.y * l + i) * m + t]", 10),
    ],
)
def test_loops_around_others_compute_each_index(access, sass):
    loop = f"for (int i = 0; i < n; i++) {{ v += {access}; while (v < 0.0f) v = v * v - w; }}"
    assert per_iteration(loop) == pytest.approx(sass)


TERMS = " ".join(f"h{k} = h{k} * v + w;" for k in range(8)) * 3
"""Too long for four copies, and too much that goes on from one to the next."""
SUM = " + ".join(f"h{k}" for k in range(8))


def of_two_copies(statement: str) -> float:
    names = ", ".join(f"h{k} = {k}.0f" for k in range(8))
    body = (
        f"float {names}; for (int i = 0; i < n; i++) {{ w = v; {statement} {TERMS} }} v += {SUM};"
    )
    return per_iteration(body)


@pytest.mark.parametrize(
    ("statement", "sass"),
    [
        # Both copies have one address, but for products of 64 bits of what each of them counts; two counters and a test.
        ("v += x[i];", 4 / 2),
        ("v += x[i + t];", 4 / 2),
        ("v += x[i * 64 + t];", 5 / 2),
        ("v += x[(size_t)i * 64 + t];", 6 / 2),
        ("v += x[i * m + t];", 6 / 2),
        ("v += x[(size_t)i * m + t];", 18 / 2),
        ("v += x[(size_t)i * m + t] * y[(size_t)i * m + t];", 26 / 2),
        (
            "v += x[(size_t)i * m + t] * y[(size_t)i * m + t]; z[(size_t)i * m + t] = v;",
            30 / 2,
        ),
    ],
)
def test_two_copies_compute_each_index(statement, sass):
    assert of_two_copies(statement) == pytest.approx(sass, rel=0.1)


def test_light_copies_of_a_pragma_have_pointers():
    loop = "for (int i = 0; i < n; i++) { v += x[(size_t)i * m + t]; v = v * v + 1.5f; }"
    assert per_iteration(f'_Pragma("unroll 2") {loop}') < 5.0


@pytest.mark.parametrize(("elements", "sass"), [(32, 2), (64, 9)])
def test_long_bodies_have_no_pointers(elements, sass):
    tile = (
        "__shared__ float s[256]; for (int i = 0; i < n; i++) { __syncthreads(); s[threadIdx.x] = x[(size_t)i * m + t];"
        f" __syncthreads(); for (int k = 0; k < {elements}; k++) {{ v += s[k] * w; w = w * 0.5f + s[k]; }} }}"
    )
    assert per_iteration(tile) == pytest.approx(sass, abs=1.0)
