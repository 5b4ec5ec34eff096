"""Which threads run which iterations: `loop` constructs, schedules, parallel regions with fewer threads, nests."""

from __future__ import annotations

import numpy as np
import pytest
from openmp_programs import Region, elementwise, regions

from roofstat.execution.sampling.nest_share import inside_share
from roofstat.program.code import MemoryAccess, Op, Space
from roofstat.program.nests import NestBound, NestLoop, NestShape

N = 1024


def addresses(found: Region, array: str) -> np.ndarray:
    """Bytes from the start of an array that the first warp of the launch reads first."""
    trace = found.launch.trace
    sites = {
        item.site
        for _, item in trace.code.instructions()
        if item.op is Op.LOAD
        and isinstance(item.detail, MemoryAccess)
        and item.detail.array == array
    }
    event = next(event for event in trace.events if event.site in sites)
    used = event.address[:32][event.active[:32]]
    return used - used.min()


# `loop`


NESTED = """for (int i = 0; i < 10; i++) {{
  {inner}
  for (int j = 0; j < 6; j++) y[i * 6 + j] = 2.0f * x[i * 6 + j];
}}"""


@pytest.mark.parametrize(
    ("outer", "inner", "flop"),
    [
        # Inside of a shared loop there is nobody left to share with: 60 pairs, each once.
        ("target teams loop", "#pragma omp loop", 60),
        ("target teams loop", "#pragma omp loop bind(thread)", 60),
        ("target teams loop", "#pragma omp loop bind(parallel)", 60),
        ("target teams distribute parallel for", "#pragma omp loop", 60),
        ("target teams distribute parallel for", "#pragma omp loop bind(parallel)", 60),
        ("target parallel loop", "#pragma omp loop", 60),
        ("target parallel for", "#pragma omp loop bind(thread)", 60),
        ("target teams distribute", "#pragma omp parallel loop", 60),
        ("target teams distribute", "#pragma omp loop bind(parallel)", 60),
        # Directly inside of `parallel` it is shared; bind(thread) is run by each of the 128 threads.
        ("target teams\n#pragma omp loop", "#pragma omp loop", 60),
    ],
)
def test_nested_loops_run_every_pair_once(outer: str, inner: str, flop: int) -> None:
    found = elementwise(f"#pragma omp {outer}", N, loop=NESTED.format(inner=inner))
    assert found.flop == pytest.approx(flop)


@pytest.mark.parametrize(
    ("directive", "flop"),
    [
        ("#pragma omp loop", 100),
        ("#pragma omp loop bind(parallel)", 100),
        ("#pragma omp loop bind(thread)", 64 * 100),
        # Inside of another construct than `parallel` it binds to the thread: one runs it, in `single`.
        ("#pragma omp single\n#pragma omp loop", 100),
    ],
)
def test_a_loop_in_a_parallel_region(directive: str, flop: int) -> None:
    found = elementwise(
        "#pragma omp target parallel num_threads(64)",
        N,
        loop=f"{{\n{directive}\nfor (int j = 0; j < 100; j++) y[j] = 2.0f * x[j];\n}}",
    )
    assert found.flop == pytest.approx(flop)


def test_a_loop_that_nobody_shares() -> None:
    # No loop is distributed: every team of the default runs all 100 iterations on its first thread.
    loop = "for (int i = 0; i < 100; i++) y[i] = 2.0f * x[i];"
    found = elementwise("#pragma omp target teams\n#pragma omp loop bind(thread)", N, loop=loop)
    assert found.shape == (3200, 128)
    assert found.flop == 100 * 3200


def test_threads_share_a_nested_loop_that_binds_to_them() -> None:
    # 64 teams with one outer iteration each; adjacent threads of a team take adjacent inner iterations.
    found = elementwise(
        "#pragma omp target teams loop thread_limit(32)",
        64 * 32,
        loop="""for (int i = 0; i < 64; i++) {
          #pragma omp loop bind(parallel)
          for (int j = 0; j < 32; j++) y[i * 32 + j] = 2.0f * x[i * 32 + j];
        }""",
    )
    assert found.shape == (64, 32)
    assert addresses(found, "x").tolist() == [4 * lane for lane in range(32)]


