"""Lowering of calls: device functions are inlined, builtins become instructions, the rest is called by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import (
    AddressOf,
    Cast,
    Construct,
    Deref,
    Expr,
    FunctionName,
    Member,
    StringLiteral,
    Subscript,
    Variable,
)
from clang_queries.ir.types import ArrayType, FunctionType, PointerType, RecordType, Scalar
from roofstat.program.code import Block, Leave, LibraryCall, Op, Scope, instructions_of
from roofstat.program.context import Frame, InRegister, InSlot, Place
from roofstat.program.device_functions import lower_builtin
from roofstat.program.expressions import lower_value
from roofstat.program.memory_access import MAX_COPIED_LEAVES, load_place, place_address, store_place
from roofstat.program.records import lower_record_into, record_place
from roofstat.program.register_arithmetic import convert

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Call
    from clang_queries.ir.statements import Function, VariableDeclaration
    from clang_queries.ir.types import Type
    from roofstat.program.context import Context


def lower_call(context: Context, call: Call, target: Place | None, *, discard: bool = False) -> int:
    """Lower a call; records go to `target`. Returns the result register, -1 for void."""
    callee = call.callee
    if isinstance(callee, FunctionName):
        function = _called_function(context, callee, call.arguments)
        if call.is_virtual and not context.is_host:
            from roofstat.program.virtual_calls import called_method

            function = called_method(context, call, function)
        if function is not None:
            return _call_known(context, function, call.arguments, call.type, target)
        builtin = lower_builtin(context, callee, call, target, discard=discard)
        if builtin is not None:
            return builtin
        return _call_library(context, callee, call, target)
    builder = context.builder
    pointer = lower_value(context, callee)
    # A function that was handed to an inlined one is called, not looked up.
    handed = context.program.functions.get(builder.functions.get(pointer, ""))
    if handed is not None:
        return _call_known(context, handed, call.arguments, call.type, target)
    operands = [_argument(context, argument) for argument in call.arguments]
    builder.position = call.position
    return _finish(context, Op.CALL_POINTER, (pointer, *operands), None, call.type, target)


def _called_function(
    context: Context, callee: FunctionName, arguments: tuple[Expr, ...]
) -> Function | None:
    types = [argument.type for argument in arguments]
    if context.program.variants:
        from roofstat.program.openmp.variants import chosen_function

        variant = chosen_function(context, callee, types)
        if variant is not None:
            return variant
    return context.program.function(callee.key, callee.name, types)


def lower_constructor(
    context: Context,
    constructor: FunctionName,
    arguments: tuple[Expr, ...],
    place: Place,
    expression: Expr,
) -> None:
    """Run a constructor on the object at `place`."""
    builder = context.builder
    this = place_address(context, place)
    function = context.program.functions.get(constructor.key)
    if function is None:
        operands = [this, *_operands(context, arguments)]
        builder.position = expression.position
        name = expression.type.name if isinstance(expression.type, RecordType) else ""
        detail = LibraryCall(
            name=constructor.name,
            template_arguments=constructor.template_arguments,
            object_type=name,
        )
        builder.value(Op.LIBRARY, Scalar.I32, *operands, detail=detail)
        return
    parameters = function.parameters
    if context.may_inline(function):
        _inline(context, function, arguments, None, this=this)
        return
    operands = [this]
    for argument, parameter in zip(arguments, parameters[1:], strict=False):
        operands.append(_argument(context, argument, parameter))
    builder.value(Op.CALL, Scalar.I32, *operands, detail=function.key)


def _call_known(
    context: Context,
    function: Function,
    arguments: tuple[Expr, ...],
    type_: Type,
    target: Place | None,
) -> int:
    if context.may_inline(function):
        return _inline(context, function, arguments, target)
    operands = [
        _argument(context, argument, parameter)
        for argument, parameter in zip(arguments, function.parameters, strict=False)
    ]
    return _finish(context, Op.CALL, tuple(operands), function.key, type_, target)


def _argument(
    context: Context, argument: Expr, parameter: VariableDeclaration | None = None
) -> int:
    """A scalar in a register, or the address of a record (the callee copies it)."""
    scalar = context.program.scalar_of(argument.type)
    if scalar is None and isinstance(argument.type, RecordType | ArrayType):
        return place_address(context, record_place(context, argument))
    register = lower_value(context, argument)
    if parameter is not None:
        wanted = context.program.scalar_of(parameter.type)
        if wanted is not None:
            return convert(context, register, wanted)
    return register


def _operands(context: Context, arguments: tuple[Expr, ...]) -> tuple[int, ...]:
    """Arguments of a call that nobody looks into.

    What a record in memory holds follows the others: the caller loads it to pass it by value, whatever the callee does.
    """
    found: list[int] = []
    loaded: list[int] = []
    for argument in arguments:
        if context.is_host or not isinstance(_copied(argument), Subscript | Deref | Member):
            found.append(_argument(context, argument))
            continue
        leaves = context.program.leaves(argument.type)
        if context.program.scalar_of(argument.type) is not None or len(leaves) > MAX_COPIED_LEAVES:
            found.append(_argument(context, argument))
            continue
        place = record_place(context, argument)
        found.append(place_address(context, place))
        loaded += [
            load_place(context, place.part(leaf.offset_bytes), leaf.scalar) for leaf in leaves
        ]
    return (*found, *loaded)


def _reaches_memory(argument: Expr) -> bool:
    """Whether a function that is handed this can move data that the kernel does not own."""
    if not isinstance(argument.type, PointerType) or isinstance(
        argument.type.pointee, FunctionType
    ):
        return False
    bare, is_address = argument, False
    while isinstance(bare, Cast | AddressOf | Member):
        is_address |= isinstance(bare, AddressOf)
        bare = bare.base if isinstance(bare, Member) else bare.operand
    is_own = isinstance(bare, Variable) and (is_address or isinstance(bare.type, ArrayType))
    return not is_own and not isinstance(bare, StringLiteral)


def _copied(argument: Expr) -> Expr:
    """The object that a trivial copy is made of."""
    while isinstance(argument, Construct) and argument.constructor is None:
        if len(argument.arguments) != 1:
            break
        argument = argument.arguments[0]
    return argument.operand if isinstance(argument, Cast) else argument


def _finish(
    context: Context,
    op: Op,
    operands: tuple[int, ...],
    detail: object,
    type_: Type,
    target: Place | None,
) -> int:
    """Emit a call whose record result, if any, goes through a first address argument."""
    builder = context.builder
    scalar = context.program.scalar_of(type_)
    if scalar is Scalar.VOID:
        builder.value(op, Scalar.I32, *operands, detail=detail)
        return -1
    if scalar is not None and target is None:
        return builder.value(op, scalar, *operands, detail=detail)
    if scalar is not None and target is not None:
        store_place(context, target, builder.value(op, scalar, *operands, detail=detail), scalar)
        return -1
    if target is None:
        index = builder.local_slot("", max(type_.size_bytes, 1), host=context.is_host)
        target = Place(builder.slot_address(index))
    address = place_address(context, target)
    builder.value(op, Scalar.I32, address, *operands, detail=detail)
    return address


def _call_library(context: Context, callee: FunctionName, call: Call, target: Place | None) -> int:
    arguments, type_ = call.arguments, call.type
    operands = _operands(context, arguments)
    if context.is_host:
        context.builder.position = call.position
    object_type = ""
    if arguments and isinstance(arguments[0].type, PointerType):
        pointee = arguments[0].type.pointee
        object_type = pointee.name if isinstance(pointee, RecordType) else ""
    elif (
        arguments
        and isinstance(arguments[0], AddressOf)
        and isinstance(arguments[0].operand.type, RecordType)
    ):
        object_type = arguments[0].operand.type.name
    is_record = context.program.scalar_of(type_) is None
    detail = LibraryCall(
        name=callee.name,
        template_arguments=callee.template_arguments,
        result_size_bytes=type_.size_bytes if is_record else 0,
        result_pointee_bytes=type_.pointee.size_bytes if isinstance(type_, PointerType) else 0,
        object_type=object_type,
    )
    if not context.is_host:
        context.builder.assume(
            "library-call",
            f"{callee.name} has no visible body; its work is a table entry or unknown",
        )
        if any(map(_reaches_memory, arguments)):
            context.builder.assume(
                "library-memory",
                f"what {callee.name} reads and writes through its pointers is not counted",
            )
    return _finish(context, Op.LIBRARY, operands, detail, type_, target)


# Inlining


def _inline(
    context: Context,
    function: Function,
    arguments: tuple[Expr, ...],
    target: Place | None,
    *,
    this: int | None = None,
) -> int:
    """Expand a device function here."""
    builder = context.builder
    frame = Frame(function, context.mutated(function), builder.new_label())
    parameters = list(function.parameters)
    bindings: list[tuple[VariableDeclaration, int | InSlot]] = []
    if this is not None:
        bindings.append((parameters.pop(0), this))
    for argument, parameter in zip(arguments, parameters, strict=False):
        bindings.append((parameter, _inlined_argument(context, argument, parameter)))
    scope = Scope(frame.return_label, [], function.name)
    scalar = context.program.scalar_of(function.result)
    if scalar is None:
        if target is None:
            index = builder.local_slot("", max(function.result.size_bytes, 1), host=False)
            target = Place(builder.slot_address(index))
        frame.result_place = target
    elif scalar is not Scalar.VOID:
        frame.result_variable = builder.variable(scalar)
    context.frames.append(frame)
    try:
        with builder.inlining(function.position), builder.inside(scope.body):
            for parameter, value in bindings:
                _bind(context, parameter, value)
            from roofstat.program.statements import lower_statement

            lower_statement(context, function.body)
    finally:
        context.frames.pop()
    _drop_final_leave(scope)
    _add_scope(context, scope)
    if frame.result_variable is not None:
        result = _only_result(context, scope, frame.result_variable)
        if result is None:
            result = builder.value(
                Op.MOV, builder.register_types[frame.result_variable], frame.result_variable
            )
        if target is not None:
            store_place(context, target, result, builder.register_types[result])
        return result
    if target is not None and scalar is None:
        return place_address(context, target)
    return -1


def _inlined_argument(
    context: Context, argument: Expr, parameter: VariableDeclaration
) -> int | InSlot:
    """A scalar in a register, or a record copied into the parameter's own slot."""
    scalar = context.program.scalar_of(parameter.type)
    if scalar is not None:
        return convert(context, lower_value(context, argument), scalar)
    index = context.builder.local_slot(
        parameter.name, max(parameter.type.size_bytes, 1), host=False
    )
    place = Place(context.builder.slot_address(index), array=parameter.name)
    lower_record_into(context, argument, place)
    return InSlot(index, parameter.name)


