"""What follows from a kernel's code alone is found once for all its runs; the rest is found in each of them."""

from roofstat.execution.activation import kernel_facts

LOOP = (
    "__global__ void k(const int *m, const float *x, float *out, int n) { float s = 0; int i = threadIdx.x;"
    " for (int j = 0; j < n; ++j) { if (m[i]) break; if (x[j] > s) s = x[j]; } out[i] = s; }"
)


def test_runs_share_what_the_code_says(run):
    code = run(LOOP, grid=1, block=32, arguments={"n": 100}).trace.code
    one, other = kernel_facts(code, 0), kernel_facts(code, 1)
    assert one.loops, "the run has looked at the loop"
    assert one.marks
    for name in ("loops", "marks", "chances", "leaving", "steps", "places"):
        assert getattr(one, name) is getattr(other, name), name
    assert (one.number, other.number) == (0, 1)


def test_what_a_run_has_seen_stays_its_own(run):
    code = run(LOOP, grid=1, block=32, arguments={"n": 100}).trace.code
    one, other = kernel_facts(code, 0), kernel_facts(code, 0)
    assert not one.bests
    assert one.bests is not other.bests
