"""Register copies that the assembler writes as integer multiply-adds, against SASS of sm_86 and sm_90."""

from __future__ import annotations

import pytest
from builder import GLOBAL_INDEX, Run, count, integer_ops

from roofstat.instructions.tables.costs import Compiler
from roofstat.instructions.tables.quantities import Quantity

FLOATS = "float *a, const float *b, int n, float s"
SHARE = 0.9
"""Of the copies where logic outweighs multiply-adds, nine in ten become `IMAD.MOV` with nvcc, all with clang."""


def _copies(parameters: str, body: str, compiler: str = "clang", architecture: str = "sm_86"):
    counts = count(parameters, body, Run(), compiler=Compiler(compiler), architecture=architecture)
    return counts.total(Quantity.INTEGER_COPIES)


def test_few_logic_instructions_leave_all_copies_to_mov():
    # IMAD, ISETP, two IMAD.WIDE, FMUL: the stack pointer and the scale are copied with MOV.
    assert _copies(FLOATS, GLOBAL_INDEX + "if (i < n) a[i] = b[i] * s;") == 0.0


def test_a_division_brings_a_subroutine_of_logic_instructions():
    # R1 and the scale of the addresses, in IMAD.MOV since LOP3, SHF and ISETP of the subroutine outweigh all else.
    copies = _copies(FLOATS, GLOBAL_INDEX + "if (i < n) a[i] = a[i] / b[i];")
    stack_pointer, scale = 1, 1
    assert copies == stack_pointer + scale


def test_parameters_are_in_registers_on_hopper():
    body = GLOBAL_INDEX + "if (i < n) a[i] = a[i] / b[i];"
    assert _copies(FLOATS, body, "nvcc", "sm_90") == 0.0


def test_second_constant_of_an_instruction_is_copied():
    body = GLOBAL_INDEX + "if (i < n) a[i] = (a[i] * 0.3f + 0.7f) / b[i];"
    constant = 1
    assert _copies(FLOATS, body, "nvcc", "sm_90") == pytest.approx(SHARE * constant)


EXCHANGE = """int i = threadIdx.x; float x = b[i], y = b[i + 32], p = b[i + 64], q = b[i + 96];
    if (x > y) {{ float t = x; {} }} a[i] = x; a[i + 32] = y; a[i + 64] = p; a[i + 96] = q;"""


@pytest.mark.parametrize(("compiler", "architecture"), [("clang", "sm_86"), ("nvcc", "sm_90")])
def test_more_than_three_choices_are_predicated_moves(compiler, architecture):
    """SASS: three FSEL for the first; for the second three moves for two variables, half of them or more IMAD.MOV."""
    three = EXCHANGE.format("x = y; y = p; p = t;")
    four = EXCHANGE.format("x = y; y = p; p = q; q = t;")
    few, many = (_copies(FLOATS, body, compiler, architecture) for body in (three, four))
    moves = 4 * 1.5
    assert moves / 3 <= many - few <= moves


WORDS = "unsigned *a, unsigned *b, unsigned *c, int n, int h"
LOADED = "int t = threadIdx.x; unsigned x = a[t], y = a[t + 1], v = a[t + 2], w = a[t + 3];"
PAIR = "int t = threadIdx.x; unsigned x = a[t], y = a[t + h];"
OTHERS = "unsigned v = b[t], w = b[t + h];"
IF_TURNED = "if ((x > y) == ((t & n) == 0))"
BOTH = "{ unsigned z = x; x = y; y = z; z = v; v = w; w = z; }"
PAIR_STORED = "a[t] = x; a[t + h] = y;"
STORED = "c[t] = x; c[t + 1] = y; c[t + 2] = v; c[t + 3] = w;"


@pytest.mark.parametrize(
    ("body", "executed"),
    [
        (f"{LOADED} if (b[t] > n) {{ unsigned z = x; x = y; y = v; v = w; w = z; }} {STORED}", 4.0),
        (f"{PAIR} {OTHERS} {IF_TURNED} {BOTH} {PAIR_STORED} b[t] = v; b[t + h] = w;", 6.0),
        (f"{PAIR} {IF_TURNED} {{ unsigned z = x; x = y; y = z; }} {PAIR_STORED}", 4.0),
    ],
)
def test_nvcc_chooses_any_number_by_integers(body, executed):
    """SASS of nvcc 13.0: SEL for each variable, and one ISETP.XOR for two comparisons that are compared."""
    run = Run(taken=(0.5,))
    found = integer_ops(count(WORDS, body, run, architecture="sm_90"))
    assert found == pytest.approx(executed, abs=0.5)


@pytest.mark.parametrize(("compiler", "architecture"), [("clang", "sm_86"), ("nvcc", "sm_90")])
def test_a_choice_without_a_branch_copies_nothing(compiler, architecture):
    # FSETP, FSEL twice; without the choices the shifts and LOP3 make copies multiply-adds.
    logic = "unsigned *u, unsigned k"
    chosen = "float x = a[i], y = b[i]; float z = x > y ? x : y * 2.0f, w = x > y ? y : x * 3.0f;"
    shifts = "u[i] = (u[i] >> 3 ^ k) * ((u[i] << 5) ^ (u[i] >> 7)) ^ (u[i] << 9);"
    plain = _copies(FLOATS + ", " + logic, GLOBAL_INDEX + shifts, compiler, architecture)
    body = GLOBAL_INDEX + chosen + shifts + "a[i] = z; a[i + n] = w;"
    more = _copies(FLOATS + ", " + logic, body, compiler, architecture) - plain
    assert more <= 1e-9


