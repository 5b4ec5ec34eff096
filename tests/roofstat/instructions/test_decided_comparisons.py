"""Comparisons that types and masks decide: SASS of own kernels (nvcc 13.0, sm_90; clang 18.1.6, sm_86)."""

from __future__ import annotations

import pytest
from builder import count, integer_ops

from roofstat.instructions.tables.costs import Compiler

COMPILERS = ((Compiler.NVCC, "sm_90"), (Compiler.CLANG, "sm_86"))


def operations(body: str, compiler: Compiler, architecture: str) -> float:
    return integer_ops(
        count(
            "const unsigned char *b, const signed char *c, const int *a, int *o, int m",
            f"int t = threadIdx.x; {body}",
            compiler=compiler,
            architecture=architecture,
        )
    )


@pytest.mark.parametrize(("compiler", "architecture"), COMPILERS)
@pytest.mark.parametrize(
    ("decided", "plain"),
    [
        # Executed: as many as of the plain ones, for nvcc and clang (4, 4, 4, 5, 3).
        ("int g = b[t]; if (g > 255) g = 255; o[t] = g;", "o[t] = b[t];"),
        ("int g = b[t]; if (g < 0) g = 0; o[t] = g;", "o[t] = b[t];"),
        ("int g = b[t]; o[t] = g != 300 ? g : 7;", "o[t] = b[t];"),
        ("int g = a[t] & 15; o[t] = g < 16 ? g * 3 : 7;", "o[t] = (a[t] & 15) * 3;"),
        ("unsigned g = a[t]; if (g >= 0) o[t] = g;", "o[t] = a[t];"),
        ("int g = c[t]; o[t] = g <= 127 ? g : 7;", "o[t] = c[t];"),
    ],
)
def test_they_are_left_out(decided, plain, compiler, architecture):
    assert operations(decided, compiler, architecture) == operations(plain, compiler, architecture)


@pytest.mark.parametrize(("compiler", "architecture"), COMPILERS)
@pytest.mark.parametrize(
    ("asking", "plain"),
    [
        ("int g = b[t]; if (g > 254) g = 7; o[t] = g;", "o[t] = b[t];"),
        ("int g = c[t]; if (g < 0) g = 7; o[t] = g;", "o[t] = c[t];"),
        ("int g = a[t] & 15; o[t] = g < 15 ? g * 3 : 7;", "o[t] = (a[t] & 15) * 3;"),
        ("unsigned g = a[t]; if (g >= 1) o[t] = g;", "o[t] = a[t];"),
        # Minus one is the largest unsigned number, and never below.
        ("unsigned g = a[t]; if (g < -1) o[t] = g;", "o[t] = a[t];"),
        ("int g = b[t]; if (g > m) g = m; o[t] = g;", "o[t] = b[t];"),
    ],
)
def test_others_stay(asking, plain, compiler, architecture):
    assert operations(asking, compiler, architecture) > operations(plain, compiler, architecture)