# Fewer threads than the launch has


@pytest.mark.parametrize(
    ("directive", "threads", "flop"),
    [
        ("target teams distribute parallel for if(parallel: 0) num_teams(4)", 1, N),
        ("target teams distribute parallel for if(parallel: n < 10) num_teams(4)", 1, N),
        ("target teams distribute parallel for if(parallel: n > 10) num_teams(4)", 128, N),
        ("target parallel for if(parallel: 0)", 1, N),
        ("target parallel for if(parallel: n > 10) num_threads(64)", 64, N),
    ],
)
def test_a_false_condition_leaves_one_thread_a_team(
    directive: str, threads: int, flop: int
) -> None:
    found = elementwise(f"#pragma omp {directive}", N)
    assert found.shape[1] == threads
    assert found.flop == pytest.approx(flop)


@pytest.mark.parametrize(
    ("clause", "threads"),
    [("", 128), ("if(0)", 1), ("if(n < 10)", 1), ("if(n > 10)", 128), ("num_threads(48)", 48)],
)
def test_a_region_inside_of_a_team_may_have_fewer_threads(clause: str, threads: int) -> None:
    # 7 teams; what is not shared is run by every thread of the region.
    found = elementwise(
        "#pragma omp target teams distribute num_teams(7)",
        N,
        loop=f"""for (int i = 0; i < 7; i++) {{
          #pragma omp parallel {clause}
          {{
            y[omp_get_num_threads()] = 2.0f * x[i];
            #pragma omp for
            for (int j = 0; j < 100; j++) y[j] = x[j];
          }}
        }}""",
    )
    assert found.flop == pytest.approx(7 * threads)
    assert found.accesses(Op.STORE, "y") == pytest.approx(7 * (threads + 100))


@pytest.mark.parametrize(
    "directive",
    [
        "parallel master",
        "parallel masked",
        "parallel masked filter(5)",
        "parallel masked filter(0)",
    ],
)
def test_one_thread_runs_a_combined_masked_region(directive: str) -> None:
    found = elementwise(f"#pragma omp target {directive}", N, loop="{ y[0] = 2.0f * x[0]; }")
    assert found.shape == (1, 128)
    assert found.flop == 1


# Schedules


@pytest.mark.parametrize(
    ("clause", "stride"),
    [
        ("", 1),
        ("schedule(static, 1)", 1),
        ("schedule(dynamic)", 1),
        ("schedule(guided)", 1),
        ("schedule(auto)", 1),
        ("schedule(runtime)", 1),
        ("schedule(static, 8)", 8),
        ("schedule(monotonic, simd: static, 8)", 8),
        ("schedule(dynamic, 8)", 8),
        ("schedule(nonmonotonic: dynamic, 8)", 8),
        # 1,024 iterations for 64 threads: 16 each, one after the other.
        ("schedule(static)", 16),
        ("schedule(monotonic: static)", 16),
    ],
)
def test_the_schedule_says_how_far_adjacent_threads_are_apart(clause: str, stride: int) -> None:
    found = elementwise(f"#pragma omp target parallel for num_threads(64) {clause}", N)
    assert addresses(found, "x").tolist() == [4 * stride * lane for lane in range(32)]
    assert found.flop == N


def test_what_does_not_divide_evenly_goes_to_the_first_threads() -> None:
    # 100 iterations for 64 threads: two each for the first 36, one for the others.
    found = elementwise("#pragma omp target parallel for num_threads(64) schedule(static)", 100)
    assert found.flop == 100
    assert addresses(found, "x").tolist() == [8 * lane for lane in range(32)]


