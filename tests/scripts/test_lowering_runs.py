"""Cases of executed kernels and the emulated threads behind them, on a small listing."""

import struct

import lowering_runs as runs
import pytest
from sass_text import parse_sass

# for (i = thread; i < n; i += 64) count, with n in the second argument.
LISTING = """\
.text.k:
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/                   S2R R1, SR_CTAID.X ;
        /*0020*/                   IMAD R0, R1, c[0x0][0x0], R0 ;
        /*0030*/                   ISETP.GE.AND P0, PT, R0, c[0x0][0x218], PT ;
        /*0040*/               @P0 EXIT ;
.L_x_1:
        /*0050*/                   IADD3 R0, R0, 0x40, RZ ;
        /*0060*/                   ISETP.GE.AND P1, PT, R0, c[0x0][0x218], PT ;
        /*0070*/              @!P1 BRA `(.L_x_1) ;
        /*0080*/                   EXIT ;
"""
CASE = "// run: k <<<3x2,16x4>>> a=short[3]:i*7%5 n=100 f:float=0.5 d:double=-1e-3\n"


def test_a_case_states_launch_and_arguments():
    (case,) = runs.cases_of(f"int x;\n{CASE}")
    assert (case.name, case.grid, case.block) == ("k", (3, 2, 1), (16, 4, 1))
    assert [argument.type_name for argument in case.arguments] == [
        "short",
        "int",
        "float",
        "double",
    ]
    bank, memory = case.layout()
    # A pointer, an int, a float; the double is aligned to 8 bytes.
    address, n, f, d = struct.unpack("<Qifd", bank)
    assert (n, f, d) == (100, 0.5, -1e-3)
    # 0*7%5, 1*7%5, 2*7%5 in two bytes each.
    assert bytes(memory[address + i] for i in range(6)) == struct.pack("<3h", 0, 2, 4)


def test_threads_are_all_or_spread():
    (case,) = runs.cases_of(CASE)
    every = list(case.threads(1000))
    assert len(every) == len(set(every)) == 3 * 2 * 16 * 4
    some = set(case.threads(12))
    assert some < set(every)
    assert len({thread.block_index for thread in some}) > 3


def test_an_argument_that_is_none_is_refused():
    with pytest.raises(SystemExit, match="k: not understood: n=many"):
        runs.cases_of("// run: k <<<1,32>>> n=many\n")


def test_executed_counts_follow_launch_and_arguments():
    (function,) = parse_sass(LISTING)
    (case,) = runs.cases_of("// run: k <<<2,32>>> a=int[1] n=100\n")
    binary = runs.Binary(constants={}, global_data={})
    totals, _, run = runs.executed(function, binary, case, "sm_90", threads=64)
    # Threads 0 to 35 go round twice (t, t + 64 < 100), the other 28 once; IMAD and ISETP before, two in each round.
    assert run == 64
    assert totals["int"] == 64 * 2 + 2 * (36 * 2 + 28)
