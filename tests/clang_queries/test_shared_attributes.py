"""Attributes of C++ behind `__shared__`, which nvcc 13 takes in these places (compiled to see) and clang does not."""

import pytest

from clang_queries.shared_attributes import with_attributes_first
from clang_queries.unit import lower_unit

KERNEL = "__global__ void k(float *p, int n) {{ {} p[0] = s[n]; }}\n"
TAKEN = (
    "__shared__ alignas(16) float s[64];",
    "__shared__ alignas(float4) float s[64];",
    "__shared__ [[maybe_unused]] float s[64];",
    "[[maybe_unused]] __shared__ alignas(128) float s[64];",
    "__shared__ [[maybe_unused]] alignas(sizeof(float) * (2 + (1 + 1))) float s[64];",
)


@pytest.mark.parametrize("declaration", TAKEN)
def test_attributes_may_follow_shared(lower, declaration):
    unit = lower(KERNEL.format(declaration))
    assert unit.diagnostics == ()


@pytest.mark.parametrize("declaration", TAKEN)
def test_so_they_may_in_a_header(tmp_path, declaration):
    (tmp_path / "k.cuh").write_text(KERNEL.format(declaration))
    (tmp_path / "k.cu").write_text('#include "k.cuh"\n')
    unit = lower_unit(str(tmp_path / "k.cu"))
    assert unit.diagnostics == ()
    assert len(unit.kernels) == 1


def test_what_nvcc_refuses_stays_an_error(lower):
    assert lower(KERNEL.format("extern __shared__ alignas(16) float s[];")).diagnostics


@pytest.mark.parametrize(
    "text",
    [
        b"__shared__ float s[64];",
        b"__shared__ __align__(16) float s[64];",
        b"alignas(16) __shared__ float s[64];",
        b"__shared__ alignas(16)float s[64];",
        b"int my__shared__ = 0;",
    ],
)
def test_other_texts_stay(text):
    assert with_attributes_first(text) == text


def test_no_line_moves():
    text = (
        b"__shared__ // tile\n alignas(16)\n float s[64];\n__shared__\n alignas(16)\n float t[64];"
    )
    mended = with_attributes_first(text)
    assert mended.endswith(b"alignas(16)\n __shared__\n float t[64];")
    assert [line.count(b";") for line in mended.split(b"\n")] == [
        line.count(b";") for line in text.split(b"\n")
    ]
    assert len(mended) == len(text)
