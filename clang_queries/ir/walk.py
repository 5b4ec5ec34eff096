"""Generic traversal of IR trees."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from clang_queries.ir.expressions import (
    AddressOf,
    Assign,
    CompoundAssign,
    Conditional,
    Deref,
    Expr,
    IncDec,
    Member,
    Subscript,
    Variable,
)
from clang_queries.ir.statements import Case, Clause, Stmt, VariableDeclaration

if TYPE_CHECKING:
    from collections.abc import Iterator

Node = Expr | Stmt | Case | Clause | VariableDeclaration
_NODE_CLASSES = (Expr, Stmt, Case, Clause, VariableDeclaration)
_FIELDS: dict[type, tuple[str, ...]] = {}
_PLAIN = frozenset(
    {"bool", "float", "int", "str", "None", "Type", "BinaryOp", "UnaryOp", "LogicalOp"}
)
"""Types of fields that hold no nodes."""


def _child_fields(cls: type) -> tuple[str, ...]:
    names = _FIELDS.get(cls)
    if names is None:
        skipped = {"type", "position", "key", "name", "storage", "text", "op", "label"}
        names = tuple(
            f.name
            for f in fields(cls)
            if f.name not in skipped and not _PLAIN.issuperset(str(f.type).split(" | "))
        )
        _FIELDS[cls] = names
    return names


def children(node: Node) -> list[Node]:
    """Direct sub-nodes, in source order."""
    found: list[Node] = []
    for name in _child_fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, _NODE_CLASSES):
            found.append(value)
        elif value.__class__ is tuple:
            _add_nodes(value, found)
    return found


def _add_nodes(values: tuple[object, ...], found: list[Node]) -> None:
    for value in values:
        if isinstance(value, _NODE_CLASSES):
            found.append(value)
        elif isinstance(value, tuple):
            _add_nodes(value, found)


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, parents first."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack += reversed(children(current))


def _root_variable(expression: Expr) -> Variable | None:
    """The variable whose own storage an lvalue designates (not through a pointer), or None."""
    while True:
        if isinstance(expression, Variable):
            return expression
        if isinstance(expression, Member) or (
            isinstance(expression, Subscript) and not _is_pointer(expression.base)
        ):
            expression = expression.base
        else:
            return None


def _is_pointer(expression: Expr) -> bool:
    return type(expression.type).__name__ == "PointerType"


def mutated_variables(node: Node) -> frozenset[str]:
    """Keys of variables that are assigned, stepped or have their address taken below `node`."""
    found: set[str] = set()
    for item in walk(node):
        match item:
            case Assign(target=target) | CompoundAssign(target=target) | IncDec(target=target):
                _add_roots(target, found)
            case AddressOf(operand=operand):
                _add_roots(operand, found)
            case Deref() | Subscript() | Member():
                # An array or record accessed in parts lives in memory until promotion decides otherwise.
                root = _root_variable(item)
                if root is not None:
                    found.add(root.key)
            case _:
                output_operands = getattr(item, "outputs", ())
                for output in output_operands:
                    _add_roots(output, found)
    return frozenset(found)


def _add_roots(target: Expr, found: set[str]) -> None:
    if isinstance(target, Conditional):
        _add_roots(target.then, found)
        _add_roots(target.otherwise, found)
        return
    root = _root_variable(target)
    if root is not None:
        found.add(root.key)
