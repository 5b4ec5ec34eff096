"""Parts of words, pairs of words and rotations, against the SASS of nvcc 13 (sm_80, sm_90) and clang 19 (sm_86)."""

from __future__ import annotations

import pytest
from builder import GLOBAL_INDEX, Run, count, integer_ops

from roofstat.instructions.tables.costs import Compiler
from roofstat.instructions.tables.parameters import lowering_parameters
from roofstat.instructions.tables.quantities import Quantity

WORDS = "unsigned *o, const unsigned *q, const unsigned long long *w, unsigned n"
FRAME = 1 + 2
"""The index of the thread (one multiply-add) and the addresses of what is read and written."""
ROTATED = "((v << 7) | (v >> 25))"


def nvcc(body: str, parameters: str = WORDS) -> float:
    """Integer instructions of a thread."""
    return integer_ops(count(parameters, GLOBAL_INDEX + body))


def clang(body: str, parameters: str = WORDS) -> float:
    """The same by clang, which compiled it for sm_86."""
    counts = count(parameters, GLOBAL_INDEX + body, compiler=Compiler.CLANG, architecture="sm_86")
    return integer_ops(counts)


@pytest.mark.parametrize("compiled", [nvcc, clang])
def test_the_low_word_of_a_64_bit_expression_is_computed_in_words(compiled):
    # SHF.R.U64, LOP3 and IMAD: one for each operation.
    assert compiled("o[i] = ((w[i] >> 30) & 15) * n;") == pytest.approx(FRAME + 3)


def test_a_sum_of_bits_of_64_bit_words_is_a_sum_of_words():
    # SHF and LOP3 for the bit, and an addition.
    body = "unsigned s = q[i]; s += (w[i] >> 5) & 1; o[i] = s;"
    assert nvcc(body) == pytest.approx(FRAME + 1 + 3)


def test_words_that_were_packed_come_out_as_they_were():
    # One LOP3.
    body = "unsigned long long t = (unsigned long long)n << 32 | q[i]; o[i] = (unsigned)t ^ (unsigned)(t >> 32);"
    assert nvcc(body) == pytest.approx(FRAME + 1)


def test_the_other_word_of_a_pair_costs_nothing_and_leaves_its_high_word_alone():
    # x ^ (x >> 32): one LOP3. The address of the 64-bit array is one more IMAD.WIDE.
    wide = "unsigned long long *o, const unsigned long long *w"
    assert nvcc("o[i] = w[i] ^ (w[i] >> 32);", wide) == pytest.approx(FRAME + 1)


@pytest.mark.parametrize("compiled", [nvcc, clang])
def test_a_rotation_is_one_shift_of_a_pair_and_part_of_an_addition(compiled):
    assert compiled(f"unsigned v = q[i]; o[i] = {ROTATED};") == pytest.approx(FRAME + 1)
    # LEA.HI
    assert compiled(f"unsigned v = q[i]; o[i] = {ROTATED} + n;") == pytest.approx(FRAME + 1)


@pytest.mark.parametrize("compiled", [nvcc, clang])
@pytest.mark.parametrize("joined", ["|", "+", "^"])
def test_bits_of_two_words_side_by_side_are_one_shift_of_a_pair(compiled, joined):
    # SHF.L.U32.HI, as each word of a longer number that is shifted.
    body = f"unsigned v = q[i], u = q[i + 1]; o[i] = (v << 3) {joined} (u >> 29);"
    assert compiled(body) == pytest.approx(FRAME + 1)


def test_a_sum_with_a_constant_is_rotated_whole():
    # IADD3 of three terms, SHF.L.W.HI; without the rotation the constant would be shifted apart.
    body = f"unsigned v = q[i] + n + 0x12345; o[i] = {ROTATED} ^ n;"
    assert nvcc(body) == pytest.approx(FRAME + 3)


