"""Lowering of expressions: values into registers, lvalues into places, records into memory."""

from __future__ import annotations

from dataclasses import replace
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
from clang_queries.ir.statements import Storage
from clang_queries.ir.types import (
    ArrayType,
    FunctionType,
    PointerType,
    RecordType,
    Scalar,
    ScalarType,
)
from roofstat.program.code import STATED_VALUE, If, LaunchSite, LibraryCall, Op, Slot, Space
from roofstat.program.context import INDEX, InMemory, InRegister, InSlot, Place
from roofstat.program.memory_access import copy_record, load_place, store_place
from roofstat.program.special import special_register, special_variable_place

if TYPE_CHECKING:
    from clang_queries.ir.types import Record, Type
    from roofstat.program.context import Context

_BINARY_OPS = {
    BinaryOp.ADD: Op.ADD,
    BinaryOp.SUB: Op.SUB,
    BinaryOp.MUL: Op.MUL,
    BinaryOp.DIV: Op.DIV,
    BinaryOp.REM: Op.REM,
    BinaryOp.SHL: Op.SHL,
    BinaryOp.SHR: Op.SHR,
    BinaryOp.AND: Op.AND,
    BinaryOp.OR: Op.OR,
    BinaryOp.XOR: Op.XOR,
    BinaryOp.LT: Op.LT,
    BinaryOp.GT: Op.GT,
    BinaryOp.LE: Op.LE,
    BinaryOp.GE: Op.GE,
    BinaryOp.EQ: Op.EQ,
    BinaryOp.NE: Op.NE,
}

LARGE_RECORD_BYTES = 4096
"""Larger records are cleared as a whole: spelling out a matrix within a class would cost seconds."""
_LVALUES = (Variable, Deref, Subscript, Member, StringLiteral)


def is_lvalue(expression: Expr) -> bool:
    """Whether the expression designates an object."""
    match expression:
        case Member(base=base):
            return is_lvalue(base)
        case Conditional(then=then, otherwise=otherwise):
            return is_lvalue(then) and is_lvalue(otherwise) and then.type == otherwise.type
        case Comma(right=right):
            return is_lvalue(right)
        case Assign() | CompoundAssign():
            return True
        case IncDec(is_prefix=is_prefix):
            return is_prefix
        case _:
            return isinstance(expression, _LVALUES)


def lower_value(context: Context, expression: Expr) -> int:
    """Lower an expression to a register: its scalar value, or the address of its object for records and arrays."""
    builder = context.builder
    builder.position = expression.position
    type_ = expression.type
    scalar = context.program.scalar_of(type_)
    if scalar is None and _is_memory_type(context, type_) and not _is_decayed(expression):
        return place_address(context, record_place(context, expression))
    scalar = scalar or Scalar.U64
    match expression:
        case Constant(value=value):
            return builder.constant(_constant_value(value, scalar), scalar)
        case Variable():
            return _variable_value(context, expression, scalar)
        case FunctionName(key=key):
            return builder.value(Op.FUNCTION, Scalar.U64, detail=key)
        case StringLiteral(value=text):
            return builder.value(Op.STRING, Scalar.U64, detail=text)
        case Deref(pointer=Call() as call) if _is_extremum(call):
            return _extremum(context, call, scalar)
        case Deref() | Subscript():
            if isinstance(type_, FunctionType):
                return lower_value(
                    context,
                    expression.pointer if isinstance(expression, Deref) else expression.base,
                )
            return load_place(context, lower_place(context, expression), scalar)
        case Member():
            special = special_register(expression)
            if special is not None:
                return builder.value(Op.SPECIAL, scalar, detail=special)
            return load_place(context, lower_place(context, expression), scalar)
        case AddressOf(operand=operand):
            return _address_of(context, operand)
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
            place = lower_place(context, target)
            builder.position = expression.position
            store_place(context, place, result, scalar)
            return result
        case CompoundAssign():
            return _compound_assign(context, expression, scalar)
        case Cast(operand=operand):
            return _cast(context, operand, type_)
        case BitCast(operand=operand):
            return _bit_cast(context, operand, scalar)
        case Call():
            from roofstat.program.calls import lower_call

            register = lower_call(context, expression, None)
            return register if register >= 0 else builder.constant(0, Scalar.I32)
        case Comma(left=left, right=right):
            lower_effect(context, left)
            return lower_value(context, right)
        case StatementExpr():
            return _statement_expression(context, expression, None)
        case Construct(arguments=arguments):
            if arguments:
                return lower_value(context, arguments[-1])
            return builder.unknown(scalar, "uninitialised")
        case InitList(elements=elements):
            if elements:
                return lower_value(context, elements[0][1])
            return builder.constant(0, scalar)
        case Launch():
            return _launch(context, expression)
        case New():
            return _new(context, expression)
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


