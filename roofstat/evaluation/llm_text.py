"""What a model adds to the text of an evaluation: three predictors side by side, and whether they differ."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from roofstat.evaluation.metrics import NOISE_P
from roofstat.evaluation.summary import summarise
from roofstat.evaluation.text import share, table_of

if TYPE_CHECKING:
    from roofstat.evaluation.llm_evaluation import LlmEvaluation

__all__ = ["render_llm"]

_TEST_NAMES = {
    "llm_against_static": "model against the analysis",
    "combined_against_static": "both together against the analysis",
    "combined_against_llm": "both together against the model",
}


def render_llm(result: LlmEvaluation) -> RenderableType:
    """Return the comparison of the analysis, the model, and both together on the same rows."""
    rows = list(result.rows.values())
    answered = sum(row.said.answer is not None for row in rows)
    failures = Counter(row.said.error.kind.value for row in rows if row.said.error)
    flags = Counter(flag.value for row in rows for flag in row.flags)
    head = Text(
        f"{result.model}, {result.scenario.value}, prompt {result.prompt}, "
        f"{'with' if result.with_features else 'without'} static features, from {result.destination}: "
        f"{len(rows)} rows asked about, {answered} answered"
    )
    for title, counted in (("without an answer", failures), ("flagged", flags)):
        if counted:
            named = ", ".join(f"{name} {number}" for name, number in sorted(counted.items()))
            head.append(f"\n{title}: {named}")
    if result.usd is not None:
        head.append(f"\nthis run cost {result.usd:.2f} USD")
    table = table_of(
        "The same rows, three predictors",
        ("predictor", "n", "answered", "accuracy", "balanced", "ECE"),
    )
    for name, evaluation in (
        ("analysis", result.static),
        ("model", result.llm),
        ("both together", result.combined),
    ):
        summary = summarise(evaluation.outcomes, with_intervals=False)
        table.add_row(
            name,
            str(summary.labelled),
            str(summary.labelled_predicted),
            share(summary.confusion.accuracy),
            share(summary.confusion.balanced_accuracy),
            share(summary.calibration.ece),
        )
    tests = table_of(
        "Paired tests (McNemar, exact)", ("", "better on", "worse on", "p", ""), text_columns=1
    )
    for name, test in result.tests.items():
        verdict = "noise" if test.p_value > NOISE_P else "a difference"
        tests.add_row(
            _TEST_NAMES[name],
            str(test.improved),
            str(test.regressed),
            f"{test.p_value:.3g}",
            verdict,
        )
    return Group(Text(), head, table, tests)
