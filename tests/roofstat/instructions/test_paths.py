"""Addresses, products and comparisons on several paths, against the SASS of nvcc 13 (sm_80, sm_90) and clang 19 (sm_86)."""

from __future__ import annotations

import pytest
from builder import GLOBAL_INDEX, Run, count, integer_ops

from roofstat.instructions.tables.costs import Compiler

ARRAYS = "float *a, const float *b, float *c, const float *d, const int *q, int n, int m"


def nvcc(body: str, parameters: str = ARRAYS, run: Run | None = None) -> float:
    """Integer instructions of a thread."""
    return integer_ops(count(parameters, GLOBAL_INDEX + body, run))


def clang(body: str, parameters: str = ARRAYS, run: Run | None = None) -> float:
    """The same by clang, which compiled it for sm_86."""
    counts = count(
        parameters, GLOBAL_INDEX + body, run, compiler=Compiler.CLANG, architecture="sm_86"
    )
    return integer_ops(counts)


def test_what_two_paths_compute_is_computed_before_they_part_by_nvcc():
    # IMAD for the index, IMAD.WIDE for q[i]; then three ISETP, and once for all paths IMAD and IMAD.WIDE.
    body = """int y = blockIdx.y;
        if (q[i] == 0) a[y * m + i] = 1;
        if (q[i + 1] == 5) a[y * m + i] = 2;
        if (q[i + 2] == 7) a[y * m + i] = 4;"""
    assert nvcc(body) == pytest.approx(2 + 3 + 2)


def test_a_path_that_is_not_taken_computes_what_it_shares_with_one_that_is():
    body = """int y = q[i + 3];
        if (q[i] == 0) { __syncthreads(); a[y * m + i] = 1; }
        if (q[i + 1] == 5) { __syncthreads(); a[y * m + i] = 2; }"""
    assert nvcc(body, run=Run(taken=(0.0, 0.0))) == nvcc(body, run=Run(taken=(1.0, 1.0)))


def test_an_index_that_a_guard_of_64_bits_widens_is_scaled_in_64_bits_by_nvcc():
    parameters = "float *a, const float *b, float *c, const float *d, unsigned long n"
    body = "if (i < n) { a[i] = b[i]; c[i] = d[i]; }"
    # IMAD, SHF.R.S32.HI, two ISETP, SHL and SHF for all arrays, IADD3 and IADD3.X for each
    assert nvcc(body, parameters) == pytest.approx(1 + 1 + 2 + 2 + 4 * 2)
    # the same without the sign
    body = "unsigned j = i; if (j < n) { a[j] = b[j]; c[j] = d[j]; }"
    assert nvcc(body, parameters) == pytest.approx(1 + 2 + 2 + 4 * 2)


def test_the_sign_of_an_index_is_found_once_where_another_block_uses_it():
    # IMAD; IMAD.WIDE of b[i]; SHF.R.S32.HI, LEA and LEA.HI.X of a[i]
    body = "float v = b[i]; if (v > 0) { __syncthreads(); a[i] = v; }"
    assert nvcc(body) == pytest.approx(1 + 1 + 3)


@pytest.mark.parametrize("compiled", [nvcc, clang])
@pytest.mark.parametrize("product", ["q[i] * m", "q[i] * 12", "q[i] * 16"])
def test_a_product_that_only_additions_use_is_computed_in_each(compiled, product):
    # IMAD, IMAD.WIDE of q; then two IMAD (or LEA) with an IMAD.WIDE each for a, and the address of c
    body = f"int p = {product}; c[i] = a[p + q[i + 1]] + a[p + q[i + 2]];"
    assert compiled(body) == pytest.approx(2 + 2 * 2 + 1)


@pytest.mark.parametrize("compiled", [nvcc, clang])
def test_a_product_that_something_else_uses_too_is_computed_once(compiled):
    # As above, but the product is an IMAD of its own and the sums are IADD3.
    body = "int p = q[i] * m; c[i] = a[p + q[i + 1]] + a[p + q[i + 2]] + p;"
    assert compiled(body) == pytest.approx(2 + 1 + 2 * 2 + 1)


@pytest.mark.parametrize("compiled", [nvcc, clang])
@pytest.mark.parametrize(
    ("condition", "comparisons"),
    [("y >= 0 && y < 512", 1), ("y < 0 || y >= 512", 1), ("y >= 0 && y < n", 2)],
)
def test_a_range_from_zero_is_one_unsigned_comparison(compiled, condition, comparisons):
    # IMAD, IMAD.WIDE of q
    body = f"int y = q[i]; if ({condition}) __syncthreads();"
    assert compiled(body) == pytest.approx(2 + comparisons)


