"""Counters that a loop moves both up and down: the height of a stack, the depth of brackets.

They come back to where they were. The first iterations only fill the stack and say nothing of the pace.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from roofstat.program.code import If, Loop, Op, Switch, children

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roofstat.program.code import Code, Instruction, Region


def balanced_counters(
    code: Code, loop: Loop, sums: Iterable[int], definitions: dict[int, Instruction]
) -> frozenset[int]:
    """Whole numbers to which an iteration may add as well as take away, by constants, so that it may leave them as they are.

    Args:
        code: The code that holds the loop.
        loop: The loop.
        sums: Variables to which it only adds or from which it subtracts.
        definitions: Temporary register -> the instruction that writes it.
    """
    wanted = {variable for variable in sums if code.register_types[variable].is_integer}
    least = dict.fromkeys(wanted, 0.0)
    most = dict.fromkeys(wanted, 0.0)
    signs: dict[int, set[bool]] = {variable: set() for variable in wanted}
    for item, times, is_sure in _moves([*loop.condition, *loop.body, *loop.step]):
        if item.dest not in wanted:
            continue
        step = _step(item, code, definitions)
        if step is None:
            wanted.discard(item.dest)
            continue
        signs[item.dest].add(step > 0)
        if is_sure or step < 0:
            least[item.dest] += step * times
        if is_sure or step > 0:
            most[item.dest] += step * times
    return frozenset(
        variable
        for variable in wanted
        if len(signs[variable]) > 1 and least[variable] <= 0 <= most[variable]
    )


def _moves(
    regions: list[Region], times: float = 1.0, *, is_sure: bool = True
) -> Iterator[tuple[Instruction, float, bool]]:
    """Instructions with how often one iteration may run them, and whether it surely does."""
    for region in regions:
        yield from ((item, times, is_sure) for item in getattr(region, "instructions", ()))
        is_loop = isinstance(region, Loop)
        for part in children(region):
            yield from _moves(
                part,
                math.inf if is_loop else times,
                is_sure=is_sure and not is_loop and not isinstance(region, If | Switch),
            )


def _step(item: Instruction, code: Code, definitions: dict[int, Instruction]) -> int | None:
    """What an assignment adds to the variable, where that is a constant other than 0."""
    total = definitions.get(item.args[0]) if item.args else None
    while total is not None and total.op is Op.CAST:
        total = definitions.get(total.args[0])
    if total is None or total.op not in (Op.ADD, Op.SUB):
        return None
    constants = [code.constants.get(part) for part in total.args]
    found = next((number for number in constants if isinstance(number, int)), 0)
    return (-found if total.op is Op.SUB else found) or None
