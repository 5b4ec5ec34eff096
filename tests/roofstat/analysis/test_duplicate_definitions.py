"""Files that define the same function are of different programs, or are compiled with one each."""

import pytest

from roofstat.analysis import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu

ADD = """__global__ void k(float *x) { int i = blockIdx.x * blockDim.x + threadIdx.x; x[i] += 1.0f; }
"""
REPEAT = """
__global__ void k(float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int j = 0; j < 500; j++) v = v * v + 1.0f;
  x[i] = v;
}
"""


@pytest.fixture
def analyse(tmp_path):
    """Texts by file name to the result of the files together, in the order given."""

    def run(files, **options):
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        paths = [tmp_path / name for name in files]
        return analyze_program(paths, AnalysisOptions(gpu=load_gpu("a100"), **options))

    return run


def flop_a_thread(result):
    return {
        kernel.file.rpartition("/")[2]: round(kernel.counts.sp_flop / kernel.launch.threads, 6)
        for kernel in result.kernels
    }


@pytest.mark.parametrize("order", [("x.cu", "y.cu"), ("y.cu", "x.cu")])
def test_both_kernels_of_one_name_are_reported_in_any_order(analyse, order):
    texts = {"x.cu": ADD, "y.cu": REPEAT}
    result = analyse({name: texts[name] for name in order})
    assert flop_a_thread(result) == {"x.cu": 1, "y.cu": 1000}  # an FMA counts twice
    (remark,) = result.diagnostics
    assert remark.code == "duplicate-definition"
    assert remark.file.endswith(order[1])
    assert f"{order[0]}:1" in remark.message or f"{order[0]}:2" in remark.message


def test_a_main_launches_the_kernel_of_its_own_file(analyse):
    main = "int main() { float *x; cudaMalloc(&x, 1024); k<<<1, 256>>>(x); }\n"
    result = analyse({"a.cu": REPEAT, "b.cu": ADD + main})
    assert flop_a_thread(result) == {"a.cu": 1000, "b.cu": 1}
    assert {kernel.file[-4:]: kernel.launch.source.value for kernel in result.kernels} == {
        "a.cu": "assumed",
        "b.cu": "host-code",
    }
    assert [item.code for item in result.diagnostics] == ["duplicate-definition"]


def test_each_kernel_calls_the_device_function_of_its_file(analyse):
    kernel = "__global__ void NAME(float *x) { x[threadIdx.x] = part(x[threadIdx.x]); }\n"
    one = "__device__ float part(float v) { return v + 1.0f; }\n"
    three = "\n__device__ float part(float v) { return v * v + 1.0f + v; }\n"
    result = analyse(
        {"x.cu": one + kernel.replace("NAME", "p"), "y.cu": three + kernel.replace("NAME", "q")}
    )
    assert flop_a_thread(result) == {"x.cu": 1, "y.cu": 3}
    assert not result.diagnostics  # such files can be of one program


def test_what_two_files_include_is_one_definition(analyse, tmp_path):
    (tmp_path / "k.cuh").write_text("#pragma once\n" + ADD)
    text = '#include "k.cuh"\nvoid NAME(float *x) { k<<<64, 256>>>(x); }\n'
    result = analyse({name: text.replace("NAME", f"run_{name[0]}") for name in ("x.cu", "y.cu")})
    assert len(result.kernels) == 1
    assert not result.diagnostics


def test_both_kernels_have_their_own_growth(analyse):
    growing = REPEAT.replace("float *x)", "float *x, int n)").replace("500", "n")
    plain = "\n" + ADD.replace("float *x)", "float *x, int n)")
    # The same line, signature and launch: only the file tells them apart.
    result = analyse({"x.cu": plain, "y.cu": growing}, values={"n": 64}, scaling=True)
    found = {kernel.file[-4:]: kernel.scaling for kernel in result.kernels}
    assert found["x.cu"] == {}
    assert found["y.cu"]["n"]["sp_flop"] == pytest.approx(1, abs=0.01)
