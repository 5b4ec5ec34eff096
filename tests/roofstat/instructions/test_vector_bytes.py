"""Bytes of vectors of four: SASS of own kernels (clang 18.1.6 with ptxas 12.6, sm_86)."""

from __future__ import annotations

import pytest
from builder import GLOBAL_INDEX, count, integer_ops

from roofstat.instructions.tables.costs import Compiler

INDICES = 3.0
"""The thread's number, and an address for each of the two arrays."""


def extracted(vector: str, expression: str, *, compiler: Compiler = Compiler.CLANG) -> float:
    """Integer operations of a kernel that makes a number of one vector, apart from its indices."""
    found = count(
        f"const {vector} *a, float *o",
        f"{GLOBAL_INDEX} {vector} v = a[i]; o[i] = {expression};",
        compiler=compiler,
        architecture="sm_86",
    )
    return integer_ops(found) - INDICES


@pytest.mark.parametrize(
    ("vector", "expression", "operations"),
    [
        # SGXT and LOP3 for each, and a shift for all but the first.
        ("uchar4", "(float)v.x + 2.0f * v.y + 3.0f * v.z + 4.0f * v.w", 11.0),
        ("uchar4", "(float)((double)v.x + 2.0 * v.y + 3.0 * v.z + 4.0 * v.w)", 11.0),
        # I2F takes a signed byte where it is.
        ("char4", "(float)v.x + 2.0f * v.y + 3.0f * v.z + 4.0f * v.w", 0.0),
        # Three multiply-adds; a signed byte takes SGXT and its shift.
        ("uchar4", "__int_as_float(v.x + 3 * v.y + 5 * v.z + 7 * v.w)", 3.0),
        ("char4", "__int_as_float(v.x + 3 * v.y + 5 * v.z + 7 * v.w)", 10.0),
        # Bytes that are loaded alone are extended by the load.
        ("uchar4", "(float)v.x + 2.0f * v.y + 3.0f * v.z", 0.0),
        ("uchar2", "(float)v.x + 2.0f * v.y", 0.0),
    ],
)
def test_bytes_of_a_whole_vector_are_extended_before_they_are_converted(
    vector, expression, operations
):
    assert extracted(vector, expression) == pytest.approx(operations, abs=0.1)


def test_nvcc_converts_bytes_where_they_are():
    expression = "(float)v.x + 2.0f * v.y + 3.0f * v.z + 4.0f * v.w"
    assert extracted("uchar4", expression, compiler=Compiler.NVCC) == pytest.approx(0.0, abs=0.1)


def test_copies_of_a_loop_have_a_vector_each():
    body = "float s = 0.0f; for (int k = 0; k < 4; k++) { uchar4 v = a[4 * i + k]; s += v.x + (float)v.y + v.z * (float)v.w; }"
    found = count(
        "const uchar4 *a, float *o",
        f"{GLOBAL_INDEX} {body} o[i] = s;",
        compiler=Compiler.CLANG,
        architecture="sm_86",
    )
    assert integer_ops(found) == pytest.approx(4 * 11.0 + INDICES + 1.0, abs=0.1)
