"""Loads of what the same straight-line code has just loaded or stored: the value is still in a register."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.program.code import Op
from roofstat.program.straight_line import access_of, is_fence, may_touch

if TYPE_CHECKING:
    from clang_queries.ir.types import Scalar
    from roofstat.program.addresses import Numbering, Roots, Terms
    from roofstat.program.straight_line import Access, Run

Key = tuple["Terms", int, "Scalar"]


def forward_values(run: Run, numbering: Numbering, roots: Roots, variables: set[int]) -> None:
    """Turn loads whose value a register holds into moves.

    Args:
        run: The code, rewritten in place.
        numbering: Fresh value numbers for this run.
        roots: Objects behind addresses.
        variables: Registers that are written more than once: they do not keep a value.
    """
    held: dict[Key, tuple[Access, int]] = {}
    for order, item in enumerate(run):
        if isinstance(item, frozenset):
            numbering.forget(item)
            continue
        access = access_of(item, order, numbering, roots)
        if access is not None:
            _pass(access, held, roots, variables)
        elif is_fence(item):
            held.clear()
        numbering.define(item)


def _pass(
    access: Access, held: dict[Key, tuple[Access, int]], roots: Roots, variables: set[int]
) -> None:
    item = access.item
    key = (access.terms, access.place, item.scalar)
    if not access.is_load:
        for other, (holder, _) in list(held.items()):
            if may_touch(holder, access, roots):
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
