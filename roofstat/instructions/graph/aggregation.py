"""Atomics on one address of a warp: the compiler combines the lanes' operands and one lane does the atomic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.graph.memory_state import RootKind, root_of
from roofstat.instructions.integers.widths import WIDE
from roofstat.program.code import AtomicAccess, Op

if TYPE_CHECKING:
    from roofstat.instructions.graph.values import Value

_CHOOSE_LANE = 1.0
"""The leader is found with the uniform datapath; its comparison with the lane number counts."""
_COUNT_LANES = 1.0
"""POPC of the lanes that take part."""
_SCALE = 1.0
"""The operand times the number of lanes."""
_RANK = 4.0
"""Finding the leader (FLO), the lanes before this one (LOP3, POPC), and their sum on top of what was there."""
_PREFIX_SUM = 9.0
"""The scan that gives each lane its own result where the operands differ."""
_WIDE_SCALE = 2.0
_WIDE_RESULT = 4.0
_REDUCED = frozenset({"and", "or", "xor", "min", "max"})


def aggregation_ops(value: Value, *, is_returned: bool) -> float:
    """Integer instructions around an integer atomic whose address is the same for the whole warp.

    SASS of nvcc and clang for sm_86 and sm_90: sums of equal operands are multiplied by the number of lanes, others
    go through the warp's reduction unit; results are rebuilt for sums only, so other atomics with a result stay as
    they are, as do exchanges, wrapping counters and everything on floats.
    """
    access = value.detail
    if (
        not isinstance(access, AtomicAccess)
        or value.scalar.is_float
        or not value.args[0].is_uniform
    ):
        return 0.0
    if access.name in _REDUCED:
        return 0.0 if is_returned or value.scalar in WIDE else _CHOOSE_LANE
    if access.name not in {"add", "sub"}:
        return 0.0
    operand = value.args[1]
    if operand.is_constant and operand.constant == 0:
        return 0.0  # a read
    if value.scalar in WIDE:
        if not operand.is_uniform:
            return 0.0
        return _CHOOSE_LANE + _WIDE_SCALE + (_WIDE_RESULT if is_returned else 0.0)
    is_one = operand.is_constant and operand.constant == 1
    scale = 0.0 if is_one else _SCALE
    if is_returned:
        ranked = _CHOOSE_LANE + _COUNT_LANES + _RANK + scale
        return ranked if operand.is_uniform else _PREFIX_SUM
    if not operand.is_uniform or access.name == "sub":
        return _CHOOSE_LANE
    if is_one and root_of(value.args[0]).kind is RootKind.SLOT:
        return 0.0  # shared memory counts lanes by itself
    return _CHOOSE_LANE + _COUNT_LANES + scale


def is_retried(value: Value) -> bool:
    """Whether each lane goes through the loop around a compare-and-swap that atomics are which the tables know work for.

    Those are sums of floats in shared memory, and of long integers unless one lane adds for its whole warp.
    """
    if value.op is not Op.ATOMIC:
        return False
    is_elected = value.args[0].is_uniform and value.args[1].is_uniform
    return value.scalar.is_float or (value.scalar in WIDE and not is_elected)


__all__ = ["aggregation_ops", "is_retried"]
