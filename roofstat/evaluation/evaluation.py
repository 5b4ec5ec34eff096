"""One evaluation: every row's outcome, and the figures over all rows and over parts of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.evaluation.labels import InputState
from roofstat.evaluation.summary import Summary, summarise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from roofstat.evaluation.evidence import Evidence
    from roofstat.evaluation.outcome import RowOutcome


class LaunchMode(Enum):
    """What the analysis is told of a row's launch."""

    LABELS = "labels"
    """The row's grid and block."""
    INFERRED = "inferred"
    """Nothing but the source and the arguments."""


class Part(Enum):
    """Ways to divide the rows. Values are the keys of the JSON form."""

    LANGUAGE = "by_language"
    INPUT = "by_input"
    SUSPECT = "by_suspect"
    GPU = "by_gpu"
    COMPILER = "by_compiler"
    TABLE = "by_table"
    LIMITER = "by_true_limiter"
    GROUP = "by_group"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What was run and what became of each row, in the order of the tables.

    Attributes:
        seconds: Wall time of the analyses and the scoring.
        evidence: What was gathered of the rows' kernels for another predictor, by the rows' positions.
    """

    tables: tuple[str, ...]
    launch: LaunchMode
    outcomes: tuple[RowOutcome, ...]
    seconds: float
    evidence: Mapping[int, Evidence] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssumptionRate:
    """Labelled rows whose prediction rests on a kind of assumption, and how many of them are wrong."""

    rows: int
    wrong: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorKinds:
    """What the wrong labelled rows have in common.

    Attributes:
        decisive: Rows by the quantities whose errors make the verdict wrong.
        direction: Rows by `truth -> said`.
        failures: Rows without a prediction, by kind.
        assumptions: By kind of assumption; `none` for predictions without any.
    """

    decisive: Mapping[str, int]
    direction: Mapping[str, int]
    failures: Mapping[str, int]
    assumptions: Mapping[str, AssumptionRate]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """All figures of an evaluation."""

    total: Summary
    parts: Mapping[Part, Mapping[str, Summary]]
    errors: ErrorKinds


def score(evaluation: Evaluation) -> Scores:
    """Compute the figures over all rows and over each part."""
    return Scores(
        total=summarise(evaluation.outcomes),
        parts={part: _divide(evaluation, part) for part in Part},
        errors=error_kinds(evaluation.outcomes),
    )


def _divide(evaluation: Evaluation, part: Part) -> dict[str, Summary]:
    groups: dict[str, list[RowOutcome]] = {}
    for outcome in evaluation.outcomes:
        name = _NAMES[part](outcome)
        if name is not None:
            groups.setdefault(name, []).append(outcome)
    return {name: summarise(groups[name]) for name in sorted(groups)}


def group_name(outcome: RowOutcome) -> str:
    """Card, language and compiler: rows that one set of model parameters answers for."""
    row = outcome.row
    return f"{row.gpu or 'no card'} {row.language.value} {row.compiler or 'default compiler'}"


def _input_name(outcome: RowOutcome) -> str:
    names = {
        InputState.NO_FILE: "no_file",
        InputState.AVAILABLE: "available",
        InputState.MISSING: "missing",
    }
    return names[outcome.row.input_state]


def _limiter_name(outcome: RowOutcome) -> str | None:
    if outcome.truth is None:
        return None
    limiter = outcome.true_limiter
    return f"{outcome.truth.value} {limiter.value if limiter else 'no work'}"


_NAMES: Mapping[Part, Callable[[RowOutcome], str | None]] = {
    Part.LANGUAGE: lambda outcome: outcome.row.language.value,
    Part.INPUT: _input_name,
    Part.SUSPECT: lambda outcome: "suspect" if outcome.row.suspect else "clean",
    Part.GPU: lambda outcome: outcome.row.gpu or "no card",
    Part.COMPILER: lambda outcome: outcome.row.compiler or "default",
    Part.TABLE: lambda outcome: outcome.row.table,
    Part.LIMITER: _limiter_name,
    Part.GROUP: group_name,
}


def error_kinds(outcomes: tuple[RowOutcome, ...]) -> ErrorKinds:
    """Group the wrong labelled rows, the commonest kind first."""
    labelled = [outcome for outcome in outcomes if outcome.truth is not None]
    wrong = [outcome for outcome in labelled if not outcome.right]
    resting: Counter[str] = Counter()
    failing: Counter[str] = Counter()
    for outcome in labelled:
        if outcome.prediction is None:
            continue
        kinds = {note.kind for note in outcome.prediction.assumptions} or {"none"}
        resting.update(kinds)
        failing.update(kinds if not outcome.right else ())
    return ErrorKinds(
        decisive=_counted(outcome.decisive_word for outcome in wrong if outcome.prediction),
        direction=_counted(
            f"{outcome.truth.value} -> {outcome.prediction.verdict.value}"
            for outcome in wrong
            if outcome.prediction and outcome.truth
        ),
        failures=_counted(outcome.failure.kind.value for outcome in outcomes if outcome.failure),
        assumptions={
            kind: AssumptionRate(rows=rows, wrong=failing[kind])
            for kind, rows in sorted(resting.items(), key=lambda item: (-failing[item[0]], item[0]))
        },
    )


def _counted(words: Iterable[str]) -> dict[str, int]:
    counts: Counter[str] = Counter(words)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def worst_rows(outcomes: tuple[RowOutcome, ...], limit: int) -> tuple[RowOutcome, ...]:
    """Wrong verdicts, the surest first. Rows without a prediction are listed elsewhere, with their reasons."""
    wrong = [
        (outcome.prediction.confidence, outcome)
        for outcome in outcomes
        if outcome.truth is not None and outcome.prediction is not None and not outcome.right
    ]
    wrong.sort(key=lambda entry: -entry[0])
    return tuple(outcome for _, outcome in wrong[:limit])
