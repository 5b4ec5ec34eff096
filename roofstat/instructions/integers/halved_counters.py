"""Loop variables that are shifted to the right in each round."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.graph.values import Pseudo
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.instructions.graph.values import Value

__all__ = ["keeps_sign"]


def keeps_sign(halved: Value) -> bool:
    """Whether a loop variable is shifted as a signed number, as it starts as one that was shifted.

    LLVM tests what was shifted by testing what it was before, and no longer sees that the variable is positive: the test
    is on the old value, which an ordinary register keeps (nvcc 13.0, sm_90).
    """
    if halved.op is not Op.SHR or not halved.scalar.is_signed:
        return False
    start = halved.args[0].args[0]
    while start.op is Op.CAST or start.op is Pseudo.EXIT:
        start = start.args[0]
    return start.op is Op.SHR and start.scalar.is_signed and start.args[1].is_constant
