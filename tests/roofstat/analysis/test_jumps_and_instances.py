"""Jumps with several labels, and templates that call their own smaller instances: arithmetic by formula."""

from __future__ import annotations

import pytest

THREADS = 1 << 20
MAIN = (
    f"int main() {{ float *v; cudaMalloc(&v, {4 * THREADS}); k<<<{THREADS} / 256, 256>>>(v, 8); }}"
)
HEAD = "int i = blockIdx.x * blockDim.x + threadIdx.x; float x = v[i]; int r = 0;"


@pytest.mark.parametrize(
    ("body", "flop"),
    [
        (
            """again: switch (r & 1) { case 0: x = x * 2.f + 1.f; break; case 1: x += 1.f; break; default: goto out; }
            if (++r < m) goto again; out: v[i] = x;""",
            4 * 2 + 4,
        ),
        ("if (m > 9) goto two; x = x * 3.f + 1.f; if (m > 99) goto one; x += 1.f; one: x *= 5.f; two: v[i] = x;", 4),
    ],
)  # fmt: skip
def test_labels_behind_others_are_reached(kernel_of, body, flop):
    kernel = kernel_of(f"__global__ void k(float *v, int m) {{ {HEAD} {body} }} {MAIN}")
    assert kernel.counts.sp_flop == pytest.approx(flop * THREADS, rel=0.01)
    assert not [item for item in kernel.assumptions if "jumps into a block" in item.text]


def test_instances_that_call_smaller_ones_are_inlined(kernel_of):
    """48 multiplications and additions."""
    text = (
        "template <int N> __device__ float power(float x) {"
        " if constexpr (N == 0) return x; else return power<N - 1>(x) * x + 1.f; }"
        f"__global__ void k(float *v, int m) {{ {HEAD} v[i] = power<48>(x); }} {MAIN}"
    )
    kernel = kernel_of(text)
    assert kernel.counts.sp_flop == pytest.approx(96 * THREADS, rel=0.01)
    assert not [item for item in kernel.assumptions if "not inlined" in item.text]
