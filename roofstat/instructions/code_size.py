"""How many machine instructions a kernel is long: what a launch fetches at least once, whether or not threads run it.

Beside what threads issue as a rule there are ways out that hardly any thread takes: divisions and roots call a routine
for exceptional operands, which the kernel has once; sines reduce large arguments; loops that are copied keep a loop for the
iterations that are left. Sizes of routines are those of SASS for sm_90 (nvcc 13.0; they differ by a tenth between kernels); the
constants were fitted to the code of 38 kernels of 15 programs, of which two thirds come out within 20 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.quantities import ISSUED, Amounts
from roofstat.instructions.values import Pseudo
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roofstat.instructions.values import Value

_COUNTED_SHARE = 0.9
"""Of what is counted, some share instructions when they stand side by side."""
_EMPTY = 8.0
"""A kernel that does nothing: one line of code."""
_FRAME = 30.0
"""Prologue, end and padding of kernels that do something."""
_REMAINDER = 90.0
"""What a loop of several copies needs for the iterations that are left: loops and tests of fewer copies."""
_LONG_REDUCTION = 130.0
"""Of a single-precision sine or cosine, at each place."""
_CALL = 10.0
"""Passing arguments to a routine and taking its result."""
_FEWEST_OF_A_DIVISION = 6.0
"""A division of fewer instructions is a multiplication."""
_ROUTINES = {
    ("div", Scalar.F32): 115.0,
    ("reciprocal", Scalar.F32): 53.0,
    ("sqrt", Scalar.F32): 22.0,
    ("div", Scalar.F64): 100.0,
    ("reciprocal", Scalar.F64): 41.0,
    ("sqrt", Scalar.F64): 53.0,
    ("rsqrt", Scalar.F64): 33.0,
    ("pow", Scalar.F64): 184.0,
    ("reduction", Scalar.F64): 161.0,
}
_WHOLLY_CALLED = frozenset({("pow", Scalar.F64)})
"""Routines that do all of the work, not what is left of it."""
_SINES = frozenset({"sin", "cos", "sincos", "__sincos", "tan"})

Routine = tuple[str, Scalar]


@dataclass(slots=True)
class CodePart:
    """Code of one part of a kernel."""

    instructions: float = 0.0
    routines: set[Routine] = field(default_factory=set)

    def add(self, value: Value, amounts: Amounts, *, fast_math: bool) -> None:
        """Adds what a value needs that takes these amounts when a thread comes to it."""
        issued = math.fsum(amounts.get(quantity, 0.0) for quantity in ISSUED)
        routine = _routine(value, issued, fast_math=fast_math)
        if routine is not None:
            self.routines.add(routine)
        is_sine = value.op is Op.MATH and value.detail in _SINES
        if routine in _WHOLLY_CALLED:
            self.instructions += _CALL
            return
        self.instructions += _COUNTED_SHARE * issued
        if is_sine and value.scalar is Scalar.F32 and not fast_math:
            self.instructions += _LONG_REDUCTION
        elif value.op is Pseudo.SETUP:
            self.instructions += _REMAINDER


ACCESS = CodePart(_COUNTED_SHARE)
"""A load or store."""


def code_instructions(parts: Iterable[CodePart]) -> float:
    """Machine instructions of a kernel that has these parts."""
    total, routines = 0.0, set[Routine]()
    for part in parts:
        total += part.instructions
        routines |= part.routines
    frame = min(_EMPTY + total, _FRAME)
    return frame + total + math.fsum(_ROUTINES[routine] for routine in routines)


def _routine(value: Value, issued: float, *, fast_math: bool) -> Routine | None:
    if fast_math and value.scalar is Scalar.F32:
        return None
    name = None
    if value.op is Op.DIV and issued >= _FEWEST_OF_A_DIVISION:
        name = "reciprocal" if value.args[0].constant == 1 else "div"
    elif value.op is Op.MATH and isinstance(value.detail, str):
        name = "reduction" if value.detail in _SINES else value.detail
    found = (name, value.scalar) if name is not None else None
    return found if found in _ROUTINES else None
