"""RS109: a bandwidth-bound kernel moves more than its distinct bytes."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.report import BoundBy, Evidence, KernelReport, TrafficRegime, Verdict
from roofstat.rules.accesses import excess_factor, global_accesses, name_of
from roofstat.rules.gains import speedup_bound
from roofstat.rules.rule import Example, Finding, Rule, RuleContext

_EXCESS = 1.3


def _check(kernel: KernelReport, _context: RuleContext) -> Iterator[Finding]:
    moved = kernel.traffic.dram(TrafficRegime.STEADY).total_bytes
    needed = kernel.traffic.compulsory_bytes
    if (
        kernel.verdict is not Verdict.BANDWIDTH
        or not moved
        or not needed
        or moved < _EXCESS * needed
    ):
        return
    excess = [
        ((access.share or 0.0) * moved - (access.footprint_bytes or 0.0), access)
        for access in global_accesses(kernel)
    ]
    worst = max(excess, key=lambda pair: pair[0])[1] if excess else None
    if worst is not None and excess_factor(worst) is not None:
        return  # what lies between is fetched again and again: a matter of coalescing
    yield Finding(
        message=f"{moved / needed:.3g} times the distinct bytes go through DRAM"
        + (f", most of the excess for {name_of(worst)}" if worst is not None else "")
        + ": data fall out of L2 before they are used again",
        line=worst.line if worst is not None else None,
        column=worst.column if worst is not None else None,
        file=worst.file if worst is not None else None,
        help="work on tiles that fit into L2 or shared memory, or let blocks that run together share their data",
        evidence=(
            Evidence(name="DRAM traffic", value=moved, unit="B"),
            Evidence(name="distinct bytes", value=needed, unit="B"),
        ),
        speedup_bound=speedup_bound(kernel, {BoundBy.DRAM: 1.0 - needed / moved}),
    )


_SOURCE = """__global__ void sweep(const float *in, float *out, long n, int passes) {{
  long threads = (long)gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
{body}
}}
int main() {{
  long n = 1L << 27;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  sweep<<<864, 256>>>(in, out, n, 8);
}}
"""

RULE = Rule(
    code="RS109",
    name="excess-traffic",
    detects="A bandwidth-bound kernel whose DRAM traffic exceeds the distinct bytes that it touches by at least 30 %.",
    costs="DRAM bandwidth limits such a kernel: every byte that is fetched again costs as much as one that is new.",
    wrong_when="The order of the accesses is fixed by the algorithm and no tile of it fits into the caches.",
    bad=Example(
        source=_SOURCE.format(
            body="""  float sum = 0.0f;
  for (int pass = 0; pass < passes; pass++)
    for (long i = first; i < n; i += threads) sum += in[i] * pass;
  out[first] = sum;"""
        )
    ),
    good=Example(
        source=_SOURCE.format(
            body="""  float sum = 0.0f;
  for (long i = first; i < n; i += threads) {
    float value = in[i];
    for (int pass = 0; pass < passes; pass++) sum += value * pass;
  }
  out[first] = sum;"""
        )
    ),
    check=_check,
)
