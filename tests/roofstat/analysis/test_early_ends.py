"""Programs that end before their launches: with the arguments that the user gives, a verdict on what follows says little."""

import pytest

_TEXT = """
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
__global__ void axpy(float *x, float *y, long n, float a) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
int main(int argc, char **argv) {
  long n = 1 << 20;
  int c;
  while ((c = getopt(argc, argv, "s:h")) != -1) {
    if (c == 's') n = atol(optarg);
    else { fprintf(stderr, "usage"); exit(EXIT_FAILURE); }
  }
  float *x, *y;
  cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4);
  axpy<<<(n + 255) / 256, 256>>>(x, y, n, 2.0f);
}
"""


@pytest.mark.parametrize("words", [["-h"], ["-z"], ["-s"]])
def test_a_program_that_its_arguments_end_is_at_most_60_percent_sure(kernel_of, words):
    kernel = kernel_of(_TEXT, program_args=tuple(words))
    assert kernel.confidence <= 0.6
    said = [item.text for item in kernel.assumptions]
    assert "with these arguments the program ends before this launch: exit()" in said


@pytest.mark.parametrize("words", [[], ["-s", "4194304"]])
def test_a_program_that_goes_on_is_as_sure_as_ever(kernel_of, words):
    kernel = kernel_of(_TEXT, program_args=tuple(words))
    assert kernel.confidence > 0.9
    assert not kernel.assumptions
