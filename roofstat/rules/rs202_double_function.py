"""RS202: a double-precision function is called with single-precision values."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.report import KernelReport, PatternKind
from roofstat.rules.gains import speedup_bound
from roofstat.rules.precision import (
    called,
    double_share_evidence,
    double_work_savings,
    float_version,
)
from roofstat.rules.rule import Example, Finding, Rule, RuleContext


def _check(kernel: KernelReport, _context: RuleContext) -> Iterator[Finding]:
    for pattern in kernel.patterns:
        if pattern.kind is PatternKind.DOUBLE_FUNCTION:
            yield Finding(
                message=f"{called(pattern.subject)} is computed in FP64 for float values",
                line=pattern.line,
                column=pattern.column,
                file=pattern.file,
                help=f"call {float_version(pattern.subject)}, with float arguments only",
                evidence=double_share_evidence(kernel, pattern),
                speedup_bound=speedup_bound(kernel, double_work_savings(kernel)),
            )


_SOURCE = """__global__ void decay(const float *x, float *y, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = {call};
}}
int main() {{
  int n = 1 << 20;
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  decay<<<n / 256, 256>>>(x, y, n);
}}
"""

RULE = Rule(
    code="RS202",
    name="double-function",
    detects="A function of the math library in its double version whose arguments are single-precision values or constants "
    "and whose result ends in single precision. The bound of the gain is that of all such findings in the kernel together.",
    costs="Double functions are tens of FP64 instructions where the float version has a few FP32 ones.",
    wrong_when="The further digits are wanted: write the conversion, (double)x, to say so.",
    bad=Example(source=_SOURCE.format(call="pow(x[i], 2.5)")),
    good=Example(source=_SOURCE.format(call="powf(x[i], 2.5f)")),
    check=_check,
)
