"""Comparisons that a test around them has decided: PTX of own kernels (nvcc 13.0; clang 18.1.6, sm_90)."""

from __future__ import annotations

import pytest
from builder import count, integer_ops

from roofstat.instructions.tables.costs import Compiler

COMPILERS = (Compiler.NVCC, Compiler.CLANG)
HEAD = (
    "int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;"
    " if (x >= w || y >= h) return;"
)


def operations(body: str, compiler: Compiler) -> float:
    return integer_ops(
        count(
            "const int *a, int *o, int w, int h, unsigned u",
            f"{HEAD} {body}",
            compiler=compiler,
            architecture="sm_90",
        )
    )


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    ("decided", "plain"),
    [
        ("o[x] = x >= w ? a[5] : a[x];", "o[x] = a[x];"),
        ("o[x] = y - 1 >= h ? a[5] : a[x];", "o[x] = a[x];"),
        ("o[x] = y == h ? a[5] : a[x];", "o[x] = a[x];"),
        ("o[x] = y <= h ? a[5] : a[x];", "o[x] = a[5];"),
        ("if (x < w) o[x] = a[x];", "o[x] = a[x];"),
        ("if (x - 1 < w) o[x] = a[x];", "o[x] = a[x];"),
        ("if (x > 2) { if (x > 1) o[x] = a[x]; }", "if (x > 2) o[x] = a[x];"),
    ],
)
def test_they_are_left_out(decided, plain, compiler):
    assert operations(decided, compiler) == operations(plain, compiler)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    ("asking", "plain"),
    [
        ("o[x] = x + 1 >= w ? a[5] : a[x];", "o[x] = a[x];"),
        ("if (x < h) o[x] = a[x];", "o[x] = a[x];"),
        ("o[x] = a[min(x, w - 1)];", "o[x] = a[x];"),
        ("o[x] = x == w - 1 ? a[5] : a[x];", "o[x] = a[x];"),
        # What a test says holds in its arm alone.
        ("if (x > 5) o[x] = 1; if (x > 4) o[x] = a[x];", "if (x > 5) o[x] = 1; o[x] = a[x];"),
        # Unsigned differences wrap around.
        ("if (x < u) { if (x - 1u < u) o[x] = a[x]; }", "if (x < u) o[x] = a[x];"),
    ],
)
def test_others_stay(asking, plain, compiler):
    assert operations(asking, compiler) > operations(plain, compiler)
