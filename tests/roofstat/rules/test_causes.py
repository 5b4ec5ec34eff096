"""What findings name as the cause, the array and the remedy."""

import dataclasses

import pytest

from roofstat.report import Diagnostic, Severity
from roofstat.rules.registry import rule_for
from roofstat.rules.rule import RuleContext
from roofstat.rules.runner import findings

LAUNCH = """
int main() {{
  float *a, *o;
  int *idx;
  cudaMalloc(&a, 1 << 28);
  cudaMalloc(&o, 1 << 28);
  cudaMalloc(&idx, 1 << 28);
  {launch}
}}
"""


@pytest.fixture
def found_by(report_of):
    """Kernel, launch statement and code of a rule to what that rule finds, in the order of places."""

    def run(kernel, launch, code):
        report = report_of(kernel + LAUNCH.format(launch=launch))
        context = RuleContext(gpu=report.gpu)
        found = [item for each in report.kernels for item in rule_for(code).check(each, context)]
        return sorted(found, key=lambda item: (item.line or 0, item.column or 0))

    return run


ROWS = """__global__ void k(const float *a, float *o, int ld) {{
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, l = threadIdx.x % 32;
  o[w * 32 + l] = a[{index}];
}}
"""


@pytest.mark.parametrize(
    ("index", "code"),
    [
        # 8 rows of 4 floats: 8 sectors that are half used, each row at a multiple of 4,096 B.
        ("(w * 8 + l / 4) * ld + l % 4", "RS101"),
        # 4 rows of 8 floats: whole sectors.
        ("(w * 4 + l / 8) * ld + l % 8", None),
        # The same rows shifted by a float: each touches a second sector.
        ("(w * 4 + l / 8) * ld + l % 8 + 1", "RS103"),
        # One row, shifted: 5 sectors instead of 4.
        ("w * 32 + l + 1", "RS103"),
    ],
)
def test_short_rows_are_told_from_misaligned_ones(found_by, index, code):
    found = {
        rule: found_by(ROWS.format(index=index), "k<<<4096, 256>>>(a, o, 1024);", rule)
        for rule in ("RS101", "RS103")
    }
    assert [rule for rule, items in found.items() if items] == ([code] if code else [])
    if code == "RS101":
        (item,) = found[code]
        assert "in rows of 16 B: 8 sectors a request where 4 hold its data" in item.message
        assert "32 B" in item.help


def test_excess_traffic_is_that_of_the_array_behind_atomics(found_by):
    kernel = """__global__ void k(const int *idx, const float *a, float *o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&o[idx[i]], a[i]);
}
"""
    (found,) = found_by(kernel, "k<<<1 << 18, 256>>>(idx, a, o);", "RS109")
    assert "most of the excess for o:" in found.message
    assert found.help.startswith("sort or bin the indices")


def test_excess_traffic_of_local_arrays_is_theirs(found_by):
    kernel = """__global__ void k(const int *idx, const float *a, float *o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float l[64];
  for (int k = 0; k < 64; k++) l[k] = a[k];
  float s = 0;
  for (int k = 0; k < 64; k++) s += l[(idx[i] + k) & 63];
  o[i] = s;
}
"""
    (found,) = found_by(kernel, "k<<<4096, 256>>>(idx, a, o);", "RS109")
    assert "most of the excess for l[" in found.message
    assert "local memory" in found.message
    assert "L2 before they are used again" not in found.message


SUM = """__global__ void k(const float *a, float *o) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = a[i];
  for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
  {body}
}}
"""
BY_BLOCK = """__shared__ float s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) atomicAdd(&s, v);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(o, s);"""


