"""Loop overhead, unrolling, hoisting and advancing pointers."""

from __future__ import annotations

import pytest
from builder import GLOBAL_INDEX, Run, count, integer_ops, kernel

from roofstat.instructions.graph.details import SetupDetail
from roofstat.instructions.tables.costs import Compiler
from roofstat.instructions.tables.parameters import lowering_parameters
from roofstat.instructions.walker import Walker
from roofstat.program.code import Op, loops

CLANG = lowering_parameters("clang", "sm_86")
HOPPER = {"compiler": Compiler.NVCC, "architecture": "sm_90"}
FLOATS = "const float *a, const float *b, float *c, int n"
HEAD = "int t = threadIdx.x; float s = 0.0f;"
TAIL = "c[t] = s;"


def per_iteration(body: str, trips: int, **options: object) -> float:
    """Integer operations that one more iteration adds, over a whole number of rounds."""
    short = count(FLOATS, body, Run(default_trips=trips), **options)
    long = count(FLOATS, body, Run(default_trips=2 * trips), **options)
    return (integer_ops(long) - integer_ops(short)) / trips


def copies_of(body: str, compiler: str, architecture: str) -> int:
    """Copies of the body of the only loop."""
    parameters = lowering_parameters(compiler, architecture)
    graph = Walker(kernel(FLOATS, body), parameters, fast_math=False).run()
    found = [v.detail.copies for v in graph.values if isinstance(v.detail, SetupDetail)]
    return found[0] if found else 1


def test_matrix_product_is_unrolled_by_both_stages_of_nvcc():
    body = HEAD + "for (int k = 0; k < n; k++) s += a[t * n + k] * b[k * n + t];" + TAIL
    copies = copies_of(body, "nvcc", "sm_80")
    # Four copies by the compiler, four of those by the assembler.
    assert copies == 4 * 4
    # What the assembler copies again advances the row in two words.
    column, row, counter, test = copies, 2, 1, 1
    share = lowering_parameters("nvcc", "sm_80").test_in_loop_on_vector
    expected = (column + row + counter + test * share) / copies
    assert per_iteration(body, 10 * copies) == pytest.approx(expected)


def test_clang_unrolls_up_to_eight_times():
    body = HEAD + "for (int k = 0; k < n; k++) s += a[k];" + TAIL
    assert copies_of(body, "clang", "sm_86") == 8


@pytest.mark.parametrize(
    ("statement", "copies"),
    [
        # Index, conversion, two addresses, load, product, store; counter, test and jump, of which two do not count: 8.
        ("c[t * n + k] = a[t * n + k] * 2.0f;", 8),
        # Index, two conversions and addresses, two loads, product and sum, and the counter: 10.
        ("s += a[t * n + k] * b[k];", 4),
        # The same conversion for both: 8.
        ("s += a[k] * b[k];", 8),
        # One conversion, three addresses and loads, three differences, four products, three sums, the counter: 18.
        (
            "float x = a[k] - b[0], y = b[k] - b[1], z = c[k] - b[2]; x = x * x + y * y + z * z; s += x * x;",
            4,
        ),
        # Conversion, address, load, float to double and back, product, sum, the counter: 9.
        ("double d = a[k]; s += d * d;", 8),
        # Index, two conversions and addresses, load, comparison, store, two jumps, the counter: 11.
        ("if (a[t * n + k] > 0.0f) c[k] = n;", 4),
    ],
)
def test_clang_copies_as_often_as_73_operations_hold_the_body(statement, copies):
    body = HEAD + f"for (int k = 0; k < n; k++) {{ {statement} }}" + TAIL
    assert copies_of(body, "clang", "sm_86") == copies


@pytest.mark.parametrize(("trips", "copies"), [(27, 27), (28, 4)])
def test_clang_unrolls_fully_below_300_operations(trips, copies):
    """Product, index, two conversions, addresses and loads, product, sum and counter: 11; 27 times that, and 2, are 299."""
    loop = f"for (int k = 0; k < {trips}; k++) s += a[k * n + t] * b[k];"
    graph = Walker(kernel(FLOATS, HEAD + loop + TAIL), CLANG, fast_math=False).run()
    assert list(graph.batches.values()) == [copies]


def test_large_bodies_are_copied_less():
    chain = "z = z * z + x;" * 40
    body = HEAD + f"for (int k = 0; k < n; k++) {{ float x = a[k], z = x; {chain} s += z; }}" + TAIL
    # 84 operations: two copies fit 200, four do not.
    assert copies_of(body, "nvcc", "sm_80") == 2
    assert copies_of(body, "clang", "sm_86") == 1


def test_pragma_overrides_the_thresholds():
    body = HEAD + '_Pragma("unroll 1") for (int k = 0; k < n; k++) s += a[k];' + TAIL
    code = kernel(FLOATS, body)
    (loop, _), *_ = loops(code.body)
    if loop.unroll == 1:
        assert copies_of(body, "nvcc", "sm_80") == 1


def test_literal_bounds_unroll_fully_and_leave_no_counter():
    body = HEAD + "for (int k = 0; k < 8; k++) s += a[8 * t + k];" + TAIL
    counts = count(FLOATS, body, Run(default_trips=8))
    scaled, addresses = 1, 2
    assert integer_ops(counts) == pytest.approx(scaled + addresses)
    assert counts.sp_flop == pytest.approx(8)


def test_halving_counter_unrolls_fully():
    body = HEAD + "for (int k = 64; k > 0; k >>= 1) s += a[k];" + TAIL
    counts = count(FLOATS, body, Run(default_trips=7))
    address = 1
    assert integer_ops(counts) == pytest.approx(address)
    assert counts.sp_flop == pytest.approx(7)


