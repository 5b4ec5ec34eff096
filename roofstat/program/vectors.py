"""Vector accesses: adjacent members of an aligned record that are moved together become one access.

The rules are those of nvcc's output: of four words aligned together three loads become one of 16 bytes, two of an aligned
pair one of 8; stores are joined only where they cover the whole. What may touch the same memory in between, a barrier or
the end of the straight-line code ends a group. The instruction that carries the group has the `access_bytes` of the whole,
the others carry 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from roofstat.program.addresses import SLOT_ALIGN_BYTES, Linear, Numbering, Roots
from roofstat.program.code import Block, If, Loop, MemoryAccess, Op, Scope, Space, blocks, children
from roofstat.program.dead_code import EFFECTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roofstat.program.addresses import Terms
    from roofstat.program.builder import Builder
    from roofstat.program.code import Instruction, Region

MAX_VECTOR_BYTES = 16
"""Widest access of a thread."""
_SMALL_ARM = 4
"""Operations in the arm of a branch that compilers turn into selections."""
_HARMLESS = frozenset({Op.SHUFFLE, Op.VOTE})
"""Effects that touch no memory."""


def group_vectors(builder: Builder) -> None:
    """Mark the vector accesses in the code of `builder`."""
    writers: dict[int, list[Instruction]] = {}
    for item in _instructions(builder.body):
        if item.dest >= 0:
            writers.setdefault(item.dest, []).append(item)
    definitions = {
        register: items[0]
        for register, items in writers.items()
        if len(items) == 1 and register not in builder.variables
    }
    roots = Roots(builder, writers)
    for run in _runs(builder.body):
        if sum(_is_access(item) for item in run) > 1:
            _Grouper(builder, Numbering(builder, definitions), roots).group(run)


Run = list["Instruction | frozenset[int]"]
"""Instructions in order; a set stands for variables that are chosen between there."""


def _is_access(item: Instruction | frozenset[int]) -> bool:
    return not isinstance(item, frozenset) and item.op in (Op.LOAD, Op.STORE)


def _instructions(regions: list[Region]) -> Iterator[Instruction]:
    for block in blocks(regions):
        yield from block.instructions


def _runs(regions: list[Region]) -> list[Run]:
    """The straight-line stretches of the code, each in program order."""
    finished: list[Run] = []
    _Splitter(finished).split(regions)
    return finished


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
                chosen = {item.dest for item in _instructions([region])}
                self._run.append(frozenset(chosen))
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
        items = list(_instructions(arm))
        if len(items) > _SMALL_ARM:
            return False
        if any(item.op in EFFECTS or item.op is Op.LOAD for item in items):
            return False
    return True


@dataclass(slots=True, eq=False, kw_only=True)
class _Access:
    """A load or store of the run."""

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


@dataclass(slots=True, eq=False, kw_only=True)
class _Window:
    """Accesses of one width and direction within one aligned stretch of memory."""

    start: int
    width: int
    size: int
    is_load: bool
    members: list[_Access]
    crossed: list[_Access]
    """Stores since the first member: a further load would have to be done before them."""


class _Grouper:
    """Works on one straight run."""

    def __init__(self, builder: Builder, numbering: Numbering, roots: Roots) -> None:
        self._builder = builder
        self._numbering = numbering
        self._roots = roots
        self._open: dict[tuple[object, ...], _Window] = {}

    def group(self, run: Run) -> None:
        """Find the groups of a run."""
        for order, item in enumerate(run):
            if isinstance(item, frozenset):
                self._numbering.forget(item)
                continue
            if item.op in (Op.LOAD, Op.STORE) and isinstance(item.detail, MemoryAccess):
                self._access(item, item.detail, order)
            elif item.op in EFFECTS and item.op not in _HARMLESS:
                self._close(list(self._open))
            self._numbering.define(item)
        self._close(list(self._open))

    def _access(self, item: Instruction, detail: MemoryAccess, order: int) -> None:
        form = self._numbering.linear(item.args[0])
        access = _Access(
            item=item,
            detail=detail,
            terms=form.terms,
            place=form.constant + detail.offset_bytes,
            size=item.scalar.size_bytes,
            root=self._roots.root(item.args[0]),
            order=order,
        )
        self._pass(access)
        if detail.is_volatile or detail.bit_width is not None or not access.size:
            return
        window = self._window(access, form)
        if window is None:
            return
        key = (access.is_load, access.size, access.terms, window)
        found = self._open.get(key)
        if found is not None and any(self._may_touch(each, access) for each in found.crossed):
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

    def _window(self, access: _Access, form: Linear) -> tuple[int, int] | None:
        """(first byte, width) of the aligned stretch around an access; None where nothing fits beside it."""
        align = access.detail.record_align_bytes
        origin = access.place - access.detail.record_offset_bytes
        if align <= access.size and self._roots.slot_space(access.root) is Space.SHARED:
            align, origin = _line_alignment(form, access.root, self._numbering), 0
        width = min(align, MAX_VECTOR_BYTES)
        if width <= access.size or width & (width - 1):
            return None
        start = access.place - (access.place - origin) % width
        return start, width

    def _pass(self, access: _Access) -> None:
        """Close the groups of stores that must be done before an access; note what loads must not cross."""
        touched = []
        for key, window in self._open.items():
            if window.is_load:
                if not access.is_load:
                    window.crossed.append(access)
            elif any(self._may_touch(member, access) for member in window.members):
                touched.append(key)
        self._close(touched)

    def _may_touch(self, one: _Access, two: _Access) -> bool:
        if one.is_load and one.detail.is_read_only or two.is_load and two.detail.is_read_only:
            return False
        if one.terms == two.terms:
            return one.place < two.place + two.size and two.place < one.place + one.size
        first, second = one.detail, two.detail
        if first.record and first.record == second.record:
            # Different members of one type never overlap.
            begin, other = first.record_offset_bytes, second.record_offset_bytes
            if begin >= other + two.size or other >= begin + one.size:
                return False
        return not self._roots.are_distinct(one.root, two.root)

    def _close(self, keys: Iterable[tuple[object, ...]]) -> None:
        for key in keys:
            window = self._open.pop(key)
            if len(window.members) > 1:
                self._settle(window)

    def _settle(self, window: _Window) -> None:
        slots: dict[int, list[_Access]] = {}
        for member in window.members:
            slots.setdefault((member.place - window.start) // window.size, []).append(member)
        count = window.width // window.size
        chunks = (
            load_chunks(set(slots), count, window.size)
            if window.is_load
            else store_chunks(set(slots))
        )
        for first, length in chunks:
            members = [m for slot in range(first, first + length) for m in slots.get(slot, ())]
            if length > 1:
                self._join(members, window.start + first * window.size, length * window.size)

    def _join(self, members: list[_Access], start: int, width: int) -> None:
        group = self._builder.new_group()
        order = sorted(members, key=lambda member: member.order)
        leader = order[0] if order[0].is_load else order[-1]
        for member in members:
            is_leader = member is leader
            member.item.detail = replace(
                member.detail,
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


def _line_alignment(form: Linear, root: Instruction | None, numbering: Numbering) -> int:
    """Alignment of the origin of a line of addresses into a shared array, in bytes."""
    align = SLOT_ALIGN_BYTES
    base = numbering.number(root.dest) if root is not None else -1
    for number, factor in form.terms:
        if number == base and factor == 1:
            continue
        align = min(align, factor & -factor)
    return align
