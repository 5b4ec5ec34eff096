"""Outlining of target regions: mode, captured values, memory of the team, what directives say of themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clang_queries.command_line import Language, ParseOptions
from clang_queries.ir.types import Scalar
from clang_queries.unit import lower_unit
from roofstat.program.code import LibraryCall, Op, Space, instructions_of, loops
from roofstat.program.link import Program, link
from roofstat.program.lowering import lower_host_function
from roofstat.program.openmp import ExecutionMode, TargetRegion, region_functions
from roofstat.program.openmp.modules import region_module
from roofstat.program.openmp.reductions import neutral_element

if TYPE_CHECKING:
    from pathlib import Path


def outlined(text: str) -> tuple[Program, list[TargetRegion]]:
    """All target regions of a text, by line."""
    unit = lower_unit("unit.cpp", ParseOptions(language=Language.OPENMP), text)
    assert [item.text for item in unit.diagnostics] == []
    program = link([unit])
    for function in region_functions(program):
        lower_host_function(program, function.key)
    return program, sorted(program.regions.values(), key=lambda region: region.line)


def region(
    directives: str, body: str, parameters: str = "float *x, float *y, int n"
) -> TargetRegion:
    """The one region of a function with these directives before this statement."""
    text = f"#include <omp.h>\nvoid f({parameters}) {{\n{directives}\n{body}\n}}\n"
    _, (found,) = outlined(text)
    return found


def test_private_variables_of_the_region_are_no_arguments() -> None:
    text = "for (int i = 0; i < n; i++) { n2 = x[i]; y[i] = n2; }"
    parameters = "float *x, float *y, int n, float n2"
    found = region("#pragma omp target teams distribute parallel for private(n2)", text, parameters)
    assert sorted(item.name for item in found.code.parameters) == ["n", "x", "y"]


@pytest.mark.parametrize(
    ("qualifier", "directives", "is_copied"),
    [
        ("const", "#pragma omp target teams distribute parallel for firstprivate(m)", False),
        ("const", "#pragma omp target firstprivate(m)\n#pragma omp teams loop", False),
        ("", "#pragma omp target teams distribute parallel for firstprivate(m)", True),
        ("const", "#pragma omp target\n#pragma omp teams loop firstprivate(m)", True),
    ],
)
def test_constant_records_of_target_regions_are_read_where_they_are_mapped(
    qualifier: str, directives: str, is_copied: bool
) -> None:
    """PTX of clang 18.1.6: `ld.global` of the member in the loop, and a copy of all members before it for the others."""
    text = f"""struct Model {{ float slope, offset, spare; }};
    void f(float *x, float *y, int n) {{
      {qualifier} Model m = {{x[0], x[1], x[2]}};
      {directives}
      for (int i = 0; i < n; i++) y[i] = m.slope * x[i];
    }}"""
    _, (found,) = outlined(text)
    in_loop = [
        item
        for loop, depth in loops(found.code.body)
        if not depth
        for item in instructions_of([loop])
        if item.op is Op.LOAD and item.detail.array.startswith("m")
    ]
    assert len(in_loop) == (0 if is_copied else 1)


LOOP = "for (int i = 0; i < n; i++) y[i] = x[i];"


@pytest.mark.parametrize(
    ("directives", "mode"),
    [
        ("#pragma omp target teams distribute parallel for", ExecutionMode.SPMD),
        ("#pragma omp target teams loop", ExecutionMode.SPMD),
        ("#pragma omp target parallel for", ExecutionMode.SPMD),
        ("#pragma omp target simd", ExecutionMode.SPMD),
        ("#pragma omp target\n#pragma omp teams distribute parallel for", ExecutionMode.SPMD),
        ("#pragma omp target teams\n#pragma omp distribute parallel for", ExecutionMode.SPMD),
        ("#pragma omp target teams distribute", ExecutionMode.GENERIC_SPMD),
        ("#pragma omp target", ExecutionMode.GENERIC_SPMD),
        ("#pragma omp target teams", ExecutionMode.GENERIC_SPMD),
    ],
)
def test_modes(directives: str, mode: ExecutionMode) -> None:
    assert region(directives, LOOP).mode is mode


@pytest.mark.parametrize(
    ("directives", "has_teams", "is_one_thread"),
    [
        ("#pragma omp target teams distribute parallel for", True, False),
        ("#pragma omp target\n#pragma omp teams\n#pragma omp distribute", True, False),
        ("#pragma omp target parallel for", False, False),
        ("#pragma omp target simd", False, True),
        ("#pragma omp target teams distribute simd", True, True),
        ("#pragma omp target teams distribute parallel for simd", True, False),
    ],
)
def test_teams_and_threads(directives: str, has_teams: bool, is_one_thread: bool) -> None:
    found = region(directives, LOOP)
    assert (found.has_teams, found.is_one_thread) == (has_teams, is_one_thread)


def test_a_region_says_where_it_is() -> None:
    found = region(
        "#pragma omp target teams distribute \\\n  parallel for thread_limit( 64 )", LOOP
    )
    assert found.line == 3
    assert found.end_line == 5
    assert found.function == "f"
    assert found.directive == "#pragma omp target teams distribute parallel for thread_limit(64)"


def test_scalars_and_pointers_are_captured_by_value() -> None:
    found = region("#pragma omp target teams distribute parallel for map(to: x[0:n])", LOOP)
    assert {(item.name, item.is_pointer) for item in found.code.parameters} == {
        ("x", True),
        ("y", True),
        ("n", False),
    }


def test_mapped_scalars_are_memory() -> None:
    found = region("#pragma omp target map(tofrom: s)", "s = s + n;", parameters="int s, int n")
    assert {(item.name, item.is_pointer) for item in found.code.parameters} == {
        ("s", True),
        ("n", False),
    }
    assert [item.op for _, item in found.code.instructions()].count(Op.STORE) == 1


@pytest.mark.parametrize("clause", ["map(tofrom: s)", "defaultmap(tofrom: scalar)"])
def test_other_ways_to_map_a_scalar(clause: str) -> None:
    found = region(f"#pragma omp target {clause}", "s = 1;", parameters="int s")
    assert [item.is_pointer for item in found.code.parameters] == [True]


def test_instances_of_a_template_have_regions_of_their_own() -> None:
    _, found = outlined(
        """
        template <typename T> void f(T *x, int n) {
          #pragma omp target teams distribute parallel for
          for (int i = 0; i < n; i++) x[i] = 0;
        }
        void g(float *a, double *b) { f(a, 3); f(b, 4); }
        """
    )
    assert len(found) == 2
    assert len({item.key for item in found}) == 2
    assert {item.line for item in found} == {3}


def test_team_scalars_that_parallel_regions_assign_are_shared() -> None:
    found = region(
        "#pragma omp target teams num_teams(4) thread_limit(64)",
        """{
          int hits = 0, limit = n;
          #pragma omp parallel
          { if (x[omp_get_thread_num()] > limit) hits = 1; }
          y[0] = hits;
        }""",
    )
    spaces = {slot.name: slot.space for slot in found.code.slots if slot.name}
    assert spaces["hits"] is Space.SHARED
    assert spaces.get("limit") is not Space.SHARED


def calls_of(found: TargetRegion) -> list[str]:
    """Names of the run time's work in a region."""
    return [
        item.detail.name
        for _, item in found.code.instructions()
        if isinstance(item.detail, LibraryCall)
    ]


