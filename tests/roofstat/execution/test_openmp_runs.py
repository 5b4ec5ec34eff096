"""OpenMP target regions run from main(): launches, work of every construct, buffers, host fallback.

Expected counts follow from the source: an element-wise loop over n elements multiplies n times whoever runs it.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from openmp_programs import Region, elementwise, regions

from clang_queries.command_line import Language, ParseOptions
from clang_queries.unit import lower_unit
from roofstat.execution.host.openmp_runtime import consistent_arguments
from roofstat.execution.numbers.values import Unknown
from roofstat.program.code import AtomicAccess, Op, Space
from roofstat.program.link import link
from roofstat.program.lowering import lower_host_function
from roofstat.program.openmp import DEFAULT_TEAMS, DEFAULT_THREADS, TargetRegion, region_functions

N = 1000
"""Elements of most tests: not a multiple of a warp or a team."""


@pytest.mark.parametrize(
    "directive",
    [
        "#pragma omp target teams distribute parallel for",
        "#pragma omp target teams distribute parallel for simd",
        "#pragma omp target teams distribute parallel for num_teams(3) thread_limit(64)",
        "#pragma omp target teams distribute parallel for schedule(static, 1)",
        "#pragma omp target teams distribute parallel for schedule(static, 4) thread_limit(64)",
        "#pragma omp target teams distribute parallel for schedule(dynamic) thread_limit(64)",
        "#pragma omp target teams distribute parallel for dist_schedule(static, 100) thread_limit(64)",
        "#pragma omp target teams distribute parallel for map(to: x[0:n]) \\\n map(from: y[0:n])",
        "#pragma omp target teams loop",
        "#pragma omp target teams\n#pragma omp distribute parallel for",
        "#pragma omp target teams\n#pragma omp loop",
        "#pragma omp target\n#pragma omp teams\n#pragma omp distribute parallel for",
        "#pragma omp target\n#pragma omp teams distribute parallel for simd",
        "#pragma omp target parallel for",
        "#pragma omp target parallel for num_threads(64)",
        "#pragma omp target\n#pragma omp parallel for",
        "#pragma omp target parallel\n#pragma omp for",
        "#pragma omp target teams distribute",
        "#pragma omp target teams distribute num_teams(7)",
        "#pragma omp target teams distribute dist_schedule(static, 16) num_teams(7)",
        "#pragma omp target teams distribute simd",
        "#pragma omp target",
        "#pragma omp target simd",
        "#pragma omp target map(to: x[0:n])",
        "#pragma omp target data map(tofrom: x[0:n], y[0:n])\n#pragma omp target teams distribute parallel for",
        '_Pragma("omp target teams distribute parallel for")',
        '#define RUN _Pragma("omp target teams distribute parallel for thread_limit(64)")\nRUN',
        "#pragma omp target teams distribute parallel for if(n > 10)",
        "#pragma omp target teams distribute parallel for if(parallel: 0) num_teams(5)",
        "#pragma omp target teams distribute parallel for is_device_ptr(x, y)",
        "#pragma omp target teams distribute parallel for nowait depend(out: y)",
    ],
)
def test_every_form_runs_each_iteration_once(directive: str) -> None:
    found = elementwise(directive, N)
    assert found.flop == pytest.approx(N)
    assert found.accesses(Op.LOAD, "x") == pytest.approx(N)
    assert found.accesses(Op.STORE, "y") == pytest.approx(N)


@pytest.mark.parametrize("n", [20, 200, 20_000])
def test_row_pointers_that_a_host_loop_stores_behind_a_zero_are_known(n: int) -> None:
    """Each of n rows has 2 elements; the pointers are cells or a fill of the loop, apart from the first."""
    (found,) = regions(
        f"""
        #include <vector>
        int main() {{
          const int n = {n};
          std::vector<int> first(n + 1, 0);
          for (int i = 0; i < n; i++) first[i + 1] = 2 * i + 2;
          const int *p = first.data();
          float *x = new float[n];
          #pragma omp target teams distribute parallel for map(to: p[0:n + 1]) map(from: x[0:n])
          for (int i = 0; i < n; i++) {{
            float sum = 0;
            for (int k = p[i]; k < p[i + 1]; k++) sum += 1.0f;
            x[i] = sum;
          }}
        }}"""
    )
    assert found.flop == pytest.approx(2 * n)


@pytest.mark.parametrize(
    ("loop", "trips"),
    [
        ("for (int i = 0; i <= n; i++) y[0] = 2.0f * x[0];", N + 1),
        ("for (int i = n; i > 0; i--) y[0] = 2.0f * x[0];", N),
        ("for (int i = n - 1; i >= 0; --i) y[0] = 2.0f * x[0];", N),
        ("for (int i = 1; i < n; i += 3) y[0] = 2.0f * x[0];", -(-(N - 1) // 3)),
        ("for (int i = 0; i < n; i = i + 2) y[0] = 2.0f * x[0];", N // 2),
        ("for (int i = n; i > 0; i -= 7) y[0] = 2.0f * x[0];", -(-N // 7)),
        ("for (int i = 0; n > i; i++) y[0] = 2.0f * x[0];", N),
        ("for (int i = 0; i != n; i++) y[0] = 2.0f * x[0];", N),
        ("for (size_t i = 0; i < (size_t)n; i++) y[0] = 2.0f * x[0];", N),
        ("for (long i = 5; i < n; i += 5) y[0] = 2.0f * x[0];", (N - 5) // 5),
        ("for (float *p = x; p < x + n; p++) *y = 2.0f * *p;", N),
        ("for (int i = 0; i < n; i++) { if (i % 2) continue; y[0] = 2.0f * x[0]; }", N // 2),
    ],
)
def test_canonical_loops_have_their_trip_counts(loop: str, trips: int) -> None:
    assert (
        elementwise("#pragma omp target teams distribute parallel for", N, loop=loop).flop == trips
    )


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_collapsed_nests_run_every_combination(depth: int) -> None:
    found = elementwise(
        f"#pragma omp target teams distribute parallel for collapse({depth})",
        N,
        loop="""for (int i = 0; i < 6; i++) for (int j = 2; j < 12; j++) for (int k = 0; k < 7; k += 2)
          y[(i * 12 + j) * 7 + k] = 2.0f * x[(i * 12 + j) * 7 + k];""",
    )
    assert found.flop == 6 * 10 * 4


def test_collapsed_indices_take_their_own_values() -> None:
    # j runs over 3, 4, 5: the sum over the nest of (j < 5) is 4 * 2.
    found = elementwise(
        "#pragma omp target teams distribute parallel for collapse(2)",
        N,
        loop="for (int i = 0; i < 4; i++) for (int j = 3; j < 6; j++) if (j < 5) y[j] = 2.0f * x[j];",
    )
    assert found.flop == 4 * 2


# Launches


@pytest.mark.parametrize(
    ("directive", "n", "shape"),
    [
        # Enough iterations: teams of 128, one iteration a thread, at most 3,200 teams.
        ("teams distribute parallel for", 500_000, (DEFAULT_TEAMS, DEFAULT_THREADS)),
        ("teams distribute parallel for", 409_600, (3200, 128)),
        # Between 3,200 x 32 and 3,200 x 128 iterations teams shrink to the next power of two of n / 3,200.
        ("teams distribute parallel for", 200_000, (-(-200_000 // 64), 64)),
        ("teams distribute parallel for", 102_400, (3200, 32)),
        # Fewer: teams of 32.
        ("teams distribute parallel for", 1000, (32, 32)),
        ("teams distribute parallel for", 1, (1, 32)),
        # A stated thread count is kept.
        ("teams distribute parallel for thread_limit(256)", 1000, (4, 256)),
        ("teams distribute parallel for num_threads(256)", 1000, (4, 256)),
        ("teams distribute parallel for thread_limit(256) num_threads(64)", 1000, (16, 64)),
        ("teams distribute parallel for num_teams(10)", 1000, (10, 128)),
        ("teams distribute parallel for num_teams(n / 100) thread_limit(32)", 1000, (10, 32)),
        ("teams distribute parallel for thread_limit(256)", 10_000_000, (3200, 256)),
        # Without `parallel` every team takes one iteration.
        ("teams distribute", 1000, (1000, 128)),
        ("teams distribute", 100_000, (3200, 128)),
        ("teams distribute thread_limit(64)", 1000, (1000, 64)),
        # Without `teams` there is one.
        ("parallel for", 1000, (1, 128)),
        ("parallel for num_threads(512)", 1000, (1, 512)),
        ("", 1000, (1, 128)),
    ],
)
def test_launches_follow_the_run_time(directive: str, n: int, shape: tuple[int, int]) -> None:
    assert elementwise(f"#pragma omp target {directive}", n).shape == shape


def test_teams_without_a_loop_get_the_default_number() -> None:
    found = elementwise(
        "#pragma omp target teams", N, loop="{ y[omp_get_team_num() % n] = 2.0f * x[0]; }"
    )
    assert found.shape == (DEFAULT_TEAMS, DEFAULT_THREADS)
    assert found.flop == pytest.approx(DEFAULT_TEAMS)


def test_program_arguments_reach_the_trip_count() -> None:
    text = """
    #include <stdlib.h>
    int main(int argc, char **argv) {
      int n = atoi(argv[1]);
      float *x = new float[n];
      #pragma omp target teams distribute parallel for thread_limit(64) map(tofrom: x[0:n])
      for (int i = 0; i < n; i++) x[i] = 2.0f * x[i];
    }
    """
    (found,) = regions(text, argv=["640"])
    assert found.shape == (10, 64)
    assert found.flop == 640


def test_an_if_clause_decides_between_device_and_host() -> None:
    text = """
    #include <stdlib.h>
    int main(int argc, char **argv) {
      int n = atoi(argv[1]);
      float *x = new float[n];
      #pragma omp target teams distribute parallel for if(target: n > 100)
      for (int i = 0; i < n; i++) x[i] = 2.0f * x[i];
    }
    """
    assert [item.flop for item in regions(text, argv=["101"])] == [101]
    assert regions(text, argv=["100"]) == []


# Teams with parallel regions inside


TEAM = """
#include <omp.h>
#include <stdlib.h>
int main() {
  int n = 16;
  float *x = (float *)malloc(n * 64 * sizeof(float)), *y = (float *)malloc(n * 64 * sizeof(float));
  #pragma omp target teams num_teams(n) thread_limit(64)
  {
    float tile[64];
    float factor = 2.0f * x[0];
    #pragma omp parallel
    {
      int t = omp_get_thread_num();
      int g = omp_get_team_num() * omp_get_num_threads() + t;
      tile[t] = x[g];
      #pragma omp barrier
      y[g] = factor * tile[63 - t];
    }
  }
}
"""


def test_arrays_of_a_team_are_shared_memory() -> None:
    (found,) = regions(TEAM)
    assert found.shape == (16, 64)
    assert found.space("tile") is Space.SHARED
    assert found.accesses(Op.STORE, "tile") == 16 * 64
    assert found.accesses(Op.LOAD, "tile") == 16 * 64
    assert found.accesses(Op.STORE, "y") == 16 * 64


def test_arrays_declared_in_a_parallel_region_stay_private() -> None:
    text = TEAM.replace("int t = omp", "float own[8]; own[n % 8] = 1.0f; int t = omp")
    (found,) = regions(text)
    assert found.space("own") is Space.LOCAL


def test_side_effects_between_parallel_regions_happen_once_a_team() -> None:
    text = """
    #include <omp.h>
    #include <stdlib.h>
    int main() {
      int n = 16;
      float *x = (float *)malloc(4096), *y = (float *)malloc(4096);
      #pragma omp target teams num_teams(n) thread_limit(64)
      {
        y[omp_get_team_num()] = x[0];
        #pragma omp parallel
        { x[omp_get_thread_num()] = 1.0f; }
      }
    }
    """
    (found,) = regions(text)
    assert found.accesses(Op.STORE, "y") == 16
    assert found.accesses(Op.STORE, "x") == 16 * 64


def test_a_loop_of_teams_around_a_parallel_loop() -> None:
    found = elementwise(
        "#pragma omp target teams distribute thread_limit(64)",
        24 * 100,
        loop="""for (int i = 0; i < 24; i++) {
          #pragma omp parallel for
          for (int j = 0; j < 100; j++) y[i * 100 + j] = 2.0f * x[i * 100 + j];
        }""",
    )
    assert found.shape == (24, 64)
    assert found.flop == 24 * 100


def test_nested_parallel_regions_have_one_thread_each() -> None:
    found = elementwise(
        "#pragma omp target parallel num_threads(32)",
        N,
        loop="""{
          #pragma omp parallel for
          for (int j = 0; j < 10; j++) y[j] = 2.0f * x[omp_get_thread_num()];
        }""",
    )
    assert found.flop == 32 * 10


@pytest.mark.parametrize(
    ("inner", "executions"),
    [
        ("#pragma omp single\n{ y[0] = 2.0f * x[0]; }", 1),
        ("#pragma omp master\n{ y[0] = 2.0f * x[0]; }", 1),
        ("#pragma omp masked\n{ y[0] = 2.0f * x[0]; }", 1),
        ("#pragma omp critical\n{ y[0] = 2.0f * x[0]; }", 64),
        ("#pragma omp for\nfor (int i = 0; i < 100; i++) y[i] = 2.0f * x[i];", 100),
        (
            "#pragma omp for collapse(2)\nfor (int i = 0; i < 10; i++) for (int j = 0; j < 9; j++) y[i] = 2.0f * x[j];",
            90,
        ),
        ("#pragma omp for simd nowait\nfor (int i = 0; i < 100; i++) y[i] = 2.0f * x[i];", 100),
        ("#pragma omp simd\nfor (int i = 0; i < 10; i++) y[i] = 2.0f * x[i];", 640),
        (
            "#pragma omp sections\n{\n#pragma omp section\n{ y[0] = 2.0f * x[0]; }\n#pragma omp section\n{ y[1] = 2.0f * x[1]; }\n}",
            2,
        ),
        ("if (omp_get_thread_num() < 10) y[0] = 2.0f * x[0];", 10),
        ("if (omp_get_num_threads() == 64 && omp_in_parallel()) y[0] = 2.0f * x[0];", 64),
        ("if (omp_is_initial_device()) y[0] = 2.0f * x[0];", 0),
    ],
)
def test_constructs_inside_a_parallel_region(inner: str, executions: int) -> None:
    found = elementwise(
        "#pragma omp target parallel num_threads(64)", N, loop="{\n" + inner + "\n}"
    )
    assert found.flop == executions


# Data


def test_mapped_sections_size_arrays_that_nobody_allocated() -> None:
    text = """
    float *make(int n);
    int main() {
      int n = 1000;
      float *x = make(n);
      #pragma omp target data map(tofrom: x[0:n])
      {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < n; i++) x[i] = 2.0f * x[i];
      }
    }
    """
    (found,) = regions(text)
    sizes = {item.size_bytes for item in found.launch.trace.buffers.values()}
    assert sizes == {1000 * 4}


@pytest.mark.parametrize(
    "declaration",
    [
        "float x[1000];",
        "static float x[1000];",
        "float *x = new float[1000];",
        "float *x = (float *)omp_target_alloc(1000 * sizeof(float), omp_get_default_device());",
        "struct { float *data; int count; } s; s.data = new float[1000]; float *x = s.data;",
    ],
)
def test_buffers_keep_their_sizes(declaration: str) -> None:
    text = f"""
    #include <omp.h>
    #include <stdlib.h>
    int main() {{
      {declaration}
      #pragma omp target teams distribute parallel for map(tofrom: x[0:1000])
      for (int i = 0; i < 1000; i++) x[i] = 2.0f * x[i];
    }}
    """
    (found,) = regions(text)
    assert {item.size_bytes for item in found.launch.trace.buffers.values()} == {4000}


def test_global_arrays_and_declare_target_functions() -> None:
    text = """
    #pragma omp declare target
    float table[100];
    float twice(float v) { return 2.0f * v; }
    #pragma omp end declare target
    int main() {
      #pragma omp target teams distribute parallel for
      for (int i = 0; i < 100; i++) table[i] = twice(table[i]);
      #pragma omp target update from(table)
    }
    """
    (found,) = regions(text)
    assert found.flop == 100
    assert found.accesses(Op.LOAD, "table") == 100


def test_members_are_reached_through_this() -> None:
    text = """
    struct Grid {
      float *data; int n;
      Grid(int count) : data(new float[count]), n(count) {}
      void scale(float f) {
        #pragma omp target teams distribute parallel for map(tofrom: data[0:n])
        for (int i = 0; i < n; i++) data[i] *= f;
      }
    };
    int main() { Grid g(300); g.scale(2.0f); g.scale(3.0f); }
    """
    (found,) = regions(text)
    assert found.launch.count == 2
    assert found.flop == 300


def test_regions_in_templates_are_one_for_each_instance() -> None:
    text = """
    template <typename T, int STEP> void scale(T *x, int n) {
      #pragma omp target teams distribute parallel for thread_limit(STEP * 32)
      for (int i = 0; i < n; i += STEP) x[i] = x[i] * 2;
    }
    int main() {
      scale<float, 1>(new float[320], 320);
      scale<double, 2>(new double[320], 320);
    }
    """
    found = regions(text)
    assert [item.shape for item in found] == [(10, 32), (3, 64)]
    assert [item.flop for item in found] == [320, 160]


@pytest.mark.parametrize("suffix", ["c", "cpp", "cc"])
def test_c_and_cpp_sources(suffix: str) -> None:
    text = """
    #include <stdlib.h>
    void scale(float *restrict_x, int n) {
      int i;
      #pragma omp target teams distribute parallel for private(i)
      for (i = 0; i < n; i++) restrict_x[i] = 2.0f * restrict_x[i];
    }
    int main(void) { scale((float *)malloc(400), 100); return 0; }
    """
    (found,) = regions(text, suffix=suffix)
    assert found.flop == 100


def test_counters_declared_before_a_region_have_no_value_that_it_needs() -> None:
    text = """
    int main() {
      int n = 100, i, k, j; float *x = new float[n * n];
      #pragma omp target teams distribute parallel for collapse(2)
      for (k = 0; k < n; k++) { for (i = 0; i < n; i++) { x[k * n + i] *= 2.0f; } }
      #pragma omp target teams distribute
      for (k = 0; k < n; k++) {
        #pragma omp parallel for private(j)
        for (j = 0; j < n; j++) { x[k * n + j] *= 2.0f; }
      }
      #pragma omp target parallel for lastprivate(k) map(from: k)
      for (k = 0; k < n; k++) { x[k] *= 2.0f; }
    }
    """
    found = regions(text)
    assert [item.flop for item in found] == [10_000, 10_000, 100]
    parameters = [{item.name for item in one.launch.trace.code.parameters} for one in found]
    assert parameters == [{"n", "x"}, {"n", "x"}, {"k", "n", "x"}]
    assert [note for one in found for note in one.launch.notes if note[0] == "argument"] == []


def test_private_copies_do_not_change_the_original() -> None:
    # Every thread starts from factor = 2; `last` holds the value of the last iteration afterwards.
    text = """
    int main() {
      int n = 100; float factor = 2.0f; float scratch = 0.0f; int last = 0;
      float *x = new float[n];
      #pragma omp target teams distribute parallel for private(scratch) firstprivate(factor)
      for (int i = 0; i < n; i++) { scratch = factor * x[i]; x[i] = scratch; }
      #pragma omp target parallel for lastprivate(last) map(from: last)
      for (int i = 0; i < n; i++) { last = i; }
    }
    """
    first, second = regions(text)
    assert first.flop == 100
    assert first.accesses(Op.STORE, "x") == 100
    assert second.accesses(Op.STORE, "last") == 1


# Reductions


def reduced(
    clause: str, update: str, kind: str = "double", directive: str = "teams distribute parallel for"
) -> Region:
    """A reduction over 1,000 elements in teams of 64."""
    text = f"""
    #include <stdlib.h>
    int main() {{
      int n = 1000; {kind} s = 0, t = 0;
      {kind} *x = ({kind} *)malloc(n * sizeof({kind}));
      #pragma omp target {directive} thread_limit(64) reduction({clause}) map(tofrom: s, t)
      for (int i = 0; i < n; i++) {{ {update} }}
    }}
    """
    (found,) = regions(text)
    return found


def test_a_reduction_meets_once_a_chunk_in_the_team_and_once_a_team_in_memory() -> None:
    found = reduced("+: s", "s += x[i];")
    teams = -(-1000 // 64)
    assert found.shape == (teams, 64)
    assert found.flop == pytest.approx(1000)
    assert found.calls("__kmpc_nvptx_parallel_reduce_nowait_v2") == teams * 64
    assert found.accesses(Op.ATOMIC, "s") == teams


def test_several_variables_are_reduced() -> None:
    found = reduced("+: s, t", "s += x[i]; t += 2 * x[i];")
    teams = -(-1000 // 64)
    assert found.accesses(Op.ATOMIC, "s") == teams
    assert found.accesses(Op.ATOMIC, "t") == teams


def test_what_reductions_share_is_counted_once_a_chunk_and_once_a_thread() -> None:
    directive = "teams distribute parallel for num_teams(4)"
    found = reduced("+: s, t", "s += x[i]; t += 2 * x[i];", directive=directive)
    # 16 chunks over 4 teams of 64, each with two numbers.
    reduce = "__kmpc_nvptx_parallel_reduce_nowait_v2"
    assert found.calls(reduce) == 16 * 64 * 2
    assert found.calls(reduce + ":chunk") == 16 * 64
    assert found.calls(reduce + ":start") == 4 * 64
    assert found.calls("__kmpc_nvptx_teams_reduce_nowait_v2") == 4 * 64


def test_teams_without_a_chunk_prepare_no_reduction() -> None:
    directive = "teams distribute parallel for num_teams(20)"
    found = reduced("+: s", "s += x[i];", directive=directive)
    assert found.shape == (20, 64)
    assert found.calls("__kmpc_nvptx_parallel_reduce_nowait_v2:start") == 16 * 64


@pytest.mark.parametrize(
    ("clause", "update", "kind"),
    [
        ("max: s", "if (x[i] > s) s = x[i];", "float"),
        ("min: s", "s = x[i] < s ? x[i] : s;", "int"),
        ("&&: s", "s = s && x[i];", "int"),
        ("||: s", "s = s || x[i];", "int"),
        ("*: s", "s *= x[i];", "double"),
        ("^: s", "s ^= x[i];", "unsigned"),
    ],
)
def test_other_operators(clause: str, update: str, kind: str) -> None:
    assert reduced(clause, update, kind).accesses(Op.ATOMIC, "s") == -(-1000 // 64)


def test_arrays_are_reduced_element_by_element() -> None:
    text = """
    #include <stdlib.h>
    int main() {
      int n = 1000; int bins[8] = {0}; int *x = (int *)malloc(n * sizeof(int));
      #pragma omp target teams distribute parallel for thread_limit(100) reduction(+: bins[0:8]) map(tofrom: bins)
      for (int i = 0; i < n; i++) bins[x[i] & 7]++;
    }
    """
    (found,) = regions(text)
    assert found.accesses(Op.ATOMIC, "bins") == 10 * 8


def test_a_reduction_of_one_parallel_region() -> None:
    found = reduced("+: s", "s += x[i];", directive="parallel for")
    assert found.shape == (1, 64)
    assert found.accesses(Op.ATOMIC, "s") == 1


# Atomics


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("#pragma omp atomic\ns += x[i];", "add"),
        ("#pragma omp atomic update\ns = s + x[i];", "add"),
        ("#pragma omp atomic\ns = x[i] + s;", "add"),
        ("#pragma omp atomic\ns -= 1;", "sub"),
        ("#pragma omp atomic\ns++;", "add"),
        ("#pragma omp atomic\n--s;", "add"),
        ("#pragma omp atomic\ns |= 4;", "or"),
        ("#pragma omp atomic\ns *= 2;", "cas"),
        ("#pragma omp atomic capture\nx[i] = s++;", "add"),
        ("#pragma omp atomic capture\n{ x[i] = s; s += 2; }", "add"),
        ("#pragma omp atomic capture\n{ s += 2; x[i] = s; }", "add"),
        ("#pragma omp atomic capture\n{ x[i] = s; s = 0; }", "exch"),
        ("#pragma omp atomic compare\nif (x[i] < s) { s = x[i]; }", "min"),
        ("#pragma omp atomic compare\ns = s < x[i] ? x[i] : s;", "max"),
    ],
)
def test_atomic_forms(statement: str, name: str) -> None:
    text = f"""
    #include <stdlib.h>
    int main() {{
      int n = 100, s = 0; int *x = (int *)malloc(n * sizeof(int));
      #pragma omp target teams distribute parallel for map(tofrom: s)
      for (int i = 0; i < n; i++) {{
        {statement}
      }}
    }}
    """
    (found,) = regions(text)
    assert found.accesses(Op.ATOMIC, "s") == 100
    details = [
        item.detail for _, item in found.launch.trace.code.instructions() if item.op is Op.ATOMIC
    ]
    assert [item.name for item in details if isinstance(item, AtomicAccess)] == [name]
    captures = "capture" in statement
    assert found.accesses(Op.STORE, "x") == (100 if captures else 0)


@pytest.mark.parametrize(("clause", "loads", "stores"), [("read", 100, 0), ("write", 0, 100)])
def test_atomic_reads_and_writes_are_plain_accesses(clause: str, loads: int, stores: int) -> None:
    statement = "x[i] = s;" if clause == "read" else "s = x[i];"
    text = f"""
    #include <stdlib.h>
    int main() {{
      int n = 100, s = 0; int *x = (int *)malloc(n * sizeof(int));
      #pragma omp target teams distribute parallel for map(tofrom: s)
      for (int i = 0; i < n; i++) {{
        #pragma omp atomic {clause}
        {statement}
      }}
    }}
    """
    (found,) = regions(text)
    assert found.accesses(Op.STORE, "s") == stores
    assert found.accesses(Op.STORE, "x") == loads


# Functions that main() does not reach


def test_regions_of_uncalled_functions_are_found() -> None:
    text = """
    void unused(float *x, int n) {
      #pragma omp target teams distribute parallel for
      for (int i = 0; i < n; i++) x[i] = 0.0f;
      #pragma omp target data map(x[0:n])
      {
        #pragma omp target teams distribute
        for (int i = 0; i < n; i++) x[i] = 1.0f;
      }
    }
    """
    unit = lower_unit("unit.cpp", ParseOptions(language=Language.OPENMP), text)
    program = link([unit])
    (function,) = region_functions(program)
    lower_host_function(program, function.key)
    assert sorted(region.line for region in program.regions.values()) == [3, 7]
    assert {region.function for region in program.regions.values()} == {"unused"}


# Nests and ranges whose bounds are not plain numbers of the host


def test_a_loop_over_an_array_has_its_length() -> None:
    text = """
    #include <stdlib.h>
    int main() {
      float *x = (float *)malloc(4096);
      int list[100] = {0};
      #pragma omp target teams distribute parallel for
      for (int i : list) x[i] = 1.0f;
    }
    """
    (found,) = regions(text)
    assert found.shape == (4, 32)
    assert found.accesses(Op.STORE, "x") == 100


def test_a_triangular_nest_runs_half_its_rectangle() -> None:
    n = 400
    text = f"""
    #include <stdlib.h>
    int main() {{
      int n = {n}; float *x = (float *)malloc(n * n * sizeof(float));
      #pragma omp target teams distribute parallel for collapse(2)
      for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) x[i * n + j] = 0;
    }}
    """
    (found,) = regions(text)
    assert found.accesses(Op.STORE, "x") == pytest.approx(n * (n + 1) / 2)
    # Clang's counter covers the rectangle, and the body is skipped outside of the triangle.
    assert math.prod(found.shape) == n * n
    assert found.launch.trace.code.assumptions == []


# A launch that the user states


def test_a_trip_count_that_contradicts_a_stated_launch_is_not_believed() -> None:
    region = next(iter(_regions_of("teams distribute parallel for")))
    known = consistent_arguments(region, [7, 1000, 3.0], (0, 0, 1000), grid=8, block=128)
    assert known == [7, 1000, 3.0]
    doubted = consistent_arguments(region, [7, 1000, 3.0], (0, 0, 1000), grid=500, block=128)
    assert doubted[0] == 7
    assert isinstance(doubted[1], Unknown)
    assert doubted[2] == 3.0


def test_stated_teams_say_nothing_about_the_trip_count() -> None:
    region = next(iter(_regions_of("teams distribute parallel for num_teams(8)")))
    assert consistent_arguments(region, [1000], (8, 0, 1000), grid=500, block=128) == [1000]


def _regions_of(directive: str) -> list[TargetRegion]:
    text = f"""
    void f(float *x, int n) {{
      #pragma omp target {directive}
      for (int i = 0; i < n; i++) x[i] = 0.0f;
    }}
    """
    program = link([lower_unit("unit.cpp", ParseOptions(language=Language.OPENMP), text)])
    for function in region_functions(program):
        lower_host_function(program, function.key)
    return list(program.regions.values())


@pytest.mark.parametrize("item", ["best[0]", "best[0:1]", "best[2]", "best[2:2]"])
def test_elements_behind_a_pointer_are_reduced(item: str) -> None:
    first = int(item[5])
    length = 2 if item.endswith(":2]") else 1
    text = f"""
    #include <stdlib.h>
    int main() {{
      int n = 1000; float *x = (float *)malloc(n * sizeof(float)), *best = (float *)malloc(64);
      #pragma omp target teams distribute parallel for thread_limit(100) reduction(max: {item})
      for (int i = 0; i < n; i++) best[{first}] = best[{first}] < x[i] ? x[i] : best[{first}];
    }}
    """
    (found,) = regions(text)
    assert found.accesses(Op.ATOMIC, "best") == 10 * length
    assert found.accesses(Op.LOAD, "best") == 0


def test_a_reduced_variable_is_the_original_behind_its_loop() -> None:
    text = """
    #include <stdlib.h>
    int main() {
      int n = 32; float *x = (float *)malloc(n * 64 * sizeof(float)), *sums = (float *)malloc(128);
      #pragma omp target teams distribute num_teams(n) thread_limit(64)
      for (int i = 0; i < n; i++) {
        float s = 0;
        #pragma omp parallel for reduction(+: s)
        for (int j = 0; j < 64; j++) s += x[i * 64 + j];
        sums[i] = s;
      }
    }
    """
    (found,) = regions(text)
    assert found.space("s") is Space.SHARED
    assert found.accesses(Op.STORE, "sums") == 32
    # The value that is stored comes from memory of the team, where the reduction left it.
    assert found.accesses(Op.LOAD, "s") == 32


@pytest.mark.parametrize(
    ("clauses", "n"),
    [("", 500_000), ("", 796_404), ("num_teams(1000)", 1000), ("num_teams(700)", 123_457)],
)
def test_teams_that_run_fewer_chunks_are_counted_exactly(clauses: str, n: int) -> None:
    found = elementwise(f"#pragma omp target teams distribute parallel for {clauses}", n)
    assert found.flop == pytest.approx(n, rel=1e-3)


@pytest.mark.parametrize(("word", "bits"), [("unsigned", 16), ("unsigned long", 32)])
def test_a_loop_over_the_bits_of_a_word_stays_and_clears_half_of_them(word: str, bits: int) -> None:
    text = f"""
    #include <stdlib.h>
    int main() {{
      int n = 1000; {word} *x = ({word} *)malloc(n * sizeof({word})); int *bits = (int *)malloc(4 * n);
      #pragma omp target teams distribute parallel for
      for (int i = 0; i < n; i++) {{
        int count = 0;
        {word} left = x[i];
        while (left) {{ left &= left - 1; count++; }}
        bits[i] = count;
      }}
    }}
    """
    (found,) = regions(text)
    trace = found.launch.trace
    cleared = sum(
        trace.block_threads.get(block.number, 0.0)
        for block, item in trace.code.instructions()
        if item.op is Op.AND
    )
    assert cleared == pytest.approx(1000 * bits)


BOX = """
#include <stdio.h>
void read_sizes(const char *name, int *first, int *last, int *pitch);
int main(int argc, char **argv) {{
  int y0, y1, x0, x1, pitch;
  read_sizes(argv[1], &y0, &y1, &pitch);
  read_sizes(argv[1], &x0, &x1, &pitch);
  float *a = new float[pitch * y1];
  #pragma omp target teams distribute parallel for collapse(2) thread_limit(256) {clause}
  for (int y = y0; y <= y1; y++)
    for (int x = x0; x <= x1; x++)
      a[y * pitch + x] += 1.0f;
}}
"""


@pytest.mark.parametrize(("clause", "side"), [("num_teams(400)", 320), ("", 1810)])
def test_a_box_of_unknown_bounds_is_as_large_as_its_launch(clause, side):
    """400 teams of 256 have 320 x 320 elements; as many teams as there may be stand for four times theirs: 1,810 x 1,810."""
    (found,) = regions(BOX.format(clause=clause), argv=["file"])
    notes = [text for kind, text in found.launch.notes if kind == "argument"]
    values = {text.split()[1]: int(text.rsplit(" ", 1)[1]) for text in notes}
    assert values["y0"] == values["x0"] == 0
    assert values["y1"] == values["x1"] == side
    assert values["pitch"] >= side
    assert found.flop == pytest.approx((side + 1) ** 2, rel=0.01)


def test_pairs_of_one_array_are_as_near_as_two_draws():
    # Differences of two numbers below 100 are d in 100 - |d| of 10,000 cases.
    text = """
    #include <stdlib.h>
    int main() {
      int n = 4096, *x = (int *)malloc(3 * n * 4), *out = (int *)malloc(20 * n * 4);
      for (int i = 0; i < 3 * n; i++) x[i] = rand() % 100;
      #pragma omp target teams distribute parallel for map(to: x[0:3*n]) map(tofrom: out[0:20*n])
      for (int i = 0; i < n; i++) {
        int a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2], s = 0;
        for (int j = 0; j < n; j++) {
          int d = (a - x[3 * j]) * (a - x[3 * j]) + (b - x[3 * j + 1]) * (b - x[3 * j + 1])
                + (c - x[3 * j + 2]) * (c - x[3 * j + 2]);
          if (d > 1600) continue;
          for (int k = 0; k < 20; k++) s += out[k * n + i];
        }
        out[i] = s;
      }
    }"""
    apart = np.arange(-99, 100)
    chance = (100 - abs(apart)) / 10_000
    squares = np.add.outer(np.add.outer(apart**2, apart**2), apart**2)
    chances = np.multiply.outer(np.multiply.outer(chance, chance), chance)
    share = chances[squares <= 1600].sum()
    (region,) = regions(text)
    inner = max(region.launch.trace.loops.values(), key=lambda totals: totals.starts)
    assert share == pytest.approx(0.16, rel=0.1)
    assert inner.starts / 4096**2 == pytest.approx(share, rel=0.3)


@pytest.mark.parametrize(
    ("directive", "threads"),
    [("thread_limit(64)", 64), ("num_threads(256)", 256)],
)
def test_regions_of_random_boxes_have_teams_for_the_middle_one(directive, threads):
    # Rows and columns of 64 to 191: 4,096 to 36,481 iterations.
    text = f"""
    #include <stdlib.h>
    int main() {{
      int n = 10000;
      float *out = (float *)malloc(200 * 200 * 4);
      int *rows = (int *)malloc(n * 4), *columns = (int *)malloc(n * 4);
      for (int i = 0; i < n; i++) {{ rows[i] = 64 + rand() % 128; columns[i] = 64 + rand() % 128; }}
      for (int b = 0; b < n; b++) {{
        int height = rows[b], width = columns[b];
        #pragma omp target teams distribute parallel for collapse(2) {directive} map(tofrom: out[0:200*200])
        for (int y = 0; y < height; y++)
          for (int x = 0; x < width; x++) out[y * 200 + x] = 1.0f;
      }}
    }}"""
    largest = max(regions(text), key=lambda region: region.launch.count)
    teams, own_threads = largest.shape
    assert own_threads == threads
    assert teams == (4096 // threads + -(-36_481 // threads)) // 2


def test_recursive_functions_work_as_deep_as_they_go():
    # Four times a product and a sum, and a sum for the element: 9.
    (region,) = regions("""
    #pragma omp declare target
    float g(float x, int d) { return d == 0 ? x : g(x * 0.5f, d - 1) + 1; }
    #pragma omp end declare target
    int main() {
      int n = 4096; float *f = new float[n];
      #pragma omp target teams distribute parallel for map(tofrom: f[:n])
      for (int i = 0; i < n; i++) f[i] += g(f[i], 4);
    }""")
    assert region.flop == 9 * 4096
    assert not [item for item in region.launch.trace.assumptions if item.kind == "indirect-call"]
