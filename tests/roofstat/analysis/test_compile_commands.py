"""Flags from compile_commands.json: every spelling of nvcc, clang and hipcc translated or dropped."""

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from clang_queries.command_line import Language, ParseOptions
from roofstat.analysis.compile_commands import common_options, options_for, read_compile_commands
from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.analysis.settings import parse_options
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


# Of a target with precompiled headers, and of one that offloads, as CMake 3.25 writes them for clang.
PRECOMPILED = (
    "clang++ -DN=4 -fopenmp -fopenmp-targets=nvptx64-nvidia-cuda -Xopenmp-target=nvptx64-nvidia-cuda -march=sm_80 -Winvalid-pch "
    "-Xclang -include-pch -Xclang pch.hxx.pch -Xclang -include -Xclang pre.h -o k.o -c k.cu"
)


def test_what_the_front_end_of_clang_is_told_counts(build, tmp_path):
    directory, write = build
    options = write(entry(directory, PRECOMPILED))[str(tmp_path / "k.cu")]
    assert options.forced_includes == (str(directory / "pre.h"),)
    assert options.defines == ("N=4",)


@pytest.mark.parametrize(
    ("command", "level"),
    [
        ("nvcc -O0 -c k.cu", "3"),  # a level of host code: the same code for the device
        ("ccache nvcc -O 1 -c k.cu", "3"),
        ("/opt/cuda/bin/nvcc --optimize=2 -c k.cu", "3"),
        ("clang++ -O0 -c k.cu", "0"),
        ("clang++ -Xarch_host -O0 -Xarch_device -O2 -c k.cu", "2"),
        ("clang++ -Og -c k.cu", "g"),
    ],
)
def test_levels_are_those_of_device_code(build, tmp_path, command, level):
    directory, write = build
    assert write(entry(directory, command))[str(tmp_path / "k.cu")].optimisation == level


def test_flags_for_the_host_compiler_are_split_at_blanks_too(build, tmp_path):
    directory, write = build
    options = write(entry(directory, "nvcc -Xcompiler '-DA -DB,-DC' -idirafter inc -c k.cu"))[
        str(tmp_path / "k.cu")
    ]
    assert options.defines == ("A", "B", "C")
    assert options.system_directories == (str(directory / "inc"),)


def test_definitions_of_the_command_line_win_over_those_of_the_build():
    options = AnalysisOptions(
        gpu=load_gpu("a100"),
        defines=("N=8",),
        compile_commands={os.path.realpath("k.cu"): ParseOptions(defines=("N=4", "M"))},
    )
    assert parse_options(options, [Path("k.cu")]).defines == ("N=4", "M", "N=8")


