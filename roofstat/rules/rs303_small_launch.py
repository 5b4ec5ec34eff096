"""RS303: a launch has too few blocks to keep the GPU busy."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.report import Evidence, KernelReport, Language, LaunchSource
from roofstat.rules.gains import fill_savings, speedup_bound
from roofstat.rules.rule import Example, Finding, Rule, RuleContext


def _check(kernel: KernelReport, context: RuleContext) -> Iterator[Finding]:
    launch, gpu = kernel.launch, context.gpu
    if launch is None or launch.source is LaunchSource.ASSUMED:
        return
    if launch.blocks >= gpu.sm_count or kernel.language is Language.OPENMP:
        return
    idle = gpu.sm_count - launch.blocks
    yield Finding(
        message=f"{launch.blocks:,} {'blocks' if launch.blocks > 1 else 'block'} of {launch.threads_per_block:,} threads "
        f"{'leave' if launch.blocks > 1 else 'leaves'} {idle:,} of {gpu.sm_count:,} SMs of the {gpu.name} idle",
        line=launch.line,
        file=launch.file,
        help="split the work over more blocks, or run independent launches at the same time in streams",
        evidence=(
            Evidence(name="blocks", value=launch.blocks),
            Evidence(name="SMs", value=gpu.sm_count),
        ),
        speedup_bound=speedup_bound(kernel, fill_savings(kernel, gpu)),
    )


_SOURCE = """__global__ void smooth(float *x, int n, int steps) {{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    for (int k = 0; k < steps; k++) x[i] = 0.5f * x[i] + 1.0f;
}}
int main() {{
  int n = 1 << 20;
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  smooth<<<{blocks}, 256>>>(x, n, 10);
}}
"""

RULE = Rule(
    code="RS303",
    name="small-launch",
    detects="A CUDA launch with fewer blocks than the GPU has SMs, whose time would fall if it had more.",
    costs="A block runs on one SM. SMs without a block do nothing, and few warps cannot hide the latency of memory.",
    wrong_when="Other launches run at the same time, the problem of the analysed run is smaller than real ones, or the work "
    "cannot be split.",
    bad=Example(source=_SOURCE.format(blocks=8)),
    good=Example(source=_SOURCE.format(blocks="n / 256")),
    check=_check,
)
