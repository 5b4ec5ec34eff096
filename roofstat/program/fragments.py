"""`nvcuda::wmma` functions: the shape stands in the fragment's type, the tile in memory follows from the layout."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clang_queries.ir.types import PointerType, RecordType, Scalar
from clang_queries.quick_pattern import pattern
from roofstat.program.code import Op, TensorOperation, TensorTile
from roofstat.program.expressions import lower_value
from roofstat.program.forms import array_name
from roofstat.program.memory_access import place_address
from roofstat.program.records import record_place

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Call, Expr
    from clang_queries.ir.types import Type
    from roofstat.program.context import Context

_FRAGMENT = pattern(
    r"fragment<.*?(matrix_a|matrix_b|accumulator), *(\d+), *(\d+), *(\d+), *([\w: ]+)(?:, *[\w:]*?(row|col)_major)?"
)
_KINDS = {
    "mma_sync": "mma",
    "bmma_sync": "mma",
    "load_matrix_sync": "load",
    "store_matrix_sync": "store",
    "fill_fragment": "fill",
}
_COLUMN_MAJOR = 1
"""Value of `mem_col_major`."""
_REGISTER_BYTES = 4


def lower_fragment_function(context: Context, name: str, call: Call) -> int:
    """Lower a call of a function on fragments; they return nothing."""
    kind = _KINDS.get(name)
    if kind is None:
        return -1
    builder = context.builder
    fragments = [match for match in map(_fragment, call.arguments) if match is not None]
    scalars = [item for item in call.arguments if context.program.scalar_of(item.type) is not None]
    scalars = [item for item in scalars if _fragment(item) is None]
    operands = [lower_value(context, item) for item in scalars] if kind != "mma" else []
    addresses = [_address(context, item) for item in call.arguments if _fragment(item) is not None]
    builder.position = call.position
    shape = fragments[0] if fragments else None
    m, n, k = (int(part) for part in shape.groups()[1:4]) if shape else (16, 16, 16)
    tile = None
    if shape is not None and kind in ("load", "store") and len(operands) >= 2:
        layout = builder.constants.get(operands[2]) if len(operands) > 2 else None
        tile = _tile(shape, scalars[0], is_column_major=layout == _COLUMN_MAJOR)
    detail = TensorOperation(
        m=m,
        n=n,
        k=k,
        input_type=_input_type(fragments, kind),
        kind=kind,
        tile=tile,
        fragments=len(addresses),
    )
    builder.emit(Op.TENSOR, Scalar.F32, *operands, *addresses, detail=detail)
    return -1


def _address(context: Context, fragment: Expr) -> int:
    if isinstance(fragment.type, PointerType):
        return lower_value(context, fragment)
    return place_address(context, record_place(context, fragment))


def _fragment(argument: Expr) -> re.Match[str] | None:
    type_: Type = argument.type
    pointee = type_.pointee if isinstance(type_, PointerType) else type_
    return _FRAGMENT.search(pointee.name) if isinstance(pointee, RecordType) else None


def _input_type(fragments: list[re.Match[str]], kind: str) -> str:
    """Element type of the operands (of the fragment itself for loads and stores)."""
    for match in fragments:
        if kind != "mma" or match.group(1) != "accumulator":
            return match.group(5).strip()
    return "half"


def _tile(match: re.Match[str], pointer: Expr, *, is_column_major: bool) -> TensorTile:
    """The stretches of memory behind a fragment, and how the lanes share them.

    A lane holds pairs of 2-byte elements (words of 4 bytes) of one row of A or column of B, and pairs of neighbours of a
    row of the accumulator, as the loads that nvcc emits on sm_80 and sm_90 show. Where these do not lie along the lines in
    memory, single elements are moved; 2-byte operands are transposed in registers instead.
    """
    use = match.group(1)
    m, n, k = (int(part) for part in match.groups()[1:4])
    rows, columns = {"matrix_a": (m, k), "matrix_b": (k, n)}.get(use, (m, n))
    is_accumulator = use == "accumulator"
    by_column = is_column_major if is_accumulator else match.group(6) == "col"
    lines, length = (columns, rows) if by_column else (rows, columns)
    pointee = pointer.type.pointee if isinstance(pointer.type, PointerType) else pointer.type
    element = max(pointee.size_bytes, 1)
    if is_accumulator:
        is_crossed, lane = by_column, element if by_column else 2 * element
    else:
        is_crossed = by_column == (use == "matrix_a") and element != 2
        lane = element if is_crossed else max(element, _REGISTER_BYTES)
    return TensorTile(
        lines=lines,
        line_bytes=length * element,
        element_bytes=element,
        lane_bytes=lane,
        is_crossed=is_crossed,
        array=array_name(pointer),
    )
