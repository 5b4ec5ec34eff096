"""Pointers, counters and copies of loops, against SASS of own kernels: mostly by nvcc 13.0 for sm_90."""

from __future__ import annotations

import pytest
from builder import GLOBAL_INDEX, Run, kernel, ops_per_iteration

from roofstat.instructions.graph.details import SetupDetail
from roofstat.instructions.tables.costs import Compiler
from roofstat.instructions.tables.parameters import lowering_parameters
from roofstat.instructions.walker import Walker

PARAMETERS = (
    "const float *__restrict__ a, const float *__restrict__ b, const float *__restrict__ d, float *c,"
    " int n, int m, const int *__restrict__ g, const unsigned char *__restrict__ y"
)
HEAD = GLOBAL_INDEX.replace("int i", "int t") + " if (t >= m) return; float s = 0.0f;"
ROUNDS = 16 * 40


def per_round(loop: str, taken: tuple[float, ...] = (0.0, 1.0)) -> float:
    """Integer operations that one more round adds."""
    return ops_per_iteration(
        PARAMETERS,
        f"{HEAD} {loop} c[t] = s;",
        lambda trips: Run(default_trips=trips, taken=taken),
        trips=ROUNDS,
    )


def copies_of(statement: str) -> int:
    body = f"{HEAD} for (int k = 0; k < n; k++) {{ {statement} }} c[t] = s;"
    code = kernel(PARAMETERS, body)
    graph = Walker(code, lowering_parameters("nvcc", "sm_90"), fast_math=False).run()
    found = [v.detail.copies for v in graph.values if isinstance(v.detail, SetupDetail)]
    return found[0] if found else 1


@pytest.mark.parametrize(
    ("statement", "sass"),
    [
        # Counter and test, and for each access the sum and the multiply-add that widens it.
        ("s += a[k + t];", 2 + 2),
        ("s += a[t * n + k] * b[k];", 2 + 2 + 1),
        ("s += a[3 * k] * a[3 * k + 1];", 2 + 2),
        ("s += y[k + t] + y[k];", 2 + 3 + 2 + 1),  # and the sum of the bytes
        # A product of 64 bits: sign, three multiply-adds, a sum, and two words of the address.
        ("s += a[(size_t)k * m + t];", 2 + 7),
    ],
)
def test_loops_that_data_ends_compute_each_address_from_the_counter(statement, sass):
    loop = f"for (int k = 0; k < n; k++) {{ {statement} if (s > 9.0f) break; }}"
    assert per_round(loop) == pytest.approx(sass)


LONG = "s = s * 0.5f + 1.3f;" * 64
"""Too long for two copies."""


@pytest.mark.parametrize(
    ("access", "sass"),
    [
        ("s += c[(size_t)k * m + t];", 1 + 1),
        ("s += a[(size_t)k * m + t] * c[(size_t)k * m + t];", 1 + 2),
        # Uniform: the start of the row is a product, which needs ordinary registers.
        ("s += a[m + k];", 1),
        ("s += a[m * n + k];", 1 + 2),
    ],
)
def test_pointers_of_loops_of_one_copy(access, sass):
    assert per_round(f"for (int k = 0; k < n; k++) {{ {access} {LONG} }}") == pytest.approx(sass)


@pytest.mark.parametrize(
    ("access", "sass"),
    [
        # Two counters and a test; a pair of words, or a multiply-add for each array where these are several.
        ("a[k + t]", 3 + 2),
        ("a[k + t] + b[k + t]", 3 + 2),
        ("a[k + t] + b[k + t] + d[k + t]", 3 + 3),
        # One counter, as what is left starts at a multiply-add or at a pair of words.
        ("a[k + t * m]", 2 + 2),
        ("a[k + t * m] + b[k + t * m]", 2 + 2),
        ("a[k + (size_t)t * m] + b[k + (size_t)t * m]", 2 + 4),
    ],
)
def test_counters_and_pointers_of_four_copies(access, sass):
    body = f"s += {access};" + "s = s * 0.5f + 1.3f;" * 13
    assert copies_of(body) == 4
    assert per_round(f"for (int k = 0; k < n; k++) {{ {body} }}") == pytest.approx(sass / 4)


@pytest.mark.parametrize(
    ("access", "most"),
    [
        ("s += a[k + t];", 8),
        ("s += a[k];", 8),
        ("s += a[(size_t)k * m + t];", 8),
        ("s += a[k + t] * b[k + t];", 5),
        # Pairs of words that advance, instead of a multiply-add for each array.
        ("s += a[k] * b[k];", 6),
        ("s += a[k + (size_t)t * m] * b[k + (size_t)t * m];", 6),
        ("s += b[k + t]; c[k + t] = s;", 5),
        ("float4 x = ((const float4 *)a)[k + t]; s += x.x * x.y + x.z * x.w;", 6),
        ("int j = g[k + t]; s += a[j] * d[j];", 3),
        ("float x = a[k + t]; if (x > 0.0f) s += d[k + t];", 3),
        ("s += __expf(a[k + t]);", 1),
        ("s += __logf(a[k + t]);", 2),
        ("s += __sinf(a[k + t]);", 7),
    ],
)
def test_the_assembler_copies_again_what_weighs_little(access, most):
    term = "s = s * 0.5f + 1.3f;"
    assert copies_of(access + term * most) == 16
    assert copies_of(access + term * (most + 1)) == 4


