"""Comparisons of two elements of private arrays that a branch exchanges: a minimum and a maximum to compilers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.graph.details import LoadDetail
from roofstat.instructions.graph.values import Pseudo
from roofstat.instructions.integers.widths import WORDS
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from roofstat.instructions.graph.values import Value

    Users = Mapping[int, list[Value]]

_FURTHEST = 6
"""Values from a comparison to the second store: conversions and the branch may stand between."""


def exchanges(
    live: Sequence[Value], users: Users, is_in_registers: Callable[[Value], bool]
) -> dict[int, float]:
    """Operations of such comparisons of words, by number: what nothing reads afterwards is not computed.

    Args:
        live: Live values in order of creation.
        users: Of each by number.
        is_in_registers: Whether a store goes to a private array that stays in registers.
    """
    found: dict[int, tuple[Value, Value]] = {}
    for value in live:
        tests = value.op in {Op.LT, Op.LE} and value.scalar in WORDS
        if tests and all(use.op is Pseudo.BRANCH for use in users.get(value.number, ())):
            first, second = (
                _stores(value, _element(arg), users, is_in_registers) for arg in value.args
            )
            for store in first:
                for other in second:
                    if store.context is other.context and _place(store) != _place(other):
                        found[value.number] = store, other
    if not found:
        return {}
    begins: dict[object, Value] = {}
    last_load: dict[object, int] = {}
    for value in live:
        if value.op in {Op.LOAD, Op.STORE} and isinstance(value.detail, LoadDetail):
            begins.setdefault(_place(value), value)
            if value.op is Op.LOAD:
                last_load[_place(value)] = value.number

    def is_read(store: Value) -> bool:
        place = _place(store)
        return begins[place].op is Op.LOAD or last_load.get(place, -1) > store.number

    return {number: max(float(sum(map(is_read, pair))), 1.0) for number, pair in found.items()}


def _stores(
    comparison: Value, element: Value, users: Users, is_in_registers: Callable[[Value], bool]
) -> list[Value]:
    """Stores of an element in an arm right behind a comparison."""
    return [
        use
        for use in users.get(element.number, ())
        if use.op is Op.STORE
        and comparison.number < use.number <= comparison.number + _FURTHEST
        and use.context.parent is comparison.context
        and is_in_registers(use)
    ]


def _place(access: Value) -> object:
    assert isinstance(access.detail, LoadDetail)
    return access.detail.root, access.detail.offset_bytes


def _element(value: Value) -> Value:
    while value.op is Op.CAST:
        value = value.args[0]
    return value
