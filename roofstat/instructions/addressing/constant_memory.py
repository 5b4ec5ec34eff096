"""Constant memory: its addresses are words, and arithmetic takes what all threads read as an operand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.graph.details import LoadDetail
from roofstat.instructions.graph.memory_state import RootKind
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roofstat.instructions.graph.memory_state import Root
    from roofstat.instructions.graph.values import Value


def is_constant_load(value: Value) -> bool:
    """Whether a value is loaded from a `__constant__` variable."""
    detail = value.detail
    if value.op is not Op.LOAD or not isinstance(detail, LoadDetail):
        return False
    is_variable = detail.access.is_read_only and not detail.access.is_in_assembly
    return is_variable and detail.root.kind is RootKind.GLOBAL


def constant_roots(values: Iterable[Value]) -> frozenset[Root]:
    """The `__constant__` variables that values are loaded from."""
    return frozenset(
        value.detail.root
        for value in values
        if is_constant_load(value) and isinstance(value.detail, LoadDetail)
    )
