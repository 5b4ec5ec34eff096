"""Launches in arms and loops of host code that a program's values do not take: a further run takes them for their sake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import FunctionName
from clang_queries.ir.statements import Directive
from clang_queries.ir.walk import walk
from roofstat.program.code import LaunchSite, Op, ParameterPiece, Switch, blocks, writers_of
from roofstat.program.openmp.clauses import is_target
from roofstat.program.slices import copied_once

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from roofstat.execution.numbers.values import Value
    from roofstat.program.code import Code, If, Instruction, Region
    from roofstat.program.link import Program

Wishes = dict[str, dict[tuple[str, int], int]]
"""Kernel -> the values of parameters (by function and number) that lead to it."""
Arms = tuple[frozenset[str], ...]
"""For each arm of a branch what it leads to: kernels, and functions with target regions."""


class UntakenArms:
    """What the arms of host branches lead to, and which of it a run has passed by."""

    def __init__(
        self,
        program: Program,
        sought: frozenset[str] = frozenset(),
        wishes: Wishes | None = None,
    ) -> None:
        self.passed: set[str] = set()
        """Kernels, and functions with target regions, that arms lead to which the run has not taken."""
        self.sought = sought
        """What arms are taken for, whatever decides there."""
        self.wishes = {} if wishes is None else wishes
        """What parameters lead to; runs that seek something know it from those before."""
        self._program = program
        self._kernels = frozenset(program.kernels)
        self._arms: dict[int, tuple[object, Arms]] = {}
        self._named: dict[str, tuple[frozenset[str], bool]] = {}

    def choice(
        self, branch: object, arms: Sequence[list[Region]], chosen: int, launched: set[str]
    ) -> int:
        """Return the arm to run: the chosen one (-1 for none), or one that alone leads to a kernel that is sought.

        Args:
            branch: The branch, by identity.
            arms: Its arms.
            chosen: The one that the program's values choose.
            launched: Kernels that have been launched.
        """
        reached = self.reached(branch, arms)
        if not any(reached):
            return chosen
        if self.sought:
            missing = sought_names(self._program, self.sought - launched)
            if chosen < 0 or reached[chosen].isdisjoint(missing):
                chosen = next((n for n, names in enumerate(reached) if names & missing), chosen)
        for number, names in enumerate(reached):
            if number != chosen:
                self.passed |= names
        return chosen

    def note_selectors(self, code: Code, branch: If | Switch, arms: Sequence[list[Region]]) -> None:
        """Remember which values of a function's parameters lead to what its arms do: sizes that are computed of them agree."""
        reached = self.reached(branch, arms)
        if not any(reached):
            return
        for selector, names in zip(self._selectors(code, branch), reached, strict=True):
            if selector is None:
                continue
            number, value = selector
            for name in names:
                self.wishes.setdefault(name, {}).setdefault((code.key, number), value)

    def wished(self, code: Code, arguments: list[Value], launched: set[str]) -> list[Value]:
        """Arguments of a function, with those that lead to the next kernel that is sought."""
        if self.sought:
            for kernel, wishes in self.wishes.items():
                own = {number: value for (key, number), value in wishes.items() if key == code.key}
                if own and kernel in self.sought and kernel not in launched:
                    return [own.get(number, value) for number, value in enumerate(arguments)]
        return arguments

    @staticmethod
    def _selectors(code: Code, branch: If | Switch) -> list[tuple[int, int] | None]:
        """For each arm the parameter that decides, with the value that leads there; None where that is not known."""
        writers = writers_of(code)
        if isinstance(branch, Switch):
            number = _parameter_behind(writers, branch.selector)
            return [
                (number, case.values[0][0]) if number is not None and case.values else None
                for case in branch.cases
            ]
        compared = writers.get(branch.condition, ())
        if len(compared) != 1 or compared[0].op not in (Op.EQ, Op.NE):
            return [None, None]
        for register, other in (compared[0].args, compared[0].args[::-1]):
            number, value = _parameter_behind(writers, register), code.constants.get(other)
            if number is not None and isinstance(value, int):
                found = [(number, value), None]
                return found if compared[0].op is Op.EQ else found[::-1]
        return [None, None]

    def reached(self, branch: object, arms: Sequence[list[Region]]) -> Arms:
        """What each arm of a branch leads to."""
        known = self._arms.get(id(branch))
        if known is None:
            known = branch, tuple(self._reached(arm) for arm in arms)
            self._arms[id(branch)] = known
        return known[1]

    def _reached(self, arm: list[Region]) -> frozenset[str]:
        found: set[str] = set()
        for block in blocks(arm):
            for item in block.instructions:
                if item.op in (Op.CALL, Op.FUNCTION):  # called, or handed on to be called
                    found |= self._launches(str(item.detail))
                elif item.op is Op.LAUNCH and isinstance(item.detail, LaunchSite):
                    found.add(item.detail.kernel or "")
        return frozenset(found - {""})

    def _launches(self, start: str) -> frozenset[str]:
        """Kernels, and functions with target regions, among a host function and what it names, itself or through others."""
        found = {start} & self._kernels
        seen = {start}
        stack = [start]
        while stack:
            key = stack.pop()
            named, has_regions = self._facts(key)
            if has_regions:
                found.add(key)
            found |= named & self._kernels
            stack += named - self._kernels - seen
            seen |= named
        return frozenset(found)

    def _facts(self, key: str) -> tuple[frozenset[str], bool]:
        """(functions that a function names, whether it has target regions)."""
        known = self._named.get(key)
        if known is None:
            function = self._program.functions.get(key)
            nodes = () if function is None else tuple(walk(function.body))
            known = self._named[key] = (
                frozenset(node.key for node in nodes if isinstance(node, FunctionName)),
                any(isinstance(node, Directive) and is_target(node) for node in nodes),
            )
        return known


def _parameter_behind(writers: dict[int, list[Instruction]], register: int) -> int | None:
    """Number of the parameter that a register is a copy of; None for what is computed, or changes."""
    found = writers.get(copied_once(writers, register), ())
    if len(found) != 1 or not isinstance(found[0].detail, ParameterPiece):
        return None
    return found[0].detail.index if found[0].detail.offset_bytes == 0 else None


def sought_names(program: Program, keys: Collection[str]) -> frozenset[str]:
    """What leads to kernels and target regions: their keys, and those of the functions around regions."""
    regions = [program.regions[key].function_key for key in keys if key in program.regions]
    return frozenset((*keys, *regions))
