"""Loop counters that the assembler keeps in ordinary registers, as what each round makes of them is done there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.graph.memory_state import RootKind, root_of
from roofstat.instructions.graph.values import Pseudo
from roofstat.instructions.integers.arithmetic import PURE
from roofstat.instructions.integers.widths import WIDE
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.instructions.graph.values import Value

_SCALED = frozenset({Op.MUL, Op.SHL})


def keep_counters(live: list[Value], users: dict[int, list[Value]]) -> None:
    """Takes from the uniform datapath the counters of loops without pointers that are widened or scaled there.

    A counter that is an addend or a factor in words is an operand from there (IADD3, IMAD): `x[i + t]`, `x[i * m + t]`. Of
    `x[i]`, `x[i * 64 + t]` and `x[(size_t)i * m + t]` it is not (IMAD.WIDE, LEA, SHF): SASS of nvcc 13.0, sm_90.
    """
    kept: set[int] = set()
    loops: set[int] = set()
    for value in live:
        if not value.is_uniform:
            continue
        follows = value.op in PURE and any(arg.number in kept for arg in value.args)
        is_counter = _is_kept(value, users)
        if is_counter:
            loops.add(id(value.context.loop))
        is_left = value.op is Pseudo.REMAINING and id(value.context.loop) in loops
        if follows or is_counter or is_left:
            kept.add(value.number)
            value.is_uniform = False


def _is_kept(value: Value, users: dict[int, list[Value]]) -> bool:
    loop = value.context.loop
    if value.op is not Pseudo.PHI or loop is None or not loop.keeps_indices:
        return False
    if value.number not in loop.counters:
        return False
    return any(
        use.context.depth >= loop.depth and _is_in_register(use, value, users)
        for use in users.get(value.number, [])
    )


def _is_in_register(use: Value, counter: Value, users: dict[int, list[Value]]) -> bool:
    """Whether what uses a counter takes it from an ordinary register."""
    if use.op is Op.CAST:
        return use.scalar in WIDE
    if use.op is Pseudo.ADDRESS:
        return use.args[1] is counter and root_of(use).kind is not RootKind.SLOT
    is_scaled = use.op in _SCALED and use.args[1].is_constant
    return is_scaled and any(not user.is_uniform for user in users.get(use.number, []))
