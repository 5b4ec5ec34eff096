"""Branches that keep a number away from zero, by which something is divided: nearly all threads divide."""

import pytest

THREADS = 1024

PROLOGUE = (
    "__device__ float unit(float l2, float a) { return l2 > 1e-20f ? (1.0f / sqrtf(l2)) * a : a; } "
)


def stores(run, body):
    """Stores through `out`, for each thread, of a kernel that reads data of which nothing is known."""
    text = (
        f"{PROLOGUE} __global__ void k(const float *x, const int *c, float *out) {{"
        f" int i = blockIdx.x * blockDim.x + threadIdx.x; float v = x[i], w = x[i + 7]; int n = c[i]; {body} }}"
    )
    ran = run(text, grid=4, block=256, arguments={"x": 1 << 20, "c": 1 << 20, "out": 1 << 20})
    return ran.stores("out") / THREADS


@pytest.mark.parametrize(
    ("body", "share"),
    [
        ("if (v != 0) out[i] = w / v;", 1),
        ("if (x[i] > 0) out[i] = w / x[i];", 1),
        ("if (fabsf(v) < 1e-12f) return; out[i] = w * (1.0f / v);", 1),
        ("if (v <= 1e-6f) return; out[i] = logf(v);", 1),
        ("float l = v * v + w * w; if (l > 0) { out[i] = w * rsqrtf(l); }", 1),
        ("if (n > 0) out[i] = w / (float)n;", 1),
        ("if (v != 0) out[i] = __fdividef(w, v);", 1),
        ("if (v > 0) out[i] = __frcp_rn(v);", 1),
        ("const float zero = 0; v += w; if (v == zero) return; out[i] = w / v;", 1),
        # a size below a small number
        ("if (fabsf(v) < 1e-5f) return; out[i] = w + v;", 1),
        ("if (fabsf(w - v) > 1e-5f) out[i] = w;", 1),
        # or below a small part of another number
        ("if (fabsf(v) < 1e-4f * w) return; out[i] = w + v;", 1),
        ("if (fabsf(w - v) > 1e-6f * x[i + 9]) out[i] = w;", 1),
        ("if (fabsf(v) < 1e-4f + w) return; out[i] = w + v;", 0.5),
        ("if (fabsf(v) < 0.5f) return; out[i] = w + v;", 0.5),
        ("if (v < 1e-5f) return; out[i] = w + v;", 0.5),
        # which sign a number has, and limits that are none
        ("if (v > 0) out[i] = w / v; else if ((1 - w) / v > 3) return;", 0.5),
        ("if (v < 0) out[i] = w / v;", 0.5),
        ("if (v > 2) out[i] = w / v;", 0.5),
        # nothing is divided by it
        ("if (v > 0) out[i] = w / (1 + v);", 0.5),
        ("if (v > 0) out[i] = v / w;", 0.5),
    ],
)
def test_what_is_divided_by_is_seldom_zero(run, body, share):
    assert stores(run, body) == pytest.approx(share, abs=0.1)
