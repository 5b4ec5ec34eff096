"""What the rules say beyond their examples, and what they must not say."""

import dataclasses

import pytest

from roofstat.errors import UsageError
from roofstat.report import (
    Assumption,
    AssumptionKind,
    BoundBy,
    Edit,
    PatternKind,
    Severity,
    Verdict,
)
from roofstat.rules.registry import RULES, rule_for
from roofstat.rules.rule import PreviousVerdict, RuleContext, kernel_key
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


@pytest.mark.parametrize(
    ("body", "suffixed", "place"),
    [
        ("x[i] = a[i] * 1e-3 + a[i];", "x[i] = a[i] * 1e-3f + a[i];", "1e-3"),
        ("x[i] = a[i] * 0x1p-2 + .5;", "x[i] = a[i] * 0x1p-2f + .5f;", "0x1p-2"),
        ("x[i] = a[i] * 1'000.0;", "x[i] = a[i] * 1'000.0f;", "1'000.0"),
        # A whole number takes the type of the rest.
        ("x[i] = a[i] * 2.5 + 3;", "x[i] = a[i] * 2.5f + 3;", "2.5"),
        ("x[i] = a[i] * 0.9 + 0.1f;", "x[i] = a[i] * 0.9f + 0.1f;", "0.9"),
        # The function is a finding of its own.
        ("x[i] = a[i] * 1.5 + pow(a[i], 2.0);", "x[i] = a[i] * 1.5f + pow(a[i], 2.0);", "1.5"),
        # All statements of a line.
        (
            "x[i] = a[i] * 0.9 + 0.1; x[i + n] = a[i] * .3;",
            "x[i] = a[i] * 0.9f + 0.1f; x[i + n] = a[i] * .3f;",
            "0.9",
        ),
        # The macro would stay double, and so would the work.
        ("x[i] = a[i] * HALF + 0.1;", "x[i] = a[i] * HALF + 0.1;", "a[i]"),
        ("x[i] = a[i] * 0.3; x[i + n] = a[i] * HALF;", None, "0.3"),
    ],
)
def test_edits_of_literals_mend_their_finding(report_of, body, suffixed, place):
    program = "#define HALF 0.5\n" + PROGRAM

    def found_in(line):
        report = report_of(program.format(body=line))
        (kernel,) = report.kernels
        return [*rule_for("RS201").check(kernel, RuleContext(gpu=report.gpu))]

    (found,) = found_in(body)
    line = f"  {body}"
    assert found.column == line.index(place) + 1
    for edit in sorted(found.fix, key=lambda each: -each.column):
        line = line[: edit.column - 1] + edit.text + line[edit.end_column - 1 :]
    assert line == f"  {suffixed or body}"
    if found.fix:
        assert not found_in(line)


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
    outer, inner = (p for p in kernel.patterns if p.kind is PatternKind.THREAD_GUARD)
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


@pytest.fixture
def found_in(report_of, context_of):
    """Program and suffix to its findings, by code."""

    def run(text, suffix=".cu"):
        report = report_of(text, suffix)
        found = {}
        for item in findings(report, context_of(report)):
            found.setdefault(item.code, []).append(item)
        return found

    return run


def test_rows_of_unequal_length_are_no_interleaved_layout(report_of, context_of):
    report = report_of(rule_for("RS101").bad.source)
    (kernel,) = report.kernels
    # 27 B on average between the starts of rows: no number of 4-byte elements.
    ragged = [
        dataclasses.replace(access, stride_bytes=27.0) if access.array == "m" else access
        for access in kernel.accesses
    ]
    report = dataclasses.replace(
        report, kernels=(dataclasses.replace(kernel, accesses=tuple(ragged)),)
    )
    (item,) = findings(report, context_of(report))
    assert (item.code, "on average 27 B apart" in item.message) == ("RS101", True)


TORUS = """__global__ void k(float *x, const float *a, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int column = i % w, row = i / w;
  int right = row * w + (column + 1) % w;
  int left = row * w + (column + w - 1) % w;
  int down = (row + 1) % h * w + column;
  int up = (row + h - 1) % h * w + column;
  x[i] = a[i] + a[right] + a[left] + a[up] + a[down];
}
int main() {
  int w = 1024, h = 1024;
  float *x, *a;
  cudaMalloc(&x, w * h * sizeof(float));
  cudaMalloc(&a, w * h * sizeof(float));
  k<<<w * h / 256, 256>>>(x, a, w, h);
}
"""