_EXTREMA = {"std::min": "min", "std::max": "max", "thrust::min": "min", "thrust::max": "max"}


def _is_extremum(call: Call) -> bool:
    """Whether a call is std::min or std::max of two values; they return references, which would keep both in memory."""
    callee = call.callee
    return isinstance(callee, FunctionName) and callee.name in _EXTREMA and len(call.arguments) == 2


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
    return builder.value(Op.MATH, scalar, *values, detail=_EXTREMA[call.callee.name])


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
            _branch(
                context,
                flag,
                lambda: lower_effect(context, then),
                lambda: lower_effect(context, otherwise),
                expression,
            )
        case Logical(op=op, left=left, right=right):
            flag = lower_condition(context, left)
            if op is LogicalOp.AND:
                _branch(context, flag, lambda: lower_effect(context, right), None, expression)
            else:
                _branch(context, flag, None, lambda: lower_effect(context, right), expression)
        case _ if _is_memory_type(context, expression.type) and not is_lvalue(expression):
            record_place(context, expression)
        case Assign() if _is_memory_type(context, expression.type):
            record_place(context, expression)
        case _:
            lower_value(context, expression)


def _is_memory_type(context: Context, type_: Type) -> bool:
    return isinstance(type_, RecordType | ArrayType) and context.program.scalar_of(type_) is None


def _is_decayed(expression: Expr) -> bool:
    """Whether it is a pointer that clang still calls an array: arithmetic on a parameter declared as ``T a[]``."""
    return isinstance(expression, Binary) and isinstance(expression.type, ArrayType)


def lower_condition(context: Context, expression: Expr) -> int:
    """Lower to a truth value register."""
    register = lower_value(context, expression)
    return to_bool(context, register)


def to_bool(context: Context, register: int) -> int:
    """Compare with zero unless it is a truth value already."""
    builder = context.builder
    scalar = builder.register_types[register]
    if scalar is Scalar.BOOL:
        return register
    zero = builder.constant(0.0 if scalar.is_float else 0, scalar)
    return builder.value(Op.NE, Scalar.BOOL, register, zero, scalar=scalar)


def convert(context: Context, register: int, target: Scalar) -> int:
    """Numeric conversion of a register; nothing where the type is already right."""
    builder = context.builder
    source = builder.register_types[register]
    if source is target or target is Scalar.VOID:
        return register
    if target is Scalar.BOOL:
        return to_bool(context, register)
    if register in builder.constants:
        return builder.constant(_constant_value(builder.constants[register], target), target)
    return builder.value(Op.CAST, target, register, detail=source)


def _constant_value(value: float | bool, scalar: Scalar) -> int | float | bool:
    if scalar.is_float:
        return float(value)
    if scalar is Scalar.BOOL:
        return bool(value)
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            return 0
        value = int(value)
    bits = scalar.size_bytes * 8
    if bits == 0:
        return 0
    wrapped = int(value) & ((1 << bits) - 1)
    if scalar.is_signed and wrapped >> (bits - 1):
        wrapped -= 1 << bits
    return wrapped


# Places


def lower_place(context: Context, expression: Expr) -> Place:
    """Lower an lvalue (or a record value, through a temporary) to where it is."""
    builder = context.builder
    builder.position = expression.position
    match expression:
        case Variable():
            return _variable_place(context, expression)
        case Deref(pointer=pointer):
            register = lower_value(context, pointer)
            return _pointed_place(register, pointer)
        case Subscript():
            return _subscript_place(context, expression)
        case Member(base=base):
            inner = lower_place(context, base)
            record = _record_of(context, base.type)
            part = inner.part(
                expression.offset_bytes,
                record=record.key if record is not None else "",
                align_bytes=record.align_bytes if record is not None else 0,
            )
            return replace(
                part,
                array=f"{inner.array}.{expression.name}" if inner.array else expression.name,
                bit_offset=expression.bit_offset,
                bit_width=expression.bit_width,
            )
        case StringLiteral(value=text):
            return Place(builder.value(Op.STRING, Scalar.U64, detail=text))
        case Comma(left=left, right=right):
            lower_effect(context, left)
            return lower_place(context, right)
        case Assign() | CompoundAssign():
            lower_value(context, expression)
            return lower_place(context, expression.target)
        case IncDec(is_prefix=True, target=target):
            lower_value(context, expression)
            return lower_place(context, target)
        case Conditional(condition=condition, then=then, otherwise=otherwise) if is_lvalue(
            expression
        ):
            flag = lower_condition(context, condition)
            first = place_address(context, lower_place(context, then))
            second = place_address(context, lower_place(context, otherwise))
            return Place(builder.value(Op.SELECT, Scalar.U64, flag, first, second))
        case Cast(operand=operand) if is_lvalue(operand):
            return lower_place(context, operand)
        case _:
            return record_place(context, expression)


