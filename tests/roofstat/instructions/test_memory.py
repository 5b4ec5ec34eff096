"""Redundant loads, forwarding, aliasing and private arrays."""

from __future__ import annotations

import pytest
from builder import Run, count, integer_ops

from roofstat.instructions.tables.costs import Compiler
from roofstat.instructions.tables.quantities import Quantity

POINTERS = "const float *a, float *c, int n"
HEAD = "int t = threadIdx.x;"


def loads(parameters: str, body: str, **options: object) -> float:
    return count(parameters, body, **options).total(Quantity.GLOBAL_LOADS)


def test_same_address_is_loaded_once():
    assert loads(POINTERS, HEAD + "c[t] = a[t] * a[t];") == pytest.approx(1)


def test_store_through_a_pointer_that_may_alias_reloads():
    body = HEAD + "float x = a[t]; c[t] = x; c[t + 1] = a[t];"
    assert loads(POINTERS, body) == pytest.approx(2)


def test_restrict_keeps_the_value():
    body = HEAD + "float x = a[t]; c[t] = x; c[t + 1] = a[t];"
    parameters = "const float *__restrict__ a, float *__restrict__ c, int n"
    assert loads(parameters, body) == pytest.approx(1)


def test_other_offset_of_the_same_pointer_keeps_the_value():
    body = HEAD + "float x = c[t]; c[t + 1] = x; c[t + 2] = c[t];"
    assert loads(POINTERS, body) == pytest.approx(1)


def test_types_tell_objects_apart_for_clang():
    parameters = "const int *a, float *c"
    body = HEAD + "int x = a[t]; c[t] = 1.0f; c[t + 1] = (float)(x + a[t]);"
    assert loads(parameters, body) == pytest.approx(2)
    clang = loads(parameters, body, compiler=Compiler.CLANG, architecture="sm_86")
    assert clang == pytest.approx(1)


def test_stored_value_is_forwarded():
    body = HEAD + "c[t] = a[t] + 1.0f; c[t + 1] = c[t];"
    assert loads(POINTERS, body) == pytest.approx(1)


def test_barrier_makes_shared_values_unknown():
    body = (
        "__shared__ float s[64];"
        + HEAD
        + "s[t] = a[t]; __syncthreads(); c[t] = s[t]; c[t + 1] = s[t];"
    )
    assert count(POINTERS, body).total(Quantity.SHARED_LOADS) == pytest.approx(1)


def test_private_array_with_constant_indices_lives_in_registers():
    body = HEAD + (
        "float x[4]; for (int k = 0; k < 4; k++) x[k] = a[4 * t + k];"
        "for (int k = 1; k < 4; k++) x[k] += x[k - 1];"
        "for (int k = 0; k < 4; k++) c[4 * t + k] = x[k];"
    )
    counts = count(POINTERS, body, Run(trips={0: 4, 1: 3, 2: 4}))
    assert counts.local_slots == frozenset()
    assert counts.total(Quantity.LOCAL_LOADS) == 0.0
    assert counts.sp_flop == pytest.approx(3)


def test_private_array_with_runtime_index_stays_in_local_memory():
    # Doubles, as an array of four words would be in registers.
    body = HEAD + "double x[4]; for (int k = 0; k < 4; k++) x[k] = a[k]; c[t] = x[n];"
    counts = count(POINTERS, body, Run(default_trips=4))
    assert len(counts.local_slots) == 1
    assert counts.total(Quantity.LOCAL_STORES) == pytest.approx(4)
    assert counts.total(Quantity.LOCAL_LOADS) == pytest.approx(1)