def test_divisions_outside_of_loops_are_said_where_they_decide_the_time(report_of, context_of):
    report = report_of(TORUS)
    (kernel,) = report.kernels
    found = findings(report, context_of(report))
    assert [(item.code, item.line) for item in found] == [("RS203", line) for line in range(3, 8)]
    # Without all five the integer work would take less than the DRAM traffic: none alone gains as much.
    gain = kernel.times_s[BoundBy.INT] / kernel.times_s[BoundBy.DRAM]
    assert [item.speedup_bound for item in found] == pytest.approx([gain] * 5)
    assert gain > 1.5


def test_one_word_for_a_whole_warp_is_no_matter_of_shared_memory(found_in):
    body = "float s = 0; for (int k = 0; k < 4096; k++) s += a[k] * x[k * 64 + i % 64]; x[i] = s;"
    found = found_in(PROGRAM.format(body=body)).get("RS107", [])
    assert not [item for item in found if "a[k]" in item.message]


MAPPED = """#include <stdlib.h>
int main() {{
  int n = 1 << 13, m = 64;
  float *x = (float *)malloc(n * sizeof(float));
  {kind} *y = ({kind} *)malloc(n * m * sizeof({kind}));
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n * m])
  for (int i = 0; i < n; i++) {{
    y[i] = 0;
    for (int k = 0; k < m; k++) y[k * n + i] = k + x[i];
  }}
}}
"""


@pytest.mark.parametrize(
    ("kind", "kinds", "codes"),
    [
        # A store of the same type may change x[i], one of another may not: the compiler loads it once.
        ("float", [PatternKind.INVARIANT_LOAD], {"RS105"}),
        ("int", [PatternKind.HOISTED_LOAD], set()),
    ],
)
def test_loads_of_mapped_arrays_are_seen_as_the_compiler_makes_them(
    report_of, context_of, kind, kinds, codes
):
    report = report_of(MAPPED.format(kind=kind), ".cpp")
    (kernel,) = report.kernels
    assert [pattern.kind for pattern in kernel.patterns] == kinds
    found = {item.code for item in findings(report, context_of(report))}
    assert found & {"RS105", "RS106", "RS107"} == codes


TEAMS = """int main() {{
  const int n = 2048, m = 64;
  static float x[n], y[n][m];
#pragma omp target {directive} map(tofrom : x, y)
  {loop}
}}
"""
LOOP = "for (int i = 0; i < n; i++) for (int k = 0; k < m; k++) y[i][k] = 0.5f * x[i] + k;"
SEARCH = """for (int i = 0; i < n; i++) {
    int found = -1;
    for (int k = 0; k < m; k++) if (y[i][k] > 0.5f) { found = k; break; }
    x[i] = found;
  }"""


@pytest.mark.parametrize(
    ("directive", "loop", "why"),
    [
        ("teams num_teams(2) thread_limit(64)", f"{{\n#pragma omp parallel for\n{LOOP}\n}}", "num_teams asks"),
        ("teams distribute parallel for num_teams(2)", LOOP, "num_teams asks"),
        ("teams distribute parallel for", LOOP, "only the outermost loop"),
        ("teams distribute parallel for", SEARCH, "its loop is short"),  # a search cannot be collapsed
        ("teams distribute", LOOP, None),
        ("parallel for", LOOP, "without teams"),
        ("", f"{{\n#pragma omp teams num_teams(2)\n#pragma omp distribute parallel for\n{LOOP}\n}}", "num_teams asks"),
        ("", f"{{\n#pragma omp teams distribute parallel for\n{LOOP}\n}}", "only the outermost loop"),
        ("", f"{{\n#pragma omp parallel for\n{LOOP}\n}}", "without teams"),
    ],
)  # fmt: skip
def test_an_idle_offload_says_what_is_written(report_of, directive, loop, why):
    report = report_of(TEAMS.format(directive=directive, loop=loop), ".cpp")
    (kernel,) = report.kernels
    found = [item.message for item in rule_for("RS401").check(kernel, RuleContext(gpu=report.gpu))]
    assert [why in text for text in found] == ([True] if why else [])


