"""Blocks, loops and lines of the SASS oracle on a small listing."""

import pytest
from sass_oracle import describe
from sass_text import parse_sass

LISTING = """\
.text.twice:
\t//## File "a.cu", line 2
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/                   ISETP.GE.AND P0, PT, R0, 0x4, PT ;
        /*0020*/               @P0 EXIT ;
.L_x_2:
\t//## File "a.cu", line 9 inlined at "a.cu", line 4
\t//## File "a.cu", line 4
        /*0030*/                   FADD R1, R1, 1 ;
.L_x_1:
\t//## File "a.cu", line 5
        /*0040*/                   FFMA R1, R1, R1, R1 ;
        /*0050*/                   IADD3 R2, R2, 0x1, RZ ;
        /*0060*/               @P1 BRA `(.L_x_1) ;
        /*0070*/                   FCHK P2, R1, R2 ;
        /*0080*/              @!P2 BRA `(.L_x_3) ;
        /*0090*/                   CALL.REL.NOINC `($__internal_0_$slow) ;
.L_x_3:
        /*00a0*/               @P3 BRA `(.L_x_2) ;
        /*00b0*/                   EXIT ;
$__internal_0_$slow:
        /*00c0*/                   FMUL R1, R1, R1 ;
        /*00d0*/                   RET.REL.NODEC R4 `(twice) ;
.L_x_4:
        /*00e0*/                   BRA `(.L_x_4);
        /*00f0*/                   NOP;
"""


@pytest.fixture
def record():
    (function,) = parse_sass(LISTING)
    return describe(function)


def block(record, start):
    return next(b for b in record["blocks"] if b["start"] == start)


def test_nested_loops(record):
    depths = {b["start"]: b["loop_depth"] for b in record["blocks"] if not b["subroutine"]}
    assert depths == {0x00: 0, 0x30: 1, 0x40: 2, 0x70: 1, 0x90: 1, 0xA0: 1, 0xB0: 0}
    assert block(record, 0x40)["loop_header"] == 0x40
    assert block(record, 0xA0)["loop_header"] == 0x30
    inner = [loop for loop in record["loops"] if loop["innermost"]]
    assert [(loop["header"], loop["depth"]) for loop in inner] == [(0x40, 2)]


def test_counts_of_a_block(record):
    body = block(record, 0x40)
    assert (body["fp32_flop"], body["int_op"], body["branch_op"]) == (2, 1, 1)
    assert body["instructions"] == 3
    assert body["predicated"] == 1


def test_lines_undo_inlining(record):
    assert block(record, 0x30)["lines"] == ["a.cu:9"]
    assert block(record, 0x30)["kernel_lines"] == [4]


def test_subroutine_stands_apart(record):
    assert block(record, 0x90)["calls"] == ["$__internal_0_$slow"]
    slow = block(record, 0xC0)
    assert slow["subroutine"] == "$__internal_0_$slow"
    assert slow["loop_depth"] == 0
    assert slow["fp32_flop"] == 1


def test_filler_behind_the_code_is_left_out(record):
    assert max(b["start"] for b in record["blocks"]) == 0xC0
