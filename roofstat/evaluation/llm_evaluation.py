"""Answers of a model as predictions of rows, beside the static ones and the combined ones, with paired tests."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from clang_queries.quick_dataclass import dataclass
from roofstat.evaluation.evaluation import Evaluation
from roofstat.evaluation.json_form import rounded, to_json
from roofstat.evaluation.judgement import judge
from roofstat.evaluation.labels import Quantity
from roofstat.evaluation.metrics import NOISE_P, McNemar, mcnemar
from roofstat.evaluation.outcome import Failure, FailureKind, Prediction, RowOutcome
from roofstat.evaluation.summary import Summary, summarise
from roofstat.llm.combination import combination_rule, combine, compute_log_odds
from roofstat.llm.second_opinion import answer_flags
from roofstat.llm.suspicion import find_suspicions
from roofstat.report import OpinionFlag

if TYPE_CHECKING:
    from roofstat.evaluation.evaluation import Scores
    from roofstat.evaluation.llm_scenarios import RowRequest, Scenario
    from roofstat.llm.answers import Answer
    from roofstat.llm.asking import Said
    from roofstat.llm.cost import Price

__all__ = ["LlmEvaluation", "llm_evaluation", "llm_to_json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmRow:
    """One row's request, what was said to it, and why the answer is not simply believed."""

    asked: RowRequest
    said: Said
    flags: tuple[OpinionFlag, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmEvaluation:
    """Three predictors on the same rows: the analysis, the model, and both together.

    Attributes:
        rows: By position; rows that could not be asked about are absent.
        usd: What the answers cost that do not come from the log; None where the price is unknown.
    """

    scenario: Scenario
    prompt: str
    model: str
    destination: str
    with_features: bool
    static: Evaluation
    llm: Evaluation
    combined: Evaluation
    rows: Mapping[int, LlmRow]
    usd: float | None

    @property
    def tests(self) -> dict[str, McNemar]:
        """Paired tests against the static predictor."""
        return {
            "llm_against_static": _paired_test(self.static, self.llm),
            "combined_against_static": _paired_test(self.static, self.combined),
            "combined_against_llm": _paired_test(self.llm, self.combined),
        }


def llm_evaluation(
    static: Evaluation,
    asked: Sequence[RowRequest],
    said: Sequence[Said],
    *,
    scenario: Scenario,
    prompt: str,
    model: str,
    destination: str,
    with_features: bool,
    price: Price | None,
) -> LlmEvaluation:
    """Put the answers beside the static predictions."""
    found = {
        entry.position: _row(static.outcomes[entry.position], entry, reply)
        for entry, reply in zip(asked, said, strict=True)
    }
    llm = [_llm_outcome(outcome, found.get(at)) for at, outcome in enumerate(static.outcomes)]
    both = [_both_outcome(outcome, found.get(at)) for at, outcome in enumerate(static.outcomes)]
    paid = {
        entry.said.request.key: entry.said for entry in found.values() if not entry.said.is_logged
    }
    return LlmEvaluation(
        scenario=scenario,
        prompt=prompt,
        model=model,
        destination=destination,
        with_features=with_features,
        static=static,
        llm=dataclasses.replace(static, outcomes=tuple(llm)),
        combined=dataclasses.replace(static, outcomes=tuple(both)),
        rows=found,
        usd=None
        if price is None
        else sum(
            price.of_reply(entry.request, entry.reply) for entry in paid.values() if entry.reply
        ),
    )


def _paired_test(first: Evaluation, second: Evaluation) -> McNemar:
    """McNemar's test of two predictors on the same labelled rows."""
    pairs = [
        (old.right, new.right)
        for old, new in zip(first.outcomes, second.outcomes, strict=True)
        if old.truth is not None
    ]
    return mcnemar(
        sum(new and not old for old, new in pairs), sum(old and not new for old, new in pairs)
    )


def llm_to_json(result: LlmEvaluation, scores: Scores | None = None) -> dict[str, Any]:
    """Return the evaluation of the model in the form of every other one, with what the model adds."""
    data = to_json(result.llm, scores)
    for position, row in enumerate(data["per_row"]):
        row["llm"] = _row_json(result, position)
    rows = list(result.rows.values())
    replies = {row.said.request.key: row.said.reply for row in rows if row.said.reply}
    failures = Counter(row.said.error.kind.value for row in rows if row.said.error)
    flags = Counter(flag.value for row in rows for flag in row.flags)
    data["llm"] = {
        "model": result.model,
        "prompt": result.prompt,
        "scenario": result.scenario.value,
        "with_features": result.with_features,
        "destination": result.destination,
        "asked": len(rows),
        "answered": sum(row.said.answer is not None for row in rows),
        "logged": sum(row.said.is_logged for row in rows),
        "failures": dict(sorted(failures.items())),
        "flags": dict(sorted(flags.items())),
        "prompt_tokens": sum(reply.prompt_tokens or 0 for reply in replies.values()),
        "completion_tokens": sum(reply.completion_tokens or 0 for reply in replies.values()),
        "usd": rounded(result.usd),
        "predictors": {
            name: _figures(summarise(evaluation.outcomes))
            for name, evaluation in (
                ("static", result.static),
                ("llm", result.llm),
                ("combined", result.combined),
            )
        },
        "tests": {
            name: {
                "improved": test.improved,
                "regressed": test.regressed,
                "p_value": rounded(test.p_value),
                "is_noise": test.p_value > NOISE_P,
            }
            for name, test in result.tests.items()
        },
    }
    return data


def _figures(summary: Summary) -> dict[str, Any]:
    interval = summary.intervals.accuracy if summary.intervals else None
    return {
        "accuracy": rounded(summary.confusion.accuracy),
        "balanced_accuracy": rounded(summary.confusion.balanced_accuracy),
        "ci95": None if interval is None else [rounded(interval[0]), rounded(interval[1])],
        "ece": rounded(summary.calibration.ece),
    }


def _row_json(result: LlmEvaluation, position: int) -> dict[str, Any]:
    row = result.rows.get(position)
    static = result.static.outcomes[position].prediction
    both = result.combined.outcomes[position].prediction
    answer = row.said.answer if row else None
    return {
        "request": row.said.request.key if row else None,
        "verdict": answer.verdict.value if answer else None,
        "confidence": rounded(answer.confidence) if answer else None,
        "static_verdict": static.verdict.value if static else None,
        "combined_verdict": both.verdict.value if both else None,
        "flags": [flag.value for flag in row.flags] if row else [],
    }


def _row(outcome: RowOutcome, asked: RowRequest, said: Said) -> LlmRow:
    suspicions = find_suspicions(asked.question.pieces)
    flags = answer_flags(said.answer, outcome.ridge_op_per_byte, suspicions)
    static = outcome.prediction
    if static is not None:
        flags = combine(static.verdict, static.confidence, said.answer, flags=flags).flags
    return LlmRow(asked=asked, said=said, flags=flags)


def _llm_outcome(outcome: RowOutcome, row: LlmRow | None) -> RowOutcome:
    """The row as the model alone predicts it."""
    if row is None:
        failure = outcome.failure or Failure(
            kind=FailureKind.LLM, reason="the row lacks what the scenario shows"
        )
        return dataclasses.replace(outcome, prediction=None, failure=failure)
    answer = row.said.answer
    if answer is None or outcome.prediction is None:
        reason = str(row.said.error) if row.said.error else "the kernel was not found"
        failure = Failure(kind=FailureKind.LLM, reason=reason)
        return dataclasses.replace(outcome, prediction=None, failure=failure)
    sure = _confidence(answer)
    judgement = judge(_amounts(answer), outcome.ridge_op_per_byte)
    prediction = dataclasses.replace(
        outcome.prediction,
        amounts=_amounts(answer),
        verdict=answer.verdict,
        limiter=judgement.limiter,
        ratio=judgement.ratio,
        confidence=sure,
        compute_log_odds=compute_log_odds(answer.verdict, sure),
        bound_by=None,
        attainable_time_s=None,
        modelled_time_s=None,
        assumptions=(),
    )
    return dataclasses.replace(outcome, prediction=prediction, failure=None)


def _both_outcome(outcome: RowOutcome, row: LlmRow | None) -> RowOutcome:
    """The row as the analysis and the model predict it together."""
    static = outcome.prediction
    if static is None or row is None or row.said.answer is None:
        return outcome
    both = combine(static.verdict, static.confidence, row.said.answer, flags=row.flags)
    sure = static.confidence if both.confidence is None else both.confidence
    prediction: Prediction = dataclasses.replace(
        static,
        verdict=both.verdict,
        confidence=sure,
        compute_log_odds=compute_log_odds(both.verdict, sure),
    )
    return dataclasses.replace(outcome, prediction=prediction)


def _confidence(answer: Answer) -> float:
    if answer.confidence is None:
        return combination_rule().llm_without_confidence
    return answer.confidence


def _amounts(answer: Answer) -> dict[Quantity, float]:
    """The answer's numbers as the tables measure them."""
    names = {quantity.value: quantity for quantity in Quantity}
    found = {names[name]: value for name, value in answer.amounts.items() if name in names}
    read, write = (found.get(q) for q in (Quantity.DRAM_READ_BYTES, Quantity.DRAM_WRITE_BYTES))
    if read is not None and write is not None:
        found[Quantity.DRAM_BYTES] = read + write
    return found
