"""Trip counts of loops on unknown data: what the sizes of the arrays say, else a stated default."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roofstat.execution.machine import Machine
    from roofstat.execution.values import Unknown

DEFAULT_TRIPS = 8.0
"""Trip count of a loop on unknown data of which nothing else is known."""
HOST_DEFAULT_TRIPS = 2.0


def assumed_trips(machine: Machine, unknown: Unknown, touched: Iterable[int]) -> tuple[float, str]:
    """Trip count and its reason: elements reached through an array of offsets or lengths share out evenly.

    Args:
        machine: The running machine.
        unknown: What the condition rests on; its origin is that array.
        touched: Numbers of the buffers that an iteration accesses.
    """
    if machine.is_host:
        return HOST_DEFAULT_TRIPS, "default"
    rows = 0.0 if unknown.origin is None else _elements(machine, unknown.origin)
    largest = max(
        (_elements(machine, number) for number in touched if number != unknown.origin), default=0.0
    )
    if not rows or largest <= rows:
        return DEFAULT_TRIPS, "default"
    assert unknown.origin is not None
    trips = largest / rows
    name = machine.memory.objects[unknown.origin].buffer.name
    return (
        trips,
        f"the arrays read in the loop have {trips:.3g} elements for each element of {name}",
    )


def _elements(machine: Machine, number: int) -> float:
    """Elements of a buffer of known size, by the width of what the kernel accesses there."""
    found = machine.memory.objects.get(number)
    if found is None or not found.buffer.size_bytes or found.buffer.size_is_assumed:
        return 0.0
    return found.buffer.size_bytes / machine.element_bytes.get(number, 1)
