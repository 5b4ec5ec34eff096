"""The evaluation for a terminal: tables of figures, bars, error kinds and the worst rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from roofstat.evaluation.bars import BarResult, BarState, Range, check_bars
from roofstat.evaluation.comparison import Comparison, CountChange, VerdictChange, shorten
from roofstat.evaluation.evaluation import Evaluation, Part, Scores, score, worst_rows
from roofstat.evaluation.labels import Quantity
from roofstat.evaluation.metrics import NOISE_P
from roofstat.report.plain_text import plain
from roofstat.roofline import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from roofstat.evaluation.metrics import RatioStatistics
    from roofstat.evaluation.outcome import RowOutcome
    from roofstat.evaluation.summary import Summary

_WORST_ROWS: Final = 15
_MISSING: Final = "-"
_GROUP_QUANTITIES: Final = (
    Quantity.SP_FLOP.value,
    Quantity.DP_FLOP.value,
    Quantity.INT_OP.value,
    Quantity.DRAM_BYTES.value,
)
_STATE_STYLES: Final = {BarState.AIM: "green", BarState.MUST: "yellow", BarState.BELOW: "red"}


def render(
    evaluation: Evaluation,
    scores: Scores | None = None,
    *,
    worst: int = _WORST_ROWS,
    shows_bars: bool = False,
) -> RenderableType:
    """Return everything that the text report shows.

    Args:
        evaluation: What was run.
        scores: Its figures, where they are known already.
        worst: How many of the worst rows to list.
        shows_bars: Whether to set the figures against what the project wants of itself.
    """
    found = scores or score(evaluation)
    blocks: list[RenderableType] = [_headline(evaluation, found.total)]
    if found.total.labelled:
        blocks += [_verdicts(found), _confusion(found.total), *_calibration(found.total)]
    tables = (
        _counts("Counts, predicted over measured", found.total.counts),
        _group_counts(found),
        _counts(
            "Intensity, predicted over measured",
            {kind.value: entry for kind, entry in found.total.intensity.items()},
        ),
        _bars(check_bars(evaluation) if shows_bars else ()),
        _error_kinds(found),
        _failures(evaluation.outcomes),
        _worst(evaluation.outcomes, worst),
        _worst_counts(evaluation.outcomes, worst),
        _doubtful_labels(evaluation.outcomes),
    )
    return Group(*blocks, *(table for table in tables if table.row_count))


def share(value: float | None) -> str:
    """A share in percent, or a dash."""
    return _MISSING if value is None else f"{100 * value:.1f} %"


def _number(value: float | None, digits: int = 3) -> str:
    return _MISSING if value is None else f"{value:.{digits}f}"


def table_of(title: str, columns: Sequence[str], *, text_columns: int = 1) -> Table:
    """A table without lines; the first columns are text, the rest numbers."""
    table = Table(title=title or None, box=box.SIMPLE, title_justify="left", title_style="bold")
    for position, name in enumerate(columns):
        if position < text_columns:
            table.add_column(name, justify="left", overflow="fold")
        else:
            table.add_column(name, justify="right", no_wrap=True)
    return table


def _headline(evaluation: Evaluation, total: Summary) -> Text:
    tables = plain(", ".join(evaluation.tables))
    return Text(
        f"{total.rows} rows of {tables}: {total.predicted} predicted, {total.labelled} labelled, "
        f"launch from {evaluation.launch.value}, {evaluation.seconds:.1f} s"
    )


def _verdicts(scores: Scores) -> Table:
    table = table_of(
        "Verdicts (a row without a prediction is wrong; 95 % intervals by program family)",
        (
            "rows",
            "n",
            "predicted",
            "accuracy",
            "balanced [95 %]",
            "F1",
            "MCC",
            "AUROC",
            "by program",
        ),
    )
    _verdict_line(table, "all", scores.total)
    parts = (Part.TABLE, Part.LANGUAGE, Part.GPU, Part.INPUT, Part.SUSPECT, Part.LIMITER)
    for part in parts:
        entries = scores.parts[part]
        if len(entries) < 2:
            continue
        table.add_section()
        for name, summary in entries.items():
            prefix = _PART_PREFIXES.get(part, "")
            _verdict_line(table, f"{prefix}{plain(name).replace('_', ' ')}", summary)
    table.add_section()
    for name, baseline in scores.total.baselines.items():
        words = _BASELINES[name]
        row = [share(baseline.accuracy), share(baseline.balanced_accuracy)]
        table.add_row(words, str(scores.total.labelled), "", *row, "", "", "", "")
    return table


_PART_PREFIXES: Final[Mapping[Part, str]] = {Part.INPUT: "input ", Part.LIMITER: "truth "}
_BASELINES: Final = {
    "majority": "baseline: the commoner class",
    "any_dp": "baseline: any FP64 work is compute",
}


def _verdict_line(table: Table, name: str, summary: Summary) -> None:
    if not summary.labelled:
        return
    figures, intervals = summary.confusion, summary.intervals
    balanced = share(figures.balanced_accuracy)
    if intervals is not None:
        low, high = intervals.balanced_accuracy
        balanced += f" [{100 * low:.0f}, {100 * high:.0f}]"
    both = all(recall is not None for recall in figures.recalls)
    table.add_row(
        Text(name),
        str(summary.labelled),
        str(summary.labelled_predicted),
        share(figures.accuracy),
        balanced if both else "",
        _number(figures.macro_f1) if both else "",
        _number(figures.mcc) if both else "",
        _number(summary.auroc) if both else "",
        share(summary.program_weighted_accuracy),
    )


def _confusion(total: Summary) -> Table:
    table = table_of(
        "Confusion", ("truth", "said compute", "said bandwidth", "no prediction", "recall")
    )
    figures, none = total.confusion, total.none
    compute_recall, bandwidth_recall = figures.recalls
    compute, bandwidth = Verdict.COMPUTE, Verdict.BANDWIDTH
    table.add_row(
        "compute",
        str(figures.true_positive),
        str(figures.false_negative - none[compute]),
        str(none[compute]),
        share(compute_recall),
    )
    table.add_row(
        "bandwidth",
        str(figures.false_positive - none[bandwidth]),
        str(figures.true_negative),
        str(none[bandwidth]),
        share(bandwidth_recall),
    )
    return table


def _calibration(total: Summary) -> tuple[Text, Table]:
    calibration = total.calibration
    line = Text(
        f"Confidence: calibration error {_number(calibration.ece)}, accuracy on the surest 80 % "
        f"{share(calibration.accuracy_at_80pct_coverage)}, AUROC {_number(calibration.auroc)}",
        style="bold",
    )
    table = table_of("", ("confidence", "n", "mean", "right"))
    for entry in calibration.bins:
        table.add_row(
            f"{entry.low:.1f} to {entry.high:.1f}",
            str(entry.rows),
            _number(entry.mean_confidence),
            share(entry.accuracy),
        )
    return line, table


_STATISTICS_COLUMNS: Final = (
    "n",
    "missing",
    "median",
    "p10 to p90",
    "10 %",
    "25 %",
    "50 %",
    "2x",
    "zero missed",
    "zero invented",
)


def _counts(title: str, entries: Mapping[str, RatioStatistics]) -> Table:
    table = table_of(title, ("quantity", *_STATISTICS_COLUMNS))
    for name, entry in entries.items():
        table.add_row(name, *_statistics_cells(entry))
    return table


def _statistics_cells(entry: RatioStatistics) -> tuple[str, ...]:
    spread = (
        _MISSING
        if entry.p10_ratio is None
        else f"{_number(entry.p10_ratio, 2)} to {_number(entry.p90_ratio, 2)}"
    )
    return (
        str(entry.n),
        str(entry.missing),
        _number(entry.median_ratio),
        spread,
        share(entry.within_10pct),
        share(entry.within_25pct),
        share(entry.within_50pct),
        share(entry.within_2x),
        share(entry.zero_missed),
        share(entry.zero_invented),
    )


def _group_counts(scores: Scores) -> Table:
    groups = scores.parts[Part.GROUP]
    table = table_of(
        "Counts and intensities by card, language and compiler",
        ("rows", "quantity", *_STATISTICS_COLUMNS),
        text_columns=2,
    )
    for name, summary in groups.items() if len(groups) > 1 else ():
        for quantity in _GROUP_QUANTITIES:
            if quantity in summary.counts:
                table.add_row(
                    Text(plain(name)), quantity, *_statistics_cells(summary.counts[quantity])
                )
        for kind, entry in summary.intensity.items():
            table.add_row(Text(plain(name)), f"{kind.value} intensity", *_statistics_cells(entry))
        table.add_section()
    return table


def _bars(results: Sequence[BarResult]) -> Table:
    table = table_of("Bars", ("measure", "rows", "value", "must", "aim", ""), text_columns=2)
    for result in results:
        state = Text(result.state.value, style=_STATE_STYLES[result.state])
        table.add_row(
            result.measure,
            Text(plain(result.scope)),
            f"{result.value:.3f}",
            _range(result.must),
            _range(result.aim),
            state,
        )
    return table


def _range(limits: Range) -> str:
    if math.isinf(limits.low):
        return f"<= {limits.high:g}"
    if math.isinf(limits.high):
        return f">= {limits.low:g}"
    return f"{limits.low:g} to {limits.high:g}"


def _error_kinds(scores: Scores) -> Table:
    errors = scores.errors
    table = table_of("Wrong rows by kind", ("kind", "what", "wrong", "of"), text_columns=2)
    for word, count in errors.direction.items():
        table.add_row("direction", word, str(count), "")
    for word, count in errors.decisive.items():
        table.add_row("decisive", word, str(count), "")
    for word, count in errors.failures.items():
        table.add_row("no prediction", word, str(count), "")
    for word, rate in errors.assumptions.items():
        table.add_row("rests on", word, str(rate.wrong), str(rate.rows))
    return table


def _failures(outcomes: Iterable[RowOutcome]) -> Table:
    """Reasons for missing predictions, the commonest first."""
    reasons: dict[tuple[str, str], int] = {}
    for outcome in outcomes:
        if outcome.failure is not None:
            key = (outcome.failure.kind.value, f"{outcome.row.program}: {outcome.failure.reason}")
            reasons[key] = reasons.get(key, 0) + 1
    table = table_of("Rows without a prediction", ("kind", "reason", "rows"), text_columns=2)
    for (kind, reason), count in sorted(reasons.items(), key=lambda item: -item[1])[:_WORST_ROWS]:
        table.add_row(kind, Text(plain(reason)), str(count))
    return table


def _worst(outcomes: tuple[RowOutcome, ...], limit: int) -> Table:
    rows = worst_rows(outcomes, limit)
    table = table_of(
        "Worst rows: the surest wrong verdicts", ("row", "why", "confidence"), text_columns=2
    )
    for outcome in rows:
        sure = _number(outcome.prediction.confidence, 2) if outcome.prediction else _MISSING
        table.add_row(Text(_row_name(outcome)), Text(plain(outcome.reason_chain())), sure)
    return table


def _worst_counts(outcomes: tuple[RowOutcome, ...], limit: int) -> Table:
    """The largest errors of counts and bytes among rows without a label, which no verdict shows."""
    found: list[tuple[float, RowOutcome, Quantity, float]] = []
    for outcome in outcomes:
        if outcome.truth is not None:
            continue
        for name in _GROUP_QUANTITIES:
            ratio = outcome.ratio_to_measured(Quantity(name))
            if ratio is not None:
                error = abs(math.log(ratio)) if ratio > 0 else math.inf
                found.append((error, outcome, Quantity(name), ratio))
    table = table_of("Largest errors of counts", ("row", "quantity", "ratio"), text_columns=2)
    for _, outcome, quantity, ratio in sorted(found, key=lambda entry: -entry[0])[:limit]:
        table.add_row(Text(_row_name(outcome)), quantity.value, f"{ratio:.3g}")
    return table


def _doubtful_labels(outcomes: tuple[RowOutcome, ...]) -> Table:
    """Rows whose measurements give another class than their label, or none for lack of DRAM traffic."""
    table = table_of("Rows to look at in the tables", ("row", "line", "what"), text_columns=3)
    for outcome in outcomes:
        row = outcome.row
        if outcome.contradicts_itself:
            what = (
                "no measured type reaches its ridge, but the label is compute"
                if row.label is Verdict.COMPUTE
                else "a measured type reaches its ridge, but the label is bandwidth"
            )
        elif row.measured.get(Quantity.DRAM_BYTES) == 0:
            what = "its DRAM bytes are 0: no intensity follows from it"
        else:
            continue
        if table.row_count < _WORST_ROWS:
            table.add_row(Text(_row_name(outcome)), f"{row.table_line}", what)
    return table


def _row_name(outcome: RowOutcome) -> str:
    row = outcome.row
    return plain(f"{row.program} {shorten(row.kernel_id)} ({row.gpu or 'no card'})")


def render_comparison(comparison: Comparison, *, limit: int = 40) -> RenderableType:
    """Return what changed between two evaluations, improvements and regressions apart.

    Args:
        comparison: The two evaluations.
        limit: Longest list shown; the rest is counted.
    """
    test = comparison.test
    left_out = f", {comparison.left_out} not asked for" if comparison.left_out else ""
    changes = f"{test.improved} fixed, {test.regressed} broken"
    if test.improved or test.regressed:
        noise = ", the difference is noise" if test.p_value > NOISE_P else ""
        changes += f", McNemar p = {test.p_value:.3g}{noise}"
    blocks: list[RenderableType] = [
        Text(
            f"{comparison.shared} rows in both; {comparison.only_new} new, "
            f"{comparison.only_old} gone{left_out}; {changes}"
        )
    ]
    for title, rows in (
        ("Fixed", comparison.fixed),
        ("Broken", comparison.broken),
        ("Changed without effect on the score", comparison.changed),
    ):
        if rows:
            blocks.append(_verdict_changes(f"{title}: {len(rows)}", rows[:limit]))
    for title, moves in (
        ("Counts closer to the measured ones", comparison.closer),
        ("Counts farther from the measured ones", comparison.farther),
    ):
        if moves:
            blocks.append(_count_changes(f"{title}: {len(moves)}", moves[:limit]))
    return Group(*blocks)


def _verdict_changes(title: str, changes: Iterable[VerdictChange]) -> Table:
    table = table_of(title, ("row", "label", "old", "new", "why"), text_columns=5)
    for change in changes:
        verdicts = (change.label or _MISSING, change.old or "none", change.new or "none")
        table.add_row(Text(plain(change.row)), *verdicts, Text(plain(change.reason)))
    return table


def _count_changes(title: str, changes: Iterable[CountChange]) -> Table:
    table = table_of(title, ("row", "quantity", "old", "new"), text_columns=2)
    for change in changes:
        table.add_row(
            Text(plain(change.row)),
            change.quantity,
            *(
                _MISSING if ratio is None else f"{ratio:.3g}"
                for ratio in (change.old_ratio, change.new_ratio)
            ),
        )
    return table
