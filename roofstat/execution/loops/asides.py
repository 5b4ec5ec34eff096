"""Host loops that only compute, between launches and behind them: cut off when they take long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.execution.numbers.unknowns import new_unknown
from roofstat.execution.run_ends import BudgetExceededError, TimeSpentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from roofstat.execution.loops.entry import LoopEntry
    from roofstat.execution.loops.facts import LoopFacts
    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.execution.numbers.values import Value

REASON = "a loop that was not run to its end"


def run_within_budget(
    machine: Machine,
    entry: LoopEntry,
    facts: LoopFacts,
    run: Callable[[Mask], Mask | None],
    mask: Mask,
) -> Mask | None:
    """Run a loop; one that uses up what the library grants it is left, and what it has assigned is unknown."""
    budget = None if machine.dry else machine.library.budget_of(entry.loop)
    allowed = machine.executed - machine.census_spent + (budget or 0)
    if budget is None or allowed >= machine.limit:
        return run(mask)
    limit, weight, doubt = machine.limit, machine.weight, machine.doubt
    pending = dict(machine.pending)
    machine.limit = allowed
    try:
        return run(mask)
    except TimeSpentError:
        raise
    except BudgetExceededError:
        if machine.executed > limit + machine.census_spent:
            raise
        machine.weight, machine.doubt, machine.pending = weight, doubt, pending
        _forget(machine, entry, facts)
        return mask
    finally:
        machine.limit = limit


def _forget(machine: Machine, entry: LoopEntry, facts: LoopFacts) -> None:
    """What a loop would have assigned is unknown, but for addresses: they mostly stay in the same array."""
    frame = machine.frames[-1]
    for variable in facts.assigned:
        if not _is_address(machine, frame.registers[variable]):
            is_float = frame.code.register_types[variable].is_float
            frame.registers[variable] = new_unknown(REASON, uniform=True, is_float=is_float)
    for cell in entry.cells.values():
        if not _is_address(machine, cell.points[-1][1]):
            unknown = new_unknown(REASON, uniform=True, is_float=cell.scalar.is_float)
            cell.found.contents.store(cell.offset, cell.scalar, unknown)


def _is_address(machine: Machine, value: Value | None) -> bool:
    return isinstance(value, int) and machine.memory.find(value) is not None
