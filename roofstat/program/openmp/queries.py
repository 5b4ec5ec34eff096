"""``omp_get_thread_num()`` and its kin on the device, by what is known of the running threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.program.code import Op, SpecialRegister
from roofstat.program.openmp.runtime_calls import LOOKED_UP, RuntimeCall
from roofstat.program.openmp.state import library, thread_count, thread_index

if TYPE_CHECKING:
    from roofstat.program.context import Context

_REGISTERS = {
    "omp_get_team_num": SpecialRegister.CTAID_X,
    "omp_get_num_teams": SpecialRegister.NCTAID_X,
    "omp_get_max_threads": SpecialRegister.NTID_X,
    "omp_get_thread_limit": SpecialRegister.NTID_X,
    "omp_get_num_procs": SpecialRegister.NTID_X,
}
_CONSTANTS = {
    "omp_is_initial_device": 0,
    "omp_get_num_devices": 0,
    "omp_get_default_device": 0,
    "omp_get_dynamic": 0,
    "omp_get_nested": 0,
    "omp_in_final": 0,
}


def lower_query(context: Context, name: str) -> int | None:
    """Register with the answer; None for a function that is not one of these."""
    builder = context.builder
    state = context.openmp
    depth = 1 if state is None else state.parallel_depth
    if name in ("omp_get_thread_num", "omp_get_num_threads"):
        is_count = name == "omp_get_num_threads"
        if depth != 1:
            return builder.constant(1 if is_count else 0, Scalar.I32)
        if state is not None and (not state.is_spmd or state.case == LOOKED_UP):
            call = RuntimeCall.THREAD_COUNT if is_count else RuntimeCall.THREAD_NUMBER
            looked_up = library(context, call, case=state.case)
            if not is_count or state.width is None:
                # Depends on what was looked up: where a barrier lets that change, it is looked up anew.
                register = SpecialRegister.NTID_X if is_count else SpecialRegister.TID_X
                return builder.value(Op.SPECIAL, Scalar.U32, looked_up, detail=register)
        return thread_count(context) if is_count else thread_index(context)
    if name in _REGISTERS:
        return builder.value(Op.SPECIAL, Scalar.U32, detail=_REGISTERS[name])
    if name in ("omp_in_parallel", "omp_get_level", "omp_get_active_level"):
        return builder.constant(min(depth, 1) if name != "omp_get_level" else depth, Scalar.I32)
    if name in _CONSTANTS:
        return builder.constant(_CONSTANTS[name], Scalar.I32)
    return None
