"""Whole kernels without loops, against the SASS of nvcc 13 (sm_80) and of clang with ptxas 12.6 (sm_86)."""

from __future__ import annotations

import pytest
from builder import GLOBAL_INDEX, Run, count, integer_ops

from roofstat.instructions.tables.costs import Compiler

POINTERS = "const float *a, const float *b, float *c, int n"
TWO_INDICES = GLOBAL_INDEX + "int j = blockIdx.y * blockDim.y + threadIdx.y;"


def test_elementwise_kernel_is_one_index_one_test_and_one_address_for_each_pointer():
    counts = count(POINTERS, GLOBAL_INDEX + "if (i < n) c[i] = a[i] + b[i];")
    index, test, addresses = 1, 1, 3
    assert integer_ops(counts) == pytest.approx(index + test + addresses)
    assert counts.sp_flop == pytest.approx(1.0)


def test_guarded_threads_do_only_index_and_test():
    threads, inside = 1000.0, 0.75
    run = Run(threads=threads, taken=(inside,))
    counts = count(POINTERS, GLOBAL_INDEX + "if (i < n) c[i] = a[i] + b[i];", run)
    assert integer_ops(counts) == pytest.approx(threads * (2 + 3 * inside))
    assert counts.sp_flop == pytest.approx(threads * inside)


def test_early_return_counts_like_a_guard():
    body = GLOBAL_INDEX + "if (i >= n) return; c[i] = a[i] + b[i];"
    threads, outside = 1000.0, 0.25
    counts = count(POINTERS, body, Run(threads=threads, taken=(outside,)))
    # The block after the return runs for all threads of the synthetic trace.
    assert integer_ops(counts) == pytest.approx(threads * (2 + 3))


def test_constant_offsets_are_part_of_the_access():
    counts = count(POINTERS, GLOBAL_INDEX + "c[i] = a[i] + a[i + 1] + a[i + 2];")
    index, addresses = 1, 2
    assert integer_ops(counts) == pytest.approx(index + addresses)


def test_unsigned_indices_wrap_so_that_offsets_stay_in_them():
    body = "unsigned i = blockIdx.x * blockDim.x + threadIdx.x; c[i] = a[i] + a[i + 1u];"
    counts = count(POINTERS, body)
    index, sum_with_one, addresses = 1, 1, 3
    assert integer_ops(counts) == pytest.approx(index + sum_with_one + addresses)


def test_negative_offset_that_comes_first_is_computed_by_nvcc_only():
    body = GLOBAL_INDEX + "c[i] = a[i - 1] + a[i + 1];"
    index, addresses = 1, 2
    assert integer_ops(count(POINTERS, body)) == pytest.approx(index + 1 + addresses)
    clang = count(POINTERS, body, compiler=Compiler.CLANG, architecture="sm_86")
    assert integer_ops(clang) == pytest.approx(index + addresses)


def test_index_of_several_arrays_is_computed_once():
    body = TWO_INDICES + "c[j * n + i] = a[j * n + i] + b[j * n + i] + a[(j + 1) * n + i];"
    counts = count(POINTERS, body)
    # The next row is a sum of the first one's index and n.
    indices, row, next_row, addresses = 2, 1, 1, 4
    assert integer_ops(counts) == pytest.approx(indices + row + next_row + addresses)


def test_three_inputs_fit_one_logic_operation():
    body = "int t = threadIdx.x; d[t] = (p[t] & p[t + 1]) ^ p[t + 2];"
    counts = count("const int *p, int *d", body)
    addresses, logic = 2, 1
    assert integer_ops(counts) == pytest.approx(addresses + logic)


def test_rotation_is_one_funnel_shift():
    body = "int t = threadIdx.x; unsigned v = p[t]; d[t] = (v << 7) | (v >> 25);"
    counts = count("const unsigned *p, unsigned *d", body)
    addresses, rotation = 2, 1
    assert integer_ops(counts) == pytest.approx(addresses + rotation)


def test_multiply_add_of_words_is_one_instruction():
    body = "int t = threadIdx.x; d[t] = p[t] * p[t + 1] + p[t + 2];"
    counts = count("const int *p, int *d", body)
    addresses, multiply_add = 2, 1
    assert integer_ops(counts) == pytest.approx(addresses + multiply_add)


def test_long_integers_take_two_words():
    body = "int t = threadIdx.x; d[t] = (p[t] ^ p[t + 1]) + p[t + 2];"
    counts = count("const long long *p, long long *d", body)
    addresses, logic, sum_ = 2, 2, 2
    assert integer_ops(counts) == pytest.approx(addresses + logic + sum_)


