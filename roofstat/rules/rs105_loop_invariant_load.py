"""RS105: a loop loads the same datum from global memory in every iteration."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.hardware.units import WARP_SIZE
from roofstat.report import BoundBy, Evidence, KernelReport, PatternKind, PatternReport
from roofstat.rules.gains import load_wait_share, speedup_bound
from roofstat.rules.rule import Example, Finding, Rule, RuleContext


def _check(kernel: KernelReport, _context: RuleContext) -> Iterator[Finding]:
    for pattern in kernel.patterns:
        if pattern.kind not in (PatternKind.INVARIANT_LOAD, PatternKind.MEMORY_ACCUMULATOR):
            continue
        keeps = pattern.kind is PatternKind.MEMORY_ACCUMULATOR
        yield Finding(
            message=f"{pattern.subject} is loaded from one address in every iteration"
            + (
                " and stored there again"
                if keeps
                else ": a store in the loop may change it, as far as the compiler can tell"
            ),
            line=pattern.line,
            column=pattern.column,
            file=pattern.file,
            help="accumulate in a local variable and store it behind the loop"
            if keeps
            else "load it into a local variable before the loop, or declare the pointers const and __restrict__",
            evidence=(
                Evidence(name="loads by threads", value=pattern.executions),
                Evidence(name="loads that would do", value=pattern.needed or 0.0),
            ),
            speedup_bound=speedup_bound(kernel, _savings(kernel, pattern)),
        )


def _savings(kernel: KernelReport, pattern: PatternReport) -> dict[BoundBy, float]:
    """What the loads beyond the first move and wait; for an accumulator the stores too."""
    beyond = (pattern.executions - (pattern.needed or 0.0)) / WARP_SIZE
    accesses = [
        access
        for access in kernel.accesses
        if (access.line, access.file, access.array) == (pattern.line, pattern.file, pattern.subject)
    ]
    moved = sum(
        (access.requests or 0.0) * (access.sectors_per_request or 0.0) * 32 for access in accesses
    )
    l2 = kernel.traffic.l2_bytes
    return {
        BoundBy.L2: moved / l2 if l2 else 0.0,
        BoundBy.DRAM: sum(access.share or 0.0 for access in accesses),
        BoundBy.LATENCY: load_wait_share(kernel, beyond),
    }


_SOURCE = """__global__ void scale(float *rows, const float *factor, int n, int count) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
{before}  for (int j = 0; j < count; j++) rows[j * n + i] *= {factor};
}}
int main() {{
  int n = 1 << 12, count = 64;
  float *rows, *factor;
  cudaMalloc(&rows, n * count * sizeof(float));
  cudaMalloc(&factor, sizeof(float));
  scale<<<n / 64, 64>>>(rows, factor, n, count);
}}
"""

RULE = Rule(
    code="RS105",
    name="loop-invariant-load",
    detects="A load of global memory inside a loop whose address does not change while the loop runs, and which the compiler "
    "cannot move out since a store in the loop might change the datum; also a datum that a loop updates in memory.",
    costs="Every iteration waits for a load (some 30 clocks from L1, hundreds from L2) and spends an instruction and a "
    "request on what a register could hold.",
    wrong_when="Another thread changes the datum while the loop runs and the loop must see it (then it should be volatile or "
    "atomic), or registers are so scarce that one more would spill.",
    bad=Example(source=_SOURCE.format(before="", factor="factor[0]")),
    good=Example(source=_SOURCE.format(before="  float f = factor[0];\n", factor="f")),
    check=_check,
)
