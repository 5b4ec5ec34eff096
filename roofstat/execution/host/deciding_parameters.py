"""Which parameters of a kernel decide how much it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.program.code import If, Loop, Op, ParameterPiece, Switch, children, writers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofstat.program.code import Code, Region

_FAR = frozenset({Op.LOAD, Op.ATOMIC, Op.TEXTURE})
"""What these give does not tell of their operands."""


def deciding_parameters(code: Code) -> frozenset[int]:
    """Numbers of the parameters that conditions, and the choice of functions to call, are computed from."""
    definitions = writers(code.body)
    found: set[int] = set()
    stack = list(_conditions(code.body))
    for _, item in code.instructions():
        if item.op is Op.CALL_POINTER:
            # A table of functions is loaded from at a place that may be an argument.
            pointer = item.args[0]
            stack += [pointer, *(arg for one in definitions.get(pointer, ()) for arg in one.args)]
    seen: set[int] = set()
    while stack:
        register = stack.pop()
        if register in seen:
            continue
        seen.add(register)
        for item in definitions.get(register, ()):
            if item.op is Op.PARAM and isinstance(item.detail, ParameterPiece):
                found.add(item.detail.index)
            elif item.op not in _FAR:
                stack.extend(item.args)
    return frozenset(found)


def _conditions(regions: list[Region]) -> Iterator[int]:
    for region in regions:
        if isinstance(region, If):
            yield region.condition
        elif isinstance(region, Loop) and region.condition_register is not None:
            yield region.condition_register
        elif isinstance(region, Switch):
            yield region.selector
        for part in children(region):
            yield from _conditions(part)