def test_remainder_after_quotient_is_a_sign_change_and_a_multiply_add():
    quotient = count("const int *p, int *d, int n", "int t = threadIdx.x; d[t] = p[t] / n;")
    both = count("const int *p, int *d, int n", "int t = threadIdx.x; d[t] = p[t] / n + p[t] % n;")
    remainder, sum_ = 2, 1
    assert integer_ops(both) - integer_ops(quotient) == pytest.approx(remainder + sum_)


def test_same_divisor_shares_the_reciprocal():
    body = "int t = threadIdx.x; d[t] = p[t] / n; d[t + 1] = p[t + 1] / n;"
    once = count("const int *p, int *d, int n", "int t = threadIdx.x; d[t] = p[t] / n;")
    twice = count("const int *p, int *d, int n", body)
    addresses = 2
    assert integer_ops(twice) - addresses < 2 * (integer_ops(once) - addresses)


def test_dead_code_costs_nothing():
    live = count(POINTERS, GLOBAL_INDEX + "c[i] = a[i];")
    dead = count(POINTERS, GLOBAL_INDEX + "float x = a[i] * b[i] + n; int q = i * n; c[i] = a[i];")
    assert dead.totals == live.totals


def test_shared_array_index_is_scaled_by_the_access_on_sm_80_only():
    body = "__shared__ float s[64]; int t = threadIdx.x; s[t] = a[t]; __syncthreads(); c[t] = s[63 - t];"
    addresses, mirrored = 2, 1
    assert integer_ops(count(POINTERS, body)) == pytest.approx(addresses + mirrored)
    hopper = count(POINTERS, body, architecture="sm_90")
    scaled = 2
    expected = addresses + mirrored + scaled
    assert integer_ops(hopper) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("expression", "operations"),
    [("x + (x >> 5)", 1), ("(x >> 3) - n", 1), ("n + (x >> 3)", 1), ("x - (x >> 5)", 2)],
)
def test_a_word_shifted_right_is_part_of_its_addition(expression: str, operations: int):
    head = "int t = threadIdx.x; int x = a[t];"
    parameters = "const int *a, int *c, int n"
    plain = integer_ops(count(parameters, f"{head} c[t] = x;"))
    counts = count(parameters, f"{head} c[t] = {expression};")
    assert integer_ops(counts) - plain == pytest.approx(operations)


def test_uniform_address_is_computed_on_the_ordinary_datapath():
    # SASS: IMAD (thread index), IMAD (n * m + n), two IMAD.WIDE. An access has no uniform 64-bit address.
    body = GLOBAL_INDEX + "c[i] = a[n * m + n];"
    counts = count("const float *a, float *c, int n, int m", body)
    index, uniform_index, addresses = 1, 1, 2
    assert integer_ops(counts) == pytest.approx(index + uniform_index + addresses)


def test_what_indices_have_in_common_is_computed_once():
    # Common part j + j * n (IMAD); i + 1 (IADD3) and IMAD with m, and a sum of that and m; ordering the terms finds the common part.
    body = TWO_INDICES + "c[i] = a[j * n + (i + 1) * m + j] + a[j * n + (i + 2) * m + j];"
    counts = count("const float *a, float *c, int n, int m", body)
    indices, common, rows, addresses = 2, 1, 2 + 1, 3
    assert integer_ops(counts) == pytest.approx(indices + common + rows + addresses)


def test_multiplying_by_minus_one_negates():
    # IADD3 and IMAD.X for the negated mask, one LOP3 for each word of the sum; loads of both words share addresses.
    parameters = "const unsigned long *p, unsigned long *d"
    plain = count(parameters, "int t = threadIdx.x; d[t] = p[t + 1] ^ p[t];")
    body = "int t = threadIdx.x; d[t] = ((p[t + 1] * 0xFFFFFFFFFFFFFFFFul) & p[t + 2]) ^ p[t];"
    negation = 2
    assert integer_ops(count(parameters, body)) == pytest.approx(integer_ops(plain) + negation)


def test_half_of_a_signed_number_takes_two_operations():
    plain = count("const int *p, int *d", "int t = threadIdx.x; d[t] = p[t];")
    half = count("const int *p, int *d", "int t = threadIdx.x; d[t] = p[t] / 2;")
    quarter = count("const int *p, int *d", "int t = threadIdx.x; d[t] = p[t] / 4;")
    # LEA.HI adds the sign bit, SHF shifts; for four the sign is spread by another SHF first.
    assert integer_ops(half) == pytest.approx(integer_ops(plain) + 2)
    assert integer_ops(quarter) == pytest.approx(integer_ops(plain) + 3)


def test_a_factor_of_a_sum_with_a_constant_is_one_multiply_add():
    head = "int t = p[threadIdx.x];"
    plain = count("const int *p, int *d", f"{head} d[0] = t;")
    scaled = count("const int *p, int *d", f"{head} d[0] = 4 * (2 * t + 1) - 1;")
    assert integer_ops(scaled) - integer_ops(plain) == pytest.approx(1)
