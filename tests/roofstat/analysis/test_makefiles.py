"""Include directories and macros that makefiles name."""

from pathlib import Path

import pytest

from roofstat.analysis import AnalysisOptions, analyze_paths, discover
from roofstat.analysis.discovery import program_of
from roofstat.hardware import load_gpu

UNIT = '#include "parameters.h"\n__global__ void k(float *x) { x[threadIdx.x] = 1; }\n'


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Write files given as {name: text}; paths are then relative to them. Headers lie in two folders outside of `p`."""

    def write(files):
        own = {"common/parameters.h": '#include "deep.h"\n', "deep/deep.h": "", "other/more.h": ""}
        for name, text in {**own, **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    monkeypatch.chdir(tmp_path)
    return write


def directories(tmp_path, *paths):
    [program] = discover(paths).programs
    return [str(path.resolve().relative_to(tmp_path)) for path in program.include_dirs]


@pytest.mark.parametrize(
    "makefile",
    [
        "CFLAGS := -O3 -I../common -I../deep -I../other -I../nowhere\n",
        "all:\n\tnvcc -c -I ../common -I'../deep' \\\n  -I../other k.cu\n",
        "TOP = ..\nINC := $(TOP)/common # headers\nFLAGS = -I$(INC) -I${TOP}/deep -I$(CUDA)/include\n",
        "FLAGS += -I$(CURDIR)/../common\nifdef X\nFLAGS += -I$(shell pwd)/../deep\nendif\n",
    ],
)
def test_headers_are_found_where_the_makefile_says(tree, tmp_path, makefile):
    """Those directories alone that a header is found in, `deep` through the header in `common`."""
    tree({"p/k.cu": UNIT, "p/Makefile": makefile})
    assert directories(tmp_path, "p") == ["common", "deep"]
    assert directories(tmp_path, "p/k.cu") == ["common", "deep"]
    assert [path.name for path in program_of(tmp_path / "p/k.cu").include_dirs] == [
        "common",
        "deep",
    ]


def test_a_makefile_above_names_directories_from_where_it_stands(tree, tmp_path):
    tree({"p/src/gpu/k.cu": UNIT, "p/Makefile": "F = -I../common -I../deep\n", "p/.git/x": ""})
    assert directories(tmp_path, "p/src/gpu/k.cu") == ["common", "deep"]
    tree({"q/src/k.cu": UNIT, "q/src/.git/x": "", "q/Makefile": "F = -I../common -I../deep\n"})
    assert directories(tmp_path, "q/src/k.cu") == []


def test_the_tree_comes_first_and_nothing_is_added_that_is_not_missed(tree, tmp_path):
    makefile = "F = -I../common -I../deep\n"
    tree({"p/k.cu": UNIT, "p/inc/parameters.h": "", "p/Makefile": makefile})
    assert directories(tmp_path, "p") == ["p/inc"]
    tree({"q/k.cu": UNIT, "q/parameters.h": "", "q/Makefile": makefile})
    assert directories(tmp_path, "q") == []


@pytest.mark.parametrize("makefile", ["A = $(B)\nB = $(A)x\nF = -I$(A)\n", "\0\xff-I", "-I" * 9999])
def test_strange_makefiles_do_no_harm(tree, tmp_path, makefile):
    tree({"p/k.cu": UNIT, "p/Makefile": makefile, "p/makefile": ""})
    (tmp_path / "p" / "makefile").unlink()
    assert directories(tmp_path, "p") == []


def test_a_header_that_includes_itself_ends(tree, tmp_path):
    tree({"p/k.cu": UNIT, "p/Makefile": "F = -I../common\n", "common/parameters.h": UNIT})
    assert directories(tmp_path, "p") == ["common"]


SWITCHED = "#ifdef GPU\n__global__ void k(real *x) { x[threadIdx.x] = N; }\n#endif\n"


def macros(*paths):
    [program] = discover(paths).programs
    return program.build.macros if program.build is not None else ()


@pytest.mark.parametrize(
    ("makefile", "expected"),
    [
        ("CXXFLAGS = -O3 -DGPU -Dreal=double -DN=4\n", ("GPU", "real=double", "N=4")),
        ("F = -DGPU\nF += $(G)\nG = -D N=2\nx: k.cu\n\tnvcc $(F) $< -o $@\n", ("GPU", "N=2")),
        # What no compile line uses, what other builds use, and what no source names.
        ("F = -DGPU\nx: k.cu\n\techo $(F)\ndebug: k.cu\n\tnvcc -DN=1 $<\n", ()),
        ("debug: CFLAGS += -DGPU\nCFLAGS = -DOTHER\n", ()),
        # Conditionals that the makefile decides itself.
        ("D = gpu\nifeq ($(D),gpu)\nCFLAGS = -DGPU\nelse\nCFLAGS = -DN=1\nendif\n", ("GPU",)),
        ("ifeq ($(D),gpu)\nCFLAGS = -DGPU\nelse\nCFLAGS = -DN=1\nendif\n", ("N=1",)),
        ("D=2\nifeq '$(D)' '1'\nCFLAGS=-DN=1\nelse ifneq ($(D),3)\nCFLAGS=-DN=2\nelse\nCFLAGS=-DN=3\nendif\n", ("N=2",)),
        ("T = 1\nifdef T\nifndef U\nCFLAGS := -DGPU\nendif\nendif\n", ("GPU",)),
        # What rests on a command counts in no branch.
        ("ifeq ($(shell uname),Linux)\nCFLAGS = -DGPU\nelse\nCFLAGS = -DN=1\nendif\n", ()),
        ('CFLAGS = -DN=\\"a\\" -DGPU # -Dreal=float\n', ('N="a"', "GPU")),
        ("A = $(A)\nB = $(C)\nC = $(B)\nCFLAGS = $(A)$(B) -DGPU\nelse\nendif\nendif\n", ("GPU",)),
    ],
)  # fmt: skip
def test_macros_are_those_of_compile_lines(tree, makefile, expected):
    tree({"p/k.cu": SWITCHED, "p/Makefile": makefile})
    assert macros("p") == macros("p/k.cu") == expected
    assert program_of(Path("p/k.cu").absolute()).build == discover(["p"]).programs[0].build


def test_macros_may_be_named_by_headers_alone(tree):
    makefile = "F = -I../common -DDEEP -DOTHER\nx:\n\tnvcc $(F) k.cu\n"
    files = {"p/k.cu": UNIT, "deep/deep.h": "#if DEEP\n#endif\n"}
    tree({**files, "p/Makefile": makefile})
    assert macros("p") == ()
    tree({**files, "p/Makefile": makefile.replace("-D", "-I../deep -D", 1)})
    assert macros("p") == ("DEEP",)


def analyzed(**options):
    return analyze_paths(["p"], AnalysisOptions(gpu=load_gpu("h100-sxm"), **options))


def test_the_makefile_stands_behind_what_the_user_says(tree):
    """Of 32 threads each stores a constant of type `real`."""
    text = SWITCHED.replace("#endif", "int main() { k<<<1, 32>>>(0); }\n#endif")
    tree({"p/k.cu": text, "p/Makefile": "CFLAGS = -DGPU -Dreal=double -DN=4\n"})

    def stored(**options):
        report = analyzed(**options)
        notes = [item.message for item in report.diagnostics if item.code == "build-macros"]
        return [kernel.traffic.compulsory_bytes for kernel in report.kernels], notes

    said = "compiled as Makefile says, with -D GPU"
    assert stored() == ([32 * 8], [f"{said} -D real=double -D N=4"])
    assert stored(defines=("real=float",)) == ([32 * 4], [f"{said} -D N=4"])
    assert stored(extra_flags=("-UGPU",)) == (
        [],
        [said.replace("GPU", "real=double") + " -D N=4"],
    )
