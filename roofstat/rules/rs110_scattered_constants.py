"""RS110: threads of a warp want different addresses of constant memory."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.report import BoundBy, Evidence, KernelReport, MemorySpace
from roofstat.rules.accesses import name_of
from roofstat.rules.gains import speedup_bound
from roofstat.rules.rule import Example, Finding, Rule, RuleContext
from roofstat.rules.wording import figure

_SEVERAL = 1.5
"""Addresses a request, from which on they count as several."""


def _check(kernel: KernelReport, _context: RuleContext) -> Iterator[Finding]:
    found = [
        (access, addresses, access.requests or 0.0)
        for access in kernel.accesses
        if access.space is MemorySpace.CONSTANT
        and (addresses := access.wavefronts_per_request) is not None
    ]
    total = sum(addresses * requests for _, addresses, requests in found)
    for access, addresses, requests in found:
        if addresses < _SEVERAL or not requests:
            continue
        saved = {BoundBy.CONSTANT: addresses * requests / total}
        yield Finding(
            message=f"threads of a warp want {figure(addresses)} addresses of constant memory at a time in {name_of(access)}, "
            "which serves one",
            line=access.line,
            column=access.column,
            file=access.file,
            help="keep what threads index on their own in shared memory, or in global memory behind `const __restrict__`",
            evidence=(
                Evidence(name="addresses per request", value=addresses),
                Evidence(name="warp requests", value=requests),
            ),
            speedup_bound=speedup_bound(kernel, saved),
        )


_SOURCE = """__constant__ float table[1024];
__global__ void look_up(const float *in, float *out, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < 64; k++) sum += table[({index} + k) & 1023];
  if (i < n) out[i] = sum * in[i];
}}
int main() {{
  int n = 1 << 24;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  look_up<<<n / 256, 256>>>(in, out, n);
}}
"""

RULE = Rule(
    code="RS110",
    name="scattered-constants",
    detects="A load from constant memory at addresses that differ between the threads of a warp.",
    costs="The constant cache serves one address at a time to all threads of a warp that want it: a request takes as many "
    "turns as there are addresses, up to 32, of about two clocks of the SM each.",
    wrong_when="The table is looked up so seldom that other work hides it, or its data make the threads of a warp agree.",
    bad=Example(source=_SOURCE.format(index="threadIdx.x")),
    good=Example(source=_SOURCE.format(index="blockIdx.x")),
    check=_check,
)
