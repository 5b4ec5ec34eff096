"""Shifts that take the high word of a 128-bit product: lanes hold numbers of 64 bits, so the factors are multiplied anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.numbers.unknowns import new_unknown
from roofstat.execution.numbers.values import DTYPES
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.execution.machine import Machine
    from roofstat.execution.numbers.values import Value
    from roofstat.program.code import Instruction

_WORD = 64
_WORD_MASK = (1 << _WORD) - 1


def shifted_down(machine: Machine, item: Instruction) -> Value:
    """A double word of lanes shifted to the right: known where it is a product, by a word or more."""
    unknown = new_unknown("the high word of a number of 128 bits")
    amount = machine.read(item.args[1])
    product = _product(machine, item.args[0])
    if product is None or not isinstance(amount, int) or not _WORD <= amount < 2 * _WORD:
        return unknown
    factors = [machine.read(register) for register in product.args]
    if not all(isinstance(factor, int | np.ndarray) for factor in factors):
        return unknown
    first, second = (
        np.broadcast_to(np.asarray(factor), (machine.lane_count,)).tolist() for factor in factors
    )
    down = amount - _WORD
    high = [
        ((int(x) * int(y) >> _WORD) & _WORD_MASK) >> down
        for x, y in zip(first, second, strict=True)
    ]
    return np.array(high, np.uint64).astype(DTYPES[item.scalar])


def _product(machine: Machine, register: int) -> Instruction | None:
    """The multiplication that a register holds the result of."""
    code = machine.frames[-1].code
    if register in code.variables:
        writers = [item for _, item in code.instructions() if item.dest == register]
        if len(writers) != 1 or writers[0].op is not Op.MOV:
            return None
        register = writers[0].args[0]
    found = machine.facts.definitions.get(register)
    return found if found is not None and found.op is Op.MUL else None
