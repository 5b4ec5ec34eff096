"""Cards that do not have the matrix instructions of a kernel."""

import pytest

PTX = """__global__ void k(float *d, unsigned a, unsigned b) {{
  float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  asm volatile("mma.sync.aligned.{shape}.row.col.f32.{type}.{type}.f32 {{%0,%1,%2,%3}}, {{%4,%4}}, {{%5}}, {{%0,%1,%2,%3}};"
    : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(a), "r"(b));
  d[threadIdx.x] = c0 + c1 + c2 + c3;
}}
"""
WMMA = """#include <mma.h>
#include <cuda_bf16.h>
using namespace nvcuda;
__global__ void k(float *d, const {type} *a) {{
  wmma::fragment<wmma::matrix_a, 16, 16, 16, {type}, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, {type}, wmma::row_major> y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
  wmma::fill_fragment(z, 0.0f);
  wmma::load_matrix_sync(x, a, 16);
  wmma::load_matrix_sync(y, a, 16);
  wmma::mma_sync(z, x, y, z);
  wmma::store_matrix_sync(d, z, 16, wmma::mem_row_major);
}}
"""


@pytest.mark.parametrize(
    ("kernel", "needed"),
    [
        (PTX.format(shape="m16n8k8", type="f16"), 75),
        (PTX.format(shape="m16n8k8", type="bf16"), 80),
        (PTX.format(shape="m16n8k16", type="f16"), 80),
        (PTX.format(shape="m16n8k32", type="e4m3"), 89),
        (WMMA.format(type="half"), 70),
        (WMMA.format(type="__nv_bfloat16"), 80),
        ("__global__ void k(float *d) { d[threadIdx.x] = 1.0f; }", 0),
    ],
)
def test_cards_without_an_instruction_are_said(result_of, kernel, needed):
    for card, has in (("v100-sxm2", 70), ("t4", 75), ("a100", 80), ("h100", 90), ("mi300x", 0)):
        found = result_of(kernel, card).diagnostics
        said = [item for item in found if item.code == "missing-instruction"]
        assert len(said) == (1 if has < needed else 0), card
        assert all(f"need sm_{needed}" in item.message for item in said)
