"""How many machine instructions a kernel is long: what a launch fetches at least once, whether or not threads run it.

Beside what threads issue as a rule there are ways out that hardly any thread takes: divisions and roots call a routine
for exceptional operands, which the kernel has once; sines reduce large arguments; loops that are copied keep a loop for the
iterations that are left. The figures and their source stand in `data/code_size.toml`.
"""

from __future__ import annotations

import functools
import math
import tomllib
from dataclasses import field
from importlib import resources
from typing import TYPE_CHECKING, Any

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.instructions.graph.values import Pseudo
from roofstat.instructions.tables.openmp_costs import runtime_code
from roofstat.instructions.tables.quantities import ISSUED, Amounts
from roofstat.program.code import LibraryCall, Op

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roofstat.instructions.graph.values import Value

_SINES = frozenset({"sin", "cos", "sincos", "__sincos", "tan"})

_LABELS = {"float": Scalar.F32, "double": Scalar.F64}

Routine = tuple[str, Scalar]


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeSizes:
    """Instructions of what a kernel's code is made of; `data/code_size.toml` says what each is."""

    counted_share: float
    empty: float
    frame: float
    remainder: float
    long_reduction: float
    call: float
    fewest_of_a_division: float
    routines: Mapping[Routine, float]
    wholly_called: frozenset[Routine]


@functools.cache
def code_sizes() -> CodeSizes:
    """The shipped figures."""
    text = (
        resources.files("roofstat.instructions").joinpath("data/code_size.toml").read_text("utf-8")
    )
    table: dict[str, Any] = tomllib.loads(text)
    routines: dict[Routine, float] = {}
    whole: set[Routine] = set()
    for name, sizes in table.pop("routine").items():
        found = {(name, _LABELS[label]): sizes[label] for label in _LABELS if label in sizes}
        routines |= found
        whole.update(found if sizes.get("is_whole") else ())
    return CodeSizes(routines=routines, wholly_called=frozenset(whole), **table)


@dataclass(slots=True)
class CodePart:
    """Code of one part of a kernel."""

    instructions: float = 0.0
    routines: set[Routine] = field(default_factory=set)

    def add(
        self, value: Value, amounts: Amounts, *, fast_math: bool, is_moved: bool = False
    ) -> None:
        """Adds what a value, or a part of it that runs elsewhere, needs that takes these amounts when a thread comes to it."""
        sizes = code_sizes()
        issued = math.fsum(amounts.get(quantity, 0.0) for quantity in ISSUED)
        routine = _routine(value, issued, fast_math=fast_math)
        if routine is not None:
            self.routines.add(routine)
        is_sine = value.op is Op.MATH and value.detail in _SINES
        if routine in sizes.wholly_called:
            self.instructions += sizes.call
            return
        whole = 0.0
        if value.op is Op.LIBRARY and isinstance(value.detail, LibraryCall):
            whole = runtime_code(value.detail.name, value.scalar)
        self.instructions += max(sizes.counted_share * issued, whole)
        if is_sine and value.scalar is Scalar.F32 and not fast_math:
            self.instructions += sizes.long_reduction
        elif value.op is Pseudo.SETUP and not is_moved:
            self.instructions += sizes.remainder


def access_part() -> CodePart:
    """A load or store."""
    return CodePart(code_sizes().counted_share)


def code_instructions(parts: Iterable[CodePart]) -> float:
    """Machine instructions of a kernel that has these parts."""
    sizes = code_sizes()
    total, routines = 0.0, set[Routine]()
    for part in parts:
        total += part.instructions
        routines |= part.routines
    frame = min(sizes.empty + total, sizes.frame)
    return frame + total + math.fsum(sizes.routines[routine] for routine in routines)


def _routine(value: Value, issued: float, *, fast_math: bool) -> Routine | None:
    if fast_math and value.scalar is Scalar.F32:
        return None
    name = None
    if value.op is Op.DIV and issued >= code_sizes().fewest_of_a_division:
        name = "reciprocal" if value.args[0].constant == 1 else "div"
    elif value.op is Op.MATH and isinstance(value.detail, str):
        name = "reduction" if value.detail in _SINES else value.detail
    found = (name, value.scalar) if name is not None else None
    return found if found in code_sizes().routines else None
