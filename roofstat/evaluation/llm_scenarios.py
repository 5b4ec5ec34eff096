"""From evaluated rows to requests: what a model is shown in each scenario. No request holds a row's own label."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Final

from clang_queries.quick_dataclass import dataclass
from roofstat.evaluation.labels import Quantity
from roofstat.evaluation.sampling import is_validation_family
from roofstat.llm.answers import Answer
from roofstat.llm.prompts import Example, Prompt, Question
from roofstat.report import TrafficRegime
from roofstat.roofline import Verdict

if TYPE_CHECKING:
    from roofstat.evaluation.evaluation import Evaluation
    from roofstat.evaluation.evidence import Evidence
    from roofstat.evaluation.labels import LabelRow
    from roofstat.evaluation.outcome import RowOutcome
    from roofstat.llm.requests import ChatRequest

__all__ = ["RowRequest", "Scenario", "fine_tune_chats", "row_requests", "rows_of_scenario"]

_MEASURED: Final = (
    Quantity.SP_FLOP,
    Quantity.DP_FLOP,
    Quantity.INT_OP,
    Quantity.DRAM_BYTES,
)
_ANSWERED: Final = {
    "sp_flop": Quantity.SP_FLOP,
    "dp_flop": Quantity.DP_FLOP,
    "int_op": Quantity.INT_OP,
    "dram_read_bytes": Quantity.DRAM_READ_BYTES,
    "dram_write_bytes": Quantity.DRAM_WRITE_BYTES,
}
_CLASSES: Final = (Verdict.BANDWIDTH, Verdict.COMPUTE)


class Scenario(Enum):
    """What a model is shown besides the question."""

    PROFILED = "profiled"
    """Measured counts and bytes instead of source: can it apply the rule?"""
    ZERO_SHOT = "zero-shot"
    FEW_SHOT = "few-shot"
    """One labelled row of each class before, of the same language and of other program families."""
    FINE_TUNED = "fine-tuned"
    """As zero-shot, on the families that were kept out of the training file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRequest:
    """What is asked about a row, by its position."""

    position: int
    question: Question
    request: ChatRequest


def rows_of_scenario(rows: Sequence[LabelRow], scenario: Scenario) -> tuple[LabelRow, ...]:
    """Return the rows on which a scenario may be scored."""
    if scenario is not Scenario.FINE_TUNED:
        return tuple(rows)
    return tuple(row for row in rows if is_validation_family(row.family))


def row_requests(
    evaluation: Evaluation,
    scenario: Scenario,
    prompt: Prompt,
    model: str,
    *,
    with_features: bool = True,
) -> list[RowRequest]:
    """Return the request of every row whose kernel was found and whose scenario has what it needs."""
    found = []
    for position, evidence in sorted(evaluation.evidence.items()):
        outcome = evaluation.outcomes[position]
        if outcome.prediction is None:
            continue
        question = _question(outcome, evidence, with_features=with_features)
        examples: list[Example] = []
        if scenario is Scenario.PROFILED:
            if any(quantity not in outcome.row.measured for quantity in _MEASURED):
                continue
            question = dataclasses.replace(question, pieces=(), measured=_measured(outcome))
        elif not question.pieces:
            continue
        elif scenario is Scenario.FEW_SHOT:
            examples = _examples(evaluation, outcome, with_features=with_features)
        request = prompt.request(question, model, examples)
        found.append(RowRequest(position=position, question=question, request=request))
    return found


def fine_tune_chats(
    evaluation: Evaluation, prompt: Prompt, *, with_features: bool = True
) -> tuple[list[str], list[str]]:
    """Return training and validation chats as JSON lines, no program family in both."""
    training: list[str] = []
    validation: list[str] = []
    for position, evidence in sorted(evaluation.evidence.items()):
        outcome = evaluation.outcomes[position]
        if outcome.truth is None or outcome.prediction is None or not evidence.pieces:
            continue
        question = _question(outcome, evidence, with_features=with_features)
        turns = prompt.request(question, "").body()["messages"]
        answer = prompt.answer_text(_true_answer(outcome, outcome.truth))
        chat = {"messages": [*turns, {"role": "assistant", "content": answer}]}
        target = validation if is_validation_family(outcome.row.family) else training
        target.append(json.dumps(chat, ensure_ascii=True))
    return training, validation


def _question(outcome: RowOutcome, evidence: Evidence, *, with_features: bool) -> Question:
    kernel = dataclasses.replace(
        evidence.kernel, regime=TrafficRegime.PROFILED, ridge=outcome.ridge_op_per_byte
    )
    if outcome.prediction is not None:
        # The features state the verdict at the row's ridges, as the static predictor does.
        kernel = dataclasses.replace(
            kernel, verdict=outcome.prediction.verdict, confidence=outcome.prediction.confidence
        )
    return Question(
        kernel=kernel,
        gpu=evidence.gpu,
        ridge_op_per_byte=outcome.ridge_op_per_byte,
        pieces=evidence.pieces,
        arguments=outcome.row.args or (),
        with_features=with_features,
    )


def _measured(outcome: RowOutcome) -> Mapping[str, float]:
    return {quantity.value: outcome.row.measured[quantity] for quantity in _MEASURED}


def _examples(evaluation: Evaluation, target: RowOutcome, *, with_features: bool) -> list[Example]:
    """One row of each class, of another family and the same language; the shortest source, since examples cost tokens."""
    examples = []
    for verdict in _CLASSES:
        candidates = [
            (sum(len(piece.lines) for piece in evidence.pieces), outcome.row.key, position)
            for position, evidence in evaluation.evidence.items()
            if (outcome := evaluation.outcomes[position]).truth is verdict
            and outcome.row.language is target.row.language
            and outcome.row.family != target.row.family
            and outcome.prediction is not None
            and evidence.pieces
        ]
        if candidates:
            position = min(candidates)[2]
            outcome = evaluation.outcomes[position]
            question = _question(
                outcome, evaluation.evidence[position], with_features=with_features
            )
            examples.append(Example(question=question, answer=_true_answer(outcome, verdict)))
    return examples


def _true_answer(outcome: RowOutcome, verdict: Verdict) -> Answer:
    measured = outcome.row.measured
    return Answer(
        verdict=verdict,
        amounts={
            name: measured[quantity] for name, quantity in _ANSWERED.items() if quantity in measured
        },
    )
