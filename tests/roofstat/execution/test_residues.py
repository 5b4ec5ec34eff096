"""Numbers that a kernel draws by remainders, from states that nobody knows: its tests are passed as often as they would be."""

import pytest

THREADS = 1024
KERNEL = """
typedef unsigned long long u64;
struct State { unsigned s, t; };
__device__ float draw(State &g) {
  const u64 m = 4294967087ull;
  u64 p = (810728ull * g.s + 1403580ull * g.t) % m, q = 527612ull * g.t % m;
  g.s = p; g.t = q;
  return (unsigned)(p > q ? p - q : p + m - q) / 4294967087.0f;
}
__global__ void k(State *states, float *out, const float *table, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  State s = states[i];
  for (int j = 0; j < n; j++) { BODY }
  states[i] = s;
}
"""

UNKNOWN = "s.s = s.s * 1664525u + 1013904223u; float a = table[s.s >> 24];"


@pytest.mark.parametrize(
    ("body", "share"),
    [
        ("if (draw(s) < 0.2f) out[i] = 1;", 0.2),
        # of what nobody knows half is taken
        (f"for (;;) {{ {UNKNOWN} out[i] = a; if (a < 0.5f) break; }}", 2.0),
        (f"float b; do {{ {UNKNOWN} out[i] = b = a; }} while (b < 0.5f);", 2.0),
        (f"float b = 0; do {{ {UNKNOWN} out[i] = b += a; }} while (b < 5.0f);", 8.0),
        # within the quarter of a circle; then until a draw is
        ("float a = draw(s), b = draw(s); if (a * a + b * b < 1) out[i] = 1;", 0.785),
        (
            "float a, b; do { a = draw(s), b = draw(s); out[i] = a; } while (a * a + b * b > 1);",
            1.273,
        ),
        ("for (;;) { out[i] = j; if (draw(s) < 0.9f) break; }", 1.111),
    ],
)
def test_draws_pass_as_often_as_their_range_says(run, body, share):
    text = KERNEL.replace("BODY", body)
    ran = run(
        text,
        grid=8,
        block=128,
        arguments={"states": 1 << 20, "out": 1 << 20, "table": 1024, "n": 16},
    )
    assert ran.stores("out") / THREADS / 16 == pytest.approx(share, rel=0.1)
