"""What device code asks of a `std::vector` of the host: its size, its storage, its elements.

The members that it reads are those of the bundled headers: the address of the elements and, behind it, their number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import PointerType, Scalar
from roofstat.program.code import Op
from roofstat.program.context import INDEX, Place
from roofstat.program.expressions import lower_value
from roofstat.program.forms import array_name
from roofstat.program.memory_access import load_place
from roofstat.program.register_arithmetic import convert

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Call, FunctionName
    from roofstat.program.context import Context

_CONTAINER = "std::vector::"
_SIZE_OFFSET = 8
_SIZES = frozenset({"size", "empty"})
_ELEMENTS = frozenset(
    {"data", "begin", "cbegin", "front", "end", "cend", "back", "operator[]", "at"}
)
_LAST = {"end": 0, "cend": 0, "back": -1}
"""Elements that are counted from the end."""


def lower_container_method(context: Context, callee: FunctionName, call: Call) -> int | None:
    """Lower a method that changes nothing; None for others."""
    method = callee.name.removeprefix(_CONTAINER)
    if method == callee.name or not call.arguments:
        return None
    builder = context.builder
    if method in _SIZES:
        size = _size(context, call)
        if method == "size":
            return size
        zero = builder.constant(0, Scalar.U64)
        return builder.value(Op.EQ, Scalar.BOOL, size, zero, scalar=Scalar.U64)
    if method not in _ELEMENTS or not isinstance(call.type, PointerType):
        return None
    data = load_place(context, _object(context, call), Scalar.U64)
    if method in _LAST:
        index = convert(context, _size(context, call), INDEX)
        if _LAST[method]:
            step = builder.constant(_LAST[method], INDEX)
            index = builder.value(Op.ADD, INDEX, index, step)
    elif len(call.arguments) > 1:
        index = convert(context, lower_value(context, call.arguments[1]), INDEX)
    else:
        return data
    element = max(call.type.pointee.size_bytes, 1)
    builder.position = call.position
    return builder.value(Op.PTR_ADD, Scalar.U64, data, index, scalar=INDEX, detail=element)


def _object(context: Context, call: Call) -> Place:
    container = call.arguments[0]
    return Place(lower_value(context, container), array=array_name(container), is_read_only=True)


def _size(context: Context, call: Call) -> int:
    return load_place(context, _object(context, call).part(_SIZE_OFFSET), Scalar.U64)
