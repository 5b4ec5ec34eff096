"""Private copies of variables for the threads of a construct."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from clang_queries.ir.expressions import Variable
from clang_queries.ir.statements import VariableDeclaration
from clang_queries.ir.types import ArrayType
from clang_queries.ir.walk import walk
from roofstat.program.context import InSlot, Place
from roofstat.program.expressions import lower_value
from roofstat.program.memory_access import copy_record, store_place
from roofstat.program.openmp.clauses import clauses, is_target
from roofstat.program.openmp.state import LastPrivate
from roofstat.program.places import lower_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clang_queries.ir.statements import Clause, Directive
    from roofstat.program.context import Binding, Context

PRIVATE_CLAUSES = ("private", "firstprivate", "lastprivate", "linear")


@contextmanager
def private_variables(context: Context, directive: Directive) -> Iterator[None]:
    """Private copies for the body of a directive; what is last private goes back to the original."""
    frame, state = context.frame, context.openmp
    before: dict[str, Binding | None] = {}
    outer = state.last_private if state is not None else []
    kept: list[LastPrivate] = []
    for clause in clauses(directive, *PRIVATE_CLAUSES):
        for item in clause.expressions:
            if isinstance(item, Variable) and not _is_shared(context, item, clause, directive):
                before.setdefault(item.key, context.binding(item.key))
                last = _make_private(context, item, clause)
                if last is not None:
                    kept.append(last)
    if state is not None:
        state.last_private = kept
    yield
    if state is not None:
        state.last_private = outer
    for key, binding in before.items():
        if binding is None:
            frame.bindings.pop(key, None)
        else:
            frame.bindings[key] = binding


def _is_shared(context: Context, variable: Variable, clause: Clause, directive: Directive) -> bool:
    """Whether clang leaves out the copy: of what is const and lies in mapped memory, a target region reads the original.

    Each use loads it again where something may have been stored in between (PTX of 10 own regions).
    """
    if clause.name != "firstprivate" or not is_target(directive):
        return False
    if context.program.scalar_of(variable.type) is not None or not context.binding(variable.key):
        return False
    function = context.frame.function
    declared = (node for node in walk(function.body) if isinstance(node, VariableDeclaration))
    return any(
        item.key == variable.key and item.is_const for item in (*function.parameters, *declared)
    )


def _make_private(context: Context, variable: Variable, clause: Clause) -> LastPrivate | None:
    builder = context.builder
    scalar = context.program.scalar_of(variable.type)
    known = context.binding(variable.key) is not None or variable.key in context.program.globals
    source = None
    value = None
    if clause.name in ("firstprivate", "linear") and known:
        if scalar is not None:
            value = lower_value(context, variable)
        elif not isinstance(variable.type, ArrayType):
            source = lower_place(context, variable)
    original = (
        lower_place(context, variable)
        if clause.name == "lastprivate" and known and scalar is not None
        else None
    )
    size = max(variable.type.size_bytes, 1)
    slot = builder.local_slot(variable.name, size, host=False, element=scalar)
    context.frame.bindings[variable.key] = InSlot(slot, variable.name)
    place = Place(builder.slot_address(slot), array=variable.name)
    if value is not None and scalar is not None:
        store_place(context, place, value, scalar)
    elif source is not None:
        copy_record(context, place, source, variable.type)
    if original is not None and scalar is not None:
        return LastPrivate(original, place, scalar)
    return None
