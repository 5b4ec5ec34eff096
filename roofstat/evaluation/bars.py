"""What the predictions have to reach, and whether they do.

`must` is the least that the project accepts on its development rows; `aim` is where it wants to be. Both are ranges, so
that a bar reads the same for shares, errors and median ratios.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import TYPE_CHECKING, Final

from clang_queries.quick_dataclass import dataclass
from roofstat.evaluation.evaluation import Evaluation, LaunchMode, group_name
from roofstat.evaluation.labels import InputState, Quantity
from roofstat.evaluation.summary import Summary, summarise
from roofstat.report import Language
from roofstat.roofline import NumberType

if TYPE_CHECKING:
    from collections.abc import Callable

    from roofstat.evaluation.outcome import RowOutcome


class BarState(Enum):
    """How a value stands against its bar."""

    AIM = "aim"
    MUST = "must"
    BELOW = "below"


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Values from low to high, both included."""

    low: float = -math.inf
    high: float = math.inf

    def holds(self, value: float) -> bool:
        """Whether the value lies inside."""
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One requirement.

    Attributes:
        measure: What is measured, for readers.
        scope: Name of the set that a row belongs to; None for rows that the bar does not concern.
        value: The figure of a set; None where it cannot be computed.
        launch: The launch mode that the bar speaks of; None for either.
    """

    measure: str
    scope: Callable[[RowOutcome], str | None]
    value: Callable[[Summary], float | None]
    must: Range
    aim: Range
    launch: LaunchMode | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BarResult:
    """A bar on one set of rows."""

    measure: str
    scope: str
    value: float
    must: Range
    aim: Range

    @property
    def state(self) -> BarState:
        """The best range that holds the value."""
        if self.aim.holds(self.value):
            return BarState.AIM
        return BarState.MUST if self.must.holds(self.value) else BarState.BELOW


def check_bars(evaluation: Evaluation) -> tuple[BarResult, ...]:
    """Hold every bar that the rows allow to judge against them."""
    results: list[BarResult] = []
    known: dict[tuple[int, ...], Summary] = {}
    for bar in _BARS:
        if bar.launch not in {None, evaluation.launch}:
            continue
        groups: dict[str, list[int]] = {}
        for position, outcome in enumerate(evaluation.outcomes):
            name = bar.scope(outcome)
            if name is not None:
                groups.setdefault(name, []).append(position)
        for name in sorted(groups):
            members = tuple(groups[name])
            if members not in known:
                rows = [evaluation.outcomes[position] for position in members]
                known[members] = summarise(rows, with_intervals=False)
            value = bar.value(known[members])
            if value is not None:
                results.append(
                    BarResult(
                        measure=bar.measure, scope=name, value=value, must=bar.must, aim=bar.aim
                    )
                )
    return tuple(results)


def _least(value: float) -> Range:
    return Range(low=value)


def _most(value: float) -> Range:
    return Range(high=value)


def _card_and_language(outcome: RowOutcome) -> str:
    return f"{outcome.row.gpu or 'no card'} {outcome.row.language.value}"


def _on_card(prefix: str) -> Callable[[RowOutcome], str | None]:
    def scope(outcome: RowOutcome) -> str | None:
        matches = (outcome.row.gpu or "").startswith(prefix)
        return _card_and_language(outcome) if matches else None

    return scope


def _on_other_cards(outcome: RowOutcome) -> str | None:
    known = (outcome.row.gpu or "").startswith(("rtx3080", "h100"))
    return None if known else _card_and_language(outcome)


def _with_input(scope: Callable[[RowOutcome], str | None]) -> Callable[[RowOutcome], str | None]:
    def narrowed(outcome: RowOutcome) -> str | None:
        return None if outcome.row.input_state is InputState.MISSING else scope(outcome)

    return narrowed


def _card(outcome: RowOutcome) -> str:
    return outcome.row.gpu or "no card"


def _cuda_on_compute_cards(outcome: RowOutcome) -> str | None:
    card = outcome.row.gpu or ""
    fits = outcome.row.language is Language.CUDA and card.startswith(("a100", "h100"))
    return group_name(outcome) if fits else None


def _cuda_on_a100(outcome: RowOutcome) -> str | None:
    fits = outcome.row.language is Language.CUDA and (outcome.row.gpu or "").startswith("a100")
    return group_name(outcome) if fits else None


def _balanced_accuracy(summary: Summary) -> float | None:
    return summary.confusion.balanced_accuracy


def _of_count(name: str, figure: str) -> Callable[[Summary], float | None]:
    def value(summary: Summary) -> float | None:
        statistics = summary.counts.get(name)
        return None if statistics is None else getattr(statistics, figure)

    return value


def _fp32_intensity(figure: str) -> Callable[[Summary], float | None]:
    def value(summary: Summary) -> float | None:
        statistics = summary.intensity.get(NumberType.FP32)
        return None if statistics is None else getattr(statistics, figure)

    return value


def _accuracy_bars() -> tuple[Bar, ...]:
    labels, inferred = LaunchMode.LABELS, LaunchMode.INFERRED
    name = "balanced accuracy"
    rows = (
        (name, _on_card("rtx3080"), 0.90, 0.96, labels),
        (name, _on_card("h100"), 0.88, 0.95, labels),
        (name, _on_other_cards, 0.90, 0.95, labels),
        (f"{name}, input available", _with_input(_on_card("rtx3080")), 0.87, 0.93, inferred),
        (f"{name}, input available", _with_input(_on_card("h100")), 0.87, 0.92, inferred),
        (f"{name}, input available", _with_input(_on_other_cards), 0.87, 0.92, inferred),
    )
    return tuple(
        Bar(
            measure=measure,
            scope=scope,
            value=_balanced_accuracy,
            must=_least(must),
            aim=_least(aim),
            launch=launch,
        )
        for measure, scope, must, aim, launch in rows
    )


def _count_bars() -> tuple[Bar, ...]:
    share = (
        ("int_op within 25 %", group_name, _of_count("int_op", "within_25pct"), 0.60, 0.75),
        *(
            (f"{flop} within {pct} %", _cuda_on_compute_cards, _of_count(flop, figure), must, aim)
            for flop in (Quantity.SP_FLOP.value, Quantity.DP_FLOP.value)
            for pct, figure, must, aim in (
                (10, "within_10pct", 0.60, 0.75),
                (50, "within_50pct", 0.85, 0.92),
            )
        ),
        ("dram_bytes within 2x", _card, _of_count("dram_bytes", "within_2x"), 0.80, 0.90),
        (
            "global sectors per request within 10 %",
            _card,
            _of_count("global_sectors_per_request", "within_10pct"),
            0.70,
            0.88,
        ),
        ("FP32 intensity within 10 %", _cuda_on_a100, _fp32_intensity("within_10pct"), 0.40, 0.60),
        ("FP32 intensity within 50 %", _cuda_on_a100, _fp32_intensity("within_50pct"), 0.75, 0.90),
        (
            "attainable time at most the measured",
            lambda _: "all",
            lambda summary: summary.time_below_measured,
            0.95,
            0.98,
        ),
    )
    shares = tuple(
        Bar(measure=measure, scope=scope, value=value, must=_least(must), aim=_least(aim))
        for measure, scope, value, must, aim in share
    )
    medians = (
        Bar(
            measure="int_op median ratio",
            scope=group_name,
            value=_of_count("int_op", "median_ratio"),
            must=Range(low=0.90, high=1.10),
            aim=Range(low=0.95, high=1.05),
        ),
        Bar(
            measure="dram_bytes median ratio",
            scope=_card,
            value=_of_count("dram_bytes", "median_ratio"),
            must=Range(low=0.85, high=1.15),
            aim=Range(low=0.95, high=1.05),
        ),
    )
    misses = tuple(
        Bar(
            measure=f"{quantity.value} predicted zero though it is not",
            scope=lambda _: "all",
            value=_of_count(quantity.value, "zero_missed"),
            must=_most(0.03),
            aim=_most(0.01),
        )
        for quantity in (
            Quantity.SP_FLOP,
            Quantity.DP_FLOP,
            Quantity.INT_OP,
            Quantity.DRAM_BYTES,
        )
    )
    return (*shares, *medians, *misses)


def _confidence_bars() -> tuple[Bar, ...]:
    return (
        Bar(
            measure="expected calibration error",
            scope=_card,
            value=lambda summary: summary.calibration.ece,
            must=_most(0.08),
            aim=_most(0.04),
        ),
        Bar(
            measure="accuracy on the surest 80 %",
            scope=_card,
            value=lambda summary: summary.calibration.accuracy_at_80pct_coverage,
            must=_least(0.96),
            aim=_least(0.98),
        ),
        Bar(
            measure="AUROC of the confidence",
            scope=_card,
            value=lambda summary: summary.calibration.auroc,
            must=_least(0.70),
            aim=_least(0.80),
        ),
    )


_BARS: Final[tuple[Bar, ...]] = (*_accuracy_bars(), *_count_bars(), *_confidence_bars())