def _record_of(context: Context, type_: Type) -> Record | None:
    return context.program.records.get(type_.key) if isinstance(type_, RecordType) else None


def place_address(context: Context, place: Place) -> int:
    """The address of a place in one register."""
    if place.offset_bytes == 0:
        return place.address
    builder = context.builder
    offset = builder.constant(place.offset_bytes, INDEX)
    return builder.value(Op.PTR_ADD, Scalar.U64, place.address, offset, scalar=INDEX, detail=1)


def _variable_place(context: Context, variable: Variable) -> Place:
    builder = context.builder
    binding = context.binding(variable.key)
    match binding:
        case InSlot(slot=slot, name=name):
            return Place(builder.slot_address(slot), array=name)
        case InMemory(address=address, name=name):
            return Place(address, array=name)
        case InRegister(register=register):
            size = max(variable.type.size_bytes, 1)
            scalar = builder.register_types[register]
            index = builder.local_slot(variable.name, size, host=context.is_host, element=scalar)
            place = Place(builder.slot_address(index), array=variable.name)
            store_place(context, place, register, scalar)
            return place
        case None:
            return _unbound_place(context, variable)


def _unbound_place(context: Context, variable: Variable) -> Place:
    builder = context.builder
    special = special_variable_place(context, variable)
    if special is not None:
        return special
    declaration = context.program.globals.get(variable.key)
    if declaration is not None and declaration.storage in (Storage.SHARED, Storage.DYNAMIC_SHARED):
        address = builder.slot_address(shared_slot(context, declaration))
        return Place(address, array=variable.name, is_volatile=declaration.is_volatile)
    address = builder.value(Op.GLOBAL, Scalar.U64, detail=variable.key)
    read_only = declaration is not None and declaration.storage is Storage.CONSTANT
    return Place(
        address,
        array=variable.name,
        is_read_only=read_only,
        is_volatile=declaration is not None and declaration.is_volatile,
    )


def shared_slot(context: Context, declaration: object) -> int:
    """The slot of a shared variable; one for each declaration, whoever names it."""
    from clang_queries.ir.statements import VariableDeclaration

    assert isinstance(declaration, VariableDeclaration)
    found = context.shared_slots.get(declaration.key)
    if found is not None:
        return found
    leaves = context.program.leaves(_element_type(declaration.type))
    dynamic = declaration.storage is Storage.DYNAMIC_SHARED
    index = context.builder.slot(
        Slot(
            name=declaration.name,
            size_bytes=0 if dynamic else declaration.type.size_bytes,
            space=Space.SHARED,
            position=declaration.position,
            element=leaves[0].scalar if leaves else None,
            key=declaration.key,
            is_dynamic_shared=dynamic,
        )
    )
    context.shared_slots[declaration.key] = index
    return index


def _element_type(type_: Type) -> Type:
    while isinstance(type_, ArrayType):
        type_ = type_.element
    return type_


def _variable_value(context: Context, variable: Variable, scalar: Scalar) -> int:
    value = _own_value(context, variable, scalar)
    if context.is_host and variable.name.rsplit("::", 1)[-1] in context.program.stated:
        detail = LibraryCall(name=STATED_VALUE, template_arguments=(variable.name,))
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
                _constant_value(declaration.initializer.value, scalar), scalar
            )
        if isinstance(variable.type, FunctionType):
            return context.builder.value(Op.FUNCTION, Scalar.U64, detail=variable.key)
    return load_place(context, _variable_place(context, variable), scalar)


