"""Host functions that launch a kernel and that no run reaches: they are called as if a user of the library did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.expressions import FunctionName
from clang_queries.ir.statements import Side
from clang_queries.ir.walk import walk
from roofstat.execution.host.defects import DEFECTS, defect_of
from roofstat.execution.host.effects import Effect
from roofstat.execution.host.stated_values import stated_value
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import Unknown
from roofstat.execution.run_ends import BudgetExceededError, ProgramExit
from roofstat.program.code import Space

if TYPE_CHECKING:
    from collections.abc import Collection

    from clang_queries.ir.statements import Function
    from roofstat.execution.host.run import HostRun
    from roofstat.execution.numbers.values import Value
    from roofstat.program.code import Code

_BUDGET = 60_000
"""Machine instructions for one such function."""
_FURTHER_CALLS = 64
"""Calls of one that take arms to kernels which no call before has launched."""


def call_launchers(run: HostRun, missing: Collection[str]) -> None:
    """Call the functions that launch kernels which are still missing; what their parameters are is unknown.

    Args:
        run: After main().
        missing: Keys of the kernels and target regions.
    """
    if not missing:
        return
    names = {
        key: _names(function)
        for key, function in run.program.functions.items()
        if function.side in (Side.HOST, Side.BOTH)
    }
    for key, region in run.program.regions.items():
        if region.function_key in names:
            names[region.function_key] |= {key}
    called = set(run.program.mains)
    launchers = [key for key in names if _launches(run, key)]
    direct = {key: names[key] & set(missing) for key in launchers}
    # Those that choose a kernel by a function come last: most name theirs themselves.
    chosen = {key: _named_by(run, key, names) & set(missing) for key in launchers}
    for sought, launcher in [(direct[key], key) for key in launchers] + [
        (chosen[key] - direct[key], key) for key in launchers
    ]:
        if sought <= run.launcher.launched:
            continue
        callers = _callers(run, launcher, names)
        for key in callers:
            if sought <= run.launcher.launched:
                break
            if key not in called:
                called.add(key)
                _call(run, key)
        # What main() leaves out under a condition, a search through main() has looked for.
        _take_other_arms(run, [key for key in callers if key not in run.program.mains], sought)


def _take_other_arms(run: HostRun, callers: list[str], sought: frozenset[str]) -> None:
    """Call functions again, as long as that launches what they have passed by so far."""
    for key in callers:
        left = run.passed_by() & sought
        for _ in range(_FURTHER_CALLS):
            if not left:
                break
            run.arms.sought = left
            _call(run, key)
            left, before = run.passed_by() & sought, left
            if left == before:
                break
    run.arms.sought = frozenset()


def _names(function: Function) -> frozenset[str]:
    """Functions that a function names."""
    return frozenset(node.key for node in walk(function.body) if isinstance(node, FunctionName))


def _named_by(run: HostRun, key: str, names: dict[str, frozenset[str]]) -> frozenset[str]:
    """What a function names, itself or in functions that launch nothing: these choose what it launches."""
    found = set(names[key])
    stack = list(found)
    while stack:
        chooser = stack.pop()
        if chooser in names and not _launches(run, chooser):
            stack += names[chooser] - found
            found |= names[chooser]
    return frozenset(found)


def _launches(run: HostRun, key: str) -> bool:
    return run.effect_of(key) is Effect.LAUNCHES


def _callers(run: HostRun, key: str, names: dict[str, frozenset[str]]) -> list[str]:
    """A launcher behind the functions of the library that name it, outermost first.

    Those that call it know more of its arguments; others only register it.
    """
    found = [key]
    while True:
        callers = [
            caller
            for caller, named in names.items()
            if found[0] in named and caller not in found and caller not in run.machine.code_cache
        ]
        if not callers:
            return found
        found.insert(0, callers[0])


def _call(run: HostRun, key: str) -> None:
    function = run.program.functions[key]
    machine = run.machine
    code = run.host_code(key)
    assert code is not None
    machine.limit = machine.executed + _BUDGET - machine.census_spent
    arguments = [_argument(run, code, number) for number in range(len(code.parameters))]
    arguments = run.wished(code, arguments)
    try:
        with run.launcher.calling(function.name), np.errstate(all="ignore"):
            machine.call(code, arguments, machine.full_mask())
    except (ProgramExit, BudgetExceededError):
        pass
    except DEFECTS as error:
        run.defects.append(defect_of(error, None, function.name, function.position))


def _argument(run: HostRun, code: Code, number: int) -> Value:
    """An argument that nobody gives: pointers lead to memory of unknown size and contents."""
    parameter = code.parameters[number]
    if parameter.scalar is None:
        return run.memory.allocate(parameter.size_bytes, Space.HOST, parameter.name).base
    if parameter.is_pointer:
        space = Space.HOST if parameter.name in ("", "this") else Space.GLOBAL
        name = parameter.name if space is Space.GLOBAL else code.name.rpartition("::")[0]
        return run.memory.allocate(None, space, name, assumed=True).base
    unknown = Unknown(
        new_key(),
        uniform=True,
        reason=f"{parameter.name} of {code.name}() is not given",
        is_float=parameter.scalar.is_float,
    )
    return stated_value(run.program, parameter.name, parameter.scalar, unknown)
