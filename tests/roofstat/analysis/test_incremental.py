"""An update after an edit says what a whole analysis of the edited text says."""

import dataclasses
from pathlib import Path

import pytest

from clang_queries.translation_unit import KeptUnits
from roofstat.analysis import AnalysisOptions
from roofstat.analysis.incremental import EditedSource
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu

FILE = Path("/nowhere/program.cu")
TEXT = """\
#include "size.h"
__constant__ float weights[4];
__device__ float weigh(float x, int i) { return x * weights[i % 4]; }
constexpr int twice(int x) { return 2 * x; }

__global__ void fill(int n, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 7;
}

__global__ void scale(int n, const int *count, float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < count[0]; k++) sum += weigh(x[i], k);
    if (i < n) x[i] = sum;
}

__global__ void alone(float *x)
{
    x[threadIdx.x] += twice(SIZE);
}

int main()
{
    int n = 1 << 20, *count; float *x;
    cudaMalloc(&count, n * sizeof(int));
    cudaMalloc(&x, n * sizeof(float));
    fill<<<n / 256, 256>>>(n, count);
    scale<<<n / 256, 256>>>(n, count, x);
}
"""
HEADER = {"/nowhere/size.h": "#define SIZE 21\n"}


def options(text, header=None):
    return AnalysisOptions(gpu=load_gpu("a100"), unsaved={str(FILE): text, **(header or HEADER)})


@pytest.fixture
def source():
    units = KeptUnits()
    found = EditedSource(FILE, units)
    found.analyze(options(TEXT), 1)
    yield found
    units.close()


def kernels(result, *names):
    return {kernel.name: kernel for kernel in result.kernels if not names or kernel.name in names}


@pytest.mark.parametrize(
    ("kernel", "old", "new"),
    [
        ("fill", "out[i] = 7", "out[i + 1] = 7"),
        (
            "fill",
            "    if (i < n) out[i] = 7;",
            "    // two lines\n    if (i < n)\n        out[4 * i] = 7;",
        ),
        ("scale", "x[i] = sum", "x[i] = sum * weigh(sum, 3) * 2.0"),
        ("scale", "    float sum = 0.0f;\n", "    float sum = x[i];\n\n\n"),
        ("alone", "x[threadIdx.x] +=", "x[2 * threadIdx.x] ="),
    ],
)
def test_an_edit_inside_of_a_kernel_is_looked_at_alone(source, kernel, old, new):
    edited = TEXT.replace(old, new)
    update = source.update(options(edited), 1)
    whole = analyze_program([FILE], options(edited))
    assert kernels(update) == kernels(whole, kernel)
    assert update.signatures == {kernels(whole)[kernel].signature}
    assert update.diagnostics == whole.diagnostics


def test_an_edited_function_changes_the_kernels_that_call_it(source):
    first = TEXT.replace("{ return x * weights[i % 4]; }", "{\n    return x * weights[i % 4];\n}")
    source.analyze(options(first), 2)
    edited = first.replace("return x * weights", "x = x * x + 1.0f;\n    return x * weights")
    update = source.update(options(edited), 2)
    assert kernels(update) == kernels(analyze_program([FILE], options(edited)), "scale")


def test_two_edited_kernels_are_looked_at_together(source):
    edited = TEXT.replace("out[i] = 7", "out[i + 0] = 7").replace("float sum = 0", "float sum = 3")
    update = source.update(options(edited), 1)
    assert kernels(update) == kernels(analyze_program([FILE], options(edited)), "fill", "scale")


def test_what_a_kernel_leaves_in_memory_decides_whether_others_may_have_changed(source):
    # scale loops as often as fill says: 7 times.
    same = source.update(options(TEXT.replace("= 7;", "= 7; // as before")), 1)
    other = source.update(options(TEXT.replace("= 7;", "= 9;")), 1)
    assert same.is_final
    assert not other.is_final


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_lines_end_as_the_parser_ends_them(source, end):
    text = TEXT.replace("\n", end)
    source.analyze(options(text), 2)
    edited = text.replace("out[i] = 7;", f"// é{end}out[2 * i] = 7;")
    update = source.update(options(edited), 2)
    assert kernels(update) == kernels(analyze_program([FILE], options(edited)), "fill")


def test_an_error_inside_of_a_kernel_is_said_and_goes_again(source):
    edited = TEXT.replace("float sum = 0.0f;", "float sum = nothing;")
    update = source.update(options(edited), 1)
    assert [item.line for item in update.diagnostics] == [15]
    assert "nothing" in update.diagnostics[0].message
    mended = source.update(options(TEXT.replace("sum = 0.0f;", "sum = 1.0f;")), 1)
    assert mended.diagnostics == ()


def test_errors_elsewhere_stay_said(source):
    broken = TEXT.replace("int n = 1 << 20,", "int n = 1 << 20; nonsense(n); int")
    source.analyze(options(broken), 2)
    update = source.update(options(broken.replace("= 7;", "= 8;\n")), 2)
    assert [item.line for item in update.diagnostics] == [28]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("int n, int *out", "long n, int *out"),
        ("return 2 * x", "return 3 * x"),
        ("float weigh(float x, int i) {", "float weigh(float y, int i) { float x = y;"),
        ("1 << 20", "1 << 21"),
        ("out[i] = 7;\n}", "out[i] = 7;\n"),
        ("out[i] = 7;\n}", "out[i] = 7;\n}}"),
        ("out[i] = 7;\n", "out[i] = 7;\n}\n__global__ void more() {\n"),
    ],
    ids=[
        "head",
        "constexpr function",
        "function head",
        "host",
        "brace lost",
        "brace added",
        "kernel added",
    ],
)
def test_another_edit_needs_a_whole_analysis(source, old, new):
    assert source.update(options(TEXT.replace(old, new)), 1) is None


def test_the_same_text_again_needs_no_analysis(source):
    update = source.update(options(TEXT), 1)
    assert (update.kernels, update.is_final) == ((), True)


def test_an_update_begins_from_the_analysis_that_it_names(source):
    assert source.update(options(TEXT.replace("= 7;", "= 8;")), 2) is None


def test_other_options_or_headers_need_a_whole_analysis(source):
    edited = TEXT.replace("= 7;", "= 8;")
    other = dataclasses.replace(options(edited), gpu=load_gpu("h100"))
    assert source.update(other, 1) is None
    assert source.update(options(edited, {"/nowhere/size.h": "#define SIZE 22\n"}), 1) is None


def test_headers_are_known_by_any_name_that_leads_to_them(tmp_path):
    (tmp_path / "size.h").write_text("#define SIZE 21\n")
    file = tmp_path / "program.cu"
    text = TEXT.replace('"size.h"', '"./size.h"')

    def texts(size):
        header = {str(tmp_path / "size.h"): f"#define SIZE {size}\n"}
        return AnalysisOptions(gpu=load_gpu("a100"), unsaved={str(file): text, **header})

    units = KeptUnits()
    source = EditedSource(file, units)
    source.analyze(texts(21), 1)
    assert source.update(texts(21), 1) is not None
    assert source.update(texts(22), 1) is None
    units.close()