@pytest.mark.parametrize("compiled", [nvcc, clang])
def test_a_byte_of_a_word_that_serves_nothing_else_is_loaded_alone(compiled):
    assert compiled("o[i] = ((q[i] >> 8) & 255) * n;") == pytest.approx(FRAME + 1)
    assert compiled("o[i] = (q[i] >> 24) * n;") == pytest.approx(FRAME + 1)
    # Five bits are no byte, and 16 bits at bit 8 are no aligned half word.
    assert compiled("o[i] = ((q[i] >> 5) & 15) * n;") == pytest.approx(FRAME + 3)


def test_clang_takes_bytes_out_of_a_register_by_permutation():
    body = "unsigned v = q[i]; o[i] = ((v >> 8) & 255) * n + v;"
    assert clang(body) == pytest.approx(FRAME + 1)
    # SHF and LOP3
    assert nvcc(body) == pytest.approx(FRAME + 3)


def test_an_index_with_a_constant_mask_is_scaled_before_the_mask_by_nvcc():
    # Index of the thread, address of o; SHL, LOP3, IADD3, IADD3.X.
    assert nvcc("o[i] = q[i & 31];") == pytest.approx(2 + 4)
    # The shift takes the scaling in: SHF.R, LOP3, IADD3, IADD3.X; one more for the address of q[i].
    assert nvcc("o[i] = q[(q[i] >> 5) & 31];") == pytest.approx(3 + 4)
    # LOP3, IMAD.WIDE.U32
    assert clang("o[i] = q[i & 31];") == pytest.approx(2 + 2)


def test_addresses_of_bytes_extend_the_sign_by_the_addition_unless_they_are_several():
    parameters = "unsigned char *o, const unsigned char *q, unsigned n"
    # IADD3, LEA.HI.X.SX32
    assert nvcc("o[i] = n;", parameters) == pytest.approx(1 + 2)
    # SHF.R.S32.HI for both, IADD3 and IADD3.X for each
    assert nvcc("o[i] = q[i];", parameters) == pytest.approx(1 + 1 + 2 + 2)


def test_clang_scales_an_index_once_for_shared_and_global_arrays():
    parameters = "float *o, const float *q, int n"
    body = "__shared__ float s[256]; int t = threadIdx.x; s[t] = q[t]; o[t] = s[t ^ 1];"
    # IMAD.WIDE.U32 for the product, IADD3 and IADD3.X for q and for o; t ^ 1 and its place are one each. The index
    # of the thread is not used.
    assert clang(body, parameters) == pytest.approx(1 + 2 + 2 + 1 + 1)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("atomicAdd(o, 1u)", 2),  # ISETP, POPC
        ("atomicAdd(o, n)", 3),  # and IMAD
        ("atomicAdd(o, 0u)", 0),
        ("atomicMax(o, n)", 1),  # ISETP; the reduction unit does the rest
        ("o[3] = atomicAdd(o, 1u)", 6),  # ISETP, FLO, LOP3, two POPC, IADD
        ("o[3] = atomicMax(o, n)", 0),
        ("atomicExch(o, n)", 0),
        ("atomicInc(o, n)", 0),
    ],
)
def test_atomics_on_one_address_are_combined_in_the_warp(statement, expected):
    assert integer_ops(count(WORDS, statement + ";")) == pytest.approx(expected)


def test_atomics_on_addresses_of_their_own_are_not_combined():
    index, address = 1, 1
    assert nvcc("atomicAdd(&o[i], 1u);") == pytest.approx(index + address)


def test_shared_memory_counts_lanes_by_itself():
    body = "__shared__ unsigned c; atomicAdd(&c, 1u);"
    assert integer_ops(count(WORDS, body)) == pytest.approx(0)
    body = "__shared__ unsigned c; atomicAdd(&c, n);"
    assert integer_ops(count(WORDS, body)) == pytest.approx(3)


WIDE = "long long *o, const int *s, const unsigned *u, const long long *w"


