"""Values that the user states for what the program does not tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.execution.host.registry import HostCall, models
from roofstat.execution.numbers.values import Mixed, Unknown, fits, number_of
from roofstat.program.code import STATED_VALUE

if TYPE_CHECKING:
    from clang_queries.ir.types import Scalar
    from roofstat.execution.numbers.values import Value
    from roofstat.program.link import Program


def stated_value(program: Program, name: str, scalar: Scalar, value: Value) -> Value:
    """The value itself where it is known, else the one that the user gives to the name, if any."""
    bare = name.rsplit("::", 1)[-1]
    if not isinstance(value, Unknown | Mixed) or bare not in program.stated:
        return value
    if not fits(program.stated[bare], scalar):
        return value
    program.used_values.add(bare)
    return number_of(program.stated[bare], scalar)


@models(STATED_VALUE, pure=True)
def _stated_value(call: HostCall) -> Value:
    name = call.detail.template_arguments[0]
    return stated_value(call.run.program, name, call.instruction.scalar, call.arguments[0])
