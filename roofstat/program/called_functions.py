"""Device functions that are called rather than inlined: recursion, targets of function pointers, very large code.

They become part of the caller's `Code`, behind a branch that is never taken, so that sites, blocks and loops have one
numbering and the models see them; the machine enters them by their key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import FunctionName
from clang_queries.ir.statements import Storage
from clang_queries.ir.types import Scalar
from clang_queries.ir.walk import walk
from roofstat.program.code import CalledFunction, If, Op, Scope, blocks
from roofstat.program.context import Context, Frame, InRegister, Place
from roofstat.program.memory_access import copy_record, store_place
from roofstat.program.statements import declare_slot, lower_statement, unwrap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clang_queries.ir.statements import Function
    from roofstat.program.builder import Builder
    from roofstat.program.code import Region

_DEVICE = frozenset({Storage.DEVICE, Storage.CONSTANT, Storage.MANAGED})
MAX_FUNCTIONS = 64
"""Called functions of one kernel that are lowered; more are the sign of a program of another kind."""


def lower_called_functions(context: Context) -> dict[str, CalledFunction]:
    """Append the functions that the code of `context` may call, and those that they call."""
    builder = context.builder
    found: dict[str, CalledFunction] = {}
    while len(found) < MAX_FUNCTIONS:
        missing = [key for key in _targets(context, builder.body) if key not in found]
        functions = [context.program.functions.get(key) for key in missing]
        known = [function for function in functions if function is not None]
        if not known:
            break
        for function in known[: MAX_FUNCTIONS - len(found)]:
            found[function.key] = _append(context, function)
    return found


def _targets(context: Context, regions: list[Region]) -> list[str]:
    """Keys of the functions that are called by name, or through pointers where there are calls of that kind."""
    direct: dict[str, None] = {}
    named: dict[str, None] = {}
    has_pointers = False
    for block in blocks(regions):
        for item in block.instructions:
            if item.op is Op.CALL:
                direct[str(item.detail)] = None
            elif item.op is Op.FUNCTION:
                named[str(item.detail)] = None
            has_pointers = has_pointers or item.op is Op.CALL_POINTER
    if not has_pointers:
        return list(direct)
    return list(direct | named | dict.fromkeys(_in_device_memory(context)))


def _in_device_memory(context: Context) -> Iterator[str]:
    """Keys of the functions that device variables point to."""
    for variable in context.program.globals.values():
        if variable.storage in _DEVICE and variable.initializer is not None:
            for node in walk(variable.initializer):
                if isinstance(node, FunctionName):
                    yield node.key


def _append(outer: Context, function: Function) -> CalledFunction:
    builder = outer.builder
    context = Context(
        outer.program,
        builder,
        is_host=False,
        shared_slots=outer.shared_slots,
        mutation_cache=outer.mutation_cache,
        first_site=builder.site_count,
    )
    builder.position = function.position
    never = builder.value(Op.ARGUMENT, Scalar.BOOL, detail=-1)
    number = builder.new_branch_number()
    region = If(never, [], [], function.position, "call", number)
    frame = Frame(function, context.mutated(function), builder.new_label())
    context.frames.append(frame)
    scalar = context.program.scalar_of(function.result)
    scope = Scope(frame.return_label, [], function.name)
    with builder.inside(region.then):
        first = 0
        if scalar is None:
            address = builder.value(Op.ARGUMENT, Scalar.U64, detail=0)
            frame.result_place = Place(address)
            first = 1
        elif scalar is not Scalar.VOID:
            frame.result_variable = builder.variable(scalar)
        with builder.inside(scope.body):
            _bind_arguments(context, function, first)
            lower_statement(context, function.body)
        builder.region.extend(unwrap(scope))
        _return(builder, frame.result_variable)
    builder.add(region)
    return CalledFunction(
        key=function.key, name=function.name, body=region.then, result=frame.result_variable
    )


def _bind_arguments(context: Context, function: Function, first: int) -> None:
    builder, frame = context.builder, context.frame
    for number, declaration in enumerate(function.parameters, first):
        builder.position = declaration.position
        scalar = context.program.scalar_of(declaration.type)
        register = builder.value(Op.ARGUMENT, scalar or Scalar.U64, detail=number)
        if scalar is not None and declaration.key not in frame.mutated:
            frame.bindings[declaration.key] = InRegister(register)
            continue
        slot = declare_slot(context, declaration)
        place = Place(builder.slot_address(slot), array=declaration.name)
        if scalar is None:
            copy_record(context, place, Place(register), declaration.type)
        else:
            store_place(context, place, register, scalar)


def _return(builder: Builder, result: int | None) -> None:
    """The caller needs the result."""
    if result is None:
        builder.emit(Op.RETURN, Scalar.VOID)
    else:
        builder.emit(Op.RETURN, builder.register_types[result], result)