@pytest.mark.parametrize("compiled", [nvcc, clang])
@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        # IMAD.WIDE.U32, by a constant that needs all 32 bits; IMAD.WIDE; both with the sum in them.
        ("(unsigned long long)u[i] * 0xD2511F53u", 1),
        ("(long long)s[i] * s[i]", 1),
        ("(long long)s[i] * s[i] + w[i]", 1 + 1),
        # IADD3, IADD3.X: no product of words is subtracted in the multiplication.
        ("w[i] - (long long)s[i] * s[i]", 1 + 1 + 2),
        # IMAD.WIDE.U32, IMAD for the high word, IADD3; with a sum in the first of them.
        ("w[i] * u[i]", 1 + 3),
        ("w[i] * u[i] + 7", 1 + 3),
        # SHF for the sign, IMAD.WIDE.U32, two IMAD, IADD3.
        ("w[i] * s[i]", 1 + 5),
        ("w[i] * 6364136223846793005ll + 1442695040888963407ll", 4),
    ],
)
def test_products_of_64_bits_take_what_the_words_of_their_factors_need(
    compiled, expression, expected
):
    # The index, the addresses of the result and of one operand; that of a second one is in `expected`.
    assert compiled(f"o[i] = {expression};", WIDE) == pytest.approx(FRAME + expected)


@pytest.mark.parametrize("compiled", [nvcc, clang])
@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        # IMAD.WIDE.U32 and IADD3 of what the high word, which is nothing, would give; after SHF or LOP3 for the factor.
        ("(w[i] >> 32) * u[i]", 1 + 2),
        ("(w[i] >> 40) * 1000001", 1 + 2),
        ("(w[i] & 0x3ffffff) * 0x3d10", 1 + 2),
        ("(unsigned long long)(unsigned)(w[i] & 0x3ffffff) * u[i]", 1 + 1 + 2),
        # The low word of a pair needs no mask.
        ("(w[i] & 0xffffffff) * 0x3d10", 2),
        # Of a word that was masked as one the compilers know it in time.
        ("(unsigned long long)(u[i] & 0xfffff) * 77777", 1 + 1),
        # SHF and LOP3: what is shifted to the left fits a word.
        ("(w[i] & 0xff) << 10", 1 + 1),
    ],
)
def test_a_masked_pair_of_words_is_multiplied_with_its_empty_high_word(
    compiled, expression, expected
):
    unsigned = "unsigned long long *o, const unsigned *u, const unsigned long long *w"
    assert compiled(f"o[i] = {expression};", unsigned) == pytest.approx(FRAME + expected)


def test_clang_widens_the_low_word_of_a_masked_pair_that_is_used_as_a_word_too():
    words = "unsigned long long *o, const unsigned *u, const unsigned long long *w, unsigned *t"
    body = "unsigned v = w[i] & 0x3ffffff; o[i] = (unsigned long long)v * u[i]; t[i] = v;"
    # LOP3, IMAD.WIDE.U32 and two more addresses; clang adds the product of the empty high word.
    assert nvcc(body, words) == pytest.approx(FRAME + 2 + 2)
    assert clang(body, words) == pytest.approx(FRAME + 2 + 3)


def test_a_mask_goes_past_what_it_leaves_whole():
    table = "unsigned *o, const unsigned *q, const unsigned char *b, const unsigned *t"
    # LOP3 (r & 255 ^ b) and IMAD.WIDE; the bytes' address takes two additions.
    assert nvcc("o[i] = t[(q[i] ^ b[i]) & 255];", table) == pytest.approx(FRAME + 2 + 2)
    # Not all of the byte is in the mask: LOP3, SHL, LOP3 and two additions.
    assert nvcc("o[i] = t[(q[i] ^ b[i]) & 15];", table) == pytest.approx(FRAME + 2 + 5)