@pytest.mark.parametrize(
    ("clause", "stride", "lanes"),
    [
        ("", 1, 32),
        # A team has 64 iterations at a time and one for each thread: a block of one is no different.
        ("schedule(static)", 1, 32),
        ("schedule(dynamic)", 1, 32),
        # Chunks of four: sixteen threads run the 64 iterations, the other 48 have none.
        ("schedule(static, 4)", 4, 16),
        ("schedule(dynamic, 4)", 4, 16),
        ("dist_schedule(static, 256)", 1, 32),
        # Of 256 iterations each thread takes four, one after the other.
        ("dist_schedule(static, 256) schedule(static)", 4, 32),
    ],
)
def test_a_team_shares_its_chunk_by_the_schedule(clause: str, stride: int, lanes: int) -> None:
    found = elementwise(
        f"#pragma omp target teams distribute parallel for thread_limit(64) {clause}", N
    )
    assert addresses(found, "x").tolist() == [4 * stride * lane for lane in range(lanes)]
    assert found.flop == N


def test_teams_take_contiguous_parts_where_a_region_is_not_only_parallel() -> None:
    # Clang gives teams chunks of the team size only where the whole region is parallel.
    found = elementwise(
        "#pragma omp target teams num_teams(4) thread_limit(32)",
        N,
        loop="""{
          y[omp_get_team_num()] = 1.0f;
          #pragma omp distribute parallel for
          for (int i = 0; i < n; i++) y[i] = 2.0f * x[i];
        }""",
    )
    assert found.flop == N
    starts = {
        int(event.address[event.active].min())
        for event in found.launch.trace.events
        if event.active.sum() == 128
    }
    assert starts
    reads = [event for event in found.launch.trace.events if event.active.sum() == 128]
    first = reads[0].address.reshape(4, 32)[:, 0]
    assert np.diff(first).tolist() == [N] * 3  # 256 iterations of 4 bytes


def test_teams_without_a_chunk_take_even_parts() -> None:
    # 1,024 iterations for seven teams: 147 each for the first two, 146 for the others.
    found = elementwise("#pragma omp target teams distribute num_teams(7) thread_limit(32)", N)
    assert found.flop == N
    event = next(event for event in found.launch.trace.events if event.active.sum() == 7)
    starts = np.unique(event.address[event.active])
    assert np.diff(starts).tolist() == [4 * 147] * 2 + [4 * 146] * 4


# Collapsed nests whose inner bounds depend on the outer variable


NESTS = [
    # (outer count, lower slope, lower offset, upper slope, upper offset, step, closed)
    (100, 0, 51, 1, 0, 1, False),
    (17, 2, -13, 1, -10, 1, True),
    (100, -1, -47, 0, 24, 1, False),
    (300, 0, 53, 1, -76, 1, True),
    (1000, 1, 834, 2, 917, 3, True),
    (1000, 2, -77, 1, 72, 1, False),
    (60, 1, -2, 1, 3, 1, True),
    (300, 1, -267, 0, -215, 1, False),
    (5, -1, 3, 0, -3, 1, True),
]


@pytest.mark.parametrize(("n", "a", "b", "c", "d", "step", "closed"), NESTS)
def test_nests_that_are_no_rectangles_run_every_pair_once(
    n: int, a: int, b: int, c: int, d: int, step: int, closed: bool
) -> None:
    comparison = "<=" if closed else "<"
    found = elementwise(
        "#pragma omp target teams distribute parallel for collapse(2)",
        n,
        loop=f"""for (int i = 0; i < {n}; i++)
          for (int j = {a} * i + ({b}); j {comparison} {c} * i + ({d}); j += {step})
            y[0] = 2.0f * x[0];""",
    )
    pairs = sum(len(range(a * i + b, c * i + d + closed, step)) for i in range(n))
    assert found.flop == pytest.approx(pairs, rel=1e-9)
    assert found.launch.trace.code.assumptions == []


