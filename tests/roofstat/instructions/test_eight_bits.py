"""Eight-bit floats: one conversion where the hardware has them (sm_89 on), bit arithmetic before; SASS of nvcc 13."""

from __future__ import annotations

import pytest
from builder import count, integer_ops

from roofstat.instructions.tables.costs import Compiler, cost_of

EIGHT = "#include <cuda_fp8.h>\n"
# S2R, and two addresses of 64 bits from one index (IMAD.WIDE).
ADDRESSES = 2


def eight(parameters, expression, architecture="sm_90"):
    body = f"int i = threadIdx.x; c[i] = {expression};"
    counts = count(parameters, body, prologue=EIGHT, architecture=architecture)
    assert not [item for item in counts.assumptions if item[0] == "library-cost"]
    return counts


CONVERSIONS = (
    ("float2", "__nv_fp8x2_e4m3", "__nv_fp8x2_e4m3(a[i])", "float2_to_e4m3x2", "uint16"),
    ("float4", "__nv_fp8x4_e5m2", "__nv_fp8x4_e5m2(a[i])", "float4_to_e5m2x4", "uint32"),
    ("__half2", "__nv_fp8x2_e5m2", "__nv_fp8x2_e5m2(a[i])", "half2_to_e5m2x2", "uint16"),
    (
        "__half2",
        "__nv_fp8x2_storage_t",
        "__nv_cvt_halfraw2_to_fp8x2(a[i], __NV_SATFINITE, __NV_E4M3)",
        "half2_to_e4m3x2",
        "uint16",
    ),
    ("__nv_bfloat162", "__nv_fp8x2_e4m3", "__nv_fp8x2_e4m3(a[i])", "bfloat162_to_e4m3x2", "uint16"),
    ("__nv_fp8x2_e4m3", "__half2", "__half2(a[i])", "e4m3x2_to_half2", "uint32"),
)


@pytest.mark.parametrize(("source", "target", "expression", "cost", "scalar"), CONVERSIONS)
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_a_conversion_costs_what_its_row_says(
    source, target, expression, cost, scalar, architecture
):
    counts = eight(f"const {source} *a, {target} *c", expression, architecture)
    row = cost_of(cost, scalar, Compiler.NVCC, architecture, False)
    assert row is not None
    # An odd operation less or more: moves on the integer pipe, which are shared out between the pipes.
    assert integer_ops(counts) == pytest.approx(ADDRESSES + row.int_op, rel=0.05)


def test_hardware_conversions_are_no_integer_work():
    wide = cost_of("float2_to_e4m3x2", "uint16", Compiler.NVCC, "sm_80", False)
    narrow = cost_of("float2_to_e4m3x2", "uint16", Compiler.NVCC, "sm_90", False)
    assert wide is not None
    assert narrow is not None
    assert (narrow.int_op, narrow.conversion_op) == (0, 1)
    assert wide.int_op > 50


def test_four_bytes_become_floats_through_pairs_of_halves():
    # SHF for the upper pair, two F2FP.F16.E4M3.UNPACK_B, four HADD2.F32 (half-precision work).
    counts = eight("const __nv_fp8x4_e4m3 *a, float4 *c", "float4(a[i])")
    assert integer_ops(counts) == ADDRESSES + 1
    assert counts.hp_flop == 4


def test_what_the_tables_know_is_no_assumption():
    counts = eight("const float *a, __nv_fp8_e4m3 *c", "__nv_fp8_e4m3(a[i])")
    assert not counts.assumptions
