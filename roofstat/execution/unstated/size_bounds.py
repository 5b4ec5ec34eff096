"""What a kernel's parameters are compared with: how large those are that nothing states."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.jumps import direct_leaves
from roofstat.execution.sampling.thread_indices import (
    ALONG_X,
    AXES,
    BLOCKS,
    ThreadIndices,
    bound_of,
    is_number_of_blocks,
    operator_of,
    part_number,
    steps_of,
    variable_of,
)
from roofstat.execution.unstated.small_numbers import CHOICES, small_numbers
from roofstat.program.code import (
    MEMORY_ACCESSES,
    If,
    Op,
    ParameterPiece,
    every_region,
    instructions_of,
    loops,
    writers_of,
)
from roofstat.program.comparisons import COMPARISONS, ORDERS
from roofstat.program.openmp import DEFAULT_TEAMS
from roofstat.program.openmp.runtime_calls import is_region
from roofstat.program.slices import COPIES, backward_slice, copied_once

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from roofstat.execution.sampling.thread_indices import Bound, Dim3
    from roofstat.program.code import Code, Instruction, Region, SpecialRegister

DEFAULT_EXTENT = 1024
"""Value of an integer argument that bounds neither a thread index nor a loop of one thread, and of one that bounds a loop
of the threads of a block: a row."""
DEFAULT_COUNT = 32
"""Value of an integer argument that bounds a loop of one thread: features, neighbours, orders and the like."""

MOST_ELEMENTS = 64
"""Elements that a thread may have by the constants and sizes of a launch."""
CAPPED_CHUNKS = 4
"""Chunks of each team where the run time of OpenMP starts as many teams as it may: loops end anywhere beyond these, at 2 to
60 times as many in most programs."""
LONGEST_SIDE = 1 << 15
"""Of a square that a parameter is both sides of: the largest power of two whose square a signed word counts."""
_MOST_TERMS = 32
"""Sums and products that one sum is taken apart into."""
_UNRANKED = (-1, 0)
_ADDRESSES = COPIES | {Op.ADD, Op.SUB, Op.MUL, Op.PTR_ADD}
QUOTIENT = -1
"""Instead of a parameter: the number of parts that an index is divided into."""


@dataclass(frozen=True, slots=True)
class Pitch:
    """A parameter that an index is multiplied by, in a sum.

    Attributes:
        number: The parameter.
        index: The register that it is multiplied by.
        other: The register that is added to the product.
        unit: What an element of the other is in those that the product counts: 4 where bytes are added to floats.
    """

    number: int
    index: int
    other: int
    unit: int


@dataclass(frozen=True, slots=True)
class SizeBounds:
    """Comparisons of a kernel that tell sizes.

    Attributes:
        compared: What bounds thread indices, and the registers with these indices.
        counts: Parameters that end a loop which each thread runs on its own, or say where its elements begin; with the step
            of the loop.
        pitches: Parameters that are a factor in a sum.
        rows: Those of `counts` that are pitches of parts of an index, where the rest of the sum says how long these are.
        shares: What is shared out among blocks, and the registers with their number.
        firsts: Parameters that such loops, or ranges that the threads share, begin at.
        tables: Parameters that unknown numbers are taken modulo, or masked by.
        small: Parameters that are no sizes of arrays, with their values: places of a window, margins and steps, bits.
        squares: Parameters that are both sides of a square: how many rows the threads share or a loop goes through, and how far
            apart these lie.
        is_region: Whether the code is a target region: its chunks are as long as its largest teams.
    """

    code: Code
    definitions: dict[int, list[Instruction]]
    compared: tuple[tuple[Bound, int], ...]
    counts: dict[int, int]
    pitches: tuple[Pitch, ...]
    rows: frozenset[int]
    shares: tuple[tuple[Bound, int], ...]
    firsts: frozenset[int]
    tables: dict[int, Op]
    small: dict[int, int]
    squares: frozenset[int]
    is_region: bool

    def products(
        self, grid: Dim3, block: Dim3, known: Mapping[int, float]
    ) -> list[tuple[tuple[int, ...], float]]:
        """Parameters the product of which is the extent of an index in a launch, and that extent.

        A parameter is there as often as it is a factor. Bounds of several parts of one index (quotients and remainders by
        parameters) are such a product, too; so is a divisor with the quotient, which `QUOTIENT` stands for.
        """
        indices = ThreadIndices(self.code, self.definitions, grid, block, known)
        products: dict[tuple[int, ...], tuple[int, float]] = {}

        def add(members: Iterable[int], extent: float, *, rank: int = 2) -> None:
            key = tuple(sorted(members))
            products[key] = max((rank, extent), products.get(key, (0, 1.0)))

        chunks = CAPPED_CHUNKS if self.is_region and grid[0] == DEFAULT_TEAMS else 1
        parts: defaultdict[frozenset[SpecialRegister], set[int]] = defaultdict(set)
        largest: defaultdict[frozenset[SpecialRegister], float] = defaultdict(float)
        for bound, register in self.compared:
            index = indices.of(register)
            threads = math.prod(grid[i] * block[i] for i in {AXES[axis] for axis in index.axes})
            # What grows faster than that is no number of elements: of several for each thread nothing is known then.
            most = threads if self.is_region else MOST_ELEMENTS * threads + DEFAULT_EXTENT
            extent = index.extent if index.extent <= most else threads
            if index.axes & BLOCKS:
                extent *= chunks
            # Where a window around an element ends says less than where the elements do, and a row of a block least.
            rank = 2 if not index.advances else 1 if index.axes & BLOCKS else 0
            if rank == 0:
                extent = max(extent, DEFAULT_EXTENT)
            if not index.divisors:
                add(bound.parameters, bound.of_extent(extent, known), rank=rank)
            elif bound.scale == 1.0:  # of a part of a part nothing is known
                parts[index.axes].update(bound.parameters)
                largest[index.axes] = max(extent, largest[index.axes])
                for divisor in index.divisors.difference(bound.parameters):
                    add((divisor, QUOTIENT), extent)
        for bound, register in self.shares:
            parts_of_all = (indices.of(register).last or 1.0) * chunks
            add(bound.parameters, bound.of_extent(parts_of_all, known))
        for axes, bounds in parts.items():
            add(bounds if len(bounds) > 1 else (*bounds, QUOTIENT), largest[axes])
        return [(members, extent) for members, (_, extent) in products.items()]

    def extents(
        self, grid: Dim3, block: Dim3, known: Mapping[int, float] | None = None
    ) -> dict[int, int]:
        """Values of the parameters that bound thread indices: what the known ones leave of a product, in equal factors."""
        stated = known or {}
        values: dict[int, int] = {}
        for members, extent in self.products(grid, block, stated):
            for parameter in {*members} - {QUOTIENT}:
                others = [stated.get(other) for other in members if other != parameter]
                rest = extent / max(math.prod(size for size in others if size), 1)
                unknown = members.count(parameter) + others.count(None)
                factor = max(round(rest ** (1 / unknown)), 1)
                values[parameter] = max(values.get(parameter, 0), factor)
        return {
            number: min(size, LONGEST_SIDE) if number in self.squares else size
            for number, size in values.items()
        }

    def free(self, grid: Dim3, block: Dim3, known: Mapping[int, float]) -> dict[int, int]:
        """Values of the parameters that bound no thread index: counts, pitches, and numbers that indices begin at."""
        ends = (*self.compared, *self.shares)
        bounding = {number for bound, _ in ends for number in bound.parameters}
        threads = math.prod((*grid, *block))
        values: dict[int, int] = {}
        for number in _numbers(self.code):
            if number in bounding or number in known:
                continue
            if number in self.small:
                values[number] = self.small[number]
            elif number in self.counts:
                values[number] = DEFAULT_COUNT * self.counts[number]
            elif number in self.firsts:
                values[number] = 0
            elif number in self.tables:  # one place for each thread
                values[number] = (1 << threads.bit_length()) - (self.tables[number] is Op.AND)
            else:
                values[number] = DEFAULT_EXTENT
        sizes = {**values, **known}
        sizes = {**self.extents(grid, block, sizes), **sizes}
        ranks = self._ranks(grid, block)
        pitches = (
            ranks.keys() & values.keys() - (self.counts.keys() - self.rows) - self.small.keys()
        )
        for number in sorted(
            pitches, key=lambda number: (ranks[number] == _UNRANKED, ranks[number])
        ):
            # What is a multiple of the pitch itself says where a row begins, not how long it is, and neither does what is one
            # of a longer one: rows of a plane. Of the indices of loops nobody knows what they count.
            outer = {other: 0 for other in pitches if ranks[other] > ranks[number] != _UNRANKED}
            within = ThreadIndices(
                self.code, self.definitions, grid, block, {**sizes, **outer, number: 0}
            )
            values[number] = self._length(
                number, within, values[number], sizes, has_outer=bool(outer)
            )
            if ranks[number] != _UNRANKED:
                sizes[number] = values[number]
        return values

    def _length(
        self,
        number: int,
        within: ThreadIndices,
        default: int,
        sizes: Mapping[int, float],
        *,
        has_outer: bool,
    ) -> int:
        """How far apart the multiples of a pitch lie: as far as all reaches that is added to them."""
        own = [
            pitch
            for pitch in self.pitches
            if pitch.number == number and not self._is_argument(pitch.other)
        ]
        found = [within.of(pitch.other) for pitch in own]
        extents = [
            round(index.extent) * pitch.unit for index, pitch in zip(found, own, strict=True)
        ]
        # A counter at its end, where nothing is taken.
        extents = [extent - (extent - 1 in sizes.values()) for extent in extents]
        is_known = all(index.axes and not index.advances for index in found)
        if not (found and is_known and (has_outer or number in self.rows)):
            return default if number in self.rows else max((default, *extents))
        if max(extents) > 1:
            return max(extents)
        return _element_units(number, self.definitions, self.code)

    def _is_argument(self, register: int) -> bool:
        """Whether a register holds what the kernel is given, as the beginning of an array."""
        found = self.definitions.get(copied_once(self.definitions, register), ())
        return bool(found) and all(item.op is Op.PARAM for item in found)

    def _ranks(self, grid: Dim3, block: Dim3) -> dict[int, tuple[int, int]]:
        """How far out the index of each pitch is: along which axis its threads are numbered, and what it is a quotient by."""
        indices = ThreadIndices(self.code, self.definitions, grid, block)
        ranks: dict[int, tuple[int, int]] = {}
        for pitch in self.pitches:
            axes = [AXES[axis] for axis in indices.of(pitch.index).axes]
            factors = _divisor_factors(pitch.index, self.definitions, self.code)
            rank = (max(axes), factors) if axes else _UNRANKED
            ranks[pitch.number] = max(rank, ranks.get(pitch.number, rank))
        return ranks


def _element_units(number: int, definitions: dict[int, list[Instruction]], code: Code) -> int:
    """How far apart elements lie that a pitch counts from each other: 4 where it counts the bytes of floats."""
    units = 1
    for _, item in code.instructions():
        if item.op not in MEMORY_ACCESSES:
            continue
        way = list(backward_slice(definitions, item.args[0], lambda item: item.op in _ADDRESSES))
        steps = [
            each.detail for each in way if each.op is Op.PTR_ADD and isinstance(each.detail, int)
        ]
        if steps and number in {
            part_number(each.detail.index, each.detail.offset_bytes)
            for each in way
            if isinstance(each.detail, ParameterPiece)
        }:
            units = max(units, item.scalar.size_bytes // min(steps))
    return units


def _divisor_factors(index: int, definitions: dict[int, list[Instruction]], code: Code) -> int:
    """How many parameters an index is a quotient by: rows, planes, volumes."""
    found = definitions.get(copied_once(definitions, index), ())
    if len(found) != 1 or found[0].op is not Op.DIV:
        return 0
    divisor = bound_of(found[0].args[1], definitions, code)
    return 0 if divisor is None else len(divisor.parameters)


def size_bounds(code: Code) -> SizeBounds:
    """What the parameters of a kernel are compared with."""
    definitions = writers_of(code)
    advances = steps_of(definitions, code)
    conditions = {
        item.dest for loop, _ in loops(code.body) for item in instructions_of(loop.condition)
    }
    indices = ThreadIndices(code, definitions, (1, 1, 1), (1, 1, 1))
    compared: list[tuple[Bound, int]] = []
    counts: dict[int, int] = {}
    pitches: list[Pitch] = []
    shares: list[tuple[Bound, int]] = []
    firsts: set[int] = set()
    tables: dict[int, Op] = {}
    parts: set[int] = set()
    ends: dict[int, int] = {}
    own_elements: set[int] = set()
    taken_off: set[int] = set()
    limits: defaultdict[int, set[int]] = defaultdict(set)
    beginnings = _beginnings(code, definitions)
    for _, item in code.instructions():
        if item.op in (Op.ADD, Op.PTR_ADD):
            pitches.extend(_pitches(item, definitions, code))
        if operator_of(item) is Op.MUL and item.scalar.is_integer:
            for register, index in (item.args, item.args[::-1]):
                bound = bound_of(register, definitions, code)
                if bound is not None and bound.scale == 1.0 and indices.of(index).axes == ALONG_X:
                    own_elements.update(bound.parameters)
        if item.op in (Op.DIV, Op.REM, Op.AND):
            by = item.args[1]
            bound, divisor = (bound_of(register, definitions, code) for register in item.args)
            if item.op is Op.DIV and bound is not None and is_number_of_blocks(by, definitions):
                shares.append((bound, by))
            elif divisor is not None and divisor.scale == 1.0 and bound is None:
                if indices.of(item.args[0]).axes:
                    parts.update(divisor.parameters)
                elif item.op is not Op.DIV:
                    tables.update(dict.fromkeys(divisor.parameters, item.op))
        if item.op not in COMPARISONS or item.dest in beginnings:
            continue
        for register, index in (item.args, item.args[::-1]):
            bound = bound_of(register, definitions, code)
            if item.dest in conditions:
                limits[variable_of(index, definitions)].add(register)
            if bound is None:
                if item.dest in conditions:
                    ends.update(_ends_after(register, index, definitions, code))
                continue
            if indices.of(index).axes:
                compared.append((bound, index))
                taken_off.update(number for number, factor in bound.less if factor == 1.0)
            elif item.dest in conditions:
                variable = variable_of(index, definitions)
                ends.update(dict.fromkeys(bound.parameters, variable))
                if bound.scale != 1.0:
                    continue
                step = max(advances.get(variable, 1), 1)
                counts.update(dict.fromkeys(bound.parameters, step))
                for first in definitions.get(variable, ()):
                    origin = bound_of(first.args[0], definitions, code) if first.args else None
                    firsts.update(origin.parameters if origin is not None else ())
    in_region = is_region(code)
    if in_region:
        # The rows of a collapsed nest: its counters are a quotient and a remainder of one index.
        own_elements -= {pitch.number for pitch in pitches if indices.of(pitch.other).axes}
    rows = {
        pitch.number
        for pitch in pitches
        if indices.of(pitch.other).axes and indices.of(pitch.index).divisors
    }
    rows = (rows & own_elements) - counts.keys()
    counts = {**dict.fromkeys(own_elements, 1), **counts}
    return SizeBounds(
        code,
        definitions,
        tuple(compared),
        counts,
        tuple(pitch for pitch in pitches if pitch.number not in parts),
        frozenset(rows),
        tuple(shares),
        frozenset(firsts | (taken_off & _starts(code, definitions, indices))),
        tables,
        small_numbers(code, definitions, indices, ends, pitches),
        _squares(compared, pitches, limits, indices, definitions, code),
        in_region,
    )


def _squares(
    compared: list[tuple[Bound, int]],
    pitches: list[Pitch],
    limits: Mapping[int, set[int]],
    indices: ThreadIndices,
    definitions: dict[int, list[Instruction]],
    code: Code,
) -> frozenset[int]:
    """Parameters that bound an index of the threads and are the distance of rows, as many as there are of those indices.

    Args:
        compared: What bounds thread indices, and the registers with these indices.
        pitches: What indices are multiplied by.
        limits: What the variables of loops are compared with where these end.
        indices: Indices of the threads.
        definitions: What writes each register.
        code: The kernel.
    """

    def along(register: int) -> frozenset[int]:
        return frozenset(AXES[name] for name in indices.of(register).axes)

    def ends_so(register: int, pitch: Pitch) -> bool:
        """Whether a loop that is compared with a register goes through as many rows as there are columns."""
        bound = bound_of(register, definitions, code)
        is_parameter = bound is not None and pitch.number in bound.parameters
        return is_parameter or along(register) == along(pitch.other)

    axes: defaultdict[int, set[frozenset[int]]] = defaultdict(set)
    for bound, register in compared:
        if len(bound.parameters) == 1 and bound.scale == 1.0 and not indices.of(register).divisors:
            axes[bound.parameters[0]].add(along(register))
    found = set()
    for pitch in pitches:
        row = along(pitch.index)
        if row in axes[pitch.number] and not indices.of(pitch.index).divisors:
            found.add(pitch.number)
        if not row and along(pitch.other) in axes[pitch.number]:
            ends = limits.get(variable_of(pitch.index, definitions), ())
            if any(ends_so(end, pitch) for end in ends):
                found.add(pitch.number)
    return frozenset(found)


def _starts(
    code: Code, definitions: dict[int, list[Instruction]], indices: ThreadIndices
) -> set[int]:
    """Parameters that an index of the threads is added to."""
    return {
        number
        for _, item in code.instructions()
        if item.op is Op.ADD
        for register, index in (item.args, item.args[::-1])
        if indices.of(index).axes
        and (bound := bound_of(register, definitions, code)) is not None
        and bound.scale == 1.0
        for number in bound.parameters
    }


def _ends_after(
    end: int, index: int, definitions: dict[int, list[Instruction]], code: Code
) -> Iterator[tuple[int, int]]:
    """Parameters that the end of a loop is computed with, as ``min(first + n, last)``, and the loop's variable."""
    variable = variable_of(index, definitions)
    for item in backward_slice(definitions, end, lambda item: item.op in CHOICES):
        if item.op is Op.ADD:
            for register in item.args:
                bound = bound_of(register, definitions, code)
                if bound is not None and bound.scale == 1.0:
                    yield from ((number, variable) for number in bound.parameters)