def test_three_loops_in_ascending_order() -> None:
    # i < j < k < 40: 40 over 3.
    found = elementwise(
        "#pragma omp target teams distribute parallel for collapse(3)",
        N,
        loop="""for (int i = 0; i < 40; i++) for (int j = i + 1; j < 40; j++) for (int k = j + 1; k < 40; k++)
          y[0] = 2.0f * x[0];""",
    )
    assert found.flop == pytest.approx(40 * 39 * 38 / 6)


def test_a_middle_loop_that_starts_at_the_outer_variable() -> None:
    # j from i to i + 9, k from j up to 59: the lengths of all (i, j) together.
    found = elementwise(
        "#pragma omp target teams distribute parallel for collapse(3)",
        N,
        loop="""for (int i = 0; i < 30; i++) for (int j = i; j < i + 10; j++) for (int k = j; k < 60; k += 2)
          y[0] = 2.0f * x[0];""",
    )
    triples = sum(len(range(j, 60, 2)) for i in range(30) for j in range(i, i + 10))
    assert found.flop == pytest.approx(triples)


def test_loops_that_count_down() -> None:
    # j from i down to 1: the sum of i below 200.
    found = elementwise(
        "#pragma omp target teams distribute parallel for collapse(2)",
        N,
        loop="for (int i = 0; i < 200; i++) for (int j = i; j > 0; j--) y[0] = 2.0f * x[0];",
    )
    assert found.flop == pytest.approx(200 * 199 / 2)


def test_the_body_of_an_inner_nest_is_scaled_too() -> None:
    # 500 rows of i inner iterations with a loop of 8 turns each.
    found = elementwise(
        "#pragma omp target teams distribute parallel for collapse(2)",
        N,
        loop="""for (int i = 0; i < 500; i++) for (int j = 0; j < i; j++)
          for (int k = 0; k < 8; k++) y[k] = 2.0f * x[k];""",
    )
    assert found.flop == pytest.approx(8 * 500 * 499 / 2)


def test_a_nest_that_no_sampled_lane_meets_is_counted() -> None:
    # Two rows of a thousand have iterations: 5 and 6 of them.
    found = elementwise(
        "#pragma omp target teams distribute parallel for collapse(2)",
        N,
        loop="""for (int i = 0; i < 1000; i++)
          for (int j = 1000 * i; j < 999 * i + 4 + 2; j++) y[0] = 2.0f * x[0];""",
    )
    assert found.flop == pytest.approx(sum(max(6 - i, 0) for i in range(1000)))


def test_bounds_that_are_not_linear_are_an_assumption() -> None:
    found = elementwise(
        "#pragma omp target teams distribute parallel for collapse(2)",
        N,
        loop="for (int i = 0; i < 30; i++) for (int j = 0; j < i * i; j++) y[0] = 2.0f * x[0];",
    )
    # The rounds of a thread that skip the body are sampled.
    assert found.flop == pytest.approx(sum(i * i for i in range(30)), rel=0.15)
    assert any("no linear function" in item.text for item in found.launch.trace.code.assumptions)


def test_the_share_of_a_box_is_what_enumeration_finds() -> None:
    generator = np.random.default_rng(7)
    for _ in range(200):
        rows = int(generator.integers(1, 40))
        step = int(generator.choice([-3, -1, 1, 2]))
        a, c = (int(value) for value in generator.integers(-2, 3, 2))
        b, d = (int(value) for value in generator.integers(-30, 30, 2))
        closed = bool(generator.integers(2))
        sign = 1 if step > 0 else -1
        lengths = [len(range(a * i + b, c * i + d + sign * closed, step)) for i in range(rows)]
        box = max(*lengths, 1) + int(generator.integers(3))
        shape = NestShape(
            (
                NestLoop(0),
                NestLoop(1, (NestBound(2, 3, 0), NestBound(4, 5, 0)), step, closed),
            )
        )
        last = rows - 1
        values = (rows, box, b, a * last + b, d, c * last + d)
        assert inside_share(shape, values) == pytest.approx(sum(lengths) / (rows * box))


