"""Stores of host code at places of an array that nobody knows: every element then holds the value with some probability.

An iteration of a host loop that stands for others stores for them as well. What it stores may be its own, though, as
``mark[column] = row`` does, by which it knows what it has met before: the others then store something else, and what they
have stored is there only when the loop has gone on.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.loops.facts import facts_of
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.execution.machine import Machine
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.stored.address_space import MemoryObject
    from roofstat.program.code import Instruction

SCATTERED_ELEMENTS = 64
"""From this size on, single elements of an array that is written at unknown places do not matter."""
_OTHERS = "stores of other iterations"
"""Key in the state of an allocation."""


@dataclass(slots=True, eq=False)
class _Others:
    """What iterations store that one stands for, until another one runs."""

    value: Value
    count: float = 0.0


def scatter(machine: Machine, item: Instruction, found: MemoryObject, value: Value) -> None:
    """A store of host code to an unknown element of an array."""
    size = found.buffer.size_bytes
    if size is None or size < SCATTERED_ELEMENTS * item.scalar.size_bytes or machine.doubt:
        found.contents.forget()
        return
    count = float(machine.weight[0])
    own = _own_share(machine, item)
    others = found.state.get(_OTHERS)
    if isinstance(others, _Others) and others.value != value:
        found.contents.scatter(item.scalar, others.value, others.count, size)
        others = None
    if own < count:
        others = others if isinstance(others, _Others) else _Others(value)
        others.count += count - own
        found.state[_OTHERS] = others
    else:
        found.state.pop(_OTHERS, None)
    found.contents.scatter(item.scalar, value, own, size)


def _own_share(machine: Machine, item: Instruction) -> float:
    """How many elements the store of the iteration itself stands for, where it stores the variable of a loop; else of all."""
    definitions = machine.facts.definitions
    register, seen = item.args[1], set[int]()
    while register not in seen:
        seen.add(register)
        for depth, entry in enumerate(machine.loop_stack):
            if (
                entry.frame is machine.frames[-1]
                and register in facts_of(machine, entry.loop).carried
            ):
                return math.prod(inner.share for inner in machine.loop_stack[depth + 1 :])
        definition = definitions.get(register)
        if definition is None or definition.op not in (Op.CAST, Op.MOV):
            break
        register = definition.args[0]
    return float(machine.weight[0])
