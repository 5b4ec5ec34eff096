"""The rule of the label tables: FP32, FP64 and integer intensities against their ridges."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.evaluation.labels import COUNT_OF_TYPE, LabelRow, Quantity
from roofstat.roofline import NumberType, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

JUDGED = (*COUNT_OF_TYPE.values(), Quantity.DRAM_BYTES)
"""What the rule reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the rule makes of counts and bytes.

    Attributes:
        verdict: UNKNOWN where a count that is not known could decide.
        limiter: Type with the largest ratio; None where no type has work.
        ratio: Intensity over ridge for each type whose count and ridge are known; infinite without traffic.
    """

    verdict: Verdict
    limiter: NumberType | None
    ratio: Mapping[NumberType, float]


def judge(
    amounts: Mapping[Quantity, float], ridge_op_per_byte: Mapping[NumberType, float]
) -> Judgement:
    """Apply the rule: compute-bound where any type's intensity is at or above its ridge.

    Args:
        amounts: Counts and DRAM bytes of a launch, measured or predicted; absent ones are unknown.
        ridge_op_per_byte: Ridge of each type.

    >>> ridges = {NumberType.FP32: 10.0, NumberType.FP64: 5.0, NumberType.INT: 5.0}
    >>> amounts = {Quantity.SP_FLOP: 90.0, Quantity.DP_FLOP: 0.0, Quantity.INT_OP: 60.0, Quantity.DRAM_BYTES: 10.0}
    >>> judge(amounts, ridges).verdict, judge(amounts, ridges).limiter
    (<Verdict.COMPUTE: 'compute'>, <NumberType.INT: 'int'>)
    """
    traffic_bytes = amounts.get(Quantity.DRAM_BYTES)
    ratio: dict[NumberType, float] = {}
    for kind, quantity in COUNT_OF_TYPE.items():
        count, ridge = amounts.get(quantity), ridge_op_per_byte.get(kind)
        if count is None or ridge is None or traffic_bytes is None:
            continue
        ratio[kind] = intensity(count, traffic_bytes) / ridge
    limiter = max(ratio, key=lambda kind: ratio[kind]) if any(ratio.values()) else None
    if any(value >= 1 for value in ratio.values()):
        verdict = Verdict.COMPUTE
    else:
        verdict = Verdict.BANDWIDTH if len(ratio) == len(COUNT_OF_TYPE) else Verdict.UNKNOWN
    return Judgement(verdict=verdict, limiter=limiter, ratio=ratio)


def intensity(count: float, traffic_bytes: float) -> float:
    """Operations for each byte: 0 without work, infinite for work without traffic."""
    if count == 0:
        return 0.0
    return count / traffic_bytes if traffic_bytes else math.inf


def true_verdict(row: LabelRow, ridge_op_per_byte: Mapping[NumberType, float]) -> Verdict | None:
    """The row's label, or what the rule makes of its measurements; None where some are lacking.

    Rows that measured two of three types get no label even where one of the two decides: such rows could only ever be
    compute-bound, and would tilt every score. Nor do rows without a byte of DRAM traffic: that was not measured.
    """
    if row.label is not None:
        return row.label
    if any(quantity not in row.measured for quantity in JUDGED):
        return None
    if not row.measured[Quantity.DRAM_BYTES]:
        return None
    verdict = judge(row.measured, ridge_op_per_byte).verdict
    return None if verdict is Verdict.UNKNOWN else verdict


def contradicts_itself(row: LabelRow, ridge_op_per_byte: Mapping[NumberType, float]) -> bool:
    """Return whether the row's label is not what the rule makes of what was measured of the row.

    A type that was not measured has no part in it: of such a row a label of `compute` cannot be checked any better.
    """
    if row.label is None or not row.measured.get(Quantity.DRAM_BYTES):
        return False
    ratio = judge(row.measured, ridge_op_per_byte).ratio
    reaches = any(value >= 1 for value in ratio.values())
    return bool(ratio) and reaches is not (row.label is Verdict.COMPUTE)


def decisive_quantities(
    measured: Mapping[Quantity, float],
    predicted: Mapping[Quantity, float],
    ridge_op_per_byte: Mapping[NumberType, float],
    truth: Verdict,
) -> tuple[tuple[Quantity, ...], ...]:
    """Which predicted quantities' errors make a verdict wrong.

    Predicted quantities are replaced by measured ones, first one at a time, then two, and so on.

    Returns:
        The smallest sets whose replacement makes the verdict right, the largest error first; empty where not even all
        measured ones together do, so that the label does not follow from the row's measurements and ridges.
    """
    known = [quantity for quantity in JUDGED if quantity in measured]
    for size in range(1, len(known) + 1):
        found = [
            chosen
            for chosen in itertools.combinations(known, size)
            if _judged_with(predicted, measured, chosen, ridge_op_per_byte) is truth
        ]
        if found:
            errors = {
                quantity: _log_error(measured[quantity], predicted.get(quantity))
                for quantity in known
            }
            found.sort(key=lambda chosen: -sum(errors[quantity] for quantity in chosen))
            return tuple(found)
    return ()


def _judged_with(
    predicted: Mapping[Quantity, float],
    measured: Mapping[Quantity, float],
    replaced: tuple[Quantity, ...],
    ridge_op_per_byte: Mapping[NumberType, float],
) -> Verdict:
    amounts = {**predicted, **{quantity: measured[quantity] for quantity in replaced}}
    return judge(amounts, ridge_op_per_byte).verdict


def _log_error(measured: float, predicted: float | None) -> float:
    if predicted is None:
        return math.inf
    if measured == predicted:
        return 0.0
    if min(measured, predicted) == 0:
        return math.inf
    return abs(math.log(predicted / measured))
