"""An estimate of registers per thread, for occupancy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.values import Pseudo
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.instructions.liveness import LiveGraph
    from roofstat.instructions.values import Value

BASE_REGISTERS = 10
"""Stack pointer, temporaries and address pairs that every kernel needs."""
MAX_REGISTERS = 255
GRANULARITY = 2

_NO_REGISTER = frozenset(
    {
        Pseudo.CONSTANT,
        Pseudo.UNDEFINED,
        Pseudo.BRANCH,
        Pseudo.OFFSET,
        Op.PARAM,
        Op.SLOT,
        Op.GLOBAL,
        Op.STORE,
        Op.BARRIER,
        Op.STRING,
        Op.FUNCTION,
    }
)


def registers_per_thread(graph: LiveGraph, limit: int | None) -> int:
    """The largest number of 32-bit registers alive at once, in program order, plus a base.

    Args:
        graph: live values in order of creation.
        limit: `-maxrregcount` or launch bounds; None for the hardware's 255.

    Returns:
        Registers of one thread, rounded up to the granularity.
    """
    last: dict[int, int] = {}
    for position, value in enumerate(graph.live):
        for arg in value.args:
            last[arg.number] = max(last.get(arg.number, 0), position)
    ends: dict[int, list[Value]] = {}
    alive = 0
    peak = 0
    for position, value in enumerate(graph.live):
        end = last.get(value.number)
        if end is not None and end > position and _takes_register(value):
            alive += _words(value)
            ends.setdefault(end, []).append(value)
        peak = max(peak, alive)
        for finished in ends.pop(position, ()):
            alive -= _words(finished)
    wanted = BASE_REGISTERS + peak
    wanted += -wanted % GRANULARITY
    return min(wanted, limit or MAX_REGISTERS, MAX_REGISTERS)


def _takes_register(value: Value) -> bool:
    return value.op not in _NO_REGISTER and not value.is_uniform


def _words(value: Value) -> int:
    if value.op in {Pseudo.ADDRESS, Pseudo.STREAM}:
        return 2
    return 2 if value.scalar.size_bytes == 8 else 1
