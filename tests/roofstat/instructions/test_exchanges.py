"""Elements of private arrays that branches exchange: SASS of own sorting networks, executed (clang 18.1.6 with ptxas 12.6 on
sm_86, nvcc 13.0 on sm_90)."""

from __future__ import annotations

import pytest
from builder import GLOBAL_INDEX, Run, count, integer_ops

from roofstat.instructions.tables.costs import Compiler

SORT = """for (int p = 0; p < 3; p++) for (int q = p + 1; q < {0}; q++)
  if (v[q] < v[p]) {{ {1} t = v[p]; v[p] = v[q]; v[q] = t; }}"""


def _ops(parameters: str, body: str, compiler: str, architecture: str) -> float:
    found = count(
        parameters,
        GLOBAL_INDEX + body,
        Run(),
        compiler=Compiler(compiler),
        architecture=architecture,
    )
    return integer_ops(found)


@pytest.mark.parametrize(("compiler", "architecture"), [("clang", "sm_86"), ("nvcc", "sm_90")])
def test_exchanged_words_are_a_minimum_and_a_maximum(compiler, architecture):
    # Copies apart, six times two IMNMX, and three operations for the address.
    body = f"int v[4]; for (int j = 0; j < 4; j++) v[j] = k[4 * i + j]; {SORT.format(4, 'int')}"
    body += "for (int j = 0; j < 4; j++) k[4 * i + j] = v[j];"
    assert _ops("int *k", body, compiler, architecture) == 6 * 2 + 3


def test_what_nothing_reads_of_an_exchange_is_not_computed():
    # Of nine exchanges for the median of five bytes four results are not needed: 14 IMNMX.U32.
    body = f"unsigned char v[5]; for (int j = 0; j < 5; j++) v[j] = k[i + j]; {SORT.format(5, 'unsigned char')}"
    parameters = "const unsigned char *k, unsigned char *o"
    assert _ops(parameters, body + "o[i] = v[2];", "clang", "sm_86") == pytest.approx(14 + 6, abs=1)