def _bind(context: Context, parameter: VariableDeclaration, value: int | InSlot) -> None:
    from roofstat.program.statements import declare_slot

    builder, frame = context.builder, context.frame
    if isinstance(value, InSlot):
        frame.bindings[parameter.key] = value
    elif parameter.key not in frame.mutated:
        frame.bindings[parameter.key] = InRegister(value)
    else:
        slot = declare_slot(context, parameter)
        place = Place(builder.slot_address(slot), array=parameter.name)
        store_place(context, place, value, builder.register_types[value])


def _only_result(context: Context, scope: Scope, variable: int) -> int | None:
    """The register that holds the result where one `return` at the end sets it; None where several may."""
    builder = context.builder
    writers = [item for item in instructions_of(scope.body) if item.dest == variable]
    last = scope.body[-1] if scope.body else None
    if len(writers) != 1 or not isinstance(last, Block) or writers[0] not in last.instructions:
        return None
    writers[0].dest = builder.register(builder.register_types[variable])
    return writers[0].dest


def _drop_final_leave(scope: Scope) -> None:
    if scope.body and isinstance(scope.body[-1], Leave) and scope.body[-1].label == scope.label:
        scope.body.pop()


def _add_scope(context: Context, scope: Scope) -> None:
    from roofstat.program.statements import unwrap

    context.builder.region.extend(unwrap(scope))
