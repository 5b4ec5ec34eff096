"""Lowering of expressions: values into registers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import (
    AddressOf,
    Assign,
    Binary,
    BinaryOp,
    BitCast,
    Call,
    Cast,
    Comma,
    CompoundAssign,
    Conditional,
    Constant,
    Construct,
    Delete,
    Deref,
    Expr,
    FunctionName,
    IncDec,
    InitList,
    Launch,
    Logical,
    LogicalOp,
    Member,
    New,
    OpaqueExpr,
    StatementExpr,
    StringLiteral,
    Subscript,
    Unary,
    UnaryOp,
    Variable,
)
from clang_queries.ir.types import (
    ArrayType,
    FunctionType,
    PointerType,
    Scalar,
    ScalarType,
)
from roofstat.program import launch_sites, places, records
from roofstat.program.code import STATED_VALUE, If, LibraryCall, Op
from roofstat.program.context import INDEX, InRegister, Place
from roofstat.program.forms import (
    EXTREMA,
    element_size,
    is_cheap,
    is_decayed,
    is_extremum,
    is_lvalue,
)
from roofstat.program.memory_access import load_place, place_address, store_place
from roofstat.program.register_arithmetic import (
    binary_operation,
    constant_value,
    convert,
    pointer_add,
    to_bool,
)
from roofstat.program.special import special_register

if TYPE_CHECKING:
    from clang_queries.ir.types import Type
    from roofstat.program.context import Context


def lower_value(context: Context, expression: Expr) -> int:
    """Lower an expression to a register: its scalar value, or the address of its object for records and arrays."""
    builder = context.builder
    builder.position = expression.position
    type_ = expression.type
    scalar = context.program.scalar_of(type_)
    if scalar is None and records.is_memory_type(context, type_) and not is_decayed(expression):
        return place_address(context, records.record_place(context, expression))
    scalar = scalar or Scalar.U64
    match expression:
        case Constant(value=value):
            return builder.constant(constant_value(value, scalar), scalar)
        case Variable():
            return _variable_value(context, expression, scalar)
        case FunctionName(key=key):
            return builder.function_address(key)
        case StringLiteral(value=text):
            return builder.value(Op.STRING, Scalar.U64, detail=text)
        case Deref(pointer=Call() as call) if is_extremum(call):
            return _extremum(context, call, scalar)
        case Deref() | Subscript():
            if isinstance(type_, FunctionType):
                return lower_value(
                    context,
                    expression.pointer if isinstance(expression, Deref) else expression.base,
                )
            return load_place(context, places.lower_place(context, expression), scalar)
        case Member(name=name):
            special = special_register(expression)
            if special is not None:
                return builder.value(Op.SPECIAL, scalar, detail=special)
            value = load_place(context, places.lower_place(context, expression), scalar)
            base = expression.base
            if isinstance(base, Variable) and f"{base.name}.{name}" in context.program.stated:
                name = f"{base.name}.{name}"
            return _stated(context, name, scalar, value)
        case AddressOf(operand=operand):
            return places.lower_address_of(context, operand)
        case Unary():
            return _unary(context, expression, scalar)
        case IncDec():
            return _step(context, expression, scalar)
        case Binary():
            return _binary(context, expression, scalar)
        case Logical():
            return _logical(context, expression)
        case Conditional():
            return _conditional(context, expression, scalar)
        case Assign(target=target, value=value):
            result = lower_value(context, value)
            place = places.lower_place(context, target)
            builder.position = expression.position
            store_place(context, place, result, scalar)
            return result
        case CompoundAssign():
            return _compound_assign(context, expression, scalar)
        case Cast(operand=operand):
            return _cast(context, operand, type_)
        case BitCast(operand=operand):
            return _bit_cast(context, operand, scalar)
        case Call() if (pointee := _extremum_scalar(context, expression)) is not None:
            return places.lower_temporary(context, _extremum(context, expression, pointee))
        case Call():
            from roofstat.program.calls import lower_call

            register = lower_call(context, expression, None)
            return register if register >= 0 else builder.constant(0, Scalar.I32)
        case Comma(left=left, right=right):
            lower_effect(context, left)
            return lower_value(context, right)
        case StatementExpr():
            return lower_statement_expression(context, expression, None)
        case Construct(arguments=arguments):
            if arguments:
                return lower_value(context, arguments[-1])
            return builder.constant(0, scalar)
        case InitList(elements=elements):
            if elements:
                return lower_value(context, elements[0][1])
            return builder.constant(0, scalar)
        case Launch():
            return launch_sites.lower_launch(context, expression)
        case New():
            return launch_sites.lower_new(context, expression)
        case Delete(operand=operand):
            pointer = lower_value(context, operand)
            return builder.value(Op.LIBRARY, Scalar.I32, pointer, detail=LibraryCall(name="free"))
        case OpaqueExpr(reason=reason, operands=operands):
            for operand in operands:
                lower_effect(context, operand)
            builder.position = expression.position
            builder.assume("front-end", reason)
            return builder.unknown(scalar, reason)
        case _:
            builder.assume("front-end", f"no lowering for {type(expression).__name__}")
            return builder.unknown(scalar, type(expression).__name__)


def _extremum_scalar(context: Context, call: Call) -> Scalar | None:
    """What the reference that `std::min` or `std::max` of two numbers returns refers to; None for other calls."""
    if not is_extremum(call) or not isinstance(call.type, PointerType):
        return None
    return context.program.scalar_of(call.type.pointee)


def _extremum(context: Context, call: Call, scalar: Scalar) -> int:
    builder = context.builder
    assert isinstance(call.callee, FunctionName)
    values: list[int] = []
    for argument in call.arguments:
        if isinstance(argument, AddressOf):
            values.append(convert(context, lower_value(context, argument.operand), scalar))
        else:
            values.append(load_place(context, Place(lower_value(context, argument)), scalar))
    builder.position = call.position
    return builder.value(Op.MATH, scalar, *values, detail=EXTREMA[call.callee.name])


def lower_effect(context: Context, expression: Expr) -> None:
    """Lower an expression whose value is not used."""
    match expression:
        case Cast(operand=operand) if expression.type.size_bytes == 0:
            lower_effect(context, operand)
        case Constant() | Variable() | FunctionName() | StringLiteral():
            return
        case Comma(left=left, right=right):
            lower_effect(context, left)
            lower_effect(context, right)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            flag = lower_condition(context, condition)
            lower_branch(
                context,
                flag,
                lambda: lower_effect(context, then),
                lambda: lower_effect(context, otherwise),
                expression,
            )
        case Logical(op=op, left=left, right=right):
            flag = lower_condition(context, left)
            if op is LogicalOp.AND:
                lower_branch(context, flag, lambda: lower_effect(context, right), None, expression)
            else:
                lower_branch(context, flag, None, lambda: lower_effect(context, right), expression)
        case _ if records.is_memory_type(context, expression.type) and not is_lvalue(expression):
            records.record_place(context, expression)
        case Assign() if records.is_memory_type(context, expression.type):
            records.record_place(context, expression)
        case _:
            lower_value(context, expression)


def lower_condition(context: Context, expression: Expr) -> int:
    """Lower to a truth value register; the address of a text, as in ``assert(x && "why")``, is true."""
    bare = expression
    while isinstance(bare, Cast):
        bare = bare.operand
    if isinstance(bare, StringLiteral):
        return context.builder.constant(True, Scalar.BOOL)
    register = lower_value(context, expression)
    return to_bool(context, register)


def _variable_value(context: Context, variable: Variable, scalar: Scalar) -> int:
    return _stated(context, variable.name, scalar, _own_value(context, variable, scalar))


def _stated(context: Context, name: str, scalar: Scalar, value: int) -> int:
    """A value of host code, or what the user states for its name where it is not known."""
    if context.is_host and name.rsplit("::", 1)[-1] in context.program.stated:
        detail = LibraryCall(name=STATED_VALUE, template_arguments=(name,))
        return context.builder.value(Op.LIBRARY, scalar, value, detail=detail)
    return value


def _own_value(context: Context, variable: Variable, scalar: Scalar) -> int:
    binding = context.binding(variable.key)
    if isinstance(binding, InRegister):
        return binding.register
    if binding is None:
        special = special_register(variable)
        if special is not None:
            return context.builder.value(Op.SPECIAL, scalar, detail=special)
        declaration = context.program.globals.get(variable.key)
        if (
            declaration is not None
            and declaration.is_const
            and isinstance(declaration.initializer, Constant)
        ):
            return context.builder.constant(
                constant_value(declaration.initializer.value, scalar), scalar
            )
        if isinstance(variable.type, FunctionType):
            return context.builder.function_address(variable.key)
    return load_place(context, places.variable_place(context, variable), scalar)


def _unary(context: Context, expression: Unary, scalar: Scalar) -> int:
    builder = context.builder
    if expression.op is UnaryOp.NOT:
        flag = lower_condition(context, expression.operand)
        return convert(context, builder.value(Op.NOT, Scalar.BOOL, flag), scalar)
    operand = convert(context, lower_value(context, expression.operand), scalar)
    builder.position = expression.position
    if operand in builder.constants and expression.op is UnaryOp.NEG:
        return builder.constant(constant_value(-builder.constants[operand], scalar), scalar)
    op = Op.NEG if expression.op is UnaryOp.NEG else Op.BIT_NOT
    return builder.value(op, scalar, operand)


def _binary(context: Context, expression: Binary, scalar: Scalar) -> int:
    builder = context.builder
    left_type, right_type = expression.left.type, expression.right.type
    pointer_like = (PointerType, ArrayType)
    left = lower_value(context, expression.left)
    right = lower_value(context, expression.right)
    builder.position = expression.position
    op = expression.op
    if not op.is_comparison and isinstance(left_type, pointer_like):
        size = element_size(left_type)
        if isinstance(right_type, pointer_like):
            return builder.value(Op.PTR_DIFF, scalar, left, right, detail=size)
        return pointer_add(context, left, right, size, negate=op is BinaryOp.SUB)
    if not op.is_comparison and isinstance(right_type, pointer_like):
        return pointer_add(context, right, left, element_size(right_type))
    return binary_operation(context, op, left, right, scalar)


def _logical(context: Context, expression: Logical) -> int:
    builder = context.builder
    left = lower_condition(context, expression.left)
    is_and = expression.op is LogicalOp.AND
    if left in builder.constants:
        if bool(builder.constants[left]) != is_and:
            return builder.constant(not is_and, Scalar.BOOL)
        return lower_condition(context, expression.right)
    if is_cheap(expression.right, 6):
        right = lower_condition(context, expression.right)
        if right in builder.constants:
            is_decisive = bool(builder.constants[right]) != is_and
            return builder.constant(not is_and, Scalar.BOOL) if is_decisive else left
        return builder.value(Op.AND if is_and else Op.OR, Scalar.BOOL, left, right)
    variable = builder.variable(Scalar.BOOL)
    builder.move(variable, left)

    def evaluate() -> None:
        builder.move(variable, lower_condition(context, expression.right))

    if is_and:
        lower_branch(context, left, evaluate, None, expression, "logical")
    else:
        lower_branch(context, left, None, evaluate, expression, "logical")
    return builder.value(Op.MOV, Scalar.BOOL, variable)


def _conditional(context: Context, expression: Conditional, scalar: Scalar) -> int:
    builder = context.builder
    flag = lower_condition(context, expression.condition)
    if flag in builder.constants:
        chosen = expression.then if builder.constants[flag] else expression.otherwise
        return convert(context, lower_value(context, chosen), scalar)
    if is_cheap(expression.then, 5) and is_cheap(expression.otherwise, 5):
        first = convert(context, lower_value(context, expression.then), scalar)
        second = convert(context, lower_value(context, expression.otherwise), scalar)
        builder.position = expression.position
        return builder.value(Op.SELECT, scalar, flag, first, second)
    variable = builder.variable(scalar)

    def assign(branch: Expr) -> None:
        builder.move(variable, convert(context, lower_value(context, branch), scalar))

    lower_branch(
        context,
        flag,
        lambda: assign(expression.then),
        lambda: assign(expression.otherwise),
        expression,
        "conditional",
    )
    return builder.value(Op.MOV, scalar, variable)


def lower_branch(
    context: Context,
    flag: int,
    then: object,
    otherwise: object,
    expression: Expr,
    kind: str = "if",
) -> None:
    """Add a branch whose arms are filled by calls; None leaves an arm empty."""
    builder = context.builder
    region = If(
        flag,
        [],
        [],
        expression.position,
        kind,
        builder.new_branch_number(),
        is_inlined=builder.is_inlining,
    )
    for body, target in ((then, region.then), (otherwise, region.otherwise)):
        if callable(body):
            with builder.inside(target):
                body()
    builder.add(region)


def _step(context: Context, expression: IncDec, scalar: Scalar) -> int:
    builder = context.builder
    place = places.lower_place(context, expression.target)
    old = load_place(context, place, scalar)
    builder.position = expression.position
    if isinstance(expression.type, PointerType):
        size = element_size(expression.type)
        index = builder.constant(expression.delta, INDEX)
        new = builder.value(Op.PTR_ADD, Scalar.U64, old, index, scalar=INDEX, detail=size)
    else:
        one = builder.constant(
            float(expression.delta) if scalar.is_float else expression.delta, scalar
        )
        new = builder.value(Op.ADD, scalar, old, one)
    store_place(context, place, new, scalar)
    return new if expression.is_prefix else old


def _compound_assign(context: Context, expression: CompoundAssign, scalar: Scalar) -> int:
    builder = context.builder
    value = lower_value(context, expression.value)
    place = places.lower_place(context, expression.target)
    old = load_place(context, place, scalar)
    builder.position = expression.position
    if isinstance(expression.target.type, PointerType):
        new = pointer_add(
            context,
            old,
            value,
            element_size(expression.target.type),
            negate=expression.op is BinaryOp.SUB,
        )
    else:
        computed = context.program.scalar_of(expression.computation_type) or scalar
        new = binary_operation(
            context, expression.op, convert(context, old, computed), value, computed
        )
        new = convert(context, new, scalar)
    store_place(context, place, new, scalar)
    return new


def _cast(context: Context, operand: Expr, type_: Type) -> int:
    builder = context.builder
    if isinstance(type_, ScalarType) and type_.scalar is Scalar.VOID:
        lower_effect(context, operand)
        return builder.constant(0, Scalar.I32)
    register = lower_value(context, operand)
    builder.position = operand.position
    return convert(context, register, context.program.scalar_of(type_) or Scalar.U64)


def _bit_cast(context: Context, operand: Expr, scalar: Scalar) -> int:
    builder = context.builder
    register = lower_value(context, operand)
    source = builder.register_types[register]
    if source is scalar:
        return register
    return builder.value(Op.BITCAST, scalar, register, detail=source)


def lower_statement_expression(
    context: Context, expression: StatementExpr, target: Place | None
) -> int:
    """Lower a GNU statement expression; its last expression is its value."""
    from clang_queries.ir.statements import Evaluate
    from roofstat.program.statements import lower_statement

    body = expression.body.body
    if not body:
        return context.builder.constant(0, Scalar.I32)
    for statement in body[:-1]:
        lower_statement(context, statement)
    last = body[-1]
    if isinstance(last, Evaluate):
        if target is not None:
            records.lower_record_into(context, last.expression, target)
            return target.address
        return lower_value(context, last.expression)
    lower_statement(context, last)
    return context.builder.constant(0, Scalar.I32)
