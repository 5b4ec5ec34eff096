"""Scans over shared memory, and what it is that running sums add up: the numbers of an array that the kernel loads.

A block that scans a whole array on its own leaves sums that end with as many times the mean of what it loads as the array
has elements.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from roofstat.execution.guesses.running_sums import TRANSPARENT, is_of_indices, running_sums
from roofstat.execution.loops.facts import loop_facts
from roofstat.program.code import MemoryAccess, Op, Space, blocks, loops, writers_of
from roofstat.program.slices import backward_slice, copied_once

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofstat.program.code import Code, Instruction, Loop

_PLACES = TRANSPARENT | {Op.MUL, Op.SHL, Op.PTR_ADD}
"""What indices are computed by."""


@lru_cache(maxsize=16)
def block_scans(code: Code) -> frozenset[int]:
    """Sites of a kernel's stores of what a scan over shared memory has left there."""
    scans = _Scans(code)
    scanned = {slot for loop, _ in loops(code.body) for slot in scans.scanned_in(loop)}
    if not scanned:
        return frozenset()
    return frozenset(
        item.site
        for _, item in code.instructions()
        if is_of_indices(item)
        and scans.slot_of(item) is None
        and any(
            summand.op is Op.LOAD and scans.slot_of(summand) in scanned
            for summand in scans.summands(item.args[1])
        )
    )


@lru_cache(maxsize=16)
def summed_loads(code: Code) -> frozenset[int]:
    """Sites of the loads, not from shared memory, of the whole numbers that running sums are made of."""
    sites = running_sums(code) | block_scans(code)
    if not sites:
        return frozenset()
    scans = _Scans(code)
    stores = [item for _, item in code.instructions() if item.op is Op.STORE]
    pending = [item.args[1] for item in stores if item.site in sites]
    found: set[int] = set()
    seen: set[int] = set()
    while pending:
        register = pending.pop()
        if register in seen:
            continue
        seen.add(register)
        for item in scans.writers.get(register, ()):
            if item.op in TRANSPARENT or item.op is Op.SHUFFLE:
                pending.extend(item.args)
            elif item.op is Op.LOAD and item.scalar.is_integer:
                slot = scans.slot_of(item)
                if slot is None:
                    found.add(item.site)
                pending.extend(
                    store.args[1]
                    for store in stores
                    if slot is not None and scans.slot_of(store) == slot
                )
    return frozenset(found)


class _Scans:
    """Looks for scans in a kernel."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self.writers = writers_of(code)
        self._last = {register: items[-1] for register, items in self.writers.items()}

    def summands(self, register: int) -> Iterator[Instruction]:
        """What a sum is made of, and the additions themselves."""
        return backward_slice(self.writers, register, lambda item: item.op in TRANSPARENT)

    def slot_of(self, access: Instruction) -> int | None:
        """The array of shared memory that an access goes to."""
        register = access.args[0]
        while True:
            written = self.writers.get(copied_once(self.writers, register), ())
            if len(written) != 1:
                return None
            (item,) = written
            if item.op is Op.SLOT and isinstance(item.detail, int):
                is_shared = self._code.slots[item.detail].space is Space.SHARED
                return item.detail if is_shared else None
            if item.op is not Op.PTR_ADD:
                return None
            register = item.args[0]

    def scanned_in(self, loop: Loop) -> set[int]:
        """Arrays to the elements of which a loop adds those ever farther below, or which it sweeps downwards."""
        stores = [
            item
            for block in blocks(loop.body)
            for item in block.instructions
            if item.op is Op.STORE and item.scalar.is_integer and self.slot_of(item) is not None
        ]
        facts = loop_facts(self._code, loop, self._last) if stores else None
        found: set[int] = set()
        for item in stores:
            slot = self.slot_of(item)
            assert slot is not None
            assert facts is not None
            loaded = [
                summand
                for summand in self.summands(item.args[1])
                if summand.op is Op.LOAD and self.slot_of(summand) == slot
            ]
            if any(self._is_below(load, facts.assigned) for load in loaded):
                found.add(slot)
            if (
                self._adds(item)
                and loaded
                and any(self._moves(other, slot) for other in stores if other is not item)
            ):
                found.add(slot)
        return found

    def _is_below(self, load: Instruction, moving: frozenset[int]) -> bool:
        """Whether an index is a distance below another one that changes from iteration to iteration."""
        return any(
            step.op is Op.SUB and copied_once(self.writers, step.args[1]) in moving
            for step in backward_slice(self.writers, load.args[0], lambda item: item.op in _PLACES)
        )

    def _adds(self, store: Instruction) -> bool:
        return any(item.op is Op.ADD for item in self.summands(store.args[1]))

    def _moves(self, store: Instruction, slot: int) -> bool:
        """Whether an element gets what another one holds."""
        written = self.writers.get(copied_once(self.writers, store.args[1]), ())
        if self.slot_of(store) != slot or len(written) != 1 or written[0].op is not Op.LOAD:
            return False
        return isinstance(written[0].detail, MemoryAccess) and self.slot_of(written[0]) == slot