def test_a_short_launch_among_long_ones_counts_by_its_time(found_in):
    text = rule_for("RS303").bad.source
    launch = "smooth<<<8, 256>>>(x, n, 10);"
    assert [item.severity for item in found_in(text)["RS303"]] == [Severity.WARNING]
    # The same launch statement with 4,096 blocks, a hundred times: eight blocks once are lost among them.
    loop = "for (int k = 0; k < 101; k++) smooth<<<k ? 4096 : 8, 256>>>(x, k ? n : 2048, 10);"
    assert "RS303" not in found_in(text.replace(launch, loop))


def test_transposed_stores_are_a_warning_without_a_bound(found_in):
    text = """__global__ void transpose(float *out, const float *in, int n) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}
int main() {
  int n = 8192;
  float *in, *out;
  cudaMalloc(&in, n * n * sizeof(float));
  cudaMalloc(&out, n * n * sizeof(float));
  transpose<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(out, in, n);
}
"""
    # 16 sectors a store for 4 that hold its data: DRAM gets whole lines from L2, which moves 2.5 times the bytes.
    (item,) = found_in(text)["RS101"]
    assert (item.severity, item.speedup_bound, item.line) == (Severity.WARNING, None, 3)


def test_idle_lanes_of_warps_that_are_all_resident_cost_no_latency(found_in):
    """One block of one warp: with a guard its chain is as long as without; with two sides it runs both."""
    chain = "for (int k = 0; k < 1000; k++) x[i] = x[i] * 0.5f + 1.0f;"
    guard = PROGRAM.format(body=f"if (threadIdx.x % 2) {{ {chain} }}").replace(
        "k<<<n / 256, 256>>>", "k<<<1, 32>>>"
    )
    assert "RS301" not in found_in(guard)
    other = chain.replace("0.5f", "0.25f")
    assert "RS301" in found_in(guard.replace(f"{chain} }}", f"{chain} }} else {{ {other} }}"))


def test_partial_warps_are_a_note_where_memory_decides(found_in):
    (item,) = found_in(rule_for("RS302").bad.source)["RS302"]
    assert (item.severity, item.speedup_bound) == (Severity.NOTE, None)


GENERIC = """{head}
__global__ void k(float *x) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < 64; k++) v = {call}(v);
  x[i] = v;
}}
int main() {{
  float *x;
  cudaMalloc(&x, 4 << 20);
  k<<<4096, 256>>>(x);
}}
"""


@pytest.mark.parametrize(
    ("head", "call", "is_safe"),
    [
        ("__device__ float f(float a) { return a * 0.1; }", "f", True),
        ("template <int N, bool B> __device__ float f(float a) { return a * 0.1; }", "f<3, true>", True),
        ("template <int N, class T> __device__ T f(T a) { return a * 0.1; }", "f<3>", False),
        ("template <class T> struct S { static __device__ T f(T a) { return a * 0.1; } };", "S<float>::f", False),
    ],
)  # fmt: skip
def test_literals_of_templates_get_no_suffix(report_of, head, call, is_safe):
    report = report_of(GENERIC.format(head=head, call=call))
    (found,) = findings(report, RuleContext(gpu=report.gpu), [rule_for("RS201")])
    assert bool(found.fix) is is_safe
    assert ("write 0.1f" in found.help, "T(0.1)" in found.help) == (is_safe, not is_safe)


SHORT = """__global__ void k(float *x, int n) {{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = 0.5f * x[i];
}}
int main() {{
  int n = 1 << 22;
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  k<<<{launch}>>>(x, n);
}}
"""
SERIAL = """int main() {{
  int n = 1 << 22;
  static float x[1 << 22];
#pragma omp target {construct}
  for (int i = 0; i < n; i++) x[i] = 0.5f * x[i];
}}
"""


