"""The comparisons that conditions are made of, how far each is from turning, and where along the grid it turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.execution.arithmetic import COMPARISONS, binary, drawn
from roofstat.execution.values import Mixed, Unknown, Value
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.execution.machine import Machine
    from roofstat.program.code import Instruction


def comparisons_of(machine: Machine, register: int) -> list[Instruction]:
    """The comparisons that a condition is made of."""
    definition = machine.facts.definitions.get(register)
    if definition is None:
        return []
    if definition.op in COMPARISONS:
        return [definition]
    if definition.op in (Op.AND, Op.OR, Op.NOT):
        return [found for item in definition.args for found in comparisons_of(machine, item)]
    return []


def conjunction_of(machine: Machine, register: int) -> list[Instruction] | None:
    """The comparisons that a condition is a conjunction of; None for other shapes."""
    definition = machine.facts.definitions.get(register)
    if definition is None:
        return None
    if definition.op in COMPARISONS:
        return [definition]
    if definition.op is Op.AND and definition.scalar is Scalar.BOOL:
        left = conjunction_of(machine, definition.args[0])
        right = conjunction_of(machine, definition.args[1])
        return left + right if left is not None and right is not None else None
    return None


def comparison_distance(machine: Machine, register: int) -> Value | None:
    """``a - b`` of the comparison that computes a condition, as a number; None for other conditions."""
    definition = machine.facts.definitions.get(register)
    if definition is None or definition.op not in COMPARISONS:
        return None
    a, b = (machine.frames[-1].registers[item] for item in definition.args)
    if a is None or b is None or isinstance(a, Mixed) or isinstance(b, Mixed):
        return None
    a, b = drawn(a, machine.lane_count), drawn(b, machine.lane_count)
    if definition.scalar.is_float:
        if isinstance(a, Unknown) or isinstance(b, Unknown):
            return None
        return _float_difference(a, b)
    result = binary(Op.SUB, Scalar.I64, _wide(a), _wide(b), machine.lane_count)
    return None if isinstance(result, Unknown | Mixed) else result


def note_edge(machine: Machine, comparison: Instruction, distance: Value | None) -> bool:
    """Notice where along the grid a comparison turns; whether that says all about how blocks differ in it."""
    edges = machine.recorder.edges if machine.recorder is not None else None
    if edges is None or not isinstance(distance, np.ndarray):
        return False
    return edges.note(comparison.dest, comparison.op, distance)


def _wide(value: Value) -> Value:
    return value.astype(np.int64) if isinstance(value, np.ndarray) else value


def _float_difference(a: Value, b: Value) -> Value:
    assert not isinstance(a, Unknown | Mixed)
    assert not isinstance(b, Unknown | Mixed)
    first = a.astype(np.float64) if isinstance(a, np.ndarray) else float(a)
    second = b.astype(np.float64) if isinstance(b, np.ndarray) else float(b)
    return first - second
