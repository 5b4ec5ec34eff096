"""Addresses that a loop makes of rounded numbers: that two of them are equal is no more than a property of the data.

``row[rint(k * step * delay[c])]`` is the same element for all `k` where `delay[c]` is small, and no compiler knows. Of constants
(``rint(k * 0.01f)``) none makes use either (nvcc 13.0, sm_90).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.program.code import Loop, children, instructions_of, writers_of
from roofstat.program.slices import backward_slice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofstat.program.code import Code, Instruction, Region


class RoundedAddresses:
    """Knows which loops move an address through a number that is made of floating-point ones."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._writers = writers_of(code)
        self._written: dict[int, frozenset[int]] = {}
        """Loop -> the registers that are written inside."""
        self._known: dict[tuple[int, int], bool] = {}
        self._walk(code.body)

    def move_with(self, access: Instruction, loop: int) -> bool:
        """Whether the address of an access changes with a loop in such a way."""
        known = self._known.get((access.site, loop))
        if known is None:
            known = any(self._varies(item, loop) for item in self._rounded(access.args[0]))
            self._known[access.site, loop] = known
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

    def _rounded(self, register: int) -> list[Instruction]:
        """The instructions that make whole numbers of others for an address."""
        behind = backward_slice(
            self._writers, register, leads_on=lambda item: not self._rounds(item)
        )
        return [item for item in behind if self._rounds(item)]

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
