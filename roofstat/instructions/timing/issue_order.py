"""In which order a compiler issues the instructions of a block: all loads first that wait for the same number of others.

A load is issued as early as its address allows, so that independent loads are on their way together; what needs their data
comes after them. Accesses to one memory keep their order where a store is among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.program.code import MemoryAccess, Op, Space

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from roofstat.program.code import Instruction

__all__ = ["IssueOrder", "accessed_space", "issue_order"]

_ACCESSES = frozenset({Op.LOAD, Op.STORE, Op.ATOMIC, Op.TEXTURE, Op.COPY, Op.ZERO})
_WRITES = frozenset({Op.STORE, Op.ATOMIC, Op.COPY, Op.ZERO})
_AWAITED = frozenset({Op.LOAD, Op.ATOMIC, Op.TEXTURE, Op.SHUFFLE})
_ORDERED = frozenset({Op.BARRIER, Op.CALL, Op.CALL_POINTER, Op.ASM, Op.TENSOR})
"""Nothing moves across these."""


@dataclass(frozen=True, slots=True)
class IssueGroup:
    """Instructions among which whatever is ready first can be issued first."""

    positions: tuple[int, ...]
    before: tuple[int, ...]
    """For each of them, how many others of the group it comes after."""
    followers: dict[int, tuple[int, ...]]
    """By position, the places in the group of those that come after it."""


@dataclass(frozen=True, slots=True)
class IssueOrder:
    """Positions of a block's instructions in groups, one after another, and where in the block their operands come from."""

    groups: tuple[IssueGroup, ...]
    sources: tuple[tuple[int, ...], ...]
    """By position: that of the instruction that computes each operand; -1 for what comes from before the block."""


def issue_order(
    items: Sequence[Instruction],
    spaces: Mapping[int, Space],
    is_in_registers: Callable[[Instruction], bool],
) -> IssueOrder:
    """Order the instructions of a block.

    Args:
        items: The instructions.
        spaces: Memory that each site accesses, where it is known.
        is_in_registers: Whether an access is to a private array in registers.
    """
    writer: dict[int, int] = {}
    sources: list[tuple[int, ...]] = []
    levels: list[int] = []
    """Loads that have to be waited for, one after another, before an instruction."""
    after: list[int] = []
    """The level of what needs its result."""
    floor = highest = 0
    closed = False
    stored: dict[Space, int] = {}
    loaded: dict[Space, int] = {}
    for position, item in enumerate(items):
        found = tuple(writer.get(register, -1) for register in item.args)
        sources.append(found)
        level = max((after[source] for source in found if source >= 0), default=floor)
        level = max(level, floor)
        if item.op in _ORDERED:
            level = floor = max(level, highest)
        elif item.op in _ACCESSES and not is_in_registers(item):
            space = accessed_space(item, spaces)
            level = max(level, stored.get(space, 0))
            if item.op in _WRITES:
                level = stored[space] = max(level, loaded.get(space, 0))
            else:
                loaded[space] = max(level, loaded.get(space, 0))
        waits = item.op in _AWAITED and not is_in_registers(item)
        levels.append(level)
        after.append(level + waits)
        highest = max(highest, level)
        if item.dest >= 0:
            writer[item.dest] = position
    groups: list[list[int]] = []
    for position in sorted(range(len(items)), key=levels.__getitem__):
        is_alone = items[position].op in _ORDERED
        if not groups or is_alone or closed or levels[position] != levels[groups[-1][-1]]:
            groups.append([])
        groups[-1].append(position)
        closed = is_alone
    accesses = {
        position
        for position, item in enumerate(items)
        if item.op in _ACCESSES and not is_in_registers(item)
    }
    return IssueOrder(
        tuple(_group(positions, sources, accesses) for positions in groups), tuple(sources)
    )


def _group(
    positions: list[int], sources: Sequence[tuple[int, ...]], accesses: set[int]
) -> IssueGroup:
    """Instructions come after their operands, accesses after the one before."""
    followers: dict[int, list[int]] = {position: [] for position in positions}
    before = []
    last = -1
    for place, position in enumerate(positions):
        needed = {source for source in sources[position] if source in followers}
        if position in accesses:
            if last >= 0:
                needed.add(last)
            last = position
        for source in needed:
            followers[source].append(place)
        before.append(len(needed))
    return IssueGroup(
        tuple(positions),
        tuple(before),
        {position: tuple(after) for position, after in followers.items() if after},
    )


def accessed_space(item: Instruction, spaces: Mapping[int, Space]) -> Space:
    """The memory whose order an access keeps; data that nobody writes is a memory of its own."""
    if isinstance(item.detail, MemoryAccess) and item.detail.is_read_only:
        return Space.TEXTURE
    space = spaces.get(item.site)
    return Space.GLOBAL if space is None or space in (Space.GENERIC, Space.HOST) else space