def _subscript_place(context: Context, expression: Subscript) -> Place:
    builder = context.builder
    base = expression.base
    if isinstance(base.type, ArrayType):
        inner = lower_place(context, base)
    else:
        register = lower_value(context, base)
        inner = _pointed_place(register, base)
    index = lower_value(context, expression.index)
    builder.position = expression.position
    size = expression.type.size_bytes
    if index in builder.constants:
        offset = int(builder.constants[index]) * size
        return replace(inner.part(offset), record="")
    address = builder.value(
        Op.PTR_ADD,
        Scalar.U64,
        inner.address,
        index,
        scalar=builder.register_types[index],
        detail=size,
    )
    return Place(
        address,
        inner.offset_bytes,
        inner.array,
        is_read_only=inner.is_read_only,
        is_volatile=inner.is_volatile,
    )


def array_name(expression: Expr) -> str:
    """What the source calls the object that an expression points to or designates; empty where it has no name."""
    match expression:
        case Variable(name=name):
            return name
        case Member(base=base, name=name):
            outer = array_name(base)
            return f"{outer}.{name}" if outer and outer != "this" else name
        case Binary(left=left, right=right):
            return array_name(left if isinstance(left.type, PointerType | ArrayType) else right)
        case Cast(operand=operand) | Deref(pointer=operand) | AddressOf(operand=operand):
            return array_name(operand)
        case IncDec(target=operand) | Subscript(base=operand):
            return array_name(operand)
        case Call(arguments=arguments) if arguments:
            return array_name(arguments[0])
        case _:
            return ""


def _pointed_place(register: int, pointer: Expr) -> Place:
    """What a pointer in a register points to."""
    type_ = pointer.type
    name = array_name(pointer)
    if not isinstance(type_, PointerType):
        return Place(register, array=name)
    return Place(
        register,
        array=name,
        is_read_only=type_.is_const and type_.is_restrict,
        is_volatile=type_.is_volatile,
    )


def _address_of(context: Context, operand: Expr) -> int:
    if isinstance(operand, FunctionName):
        return context.builder.value(Op.FUNCTION, Scalar.U64, detail=operand.key)
    if is_lvalue(operand) or _is_memory_type(context, operand.type):
        return place_address(context, lower_place(context, operand))
    register = lower_value(context, operand)
    scalar = context.builder.register_types[register]
    index = context.builder.local_slot(
        "", max(scalar.size_bytes, 1), host=context.is_host, element=scalar
    )
    address = context.builder.slot_address(index)
    store_place(context, Place(address), register, scalar)
    return address


# Operators


def _unary(context: Context, expression: Unary, scalar: Scalar) -> int:
    builder = context.builder
    if expression.op is UnaryOp.NOT:
        flag = lower_condition(context, expression.operand)
        return convert(context, builder.value(Op.NOT, Scalar.BOOL, flag), scalar)
    operand = convert(context, lower_value(context, expression.operand), scalar)
    builder.position = expression.position
    if operand in builder.constants and expression.op is UnaryOp.NEG:
        return builder.constant(_constant_value(-builder.constants[operand], scalar), scalar)
    op = Op.NEG if expression.op is UnaryOp.NEG else Op.BIT_NOT
    return builder.value(op, scalar, operand)


def _element_size(type_: Type) -> int:
    if isinstance(type_, PointerType):
        return type_.pointee.size_bytes or 1
    if isinstance(type_, ArrayType):
        return type_.element.size_bytes or 1
    return 1


def _pointer_add(
    context: Context, base: int, index: int, size: int, *, negate: bool = False
) -> int:
    builder = context.builder
    if negate:
        index = convert(context, index, INDEX)
        if index in builder.constants:
            index = builder.constant(-int(builder.constants[index]), INDEX)
        else:
            index = builder.value(Op.NEG, INDEX, index)
    return builder.value(
        Op.PTR_ADD, Scalar.U64, base, index, scalar=builder.register_types[index], detail=size
    )


def _binary(context: Context, expression: Binary, scalar: Scalar) -> int:
    builder = context.builder
    left_type, right_type = expression.left.type, expression.right.type
    pointer_like = (PointerType, ArrayType)
    left = lower_value(context, expression.left)
    right = lower_value(context, expression.right)
    builder.position = expression.position
    op = expression.op
    if not op.is_comparison and isinstance(left_type, pointer_like):
        size = _element_size(left_type)
        if isinstance(right_type, pointer_like):
            return builder.value(Op.PTR_DIFF, scalar, left, right, detail=size)
        return _pointer_add(context, left, right, size, negate=op is BinaryOp.SUB)
    if not op.is_comparison and isinstance(right_type, pointer_like):
        return _pointer_add(context, right, left, _element_size(right_type))
    return binary_operation(context, op, left, right, scalar)


