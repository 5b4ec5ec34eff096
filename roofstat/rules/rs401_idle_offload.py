"""RS401: an OpenMP target region leaves most of the GPU empty."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.report import Evidence, KernelReport, Language, LaunchSource
from roofstat.rules.gains import fill_savings, speedup_bound
from roofstat.rules.rule import Example, Finding, Rule, RuleContext

_FEWEST_TRIPS = 2.0


def _check(kernel: KernelReport, context: RuleContext) -> Iterator[Finding]:
    launch, gpu = kernel.launch, context.gpu
    if kernel.language is not Language.OPENMP or launch is None or kernel.directive is None:
        return
    if launch.source is LaunchSource.ASSUMED or launch.blocks >= gpu.sm_count:
        return
    words = kernel.directive.split()
    has_inner = any(
        (loop.trip_count or 0.0) >= _FEWEST_TRIPS for loop in kernel.loops if loop.depth
    )
    if "teams" not in words:
        why, remedy = (
            "without teams it runs on one SM",
            "write target teams distribute parallel for",
        )
    elif "collapse" not in kernel.directive and has_inner:
        why = "only the outermost loop is distributed"
        remedy = "add collapse(2) if the iterations of the inner loop are independent"
    else:
        why, remedy = "its loop is short", "distribute a longer loop, or merge regions"
    yield Finding(
        message=f"{launch.blocks:,} {'teams' if launch.blocks > 1 else 'team'} of {launch.threads_per_block:,} threads for "
        f"{gpu.sm_count:,} SMs: {why}",
        help=remedy,
        evidence=(
            Evidence(name="teams", value=launch.blocks),
            Evidence(name="SMs", value=gpu.sm_count),
        ),
        speedup_bound=speedup_bound(kernel, fill_savings(kernel, gpu)),
    )


_SOURCE = """int main() {{
  const int n = 2048;
  static float in[n][n], out[n][n];
#pragma omp target {construct} map(to : in) map(from : out)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) out[i][j] = 0.5f * in[i][j] + 1.0f;
}}
"""

RULE = Rule(
    code="RS401",
    name="idle-offload",
    detects="An OpenMP target region that starts fewer teams than the GPU has SMs: it has no `teams`, distributes only the "
    "outer of nested loops, or its loop is short.",
    costs="A team runs on one SM. Without `teams` one SM works and the others do nothing.",
    wrong_when="Other regions run at the same time (`nowait`), or the problem of the analysed run is smaller than real ones.",
    bad=Example(source=_SOURCE.format(construct="parallel for"), suffix=".cpp"),
    good=Example(
        source=_SOURCE.format(construct="teams distribute parallel for collapse(2)"), suffix=".cpp"
    ),
    check=_check,
)