def test_invariants_are_computed_once():
    body = HEAD + "for (int k = 0; k < n; k++) s += a[k] * sqrtf(b[t]);" + TAIL
    once = count(FLOATS, body, Run(default_trips=1))
    often = count(FLOATS, body, Run(default_trips=1001))
    multiply_add = 2
    assert often.sp_flop - once.sp_flop == pytest.approx(1000 * multiply_add)


def test_a_choice_without_a_branch_leaves_the_loop():
    clamp = "float x = b[t] * b[0]; if (x > 1.0f) x = 1.0f; else if (x < -1.0f) x = -1.0f;"
    body = (
        HEAD + f"for (int k = 0; k < n; k++) {{ {clamp} s = s * 0.5f + sqrtf(x + 2.0f); }}" + TAIL
    )
    once = count(FLOATS, body, Run(default_trips=1))
    often = count(FLOATS, body, Run(default_trips=1001))
    # SASS of sm_80 has the product, FMNMX, FSEL and the root in front of the loop, one FFMA an iteration in it.
    multiply_add = 2
    assert often.sp_flop - once.sp_flop == pytest.approx(1000 * multiply_add)


def test_what_the_copy_before_has_stored_is_not_loaded_again():
    rows = "__shared__ float u[256], v[256]; int t = threadIdx.x; u[t] = c[t]; v[t] = c[t + 256]; __syncthreads();"
    product = "v[16 * n + t] -= u[16 * n + k] * v[16 * k + t];"
    body = rows + f"for (int k = 0; k < n; k++) {product} c[t] = v[t];"
    # SASS of sm_90 has 16 + 8 + 4 + 1 FFMA: four copies by the compiler and four of those by the assembler, which finds
    # two loads, a product and a store in each.
    assert copies_of(body, "nvcc", "sm_90") == 4 * 4


def test_load_that_a_store_may_change_stays_in_the_loop():
    body = "int t = threadIdx.x; for (int k = 0; k < n; k++) c[k] = c[t] + 1.0f;"
    counts = count(FLOATS, body, Run(default_trips=64))
    assert counts.totals is not None
    sites = sorted(counts.site_executions.values())
    assert sites[0] == pytest.approx(64)


def test_copy_weights_add_up_to_the_iterations():
    body = HEAD + "for (int k = 0; k < n; k++) s += a[k];" + TAIL
    for trips in (1, 3, 7, 16, 37, 1000):
        counts = count(FLOATS, body, Run(default_trips=trips))
        assert counts.sp_flop == pytest.approx(trips)


def test_runtime_step_takes_a_division_by_nvcc():
    body = "int t = threadIdx.x; int w = blockDim.x; for (int k = t; k < n; k += w) c[k] = 1.0f;"
    division = lowering_parameters("nvcc", "sm_80").copies.start_of_runtime_step
    counts = count(FLOATS, body, Run(default_trips=1))
    assert integer_ops(counts) > division
    clang = count(FLOATS, body, Run(default_trips=1), compiler=Compiler.CLANG, architecture="sm_86")
    assert integer_ops(clang) < division


def test_loop_without_effect_vanishes():
    body = "int t = threadIdx.x; int q = 0; for (int k = 0; k < n; k++) q += k; c[t] = 1.0f;"
    counts = count(FLOATS, body, Run(default_trips=100))
    address = 1
    assert integer_ops(counts) == pytest.approx(address)


def test_a_variable_without_a_first_value_keeps_the_loop_that_sets_it():
    """One of the values is stored, and none can be told to be the last: an FMA in each iteration."""
    body = 'int t = threadIdx.x; float r; _Pragma("unroll 1") for (int k = 0; k < n; k++) r = a[k] * b[k] + 1.0f; c[t] = r;'
    trips = 64
    found = count(FLOATS, body, Run(default_trips=trips))
    assert found.sp_flop == pytest.approx(2 * trips)


def test_loops_that_threads_leave_one_by_one_use_no_uniform_registers():
    # SASS of sm_86: the counter and its test, two words of the walking pointer; nvcc takes IMAD.WIDE from the counter.
    body = (
        "float x = a[threadIdx.x]; int r = -1;"
        "for (int j = 0; j < n; ++j) { if (b[j] > x) { r = j; break; } } c[threadIdx.x] = r;"
    )
    parameters = "const float *a, const float *b, float *c, int n"
    for compiler, architecture, pointer in (("clang", "sm_86", 2), ("nvcc", "sm_90", 1)):
        counts = [
            count(
                parameters,
                body,
                Run(default_trips=trips, taken=(0.0,)),
                compiler=Compiler(compiler),
                architecture=architecture,
            )
            for trips in (10.0, 20.0)
        ]
        each = (integer_ops(counts[1]) - integer_ops(counts[0])) / 10.0
        assert each == pytest.approx(2 + pointer)


def test_loops_whose_index_stays_a_word_are_not_copied_again():
    """`i + 4 * j` and unsigned counters leave the compiler without a pointer that advances."""
    head = GLOBAL_INDEX + "float s = 0; "
    four_apart = head + "for (int j = 0; j < n; j++) s += a[i + 4 * j]; c[i] = s;"
    assert copies_of(four_apart, "nvcc", "sm_90") == 4
    unsigned = head + "for (unsigned j = 0; j < n; j++) s += a[i + j]; c[i] = s;"
    assert copies_of(unsigned, "nvcc", "sm_90") == 4
    # A multiple of a sum is another thing.
    together = head + "for (int j = 0; j < n; j++) s += a[(i * 32 + j) * 2]; c[i] = s;"
    assert copies_of(together, "nvcc", "sm_90") == 16


