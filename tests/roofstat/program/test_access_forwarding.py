"""A value that straight-line code has just loaded or stored is not loaded again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofstat.program.code import Code, Op

CASES = [
    pytest.param("float* o, const float* a", "o[i] = a[i] * a[i];", 1, id="same-load"),
    pytest.param("float* o, float* a", "a[i] = 3; o[i] = a[i];", 0, id="stored-before"),
    pytest.param(
        "float* o, float* a", "float x = a[i]; o[i] = x; o[i + 1] = a[i];", 2, id="store-may-touch"
    ),
    pytest.param(
        "float* __restrict__ o, float* __restrict__ a",
        "float x = a[i]; o[i] = x; o[i + 1] = a[i];",
        1,
        id="store-elsewhere",
    ),
    pytest.param(
        "float* o, float* a", "float x = a[i]; a[i + 1] = x; o[i] = a[i];", 1, id="neighbour-stored"
    ),
    pytest.param(
        "float* o, float* a", "float x = a[i]; __syncthreads(); o[i] = x + a[i];", 2, id="barrier"
    ),
    pytest.param(
        "float* o, float* a", "float x = a[i]; atomicAdd(o, x); o[i] = x + a[i];", 2, id="atomic"
    ),
    pytest.param(
        "float* o, const float* a", "float x = a[i]; i++; o[i] = x + a[i];", 2, id="index-moved"
    ),
    pytest.param(
        "float* o, const float* a", "float x = a[i + 1]; i++; o[i] = x + a[i];", 1, id="same-sum"
    ),
    pytest.param(
        "float* o, const float* a, int n",
        "float x = a[i]; if (n > i) i = 0; o[i] = x + a[i];",
        2,
        id="chosen-index",
    ),
    pytest.param(
        "float* o, const float* a",
        "const int* b = (const int*)a; o[i] = a[i] + b[i];",
        2,
        id="other-type",
    ),
]


@pytest.mark.parametrize(("parameters", "body", "expected"), CASES)
def test_loads_that_remain(
    code: Callable[..., Code], parameters: str, body: str, expected: int
) -> None:
    built = code(f"__global__ void k({parameters}) {{ int i = threadIdx.x; {body} }}")
    assert sum(item.op is Op.LOAD for _, item in built.instructions()) == expected
