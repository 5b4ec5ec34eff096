"""Addresses that a loop makes of rounded numbers: that two of them are equal is no more than a property of the data.

``row[rint(k * step * delay[c])]`` is the same element for all `k` where `delay[c]` is small, and no compiler knows. Of constants
(``rint(k * 0.01f)``) none makes use either (nvcc 13.0, sm_90). Nor does a register carry ``words[k >> 5]`` from one iteration to
the next: copies of one body share what their numbers have in common, and the next round loads again (PTX of 16 own loops, nvcc 13.0
and clang 18).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.program.code import Loop, Op, children, instructions_of, writers_of
from roofstat.program.slices import backward_slice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from roofstat.program.code import Code, Instruction, Region

_LOSSY = frozenset({Op.SHR, Op.DIV})


class RoundedAddresses:
    """Knows which loops move an address through a number that is made of floating-point ones, or is a quotient."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._writers = writers_of(code)
        self._written: dict[int, frozenset[int]] = {}
        """Loop -> the registers that are written inside."""
        self._known: dict[tuple[int, int], bool] = {}
        self._quotients: dict[tuple[int, int], bool] = {}
        self._walk(code.body)

    def move_with(self, access: Instruction, loop: int) -> bool:
        """Whether the address of an access changes with a loop in such a way."""
        known = self._known.get((access.site, loop))
        if known is None:
            known = self._moves(access, loop, self._rounds)
            self._known[access.site, loop] = known
        return known

    def step_with(self, access: Instruction, loop: int) -> bool:
        """Whether the address of an access changes with a loop through quotients or shifts of whole numbers: not in each iteration."""
        known = self._quotients.get((access.site, loop))
        if known is None:
            known = self._moves(access, loop, self._is_quotient)
            self._quotients[access.site, loop] = known
        return known

    def _walk(self, regions: Sequence[Region]) -> None:
        for region in regions:
            if isinstance(region, Loop):
                inside = [*region.condition, *region.body, *region.step]
                self._written[region.number] = frozenset(
                    item.dest for item in instructions_of(inside)
                )
            for part in children(region):
                self._walk(part)

    def _moves(self, access: Instruction, loop: int, loses: Callable[[Instruction], bool]) -> bool:
        """Whether a loop moves an address through an instruction of a kind that makes one number of several."""
        behind = backward_slice(
            self._writers, access.args[0], leads_on=lambda item: not loses(item)
        )
        return any(loses(item) and self._varies(item, loop) for item in behind)

    def _is_quotient(self, item: Instruction) -> bool:
        return item.op in _LOSSY and self._code.register_types[item.dest].is_integer

    def _rounds(self, item: Instruction) -> bool:
        types = self._code.register_types
        return types[item.dest].is_integer and any(types[source].is_float for source in item.args)

    def _varies(self, item: Instruction, loop: int) -> bool:
        """Whether a result rests on a variable that a loop writes."""
        moving = self._written.get(loop, frozenset()) & self._code.variables
        behind = (
            found
            for source in item.args
            for found in backward_slice(self._writers, source, leads_on=lambda _: True)
        )
        return any(not moving.isdisjoint(found.args) for found in (item, *behind))