def test_a_header_is_found_through_other_headers_and_not_by_its_name_alone(build, tmp_path):
    directory, write = build
    for name, text in {
        "a.cu": '#include "one/util.cuh"\n',
        "b.cu": '#include "body.cuh"\n',
        "two/body.cuh": '#include "util.cuh"\n',
        "one/util.cuh": "",
        "two/util.cuh": "",
        "unity.cu": '#include "part.cu"\n',
        "part.cu": "",
        "alone.cu": "",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = write(
        entry(directory, "nvcc -DA a.cu", "../a.cu"),
        entry(directory, f"nvcc -DB -I{tmp_path / 'two'} b.cu", "../b.cu"),
        entry(directory, "nvcc -DU unity.cu", "../unity.cu"),
    )
    assert options_for(tmp_path / "one/util.cuh", found).defines == ("A",)
    assert options_for(tmp_path / "two/util.cuh", found).defines == ("B",)
    # Unity builds compile sources as parts of others.
    assert options_for(tmp_path / "part.cu", found).defines == ("U",)
    assert options_for(tmp_path / "alone.cu", found) is None


PROJECT = {
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.18)
project(p LANGUAGES {language})
add_library(k OBJECT src/k.{suffix})
target_include_directories(k PRIVATE include "${{CMAKE_CURRENT_SOURCE_DIR}}/kernels")
target_include_directories(k SYSTEM PRIVATE system)
target_compile_definitions(k PRIVATE TILE=32 "NAME=\\"a b\\"" "SUM=(1+2)")
target_compile_options(k PRIVATE {flags})
set_target_properties(k PROPERTIES CUDA_ARCHITECTURES "75;80" CUDA_SEPARABLE_COMPILATION ON)
""",
    "kernels/body.cuh": """#include <system.h>
#include "deep/inner.h"
__global__ void body(float *x) { for (int i = 0; i < TILE * SUM; i++) x[i * sizeof(NAME) * 64 + threadIdx.x] = INNER * SYSTEM; }
""",
    "include/deep/inner.h": "#define INNER 2.0f\n",
    "system/system.h": "#define SYSTEM 3\n",
    "src/k.cu": """#include "body.cuh"
int main() { float *x; cudaMalloc(&x, 1 << 20); body<<<1024, 64>>>(x); }
""",
    "src/k.cpp": """#include "region.h"
int main() { static float x[TILE]; scale(x); }
""",
    "kernels/region.h": """#include "deep/inner.h"
inline void scale(float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : TILE])
  for (int i = 0; i < TILE; i++) for (int k = 0; k < SUM; k++) x[i] *= INNER;
}
""",
}


def configured(directory, generator, *settings, **values):
    """The build directory of a project with blanks in its name, after cmake."""
    project = directory / "my project"
    for name, text in PROJECT.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text.format(**values) if name == "CMakeLists.txt" else text)
    command = [
        "cmake", "-G", generator, "-S", project, "-B", project / "build", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *settings,
    ]  # fmt: skip
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return project


def trip_counts(project, *names):
    commands = read_compile_commands(project / "build")
    options = AnalysisOptions(gpu=load_gpu("a100"), compile_commands=commands)
    result = analyze_program([project / name for name in names], options)
    assert result.errors == ()
    return [loop.trip_count for kernel in result.kernels for loop in kernel.loops]


@pytest.mark.skipif(
    not all(map(shutil.which, ("cmake", "ninja", "make", "nvcc"))),
    reason="needs cmake, ninja, make and nvcc",
)
@pytest.mark.parametrize(
    ("generator", "settings"),
    [
        ("Ninja", ()),
        ("Unix Makefiles", ("-DCMAKE_CUDA_USE_RESPONSE_FILE_FOR_INCLUDES=ON",)),
    ],
)
def test_a_database_of_cmake_with_nvcc_is_read(tmp_path, generator, settings):
    flags = '--use_fast_math --maxrregcount=64 -O0 "-Xcompiler=-Wall,-fPIC" "SHELL:-Xptxas -v"'
    project = configured(tmp_path, generator, *settings, language="CUDA", suffix="cu", flags=flags)
    (options,) = read_compile_commands(project / "build").values()
    assert (options.fast_math, options.max_registers, options.optimisation) == (True, 64, "3")
    assert set(options.defines) == {"TILE=32", 'NAME="a b"', "SUM=(1+2)"}
    assert options.include_directories == (str(project / "include"), str(project / "kernels"))
    # 32 x 3 turns, as the source sees it and as the header does on its own.
    assert trip_counts(project, "src/k.cu") == [96]
    assert trip_counts(project, "kernels/body.cuh") == [96]
    assert (
        options_for(project / "include/deep/inner.h", {str(project / "src/k.cu"): options})
        == options
    )


@pytest.mark.skipif(not all(map(shutil.which, ("cmake", "ninja"))), reason="needs cmake and ninja")
@pytest.mark.parametrize(
    ("compiler", "flags"),
    [
        (
            "clang++",
            "-fopenmp -fopenmp-targets=nvptx64-nvidia-cuda -Xopenmp-target=nvptx64-nvidia-cuda -march=sm_80",
        ),
        ("hipcc", "--offload-arch=gfx90a -fgpu-rdc -fopenmp"),
        ("nvc++", "-mp=gpu -gpu=cc80 -Minfo=mp"),
    ],
)
def test_a_database_of_cmake_with_an_offloading_compiler_is_read(tmp_path, compiler, flags):
    """Configuring runs no compiler that is said to work: a stand-in of its name gets the commands that the real one would."""
    (tmp_path / compiler).write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / compiler).chmod(0o755)
    settings = {
        "CMAKE_CXX_COMPILER": tmp_path / compiler,
        "CMAKE_CXX_COMPILER_FORCED": "TRUE",
        "CMAKE_CXX_COMPILER_ID": "Clang",
        "CMAKE_CXX_COMPILER_VERSION": "18",
    }
    project = configured(
        tmp_path,
        "Ninja",
        *(f"-D{name}={value}" for name, value in settings.items()),
        language="CXX",
        suffix="cpp",
        flags=flags,
    )
    assert 3 in trip_counts(project, "src/k.cpp")
    assert 3 in trip_counts(project, "kernels/region.h")