def per_inner_iteration(body: str, trips: int, architecture: str) -> float:
    """Integer operations that one more iteration of the second loop adds, the first one run once."""
    runs = [Run(trips={0: 1.0, 1: rounds * trips}) for rounds in (1.0, 2.0)]
    short, long = (integer_ops(count(FLOATS, body, run, architecture=architecture)) for run in runs)
    return (long - short) / trips


def test_counters_that_may_wrap_around_are_unrolled_once_and_keep_their_index():
    """SASS of sm_90: four copies, each with IMAD.WIDE; three offsets and the counter are additions, one test."""
    for loop in (
        "for (unsigned j = t; j < (unsigned)n; j += 32) s += a[j];",
        "for (int j = t; j < n; j = (int)((unsigned)j + 32u)) s += a[j];",
    ):
        body = HEAD + loop + TAIL
        assert copies_of(body, "nvcc", "sm_90") == 4
        addresses, additions, test = 4, 4, 1
        expected = (addresses + additions + test) / 4
        assert per_iteration(body, 40, architecture="sm_90") == pytest.approx(expected)
    varying = "for (unsigned j = t; j < (unsigned)n; j += blockDim.x) s += a[j];"
    assert copies_of(HEAD + varying + TAIL, "nvcc", "sm_90") == 1


def test_counters_that_are_widened_to_be_compared_are_unrolled_where_they_count_up_from_a_constant():
    for loop, copies in (
        ("for (int j = t; j < (unsigned long)n; j++) s += a[j];", 1),
        ("for (int j = t; j < (unsigned long)n; j += 32) s += a[j];", 1),
        ("for (unsigned j = 0; j < (unsigned long)n; j++) s += a[j];", 1),
        ("for (int j = 0; j < (unsigned long)n; j++) s += a[j];", 16),
    ):
        assert copies_of(HEAD + loop + TAIL, "nvcc", "sm_90") == copies


def test_addresses_from_loaded_indices_count_in_every_copy_for_the_assembler():
    """Four copies of three gathers are 49 instructions of SASS, of two gathers 36: only these are copied again."""
    parameters = "const int *g, const float *a, const float *b, const float *d, float *c, int n"
    head = "int t = threadIdx.x; float s = 0, u = 0, v = 0; for (int k = 0; k < n; k++) { int j = g[k]; "
    for gathers, copies in (("s += a[j]; u += b[j];", 16), ("s += a[j]; u += b[j]; v += d[j];", 4)):
        code = kernel(parameters, head + gathers + "} c[t] = s; c[t + 99] = u; c[t + 199] = v;")
        graph = Walker(code, lowering_parameters("nvcc", "sm_90"), fast_math=False).run()
        (found,) = [v.detail.copies for v in graph.values if isinstance(v.detail, SetupDetail)]
        assert found == copies


@pytest.mark.parametrize(
    ("function", "copies"),
    [
        ("fabsf(x)", 16),
        ("expf(x)", 16),
        ("logf(x)", 4),
        ("atan2f(x, s)", 4),
        ("powf(x, s)", 1),
        ("sinf(x)", 1),
        ("fmodf(x, s)", 1),
    ],
)
def test_library_functions_have_the_sizes_that_nvcc_gives_them(function: str, copies: int):
    """SASS of `s += f(x[k])`: sines and remainders hold loops of their own, a power is too large for two copies.

    The assembler copies the absolute value and the exponential again.
    """
    body = HEAD + f"for (int k = 0; k < n; k++) {{ float x = a[k]; s += {function}; }}" + TAIL
    assert copies_of(body, "nvcc", "sm_90") == copies


@pytest.mark.parametrize(
    ("sum_", "expected"),
    [
        # Counter, test, and the pointer that a multiply-add advances by four times the step.
        ("a[k]", 3),
        # Counter, test, a common offset, and two words for each pointer to which that is added.
        ("a[k] * b[k]", 2 + 1 + 4),
        # So it is in rows, where one pointer alone is copied.
        ("a[t * n + k] * b[k]", 2 + 1 + 4),
        ("a[t * n + k]", 4),
        # A multiple of the counter is no sum: the product is part of the scaling (LEA, IMAD.WIDE).
        ("a[2 * k]", 2 + 2),
    ],
)
def test_clang_advances_pointers_by_steps_that_only_the_run_knows(sum_, expected):
    body = HEAD + f"for (int k = t; k < n; k += m) s += {sum_};" + TAIL
    parameters = FLOATS + ", int m"
    clang = {"compiler": Compiler.CLANG, "architecture": "sm_86"}
    short = count(parameters, body, Run(default_trips=10), **clang)
    long = count(parameters, body, Run(default_trips=20), **clang)
    assert (integer_ops(long) - integer_ops(short)) / 10 == pytest.approx(expected)


def test_trip_counts_that_take_a_division_for_each_entry_are_not_worked_out():
    inner = "for (int j = {}; j < n; j += m) c[j] = a[j] + x;"
    for start, copies in (("k", 1), ("0", 4)):
        body = "for (int k = threadIdx.x; k < m; k += 32) { float x = b[k]; " + inner.format(start)
        code = kernel(f"{FLOATS}, int m", body + "}")
        graph = Walker(code, lowering_parameters("nvcc", "sm_90"), fast_math=False).run()
        found = [v.detail.copies for v in graph.values if isinstance(v.detail, SetupDetail)]
        assert (found or [1])[-1] == copies


