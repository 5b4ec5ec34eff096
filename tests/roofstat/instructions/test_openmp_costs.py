"""Costs of the OpenMP device run time: every call has one, and reductions work in the type of their datum."""

from __future__ import annotations

import pytest

from clang_queries.ir.types import Scalar
from roofstat.instructions.tables.openmp_costs import runtime_amounts, runtime_code, runtime_cost
from roofstat.instructions.tables.quantities import Quantity
from roofstat.program.openmp.runtime_calls import COUNTED, LOOKED_UP, SELECTING, RuntimeCall


@pytest.mark.parametrize("call", RuntimeCall)
def test_every_call_of_the_lowering_has_a_cost(call: RuntimeCall) -> None:
    cost = runtime_cost(call.value)
    assert cost is not None
    assert min(cost.int_op, cost.operations, cost.other) >= 0.0


def test_other_functions_have_none() -> None:
    assert runtime_cost("malloc") is None
    assert runtime_amounts("malloc", Scalar.I32) is None


@pytest.mark.parametrize(
    ("scalar", "quantity"), [(Scalar.F32, Quantity.SP_FLOP), (Scalar.F64, Quantity.DP_FLOP)]
)
def test_float_reductions_add_in_their_own_precision(scalar: Scalar, quantity: Quantity) -> None:
    cost = runtime_cost(RuntimeCall.REDUCE_THREADS.value)
    amounts = runtime_amounts(RuntimeCall.REDUCE_THREADS.value, scalar)
    assert cost is not None
    assert amounts is not None
    # Five rounds of shuffles in a warp of 32 and the addition to the result.
    assert cost.operations >= 6.0
    assert amounts[quantity] == cost.operations
    words = scalar.size_bytes / 4
    assert amounts[Quantity.INT_OP] == cost.int_op + words * cost.int_per_word


@pytest.mark.parametrize("scalar", [Scalar.F32, Scalar.F64])
def test_minima_and_maxima_of_floats_are_no_arithmetic(scalar: Scalar) -> None:
    amounts = runtime_amounts(RuntimeCall.REDUCE_THREADS.value + SELECTING, scalar)
    plain = runtime_amounts(RuntimeCall.REDUCE_THREADS.value, scalar)
    assert amounts is not None
    assert plain is not None
    assert not amounts.keys() & {Quantity.SP_FLOP, Quantity.DP_FLOP}
    assert amounts[Quantity.INT_OP] == plain[Quantity.INT_OP]


@pytest.mark.parametrize(("scalar", "words"), [(Scalar.I32, 1), (Scalar.I64, 2)])
def test_integer_reductions_add_words(scalar: Scalar, words: int) -> None:
    cost = runtime_cost(RuntimeCall.REDUCE_THREADS.value)
    amounts = runtime_amounts(RuntimeCall.REDUCE_THREADS.value, scalar)
    assert cost is not None
    assert amounts is not None
    assert amounts[Quantity.INT_OP] == cost.int_op + words * (cost.int_per_word + cost.operations)


@pytest.mark.parametrize(
    ("case", "architecture", "operations"),
    [("", "sm_90", 1.0), (LOOKED_UP, "sm_90", 2.0), ("", "sm_86", 0.0), (LOOKED_UP, "sm_80", 0.0)],
)
def test_a_sequential_region_asks_each_thread_for_its_number(case, architecture, operations):
    # Beside the region's own test of it; measured of 128 threads: 260 and 388 integer instructions on sm_90, 256 on sm_86.
    cost = runtime_cost(RuntimeCall.INIT_SEQUENTIAL + case, architecture)
    assert cost is not None
    assert cost.int_op == operations


CHUNKS = (
    RuntimeCall.CHUNK,
    RuntimeCall.CHUNK_SIGNED,
    RuntimeCall.CHUNK_WIDE,
)


@pytest.mark.parametrize("call", [*CHUNKS, RuntimeCall.INIT_SPMD, RuntimeCall.PARALLEL_SPMD])
@pytest.mark.parametrize("case", [COUNTED, LOOKED_UP])
def test_calls_of_parallel_regions_have_a_cost_in_every_module(
    call: RuntimeCall, case: str
) -> None:
    assert runtime_cost(call + case) is not None


@pytest.mark.parametrize("call", CHUNKS)
def test_looking_values_up_at_run_time_costs_more(call: RuntimeCall) -> None:
    # Threads of a resolved module know their number; else it is loaded, then the levels too.
    costs = [runtime_cost(call + case) for case in ("", COUNTED, LOOKED_UP)]
    amounts = [cost.int_op for cost in costs if cost is not None]
    assert len(amounts) == 3
    assert amounts == sorted(set(amounts))


@pytest.mark.parametrize("case", ["", COUNTED, LOOKED_UP])
def test_a_signed_counter_of_32_bits_is_widened(case: str) -> None:
    plain, signed = (
        runtime_cost(RuntimeCall.CHUNK + case),
        runtime_cost(RuntimeCall.CHUNK_SIGNED + case),
    )
    assert plain is not None
    assert signed is not None
    assert signed.int_op > plain.int_op


@pytest.mark.parametrize(
    ("case", "scalar", "measured"),
    [
        ("", Scalar.I32, 336),
        ("", Scalar.F64, 448),
        (LOOKED_UP, Scalar.I32, 736),
        (LOOKED_UP, Scalar.F64, 1144),
    ],
)
def test_code_of_a_reduction_over_teams(case: str, scalar: Scalar, measured: int) -> None:
    """Instructions of `teams distribute parallel for reduction` (sm_90), less those of the region without it."""
    common, numbers = (
        (RuntimeCall.REDUCE_CHUNK, RuntimeCall.REDUCE_TEAMS),
        (RuntimeCall.REDUCE_THREADS, RuntimeCall.REDUCE_RECORD),
    )
    total = sum(runtime_code(call + case, scalar) for call in (*common, *numbers))
    assert total == pytest.approx(measured, rel=0.1)
    selecting = runtime_code(RuntimeCall.REDUCE_THREADS + case + SELECTING, scalar)
    assert selecting == runtime_code(RuntimeCall.REDUCE_THREADS + case, scalar) > 0


@pytest.mark.parametrize(
    ("scalar", "numbers", "executed"),
    [
        (Scalar.F32, 1, 62.5),
        (Scalar.F32, 2, 76.0),
        (Scalar.F32, 4, 94.4),
        (Scalar.F64, 1, 69.6),
        (Scalar.F64, 2, 103.1),
        (Scalar.F64, 4, 169.0),
        (Scalar.F64, 5, 186.5),
    ],
)
def test_reductions_in_chunks_look_the_mode_up_for_each_word(scalar, numbers, executed):
    """Integer instructions of a thread for one chunk more, in SASS of sm_90 of which a whole team of 128 was executed.

    A loop over one array takes 31 of them without a reduction, and two for each further array.
    """
    shared = runtime_amounts(RuntimeCall.REDUCE_CHUNK + LOOKED_UP, Scalar.U32)
    each = runtime_amounts(RuntimeCall.REDUCE_THREADS + LOOKED_UP, scalar)
    assert shared is not None
    assert each is not None
    of_loop = 31.0 + 2.0 * (numbers - 1)
    found = of_loop + shared[Quantity.INT_OP] + numbers * each[Quantity.INT_OP]
    assert found == pytest.approx(executed, rel=0.27)
    # Five rounds of shuffles, and half a round of the first warp, which 5 numbers and more share out.
    flop = Quantity.SP_FLOP if scalar is Scalar.F32 else Quantity.DP_FLOP
    assert each[flop] == pytest.approx(5.3, abs=0.3)
