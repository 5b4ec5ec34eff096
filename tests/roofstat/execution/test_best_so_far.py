"""Branches for a new best: the i-th candidate is one of the best k so far with a probability of k / i."""

from __future__ import annotations

import math

import pytest

BLOCKS, THREADS, N = 40, 128, 1000


def found(run, body):
    """Stores through `out` of a thread that sees N values of which nothing is known."""
    text = (
        "__global__ void k(const float *x, const int *c, float *out, int n) {"
        f" int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}"
    )
    ran = run(
        text,
        grid=BLOCKS,
        block=THREADS,
        arguments={"x": 1 << 20, "c": 1 << 20, "out": 1 << 20, "n": N},
    )
    return ran.stores("out") / (BLOCKS * THREADS)


ONE = 1 + math.log(N)
"""1 + 1/2 + ... + 1/n is about 1 + ln(n), the first value being the best in any case."""


@pytest.mark.parametrize(
    "body",
    [
        "float best = 1e30f; for (int a = 0; a < n; a++) { float d = x[a]; if (d < best) { best = d; out[i] = a; } }",
        "float best = -1e30f; for (int a = 0; a < n; a++) { float d = x[a] * 2; if (best >= d) continue; best = d; out[i] = a; }",
        "int best = 0; for (int a = 0; a < n; a++) { int d = c[a + i]; if (d > best) { best = d; out[i] = a; } }",
        """float best = 1e30f;
           for (int t = 0; t < n; t += 50)
             for (int a = 0; a < 50; a++) { float d = x[t + a]; if (d < best) { best = d; out[i] = a; } }""",
    ],
)
def test_of_n_values_about_ln_n_are_the_best_so_far(run, body):
    assert found(run, body) == pytest.approx(ONE, rel=0.1)


def test_each_query_begins_with_no_best(run):
    body = """for (int q = 0; q < 20; q++) {
      float best = 1e30f;
      for (int a = 0; a < n; a++) { float d = x[a + q]; if (d < best) { best = d; out[i] = a; } }
    }"""
    assert found(run, body) == pytest.approx(20 * ONE, rel=0.1)


@pytest.mark.parametrize(
    "insert",
    [
        "if (d >= best[7]) continue; int j = 7; while (j > 0 && best[j - 1] > d) { best[j] = best[j - 1]; --j; } best[j] = d; out[i] = a;",
        "if (d < best[7]) { int j = 7; while (j > 0 && best[j - 1] > d) { best[j] = best[j - 1]; --j; } best[j] = d; out[i] = a; }",
        # carried through the list: each place keeps the better one and hands the other on
        """if (d >= best[7]) continue; out[i] = a; float c = d;
           for (int j = 0; j < 8; j++) { float lo = best[j] < c ? best[j] : c; c = best[j] < c ? c : best[j]; best[j] = lo; }""",
        """if (d >= best[7]) continue; out[i] = a; float c = d;
           for (int j = 0; j < 8; j++) { float lo = fminf(best[j], c); c = fmaxf(best[j], c); best[j] = lo; }""",
    ],
)
def test_a_sorted_list_takes_k_over_i_of_the_values(run, insert):
    """The first 8 are among the best 8 in any case, later ones with 8 / i: 8 (1 + ln(n / 8)) in all."""
    body = f"""float best[8]; for (int j = 0; j < 8; j++) best[j] = 1e30f;
      for (int a = 0; a < n; a++) {{ float d = x[a]; {insert} }}"""
    # Late iterations stand for many and are seldom taken: one warp more or less that takes them is a tenth of all.
    assert found(run, body) == pytest.approx(8 * (1 + math.log(N / 8)), rel=0.25)


