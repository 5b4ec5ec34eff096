"""RS106: what was just loaded from global memory is loaded again."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.hardware.units import WARP_SIZE
from roofstat.report import BoundBy, Evidence, KernelReport, PatternKind
from roofstat.rules.gains import load_wait_share, speedup_bound
from roofstat.rules.rule import Example, Finding, Rule, RuleContext


def _check(kernel: KernelReport, _context: RuleContext) -> Iterator[Finding]:
    for pattern in kernel.patterns:
        if pattern.kind is not PatternKind.REPEATED_LOAD:
            continue
        requests = pattern.executions / WARP_SIZE
        moved = sum(
            (access.requests or 0.0) * (access.sectors_per_request or 0.0) * 32
            for access in kernel.accesses
            if (access.line, access.column, access.file)
            == (pattern.line, pattern.column, pattern.file)
        )
        l2 = kernel.traffic.l2_bytes
        yield Finding(
            message=f"{pattern.subject} is loaded again from the address that was just loaded: a store between may have "
            "changed it, as far as the compiler can tell",
            line=pattern.line,
            column=pattern.column,
            file=pattern.file,
            help="keep it in a local variable, or declare the pointers const and __restrict__ (or read through __ldg)",
            evidence=(Evidence(name="loads by threads", value=pattern.executions),),
            speedup_bound=speedup_bound(
                kernel,
                {
                    BoundBy.L2: moved / l2 if l2 else 0.0,
                    BoundBy.LATENCY: load_wait_share(kernel, requests),
                },
            ),
        )


_SOURCE = """__global__ void split(const float *{restrict}x, float *{restrict}low, float *{restrict}high, int n, int rows) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < rows; k++) {{
    low[k * n + i] = 0.5f * x[k * n + i];
    high[k * n + i] = 2.0f * x[k * n + i];
  }}
}}
int main() {{
  int n = 1 << 12, rows = 64;
  float *x, *low, *high;
  cudaMalloc(&x, rows * n * sizeof(float));
  cudaMalloc(&low, rows * n * sizeof(float));
  cudaMalloc(&high, rows * n * sizeof(float));
  split<<<n / 64, 64>>>(x, low, high, n, rows);
}}
"""

RULE = Rule(
    code="RS106",
    name="repeated-load",
    detects="A load of global memory from the address of an earlier one in the same stretch of code, with a store to another "
    "array between that forbids the compiler to keep the value.",
    costs="A second request and a second wait for a value that was in a register.",
    wrong_when="The arrays do overlap.",
    bad=Example(source=_SOURCE.format(restrict="")),
    good=Example(source=_SOURCE.format(restrict="__restrict__ ")),
    check=_check,
)
