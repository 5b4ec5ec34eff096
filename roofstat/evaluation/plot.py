"""The evaluation as one HTML page: predicted against measured intensity, and the roofline. No network, no library."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from roofstat.errors import HardwareError
from roofstat.evaluation.comparison import kernel_name, shorten
from roofstat.evaluation.evaluation import Evaluation, Scores, score
from roofstat.evaluation.json_form import rounded, to_json
from roofstat.evaluation.labels import COUNT_OF_TYPE
from roofstat.evaluation.text import share
from roofstat.hardware import load_gpu
from roofstat.roofline import ridges

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SLOT: Final = "/*DATA*/"
_ROW_KEYS: Final = (
    *("table", "program", "language", "gpu", "ridge", "label", "verdict", "right", "confidence"),
    *("true_limiter", "time_s", "reason"),
)
_QUANTITIES: Final = ("sp_flop", "dp_flop", "int_op", "dram_bytes")
_LONGEST_NAME: Final = 200


def plot_page(evaluation: Evaluation, scores: Scores | None = None) -> str:
    """Return the page.

    Args:
        evaluation: What was run.
        scores: Its figures, where they are known already.
    """
    found = scores or score(evaluation)
    rows = to_json(evaluation, found)["per_row"]
    data = {
        "summary": _summary(evaluation, found),
        "cards": _cards(outcome.row.gpu for outcome in evaluation.outcomes),
        "rows": [_row(row) for row in rows],
    }
    text = json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    page = resources.files("roofstat.evaluation") / "data" / "plot.html"
    return page.read_text("utf-8").replace(_SLOT, text)


def _summary(evaluation: Evaluation, scores: Scores) -> str:
    total = scores.total
    text = (
        f"{total.rows} rows of {', '.join(evaluation.tables)}, {total.predicted} predicted, "
        f"launch from {evaluation.launch.value}."
    )
    if not total.labelled:
        return text
    return f"{text} Balanced accuracy {share(total.confusion.balanced_accuracy)}, accuracy {share(total.confusion.accuracy)}."


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **{key: row[key] for key in _ROW_KEYS},
        "name": shorten(kernel_name(row), _LONGEST_NAME),
        "measured": _chosen(row["measured"]),
        "predicted": _chosen(row["predicted"]),
    }


def _chosen(amounts: Mapping[str, float]) -> dict[str, float]:
    return {name: amounts[name] for name in _QUANTITIES if name in amounts}


def _cards(names: Iterable[str | None]) -> dict[str, Any]:
    """Peaks and bandwidth of each card in the rows that is known."""
    found: dict[str, Any] = {}
    for name in dict.fromkeys(names):
        if name is None:
            continue
        try:
            gpu = load_gpu(name)
        except HardwareError:
            continue  # its rows have no prediction and say why
        bandwidth = gpu.dram_bytes_per_s
        own = ridges(gpu)
        found[name] = {
            "name": gpu.name,
            "bandwidth": rounded(bandwidth),
            "peaks": {
                kind.value: rounded(own[kind] * bandwidth) for kind in COUNT_OF_TYPE if kind in own
            },
        }
    return found
