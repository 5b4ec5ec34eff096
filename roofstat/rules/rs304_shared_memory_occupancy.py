"""RS304: shared memory keeps warps off the SMs."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.hardware import OccupancyLimiter
from roofstat.report import BoundBy, Evidence, KernelReport
from roofstat.rules.gains import speedup_bound
from roofstat.rules.rule import Example, Finding, Rule, RuleContext
from roofstat.rules.wording import percentage

_LOW = 0.34


def _check(kernel: KernelReport, context: RuleContext) -> Iterator[Finding]:
    found = kernel.occupancy
    if found is None or found.limiter is not OccupancyLimiter.SHARED:
        return
    if not 0 < found.share < _LOW or found.waves <= 1:
        return
    yield Finding(
        message=f"{found.shared_bytes_per_block:,} B of shared memory a block leave {found.warps_per_sm} warps on an SM, "
        f"{percentage(found.share)} of what fits",
        help="use smaller tiles, narrower types or more threads a block",
        evidence=(
            Evidence(name="shared memory of a block", value=found.shared_bytes_per_block, unit="B"),
            Evidence(
                name="shared memory of an SM", value=context.gpu.shared_bytes_per_sm, unit="B"
            ),
            Evidence(name="occupancy", value=100 * found.share, unit="%"),
        ),
        speedup_bound=speedup_bound(kernel, {BoundBy.LATENCY: 1.0 - found.share}),
    )


_SOURCE = """#define BUFFER {floats}
__global__ void chase(const int *next, int *out, int steps) {{
  __shared__ int buffer[BUFFER];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  buffer[threadIdx.x] = next[i];
  __syncthreads();
  int place = buffer[blockIdx.x % 64];
  for (int k = 0; k < steps; k++) place = next[place & 4095];
  out[i] = place;
}}
int main() {{
  int n = 1 << 18;
  int *next, *out;
  cudaMalloc(&next, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  chase<<<n / 64, 64>>>(next, out, 1000);
}}
"""

RULE = Rule(
    code="RS304",
    name="shared-memory-occupancy",
    detects="A kernel of which at most a third of the warps that fit are resident since its blocks use much shared memory, "
    "where waiting decides the time.",
    costs="An SM hides the waits of one warp behind the work of others; with few warps it waits.",
    wrong_when="Each thread has enough independent work in flight: large register tiles run best at low occupancy.",
    bad=Example(source=_SOURCE.format(floats=8192)),
    good=Example(source=_SOURCE.format(floats=64)),
    check=_check,
)
