"""Virtual methods in device code: which override a call reaches.

A compiler calls the override itself where it sees the object being made; otherwise the class is known to the run alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import AddressOf, Cast, Deref, Expr, Member, Variable
from clang_queries.ir.types import PointerType, RecordType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clang_queries.ir.expressions import Call
    from clang_queries.ir.statements import Function
    from clang_queries.ir.types import Record
    from roofstat.program.context import Context

_MOST_STEPS = 16
"""References and pointers to one another that are followed."""
_MOST_CLASSES = 64
"""Classes that are looked at on the way up from one."""


def overrides_of(records: Mapping[str, Record]) -> dict[str, dict[str, str]]:
    """Return, for each method that is overridden, its override in each class that has one."""
    found: dict[str, dict[str, str]] = {}
    for key, record in records.items():
        for base, override in record.virtual_methods:
            found.setdefault(base, {})[key] = override
    return found


def nearest_override(
    records: Mapping[str, Record], overrides: Mapping[str, str], record: str
) -> str | None:
    """Return the override of a method in a class, or in the nearest of its bases that has one."""
    waiting = [record]
    for key in waiting:
        if key in overrides:
            return overrides[key]
        known = records.get(key)
        if known is not None and len(waiting) < _MOST_CLASSES:
            waiting += [
                field.type.key
                for field in known.fields
                if isinstance(field.type, RecordType) and field.name == field.type.name
            ]
    return None


def called_method(context: Context, call: Call, declared: Function | None) -> Function | None:
    """Return the method that a virtual call runs; where the run alone knows the class, one of those that may be meant.

    Args:
        context: Of the code that calls.
        call: The call; its first argument is the object's address.
        declared: The method of the class that the call names; None where that has no body.
    """
    program = context.program
    overrides = overrides_of(program.records).get(getattr(call.callee, "key", ""))
    if not overrides:
        return declared
    record = _class_of(context, call.arguments[0])
    if record is not None:
        key = nearest_override(program.records, overrides, record)
        return declared if key is None else program.functions.get(key)
    candidates = [program.functions[key] for key in overrides.values() if key in program.functions]
    if declared is not None:
        candidates.append(declared)
    if not candidates:
        return None
    chosen = min(candidates, key=lambda item: item.name)
    if len(candidates) > 1:
        names = ", ".join(sorted({item.name for item in candidates}))
        text = f"which of {names} runs rests on the class of an object: {chosen.name} is taken"
        context.builder.assume("dispatch", text)
    return chosen


def _class_of(context: Context, address: Expr) -> str | None:
    """The class that an object was made as, where the variable that holds it is in sight."""
    function = context.frame.function
    known = context.program.unchanged_variables(function, context.mutated(function))
    for _ in range(_MOST_STEPS):
        match address:
            case Cast(operand=inner) | AddressOf(operand=Deref(pointer=inner)):
                address = inner
            case AddressOf(operand=Member(base=whole, name=name, type=RecordType(name=base))) if (
                name == base
            ):
                address = AddressOf(address.type, address.position, whole)
            case AddressOf(operand=Variable(type=RecordType() as record)):
                return record.key
            case Variable(type=PointerType(), key=key) if key in known:
                address = known[key]
            case _:
                return None
    return None
