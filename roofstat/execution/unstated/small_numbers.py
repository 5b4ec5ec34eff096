"""Parameters that are no sizes of arrays: places of a window, margins and steps, bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.execution.sampling.thread_indices import bound_of, part_number
from roofstat.program.code import MEMORY_ACCESSES, MemoryAccess, Op, ParameterPiece
from roofstat.program.comparisons import ORDERS
from roofstat.program.slices import COPIES, backward_slice, copied_once

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roofstat.execution.sampling.thread_indices import ThreadIndices
    from roofstat.execution.unstated.size_bounds import Pitch
    from roofstat.program.code import Code, Instruction

DEFAULT_BITS = 8
"""Value of one that numbers are shifted by."""
DEFAULT_WINDOW = 3
"""Value of one that bounds a loop over a window, whose places may lie before the beginning."""

CHOICES = COPIES | {Op.SELECT, Op.MATH}
_SUMS = CHOICES | {Op.ADD, Op.SUB, Op.MUL, Op.NEG}


def small_numbers(
    code: Code,
    definitions: dict[int, list[Instruction]],
    indices: ThreadIndices,
    ends: Mapping[int, int],
    pitches: Collection[Pitch],
) -> dict[int, int]:
    """Values of the parameters that are small numbers.

    Args:
        code: The kernel.
        definitions: Register -> what writes it.
        indices: What registers take from the indices of threads.
        ends: Parameters that end loops of one thread, with the variables of these.
        pitches: Parameters that are a factor in a sum.
    """
    return {
        **_shifts(code, definitions),
        **_increments(code, definitions, indices, {*ends, *_rows(pitches, definitions)}),
        **_windows(code, definitions, indices, ends),
    }


def _rows(pitches: Iterable[Pitch], definitions: dict[int, list[Instruction]]) -> Iterator[int]:
    """Parameters to multiples of which an index is added, and not only the beginning of an array."""
    for pitch in pitches:
        found = definitions.get(pitch.other, ())
        if not found or any(item.op is not Op.PARAM for item in found):
            yield pitch.number


def _shifts(code: Code, definitions: dict[int, list[Instruction]]) -> dict[int, int]:
    """Parameters that numbers are shifted by."""
    return {
        number: DEFAULT_BITS
        for _, item in code.instructions()
        if item.op in (Op.SHL, Op.SHR)
        and (bound := bound_of(item.args[1], definitions, code)) is not None
        for number in bound.parameters
    }


def _increments(
    code: Code,
    definitions: dict[int, list[Instruction]],
    indices: ThreadIndices,
    others: Collection[int],
) -> dict[int, int]:
    """Parameters that do nothing but multiply the index of an element, as in ``x[i * incx]``: elements lie side by side."""
    rows = {*others}
    found: set[int] = set()
    for _, item in code.instructions():
        if item.op not in MEMORY_ACCESSES:
            continue
        address = definitions.get(copied_once(definitions, item.args[0]), ())
        if len(address) != 1 or address[0].op is not Op.PTR_ADD:
            continue
        product = definitions.get(copied_once(definitions, address[0].args[1]), ())
        if len(product) != 1 or product[0].op is not Op.MUL:
            continue
        for register, index in (product[0].args, product[0].args[::-1]):
            bound = bound_of(register, definitions, code)
            if bound is not None and bound.scale == 1.0 and indices.of(index).axes:
                scale, access = address[0].detail, item.detail
                assert isinstance(scale, int)
                is_first = not isinstance(access, MemoryAccess) or access.offset_bytes < scale
                (found if is_first else rows).update(bound.parameters)
    return dict.fromkeys(found - rows, 1)


def _windows(
    code: Code,
    definitions: dict[int, list[Instruction]],
    indices: ThreadIndices,
    ends: Mapping[int, int],
) -> dict[int, int]:
    """Steps, margins and places of windows around elements, which may reach before the first: ``i * step - margin + k >= 0``."""
    places = {
        register
        for _, item in code.instructions()
        if item.op in ORDERS or (item.op is Op.MATH and item.detail == "max")
        for register, other in (item.args, item.args[::-1])
        if code.constants.get(copied_once(definitions, other)) in (0, -1)
        and indices.of(register).axes
    }
    within = {*places}
    found: dict[int, int] = {}
    for place in places:
        for item in backward_slice(definitions, place, lambda item: item.op in _SUMS):
            within.add(item.dest)
            if item.op is Op.PARAM and isinstance(item.detail, ParameterPiece):
                found[part_number(item.detail.index, item.detail.offset_bytes)] = 1
    for number, variable in ends.items():
        if variable < 0:
            continue
        made_of = backward_slice(definitions, variable, lambda item: item.op in _SUMS)
        if variable in within or not places.isdisjoint(item.dest for item in made_of):
            found[number] = DEFAULT_WINDOW
    return found