@pytest.mark.parametrize(
    ("loop", "operations"),
    [
        # Executed SASS of clang 18.1.6 (sm_86), an iteration: each copy adds the stride to the pointer in two words,
        ("s += y[(size_t)k * n + t];", 2.06),
        ("s += y[(long)k * n + t];", 2.06),
        ("s += y[(size_t)k * n * b + t];", 2.19),
        ("s += y[(size_t)k * n + b] * y[t];", 2.03),
        # also for rows; elements beside one another share a pointer, arrays and strides have one each,
        ("const float *p = y + (size_t)k * n; s += p[t] + p[t + 1];", 2.19),
        ("s += y[(size_t)k * n + t] * z[(size_t)k * n + t] + w[(size_t)k * n + t];", 6.0),
        ("s += y[(size_t)k * n + t] * z[(size_t)k * b + t];", 4.06),
        ("w[(size_t)k * n + t] = y[(size_t)k * n + t];", 4.56),
    ],
)
def test_pointers_of_clang_advance_by_strides_of_64_bits(loop, operations):
    text = f"int t = threadIdx.x; float s = 0; for (int k = 0; k < m; k++) {{ {loop} }} w[t] = s;"
    parameters = "float *w, const float *y, const float *z, int n, int m, int b"
    found = ops_per_iteration(parameters, text, compiler=Compiler.CLANG, architecture="sm_86")
    assert found == pytest.approx(operations, rel=0.15)


@pytest.mark.parametrize(
    ("statement", "operations"),
    [
        # Executed SASS of clang 18.1.6 (sm_90), an iteration of a rolled loop with its test: one multiply-add (IMAD.WIDE) advances a pointer,
        ("s += y[(size_t)k * n + t];", 2.0),
        ("s += y[(size_t)k * n + t] * v[(size_t)k * n + t];", 3.0),
        # or an offset that several pointers add in two words each.
        ("s += y[(size_t)k * n + t] * z[(size_t)k * n + t];", 6.0),
        # Behind a branch a sum may overflow, but not where the stride is taken off: then a pointer advances, of which each access has a copy.
        ("if (s < 9.0f) s += y[(size_t)(k + n) * n + t];", 9.1),
        ("if (s < 9.0f) s += y[(size_t)(k - n) * n + t];", 4.0),
    ],
)
def test_pointers_of_rolled_loops_of_clang_advance_by_widened_words(statement, operations):
    loop = f"#pragma unroll 1\n for (int k = 0; k < m; k++) {{ {statement} }}"
    found = ops_per_iteration(
        "float *w, const float *y, const float *z, const double *v, int n, int m",
        f"int t = threadIdx.x; float s = 0;\n{loop}\nw[t] = s;",
        lambda trips: Run(default_trips=trips, taken=(1.0, 1.0)),
        compiler=Compiler.CLANG,
    )
    assert found == pytest.approx(operations, abs=0.8)
    # The counter that the test needs is counted in part: the assembler mostly has it on the uniform datapath.


@pytest.mark.parametrize(
    ("start", "operations"),
    [
        # Executed SASS of clang 18.1.6 (sm_90), an iteration with its test: `k <= m` may overflow, so that the product is made anew (7.1), but
        # from a start that is not negative a pointer advances (3.1).
        ("n", 7.1),
        ("0", 3.1),
    ],
)
def test_counters_that_may_overflow_move_no_pointer_of_clang(start, operations):
    loop = f"#pragma unroll 1\n for (int k = {start}; k <= m; k++) s += y[(size_t)k * n + t];"
    found = ops_per_iteration(
        "double *w, const double *y, int n, int m",
        f"int t = threadIdx.x; double s = 0;\n{loop}\nw[t] = s;",
        compiler=Compiler.CLANG,
    )
    assert found == pytest.approx(operations, rel=0.25)


ALIASED = "int *r, const int *e, float *v, const float *x"


def per_entry(parameters: str, loop: str) -> float:
    """The same of a loop over a row, whose bounds lie in memory."""
    body = f"{GLOBAL_INDEX.replace('int i', 'int t')} {loop}"
    return ops_per_iteration(parameters, body, trips=ROUNDS)


@pytest.mark.parametrize(
    ("body", "pointers", "indexed"),
    [("v[k] *= 2.0f;", 1, 0), ("v[e[k]] = 1.0f;", 1, 1), ("v[t] += x[k] * x[e[k]];", 2, 1)],
)
def test_pointers_advance_where_each_round_loads_its_bound(body, pointers, indexed):
    # SASS: the counter, its test, two additions for each pointer, IMAD.WIDE for each place that is loaded.
    loop = f"for (int k = r[t]; k < r[t + 1]; k++) {body}"
    assert per_entry(ALIASED, loop) == pytest.approx(2 + 2 * pointers + indexed)


def test_bounds_that_only_the_host_writes_are_loaded_once():
    # SASS: four copies at least, where the same without const __restrict__ has one.
    parameters = "const int *__restrict__ r, const int *__restrict__ e, float *__restrict__ v"
    loop = "for (int k = r[t]; k < r[t + 1]; k++) v[e[k]] = 1.0f;"
    assert per_entry(parameters, loop) < 1 + 1.3
