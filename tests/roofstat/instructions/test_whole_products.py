"""Both words of a product are one multiplication, against SASS of nvcc 13.0 (sm_90) and clang 18.1.6 (sm_86)."""

from __future__ import annotations

import pytest
from builder import count, integer_ops

from roofstat.instructions.tables.costs import Compiler

ADDRESSES = 2
ROUNDS = 10


def rounds(body: str, compiler: Compiler = Compiler.NVCC, element: str = "unsigned") -> float:
    """Integer operations of ten rounds on a word."""
    text = f"""int t = threadIdx.x; {element} c = x[t], d = x[t + 32], s = 0;
    #pragma unroll
    for (int q = 0; q < {ROUNDS}; q++) {{ {body} }}
    y[t] = c + s;"""
    parameters = f"const {element} *x, {element} *y, int n"
    return integer_ops(count(parameters, text, compiler=compiler, architecture="sm_90"))


@pytest.mark.parametrize("compiler", [Compiler.NVCC, Compiler.CLANG])
@pytest.mark.parametrize("factor", ["0xCD9E8D57u", "d"])
def test_the_low_word_comes_with_the_high_one(compiler, factor):
    # SASS: IMAD.WIDE.U32 and LOP3 a round, two addresses.
    body = f"unsigned h = __umulhi({factor}, c), l = {factor} * c; c = h ^ l ^ (q * 77u);"
    assert rounds(body, compiler) == pytest.approx(2 * ROUNDS + ADDRESSES, abs=2.5)


def test_signed_words_have_one_multiplication_as_well():
    body = "int h = __mulhi(0x4D9E8D57, c), l = 0x4D9E8D57 * c; c = h ^ l ^ (q * 77);"
    assert rounds(body, element="int") == pytest.approx(2 * ROUNDS + ADDRESSES, abs=1.5)


def test_words_that_go_into_sums_are_multiplied_apart():
    # SASS: IMAD and IMAD.HI with an addend each, LOP3.
    body = "unsigned h = __umulhi(d, c) + q, l = d * c + q; c = h ^ l;"
    assert rounds(body) == pytest.approx(3 * ROUNDS + ADDRESSES, abs=2.5)
