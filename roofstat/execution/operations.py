"""One handler for each operation code: computes the result and records memory accesses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.execution.accesses.addresses import pointer_add
from roofstat.execution.accesses.atomics import atomic
from roofstat.execution.accesses.copies import copy_bytes, zero_bytes
from roofstat.execution.accesses.loads import load
from roofstat.execution.accesses.objects import global_address, prepare_slots, slot_address
from roofstat.execution.accesses.overflows import note_overflow, watched_indices
from roofstat.execution.accesses.stores import store
from roofstat.execution.accesses.textures import texture
from roofstat.execution.accesses.wide import record_copy, tensor
from roofstat.execution.guesses.thresholds import beside_no_number, beyond_mean
from roofstat.execution.indirect_calls import pointer_targets
from roofstat.execution.numbers.arithmetic import binary, unary
from roofstat.execution.numbers.bit_counts import as_bit_count
from roofstat.execution.numbers.choices import clamped, either, neighbour_within, select
from roofstat.execution.numbers.comparisons import note_edges
from roofstat.execution.numbers.conversions import bitcast, cast
from roofstat.execution.numbers.divisions import note_division, note_long_division
from roofstat.execution.numbers.high_words import shifted_down
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.known_arithmetic import DOUBLE_WORDS
from roofstat.execution.numbers.math_functions import (
    evaluate,
    evaluate_numbers,
    result_bounds,
    shape_of_function,
)
from roofstat.execution.numbers.unknown_arithmetic import drawn_within
from roofstat.execution.numbers.unknowns import drawn, value_bounds
from roofstat.execution.numbers.values import (
    DTYPES,
    NUMBERS,
    OPEN,
    Mixed,
    Unknown,
    Value,
    merge,
    number_of,
    to_array,
)
from roofstat.execution.warp_operations import shuffle, special_value, vote
from roofstat.program.code import BINARY_ARITHMETIC, Op, ParameterPiece
from roofstat.program.comparisons import COMPARISONS, ORDERS
from roofstat.program.lowering import lower_device_function, lower_host_function

if TYPE_CHECKING:
    from collections.abc import Callable

    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.program.code import Block, Code, Instruction

    Handler = Callable[[Machine, Instruction, Mask], None]

_LONG = frozenset({Scalar.I64, Scalar.U64})


def _write(machine: Machine, item: Instruction, value: Value) -> None:
    machine.frames[-1].registers[item.dest] = value


def _move(machine: Machine, item: Instruction, mask: Mask) -> None:
    registers = machine.frames[-1].registers
    value = machine.read(item.args[0])
    if mask.is_full or machine.is_host or item.dest not in machine.frames[-1].code.variables:
        registers[item.dest] = value
    else:
        registers[item.dest] = merge(mask.lanes, value, registers[item.dest], item.scalar)


def _binary(machine: Machine, item: Instruction, mask: Mask) -> None:
    registers = machine.frames[-1].registers
    first, second = item.args
    a, b = registers[first], registers[second]
    if a is None or b is None:
        a, b = machine.read(first), machine.read(second)
    if item.op is Op.SHR and item.scalar in DOUBLE_WORDS and isinstance(a, np.ndarray):
        _write(machine, item, shifted_down(machine, item))
        return
    value = binary(item.op, item.scalar, a, b, machine.lane_count)
    if item.op in (Op.AND, Op.SHR) and item.dest in machine.facts.bit_counts:
        value = as_bit_count(value, machine.facts.bit_counts[item.dest])
    registers[item.dest] = value


def _compare(machine: Machine, item: Instruction, mask: Mask) -> None:
    _binary(machine, item, mask)
    found = machine.frames[-1].registers[item.dest]
    if not isinstance(found, OPEN) or machine.is_host or not item.scalar.is_float:
        return
    outcome = beside_no_number(machine, item, mask)
    if outcome is not None and isinstance(found, Mixed):
        _write(machine, item, np.where(found.known, found.values, outcome))
    elif outcome is not None:
        _write(machine, item, outcome)
    elif isinstance(found, Unknown) and item.op in ORDERS:
        lanes = beyond_mean(machine, item, mask)
        if lanes is not None:
            _write(machine, item, lanes)


def _divide(machine: Machine, item: Instruction, mask: Mask) -> None:
    if item.scalar.is_float:
        note_division(machine, item.site, machine.read(item.args[0]), mask)
    elif item.scalar in _LONG:
        operands = machine.read(item.args[0]), machine.read(item.args[1])
        note_long_division(machine, item.site, operands, mask)
    _binary(machine, item, mask)


def _unary(machine: Machine, item: Instruction, mask: Mask) -> None:
    _write(machine, item, unary(item.op, item.scalar, machine.read(item.args[0])))


def _cast(machine: Machine, item: Instruction, mask: Mask) -> None:
    assert isinstance(item.detail, Scalar)
    value = machine.read(item.args[0])
    if item.scalar.is_float:
        value = drawn(value, machine.lane_count)
    _write(machine, item, cast(value, item.detail, item.scalar))


def _bitcast(machine: Machine, item: Instruction, mask: Mask) -> None:
    assert isinstance(item.detail, Scalar)
    _write(machine, item, bitcast(machine.read(item.args[0]), item.detail, item.scalar))


def _select(machine: Machine, item: Instruction, mask: Mask) -> None:
    condition, a, b = (machine.read(register) for register in item.args)
    if isinstance(condition, Unknown) and not machine.is_host and _is_word(item.scalar):
        chosen = _held_within(machine, item) or either(condition, a, b, mask.lanes, item.scalar)
        if chosen is not None:
            _write(machine, item, chosen)
            return
    if item.scalar is Scalar.U64 and isinstance(condition, np.ndarray):
        note_edges(machine, item.args[0])  # of pointers: there another array begins
    if isinstance(condition, np.ndarray) and not machine.is_host and item.scalar.is_integer:
        a, b = _decided_by_own(machine, item, [a, b])
    _write(machine, item, select(condition, a, b, item.scalar, machine.lane_count))


def _decided_by_own(machine: Machine, item: Instruction, choices: list[Value]) -> list[Value]:
    """What a choice is made from, with the numbers that it was decided by: ``n - c < 0 ? 0 : n - c``."""
    definition = machine.facts.definitions.get(item.args[0])
    if definition is None or definition.op not in ORDERS:
        return choices
    compared = [machine.read(register) for register in definition.args]
    keys = {value.key for value in compared if isinstance(value, Unknown)}
    if any(isinstance(value, Unknown) and value.key in keys for value in choices):
        return _decided_by_numbers(machine, item.scalar, choices)
    return choices


def _decided_by_numbers(machine: Machine, scalar: Scalar, operands: list[Value]) -> list[Value]:
    """Two integers, one of which nobody knows, with numbers in its place: what is compared with numbers is a number.

    Two that nobody knows may be tied to each other, as the ends of a range are.
    """
    if sum(isinstance(value, OPEN) for value in operands) != 1:
        return operands
    return [drawn_within(scalar, value, machine.lane_count) for value in operands]


def _held_within(machine: Machine, item: Instruction) -> Unknown | None:
    """The index that a choice holds within limits, ``c < 0 ? 0 : c`` or ``c > 0 ? c - 1 : 0``; None for other choices."""
    definition = machine.facts.definitions.get(item.args[0])
    if definition is None or definition.op not in ORDERS:
        return None
    for own, limit in (item.args[1:], item.args[:0:-1]):
        if own in definition.args:
            found = clamped(machine.read(own), machine.read(limit))
            if found is not None:
                return found
    left, right = (machine.read(register) for register in definition.args)
    first, second = (machine.read(register) for register in item.args[1:])
    is_less = definition.op in (Op.LT, Op.LE)
    return (
        neighbour_within(left, first, second, is_below=is_less)
        or neighbour_within(left, second, first, is_below=not is_less)
        or neighbour_within(right, first, second, is_below=not is_less)
        or neighbour_within(right, second, first, is_below=is_less)
    )


def _is_word(scalar: Scalar) -> bool:
    """Whether a value may be an index or an address."""
    return scalar.is_integer and scalar.size_bytes >= 4


def _pointer_add(machine: Machine, item: Instruction, mask: Mask) -> None:
    assert isinstance(item.detail, int)
    base, index = machine.read(item.args[0]), machine.read(item.args[1])
    _write(machine, item, pointer_add(machine, base, index, item.detail))


def _pointer_difference(machine: Machine, item: Instruction, mask: Mask) -> None:
    assert isinstance(item.detail, int)
    a, b = machine.read(item.args[0]), machine.read(item.args[1])
    lanes = machine.lane_count
    difference = binary(Op.SUB, Scalar.I64, a, b, lanes)
    _write(machine, item, binary(Op.DIV, Scalar.I64, difference, item.detail, lanes))


def _slot(machine: Machine, item: Instruction, mask: Mask) -> None:
    assert isinstance(item.detail, int)
    _write(machine, item, slot_address(machine, item.detail))


def _global(machine: Machine, item: Instruction, mask: Mask) -> None:
    _write(machine, item, global_address(machine, str(item.detail)))


def _parameter(machine: Machine, item: Instruction, mask: Mask) -> None:
    piece = item.detail
    assert isinstance(piece, ParameterPiece)
    frame = machine.frame
    if piece.index >= len(frame.arguments):
        _write(
            machine,
            item,
            Unknown(
                new_key(),
                uniform=True,
                reason=f"argument {piece.name}",
                is_float=item.scalar.is_float,
            ),
        )
        return
    argument = frame.arguments[piece.index]
    if frame.code.parameters[piece.index].scalar is None:
        found = machine.memory.find(argument) if isinstance(argument, int) else None
        if found is None:
            value: Value = Unknown(
                new_key(),
                uniform=True,
                reason=f"argument {piece.name}",
                is_float=item.scalar.is_float,
            )
        else:
            assert isinstance(argument, int)
            offset = argument - found.base + piece.offset_bytes
            value = found.contents.load(
                offset, item.scalar, found.buffer.number, f"argument {piece.name}"
            )
    else:
        value = argument
        if isinstance(value, NUMBERS):
            value = number_of(value, item.scalar)
    _write(machine, item, value)


def _argument(machine: Machine, item: Instruction, mask: Mask) -> None:
    """What the running function was called with; the flag in front of functions is never set."""
    assert isinstance(item.detail, int)
    if item.detail < 0:
        _write(machine, item, value=False)
        return
    arguments = machine.frame.arguments
    if item.detail >= len(arguments):
        _write(machine, item, Unknown(new_key(), reason="argument", is_float=item.scalar.is_float))
        return
    value = arguments[item.detail]
    _write(machine, item, number_of(value, item.scalar) if isinstance(value, NUMBERS) else value)


def _special(machine: Machine, item: Instruction, mask: Mask) -> None:
    _write(machine, item, special_value(machine, item))


def _math(machine: Machine, item: Instruction, mask: Mask) -> None:
    name = str(item.detail)
    operands = [machine.read(register) for register in item.args]
    if name == "evenly":
        _write(machine, item, _any_word())
        return
    is_float = item.scalar.is_float
    result_type = machine.frame.code.register_types[item.dest]
    unknown = next((value for value in operands if isinstance(value, OPEN)), None)
    if name in ("min", "max") and unknown is not None and not machine.is_host:
        held = clamped(operands[0], operands[1]) or clamped(operands[1], operands[0])
        if held is not None:
            _write(machine, item, held)
            return
        if not is_float:
            operands = _decided_by_numbers(machine, item.scalar, operands)
            unknown = next((v for v in operands if isinstance(v, OPEN)), None)
    if unknown is not None:
        _write(machine, item, _unknown_math(machine, name, operands, result_type, item))
        return
    if all(isinstance(value, NUMBERS) for value in operands):
        numbers = [number_of(v, item.scalar) for v in operands if isinstance(v, NUMBERS)]
        dtype = np.dtype(np.float64) if is_float else DTYPES[item.scalar]
        number = evaluate_numbers(name, numbers, dtype, is_float=is_float)
        if number is not None:
            _write(machine, item, number_of(number, result_type))
            return
    arrays = [
        to_array(value, item.scalar, machine.lane_count)
        for value in operands
        if not isinstance(value, OPEN)
    ]
    result = evaluate(name, arrays, is_float=is_float) if arrays else None
    if result is None:
        uniform = all(isinstance(value, NUMBERS) for value in operands)
        _write(
            machine,
            item,
            Unknown(new_key(), uniform, reason=f"result of {name}", is_float=result_type.is_float),
        )
        return
    _write(machine, item, cast(result, item.scalar, result_type))


def _any_word() -> Unknown:
    """A random number of 32 bits, drawn for each lane."""
    return Unknown(new_key(), low=0, high=(1 << 32) - 1, reason="a random number")


def _unknown_math(
    machine: Machine, name: str, operands: list[Value], result: Scalar, item: Instruction
) -> Value:
    source = next(value for value in operands if isinstance(value, OPEN))
    unknown = source if isinstance(source, Unknown) else source.unknown
    uniform = all(
        isinstance(v, NUMBERS) or (isinstance(v, Unknown) and v.uniform) for v in operands
    )
    bounds = [_interval(value) for value in operands]
    known = [bound for bound in bounds if bound is not None]
    limits = result_bounds(name, known) if len(known) == len(bounds) else None
    low, high = limits if limits is not None else (None, None)
    if name in ("popc", "clz", "ffs"):
        low, high = 0, item.scalar.size_bytes * 8
    sample = None
    if machine.is_host:
        sample = shape_of_function(name, operands, is_float=item.scalar.is_float)
    if sample is not None and (low is None or high is None):
        low, high = float(sample.min()), float(sample.max())
    return Unknown(
        new_key(),
        uniform,
        reason=unknown.reason,
        is_float=result.is_float,
        low=low,
        high=high,
        origin=unknown.origin,
        sample=sample,
    )


def _interval(value: Value) -> tuple[float, float] | None:
    if isinstance(value, Unknown):
        return value_bounds(value)
    if isinstance(value, np.ndarray):
        return (value.min().item(), value.max().item())
    return (value, value) if isinstance(value, NUMBERS) else None


def _load(machine: Machine, item: Instruction, mask: Mask) -> None:
    value = load(machine, item, mask)
    most = machine.facts.bit_counts.get(item.dest)
    _write(machine, item, value if most is None else as_bit_count(value, most))


def _store(machine: Machine, item: Instruction, mask: Mask) -> None:
    store(machine, item, mask)


def _atomic(machine: Machine, item: Instruction, mask: Mask) -> None:
    _write(machine, item, atomic(machine, item, mask))


def _shuffle(machine: Machine, item: Instruction, mask: Mask) -> None:
    _write(machine, item, shuffle(machine, item))


def _vote(machine: Machine, item: Instruction, mask: Mask) -> None:
    _write(machine, item, vote(machine, item, mask))


def _nothing(machine: Machine, item: Instruction, mask: Mask) -> None:
    if item.dest >= 0:
        _write(machine, item, Unknown(new_key(), reason=f"result of {item.detail}"))


def _function(machine: Machine, item: Instruction, mask: Mask) -> None:
    _write(machine, item, machine.memory.function(str(item.detail)).base)


def _string(machine: Machine, item: Instruction, mask: Mask) -> None:
    _write(machine, item, machine.memory.string(str(item.detail)).base)


def _unknown(machine: Machine, item: Instruction, mask: Mask) -> None:
    uniform = machine.is_host
    _write(
        machine,
        item,
        Unknown(new_key(), uniform, reason=str(item.detail), is_float=item.scalar.is_float),
    )


def _code_of(machine: Machine, key: str) -> Code | None:
    found = machine.code_cache.get(key)
    if found is None:
        if key not in machine.program.functions:
            return None
        lower = lower_host_function if machine.is_host else lower_device_function
        found = lower(machine.program, key)
        machine.code_cache[key] = found
    return found


def _call(machine: Machine, item: Instruction, mask: Mask) -> None:
    _invoke(
        machine, item, str(item.detail), [machine.read(register) for register in item.args], mask
    )


def _call_pointer(machine: Machine, item: Instruction, mask: Mask) -> None:
    targets, is_guess = pointer_targets(machine, machine.read(item.args[0]))
    arguments = [machine.read(register) for register in item.args[1:]]
    result: Value | None = None
    for key, lanes in targets:
        part = mask if lanes is None else machine.intersect(mask, lanes)
        if part is None:
            continue
        _invoke(machine, item, key, arguments, part)
        value = machine.read(item.dest)
        result = merge(part.lanes, value, result, item.scalar)
    if result is not None:
        _write(machine, item, result)
        if is_guess:
            text = f"call through an unknown pointer: its {len(targets)} possible targets equally likely"
            machine.assume("branch", text, item.position, mask)
        return
    machine.assume(
        "indirect-call",
        "call through a function pointer whose target is unknown",
        item.position,
        mask,
    )
    unknown = Unknown(new_key(), reason="indirect call", is_float=item.scalar.is_float)
    _write(machine, item, unknown)


def _invoke(
    machine: Machine, item: Instruction, key: str, arguments: list[Value], mask: Mask
) -> None:
    function = machine.frame.code.functions.get(key)
    if function is not None and not machine.dry:
        _write(machine, item, machine.call(machine.frame.code, arguments, mask, function))
        return
    code = None if machine.dry and not machine.is_host else _code_of(machine, key)
    if code is None:
        _write(
            machine,
            item,
            Unknown(new_key(), reason="call without a body", is_float=item.scalar.is_float),
        )
        return
    if machine.is_host:
        _write(machine, item, machine.library.invoke(machine, code, arguments, mask))
        return
    recorder = machine.recorder
    weight_recorder = recorder is not None
    if weight_recorder:
        # A function that the kernel's code does not hold has block numbers of its own; they must not count for the kernel's.
        machine.assume(
            "indirect-call",
            f"work of {code.name}, which is called through a pointer, is not counted",
            item.position,
            mask,
        )
        machine.recorder = None
    try:
        result = machine.call(code, arguments, mask)
    finally:
        machine.recorder = recorder
    _write(machine, item, result)


def _library(machine: Machine, item: Instruction, mask: Mask) -> None:
    arguments = [machine.read(register) for register in item.args]
    if machine.dry and not machine.is_host:
        _write(machine, item, Unknown(new_key(), reason="library call"))
        return
    _write(machine, item, machine.library.call(machine, item, arguments))


def _copy(machine: Machine, item: Instruction, mask: Mask) -> None:
    record_copy(machine, item, mask)
    copy_bytes(machine, item)


def _texture(machine: Machine, item: Instruction, mask: Mask) -> None:
    value = texture(machine, item, mask)
    if value is not None:
        _write(machine, item, value)


def _zero(machine: Machine, item: Instruction, mask: Mask) -> None:
    record_copy(machine, item, mask)
    zero_bytes(machine, item)


def _watched(machine: Machine, item: Instruction, mask: Mask) -> None:
    HANDLERS[item.op](machine, item, mask)
    note_overflow(machine, item, mask)


def steps_of(machine: Machine, block: Block) -> list[tuple[Handler, Instruction]]:
    """The instructions of a block with their handlers; indices of kernels that may run over are looked at besides."""
    watched = frozenset[int]() if machine.is_host else watched_indices(machine.frame.code)
    return [
        (_watched if item.dest in watched else HANDLERS[item.op], item)
        for item in block.instructions
    ]


def enter_frame(machine: Machine, mask: Mask) -> None:
    """Give record parameters that live in memory their slot."""
    prepare_slots(machine)


HANDLERS: dict[Op, Callable[[Machine, Instruction, Mask], None]] = {
    Op.MOV: _move,
    **dict.fromkeys(BINARY_ARITHMETIC, _binary),
    **dict.fromkeys(COMPARISONS, _compare),
    Op.DIV: _divide,
    Op.REM: _divide,
    **dict.fromkeys((Op.NEG, Op.BIT_NOT, Op.NOT), _unary),
    Op.CAST: _cast,
    Op.BITCAST: _bitcast,
    Op.SELECT: _select,
    Op.PTR_ADD: _pointer_add,
    Op.PTR_DIFF: _pointer_difference,
    Op.SLOT: _slot,
    Op.GLOBAL: _global,
    Op.PARAM: _parameter,
    Op.ARGUMENT: _argument,
    Op.SPECIAL: _special,
    Op.LOAD: _load,
    Op.STORE: _store,
    Op.COPY: _copy,
    Op.ZERO: _zero,
    Op.ATOMIC: _atomic,
    Op.MATH: _math,
    Op.SHUFFLE: _shuffle,
    Op.VOTE: _vote,
    Op.BARRIER: _nothing,
    Op.TENSOR: tensor,
    Op.TEXTURE: _texture,
    Op.ASM: _nothing,
    Op.CALL: _call,
    Op.RETURN: _nothing,
    Op.CALL_POINTER: _call_pointer,
    Op.FUNCTION: _function,
    Op.STRING: _string,
    Op.LIBRARY: _library,
    Op.LAUNCH: _library,
    Op.UNKNOWN: _unknown,
}
