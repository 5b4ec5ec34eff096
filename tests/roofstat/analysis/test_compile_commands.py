"""Flags from compile_commands.json: every spelling of nvcc, clang and hipcc translated or dropped."""

import json
from dataclasses import replace

import pytest

from clang_queries.command_line import Language, ParseOptions
from roofstat.analysis.compile_commands import common_options, options_for, read_compile_commands
from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.errors import UsageError
from roofstat.hardware import load_gpu

# Commands as CMake 3.31 writes them for each compiler.
NVCC = (
    "/usr/local/cuda/bin/nvcc -forward-unknown-to-host-compiler -ccbin=/usr/bin/g++ -DN=4 --options-file flags.rsp "
    "-isystem=inc/sys -O3 -DNDEBUG -std=c++17 --generate-code=arch=compute_80,code=[compute_80,sm_80] "
    "-gencode arch=compute_90,code=sm_90 -rdc=true --expt-relaxed-constexpr --extended-lambda -Xptxas -v "
    "-Xcompiler=-fPIC,-Wall,-DHOST=1 -Xcudafe --display_error_number -MD -MT k.o -MF k.o.d -x cu -rdc=true -c k.cu -o k.o"
)
CLANG = "ccache clang++ -I../inc -ffast-math --offload-arch=sm_80 -x cuda -std=gnu++20 -include pre.h -c k.cu -o k.o"
HIPCC = "/opt/rocm/bin/hipcc -Iinc --offload-arch=gfx90a -D__HIP_PLATFORM_AMD__=1 -O2 -x hip -c k.cu -o k.o"


@pytest.fixture
def build(tmp_path):
    """A build directory whose sources lie above it; writes the commands and reads them."""
    directory = tmp_path / "build"
    directory.mkdir()
    (directory / "flags.rsp").write_text("-Iinc -DM=2\n")
    (directory / "pre.h").write_text("#define PRE 1\n")

    def write(*entries):
        (directory / "compile_commands.json").write_text(json.dumps(entries))
        return read_compile_commands(directory)

    return directory, write


def entry(directory, command, file="../k.cu"):
    return {"directory": str(directory), "command": command, "file": file}


def test_flags_of_nvcc_are_translated_or_dropped(build, tmp_path):
    directory, write = build
    found = write(entry(directory, NVCC))
    options = found[str(tmp_path / "k.cu")]
    assert options.defines == ("N=4", "M=2", "NDEBUG", "HOST=1")
    assert options.include_directories == (str(directory / "inc"),)
    assert options.system_directories == (str(directory / "inc/sys"),)
    assert (options.standard, options.optimisation) == ("c++17", "3")
    assert (options.language, options.gpu_architecture) == (Language.CUDA, "sm_90")
    assert options.extra_flags == ()


def test_flags_of_clang_and_hipcc_are_translated(build, tmp_path):
    directory, write = build
    options = write(entry(directory, CLANG))[str(tmp_path / "k.cu")]
    assert options.include_directories == (str(directory / "../inc"),)
    assert options.forced_includes == (str(directory / "pre.h"),)
    assert (options.fast_math, options.standard, options.language) == (
        True,
        "gnu++20",
        Language.CUDA,
    )
    arguments = {"directory": str(directory), "arguments": HIPCC.split(), "file": "../k.cu"}
    options = write(arguments)[str(tmp_path / "k.cu")]
    assert (options.language, options.defines) == (Language.HIP, ("__HIP_PLATFORM_AMD__=1",))


def test_a_header_takes_the_flags_of_a_source_that_includes_it(build, tmp_path):
    directory, write = build
    (tmp_path / "a.cu").write_text("int a;\n")
    (tmp_path / "b.cu").write_text('#include "sub/k.cuh"\n')
    found = write(
        entry(directory, "nvcc -DA a.cu", "../a.cu"), entry(directory, "nvcc -DB b.cu", "../b.cu")
    )
    assert options_for(tmp_path / "sub" / "k.cuh", found).defines == ("B",)
    assert options_for(tmp_path / "other.cuh", found).defines == ("A",)  # it lies beside a.cu
    assert options_for(tmp_path / "sub" / "other.cuh", found) is None
    assert options_for(tmp_path / "c.cu", found) is None


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"file": "k.cu"}]', None])
def test_what_are_no_compile_commands_is_refused(tmp_path, text):
    if text is not None:
        (tmp_path / "compile_commands.json").write_text(text)
    with pytest.raises(UsageError, match=r"compile_commands\.json"):
        read_compile_commands(tmp_path)


def test_the_units_of_a_program_share_their_directories():
    first = ParseOptions(include_directories=("a", "b"), fast_math=True, language=Language.CUDA)
    both = common_options([first, None, ParseOptions(include_directories=("b", "c"))])
    assert both == replace(first, include_directories=("a", "b", "c"), language=None)


def test_each_unit_is_read_with_its_own_flags(build, tmp_path):
    directory, write = build
    (tmp_path / "k.cu").write_text(
        "__global__ void k(float *x) { for (int i = 0; i < N; i++) x[i * 1024 + threadIdx.x] = 1; }\n"
        "void run(float *x) { k<<<1, 64>>>(x); }\n"
    )
    (tmp_path / "main.cu").write_text(
        "void run(float *);\nint main() { float *x; cudaMalloc(&x, N * 1024 * 4); run(x); }\n"
    )
    commands = write(
        entry(directory, "nvcc -DN=8 -c k.cu"),
        entry(directory, "nvcc -DN=64 -c m.cu", "../main.cu"),
    )
    options = AnalysisOptions(gpu=load_gpu("a100"), compile_commands=commands)
    result = analyze_program([tmp_path / "k.cu", tmp_path / "main.cu"], options)
    (kernel,) = result.kernels
    assert [loop.trip_count for loop in kernel.loops] == [8]
    assert result.errors == ()
