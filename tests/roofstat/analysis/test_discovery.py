"""Which files are analysed and which belong together."""

import os
import re
from pathlib import Path

import pytest

from roofstat.analysis import discover
from roofstat.analysis.discovery import has_gpu_code
from roofstat.errors import UsageError

KERNEL = "__global__ void k(float *x) { x[threadIdx.x] = 1; }\n"
MAIN = "int main(int argc, char **argv) { return 0; }\n"


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Write files given as {name: text}; paths are then relative to them."""

    def write(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())

    monkeypatch.chdir(tmp_path)
    return write


def programs(*paths, **options):
    found = discover(paths, **options)
    return [([str(f) for f in p.files], [str(f) for f in p.host_files]) for p in found.programs]


@pytest.mark.parametrize(
    ("text", "gpu"),
    [
        (b"__global__ void k();", True),
        (b"k<<<1, 2>>>(3);", True),
        (b"#pragma omp target teams distribute", True),
        (b"#  pragma   omp declare target", True),
        (b"#pragma omp \\\n  target", True),
        (b'_Pragma("omp target")', True),
        (b'_Pragma(L"omp target")', True),
        (b"DO_PRAGMA(omp target teams)", True),
        (b"%:pragma omp target", True),
        (b"[[omp::directive(target)]]", True),
        (b"[[using omp: directive(target)]]", True),
        (b"[[omp::directive(parallel)]]", False),
        (b"#pragma omp parallel for\nint target;", False),
        (b"<<<<<<< HEAD\n=======\n>>>>>>>", False),
        (b"int x = a << 3;", False),
        (b"", False),
    ],
)
def test_quick_look_finds_gpu_code(text, gpu):
    assert has_gpu_code(text) is gpu


@pytest.mark.parametrize(
    "text",
    [
        b"a\n" * 500_000,
        b" " * 1_000_000,
        b"#pragma omp \\\n" + b" \\\n" * 50_000,
        b"#pragma omp " * 20_000,
        b"#pragma omp\n" * 20_000,
        b'_Pragma("omp' * 20_000,
        b"int " * 250_000,
        b"<" * 1_000_000,
        b'#include "' * 100_000,
    ],
)
def test_long_and_odd_texts_are_looked_at_without_blowing_up(tree, text):
    # Backtracking would take hours here; the test then never ends.
    tree({"d/odd.cu": text, "d/k.cu": KERNEL})
    assert programs("d")[0][0][-1] == "d/k.cu"


def test_named_file_is_its_own_program(tree):
    tree({"a.cu": KERNEL})
    assert programs("a.cu") == [(["a.cu"], [])]


def test_named_file_is_analysed_whatever_its_suffix_and_text(tree):
    tree({"a.txt": "int x;", "b.cpp": "int y;"})
    assert programs("a.txt") == [(["a.txt"], [])]
    assert programs("b.cpp") == [(["b.cpp"], [])]


def test_directory_joins_its_units_and_leaves_other_files_out(tree):
    tree(
        {
            "d/k.cu": KERNEL,
            "d/main.cpp": MAIN,
            "d/notes.txt": KERNEL,
            "d/.hidden/x.cu": KERNEL,
            "d/CMakeFiles/x.cu": KERNEL,
        }
    )
    assert programs("d") == [(["d/k.cu"], ["d/main.cpp"])]


def test_directories_are_separate_programs(tree):
    tree({"d/a/k.cu": KERNEL, "d/b/k.hip": KERNEL, "d/b/omp.c": "#pragma omp target\nvoid f();"})
    assert programs("d") == [(["d/a/k.cu"], []), (["d/b/k.hip", "d/b/omp.c"], [])]


PROJECT = {
    "src/k.cu": '#include "k.h"\n' + KERNEL,
    "src/detail/util.cpp": '#include "k.h"\n',
    "src/k.h": "",
    "apps/main.cpp": '#include "k.h"\n' + MAIN,
}


def test_folders_that_share_headers_are_one_program_with_their_main(tree):
    tree(PROJECT | {"other/o.cu": '#include "o.h"\n' + KERNEL, "other/o.h": ""})
    joined = (["src/k.cu"], ["apps/main.cpp", "src/detail/util.cpp"])
    assert programs(".") == [(["other/o.cu"], []), joined]


def test_folders_of_named_files_are_joined_by_headers_that_only_a_flag_leads_to(tree):
    tree(PROJECT)
    found = programs("src/k.cu", "apps/main.cpp")
    assert found == [(["src/k.cu", "apps/main.cpp"], [])]


def test_folders_with_several_mains_between_them_stay_apart(tree):
    tree(PROJECT | {"tests/main.cpp": '#include "k.h"\n' + MAIN})
    assert programs(".") == [(["src/k.cu"], [])]


def test_each_unit_with_main_is_a_program(tree):
    tree({"d/a.cu": KERNEL + MAIN, "d/b.cu": KERNEL + MAIN, "d/lib.cu": KERNEL})
    assert programs("d") == [(["d/a.cu"], []), (["d/b.cu"], []), (["d/lib.cu"], [])]


def test_host_main_beside_a_gpu_main_is_another_program(tree):
    tree({"d/a.cu": KERNEL + MAIN, "d/tool.cpp": MAIN, "d/help.cpp": "int f() { return 1; }"})
    assert programs("d") == [(["d/a.cu"], ["d/help.cpp"])]


def test_included_headers_go_with_their_unit_and_others_alone(tree):
    tree(
        {
            "d/main.cu": '#include "sub/a.cuh"\n' + MAIN + KERNEL,
            "d/sub/a.cuh": '#include "b.h"\n' + KERNEL,
            "d/sub/b.h": KERNEL,
            "d/sub/alone.hpp": KERNEL,
            "d/sub/host.h": "int f();",
        }
    )
    assert programs("d") == [(["d/main.cu"], []), (["d/sub/alone.hpp"], [])]


def test_units_that_others_include_are_parts_of_those(tree):
    tree(
        {
            "d/main.cu": '#include "kernels.cu"\n#include "../e/more.cu"\n' + MAIN + KERNEL,
            "d/kernels.cu": KERNEL,
            "d/apart.cu": KERNEL,
            "d/a.cu": '#include "b.cu"\n' + KERNEL,
            "d/b.cu": '#include "a.cu"\n' + KERNEL,
            "e/more.cu": KERNEL,
            "e/kernels.cu": KERNEL,
        }
    )
    assert programs("d", "e") == [
        (["d/a.cu", "d/apart.cu", "d/b.cu", "d/main.cu"], []),
        (["e/kernels.cu"], []),
    ]
    assert programs("d/kernels.cu") == [(["d/kernels.cu"], [])]


def test_a_unit_whose_gpu_code_is_all_included_is_analysed(tree):
    tree(
        {
            "d/main.cu": '#include "kernels.cu"\n' + MAIN,
            "d/kernels.cu": KERNEL,
            "e/main.cu": '#include "map/a.cuh"\n' + MAIN,
            "e/map/a.cuh": KERNEL,
        }
    )
    assert programs("d", "e") == [(["d/main.cu"], []), (["e/main.cu"], [])]


def test_units_may_be_parts_of_others_through_headers(tree):
    tree(
        {
            "d/main.cu": '#include "a.h"\n' + MAIN + KERNEL,
            "d/a.h": '#include "kernels.cu"\n',
            "d/kernels.cu": KERNEL,
        }
    )
    assert programs("d") == [(["d/main.cu"], [])]


def test_headers_elsewhere_in_the_tree_are_found(tree):
    tree(
        {
            "p/device/k.cu": '#include "types.h"\n#include <sub/more.h>\n#include <cstdio>\n'
            + KERNEL,
            "p/include/types.h": '#include "deep.h"\n',
            "p/lib/deep.h": "",
            "p/third/sub/more.h": "",
            "p/include/cstdio": "",
            "q/include/types.h": "",
        }
    )
    [program] = discover(["p", "q"]).programs
    assert [str(path) for path in program.include_dirs] == ["p/include", "p/third", "p/lib"]


def test_named_header_is_analysed_once(tree):
    tree({"a.cu": '#include "k.cuh"\n', "k.cuh": KERNEL, "d/k.cuh": KERNEL})
    assert programs("a.cu", "k.cuh") == [(["a.cu"], [])]
    assert programs("a.cu", "d/k.cuh") == [(["a.cu"], []), (["d/k.cuh"], [])]


def test_units_whose_target_regions_stand_in_headers_are_analysed(tree):
    region = "#pragma omp target\n{}\n"
    tree(
        {
            "d/main.cpp": '#include "step.h"\n' + MAIN,
            "d/step.h": f"inline void step() {{\n{region}}}\n",
            "e/main.cpp": '#include "kernel.h"\n' + MAIN,
            "e/kernel.h": KERNEL,
            "f/named.cpp": "#define LOOP target teams\nvoid f() {\n#pragma omp LOOP\n{}\n}\n",
        }
    )
    assert programs("d") == [(["d/main.cpp"], [])]
    assert programs("e") == [(["e/main.cpp"], [])]
    assert programs("f") == [(["f/named.cpp"], [])]


def test_kernels_in_headers_that_cuda_units_include_are_theirs(tree):
    tree(
        {
            "d/a.cu": '#include "k.h"\n' + KERNEL,
            "d/k.h": KERNEL,
            "d/host.cpp": '#include "k.h"\n',
            "e/main.cpp": "#include <steps.hpp>\n" + MAIN,
            "e/steps.hpp": '#include "k.hpp"\n',
            "e/k.hpp": KERNEL,
        }
    )
    assert programs("d") == [(["d/a.cu"], ["d/host.cpp"])]
    # A makefile has `nvcc -x cu main.cpp`.
    assert programs("e") == [(["e/main.cpp"], [])]


def test_own_folders_are_searched_first(tree):
    tree(
        {
            "a/k.hpp": KERNEL,
            "b/k.hpp": KERNEL,
            "b/main.cu": '#include "../c/all.hpp"\n' + MAIN,
            "c/all.hpp": "#include <k.hpp>\n#include <only.hpp>\n",
            "b/only.hpp": "",
        }
    )
    (found,) = (p for p in discover(["."]).programs if str(p.files[0]) == "b/main.cu")
    assert [folder.name for folder in found.include_dirs] == ["b", "a"]


def test_a_file_given_twice_counts_once(tree):
    tree({"d/a.cu": KERNEL})
    assert programs("d/a.cu", "d", "./d/a.cu", "d/../d") == [(["d/a.cu"], [])]
    assert discover(["d/a.cu", "d"]).errors == ()


def test_standard_input_is_cuda_or_openmp_by_its_text(tree):
    found = discover(["-"], read_stdin=KERNEL.encode)
    assert found.programs[0].files == (Path("<stdin>.cu"),)
    assert found.unsaved == {"<stdin>.cu": KERNEL}
    openmp = discover(["-"], read_stdin=lambda: b"#pragma omp target\nvoid f();")
    assert openmp.programs[0].files == (Path("<stdin>.cpp"),)


def test_pipes_are_read_like_standard_input(tree):
    read, write = os.pipe()
    os.write(write, KERNEL.encode())
    os.close(write)
    found = discover([f"/dev/fd/{read}"])
    os.close(read)
    assert list(found.unsaved.values()) == [KERNEL]


def test_nothing_to_read_is_a_usage_error():
    with pytest.raises(UsageError, match="no input"):
        discover([])
    with pytest.raises(UsageError, match="standard input"):
        discover(["-"])


@pytest.mark.parametrize(
    ("files", "path", "message"),
    [
        ({}, "gone.cu", "no such file"),
        ({"b.cu": b"\x7fELF\x00\x01"}, "b.cu", "binary"),
        ({"b.F90": "!$omp target\n"}, "b.F90", "Fortran is not read"),
        ({"d/x.cpp": "int x;"}, "d", "no GPU code"),
        ({"d/readme": "hello"}, "d", "no GPU code"),
        ({}, "nul\0byte", "no such file|cannot read"),
    ],
)
def test_unusable_inputs_become_errors_and_do_not_stop_others(tree, files, path, message):
    tree({**files, "good.cu": KERNEL})
    found = discover([path, "good.cu"])
    assert [error.file for error in found.errors] == [path]
    assert re.search(message, found.errors[0].message)
    assert [str(program.files[0]) for program in found.programs] == ["good.cu"]


def test_broken_links_and_loops_do_not_hang(tree):
    tree({"d/a.cu": KERNEL})
    Path("d/loop").symlink_to(".", target_is_directory=True)
    Path("d/broken.cu").symlink_to("nowhere")
    assert programs("d") == [(["d/a.cu"], [])]
    assert "broken link" in (discover(["d/broken.cu"]).errors[0].remedy or "")


def test_texts_in_any_encoding_are_found(tree):
    tree({"d/latin.cu": b"// caf\xe9\n" + KERNEL.encode()})
    assert programs("d") == [(["d/latin.cu"], [])]


def test_main_is_found_in_its_usual_forms(tree):
    forms = ["int main()\n{", "auto main(int, char**) -> int {", "extern int  main (void) {"]
    for form in forms:
        tree({"d/a.cu": KERNEL + form + "}", "d/b.cu": KERNEL + MAIN})
        assert len(programs("d")) == 2, form
    tree({"d/a.cu": KERNEL + "// the main(loop)\nint domain(int x);"})
    assert len(programs("d")) == 1


def test_a_directory_whose_only_gpu_code_are_library_calls(tmp_path):
    text = "#include <thrust/sort.h>\nint main() { thrust::sort(a, b); }\n"
    (tmp_path / "main.cu").write_text(text)
    (tmp_path / "helper.h").write_text("inline void f() { thrust::sort(a, b); }\n")
    found = discover([str(tmp_path)])
    assert not found.errors
    assert [program.files for program in found.programs] == [(tmp_path / "main.cu",)]