@pytest.mark.parametrize(
    ("code", "text", "bad", "good", "suffix"),
    [
        ("RS303", SHORT, {"launch": "8, 64"}, {"launch": "n / 256, 256"}, ".cu"),
        ("RS401", SERIAL, {"construct": ""}, {"construct": "teams distribute parallel for"}, ".cpp"),
        (
            "RS401",
            SERIAL,
            {"construct": "parallel for"},
            {"construct": "teams distribute parallel for"},
            ".cpp",
        ),
    ],
)  # fmt: skip
def test_no_full_device_is_faster_than_the_bound(report_of, code, text, bad, good, suffix):
    report = report_of(text.format(**bad), suffix)
    (found,) = findings(report, RuleContext(gpu=report.gpu), [rule_for(code)])
    before, after = (
        max(each.kernels[0].times_s.values())
        for each in (report, report_of(text.format(**good), suffix))
    )
    # More than the 13 or 108 times that the number of SMs gives: their few warps wait for memory. The bound is the time for
    # the bytes of the launch as it is; another directive has other code, which is 2 kB of 34 MB here.
    assert found.speedup_bound is not None
    assert found.speedup_bound * (1 + 1e-3) >= before / after > 120


@pytest.mark.parametrize(
    ("call", "named"), [("v * 0.5f + fmax(v, 0.25) / v", "fmaxf"), ("pow(v, 2.5)", "powf")]
)
def test_the_float_version_of_a_function_is_named_by_its_name(report_of, call, named):
    report = report_of(
        GENERIC.format(head=f"__device__ float f(float v) {{ return {call}; }}", call="f")
    )
    (found,) = findings(report, RuleContext(gpu=report.gpu), [rule_for("RS202")])
    assert f"call {named}," in found.help


DIVERGENT = """__global__ void k(float *x, int steps) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  {body}
  x[i] = v;
}}
int main() {{
  int n = 1 << 20;
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  k<<<n / 256, 256>>>(x, 1000);
}}
"""
WORK = "for (int k = 0; k < steps; k++) v = v * {} + 1.0f;"


@pytest.mark.parametrize(
    ("body", "lanes"),
    [
        (f"if (threadIdx.x % 32) return; {WORK.format('0.5f')}", 1),
        (f"if ((threadIdx.x & 1) != 0) return; {WORK.format('0.5f')}", 16),
        ("for (int k = 0; k < steps; k++) { if (threadIdx.x & 1) continue; v = sinf(v); }", 16),
        (
            f"switch (threadIdx.x & 1) {{ case 0: {WORK.format('0.5f')} break; default: {WORK.format('0.3f')} }}",
            16,
        ),
        (f"if (threadIdx.x >= 32) return; {WORK.format('0.5f')}", None),
        (
            f"switch (threadIdx.x / 32) {{ case 0: {WORK.format('0.5f')} break; default: {WORK.format('0.3f')} }}",
            None,
        ),
    ],
)  # fmt: skip
def test_threads_that_leave_idle_their_warp(report_of, body, lanes):
    (kernel,) = report_of(DIVERGENT.format(body=body)).kernels
    found = [
        pattern.lanes
        for pattern in kernel.patterns
        if pattern.kind in (PatternKind.THREAD_GUARD, PatternKind.THREAD_DIVERGENCE)
        and (pattern.share or 0) > 0.1
    ]
    assert found == ([] if lanes is None else [pytest.approx(lanes)])


TILED = """__global__ void k(float *x, int n) {
  __shared__ float b[16][64];
  int tx = threadIdx.x;
  float s[4] = {};
  for (int j = 0; j < n; j++) {
    for (int q = 0; q < 16; q++) b[q][tx + 32 * (j % 2)] = j;
    __syncthreads();
    for (int q = 0; q < 16; q++)
      for (int i = 0; i < 4; i++) s[i] += b[q][(tx % 16) * 4 + i];
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) x[(blockIdx.x * 32 + tx) * 4 + i] = s[i];
}
int main() {
  float *x;
  cudaMalloc(&x, 1 << 24);
  k<<<4096, 32>>>(x, 256);
}
"""


def test_wide_loads_of_nested_unrolled_loops_have_no_conflicts(report_of):
    (kernel,) = report_of(TILED).kernels
    (load,) = (access for access in kernel.accesses if access.line == 9)
    # One LDS.128 for 4 loads: each quarter of a warp asks for 8 x 16 B in a row, which is one pass; 4 passes for 4 loads.
    assert load.wavefronts_per_request == pytest.approx(1.0)


