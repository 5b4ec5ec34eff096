"""Programs that take too long: what was done in time is kept, and what is missing is said."""

from __future__ import annotations

import itertools
import time

import pytest

from roofstat.analysis import pipeline
from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.execution import machine
from roofstat.execution.host.run import HostRun
from roofstat.hardware import load_gpu
from roofstat.report import ErrorKind

PROGRAM = """
#include <cuda_runtime.h>
__global__ void first(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }
__global__ void second(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 2.0f; }
__global__ void third(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 3.0f; }
"""
MAIN = """
int main() {
  float *x; cudaMalloc(&x, 4 << 20);
  first<<<4096, 256>>>(x); second<<<4096, 256>>>(x); third<<<4096, 256>>>(x);
}
"""


@pytest.fixture
def analyse(tmp_path, monkeypatch):
    """The result under a limit, on a clock that shows these seconds, one each time it is looked at."""

    def run(timeout_s, seconds=None, text=PROGRAM + MAIN):
        clock = iter(seconds or itertools.count())
        monkeypatch.setattr(time, "monotonic", lambda: next(clock))
        path = tmp_path / "a.cu"
        path.write_text(text)
        options = AnalysisOptions(gpu=load_gpu("a100"), timeout_s=timeout_s, scaling=False)
        return analyze_program([path], options)

    return run


def test_what_is_done_in_time_is_kept(analyse):
    """All three are run by second 3 of 4.2, and two reported by second 5 of 5.4."""
    result = analyse(timeout_s=6)
    assert [kernel.name for kernel in result.kernels] == ["first", "second"]
    (error,) = result.errors
    assert error.kind is ErrorKind.TIMEOUT
    assert error.message == "the time of 6 s is too short: 1 kernel has no result"


def test_nothing_is_said_where_the_time_suffices(analyse):
    result = analyse(timeout_s=1000)
    assert len(result.kernels) == 3
    assert not result.errors


def test_kernels_without_a_launch_are_reported_as_they_are_run(analyse):
    """Nine looks ask what has no launch, the tenth and eleventh run and report one kernel, the next two another."""
    result = analyse(timeout_s=15, text=PROGRAM)
    assert [kernel.name for kernel in result.kernels] == ["first", "second"]
    (error,) = result.errors
    assert error.message == "the time of 15 s is too short: 1 kernel has no result"


def test_a_kernel_whose_launch_came_too_late_is_not_run_by_default(analyse):
    """The third launch of main() is beyond second 70, the reports are before second 90."""
    result = analyse(timeout_s=100, seconds=itertools.chain(range(4), itertools.count(75)))
    assert [kernel.name for kernel in result.kernels] == ["first", "second"]
    (error,) = result.errors
    assert error.message == "the time of 100 s is too short: 1 kernel has no result"


LONG = """
__global__ void sums(const int *x, float *y, int n) {
  float s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < x[i]; j++)
      for (int k = 0; k < x[j]; k++) s += x[k] > s ? x[i + k] : x[j + k] / s;
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
int main() {
  int *x; float *y; cudaMalloc(&x, 4 << 20); cudaMalloc(&y, 4 << 20);
  sums<<<4096, 256>>>(x, y, 1000);
}
"""


@pytest.mark.parametrize(
    ("timeout_s", "said"),
    [
        (1e6, None),
        (420, "there was too little time to look closely"),
        (20, "the time was too short to run the kernel abstractly to its end"),
    ],
)
def test_a_launch_that_takes_too_long_is_cut_and_says_so(analyse, monkeypatch, timeout_s, said):
    """A second for each look at the clock: launches hurry from half of the limit on, and are cut off at two thirds of it."""
    monkeypatch.setattr(machine, "LOOK_EVERY", 20)
    result = analyse(timeout_s=timeout_s, text="#include <cuda_runtime.h>" + LONG)
    assert not result.errors
    (kernel,) = result.kernels
    notes = [item.text for item in kernel.assumptions if "time" in item.text]
    assert any(note.startswith(said or "") for note in notes) is (said is not None)


@pytest.fixture
def within(tmp_path):
    """The result of an analysis within these seconds of the real clock."""

    def run(timeout_s, text=PROGRAM + MAIN, arguments=()):
        path = tmp_path / "a.cu"
        path.write_text(text)
        options = AnalysisOptions(
            gpu=load_gpu("a100"),
            timeout_s=timeout_s,
            program_args=arguments,
            scaling=bool(arguments),
        )
        return analyze_program([path], options)

    return run


def spin(*_arguments, **_named):
    while True:
        pass


def test_a_report_that_hangs_costs_its_launch_and_leaves_time_to_the_others(within, monkeypatch):
    made = pipeline.kernel_report
    monkeypatch.setattr(
        pipeline,
        "kernel_report",
        lambda launch, context: spin() if launch.index == 1 else made(launch, context),
    )
    result = within(timeout_s=5)
    assert [kernel.name for kernel in result.kernels] == ["first", "third"]
    (error,) = result.errors
    assert error.kind is ErrorKind.TIMEOUT
    assert error.message == "the time of 5 s is too short: 1 kernel has no result"


@pytest.fixture
def hang(monkeypatch):
    """Lets calls of functions of a library hang in runs of which something holds."""

    def hang(name, condition=lambda _run: True):
        call = HostRun.call

        def hanging(self, machine, instruction, arguments):
            is_meant = getattr(instruction.detail, "name", "") == name and condition(self)
            return spin() if is_meant else call(self, machine, instruction, arguments)

        monkeypatch.setattr(HostRun, "call", hanging)

    return hang


def test_host_code_that_hangs_costs_what_it_would_have_launched(within, hang):
    hang("getenv")
    text = PROGRAM + MAIN.replace("third<<<", 'getenv("A"); third<<<')
    result = within(timeout_s=4, text="#include <cstdlib>" + text)
    assert [kernel.name for kernel in result.kernels] == ["first", "second"]
    (error,) = result.errors
    assert error.message == "the time of 4 s is too short: 1 kernel has no result"


def test_a_repetition_that_hangs_costs_nothing_but_the_growth(within, monkeypatch, hang):
    monkeypatch.setattr(pipeline, "_SCALING_SHARE", 1.0)
    hang("atoi", lambda run: "8192" in run.arguments)
    grid = MAIN.replace("main()", "main(int argc, char **argv)").replace("4096", "atoi(argv[1])")
    text = "#include <cstdlib>" + PROGRAM + grid
    result = within(timeout_s=4, text=text, arguments=("4096",))
    assert len(result.kernels) == 3
    assert not result.errors
    assert not result.kernels[0].scaling
