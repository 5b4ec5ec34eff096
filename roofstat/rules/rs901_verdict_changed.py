"""RS901: the verdict of a kernel is another than before."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.report import Evidence, KernelReport, Verdict
from roofstat.rules.rule import Example, Finding, PreviousVerdict, Rule, RuleContext, kernel_key
from roofstat.rules.wording import figure

_CHANGE = 1.25
_FAR_CHANGE = 2.0
_NEAR = 3.0
"""An intensity within this factor of the ridge, on either side, is near: there, small changes decide."""
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
            help=f"if that is intended, {context.accepting}",
            evidence=_evidence(kernel, before),
        )
        return
    kind = before.limiter
    if kind is None or kernel.limiter is not kind:
        return
    old, new = before.intensity.get(kind), kernel.intensity.get(kind)
    ridge = kernel.ridge.get(kind)
    if old and new and ridge and max(old / new, new / old) >= _least_change(old, new, ridge):
        yield Finding(
            message=f"{kernel.name}: {kind.value} work for each DRAM byte was {figure(old)} and is {figure(new)} now",
            help=f"if that is intended, {context.accepting}",
            evidence=_evidence(kernel, before),
        )


def _least_change(old: float, new: float, ridge: float) -> float:
    """By which factor an intensity changes at least that is worth saying."""
    nearest = min(max(value / ridge, ridge / value) for value in (old, new))
    return _CHANGE if nearest <= _NEAR else _FAR_CHANGE


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
    detects="A kernel whose verdict is not that of the baseline (`--baseline`) or of the other revision (`--diff`), or whose limiting "
    "intensity has moved: by at least a quarter within a factor of 3 of the ridge, by a factor of 2 farther from it.",
    costs="Nothing by itself: it says that a change moved a kernel on the roofline, which is worth knowing before it is merged.",
    wrong_when="The change was meant to do that.",
    bad=Example(source=_SOURCE.format(steps=1000), before=_SOURCE.format(steps=2)),
    good=Example(source=_SOURCE.format(steps=2), before=_SOURCE.format(steps=2)),
    check=_check,
)
