"""Functions that the machine and the cost tables know by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_pattern import pattern
from roofstat.program.atomics import lower_atomic_object, lower_built_in_atomic
from roofstat.program.code import LibraryCall, Op, SpecialRegister
from roofstat.program.containers import lower_container_method
from roofstat.program.context import Place
from roofstat.program.expressions import lower_value
from roofstat.program.fragments import lower_fragment_function
from roofstat.program.math_calls import lower_math_function, lower_math_intrinsic
from roofstat.program.memory_access import copy_record, load_place, place_address, store_place
from roofstat.program.memory_functions import lower_async_copy, lower_memory_function
from roofstat.program.records import record_place
from roofstat.program.register_arithmetic import convert
from roofstat.program.textures import lower_texture

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Call, Expr, FunctionName
    from roofstat.program.context import Context

_SHUFFLE = pattern(r"__shfl(?:_(up|down|xor))?(?:_sync)?$")
_VOTE = pattern(
    r"__(any|all|ballot|activemask|uni|match_any|match_all)(?:_sync)?$|__reduce_(\w+)_sync$"
)
_BARRIERS = {
    "__syncthreads": "block",
    "__syncthreads_and": "block",
    "__syncthreads_or": "block",
    "__syncthreads_count": "block",
    "__syncwarp": "warp",
    "__threadfence": "fence",
    "__threadfence_block": "fence",
    "__threadfence_system": "fence",
    "__barrier_sync": "block",
}
_BLOCK_VOTES = {
    "__syncthreads_and": "block_all",
    "__syncthreads_or": "block_any",
    "__syncthreads_count": "block_count",
}
_CACHED_LOADS = frozenset({"__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "__ldcv"})
_CACHED_STORES = frozenset({"__stwb", "__stcg", "__stcs", "__stwt"})
_CLOCKS = frozenset(
    {"clock", "clock64", "__clock", "__clock64", "wall_clock64", "__nanosleep", "__globaltimer"}
)
_IGNORED = frozenset(
    {
        "__builtin_assume",
        "__builtin_unreachable",
        "__assume",
        "__builtin_prefetch",
        "__builtin_assume_aligned",
    }
)


def _bare(name: str) -> str:
    return name.rsplit("::", 1)[-1].removeprefix("__builtin_").removeprefix("__nv_")


def lower_builtin(
    context: Context, callee: FunctionName, call: Call, target: Place | None, *, discard: bool
) -> int | None:
    """Lower a call of a function known by name; None where it is not one. Result as for `lower_call`."""
    name = _bare(callee.name)
    register = _lower_named(context, name, callee, call, discard=discard)
    if register is None or target is None:
        return register
    scalar = context.program.scalar_of(call.type)
    if scalar is not None and register >= 0:
        store_place(context, target, convert(context, register, scalar), scalar)
    elif register >= 0:
        copy_record(context, target, Place(register), call.type)
    return -1


def _lower_named(
    context: Context, name: str, callee: FunctionName, call: Call, *, discard: bool
) -> int | None:
    arguments = call.arguments
    if callee.name in _IGNORED:
        return lower_value(context, arguments[0]) if name == "assume_aligned" else -1
    if name == "expect" and arguments:
        return lower_value(context, arguments[0])
    found = lower_math_function(context, name, callee, call)
    if found is None:
        found = lower_atomic_object(context, callee, call, discard=discard)
    if found is not None or context.is_host:
        return found
    found = lower_container_method(context, callee, call)
    if found is None:
        found = lower_math_intrinsic(context, name, call)
    if found is None:
        found = lower_built_in_atomic(context, name, call, discard=discard)
    for family in (_lower_cooperation, _lower_query, _lower_memory, _lower_output):
        if found is None:
            found = family(context, name, callee, call)
    return found


def _lower_cooperation(context: Context, name: str, callee: FunctionName, call: Call) -> int | None:
    """What the threads of a warp or a block do together."""
    builder = context.builder
    shuffle = _SHUFFLE.match(name)
    if shuffle:
        return _shuffle(context, shuffle.group(1) or "idx", call, has_mask=name.endswith("_sync"))
    vote = _VOTE.match(name)
    if vote:
        kind = vote.group(1) or f"reduce_{vote.group(2)}"
        operands = [lower_value(context, item) for item in call.arguments]
        scalar = context.program.scalar_of(call.type) or Scalar.U32
        return builder.value(Op.VOTE, scalar, *operands[-1:], detail=kind)
    if name in _BARRIERS:
        operands = [lower_value(context, argument) for argument in call.arguments]
        builder.emit(Op.BARRIER, Scalar.VOID, detail=_BARRIERS[name])
        if context.program.scalar_of(call.type) is Scalar.VOID:
            return -1
        return builder.value(Op.VOTE, Scalar.I32, *operands[-1:], detail=_BLOCK_VOTES[name])
    if name == "sync" and "cooperative_groups" in callee.name:
        kind = "grid" if "grid" in callee.name else "block"
        builder.emit(Op.BARRIER, Scalar.VOID, detail=kind)
        return -1
    return lower_fragment_function(context, name, call) if "wmma" in callee.name else None


def _lower_query(context: Context, name: str, _callee: FunctionName, call: Call) -> int | None:
    """What a thread asks the OpenMP run time, and the clock."""
    if name.startswith("omp_"):
        from roofstat.program.openmp import lower_query

        return lower_query(context, name)
    if name not in _CLOCKS:
        return None
    scalar = context.program.scalar_of(call.type) or Scalar.I64
    if scalar is Scalar.VOID:
        return -1
    return context.builder.value(Op.SPECIAL, scalar, detail=SpecialRegister.CLOCK)


def _lower_memory(context: Context, name: str, _callee: FunctionName, call: Call) -> int | None:
    """Loads, stores and copies that are spelled as calls."""
    if name in _CACHED_LOADS:
        return _cached_load(context, call)
    if name in _CACHED_STORES:
        return _cached_store(context, call)
    if name in ("memcpy", "memmove", "memset") and len(call.arguments) == 3:
        return lower_memory_function(context, name, call)
    if name == "__pipeline_memcpy_async" and len(call.arguments) >= 3:
        return lower_async_copy(context, call)
    return lower_texture(context, name, call)


def _lower_output(context: Context, name: str, _callee: FunctionName, call: Call) -> int | None:
    """What tells the host something, or stops the kernel."""
    if name not in ("printf", "__assert_fail", "__assertfail", "__trap", "trap", "abort"):
        return None
    operands = [
        lower_value(context, item)
        for item in call.arguments
        if context.program.scalar_of(item.type)
    ]
    context.builder.value(Op.LIBRARY, Scalar.I32, *operands, detail=LibraryCall(name=name))
    return context.builder.constant(0, Scalar.I32)


def _shuffle(context: Context, kind: str, call: Call, *, has_mask: bool) -> int:
    builder = context.builder
    arguments = call.arguments[1:] if has_mask else call.arguments
    if context.program.scalar_of(call.type) is None:
        return _shuffle_record(context, kind, call, arguments)
    values = [lower_value(context, argument) for argument in arguments]
    scalar = context.program.scalar_of(call.type) or builder.register_types[values[0]]
    builder.position = call.position
    return builder.value(Op.SHUFFLE, scalar, *values, detail=kind)


def _shuffle_record(context: Context, kind: str, call: Call, arguments: tuple[Expr, ...]) -> int:
    """A shuffle for each scalar part of a record."""
    builder = context.builder
    source = record_place(context, arguments[0])
    others = [lower_value(context, argument) for argument in arguments[1:]]
    index = builder.local_slot("", max(call.type.size_bytes, 1), host=context.is_host)
    target = Place(builder.slot_address(index))
    for leaf in context.program.leaves(call.type):
        value = load_place(context, source.part(leaf.offset_bytes), leaf.scalar)
        builder.position = call.position
        moved = builder.value(Op.SHUFFLE, leaf.scalar, value, *others, detail=kind)
        store_place(context, target.part(leaf.offset_bytes), moved, leaf.scalar)
    return place_address(context, target)


def _cached_load(context: Context, call: Call) -> int:
    builder = context.builder
    pointer = lower_value(context, call.arguments[0])
    from roofstat.program.forms import array_name

    place = Place(
        pointer, array=array_name(call.arguments[0]), is_read_only=True, is_in_assembly=True
    )
    scalar = context.program.scalar_of(call.type)
    if scalar is not None:
        return load_place(context, place, scalar)
    index = builder.local_slot("", max(call.type.size_bytes, 1), host=context.is_host)
    target = Place(builder.slot_address(index))
    copy_record(context, target, place, call.type)
    return place_address(context, target)


def _cached_store(context: Context, call: Call) -> int:
    pointer = lower_value(context, call.arguments[0])
    value = call.arguments[1]
    scalar = context.program.scalar_of(value.type)
    if scalar is not None:
        store_place(context, Place(pointer), lower_value(context, value), scalar)
    else:
        copy_record(context, Place(pointer), record_place(context, value), value.type)
    return -1
