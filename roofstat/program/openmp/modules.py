"""What the target regions of one unit have in common: they share the state of the device run time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import Call, FunctionName
from clang_queries.ir.statements import Directive, Stmt
from clang_queries.ir.walk import walk
from clang_queries.quick_dataclass import dataclass
from roofstat.program.openmp.clauses import (
    directives_in,
    directives_of,
    has_clause,
    is_target,
    words_of,
)
from roofstat.program.openmp.region import execution_mode

if TYPE_CHECKING:
    from clang_queries.ir.statements import Function
    from roofstat.program.link import Program


@dataclass(frozen=True, slots=True)
class RegionModule:
    """What LLVM cannot resolve while it compiles a unit, its headers included."""

    is_mixed: bool = False
    """Whether it holds regions of both modes: then mode and levels are looked up."""
    counts_threads: bool = False
    """Whether a `num_threads` clause stands in one of them: then the number of threads is in memory."""
    last: Directive | None = None
    """The last region: when its turn comes, all others are known to run in one mode."""


def region_module(program: Program, function: Function) -> RegionModule:
    """The module of a function."""
    unit = program.units.get(function.key, 0)
    found = program.region_modules.get(unit)
    if found is None:
        regions = [
            directive
            for key, other in program.functions.items()
            if program.units.get(key, 0) == unit
            for directive in directives_of(program, other)
            if is_target(directive)
        ]
        found = RegionModule(
            is_mixed=len({execution_mode(region) for region in regions}) > 1,
            counts_threads=any(
                has_clause(item, "num_threads")
                for region in regions
                for item in directives_in(region)
            ),
            last=regions[-1] if regions else None,
        )
        program.region_modules[unit] = found
    return found


def has_parallel(statement: Stmt, program: Program) -> bool:
    """Whether a statement, or a function that it calls, starts threads."""
    seen: set[str] = set()
    stack: list[Stmt] = [statement]
    while stack:
        current = stack.pop()
        for node in walk(current):
            if isinstance(node, Directive) and words_of(node) & {"parallel", "loop"}:
                return True
            if isinstance(node, Call) and isinstance(node.callee, FunctionName):
                key = node.callee.key
                function = program.functions.get(key)
                if function is not None and key not in seen:
                    seen.add(key)
                    stack.append(function.body)
    return False