@pytest.mark.parametrize("parity", ["k & 1", "k % 2", "(k + 3) % 4"])
def test_the_low_bits_of_an_unrolled_counter_are_constants(parity):
    # Eight copies begin at a multiple of eight.
    parameters = "float *o, const float *q"
    loop = "for (int k = 0; k < 512; k++) {{ s += q[i + {}]; __syncthreads(); }} o[i] = s;"
    constant = nvcc("float s = 0;" + loop.format("1"), parameters)
    assert nvcc("float s = 0;" + loop.format(f"({parity})"), parameters) == pytest.approx(constant)


@pytest.mark.parametrize(
    ("bits", "compiler"),
    [
        ("(k + i) & 1", Compiler.NVCC),
        ("(k + 5 + i * 3) & 3", Compiler.NVCC),
        ("(unsigned)(i - k) % 2", Compiler.NVCC),
        ("(k + i) & 1", Compiler.CLANG),
    ],
)
def test_low_bits_of_an_unrolled_counter_that_starts_anywhere_stay_as_they_are(bits, compiler):
    # All copies together take a multiple of four steps: what they mask is computed in front of the loop.
    def in_loop(masked: str) -> float:
        body = f"{GLOBAL_INDEX} float s = 0; for (int k = 0; k < n; k++) s += q[i + k] * ({masked}); o[i] = s;"
        runs = [
            count(
                "float *o, const float *q, int n",
                body,
                Run(default_trips=trips),
                compiler=compiler,
                architecture="sm_86",
            )
            for trips in (64.0, 128.0)
        ]
        return integer_ops(runs[1]) - integer_ops(runs[0])

    assert in_loop(bits) == pytest.approx(in_loop("i & 1"))


def test_quotients_of_arguments_by_constants_are_off_the_integer_pipe():
    # UIADD3, USHF, ULEA.HI, USHF: of them the share of uniform work that stays, and the comparison.
    share = lowering_parameters("nvcc", "sm_80").uniform_on_vector
    found = nvcc("if (i < (m + 31) / 32) o[i] = 1;", "unsigned *o, int m")
    assert found == pytest.approx(1 + 1 + 1 + 4 * share)


def test_a_sign_that_an_earlier_block_extended_is_a_word_like_any_other():
    # IMAD.WIDE in front of the branch; behind it SHF for the sign of q, IMAD.WIDE.U32, two IMAD and IADD3, since `n` is
    # widened already (on the uniform datapath, as far as that is used). The test, and the barrier that keeps the branch.
    body = "o[i] = (long long)i * n; if (q[i] > 3) { o[i + 32] = (long long)q[i] * n; __syncthreads(); o[i + 64] = 1; }"
    share = lowering_parameters("nvcc", "sm_80").uniform_on_vector
    found = nvcc(body, "long long *o, const int *q, int n")
    assert found == pytest.approx(FRAME + 1 + 1 + (1 + 4) + share)


def hopper(body: str, parameters: str) -> float:
    return integer_ops(count(parameters, GLOBAL_INDEX + body, architecture="sm_90"))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        # SHF for each word; the low one alone where only that is used.
        ("w[i] >> s[i]", 1 + 2),
        ("w[i] << s[i]", 1 + 2),
        ("(int)(w[i] >> s[i])", 1 + 1 + 1),
    ],
)
def test_64_bits_are_shifted_by_two_instructions(expression, expected):
    # The last case extends the sign of the word that it stores in 64 bits.
    assert nvcc(f"o[i] = {expression};", WIDE) == pytest.approx(FRAME + expected)


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        # LOP3 and a comparison of both words; LOP3 of the high word; LOP3 of both.
        ("w[i] & 1", 3),
        ("w[i] & 0x100000000", 1),
        ("w[i] & w[i + 32]", 2),
    ],
)
def test_bits_of_64_are_tested_by_words(test, expected):
    parameters = "int *o, const long long *w"
    assert nvcc(f"o[i] = ({test}) ? 5 : i;", parameters) == pytest.approx(FRAME + expected)