def test_of_two_counters_one_is_uniform_where_the_warp_stays_together():
    """SASS of sm_90, 16 copies: UIADD3 and IADD3 for two counters; in a loop that threads leave on their own IADD3 twice."""
    alone = HEAD + "for (int k = 0; k < n; k++) s += a[k];" + TAIL
    counter, test, pointer = 1, 1, 2
    expected = (counter + test + pointer) / 16
    assert per_iteration(alone, 160, architecture="sm_90") == pytest.approx(expected)
    inside = (
        "for (int t = threadIdx.x; t < n; t += blockDim.x) {"
        "float s = 0; for (int k = 0; k < n; k++) s += a[k]; c[t] = s; }"
    )
    expected = (2 * counter + test + pointer) / 16
    assert per_inner_iteration(inside, 160, "sm_90") == pytest.approx(expected)


def test_rolled_loops_count_on_the_uniform_datapath_of_hopper():
    """SASS of one copy.

    sm_90: UIADD3 for the counter, ISETP; a pointer of the warp takes two UIADD3, one of each thread IADD3 and IADD3.X.
    sm_86 counts with IADD3.
    """
    rolled = "\n#pragma unroll 1\nfor (int k = 0; k < n; k++) s += {};"
    test = 1
    for access, pointer in (("a[k]", 0), ("a[t + k]", 2)):
        body = HEAD + rolled.format(access) + TAIL
        for architecture, counter in (("sm_90", 0), ("sm_86", 1)):
            each = per_iteration(body, 10, architecture=architecture)
            assert each == pytest.approx(counter + test + pointer)


def test_conditional_steps_take_a_predicated_addition_besides():
    """SASS of sm_90: `VIADD R, R, 1` and `@P IMAD.MOV R, old`, counted both; a step from a register is selected."""
    loop = "\n#pragma unroll 1\nfor (int k = 0; k < n; k++) {{ {} }}"
    rest = 1  # the test; the counter and the pointer are uniform
    for step, expected in (
        ("if (a[k] < 0) r++;", 2),
        ("r += a[k] < 0 ? 1 : 0;", 2),
        ("r += a[k] < 0;", 2),
        ("r += a[k] < 0 ? 7 : 2;", 2),
        ("if (a[k] < 0) r += 7;", 1),
        ("if (a[k] < 0) r += n;", 1),
    ):
        body = "int r = 0;" + loop.format(step) + "c[threadIdx.x] = r;"
        each = per_iteration(body, 10, architecture="sm_90")
        assert each == pytest.approx(expected + rest), step


@pytest.mark.parametrize(
    ("index", "operations"),
    [
        # SASS of eight copies: 18, 18, 7, 7, 4 and 3 integer instructions
        ("t + 100 * k", 2.2),
        ("t * n + 3 * k", 2.2),
        ("t + 64 * k", 0.9),
        ("t + 2 * k", 0.9),
        ("(t & 1023) + 100 * k", 0.55),
        ("3 * k", 0.4),
        # executed SASS of 200 rounds
        ("(int)threadIdx.x + 500 * k", 2.1),
        ("(int)threadIdx.x + 512 * k", 1.05),
    ],
)
def test_clang_widens_the_index_of_each_copy_that_multiplies_the_counter(
    index: str, operations: float
):
    # ids of threads and blocks make a sum that may pass the largest int
    head = "int t = blockIdx.x * blockDim.x + threadIdx.x; float s = 0.0f; "
    body = f"{head} for (int k = 0; k < n; k++) s += a[{index}]; {TAIL}"

    def work(trips: int) -> float:
        run = Run(default_trips=trips)
        return count(FLOATS, body, run, compiler=Compiler.CLANG, architecture="sm_86").int_op

    assert (work(808) - work(8)) / 800 == pytest.approx(operations, abs=0.25)


SUM = "s += a[k * n + t];"
"""An access (2), the index (1 and 1) and the addition (1): 5, of which eight copies weigh 40; the limit is 46."""
DECLARED = "for (int k = 0; k < n; k++) "
BEFORE = "int k; for (k = 0; k < n; k++) "


@pytest.mark.parametrize(
    ("body", "copies"),
    [
        # The end of a loop that declares its counter, with the store in it, stands in front of the body: no test last.
        (HEAD + DECLARED + SUM + TAIL, 8),
        (HEAD + BEFORE + SUM + TAIL, 8 * 4),
        # Paths meet behind it; but not behind an else.
        (HEAD + "if (t < n) {" + DECLARED + SUM + "}" + TAIL, 8 * 4),
        (HEAD + "if (t < n) {" + DECLARED + SUM + "} else { s = b[t]; c[0] = s; }" + TAIL, 8),
        # Backwards the test stays as it is written.
        (HEAD + "for (int k = n - 1; k >= 0; k--) " + SUM + TAIL, 8 * 4),
        # Two accesses, their addresses and the sum: 4 + 3 + 1 = 8 or 9, too much for eight copies; four weigh at most 36.
        (HEAD + BEFORE + "s += a[k * n + t] * b[k];" + TAIL, 4 * 4),
        # Without loads 18 is the limit, for eight copies two operations.
        (HEAD + BEFORE + "s = s * 0.5f + 1.0f;" + TAIL, 8 * 4),
        (HEAD + BEFORE + "s = s * s * 0.5f + 1.0f;" + TAIL, 8 * 4),
        (HEAD + BEFORE + "s = s * s * s * 0.5f + 1.0f;" + TAIL, 8),
    ],
)
def test_the_assembler_copies_what_clang_unrolled_where_the_loop_ends_with_its_test(body, copies):
    assert copies_of(body, "clang", "sm_86") == copies


