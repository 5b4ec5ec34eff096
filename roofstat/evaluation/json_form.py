"""The `roofstat-eval/1` JSON form: plain dictionaries in a stable order, numbers with six significant digits.

Six digits are more than any figure here is worth, and keep stored results small and free of rounding noise.
"""

from __future__ import annotations

import dataclasses
import json
import math
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from roofstat.evaluation.bars import BarResult, Range, check_bars
from roofstat.evaluation.evaluation import Evaluation, Part, Scores, score
from roofstat.evaluation.judgement import judge
from roofstat.roofline import NumberType, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roofstat.evaluation.labels import Quantity
    from roofstat.evaluation.metrics import Confusion, RatioStatistics
    from roofstat.evaluation.outcome import Prediction, RowOutcome
    from roofstat.evaluation.summary import Summary

SCHEMA_NAME: Final = "roofstat-eval/1"


def eval_schema() -> dict[str, Any]:
    """Return the JSON Schema that every result satisfies."""
    file = resources.files("roofstat.evaluation") / "data" / "eval-1.schema.json"
    schema: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return schema


def to_json(evaluation: Evaluation, scores: Scores | None = None) -> dict[str, Any]:
    """Return the evaluation as data that `json.dumps` takes with `allow_nan=False`.

    Args:
        evaluation: What was run.
        scores: Its figures, where they are known already.
    """
    found = scores or score(evaluation)
    summary = _summary(found.total)
    parts = {
        part.value: {name: _summary(entry) for name, entry in found.parts[part].items()}
        for part in Part
    }
    return {
        "schema": SCHEMA_NAME,
        "tables": list(evaluation.tables),
        "launch": evaluation.launch.value,
        **summary,
        "by_class": _by_class(found.total),
        **parts,
        "errors": _errors(found),
        "bars": [_bar(result) for result in check_bars(evaluation)],
        "seconds": rounded(evaluation.seconds),
        "per_row": [_row(outcome) for outcome in evaluation.outcomes],
    }


def dumps(result: Mapping[str, Any]) -> str:
    """Return a result as text with each row on a line of its own, so that stored results can be compared by lines."""
    head = json.dumps({**result, "per_row": []}, indent=1, allow_nan=False)
    rows = ",\n".join(f"  {json.dumps(row, allow_nan=False)}" for row in result["per_row"])
    return head.replace('"per_row": []', f'"per_row": [\n{rows}\n ]') + "\n"


def rounded(value: float | None) -> float | None:
    """The value with six significant digits, whole numbers as int; None for None, NaN and infinities."""
    if value is None or not math.isfinite(value):
        return None
    short = float(f"{value:.6g}")
    return int(short) if short == int(short) else short


def _pair(pair: tuple[float, float] | None) -> list[float | None] | None:
    return None if pair is None else [rounded(pair[0]), rounded(pair[1])]


def _summary(summary: Summary) -> dict[str, Any]:
    table = summary.confusion
    intervals = summary.intervals
    return {
        "rows": summary.rows,
        "labelled": summary.labelled,
        "predicted": summary.predicted,
        "accuracy": rounded(table.accuracy),
        "balanced_accuracy": rounded(table.balanced_accuracy),
        "macro_f1": rounded(table.macro_f1),
        "mcc": rounded(table.mcc),
        "auroc": rounded(summary.auroc),
        "ci95": _pair(intervals.accuracy if intervals else None),
        "balanced_accuracy_ci95": _pair(intervals.balanced_accuracy if intervals else None),
        "program_weighted_accuracy": rounded(summary.program_weighted_accuracy),
        "confusion": _confusion(table, summary.none),
        "baselines": {
            name: {
                "accuracy": rounded(baseline.accuracy),
                "balanced_accuracy": rounded(baseline.balanced_accuracy),
            }
            for name, baseline in summary.baselines.items()
        },
        "counts": {name: _statistics(entry) for name, entry in summary.counts.items()},
        "intensity": {kind.value: _statistics(entry) for kind, entry in summary.intensity.items()},
        "calibration": {
            "ece": rounded(summary.calibration.ece),
            "bins": [
                {name: rounded(value) for name, value in dataclasses.asdict(entry).items()}
                for entry in summary.calibration.bins
            ],
            "accuracy_at_80pct_coverage": rounded(summary.calibration.accuracy_at_80pct_coverage),
            "auroc": rounded(summary.calibration.auroc),
        },
        "time_below_measured": rounded(summary.time_below_measured),
        "timed_rows": summary.timed_rows,
    }


def _confusion(table: Confusion, none: Mapping[Verdict, int]) -> dict[str, dict[str, int]]:
    """By truth, then by what was said; rows without a prediction stand apart from wrong ones."""
    compute, bandwidth = Verdict.COMPUTE, Verdict.BANDWIDTH
    return {
        "compute": {
            "compute": table.true_positive,
            "bandwidth": table.false_negative - none[compute],
            "none": none[compute],
        },
        "bandwidth": {
            "compute": table.false_positive - none[bandwidth],
            "bandwidth": table.true_negative,
            "none": none[bandwidth],
        },
    }


