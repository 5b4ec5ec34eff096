"""Straight-line stretches of structured code, and which of their accesses may touch the same memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.program.code import (
    Block,
    If,
    Loop,
    MemoryAccess,
    Op,
    Scope,
    children,
    instructions_of,
)
from roofstat.program.dead_code import EFFECTS

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Position
    from roofstat.program.addresses import Numbering, Roots, Terms
    from roofstat.program.code import Instruction, Region

Run = list["Instruction | frozenset[int]"]
"""Instructions in order; a set stands for variables that are chosen between there."""

_SMALL_ARM = 4
"""Operations in the arm of a branch that compilers turn into selections."""
_HARMLESS = frozenset({Op.SHUFFLE, Op.VOTE})
"""Effects that touch no memory."""


def runs(regions: list[Region]) -> list[Run]:
    """The straight-line stretches of the code, each in program order."""
    finished: list[Run] = []
    _Splitter(finished).split(regions)
    return finished


def is_access(item: Instruction | frozenset[int]) -> bool:
    """Whether it is a LOAD or STORE."""
    return not isinstance(item, frozenset) and item.op in (Op.LOAD, Op.STORE)


def is_fence(item: Instruction) -> bool:
    """Whether nothing may be moved across: it may touch any memory."""
    return item.op in EFFECTS and item.op not in _HARMLESS and item.op is not Op.STORE


class _Splitter:
    """Cuts the code where control flow divides or meets."""

    def __init__(self, finished: list[Run]) -> None:
        self._finished = finished
        self._run: Run = []

    def split(self, regions: list[Region]) -> None:
        """Walk regions that start a run of their own."""
        self._walk(regions)
        self._cut()

    def _cut(self) -> None:
        if self._run:
            self._finished.append(self._run)
        self._run = []

    def _walk(self, regions: list[Region]) -> None:
        for region in regions:
            if isinstance(region, Block):
                self._run.extend(region.instructions)
            elif isinstance(region, Scope):
                # Its start is no boundary; where it ends, jumps arrive.
                self._walk(region.body)
                self._cut()
            elif isinstance(region, If) and _is_selection(region):
                self._run.append(frozenset(item.dest for item in instructions_of([region])))
            elif isinstance(region, Loop):
                self._cut()
                _Splitter(self._finished).split(region.condition)
                _Splitter(self._finished).split([*region.body, *region.step])
            else:
                self._cut()
                for part in children(region):
                    _Splitter(self._finished).split(part)


def _is_selection(region: If) -> bool:
    """Whether compilers compute both arms and choose."""
    for arm in (region.then, region.otherwise):
        if any(not isinstance(inner, Block) for inner in arm):
            return False
        items = list(instructions_of(arm))
        if len(items) > _SMALL_ARM:
            return False
        if any(item.op in EFFECTS or item.op is Op.LOAD for item in items):
            return False
    return True


@dataclass(slots=True, eq=False, kw_only=True)
class Access:
    """A load or store of a run."""

    item: Instruction
    detail: MemoryAccess
    terms: Terms
    place: int
    """Byte position on the line that `terms` spans."""
    size: int
    root: Instruction | None
    order: int

    @property
    def is_load(self) -> bool:
        """Whether it is a load."""
        return self.item.op is Op.LOAD

    @property
    def is_plain(self) -> bool:
        """Whether a compiler may join or drop it."""
        return not self.detail.is_volatile and self.detail.bit_width is None and self.size > 0


def access_of(item: Instruction, order: int, numbering: Numbering, roots: Roots) -> Access | None:
    """Where a LOAD or STORE goes; None for other instructions."""
    if not is_access(item) or not isinstance(item.detail, MemoryAccess):
        return None
    form = numbering.linear(item.args[0])
    return Access(
        item=item,
        detail=item.detail,
        terms=form.terms,
        place=form.constant + item.detail.offset_bytes,
        size=item.scalar.size_bytes,
        root=roots.root(item.args[0]),
        order=order,
    )


def copies_in(run: Run) -> frozenset[Position]:
    """Where records are copied: places in the source at which a run moves several members of one."""
    members: dict[Position, set[int]] = {}
    for item in run:
        if isinstance(item, frozenset) or not isinstance(item.detail, MemoryAccess):
            continue
        if item.detail.record:
            members.setdefault(item.position, set()).add(item.detail.record_offset_bytes)
    return frozenset(place for place, found in members.items() if len(found) > 1)


def may_touch(
    one: Access, two: Access, roots: Roots, bytewise: frozenset[Position] = frozenset()
) -> bool:
    """Whether a compiler must assume that two accesses of a run overlap, at least one of them a store.

    Args:
        one: An access.
        two: Another one.
        roots: Objects behind addresses.
        bytewise: Where records are copied of which the compiler does not know that the members have types.
    """
    if any(access.is_load and access.detail.is_read_only for access in (one, two)):
        return False
    if one.terms == two.terms:
        return one.place < two.place + two.size and two.place < one.place + one.size
    first, second = one.detail, two.detail
    is_typed = bytewise.isdisjoint((one.item.position, two.item.position))
    if is_typed and first.record and first.record == second.record:
        # Different members of one type never overlap.
        begin, other = first.record_offset_bytes, second.record_offset_bytes
        if begin >= other + two.size or other >= begin + one.size:
            return False
    return not roots.are_distinct(one.root, two.root)
