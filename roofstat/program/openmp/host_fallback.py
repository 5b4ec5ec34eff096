"""Clauses of a target construct that keep it on the host: `if`, and `device` with the host's number or an ancestor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import BinaryOp
from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.program.code import LibraryCall, Op
from roofstat.program.expressions import lower_condition, lower_value
from roofstat.program.openmp.clauses import clauses, constant_of, modifier
from roofstat.program.register_arithmetic import binary_operation, convert

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Expr
    from clang_queries.ir.statements import Directive
    from roofstat.program.context import Context

_HOST_NUMBER = -1
"""`omp_initial_device`; `omp_get_initial_device()` gives another number of the host."""


@dataclass(frozen=True, slots=True)
class HostClauses:
    """What decides at the launch."""

    condition: Expr | None
    """Of the `if` clause."""
    device: Expr | None
    """Number of the device, where it is no constant."""
    written: str
    """The clauses as written; empty where none can keep the region on the host."""
    always: str
    """Why the region is never launched; empty where it may be."""


def host_clauses(statement: Directive) -> HostClauses:
    """The clauses of a target construct that may keep it on the host."""
    condition = device = None
    written = []
    always = ""
    for clause in clauses(statement, "if", "device"):
        if not clause.expressions:
            continue
        text = f"{clause.name}({clause.text})"
        expression = clause.expressions[0]
        value = constant_of(expression)
        if clause.name == "if":
            if modifier(clause) not in ("", "target"):
                continue
            condition = expression
            if value == 0:
                always = f"{text} is false"
        elif modifier(clause) == "ancestor" or value == _HOST_NUMBER:
            always = f"{text} is the host"
        elif value is None:
            device = expression
        else:
            continue
        written.append(text)
    return HostClauses(condition, device, " ".join(written), always)


def launch_flag(context: Context, host: HostClauses) -> int | None:
    """Register that tells whether the clauses let the region be launched; None where they always do."""
    builder = context.builder
    if host.always:
        return builder.constant(0, Scalar.BOOL)
    flags = []
    if host.condition is not None:
        flags.append(lower_condition(context, host.condition))
    if host.device is not None:
        number = convert(context, lower_value(context, host.device), Scalar.I32)
        own = builder.value(
            Op.LIBRARY, Scalar.I32, detail=LibraryCall(name="omp_get_initial_device")
        )
        flags += [
            binary_operation(context, BinaryOp.NE, number, other, Scalar.I32)
            for other in (own, builder.constant(_HOST_NUMBER, Scalar.I32))
        ]
    if not flags:
        return None
    found, *others = flags
    for flag in others:
        found = binary_operation(context, BinaryOp.AND, found, flag, Scalar.BOOL)
    return found