def test_every_thread_enters_the_run_time_once() -> None:
    found = region("#pragma omp target teams distribute parallel for", LOOP)
    assert calls_of(found).count("__kmpc_target_init:spmd") == 1


@pytest.mark.parametrize(
    ("operator", "scalar", "value"),
    [
        ("+", Scalar.I32, 0),
        ("+", Scalar.F64, 0.0),
        ("*", Scalar.F32, 1.0),
        ("min", Scalar.I32, 2**31 - 1),
        ("min", Scalar.F32, float("inf")),
        ("max", Scalar.I64, -(2**63)),
        ("max", Scalar.U32, 0),
        ("&&", Scalar.I32, 1),
        ("||", Scalar.I32, 0),
        ("&", Scalar.U32, 2**32 - 1),
        ("|", Scalar.I32, 0),
        ("^", Scalar.I32, 0),
    ],
)
def test_neutral_elements(operator: str, scalar: Scalar, value: float) -> None:
    found = neutral_element(operator, scalar)
    assert found == value
    assert isinstance(found, float) == scalar.is_float


def test_loops_without_canonical_form_are_said_to_be_so() -> None:
    found = region(
        "#pragma omp target teams distribute parallel for",
        "for (int i = 0; y[i] > 0; i++) y[i] = x[i];",
    )
    assert any("no canonical form" in item.text for item in found.code.assumptions)


def test_two_regions_of_one_macro_are_two() -> None:
    _, found = outlined(
        """
        #define TWICE(x, n) _Pragma("omp target") for (int i = 0; i < n; i++) x[i] = 1; \\
                            _Pragma("omp target") for (int i = 0; i < n; i++) x[i] = 2;
        void f(float *x, int n) { TWICE(x, n) }
        """
    )
    assert len({item.key for item in found}) == 2
    assert {item.line for item in found} == {4}


def test_constants_of_clauses_stand_in_the_region() -> None:
    found = region(
        "#pragma omp target teams num_teams(n) thread_limit(2 * 32)\n#pragma omp distribute parallel for num_threads(16)",
        LOOP,
    )
    assert (found.sizes.teams, found.sizes.threads) == (0, 16)
    assert found.sizes.trips == 0


