"""What the indices of a loop's accesses add to its size, as LLVM weighs it before it unrolls.

At that time each access has one address computation (`getelementptr`) in the loop, whatever it has been made of: LLVM turns a 64-bit sum that is
the index of one array into two of them and moves the one that the loop does not change out of it. A word is widened once,
whether the source says so or an index takes it. IR of clang 18.1.6 in front of its unroller, and its remarks on 33 own loops over one to nine rows and records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.graph.details import LoadDetail
from roofstat.instructions.graph.values import split_pointer
from roofstat.instructions.integers.polynomials import polynomial, signature
from roofstat.instructions.integers.widths import WIDE, WORDS
from roofstat.instructions.loops.sizes import ADDRESSES
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clang_queries.ir.expressions import Position
    from roofstat.instructions.graph.values import Value
    from roofstat.instructions.integers.polynomials import Monomial
    from roofstat.instructions.tables.parameters import UnrollPolicy

    Words = set[tuple[tuple[Monomial, int], ...]]


def unsized(values: Sequence[Value], indices: Mapping[int, set[int]], depth: int) -> set[int]:
    """Numbers of values inside a loop that its size leaves out.

    Args:
        values: What the loop computes.
        indices: Value numbers of the indices of its addresses, with what they index.
        depth: Of the loops around it.
    """
    taken = {
        split_pointer(arg)[0].number
        for value in values
        if value.op not in ADDRESSES
        for arg in value.args
    }
    return {
        value.number
        for value in values
        if (value.op in ADDRESSES and value.number not in taken)
        or _is_row_and_place(value, indices, depth)
    }


def multiples_of_indices(values: Sequence[Value], indices: Mapping[int, set[int]]) -> set[int]:
    """Numbers of the products of 64 bits with a constant whose address takes the other factor as its index: LLVM has them."""
    return {
        value.number
        for value in values
        if value.op in {Op.MUL, Op.SHL}
        and value.scalar in WIDE
        and value.args[1].is_constant
        and value.args[0].number in indices
    }


def _is_row_and_place(value: Value, indices: Mapping[int, set[int]], depth: int) -> bool:
    is_index = (
        value.op is Op.ADD and value.scalar in WIDE and len(indices.get(value.number, ())) == 1
    )
    return is_index and any(arg.context.depth <= depth for arg in value.args)


def fields(values: Sequence[Value], depth: int) -> int:
    """How many address computations take the fields of records that a loop reads and writes one by one, beside one for each record.

    Those of a record that is copied, as an argument is (``f(q[i])``), lie at constants behind its address: they are free.
    """
    seen: dict[int, set[Position | None]] = {}
    for value in values:
        if not isinstance(value.detail, LoadDetail) or not value.args:
            continue
        access, (address, _) = value.detail.access, split_pointer(value.args[0])
        is_field = bool(access.record) and access.group is None
        if is_field and address.op in ADDRESSES and address.context.depth > depth:
            seen.setdefault(address.number, set()).add(value.position)
    return sum(len(places) - 1 for places in seen.values())


def further_size(
    values: Sequence[Value], policy: UnrollPolicy, depth: int, *, is_around: bool
) -> float:
    """What accesses add that have the address of another one and a constant beside it (`x[k + 1]`), which nvcc makes offsets of later.

    PTX of nvcc 13.0: own loops of 1 to 40 loads, stores and atomic operations, whose copies end where each weighs two and one more.

    Args:
        values: What the loop computes.
        policy: The compiler's.
        depth: Of the loops around it.
        is_around: Whether it holds loops that vanished: what changes in it is counted elsewhere, and nothing has left it yet.
    """
    if not policy.further_load_size:
        return 0.0
    seen: dict[int, set[int]] = {}
    size = 0.0
    for value in values:
        if value.op not in _ACCESSES or not value.args or _is_field(value):
            continue
        address, _ = split_pointer(value.args[0])
        if address.op not in ADDRESSES or (address.context.depth <= depth) is not is_around:
            continue
        detail = value.detail
        place = detail.offset_bytes if isinstance(detail, LoadDetail) else -value.number
        places = seen.setdefault(address.number, set())
        if places and place not in places:
            is_load = value.op is Op.LOAD
            size += policy.further_load_size if is_load else policy.further_store_size
        places.add(place)
    return size


def _is_field(value: Value) -> bool:
    """Whether an access is to a member of a record or of a vector, at a constant that is free."""
    if not isinstance(value.detail, LoadDetail):
        return False
    access = value.detail.access
    return bool(access.record) or access.group is not None


_ACCESSES = frozenset({Op.LOAD, Op.STORE, Op.ATOMIC})


def constant_places(values: Sequence[Value], depth: int) -> int:
    """Operations of accesses at constants behind an address, as nvcc weighs a loop: an address for each, a sum for each index.

    Fields of records are free. PTX of nvcc 13.0: where loops over one to 32 loads at constant distances vanish or get two copies.
    """
    offsets: dict[int, set[int]] = {}
    sums: set[tuple[int, ...]] = set()
    for value in values:
        if not isinstance(value.detail, LoadDetail) or not value.args:
            continue
        access, (address, _) = value.detail.access, split_pointer(value.args[0])
        if access.record or not access.access_bytes or address.context.depth <= depth:
            continue
        if address.op in ADDRESSES:
            offset = value.detail.offset_bytes
            offsets.setdefault(address.number, set()).add(offset)
            sums.add((*(arg.number for arg in address.args[1:]), offset))
    further = sum(len(each) - 1 for each in offsets.values())
    return further + sum(1 for each in sums if each[-1])


def widened_twice(values: Sequence[Value], words: Words) -> int:
    """How many conversions of words to 64 bits are of the same word as another one, or as an index."""
    casts = [signature(polynomial(value.args[0])) for value in values if _is_widening(value)]
    return len(casts) - len(set(casts) - words)


def _is_widening(value: Value) -> bool:
    return (
        value.op is Op.CAST
        and value.scalar in WIDE
        and value.args[0].scalar in WORDS
        and value.args[0].op is not Op.LOAD
    )
