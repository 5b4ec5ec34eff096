"""Bytes and short words: what compilers know of their ranges, against the SASS of nvcc 13 (sm_90) and clang 18 (sm_86).

The comments name what SASS has beside the index of the thread (IMAD) and the addresses: of bytes the sign of the index, and
IADD3 with IADD3.X each (of a single array LEA.HI.X.SX32 takes the sign in); one IMAD.WIDE for words and short words.
"""

from __future__ import annotations

import pytest
from builder import GLOBAL_INDEX, count, integer_ops

from roofstat.instructions.tables.costs import Compiler

BYTES = "const unsigned char *__restrict__ a, unsigned char *__restrict__ o"
WIDENED = "const unsigned char *__restrict__ a, unsigned *__restrict__ o"
SHORTS = "const unsigned short *__restrict__ a, unsigned *__restrict__ o"
OF_BYTES = 1 + 1 + 2 + 2
TO_WORDS = 1 + 2 + 1
OF_SHORTS = 1 + 1 + 1
FOUR = "a[4 * i] {j} a[4 * i + 1] << 8 {j} a[4 * i + 2] << 16 {j} (unsigned)a[4 * i + 3] << 24"


def nvcc(body: str, parameters: str = BYTES) -> float:
    """Integer instructions of a thread on an H100."""
    return integer_ops(count(parameters, GLOBAL_INDEX + body, architecture="sm_90"))


def clang(body: str, parameters: str = BYTES) -> float:
    """The same by clang, which compiled it for sm_86."""
    counts = count(parameters, GLOBAL_INDEX + body, compiler=Compiler.CLANG, architecture="sm_86")
    return integer_ops(counts)


def test_the_largest_of_bytes_is_a_byte():
    three = "unsigned char m = a[i]; m = max(m, a[i + 1]); m = max(m, a[i + 2]); "
    assert nvcc(three + "o[i] = m;") == pytest.approx(OF_BYTES + 1)  # VIMNMX3
    four = three + "m = max(m, a[i + 3]); o[i] = m;"
    assert nvcc(four) == pytest.approx(OF_BYTES + 2)  # VIMNMX, VIMNMX3
    assert clang(four) == pytest.approx(OF_BYTES + 3)  # IMNMX each


@pytest.mark.parametrize("compiled", [nvcc, clang])
def test_halves_and_thirds_of_sums_of_bytes_are_unsigned(compiled):
    # An addition and the shift.
    assert compiled("o[i] = (a[i] + a[i + 1]) / 2;") == pytest.approx(OF_BYTES + 2)
    # IADD3, IMAD.HI.U32, SHF.
    assert compiled("o[i] = (a[i] + a[i + 1] + a[i + 2]) / 3;") == pytest.approx(OF_BYTES + 3)


def test_a_short_word_is_divided_by_a_shift():
    assert nvcc("o[i] = a[i] / 8;", SHORTS) == pytest.approx(OF_SHORTS + 1)


def test_the_remainder_of_a_byte_is_found_in_16_bits():
    # IMAD, SHF, IMAD, IMAD.MOV, IMAD.IADD, LOP3.
    assert nvcc("o[i] = a[i] % 10;", WIDENED) == pytest.approx(TO_WORDS + 6)


def test_thread_numbers_are_divided_as_signed_words():
    # SHF, LEA.HI, SHF; LEA for the place of the block; two IMAD.WIDE.
    words = "const int *__restrict__ a, int *__restrict__ o"
    body = "int t = threadIdx.x; o[blockIdx.x * 8 + t / 32] = a[t];"
    assert integer_ops(count(words, body, architecture="sm_90")) == pytest.approx(3 + 1 + 2)


@pytest.mark.parametrize("compiled", [nvcc, clang])
def test_a_sum_of_bytes_is_cut_once(compiled):
    # Two IADD3; the store cuts.
    body = "unsigned char s = 0; for (int k = 0; k < 4; k++) s += a[i + k]; o[i] = s;"
    assert compiled(body) == pytest.approx(OF_BYTES + 2)


@pytest.mark.parametrize("joined", ["|", "+"])
def test_nvcc_puts_bytes_together_by_permutations(joined):
    # The index times four, and three PRMT, which are no integer instructions.
    terms = [f"({term})" for term in FOUR.split(" {j} ")]
    body = f"o[i] = {f' {joined} '.join(terms)};"
    assert nvcc(body, WIDENED) == pytest.approx(TO_WORDS + 1)
    half = "o[i] = a[2 * i] | a[2 * i + 1] << 8;"
    assert nvcc(half, WIDENED) == pytest.approx(TO_WORDS + 1)


def test_nor_does_it_so_from_the_highest_byte_down():
    # Three shifts and two LOP3.
    body = "o[i] = (a[4 * i] << 24) | (a[4 * i + 1] << 16) | (a[4 * i + 2] << 8) | a[4 * i + 3];"
    assert nvcc(body, WIDENED) == pytest.approx(TO_WORDS + 1 + 5)


def test_clang_scales_and_adds_them():
    # LEA for each byte but the first.
    body = "unsigned v = 0; for (int k = 0; k < 4; k++) v = (v << 8) | a[4 * i + k]; o[i] = v;"
    summed = "unsigned v = 0; for (int k = 0; k < 4; k++) v = v * 256 + a[4 * i + k]; o[i] = v;"
    assert clang(body, WIDENED) == pytest.approx(clang(summed, WIDENED))
    first = "o[i] = a[4 * i];"
    assert clang(body, WIDENED) == pytest.approx(clang(first, WIDENED) + 3)


@pytest.mark.parametrize(
    ("parameters", "body", "instructions"),
    [
        (
            "const signed char *a, const signed char *b, int *o",
            "for (int k = 0; k < 16; k++) s += a[k] * b[k];",
            4,
        ),
        (
            "const unsigned char *a, const signed char *b, int *o",
            "for (int k = 0; k < 8; k++) s += a[k] * b[k];",
            2,
        ),
        (
            "const char4 *a, const char4 *b, int *o",
            "s += a[0].x * b[0].x + a[0].y * b[0].y + a[0].z * b[0].z;",
            1,
        ),
        (
            "const uchar4 *a, const int *b, int *o",
            "s = a[0].x * 77 + a[0].y * 150 + a[0].z * 29;",
            1,
        ),
        # products by powers of two are shifts, one product alone is a multiply-add, and words are no bytes
        ("const signed char *a, const signed char *b, int *o", "s = a[0] * b[0] + 5;", 1),
        (
            "const int *a, const signed char *b, int *o",
            "for (int k = 0; k < 4; k++) s += a[k] * b[k];",
            4,
        ),
    ],
)
def test_nvcc_adds_four_products_of_bytes_at_once(parameters, body, instructions):
    """SASS of nvcc 13.0, sm_90: IDP.4A for each four, IMAD for others; clang 18.1.6 has IMAD for all."""
    text = f"int s = 0; {body} o[threadIdx.x] = s;"
    frame = 1  # the address of the result
    assert integer_ops(count(parameters, text, architecture="sm_90")) == pytest.approx(
        frame + instructions
    )
