"""What is read off the code of a loop."""

from __future__ import annotations

import pytest

from roofstat.execution.loops.facts import loop_facts
from roofstat.program.code import loops


@pytest.fixture
def facts(code):
    """The facts of the outermost loop of a kernel with this body."""

    def find(body):
        built = code(
            f"__global__ void k(float *a, int n, float x) {{ int i = threadIdx.x; {body} }}"
        )
        definitions = {item.dest: item for _, item in built.instructions() if item.dest >= 0}
        loop = next(loop for loop, depth in loops(built.body) if depth == 0)
        return loop_facts(built, loop, definitions)

    return find


def test_a_plain_loop_decides_nothing(facts):
    found = facts("for (int j = 0; j < n; j++) a[j] = x;")
    assert len(found.assigned) == len(found.carried) == 1
    assert (found.control, found.branched, found.period, found.reads_memory) == (
        frozenset(),
        frozenset(),
        1,
        False,
    )


def test_a_guard_on_the_counter_is_control(facts):
    found = facts("for (int j = 0; j < n; j++) if (j < i) a[j] = x;")
    assert found.control == found.carried


def test_a_triangular_inner_loop_depends_on_the_outer_counter(facts):
    found = facts("for (int j = 0; j < n; j++) for (int l = 0; l < j; l++) a[l] = x;")
    assert len(found.control & found.carried) == 1
    assert len(found.control) == 2


def test_a_rectangular_inner_loop_does_not(facts):
    found = facts("for (int j = 0; j < n; j++) for (int l = 0; l < i; l++) a[l] = x;")
    assert found.control & found.carried == frozenset()


def test_an_exit_of_the_loop_itself_is_no_decision(facts):
    found = facts("for (int j = 0; ; j++) { if (j >= n) break; a[j] = x; }")
    assert found.control == frozenset()


@pytest.mark.parametrize(
    ("condition", "period"),
    [
        ("j % 4 == 0", 4),
        ("j & 1", 2),
        ("(j & 4) == 0", 8),
        ("j % 2 == 0 && j % 3 == 0", 6),
        ("j % 99 == 0", 1),
    ],
)
def test_remainders_give_the_period(facts, condition, period):
    assert facts(f"for (int j = 0; j < n; j++) if ({condition}) a[j] = x;").period == period


def test_a_remainder_of_something_fixed_is_no_period(facts):
    assert facts("for (int j = 0; j < n; j++) if (i % 4 == 0) a[j] = x;").period in (1, 4)


def test_loaded_data_is_told_apart(facts):
    assert facts("for (int j = 0; j < n; j++) if (a[j] > x) a[j] = x;").reads_memory
    assert not facts("for (int j = 0; j < n; j++) if (j > 3) a[j] = x;").reads_memory


def test_what_only_a_branch_writes(facts):
    found = facts("int s = 0; for (int j = 0; j < n; j++) { if (j % 3) s++; a[s] = x; }")
    assert len(found.branched) == 1
    assert found.branched < found.carried


def test_quotients_are_uneven_and_sums_are_even(facts):
    assert facts("for (int j = 0; j / 3 < n; j++) a[j] = x;").uneven
    assert not facts("for (int j = 0; 3 * j + i < n; j++) a[j] = x;").uneven


def test_a_variable_set_anew_in_every_iteration_is_not_carried(facts):
    found = facts("for (int j = 0; j < n; j++) { int t; if (j > 2) t = 1; else t = 2; a[t] = x; }")
    assert len(found.assigned) == 2
    assert len(found.carried) == 1
