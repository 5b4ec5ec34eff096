"""Comparisons of a number with a multiple of a mean that nobody knows, by which detectors tell signals from noise."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from roofstat.execution.numbers.unknowns import new_unknown
from roofstat.execution.numbers.values import Mixed, Unknown
from roofstat.program.code import Op
from roofstat.program.slices import COPIES, copied_once

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.program.code import Instruction

NO_NUMBER = 1e30
"""Numbers that stand for infinity are at least as large: no data come near them."""
_SAME_SIZE = COPIES | {Op.NEG}
FEWEST_MEANS = 2.0
"""Numbers about as large as their mean are as often above as below it."""


def beside_no_number(machine: Machine, item: Instruction, mask: Mask) -> bool | None:
    """Whether a comparison of data that nobody knows with what stands for infinity holds; None for other comparisons.

    ``if (best < FLT_MAX)`` asks whether there is a number at all: what is not known to be none is one. A variable that begins at
    infinity is the best so far.
    """
    for place, other in ((0, 1), (1, 0)):
        limit = machine.frames[-1].registers[item.args[place]]
        data = machine.frames[-1].registers[item.args[other]]
        if not isinstance(limit, int | float) or not abs(limit) >= NO_NUMBER:
            continue
        if not isinstance(data, Unknown | Mixed) or not _is_written_out(machine, item.args[place]):
            continue
        machine.assume(
            "branch",
            f"data that are compared with {limit:.2g} are ordinary numbers",
            item.position,
            mask,
        )
        if item.op in (Op.EQ, Op.NE):
            return item.op is Op.NE
        asks_less = item.op in (Op.LT, Op.LE)
        return asks_less == ((limit > 0) == (place == 1))
    return None


def beyond_mean(machine: Machine, item: Instruction, mask: Mask) -> NDArray[np.bool_] | None:
    """Lanes for which a comparison of floating-point order holds that asks whether a number is some times as large as a mean.

    Of exponentially distributed numbers, as powers of noise and waiting times are, exp(-n) are above n times their mean. None for
    other comparisons.
    """
    for limit in item.args:
        times = _times_mean(machine, limit)
        if times is None or times < FEWEST_MEANS:
            continue
        chance = math.exp(-times)
        machine.assume(
            "branch",
            f"a number above {times:.3g} times a mean: with probability {chance:.2g}, as where they are distributed exponentially",
            item.position,
            mask,
        )
        is_above = machine.draws(new_unknown("a number beyond a mean")) < chance
        asks_above = (item.op in (Op.GT, Op.GE)) == (limit == item.args[1])
        return is_above if asks_above else ~is_above
    return None


def _times_mean(machine: Machine, register: int) -> float | None:
    """The factor of a multiple of a mean; None for other numbers."""
    item = _uncopied(machine, register)
    if item is None or item.op is not Op.MUL:
        return None
    for factor, mean in (item.args, item.args[::-1]):
        times = machine.frames[-1].registers[factor]
        if isinstance(times, int | float) and _is_mean(machine, mean):
            return float(times)
    return None


def _is_mean(machine: Machine, register: int) -> bool:
    """Whether a number is a sum by a count: a quotient by a whole number."""
    item = _uncopied(machine, register)
    if item is None or item.op is not Op.DIV or not item.scalar.is_float:
        return False
    count = machine.facts.definitions.get(item.args[1])
    return count is not None and count.op is Op.CAST and not getattr(count.detail, "is_float", True)


def _is_written_out(machine: Machine, register: int) -> bool:
    """Whether the code has a number itself, but for its sign and type."""
    source = copied_once(machine.facts.writers, register, _SAME_SIZE)
    return source in machine.frames[-1].code.constants


def _uncopied(machine: Machine, register: int) -> Instruction | None:
    """What computes a register, before copies and conversions."""
    writers = machine.facts.writers
    written = writers.get(copied_once(writers, register), ())
    return written[0] if len(written) == 1 else None