def binary_operation(context: Context, op: BinaryOp, left: int, right: int, scalar: Scalar) -> int:
    """Arithmetic on registers; operands are converted to the operation's type."""
    builder = context.builder
    if op.is_comparison:
        compared = builder.register_types[left]
        if builder.register_types[right] is not compared:
            compared = _common(compared, builder.register_types[right])
            left, right = convert(context, left, compared), convert(context, right, compared)
        result = builder.value(_BINARY_OPS[op], Scalar.BOOL, left, right, scalar=compared)
        return convert(context, result, scalar)
    left = convert(context, left, scalar)
    if op not in (BinaryOp.SHL, BinaryOp.SHR):
        right = convert(context, right, scalar)
    folded = _fold(builder.constants, op, left, right)
    if folded is not None:
        return builder.constant(_constant_value(folded, scalar), scalar)
    return builder.value(_BINARY_OPS[op], scalar, left, right)


def _common(a: Scalar, b: Scalar) -> Scalar:
    if a.is_float or b.is_float:
        return a if a.is_float and a.size_bytes >= (b.size_bytes if b.is_float else 0) else b
    return a if a.size_bytes >= b.size_bytes else b


def _fold(
    constants: dict[int, int | float | bool], op: BinaryOp, left: int, right: int
) -> int | float | None:
    if left not in constants or right not in constants:
        return None
    a, b = constants[left], constants[right]
    match op:
        case BinaryOp.ADD:
            return a + b
        case BinaryOp.SUB:
            return a - b
        case BinaryOp.MUL:
            return a * b
        case BinaryOp.SHL if isinstance(a, int) and isinstance(b, int) and 0 <= b < 64:
            return a << b
        case BinaryOp.DIV if isinstance(a, float) and b:
            return a / b
        case BinaryOp.DIV if isinstance(a, int) and isinstance(b, int) and b:
            quotient = abs(a) // abs(b)
            return quotient if (a < 0) == (b < 0) else -quotient
        case _:
            return None


def _logical(context: Context, expression: Logical) -> int:
    builder = context.builder
    left = lower_condition(context, expression.left)
    is_and = expression.op is LogicalOp.AND
    if left in builder.constants:
        if bool(builder.constants[left]) != is_and:
            return builder.constant(not is_and, Scalar.BOOL)
        return lower_condition(context, expression.right)
    if _is_cheap(expression.right, 6):
        right = lower_condition(context, expression.right)
        return builder.value(Op.AND if is_and else Op.OR, Scalar.BOOL, left, right)
    variable = builder.variable(Scalar.BOOL)
    builder.move(variable, left)

    def evaluate() -> None:
        builder.move(variable, lower_condition(context, expression.right))

    if is_and:
        _branch(context, left, evaluate, None, expression, "logical")
    else:
        _branch(context, left, None, evaluate, expression, "logical")
    return builder.value(Op.MOV, Scalar.BOOL, variable)


def _is_cheap(expression: Expr, budget: int) -> bool:
    """Whether evaluating it always is harmless and as cheap as a branch: pure register arithmetic."""
    return _cheapness(expression) <= budget


def _cheapness(expression: Expr) -> int:
    match expression:
        case Constant() | Variable():
            return 0
        case Member(base=Variable()):
            return 0
        case Cast(operand=operand) | Unary(operand=operand):
            return 1 + _cheapness(operand)
        case Binary(op=op, left=left, right=right):
            if op in (BinaryOp.DIV, BinaryOp.REM) and not isinstance(right, Constant):
                return 100
            return 1 + _cheapness(left) + _cheapness(right)
        case Logical(left=left, right=right):
            return 1 + _cheapness(left) + _cheapness(right)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return 1 + _cheapness(condition) + _cheapness(then) + _cheapness(otherwise)
        case _:
            return 100