@pytest.mark.parametrize(
    ("access", "copies"),
    [
        ("a[k * n + t + j]", 8 * 4),
        # The row's number is not negative, so that the trip count runs down below zero beside the pointer.
        ("a[j * n + k]", 8),
        ("a[t * n + k]", 8),
        ("a[(t + blockIdx.x * blockDim.x) * n + k]", 8 * 4),
    ],
)
def test_the_assembler_copies_inner_loops_unless_they_count_below_zero(access, copies):
    body = HEAD + "for (int j = 0; j < n; j++) { for (int k = 0; k < n; k++) s += %s; }" + TAIL
    assert copies_of(body % access, "clang", "sm_86") == copies


@pytest.mark.parametrize(
    ("statement", "copies"),
    [
        # Paths meet at the end of the body, where the test stands last.
        ("if (a[k] > 0.0f) s += b[k];", 4 * 4),
        ("if (a[k] > 0.0f) { if (b[k] > 0.0f) s += c[k]; }", 4),
        ("s += ((const char *)a)[k];", 8),
        ("s += ((const short *)a)[k];", 8 * 4),
    ],
)
def test_the_assembler_copies_bodies_of_one_branch_at_most_without_accesses_to_bytes(
    statement, copies
):
    loop = f"for (int k = 0; k < n; k++) {{ {statement} }}"
    nested = f"for (int j = 0; j < n; j++) {{ {loop} c[j] = s; }}"
    body = HEAD + (loop if "if" in statement else nested) + TAIL
    assert copies_of(body, "clang", "sm_86") == copies


def test_the_assembler_leaves_pointers_that_go_down():
    body = HEAD + "for (int k = n - 1; k >= 0; k--) s += a[k];" + TAIL
    assert copies_of(body, "clang", "sm_86") == 8


@pytest.mark.parametrize(("terms", "copies"), [(8, 8), (9, 1)])
def test_what_folds_in_simulated_iterations_raises_the_limit_of_clang(terms, copies):
    """An iteration of m terms: for each an index, its conversion, address, load and sum; k * 3, a product, counter, test, jump.

    For m = 8 that is 45, 41 without k * 3, counter, test and jump; eight of those are 328 of 299 * 45 / 41. For m = 9: 50 and
    46, so 368 of 299 * 50 / 46 = 325. Clang unrolls the first and not the second.
    """
    summed = " + ".join(f"a[{m + 1} * n + k * 3]" for m in range(terms))
    body = HEAD + f"for (int k = 0; k < 8; k++) s = s * s + {summed};" + TAIL
    graph = Walker(kernel(FLOATS, body), lowering_parameters("clang", "sm_86"), fast_math=False)
    assert list(graph.run().batches.values()) == [copies]


@pytest.mark.parametrize(
    ("term", "most"),
    [
        # Of the inner loop an index, its conversion, address, load, sum, counter and test; conversion, address, store, counter of
        # the outer one, and four jumps: into the inner loop, around, back and out of it.
        ("a[t * n + k]", 19),
        # A product, an address and a load besides.
        ("a[k] * b[k]", 17),
    ],
)
def test_clang_unrolls_a_loop_by_the_size_of_one_copy_of_the_loop_inside(term, most):
    """SASS of clang 18.1.6; the inner loop has eight copies afterwards."""
    inner = f"float s = 0.0f; for (int k = 0; k < n; k++) s += {term}; c[j] = s;"
    for trips, copies in ((most, most), (most + 1, 1)):
        body = f"int t = threadIdx.x; for (int j = 0; j < {trips}; j++) {{ {inner} }}"
        graph = Walker(kernel(FLOATS, body), CLANG, fast_math=False).run()
        assert sum(value.op is Op.STORE for value in graph.effects) == copies


def test_nvcc_unrolls_the_loop_inside_before_it_measures_the_one_around():
    """A triangular solve in shared memory: SASS of nvcc 13.0 has one outer loop; its inner loop is copied, and too large with that."""
    tile = "__shared__ float s[256], d[256]; int t = threadIdx.x; s[t] = a[t]; d[t] = b[t]; __syncthreads();"
    nest = "for (int i = 1; i < 16; i++) for (int j = 0; j < i; j++) s[16 * i + t] -= d[16 * i + j] * s[16 * j + t];"
    walked = kernel(FLOATS, f"{tile} {nest} c[t] = s[t];")
    graph = Walker(walked, lowering_parameters("nvcc", "sm_90"), fast_math=False).run()
    assert max(effect.context.depth for effect in graph.effects) == 2


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # IADD3 and IMAD.WIDE for each of two words that advance: clang adds 4 to `t` in front of the loop, and the sums may overflow.
        ("8 * k + t", "8 * k + 4 + t", 2 + 2),
        ("n * k + t", "n * k + 4 + t", 2 + 2),
        # Here it is added to the row as the source says, and offsets tell the accesses apart.
        ("t * n + k", "t * n + 4 + k", 2),
    ],
)
def test_clang_adds_constants_to_what_a_loop_leaves_alone(first, second, expected):
    rolled = HEAD + "\n#pragma unroll 1\nfor (int k = 0; k < n; k++) s += {};" + TAIL
    clang = {"compiler": Compiler.CLANG, "architecture": "sm_86"}
    alone, both = (
        per_iteration(rolled.format(sum_), 40, **clang)
        for sum_ in ("1.0f", f"a[{first}] * a[{second}]")
    )
    assert both - alone == pytest.approx(expected, abs=0.35)


ROWS = "const float *a, float *c, int n, int m, int q"
ROW_HEAD = "int t = threadIdx.x, y = threadIdx.y, r0 = blockIdx.y * 32; float s = 0; "


