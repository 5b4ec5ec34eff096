"""What the rules say beyond their examples, and what they must not say."""

import dataclasses

import pytest

from roofstat.errors import UsageError
from roofstat.report import BoundBy, Edit, PatternKind, Severity
from roofstat.rules.registry import RULES, rule_for
from roofstat.rules.rule import RuleContext
from roofstat.rules.runner import findings

PROGRAM = """__global__ void k(float *x, const float *a, int *c, int n, int m) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  {body}
}}
int main() {{
  int n = 1 << 16, *c;
  float *x, *a;
  cudaMalloc(&x, 64 * n * sizeof(float));
  cudaMalloc(&a, 64 * n * sizeof(float));
  cudaMalloc(&c, n * sizeof(int));
  k<<<n / 256, 256>>>(x, a, c, n, 64);
}}
"""


@pytest.fixture
def patterns_of(report_of):
    """Body of a kernel to the kinds of its patterns."""

    def run(body):
        (kernel,) = report_of(PROGRAM.format(body=body)).kernels
        return [pattern.kind for pattern in kernel.patterns]

    return run


def test_codes_and_names_are_unique_and_in_order():
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_an_unknown_rule_is_refused_with_a_suggestion():
    with pytest.raises(UsageError, match="did you mean RS101"):
        rule_for("RS1O1")


@pytest.mark.parametrize(
    "body",
    [
        "x[i] = (double)a[i] * 2.1;",  # somebody wrote the conversion
        "double s = 0; for (int k = 0; k < m; k++) s += a[i + k] * 2.1; x[i] = s;",  # digits are kept
        "x[i] = a[i] * 2.1f;",
        "double *d = (double *)x; d[i] = d[i] * 2.1;",
    ],
)
def test_wanted_double_precision_is_no_pattern(patterns_of, body):
    assert PatternKind.DOUBLE_LITERAL not in patterns_of(body)


def test_the_edit_adds_the_suffix_behind_every_literal_of_the_expression(report_of):
    report = report_of(PROGRAM.format(body="x[i] = a[i] * 2.1 + 0.3; /* 2.1 */ // 0.3"))
    (kernel,) = report.kernels
    (found,) = rule_for("RS201").check(kernel, RuleContext(gpu=report.gpu))
    # Behind two blanks, `2.1` stands in columns 17 to 19 and `0.3` in columns 23 to 25.
    assert found.fix == tuple(
        Edit(line=3, column=column, end_column=column, text="f") for column in (20, 26)
    )


def test_no_edit_is_offered_where_a_double_value_joins(report_of):
    report = report_of(
        PROGRAM.format(body="double d = *(double *)(x + 2 * i); x[i] = a[i] * 2.1 + d;")
    )
    (kernel,) = report.kernels
    assert [
        found.fix for found in rule_for("RS201").check(kernel, RuleContext(gpu=report.gpu))
    ] == [()]


@pytest.mark.parametrize(
    "body",
    [
        "for (int k = 0; k < m; k++) { x[k * n + i] = a[0]; __syncthreads(); }",
        "volatile const float *v = a; for (int k = 0; k < m; k++) x[k * n + i] = v[0];",
        "float s = 0; for (int k = 0; k < m; k++) s += a[0] * k; x[i] = s;",  # no store: hoisted
        "for (int k = 0; k < m; k++) x[k * n + i] = a[k];",
    ],
)
def test_loads_that_must_stay_in_the_loop_are_no_pattern(patterns_of, body):
    assert PatternKind.INVARIANT_LOAD not in patterns_of(body)


def test_a_reload_after_a_store_to_the_same_array_is_needed(patterns_of):
    kinds = patterns_of("float v = a[i]; x[i] = v; c[i] = 1; x[i + 1] = 2; x[i] += a[i];")
    assert kinds == [
        PatternKind.REPEATED_LOAD
    ]  # a[i] alone: x[i] may be x[i + 1] of what was stored


def test_a_tail_guard_is_no_divergence(report_of, context_of):
    report = report_of(PROGRAM.format(body="if (i < n - 3) x[i] = a[i];"))
    assert "RS301" not in {item.code for item in findings(report, context_of(report))}


def test_an_inner_branch_is_not_the_waste_of_the_outer_one(report_of):
    body = "if (threadIdx.x != 0) { if (threadIdx.x % 2) for (int k = 0; k < m; k++) x[i] = x[i] * 0.5f + a[i]; }"
    (kernel,) = report_of(PROGRAM.format(body=body)).kernels
    outer, inner = (p for p in kernel.patterns if p.kind is PatternKind.THREAD_DIVERGENCE)
    # 255 of 256 threads pass the outer branch; half of those lanes idle in the inner one.
    assert outer.share < 0.01
    assert 0.4 < inner.share < 0.5
    assert (outer.lanes, inner.lanes) == pytest.approx((255 / 8, 16))


def test_a_kernel_launched_twice_is_reported_once(report_of, context_of):
    text = PROGRAM.format(body="x[i * 64] = a[i];").replace(
        "64);\n}", "64);\n  k<<<n / 512, 512>>>(x, a, c, n, 64);\n}"
    )
    report = report_of(text)
    assert len(report.kernels) == 2
    found = [item for item in findings(report, context_of(report)) if item.code == "RS101"]
    assert len(found) == 1
    assert found[0].evidence[0].value == 32  # 256 B apart: each thread in a sector of its own


def test_a_gain_that_is_bounded_by_nothing_worth_saying_is_not_said(report_of, context_of):
    report = report_of(rule_for("RS105").bad.source)
    (kernel,) = report.kernels
    # With DRAM a thousand times slower no saving elsewhere shows.
    slow = {**kernel.times_s, BoundBy.DRAM: 1.0}
    report = dataclasses.replace(report, kernels=(dataclasses.replace(kernel, times_s=slow),))
    assert "RS105" not in {item.code for item in findings(report, context_of(report))}


def test_small_gains_are_notes(report_of, context_of):
    report = report_of(rule_for("RS105").bad.source)
    for item in findings(report, context_of(report)):
        small = item.speedup_bound is not None and item.speedup_bound < 1.2
        assert (item.severity is Severity.NOTE) == small
