"""What one execution of an instruction of the code becomes in the machine: how much is issued, and how long it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware.units import WARP_SIZE
from roofstat.instructions.tables.quantities import Amounts, Quantity, issued_in
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roofstat.instructions.graph.values import Origin, Value
    from roofstat.instructions.weights import Weight, WeightEvaluator

__all__ = ["NOTHING", "Emitted", "EmittedRow", "emitted_by_origin", "emitted_rows"]

_WAITED_FOR = frozenset(
    {
        Op.LOAD,
        Op.STORE,
        Op.ATOMIC,
        Op.TEXTURE,
        Op.SHUFFLE,
        Op.VOTE,
        Op.BARRIER,
        Op.TENSOR,
        Op.COPY,
        Op.ZERO,
    }
)
"""Their results come from elsewhere, after a time of their own."""
_FUNCTIONS = (Quantity.SPECIAL_OP, Quantity.CONVERSIONS)


@dataclass(frozen=True, slots=True)
class Emitted:
    """Machine instructions for one execution, in the mean over all of them.

    What is computed once for many executions (folded, merged with an earlier one, or hoisted out of a loop) is a part of
    an instruction in each, or none.

    Attributes:
        issued: All of them, accesses to memory apart.
        doubles: Those in double precision.
        functions: Special functions and conversions, one after another.
        steps: Others that wait for one another.
    """

    issued: float
    doubles: float
    functions: float
    steps: float

    def plus(self, other: Emitted, times: float = 1.0) -> Emitted:
        """The sum with a multiple of another."""
        return Emitted(
            self.issued + times * other.issued,
            self.doubles + times * other.doubles,
            self.functions + times * other.functions,
            self.steps + times * other.steps,
        )


NOTHING = Emitted(0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class EmittedRow:
    """What of an instruction runs equally often."""

    origin: Origin
    weight: Weight
    emitted: Emitted


def emitted_rows(counted: Iterable[tuple[Value, Weight, Amounts]]) -> tuple[EmittedRow, ...]:
    """Gather what values cost by the instruction that made them and by how often they are computed."""
    found: dict[tuple[Origin, Weight], Emitted] = {}
    for value, weight, amounts in counted:
        if value.origin is not None:
            key = value.origin, weight
            found[key] = found.get(key, NOTHING).plus(_emitted(value, amounts))
    return tuple(EmittedRow(*key, emitted) for key, emitted in found.items())


def _emitted(value: Value, amounts: Amounts) -> Emitted:
    issued = issued_in(amounts)
    doubles = amounts.get(Quantity.FP64_INSTRUCTIONS, 0.0)
    if value.op is Op.TENSOR:
        # Counts of a warp, in which what each thread does counts 32 times.
        matrix = amounts.get(Quantity.TENSOR_INSTRUCTIONS, 0.0)
        return Emitted(matrix + (issued - matrix) / WARP_SIZE, doubles, 0.0, 0.0)
    if value.op in _WAITED_FOR:
        return Emitted(issued, doubles, 0.0, 0.0)
    functions = sum(amounts.get(quantity, 0.0) for quantity in _FUNCTIONS)
    others = max(issued - functions, 0.0)
    # Of several instructions some stand side by side (the halves of a product, two terms of a polynomial): the first,
    # and half of the rest, wait for one another.
    return Emitted(issued, doubles, functions, min(others, (others + 1.0) / 2.0))


def emitted_by_origin(
    rows: Iterable[EmittedRow], weights: WeightEvaluator, executions: Mapping[int, float]
) -> dict[Origin, Emitted]:
    """What instructions become in one launch.

    Args:
        rows: Of the code.
        weights: How often each row runs in it.
        executions: How often each block does.
    """
    found: dict[Origin, Emitted] = {}
    for row in rows:
        times = executions.get(row.origin[0], 0.0)
        share = weights.value(row.weight) / times if times > 0.0 else 0.0
        if share > 0.0:
            found[row.origin] = found.get(row.origin, NOTHING).plus(row.emitted, share)
    return found
