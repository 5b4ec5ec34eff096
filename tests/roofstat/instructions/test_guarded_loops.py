"""Where nvcc parts a loop at a branch on its counter: PTX and executed SASS of own kernels (nvcc 13.0, sm_90)."""

from __future__ import annotations

import pytest
from builder import Run, count

from roofstat.instructions.tables.costs import Compiler

ARGUMENTS = "const float *x, const float *y, float *o, int n, int m, unsigned u"
INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0.0f;"
HEAD = f"{INDEX} if (i >= n) return;"
LOOP = "for (int j = 0; j < n; j++)"
BODY = "s += x[j] * y[j];"
TRIPS = 1024
ROUND = TRIPS / 4
"""Even the fewest copies of a body that compares its counter do so this often and more."""


def integers(
    body: str, taken: float = 1.0, compiler: Compiler = Compiler.NVCC, head: str = HEAD
) -> float:
    run = Run(default_trips=TRIPS, taken=(1.0, taken))
    text = f"{head} {body} o[i] = s;"
    return count(ARGUMENTS, text, run, compiler=compiler, architecture="sm_90").int_op


@pytest.mark.parametrize(
    "condition",
    ["j != i", "j < i", "j <= m", "i > j", "i - j >= 0", "j < i + 1", "j != threadIdx.x", "j > 0"],
)
def test_a_loop_is_parted_where_its_counter_meets_what_is_there_before_it(condition):
    assert integers(f"{LOOP} if ({condition}) {BODY}") < integers(f"{LOOP} {BODY}") + 64


@pytest.mark.parametrize(
    "body",
    [
        f"{LOOP} {{ if (j == i) continue; {BODY} }}",
        f"{LOOP} {{ s *= x[j]; if (j != i) s += y[j]; }}",
        f"for (unsigned j = 0; j < u; j++) if (j != i) {BODY}",
        f"int e = m / 2; {LOOP} if (j < e) {BODY}",
        f"{LOOP} if (j > i && j < m) {BODY}",
        f"for (int q = 0; q < 999; q++) s += x[q]; {LOOP} if (j != i) {BODY}",
    ],
)
def test_it_is_parted_in_every_form_of_the_branch(body):
    plain = body
    for guard in ("if (j == i) continue;", "if (j != i)", "if (j < e)", "if (j > i && j < m)"):
        plain = plain.replace(guard, "")
    assert integers(body) < integers(plain) + 64


def test_the_second_test_of_a_condition_stays():
    parted = integers(f"{LOOP} if (j != i && x[j] > 0.0f) s += y[j];")
    assert parted == pytest.approx(integers(f"{LOOP} if (x[j] > 0.0f) s += y[j];"), abs=64)


def test_what_is_left_out_takes_no_iterations():
    half = integers(f"{LOOP} if (j < i) {BODY}", taken=0.5)
    assert half == pytest.approx(integers(f"{LOOP} {BODY}") / 2, abs=64)


@pytest.mark.parametrize(
    "body",
    [
        f"for (int j = 1; j < n; j++) if (j != i) {BODY}",
        f"for (int j = 0; j <= n; j++) if (j != i) {BODY}",
        f"for (int j = 0; j < n; j += 2) if (j != i) {BODY}",
        f"for (int q = 0; q < m; q++) {LOOP} if (j != i) {BODY}",
        f"for (int q = 0; q < m; q++) s += x[q]; {LOOP} if (j != i) {BODY}",
        f"{LOOP} {{ if (j != i) s += x[j]; if (j != m) s += y[j]; }}",
        f"{LOOP} if (j < m / 2) {BODY}",
        f"{LOOP} if (x[j] > 0.0f && j != i) {BODY}",
        f"{LOOP} {{ int d = i - j; if (d >= 0) s += x[d]; }}",
        f"for (long long j = 0; j < n; j++) if (j != i) {BODY}",
    ],
)
def test_other_loops_stay_whole(body):
    plain = body
    for guard in (
        "if (j != i)",
        "if (j != m)",
        "if (j < m / 2)",
        "if (d >= 0)",
        "if (x[j] > 0.0f && j != i)",
    ):
        plain = plain.replace(guard, "")
    assert integers(body) > integers(plain) + ROUND


GUARDED = f"{LOOP} if (j != i) {BODY}"


@pytest.mark.parametrize(
    ("before", "after", "parts"),
    [
        ("if (i >= n) return;", "", True),
        ("if (m > 3) {", "}", True),
        ("if (i >= n) return; if (m < 1) return;", "", True),
        ("if (i >= n) return; s = m > 3 ? 1.0f : 2.0f;", "s /= x[i];", True),
        ("if (m > 3) {", "} if (s > 1.0f) { o[i + n] = s; o[i + m] = x[i]; }", True),
        (f"if (m > 3) {{ {LOOP} {BODY} }} if (m > 3) {{", "}", True),
        ("", "", False),
        ("__syncthreads();", "", False),
        ("if (i & 1) { o[i + 5] = 1.0f; o[i + 6] = x[i]; }", "", False),
        ("if (i >= n) return; if (i & 1) { o[i + 5] = 1.0f; o[i + 6] = x[i]; }", "", False),
        ("if (i >= n) return;", "if (s > 1.0f) { o[i + n] = s; o[i + m] = x[i]; }", False),
        ("if (i >= n) return;", "for (int q = 0; q <= m; q++) s += y[q];", False),
    ],
)
def test_a_loop_is_parted_alone_behind_a_condition(before, after, parts):
    head = f"{INDEX} {before}"
    more = integers(f"{GUARDED} {after}", 1.0, head=head) - integers(
        f"{LOOP} {BODY} {after}", head=head
    )
    assert (more < 64) is parts


def test_clang_leaves_them_whole():
    plain = integers(f"{LOOP} {BODY}", compiler=Compiler.CLANG)
    assert integers(f"{LOOP} if (j != i) {BODY}", compiler=Compiler.CLANG) > plain + ROUND
