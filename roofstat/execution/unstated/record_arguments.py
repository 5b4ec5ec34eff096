"""Sizes and pointers within records that kernels take by value, where nothing gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import ArrayType, PointerType, RecordType
from clang_queries.quick_dataclass import dataclass
from roofstat.execution.numbers.values import Unknown, fits, number_of
from roofstat.execution.sampling.thread_indices import part_number
from roofstat.program.code import Op, ParameterPiece, Space

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from clang_queries.ir.types import Scalar, Type
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.stored.address_space import AddressSpace
    from roofstat.program.code import Code
    from roofstat.program.link import Program

_MOST_PARTS = 256


@dataclass(frozen=True, slots=True)
class RecordPart:
    """A scalar of a record that a kernel reads."""

    number: int
    """As the bounds of sizes name it."""
    name: str
    """``g.nx``."""
    offset_bytes: int
    scalar: Scalar
    is_pointer: bool

    @property
    def is_size(self) -> bool:
        """Whether it may be a number of elements."""
        return not self.is_pointer and self.scalar.is_integer and self.scalar.size_bytes >= 4

    def stated(self, given: Mapping[str, float]) -> str | None:
        """The name that the user gives it, with or without that of the record."""
        names = (self.name, self.name.rpartition(".")[2])
        return next(
            (name for name in names if fits(given.get(name, float("nan")), self.scalar)), None
        )


def record_parts(program: Program, code: Code, index: int) -> list[RecordPart]:
    """Parts of one argument that the kernel reads; none for arguments that are no records."""
    function = program.functions.get(code.key)
    if (
        function is None
        or index >= len(function.parameters)
        or len(code.parameters) != len(function.parameters)
    ):
        return []
    declaration = function.parameters[index]
    read = {
        item.detail.offset_bytes
        for _, item in code.instructions()
        if item.op is Op.PARAM
        and isinstance(item.detail, ParameterPiece)
        and item.detail.index == index
    }
    found: list[RecordPart] = []
    for name, offset, type_ in _scalars(program, declaration.type, declaration.name, 0):
        scalar = program.scalar_of(type_)
        if offset in read and scalar is not None:
            number = part_number(index, offset)
            found.append(RecordPart(number, name, offset, scalar, isinstance(type_, PointerType)))
        if len(found) >= _MOST_PARTS:
            break
    return found


def _scalars(program: Program, type_: Type, name: str, at: int) -> Iterator[tuple[str, int, Type]]:
    record = program.records.get(type_.key) if isinstance(type_, RecordType) else None
    if record is not None:
        for field in record.fields:
            if field.bit_width is None:
                base = (
                    name
                    if isinstance(field.type, RecordType) and field.name == field.type.name
                    else f"{name}.{field.name}"
                )
                yield from _scalars(program, field.type, base, at + field.offset_bytes)
    elif isinstance(type_, ArrayType):
        for position in range(min(type_.length or 0, _MOST_PARTS)):
            place = at + position * type_.element.size_bytes
            yield from _scalars(program, type_.element, f"{name}[{position}]", place)
    else:
        yield name, at, type_


def complete_record(
    memory: AddressSpace,
    address: int,
    parts: list[RecordPart],
    given: Mapping[str, float],
    size_of: Callable[[int], int],
    used: set[str],
) -> tuple[int, list[str]]:
    """Give the unknown parts of a record what the user states, or what the launch suggests.

    Args:
        memory: Where it lies.
        address: Of the record that the host gives.
        parts: Those that the kernel reads.
        given: Values that the user states, by name.
        size_of: What a launch suggests for a part, by its number.
        used: Receives the names of those that are taken.

    Returns:
        The address of the completed record, and a sentence for each part that had to be invented.
    """
    host = memory.find(address)
    if host is None:
        return address, []
    start = address - host.base
    unknown = [
        (part, value)
        for part in parts
        if isinstance(value := part_value(memory, address, part), Unknown)
    ]
    if not unknown:
        return address, []
    copy = memory.allocate(host.buffer.size_bytes, Space.HOST, host.buffer.name)
    copy.contents = host.contents.copied_to(copy.contents)
    notes: list[str] = []
    for part, value in unknown:
        name = part.stated(given)
        if name is not None and not part.is_pointer:
            used.add(name)
            number: Value = number_of(given[name], part.scalar)
        elif part.is_pointer:
            number = memory.allocate(None, Space.GLOBAL, part.name, assumed=True).base
        elif part.is_size:
            number = size_of(part.number)
            notes.append(
                f"argument {part.name} is not given: taken as {number}, --set {part.name}=NUMBER states it"
            )
        else:
            number = value
        copy.contents.store(start + part.offset_bytes, part.scalar, number)
    return copy.base + start, notes


def part_value(memory: AddressSpace, address: int, part: RecordPart) -> Value:
    """What the host has stored in a part."""
    host = memory.find(address)
    assert host is not None
    at = address - host.base + part.offset_bytes
    return host.contents.load(at, part.scalar, host.buffer.number, f"argument {part.name}")
