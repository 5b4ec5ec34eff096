"""What loops may take of the budget for iterations that could be extrapolated: short and cheap ones are run whole.

Host loops get more where more of them tell what launches rest on: how often branches let them count, which numbers they
store. Loops of a kernel get more where arrays of a thread would be forgotten.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.execution.loops import host_loops
from roofstat.execution.numbers.values import Mixed, Unknown

if TYPE_CHECKING:
    from roofstat.execution.loops.linear import Steps
    from roofstat.execution.loops.run_state import LoopRun
    from roofstat.execution.mask import Mask

UNEVEN_TRIPS = 128
"""Iterations of a host loop with uneven counters that are run before the rest is taken to go on at their mean pace."""
UNEVEN_SHARE = 12
"""The part of the budget that may go into them."""
CENSUS_PLACES = 256
"""Most iterations of a host loop that are looked at for how often its branches let it count."""
CENSUS_FIRST = 6
"""Iterations of a loop that appends under conditions before its pattern is looked for: borders of a grid lie in the first."""
CENSUS_SHARE = 10
"""The part of the budget that one such loop may take."""
CENSUS_NESTED_SHARE = 8
"""The part of that which a loop inside of another one may take."""
SEARCH_SHARE = 20
"""The part of the budget that a host loop may take which keeps the best of its candidates under conditions."""
VALUES_PLACES = 48
"""Most iterations of a host loop that are looked at for which numbers it stores, where these follow no line, and how often."""
VALUES_SHARE = 40
"""The part of the budget that one such loop may take."""
OWN_ARRAY_TRIPS = 64
"""Loops of more iterations are not run whole for what they store to arrays of a thread."""
OWN_ARRAY_SHARE = 0.5
"""The part of the budget after which none is any more."""
EXITS_SHARE = 0.75
"""The part of the budget up to which a loop that threads leave one by one is run as it is."""
SUM_TRIPS = 16
"""Loops of more iterations are not run whole for a sum."""
SUM_SHARE = 0.1
"""The part of the budget after which none is any more."""
FEWEST_STEPS = 16
"""Iterations that tell the pace of a loop which cannot be run to its end."""


def host_runs_whole(run: LoopRun, longest: float, *, nested: bool, hurried: bool) -> bool:
    """Short and cheap host loops are run whole: they read arguments and fill small tables."""
    machine = run.machine
    few, share = (6, 600) if nested else (48, 6_000)
    if hurried:
        few, share = few // 4, share // 8
    price = longest * max(run.cost, 1)
    is_cheap = price <= min(share, machine.whole_loop_allowance)
    rest = machine.limit - machine.executed
    if not is_cheap and (longest > few or price > min(20 * share, rest // 2)):
        if price > max(_census(run), _search(run)):
            return False
        machine.census_allowance -= int(price)
    else:
        machine.whole_loop_allowance -= int(price)
    run.next_check = run.iteration + int(longest) + 2
    return True


def goes_on(run: LoopRun) -> bool:
    """Lets a host loop run as many iterations again where half of the rest of the budget pays for them.

    One that reads a file ends with it.
    """
    machine = run.machine
    price = run.iteration * max(run.cost, 1)
    if not machine.is_host or price > (machine.limit - machine.executed) // 2:
        return False
    run.next_check = 2 * run.iteration
    return True


def sees_more_exits(run: LoopRun, active: Mask) -> bool:
    """Whether a kernel's outermost loop that some threads have left goes on to the next look at it: most of the budget may go into that.

    Threads that follow known numbers leave as these say, and not as those did that were the first.
    """
    machine = run.machine
    if active.totals(machine.weight)[0] >= run.threads:
        return False
    ahead = (run.next_check - run.iteration) * max(run.cost, 1)
    is_outermost = len(machine.loop_stack) == 1 and not machine.is_host
    return is_outermost and machine.executed + ahead <= EXITS_SHARE * machine.budget


def passes_borders(run: LoopRun) -> bool:
    """Whether a few iterations more are run, without looking at them, of a host loop that appends under conditions."""
    machine = run.machine
    is_outer = run.facts.appends and len(machine.loop_stack) <= 2
    if not is_outer or run.iteration >= CENSUS_FIRST:
        return False
    price = (CENSUS_FIRST - run.iteration) * run.cost
    if not 0 < price <= _census(run):
        return False
    machine.census_allowance -= price
    run.next_check = CENSUS_FIRST
    return True


def learns_decisions(run: LoopRun, steps: Steps) -> bool:
    """Whether more iterations are run of a host loop that counts by decisions which cannot be foreseen."""
    price = (run.next_check - run.iteration) * max(run.cost, 1)
    return (
        run.jumps == 0
        and run.iteration < UNEVEN_TRIPS
        and price <= _census(run)
        and run.is_erratic(steps)
    )


def looks_longer(run: LoopRun) -> bool:
    """Whether more iterations of a host loop are run for the mean of what each of them adds."""
    machine = run.machine
    price = (run.next_check - run.iteration) * max(run.cost, 1)
    return (
        run.jumps == 0
        and run.iteration < UNEVEN_TRIPS
        and price <= machine.budget // UNEVEN_SHARE
        and host_loops.has_uneven_counters(run)
    )


def host_places(run: LoopRun, groups: int, pairs: int, period: int) -> int:
    """How many of `groups` times `period` iterations of a host loop are looked at; 0 for the usual few."""
    price = max(run.cost, 1) * period
    places = min(_census(run) // price, CENSUS_PLACES, groups)
    if places <= 2 * pairs and (
        run.facts.stores_by_branches or host_loops.stores_uneven_numbers(run)
    ):
        places = min(_share_of_budget(run, VALUES_SHARE) // price, VALUES_PLACES, groups)
    if places <= max(2 * pairs, 1):
        return 0
    run.machine.census_allowance -= places * price
    return places


def _census(run: LoopRun) -> int:
    """Instructions for iterations that tell how often a host loop counts under its conditions; 0 for other loops."""
    machine = run.machine
    if not machine.is_host or machine.dry or not run.facts.counts:
        return 0
    if not machine.library.awaits_launches():
        return 0
    return _share_of_budget(run, CENSUS_SHARE)


def _search(run: LoopRun) -> int:
    """Instructions for a host loop that searches for sizes of a launch: none of its iterations tells what it finds."""
    machine, facts = run.machine, run.facts
    types = machine.frames[-1].code.register_types
    if not any(types[variable].is_integer for variable in facts.kept - facts.sums):
        return 0
    if machine.dry or facts.reads_memory or not machine.library.awaits_launches():
        return 0
    return _share_of_budget(run, SEARCH_SHARE)


def _share_of_budget(run: LoopRun, part: int) -> int:
    """Instructions that a host loop may take of what is set aside for a closer look at some; less for inner loops."""
    machine = run.machine
    depth = min(len(machine.loop_stack) - 1, 4)
    share = machine.budget // part // int(CENSUS_NESTED_SHARE**depth)
    return min(share, machine.census_allowance)


def runs_whole(
    run: LoopRun,
    longest: float,
    steps: Steps,
    *,
    nested: bool,
    alike: bool,
) -> bool:
    """Spend some of the allowance on the rest of the loop, or on its next iterations where it cannot be foreseen."""
    machine = run.machine
    allowance = machine.whole_loop_allowance // (4 if nested else 1)
    price = longest * max(run.cost, 1)
    if price <= allowance:
        machine.whole_loop_allowance -= int(price)
        run.next_check = run.iteration + int(longest) + 2
        return True
    if not run.is_erratic(steps) or alike:
        return False
    price = (run.next_check - run.iteration) * max(run.cost, 1)
    machine.whole_loop_allowance -= price
    return price <= allowance


def keeps_arrays(run: LoopRun, longest: float) -> bool:
    """Whether a short loop is run whole: what arrays of a thread hold stays known, and so do the arrays that a table has.

    One iteration cannot stand for others that go to other arrays.
    """
    machine = run.machine
    if longest > OWN_ARRAY_TRIPS:
        return False
    if not run.facts.reads_pointers and not _stores_to_own_arrays(run):
        return False
    price = longest * max(run.cost, 1)
    if machine.executed + price > OWN_ARRAY_SHARE * machine.budget:
        return False
    run.next_check = run.iteration + int(longest) + 2
    return True


def keeps_sums(run: LoopRun, longest: float, steps: Steps) -> bool:
    """Whether a very short loop is run whole since something is decided by a sum of known numbers that differ.

    Thresholds of a distribution, say: their mean would take other branches than the sum.
    """
    machine, registers = run.machine, run.machine.frames[-1].registers
    price = longest * max(run.cost, 1)
    if longest > SUM_TRIPS or machine.executed + price > SUM_SHARE * machine.budget:
        return False
    if not any(
        not isinstance(registers[variable], Unknown | Mixed) and machine.facts.is_compared(variable)
        for variable in run.facts.sums - steps.keys()
    ):
        return False
    run.next_check = run.iteration + int(longest) + 2
    return True


def outlasts_arrays(run: LoopRun) -> bool:
    """Whether a loop that decides by arrays of a thread is too long to be looked at again while these are known."""
    machine = run.machine
    ahead = (run.next_check - run.iteration) * max(run.cost, 1)
    return (
        not machine.is_host
        and run.iteration >= FEWEST_STEPS
        and machine.executed + ahead > OWN_ARRAY_SHARE * machine.budget
        and _stores_to_own_arrays(run)
    )


def _stores_to_own_arrays(run: LoopRun) -> bool:
    return any(
        stores.lanes is not None and stores.lanes.last >= run.entry.first_store
        for stores in run.machine.stores.values()
    )
