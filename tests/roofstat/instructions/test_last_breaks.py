"""Loops of known length that end with a break stay rolled: PTX of nvcc 13.0, LLVM IR of clang 18.1.6 of own loops."""

from __future__ import annotations

import pytest
from builder import count

from roofstat.instructions.tables.costs import Compiler

ARGUMENTS = "const float *a, const float *b, const int *c, float *o, int m"
SUM = "for (int k = 0; k < 5; k++) { float e = a[i * 5 + k] - b[k]; s += e * e; if (s >= 1e3f) break; }"
ROLLED = {
    "sum": SUM,
    "longer": SUM.replace("k < 5", "k < 16"),
    "not less": SUM.replace("s >= 1e3f", "!(s < 1e3f)"),
    "loaded": "for (int k = 0; k < 5; k++) { s += b[k]; if (a[i * 5 + k] > 1e3f) break; }",
    "equal to another": "for (int k = 0; k < 5; k++) { s += b[k]; if (c[i * 5 + k] == i) break; }",
    "two breaks": "for (int k = 0; k < 5; k++) { float e = a[i * 5 + k] - b[k]; if (e < 0) break; s += e * e; if (s >= 1e3f) break; }",
    "iteration": "for (int k = 0; k < 8; k++) { float d = (s * s - b[0]) / (2 * s); s -= d; if (fabsf(d) < 1e-6f) break; }",
}
UNROLLED = {
    "work behind": "for (int k = 0; k < 5; k++) { float e = a[i * 5 + k] - b[k]; if (e >= 1e3f) break; s += e * e; }",
    "marked": "bool h = false; for (int k = 0; k < 5; k++) { if (a[i * 5 + k] > b[k]) { h = true; break; } } s = h;",
    "asked for": SUM.replace("int k = 0", "").replace("for (", "int k = 0; for (") + " s += k;",
    "equal to a constant": "int t = 0; for (int k = 0; k < 5; k++) { t += c[i * 5 + k]; if (t == 77) break; } s = t;",
}


def is_rolled(body: str, compiler: Compiler, *, is_inside: bool) -> bool:
    outer = "for (int j = 0; j < m; j++) " if is_inside else ""
    text = f"int i = threadIdx.x; {outer}{{ float s = b[i]; {body} o[i] = s; }}"
    counts = count(ARGUMENTS, text, compiler=compiler, architecture="sm_90")
    return not counts.vanished_loops


@pytest.mark.parametrize("body", ROLLED.values(), ids=ROLLED)
def test_nvcc_leaves_it_everywhere_and_clang_inside_of_others(body):
    assert is_rolled(body, Compiler.NVCC, is_inside=False)
    assert is_rolled(body, Compiler.CLANG, is_inside=True)
    assert not is_rolled(body, Compiler.CLANG, is_inside=False)


@pytest.mark.parametrize("body", UNROLLED.values(), ids=UNROLLED)
def test_others_vanish(body):
    assert not is_rolled(body, Compiler.CLANG, is_inside=True)


def test_two_iterations_are_no_loop_to_clang():
    assert not is_rolled(SUM.replace("k < 5", "k < 2"), Compiler.CLANG, is_inside=True)
    assert is_rolled(SUM.replace("k < 5", "k < 3"), Compiler.CLANG, is_inside=True)


def test_a_pragma_says_more():
    body = f'_Pragma("unroll") {SUM}'
    assert not is_rolled(body, Compiler.CLANG, is_inside=True)
    assert not is_rolled(body, Compiler.NVCC, is_inside=False)
