"""What keeps clang from making a region with parallel regions inside one that all threads run (SPMD).

LLVM's OpenMPOpt lets all threads run the parts between parallel regions, with stores and atomics guarded for one of them,
unless such a part does what it cannot see through.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import Call, FunctionName
from clang_queries.ir.statements import Asm, Directive, Stmt
from clang_queries.ir.walk import Node, children
from roofstat.program.link import bare_name
from roofstat.program.math_calls import math_name
from roofstat.program.openmp.clauses import words_of

if TYPE_CHECKING:
    from clang_queries.ir.statements import Function
    from roofstat.program.link import Program

_TRANSPARENT = ("std::", "omp_", "__", "mem")
"""Names of what is inlined, known to OpenMPOpt, or an instruction of LLVM."""


def generic_reason(statement: Stmt, program: Program) -> str | None:
    """What keeps a region in generic mode, in words; None where clang makes it SPMD."""
    seen: set[str] = set()
    stack: list[Node] = [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, Directive) and words_of(node) & {"parallel", "loop"}:
            continue
        if isinstance(node, Call) and isinstance(node.callee, FunctionName):
            function = program.function(
                node.callee.key, node.callee.name, [argument.type for argument in node.arguments]
            )
            if function is None and not _is_transparent(node.callee.name):
                return f"a call of '{bare_name(node.callee.name)}'"
            stack += _fresh_bodies(function, seen)
        else:
            reason = _opaque(node)
            if reason is not None:
                return reason
        stack += children(node)
    return None


def _fresh_bodies(function: Function | None, seen: set[str]) -> list[Stmt]:
    if function is None or function.key in seen:
        return []
    seen.add(function.key)
    return [function.body]


def _opaque(node: Node) -> str | None:
    if isinstance(node, Asm):
        return "inline assembly"
    if isinstance(node, Call):
        return "a call through a pointer"
    if isinstance(node, Directive) and "critical" in words_of(node):
        return "a critical section"
    return None


def _is_transparent(name: str) -> bool:
    return name.startswith(_TRANSPARENT) or math_name(name) is not None