def _conditional(context: Context, expression: Conditional, scalar: Scalar) -> int:
    builder = context.builder
    flag = lower_condition(context, expression.condition)
    if flag in builder.constants:
        chosen = expression.then if builder.constants[flag] else expression.otherwise
        return convert(context, lower_value(context, chosen), scalar)
    if _is_cheap(expression.then, 4) and _is_cheap(expression.otherwise, 4):
        first = convert(context, lower_value(context, expression.then), scalar)
        second = convert(context, lower_value(context, expression.otherwise), scalar)
        builder.position = expression.position
        return builder.value(Op.SELECT, scalar, flag, first, second)
    variable = builder.variable(scalar)

    def assign(branch: Expr) -> None:
        builder.move(variable, convert(context, lower_value(context, branch), scalar))

    _branch(
        context,
        flag,
        lambda: assign(expression.then),
        lambda: assign(expression.otherwise),
        expression,
        "conditional",
    )
    return builder.value(Op.MOV, scalar, variable)


def _branch(
    context: Context,
    flag: int,
    then: object,
    otherwise: object,
    expression: Expr,
    kind: str = "if",
) -> None:
    builder = context.builder
    region = If(flag, [], [], expression.position, kind, builder.new_branch_number())
    for body, target in ((then, region.then), (otherwise, region.otherwise)):
        if callable(body):
            with builder.inside(target):
                body()
    builder.add(region)


