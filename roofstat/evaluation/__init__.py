"""Predictions against profiled label tables: read, match, run, score, compare, draw."""

from roofstat.evaluation.evaluation import Evaluation, LaunchMode, Scores, score
from roofstat.evaluation.json_form import eval_schema, to_json
from roofstat.evaluation.labels import LabelRow, read_label_table, read_label_tables
from roofstat.evaluation.runner import Analyzer, evaluate

__all__ = [
    "Analyzer",
    "Evaluation",
    "LabelRow",
    "LaunchMode",
    "Scores",
    "eval_schema",
    "evaluate",
    "read_label_table",
    "read_label_tables",
    "score",
    "to_json",
]