@pytest.mark.parametrize("compiled", [nvcc, clang])
def test_floats_stored_as_bytes_need_no_mask(compiled):
    # IMAD, IMAD.WIDE for each array
    body = "o[i].x = b[i]; o[i].y = b[i + 1];"
    assert compiled(body, "uchar2 *o, const float *b") == pytest.approx(1 + 2)


def test_unsigned_numbers_that_count_down_are_near():
    # IMAD, IMAD.WIDE for each array: the second load has an offset of -4 bytes.
    body = "unsigned j = i; a[i] = b[(int)j] + b[(int)(j - 1)];"
    assert nvcc(body) == pytest.approx(1 + 2)


def test_far_accesses_near_each_other_share_a_sum():
    # IMAD, IMAD.WIDE for each array; IADD3 and IADD3.X once for both offsets around 8 MiB
    body = "a[i] = b[i + (2 << 20) + 100] + b[i + (2 << 20) - 100 + (1 << 20)];"
    assert nvcc(body) == pytest.approx(1 + 2 + 2)


@pytest.mark.parametrize("compiled", [nvcc, clang])
def test_the_reciprocal_of_a_divisor_that_a_loop_leaves_alone_is_computed_before_it(compiled):
    def each(quotients: str) -> float:
        loop = f"for (int j = i; j < n; j += blockDim.x) a[j] = {quotients};"
        once, often = (compiled(loop, run=Run(default_trips=t)) for t in (1.0, 11.0))
        return (often - once) / 10

    # ISETP, IADD3, two IMAD.WIDE; a division by a parameter takes 16 with its reciprocal, of which 6 depend on the divisor alone.
    assert each("q[j] / m") == pytest.approx(4 + 16 - 6)
    # Two quotients and one IADD3 for their sum.
    assert each("q[j] / m + q[j + 1] / n") == pytest.approx(4 + 2 * (16 - 6) + 1)
    # Three keep their reciprocals with them; two sums.
    three = "q[j] / m + q[j + 1] / n + q[j + 2] / (int)blockDim.x"
    assert each(three) == pytest.approx(4 + 3 * 16 + 2)


def test_the_index_of_a_short_arm_is_computed_before_the_branch_by_clang():
    # IMAD, and IMAD.WIDE for each array: not widened in front of the branch and scaled behind it.
    assert clang("if (b[i] > 1.0f) a[i] = 1.0f;") == pytest.approx(1 + 2)
    assert clang("if (b[i] > 1.0f) { a[i] = 1.0f; c[i] = 2.0f; }") == pytest.approx(1 + 3)
    # Five stores are one too many. SHF.R.S32.HI, LEA and LEA.HI.X then make the address, of which all have one.
    stores = (
        "a[i] = 1.0f; a[i + 100] = 2.0f; a[i + 200] = 3.0f; a[i + 300] = 4.0f; a[i + 400] = 5.0f;"
    )
    wide = 1 + 1 + 3
    assert clang("if (b[i] > 1.0f) {" + stores + "}") >= wide


CHOICES = "int *o, const int *q, int n"


def test_what_follows_a_short_arm_uses_its_addresses_in_clang():
    # Index of the thread; the addresses of b[i] and a[i], which the arm and what follows it have in common.
    body = "float x = b[i]; if (x > 0.0f) { a[i + 7] = 1.0f; } a[i] = x;"
    assert clang(body) == pytest.approx(1 + 2)


@pytest.mark.parametrize("compiled", [nvcc, clang])
def test_two_arms_that_store_to_one_place_have_its_address_in_common(compiled):
    # Index of the thread; the addresses of b[i] and a[i], the latter plus a constant offset in one of the arms.
    body = "float x = b[i]; if (x > 3.0f) a[i + 4] = x * 2.0f; else a[i] = x + 1.0f;"
    assert compiled(body) == pytest.approx(1 + 2)


