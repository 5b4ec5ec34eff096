"""Macro expansion for ``_Pragma`` operators: arguments, stringizing, pasting, and places among loops."""

import pytest

from clang_queries.lexing import macro_of
from clang_queries.macro_expansion import ARGUMENT, expand, expanded_pragmas


def macros(*definitions):
    found = [macro_of(f"#define {text}") for text in definitions]
    return {macro.name: macro for macro in found}


@pytest.mark.parametrize(
    ("definitions", "text", "expected"),
    [
        (["N 4"], "N + N", "4 + 4"),
        (["F(a, b) a + b"], "F(1, g(2, 3)) * F", "1 + g(2, 3) * F"),
        (["S(x) #x"], 'S(a  "b")', '"a \\"b\\""'),
        (["S(x) #x", "T(x) S(x)", "N 4"], "S(N) T(N)", '"N" "4"'),
        (["P(a, b) a ## b"], "P(x, 1)", "x1"),
        (["V(a, ...) f(a, __VA_ARGS__)"], "V(1, 2, 3)", "f(1, 2, 3)"),
        (["A B", "B A"], "A", "A"),
        (["Q x"], '"Q" Q', '"Q" x'),
    ],
)
def test_expansion(definitions, text, expected):
    assert expand(text, macros(*definitions)) == expected


def test_directives_through_nested_macros():
    table = macros(
        "STR(x) #x", "OMP(x) _Pragma(STR(omp x))", "TEAMS(n) OMP(target teams num_teams(n))", "N 40"
    )
    [found] = expanded_pragmas("TEAMS(N)", table)
    assert found.text == "omp target teams num_teams(40)"


def test_places_among_the_loops_of_a_use():
    table = macros(
        'K(n, body) for (;;) {} _Pragma("omp a") for (;;) body _Pragma("omp b") { } _Pragma("omp c") body'
    )
    found = expanded_pragmas("K(4, for (;;) x;)", table)
    assert [(item.place.loops_before, item.place.follower) for item in found] == [
        (1, "for"),
        (2, "{"),
        (2, ARGUMENT),
    ]


def test_pragmas_in_arguments_stand_at_their_own_place():
    assert expanded_pragmas('W(_Pragma("omp a") x)', macros("W(x) x")) == []
