"""Which lines of the source stand for several types: those of templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.quick_pattern import pattern

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Position
    from clang_queries.ir.statements import Function
    from roofstat.program.link import Program

__all__ = ["is_generic"]

_NUMBER = pattern(r"\([\w ]+\)(?:-?\d\w*|true|false)")
"""An argument of a template that is no type, as signatures have it."""
_TYPE_ARGUMENT = pattern(r"[<,]\s*[A-Za-z_]")
_GENERIC_LAMBDA = pattern(r"operator\(\)<[A-Za-z_]")


def is_generic(position: Position, program: Program) -> bool:
    """Return whether a place lies in a function that is made of a template with types as its arguments."""
    return any(
        function.position.line <= position.line <= function.end_line
        and function.position.file == position.file
        and _takes_types(function)
        for function in program.functions.values()
    )


def _takes_types(function: Function) -> bool:
    text = _NUMBER.sub("", function.signature)
    if _GENERIC_LAMBDA.search(text):
        return True
    return _TYPE_ARGUMENT.search(text.partition("(")[0]) is not None
