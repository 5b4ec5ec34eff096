"""Products that follow from earlier ones by a stride, against SASS of nvcc 13.0 (sm_90) and clang 18 (sm_86): the same numbers."""

from __future__ import annotations

import pytest
from builder import count, integer_ops

from roofstat.instructions.tables.costs import Compiler

PARAMETERS = "float *z, float v, int n, int h, const int *__restrict__ f"
DATA = "int t = blockIdx.x * blockDim.x + threadIdx.x; int r = f[t], q = f[t + 32];"
READ = 2
"""IMAD for the number of the thread, IMAD.WIDE for what it reads."""
COMPILERS = [(Compiler.NVCC, "sm_90"), (Compiler.CLANG, "sm_86")]


def integers(body: str, compiler: Compiler, architecture: str) -> float:
    """Integer operations of a thread beside those of its data."""
    counts = count(PARAMETERS, f"{DATA} {body}", compiler=compiler, architecture=architecture)
    return integer_ops(counts) - READ


def stores(*indices: str) -> str:
    """One store for each index."""
    return " ".join(f"z[{index}] = v;" for index in indices)


@pytest.mark.parametrize(("compiler", "architecture"), COMPILERS)
@pytest.mark.parametrize(
    ("indices", "sass"),
    [
        # IMAD and IMAD.WIDE; a sum with n, which finds the whole index, and IMAD.WIDE.
        (("r * n + q", "(r + 1) * n + q"), 2 + 2),
        (("r * n + q", "(r + 1) * n + q", "(r + 2) * n + q"), 2 + 2 + 2),
        # Behind the row below there is none: IADD3 and IMAD for that one, IMAD for the row.
        (("(r + 1) * n + q", "r * n + q"), 3 + 2),
        # The first row takes a sum more.
        (("(r - 1) * n + q", "r * n + q", "(r + 1) * n + q"), 3 + 2 + 2),
        # A row above is a difference of products, to which the place is added: IMAD, IADD3, IMAD.WIDE; IADD3; 2 n further on.
        (("r * n + q", "(r - 1) * n + q", "(r + 1) * n + q"), 3 + 2 + 2),
        (("r * n", "(r + 1) * n"), 2 + 2),
        # Neighbours in a row are offsets.
        (("r * n + q", "(r + 1) * n + q", "r * n + q + 1", "(r + 1) * n + q + 1"), 2 + 2),
    ],
)
def test_rows_beside_a_row_are_sums(indices, sass, compiler, architecture):
    assert integers(stores(*indices), compiler, architecture) == pytest.approx(sass, abs=0.5)


@pytest.mark.parametrize(("compiler", "architecture"), COMPILERS)
def test_factors_that_are_chosen_are_products_of_their_own(compiler, architecture):
    # A comparison and a selection, or VIADDMNMX; IMAD and IMAD.WIDE for each.
    body = f"int s = r < h ? r + 1 : 0; {stores('r * n + q', 's * n + q')}"
    plain = stores("r * n + q", "f[t + 64] * n + q")
    more = integers(body, compiler, architecture) - integers(plain, compiler, architecture)
    assert 2 <= more <= 3


def test_strides_of_64_bits_follow_from_the_address():
    # SASS of nvcc: IMAD.WIDE for the product, two for the sum with q, LEA and LEA.HI, IMAD.WIDE for n times four: five here.
    body = f"size_t s = r; {stores('s * n + q', '(s + 1) * n + q')}"
    assert integers(body, Compiler.NVCC, "sm_90") == pytest.approx(5, abs=0.5)


@pytest.mark.parametrize(
    ("indices", "sass"),
    [
        # IMAD.WIDE, and IMAD.WIDE on that address.
        (("q", "q + n"), 1 + 1),
        # The next ones take a sum and an IMAD.WIDE each, as what they follow from may overflow (IADD3 q, n, n).
        (("q", "q + n", "q + 2 * n"), 1 + 1 + 2),
        (("q", "q + n", "q + 2 * n", "q + 3 * n"), 1 + 1 + 2 + 2),
    ],
)
def test_planes_follow_from_one_another(indices, sass):
    assert integers(stores(*indices), Compiler.NVCC, "sm_90") == pytest.approx(sass, abs=0.5)
