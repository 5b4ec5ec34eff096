"""Flags of three compilers."""

from itertools import pairwise

import pytest

from clang_queries.command_line import (
    Language,
    ParseOptions,
    clang_arguments,
    language_of,
    parse_command_line,
)


def test_everything_that_changes_the_meaning_is_kept():
    options, sources = parse_command_line(
        [
            "-I",
            "inc",
            "-Ialso",
            "-isystem",
            "sys",
            "-iquote",
            "q",
            "-DA",
            "-D",
            "B=2",
            "-UC",
            "-include",
            "pre.h",
            "-std=c++20",
            "-O2",
            "-use_fast_math",
            "-maxrregcount=64",
            "--fmad=false",
            "-x",
            "cu",
            "-c",
            "main.cu",
            "-o",
            "main.o",
        ]
    )
    assert options == ParseOptions(
        language=Language.CUDA,
        standard="c++20",
        include_directories=("inc", "also"),
        system_directories=("sys",),
        quote_directories=("q",),
        defines=("A", "B=2"),
        undefines=("C",),
        forced_includes=("pre.h",),
        optimisation="2",
        fast_math=True,
        max_registers=64,
        fuse_multiply_add=False,
    )
    assert sources == ("main.cu",)


@pytest.mark.parametrize(
    ("flags", "architecture"),
    [
        ("-arch=sm_90", "sm_90"),
        ("-arch sm_75", "sm_75"),
        ("-gencode arch=compute_70,code=sm_70 -gencode arch=compute_86,code=sm_86", "sm_86"),
        ("--generate-code=arch=compute_80,code=[compute_80,sm_80]", "sm_80"),
        ("--cuda-gpu-arch=sm_61", "sm_61"),
        ("-O3", "sm_80"),
    ],
)
def test_newest_architecture_counts(flags, architecture):
    assert parse_command_line(flags.split())[0].gpu_architecture == architecture


def test_host_flags_are_unwrapped_and_pairs_dropped():
    options, sources = parse_command_line(
        [
            "-Xcompiler",
            "-DHOST,-fopenmp",
            "-Xptxas",
            "-v",
            "-ccbin",
            "g++",
            "--expt-relaxed-constexpr",
            "-lineinfo",
            "-rdc=true",
            "k.cu",
            "-lcudart",
        ]
    )
    assert options.defines == ("HOST",)
    assert sources == ("k.cu",)


def test_later_flags_add_to_given_options():
    options, _ = parse_command_line(["-DB"], ParseOptions(defines=("A",), standard="c++14"))
    assert (options.defines, options.standard) == (("A", "B"), "c++14")


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.cu", Language.CUDA),
        ("a.cuh", Language.CUDA),
        ("a.hip", Language.HIP),
        ("a.cpp", Language.OPENMP),
        ("A.C", Language.OPENMP),
    ],
)
def test_language_of_a_file(path, language):
    assert language_of(path) is language


@pytest.mark.parametrize(
    ("architecture", "flag", "macro"),
    [
        ("sm_80", "--cuda-gpu-arch=sm_80", None),
        ("sm_90a", "--cuda-gpu-arch=sm_90a", None),
        ("sm_120", "--cuda-gpu-arch=sm_90", "-D__CUDA_ARCH__=1200"),
        ("sm_88", "--cuda-gpu-arch=sm_87", "-D__CUDA_ARCH__=880"),
        ("sm_35", "--cuda-gpu-arch=sm_50", "-D__CUDA_ARCH__=350"),
        ("gfx90a", "--cuda-gpu-arch=sm_80", None),
    ],
)
def test_architectures_that_libclang_refuses_are_mapped(architecture, flag, macro):
    arguments = clang_arguments(ParseOptions(gpu_architecture=architecture), "a.cu")
    assert flag in arguments
    assert [item for item in arguments if item.startswith("-D__CUDA_ARCH__")] == (
        [] if macro is None else [macro]
    )


def test_architecture_reaches_the_source(lower):
    unit = lower("__global__ void k(int *p) { p[0] = __CUDA_ARCH__; }", gpu_architecture="sm_120")
    assign = unit.functions[unit.kernels[0]].body.body[0].expression
    assert assign.value.value == 1200


def test_openmp_is_read_as_host_code():
    arguments = clang_arguments(ParseOptions(), "a.c")
    assert ("-x", "c") in pairwise(arguments)
    assert any(item.startswith("-D_OPENMP=") for item in arguments)
    assert not any("cuda" in item for item in arguments)
