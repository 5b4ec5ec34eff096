"""Ways to the root of a tree that an array of parents holds, as where sets of elements are joined (union-find).

The way is one link where trees are kept flat, and ln(n) links where n elements were joined at random and no way was ever
made shorter (the mean depth of random recursive trees): the geometric mean of both is taken. The depths of such trees
spread as Poisson's distribution does.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

from roofstat.execution.loops.lists import poisson, variable_of
from roofstat.execution.numbers.comparisons import conjunction_of
from roofstat.execution.numbers.unknowns import new_unknown
from roofstat.execution.numbers.values import Mixed, Unknown
from roofstat.program.code import Op, writers
from roofstat.program.comparisons import COMPARISONS
from roofstat.program.slices import COPIES, backward_slice

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from roofstat.execution.loops.run_state import LoopRun
    from roofstat.execution.mask import Mask
    from roofstat.program.code import Instruction

FEWEST_ELEMENTS = 1024.0
"""Elements of an array of unknown size, at least."""


def drawn_root_trips(run: LoopRun, active: Mask) -> NDArray[np.float64] | None:
    """The same where numbers were drawn for the parents: of these each lane would come to a smaller one by chance."""
    found = _found(run)
    is_drawn = found is not None and isinstance(
        run.machine.frames[-1].registers[found[0]], Unknown | Mixed
    )
    return root_trips(run, active) if is_drawn else None


def _found(run: LoopRun) -> tuple[int, int] | None:
    """See `_parents_of`; found once."""
    known = run.machine.facts.parents
    if run.loop.number not in known:
        known[run.loop.number] = None if run.machine.is_host else _parents_of(run)
    return known[run.loop.number]


def root_trips(run: LoopRun, active: Mask) -> NDArray[np.float64] | None:
    """Trips to come of each lane in a kernel's loop to a root; None for other loops."""
    machine = run.machine
    found = _found(run)
    if found is None:
        return None
    elements = _elements(run, *found)
    links = math.sqrt(math.log(elements))
    run.totals.source = "assumed"
    machine.assume(
        "trip-count",
        f"way to a root among {elements:,.0f} elements: {links:.2g} links, between 1 and ln(n)",
        run.loop.position,
        active,
    )
    return poisson(links, machine.draws(new_unknown("the way to a root")))


def _elements(run: LoopRun, element: int, stride_bytes: int) -> float:
    """Elements of the array that a register was loaded from."""
    value = run.machine.frames[-1].registers[element]
    value = value.unknown if isinstance(value, Mixed) else value
    if not isinstance(value, Unknown) or value.origin is None:
        return FEWEST_ELEMENTS
    buffer = run.machine.memory.objects[value.origin].buffer
    known = 0 if buffer.size_is_assumed else buffer.size_bytes or 0
    return max(known / stride_bytes, FEWEST_ELEMENTS)


def _parents_of(run: LoopRun) -> tuple[int, int] | None:
    """Where a loop asks whether the element at a place, else the next one, is that place: the element and its bytes."""
    register = run.loop.condition_register
    if register is None or not run.loop.tests_before:
        return None
    for comparison in conjunction_of(run.machine, register, is_lazy=True) or ():
        if comparison.op not in COMPARISONS or not comparison.scalar.is_integer:
            continue
        for element, compared in (comparison.args, comparison.args[::-1]):
            place = variable_of(run, compared)
            if place in run.facts.carried:
                stride, onwards = (_stride_at(run, item, place) for item in (element, place))
                if stride and onwards:
                    return element, stride
    return None


def _stride_at(run: LoopRun, register: int, place: int) -> int:
    """Bytes between elements of an array, if a register's value is the one of them that a variable leads to; 0 if not."""
    for item in _sources(run, register):
        address = run.machine.facts.definitions.get(item.args[0]) if item.op is Op.LOAD else None
        if address is None or address.op is not Op.PTR_ADD:
            continue
        if variable_of(run, address.args[1]) == place:
            return cast("int", address.detail)
    return 0


def _sources(run: LoopRun, register: int) -> Iterator[Instruction]:
    """What of the loop a register is a copy of."""
    inside = writers([*run.loop.condition, *run.loop.body, *run.loop.step])
    return backward_slice(inside, register, lambda item: item.op in COPIES)
