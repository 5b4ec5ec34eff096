"""Divisions of 64-bit integers: words are divided as words, pairs of words by a subroutine."""

import pytest

from roofstat.instructions.tables.costs import Compiler, cost_of

N = 65536
HEAD = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
MAIN = """
int main() {{
  static unsigned long long h[{n}];
  static unsigned w[{n}];
  for (int i = 0; i < {n}; i++) {{ h[i] = {value}; w[i] = rand(); }}
  unsigned long long *a, *o; unsigned *b;
  cudaMalloc(&a, sizeof(h)); cudaMalloc(&o, sizeof(h)); cudaMalloc(&b, sizeof(w));
  cudaMemcpy(a, h, sizeof(h), cudaMemcpyHostToDevice);
  cudaMemcpy(b, w, sizeof(w), cudaMemcpyHostToDevice);
  k<<<{n} / 256, 256>>>(a, b, o, {divisor});
}}
"""


@pytest.fixture
def pair_share(result_of):
    """Share of a kernel's remainders that take the subroutine, by what they cost."""

    def measure(numerator, value="i", divisor="1000003ull"):
        def integers(body):
            found = result_of(
                "#include <cstdlib>\n__global__ void k(const unsigned long long *a, const unsigned *b, "
                f"unsigned long long *o, unsigned long long p) {{ {HEAD} o[i] = {body}; }}"
                + MAIN.format(n=N, value=value, divisor=divisor),
                "h100",
            ).kernels
            return found[0].counts.int_op / N

        cost = cost_of("rem", "uint64", Compiler.NVCC, "sm_90", fast_math=False)
        whole = integers(f"({numerator}) % p") - integers(f"({numerator}) ^ p") + 2
        return (whole - cost.int_op) / (cost.slow_path.int_op - cost.int_op)

    return measure


@pytest.mark.parametrize(
    ("value", "divisor", "share"),
    [
        ("i", "1000003ull", 0),
        ("i + (1ull << 40)", "1000003ull", 1),
        ("i", "1ull << 40", 1),
    ],
)
def test_known_numbers_decide(pair_share, value, divisor, share):
    assert pair_share("a[i]", value, divisor) == pytest.approx(share, abs=0.02)


def test_some_lanes_take_the_subroutine(pair_share):
    of_four = "a[i] + ((unsigned long long)(i % 4 == 0) << 40)"
    assert pair_share(of_four) == pytest.approx(0.25, abs=0.02)


def test_numbers_that_nobody_knows_are_words_unless_they_are_products_of_data(pair_share):
    assert pair_share("a[i]", "rand()") == pytest.approx(0, abs=0.02)
    assert pair_share("(unsigned long long)b[i] * b[i + 1]") == pytest.approx(1, abs=0.06)
    assert pair_share("(unsigned long long)b[i] * 3 + b[i + 1]") == pytest.approx(1, abs=0.06)


def test_places_of_arrays_are_words(pair_share):
    assert pair_share("(unsigned long long)blockIdx.x * blockDim.x + threadIdx.x") == pytest.approx(
        0, abs=0.06
    )