@pytest.mark.parametrize(
    "insert",
    [
        # the worst of the list, kept beside it
        """if (d < worst) { int p = m - 1;
           for (int b = 0; b < m - 1; b++) if (best[b] > d) { p = b; break; }
           for (int j = m - 1; j > p; j--) best[j] = best[j - 1];
           best[p] = d; worst = best[m - 1]; out[i] = a; }""",
        # a list in no order, whose worst element is replaced and looked for again
        """if (d < best[at]) { best[at] = d; out[i] = a;
           for (int b = 0; b < m; b++) if (best[b] > best[at]) at = b; }""",
        # a heap
        """if (d < best[0]) { best[0] = d; out[i] = a;
           for (int b = 0; 2 * b + 1 < m; b = 2 * b + 1) { best[b] = best[2 * b + 1]; best[2 * b + 1] = d; } }""",
    ],
)
def test_the_best_of_an_array_are_as_many_as_its_code_goes_through(run, insert):
    body = f"""float best[16]; float worst = 1e30f; int at = 0, m = n / 62;
      for (int b = 0; b < 16; b++) best[b] = 1e30f;
      for (int a = 0; a < n; a++) {{ float d = x[a]; {insert} }}"""
    assert found(run, body) == pytest.approx(16 * (1 + math.log(N / 16)), rel=0.25)


@pytest.mark.parametrize("test", ["if (d >= worst) continue;", "if (!(d < worst)) continue;"])
def test_a_list_with_room_compares_with_no_element(run, test):
    """The same where values are compared with a constant until 8 are there."""
    body = f"""float best[8]; int held = 0;
      for (int a = 0; a < n; a++) {{
        float d = x[a], worst = held < 8 ? 1e30f : best[7];
        {test}
        int j = held < 8 ? held++ : 7;
        while (j > 0 && best[j - 1] > d) {{ best[j] = best[j - 1]; --j; }}
        best[j] = d; out[i] = a;
      }}"""
    # Late iterations stand for many and are seldom taken: one warp more or less that takes them is a tenth of all.
    assert found(run, body) == pytest.approx(8 * (1 + math.log(N / 8)), rel=0.25)


def test_other_comparisons_are_no_search_for_the_best(run):
    body = "float limit = x[i]; for (int a = 0; a < n; a++) { float d = x[a]; if (d < limit) out[i] = d; limit += d; }"
    assert found(run, body) == pytest.approx(N / 2, rel=0.1)


RINGS = """
  float best[4]; for (int k = 0; k < 4; k++) best[k] = 1e30f;
  for (int ring = 0; ring < n; ring++) {
    float near = (ring - 1) * 0.1f;
    BREAK
    for (int j = 0; j < PART; j++) {
      float d = x[ring * 64 + j * 4 + i % 64];
      out[i] = d;
      if (c[i] == j || d >= best[3]) continue;
      best[3] = d;
      for (int k = 3; k > 0; k--) if (best[k] < best[k - 1]) { float t = best[k]; best[k] = best[k - 1]; best[k - 1] = t; }
    }
  }"""


@pytest.mark.parametrize(
    ("leaves", "part", "rings"),
    [
        ("if (near * near > best[3]) break;", 8, 1),  # 8 candidates fill the 4 places
        ("if (ring > 0 && near > 0 && near * near > best[3]) break;", 8, 2),  # no test before
        ("if (best[3] < near) break;", 8, 1),
        ("", 8, N),
    ],
)
def test_a_search_in_growing_rings_ends_with_enough(leaves, part, rings, run):
    body = RINGS.replace("BREAK", leaves).replace("PART", str(part))
    assert found(run, body) == pytest.approx(part * rings)


def test_a_search_one_by_one_does_not_end_with_enough(run):
    # Candidates along a line: as many as places say nothing of those that follow.
    body = RINGS.replace("BREAK", "if (near > best[3]) break;").replace("PART", "1")
    assert found(run, body) > 8


def test_the_own_number_is_no_candidate(run):
    body = """float best = 1e30f;
      for (int a = 0; a < n; a++) { float d = x[a]; if (c[i] == a || d >= best) continue; best = d; out[i] = a; }"""
    assert found(run, body) == pytest.approx(ONE, rel=0.1)


def test_a_list_that_is_filled_up_is_full_in_the_end(run):
    """The first 8 of n values get in whatever they are."""
    body = """float best[8]; int have = 0;
      for (int a = 0; a < n; a++) {
        float d = x[a];
        if (have < 8 || d < best[have - 1]) {
          int k = have < 8 ? have++ : 7;
          while (k > 0 && best[k - 1] > d) { best[k] = best[k - 1]; k--; }
          best[k] = d;
        }
      }
      for (int j = 0; j < have; j++) out[j] = best[j];"""
    assert found(run, body) == pytest.approx(8, rel=0.05)