@pytest.mark.parametrize(
    ("loop", "trips"),
    [
        ("for (int i = 0; i < 8; i++) x[i] = 1;", 8),
        ("for (int i = 10; i >= 1; i -= 3) x[i] = 1;", 4),
        ("for (int i = 0; i < n; i++) x[i] = 1;", 0),
    ],
)
def test_constant_trip_counts_stand_in_the_region(loop: str, trips: int) -> None:
    assert region("#pragma omp target teams distribute parallel for", loop).sizes.trips == trips


def test_regions_of_headers_share_the_module_of_their_unit(tmp_path: Path) -> None:
    header = tmp_path / "part.h"
    header.write_text(
        "inline void g(float *x, int n) {\n#pragma omp target teams distribute parallel for\n"
        "for (int i = 0; i < n; i++) x[i] = 0;\n}\n"
    )
    sequential = "void f(float *x) {\n#pragma omp target\nx[0] = 1;\n}\n"
    options = ParseOptions(language=Language.OPENMP, include_directories=(str(tmp_path),))
    for own, is_mixed in ((sequential, True), ("", False)):
        unit = lower_unit(str(tmp_path / "main.cpp"), options, f'#include "part.h"\n{own}')
        program = link([unit])
        (function,) = (item for item in program.functions.values() if item.name == "g")
        assert region_module(program, function).is_mixed is is_mixed


SPMD = "#pragma omp target teams distribute parallel for{}\nfor ({} i = 0; i < n; i++) x[i] = 0;\n"
TEAMS = """
#pragma omp target teams num_teams(4) thread_limit(64)
{
  float s[64];
  #pragma omp parallel
  {
    s[omp_get_thread_num()] = n;
    #pragma omp barrier
    x[omp_get_thread_num()] = s[omp_get_num_threads() - 1];
  }
}
"""
CHUNK = "__kmpc_parallel_51:chunk"


def in_one_function(*regions: str) -> list[TargetRegion]:
    body = "\n".join(regions)
    return outlined(f"#include <omp.h>\nvoid f(float *x, int n) {{\n{body}\n}}\n")[1]


@pytest.mark.parametrize(
    ("type_", "case"), [("unsigned", ""), ("int", "-signed"), ("long", "-wide")]
)
def test_the_step_of_a_chunk_depends_on_the_counter(type_: str, case: str) -> None:
    (found,) = in_one_function(SPMD.format("", type_))
    assert calls_of(found).count(CHUNK + case) == 1


def test_a_clause_on_threads_makes_all_regions_of_the_module_load_their_number() -> None:
    counted, other = in_one_function(SPMD.format(" num_threads(32)", "int"), SPMD.format("", "int"))
    for found in (counted, other):
        assert calls_of(found).count(CHUNK + "-signed:counted") == 1
    assert "__kmpc_push_num_threads" in calls_of(counted)
    assert "__kmpc_push_num_threads" not in calls_of(other)


def test_modules_of_both_modes_look_the_mode_up_but_in_their_last_region() -> None:
    first, teams, last = in_one_function(SPMD.format("", "int"), TEAMS, SPMD.format("", "int"))
    assert CHUNK + "-signed:looked-up" in calls_of(first)
    assert CHUNK + "-signed:counted" in calls_of(last)
    assert "__kmpc_parallel_51:only:looked-up" in calls_of(teams)
    # the barrier of the program and the one at the end of the parallel region
    assert calls_of(teams).count("__kmpc_is_spmd_exec_mode") == 2


def test_a_barrier_behind_what_one_thread_does_does_not_look_the_mode_up() -> None:
    guarded = TEAMS.replace("{\n", "{\n    x[0] = 1.0f;\n", 1)
    assert guarded != TEAMS
    _, teams, _ = in_one_function(SPMD.format("", "int"), guarded, SPMD.format("", "int"))
    assert calls_of(teams).count("__kmpc_is_spmd_exec_mode") == 2


def test_teams_regions_alone_know_their_mode_and_ask_for_thread_numbers() -> None:
    (found,) = in_one_function(TEAMS)
    calls = calls_of(found)
    assert calls.count("omp_get_thread_num") == 2
    assert calls.count("omp_get_num_threads") == 1
    assert "__kmpc_parallel_51:only" in calls
    assert "__kmpc_is_spmd_exec_mode" not in calls


def test_another_run_of_a_program_finds_its_code_and_regions_again() -> None:
    loop = "#pragma omp target teams distribute parallel for\n" + LOOP
    program, (found,) = outlined(f"void f(float *x, float *y, int n) {{\n{loop}\n}}\n")
    again = program.renewed()
    assert not again.regions
    code = lower_host_function(again, found.function_key)
    assert code is lower_host_function(program, found.function_key)
    assert list(again.regions.values()) == [found]