def per_row(loop: str) -> float:
    """Integer operations of nvcc for sm_90 that one more of the iterations takes."""
    body = ROW_HEAD + loop + " c[t] = s;"
    short, long = (
        count(ROWS, body, Run(default_trips=trips), architecture="sm_90") for trips in (160, 320)
    )
    return (integer_ops(long) - integer_ops(short)) / 160


ADVANCE = 2.0
"""IADD3 and IADD3.X of a pointer for each copy."""
MULTIPLIED = 6.0
"""IMAD.WIDE.U32, two IMAD, IADD3, LEA, LEA.HI.X of an address that is computed anew."""


@pytest.mark.parametrize(
    ("loop", "copies", "expected"),
    [
        ("for (int r = 0; r < m; r++) if (r < q) s += a[(size_t)r * n + t];", 16, ADVANCE),
        ("for (int r = y; r < m; r += 8) s += a[(size_t)r * n + t];", 16, ADVANCE),
        # The sign of the row number besides.
        (
            "for (int r = y; r < m; r += 8) if (r < q) s += a[(size_t)r * n + t];",
            4,
            MULTIPLIED + 1,
        ),
    ],
)
def test_rows_that_iterations_skip_are_multiplied_anew_unless_they_start_at_zero(
    loop, copies, expected
):
    """SASS: 3.1, 2.1 and 10.0 operations an iteration without register copies."""
    tests = 1 if "if" in loop else 0
    # The counter is uniform where it starts at zero: a quarter of what is computed from it counts.
    counter = (1 + 15 / 4) / 16 if "r = 0" in loop else max(tests, 1 / copies)
    assert per_row(loop) == pytest.approx(expected + tests + counter + 1 / copies)


@pytest.mark.parametrize("index", ["t + j", "t * 32 + j", "t + k + j", "k + j"])
def test_pointers_advance_though_no_part_of_the_index_is_negative(index):
    """SASS: one pointer for sixteen copies, IADD3 and IADD3.X; the counter and the test."""
    loop = f"for (int k = 0; k < q; k += 256) for (int j = 0; j < m; j++) s = s * s + a[{index}];"
    runs = [Run(trips={0: 1.0, 1: trips}) for trips in (160, 320)]
    short, long = (
        integer_ops(count(ROWS, ROW_HEAD + loop + " c[t] = s;", run, architecture="sm_90"))
        for run in runs
    )
    assert (long - short) / 160 == pytest.approx(4 / 16)


def test_a_uniform_pointer_that_advances_by_a_pair_of_words_is_one_operation():
    """SASS: UIADD3 and UIADD3.X, brought over by MOV and IMAD.U32; 17 operations for sixteen copies."""
    loop = "for (int k = 0; k < m; k++) s = s * s + a[(size_t)k * n + q];"
    assert per_row(loop) == pytest.approx(1 + 2 / 16)


def test_steps_of_two_factors_in_64_bits_add_a_pair_of_words():
    """SASS: 22 and 11 operations. Each further row takes IADD3 and IADD3.X, where a product of words is an IMAD.WIDE.

    Of the 22, IMAD.WIDE and two shifts make the uniform step of bytes in ordinary registers, which is not modelled.
    """
    body = "int t = threadIdx.x; float s = 0; for (int k = 0; k < 8; k++) s += a[{}]; c[t] = s;"
    for index, expected in (("((size_t)k * n + q) * m + t", 19), ("(k * n + q) * m + t", 11)):
        found = integer_ops(count(ROWS, body.format(index), architecture="sm_90"))
        assert found == pytest.approx(expected, abs=1)


SHARED = "extern __shared__ float sm[]; sm[t] = a[t]; __syncthreads(); "


@pytest.mark.parametrize("architecture", ["sm_90", "sm_86"])
def test_rows_of_shared_memory_are_steps_of_one_address(architecture):
    """SASS: a LEA or an IMAD for each of sixteen copies, then the counter and the test (18 operations; 19 on sm_86)."""
    body = f"int t = threadIdx.x; {SHARED} float s = 0; for (int r = 0; r < n; r++) s = s * s + sm[r * n + t]; c[t] = s;"
    assert per_iteration(body, 160, architecture=architecture) == pytest.approx(18 / 16)


ROWS_OF_SHARED = "__shared__ float u[8][33], v[256]; u[t / 32][t % 32] = v[t] = a[t]; __syncthreads(); float s = 0;"


@pytest.mark.parametrize(
    ("term", "pointers"),
    [
        ("v[t + k]", 1),
        # The same for the whole warp: UIADD3.
        ("v[k]", 0),
        # Elements a constant apart are one pointer, those of two arrays or in other steps are two.
        ("v[t + k] * v[t + k + 1]", 1),
        ("v[t + k] * v[t + 32 * k]", 2),
        ("u[t][k] * v[32 * t + k]", 2),
        # A row and an element are one sum of bytes, whichever of them advances.
        ("u[t][k] * u[t][k + 2]", 1),
        ("u[k][t]", 1),
        ("u[k][threadIdx.x + 1] * u[k + 1][threadIdx.x]", 1),
        # A step that only the run knows: IMAD from the counter.
        ("v[t + k * n]", 1),
    ],
)
def test_pointers_into_shared_memory_advance_by_one_operation(term, pointers):
    """SASS of one copy (sm_86 and sm_90): IADD3 for each pointer, then ISETP and on sm_86 IADD3 of the counter."""
    loop = f"\n#pragma unroll 1\nfor (int k = 0; k < n; k++) s = s * s + {term};"
    body = f"int t = threadIdx.x; {ROWS_OF_SHARED} {loop} c[t] = s;"
    for architecture, counter in (("sm_90", 0), ("sm_86", 1)):
        each = per_iteration(body, 10, architecture=architecture)
        assert each == pytest.approx(pointers + 1 + counter)


