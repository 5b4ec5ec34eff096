"""When clang and the assembler after it copy a loop: SASS of own kernels (clang 18.1.6 with ptxas 12.6, sm_86)."""

from __future__ import annotations

import pytest
from builder import Run, count, integer_ops, kernel

from roofstat.instructions.graph.details import SetupDetail
from roofstat.instructions.graph.liveness import analyse
from roofstat.instructions.loops.jump_cleanup import tidies_jumps
from roofstat.instructions.tables.costs import Compiler
from roofstat.instructions.tables.parameters import LoweringParameters, lowering_parameters
from roofstat.instructions.walker import Walker
from roofstat.program.code import Op

CLANG = lowering_parameters("clang", "sm_86")
ARGUMENTS = "const float *a, const int *e, const double *q, float *o, int n, int w, int h"
HEAD = "int x = blockIdx.x * blockDim.x + threadIdx.x; float s = 0.0f;"
SUM = "for (int d = 0; d < n; d++) s += a[d];"
ARMS = "if (x < w) { o[h + x] = a[x + 1] * s; } else { o[x] = a[x] + a[w]; }"


def known_copies(body: str, parameters: LoweringParameters = CLANG) -> int | None:
    """Copies in the one loop of a kernel; None where it is unrolled fully."""
    code = kernel(ARGUMENTS, f"{HEAD} {body} o[x] = s;")
    graph = Walker(code, parameters, fast_math=False).run()
    live = analyse(graph, has_constant_tables=True).live
    found = {value.context.loop.copies for value in live if value.context.loop is not None}
    return found.pop() if found else None


def copies_of(body: str) -> int:
    """Copies of the first loop that is copied."""
    code = kernel(ARGUMENTS, f"{HEAD} {body} o[x] = s;")
    graph = Walker(code, CLANG, fast_math=False).run()
    found = [v.detail.copies for v in graph.values if isinstance(v.detail, SetupDetail)]
    return found[0] if found else 1


@pytest.mark.parametrize(
    ("body", "copies"),
    [
        (SUM, 8),
        (f"{SUM} s += __shfl_down_sync(~0u, s, 16);", 32),
        (f"s = __ballot_sync(~0u, x > 3); {SUM}", 32),
        (f"{SUM} __syncwarp();", 32),
        (f"{SUM} __syncthreads();", 8),
        (f"{SUM} s += q[0] / q[1];", 32),
        (f"s = q[0] / 3.0; {SUM}", 32),
        (f"{SUM} s += q[0] / 2.0;", 8),
        (f"{SUM} s += 1.0 / q[1];", 8),
        (f"{SUM} s += sqrt(q[1]);", 32),
        (f"{SUM} s = sqrtf(s) / h;", 8),
        (f"{SUM} s += (long long)h / w;", 32),
        (f"{SUM} s += (long long)h / 10;", 8),
        (f"{SUM} s = tanhf(s);", 32),
        (f"{SUM} s = expf(s);", 8),
        (f"{SUM} s = powf(s, 3.0f);", 32),
        (f"{SUM} s = powf(s, s);", 8),
        (f"{SUM} {ARMS}", 32),
        (f"{ARMS} {SUM}", 8),
        (f"{SUM} if (x > h) o[w] = 2; {ARMS}", 8),
        (f"{SUM} if (x < w) s += a[x];", 8),
        (f"{SUM} if (x < w) o[x] = s; else o[h] = s;", 8),
        (f"{SUM} for (int i = 0; i < w; i++) {{ if (a[i] > 2) s += a[i * w]; }}", 32),
        (f"for (int i = 0; i < w; i++) {{ {SUM} }}", 32),
        (f"{SUM} for (int i = 64; i > 0; i >>= 1) s += a[x + i];", 8),
    ],
)
def test_the_assembler_copies_loops_of_functions_whose_jumps_it_tidies(body, copies):
    assert copies_of(body) == copies


@pytest.mark.parametrize(
    ("term", "copies"),
    [
        ("a[i] * w", 4),
        ("a[i] / w", 1),
        ("1.0f / a[i]", 1),
        ("a[i] / 3.0f", 1),
        ("a[i] / 4.0f", 4),
        ("__fdividef(a[i], w)", 4),
        ("sqrtf(a[i])", 4),
        ("atan2f(a[i], s)", 1),
        ("(float)q[i] / 2.0f", 4),
        ("(float)(q[i] / q[0])", 1),
        ("(float)sqrt(q[i])", 1),
        ("(float)exp(q[i])", 1),
        ("e[i] / w", 4),
        ("(long long)e[i] / 3", 4),
        ("(long long)e[i] % w", 1),
    ],
)
def test_the_assembler_leaves_loops_that_may_call_a_subroutine(term, copies):
    assert copies_of(f"for (int i = threadIdx.x; i < n; i += 64) s += {term};") == copies


