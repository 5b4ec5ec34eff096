"""Atomics: the built-in functions, and the members of `std::atomic`, `cuda::atomic` and their references."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import PointerType, Scalar
from clang_queries.quick_pattern import pattern
from roofstat.program.code import AtomicAccess, Op
from roofstat.program.context import Place
from roofstat.program.expressions import lower_value
from roofstat.program.forms import array_name
from roofstat.program.memory_access import load_place, store_place
from roofstat.program.register_arithmetic import convert

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Call, Expr, FunctionName
    from roofstat.program.context import Context

_BUILT_IN = pattern(
    r"(?:hip)?atomic(Add|Sub|Exch|Min|Max|Inc|Dec|CAS|And|Or|Xor)(?:_block|_system|NoRet)?$"
)
_CLASS = pattern(r"(?:^|::)atomic(?P<kind>_ref|_flag)?::(?P<member>[^:]+)$")
_FREE = pattern(r"(?:^|::)atomic_(?P<member>\w+?)(?:_explicit)?$")
_READ_MODIFY_WRITE = {
    "fetch_add": "add",
    "fetch_sub": "sub",
    "fetch_and": "and",
    "fetch_or": "or",
    "fetch_xor": "xor",
    "fetch_max": "max",
    "fetch_min": "min",
    "exchange": "exch",
    "test_and_set": "exch",
    "operator++": "add",
    "operator--": "sub",
    "operator+=": "add",
    "operator-=": "sub",
    "operator&=": "and",
    "operator|=": "or",
    "operator^=": "xor",
}
_COMBINING = {
    "add": Op.ADD,
    "sub": Op.SUB,
    "and": Op.AND,
    "or": Op.OR,
    "xor": Op.XOR,
}
_UNARY = frozenset({"operator++", "operator--", "test_and_set"})
_LOADS = frozenset({"load", "test", "wait"})
_STORES = frozenset({"store", "operator=", "clear", "init"})
_NOTHING = frozenset({"notify_one", "notify_all"})
_FENCES = frozenset({"thread_fence", "signal_fence"})


def lower_built_in_atomic(context: Context, name: str, call: Call, *, discard: bool) -> int | None:
    """Lower `atomicAdd` and the like; None for other functions."""
    found = _BUILT_IN.match(name)
    if found is None or len(call.arguments) < 2:
        return None
    builder = context.builder
    pointer = call.arguments[0]
    pointee = pointer.type.pointee if isinstance(pointer.type, PointerType) else call.type
    scalar = context.program.scalar_of(pointee) or Scalar.I32
    values = [lower_value(context, argument) for argument in call.arguments]
    operands = [convert(context, value, scalar) for value in values[1:]]
    builder.position = call.position
    place = Place(values[0], array=array_name(pointer))
    return atomic_operation(
        context, place, found.group(1).lower(), scalar, operands, discard=discard
    )


def lower_atomic_object(
    context: Context, callee: FunctionName, call: Call, *, discard: bool
) -> int | None:
    """Lower a member of an atomic class, or a function on an atomic object; None for other functions.

    Device code gets an atomic or a volatile access, host code, which has one thread here, a plain one.
    """
    found = _CLASS.search(callee.name) or _FREE.search(callee.name)
    if found is None or not call.arguments:
        return None
    member = found["member"]
    if member in _FENCES:
        context.builder.emit(Op.BARRIER, Scalar.VOID, detail="fence")
        return -1
    if member in _NOTHING:
        return -1
    if not _is_known(member):
        return None
    place = _datum(context, call.arguments[0], is_reference=found.groupdict().get("kind") == "_ref")
    operation = _READ_MODIFY_WRITE.get(member)
    if operation is not None:
        return _read_modify_write(context, place, member, operation, call, discard=discard)
    if member.startswith("compare_exchange"):
        return _compare_exchange(context, place, call)
    scalar = context.program.scalar_of(call.type)
    if member in _LOADS or member.startswith("operator "):
        if scalar is None or scalar is Scalar.VOID:
            return -1
        context.builder.position = call.position
        return load_place(context, place, scalar)
    return _store(context, place, call)


def _is_known(member: str) -> bool:
    by_name = member in _READ_MODIFY_WRITE or member in _LOADS or member in _STORES
    return by_name or member.startswith(("compare_exchange", "operator "))


def _datum(context: Context, pointer: Expr, *, is_reference: bool) -> Place:
    """Where the value of an atomic object is: an object is its value, a reference holds its address."""
    address = lower_value(context, pointer)
    name = array_name(pointer)
    if is_reference:
        address = load_place(context, Place(address, array=name), Scalar.U64)
    return Place(address, array=name, is_volatile=not context.is_host)


def _read_modify_write(
    context: Context, place: Place, member: str, operation: str, call: Call, *, discard: bool
) -> int:
    builder = context.builder
    scalar = context.program.scalar_of(call.type) or Scalar.I32
    if scalar is Scalar.VOID and len(call.arguments) > 1:
        scalar = context.program.scalar_of(call.arguments[1].type) or Scalar.I32
    if member in _UNARY:
        operand = builder.constant(1, scalar)
    else:
        operand = convert(context, lower_value(context, call.arguments[1]), scalar)
    builder.position = call.position
    old = atomic_operation(context, place, operation, scalar, [operand], discard=discard)
    is_postfix = member in ("operator++", "operator--") and len(call.arguments) > 1
    if discard or is_postfix or not member.startswith("operator"):
        return old
    return builder.value(_COMBINING[operation], scalar, old, operand)


def _compare_exchange(context: Context, place: Place, call: Call) -> int:
    builder = context.builder
    expected_pointer, desired = call.arguments[1], call.arguments[2]
    scalar = context.program.scalar_of(desired.type) or Scalar.I32
    expected_place = Place(lower_value(context, expected_pointer))
    wanted = convert(context, lower_value(context, desired), scalar)
    expected = load_place(context, expected_place, scalar)
    builder.position = call.position
    old = atomic_operation(context, place, "cas", scalar, [expected, wanted], discard=False)
    store_place(context, expected_place, old, scalar)
    return builder.value(Op.EQ, Scalar.BOOL, old, expected, scalar=scalar)


def _store(context: Context, place: Place, call: Call) -> int:
    builder = context.builder
    if len(call.arguments) < 2:  # clear() of a flag
        store_place(context, place, builder.constant(0, Scalar.BOOL), Scalar.BOOL)
        return -1
    value = call.arguments[1]
    scalar = context.program.scalar_of(value.type) or Scalar.I32
    register = lower_value(context, value)
    builder.position = call.position
    store_place(context, place, register, scalar)
    return register


def atomic_operation(
    context: Context,
    place: Place,
    name: str,
    scalar: Scalar,
    operands: list[int],
    *,
    discard: bool,
) -> int:
    """Emit one read-modify-write and return the old value; host code, which has one thread, goes without."""
    builder = context.builder
    if context.is_host:
        old = load_place(context, place, scalar)
        store_place(context, place, _combined(context, name, scalar, old, operands), scalar)
        return old
    detail = AtomicAccess(
        name=name,
        access_bytes=scalar.size_bytes,
        array=place.array,
        result_used=not discard,
    )
    return builder.value(Op.ATOMIC, scalar, place.address, *operands, detail=detail)


def _combined(context: Context, name: str, scalar: Scalar, old: int, operands: list[int]) -> int:
    """What a read-modify-write leaves behind where nobody interferes."""
    builder = context.builder
    if name == "exch":
        return operands[0]
    if name == "cas":
        same = builder.value(Op.EQ, Scalar.BOOL, old, operands[0], scalar=scalar)
        return builder.value(Op.SELECT, scalar, same, operands[1], old)
    if name in ("max", "min"):
        return builder.value(Op.MATH, scalar, old, operands[0], detail=name)
    return builder.value(_COMBINING[name], scalar, old, operands[0])