@pytest.mark.parametrize(
    ("body", "certain"),
    [
        # data and a bound that only the run knows: no unrolling gives constants
        ("for (int k = 0; k < 4; k++) x[k] = a[k]; c[t] = x[n];", True),
        ("for (int k = 0; k < 4; k++) x[k] = a[k]; c[t] = x[(int)a[t] & 3];", True),
        ("for (int k = 0; k < n; k++) x[k] = a[k]; c[t] = x[3];", True),
    ],
)
def test_indices_that_no_unrolling_makes_constant(body, certain):
    counts = count(POINTERS, HEAD + "double x[4] = {0};" + body, Run(default_trips=4))
    assert len(counts.local_slots) == 1
    assert bool(counts.indexed_by_data) is certain


@pytest.mark.parametrize("trips", [200, 900])
def test_copies_whose_number_is_a_power_of_two_make_indices_constant(trips):
    # SASS of nvcc 13.0, sm_90: neither STL nor LDL.
    body = f"for (int k = 0; k < {trips}; k++) x[k & 3] += a[k + t]; c[t] = x[3];"
    counts = count(POINTERS, HEAD + "float x[4] = {0};" + body, Run(default_trips=4))
    assert not counts.local_slots


def test_minimum_of_references_needs_no_memory():
    helper = "[](const float &x, const float &y) -> const float & { return y < x ? y : x; }"
    body = HEAD + f"auto least = {helper}; float u = a[t], v = a[t + 1]; c[t] = least(u, v);"
    counts = count(POINTERS, body)
    assert counts.total(Quantity.LOCAL_LOADS) == 0.0


@pytest.mark.parametrize(
    ("index", "is_kept"),
    [
        ("t * 9 + m * 7 + n * 5 + 1", False),
        ("t * 9 + (m + 1) * 7 + n * 5", True),
        ("t * n + 1 + m", False),
        ("t * n + (m + 1)", False),
        ("t * n + (m - 1)", True),
    ],
)
def test_clang_keeps_constants_inside_longer_sums_of_words(index: str, is_kept: bool):
    plain = index.replace("(m + 1)", "m").replace("(m - 1)", "m").replace(" + 1", "")
    body = f"{HEAD} c[0] = a[{index}]; c[1] = a[{plain}];"
    parameters = "const float *a, float *c, int n, int m"
    both = count(parameters, body, compiler=Compiler.CLANG, architecture="sm_86").int_op
    one = count(
        parameters,
        f"{HEAD} c[0] = a[{plain}]; c[1] = a[{plain}];",
        compiler=Compiler.CLANG,
        architecture="sm_86",
    ).int_op
    # Apart: one sum and one address more, and some uniform work.
    assert both - one == pytest.approx(2.0 if is_kept else 0.0, abs=0.5)


@pytest.mark.parametrize(
    ("index", "is_kept"),
    [
        ("t * 64 + k * 64 + m", False),
        ("t * 9 + (k * 7 + 3) + m", False),
        ("(t + k) * 64 + m", True),
        ("m + 33 * (k * 7 + t)", True),
    ],
)
def test_clang_keeps_constants_of_unrolling_that_come_out_of_a_product(index: str, is_kept: bool):
    def work(written: str) -> float:
        body = f"{HEAD} float s = 0; for (int k = 0; k < 4; k++) s += a[{written}]; c[t] = s;"
        parameters = "const float *a, float *c, int n, int m"
        run = Run(default_trips=4)
        return count(parameters, body, run, compiler=Compiler.CLANG, architecture="sm_86").int_op

    # Each of the copies but the first has a sum and an address of its own.
    more = work(index) - work(index.replace("k", "0"))
    assert more == pytest.approx(2.0 * 3 if is_kept else 0.0, abs=0.5)


TABLE = """
int t = threadIdx.x;
int i = (int)a[t] & 7;
const float weights[8] = {1, 2, 3, 5, 7, 11, 13, 17};
c[t] = weights[i];
"""