def test_operations_for_other_lanes_tidy_jumps():
    shuffle = kernel(ARGUMENTS, "o[0] = __shfl_xor_sync(~0u, a[0], 1);")
    assert tidies_jumps(shuffle, lanes_tidy=True)
    assert not tidies_jumps(shuffle, lanes_tidy=False)
    assert not tidies_jumps(kernel(ARGUMENTS, "o[0] = __activemask();"), lanes_tidy=True)


def known(trips: int, terms: int, loads: int = 3) -> str:
    """A loop of known trip count with loads at one bounded index and a chain of multiply-adds."""
    body = " ".join(f"t = t * {1.1 + k / 100:.2f}f + s;" for k in range(terms))
    sums = " + ".join(f"a[at + {k}]" for k in range(loads))
    index = "int at = min(max(x + k, 0), n) * w;"
    return f"for (int k = 0; k < {trips}; k++) {{ {index} float t = {sums}; {body} s = t; }}"


@pytest.mark.parametrize(
    ("trips", "terms", "loads", "copies"),
    [
        (64, 18, 1, 10),
        (64, 18, 3, 9),
        (64, 26, 3, 8),
        (64, 26, 5, 4),
        (100, 18, 5, 7),
        (100, 26, 3, 5),
        (37, 16, 3, 9),
        (61, 16, 5, 6),
    ],
)
def test_the_assembler_copies_loops_of_known_length_that_clang_left(trips, terms, loads, copies):
    """Main copies in SASS; what the rounds leave over stands in front of the loop."""
    assert known_copies(f"{known(trips, terms, loads)} __syncwarp();") == copies


@pytest.mark.parametrize(("trips", "terms", "loads"), [(12, 18, 5), (13, 16, 5), (16, 18, 3)])
def test_the_assembler_unrolls_short_loops_that_clang_left(trips, terms, loads):
    assert known_copies(f"{known(trips, terms, loads)} __syncwarp();") is None


def test_loops_of_known_length_that_jump_back_stay():
    assert known_copies(known(64, 18)) == 1
    assert (
        known_copies(f"{known(64, 18)} __syncwarp();", lowering_parameters("clang", "sm_90")) == 1
    )
    assert known_copies(f"s = (long long)h / w; {known(64, 18)}") == 9


def test_loops_that_test_the_offset_of_a_pointer_stay():
    """SASS: one copy; LLVM leaves no counter where only pointers take it."""
    body = " ".join(f"t = t * {1.1 + k / 100:.2f}f + s;" for k in range(20))
    loop = f"for (int k = 0; k < 64; k++) {{ float t = a[x * 7 + k]; {body} s = t; }}"
    assert known_copies(f"s = (long long)h / w; {loop}") == 1


def test_odd_trip_counts_get_a_power_of_two_of_copies():
    """Clang makes two, of which one has an exit; the assembler repeats that."""
    assert known_copies(known(61, 4)) == 20


@pytest.mark.parametrize(
    ("bounds", "copies"),
    [
        # The start is a sum with a product, which is subtracted term by term: five operations.
        ("int d = x; d < n", 4),
        ("int d = x + 1; d < n", 4),
        ("int d = threadIdx.x; d < n", 8),
        ("int d = e[x] * w + h; d < n", 4),
        ("int d = e[x] * w; d < n", 8),
        # The test in front became one of `h`.
        ("int d = e[x]; d < e[x] + h", 4),
        ("int d = x * h; d < (x + 1) * h", 8),
        ("int d = 0; d < n - x", 1),
        ("int d = 0; d < e[x] - e[x + 1]", 8),
        ("int d = 0; d < x", 8),
    ],
)
def test_clang_leaves_loops_whose_trip_count_takes_many_operations(bounds, copies):
    assert copies_of(f"for ({bounds}; d++) s += a[d];") == copies


@pytest.mark.parametrize(
    ("bounds", "copies"), [("int d = e[x]; d < e[x] + h", 4), ("int d = 0; d < h", 8)]
)
def test_the_assembler_copies_loops_over_bytes_that_clang_left(bounds, copies):
    inner = f"for ({bounds}; d++) s += c[d];"
    body = f"const char *c = (const char *)a; for (int i = 0; i < w; i++) {{ {inner} }}"
    assert copies_of(body) == copies


@pytest.mark.parametrize(
    ("loads", "terms", "copies"),
    [
        # Loads of one word from consecutive places become one of four words.
        ("t[d]", 4, 16),
        ("t[d]", 6, 16),
        ("t[d] * u[d]", 0, 32),
        ("t[d] * u[d]", 5, 16),
        ("t[threadIdx.x + d]", 11, 2),
        ("t[threadIdx.x + d]", 9, 8),
    ],
)
def test_loads_from_shared_memory_leave_room_for_arithmetic(loads, terms, copies):
    tiles = "__shared__ float t[512], u[512]; t[threadIdx.x] = a[x]; u[threadIdx.x] = a[x]; __syncthreads();"
    more = " ".join("s = s * s + q0;" if i % 2 else f"s = s * q0 + {i}.5f;" for i in range(terms))
    loop = f"for (int d = 0; d < n; d++) {{ s += {loads}; {more} }}"
    body = f"float q0 = a[h]; {tiles} for (int i = 0; i < w; i++) {{ {loop} s *= 0.7f; }}"
    assert copies_of(body) == copies


