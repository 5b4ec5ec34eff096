"""Which kernels an edit changes, where it lies in the bodies of kernels and of device functions."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from clang_queries.ir.expressions import FunctionName
from clang_queries.ir.statements import Function, Side
from clang_queries.ir.walk import walk
from clang_queries.left_out import has_meaning_for_others

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clang_queries.ir.statements import Unit
    from roofstat.analysis.edited_text import EditedText

__all__ = ["EditedFunctions"]

_MOST_KERNELS = 8
"""More kernels are not looked at apart from the rest."""


class EditedFunctions:
    """The functions of a program in which there are edits.

    Args:
        units: Of the program, the edited source first.
    """

    def __init__(self, units: Sequence[Unit]) -> None:
        self._units = units

    def holders(self, edit: EditedText) -> list[Function]:
        """Return the functions in whose bodies everything lies that was edited; none where something else was."""
        functions = [
            function
            for function in self._units[0].functions.values()
            if function.position.file == edit.path
        ]
        found: dict[str, Function] = {}
        for first, last in edit.moved.changes():
            # Of a lambda in a function the function counts.
            holder = max(
                (each for each in functions if _holds(each, first, last)),
                key=lambda each: each.end_line - each.position.line,
                default=None,
            )
            if holder is None or not _is_plain(holder, edit):
                return []
            found[holder.key] = holder
        return list(found.values())

    def kernels(self, holders: Sequence[Function]) -> list[Function]:
        """Return the kernels that are made of some functions; none where there are many, or others are made of them too."""
        found: dict[str, Function] = {}
        waiting = list(holders)
        seen = {function.key for function in waiting}
        while waiting:
            function = waiting.pop()
            if function.side is Side.KERNEL:
                found[function.key] = function
                continue
            for user in self._users.get(function.name, {}).values():
                if user is None or user.side not in (Side.KERNEL, Side.DEVICE):
                    return []
                if user.key not in seen:
                    seen.add(user.key)
                    waiting.append(user)
        is_known = len(found) <= _MOST_KERNELS and not any(
            kernel.template_arguments or kernel.key not in self._units[0].functions
            for kernel in found.values()
        )
        return list(found.values()) if is_known else []

    @cached_property
    def _users(self) -> dict[str, dict[str, Function | None]]:
        """Name of a function -> those that name it, by key; None stands for the initial values of variables."""
        found: dict[str, dict[str, Function | None]] = {}
        for unit in self._units:
            for function in unit.functions.values():
                for node in walk(function.body):
                    if isinstance(node, FunctionName):
                        found.setdefault(node.name, {})[function.key] = function
            for variable in unit.globals.values():
                for node in walk(variable):
                    if isinstance(node, FunctionName):
                        found.setdefault(node.name, {})[variable.key] = None
        return found


def _holds(function: Function, first: int, last: int) -> bool:
    return function.position.line < first <= function.end_line and last < function.end_line


def _is_plain(function: Function, edit: EditedText) -> bool:
    """Whether nothing but calls depends on the body of a function."""
    is_method = any(parameter.name == "this" for parameter in function.parameters[:1])
    if function.side not in (Side.KERNEL, Side.DEVICE) or function.template_arguments or is_method:
        return False
    return function.body_bytes is not None and not has_meaning_for_others(
        edit.before, function.body_bytes[0]
    )
