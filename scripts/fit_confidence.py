"""Fits the calibration of the confidence to results of `roofstat eval --format json`, in full.

Maximum likelihood of right and wrong verdicts over the four numbers of `roofstat/roofline/data/confidence.toml` that are
fitted, by a search that halves its steps; then the same without each fifth of the programs in turn, which that fifth is
scored with. Programs of one name in two languages are one family and stay together.

    python scripts/fit_confidence.py h100.json rtx3080.json --check first_predictions.json
"""

from __future__ import annotations

import argparse
import json
import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from roofstat.evaluation.metrics import auroc, calibration_bins, expected_calibration_error
from roofstat.roofline import ConfidenceParameters, Verdict, confidence, log_absorbed
from roofstat.roofline.confidence import confidence_parameters

_FOLDS = 5
_FITTED = ("base_compute", "base_bandwidth", "absorbed", "tail")
_NEEDED = {"assumptions", "program", "predicted_over_ridge", "measured_over_ridge"}
"""Of a row; reduced results leave them out."""
_FIRST_STEP = 0.5
_LAST_STEP = 0.01
"""Steps of the search, of the natural logarithm of a number."""


@dataclass(frozen=True, slots=True)
class Row:
    """One verdict and what its confidence is made from."""

    family: str
    verdict: Verdict
    right: bool
    ratios: tuple[float, ...]
    weights: tuple[float, ...]
    absorbed: float
    error: float | None
    """Measured over predicted intensity of the nearest type, as a natural logarithm."""

    def chance(self, parameters: ConfidenceParameters) -> float:
        """Confidence under these parameters, before the bounds of kernels that were seen in part."""
        spread = parameters.spread(self.verdict, self.weights, self.absorbed)
        return confidence(self.ratios, spread, parameters)

    def is_inside(self, parameters: ConfidenceParameters) -> bool:
        """Whether the interval of the predicted intensity holds the measured one."""
        below = parameters.reach(Verdict.COMPUTE, self.weights, self.absorbed)
        above = parameters.reach(Verdict.BANDWIDTH, self.weights)
        return self.error is not None and -below <= self.error <= above


def rows_of(path: Path) -> list[Row]:
    """Verdicts of a full result; rows without one have no confidence."""
    found = []
    table = json.loads(path.read_text("utf-8"))["per_row"]
    if not all(row.keys() >= _NEEDED for row in table):
        raise SystemExit(
            f"{path}: its rows are reduced to predictions (as in docs/results), without what they rest on; "
            "give what `roofstat eval --format json` wrote"
        )
    for row in table:
        if row["confidence"] is None or row["verdict"] not in ("compute", "bandwidth"):
            continue
        strongest: dict[str, float] = {}
        for item in row["assumptions"]:
            strongest[item["kind"]] = max(strongest.get(item["kind"], 0.0), item["weight"])
        family = row["program"].removesuffix("-cuda").removesuffix("-omp")
        found.append(
            Row(
                family=family,
                verdict=Verdict(row["verdict"]),
                right=row["right"],
                ratios=tuple(
                    value for value in row["predicted_over_ridge"].values() if value is not None
                ),
                weights=tuple(strongest.values()),
                absorbed=log_absorbed(row["predicted"]["l2_bytes"], row["predicted"]["dram_bytes"]),
                error=_error(row),
            )
        )
    return found


def _error(row: Mapping[str, Any]) -> float | None:
    measured = row["measured_over_ridge"].get(row["limiter"])
    predicted = row["predicted_over_ridge"].get(row["limiter"])
    if not measured or not predicted or not math.isfinite(predicted):
        return None
    return math.log(measured / predicted)


def fitted(rows: Sequence[Row], start: ConfidenceParameters) -> ConfidenceParameters:
    """The parameters under which these verdicts are most likely."""

    def cost(parameters: ConfidenceParameters) -> float:
        return -math.fsum(
            math.log(chance if row.right else 1 - chance)
            for row in rows
            for chance in (row.chance(parameters),)
        )

    best, lowest, step = start, cost(start), _FIRST_STEP
    while step > _LAST_STEP:
        better = _neighbour(best, lowest, step, cost)
        if better is None:
            step /= 2
        else:
            best, lowest = better
    return best


def _neighbour(
    at: ConfidenceParameters,
    lowest: float,
    step: float,
    cost: Callable[[ConfidenceParameters], float],
) -> tuple[ConfidenceParameters, float] | None:
    for name in _FITTED:
        for factor in (math.exp(step), math.exp(-step)):
            moved = replace(at, **{name: getattr(at, name) * factor})
            reached = cost(moved)
            if reached < lowest - 1e-6:
                return moved, reached
    return None


def score(rows: Sequence[Row], chances: Sequence[float]) -> str:
    """Calibration error, means and area under the ROC curve."""
    right = np.array([row.right for row in rows])
    claimed = np.array(chances)
    error = expected_calibration_error(calibration_bins(claimed, right))
    area = auroc(right, claimed)
    return (
        f"{len(rows):5d} rows, right {right.mean():.3f}, claimed {claimed.mean():.3f}, "
        f"calibration error {error:.3f}, AUROC {'-' if area is None else f'{area:.2f}'}"
    )


def main() -> None:
    """Print the fit and how it does on what it did not see."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, nargs="+", help="full results that are fitted")
    parser.add_argument(
        "--check", type=Path, nargs="*", default=[], help="results that are only scored"
    )
    options = parser.parse_args()
    tables = {path: rows_of(path) for path in options.results}
    rows = [row for table in tables.values() for row in table]
    start = confidence_parameters()
    best = fitted(rows, start)
    print(", ".join(f"{name} = {getattr(best, name):.3g}" for name in _FITTED))
    for path, table in (*tables.items(), *((path, rows_of(path)) for path in options.check)):
        print(f"{path.stem}")
        print(f"  shipped {score(table, [row.chance(start) for row in table])}")
        print(f"  fitted  {score(table, [row.chance(best) for row in table])}")
        known = [row for row in table if row.error is not None]
        held = sum(row.is_inside(best) for row in known) / len(known)
        print(f"  intervals hold {held:.3f} of the measured intensities")
    chances = [0.0] * len(rows)
    for fold in range(_FOLDS):
        inside = [zlib.crc32(row.family.encode()) % _FOLDS == fold for row in rows]
        found = fitted([row for row, held in zip(rows, inside, strict=True) if not held], best)
        for place, (row, held) in enumerate(zip(rows, inside, strict=True)):
            if held:
                chances[place] = row.chance(found)
    print(f"cross-validated {score(rows, chances)}")
    start_at = 0
    for path, table in tables.items():
        part = chances[start_at : start_at + len(table)]
        print(f"  {path.stem} {score(table, part)}")
        start_at += len(table)


if __name__ == "__main__":
    main()
