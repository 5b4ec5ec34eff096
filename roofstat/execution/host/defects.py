"""Defects of the abstract machine: each costs the kernel or the host program that it met, and is reported."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Position

DEFECTS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)
"""Exceptions that nothing raises on purpose while a program runs."""


@dataclass(frozen=True, slots=True)
class Defect:
    """One of them."""

    kernel: str | None
    """Key of the kernel or region that was running; None in host code."""
    name: str
    position: Position
    error: str
    trace: str


def defect_of(error: BaseException, kernel: str | None, name: str, position: Position) -> Defect:
    """Describe an exception that is being handled."""
    text = f"{type(error).__name__}: {error}".splitlines()[0]
    return Defect(kernel, name, position, text, "".join(traceback.format_exception(error))[-2000:])
