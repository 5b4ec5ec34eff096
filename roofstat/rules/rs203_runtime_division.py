"""RS203: a kernel divides integers by a value that is not constant, often enough to show."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.report import BoundBy, Evidence, KernelReport, PatternKind, WarpStep
from roofstat.rules.gains import speedup_bound, step_share
from roofstat.rules.rule import Example, Finding, Rule, RuleContext
from roofstat.rules.wording import percentage

_SHARE = 0.1


def _check(kernel: KernelReport, _context: RuleContext) -> Iterator[Finding]:
    found = [each for each in kernel.patterns if each.kind is PatternKind.RUNTIME_DIVISION]
    together = min(sum(each.share or 0.0 for each in found), 1.0)
    for pattern in found:
        share = pattern.share or 0.0
        if share < _SHARE:
            continue
        yield Finding(
            message=f"integer {'remainder' if pattern.subject == '%' else 'division'} by a run-time value: "
            f"{percentage(share)} of the kernel's integer work is on its line",
            line=pattern.line,
            column=pattern.column,
            file=pattern.file,
            help="divide once outside of loops, count up or compare instead, take the parts from a grid of more dimensions, use "
            "shifts and masks for powers of two, or make the divisor a template argument",
            evidence=(
                Evidence(name="executions by threads", value=pattern.executions),
                Evidence(name="of the integer work", value=100 * share, unit="%"),
            ),
            speedup_bound=speedup_bound(
                kernel,
                {
                    BoundBy.INT: together,
                    BoundBy.SPECIAL: 1.0,
                    BoundBy.FP32: 1.0,
                    BoundBy.ISSUE: together,
                    BoundBy.LATENCY: step_share(kernel, WarpStep.FUNCTION)
                    + step_share(kernel, WarpStep.ISSUE)
                    + step_share(kernel, WarpStep.ARITHMETIC),
                },
            ),
        )


_SOURCE = """{head}__global__ void walk(const int *start, int *end, int steps{parameter}) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x, state = start[i];
  for (int k = 0; k < steps; k++) state = (state * 5 + 1) % size;
  end[i] = state;
}}
int main() {{
  int n = 1 << 20;
  int *start, *end;
  cudaMalloc(&start, n * sizeof(int));
  cudaMalloc(&end, n * sizeof(int));
  walk{template}<<<n / 256, 256>>>(start, end, 1000{argument});
}}
"""

RULE = Rule(
    code="RS203",
    name="runtime-division",
    detects="An integer division or remainder by a value that is not constant, on a line with at least a tenth of the "
    "kernel's integer work.",
    costs="GPUs have no integer division: a 32-bit one is some 20 instructions with a reciprocal, a 64-bit one some 70. By a "
    "constant it is a multiplication and shifts.",
    wrong_when="The divisor differs each time.",
    bad=Example(
        source=_SOURCE.format(head="", parameter=", int size", template="", argument=", 1000003")
    ),
    good=Example(
        source=_SOURCE.format(
            head="template <int size>\n", parameter="", template="<1000003>", argument=""
        )
    ),
    check=_check,
)
