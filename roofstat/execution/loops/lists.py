"""Walks along linked lists: how many elements a list has, where arrays hold the heads of all lists and the links.

n elements that fall into m lists at random make lists of n / m in the mean, which spread as Poisson's distribution does. A
search that ends at its element passes the whole list where it is not there, and where it is half of the others before it:
half of the searches are taken to find theirs.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.numbers.comparisons import conjunction_of
from roofstat.execution.numbers.unknowns import new_unknown
from roofstat.program.code import If, Op, every_region, instructions_of
from roofstat.program.slices import COPIES, variable_behind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from roofstat.execution.loops.run_state import LoopRun
    from roofstat.execution.mask import Mask
    from roofstat.program.code import Instruction

LONGEST_LIST = 256.0
"""Lists that are longer in the mean are no buckets: nothing is said of them."""


@dataclass(frozen=True, slots=True)
class Array:
    """An array that indices lead to: the register of its address, and the bytes between its elements."""

    base: int
    stride_bytes: int


@dataclass(frozen=True, slots=True)
class LinkedList:
    """What the code of a loop says of the list that it goes along."""

    heads: Array
    links: Array
    is_search: bool
    """Whether something else than the end of the list ends the loop."""
    tests_before: bool
    """Whether that is a part of the condition, and not a branch of the body."""


def list_trips(run: LoopRun, active: Mask) -> NDArray[np.float64] | None:
    """Trips of each lane of a kernel's walk along a list; None for other loops."""
    machine = run.machine
    known = machine.facts.lists
    if run.loop.number not in known:
        known[run.loop.number] = _list_of(run)
    found = known[run.loop.number]
    heads, links = (
        (0.0, 0.0)
        if found is None
        else (_elements(run, array) for array in (found.heads, found.links))
    )
    if found is None or not heads or not links or links / heads > LONGEST_LIST:
        return None
    mean = links / heads
    machine.assume(
        "trip-count",
        f"{'search' if found.is_search else 'walk'} along a list: {links:,.0f} elements in {heads:,.0f} lists",
        run.loop.position,
        active,
    )
    draws = machine.draws(new_unknown("the length of a list"))
    if not found.is_search:
        return poisson(mean, draws)
    # The first half of the draws finds nothing, the second what it searches.
    absent, before = poisson(mean, 2 * draws), poisson(mean / 2, 2 * draws - 1)
    return np.where(draws < 0.5, absent, before if found.tests_before else before + 1)


def _list_of(run: LoopRun) -> LinkedList | None:
    register = run.loop.condition_register
    if register is None or not run.loop.tests_before:
        return None
    leaves = conjunction_of(run.machine, register, is_lazy=True) or ()
    changing = run.facts.assigned | run.facts.computed
    regions = [*run.loop.condition, *run.loop.body, *run.loop.step]
    inside = {id(item) for item in instructions_of(regions)}
    for leaf in leaves:
        if not leaf.scalar.is_integer:
            continue
        for compared, end in (leaf.args, leaf.args[::-1]):
            place = variable_of(run, compared)
            if place not in run.facts.carried or variable_of(run, end) in changing:
                continue
            writers = run.machine.facts.writers.get(place, [])
            links = [_array_of(run, item, place) for item in writers if id(item) in inside]
            heads = [_array_of(run, item, None) for item in writers if id(item) not in inside]
            if len(links) == len(heads) == 1 and links[0] and heads[0] and links != heads:
                branches = any(_leaving_branches(run))
                return LinkedList(heads[0], links[0], len(leaves) > 1 or branches, not branches)
    return None


def _array_of(run: LoopRun, writer: Instruction, index: int | None) -> Array | None:
    """The array that a variable is loaded from; its index has to be a certain variable where one is named."""
    definitions = run.machine.facts.definitions
    load = definitions.get(variable_of(run, writer.args[0])) if writer.op in COPIES else None
    address = definitions.get(load.args[0]) if load is not None and load.op is Op.LOAD else None
    if address is None or address.op is not Op.PTR_ADD or not isinstance(address.detail, int):
        return None
    base, place = address.args
    if base in run.facts.computed | run.facts.assigned:
        return None
    if index is not None and variable_of(run, place) != index:
        return None
    return Array(base, address.detail)


def variable_of(run: LoopRun, register: int) -> int:
    """The variable or the temporary that a register was copied from."""
    machine = run.machine
    return variable_behind(machine.facts.definitions, machine.frames[-1].code.variables, register)


def _leaving_branches(run: LoopRun) -> Iterator[If]:
    for region in every_region([*run.loop.body, *run.loop.step]):
        if isinstance(region, If) and (
            run.machine.facts.leaving_labels(region) - run.facts.inner_labels
        ):
            yield region


def _elements(run: LoopRun, array: Array) -> float:
    """Elements of an array of known size; 0 of others."""
    pointer = run.machine.frames[-1].registers[array.base]
    found = run.machine.memory.find(pointer) if isinstance(pointer, int) else None
    if found is None or not found.buffer.size_bytes or found.buffer.size_is_assumed:
        return 0.0
    return found.buffer.size_bytes / array.stride_bytes


def poisson(mean: float, draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers of Poisson's distribution at places between 0 and 1 of it."""
    most = int(mean + 10 * math.sqrt(mean) + 10)
    chances = np.cumprod([math.exp(-mean), *(mean / number for number in range(1, most))])
    return np.searchsorted(np.cumsum(chances), draws).astype(np.float64)
