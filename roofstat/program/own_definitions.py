"""Units that define the same function in different ways: each keeps its own, as files that are linked apart do."""

from __future__ import annotations

import dataclasses
import operator
import os
from typing import TYPE_CHECKING, Any

from clang_queries.ir.statements import Side
from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clang_queries.ir.expressions import Position
    from clang_queries.ir.statements import Function, Unit

__all__ = ["Clash", "with_own_definitions"]

_EXTERNAL = "c:@"
"""How keys begin of what other files may name; those of others hold the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """A function that two files define, though it can be in one program but once.

    Attributes:
        first: The definition that all other files of the program mean.
        second: Another one, which its file alone means.
    """

    first: Function
    second: Function


def with_own_definitions(units: Sequence[Unit]) -> tuple[list[Unit], list[Clash]]:
    """Return the units with names of their own for functions that an earlier one defines at another place.

    Device functions may be defined in several files, each of which is compiled with its own. Kernels and host functions
    may not: such files are of different programs, and are named in the second part of the result.
    """
    known: dict[str, Function] = {}
    own: list[Unit] = []
    clashes: list[Clash] = []
    for unit in units:
        names: dict[str, str] = {}
        for key, function in unit.functions.items():
            first = known.setdefault(key, function)
            if _is_method(function) or _is_same_place(first.position, function.position):
                continue
            names[key] = f"{key}@{unit.path}"
            if (
                function.side is not Side.DEVICE
                and not function.is_inline_hint
                and key.startswith(_EXTERNAL)
            ):
                clashes.append(Clash(first=first, second=function))
        own.append(_renamed(unit, names) if names else unit)
    return own, clashes


def _is_method(function: Function) -> bool:
    """Whether a function belongs to a class, whose name does not change."""
    return any(parameter.name == "this" for parameter in function.parameters[:1])


def _is_same_place(one: Position, other: Position) -> bool:
    if one.line != other.line:
        return False
    return one.file == other.file or os.path.realpath(one.file) == os.path.realpath(other.file)


def _renamed(part: Any, names: Mapping[str, str]) -> Any:
    """A part of a unit with other keys; what holds none of them stays the same object."""
    if isinstance(part, str):
        return names.get(part, part)
    if isinstance(part, tuple):
        items = tuple(_renamed(item, names) for item in part)
        return items if any(map(operator.is_not, items, part)) else part
    if isinstance(part, dict):
        return {_renamed(key, names): _renamed(value, names) for key, value in part.items()}
    if not dataclasses.is_dataclass(part) or isinstance(part, type):
        return part
    values = {field.name: getattr(part, field.name) for field in dataclasses.fields(part)}
    renamed = {name: _renamed(value, names) for name, value in values.items()}
    changed = {name: value for name, value in renamed.items() if value is not values[name]}
    return dataclasses.replace(part, **changed) if changed else part
