"""RS901: the verdict of a kernel is another than before."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.report import Evidence, KernelReport, Verdict
from roofstat.rules.rule import Example, Finding, PreviousVerdict, Rule, RuleContext, kernel_key

_CHANGE = 1.25
_WORDS = {
    Verdict.BANDWIDTH: "bandwidth-bound",
    Verdict.COMPUTE: "compute-bound",
    Verdict.UNKNOWN: "unknown",
}


def _check(kernel: KernelReport, context: RuleContext) -> Iterator[Finding]:
    before = context.previous.get(kernel_key(kernel))
    if before is None:
        return
    if before.verdict is not kernel.verdict:
        yield Finding(
            message=f"{kernel.name} was {_WORDS[before.verdict]} and is {_WORDS[kernel.verdict]} now",
            help="if that is intended, write the baseline anew",
            evidence=_evidence(kernel, before),
        )
        return
    kind = before.limiter
    if kind is None or kernel.limiter is not kind:
        return
    old, new = before.intensity.get(kind), kernel.intensity.get(kind)
    if old and new and max(old / new, new / old) >= _CHANGE:
        yield Finding(
            message=f"{kernel.name}: {kind.value} work for each DRAM byte was {old:.3g} and is {new:.3g} now",
            help="if that is intended, write the baseline anew",
            evidence=_evidence(kernel, before),
        )


def _evidence(kernel: KernelReport, before: PreviousVerdict) -> tuple[Evidence, ...]:
    kind = kernel.limiter or before.limiter
    if kind is None:
        return ()
    values = (
        ("intensity before", before.intensity.get(kind)),
        ("intensity now", kernel.intensity.get(kind)),
        ("ridge", kernel.ridge.get(kind)),
    )
    return tuple(
        Evidence(name=f"{kind.value} {name}", value=value, unit="op/B")
        for name, value in values
        if value is not None
    )


_SOURCE = """__global__ void power(const float *x, float *y, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = x[i];
  for (int k = 0; k < {steps}; k++) value = value * 0.5f + 1.0f;
  y[i] = value;
}}
int main() {{
  int n = 1 << 22;
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  power<<<n / 256, 256>>>(x, y, n);
}}
"""

RULE = Rule(
    code="RS901",
    name="verdict-changed",
    detects="A kernel whose verdict, or whose limiting intensity by at least a quarter, is not that of the baseline "
    "(`--baseline`) or of the other revision (`--diff`).",
    costs="Nothing by itself: it says that a change moved a kernel on the roofline, which is worth knowing before it is merged.",
    wrong_when="The change was meant to do that.",
    bad=Example(source=_SOURCE.format(steps=1000), before=_SOURCE.format(steps=2)),
    good=Example(source=_SOURCE.format(steps=2), before=_SOURCE.format(steps=2)),
    check=_check,
)
