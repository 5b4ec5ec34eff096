"""RS902: the source does not say enough for a sure verdict."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.report import AssumptionKind, Evidence, KernelReport, Severity, Verdict
from roofstat.rules.rule import Example, Finding, Rule, RuleContext
from roofstat.rules.wording import percentage

_UNSURE = 0.8
_HEAVY = 0.3
_KNOWN_FAULTS = frozenset({AssumptionKind.REFUSED_LAUNCH, AssumptionKind.OVERFLOW})
"""What is wrong with the program rather than unknown; remarks of their own say so."""


def _check(kernel: KernelReport, _context: RuleContext) -> Iterator[Finding]:
    if kernel.verdict is Verdict.UNKNOWN:
        reason = next(iter(kernel.unknown.values()), "nothing launches it")
        yield Finding(
            message=f"no verdict for {kernel.name}: {reason}",
            help="state what is missing with --launch, --set or --args",
        )
        return
    open_ones = [item for item in kernel.assumptions if item.kind not in _KNOWN_FAULTS]
    heaviest = max(open_ones, key=lambda item: item.weight, default=None)
    if heaviest is None or heaviest.weight < _HEAVY or (kernel.confidence or 0.0) >= _UNSURE:
        return
    yield Finding(
        message=f"the verdict on {kernel.name} is {percentage(kernel.confidence or 0.0)} sure only: {heaviest.text}",
        line=heaviest.line,
        file=heaviest.file,
        help="state what is unknown with --set, --launch or --args",
        evidence=(
            Evidence(name="confidence", value=100 * (kernel.confidence or 0.0), unit="%"),
            Evidence(
                name="spread that the assumption adds to the intensity", value=heaviest.weight
            ),
        ),
    )


_SOURCE = """__global__ void iterate(const float *x, float *y, const int *count, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = x[i];
  for (int k = 0; k < {trips}; k++) value = value * 0.5f + k;
  y[i] = value;
}}
int main() {{
  int n = 1 << 20;
  float *x, *y;
  int *count;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&count, n * sizeof(int));
  iterate<<<n / 256, 256>>>(x, y, count, n);
}}
"""

RULE = Rule(
    code="RS902",
    name="unbounded-analysis",
    severity=Severity.NOTE,
    detects="A kernel without a verdict, or whose verdict is less than 80 % sure because of an assumption: a loop on loaded data, "
    "a branch, an unknown size.",
    costs="Nothing by itself: other findings about the kernel rest on the same assumption.",
    wrong_when="The assumed value happens to be right.",
    bad=Example(source=_SOURCE.format(trips="count[i]")),
    good=Example(source=_SOURCE.format(trips="8")),
    check=_check,
)
