"""Target regions that the host runs itself: `if` that is false, and `device` clauses that mean the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu

if TYPE_CHECKING:
    from pathlib import Path

    from roofstat.analysis.pipeline import ProgramResult

GPU = load_gpu("a100")


def analysed(folder: Path, clause: str, *, main: bool = True, **options: object) -> ProgramResult:
    """A program with one region under a clause; its first argument is the number of elements."""
    head = "int main(int argc, char **argv) { int n = atoi(argv[1]);" if main else "void f(int n) {"
    path = folder / "region.cpp"
    path.write_text(f"""
    #include <stdlib.h>
    #include <omp.h>
    #include <time.h>
    enum places {{ none, all }};
    {head}
      float *x = (float *)malloc(n * sizeof(float));
      int host = omp_get_initial_device(), gpu = omp_get_default_device();
      int other = time(0) % 7;
      #pragma omp target teams distribute parallel for {clause}
      for (int i = 0; i < n; i++) x[i] = 2.0f * x[i];
      x[0] = host + gpu;
    }}
    """)
    return analyze_program([path], AnalysisOptions(gpu=GPU, program_args=("1000",), **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("main", [True, False])
@pytest.mark.parametrize(
    ("clause", "reason"),
    [
        ("if(0)", "if(0) is false"),
        ("if(target: false)", "if(target: false) is false"),
        ("device(ancestor: 1)", "device(ancestor: 1) is the host"),
        ("device(omp_initial_device)", "device(omp_initial_device) is the host"),
        ("if(places::none)", "if(places::none) is false"),
    ],
)
def test_a_region_that_is_never_launched_says_why(
    tmp_path: Path, clause: str, reason: str, main: bool
) -> None:
    result = analysed(tmp_path, clause, main=main)
    assert result.kernels == ()
    (note,) = (item for item in result.diagnostics if item.code == "not-launched")
    assert note.message == f"this target region is not launched: {reason}"
    assert note.line == 10


@pytest.mark.parametrize(
    "clause",
    [
        "if(n > 1000)",
        "device(-1)",
        "device(host)",
        "device(omp_get_initial_device())",
        "if(n > 10) device(host)",
        "if(n > 10 ? 0 : 1)",
    ],
)
def test_a_run_that_stays_on_the_host_says_why(tmp_path: Path, clause: str) -> None:
    result = analysed(tmp_path, clause)
    assert result.kernels == ()
    (note,) = (item for item in result.diagnostics if item.code == "not-launched")
    assert note.message.endswith(f"{clause} keeps it on the host")


@pytest.mark.parametrize(
    "clause", ["if(n > 10)", "if(parallel: 1)", "device(gpu)", "device(0)", "if(1) device(gpu)"]
)
def test_a_region_on_the_device_is_launched(tmp_path: Path, clause: str) -> None:
    result = analysed(tmp_path, clause)
    (kernel,) = result.kernels
    assert kernel.launch is not None
    assert kernel.launch.source.value == "host-code"
    assert kernel.assumptions == ()
    assert [item for item in result.diagnostics if item.code == "not-launched"] == []


@pytest.mark.parametrize("clause", ["if(other > 3)", "device(other)"])
def test_an_unknown_condition_is_an_assumption(tmp_path: Path, clause: str) -> None:
    (kernel,) = analysed(tmp_path, clause).kernels
    texts = [item.text for item in kernel.assumptions]
    assert f"{clause}: unknown, taken as launched" in texts
    assert not any("block size" in text for text in texts)
