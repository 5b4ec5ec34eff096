"""Running sums: stores of what a scan makes, each element the sum of those before it, so that they never fall."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from roofstat.execution.loops.facts import loop_facts
from roofstat.program.code import MemoryAccess, Op, blocks, loops, writers_of
from roofstat.program.slices import backward_slice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofstat.program.code import Code, Instruction, Loop

_INDEX_BYTES = 4
"""Narrower whole numbers are no numbers of elements."""
TRANSPARENT = frozenset({Op.MOV, Op.CAST, Op.ADD, Op.SUB, Op.SELECT})
"""Operations that a sum goes through."""


@lru_cache(maxsize=16)
def running_sums(code: Code) -> frozenset[int]:
    """Sites of a kernel's stores whose values are sums over the elements before: of lanes below, or of iterations before."""
    stores = [item for _, item in code.instructions() if is_of_indices(item)]
    if not stores:
        return frozenset()
    writers = writers_of(code)
    slices = _Slices(code, writers)
    found = {item.site for item in stores if slices.has_shuffle(item.args[1])}
    definitions = {register: items[-1] for register, items in writers.items()}
    for loop, _ in loops(code.body):
        found.update(_summed_in(code, loop, definitions, slices))
    return frozenset(found)


def is_of_indices(item: Instruction) -> bool:
    """Whether an instruction stores whole numbers that may be places."""
    return (
        item.op is Op.STORE
        and item.scalar.is_integer
        and item.scalar.size_bytes >= _INDEX_BYTES
        and isinstance(item.detail, MemoryAccess)
    )


class _Slices:
    """What registers are computed from."""

    def __init__(self, code: Code, writers: dict[int, list[Instruction]]) -> None:
        self._variables = code.variables
        self._writers = writers

    def has_shuffle(self, register: int) -> bool:
        """Whether a value has what lanes below hold as a summand."""
        return any(
            item.op is Op.SHUFFLE and item.detail == "up" for item in self._summands(register)
        )

    def adds_data(self, loop: Loop, variable: int) -> bool:
        """Whether a loop adds loaded numbers to one of its sums."""
        for block in blocks(loop.body):
            for item in block.instructions:
                if item.dest != variable:
                    continue
                summands = self._summands(item.args[0], variable)
                if any(summand.op is Op.LOAD for summand in summands):
                    return True
        return False

    def variables(self, register: int) -> set[int]:
        """Variables that a value is computed from, in whatever way."""
        found: set[int] = set()
        stack, seen = [register], set()
        while stack:
            current = stack.pop()
            if current in seen:
                continue
            seen.add(current)
            if current in self._variables:
                found.add(current)
                continue
            for item in self._writers.get(current, ()):
                stack.extend(item.args)
        return found

    def _summands(self, register: int, left_out: int = -1) -> Iterator[Instruction]:
        """What a sum is made of, and the additions themselves."""
        return backward_slice(
            self._writers, register, lambda item: item.op in TRANSPARENT, (left_out,)
        )


def _summed_in(
    code: Code, loop: Loop, definitions: dict[int, Instruction], slices: _Slices
) -> Iterator[int]:
    """Stores of a loop, each to another place, of what it adds loaded numbers to."""
    facts = loop_facts(code, loop, definitions)
    for block in blocks(loop.body):
        for item in block.instructions:
            if not is_of_indices(item):
                continue
            summed = slices.variables(item.args[1]) & facts.sums
            moving = slices.variables(item.args[0]) & facts.assigned
            if moving and any(slices.adds_data(loop, variable) for variable in summed):
                yield item.site
