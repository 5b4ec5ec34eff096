"""Where memory instructions stand relative to branches, loops and barriers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofstat.program.code import Block, If, Loop, Op, Switch, children

if TYPE_CHECKING:
    from roofstat.execution.trace import AccessEvent
    from roofstat.program.code import Code, Region


class CodeStructure:
    """Static facts about the sites of a code, found in one walk."""

    def __init__(self, code: Code) -> None:
        self._barriers_before: dict[int, int] = {}
        self._conditional: set[int] = set()
        self._barrier_loops: set[int] = set()
        self._barriers = 0
        self._walk(code.body, (), is_conditional=False)

    def is_unconditional(self, site: int) -> bool:
        """Whether the instruction runs in every iteration of its innermost loop."""
        return site not in self._conditional

    def barrier_place(self, event: AccessEvent) -> tuple[object, ...]:
        """Equal for two events only if no barrier lies between them."""
        place: list[object] = [self._barriers_before.get(event.site, 0)]
        for coordinate in event.loops:
            if coordinate.loop in self._barrier_loops:
                iteration = coordinate.iteration
                place.append(
                    int(iteration.max()) if isinstance(iteration, np.ndarray) else iteration
                )
        return tuple(place)

    def _walk(self, regions: list[Region], loops: tuple[int, ...], *, is_conditional: bool) -> None:
        for region in regions:
            match region:
                case Block():
                    for instruction in region.instructions:
                        self._barriers_before[instruction.site] = self._barriers
                        if is_conditional:
                            self._conditional.add(instruction.site)
                        if instruction.op is Op.BARRIER:
                            self._barriers += 1
                            self._barrier_loops.update(loops)
                case Loop():
                    for part in children(region):
                        self._walk(part, (*loops, region.number), is_conditional=False)
                case If() | Switch():
                    for part in children(region):
                        self._walk(part, loops, is_conditional=True)
                case _:
                    for part in children(region):
                        self._walk(part, loops, is_conditional=is_conditional)
