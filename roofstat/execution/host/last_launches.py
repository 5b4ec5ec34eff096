"""Where host code can launch nothing any more: checks and references on the CPU behind the last launch decide nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.libraries.names import library_of
from roofstat.program.code import Block, If, LibraryCall, Loop, Op, Scope, Switch, instructions_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofstat.execution.activation import Frame
    from roofstat.execution.host.effects import FunctionEffects
    from roofstat.program.code import Code, Instruction, Region

_LAUNCHING = ("Launch", "Graph", "KernelNode")
"""Parts of the names of calls of the run time that launch kernels."""


class LastLaunches:
    """Says whether any launch can follow; what the code says is found once for each."""

    def __init__(self, effects: FunctionEffects) -> None:
        self._effects = effects
        self._quiet: dict[int, tuple[Code, set[int]]] = {}

    def are_over(self, frames: Sequence[Frame]) -> bool:
        """Whether nothing launches behind where each of the activations is, of the loops around it neither."""
        return all(
            frame.function is None and id(frame.here.item) in self._quiet_places(frame.code)
            for frame in frames
        )

    def _quiet_places(self, code: Code) -> set[int]:
        known = self._quiet.get(id(code))
        if known is None:
            found: dict[int, bool] = {}
            self._mark(code.body, found, is_quiet=True)
            known = code, {place for place, is_quiet in found.items() if is_quiet}
            self._quiet[id(code)] = known
        return known[1]

    def _mark(self, regions: list[Region], found: dict[int, bool], *, is_quiet: bool) -> bool:
        """Note for each instruction and region whether nothing launches behind it; return that of what lies before them all.

        Args:
            regions: Run one after another.
            found: By identity; one that stands at several places is as the least quiet of them.
            is_quiet: Whether nothing launches behind them.
        """
        for region in reversed(regions):
            match region:
                case Block():
                    for item in reversed(region.instructions):
                        found[id(item)] = is_quiet and found.get(id(item), True)
                        is_quiet = is_quiet and not self._launches(item)
                case If():
                    before = [
                        self._mark(arm, found, is_quiet=is_quiet)
                        for arm in (region.then, region.otherwise)
                    ]
                    is_quiet = all(before)
                case Scope():
                    is_quiet = self._mark(region.body, found, is_quiet=is_quiet)
                case Loop():
                    # What stands behind in one iteration stands before in the next.
                    parts = [region.condition, region.body, region.step]
                    is_quiet = is_quiet and not any(map(self._launches_in, parts))
                    found[id(region)] = is_quiet and found.get(id(region), True)
                    for part in parts:
                        self._mark(part, found, is_quiet=is_quiet)
                case Switch():
                    bodies = [case.body for case in region.cases]
                    is_quiet = is_quiet and not any(map(self._launches_in, bodies))
                    for body in bodies:
                        self._mark(body, found, is_quiet=is_quiet)
        return is_quiet

    def _launches_in(self, regions: list[Region]) -> bool:
        return any(map(self._launches, instructions_of(regions)))

    def _launches(self, item: Instruction) -> bool:
        """Whether an instruction may launch something, itself or through what it calls."""
        match item.op:
            case Op.LAUNCH | Op.CALL_POINTER:
                return True
            case Op.CALL:
                return self._effects.may_launch(str(item.detail))
            case Op.LIBRARY:
                name = item.detail.name if isinstance(item.detail, LibraryCall) else ""
                is_launch = any(part in name for part in _LAUNCHING)
                return is_launch or library_of(name) is not None
            case _:
                return False