def test_the_share_of_a_large_box_is_integrated() -> None:
    rows = 3_000_000
    shape = NestShape((NestLoop(0), NestLoop(1, (NestBound(2, 2, 0), NestBound(2, 3, 0)))))
    assert inside_share(shape, (rows, rows, 0, 0, 0, rows - 1)) == pytest.approx(0.5, rel=1e-5)


def test_dist_schedule_without_a_chunk_gives_each_team_one_part() -> None:
    # 1,000 iterations over 4 teams: each has one parallel region of 250, with one reduction, instead of 8 of 32.
    text = "#pragma omp target teams distribute parallel for num_teams(4) thread_limit(32) {}"
    loop = "for (int i = 0; i < 1000; i++) y[i] = 2.0f * x[i];"
    parts = elementwise(text.format("dist_schedule(static)"), N, loop=loop)
    stated = elementwise(text.format("dist_schedule(static, 250)"), N, loop=loop)
    chunks = elementwise(text.format(""), N, loop=loop)
    call = "__kmpc_parallel_51:chunk-signed"
    assert parts.flop == stated.flop == chunks.flop == 1000
    assert parts.calls(call) == stated.calls(call) == 128
    # Every thread of a chunk pays for it, in the last one too: 32 chunks of 32.
    assert chunks.calls(call) == 1024


@pytest.mark.parametrize("directive", ["critical", "critical(lock)", "ordered"])
def test_what_threads_do_one_after_another_is_said(directive: str) -> None:
    found = elementwise(
        "#pragma omp target teams distribute parallel for" + " ordered" * (directive == "ordered"),
        N,
        loop=f"for (int i = 0; i < n; i++) {{\n#pragma omp {directive}\ny[0] += x[i];\n}}",
    )
    assert "serialised" in {item.kind for item in found.launch.trace.code.assumptions}


@pytest.mark.parametrize(
    ("transformation", "loop", "width"),
    [
        # 1,000 iterations in tiles of 24: 42 of them, shared by 64 threads; adjacent ones start a tile apart.
        ("tile sizes(24)", "for (int i = 0; i < n; i++)", 24),
        ("tile sizes(24)", "for (i = 0; i <= n - 1; i += 1)", 24),
        ("unroll partial(4)", "for (int i = 0; i < n; ++i)", 4),
        ("unroll partial", "for (int i = 0; i < n; ++i)", 2),
    ],
)
def test_transformed_loops_share_their_tiles(transformation: str, loop: str, width: int) -> None:
    found = elementwise(
        "int i;\n#pragma omp target teams distribute parallel for num_teams(1) thread_limit(64)\n"
        f"#pragma omp {transformation}",
        1000,
        loop=f"{loop} y[i] = 2.0f * x[i];",
    )
    assert found.flop == 1000
    assert addresses(found, "x").tolist() == [4 * width * lane for lane in range(32)]


