"""Host loops that launch under conditions: as often as the program does, whatever the condition rests on."""

from __future__ import annotations

import pytest

HEAD = """
#include <cuda_runtime.h>
__global__ void dump(float *a) { a[threadIdx.x] += 1.0f; }
__global__ void step(float *a) { a[threadIdx.x] *= 2.0f; }
"""


def count(ran, kernel="dump"):
    return sum(n for name, _, _, n in ran.shapes if name == kernel)


@pytest.mark.parametrize(
    ("loop", "launches"),
    [
        # multiples of 50 in [0, 500), of 100 in [0, 100000), of 7 in [0, 20000)
        ("for (int s = 0; s < 500; s++) { step<<<1, 32>>>(a); if (s % 50 == 0)", 10),
        ("for (int s = 0; s < 100000; s++) { step<<<1, 32>>>(a); if (s % 100 == 0)", 1000),
        ("for (int s = 0; s < 20000; s++) { if (s % 7 == 0)", 2858),
        # 5000 / 64, rounded up
        ("for (int s = 0; s < 5000; s++) { if ((s & 63) == 0)", 79),
        # powers of two below 100000
        ("for (int s = 1; s < 100000; s++) { if ((s & (s - 1)) == 0)", 17),
        ("for (int s = 0; s < 4000; s++) { if (s % 100) continue;", 40),
        ("for (int s = 0; s < 1000; s++) { if (s >= 900)", 100),
        # each of 30 times: 49, 99, ..., 599
        ("for (int e = 0; e < 30; e++) for (int s = 0; s < 600; s++) { if (s % 50 == 49)", 360),
        # primes below 2000
        (
            "for (int p = 2; p < 2000; p++) { int q = 2; while (q * q <= p && p % q) q++; if (q * q > p)",
            303,
        ),
        # 1, 2, 4, ..., 2048: the iterations are run one by one
        (
            "int next = 1; for (int s = 1; s < 3000; s++) { if (s == next && (next *= 2))",
            12,
        ),
    ],
)
def test_launches_under_conditions_are_counted_exactly(host, loop, launches):
    text = f"{HEAD} int main() {{ float *a; cudaMalloc(&a, 4096); {loop} dump<<<1, 32>>>(a); }} }}"
    ran = host(text)
    assert count(ran) == launches
    assert not any(launch.estimate for launch in ran.launches)


def test_other_launches_of_the_loop_keep_their_number(host):
    text = f"""{HEAD} int main() {{ float *a; cudaMalloc(&a, 4096);
      for (int s = 0; s < 100000; s++) {{ step<<<1, 32>>>(a); if (s % 100 == 0) dump<<<1, 32>>>(a); }} }}"""
    assert count(host(text), "step") == 100_000


def test_a_counter_that_starts_again_repeats_its_pattern(host):
    # 90000 / 17, rounded down
    text = f"""{HEAD} int main() {{ float *a; cudaMalloc(&a, 4096); int since = 0;
      for (int s = 0; s < 90000; s++) if (++since == 17) {{ dump<<<1, 32>>>(a); since = 0; }} }}"""
    ran = host(text)
    assert count(ran) == 5294
    assert not any(launch.estimate for launch in ran.launches)


def test_functions_decide_what_they_launch(host):
    # a member counts: 50000 / 30, rounded down
    text = f"""{HEAD}
    struct Run {{
      float *a; int done = 0;
      void next() {{ step<<<1, 32>>>(a); if (++done % 30 == 0) dump<<<1, 32>>>(a); }}
    }};
    int main() {{ Run run; cudaMalloc(&run.a, 4096); for (int s = 0; s < 50000; s++) run.next(); }}"""
    ran = host(text)
    assert (count(ran, "step"), count(ran)) == (50_000, 1666)


def test_a_number_that_was_told_from_a_part_is_called_an_estimate(host):
    # the top 4 bits of a generator of full period: one in 16
    text = f"""{HEAD}
    static unsigned draw(unsigned &s) {{ s = s * 1664525u + 1013904223u; return s; }}
    int main() {{ float *a; cudaMalloc(&a, 4096); unsigned state = 1;
      for (int s = 0; s < 60000; s++) {{
        step<<<1, 32>>>(a);
        if (draw(state) >> 28 == 3) dump<<<1, 32>>>(a);
      }} }}"""
    ran = host(text)
    assert count(ran, "step") == 60_000
    assert count(ran) == pytest.approx(3750, rel=0.3)
    told = {launch.trace.code.name: launch.estimate for launch in ran.launches}
    assert "of 60,000 iterations" in told["dump"]
    assert not told["step"]
