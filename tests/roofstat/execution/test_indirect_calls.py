"""Device functions called through pointers: their work counts, whoever chooses them."""

from __future__ import annotations

import pytest

from roofstat.execution.host.launch_amounts import work_of

HEAD = """
typedef float (*Op)(float);
__device__ float one(float x) { return x + 1.0f; }
__device__ float ten(float x) { for (int i = 0; i < 10; i++) x = x + 2.0f; return x; }
__device__ Op table[2] = {one, ten};
__constant__ Op fixed = ten;
"""
N = 1024


def kernel(body):
    return (
        f"{HEAD} __global__ void k(float *x, const int *t, int w) {{"
        f" int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}"
    )


@pytest.mark.parametrize(
    ("body", "w", "flop"),
    [
        ("x[i] = table[w](x[i]);", 0, N),
        ("x[i] = table[w](x[i]);", 1, 10 * N),
        ("x[i] = fixed(x[i]);", 0, 10 * N),
        # Half of the lanes each.
        ("x[i] = table[i & 1](x[i]);", 0, N // 2 + 10 * N // 2),
        ("Op own[2] = {ten, one}; x[i] = own[w](x[i]);", 1, N),
    ],
)
def test_the_chosen_function_counts(run, body, w, flop):
    ran = run(kernel(body), grid=4, block=256, arguments={"w": w})
    assert ran.flop == flop
    assert not ran.trace.assumptions


def test_a_choice_by_unknown_data_is_shared_out(run):
    ran = run(kernel("x[i] = table[t[i]](x[i]);"), grid=4, block=256, arguments={"w": 0})
    assert ran.flop == pytest.approx(5.5 * N, rel=0.2)
    assert ran.trace.assumptions


def test_launches_with_other_functions_are_other_launches(host):
    text = f"""{kernel("x[i] = table[w](x[i]);")}
    int main() {{ float *x; cudaMalloc(&x, 4096); k<<<4, 256>>>(x, 0, 0); k<<<4, 256>>>(x, 0, 1); }}"""
    works = sorted(work_of(launch.trace) for launch in host(text).launches)
    assert len(works) == 2
    assert works[1] > 3 * works[0]


def test_functions_of_the_math_library_tell_launches_apart(host):
    text = """
    typedef float (*Op)(float);
    __device__ float square(float x) { return x * x + 1.0f; }
    __device__ float wave(float x) { return sinf(x); }
    __device__ Op table[2] = {square, wave};
    __global__ void k(float *x, int w) { int i = threadIdx.x; x[i] = table[w](x[i]); }
    int main() { float *x; cudaMalloc(&x, 4096); k<<<1, 256>>>(x, 0); k<<<1, 256>>>(x, 1); }"""
    # One line each, but a sine is many instructions.
    assert len(host(text).launches) == 2
