"""Stores in a body that a later one overwrites before anything may read them: compilers drop them before they weigh a loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.graph.details import LoadDetail
from roofstat.instructions.graph.memory_state import root_of, roots_may_alias
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roofstat.instructions.graph.values import Value


def lost_stores(values: Iterable[Value]) -> set[int]:
    """Numbers of the stores that the next one to the same address replaces (`o[i] += a; o[i] += b;`).

    Args:
        values: What a body computes, in its order.
    """
    lost: set[int] = set()
    unread: dict[tuple[int, int], Value] = {}
    for value in values:
        if value.op is Op.STORE:
            before = unread.get(_place(value))
            if before is not None and before.context is value.context:
                is_covered = before.scalar.size_bytes <= value.scalar.size_bytes
                lost.update([before.number] if is_covered else [])
            unread[_place(value)] = value
        elif value.op is Op.LOAD and unread:
            unread = {place: store for place, store in unread.items() if not _reads(value, store)}
        elif value.op in _READING:
            unread.clear()
    return lost


_READING = frozenset({Op.ATOMIC, Op.BARRIER, Op.CALL, Op.CALL_POINTER, Op.COPY, Op.ASM, Op.TENSOR})


def _place(access: Value) -> tuple[int, int]:
    """The address of an access, and its distance from that."""
    detail = access.detail
    offset = detail.offset_bytes if isinstance(detail, LoadDetail) else -1 - access.number
    return access.args[0].number, offset


def _reads(load: Value, store: Value) -> bool:
    """Whether a load may read what a store has left."""
    (address, offset), (stored, start) = _place(load), _place(store)
    if address == stored:
        size = max(load.scalar.size_bytes, store.scalar.size_bytes)
        return abs(offset - start) < size
    return roots_may_alias(root_of(load.args[0]), root_of(store.args[0]), frozenset())
