"""Prediction and measurement of each kernel, side by side, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from roofstat.evaluation.judgement import judge
from roofstat.evaluation.labels import Quantity
from roofstat.roofline import NumberType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roofstat.evaluation import Evaluation
    from roofstat.evaluation.outcome import Prediction, RowOutcome

_NAMES: Final = {
    Quantity.SP_FLOP: "FP32 FLOP",
    Quantity.DP_FLOP: "FP64 FLOP",
    Quantity.HP_FLOP: "FP16 FLOP",
    Quantity.INT_OP: "integer op",
    Quantity.DRAM_READ_BYTES: "DRAM bytes read",
    Quantity.DRAM_WRITE_BYTES: "DRAM bytes written",
    Quantity.DRAM_BYTES: "DRAM bytes",
    Quantity.L2_BYTES: "L2 bytes",
    Quantity.GLOBAL_LD_REQUESTS: "global load requests",
    Quantity.GLOBAL_LD_SECTORS: "global load sectors",
    Quantity.GLOBAL_ST_REQUESTS: "global store requests",
    Quantity.GLOBAL_ST_SECTORS: "global store sectors",
    Quantity.SHARED_BANK_CONFLICTS: "shared bank conflicts",
    Quantity.LOCAL_SECTORS: "local sectors",
}
_INTENSITIES: Final = {
    NumberType.FP32: "FP32 intensity / ridge",
    NumberType.FP64: "FP64 intensity / ridge",
    NumberType.INT: "integer intensity / ridge",
}


def render_comparison(evaluation: Evaluation) -> RenderableType:
    """A table for each kernel, in the order of the rows."""
    return Group(*(_block(outcome) for outcome in evaluation.outcomes))


def _block(outcome: RowOutcome) -> RenderableType:
    row = outcome.row
    shape = ""
    if row.grid is not None and row.block is not None:
        shape = f"  grid {_dims(row.grid)}  block {_dims(row.block)}"
    title = Text(f"{row.kernel_id}{shape}  {row.gpu or ''}", style="bold")
    if outcome.prediction is None:
        reason = outcome.failure.reason if outcome.failure else ""
        return Group(title, Text(f"  no prediction: {reason}\n", style="red"))
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("", no_wrap=True)
    for name in ("measured", "predicted", "predicted / measured"):
        table.add_column(name, justify="right", no_wrap=True)
    for quantity, name in _NAMES.items():
        measured, predicted = row.measured.get(quantity), outcome.value(quantity)
        if measured is not None and (measured or predicted > 0):
            table.add_row(name, *_pair(measured, predicted))
    _add_intensities(table, outcome, outcome.prediction)
    if row.time_s is not None and outcome.prediction.attainable_time_s is not None:
        measured_us, bound_us = row.time_s * 1e6, outcome.prediction.attainable_time_s * 1e6
        table.add_row("time, its lower bound (µs)", *_pair(measured_us, bound_us))
    truth = outcome.truth.value if outcome.truth else "unlabelled"
    said = f"{outcome.prediction.verdict.value} ({100 * outcome.prediction.confidence:.0f} %)"
    agrees = "" if outcome.truth is None else "agrees" if outcome.right else "disagrees"
    table.add_row("verdict", truth, said, Text(agrees, style="green" if outcome.right else "red"))
    return Group(title, table)


def _add_intensities(table: Table, outcome: RowOutcome, prediction: Prediction) -> None:
    measured: Mapping[NumberType, float] = judge(
        outcome.row.measured, outcome.ridge_op_per_byte
    ).ratio
    for kind, name in _INTENSITIES.items():
        if measured.get(kind):
            table.add_row(name, *_pair(measured[kind], prediction.ratio.get(kind, float("nan"))))


def _pair(measured: float, predicted: float) -> tuple[str, str, str]:
    if predicted != predicted:
        return (_number(measured), "unknown", "")
    ratio = f"{predicted / measured:.2f}" if measured else ""
    return (_number(measured), _number(predicted), ratio)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


def _dims(shape: tuple[int, int, int]) -> str:
    return "x".join(map(str, shape if shape[2] > 1 else shape[:2] if shape[1] > 1 else shape[:1]))
