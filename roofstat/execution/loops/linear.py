"""Arithmetic of values that change by a constant in each iteration: their step, and when they pass zero."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from roofstat.execution.numbers.values import NUMBERS, OPEN, Unknown, Value, same_draw
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from roofstat.execution.mask import Mask
    from roofstat.execution.sampling.representatives import Count

_Number = TypeVar("_Number", bound=np.generic)

Trips = float | np.ndarray
"""Remaining iterations, for all lanes or for each; infinity where no end is in sight."""
Steps = dict[int, "int | float | NDArray[np.generic]"]
"""Variables that change evenly, with their change in an iteration."""


def constant_step(
    a: Value | None, b: Value | None, c: Value | None, lanes: NDArray[np.bool_]
) -> int | float | NDArray[np.generic] | None:
    """The difference b - a where c - b equals it, for the active lanes."""
    if a is None or b is None or c is None:
        return None
    if isinstance(a, NUMBERS) and isinstance(b, NUMBERS) and isinstance(c, NUMBERS):
        step = b - a
        if isinstance(step, float):
            return step if abs((c - b) - step) <= 1e-9 * max(abs(step), abs(c), 1e-30) else None
        return step if c - b == step else None
    if isinstance(a, Unknown) and isinstance(b, Unknown) and isinstance(c, Unknown):
        if not (a.scale == b.scale == c.scale and same_draw(a, b) and same_draw(b, c)):
            return None
        return _array_step(a.offset, b.offset, c.offset, lanes)
    if isinstance(a, OPEN) or isinstance(b, OPEN) or isinstance(c, OPEN):
        return None
    return _array_step(a, b, c, lanes)


def _array_step(
    a: float | NDArray[np.generic],
    b: float | NDArray[np.generic],
    c: float | NDArray[np.generic],
    lanes: NDArray[np.bool_],
) -> int | float | NDArray[np.generic] | None:
    if all(isinstance(value, int) for value in (a, b, c)):
        return b - a if c - b == b - a else None  # type: ignore[operator]
    is_float = any(
        (isinstance(v, np.ndarray) and v.dtype.kind == "f") or isinstance(v, float)
        for v in (a, b, c)
    )
    kind = np.float64 if is_float else np.int64
    x, y, z = (np.asarray(value).astype(kind) for value in (a, b, c))
    first, second = _active(y - x, lanes), _active(z - y, lanes)
    if not np.array_equal(first, second) and not (
        is_float and np.allclose(first, second, rtol=1e-5, atol=1e-30)
    ):
        return None
    if len(first) and np.all(first == first[0]):
        only = first[0].item()
        return only if isinstance(only, NUMBERS) else None
    step: NDArray[np.generic] = np.broadcast_to(y - x, lanes.shape).copy()
    return step


def _active(values: NDArray[_Number], lanes: NDArray[np.bool_]) -> NDArray[_Number]:
    """The values of active lanes."""
    if values.shape != lanes.shape:
        values = np.broadcast_to(values, lanes.shape)
    return values[lanes]


def mean_distance(a: Value | None, b: Value | None, lanes: NDArray[np.bool_]) -> float | None:
    """How far apart two values of an integer are in the active lanes, in the mean; None where nobody knows."""
    if isinstance(a, Unknown) and isinstance(b, Unknown):
        if a.scale != b.scale or not same_draw(a, b):
            return None
        a, b = a.offset, b.offset
    if a is None or b is None or isinstance(a, OPEN) or isinstance(b, OPEN):
        return None
    apart = np.broadcast_to(np.abs(difference(b, a)), lanes.shape)[lanes]
    return float(apart.mean()) if len(apart) else None


def likely_step(changes: NDArray[np.float64], lanes: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The mean change for each lane, drawn to that of all lanes as far as chance explains how lanes differ."""
    mean: NDArray[np.float64] = changes.mean(axis=0)
    overall = float(mean[lanes].mean())
    spread = float(mean[lanes].var())
    chance = 0.0
    if len(changes) > 1:
        chance = float(changes[:, lanes].var(axis=0, ddof=1).mean()) / len(changes)
    kept = max(1.0 - chance / spread, 0.0) if spread > 0 else 0.0
    return overall + kept * (mean - overall)


def difference(a: Value, b: Value) -> float | NDArray[np.float64]:
    """``a - b`` of known numbers."""
    return np.asarray(a, np.float64) - np.asarray(b, np.float64)


def advanced(a: Value, step: float | NDArray[np.float64], times: int = 1) -> NDArray[np.float64]:
    """``a`` after so many steps."""
    return np.asarray(a, np.float64) + np.asarray(step, np.float64) * times


def all_equal(
    a: float | NDArray[np.float64], b: float | NDArray[np.float64], lanes: NDArray[np.bool_]
) -> bool:
    """Whether two differences agree in the active lanes, but for rounding."""
    x, y = _active(np.asarray(a), lanes), _active(np.asarray(b), lanes)
    # As numpy.allclose has it, at a fifth of its time.
    close = (np.abs(x - y) <= 1e-30 + 1e-9 * np.abs(y)) & np.isfinite(y)
    return bool((close | (x == y)).all())


def first_false(op: Op, values: list[Value], lanes: NDArray[np.bool_]) -> Trips | None:
    """Smallest t >= 0 at which ``d(t) op 0`` is false, for linear d given at t = 0, 1, 2; None where d is not linear."""
    d0, d1, d2 = (np.asarray(value, np.float64) for value in values[:3])
    step = d1 - d0
    if not all_equal(step, d2 - d1, lanes):
        return None
    d0, step = np.broadcast_arrays(d0, step)
    scalar = d0.ndim == 0
    with np.errstate(divide="ignore", invalid="ignore"):
        match op:
            case Op.LT:
                t = np.where(d0 >= 0, 0.0, np.where(step > 0, np.ceil(-d0 / step), np.inf))
            case Op.LE:
                t = np.where(d0 > 0, 0.0, np.where(step > 0, np.floor(-d0 / step) + 1, np.inf))
            case Op.GT:
                t = np.where(d0 <= 0, 0.0, np.where(step < 0, np.ceil(-d0 / step), np.inf))
            case Op.GE:
                t = np.where(d0 < 0, 0.0, np.where(step < 0, np.floor(-d0 / step) + 1, np.inf))
            case Op.NE:
                quotient = -d0 / step
                hits = (step != 0) & (quotient >= 0) & (quotient == np.floor(quotient))
                t = np.where(d0 == 0, 0.0, np.where(hits, quotient, np.inf))
            case _:
                t = np.where(d0 != 0, 0.0, np.where(step != 0, 1.0, np.inf))
    return float(t) if scalar else t


def even_end(op: Op, values: Sequence[NDArray[np.float64]], lanes: NDArray[np.bool_]) -> Trips:
    """For how many more iterations a distance that grows evenly keeps its relation to 0; infinity where it does not."""
    step = difference(values[2], values[1])
    if not all_equal(difference(values[1], values[0]), step, lanes):
        return float("inf")
    found = first_false(op, [advanced(values[2], step, ahead) for ahead in (1, 2, 3)], lanes)
    return float("inf") if found is None else found


def whole_periods(trips: Trips, active: Mask, period: int) -> tuple[Count, float]:
    """(whole periods among the remaining iterations, by what to multiply their weights for a fractional mean count)."""
    remaining = np.where(active.lanes, trips, 0.0)
    counted = remaining[active.lanes]
    if np.all(counted == counted[0]):
        single = float(counted[0])
        groups = float(single // period)
        return groups, single / groups if groups > 0 and period == 1 else 1.0
    return np.maximum(remaining // period, 0.0), 1.0
