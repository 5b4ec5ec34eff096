"""Virtual methods that kernels call."""

import pytest

_TEXT = """
struct Plain { __device__ virtual float f(float x) const { return x; } };
struct Line : Plain {
  float k;
  __device__ Line(float k) : k(k) {}
  __device__ float f(float x) const override { return x * k + 1; }
};
struct Shape { __device__ virtual float f(float x) const = 0; };
struct Circle : Shape { __device__ float f(float x) const override { return x * x * x + 1; } };
struct Square : Shape { __device__ float f(float x) const override { return x * x; } };
struct Lone { __device__ virtual float f(float x) const = 0; };
struct Only : Lone { __device__ float f(float x) const override { return x + 1; } };
__global__ void k(float *a, Shape **shapes, Lone *lone) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  BODY
}
int main() {
  float *a; Shape **s; Lone *l;
  cudaMalloc(&a, 4 << 20); cudaMalloc(&s, 64); cudaMalloc(&l, 8);
  k<<<4096, 256>>>(a, s, l);
}
"""


@pytest.mark.parametrize(
    ("body", "flop"),
    [
        ("Line d(3.f); const Plain &b = d; a[i] = b.f(a[i]);", 2),
        ("Line d(3.f); Plain *b = &d; Plain *c = b; a[i] = c->f(a[i]);", 2),
        ("Line d(3.f); a[i] = d.Plain::f(a[i]) * 2;", 1),
        ("a[i] = lone->f(a[i]);", 1),
    ],
)
def test_the_override_of_an_object_in_sight_runs(result_of, body, flop):
    """A fused multiply-add is two operations, what `Plain` does is none; of one override alone there is no choice."""
    [kernel] = result_of(_TEXT.replace("BODY", body)).kernels
    assert kernel.counts.sp_flop == flop << 20
    assert not [item for item in kernel.assumptions if "class of an object" in item.text]


def test_a_class_that_the_run_alone_knows_is_an_assumption(result_of):
    """Circle::f, taken here, multiplies and has a fused multiply-add: three operations."""
    [kernel] = result_of(_TEXT.replace("BODY", "a[i] = shapes[i & 7]->f(a[i]);")).kernels
    assert kernel.counts.sp_flop == 3 << 20
    [text] = [item.text for item in kernel.assumptions if "class of an object" in item.text]
    assert text.startswith("which of Circle::f, Square::f runs rests")
