"""Launches of whose work nothing was seen: their amounts are unknown, not zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roofstat.execution.host.launch_table import HostLaunch
    from roofstat.instructions.model import InstructionCounts
    from roofstat.memory.records import MemoryTraffic

_LOSSES = ("parse-error", "library-call", "lost-launch", "unknown")
"""Assumptions in place of a part of the kernel, what explains most first."""


def unseen_reason(
    launch: HostLaunch, counts: InstructionCounts, memory: MemoryTraffic
) -> str | None:
    """Why nothing is known of a launch's work; None where some was seen, or nothing is missing.

    Where the parser has lost a statement, what is left says nothing: it may be the least part of the work. Index calculations and shared memory are not what a kernel is launched for: floating-point work or an access to
    global memory is.
    """
    for item in launch.trace.code.assumptions:
        if item.kind == "parse-error":
            return item.text
    flop = counts.sp_flop + counts.dp_flop + counts.hp_flop + counts.tensor_flop
    sectors = memory.global_load_sectors + memory.global_store_sectors
    if flop or sectors or memory.atomic_threads:
        return None
    texts = dict(reversed(launch.notes))
    for item in launch.trace.code.assumptions:
        texts.setdefault(item.kind, item.text)
    for guess in launch.trace.assumptions:
        texts.setdefault(guess.kind, guess.text)
    return next((texts[kind] for kind in _LOSSES if kind in texts), None)
