"""Loops of clang that its rotation of loops turns round once more, so that they end with their test.

LLVM turns a loop round when what it begins with can leave it. Where a loop that vanishes is all that a body begins with, the latch of
that one becomes the latch of both, and the loop around is turned again: it then ends with a conditional jump back. Anything in front of the
inner loop keeps it as others are: a load, arithmetic, the address of a row, a barrier, and the begin of the life of an array that is declared
there. Of 78 own loops around loops of two to eight iterations 71 have the copies of SASS (clang 18.1.6 with ptxas 12.6, sm_90).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.program.code import Block, Loop, Op, Scope, Space

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Position
    from roofstat.instructions.loops.loop_facts import LoopFacts
    from roofstat.program.code import Code, Region

_NO_CODE = frozenset({Op.MOV, Op.SLOT, Op.GLOBAL, Op.PARAM, Op.SPECIAL})
"""What LLVM has no instruction for, or has made before."""


def is_turned_again(loop: Loop, facts: LoopFacts, code: Code) -> bool:
    """Whether the body of a loop begins with another loop."""
    inner = _first_loop(loop.body)
    return inner is not None and not _declares_array(loop.position, inner.position, facts, code)


def _first_loop(regions: list[Region]) -> Loop | None:
    for region in regions:
        match region:
            case Block():
                if any(item.op not in _NO_CODE for item in region.instructions):
                    return None
            case Loop():
                return region
            case Scope():
                return _first_loop(region.body)
            case _:
                return None
    return None


def _declares_array(start: Position, end: Position, facts: LoopFacts, code: Code) -> bool:
    """Whether a private array that is not in registers is declared between two positions."""
    used = {item.detail for item in facts.instructions if item.op is Op.SLOT}
    return any(
        slot.space is Space.LOCAL and _place(start) < _place(slot.position) < _place(end)
        for number, slot in enumerate(code.slots)
        if number in used and slot.position.file == start.file == end.file
    )


def _place(position: Position) -> tuple[int, int]:
    return position.line, position.column
