"""What happens to lowered code before it is run: the few optimisations that decide which accesses exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.program.constant_parameters import keep_in_constant_bank
from roofstat.program.dead_code import remove_dead
from roofstat.program.promotion import promote
from roofstat.program.unswitching import unswitch
from roofstat.program.vectors import drop_accesses, group_vectors

if TYPE_CHECKING:
    from roofstat.program.builder import Builder


def optimise(
    builder: Builder,
    parameter_slots: dict[int, int],
    *,
    result: int | None,
    is_host: bool,
    is_clang: bool,
) -> None:
    """Rewrite the code of `builder` in place.

    Args:
        builder: The code.
        parameter_slots: Slot -> parameter number, for parameters of the code itself.
        result: Register with the result, if any.
        is_host: Host code only needs its locals in registers.
        is_clang: Whether clang compiles it, and not nvcc.
    """
    promote(builder, parameter_slots)
    if not is_host:
        remove_dead(builder, result)
        if drop_accesses(builder, is_clang=is_clang):
            remove_dead(builder, result)
        if not is_clang and unswitch(builder):
            remove_dead(builder, result)
        group_vectors(builder, is_clang=is_clang)
        keep_in_constant_bank(builder, parameter_slots)