def test_tiles_of_a_nest_are_collapsed() -> None:
    # 20 x 30 in tiles of 8 x 4: 3 x 8 tiles, one for each thread; the second is 4 elements farther.
    found = elementwise(
        "#pragma omp target teams distribute parallel for collapse(2) num_teams(1) thread_limit(32)\n"
        "#pragma omp tile sizes(8, 4)",
        600,
        loop="for (int i = 0; i < 20; i++) for (int j = 0; j < 30; j++) y[i * 30 + j] = 2.0f * x[i * 30 + j];",
    )
    assert found.flop == 600
    expected = [4 * (8 * 30 * (lane // 8) + 4 * (lane % 8)) for lane in range(24)]
    assert addresses(found, "x").tolist() == expected


def test_a_loop_unrolled_on_its_own_is_run_as_before() -> None:
    loop = "{ for (int i = 0; i < n; i++) {\n#pragma omp unroll partial(4)\nfor (int j = 0; j < 10; j++) y[i] += 2.0f * x[j];\n}\n}"
    found = elementwise("#pragma omp target teams distribute parallel for", 64, loop=loop)
    assert found.flop == 2 * 640


def test_smaller_teams_take_the_chunks_that_the_code_was_compiled_for() -> None:
    # 102,400 iterations are fewer than 3,200 x 64: 3,200 teams of 32 threads start. The code has chunks of 128 in it, so
    # that 800 teams get one and each of their threads takes four iterations; the others leave.
    loop = "for (int i = 0; i < 102400; i++) y[i] = 2.0f * x[i];"
    found = elementwise("#pragma omp target teams distribute parallel for", 102_400, loop=loop)
    assert found.shape == (3200, 32)
    assert found.flop == 102_400
    assert found.calls("__kmpc_parallel_51:chunk-signed") == 800 * 32
    assert found.calls("__kmpc_parallel_51:round-signed") == 102_400


def test_teams_of_a_stated_size_take_one_iteration_a_thread() -> None:
    # A `thread_limit` is what the code was compiled for too: 3,200 chunks of 32.
    loop = "for (int i = 0; i < 102400; i++) y[i] = 2.0f * x[i];"
    directive = "#pragma omp target teams distribute parallel for thread_limit(32)"
    found = elementwise(directive, 102_400, loop=loop)
    assert found.calls("__kmpc_parallel_51:chunk-signed") == 102_400


def test_a_stated_schedule_of_single_iterations_is_the_one_that_clang_takes_unasked() -> None:
    directive = "#pragma omp target teams distribute parallel for thread_limit(64)"
    for clause in ("", "schedule(static, 1)"):
        found = elementwise(f"{directive} {clause}", N)
        assert found.calls("__kmpc_for_static_init:iteration") == 0
        assert found.calls("__kmpc_parallel_51:round-signed") == N


@pytest.mark.parametrize("clauses", ["collapse(2)", "collapse(2) reduction(+: s)"])
def test_nests_count_in_64_bits_and_teams_with_a_chunk_prepare_that(clauses: str) -> None:
    text = f"""
    #include <stdlib.h>
    int main(int argc, char **argv) {{
      int m = 40 + argc; int n = 64; double s = 0;
      double *x = (double *)malloc(m * n * sizeof(double));
      #pragma omp target teams distribute parallel for thread_limit(64) {clauses}
      for (int j = 0; j < m; j++) for (int i = 0; i < n; i++) x[j * n + i] = s;
    }}
    """
    (found,) = regions(text)
    threads = found.shape[0] * found.shape[1]
    assert found.calls("__kmpc_parallel_51:chunk-wide") == threads
    assert found.calls("__kmpc_distribute_static_init:wide-nest") == threads


TEAM_VALUE = """
#include <stdlib.h>
void f(const double *x, double *y, int n) {{
  #pragma omp target teams distribute thread_limit(128) map(to: x[0:n]) map(tofrom: y[0:n * 128])
  for (int o = 0; o < n; o++) {{
    double rate = x[o] * 0.5, other = x[o] + 1;
    #pragma omp parallel num_threads(128)
    for (int s = 0; s < 10; s++) {{
      y[o * 128 + s] += rate * s;
      {wait}
    }}
    y[o] += other;
  }}
}}
int main() {{ int n = 64; double *x = (double *)calloc(n, 8), *y = (double *)calloc(n * 128, 8); f(x, y, n); }}
"""


@pytest.mark.parametrize(
    ("wait", "is_loaded"),
    [
        ("#pragma omp barrier", True),
        ("#pragma omp single\n y[0] = 1;", True),
        ("#pragma omp single nowait\n y[0] = 1;", False),
        (";", False),
    ],
)
def test_numbers_of_the_team_are_loaded_anew_in_loops_with_barriers(
    wait: str, is_loaded: bool
) -> None:
    # SASS: LDS behind each BAR, so exp(rate) and the like are computed in each round.
    [found] = regions(TEAM_VALUE.format(wait=wait))
    names = {slot.name: slot.space for slot in found.launch.trace.code.slots}
    assert (names.get("rate") is Space.SHARED) == is_loaded
    assert "other" not in names
