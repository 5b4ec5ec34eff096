"""Loops of known length as nvcc 13.0 (sm_90) leaves them: PTX and SASS of sums, products of vectors and chains of growing length."""

from __future__ import annotations

import pytest
from builder import kernel

from roofstat.instructions.graph.liveness import analyse
from roofstat.instructions.tables.parameters import lowering_parameters
from roofstat.instructions.walker import Walker

NVCC = lowering_parameters("nvcc", "sm_90")
ARGUMENTS = (
    "const float *__restrict__ a, const float4 *__restrict__ b, float *__restrict__ o, int m"
)
HEAD = "int t = blockIdx.x * blockDim.x + threadIdx.x; float s0 = 1, s1 = 2, s2 = 3, s3 = 4;"


def copies(trips: int, body: str) -> int | None:
    """Copies in the one loop of a kernel; None where it vanishes."""
    loop = f"for (int k = 0; k < {trips}; k++) {{ {body} }}"
    code = kernel(ARGUMENTS, f"{HEAD} {loop} o[t] = s0 + s1 + s2 + s3;")
    live = analyse(Walker(code, NVCC, fast_math=False).run()).live
    found = {value.context.loop.copies for value in live if value.context.loop is not None}
    return found.pop() if found else None


def chains(length: int, operator: str = "+") -> str:
    """One load and chains of multiply-adds, or of products that are taken off."""
    parts = (
        f"s{i % 4} = s{(i + 1) % 4} - s{i % 4} * x;"
        if operator == "-"
        else f"s{i % 4} = s{i % 4} * x + s{(i + 1) % 4};"
        for i in range(length)
    )
    return "float x = a[k * 100 + t];" + "".join(parts)


@pytest.mark.parametrize(
    ("length", "trips", "sass"),
    [
        (70, 7, 3),
        (70, 11, 2),
        (70, 31, 3),
        (60, 9, 4),
        (60, 15, 5),
        (60, 63, 3),
        (50, 9, None),
        (50, 11, 5),
        (50, 13, 4),
        (80, 9, 1),
        (40, 9, None),
        (40, 21, 2),
        (30, 31, 10),
        (30, 63, 6),
        (20, 17, None),
        (20, 25, 4),
    ],
)
def test_copies_of_chains(length, trips, sass):
    assert copies(trips, chains(length)) == sass


def test_differences_with_products_are_two_operations_to_the_assembler():
    assert copies(25, chains(30)) == 8
    assert copies(25, chains(30, "-")) == 2
    assert copies(13, chains(48, "-")) == 1


def loads(number: int, length: int, kind: str) -> str:
    """Loads at constant distances, and multiply-adds."""
    if kind == "float":
        parts = (
            f"float x{q} = a[k * 100 + t + {q * 1000}]; s{q % 4} += x{q} * x{max(q - 1, 0)};"
            for q in range(number)
        )
        first = "x0"
    else:
        parts = (
            f"float4 x{q} = b[k * 100 + t + {q * 1000}]; s0 += x{q}.x * x{max(q - 1, 0)}.y;"
            f" s1 += x{q}.y * x{max(q - 1, 0)}.w; s2 += x{q}.z * x{max(q - 1, 0)}.x;"
            f" s3 += x{q}.w * x{max(q - 1, 0)}.z;"
            for q in range(number)
        )
        first = "x0.x"
    rest = (f"s{i % 4} = s{i % 4} * {first} + s{(i + 1) % 4};" for i in range(length))
    return "".join((*parts, *rest))


@pytest.mark.parametrize(
    ("number", "length", "kind", "trips", "sass"),
    [
        (8, 40, "float", 7, 3),
        (8, 50, "float", 7, 1),
        (12, 30, "float", 25, 5),
        (16, 10, "float", 9, 4),
        (20, 10, "float", 9, 4),
        (20, 20, "float", 9, 1),
        (8, 20, "float", 25, 2),
        (4, 40, "float4", 7, 3),
        (8, 20, "float4", 9, 4),
        (2, 60, "float4", 25, 3),
        (8, 10, "float4", 7, None),
        (6, 10, "float4", 25, 2),
    ],
)
def test_copies_of_loads_at_constant_distances(number, length, kind, trips, sass):
    assert copies(trips, loads(number, length, kind)) == sass


def nest(outer: int, inner: int, length: int, *, stores: bool) -> int | None:
    """Copies of the outer loop of a nest, of which the inner one vanishes."""
    chain = "".join(f"s{i % 4} = s{i % 4} * x + s{(i + 1) % 4};" for i in range(length))
    rows = (
        f"for (int j = 0; j < {inner}; j++) {{ float x = a[(k * {inner} + j) * 64 + t]; {chain} }}"
    )
    store = "o[k * 64 + t] = s0 + s1 + s2 + s3;" if stores else ""
    return copies(outer, rows + store)


@pytest.mark.parametrize(
    ("outer", "inner", "length", "stores", "sass"),
    [
        # Operations of an iteration: two for each multiply-add, a load, an address, a sum; one that the counter folds.
        (10, 4, 4, False, None),
        (16, 4, 8, False, 2),
        (5, 8, 4, False, None),
        (9, 8, 8, False, 1),
        (7, 8, 8, False, 1),
        (8, 8, 2, False, None),
        (16, 8, 2, False, 8),
        (32, 2, 8, False, 4),
        (9, 4, 12, False, 4),
        (12, 8, 4, False, 6),
        (3, 8, 16, True, 1),
        (16, 4, 8, True, 2),
    ],
)
def test_nests_of_known_length(outer, inner, length, stores, sass):
    assert nest(outer, inner, length, stores=stores) == sass


@pytest.mark.parametrize(("trips", "sass"), [(7, None), (40, 20)])
def test_overwritten_stores_have_no_size(trips, sass):
    """Each of four sums over rows is stored at once, the last one alone remains."""
    body = "".join(f"o[k * 64 + t] += a[k * 64 + t + {q}] * {q + 2};" for q in range(4))
    assert copies(trips, body) == sass
