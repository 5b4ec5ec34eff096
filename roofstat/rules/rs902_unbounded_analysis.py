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


_STATE = "state what is unknown with --set, --launch or --args"
_MEASURE = "nothing that can be stated decides it: measure the kernel, as with roofstat profile, where its verdict matters"
_PARSE = "give the parser what it lacks with -I, -D, -std or -p, or mend the source"
_REMEDIES = {
    AssumptionKind.ADDRESS: _MEASURE,
    AssumptionKind.ATOMICS: _MEASURE,
    AssumptionKind.CACHE: _MEASURE,
    AssumptionKind.INPUT_FILE: "run roofstat where the program's input file is",
    AssumptionKind.LIBRARY_CALL: "write that call as code of your own, or measure the kernel, as with roofstat profile",
    AssumptionKind.LOWERING: _MEASURE,
    AssumptionKind.SAMPLING: _MEASURE,
    AssumptionKind.SOURCE: _MEASURE,
    AssumptionKind.UNPARSED: _PARSE,
}
"""What helps against an assumption where a statement on the command line does not."""


def _check(kernel: KernelReport, _context: RuleContext) -> Iterator[Finding]:
    if kernel.verdict is Verdict.UNKNOWN:
        yield _without_verdict(kernel)
        return
    open_ones = [item for item in kernel.assumptions if item.kind not in _KNOWN_FAULTS]
    heaviest = max(open_ones, key=lambda item: item.weight, default=None)
    if heaviest is None or heaviest.weight < _HEAVY or (kernel.confidence or 0.0) >= _UNSURE:
        return
    yield Finding(
        message=f"the verdict on {kernel.name} is {percentage(kernel.confidence or 0.0)} sure only: {heaviest.text}",
        line=heaviest.line,
        file=heaviest.file,
        help=_REMEDIES.get(heaviest.kind, _STATE),
        evidence=(
            Evidence(name="confidence", value=100 * (kernel.confidence or 0.0), unit="%"),
            Evidence(
                name="spread that the assumption adds to the intensity", value=heaviest.weight
            ),
        ),
    )


def _without_verdict(kernel: KernelReport) -> Finding:
    lost = next((it for it in kernel.assumptions if it.kind is AssumptionKind.UNPARSED), None)
    if lost is not None:
        return Finding(message=f"no verdict for {kernel.name}: {lost.text}", help=_PARSE)
    reason = next(iter(kernel.unknown.values()), "nothing launches it")
    return Finding(message=f"no verdict for {kernel.name}: {reason}", help=_STATE)


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