@pytest.mark.parametrize(
    ("arms", "sass"),
    [
        # IMAD.WIDE of b and of what both arms begin with; SHF for the sign, LEA and LEA.HI.X for the store behind that.
        ("if (x > 0) { a[i] = sqrtf(x); c[i] = x; } else { a[i] = x + 1; c[i] = x * x; }", 2 + 3),
        # An arm that loads stays an arm: IMAD.WIDE, then sign, shifts (SHF twice) and IADD3, IADD3.X for three arrays.
        (
            "if (x > 0) { a[i] = 0; c[i] = 0; } else { a[i] = x * d[i]; c[i] = -x * d[i]; }",
            1 + 3 + 6,
        ),
        # Both arms store at their ends what is chosen between: one block.
        ("if (x > 0) { a[i] = 1; c[i] = 2; } else { a[i] = 3; c[i] = 4; }", 3),
        ("if (x > 0) { a[i] = x; } else { a[i] = 1 - x; } c[i] = x;", 3),
        # Loads in front of the first store go before the branch.
        ("if (x > 0) { a[i] = d[i] + c[i]; } else { a[i] = d[i] * c[i]; }", 4),
        # Two tests and IMAD.WIDE twice; behind the first branch sign, shifts and sums.
        ("if (n > 9) a[i] = x; if (m > 5) c[i] = d[i];", 2 + 2 + 3 + 4),
    ],
)
def test_arms_scale_an_index_that_clang_widened_before_them(arms, sass):
    """SASS of clang 18.1.6, register copies apart; of three arrays the model scales the index for one before the branch."""
    index, guard = 1, 1
    second = "else" in arms
    run = Run(taken=(1.0, 0.0) if second else (1.0, 1.0, 1.0))
    found = clang("if (i < n) { float x = b[i]; " + arms + " }", run=run)
    assert found == pytest.approx(index + guard + sass, abs=1.0)


def test_functions_of_constants_take_no_integer_operation():
    # Index of the thread and the address; the quadrant of the sine is known.
    assert clang("a[i] = sinf(0.7f);") == pytest.approx(1 + 1)


def test_terms_that_conditions_choose_are_added_in_pairs():
    # Three comparisons, three SEL of a term or nothing, IADD3 of three inputs and another addition.
    body = (
        "int s = q[i], a = q[i + 32], b = q[i + 64], c = q[i + 96];"
        "if (i > 5) s += a; if (i > 7) s += b; if (i > 9) s += c; o[i] = s;"
    )
    assert integer_ops(count(CHOICES, GLOBAL_INDEX + body)) == pytest.approx(3 + 3 + 2)


def test_a_sum_that_is_compared_itself_is_chosen_as_it_is():
    # IADD3, ISETP and SEL.
    body = "int s = q[i]; int t = s + q[i + 32]; if (t < n) s = t; o[i] = s;"
    assert integer_ops(count(CHOICES, GLOBAL_INDEX + body)) == pytest.approx(3 + 2)


def test_an_index_wraps_around_by_one_addition():
    # Two comparisons, the negative of n once, and for each index an addition of n, -n or nothing.
    once = "int x = q[i]; o[i] = x < 0 ? x + n : (x >= n ? x - n : x);"
    assert integer_ops(count(CHOICES, GLOBAL_INDEX + once)) == pytest.approx(3 + 4)
    again = "int y = q[i + 32]; o[i + 32] = y < 0 ? y + n : (y >= n ? y - n : y);"
    assert integer_ops(count(CHOICES, GLOBAL_INDEX + once + again)) == pytest.approx(3 + 4 + 3)


def test_what_conditions_choose_is_computed_where_it_is_used():
    # In the branch: four comparisons, four terms and q[n] in two additions of three inputs, two addresses. The loads at
    # constant places of an array are done beforehand.
    body = (
        "__shared__ int w[4]; w[threadIdx.x] = q[i]; __syncthreads(); int s = 0;"
        "for (int k = 0; k < 4; k++) if (k < (int)threadIdx.x) s += w[k];"
        "__syncthreads(); if (i == 5) o[s + q[n]] = i;"
    )
    inside, outside = (
        integer_ops(count(CHOICES, GLOBAL_INDEX + body, Run(taken=(1.0, share))))
        for share in (1.0, 0.0)
    )
    assert inside - outside == pytest.approx(4 + 2 + 2)


@pytest.mark.parametrize(
    ("index", "before"),
    [("t * n + m * 3", 3), ("(t * 16) ^ n", 0), ("(t * n + m) + ((t * n + m) >> 5)", 0)],
)
def test_only_sums_and_products_of_indices_are_computed_before_two_branches(
    index: str, before: int
):
    """SASS of nvcc: IMAD.WIDE for q and two ISETP; IMAD, IMAD and IMAD.WIDE beforehand for the first index alone."""
    body = (
        "int t = threadIdx.x;"
        f"if (q[t] > 0) o[{index}] = 1;"
        "__syncthreads();"
        f"if (q[t + 1] > 5) o[({index}) + 64] = 2;"
    )
    counts = count(
        "int *o, const int *q, int n, int m", body, Run(taken=(0.0, 0.0)), architecture="sm_90"
    )
    assert integer_ops(counts) == pytest.approx(3 + before, abs=0.8)  # m * 3 is uniform
