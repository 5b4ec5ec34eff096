"""Lowering of statements to structured regions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clang_queries.ir.expressions import Call, Constant, InitList, Variable
from clang_queries.ir.statements import (
    Asm,
    Break,
    Compound,
    Continue,
    Declare,
    Directive,
    Evaluate,
    Goto,
    If as IfStatement,
    Label,
    Loop as LoopStatement,
    OpaqueStmt,
    Return,
    Stmt,
    Storage,
    Switch as SwitchStatement,
    VariableDeclaration,
)
from clang_queries.ir.types import ArrayType, Scalar, ScalarType
from clang_queries.ir.walk import walk
from roofstat.program.code import If, Loop, Op, Scope, Slot, Space, Switch, SwitchCase, leaves_to
from roofstat.program.context import InRegister, InSlot, Place
from roofstat.program.expressions import lower_condition, lower_effect, lower_value
from roofstat.program.idioms import lower_population_count
from roofstat.program.inline_ptx import lower_asm
from roofstat.program.memory_access import load_place, store_place
from roofstat.program.places import shared_slot
from roofstat.program.records import lower_record_into
from roofstat.program.register_arithmetic import convert

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Expr
    from roofstat.program.code import Region
    from roofstat.program.context import Context


def lower_statement(context: Context, statement: Stmt) -> None:
    """Append the regions of one statement."""
    context.builder.position = statement.position
    if context.openmp is not None:
        from roofstat.program.openmp import lower_in_team

        if lower_in_team(context, statement):
            return
    match statement:
        case Compound(body=body):
            lower_sequence(context, body)
        case Evaluate(expression=expression):
            if isinstance(expression, Call):
                from roofstat.program.calls import lower_call

                lower_call(context, expression, None, discard=True)
            else:
                lower_effect(context, expression)
        case Declare(variable=variable):
            _declare(context, variable)
        case IfStatement():
            _lower_if(context, statement)
        case LoopStatement():
            _lower_loop(context, statement)
        case SwitchStatement():
            _lower_switch(context, statement)
        case Break():
            _leave(context, context.frame.break_labels, "break")
        case Continue():
            _leave(context, context.frame.continue_labels, "continue")
        case Return(value=value):
            _lower_return(context, value)
        case Goto(label=label):
            target = context.frame.goto_labels.get(label)
            if target is None:
                context.builder.assume("control-flow", f"goto {label} jumps into a block; ignored")
            else:
                context.builder.leave(target)
        case Label():
            lower_sequence(context, (statement,))
        case Asm():
            lower_asm(context, statement)
        case Directive():
            from roofstat.program.openmp import lower_directive

            lower_directive(context, statement)
        case OpaqueStmt(reason=reason, operands=operands, is_lost=is_lost):
            for operand in operands:
                lower_effect(context, operand)
            context.builder.position = statement.position
            context.builder.assume("parse-error" if is_lost else "front-end", reason)
        case _:
            context.builder.assume("front-end", f"no lowering for {type(statement).__name__}")


def _leave(context: Context, labels: list[int], word: str) -> None:
    if labels:
        context.builder.leave(labels[-1])
    else:
        context.builder.assume("control-flow", f"{word} outside a loop; ignored")


def lower_sequence(context: Context, body: tuple[Stmt, ...]) -> None:
    """Statements in order; a label becomes a scope for jumps from above and a loop for jumps from below."""
    position = _first_split(body)
    if position is not None:
        _lower_labelled(context, body[:position], body[position], body[position + 1 :])
        return
    for statement in body:
        lower_statement(context, statement)


def _first_split(body: tuple[Stmt, ...]) -> int | None:
    """Where a sequence with labels is taken apart: at the last one that is only jumped to from above, else at the first one.

    What stands before that may hold loops of other labels, as long as nothing behind jumps back to them.
    """
    places = [place for place, item in enumerate(body) if isinstance(item, Label)]
    for place in reversed(places[1:]):
        before, label, after = body[:place], body[place], body[place:]
        assert isinstance(label, Label)
        inside = [item.label for item in before if isinstance(item, Label)]
        if any(_jumps_to(item, label.label) for item in before) and not any(
            _jumps_to(item, name) for item in after for name in (label.label, *inside)
        ):
            return place
    return places[0] if places else None


def _lower_labelled(
    context: Context, before: tuple[Stmt, ...], label: Stmt, after: tuple[Stmt, ...]
) -> None:
    assert isinstance(label, Label)
    builder, frame = context.builder, context.frame
    name = label.label
    if any(_jumps_to(item, name) for item in before):
        scope = Scope(builder.new_label(), [])
        frame.goto_labels[name] = scope.label
        with builder.inside(scope.body):
            lower_sequence(context, before)
        builder.add(scope)
    else:
        lower_sequence(context, before)
    tail = (label.body, *after)
    if not any(_jumps_to(item, name) for item in tail):
        frame.goto_labels.pop(name, None)
        lower_sequence(context, tail)
        return
    repeated = _repeated_arm(tail[0], name)
    if repeated is not None and not any(_jumps_to(item, name) for item in tail[1:]):
        _lower_guarded_repetition(context, *repeated)
        lower_sequence(context, tail[1:])
        return
    for index, item in enumerate(tail):
        if _is_jump_back(item, name) and not any(
            _jumps_to(other, name) for other in (*tail[:index], *tail[index + 1 :])
        ):
            _lower_repetition(context, tail[:index], item, label)
            lower_sequence(context, tail[index + 1 :])
            return
    outer = Scope(builder.new_label(), [])
    again = Scope(builder.new_label(), [])
    frame.goto_labels[name] = again.label
    loop = Loop(builder.loop_count, [], None, [again], [], label.position)
    builder.loop_count += 1
    with builder.inside(again.body):
        lower_sequence(context, tail)
        builder.leave(outer.label)
    outer.body.append(loop)
    builder.add(outer)
    frame.goto_labels.pop(name, None)


def _is_jump_back(statement: Stmt, label: str) -> bool:
    """``if (condition) goto label;`` and nothing else."""
    if not isinstance(statement, IfStatement) or statement.otherwise is not None:
        return False
    then = statement.then
    if isinstance(then, Compound) and len(then.body) == 1:
        then = then.body[0]
    return isinstance(then, Goto) and then.label == label


def _repeated_arm(statement: Stmt, label: str) -> tuple[IfStatement, tuple[Stmt, ...]] | None:
    """The branch and what it repeats in ``label: if (condition) { ...; goto label; }``, without other jumps there."""
    if not isinstance(statement, IfStatement) or statement.otherwise is not None:
        return None
    body = statement.then.body if isinstance(statement.then, Compound) else (statement.then,)
    last = body[-1] if body else None
    if not isinstance(last, Goto) or last.label != label:
        return None
    if any(_jumps_to(item, label) for item in body[:-1]):
        return None
    return statement, body[:-1]


def _lower_guarded_repetition(
    context: Context, branch: IfStatement, body: tuple[Stmt, ...]
) -> None:
    """A ``while`` loop, but `break` in it belongs to the loop around it."""
    builder = context.builder
    loop = Loop(builder.loop_count, [], None, [], [], builder.at(branch.position))
    builder.loop_count += 1
    with builder.inside(loop.condition):
        loop.condition_register = lower_condition(context, branch.condition)
    with builder.inside(loop.body):
        lower_sequence(context, body)
    builder.add(loop)


def _lower_repetition(context: Context, body: tuple[Stmt, ...], jump: Stmt, position: Stmt) -> None:
    """``label: body; if (condition) goto label;`` is a ``do`` loop, but `break` in it belongs to the loop around it."""
    assert isinstance(jump, IfStatement)
    builder = context.builder
    loop = Loop(builder.loop_count, [], None, [], [], position.position, tests_before=False)
    builder.loop_count += 1
    with builder.inside(loop.body):
        lower_sequence(context, body)
    with builder.inside(loop.condition):
        loop.condition_register = lower_condition(context, jump.condition)
    builder.add(loop)


def _jumps_to(statement: Stmt, label: str) -> bool:
    return any(isinstance(node, Goto) and node.label == label for node in walk(statement))


# Declarations


def _declare(context: Context, variable: VariableDeclaration) -> None:
    builder = context.builder
    if variable.storage in (Storage.SHARED, Storage.DYNAMIC_SHARED):
        context.frame.bindings[variable.key] = InSlot(shared_slot(context, variable), variable.name)
        return
    if variable.storage is not Storage.LOCAL:
        if context.is_host and _names_locals(context, variable.initializer):
            _declare_static(context, variable)
        else:
            context.program.globals.setdefault(variable.key, variable)
        return
    scalar = context.program.scalar_of(variable.type)
    if (
        scalar is not None
        and variable.initializer is not None
        and variable.key not in context.frame.mutated
    ):
        register = convert(context, lower_value(context, variable.initializer), scalar)
        context.frame.bindings[variable.key] = InRegister(register)
        return
    slot = declare_slot(context, variable)
    builder.slots[slot].initial_constants = _constants_in(variable.initializer) or 0
    if variable.initializer is not None:
        place = Place(builder.slot_address(slot), array=variable.name)
        _initialise(context, variable, place)


def _initialise(context: Context, variable: VariableDeclaration, place: Place) -> None:
    assert variable.initializer is not None
    scalar = context.program.scalar_of(variable.type)
    if scalar is None:
        lower_record_into(context, variable.initializer, place)
        return
    value = convert(context, lower_value(context, variable.initializer), scalar)
    context.builder.position = variable.position
    store_place(context, place, value, scalar)


def _names_locals(context: Context, value: Expr | None) -> bool:
    return value is not None and any(
        isinstance(node, Variable) and node.key in context.frame.bindings for node in walk(value)
    )


def _declare_static(context: Context, variable: VariableDeclaration) -> None:
    """A static variable whose initial value rests on locals has it from the first time that control comes by."""
    builder = context.builder
    unset = replace(variable, initializer=None)
    flag = replace(
        unset, key=f"{variable.key} is set", name="", type=ScalarType(Scalar.BOOL), length=None
    )
    for declaration in (unset, flag):
        context.program.globals.setdefault(declaration.key, declaration)
    known = Place(builder.value(Op.GLOBAL, Scalar.U64, detail=flag.key))
    is_set = load_place(context, known, Scalar.BOOL)
    region = If(is_set, [], [], builder.at(variable.position), "if", builder.new_branch_number())
    with builder.inside(region.otherwise):
        place = Place(builder.value(Op.GLOBAL, Scalar.U64, detail=variable.key))
        _initialise(context, variable, place)
        store_place(context, known, builder.constant(1, Scalar.BOOL), Scalar.BOOL)
    builder.add(region)


def _constants_in(value: Expr | None) -> int | None:
    """How many elements an initialiser gives; None where one of them is no constant."""
    if isinstance(value, Constant):
        return 1
    if not isinstance(value, InitList):
        return None
    counts = [_constants_in(element) for _, element in value.elements]
    return None if None in counts else sum(count for count in counts if count is not None)


def declare_slot(context: Context, variable: VariableDeclaration) -> int:
    """A slot for a local variable or parameter, bound to its key."""
    builder = context.builder
    element = variable.type
    while isinstance(element, ArrayType):
        element = element.element
    first = context.program.first_leaf(element)
    length = None
    if variable.length is not None:
        length = convert(context, lower_value(context, variable.length), Scalar.I64)
    slot = builder.slot(
        Slot(
            name=variable.name,
            size_bytes=max(variable.type.size_bytes, 1),
            space=Space.HOST if context.is_host else Space.LOCAL,
            position=variable.position,
            element=first.scalar if first is not None else None,
            key=variable.key,
            length_register=length,
            element_bytes=element.size_bytes,
        )
    )
    context.frame.bindings[variable.key] = InSlot(slot, variable.name)
    return slot


# Control flow


def _lower_if(context: Context, statement: IfStatement) -> None:
    builder = context.builder
    flag = lower_condition(context, statement.condition)
    if flag in builder.constants:
        chosen = statement.then if builder.constants[flag] else statement.otherwise
        if chosen is not None:
            lower_statement(context, chosen)
        return
    region = If(
        flag,
        [],
        [],
        builder.at(statement.position),
        "if",
        builder.new_branch_number(),
        is_inlined=builder.is_inlining,
    )
    with builder.inside(region.then):
        lower_statement(context, statement.then)
    if statement.otherwise is not None:
        with builder.inside(region.otherwise):
            lower_statement(context, statement.otherwise)
    builder.add(region)


def _lower_loop(context: Context, statement: LoopStatement) -> None:
    if lower_population_count(context, statement):
        return
    builder, frame = context.builder, context.frame
    for item in statement.initial:
        lower_statement(context, item)
    outer = Scope(builder.new_label(), [])
    inner = Scope(builder.new_label(), [])
    condition: list[Region] = []
    step: list[Region] = []
    register = None
    number = builder.loop_count
    builder.loop_count += 1
    if statement.tests_before:
        register = _loop_condition(context, statement, condition)
    frame.break_labels.append(outer.label)
    frame.continue_labels.append(inner.label)
    with builder.inside(inner.body):
        lower_statement(context, statement.body)
    frame.break_labels.pop()
    frame.continue_labels.pop()
    if statement.step is not None:
        with builder.inside(step):
            lower_effect(context, statement.step)
    if not statement.tests_before:
        register = _loop_condition(context, statement, condition)
    loop = Loop(
        number,
        condition,
        register,
        unwrap(inner),
        step,
        builder.at(statement.position),
        statement.tests_before,
        statement.unroll,
        leaves_backwards=context.leaves_backwards(statement),
    )
    outer.body.append(loop)
    builder.region.extend(unwrap(outer))


def _loop_condition(
    context: Context, statement: LoopStatement, condition: list[Region]
) -> int | None:
    if statement.condition is None:
        return None
    with context.builder.inside(condition):
        register = lower_condition(context, statement.condition)
    constants = context.builder.constants
    if constants.get(register):
        return None
    return register


def unwrap(scope: Scope) -> list[Region]:
    """The scope, or just its body where nothing leaves it."""
    return [scope] if leaves_to(scope.body, scope.label) else scope.body


def _lower_switch(context: Context, statement: SwitchStatement) -> None:
    builder, frame = context.builder, context.frame
    selector = lower_value(context, statement.selector)
    outer = Scope(builder.new_label(), [])
    frame.break_labels.append(outer.label)
    cases: list[SwitchCase] = []
    for case in statement.cases:
        body: list[Region] = []
        with builder.inside(body):
            for item in case.body:
                lower_statement(context, item)
        cases.append(SwitchCase(case.values, case.is_default, body))
    frame.break_labels.pop()
    scalar = builder.register_types[selector]
    outer.body.append(
        Switch(selector, scalar, cases, builder.at(statement.position), builder.new_branch_number())
    )
    builder.add(outer)


def _lower_return(context: Context, value: object) -> None:
    from clang_queries.ir.expressions import Expr

    builder, frame = context.builder, context.frame
    if isinstance(value, Expr):
        if frame.result_place is not None:
            lower_record_into(context, value, frame.result_place)
        elif frame.result_variable is not None:
            scalar = builder.register_types[frame.result_variable]
            builder.move(
                frame.result_variable, convert(context, lower_value(context, value), scalar)
            )
        else:
            lower_effect(context, value)
    builder.leave(frame.return_label)
