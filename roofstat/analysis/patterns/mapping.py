"""Maps of OpenMP target regions that move their data at every launch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import ArrayType, PointerType
from roofstat.program.openmp.clauses import (
    DATA_DIRECTIVES,
    clauses,
    directives_of,
    is_target,
    named_variables,
)
from roofstat.report import PatternKind, PatternReport

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clang_queries.ir.statements import Directive
    from roofstat.execution.host.launch_table import HostLaunch
    from roofstat.program.link import Program

__all__ = ["mapped_each_launch"]


def mapped_each_launch(launch: HostLaunch, program: Program) -> Iterator[PatternReport]:
    """The arrays that a region launched repeatedly maps, where no data directive of the program keeps data on the card."""
    region = program.regions.get(launch.kernel)
    if region is None or launch.count < 2:
        return
    function = program.functions.get(region.function_key)
    if function is None or _keeps_data(program):
        return
    for directive in directives_of(program, function):
        if is_target(directive) and directive.position.line == region.line:
            names = _mapped_arrays(directive)
            if names:
                yield PatternReport(
                    kind=PatternKind.MAPPED_EACH_LAUNCH,
                    line=region.line,
                    column=region.position.column or None,
                    subject=", ".join(names),
                    executions=launch.count,
                )
            return


def _keeps_data(program: Program) -> bool:
    return any(
        directive.name in DATA_DIRECTIVES - {"target update"}
        for function in program.functions.values()
        for directive in directives_of(program, function)
    )


def _mapped_arrays(directive: Directive) -> list[str]:
    """Arrays of the directive's own map clauses, in order."""
    found = [
        variable.name
        for variable in named_variables(clauses(directive, "map"))
        if isinstance(variable.type, PointerType | ArrayType)
    ]
    return list(dict.fromkeys(found))
