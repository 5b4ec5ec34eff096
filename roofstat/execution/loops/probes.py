"""Searches in tables with open addressing: how many places a loop looks at that goes round a table.

With half of the places of a table taken a search that finds its key looks at 1.5 of them in the mean, and one that finds
a free place at 2.5 (Knuth, The Art of Computer Programming, volume 3, section 6.4, for linear probing): about 2, so that
half of the places that are looked at end a search. Lanes end on their own, and a warp waits for the longest search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.loops.facts import is_swap
from roofstat.execution.numbers.comparisons import comparisons_of, conjunction_of
from roofstat.program.code import AtomicAccess, If, Op, blocks, children
from roofstat.program.slices import backward_slice

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from roofstat.execution.loops.facts import LoopFacts
    from roofstat.execution.machine import Machine
    from roofstat.program.code import Instruction, Loop, Region

END_OF_SEARCH = 0.5
"""The part of the places looked at that end a search, in a table that is half full."""
MOST_PROBES = 64
"""Iterations after which a search has ended in all but one of 2^64 lanes."""
_PARTS_OF_ENTRY = frozenset({Op.MOV, Op.CAST, Op.SHR, Op.AND})
"""What takes a key out of an entry."""


@dataclass(frozen=True, slots=True)
class Probes:
    """What ends a search in a table."""

    tests: Mapping[int, float]
    """Registers of the conditions that end it, with how likely each does."""


def probes_of(machine: Machine, loop: Loop, facts: LoopFacts) -> Probes | None:
    """What ends a kernel's search in a table; None for other loops."""
    known = machine.facts.probes
    if loop.number not in known:
        tests = {} if machine.is_host else _Search(machine, loop, facts).tests()
        known[loop.number] = Probes(tests) if tests else None
    return known[loop.number]


class _Search:
    """Looks for loops whose end depends on what they find at places that go round a table."""

    def __init__(self, machine: Machine, loop: Loop, facts: LoopFacts) -> None:
        self._machine = machine
        self._loop = loop
        self._facts = facts
        self._writers: dict[int, list[Instruction]] = {}
        for block in blocks([*loop.condition, *loop.body, *loop.step]):
            for item in block.instructions:
                if item.dest >= 0:
                    self._writers.setdefault(item.dest, []).append(item)

    def tests(self) -> dict[int, float]:
        """Conditions that end the search by what it finds, with how likely each does.

        One behind another that holds, as that of a swap where the place was seen to be free, ends it for sure.
        """
        swaps = [item for items in self._writers.values() for item in items if is_swap(item)]
        if not all(_compares_and_swaps(item) and self._goes_round(item) for item in swaps):
            return {}  # it tries one place again, or drives others out of theirs
        found = dict(self._exits([*self._loop.condition, *self._loop.body, *self._loop.step]))
        register = self._loop.condition_register
        if register is not None and self._entry_tests(register):
            found[register] = False
        first = sum(not is_behind for is_behind in found.values())
        chance = 1.0 - (1.0 - END_OF_SEARCH) ** (1.0 / max(first, 1))
        return {test: 1.0 if is_behind else chance for test, is_behind in found.items()}

    def _exits(
        self, regions: Sequence[Region], *, is_behind: bool = False
    ) -> Iterator[tuple[int, bool]]:
        """Tests of branches that leave the loop, with whether they stand behind one that holds."""
        for region in regions:
            tests = self._entry_tests(region.condition) if isinstance(region, If) else []
            if not isinstance(region, If) or not tests:
                for part in children(region):
                    yield from self._exits(part, is_behind=is_behind)
                continue
            holds = any(item.op is Op.EQ for item in tests)
            inner = [
                *self._exits(region.then, is_behind=is_behind or holds),
                *self._exits(region.otherwise, is_behind=is_behind or not holds),
            ]
            leaves = self._machine.facts.leaving_labels(region) - self._facts.inner_labels
            if leaves or any(is_behind_this for _, is_behind_this in inner):
                yield region.condition, is_behind
            yield from inner

    def _entry_tests(self, register: int) -> list[Instruction]:
        """Comparisons behind a condition that ask for an entry of the table."""
        comparisons = conjunction_of(self._machine, register, is_lazy=True) or comparisons_of(
            self._machine, register
        )
        return [item for item in comparisons if self._ends_on_entry(item)]

    def _ends_on_entry(self, comparison: Instruction) -> bool:
        """Whether a comparison asks whether an entry of the table is a certain one."""
        if comparison.op not in (Op.EQ, Op.NE) or not comparison.scalar.is_integer:
            return False
        return any(
            self._is_entry(entry) and not self._changes(key)
            for entry, key in (comparison.args, comparison.args[::-1])
        )

    def _is_entry(self, register: int) -> bool:
        return any(
            (item.op is Op.LOAD or is_swap(item)) and self._goes_round(item)
            for item in self._sources(register, _PARTS_OF_ENTRY)
        )

    def _goes_round(self, access: Instruction) -> bool:
        """Whether a mask or a remainder by something fixed, or a return to 0, leads from the place before to an address."""
        constants = self._machine.frames[-1].code.constants
        for item in self._sources(access.args[0]):
            if item.op in (Op.AND, Op.REM) and any(
                self._changes(place) and not self._changes(size)
                for place, size in (item.args, item.args[::-1])
            ):
                return True
            is_reset = item.op is Op.MOV and constants.get(item.args[0]) == 0
            if is_reset and item.dest in self._facts.carried:
                return True
        return False

    def _changes(self, register: int) -> bool:
        """Whether a register differs from iteration to iteration."""
        return register in self._facts.carried or any(
            argument in self._facts.carried
            for item in self._sources(register, beyond_loads=True)
            for argument in item.args
        )

    def _sources(
        self,
        register: int,
        through: frozenset[Op] | None = None,
        *,
        beyond_loads: bool = False,
    ) -> Iterator[Instruction]:
        """What of the loop a register comes from, as far as certain operations lead."""

        def leads_on(item: Instruction) -> bool:
            if item.op is Op.LOAD:
                return beyond_loads
            return through is None or item.op in through

        return backward_slice(self._writers, register, leads_on)


def _compares_and_swaps(item: Instruction) -> bool:
    return isinstance(item.detail, AtomicAccess) and item.detail.name == "cas"