def _by_class(summary: Summary) -> dict[str, dict[str, Any]]:
    table, none = summary.confusion, summary.none
    counts = {
        Verdict.COMPUTE: (
            table.true_positive,
            table.false_negative,
            table.false_positive - none[Verdict.BANDWIDTH],
        ),
        Verdict.BANDWIDTH: (
            table.true_negative,
            table.false_positive,
            table.false_negative - none[Verdict.COMPUTE],
        ),
    }
    return {
        verdict.value: {
            "rows": hit + missed,
            "right": hit,
            "recall": rounded(hit / (hit + missed)) if hit + missed else None,
            "precision": rounded(hit / (hit + false)) if hit + false else None,
        }
        for verdict, (hit, missed, false) in counts.items()
    }


def _statistics(entry: RatioStatistics) -> dict[str, float | None]:
    return {name: rounded(value) for name, value in dataclasses.asdict(entry).items()}


def _errors(scores: Scores) -> dict[str, Any]:
    errors = scores.errors
    return {
        "by_decisive": dict(errors.decisive),
        "by_direction": dict(errors.direction),
        "by_failure": dict(errors.failures),
        "by_assumption": {
            kind: {"rows": rate.rows, "wrong": rate.wrong}
            for kind, rate in errors.assumptions.items()
        },
    }


def _bar(result: BarResult) -> dict[str, Any]:
    return {
        "measure": result.measure,
        "scope": result.scope,
        "value": rounded(result.value),
        "must": _range(result.must),
        "aim": _range(result.aim),
        "state": result.state.value,
    }


def _range(limits: Range) -> list[float | None]:
    return [rounded(limits.low), rounded(limits.high)]


def _row(outcome: RowOutcome) -> dict[str, Any]:
    row, prediction, failure = outcome.row, outcome.prediction, outcome.failure
    return {
        "table": row.table,
        "line": row.table_line,
        "suite": row.suite,
        "program": row.program,
        "language": row.language.value,
        "kernel": row.kernel or row.symbol,
        "function": row.function,
        "directive_line": row.line,
        "args": None if row.args is None else list(row.args),
        "gpu": row.gpu,
        "compiler": row.compiler,
        "grid": list(row.grid) if row.grid else None,
        "block": list(row.block) if row.block else None,
        "suspect": row.suspect,
        "input_available": row.input_state.value,
        "tensor": row.tensor,
        "key": list(row.key),
        "ridge": _by_type(outcome.ridge_op_per_byte),
        "label": outcome.truth.value if outcome.truth else None,
        "verdict": prediction.verdict.value if prediction else None,
        "right": outcome.right if outcome.truth else None,
        "confidence": rounded(prediction.confidence) if prediction else None,
        "true_limiter": outcome.true_limiter.value if outcome.true_limiter else None,
        "limiter": prediction.limiter.value if prediction and prediction.limiter else None,
        "measured": _amounts(row.measured),
        "predicted": _amounts(prediction.amounts) if prediction else {},
        "ratio": {
            quantity.value: rounded(ratio)
            for quantity in row.measured
            if (ratio := outcome.ratio_to_measured(quantity)) is not None
        },
        "measured_over_ridge": _by_type(judge(row.measured, outcome.ridge_op_per_byte).ratio),
        "predicted_over_ridge": _by_type(prediction.ratio) if prediction else {},
        "time_s": rounded(row.time_s),
        "attainable_time_s": rounded(prediction.attainable_time_s) if prediction else None,
        "modelled_time_s": rounded(prediction.modelled_time_s) if prediction else None,
        "bound_by": prediction.bound_by if prediction else None,
        "match": _match(prediction) if prediction else None,
        "assumptions": _assumptions(prediction) if prediction else [],
        "decisive": outcome.decisive_word,
        "decisive_all": [[entry.value for entry in chosen] for chosen in outcome.decisive],
        "reason": outcome.reason_chain() if outcome.truth and not outcome.right else "",
        "failure": {"kind": failure.kind.value, "reason": failure.reason} if failure else None,
    }


def _by_type(values: Mapping[NumberType, float]) -> dict[str, float | None]:
    return {kind.value: rounded(value) for kind, value in values.items()}


def _amounts(amounts: Mapping[Quantity, float]) -> dict[str, float | None]:
    return {quantity.value: rounded(amount) for quantity, amount in amounts.items()}


def _match(prediction: Prediction) -> dict[str, Any]:
    return {
        "signature": prediction.signature,
        "line": prediction.line,
        "level": prediction.level.name.lower(),
        "alternatives": prediction.alternatives,
        "grid": list(prediction.grid) if prediction.grid else None,
        "block": list(prediction.block) if prediction.block else None,
    }


def _assumptions(prediction: Prediction) -> list[dict[str, Any]]:
    return [
        {"kind": note.kind, "text": note.text, "line": note.line, "weight": rounded(note.weight)}
        for note in prediction.assumptions
    ]