def test_the_number_of_a_bit_is_found_in_one_instruction():
    # FLO; the function's result is one more.
    parameters = "int *o, const int *q"
    assert nvcc("o[i] = __ffs(q[i]) - 1;", parameters) == pytest.approx(FRAME + 1)
    assert nvcc("o[i] = __ffs(q[i]);", parameters) == pytest.approx(FRAME + 2)


@pytest.mark.parametrize("left", ["32 - r", "(-r) & 31"])
def test_a_rotation_by_a_variable_is_one_shift_of_a_pair(left):
    # SHF.R.W and, for the amount, LOP3.
    body = f"unsigned x = q[i], r = q[i + 32] & 31; o[i] = (x >> r) | (x << ({left}));"
    assert nvcc(body) == pytest.approx(FRAME + 2)


@pytest.mark.parametrize(
    ("expression", "ampere", "expected"),
    [
        # IMNMX; VIMNMX and its form that clips to zero; IABS.
        ("x < n ? x : n", 1, 1),
        ("x < 0 ? 0 : x > 255 ? 255 : x", 2, 1),
        ("max(min(x, n), 0)", 2, 1),
        ("min(max(x, 0), 255)", 2, 2),
        ("x < 0 ? -x : x", 1, 1),
    ],
)
def test_choices_by_which_is_less_are_minima_and_maxima(expression, ampere, expected):
    body, parameters = f"int x = q[i]; o[i] = {expression};", "int *o, const int *q, int n"
    assert nvcc(body, parameters) == pytest.approx(FRAME + ampere)
    assert hopper(body, parameters) == pytest.approx(FRAME + expected)


@pytest.mark.parametrize(
    ("compiler", "expected"),
    [
        # nvcc 13.0 reads a register: the division of words by a variable (table `uint32.rem`, 10), and the sum.
        ("nvcc", 2 + 10 + 1),
        ("clang", 2 + 1 + 1),  # LOP3 and the sum
    ],
)
def test_the_warp_size_is_a_variable_to_nvcc(compiler, expected):
    body = "int t = threadIdx.x; c[t] = a[t] + threadIdx.x % warpSize;"
    counts = count("int *c, const int *a", body, compiler=Compiler(compiler), architecture="sm_90")
    assert counts.int_op == pytest.approx(expected)


@pytest.mark.parametrize(("compiled", "expected"), [(nvcc, 2.5), (clang, 2)])
def test_the_larger_word_less_the_smaller_is_an_absolute_difference_to_clang(compiled, expected):
    # IADD3 and IABS of clang 18, ISETP and two IADD3, one under the condition, of nvcc 13; without a sign both compare.
    body = "int v = x[i], u = y[i]; o[i] = v {} u ? v - u : u - v;"
    signed = "int *o, const int *x, const int *y"
    assert compiled(body.format(">"), signed) == pytest.approx(4 + expected)
    assert compiled(body.format(">="), signed) == pytest.approx(4 + expected)
    assert compiled(body.format(">").replace("int v", "unsigned v"), signed) == pytest.approx(
        4 + 2.5
    )


ROWS = "int *o, int m, int h"
STORE = 1 + 1
"""The index of the thread and the address of what is written."""
REMAINDER = 15 - 1
"""By a parameter, whose magnitude is not copied: the tables hold divisors in registers."""
OF_DIVISOR = 6
"""IABS, VIADD, IMAD.MOV, IMAD, IMAD.HI and the test for zero."""


@pytest.mark.parametrize("compiled", [nvcc, clang])
@pytest.mark.parametrize("number", ["int", "unsigned"])
def test_a_row_is_the_quotient_whatever_the_column_is_taken_off_before(compiled, number):
    # A quotient, the remainder from it, LOP3 and IADD3
    shown = "o[i] = column + (row ^ 5);"
    numbers = f"{number} *o, {number} m"
    column = f"{number} column = ({number})i % m; "
    plain = f"{column}{number} row = ({number})i / m; {shown}"
    behind = f"{column}{number} row = (({number})i - column) / m; {shown}"
    assert compiled(behind, numbers) == pytest.approx(compiled(plain, numbers))


