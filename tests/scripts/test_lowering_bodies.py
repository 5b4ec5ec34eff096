"""Which loops of SASS belong to a loop of the model."""

from collections import Counter

import lowering_bodies
import pytest
from sass_text import parse_sass

# Over chunks (0x10 to 0xa0); in a chunk two copies (0x30) with a remainder behind them, of which each copy tests first.
SHARED = """\
.text.shared:
        /*0000*/                   S2R R0, SR_TID.X ;
.L_x_1:
\t//## File "a.cu", line 5
        /*0010*/                   ISETP.GE.AND P0, PT, R0, R3, PT ;
        /*0020*/               @P0 BRA `(.L_x_3) ;
.L_x_2:
        /*0030*/                   LDG.E R1, [R2.64] ;
        /*0040*/                   LDG.E R1, [R2.64+0x4] ;
        /*0050*/                   IADD3 R2, R2, 0x8, RZ ;
        /*0060*/               @P1 BRA `(.L_x_2) ;
.L_x_3:
        /*0070*/                   IMAD.WIDE R6, R0, R5, R8 ;
        /*0080*/                   LDG.E R1, [R6.64] ;
        /*0090*/               @P2 BRA `(.L_x_4) ;
        /*00a0*/                   IADD3 R6, R6, 0x4, RZ ;
        /*00b0*/                   LDG.E R1, [R6.64] ;
.L_x_4:
        /*00c0*/                   IADD3 R0, R0, R4, RZ ;
        /*00d0*/               @P3 BRA `(.L_x_1) ;
        /*00e0*/                   EXIT ;
"""


@pytest.fixture
def sass():
    (function,) = parse_sass(SHARED)
    return lowering_bodies.sass_bodies(function)


@pytest.mark.parametrize(("is_shared", "integer", "accesses"), [(False, 0.5, 1), (True, 3, 1)])
def test_of_a_shared_loop_one_iteration_of_the_remainder_runs(sass, is_shared, integer, accesses):
    counts = Counter({"int": 3, "memory": 1})
    model = lowering_bodies.Body(1.0, counts, {("a.cu", 5): counts}, is_shared=is_shared)
    ((pair,), lost) = lowering_bodies.pairs("k", (model, [model], True), sass)
    assert lost == 0
    assert pair.counts("int") == (3, integer)
    assert pair.counts("memory") == (1, accesses)
