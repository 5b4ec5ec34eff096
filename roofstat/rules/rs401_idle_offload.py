"""RS401: an OpenMP target region leaves most of the GPU empty."""

from __future__ import annotations

import re
from collections.abc import Iterator

from roofstat.report import Evidence, KernelReport, Language, LaunchSource, PatternKind
from roofstat.rules.gains import fill_savings, speedup_bound
from roofstat.rules.rule import Example, Finding, Rule, RuleContext


def _check(kernel: KernelReport, context: RuleContext) -> Iterator[Finding]:
    launch, gpu = kernel.launch, context.gpu
    if kernel.language is not Language.OPENMP or launch is None or kernel.directive is None:
        return
    if launch.source is LaunchSource.ASSUMED or launch.blocks >= gpu.sm_count:
        return
    why, remedy = _cause(kernel, kernel.directive)
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


def _cause(kernel: KernelReport, directive: str) -> tuple[str, str]:
    """Why there are few teams, and what to do."""
    words = set(re.findall(r"\w+", directive))
    if "teams" not in words:
        return "without teams it runs on one SM", "write target teams distribute parallel for"
    if "num_teams" in words:
        return (
            "num_teams asks for no more",
            "give each team less to do and start more of them, or leave num_teams out",
        )
    if any(pattern.kind is PatternKind.UNDISTRIBUTED_NEST for pattern in kernel.patterns):
        return (
            "only the outermost loop is distributed",
            "add collapse(2) if the iterations of the inner loop are independent",
        )
    if not words & {"distribute", "loop"}:
        return (
            "no loop is distributed over teams in this directive",
            "write target teams distribute parallel for, or start more teams with num_teams",
        )
    return (
        "its loop is short",
        "distribute a longer loop, take smaller teams (thread_limit), or merge regions",
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
    detects="An OpenMP target region that starts fewer teams than the GPU has SMs: it has no `teams` or few by "
    "`num_teams`, distributes no loop or only the outer of nested ones, or its loop is short.",
    costs="A team runs on one SM. Without `teams` one SM works and the others do nothing.",
    wrong_when="Other regions run at the same time (`nowait`), or the problem of the analysed run is smaller than real ones.",
    bad=Example(source=_SOURCE.format(construct="parallel for"), suffix=".cpp"),
    good=Example(
        source=_SOURCE.format(construct="teams distribute parallel for collapse(2)"), suffix=".cpp"
    ),
    check=_check,
)