def test_the_place_of_the_best_is_computed_by_each_thread():
    """SASS of `if (s[k] > best)`: sixteen VIADD under the condition for the place, one of the counter and ISETP."""
    loop = "for (int k = 0; k < n; k++) if (v[k] > s) { s = v[k]; place = k; }"
    body = f"int t = threadIdx.x, place = 0; {ROWS_OF_SHARED} {loop} c[t] = s + place;"
    assert per_iteration(body, 160, architecture="sm_90") == pytest.approx((16 + 2) / 16, abs=0.1)


def test_dividing_counters_halve_on_the_uniform_datapath_of_hopper():
    """SASS of a bitonic step: LOP3 of the partner, LEA of its address, two tests and the one of the loop."""
    body = (
        f"int t = threadIdx.x; {SHARED} for (int j = n; j > 0; j /= 2) {{ int p = t ^ j; "
        "if (p > t) sm[t] = sm[p]; __syncthreads(); } c[t] = sm[t];"
    )
    assert per_iteration(body, 16, architecture="sm_90") == pytest.approx(4)


@pytest.mark.parametrize("compiler", ["nvcc", "clang"])
@pytest.mark.parametrize("halved", ["j >>= 1", "j /= 2"])
def test_the_stride_of_a_block_reduction_stays_in_an_ordinary_register(compiler, halved):
    """SASS of both for sm_90: ISETP of the thread, SHF, ISETP of the loop."""
    body = (
        f"int t = threadIdx.x; {SHARED} float s = 0; for (int j = n; j > 0; {halved}) {{ "
        "if (t < j) s += sm[t]; __syncthreads(); } c[t] = s;"
    )
    ops = per_iteration(body, 16, compiler=Compiler(compiler), architecture="sm_90")
    assert ops == pytest.approx(3)


@pytest.mark.parametrize(
    ("condition", "step", "expected"),
    [
        # The sum is an IMAD each. IMAD.WIDE.U32, SHF, IMAD, ISETP
        ("k > 0", "s = s * 3 + k % 10; k /= 10;", 1 + 4),
        ("k != 0", "s = s * 3 + k % 10; k /= 10;", 1 + 5),  # IMAD.HI, SHF, LEA.HI, IMAD, ISETP
        ("k > 0", "s = s * 3 + k % 8; k /= 8;", 1 + 3),  # LOP3, SHF, ISETP
    ],
)
def test_a_variable_that_its_loop_keeps_positive_is_divided_as_unsigned(condition, step, expected):
    body = f"int t = threadIdx.x; int k = t * n, s = 0; while ({condition}) {{ {step} }} c[t] = s;"
    assert per_iteration(body, 16, architecture="sm_90") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("start", "pointers", "expected"),
    [("0", 1, 8), ("0", 3, 10), ("t", 1, 11), ("t", 2, 14), ("t", 3, 17)],
)
def test_every_pointer_of_a_copied_loop_is_set_up_for_the_remainder_and_for_the_copies(
    start, pointers, expected
):
    """SASS of four copies: 8 and 10 operations, with the address of the result; 11, 14 and 17 from a start that varies."""
    terms = " + ".join(["a[i]", "b[i]", "c[i]"][:pointers])
    chain = "s = s * s + 1.0f; " * 12
    step = "i += 32" if start == "t" else "i++"
    body = f"{HEAD} for (int i = {start}; i < n; {step}) {{ s = s * s + {terms}; {chain} }} {TAIL}"
    short, long = (
        integer_ops(count(FLOATS, body, Run(default_trips=trips), architecture="sm_90"))
        for trips in (160, 320)
    )
    assert 2 * short - long == pytest.approx(expected, abs=1.3)


@pytest.mark.parametrize("type_", ["unsigned char", "short", "unsigned short"])
def test_a_uniform_number_of_less_than_a_word_may_be_carried_around_a_loop(type_):
    # The conversion back to it has one operand.
    body = f"{type_} k = n; for (int j = 0; j < m; j++) {{ o[i + j] = k; k = k * 3 + 1; }}"
    assert integer_ops(count("int *o, int n, int m", GLOBAL_INDEX + body, architecture="sm_90")) > 0


@pytest.mark.parametrize(
    ("start", "after"),
    [
        ("int h = 0;", "h ^= 1;"),
        ("int h = 0;", "h = 1 - h;"),
        ("bool h = false;", "h = !h;"),
        ("int h = 0, g = 1;", "int old = h; h = g; g = old;"),
    ],
)
def test_halves_of_a_double_buffer_have_constant_addresses(start: str, after: str):
    """SASS of nvcc for four copies: LDS, FADD and STS at constant distances in all of these; counter and test."""
    body = (
        f"__shared__ float x[2][64]; int t = threadIdx.x; x[0][t] = a[t]; {start}"
        f"for (int q = 0; q < n; q++) {{ x[1 - h][t] = x[h][63 - t] + 1.0f; {after} __syncthreads(); }}"
        "c[t] = x[0][t];"
    )
    copies, counter_and_test = 4, 2
    assert copies_of(body, "nvcc", "sm_90") == copies
    cost = per_iteration(body, 8, architecture="sm_90")
    assert cost == pytest.approx(counter_and_test / copies, abs=0.05)


