"""Host calls that run kernels of a library: what they ask for, with how many elements of which type."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.host.algorithms import element_of, without_policy
from roofstat.execution.host.functors import problem_of_functors
from roofstat.execution.host.records import plain, scalar_named, size_named, template_arguments
from roofstat.execution.host.vectors import pointer
from roofstat.execution.numbers.values import Unknown
from roofstat.libraries.calls import form_of
from roofstat.libraries.operations import UNMEASURED, VECTOR_FILL, LibraryUse
from roofstat.libraries.table import ELEMENT_BYTES
from roofstat.program.code import Space

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Position
    from clang_queries.ir.types import Scalar
    from roofstat.execution.host.registry import HostCall
    from roofstat.libraries.calls import CallForm

_POINTER_LIKE = ("device_ptr", "normal_iterator", "__normal_iterator", "counting_iterator")
_WIDE_BYTES = 8
_DEFAULT_BYTES = 4
_DATA_TYPES: dict[int | None, str] = {0: "float", 1: "double"}
"""Of the words of `cudaDataType`, the types that were measured."""


@dataclass(slots=True, eq=False)
class RecordedUse:
    """Calls of a library that ask for the same.

    Attributes:
        use: What they ask for.
        position: The first of the calls.
        count: How often they run.
        caveats: What was taken for granted.
        problem: Why its kernels are not known; empty where they are.
    """

    use: LibraryUse
    position: Position
    count: float = 0.0
    caveats: tuple[str, ...] = ()
    problem: str = ""


@dataclass(slots=True, eq=False)
class LibraryCalls:
    """All uses of libraries in a run, in order."""

    found: dict[tuple[LibraryUse, Position], RecordedUse] = field(default_factory=dict)
    unmeasured: dict[tuple[str, str, Position], None] = field(default_factory=dict)
    """(name, library, place) of calls whose kernels nobody knows."""

    def record(self, call: HostCall, library: str) -> None:
        """Note a call of a library's function, should it run kernels this time."""
        name = call.detail.name
        if library == "CUB" and call.integer(0) == 0:
            return
        own, types = without_policy(replace(call))
        has_policy = len(types) < len(call.detail.template_arguments)
        if library == "Thrust" and _is_on_host(own, types, has_policy=has_policy):
            return
        form = form_of(name, types, len(own.arguments))
        if form is None:
            self._miss(call, library)
            return
        if form.operation == "copy":
            if not all(map(_is_pointer_like, types[:2])):
                self._miss(call, library)
            return
        use, caveats, problem = _read(own, types, form, library)
        recorded = self.found.setdefault(
            (use, call.instruction.position),
            RecordedUse(use, call.instruction.position, caveats=caveats, problem=problem),
        )
        recorded.count += float(call.machine.weight[0])

    def record_vector_fill(self, call: HostCall) -> None:
        """Note that a vector on the device gets a size, which sets its elements; the first of a program stands for all."""
        if all(name != VECTOR_FILL for name, _, _ in self.unmeasured):
            self.unmeasured[VECTOR_FILL, "Thrust", call.instruction.position] = None

    def _miss(self, call: HostCall, library: str) -> None:
        self.unmeasured[call.detail.name, library, call.instruction.position] = None


def _is_on_host(own: HostCall, types: list[str], *, has_policy: bool) -> bool:
    """Whether an algorithm of Thrust works on host memory, where it runs no kernel: its policy or its iterators say so."""
    if has_policy:
        place = own.place(pointer(own, own.arguments[0])) if own.arguments else None
        return place is not None and place[0].buffer.space is not Space.GLOBAL
    return bool(types) and types[0].endswith("*")


def _is_pointer_like(iterator: str) -> bool:
    return iterator.endswith("*") or plain(iterator).partition("<")[0].endswith(_POINTER_LIKE)


