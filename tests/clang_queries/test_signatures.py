"""The profiler's names; expected texts follow its conventions, symbols are what clang makes of the declarations."""

import pytest
from hypothesis import given, strategies as hs

from clang_queries.signatures import demangle, template_arguments


@pytest.mark.parametrize(
    ("symbol", "signature"),
    [
        ("plain", "plain"),
        ("_Z1kPKfPi", "k(const float *, int *)"),
        ("_Z1kv", "k()"),
        ("_Z1kIfEvPT_PKS0_", "void k<float>(T1 *, const T1 *)"),
        ("_Z1kILi16ELb1EfEvPT1_", "void k<(int)16, (bool)1, float>(T3 *)"),
        ("_Z1kPA4_A8_d", "k(double (*)[4][8])"),
        ("_Z1kPFviE", "k(void (*)(int))"),
        ("_Z1kPPf", "k(float **)"),
        ("_Z1kPKPKc", "k(const char *const *)"),
        ("_ZN2ns1kE6float4", "ns::k(float4)"),
        ("_ZN12_GLOBAL__N_11kEi", "<unnamed>::k(int)"),
        ("_ZL1ki", "k(int)"),
        ("_Z1kIN2ns1SIiEEEvNT_4typeE", "void k<ns::S<int>>(T1::type)"),
        ("_Z1kIZ4mainEUlffE_EviT_", "void k<main::[lambda(float, float) (instance 1)]>(int, T1)"),
        ("_Z1kIJifEEvDpT_", "void k<int, float>(T1)"),
        ("_Z1kILln3EEvv", "void k<(long)-3>()"),
        ("_Z5axpyNITk3NumfLi3EEvSt5arrayIT_XT0_EEPKS1_PS1_iQgtT0_Li0E",
         "void axpyN<float, (int)3>(std::array<T1, T2>, const T1 *, T1 *, int)"),
        ("_Z1kI7__half2TnNSt9enable_ifIXsr3std7is_sameIT_S0_EE5valueEiE4typeELi0EEvjPS2_",
         "void k<__half2, (int)0>(unsigned int, T1 *)"),
    ],
)  # fmt: skip
def test_forms(symbol, signature):
    assert demangle(symbol) == signature


def test_template_arguments_as_spelled_in_source():
    assert template_arguments("_Z1kILi16ELb1EfJiEEvPT1_") == ("16", "true", "float", "int")
    assert template_arguments("plain") is None


@pytest.mark.parametrize("symbol", ["_Z", "_ZN", "_ZNK", "_ZZ", "_Z1kIL", "_Z1kPK", "_Z1kA_AL"])
def test_symbols_that_end_early_are_left_as_they_are(symbol):
    assert demangle(symbol) == symbol


@pytest.mark.property
@given(hs.text(alphabet="0123456789INKPSTZELXJ_fivdRAFMDtCn.", max_size=40))
def test_any_text_yields_a_text(tail):
    assert isinstance(demangle("_Z" + tail), str)


def test_symbols_of_kernels_in_source(lower):
    unit = lower(
        "struct S { float x; };\n"
        "template <int N, class T> __global__ void k(T *a, const T b, int (*c)[N], S s) { a[0] = b; }\n"
        'extern "C" __global__ void plain(int n) {}\n'
        "void f(double *p) { k<3><<<1, 1>>>(p, 2.0, nullptr, S()); }\n"
    )
    found = {unit.functions[key].symbol: unit.functions[key].signature for key in unit.kernels}
    # parameters lose their top-level const, as in every mangled name
    assert sorted(found.values()) == ["plain", "void k<(int)3, double>(T2 *, T2, int (*)[T1], S)"]
