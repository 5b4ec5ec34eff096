"""Arguments of kernel launches: sizes that nobody knows follow the launch, and stated launches rescale them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from roofstat.execution.host.stated_values import stated_value
from roofstat.execution.host.unknown_sizes import UnknownSizes
from roofstat.execution.host.vectors import expected
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import Unknown
from roofstat.execution.unstated.default_launch import empty_size
from roofstat.execution.unstated.record_arguments import complete_record, part_value, record_parts
from roofstat.execution.unstated.size_bounds import (
    DEFAULT_EXTENT,
    QUOTIENT,
    SizeBounds,
    size_bounds,
)
from roofstat.hardware.units import WARP_SIZE
from roofstat.program.code import Space

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from roofstat.execution.host.launch_table import Dim3
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.stored.address_space import AddressSpace, MemoryObject
    from roofstat.execution.unstated.record_arguments import RecordPart
    from roofstat.program.code import Code
    from roofstat.program.link import Program

_GROUP = WARP_SIZE
"""Elements that sizes of buffers are rounded up to, as a rule."""


class LaunchArguments:
    """Fits the arguments of launches to their grids and blocks."""

    def __init__(self, program: Program, memory: AddressSpace) -> None:
        self._program = program
        self._memory = memory
        self._bounds: dict[str, SizeBounds] = {}
        self._sizes = UnknownSizes()
        self._parts: dict[tuple[str, int], list[RecordPart]] = {}
        self._stand_ins: dict[int, MemoryObject] = {}
        """Buffers of unknown size that launches get instead of the program's own, by number."""
        self._places: dict[tuple[int, int], MemoryObject] = {}
        """Such buffers for places of a buffer that nobody knows, by its number and the key of the distance."""

    def learn_launch(self, values: Sequence[Value], stated: Dim3, *, is_region: bool) -> None:
        """A stated grid or block tells the numbers that the host code would have taken for it.

        Those of a target region are the run time's: of iterations it takes as many blocks as it likes.
        """
        learn = self._sizes.bounds if is_region else self._sizes.state
        for value, size in zip(values, stated, strict=True):
            if isinstance(value, Unknown) and isinstance(value.offset, int) and value.scale:
                learn(value, size)

    def rescaled(
        self,
        code: Code,
        arguments: list[Value],
        own: tuple[Dim3, Dim3],
        stated: tuple[Dim3, Dim3],
        notes: list[tuple[str, str]],
    ) -> list[Value]:
        """Arguments for a stated launch that differs from the computed one.

        Sizes that went with the computed grid (a file that was not read, say) are those of the stated grid. Where that is a little
        smaller the size was computed from expected numbers: buffers are those of the program, which later launches read. So are
        those of sizes that hold no whole number of times what the host code computed: they went with something else.
        """
        own_extents = self._size_bounds(code).extents(*own)
        stated_extents = self._size_bounds(code).extents(*stated)
        values = list(arguments)
        changed: list[int] = []
        is_same_problem = True
        for index, extent in own_extents.items():
            value = values[index] if index < len(values) else None
            threads = own[1][0] * own[1][1] * own[1][2]
            slack = max(threads, extent // 8)
            if (
                isinstance(value, int)
                and extent - slack < value <= extent
                # A factor of the grid is no size that went with it; of a single block any number of threads may be meant.
                and (2 * value > extent or extent == threads)
                and stated_extents[index] != extent
            ):
                name = code.parameters[index].name
                values[index] = stated_extents[index]
                changed.append(value)
                text = f"argument {name} is {value} by the host code, for another grid: taken as {values[index]}"
                notes.append(("argument", text))
                is_same_problem &= extent - extent // 8 <= stated_extents[index] <= extent
        if values != list(arguments) and not is_same_problem:
            values = [
                self._unsized(value) if self._goes_with(value, changed) else value
                for value in values
            ]
        return values

    def _goes_with(self, value: Value, sizes: Sequence[int]) -> bool:
        """Whether an argument points to a buffer that holds some records for each element, one more or those of whole groups."""
        found = self._memory.find(value) if isinstance(value, int) else None
        size_bytes = found.buffer.size_bytes if found is not None else None
        if not size_bytes:
            return True
        held = {max(size, 1) for size in sizes}
        held |= {size + 1 for size in sizes}
        held |= {-(-size // _GROUP) * _GROUP for size in sizes if size > _GROUP}
        return any(size_bytes % count == 0 for count in held)

    @staticmethod
    def without_empty_sizes(code: Code, arguments: list[Value]) -> list[Value]:
        """Of a launch that is computed to be empty: its sizes below one are as wrong as its grid."""
        return [
            Unknown(new_key(), uniform=True, reason=f"computed as {value}")
            if _is_size(code, index) and isinstance(value, int) and value < 1
            else value
            for index, value in enumerate(arguments)
        ]

    def without_lost_sizes(
        self, code: Code, arguments: list[Value], grid: Dim3, block: Dim3
    ) -> list[Value]:
        """Of a launch behind a guess of the host code that leaves no thread an element: what was counted got lost with it."""
        bounding = self._size_bounds(code).extents(grid, block).keys() & set(range(len(arguments)))
        values = [arguments[index] for index in bounding]
        if not values or any(not isinstance(value, int) or value > 0 for value in values):
            return arguments
        return [
            Unknown(new_key(), uniform=True, reason=f"computed as {value}")
            if index in bounding
            else self._unsized(value)
            for index, value in enumerate(arguments)
        ]

    def guessed(
        self,
        code: Code,
        arguments: list[Value],
        grid: Dim3,
        block: Dim3,
        notes: list[tuple[str, str]],
    ) -> list[Value]:
        """Arguments with unknown integers replaced by what the launch suggests: about one element for each thread."""
        arguments = [
            self._placed(parameter.name, value, notes)
            if parameter.is_pointer and isinstance(value, Unknown)
            else value
            for parameter, value in zip(code.parameters, arguments, strict=False)
        ]
        records = self._unknown_records(code, arguments)
        if not records and not any(isinstance(value, Unknown) for value in arguments):
            return arguments
        arguments = [
            stated_value(self._program, parameter.name, parameter.scalar, value)
            if parameter.scalar is not None and not parameter.is_pointer
            else value
            for parameter, value in zip(code.parameters, arguments, strict=False)
        ]
        bounds = self._size_bounds(code)
        known = {
            index: value
            for index, value in enumerate(arguments)
            if isinstance(value, int) and _is_size(code, index)
        }
        unknown = {
            index: value
            for index, value in enumerate(arguments)
            if isinstance(value, Unknown) and _is_size(code, index)
        }
        given = self._program.stated
        for part, value in (item for parts in records.values() for item in parts):
            name = part.stated(given)
            if part.is_size and isinstance(value, int):
                known[part.number] = value
            elif part.is_size and name is not None:
                known[part.number] = int(given[name])
        notes.extend(
            ("argument", empty_size(code.parameters[index].name, stated))
            for index in bounds.extents(grid, block)
            if index < len(code.parameters)
            and isinstance(stated := known.get(index), int)
            and stated < 1
        )
        # First what the launch says of the numbers themselves: other arguments may be made of the same ones.
        others = bounds.free(grid, block, known)
        products = bounds.products(grid, block, {**others, **known})
        alone = self._learn_sizes(products, unknown, known)
        for index, number in unknown.items():
            size = self._sizes.bounding(number)
            if size is not None:
                known[index] = size
        others = bounds.free(grid, block, known)
        extents = bounds.extents(grid, block, {**others, **known})
        sizes = {**others, **extents}
        for index, number in unknown.items():
            middle = expected(number) if number.is_drawable else None
            if index in extents or middle is None:
                guess = sizes.get(index, DEFAULT_EXTENT)
            else:
                guess = middle
            size = self._sizes.value(number)
            # Threads beyond the end are fewer than half: a thread each is what launches are made for.
            is_fitting = index not in alone or (
                size is not None and alone[index] // 2 < size <= alone[index]
            )
            if size is not None and (is_fitting or self._sizes.is_stated(number)):
                guess = size
            name = code.parameters[index].name
            text = f"argument {name} is unknown ({number.reason}): taken as {guess}"
            notes.append(("argument", text))
            arguments[index] = guess
        for index, found in records.items():
            address = arguments[index]
            assert isinstance(address, int)
            arguments[index], invented = complete_record(
                self._memory,
                address,
                [part for part, _ in found],
                given,
                lambda number: sizes.get(number, DEFAULT_EXTENT),
                self._program.used_values,
            )
            notes.extend(("argument", text) for text in invented)
        return arguments

    def _unknown_records(
        self, code: Code, arguments: list[Value]
    ) -> dict[int, list[tuple[RecordPart, Value]]]:
        """Records among the arguments with numbers that nobody knows, by argument: their parts and values."""
        found: dict[int, list[tuple[RecordPart, Value]]] = {}
        for index, (parameter, address) in enumerate(zip(code.parameters, arguments, strict=False)):
            if parameter.scalar is not None or not isinstance(address, int):
                continue
            if self._memory.find(address) is None:
                continue
            values = [
                (part, part_value(self._memory, address, part))
                for part in self._record_parts(code, index)
            ]
            if any(part.is_size and isinstance(value, Unknown) for part, value in values):
                found[index] = values
        return found

    def _record_parts(self, code: Code, index: int) -> list[RecordPart]:
        known = self._parts.get((code.key, index))
        if known is None:
            known = self._parts[code.key, index] = record_parts(self._program, code, index)
        return known

    def _learn_sizes(
        self,
        products: Sequence[tuple[tuple[int, ...], float]],
        unknown: dict[int, Unknown],
        known: dict[int, int],
    ) -> dict[int, int]:
        """Learn what a launch tells of unknown arguments; the extents of the indices that one bounds alone."""
        alone: dict[int, int] = {}
        for members, extent in products:
            free = [index for index in members if index in unknown]
            rest = extent / max(math.prod(known.get(index, 1) for index in members), 1)
            if QUOTIENT in members:
                continue
            if free and free.count(free[0]) == len(free):
                size = round(rest ** (1 / len(free)))
                alone[free[0]] = max(size, alone.get(free[0], 0))
            elif free:
                self._sizes.share([unknown[index] for index in free], rest)
        for index, extent in alone.items():
            self._sizes.bounds(unknown[index], extent)
        return alone

    def _size_bounds(self, code: Code) -> SizeBounds:
        found = self._bounds.get(code.key)
        if found is None:
            found = self._bounds[code.key] = size_bounds(code)
        return found

    def _unsized(self, value: Value) -> Value:
        """A device buffer that was allocated for another problem size, as one of unknown size."""
        found = self._memory.find(value) if isinstance(value, int) else None
        if found is None or found.buffer.space is not Space.GLOBAL or value != found.base:
            return value
        fresh = self._memory.allocate(None, Space.GLOBAL, found.buffer.name, assumed=True)
        fresh.contents = found.contents.copied_to(fresh.contents)
        self._stand_ins[fresh.buffer.number] = found
        return fresh.base

    def _placed(self, name: str, value: Unknown, notes: list[tuple[str, str]]) -> Value:
        """A pointer into an allocation, nobody knows how far behind its beginning: memory of its own, as of arrays that share one.

        Such arrays begin where rows do, and one launch goes to one place of them.
        """
        start = value.offset
        found = self._memory.find(start) if isinstance(start, int) else None
        if found is None or found.buffer.space is not Space.GLOBAL:
            return value
        key = (found.buffer.number, value.key)
        place = self._places.get(key)
        if place is None:
            place = self._memory.allocate(None, Space.GLOBAL, found.buffer.name, assumed=True)
            place.contents = found.contents.rules()
            self._stand_ins[place.buffer.number] = found
            self._places[key] = place
        where = found.buffer.name or "an allocation"
        text = f"argument {name} is at an unknown place of {where} ({value.reason}): taken as memory of its own"
        notes.append(("place", text))
        return place.base

    def forget_written(self, written: Iterable[int]) -> None:
        """What a launch has written to buffers that stood in for the program's own, these do not hold any more."""
        for number in written:
            if number in self._stand_ins:
                self._stand_ins[number].contents.forget()


def _is_size(code: Code, index: int) -> bool:
    """Whether an argument may be a number of elements."""
    parameter = code.parameters[index] if index < len(code.parameters) else None
    return (
        parameter is not None
        and parameter.scalar is not None
        and parameter.scalar.is_integer
        and not parameter.is_pointer
        and parameter.scalar.size_bytes >= 4
    )
