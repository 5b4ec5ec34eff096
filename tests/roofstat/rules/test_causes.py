"""What findings name as the cause, the array and the remedy."""

import pytest

from roofstat.rules.registry import rule_for
from roofstat.rules.rule import RuleContext

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
