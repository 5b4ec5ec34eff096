"""Constants that full unrolling makes of a counter leave loops of clang together with the array, not as offsets."""

from __future__ import annotations

import pytest
from builder import Run, count, integer_ops, ops_per_iteration

from roofstat.instructions.tables.costs import Compiler

POINTERS = "float *a, const float *b, const int *x, int n, int m"
SHARED_BY_THREADS = (
    "for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x)"
)
OF_THREAD = "int t = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < n; k++)"


def per_iteration(loop: str, body: str, compiler: Compiler = Compiler.CLANG) -> float:
    text = f"{loop} {{ float s = 0; {body} a[k] = s; __syncthreads(); }}"
    return ops_per_iteration(
        POINTERS,
        text,
        lambda trips: Run(trips={0: trips}),
        compiler=compiler,
        architecture="sm_86",
    )


@pytest.mark.parametrize(
    ("loop", "start", "access", "addresses"),
    [
        # SASS of clang 18.1.6 (sm_86): a multiply-add for each of the eight copies ...
        (SHARED_BY_THREADS, "", "b[k * m + j]", 8),
        (SHARED_BY_THREADS, "", "b[j * 64 + k]", 8),
        (SHARED_BY_THREADS, "", "b[k * 9 + j]", 8),
        (OF_THREAD, "int i = x[k];", "b[j * 1000 + i]", 8),
        # ... one where the sum only sets bits, where the sign is known, and where a pointer to the row takes the constants;
        (SHARED_BY_THREADS, "", "b[k * 8 + j]", 1),
        (OF_THREAD, "int i = x[k] & 15;", "b[j * 64 + i]", 1),
        (SHARED_BY_THREADS, "const float *p = b + k * m;", "p[j]", 1),
    ],
)
def test_copies_of_a_fully_unrolled_loop_have_an_address_each(loop, start, access, addresses):
    body = f"{start} for (int j = 0; j < 8; j++) s += {access};"
    one = body.replace("j < 8", "j < 1")
    assert per_iteration(loop, body) - per_iteration(loop, one) == pytest.approx(addresses - 1)


def test_constants_of_the_source_are_offsets():
    written = "s = b[k * m] + b[k * m + 1] + b[k * m + 2];"
    assert per_iteration(SHARED_BY_THREADS, written) == per_iteration(
        SHARED_BY_THREADS, "s = b[k * m];"
    )


def test_two_arrays_at_one_index_share_the_sum():
    body = "for (int j = 0; j < 8; j++) s += b[k * m + j] * a[k * m + j];"
    one = body.replace("j < 8", "j < 1")
    assert per_iteration(SHARED_BY_THREADS, body) == per_iteration(SHARED_BY_THREADS, one)


def test_nvcc_takes_offsets():
    body = "for (int j = 0; j < 8; j++) s += b[k * m + j];"
    one = body.replace("j < 8", "j < 1")
    many, few = (per_iteration(SHARED_BY_THREADS, x, Compiler.NVCC) for x in (body, one))
    assert many == few


@pytest.mark.parametrize(
    ("start", "operations"),
    [
        # Executed SASS of clang 18.1.6 (sm_86), an iteration of `s += b[d * m + r]`: IMAD and IMAD.WIDE, or the sum in 64 bits.
        ("int t = blockIdx.x * blockDim.x + threadIdx.x, r = t + 1;", 5),
        ("int t = blockIdx.x * blockDim.x + threadIdx.x, r = t;", 2),
        ("int t = 0, r = blockIdx.x * blockDim.x + threadIdx.x + 1;", 2),
    ],
)
def test_a_sum_that_is_a_value_of_its_own_is_widened_apart(start, operations):
    body = "float s = 0; for (int d = 0; d < n; d++) {{ s += b[{}]; __syncthreads(); }} a[t] = s;"
    works = [
        integer_ops(
            count(
                POINTERS,
                f"{start} {body.format(index)}",
                Run(default_trips=64.0),
                compiler=Compiler.CLANG,
                architecture="sm_86",
            )
        )
        for index in ("d * m + r", "t")
    ]
    assert (works[0] - works[1]) / 64 == pytest.approx(operations, abs=0.2)
