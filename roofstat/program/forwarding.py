"""Loads and stores of what the same straight-line code has just loaded or stored: the value is still in a register.

A record that is loaded, changed in some members and stored whole stores those alone. Of vectors nvcc stores all members
where one has changed (``LDG.128``, ``STG.128`` in SASS of sm_90, nvcc 13.0), as it loads them whole; clang 18 does not, but takes what other pointers lead to for a part of any record that it copies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.program.code import Op
from roofstat.program.straight_line import access_of, copies_in, is_fence, may_touch

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Position
    from clang_queries.ir.types import Scalar
    from roofstat.program.addresses import Numbering, Roots, Terms
    from roofstat.program.straight_line import Access, Run

Key = tuple["Terms", int, "Scalar"]


def forward_values(
    run: Run, numbering: Numbering, roots: Roots, variables: set[int], *, is_clang: bool
) -> tuple[list[Access], list[Access]]:
    """Turn loads whose value a register holds into moves.

    Args:
        run: The code, rewritten in place.
        numbering: Fresh value numbers for this run.
        roots: Objects behind addresses.
        variables: Registers that are written more than once: they do not keep a value.
        is_clang: Whether clang compiles it, and not nvcc.

    Returns:
        The stores that leave their place as it is, and all others.
    """
    held: dict[Key, tuple[Access, int]] = {}
    bytewise = copies_in(run) if is_clang else frozenset()
    unchanged: list[Access] = []
    others: list[Access] = []
    for order, item in enumerate(run):
        if isinstance(item, frozenset):
            numbering.forget(item)
            continue
        access = access_of(item, order, numbering, roots)
        if access is not None and access.is_plain and _is_there(access, held, numbering):
            unchanged.append(access)
        elif access is not None:
            if not access.is_load:
                others.append(access)
            _pass(access, held, roots, variables, bytewise)
        elif is_fence(item):
            held.clear()
        numbering.define(item)
    return unchanged, others


def _is_there(access: Access, held: dict[Key, tuple[Access, int]], numbering: Numbering) -> bool:
    """Whether a store puts down what its place holds already."""
    known = held.get((access.terms, access.place, access.item.scalar))
    if access.is_load or known is None:
        return False
    return numbering.number(known[1]) == numbering.number(access.item.args[1])


def _pass(
    access: Access,
    held: dict[Key, tuple[Access, int]],
    roots: Roots,
    variables: set[int],
    bytewise: frozenset[Position],
) -> None:
    item = access.item
    key = (access.terms, access.place, item.scalar)
    if not access.is_load:
        for other, (holder, _) in list(held.items()):
            if may_touch(holder, access, roots, bytewise):
                del held[other]
        if access.is_plain and item.args[1] not in variables:
            held[key] = (access, item.args[1])
        return
    if not access.is_plain:
        return
    known = held.get(key)
    if known is None:
        held[key] = (access, item.dest)
        return
    item.op, item.args, item.detail = Op.MOV, (known[1],), None