def test_old_value_that_outlives_the_new_one_is_copied_in_each_round():
    parameters = "unsigned *p, unsigned k"
    loop = "unsigned o = *p, c; do {{ c = o; o = atomicCAS(p, c, c {} k); }} while (o != c);"
    logic = "^ (c >> 3) ^ (c << 5) ^"
    once = count(
        parameters,
        loop.format(logic),
        Run(default_trips=1.0),
        architecture="sm_90",
    )
    often = count(
        parameters,
        loop.format(logic),
        Run(default_trips=11.0),
        architecture="sm_90",
    )
    more = often.total(Quantity.INTEGER_COPIES) - once.total(Quantity.INTEGER_COPIES)
    assert more == pytest.approx(10 * SHARE)


@pytest.mark.parametrize(
    ("value", "copies"),
    [
        # R1, the scale of the addresses, and that scale again: the subroutine has the registers.
        ("b[i] / b[i + 1]", 1 + 1 + 1),
        # Both words of the divisor: it stands in more than one place of the iteration, with another constant there.
        ("b[i] / s", 1 + 1 + 2 + 1),
        ("b[i] / s + b[i + 1] / t", 1 + 1 + 2 + 2 + 1),
        ("b[i] / s + b[i + 1] / s", 1 + 1 + 2 + 2 + 1),
        # The numerator is multiplied once.
        ("s / b[i]", 1 + 1 + 1),
    ],
)
def test_what_a_division_by_a_parameter_copies(value, copies):
    parameters = "double *__restrict__ a, const double *__restrict__ b, double s, double t"
    found = _copies(parameters, GLOBAL_INDEX + f"a[i] = {value};")
    assert found == copies


@pytest.mark.parametrize(
    ("logic", "multiplied"),
    [
        # 6 copies: R1, the scale, and one constant of each FFMA. 9 multiply-adds: IMAD, 4 IMAD.WIDE, 4 FFMA.
        # The copies make up for what is missing on the other pipe; what is over goes half to each: (logic + 6 - 9) / 2.
        (4, 0),
        (8, 2),
        (12, 4),
    ],
)
def test_copies_even_out_the_two_pipes(logic, multiplied):
    parameters = "float *__restrict__ a, const float *__restrict__ b, unsigned *__restrict__ c"
    constants = ((0.3, 0.7), (1.3, 0.6), (1.7, 0.2), (2.3, 2.9))
    polynomial = "".join(f"y = y * {factor}f + {term}f;" for factor, term in constants)
    shifts = "".join(f"x ^= x >> {shift};" for shift in range(1, logic // 2 + 1))
    body = f"float y = b[i]; {polynomial} a[i] = y; unsigned x = d[i]; {shifts} c[i] = x;"
    copies = _copies(parameters + ", const unsigned *__restrict__ d", GLOBAL_INDEX + body)
    assert copies == pytest.approx(multiplied)


@pytest.mark.parametrize(("compiler", "architecture"), [("clang", "sm_90"), ("nvcc", "sm_90")])
def test_maximum_of_doubles_copies_words_around_its_comparison(compiler, architecture):
    # DSETP.MAX, FSEL, SEL and a LOP3 for NaN; in SASS 14 of the 18 copies of five such are IMAD.MOV.
    butterfly = "for (int s = 16; s; s >>= 1) m = fmax(m, __shfl_xor_sync(~0u, m, s));"
    body = f"double m = a[threadIdx.x]; {butterfly} a[threadIdx.x] = m;"
    assert _copies("double *a", body, compiler, architecture) == pytest.approx(14, rel=0.2)


def test_greater_of_two_doubles_is_chosen_without_copies():
    body = GLOBAL_INDEX + "double x = a[i], y = b[i]; a[i] = x > y ? x : y;"
    assert _copies("double *a, const double *b, int n", body, "nvcc", "sm_90") == 0.0


@pytest.mark.parametrize(
    ("sum_", "expected"),
    [
        ("a[t] / 9.81f", 2),
        ("a[t] / 9.81f + a[t + 1] / 9.81f", 3),
        ("a[t] / 9.81f + a[t + 1] / 9.81f + a[t + 2] / 9.81f + a[t + 3] / 9.81f", 4),
        ("a[t] / 9.81f + a[t + 1] / 3.81f + a[t + 2] / 5.81f + a[t + 3] / 1.8f", 5),
    ],
)
def test_divisions_by_constants_copy_the_divisor_once_and_its_reciprocal_each_time(sum_, expected):
    """SASS (nvcc 13.0, sm_90): 2, 3, 4 of 5 and 5 of 8 copies are IMAD.MOV, and the only operations beside two addresses."""
    body = f"int t = threadIdx.x; c[t] = {sum_};"
    found = count("const float *a, float *c", body, architecture="sm_90")
    assert integer_ops(found) == pytest.approx(2)
    copies = _copies("const float *a, float *c", body, "nvcc", "sm_90")
    assert copies == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize(("function", "each"), [("sinf", 5.5), ("cosf", 6.5)])
def test_constants_of_sines_in_loops_are_those_of_the_tables(function, each):
    # SASS of sm_90, an iteration: LOP3 twice, 3.5 of the moves under predicates (IMAD.MOV), for cosines VIADD, and the loop's ISETP.
    body = f"""int t = threadIdx.x; float v = x[t], s = 0.0f;
    for (int k = 0; k < n; k++) s += {function}(v + k);
    y[t] = s;"""
    parameters = "const float *x, float *y, int n"
    few, many = (
        integer_ops(count(parameters, body, Run(default_trips=trips), architecture="sm_90"))
        for trips in (32.0, 64.0)
    )
    assert (many - few) / 32 == pytest.approx(each + 1, abs=0.2)
