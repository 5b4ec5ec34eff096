"""RS903: a comment ignores a finding that is not there."""

from __future__ import annotations

from roofstat.report import Severity
from roofstat.rules.rule import Example, Rule

_SOURCE = """__global__ void scale(float *x, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[{index}] *= 2.0f; // roofstat: ignore[RS101] the layout is given by the file format
}}
int main() {{
  int n = 1 << 20;
  float *x;
  cudaMalloc(&x, 64 * n * sizeof(float));
  scale<<<n / 256, 256>>>(x, n);
}}
"""

RULE = Rule(
    code="RS903",
    name="unused-suppression",
    severity=Severity.NOTE,
    detects="A `// roofstat: ignore[CODE] reason` comment on whose line nothing with this code is found, or that names no rule; also one without codes.",
    costs="Nothing by itself: a comment that outlives its reason hides later findings.",
    wrong_when="The finding depends on the card or the arguments of the run.",
    bad=Example(source=_SOURCE.format(index="i")),
    good=Example(source=_SOURCE.format(index="64 * i")),
    check=None,
)
