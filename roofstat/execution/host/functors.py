"""Functions of the user's that a library's kernel runs for each item: found by the names of their types, and how much they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import (
    Binary,
    Call,
    CompoundAssign,
    Conditional,
    Construct,
    Deref,
    IncDec,
    Logical,
    OpaqueExpr,
    Subscript,
    Unary,
    Variable,
)
from clang_queries.ir.statements import Asm, Goto, If, Loop, OpaqueStmt, Switch
from clang_queries.ir.walk import walk
from roofstat.execution.host.records import plain, scalar_named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clang_queries.ir.statements import Function
    from clang_queries.ir.walk import Node
    from roofstat.program.link import Program

__all__ = ["problem_of_functors"]

_LIBRARY_SCOPES = ("thrust::", "std::", "cub::", "cuda::")
_MOST_OPERATIONS = 4
"""Arithmetic operations of a function that is still like those which were measured."""
_OPERATIONS = (Binary, CompoundAssign, IncDec, Logical, Unary)
_MORE = (Asm, Call, Conditional, Goto, If, Loop, OpaqueExpr, OpaqueStmt, Subscript, Switch)
"""What no function that was measured holds; a subscript goes to memory beside the elements."""


def problem_of_functors(program: Program, types: Iterable[str], *, must_be_known: bool) -> str:
    """Return why the measurements of a kernel do not hold with the functions that it is given; empty where they do.

    Args:
        program: The program.
        types: Template arguments of the call.
        must_be_known: Whether every class of the user's among them is a function, or else a type of elements.
    """
    for name in types:
        bare = plain(name).removesuffix("&").strip()
        if scalar_named(bare) is not None or bare.endswith("*") or bare.startswith(_LIBRARY_SCOPES):
            continue
        bodies = _call_operators(program, bare)
        if not bodies and must_be_known:
            return f"what the functor {bare} does is not known"
        if not all(map(_is_simple, bodies)):
            return "the functor does more than what was measured"
    return ""


def _call_operators(program: Program, type_name: str) -> list[Function]:
    start = f"{type_name}::operator()("
    return [each for each in program.functions.values() if each.signature.startswith(start)]


def _is_simple(function: Function) -> bool:
    nodes = list(walk(function.body))
    operations = sum(isinstance(node, _OPERATIONS) for node in nodes)
    return operations <= _MOST_OPERATIONS and not any(map(_is_more, nodes))


def _is_more(node: Node) -> bool:
    if isinstance(node, Construct):
        return node.constructor is not None
    if isinstance(node, Deref):
        # parameters that are references, and the object itself, are pointers in variables
        return not isinstance(node.pointer, Variable)
    return isinstance(node, _MORE)