def _step(context: Context, expression: IncDec, scalar: Scalar) -> int:
    builder = context.builder
    place = lower_place(context, expression.target)
    old = load_place(context, place, scalar)
    builder.position = expression.position
    if isinstance(expression.type, PointerType):
        size = _element_size(expression.type)
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
    place = lower_place(context, expression.target)
    old = load_place(context, place, scalar)
    builder.position = expression.position
    if isinstance(expression.target.type, PointerType):
        new = _pointer_add(
            context,
            old,
            value,
            _element_size(expression.target.type),
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


def _statement_expression(context: Context, expression: StatementExpr, target: Place | None) -> int:
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
            lower_record_into(context, last.expression, target)
            return target.address
        return lower_value(context, last.expression)
    lower_statement(context, last)
    return context.builder.constant(0, Scalar.I32)


# Records


def record_place(context: Context, expression: Expr) -> Place:
    """Where a record or array value is: its own place for lvalues, a new temporary otherwise."""
    if is_lvalue(expression):
        if isinstance(expression, Assign):
            # The value is complete before it is stored, so that one aligned vector is one access.
            source = record_place(context, expression.value)
            place = lower_place(context, expression.target)
            builder = context.builder
            builder.position = expression.position
            copy_record(context, place, source, expression.type)
            return place
        return lower_place(context, expression)
    match expression:
        case Cast(operand=operand) | Construct(constructor=None, arguments=(operand,)) if is_lvalue(
            operand
        ):
            return lower_place(context, operand)
        case Comma(left=left, right=right):
            lower_effect(context, left)
            return record_place(context, right)
        case Member():  # of a temporary
            return lower_place(context, expression)
        case Binary() if _is_decayed(expression):
            return Place(lower_value(context, expression), array=array_name(expression))
        case _:
            size = max(expression.type.size_bytes, 1)
            index = context.builder.local_slot("", size, host=context.is_host)
            place = Place(context.builder.slot_address(index))
            lower_record_into(context, expression, place)
            return place


def lower_record_into(context: Context, expression: Expr, place: Place) -> None:
    """Evaluate a record (or array) expression into a place; scalars are stored."""
    builder = context.builder
    builder.position = expression.position
    type_ = expression.type
    # A function in an initialiser list is its address.
    scalar = Scalar.U64 if isinstance(type_, FunctionType) else context.program.scalar_of(type_)
    if scalar is not None and not isinstance(expression, Construct | InitList):
        if scalar is not Scalar.VOID:
            store_place(
                context, place, convert(context, lower_value(context, expression), scalar), scalar
            )
        else:
            lower_effect(context, expression)
        return
    match expression:
        case Construct(constructor=None, arguments=arguments):
            if arguments:
                lower_record_into(context, arguments[0], place)
        case Construct(constructor=FunctionName() as constructor, arguments=arguments):
            from roofstat.program.calls import lower_constructor

            lower_constructor(context, constructor, arguments, place, expression)
        case InitList(elements=elements, zero_fill=zero_fill):
            _initialise(context, expression, elements, place, zero_fill=zero_fill)
        case Call():
            from roofstat.program.calls import lower_call

            lower_call(context, expression, place)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            flag = lower_condition(context, condition)
            _branch(
                context,
                flag,
                lambda: lower_record_into(context, then, place),
                lambda: lower_record_into(context, otherwise, place),
                expression,
                "conditional",
            )
        case Comma(left=left, right=right):
            lower_effect(context, left)
            lower_record_into(context, right, place)
        case StatementExpr():
            _statement_expression(context, expression, place)
        case StringLiteral(value=text):
            source = builder.value(Op.STRING, Scalar.U64, detail=text)
            builder.emit(
                Op.COPY, Scalar.U8, place_address(context, place), source, detail=type_.size_bytes
            )
        case Cast(operand=operand) | BitCast(operand=operand):
            if is_lvalue(operand):
                copy_record(context, place, lower_place(context, operand), type_)
            else:
                lower_record_into(context, operand, place)
        case OpaqueExpr(reason=reason, operands=operands):
            for operand in operands:
                lower_effect(context, operand)
            _unknown_record(context, expression, place, reason)
        case Member():
            copy_record(context, place, lower_place(context, expression), type_)
        case _ if is_lvalue(expression):
            copy_record(context, place, record_place(context, expression), type_)
        case _:
            _unknown_record(
                context, expression, place, f"no lowering for {type(expression).__name__}"
            )


def _unknown_record(context: Context, expression: Expr, place: Place, reason: str) -> None:
    builder = context.builder
    builder.position = expression.position
    builder.assume("front-end", reason)
    for leaf in context.program.leaves(expression.type)[:64]:
        value = builder.unknown(leaf.scalar, reason)
        target = Place(place.address, place.offset_bytes + leaf.offset_bytes, place.array)
        store_place(context, target, value, leaf.scalar)


def _initialise(
    context: Context,
    expression: InitList,
    elements: tuple[tuple[int, Expr], ...],
    place: Place,
    *,
    zero_fill: bool,
) -> None:
    builder = context.builder
    covered: set[int] = set()
    for offset, element in elements:
        size = max(element.type.size_bytes, 1)
        covered.update(range(offset, offset + size) if size <= 4096 else ())
    if zero_fill:
        is_large = expression.type.size_bytes > LARGE_RECORD_BYTES
        leaves = () if is_large else context.program.leaves(expression.type)
        missing = [leaf for leaf in leaves if leaf.offset_bytes not in covered]
        if is_large or len(missing) > 64:
            builder.emit(
                Op.ZERO, Scalar.U8, place_address(context, place), detail=expression.type.size_bytes
            )
        else:
            for leaf in missing:
                zero = builder.constant(0.0 if leaf.scalar.is_float else 0, leaf.scalar)
                target = Place(place.address, place.offset_bytes + leaf.offset_bytes, place.array)
                store_place(context, target, zero, leaf.scalar)
    for offset, element in elements:
        target = Place(place.address, place.offset_bytes + offset, place.array)
        lower_record_into(context, element, target)


# Launches and allocation


def _launch(context: Context, expression: Launch) -> int:
    builder = context.builder
    operands: list[int] = []
    key: str | None = None
    if isinstance(expression.kernel, FunctionName):
        key = expression.kernel.key
    else:
        operands.append(lower_value(context, expression.kernel))
    for dimensions in (expression.grid, expression.block):
        place = record_place(context, dimensions)
        for offset in (0, 4, 8):
            part = Place(place.address, place.offset_bytes + offset)
            operands.append(load_place(context, part, Scalar.U32))
    if expression.shared_bytes is None:
        operands.append(builder.constant(0, Scalar.U64))
    else:
        operands.append(lower_value(context, expression.shared_bytes))
    operands.extend(lower_value(context, argument) for argument in expression.arguments)
    builder.position = expression.position
    sizes = tuple(argument.type.size_bytes for argument in expression.arguments)
    return builder.value(
        Op.LAUNCH, Scalar.I32, *operands, detail=LaunchSite(kernel=key, argument_sizes=sizes)
    )


def _new(context: Context, expression: New) -> int:
    builder = context.builder
    size = max(expression.allocated.size_bytes, 1)
    if expression.count is None:
        count = builder.constant(1, Scalar.U64)
    else:
        count = convert(context, lower_value(context, expression.count), Scalar.U64)
    bytes_register = binary_operation(
        context, BinaryOp.MUL, count, builder.constant(size, Scalar.U64), Scalar.U64
    )
    builder.position = expression.position
    pointer = builder.value(
        Op.LIBRARY, Scalar.U64, bytes_register, detail=LibraryCall(name="malloc")
    )
    if expression.initializer is not None:
        lower_record_into(context, expression.initializer, Place(pointer))
    return pointer
