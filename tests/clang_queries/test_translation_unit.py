"""Parsing: precompiled prelude, files, places."""

from clang_queries.command_line import ParseOptions
from clang_queries.translation_unit import parse, read_source
from clang_queries.unit import lower_unit

_SOURCE = "#include <cstdio>\n__global__ void k(float4 *p) { p[threadIdx.x] = make_float4(1, 2, 3, 4); }\n"


def test_precompiled_prelude_changes_nothing(tmp_path):
    plain = lower_unit("k.cu", text=_SOURCE)
    options = ParseOptions(precompiled_directory=str(tmp_path / "cache"))
    made, reused = (lower_unit("k.cu", options, _SOURCE) for _ in range(2))
    assert made == plain
    assert reused == plain
    assert len(list((tmp_path / "cache").glob("*.pch"))) == 1


def test_each_standard_and_architecture_has_its_own_prelude(tmp_path):
    for flags in ({}, {"standard": "c++14"}, {"gpu_architecture": "sm_90"}, {"defines": ("A=1",)}):
        options = ParseOptions(precompiled_directory=str(tmp_path), **flags)
        assert lower_unit("k.cu", options, _SOURCE).diagnostics == ()
    assert len(list(tmp_path.glob("*.pch"))) == 3


def test_broken_precompiled_file_is_not_used(tmp_path):
    options = ParseOptions(precompiled_directory=str(tmp_path))
    lower_unit("k.cu", options, _SOURCE)
    [path] = tmp_path.glob("*.pch")
    path.write_bytes(b"broken")
    assert lower_unit("k.cu", options, _SOURCE) == lower_unit("k.cu", text=_SOURCE)


def test_foreign_precompiled_file_is_made_again(tmp_path):
    options = ParseOptions(precompiled_directory=str(tmp_path))
    lower_unit("k.cu", options, _SOURCE)
    [path] = tmp_path.glob("*.pch")
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    lower_unit("k.cu", options, _SOURCE)
    assert [file.is_symlink() for file in tmp_path.glob("*.pch")] == [False]


def test_a_header_of_the_user_that_stands_for_a_bundled_one_is_read(tmp_path):
    cache, include = tmp_path / "cache", tmp_path / "include"
    options = ParseOptions(precompiled_directory=str(cache), include_directories=(str(include),))
    source = "__global__ void k(int *p) { p[0] = OWN; }\n"
    include.mkdir()
    (include / "cuda_runtime.h").write_text(
        "#define OWN 7\n#define __global__ __attribute__((global))\n"
    )
    unit = lower_unit("k.cu", options, source)
    assert unit.diagnostics == ()
    assert str(include / "cuda_runtime.h") in unit.included_files
    assert not cache.exists()


def test_unwritable_cache_falls_back_to_the_text(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    options = ParseOptions(precompiled_directory=str(blocked / "below"))
    assert lower_unit("k.cu", options, _SOURCE).diagnostics == ()


def test_included_files_and_skipped_ranges(tmp_path):
    (tmp_path / "a.h").write_text("#if 0\nint hidden;\n#endif\nint shown;\n")
    path = tmp_path / "k.cpp"
    path.write_text('#include "a.h"\n')
    with parse(str(path), ParseOptions(), read_source(str(path))) as unit:
        names = {
            unit.file_name(handle): handle
            for handle in unit.included_files()
            if not unit.is_bundled(handle)
        }
        assert set(names) == {str(path), str(tmp_path / "a.h")}
        header = names[str(tmp_path / "a.h")]
        [(begin, end)] = unit.skipped_ranges(header)
        assert b"hidden" in unit.contents(header)[begin:end]
        assert b"shown" not in unit.contents(header)[begin:end]


def test_headers_of_the_project_are_lowered_and_bundled_ones_only_where_used(tmp_path):
    (tmp_path / "k.cuh").write_text("inline __device__ float twice(float x) { return 2 * x; }\n")
    path = tmp_path / "k.cu"
    path.write_text('#include "k.cuh"\n__global__ void k(float *p) { p[0] = 1; }\n')
    unit = lower_unit(str(path))
    assert sorted(item.name for item in unit.functions.values()) == ["k", "twice"]


def test_c_and_cpp_standards_decide_how_c_files_are_read(lower):
    text = "int f(int *class) { return class[0]; }"
    assert lower(text, path="a.c", language=None).diagnostics == ()
    assert lower(text, path="a.c", language=None, standard="gnu++14").diagnostics
