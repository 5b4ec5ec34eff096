"""RS104: threads of a warp meet in the same banks of shared memory."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.hardware.units import SHARED_WAVEFRONT_BYTES
from roofstat.report import AccessReport, BoundBy, Evidence, KernelReport, MemorySpace, WarpStep
from roofstat.rules.accesses import name_of
from roofstat.rules.gains import speedup_bound, step_share, unit_share
from roofstat.rules.rule import Example, Finding, Rule, RuleContext
from roofstat.rules.wording import figure

_BANK_BYTES = 4
_CONFLICT = 1.5
_FRAGMENT_ROW_BYTES = 16
"""Rows of matrices that are loaded as fragments begin at multiples of it."""


def _check(kernel: KernelReport, _context: RuleContext) -> Iterator[Finding]:
    for access in kernel.accesses:
        passes = access.wavefronts_per_request
        if access.space is not MemorySpace.SHARED or passes is None:
            continue
        ideal = max(access.element_bytes / _BANK_BYTES, 1.0)
        if passes < _CONFLICT * ideal:
            continue
        excess = (access.requests or 0.0) * (passes - ideal) * SHARED_WAVEFRONT_BYTES
        total = kernel.traffic.shared_bytes
        saved = {
            BoundBy.SHARED: unit_share(kernel, excess),
            BoundBy.LATENCY: step_share(kernel, WarpStep.SHARED) * min(excess / total, 1.0)
            if total
            else 0.0,
        }
        yield Finding(
            message=f"{figure(passes / ideal)}-way bank conflicts in {name_of(access)}",
            line=access.line,
            column=access.column,
            file=access.file,
            help=f"pad the rows by {_padding(kernel, access)}, or let adjacent threads take adjacent words",
            evidence=(
                Evidence(name="passes of shared memory per request", value=passes),
                Evidence(name="passes that its data need", value=ideal),
                Evidence(name="warp requests", value=access.requests or 0.0),
            ),
            speedup_bound=speedup_bound(kernel, saved),
        )


def _padding(kernel: KernelReport, access: AccessReport) -> str:
    """The least that rows can grow by: what moves several words at once, and matrix fragments, need aligned rows."""
    widest = max(
        each.element_bytes
        for each in kernel.accesses
        if each.space is MemorySpace.SHARED and each.array == access.array
    )
    if kernel.counts.tensor_flop:
        widest = max(widest, _FRAGMENT_ROW_BYTES)
    if widest <= access.element_bytes:
        return "one element"
    return f"{widest} B, for what accesses it needs rows that are aligned so"


_SOURCE = """#define TILE 32
__global__ void transpose(const float *in, float *out, int n) {{
  __shared__ float tile[TILE][{columns}];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  float sum = 0.0f;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  for (int k = 0; k < TILE; k++) sum += tile[threadIdx.x][k];
  out[y * n + x] = sum;
}}
int main() {{
  int n = 4096;
  float *in, *out;
  cudaMalloc(&in, n * n * sizeof(float));
  cudaMalloc(&out, n * n * sizeof(float));
  dim3 grid(n / TILE, n / TILE), block(TILE, TILE);
  transpose<<<grid, block>>>(in, out, n);
}}
"""

RULE = Rule(
    code="RS104",
    name="bank-conflicts",
    detects="An access to shared memory that takes at least half more passes than the width of its data needs, since "
    "threads of a warp want different words of the same bank.",
    costs="Shared memory has 32 banks of 4 bytes; a request takes as many passes as the busiest bank has words to "
    "deliver. A column of a 32-wide tile lies in one bank and takes 32.",
    wrong_when="Shared memory is not what limits the kernel; padding may cost occupancy.",
    bad=Example(source=_SOURCE.format(columns="TILE")),
    good=Example(source=_SOURCE.format(columns="TILE + 1")),
    check=_check,
)
