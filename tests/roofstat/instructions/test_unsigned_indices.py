"""Constants in unsigned indices: nvcc leaves them to the access, clang adds them to the word before it is widened."""

from __future__ import annotations

import pytest
from builder import Run, count, integer_ops

from roofstat.instructions.tables.costs import Compiler

POINTERS = "const float *a, float *c"
TILE = "__shared__ float s[640]; s[threadIdx.x] = a[threadIdx.x]; __syncthreads(); c[threadIdx.x] = {};"
ROWS = (
    "__shared__ float s[16][40]; s[threadIdx.y][threadIdx.x] = a[threadIdx.x]; __syncthreads();"
    "c[threadIdx.x] = {};"
)


def added(body: str, plain: str, compiler: Compiler) -> float:
    """Integer work of a body beyond that of a plainer one, on which both agree."""
    beyond = [
        integer_ops(count(POINTERS, text, compiler=compiler, architecture="sm_86"))
        for text in (body, plain)
    ]
    return beyond[0] - beyond[1]


# Of the SASS of these kernels for sm_86: instructions beyond those of the first kernel of the kind, by nvcc 13.0 and by clang 18.
@pytest.mark.parametrize(
    ("value", "nvcc", "clang"),
    [
        ("a[threadIdx.x + 1]", 0, 1),
        ("a[threadIdx.x + 1] + a[threadIdx.x + 2]", 0, 3),
        ("a[4 * threadIdx.x + 1] + a[4 * threadIdx.x + 2]", 1, 1),  # below the lowest bit of 4 x
        ("a[blockIdx.x + 1] + a[blockIdx.x + 2]", 0, 3),
        ("a[(threadIdx.y + 1) * 40 + threadIdx.x] + a[(threadIdx.y + 2) * 40 + threadIdx.x]", 1, 4),
    ],
)
def test_constants_in_global_indices(value, nvcc, clang):
    plain = "c[threadIdx.x] = a[threadIdx.x];"
    body = f"c[threadIdx.x] = {value};"
    assert added(body, plain, Compiler.NVCC) == nvcc
    assert added(body, plain, Compiler.CLANG) == clang


@pytest.mark.parametrize(
    ("frame", "plain", "value", "nvcc", "clang"),
    [
        (TILE, "s[threadIdx.x + 1]", "s[threadIdx.x + 1] + s[threadIdx.x + 2]", 0, 2),
        (
            ROWS,
            "s[threadIdx.y][threadIdx.x + 1]",
            "s[threadIdx.y][threadIdx.x + 1] + s[threadIdx.y][threadIdx.x + 2]",
            0,
            2,
        ),
        (
            ROWS,
            "s[threadIdx.y + 1][threadIdx.x]",
            "s[threadIdx.y + 1][threadIdx.x] + s[threadIdx.y + 2][threadIdx.x]",
            0,
            2,
        ),
    ],
)
def test_constants_in_indices_of_tiles(frame, plain, value, nvcc, clang):
    assert added(frame.format(value), frame.format(plain), Compiler.NVCC) == nvcc
    assert added(frame.format(value), frame.format(plain), Compiler.CLANG) == clang


def test_constants_of_unrolled_loops_are_constants_of_unsigned_indices():
    """Four copies: one address by nvcc; by clang one of the first, an addition and an address for each of the others."""
    body = "float x = 0; for (unsigned k = 0; k < 4; k++) x += a[threadIdx.x + 32 * k]; c[threadIdx.x] = x;"
    run = Run(trips={0: 4})
    found = [
        integer_ops(count(POINTERS, body, run, compiler=compiler, architecture="sm_86"))
        for compiler in (Compiler.NVCC, Compiler.CLANG)
    ]
    assert found == [2, 8]


@pytest.mark.parametrize(
    ("value", "operations"),
    [
        # IADD3 and IMAD.WIDE for each, beside the address of the element itself.
        ("a[(int)(x - 1) + 64 * (int)y]", 2),
        ("a[(int)(x - 1) + 64 * (int)y] + a[(int)x + 64 * (int)(y - 1)]", 4),
    ],
)
def test_unsigned_differences_stay_in_signed_indices_of_clang(value, operations):
    head = "unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;"
    plain = f"{head} c[(int)x + 64 * (int)y] = a[(int)x + 64 * (int)y]"
    assert added(f"{plain} + {value};", f"{plain};", Compiler.CLANG) == operations
