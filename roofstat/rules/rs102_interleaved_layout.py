"""RS102: adjacent threads access the same member of adjacent records, or every n-th element."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from roofstat.report import AccessReport, Evidence, KernelReport
from roofstat.rules.accesses import (
    excess_factor,
    global_accesses,
    is_interleaved,
    name_of,
    ordinal,
    sector_evidence,
    sector_share,
)
from roofstat.rules.gains import bound_beyond_l1, excess_sector_savings
from roofstat.rules.rule import Example, Finding, Rule, RuleContext
from roofstat.rules.wording import figure

_WIDEST_BYTES = 16
_SHARE = 0.05
"""Of the global sectors that the kernel touches."""


def _check(kernel: KernelReport, _context: RuleContext) -> Iterator[Finding]:
    found = [
        access
        for access in global_accesses(kernel)
        if is_interleaved(access) and excess_factor(access) is not None
    ]
    for _, group in groupby(sorted(found, key=_layout), key=_layout):
        accesses = tuple(group)
        if sector_share(kernel, accesses) < _SHARE:
            continue
        bound, severity = bound_beyond_l1(kernel, excess_sector_savings(kernel, accesses))
        first = min(accesses, key=lambda access: (access.line, access.column or 0))
        members = sorted({access.array.partition(".")[2] for access in accesses} - {""})
        what = (
            f"{', '.join(members) or 'single members'} of an array of {first.record}"
            if first.record is not None
            else f"every {ordinal(int(abs(first.stride_bytes or 0) // first.element_bytes))} element of {first.array}"
        )
        yield Finding(
            message=f"adjacent threads access {what}: {name_of(first)} takes {figure(first.sectors_per_request)} sectors a request "
            f"where {figure(first.ideal_sectors_per_request)} hold its data",
            line=first.line,
            column=first.column,
            file=first.file,
            help=_remedy(first),
            evidence=(
                *sector_evidence(first),
                Evidence(name="accesses to this layout", value=len(accesses)),
            ),
            speedup_bound=bound,
            severity=severity,
        )


def _remedy(access: AccessReport) -> str:
    stride, element = int(abs(access.stride_bytes or 0)), access.element_bytes
    if access.record is not None:
        return "keep each member in an array of its own, or load whole records as vectors (float2, float4)"
    adjacent = "let adjacent threads take adjacent elements"
    if stride in (2 * element, 4 * element) and stride <= _WIDEST_BYTES:
        return f"if each thread takes {stride // element} elements side by side, move them as one vector of {stride} B; else {adjacent}"
    return f"{adjacent}, by way of shared memory where each thread needs its own"


def _layout(access: AccessReport) -> tuple[str, str, float]:
    return access.array.partition(".")[0], access.record or "", access.stride_bytes or 0


RULE = Rule(
    code="RS102",
    name="interleaved-layout",
    detects="Global accesses of adjacent threads to the same member of adjacent records (array of structures), or to every "
    "n-th element of an array, where each request touches at least half more sectors than its data fill.",
    costs="The members that the kernel does not use travel with those that it uses, and even where all are used, each "
    "member costs a request to all sectors of the records of the warp.",
    wrong_when="The kernel uses all members one after the other and L1 keeps the sectors between: then only L1 requests "
    "are wasted. A layout that other kernels or the host rely on may cost more to change.",
    bad=Example(
        source="""struct Particle {
  float x, y, z, mass, vx, vy, vz, charge;
};
__global__ void push(Particle *particles, float step, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) particles[i].x += step * particles[i].vx;
}
int main() {
  int n = 1 << 22;
  Particle *particles;
  cudaMalloc(&particles, n * sizeof(Particle));
  push<<<n / 256, 256>>>(particles, 0.1f, n);
}
"""
    ),
    good=Example(
        source="""__global__ void push(float *x, const float *vx, float step, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += step * vx[i];
}
int main() {
  int n = 1 << 22;
  float *x, *vx;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&vx, n * sizeof(float));
  push<<<n / 256, 256>>>(x, vx, 0.1f, n);
}
"""
    ),
    check=_check,
)