@pytest.mark.parametrize(
    ("body", "atomics", "remedy"),
    [
        # 65,536 blocks of 8 warps
        ("atomicAdd(o, v);", "16,777,216 on 1 address", "reduce within the warp or the block"),
        ("if (threadIdx.x % 32 == 0) atomicAdd(o, v);", "524,288 on 1 address", "each warp"),
        (BY_BLOCK, "65,536 on 1 address", "each block issues one: start fewer blocks"),
    ],
    ids=["threads", "warps", "blocks"],
)
def test_atomics_count_the_threads_that_issue_them(found_by, body, atomics, remedy):
    found = found_by(SUM.format(body=body), "k<<<65536, 256>>>(a, o);", "RS108")
    # of the block's own sum, 8 threads for each of 65,536 addresses are too few to say
    (item,) = found
    assert f"up to {atomics}" in item.message
    assert item.help.startswith(remedy)


def test_atomics_in_shared_memory_have_an_address_in_each_block(found_by):
    kernel = SUM.format(body="__shared__ float s; atomicAdd(&s, v); o[i] = s;")
    (item,) = found_by(kernel, "k<<<65536, 256>>>(a, o);", "RS108")
    assert "up to 16,777,216 on at most 65,536 addresses" in item.message
    assert item.help.startswith("reduce within the warp first")


TILE = """#include <mma.h>
__global__ void k(const float4 *a, float *o) {{
  __shared__ __align__(16) float t[32][32];
  {fill}
  __syncthreads();
  o[blockIdx.x * 1024 + threadIdx.x] = t[threadIdx.x % 32][threadIdx.x / 32];
}}
"""


@pytest.mark.parametrize(
    ("fill", "padding"),
    [
        ("((float *)t)[threadIdx.x] = threadIdx.x;", "one element"),
        ("((float4 *)t)[threadIdx.x % 256] = a[threadIdx.x];", "16 B"),
    ],
)
def test_padding_keeps_wide_accesses_aligned(found_by, fill, padding):
    (found,) = found_by(TILE.format(fill=fill), "k<<<4096, 1024>>>((float4 *)a, o);", "RS104")
    assert found.help.startswith(f"pad the rows by {padding},")


@pytest.mark.parametrize(
    ("body", "remedy"),
    [
        ("for (int k = 0; k < 4; k++) o[i * 4 + k] = a[i];", "one vector of 16 B"),
        ("for (int k = 0; k < 3; k++) o[i * 3 + k] = a[i];", "shared memory"),
        ("o[2 * i] = a[i];", "one vector of 8 B"),
    ],
)
def test_elements_of_plain_arrays_are_no_members(found_by, body, remedy):
    kernel = f"""__global__ void k(const float *a, float *o) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  {body}
}}
"""
    found = found_by(kernel, "k<<<4096, 256>>>(a, o);", "RS102")
    assert found
    assert all(remedy in item.help and "member" not in item.help for item in found)


def test_all_literals_of_a_line_are_named(found_by):
    kernel = """__global__ void k(float *a) {
  float x = a[threadIdx.x];
  for (int k = 0; k < 64; k++) x = x * 0.999 + 0.001;
  a[threadIdx.x] = x;
}
"""
    (found,) = found_by(kernel, "k<<<4096, 256>>>(a);", "RS201")
    assert found.message.startswith("0.999 and 0.001 are double")
    assert found.help == "write 0.999f and 0.001f"


def test_no_finding_rests_on_a_statement_that_the_parser_had_to_mend(report_of, context_of):
    report = report_of(rule_for("RS101").bad.source)
    (found,) = findings(report, context_of(report))
    mended = Diagnostic(
        code="parse-error",
        severity=Severity.WARNING,
        message="use of undeclared identifier",
        file=found.file,
        line=found.line,
    )
    elsewhere = dataclasses.replace(mended, line=found.line + 1)
    for remark, left in ((mended, ()), (elsewhere, (found,))):
        broken = dataclasses.replace(report, diagnostics=(remark,))
        assert findings(broken, context_of(broken)) == left


def test_excess_of_sectors_written_in_part_is_of_the_stores(found_by):
    kernel = (
        "__global__ void k(const float *a, float *o, int n) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x; if (i & 1) o[i] = a[i]; }"
    )
    (found,) = found_by(kernel, "k<<<1 << 18, 256>>>(a, o, 1 << 26);", "RS109")
    assert "most of the excess for o[i]: sectors are written in part" in found.message
