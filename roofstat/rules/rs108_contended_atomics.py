"""RS108: atomics of many threads meet at few addresses."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.report import AccessReport, BoundBy, Direction, Evidence, KernelReport, MemorySpace
from roofstat.rules.accesses import name_of
from roofstat.rules.gains import speedup_bound
from roofstat.rules.rule import Example, Finding, Rule, RuleContext

_MEETING_LANES = 2.0
_THREADS_PER_ADDRESS = 64.0
_ONE_OF_EACH = 1.5
"""Threads of a warp, or atomics of a block, that are one in the mean."""


def _check(kernel: KernelReport, _context: RuleContext) -> Iterator[Finding]:
    for access in kernel.accesses:
        if access.direction is not Direction.ATOMIC or not access.threads:
            continue
        lanes = access.lanes_per_address or 1.0
        blocks = kernel.launch.blocks if kernel.launch is not None else 1
        addresses = access.addresses or 1.0
        if access.space is MemorySpace.SHARED:
            addresses *= blocks  # each block has its own
        if lanes < _MEETING_LANES and access.threads / addresses < _THREADS_PER_ADDRESS:
            continue
        within = (
            f"{lanes:.3g} threads of a warp at one address, " if lanes >= _MEETING_LANES else ""
        )
        most = "at most " if addresses > 1 else ""
        yield Finding(
            message=f"atomics on {name_of(access)} meet: {within}up to {access.threads:,.0f} on {most}{addresses:,.0f} "
            f"{'addresses' if addresses > 1 else 'address'}",
            line=access.line,
            column=access.column,
            file=access.file,
            help=_remedy(access, lanes, blocks),
            evidence=(
                Evidence(name="threads of a warp at one address", value=lanes),
                Evidence(name="atomics by threads, at most", value=access.threads),
                Evidence(name="distinct addresses, at most", value=addresses),
            ),
            speedup_bound=speedup_bound(kernel, {BoundBy.ATOMICS: 1.0}),
        )


def _remedy(access: AccessReport, lanes: float, blocks: int) -> str:
    """The next step of a reduction that the kernel does not take yet."""
    threads = access.threads or 0.0
    if access.space is MemorySpace.SHARED and lanes >= _MEETING_LANES:
        return "reduce within the warp first (shuffles), then issue one atomic a warp"
    if threads <= _ONE_OF_EACH * blocks:
        return "each block issues one: start fewer blocks, and let each do the work of several (a grid-stride loop)"
    if threads <= _ONE_OF_EACH * (access.requests or 0.0):
        return "each warp issues one: put those of a block together first (shared memory), then issue one atomic a block"
    return "reduce within the warp or the block first (shuffles, shared memory), then issue one atomic a block"


RULE = Rule(
    code="RS108",
    name="contended-atomics",
    detects="Atomic operations of which at least two threads of a warp meet at one address, or at least 64 threads for each "
    "address in the launch, where atomics take a part in the time.",
    costs="Atomics at one address are carried out one after the other, in the L2 slice or the SM that owns it.",
    wrong_when="Most threads skip the atomic at run time in a way that the source does not show.",
    bad=Example(
        source="""__global__ void total(const float *x, float *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, x[i]);
}
int main() {
  int n = 1 << 22;
  float *x, *sum;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&sum, sizeof(float));
  total<<<n / 256, 256>>>(x, sum, n);
}
"""
    ),
    good=Example(
        source="""__global__ void total(const float *x, float *sum, int n) {
  float value = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) value += x[i];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, value);
}
int main() {
  int n = 1 << 22;
  float *x, *sum;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&sum, sizeof(float));
  total<<<432, 256>>>(x, sum, n);
}
"""
    ),
    check=_check,
)
