"""Sizes of a region that no host code reaches: constants, and what follows from the values that the user states."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from clang_queries.ir.expressions import Binary, Cast, Constant, Unary, UnaryOp, Variable
from clang_queries.quick_dataclass import dataclass
from roofstat.program.constant_arithmetic import folded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clang_queries.ir.expressions import Expr

_DEEPEST = 64


@dataclass(slots=True)
class StatedSizes:
    """Reads integer expressions of the host."""

    values: Mapping[str, int | float]
    """What the user states, by name."""
    initial: Mapping[str, Expr]
    """Values of variables that never change, by key."""
    used: set[str] = field(default_factory=set)
    """The stated names that an expression rests on."""

    def integer(self, expression: Expr | None, depth: int = 0) -> int | None:
        """The integer that an expression is, None where that is not known."""
        if depth > _DEEPEST:
            return None
        match expression:
            case Constant(value=value):
                return _integral(value)
            case Cast(operand=operand):
                return self.integer(operand, depth + 1)
            case Unary(op=UnaryOp.NEG, operand=operand):
                negated = self.integer(operand, depth + 1)
                return None if negated is None else -negated
            case Variable():
                return self._variable(expression, depth)
            case Binary(op=op, left=left, right=right):
                first, second = self.integer(left, depth + 1), self.integer(right, depth + 1)
                if first is None or second is None:
                    return None
                result = folded(op, first, second)
                return None if result is None else int(result)
            case _:
                return None

    def _variable(self, variable: Variable, depth: int) -> int | None:
        value = self.integer(self.initial.get(variable.key), depth + 1)
        if value is not None:
            return value
        name = variable.name.rsplit("::", 1)[-1]
        stated = _integral(self.values.get(name, float("nan")))
        if stated is not None:
            self.used.add(name)
        return stated


def _integral(value: float) -> int | None:
    return int(value) if isinstance(value, int) or value.is_integer() else None
