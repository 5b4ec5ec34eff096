"""Holds the analyser to measured launches of the CUDA fixtures, each at two sizes.

The thresholds are floors: what was reached when they were written, less one to three rows. Raise them with the
analyser, never lower them. fixtures/labels/README.md says how the table was measured.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from roofstat.evaluation import LaunchMode, Scores, evaluate, read_label_table, score
from roofstat.evaluation.labels import Quantity
from roofstat.hardware import load_gpu
from roofstat.report import Language
from roofstat.roofline import NumberType, Verdict, ridges

_ROOT = Path(__file__).resolve().parents[1]
_LABELS = _ROOT / "fixtures" / "labels"
_ROWS = read_label_table(_LABELS / "h100.csv")
_SECOND = read_label_table(_LABELS / "h100_second_sizes.csv")


@pytest.fixture(scope="module")
def scores() -> Scores:
    return score(evaluate(_ROWS, _ROOT, launch=LaunchMode.INFERRED))


def test_every_program_with_a_main_was_measured():
    measured = {_ROOT / source for row in _ROWS for source in row.sources}
    with_main = {
        file for file in (_ROOT / "fixtures/cuda").rglob("*.cu") if "int main(" in file.read_text()
    }
    assert with_main <= measured
    assert all(file.is_file() for file in measured)


def test_every_fixture_was_measured_at_two_sizes():
    sizes: dict[Path, set[tuple[str, ...]]] = {}
    for row in (*_ROWS, *_SECOND):
        for source in row.sources:
            sizes.setdefault(_ROOT / source, set()).add(row.args or ())
    for file in (_ROOT / "fixtures/cuda").rglob("*.cu"):
        host = _LABELS / "hosts" / file.name
        assert len(sizes[host if host.is_file() else file]) >= 2, file.name


def test_labels_follow_the_rule_with_the_ridges_of_the_card():
    """Compute-bound: one type's operations a DRAM byte reach its ridge."""
    card = ridges(load_gpu("h100-sxm"))
    counts = {
        NumberType.FP32: Quantity.SP_FLOP,
        NumberType.FP64: Quantity.DP_FLOP,
        NumberType.INT: Quantity.INT_OP,
    }
    for row in (*_ROWS, *_SECOND):
        amount = row.measured
        assert row.language is Language.CUDA
        read, written = amount[Quantity.DRAM_READ_BYTES], amount[Quantity.DRAM_WRITE_BYTES]
        assert amount[Quantity.DRAM_BYTES] == read + written
        assert row.ridge_op_per_byte == pytest.approx({k: card[k] for k in counts}, rel=1e-4)
        reached = any(
            amount[count] >= card[kind] * amount[Quantity.DRAM_BYTES]
            for kind, count in counts.items()
            if amount[count]
        )
        assert row.label is (Verdict.COMPUTE if reached else Verdict.BANDWIDTH), row.program


def test_every_row_has_a_prediction(scores):
    assert scores.total.predicted == len(_ROWS)


def test_verdicts_from_source_and_arguments_alone(scores):
    assert scores.total.confusion.balanced_accuracy >= 0.94


@pytest.mark.parametrize(
    ("count", "share", "floor"),
    [
        ("sp_flop", "within_10pct", 0.90),
        ("dp_flop", "within_10pct", 0.90),
        ("int_op", "within_50pct", 0.88),
        ("int_op", "within_2x", 0.92),
        ("dram_bytes", "within_10pct", 0.92),
        ("dram_bytes", "within_2x", 0.96),
        ("global_ld_requests", "within_10pct", 0.97),
        ("global_ld_sectors", "within_10pct", 0.96),
        ("global_st_requests", "within_10pct", 0.96),
        ("global_st_sectors", "within_10pct", 0.96),
    ],
)
def test_share_of_counts_near_the_measured_ones(scores, count, share, floor):
    statistics = scores.total.counts[count]
    assert getattr(statistics, share) >= floor, statistics


def test_attainable_time_is_a_lower_bound(scores):
    assert scores.total.time_below_measured >= 0.95


@pytest.fixture(scope="module")
def second() -> Scores:
    return score(evaluate(_SECOND, _ROOT, launch=LaunchMode.INFERRED))


def test_verdicts_at_the_second_size(second):
    assert second.total.predicted == len(_SECOND)
    assert second.total.confusion.balanced_accuracy >= 0.92
    assert second.total.time_below_measured >= 0.90


@pytest.mark.parametrize(
    ("count", "share", "floor"),
    [
        ("sp_flop", "within_10pct", 0.90),
        ("dp_flop", "within_10pct", 0.99),
        ("int_op", "within_50pct", 0.89),
        ("dram_bytes", "within_10pct", 0.81),
        ("dram_bytes", "within_2x", 0.89),
        ("global_ld_sectors", "within_10pct", 0.94),
        ("global_st_sectors", "within_10pct", 0.95),
    ],
)
def test_share_of_counts_near_the_measured_ones_at_the_second_size(second, count, share, floor):
    statistics = second.total.counts[count]
    assert getattr(statistics, share) >= floor, statistics
