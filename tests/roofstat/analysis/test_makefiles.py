"""Include directories that makefiles name."""

import pytest

from roofstat.analysis import discover
from roofstat.analysis.discovery import program_of

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
