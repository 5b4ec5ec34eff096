"""RS301: a branch on the thread index splits warps."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.report import Evidence, KernelReport, PatternKind
from roofstat.rules.gains import idle_lane_savings, speedup_bound
from roofstat.rules.rule import Example, Finding, Rule, RuleContext
from roofstat.rules.wording import percentage

_WASTE = 0.1


def _check(kernel: KernelReport, _context: RuleContext) -> Iterator[Finding]:
    for pattern in kernel.patterns:
        share = pattern.share or 0.0
        has_sides = pattern.kind is PatternKind.THREAD_DIVERGENCE
        if not (has_sides or pattern.kind is PatternKind.THREAD_GUARD) or share < _WASTE:
            continue
        yield Finding(
            message=f"the branch on the thread index leaves {pattern.lanes or 0.0:.3g} of 32 threads active: idle ones waste "
            f"{percentage(share)} of the kernel's instructions",
            line=pattern.line,
            column=pattern.column,
            file=pattern.file,
            help="branch on whole warps (threadIdx.x / 32), or renumber the work so that active threads are adjacent",
            evidence=(
                Evidence(
                    name="active threads of a warp on either side"
                    if has_sides
                    else "active threads of a warp",
                    value=pattern.lanes or 0.0,
                ),
                Evidence(name="of the instructions wasted", value=100 * share, unit="%"),
            ),
            speedup_bound=speedup_bound(
                kernel, idle_lane_savings(kernel, share, shortens=has_sides)
            ),
        )


_SOURCE = """__global__ void mixed(float *x, int steps) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = x[i];
  if ({condition}) {{
    for (int k = 0; k < steps; k++) value = value * 0.5f + 1.0f;
  }} else {{
    for (int k = 0; k < steps; k++) value = value * value - 0.5f;
  }}
  x[i] = value;
}}
int main() {{
  int n = 1 << 20;
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  mixed<<<n / 256, 256>>>(x, 1000);
}}
"""

RULE = Rule(
    code="RS301",
    name="divergent-branch",
    detects="A branch whose condition follows from the thread index, that threads of one warp take both ways, and whose "
    "idle lanes waste at least a tenth of the instructions that the kernel issues: of `if`, `switch` and what threads skip that "
    "return or continue before others. Each branch of a chain has the bound of its own; mending all of them brings more.",
    costs="A warp carries out both sides one after the other, with the threads of the other side idle. Where threads "
    "only skip work, it costs issue cycles of the SM, but not the time of a warp that waits.",
    wrong_when="The idle threads have nothing to do in any arrangement, as at the end of a reduction within one warp.",
    bad=Example(source=_SOURCE.format(condition="threadIdx.x % 2 == 0")),
    good=Example(source=_SOURCE.format(condition="threadIdx.x / 32 % 2 == 0")),
    check=_check,
)
