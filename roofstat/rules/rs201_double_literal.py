"""RS201: a double literal turns single-precision arithmetic into double."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.report import Edit, KernelReport, PatternKind, PatternReport
from roofstat.rules.gains import speedup_bound
from roofstat.rules.precision import double_share_evidence, double_work_savings
from roofstat.rules.rule import Example, Finding, Rule, RuleContext
from roofstat.rules.wording import joined


def _check(kernel: KernelReport, _context: RuleContext) -> Iterator[Finding]:
    for pattern in kernel.patterns:
        if pattern.kind is not PatternKind.DOUBLE_LITERAL:
            continue
        literals = _literals(pattern)
        yield Finding(
            message=f"{joined(literals) or 'a constant'} {'are' if len(literals) > 1 else 'is'} double, so that float values are "
            "computed in FP64",
            line=pattern.line,
            column=pattern.column,
            file=pattern.file,
            help=_help(pattern),
            evidence=double_share_evidence(kernel, pattern),
            speedup_bound=speedup_bound(kernel, double_work_savings(kernel)),
            # Edits name no file: they are for findings in the kernel's own. In a template they would change other instances.
            fix=tuple(
                Edit(
                    line=span.line,
                    column=span.column + len(span.text),
                    end_column=span.column + len(span.text),
                    text="f",
                )
                for span in pattern.spans
            )
            if pattern.file is None and not pattern.is_generic
            else (),
        )


def _literals(pattern: PatternReport) -> list[str]:
    """The literals that must change together, as written."""
    spans = [span.text for span in pattern.spans]
    return list(dict.fromkeys(spans or filter(None, pattern.subject.split(", "))))


def _help(pattern: PatternReport) -> str:
    literals = _literals(pattern)
    if pattern.is_generic:
        example = literals[0] if literals else "constant"
        return (
            f"convert it to the type that the template computes in, as T({example}) does: with the suffix f, "
            "instances for double would lose digits"
        )
    if not literals:
        return "write the constant with the suffix f, or as a float"
    return f"write {joined([f'{each}f' for each in literals])}"


_SOURCE = """__global__ void relax(const float *x, float *y, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = x[i];
  for (int k = 0; k < 64; k++) value = value * {factor} + {shift};
  y[i] = value;
}}
int main() {{
  int n = 1 << 20;
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  relax<<<n / 256, 256>>>(x, y, n);
}}
"""

RULE = Rule(
    code="RS201",
    name="double-literal",
    detects="FP64 arithmetic between a single-precision value and an unsuffixed floating-point literal, whose result ends in "
    "single precision again. The bound of the gain is that of all such findings in the kernel together.",
    costs="FP64 runs at half the FP32 rate on data-centre GPUs and at 1/32 or 1/64 on others; the conversions to and fro cost "
    "as much again.",
    wrong_when="The further digits are wanted in between: write the conversion, (double)x, to say so.",
    bad=Example(source=_SOURCE.format(factor="0.9", shift="0.1")),
    good=Example(source=_SOURCE.format(factor="0.9f", shift="0.1f")),
    check=_check,
)