@pytest.mark.parametrize(
    ("compiler", "architecture", "change", "stores"),
    [
        (Compiler.NVCC, "sm_90", "", 8),
        (Compiler.CLANG, "sm_86", "", 0),
        # what is not constant has to be filled in
        (Compiler.CLANG, "sm_86", "weights[3] = a[t];", 9),
        (Compiler.CLANG, "sm_86", "weights[t & 7] = 19;", 9),
        # a store is a store, whatever it stores: only initialisers are copied from a constant
        (Compiler.CLANG, "sm_86", "weights[3] = 19;", 9),
    ],
)
def test_tables_of_constants_are_filled_by_nvcc_only(compiler, architecture, change, stores):
    body = TABLE.replace("const float", "double").replace("c[t] =", f"{change} c[t] =")
    counts = count(POINTERS, body, compiler=compiler, architecture=architecture)
    assert counts.total(Quantity.LOCAL_STORES) == pytest.approx(stores)
    assert bool(counts.local_slots) is bool(stores)


@pytest.mark.parametrize("steps", ["", "for (int k = 0; k < n; k++)"])
@pytest.mark.parametrize(
    "zero",
    ["wmma::fill_fragment(f, 0.0f);", "for (int i = 0; i < f.num_elements; i++) f.x[i] = 0.0f;"],
)
def test_matrix_operations_change_fragments_that_were_zeroed(zero, steps):
    body = f"""
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> f;
    {zero}
    {steps} {{ wmma::load_matrix_sync(a, x, 16); wmma::load_matrix_sync(b, x, 16); wmma::mma_sync(f, a, b, f); }}
    o[threadIdx.x] = f.x[0] * 2.0f + f.x[1];
    """
    prologue = "#include <mma.h>\nusing namespace nvcuda;\n"
    counts = count("const half *x, float *o, int n", body, prologue=prologue, architecture="sm_90")
    assert counts.sp_flop == pytest.approx(2)


def test_strided_accesses_of_unrolled_loops_are_made_from_one_another():
    """SASS of nvcc: IMAD for the index, IMAD.WIDE for the first access of each array and from each access to the next."""
    body = (
        "int i = blockIdx.x * blockDim.x + threadIdx.x;"
        "for (int k = 0; k < 8; k++) { o[i + k * n] = k + 1; p[i + k * n] = k + 2; }"
    )
    counts = count("float *o, float *p, int n", body, Run(default_trips=8), architecture="sm_90")
    index, arrays, accesses = 1, 2, 8
    assert integer_ops(counts) == pytest.approx(index + arrays * accesses)


@pytest.mark.parametrize(
    ("index", "start"), [("(size_t)(q * 6 + k) * n + t", 1), ("k * n + t + q * 128", 2)]
)
def test_copies_inside_a_loop_follow_the_pointer_of_the_first(index: str, start: int):
    """SASS of nvcc for a round: the first pointer advances (IMAD.WIDE by a stride, two IADD3 by a constant), five IMAD.WIDE follow."""
    head = "int t = threadIdx.x; float x = 0;\n#pragma unroll 1\nfor (int q = 0; q < m; q++)\n#pragma unroll\n"
    body = f"{head}for (int k = 0; k < 6; k++) x += a[{index}]; c[t] = x;"
    long, short = (
        integer_ops(
            count(
                "const float *a, float *c, int n, int m",
                body,
                Run(default_trips=trips),
                architecture="sm_90",
            )
        )
        for trips in (9, 8)
    )
    counter_and_test, following = 2, 5
    assert long - short == pytest.approx(counter_and_test + start + following, abs=1)


def test_strides_of_several_dimensions_are_multiplied_once():
    """SASS of nvcc: two IMAD for the first index, two for the stride in ordinary registers, IMAD.WIDE for each access."""
    head = "int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;"
    body = head + "for (int k = 0; k < 8; k++) o[((k * nz + z) * ny + y) * nx + x] = k + 1;"
    parameters = "float *o, int nx, int ny, int nz"
    counts = count(parameters, body, Run(default_trips=8), architecture="sm_90")
    index, stride, accesses = 2, 2, 8
    assert integer_ops(counts) == pytest.approx(index + stride + accesses)


