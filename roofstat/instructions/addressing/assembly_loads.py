"""Loads that nvcc's headers write as assembly: `__ldg`, `__ldcg` and their kin.

Their pointers are operands of any kind to the compiler, which takes constants out of the indices of loads and stores only. So
each copy that it makes of a loop has a pointer of its own where the index is a sum of the counter and other words
(`__ldg(&a[row * n + k])`); what the assembler copies shares them. Read off PTX and SASS of 37 own loops and straight lines by
nvcc 13.0 for sm_90, and their twins without `__ldg`.
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


def pointers_of_copies(values: Iterable[Value]) -> dict[int, int]:
    """Number of an advancing pointer of such loads -> how many there are, one for each of the compiler's copies."""
    return {
        stream.number: stream.context.loop.batch
        for stream in (value.args[0] for value in values if _is_in_assembly(value))
        if stream.context.loop is not None and _is_sum_of_words(stream)
    }


def _is_in_assembly(value: Value) -> bool:
    return (
        value.op is Op.LOAD
        and isinstance(value.detail, LoadDetail)
        and value.detail.access.is_in_assembly
    )


def _is_sum_of_words(pointer: Value) -> bool:
    """Whether a pointer advances by a constant from an index that is a word with more in it than the counter.

    One that multiplies the counter by a constant advances as a word anyhow.
    """
    shape = pointer.detail
    return (
        pointer.op is Pseudo.STREAM
        and isinstance(shape, StreamShape)
        and shape.constant_step
        and shape.is_of_word
        and shape.has_invariants
        and shape.word is None
    )
