"""Pointers that advance by a stride of the run and whose first access in a body lies beside them (`i = k * m + t; a[i - 1]`).

Nvcc follows such a pointer from the address of that access, constant and all: of the copies that it makes of a loop the third and later ones
add the stride less the constant for their accesses, and the stride itself for the copy after them. Read off PTX and SASS of 23
own loops by nvcc 13.0 for sm_90.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.addressing.address_shapes import StreamShape
from roofstat.instructions.graph.details import LoadDetail
from roofstat.instructions.graph.values import Pseudo
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roofstat.instructions.graph.values import Value


def pointers_beside(values: Iterable[Value]) -> frozenset[int]:
    """Numbers of these pointers.

    A negative constant stays in the index where nothing is accessed at the pointer itself.

    Args:
        values: Those of a graph, in the order of the program.
    """
    offsets: dict[int, list[int]] = {}
    for value in values:
        if value.op not in {Op.LOAD, Op.STORE} or not isinstance(value.detail, LoadDetail):
            continue
        pointer = value.args[0]
        shape = pointer.detail
        if pointer.op is Pseudo.STREAM and isinstance(shape, StreamShape) and shape.is_multiplied:
            offsets.setdefault(pointer.number, []).append(value.detail.offset_bytes)
    return frozenset(
        number for number, found in offsets.items() if found[0] > 0 or (found[0] < 0 and 0 in found)
    )