@pytest.mark.parametrize(
    "term", ["__popc(v)", "__brev(v)", "__umulhi(v, h)", "__clz(v)", "__byte_perm(v, h, 66)"]
)
def test_functions_of_words_are_light(term):
    """SASS of nvcc 13.0, sm_90: the assembler copies the compiler's four copies again."""
    body = (
        f"unsigned c = 0; for (int d = 0; d < n; d++) {{ unsigned v = e[d]; c += {term}; }} s = c;"
    )
    assert known_copies(body, lowering_parameters("nvcc", "sm_90")) == 16


@pytest.mark.parametrize(
    ("bounds", "copies"),
    [
        ("long long d = e[x]; d < e[x + 1]; d++", 16),
        ("long long d = x; d < n; d += 256", 16),
        ("size_t d = e[x]; d < e[x + 1]; d++", 16),
        ("long long d = 0; d < (long long)n * w; d++", 4),
        ("long long d = 1; d < (long long)n * w; d++", 4),
    ],
)
def test_long_counters_from_a_constant_are_counted_apart(bounds, copies):
    """SASS of nvcc 13.0, sm_90 and sm_86: a loop that counts its rounds in pairs of words is not copied again."""
    body = f"for ({bounds}) s += a[d];"
    assert known_copies(body, lowering_parameters("nvcc", "sm_90")) == copies


@pytest.mark.parametrize(("index", "most"), [("x + d + {}", 14), ("threadIdx.x + d + {}", 7)])
def test_constants_of_indices_of_signed_words_have_no_size(index, most):
    """Seven iterations of a load, a product and a sum each; an unsigned index takes a sum, its conversion and an address too."""
    for terms, full in ((most, True), (most + 1, False)):
        body = " ".join(f"s = s * q0 + a[{index.format(17 * i)}];" for i in range(terms))
        code = kernel(
            ARGUMENTS, f"{HEAD} float q0 = a[h]; for (int d = 0; d < 7; d++) {{ {body} }} o[x] = s;"
        )
        graph = Walker(code, CLANG, fast_math=False).run()
        live = analyse(graph, has_constant_tables=True).live
        assert sum(value.op is Op.LOAD for value in live) == 1 + (7 * terms if full else terms)


@pytest.mark.parametrize(
    ("bounds", "index", "expected"),
    [
        # Each copy adds to the word and scales it: IADD3, IMAD.WIDE.
        ("int d = -w; d <= w", "x + d", 2.0),
        ("int d = w; d <= h", "x + d", 2.0),
        ("int d = -w; d < w + 1", "x + d", 2.0),
        # A pointer advances.
        ("int d = -w; d < w", "x + d", 0.25),
        ("int d = 0; d <= w", "x + d", 0.25),
        ("int d = w; d <= h", "d", 0.25),
    ],
)
def test_windows_that_start_and_end_anywhere_have_no_pointer_that_advances(bounds, index, expected):
    body = f"{HEAD} for ({bounds}; d++) s += a[{index}]; o[x] = s;"
    short, long = (
        integer_ops(
            count(
                ARGUMENTS,
                body,
                Run(default_trips=trips),
                compiler=Compiler.CLANG,
                architecture="sm_86",
            )
        )
        for trips in (160, 320)
    )
    assert (long - short) / 160 == pytest.approx(expected, abs=0.35)


ROW = "int r = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;"
FORMS = {
    "no pointer": ("", "s = s * 1.01f + 0.5f;"),
    "the same in all threads": ("", "s += x[i];"),
    "an index of one word": ("", "s += x[r * 128 + i];"),
    "a pointer to the row": ("const float *p = x + r * 128;", "s += p[i];"),
    "a stride": ("", "s += x[i * m + r];"),
}
TRIPS = (1, 3, 4, 5, 8, 13, 64)
EXECUTED = {
    # Executed SASS of nvcc 13.0 (sm_90), a thread.
    "no pointer": (9, 13, 14, 16, 13, 17, 20),
    "the same in all threads": (9, 13, 16, 18, 15, 21, 28),
    "an index of one word": (13, 21, 21, 27, 19, 30, 32),
    "a pointer to the row": (19, 29, 25, 34, 25, 39, 40),
    "a stride": (12, 18, 19, 24, 22, 33, 85),
}


@pytest.mark.parametrize("form", FORMS)
def test_what_stands_around_copies_of_nvcc_depends_on_the_iterations(form):
    before, body = FORMS[form]
    text = f"{ROW} {before} for (int i = 0; i < n; i++) {{ {body} }} y[r] = s;"
    parameters = "const float *x, float *y, int n, int m"
    counted = [
        integer_ops(count(parameters, text, Run(default_trips=float(trips)), architecture="sm_90"))
        for trips in TRIPS
    ]
    assert counted == pytest.approx(EXECUTED[form], rel=0.13, abs=4.5)
