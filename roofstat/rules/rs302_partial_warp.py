"""RS302: the block size is no multiple of the warp."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.report import Evidence, KernelReport, LaunchSource, Severity
from roofstat.rules.gains import VISIBLE, idle_lane_savings, speedup_bound
from roofstat.rules.rule import Example, Finding, Rule, RuleContext


def _check(kernel: KernelReport, context: RuleContext) -> Iterator[Finding]:
    launch, width = kernel.launch, context.gpu.warp_size
    if launch is None or launch.source is LaunchSource.ASSUMED:
        return
    threads = launch.threads_per_block
    padded = -(-threads // width) * width
    if threads in (1, padded):
        return
    bound = speedup_bound(kernel, idle_lane_savings(kernel, 1.0 - threads / padded, shortens=False))
    shows = bound is not None and bound >= VISIBLE
    yield Finding(
        message=f"blocks of {threads:,} threads leave {padded - threads} lanes of their last warp idle",
        line=launch.line,
        file=launch.file,
        help=f"choose a multiple of {width}, such as {padded}",
        evidence=(
            Evidence(name="threads of a block", value=threads),
            Evidence(name="lanes that its warps occupy", value=padded),
        ),
        speedup_bound=bound if shows else None,
        # A block of this size does as much harm where a later version of the kernel computes more.
        severity=None if shows else Severity.NOTE,
    )


_SOURCE = """__global__ void scale(float *x, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2.0f;
}}
int main() {{
  int n = 1 << 20, block = {block};
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  scale<<<(n + block - 1) / block, block>>>(x, n);
}}
"""

RULE = Rule(
    code="RS302",
    name="partial-warp",
    detects="A launch whose blocks have a number of threads that is no multiple of the warp size; a note where memory decides "
    "the time, or where all warps are resident and wait anyway.",
    costs="Warps are issued whole: the missing threads take slots, registers and issue cycles and do nothing.",
    wrong_when="Several small problems are solved by a block each and their size is given.",
    bad=Example(source=_SOURCE.format(block=100)),
    good=Example(source=_SOURCE.format(block=128)),
    check=_check,
)
