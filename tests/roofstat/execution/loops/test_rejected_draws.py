"""Draws that a kernel makes until one is accepted, by a hash of a counter or of the state itself: half of them are."""

import pytest

HASHED = "unsigned long long z = (r += 0x9E3779B97F4A7C15ull); z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull; z ^= z >> 31;"
SHIFTED = "r ^= r << 13; r ^= r >> 7; r ^= r << 17; unsigned long long z = r;"
THREADS, ROUNDS = 2048, 3


def draws(run, generator, goes_on, *, is_partial):
    """Draws of each thread in each of its rounds."""
    text = f"""__global__ void k(const double *x, double *out, int n) {{
      int t = blockIdx.x * blockDim.x + threadIdx.x;
      for (int i = t; i < n; i += {THREADS}) {{
        unsigned long long r = 77ull ^ ((unsigned long long)i * 0xD1342543DE82EF95ull);
        double u, limit = x[i]; int tries = 0;
        do {{ {generator} u = (z >> 11) * (1.0 / 9007199254740992.0); out[i] = u; }} while ({goes_on});
      }} }}"""
    n = ROUNDS * THREADS - (THREADS // 2 if is_partial else 0)
    ran = run(text, grid=16, block=128, arguments={"x": 1 << 20, "out": 1 << 20, "n": n})
    return ran.stores("out") / n


@pytest.mark.parametrize("generator", [HASHED, SHIFTED], ids=["hashed", "shifted"])
@pytest.mark.parametrize("is_partial", [False, True])
@pytest.mark.parametrize("goes_on", ["u * u > limit", "u * u > limit && ++tries < 100"])
def test_half_of_the_draws_are_taken(run, generator, goes_on, is_partial):
    """Also in a last round that only a part of the threads takes, where the others' conditions are known from before."""
    assert draws(run, generator, goes_on, is_partial=is_partial) == pytest.approx(2, rel=0.02)
