"""Entry points: a kernel or a host function of a linked program becomes `Code`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import PointerType, Scalar
from roofstat.program.builder import Builder
from roofstat.program.called_functions import lower_called_functions
from roofstat.program.code import Code, Op, Parameter, ParameterPiece, Scope
from roofstat.program.context import Context, Frame, InRegister, Place
from roofstat.program.link import Lowered
from roofstat.program.memory_access import store_place
from roofstat.program.passes import optimise
from roofstat.program.statements import declare_slot, lower_statement, unwrap

if TYPE_CHECKING:
    from clang_queries.ir.statements import Function, VariableDeclaration
    from roofstat.program.link import Program


def lower_kernel(program: Program, key: str) -> Code:
    """Code of a kernel: device calls inlined, locals in registers where possible."""
    return _lowered(program, key, is_host=False)


def lower_device_function(program: Program, key: str) -> Code:
    """Code of a device function that is called rather than inlined (recursion)."""
    return _lowered(program, key, is_host=False)


def lower_host_function(program: Program, key: str) -> Code:
    """Code of a host function; calls stay calls. The program then has the target regions in it."""
    return _lowered(program, key, is_host=True)


def _lowered(program: Program, key: str, *, is_host: bool) -> Code:
    """Code of a function, lowered once for all runs of a program."""
    known = program.lowered.get((key, is_host))
    if known is None:
        before, program.regions = program.regions, {}
        try:
            code = _lower(program, program.functions[key], is_host=is_host)
        finally:
            found, program.regions = program.regions, before
            program.regions.update(found)
        known = program.lowered[key, is_host] = Lowered(code, found)
    else:
        program.regions.update(known.regions)
    return known.code


def _lower(program: Program, function: Function, *, is_host: bool) -> Code:
    builder = Builder()
    builder.position = function.position
    context = Context(program, builder, is_host)
    frame = Frame(function, context.mutated(function), builder.new_label())
    context.frames.append(frame)
    result_scalar = program.scalar_of(function.result)
    parameters: list[Parameter] = []
    parameter_slots: dict[int, int] = {}
    scope = Scope(frame.return_label, [], function.name)
    with builder.inside(scope.body):
        if result_scalar is None:
            address = _parameter_register(builder, len(parameters), "", Scalar.U64)
            parameters.append(Parameter("", 8, Scalar.U64, is_pointer=True))
            frame.result_place = Place(address)
        elif result_scalar is not Scalar.VOID:
            frame.result_variable = builder.variable(result_scalar)
        for declaration in function.parameters:
            _bind_parameter(context, declaration, parameters, parameter_slots)
        lower_statement(context, function.body)
    builder.body.extend(unwrap(scope))
    functions = {} if is_host else lower_called_functions(context)
    optimise(
        builder,
        parameter_slots,
        result=frame.result_variable,
        is_host=is_host,
        is_clang=program.is_clang,
    )
    for slot, index in parameter_slots.items():
        parameters[index].slot = slot
    return Code(
        key=function.key,
        name=function.name,
        body=builder.body,
        register_types=builder.register_types,
        constants=builder.constants,
        variables=builder.variables,
        slots=builder.slots,
        parameters=parameters,
        result=frame.result_variable,
        assumptions=builder.assumptions,
        site_count=builder.site_count,
        block_count=builder.block_count,
        loop_count=builder.loop_count,
        functions=functions,
        tables=builder.tables,
        own_registers=frozenset(builder.own_registers),
        max_threads_per_block=function.max_threads_per_block,
        min_blocks_per_sm=function.min_blocks_per_sm,
    )


def _parameter_register(
    builder: Builder,
    index: int,
    name: str,
    scalar: Scalar,
    declaration: VariableDeclaration | None = None,
) -> int:
    type_ = declaration.type if declaration is not None else None
    pointer = type_ if isinstance(type_, PointerType) else None
    piece = ParameterPiece(
        index=index,
        offset_bytes=0,
        name=name,
        is_restrict=pointer.is_restrict if pointer else False,
        points_to_const=pointer.is_const if pointer else False,
    )
    return builder.value(Op.PARAM, scalar, detail=piece)


def _bind_parameter(
    context: Context,
    declaration: VariableDeclaration,
    parameters: list[Parameter],
    parameter_slots: dict[int, int],
) -> None:
    builder = context.builder
    builder.position = declaration.position
    scalar = context.program.scalar_of(declaration.type)
    pointer = declaration.type if isinstance(declaration.type, PointerType) else None
    index = len(parameters)
    parameters.append(
        Parameter(
            declaration.name,
            declaration.type.size_bytes,
            scalar,
            is_pointer=pointer is not None,
            pointee_bytes=pointer.pointee.size_bytes if pointer else 0,
        )
    )
    if scalar is None:
        parameter_slots[declare_slot(context, declaration)] = index
        return
    register = _parameter_register(builder, index, declaration.name, scalar, declaration)
    if declaration.key not in context.frame.mutated:
        context.frame.bindings[declaration.key] = InRegister(register)
        return
    slot = declare_slot(context, declaration)
    place = Place(builder.slot_address(slot), array=declaration.name)
    store_place(context, place, register, scalar)