def _numbers(code: Code) -> Iterator[int]:
    """Parameters, and parts of them, that may be numbers of elements."""
    for _, item in code.instructions():
        if item.op is Op.PARAM and isinstance(item.detail, ParameterPiece):
            parameter = code.parameters[item.detail.index]
            if not parameter.is_pointer and item.scalar.is_integer and item.scalar.size_bytes >= 4:
                yield part_number(item.detail.index, item.detail.offset_bytes)


def _beginnings(code: Code, definitions: dict[int, list[Instruction]]) -> set[int]:
    """Comparisons that hold where an index has reached a beginning: ``i >= first``, or ``i < first`` in front of a return."""
    found: set[int] = set()
    for region in every_region(code.body):
        if not isinstance(region, If) or region.otherwise:
            continue
        leaves = bool(direct_leaves(region.then))
        conditions = [region.condition]
        while conditions:
            items = definitions.get(conditions.pop(), [])
            if len(items) != 1:
                continue
            (item,) = items
            if item.op is (Op.OR if leaves else Op.AND):
                conditions.extend(item.args)
            elif item.op in ORDERS:
                bound = bound_of(item.args[1], definitions, code)
                is_above = (item.op in (Op.GE, Op.GT)) == (bound is not None)
                index = variable_of(item.args[0 if bound is not None else 1], definitions)
                is_clamp = index >= 0 and index in _written(region.then)  # if (end > n) end = n
                if is_above != leaves and not is_clamp:
                    found.add(item.dest)
    return found