@pytest.mark.parametrize(("type_", "pointers"), [("float", 2), ("unsigned char", 4)])
def test_pointers_to_bytes_take_two_additions_of_a_runtime_stride(type_, pointers):
    """SASS of two pointers: two IMAD.WIDE; for bytes two of IADD3 and of IADD3.X, and a copy (nvcc 13.0, sm_90)."""
    parameters = f"const {type_} *__restrict__ a, float *c, int n, int m"
    body = (
        "int t = threadIdx.x, o = t, p = 3 * t; float s = 0;"
        "\n#pragma unroll 1\n"
        "for (int k = 0; k < n; k++) { s = s * a[o] + a[p]; o += m; p += m; } c[t] = s;"
    )
    short, long = (
        integer_ops(count(parameters, body, Run(default_trips=trips), architecture="sm_90"))
        for trips in (10, 20)
    )
    test = 1
    assert (long - short) / 10 == pytest.approx(pointers + test, abs=0.1)


LONG = " s = s * s + 1.0f; s = s * n + s; s = s * s + n;" * 3


@pytest.mark.parametrize(
    ("terms", "stores", "copies"),
    [(4, 0, 16), (5, 0, 4), (2, 1, 16), (3, 1, 4), (0, 2, 16), (1, 2, 4), (0, 3, 4)],
)
def test_the_assembler_of_nvcc_copies_light_loops_without_loads(terms, stores, copies):
    """SASS of nvcc 13.0 (sm_90): four copies weigh 16 to 19.2 where they are copied again, 20 and more where not."""
    steps = "".join(f"s = s * 2.0f + {k + 1.5}f;" for k in range(terms))
    rows = "".join(f"c[k * n + t + {k} * n * n] = s;" for k in range(stores))
    body = f"{HEAD} for (int k = 0; k < n; k++) {{ {steps} {rows} }} {TAIL}"
    assert copies_of(body, "nvcc", "sm_90") == copies


@pytest.mark.parametrize(
    ("atomic", "copies"),
    [
        ("atomicAdd(&c[k * n + t], 1.0f)", 4),
        ("atomicMax((int *)&c[k * n + t], t)", 4),
        ("atomicAdd(&held[k], a[k])", 4),
        ("atomicExch(&c[k * n + t], s)", 16),
        ("atomicAdd((unsigned long long *)&c[k * n + t], 1ull)", 16),
    ],
)
def test_the_assembler_of_nvcc_leaves_atomics_that_compute(atomic, copies):
    """SASS of nvcc 13.0 (sm_90); exchanges and sums of long integers are copied again."""
    body = f"{HEAD} __shared__ float held[64]; for (int k = 0; k < n; k++) {atomic}; {TAIL}"
    assert copies_of(body, "nvcc", "sm_90") == copies


@pytest.mark.parametrize(
    ("term", "addresses", "counters"),
    [
        # UIADD3 of the address and of one of two counters.
        ("v[k]", 0, 1),
        # LEA from a counter in an ordinary register, whose other one that needs no longer.
        ("v[t + k]", 1, 2),
        ("v[t + 32 * k]", 1, 2),
        ("v[t + k] * v[k]", 2, 2),
    ],
)
def test_loops_that_only_the_compiler_copies_scale_their_counter(term, addresses, counters):
    """SASS of four copies, too long for the assembler to copy them again (nvcc 13.0, sm_90)."""
    loop = f"for (int k = 0; k < n; k++) {{ s = s * {term} + 2.0f;{LONG} }}"
    body = f"int t = threadIdx.x; {ROWS_OF_SHARED} {loop} c[t] = s;"
    assert copies_of(body, "nvcc", "sm_90") == 4
    test = 1
    expected = (addresses + counters + test) / 4
    assert per_iteration(body, 40, architecture="sm_90") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("copies", "arrays", "index", "expected"),
    [
        # SASS of nvcc 13.0 for sm_90 (executed): IMAD.WIDE for each pointer, counter and test for each round.
        (8, "a", "(size_t)k * n + t", 1.0 + 2 / 8),
        (8, "ab", "(size_t)k * n + t", 2.0 + 2 / 8),
        # Four accesses have a pointer each, which is copied.
        (4, "a", "(size_t)k * n + t", 2.0 + 2 / 4),
        (4, "ab", "(size_t)k * n + t", 2.0 + 2 / 4),
        # A stride of two factors is a pair of words.
        (8, "a", "((size_t)k * n + t) * n", 2.0 + 2 / 8),
    ],
)
def test_a_widened_stride_is_added_by_one_multiply_add_where_the_trips_are_known(
    copies, arrays, index, expected
):
    terms = "+".join(f"{array}[{index}]" for array in arrays)
    integers = []
    for trips in (320, 640):
        body = f"{HEAD}\n#pragma unroll {copies}\nfor (int k = 0; k < {trips}; k++) s += {terms};{TAIL}"
        integers.append(integer_ops(count(FLOATS, body, Run(default_trips=trips), **HOPPER)))
    assert (integers[1] - integers[0]) / 320 == pytest.approx(expected, abs=0.15)


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        # SASS of nvcc 13.0 for sm_90 (executed): LOP3, IMAD.WIDE and the test; a shifted start keeps the shift as well,
        # and a copy, which is a MOV here and an integer operation in nine of ten loops.
        ("n", 3.0),
        ("n >> 1", 4.9),
    ],
)
def test_a_counter_that_starts_shifted_is_shifted_as_signed_in_an_ordinary_register(
    start, expected
):
    body = f"int t = threadIdx.x; float s = 0; for (int j = {start}; j > 0; j >>= 1) s = s * a[t ^ j] + 1; c[t] = s;"
    assert per_iteration(body, 4, **HOPPER) == pytest.approx(expected, abs=0.5)
