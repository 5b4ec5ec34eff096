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
        ("if (fabsf(v) < 0.5f) return; out[i] = w + v;", 0.25),  # a threshold
        ("if (v < 1e-5f) return; out[i] = w + v;", 0.5),
        # which sign a number has, and limits that are none
        ("if (v > 0) out[i] = w / v; else if ((1 - w) / v > 3) return;", 0.5),
        ("if (v < 0) out[i] = w / v;", 0.5),
        ("if (v > 2) out[i] = w / v;", 0.25),  # a threshold
        # nothing is divided by it
        ("if (v > 0) out[i] = w / (1 + v);", 0.5),
        ("if (v > 0) out[i] = v / w;", 0.5),
    ],
)
def test_what_is_divided_by_is_seldom_zero(run, body, share):
    assert stores(run, body) == pytest.approx(share, abs=0.1)


@pytest.mark.parametrize("test", ["!(fabsf(k) < 1.0f)", "!(k * k < 1.0f)", "!(e > 0.0f)"])
def test_a_recursion_is_not_left_for_what_must_hold(host, test):
    # Reflections are below one as the numbers belong together, which is not known of numbers that were drawn one by one.
    text = f"""
    __global__ void k(const float *r, float *out, int n) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      float a[9], t[9], e = r[i];
      a[0] = 1;
      for (int m = 1; m <= 8; m++) {{
        float s = r[m * n + i];
        for (int j = 1; j < m; j++) s += a[j] * r[(m - j) * n + i];
        float k = -s / e;
        if ({test}) break;
        for (int j = 1; j < m; j++) t[j] = a[j] + k * a[m - j];
        for (int j = 1; j < m; j++) a[j] = t[j];
        a[m] = k;
        e *= 1 - k * k;
      }}
      out[i] = e;
    }}
    int main() {{
      int n = 4096;
      std::vector<float> h(9 * n);
      for (float &x : h) x = rand() / (float)RAND_MAX;
      float *r, *o; cudaMalloc(&r, 36 * n); cudaMalloc(&o, 4 * n);
      cudaMemcpy(r, h.data(), 36 * n, cudaMemcpyHostToDevice);
      k<<<n / 256, 256>>>(r, o, n);
    }}"""
    loops = host(f"#include <vector>\n{text}").only().trace.loops.values()
    outer = max(loops, key=lambda loop: -loop.entries)
    assert outer.mean_trips == 8
