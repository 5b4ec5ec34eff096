"""Stores that put back, behind loops and branches, what was loaded from their place: state that a kernel hands on as it was.

Both compilers leave them out where nothing in between may have touched the place, the key of a random generator, say.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.program.addresses import Numbering
from roofstat.program.code import Block, Loop, Op, children
from roofstat.program.straight_line import access_of, copies_in, is_fence, may_touch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from clang_queries.ir.expressions import Position
    from roofstat.program.addresses import Roots
    from roofstat.program.builder import Builder
    from roofstat.program.code import Instruction, Region
    from roofstat.program.straight_line import Access

Path = tuple[tuple[int, int], ...]
"""(region, number of the part) around a place, outermost first; regions by identity."""
_MOST_COPIES = 8


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """An instruction and what is around it."""

    item: Instruction
    path: Path


@dataclass(slots=True, eq=False)
class _Outline:
    """The instructions of a code in program order."""

    places: list[_Place]
    loops: dict[int, tuple[int, int]]
    """Loop, by identity -> the first instruction inside, and the one behind the last."""

    def add(self, regions: Sequence[Region], path: Path) -> None:
        """Walk regions."""
        for region in regions:
            if isinstance(region, Block):
                self.places += [_Place(item, path) for item in region.instructions]
                continue
            begin = len(self.places)
            for number, part in enumerate(children(region)):
                self.add(part, (*path, (id(region), number)))
            if isinstance(region, Loop):
                self.loops[id(region)] = (begin, len(self.places))


def stores_of_what_was_loaded(
    builder: Builder,
    written: Mapping[int, Sequence[Instruction]],
    definitions: dict[int, Instruction],
    roots: Roots,
    *,
    is_clang: bool,
) -> set[int]:
    """The stores of a code, by identity, that put a number where it was loaded from before.

    Args:
        builder: The code.
        written: Register -> the instructions that write it.
        definitions: Temporary register -> the one instruction that writes it.
        roots: Objects behind addresses.
        is_clang: Whether clang compiles it, and not nvcc.
    """
    outline = _Outline([], {})
    outline.add(builder.body, ())
    numbers = {id(place.item): number for number, place in enumerate(outline.places)}
    bytewise = copies_in([place.item for place in outline.places]) if is_clang else frozenset()
    # Fresh numbers for variables: two addresses are alike where they are made of the same ones.
    numbering = Numbering(builder, definitions)
    found: set[int] = set()
    for number, place in enumerate(outline.places):
        if place.item.op is not Op.STORE:
            continue
        load = _loaded(place.item.args[1], written)
        if load is None or numbers[id(load)] >= number:
            continue
        begin = numbers[id(load)]
        one = access_of(load, begin, numbering, roots)
        other = access_of(place.item, number, numbering, roots)
        if one is None or other is None or not _are_same(one, other):
            continue
        end = _end_of_interval(outline, outline.places[begin].path, number)
        if end is None:
            continue
        between = [
            each.item
            for each in islice(outline.places, begin + 1, end)
            if each.item is not place.item
        ]
        moved = {item.dest for item in between}
        if not moved.isdisjoint(_variables(load.args[0], builder, definitions)):
            continue
        touching = (_touches(item, other, numbering, roots, bytewise) for item in between)
        if not any(touching):
            found.add(id(place.item))
    return found


def _loaded(register: int, written: Mapping[int, Sequence[Instruction]]) -> Instruction | None:
    """The load whose result a register holds, through copies that are made in one place each."""
    for _ in range(_MOST_COPIES):
        items = written.get(register, ())
        if len(items) != 1:
            return None
        if items[0].op is Op.LOAD:
            return items[0]
        if items[0].op is not Op.MOV:
            return None
        register = items[0].args[0]
    return None


def _are_same(one: Access, other: Access) -> bool:
    return (
        one.is_plain
        and other.is_plain
        and (one.terms, one.place, one.item.scalar) == (other.terms, other.place, other.item.scalar)
    )


def _end_of_interval(outline: _Outline, path: Path, number: int) -> int | None:
    """Up to where instructions may run between a load and a store; None where the load need not have run before."""
    around = outline.places[number].path
    if around[: len(path)] != path:
        return None
    for region, _ in around[len(path) :]:
        if region in outline.loops:
            return outline.loops[region][1]
    return number


def _variables(
    register: int, builder: Builder, definitions: Mapping[int, Instruction]
) -> Iterator[int]:
    """The variables that an address is made of."""
    stack, seen = [register], set[int]()
    while stack:
        found = stack.pop()
        if found in seen:
            continue
        seen.add(found)
        if found in builder.variables:
            yield found
        elif found in definitions:
            stack += definitions[found].args


def _touches(
    item: Instruction,
    store: Access,
    numbering: Numbering,
    roots: Roots,
    bytewise: frozenset[Position],
) -> bool:
    """Whether something that is done in between may change what a store finds in its place."""
    if item.op is Op.ATOMIC:
        return not roots.are_distinct(roots.root(item.args[0]), store.root)
    if item.op is not Op.STORE:
        return is_fence(item)
    access = access_of(item, 0, numbering, roots)
    return access is None or may_touch(access, store, roots, bytewise)