def _written(body: list[Region]) -> set[int]:
    """Registers that the instructions of a branch write."""
    return {item.dest for item in instructions_of(body)}


def _pitches(
    item: Instruction, definitions: dict[int, list[Instruction]], code: Code
) -> Iterator[Pitch]:
    """Parameters that a sum has multiples of."""
    scale = item.detail if isinstance(item.detail, int) else 1
    for register, other in (item.args[:2], item.args[1::-1]):
        for product, unit in _products(register, scale, definitions):
            for factor, index in (product.args, product.args[::-1]):
                bound = bound_of(factor, definitions, code)
                if bound is not None and len(bound.parameters) == 1 and bound.scale == 1.0:
                    yield Pitch(bound.parameters[0], index, other, unit)


def _products(
    register: int, scale: int, definitions: dict[int, list[Instruction]]
) -> Iterator[tuple[Instruction, int]]:
    """The products that a sum consists of, and how many of its elements one of so many bytes has."""
    stack = [(register, 1)]
    for _ in range(_MOST_TERMS):
        if not stack:
            break
        register, unit = stack.pop()
        found = definitions.get(copied_once(definitions, register), ())
        if len(found) != 1:
            continue
        (item,) = found
        if operator_of(item) is Op.MUL:
            yield item, unit
        elif item.op is Op.ADD:
            stack.extend((argument, unit) for argument in item.args)
        elif item.op is Op.PTR_ADD and isinstance(item.detail, int):
            stack += [(item.args[0], unit), (item.args[1], max(scale // item.detail, 1))]
