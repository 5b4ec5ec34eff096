"""The small parts on their own: weights, constants, division, parameters."""

from __future__ import annotations

import math

import pytest
from builder import GLOBAL_INDEX, Run, count, kernel, trace_of

from clang_queries.ir.types import Scalar
from roofstat.instructions.integers.arithmetic import evaluate, wrap
from roofstat.instructions.integers.division import division_by_constant
from roofstat.instructions.model import CompilerFlags, static_model
from roofstat.instructions.tables.costs import Compiler
from roofstat.instructions.tables.parameters import lowering_parameters
from roofstat.instructions.tables.quantities import Quantity
from roofstat.instructions.weights import Factor, FactorKind, Weight, WeightEvaluator
from roofstat.program.code import Op

LOOP = "for (int k = 0; k < n; k++) c[k] = 1.0f;"


@pytest.mark.parametrize(
    ("scalar", "value", "expected"),
    [
        (Scalar.U32, -1, 2**32 - 1),
        (Scalar.I32, 2**31, -(2**31)),
        (Scalar.U8, 257, 1),
        (Scalar.I64, 2**63, -(2**63)),
        (Scalar.BOOL, 7, True),
        (Scalar.I32, -2.7, -2),
    ],
)
def test_wrap(scalar, value, expected):
    assert wrap(scalar, value) == expected


def test_single_precision_rounds():
    assert wrap(Scalar.F32, 0.1) != 0.1
    assert wrap(Scalar.F32, 1e39) == math.inf


def test_integer_division_truncates_towards_zero():
    assert evaluate(Op.DIV, Scalar.I32, (-7, 2), None) == -3
    assert evaluate(Op.REM, Scalar.I32, (-7, 2), None) == -1
    assert evaluate(Op.DIV, Scalar.I32, (1, 0), None) is None


@pytest.mark.parametrize(
    ("op", "scalar", "divisor", "expected"),
    [
        (Op.DIV, Scalar.U32, 8, 1),  # one shift
        (Op.DIV, Scalar.I32, 8, 3),  # sign, LEA.HI, shift
        (Op.REM, Scalar.I32, 8, 4),  # and the product taken off
        (Op.DIV, Scalar.U32, 10, 2),  # high product and shift
        (Op.DIV, Scalar.U32, 7, 4),  # 33-bit magic number
        (Op.DIV, Scalar.I32, 7, 3),
        # SASS of both compilers for pairs of words
        (Op.DIV, Scalar.U64, 5, 8),
        (Op.REM, Scalar.U64, 255, 11),
        (Op.DIV, Scalar.U64, 100, 10),  # an even divisor is shifted out first
        (Op.REM, Scalar.U64, 100, 13),
        (Op.DIV, Scalar.U64, 7, 15),  # 65-bit magic number
        (Op.REM, Scalar.U64, 7, 18),
        (Op.DIV, Scalar.I64, 1000, 13),
        (Op.REM, Scalar.I64, 1000, 16),
    ],
)
def test_division_by_constants(op, scalar, divisor, expected):
    assert division_by_constant(op, scalar, divisor, has_quotient=False) == expected


def test_remainder_beside_its_quotient_is_one_operation():
    assert division_by_constant(Op.REM, Scalar.I32, 7, has_quotient=True) == 1


def test_copies_share_the_iterations_of_a_loop():
    code = kernel("float *c, int n", LOOP)
    trips, unroll = 37, 4
    trace = trace_of(code, Run(threads=10.0, default_trips=trips))
    evaluator = WeightEvaluator(trace)
    whole = Weight(10.0 * trips, ())
    first = evaluator.value(whole.times(1.0, Factor(FactorKind.FIRST_COPY, 0, unroll)))
    later = evaluator.value(whole.times(1.0, Factor(FactorKind.LATER_COPY, 0, unroll)))
    rounds, left = divmod(trips, unroll)
    assert first == pytest.approx(10.0 * (rounds + left))
    assert first + (unroll - 1) * later == pytest.approx(10.0 * trips)


@pytest.mark.parametrize(
    ("copies", "batch", "trips", "rounds"),
    [
        (16, 4, 2 * 16 + 8 + 4 + 3, 2 + 1 + 1 + 3),
        # Down to the eight copies of LLVM: SASS of a sum of 24 elements in a target region of clang.
        (32, 8, 24, 1 + 1),
        (32, 8, 32 + 16 + 7, 1 + 1 + 7),
    ],
)
def test_two_stage_unrolling_leaves_through_smaller_copies(copies, batch, trips, rounds):
    code = kernel("float *c, int n", LOOP)
    evaluator = WeightEvaluator(trace_of(code, Run(default_trips=trips)))
    first = evaluator.value(Weight(1.0, (Factor(FactorKind.FIRST_COPY, 0, copies, batch),)))
    assert first * trips == pytest.approx(rounds)


def test_weight_with_nothing_below_is_zero():
    code = kernel("float *c, int n", LOOP)
    trace = trace_of(code, Run())
    missing = Factor(FactorKind.BLOCK, 999)
    assert WeightEvaluator(trace).value(Weight(1.0, (), (missing,))) == 0.0


def test_lines_and_blocks_add_up_to_the_totals():
    body = GLOBAL_INDEX + "if (i < n) {\n c[i] = a[i] * 2.0f;\n c[i + 1] = a[i] / 3.0f; }"
    counts = count("const float *a, float *c, int n", body, Run(threads=96.0, taken=(0.5,)))
    for quantity, total in counts.totals.items():
        by_line = sum(part.get(quantity, 0.0) for part in counts.by_line.values())
        by_block = sum(part.get(quantity, 0.0) for part in counts.by_block.values())
        assert by_line == pytest.approx(total)
        assert by_block == pytest.approx(total)
    assert len(counts.by_line) >= 3


def test_static_part_is_built_once():
    code = kernel("float *c, int n", LOOP)
    options = {"compiler": Compiler.NVCC, "architecture": "sm_80", "flags": CompilerFlags()}
    assert static_model(code, **options) is static_model(code, **options)
    other = static_model(code, **{**options, "architecture": "sm_90"})
    assert other is not static_model(code, **options)


def test_newer_architecture_takes_the_nearest_older_row():
    assert lowering_parameters("nvcc", "sm_87") == lowering_parameters("nvcc", "sm_80")
    assert lowering_parameters("nvcc", "sm_100") == lowering_parameters("nvcc", "sm_90")
    assert lowering_parameters("nvcc", "gfx") == lowering_parameters("nvcc", "sm_80")


def test_more_live_values_take_more_registers_up_to_the_limit():
    def registers(width: int, limit: int | None = None) -> int:
        names = [f"x{k}" for k in range(width)]
        loads = "".join(f"float {name} = a[{k}];" for k, name in enumerate(names))
        body = loads + "__syncthreads();" + "".join(f"c[{k}] = {n};" for k, n in enumerate(names))
        flags = CompilerFlags(max_registers=limit)
        return count("const float *a, float *c", body, flags=flags).registers_per_thread

    assert registers(40) - registers(20) == 20
    assert registers(40, limit=32) == 32


def test_uniform_work_is_largely_off_the_integer_pipe():
    counts = count("float *c, int n", "c[threadIdx.x] = (float)(n * 3 + blockIdx.x * 5 + 7);")
    assert counts.total(Quantity.UNIFORM_OPS) > 0.0
