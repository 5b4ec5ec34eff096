"""Loops that several tests end, and short ones: SASS of own kernels, executed (nvcc 13.0, sm_90)."""

from __future__ import annotations

import pytest
from builder import Run, count, kernel
from test_nested_copies import loops

from roofstat.instructions.loops.joined_tests import end_labels, without_breaks
from roofstat.instructions.tables.costs import Compiler
from roofstat.instructions.tables.parameters import lowering_parameters
from roofstat.instructions.walker import Walker

ARGUMENTS = "const float *a, float *o, int n, int m, int h"
HEAD = "int b = threadIdx.x; float s = 0;"
NVCC = lowering_parameters("nvcc", "sm_90")
EXECUTED = {
    "for (int k = 0; k < n && k < m; k++) s += a[b + k];": (40, 28.0),
    "for (int k = 0; k != n && k < m; k++) s += a[b + k];": (40, 28.0),
    "for (int k = 0; k < n && h; k++) s += a[k];": (40, 24.0),
    "for (int k = 0; k <= n && k < m; k++) s += a[k];": (90, 44.0),
    "for (int k = 0; k < n && k < m && k < h; k++) s += a[k];": (80, 39.0),
    "for (int k = h; k < n && k < m; k++) s += a[k];": (87, 108.0),
    "for (int k = 0; k < n && k < m; k++) { o[k + b] = s; s += a[k]; }": (90, 76.0),
    "for (int k = 0;; k++) { if (k >= n) break; if (k + b >= m) break; s += a[b + k]; }": (
        40,
        35.0,
    ),
}
"""Loop -> iterations and executed integer instructions of a thread."""


def integers(body: str, trips: float, compiler: Compiler = Compiler.NVCC) -> float:
    run = Run(default_trips=trips, taken=(0.0,) * 8)
    text = f"{HEAD} {body} o[b] = s;"
    return count(ARGUMENTS, text, run, compiler=compiler, architecture="sm_90").int_op


def copies(body: str) -> int:
    """Copies that the compiler makes of the only loop; what the assembler makes of them left out."""
    code = kernel(ARGUMENTS, f"{HEAD} {body} o[b] = s;")
    graph = Walker(code, NVCC, fast_math=False).run()
    return max(graph.batches.values())


@pytest.mark.parametrize("body", EXECUTED)
def test_a_loop_of_several_tests_is_copied_with_one(body):
    trips, executed = EXECUTED[body]
    assert integers(body, trips) == pytest.approx(executed, rel=0.25)


@pytest.mark.parametrize(
    "body",
    [
        "for (int k = 0; k < n; k++) { if (b + k >= m) break; s += a[k]; }",
        "for (int k = 0; k < n; k++) { s += a[k]; if (b + k >= m) break; }",
        "for (int k = 0; !(k >= n || k + b >= m); k++) s += a[k];",
        "for (int k = 0; k < n && b - k > h; k++) s += a[b - k];",
        "int j = b; for (int i = 0; i < n && j < m; i++, j++) s += a[i] * a[j];",
        "for (int k = n; k > h && k > m; k--) s += a[k];",
        "for (int k = 0; k < 64; k++) { if (b + k >= m) break; s += a[k]; }",
    ],
)
def test_breaks_and_sums_are_such_tests(body):
    assert copies(body) == 4


@pytest.mark.parametrize(
    "body",
    [
        "for (int k = b; k < n && k < m; k += 2) s += a[k];",
        "for (int k = 0; k < n && 2 * k + b < m; k++) s += a[k];",
        "for (int k = 0; k < n && k + b <= m; k++) s += a[k];",
        "for (int k = 0; k < n && s < 100.0f; k++) s += a[k];",
        "for (int k = 0; k < n; k++) { s += a[k]; if (b + k >= m) break; s *= a[k + b]; }",
        "for (int k = 0; k < n; k++) { if (b + k >= m) return; s += a[k]; }",
        "for (int k = 0; k < 16 && b + k < m; k++) s += a[k];",
        "for (int k = 0; k < 16; k++) { if (b + k >= m) break; s += a[k]; }",
    ],
)
def test_other_tests_and_few_iterations_keep_a_loop_rolled(body):
    assert copies(body) == 1


def test_clang_copies_no_such_loop():
    body = "for (int k = 0; k < n && b + k < m; k++) s += a[b + k];"
    assert integers(body, 40, Compiler.CLANG) > 2 * integers(body, 40)


@pytest.mark.parametrize(
    ("bound", "expected"),
    [("min(20, m)", 1), ("min(21, m)", 4), ("(b & 15)", 1), ("b % 13", 1), ("(m ? 9 : 4)", 1)],
)
def test_a_bound_of_at_most_twenty_keeps_the_compiler_from_copies(bound, expected):
    assert copies(f"for (int k = 0; k < {bound}; k++) s += a[k];") == expected


def test_a_short_loop_in_a_nest_is_copied():
    nest = "for (int i = 0; i < n; i++) for (int k = 0; k < min(16, m); k++) s += a[k + i];"
    assert copies(nest) == 4


def test_breaks_are_known_by_where_they_lead():
    code = kernel(ARGUMENTS, f"{HEAD} while (true) {{ if (s > 9) break; s += a[0]; }} o[b] = s;")
    (loop,) = loops(code.body)
    labels = end_labels(code.body)
    plain, breaks = without_breaks(loop, labels[loop.number], code.variables)
    assert len(breaks) == 1
    assert plain.condition_register == breaks[0]
    assert without_breaks(loop, None, code.variables) == (loop, [])
