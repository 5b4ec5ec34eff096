"""Loop variables that are shifted to the right, or divided by a power of two, in each round.

Where a variable starts at what was shifted by the same instruction, LLVM carries the word before the shift through the loop: the test is on
that, which is copied in each round, and a signed division no longer sees that the variable is positive. Read off SASS of 140 own block reductions
with seven starts, four tests and both operators (nvcc 13.0 and clang 18.1.6, sm_90).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from roofstat.instructions.graph.values import Pseudo
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.instructions.graph.values import Value

__all__ = ["keeps_sign", "more_of_halving"]

_COPY = 0.9
"""Of the word before the shift: IMAD.MOV in 45 of 51 loops of programs, else MOV."""
_SIGNED_DIVISION = 1.0
"""Of a variable that may be negative: LEA.HI beside the shift."""
_RANGE_TEST = 1.0
"""`i / 2 != 0` is `(unsigned)(i + 1) > 2`."""


class _Shift(NamedTuple):
    op: str
    """`signed` for a shift, `division` of a signed word, `unsigned` for either."""
    bits: int


def keeps_sign(halved: Value, *, folds_late: bool) -> bool:
    """Whether the word before the shift is carried through the loop."""
    step = _shift_of(halved)
    phi = halved.args[0]
    if step is None or phi.op is not Pseudo.PHI or phi.args[1:2] != [halved]:
        return False
    start, least = _shift_of(_bare(phi.args[0])), _least(phi)
    if start is None or least is None or start.bits != step.bits:
        return False
    if folds_late:
        # The loop's step is a shift of a positive word before they are compared.
        if start.op == "signed":
            return False
        return start.op == "unsigned" or (step.op != "unsigned" and least > 0)
    if least == 0:
        return False
    if step.op == start.op and step.op != "unsigned":
        return True
    return least > 1 and not (step.op == "unsigned" and start.op != "unsigned")


def more_of_halving(halved: Value, *, folds_late: bool) -> float:
    """Operations of a halving beyond those of a word without sign.

    Args:
        halved: The variable's next value.
        folds_late: Whether the step is known to be of a positive word before what is carried is decided (clang).
    """
    phi, step = halved.args[0], _shift_of(halved)
    if step is not None and keeps_sign(halved, folds_late=folds_late):
        start = _shift_of(_bare(phi.args[0]))
        if step.op != "division":
            return _COPY
        if folds_late:
            return _COPY - (_SIGNED_DIVISION if _least(phi) == 0 else 0.0)
        return _COPY + (_SIGNED_DIVISION if start == step else 0.0)
    if step is None or step.op != "division" or phi.op is not Pseudo.PHI:
        return 0.0
    return _RANGE_TEST if _least(phi) == 0 else 0.0


def _bare(start: Value) -> Value:
    while start.op is Op.CAST or start.op is Pseudo.EXIT:
        start = start.args[0]
    return start


def _shift_of(value: Value) -> _Shift | None:
    if value.op not in {Op.SHR, Op.DIV} or not value.args[1].is_constant:
        return None
    amount = int(value.args[1].constant or 0)
    is_signed = value.scalar.is_signed
    if value.op is Op.SHR:
        return _Shift("signed" if is_signed else "unsigned", amount)
    if amount < 1 or amount & (amount - 1):
        return None
    return _Shift("division" if is_signed else "unsigned", amount.bit_length() - 1)


def _least(phi: Value) -> int | None:
    """The least value with which the loop goes on, 0 where it ends at zero alone; None where nobody knows."""
    test = phi.args[2] if len(phi.args) > 2 else None
    if test is None or len(test.args) < 2:
        return None
    if test.op is Op.NE and test.args[1].is_constant and not test.args[1].constant:
        return 0
    if test.op not in {Op.LT, Op.LE} or test.args[1] is not phi:
        return None
    least = test.args[0].constant
    if not isinstance(least, int) or least < 0:
        return None
    return max(least + (test.op is Op.LT), 1)