def test_unsigned_indices_of_unrolled_loops_are_made_anew():
    """They may wrap around. SASS of nvcc: 7 IADD3, 8 IMAD and 8 IMAD.WIDE.U32 for eight accesses."""
    body = "for (int k = 0; k < 8; k++) o[(k * m + threadIdx.y) * n + threadIdx.x] = k + 1;"
    counts = count("float *o, int n, int m", body, Run(default_trips=8), architecture="sm_90")
    assert integer_ops(counts) == pytest.approx(7 + 8 + 8, abs=2)


@pytest.mark.parametrize(
    ("element", "expected"),
    [
        # SASS of clang 18 for sm_90, an iteration: counter, comparison, sum, and one multiply-add that advances the pointer.
        ("int", 4),
        # A byte pointer takes two additions, and a copy that is MOV or IMAD.MOV.
        ("unsigned char", 5.5),
    ],
)
def test_a_lone_pointer_that_advances_by_a_runtime_step(element, expected):
    parameters = f"const {element} *in, int *h, int n, int st"
    body = "int s = 0; for (int i = threadIdx.x; i < n; i += st) s += in[i]; h[threadIdx.x] = s;"
    run = Run(default_trips=100)
    found = count(parameters, body, run, compiler=Compiler.CLANG, architecture="sm_90")
    assert found.int_op / 100 == pytest.approx(expected, abs=0.2)


@pytest.mark.parametrize(
    ("sum_", "expected"),
    [
        # Each takes an IMAD.WIDE.U32, as does the store; the constant is an offset.
        ("a[threadIdx.x] + a[threadIdx.x + 512]", 2),
        ("a[threadIdx.x] + a[threadIdx.y * 16 + threadIdx.x + 512]", 1 + 3),
        # SHF.R; every unsigned word is small enough after that.
        ("a[q / 32] + a[q / 32 + 1]", 1 + 2),
        # SHF.L; blocks are too many for the ranges, but the sum only sets bits that are zero.
        ("a[blockIdx.x * 4] + a[blockIdx.x * 4 + 3]", 1 + 2),
        # Here it may wrap around: IADD3 and another address; IMAD and two of IADD3.
        ("a[blockIdx.x] + a[q + 1]", 1 + 3),
        ("a[blockIdx.x * 3] + a[blockIdx.x * 3 + 3]", 2 + 3),
    ],
)
def test_nvcc_knows_which_sums_of_thread_indices_stay_in_a_word(sum_, expected):
    """Operations in SASS (nvcc 13.0, sm_90)."""
    body = f"c[threadIdx.x] = {sum_};"
    found = integer_ops(count("const float *a, float *c, unsigned q", body, architecture="sm_90"))
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
@pytest.mark.parametrize(
    ("source", "ld", "operations"),
    [
        # SASS of nvcc 13.0 for each of four copies, one counter and test among them.
        ("x + (w * 16 * n + i)", "n", 5.25),
        ("x + w * 16 * n + i", "n", 7.25),
        ("x + w * 16 * 1024 + i", "1024", 6.75),
        ("x + i * 16", "n", 1.25),
        ("s + i % 16", "16", 2),  # LDSM; the remainder is the other one
    ],
)
def test_loads_of_fragments_compute_the_places_of_each_thread(source, ld, operations, architecture):
    body = f"""
    __shared__ half s[512];
    int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    for (int i = 0; i < k; i += 16) wmma::load_matrix_sync(a, {source}, {ld});
    """
    few, many = (
        integer_ops(
            count(
                "const half *x, int k, int n",
                body,
                Run(default_trips=trips),
                prologue="#include <mma.h>\nusing namespace nvcuda;\n",
                architecture=architecture,
            )
        )
        for trips in (40, 80)
    )
    assert (many - few) / 40 == pytest.approx(operations, rel=0.35)
