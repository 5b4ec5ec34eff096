"""Runs that end behind the last launch where nothing but launches is asked for."""

from __future__ import annotations

import pytest

from roofstat.analysis.settings import device_model
from roofstat.execution.host.run import HostRun
from roofstat.hardware import load_gpu

HEAD = """
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
__global__ void first(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = i; }
__global__ void second(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] += i; }
float check(const float *a, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) { float x = a[i]; while (x > 1) x = x * 0.5f; s += x; }
  return s;
}
void run(float *a, int n) { first<<<n / 256, 256>>>(a, n); second<<<n / 256, 256>>>(a, n); }
"""
CHECK = 'float *b = (float *)malloc(n * 4); for (int i = 0; i < n; i++) b[i] = i % 7; printf("%f", check(b, n));'
RUN = "run(a, n);"


def ran(program, body: str, *, for_launches: bool) -> HostRun:
    text = f"{HEAD} int main() {{ float *a; int n = 1 << 20; cudaMalloc(&a, n * 4); {body} }}"
    run = HostRun(program(text), device_model(load_gpu("a100")), for_launches=for_launches)
    run.run_main()
    return run


def launches(run: HostRun) -> list[tuple[str, float]]:
    return [(launch.trace.code.name, launch.count) for launch in run.launcher.table.entries()]


@pytest.mark.parametrize(
    ("body", "ends"),
    [
        (f"{RUN} {CHECK}", True),
        (f"for (int t = 0; t < 9; t++) {{ {RUN} }} {CHECK}", True),
        (f"if (n > 3) {{ {RUN} {CHECK} }} else {{ {CHECK} }}", True),
        (f"for (int t = 0; t < 9; t++) {{ {RUN} {CHECK} }}", False),
        (f"{RUN} {CHECK} first<<<1, 256>>>(a, 256);", False),
        (f"first<<<n / 256, 256>>>(a, n); {CHECK} if (n < 3) {{ {RUN} }}", False),
        (f"void (*go)(float *, int) = run; {RUN} {CHECK} go(a, n);", False),
    ],
)
def test_what_cannot_launch_is_not_run(program, body: str, *, ends: bool) -> None:
    """No launch is lost, and nothing is left out before the last one."""
    whole, short = (ran(program, body, for_launches=wanted) for wanted in (False, True))
    assert launches(short) == launches(whole)
    assert (short.machine.executed < whole.machine.executed) is ends


def test_searches_end_behind_what_they_seek(program) -> None:
    """A second run, for a kernel in an arm that the first has passed by, leaves out the check behind it."""
    body = f"if (n < 3) second<<<n / 256, 256>>>(a, n); else first<<<n / 256, 256>>>(a, n); {CHECK}"
    before = ran(program, body, for_launches=False)
    sought = before.passed_by()
    whole, short = (
        HostRun(
            before.program,
            before.device,
            wanted=lambda key: key in sought,
            sought=sought,
            before=before,
            for_launches=ends,
        )
        for ends in (False, True)
    )
    for run in (whole, short):
        run.run_main()
    assert [name for name, _ in launches(short)] == ["second"]
    assert launches(short) == launches(whole)
    assert short.machine.executed < whole.machine.executed
