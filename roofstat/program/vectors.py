"""Vector accesses: adjacent members of an aligned record that are moved together become one access.

The rules are those of the compilers' output. nvcc: of four words aligned together three loads become one of 16 bytes, two of an
aligned pair one of 8; stores are joined only where they cover the whole. clang joins aligned pairs and fours of which all
members are moved, loaded or stored. What may touch the same memory in between, a barrier or
the end of the straight-line code ends a group. The instruction that carries the group has the `access_bytes` of the whole,
the others carry 0.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.program.addresses import SLOT_ALIGN_BYTES, Numbering, Roots
from roofstat.program.code import Space, blocks, writers
from roofstat.program.forwarding import forward_values
from roofstat.program.straight_line import access_of, is_access, is_fence, may_touch, runs
from roofstat.program.unchanged import stores_of_what_was_loaded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roofstat.program.builder import Builder
    from roofstat.program.code import Instruction
    from roofstat.program.straight_line import Access, Run

MAX_VECTOR_BYTES = 16
"""Widest access of a thread."""


def drop_accesses(builder: Builder, *, is_clang: bool) -> bool:
    """Drop loads of values that are at hand, and stores of what is there, in the code of `builder`.

    Returns:
        Whether stores were dropped: what they stored may not be needed any more.
    """
    dropped: set[int] = set()
    roots, definitions = _roots_and_definitions(builder)
    written = writers(builder.body)
    handed_on = stores_of_what_was_loaded(builder, written, definitions, roots, is_clang=is_clang)
    for run in runs(builder.body):
        if any(is_access(item) for item in run):
            numbering = Numbering(builder, definitions)
            unchanged, others = forward_values(
                run, numbering, roots, builder.variables, is_clang=is_clang
            )
            unchanged += [access for access in others if id(access.item) in handed_on]
            others = [access for access in others if id(access.item) not in handed_on]
            if unchanged and not is_clang:
                grouper = _Grouper(builder, numbering, roots)
                changed = {grouper.vector_of(access) for access in others} - {None}
                unchanged = [item for item in unchanged if grouper.vector_of(item) not in changed]
            dropped |= {id(access.item) for access in unchanged}
    if dropped:
        for block in blocks(builder.body):
            block.instructions = [item for item in block.instructions if id(item) not in dropped]
    return bool(dropped)


def group_vectors(builder: Builder, *, is_clang: bool) -> None:
    """Mark the vector accesses in the code of `builder`."""
    roots, definitions = _roots_and_definitions(builder)
    for run in runs(builder.body):
        if sum(is_access(item) for item in run) > 1:
            grouper = _Grouper(builder, Numbering(builder, definitions), roots)
            grouper.is_clang = is_clang
            grouper.group(run)


def _roots_and_definitions(builder: Builder) -> tuple[Roots, dict[int, Instruction]]:
    written = writers(builder.body)
    definitions = {
        register: items[0]
        for register, items in written.items()
        if len(items) == 1 and register not in builder.variables
    }
    return Roots(builder, written), definitions


@dataclass(slots=True, eq=False, kw_only=True)
class _Window:
    """Accesses of one width and direction within one aligned stretch of memory."""

    start: int
    width: int
    size: int
    is_load: bool
    members: list[Access]
    crossed: list[Access]
    """Stores since the first member: a further load would have to be done before them."""


class _Grouper:
    """Works on one straight run."""

    def __init__(self, builder: Builder, numbering: Numbering, roots: Roots) -> None:
        self._builder = builder
        self._numbering = numbering
        self._roots = roots
        self._open: dict[tuple[object, ...], _Window] = {}
        self.is_clang = False

    def vector_of(self, access: Access) -> tuple[object, ...] | None:
        """The vector that an access is a part of; None where nothing fits beside it."""
        window = self._window(access)
        return None if window is None else (access.terms, window)

    def group(self, run: Run) -> None:
        """Find the groups of a run."""
        for order, item in enumerate(run):
            if isinstance(item, frozenset):
                self._numbering.forget(item)
                continue
            access = access_of(item, order, self._numbering, self._roots)
            if access is not None:
                self._access(access)
            elif is_fence(item):
                self._close(list(self._open))
            self._numbering.define(item)
        self._close(list(self._open))

    def _access(self, access: Access) -> None:
        self._pass(access)
        if not access.is_plain:
            return
        window = self._window(access)
        if window is None:
            return
        key = (access.is_load, access.size, access.terms, window)
        found = self._open.get(key)
        if found is not None and any(
            may_touch(each, access, self._roots) for each in found.crossed
        ):
            self._close([key])
            found = None
        if found is None:
            start, width = window
            found = _Window(
                start=start,
                width=width,
                size=access.size,
                is_load=access.is_load,
                members=[],
                crossed=[],
            )
            self._open[key] = found
        found.members.append(access)

    def _window(self, access: Access) -> tuple[int, int] | None:
        """(first byte, width) of the aligned stretch around an access; None where nothing fits beside it."""
        align = access.detail.record_align_bytes
        origin = access.place - access.detail.record_offset_bytes
        if align <= access.size and self._roots.slot_space(access.root) is Space.SHARED:
            align, origin = self._line_alignment(access), 0
        width = min(align, MAX_VECTOR_BYTES)
        if width <= access.size or width & (width - 1):
            return None
        start = access.place - (access.place - origin) % width
        return start, width

    def _line_alignment(self, access: Access) -> int:
        """Alignment of the origin of a line of addresses into a shared array, in bytes."""
        align = SLOT_ALIGN_BYTES
        root = access.root
        base = self._numbering.number(root.dest) if root is not None else -1
        for number, factor in access.terms:
            if number != base or factor != 1:
                align = min(align, factor & -factor)
        return align

    def _pass(self, access: Access) -> None:
        """Close the groups of stores that must be done before an access; note what loads must not cross."""
        touched = []
        for key, window in self._open.items():
            if window.is_load:
                if not access.is_load:
                    window.crossed.append(access)
            elif any(may_touch(member, access, self._roots) for member in window.members):
                touched.append(key)
        self._close(touched)

    def _close(self, keys: Iterable[tuple[object, ...]]) -> None:
        for key in keys:
            window = self._open.pop(key)
            if len(window.members) > 1:
                self._settle(window)

    def _settle(self, window: _Window) -> None:
        slots: dict[int, list[Access]] = {}
        for member in window.members:
            slots.setdefault((member.place - window.start) // window.size, []).append(member)
        count = window.width // window.size
        if self.is_clang and any(member.detail.is_in_assembly for member in window.members):
            chunks = [(0, count)]
        elif self.is_clang:
            chunks = full_chunks(set(slots), count)
        elif window.is_load:
            chunks = load_chunks(set(slots), count, window.size)
        else:
            chunks = store_chunks(set(slots))
        for first, length in chunks:
            members = [m for slot in range(first, first + length) for m in slots.get(slot, ())]
            if length > 1:
                self._join(members, window.start + first * window.size, length * window.size)

    def _join(self, members: list[Access], start: int, width: int) -> None:
        group = self._builder.new_group()
        order = sorted(members, key=lambda member: member.order)
        leader = order[0] if order[0].is_load else order[-1]
        names = {member.detail.array for member in members}
        # Different members: the access is one to the record around them.
        whole = leader.detail.array if len(names) == 1 else leader.detail.array.rpartition(".")[0]
        for member in members:
            is_leader = member is leader
            member.item.detail = replace(
                member.detail,
                array=whole if is_leader else member.detail.array,
                group=group,
                access_bytes=width if is_leader else 0,
                access_offset_bytes=start - member.place if is_leader else 0,
            )


def load_chunks(used: set[int], count: int, size: int) -> list[tuple[int, int]]:
    """(first slot, slots) of the loads that fetch the used ones of `count` slots of `size` bytes."""
    found = [slot for slot in range(count) if slot in used]
    if not found:
        return []
    complete = len(found) == count or (count == 4 and len(found) == 3)
    if complete or (size == 1 and count == 4 and len(found) == 2):
        return [(0, count)]
    if count == 1:
        return [(0, 1)]
    half = count // 2
    low = load_chunks({slot for slot in used if slot < half}, half, size)
    high = load_chunks({slot - half for slot in used if slot >= half}, half, size)
    return [*low, *((first + half, length) for first, length in high)]


def full_chunks(used: set[int], count: int) -> list[tuple[int, int]]:
    """(first slot, slots) of the aligned stretches of `count` slots of which all are used, as clang joins them."""
    if not used:
        return []
    if len(used) == count:
        return [(0, count)]
    half = count // 2
    low = full_chunks({slot for slot in used if slot < half}, half)
    high = full_chunks({slot - half for slot in used if slot >= half}, half)
    return [*low, *((first + half, length) for first, length in high)]


def store_chunks(used: set[int]) -> list[tuple[int, int]]:
    """(first slot, slots) of the stores that write exactly the used slots."""
    chunks: list[tuple[int, int]] = []
    slots = sorted(used)
    while slots:
        run = 1
        while run < len(slots) and slots[run] == slots[0] + run:
            run += 1
        length = 1 << (run.bit_length() - 1)
        chunks.extend(_aligned(slots[0], length))
        slots = slots[length:]
    return chunks


def _aligned(first: int, length: int) -> list[tuple[int, int]]:
    if first % length == 0:
        return [(first, length)]
    half = length // 2
    return [*_aligned(first, half), *_aligned(first + half, half)]
