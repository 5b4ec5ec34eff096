"""Tests of bits and of multiples of powers of two, against the SASS of nvcc 13 and clang 18."""

from __future__ import annotations

import pytest
from builder import Run, count, integer_ops

from roofstat.instructions.tables.costs import Compiler

PARAMETERS = "float *o, const unsigned *a, const int *s, const float *w"
HEAD = "int t = threadIdx.x; unsigned d = a[t]; int e = s[t]; float v = 0; "


def ops(condition: str, compiler: str) -> float:
    """Integer operations of a condition on `d` or `e` that chooses a product; without it a comparison takes one."""
    body = HEAD + "if ({}) v = w[t] * w[t + 99]; o[t] = v;"

    def all_of(text: str) -> float:
        found = count(
            PARAMETERS,
            body.format(text),
            Run(taken=(1.0,)),
            compiler=Compiler(compiler),
            architecture="sm_90" if compiler == "nvcc" else "sm_86",
        )
        return integer_ops(found)

    return all_of(condition) - all_of("e > 7" if condition.startswith("e") else "d > 7u") + 1


@pytest.mark.parametrize("compiler", ["nvcc", "clang"])
@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("d & 2", 1),  # LOP3 sets the predicate
        ("d >> 3 & 1", 1),
        ("d & 1", 2),  # LOP3, ISETP: a truth value
        ("(d & 1) == 0", 2),
        ("e % 2 == 0", 2),  # of a signed number too
        ("e % 8 == 0", 1),
        ("e % 2 == 1", 4),  # LEA.HI, LOP3, IADD3, ISETP
    ],
)
def test_tests_of_bits(condition, expected, compiler):
    assert ops(condition, compiler) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("bits", "expected"),
    [
        ((1, 2), 0),  # one R2P, which is no integer operation
        ((0, 1, 2), 2),  # the lowest bit is a truth value
        (range(1, 8), 1),  # the last bit of a byte stands apart
        (range(1, 13), 1),
        ((3, 9), 2),  # of two bytes
    ],
)
def test_bits_of_one_byte_become_predicates_together(bits, expected):
    loads = "".join(f"if (d >> {bit} & 1) v += w[t + 32 * {bit}]; " for bit in bits)
    run = Run(taken=(1.0,) * len(bits))
    found = count(PARAMETERS, f"{HEAD} {loads} o[t] = v;", run, architecture="sm_90")
    addresses = 2 + 3  # IMAD.WIDE of o and a; SHF, LEA, LEA.HI.X of w, as several blocks use it
    assert integer_ops(found) == pytest.approx(addresses + expected)


@pytest.mark.parametrize("condition", ["(d >> -1 & 1) == 0", "((d << -1) + t & 3) == 0"])
def test_shifts_by_negative_constants_are_left_alone(condition):
    # no program means them, but dead code of templates has them; the test is a comparison at least
    assert ops(condition, "nvcc") >= 1


@pytest.mark.parametrize(
    ("operator", "mask", "expected"),
    [
        # SASS of each byte: shift, logic with the byte, mask, address, logic, and a fourth of the loop's own four.
        ("^", "0xff", 6),
        ("|", "0xff", 6),
        ("^", "0xffff", 5),  # half words need no mask
        ("+", "0xff", 6),
    ],
)
def test_the_low_byte_of_a_byte_and_a_word_is_masked_apart_by_clang(operator, mask, expected):
    parameters = "unsigned *o, const unsigned char *p, const unsigned *t, int len"
    body = f"unsigned c = ~0u; for (int k = 0; k < len; k++) c = t[(c {operator} p[k]) & {mask}] ^ (c >> 8); o[threadIdx.x] = c;"
    run = Run(default_trips=100)
    found = count(parameters, body, run, compiler=Compiler.CLANG, architecture="sm_90")
    assert found.int_op / 100 == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize(("compiler", "counted"), [("clang", 1), ("nvcc", 11)])
def test_bits_that_masks_and_shifts_sum_up_are_counted_by_clang(compiler, counted):
    """SASS: POPC of clang 18; SHF three times, LOP3 four times, IADD twice, LEA.HI and IMAD of nvcc 13."""
    body = """int t = threadIdx.x; unsigned x = a[t]; x = x - ((x >> 1) & 0x55555555);
        x = (x & 0x33333333) + ((x >> 2) & 0x33333333);
        o[t] = (((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101) >> 24;"""
    architecture = "sm_90" if compiler == "nvcc" else "sm_86"
    found = count(
        PARAMETERS.replace("float *o", "unsigned *o"),
        body,
        compiler=Compiler(compiler),
        architecture=architecture,
    )
    addresses = 2
    assert integer_ops(found) == pytest.approx(addresses + counted)


def test_the_bits_of_two_words_are_counted_apart_and_added_by_clang():
    body = """int t = threadIdx.x; unsigned long long x = a[t];
        x -= (x >> 1) & 0x5555555555555555ull; x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
        x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full; o[t] = (x * 0x0101010101010101ull) >> 56;"""
    found = count(
        "int *o, const unsigned long long *a", body, compiler=Compiler.CLANG, architecture="sm_86"
    )
    addresses, count_of_each, sum_ = 2, 2, 1
    assert integer_ops(found) == pytest.approx(addresses + count_of_each + sum_)
