"""A text that is parsed again gives the tree that it gives when it is parsed for the first time."""

from pathlib import Path

import pytest

from clang_queries.command_line import ParseOptions
from clang_queries.translation_unit import KeptUnits
from clang_queries.unit import lower_functions, lower_unit

FIXTURES = Path(__file__).parents[2] / "fixtures"
SOURCES = sorted([*FIXTURES.glob("cuda/*.cu"), *FIXTURES.glob("openmp/*.c*")])[::6]


@pytest.fixture
def kept():
    units = KeptUnits()
    yield units
    units.close()


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: file.stem)
def test_a_changed_text_gives_the_unit_of_a_first_parse(kept, file):
    text = file.read_text()
    before = f"{text}\n__attribute__((unused)) static int added(int x) {{ return x + 1; }}\n"
    lower_unit(str(file), text=before, parser=kept.parse)
    assert lower_unit(str(file), text=text, parser=kept.parse) == lower_unit(str(file), text=text)


def test_a_changed_header_is_read_anew(kept, tmp_path):
    main = tmp_path / "main.cu"
    text = '#include "size.h"\n__global__ void k(int *p) { p[SIZE] = 0; }\n'
    header = str(tmp_path / "size.h")

    def read(size):
        unsaved = {header: f"#define SIZE {size}\n".encode()}
        return lower_unit(str(main), text=text, unsaved=unsaved, parser=kept.parse)

    first, second = read(8), read(9)
    assert "8" in str(first.functions)
    assert "9" in str(second.functions)
    assert second == lower_unit(str(main), text=text, unsaved={header: b"#define SIZE 9\n"})


def test_some_functions_are_lowered_as_with_all_others(kept):
    text = """
    __constant__ float weights[4];
    __device__ float weigh(float x, int i) { return x * weights[i]; }
    __global__ void first(float *p) { p[threadIdx.x] = 1; }
    __global__ void second(float *p) { p[threadIdx.x] = weigh(p[0], 2); }
    int main() { first<<<1, 32>>>(0); second<<<1, 32>>>(0); }
    """
    whole = lower_unit("k.cu", text=text)
    key = whole.kernels[1]
    part = lower_functions("k.cu", ParseOptions(), frozenset({key}), text, parser=kept.parse)
    assert part.functions[key] == whole.functions[key]
    assert sorted(item.name for item in part.functions.values()) == ["second", "weigh"]
    assert part.globals == whole.globals