MATRICES = """#include <mma.h>
using namespace nvcuda;
__global__ void multiply(const half *a, const half *b, float *c, int k) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
  wmma::fill_fragment(z, 0.0f);
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(x, a + blockIdx.x * 16 * k + i, k);
    wmma::load_matrix_sync(y, b + i, k);
    wmma::mma_sync(z, x, y, z);
  }
  wmma::store_matrix_sync(c + blockIdx.x * 256, z, 16, wmma::mem_row_major);
}
int main() {
  half *a, *b;
  float *c;
  cudaMalloc(&a, 1024 * 16 * 512 * sizeof(half));
  cudaMalloc(&b, 16 * 512 * sizeof(half));
  cudaMalloc(&c, 1024 * 256 * sizeof(float));
  multiply<<<1024, 32>>>(a, b, c, 512);
}
"""


def test_fragments_of_matrices_take_a_sector_of_each_line(report_of):
    """Eight lines of 16 bytes are a fragment's layout: no alignment and no other index makes fewer sectors of them."""
    report = report_of(MATRICES)
    (kernel,) = report.kernels
    loads = [access for access in kernel.accesses if access.line in (9, 10)]
    assert loads
    assert {access.sectors_per_request for access in loads} == {8}
    assert {access.ideal_sectors_per_request for access in loads} == {8}
    context = RuleContext(gpu=report.gpu)
    for code in ("RS101", "RS102", "RS103"):
        assert not [
            found for found in rule_for(code).check(kernel, context) if found.line in (9, 10)
        ]


@pytest.mark.parametrize(
    ("before", "after", "is_said"),
    [
        # The ridge is 4.78 operations a byte, 57 for each of the 12 bytes of an element.
        (6, 7.7, False),  # 1/9.6 of the ridge, and 1/7.4
        (6, 12.5, True),
        (15, 20, True),  # 1/3.8 and 1/2.9: within a factor of 3
        (15, 18, False),  # by a fifth
        (100, 130, True),  # above the ridge, near it
        (300, 390, False),
        (300, 700, True),
    ],
)
def test_a_moved_intensity_is_said_where_it_may_matter(
    make_report, make_kernel, before, after, is_said
):
    old, new = (make_kernel(int_per_element=each) for each in (before, after))
    report = make_report(new)
    previous = {kernel_key(new): PreviousVerdict.of(old)}
    context = RuleContext(gpu=report.gpu, previous=previous)
    assert len(list(rule_for("RS901").check(new, context))) == is_said


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (AssumptionKind.TRIP_COUNT, "--set"),
        (AssumptionKind.LAUNCH, "--launch"),
        (AssumptionKind.ADDRESS, "measure the kernel"),
        (AssumptionKind.LOWERING, "measure the kernel"),
        (AssumptionKind.UNPARSED, "-I"),
        (AssumptionKind.INPUT_FILE, "where the program's input file is"),
    ],
)
def test_what_helps_against_an_assumption_is_said_by_its_kind(make_report, make_kernel, kind, said):
    assumed = Assumption(kind=kind, text="something", file="k.cu", line=3, weight=0.7)
    kernel = make_kernel(assumptions=(assumed,), confidence=0.6)
    (found,) = rule_for("RS902").check(kernel, RuleContext(gpu=make_report(kernel).gpu))
    assert said in found.help
    assert ("--set" in found.help) is (kind in (AssumptionKind.TRIP_COUNT, AssumptionKind.LAUNCH))


def test_a_verdict_that_the_parser_lost_is_not_to_be_stated(make_report, make_kernel):
    lost = Assumption(kind=AssumptionKind.UNPARSED, text="line 3 did not parse", weight=0.9)
    kernel = make_kernel(assumptions=(lost,), verdict=Verdict.UNKNOWN, unknown={"x": "no work"})
    (found,) = rule_for("RS902").check(kernel, RuleContext(gpu=make_report(kernel).gpu))
    assert found.message == "no verdict for saxpy: line 3 did not parse"
    assert "--set" not in found.help
