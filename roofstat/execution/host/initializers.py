"""Initial values of global variables that are more than constants: code that runs when the variable is first named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import Constant, InitList
from clang_queries.ir.statements import Compound, Function, Side
from clang_queries.ir.types import Scalar, ScalarType
from roofstat.program.builder import Builder
from roofstat.program.code import Code, Op
from roofstat.program.context import Context, Frame, Place
from roofstat.program.expressions import lower_value
from roofstat.program.memory_access import store_place
from roofstat.program.promotion import promote
from roofstat.program.records import lower_record_into
from roofstat.program.register_arithmetic import convert

if TYPE_CHECKING:
    from clang_queries.ir.statements import VariableDeclaration
    from roofstat.program.link import Program

LARGEST_LIST = 2_000
"""Elements of an initializer beyond which only constants are looked at."""


def is_plain(expression: object) -> bool:
    """Whether an initializer consists of constants only, or of too much else."""
    stack = [expression]
    seen = 0
    while stack:
        current = stack.pop()
        seen += 1
        if seen > LARGEST_LIST:
            return True
        if isinstance(current, InitList):
            stack.extend(element for _, element in current.elements)
        elif not isinstance(current, Constant):
            return False
    return True


def initializer_code(program: Program, variable: VariableDeclaration) -> Code:
    """Code that gives a global variable its initial value."""
    assert variable.initializer is not None
    builder = Builder()
    builder.position = variable.position
    context = Context(program, builder, is_host=True)
    function = Function(
        key=f"initial value of {variable.key}",
        name=f"initial value of {variable.name}",
        signature="",
        symbol="",
        side=Side.HOST,
        result=ScalarType(Scalar.VOID),
        parameters=(),
        body=Compound(variable.position, ()),
        position=variable.position,
        end_line=variable.position.line,
    )
    context.frames.append(Frame(function, frozenset(), builder.new_label()))
    place = Place(builder.value(Op.GLOBAL, Scalar.U64, detail=variable.key))
    scalar = program.scalar_of(variable.type)
    if scalar is None:
        lower_record_into(context, variable.initializer, place)
    else:
        value = convert(context, lower_value(context, variable.initializer), scalar)
        store_place(context, place, value, scalar)
    promote(builder, {})
    return Code(
        key=function.key,
        name=function.name,
        body=builder.body,
        register_types=builder.register_types,
        constants=builder.constants,
        variables=builder.variables,
        slots=builder.slots,
        parameters=[],
        result=None,
        assumptions=builder.assumptions,
        site_count=builder.site_count,
        block_count=builder.block_count,
        loop_count=builder.loop_count,
    )