def _read(
    own: HostCall, types: list[str], form: CallForm, library: str
) -> tuple[LibraryUse, tuple[str, ...], str]:
    """What a call asks for, what had to be taken for granted, and why its kernels are not known."""
    caveats = []
    element = form.element
    if form.data_type is not None:
        element = _DATA_TYPES.get(own.integer(form.data_type), "other")
    size = ELEMENT_BYTES.get(element, _DEFAULT_BYTES)
    if not element:
        key = types[form.key] if form.key < len(types) else ""
        size, scalar = _type_of(own, key)
        element = _most_like(size, scalar)
        if not _is_known(key, size, scalar):
            caveats.append(
                f"its elements ({key or 'of unknown type'}) are taken for {element}s of {size} bytes"
            )
    if form.has_user_code:
        caveats.append("the operation that it is given counts as one of the simplest kind")
    value_bytes = 0
    if form.value is not None and form.value < len(types):
        value_bytes = _type_of(own, types[form.value])[0]
    items, problem = _items(own, form, types)
    if problem:
        problem = f"on how many elements is not known ({problem})"
    unlike = problem_of_functors(own.run.program, types, must_be_known=form.has_user_code)
    sorted_bits = None
    if form.first_bit is not None:
        sorted_bits = _sorted_bits(own, form.first_bit, size)
        if sorted_bits is None:
            unlike = "by which bits it sorts is not known"
        elif sorted_bits < size * 8:
            caveats.append("counting its digits is taken to cost as much as for all bits")
    problem = problem or unlike
    use = LibraryUse(
        call=own.detail.name,
        library=library,
        operation=UNMEASURED if unlike else form.operation,
        element=element,
        element_bytes=size,
        value_bytes=value_bytes,
        items=items,
        sorted_bits=sorted_bits,
    )
    return use, tuple(caveats), problem


def _type_of(own: HostCall, name: str) -> tuple[int, Scalar | None]:
    """Size and scalar type of the elements that a template argument stands for: their type, or an iterator over them."""
    scalar = scalar_named(name)
    if scalar is not None and not name.endswith("*"):
        return scalar.size_bytes, scalar
    if name.endswith("*") or template_arguments(name):
        return element_of(own, name)
    return size_named(own.run.program, name) or _DEFAULT_BYTES, None


def _is_known(name: str, size: int, scalar: Scalar | None) -> bool:
    """Whether a type is one of those that were measured."""
    is_measured = scalar is not None and size == ELEMENT_BYTES[_most_like(size, scalar)]
    return is_measured and (scalar_named(name) is not None or _is_pointer_like(name))


def _most_like(size: int, scalar: Scalar | None) -> str:
    if scalar is not None and scalar.is_float:
        return "double" if size >= _WIDE_BYTES else "float"
    return "long" if size >= _WIDE_BYTES else "int"


def _items(own: HostCall, form: CallForm, types: list[str]) -> tuple[int | None, str]:
    if form.items is not None:
        items = own.integer(form.items)
        if own.place(items) is not None:
            return None, "the argument for it is an address"
        return items, "" if items is not None else _why(own, form.items)
    if len(own.arguments) < 2:
        return None, _why(own, 1)
    first, end = (pointer(own, value) for value in own.arguments[:2])
    if first is None or end is None:
        return None, _why(own, 1)
    place = own.place(first)
    behind = own.place(end)
    if place is None or behind is None or behind[0] is not place[0] or end < first:
        return None, "the end of the range is not known"
    size, _ = _type_of(own, types[0] if types else "")
    return (end - first) // size, ""


def _sorted_bits(own: HostCall, index: int, key_bytes: int) -> int | None:
    """How many bits of a key a sort looks at; None where that is not known, or it is none of them."""
    begin, end = own.integer(index), own.integer(index + 1)
    if begin is None or end is None or not 0 <= begin < end:
        return None
    return min(end, key_bytes * 8) - begin


def _why(own: HostCall, index: int) -> str:
    value = own.arguments[index] if index < len(own.arguments) else None
    return value.reason if isinstance(value, Unknown) and value.reason else "it is not known"
