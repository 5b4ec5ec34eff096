"""Overrides and destructors of the records met: known when all other functions are lowered."""

from __future__ import annotations

from dataclasses import replace

from clang_queries._cindex import Cursor
from clang_queries._kinds import Kind
from clang_queries.lowering.unit_context import UnitContext


def complete_records(context: UnitContext, done: set[str]) -> None:
    """Notes the overrides in the records; they and destructors go on the worklist.

    Args:
        context: the unit.
        done: keys of the records already completed; those of this call are added.
    """
    for key in [key for key in context.types.records if key not in done]:
        done.add(key)
        declaration = context.types.declarations[key]
        overrides: list[tuple[str, str]] = []
        for child in context.clang.children(declaration):
            if child.kind == Kind.DESTRUCTOR and _has_body(context, child):
                context.reference(child)  # nothing calls it by name, but it may launch
            if child.kind in (Kind.METHOD, Kind.DESTRUCTOR, Kind.CONVERSION_FUNCTION):
                overrides += _overrides(context, child)
        if overrides:
            record = context.types.records[key]
            context.types.records[key] = replace(record, virtual_methods=tuple(overrides))


def _has_body(context: UnitContext, destructor: Cursor) -> bool:
    definition = context.clang.definition(destructor)
    if context.clang.lib.clang_CXXMethod_isDefaulted(destructor):
        return False
    children = context.clang.children(definition)
    return bool(children) and children[-1].kind == Kind.COMPOUND_STMT


def _overrides(context: UnitContext, method: Cursor) -> list[tuple[str, str]]:
    """(key of every method that is overridden, directly or not, key of this one) pairs."""
    if not context.clang.lib.clang_CXXMethod_isVirtual(method):
        return []
    waiting = context.clang.overridden(method)
    if not waiting:
        return []
    own = context.reference(method).key
    found: list[tuple[str, str]] = []
    while waiting:
        base = waiting.pop()
        found.append((context.key_of(base), own))
        waiting += context.clang.overridden(base)
    return found
