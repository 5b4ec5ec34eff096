"""Calls through pointers: which functions the lanes reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.numbers.values import Unknown
from roofstat.execution.stored.distinct import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.machine import Machine
    from roofstat.execution.numbers.values import Value

MOST_TARGETS = 16
"""Functions of a table among which lanes that nobody knows are shared out."""


def pointer_targets(
    machine: Machine, pointer: Value
) -> tuple[list[tuple[str, NDArray[np.bool_] | None]], bool]:
    """(functions with the lanes that call them, None for all; whether the choice is a guess)."""
    if isinstance(pointer, int):
        key = _function_at(machine, pointer)
        return ([] if key is None else [(key, None)]), False
    if isinstance(pointer, np.ndarray):
        found: list[tuple[str, NDArray[np.bool_] | None]] = []
        for address in distinct(pointer).tolist():
            key = _function_at(machine, int(address))
            if key is not None:
                found.append((key, pointer == address))
        return found, False
    if isinstance(pointer, Unknown):
        keys = _table(machine, pointer)
        if len(keys) == 1 or (keys and machine.lane_count == 1):
            return [(keys[0], None)], True
        which = np.floor(machine.draws(pointer) * len(keys)).astype(np.int64)
        if pointer.uniform and len(which) >= 32:
            which = np.repeat(which[::32], 32)
        return [(key, which == number) for number, key in enumerate(keys)], True
    return [], False


def _function_at(machine: Machine, address: int) -> str | None:
    found = machine.memory.find(address)
    return found.function_key if found is not None else None


def _table(machine: Machine, pointer: Unknown) -> list[str]:
    """The functions that the buffer holds from which an unknown pointer was loaded."""
    origin = machine.memory.objects.get(pointer.origin) if pointer.origin is not None else None
    if origin is None:
        return []
    cells = [value for _, value in origin.contents.cells.values() if isinstance(value, int)]
    keys = {_function_at(machine, value): None for value in cells}
    return [key for key in keys if key is not None][:MOST_TARGETS]
