"""Addresses of one word in constant and shared memory, and minima of three, against SASS of nvcc 13.0."""

from __future__ import annotations

import pytest
from builder import PROLOGUE, Run, count, integer_ops

PARAMETERS = "const int *a, float *c, int n"
TABLES = "__constant__ float f[512]; __constant__ float g[512]; __constant__ float4 q[64];"
THREAD = "int t = threadIdx.x; int k = a[t];"
FRAME = 2
"""Addresses of what is read and written."""


def integers(body: str, architecture: str, parameters: str = PARAMETERS) -> float:
    """Integer operations of a thread."""
    counts = count(parameters, body, architecture=architecture, prologue=f"{PROLOGUE}{TABLES}\n")
    return integer_ops(counts)


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
@pytest.mark.parametrize(
    ("value", "sass"),
    [
        ("f[k]", 1),
        ("q[k].x * q[k].y", 1),
        # One index for all arrays.
        ("f[k] * g[k]", 1),
        # What all threads read is an operand.
        ("f[n] * k", 0),
    ],
)
def test_an_index_into_constant_memory_is_scaled_once(value, sass, architecture):
    body = f"{THREAD} c[t] = {value};"
    plain = f"{THREAD} c[t] = k;"
    found = integers(body, architecture) - integers(plain, architecture)
    assert found == pytest.approx(sass, abs=0.1)


def test_a_mask_takes_in_the_scale_of_a_constant_table():
    # SHF and LOP3 for each: the word is shifted by two bits less.
    body = "int t = threadIdx.x; unsigned k = a[t]; c[t] = f[(k >> 6) & 3] + f[(k >> 9) & 7];"
    assert integers(body, "sm_90") == pytest.approx(FRAME + 4)


@pytest.mark.parametrize(
    ("step", "sass"),
    [
        # ISETP twice, SHF, and IMAD: the step times four plus the thread's own address.
        ("if (t < i) s[t] += s[t + i];", 4),
        # There is no such sum with a negative step: VIADD and LEA.
        ("if (t < i) s[t] += s[t - i];", 5),
    ],
)
def test_a_step_from_an_address_in_shared_memory_is_one_operation(step, sass):
    body = (
        "__shared__ float s[1024]; int t = threadIdx.x; s[t] = a[t]; __syncthreads();"
        f"for (int i = blockDim.x / 2; i > 0; i >>= 1) {{ {step} __syncthreads(); }} c[t] = s[0];"
    )
    one, two = (
        integer_ops(count(PARAMETERS, body, Run(default_trips=trips), architecture="sm_90"))
        for trips in (8, 16)
    )
    assert (two - one) / 8 == pytest.approx(sass, abs=0.1)


@pytest.mark.parametrize(
    ("value", "sm_80", "sm_90"),
    [
        ("min(min(a[t], a[t + 32]), a[t + 64])", 2, 1),
        ("min(min(min(a[t], a[t + 32]), a[t + 64]), a[t + 96])", 3, 2),
        ("max(max(a[t] + k, a[t + 32] - n), a[t + 64] - n)", 5, 3),
        ("max(min(k, n), 3)", 2, 2),
    ],
)
def test_minima_of_three(value, sm_80, sm_90):
    for architecture, sass in (("sm_80", sm_80), ("sm_90", sm_90)):
        found = integers(f"{THREAD} c[t] = {value};", architecture)
        assert found - integers(f"{THREAD} c[t] = k;", architecture) == pytest.approx(sass, abs=0.6)
