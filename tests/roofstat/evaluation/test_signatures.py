from __future__ import annotations

import pytest

from roofstat.evaluation.signatures import WILDCARD, parse_signature
from roofstat.evaluation.type_names import normal_type


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("void fill<(int)4, float>(T2 *, unsigned)", "fill<4, float>(float*, unsigned int)"),
        ("void fill<(unsigned long)4, float>(T2 *)", "fill<4ul, float>(float*)"),
        ("void fill<(bool)1>(int)", "fill<true>(int)"),
        ("void fill<'a'>(int)", "fill<97>(int)"),
        ("k(const float *, uint)", "k(float const *, unsigned int)"),
        ("k(const float * __restrict__ , size_t)", "k(float const*, unsigned long)"),
        ("k(long unsigned int, unsigned short int)", "k(unsigned long, ushort)"),
        ("k(const int, int * const)", "k(int, int*)"),
        ("k(double (*)[4][2])", "k(double (*) [4][2])"),
        ("(anonymous namespace)::k(int)", "k(int)"),
        ("ns::(anonymous namespace)::k(int)", "ns::k(int)"),
        ("k(std::vector<int, float> const &)", "k(const std::vector<int,float>&)"),
        ("void k<std::__1::plus<float>>(T1)", "k<std::plus<float> >(std::plus<float>)"),
        ("k(void)", "k()"),
        ("k(half2 *)", "k(__half2*)"),
        ("k(struct point *)", "k(point *)"),
        ("k(uint8_t const * const *)", "k(const unsigned char * const *)"),
        ("double *k<int>(T1)", "k<int>(int)"),
    ],
)
def test_two_spellings_of_one_kernel_are_equal(left, right):
    assert parse_signature(left) == parse_signature(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("k<float>(float *)", "k<double>(double *)"),
        ("k<4>(int)", "k<8>(int)"),
        ("k(int *)", "k(unsigned int *)"),
        ("k(const int *)", "k(int *)"),
        ("a::k(int)", "b::k(int)"),
        ("k1(int)", "k2(int)"),
        ("k(char)", "k(signed char)"),
    ],
)
def test_two_kernels_stay_apart(left, right):
    assert parse_signature(left) != parse_signature(right)


def test_placeholders_count_all_template_parameters_values_included():
    parsed = parse_signature("void hist<(int)256, uchar1, float>(const T2 *, T3)")
    assert parsed.parameters == ("const uchar1*", "float")


def test_members_of_a_placeholder_are_unknown():
    parsed = parse_signature("void dot<V<double>>(const T1::value_type *, int)")
    assert parsed.parameters == (f"const {WILDCARD}*", "int")


def test_lambdas_are_unknown_wherever_they_stand():
    parsed = parse_signature(
        "void map<(int)2, void f<int>(T1 *)::[lambda(int) (instance 1)]>(int, T2)"
    )
    assert parsed.name == "map"
    assert parsed.template_arguments == ("2", WILDCARD)
    assert parsed.parameters == ("int", WILDCARD)


def test_a_bracket_that_nothing_opened_does_not_end_the_parse():
    parsed = parse_signature("void map<2, lambda(float) (instance 1)], A<char *, 6>>(int, T3)")
    assert parsed.template_arguments == ("2", WILDCARD, "A<char*,6>")
    assert parsed.parameters == ("int", "A<char*,6>")


@pytest.mark.parametrize(
    ("text", "scope", "name", "arguments"),
    [
        ("_Z4fillPfi", (), "fill", None),
        ("_ZL4fillPfi", (), "fill", None),
        ("_ZN2ns4fillEPfi", ("ns",), "fill", None),
        ("_ZN12_GLOBAL__N_14fillEPf", (), "fill", None),
        ("_Z4fillIfLi4EEvPT_", (), "fill", ("float", "4")),
        ("_Z4fillI7__half2Lin3EEvPT_", (), "fill", ("__half2", "-3")),
        ("_Z4fillIdSt4plusIdEEvPT_", (), "fill", ("double", "std::plus<double>")),
        # a constrained template parameter shows the value that it was given
        (
            "_Z4fillIdTnNSt9enable_ifIXsr3std7is_sameIT_dEE5valueEiE4typeELi0EEvPS2_",
            (),
            "fill",
            ("double", "0"),
        ),
    ],
)
def test_mangled_names_give_scope_name_and_template_arguments(text, scope, name, arguments):
    parsed = parse_signature(text)
    assert (parsed.scope, parsed.name, parsed.template_arguments) == (scope, name, arguments)


def test_mangled_names_give_their_parameters():
    assert parse_signature("_ZN2ns4fillIfEEvPKT_iPS1_") == parse_signature(
        "void ns::fill<float>(const T1 *, int, T1 *)"
    )


def test_operators_and_conversions_of_scope_survive():
    assert parse_signature("ns::f::operator()(int) const").name == "operator()"
    assert parse_signature("ns::f::operator()(int) const").scope == ("ns", "f")


@pytest.mark.parametrize("text", ["", "(", "<>", "k<", "k>(", "_Z", "_Zfoo", "::", "k(int", "k)(<"])
def test_nonsense_is_a_name_and_not_an_error(text):
    assert isinstance(parse_signature(text).name, str)


def test_a_signature_prints_as_it_is_compared():
    parsed = parse_signature("void ns::fill<(int)4, float>(T2 *, unsigned)")
    assert str(parsed) == "ns::fill<4, float>(float*, unsigned int)"
    assert parse_signature(str(parsed)) == parsed


def test_types_have_one_spelling():
    assert normal_type("long long unsigned int const &") == "const unsigned long long&"
    assert normal_type("A<(unsigned long)4, true>") == "A<4,1>"
