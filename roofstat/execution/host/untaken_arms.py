"""Launches in arms and loops of host code that a program's values do not take: a further run takes them for their sake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import FunctionName
from clang_queries.ir.statements import Directive
from clang_queries.ir.walk import walk
from roofstat.program.code import LaunchSite, Op, blocks
from roofstat.program.openmp.clauses import is_target

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from roofstat.program.code import Region
    from roofstat.program.link import Program

Arms = tuple[frozenset[str], ...]
"""For each arm of a branch what it leads to: kernels, and functions with target regions."""


class UntakenArms:
    """What the arms of host branches lead to, and which of it a run has passed by."""

    def __init__(self, program: Program, sought: frozenset[str] = frozenset()) -> None:
        self.passed: set[str] = set()
        """Kernels, and functions with target regions, that arms lead to which the run has not taken."""
        self.sought = sought
        """What arms are taken for, whatever decides there."""
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


def sought_names(program: Program, keys: Collection[str]) -> frozenset[str]:
    """What leads to kernels and target regions: their keys, and those of the functions around regions."""
    regions = [program.regions[key].function_key for key in keys if key in program.regions]
    return frozenset((*keys, *regions))