@pytest.mark.parametrize("compiled", [nvcc, clang])
def test_remainders_of_one_divisor_share_its_magnitude_and_reciprocal(compiled):
    once = STORE + REMAINDER
    assert compiled("o[i] = i % m;", ROWS) == pytest.approx(once, abs=1)
    twice = once + REMAINDER - OF_DIVISOR
    # VIADD for the second dividend, LOP3
    assert compiled("o[i] = (i % m) ^ ((i + 7) % m);", ROWS) == pytest.approx(twice + 2, abs=1)


def test_a_quotient_of_a_quotient_is_one_by_the_product():
    # IMAD.HI and LEA.HI with the sign and a shift.
    assert nvcc("o[i] = i / 100 / 57;", ROWS) == pytest.approx(STORE + 3)


def packed(term: str, count_of: int) -> str:
    return f"unsigned v = 0; for (int j = 0; j < {count_of}; j++) v |= {term}; o[i] = v;"


def test_masks_of_shifted_parts_are_taken_by_what_puts_them_together():
    # LOP3 for the first part; SHF and LOP3 (v | y & m) for each other one; IMAD.WIDE for each load and the store.
    loads_and_frame = 1 + 1 + 8
    body = packed("(q[i + j * (int)n] & 15) << (4 * j)", 8)
    assert nvcc(body) == pytest.approx(loads_and_frame + 1 + 2 * 7)


def test_a_truth_that_is_shifted_is_a_choice_of_a_bit():
    # ISETP and SEL for each, and every two go into v by one LOP3.
    loads_and_frame = 1 + 1 + 32
    body = packed("(unsigned)(q[i + j * (int)n] > 7u) << j", 32)
    assert nvcc(body) == pytest.approx(loads_and_frame + 32 + 16, abs=1)


def test_stores_of_narrow_words_cut_off_what_a_mask_would():
    # Three SHF; the addresses of both, four bytes beside one another.
    body = "unsigned v = q[i]; for (int j = 0; j < 4; j++) b[i * 4 + j] = (v >> (8 * j)) & 255;"
    parameters = "unsigned char *b, const unsigned *q"
    index_and_addresses = 1 + 1 + (1 + 2)
    assert nvcc(body, parameters) == pytest.approx(index_and_addresses + 3)


def test_a_permutation_by_a_known_selector_is_no_integer_operation():
    # PRMT twice; with a selector of the run LOP3 masks it first.
    assert nvcc("o[i] = __byte_perm(q[i], n, 0x5410);") == pytest.approx(FRAME)
    assert nvcc("o[i] = __byte_perm(q[i], n, q[i]);") == pytest.approx(FRAME + 1)


def test_a_high_word_of_a_product_is_added_to():
    # IMAD.HI.U32 with an addend.
    assert nvcc("unsigned v = q[i]; o[i] = __umulhi(v, n) + v;") == pytest.approx(FRAME + 1)


@pytest.mark.parametrize(
    ("text", "reciprocals"),
    [
        ("unsigned s = 0; for (int k = 0; k < 32; k++) s += (i + k * 7u) % n; o[i] = s;", 1),
        ("o[i] = q[i] / n + q[i + 1] % n;", 1),
        ("o[i] = q[i] / n + n / q[i];", 2),
    ],
)
def test_quotients_by_one_divisor_share_the_special_function(text, reciprocals):
    # MUFU.RCP once for each divisor, with its two conversions.
    found = count(WORDS, GLOBAL_INDEX + text, architecture="sm_90")
    assert found.total(Quantity.SPECIAL_OP) == pytest.approx(reciprocals)
    assert found.total(Quantity.CONVERSIONS) == pytest.approx(2 * reciprocals)
