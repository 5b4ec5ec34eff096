"""From paths to a report, with an analysis that the test controls."""

import os
import signal
import time
from pathlib import Path

import pytest

from roofstat.analysis import AnalysisOptions, LaunchOverride, ProgramResult, analyze_paths
from roofstat.errors import SourceError
from roofstat.hardware import load_gpu
from roofstat.report import AnalysisError, ErrorKind

KERNEL = "__global__ void k() {}\n"
GPU = load_gpu("a100")


@pytest.fixture
def options():
    return AnalysisOptions(gpu=GPU, jobs=2, timeout_s=5)


@pytest.fixture
def analyzer(make_kernel):
    """Yields one kernel a file, named after it; files with telling names fail in their way."""

    def analyze(files, options):
        kernels = []
        for file in files:
            if "segfault" in file.name:
                os.kill(os.getpid(), signal.SIGSEGV)
            if "hang" in file.name:
                time.sleep(600)
            if "broken" in file.name:
                raise SourceError("it is no C++", file=str(file), line=2)
            if "host" not in file.name:
                text = options.unsaved.get(str(file))
                kernels.append(make_kernel(GPU, name=file.stem, file=str(file), directive=text))
        return ProgramResult(kernels=tuple(kernels))

    return analyze


def write(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(KERNEL)
    return folder


def test_kernels_of_all_programs_are_in_one_report(tmp_path, options, analyzer):
    write(tmp_path, "a/x.cu", "a/y.cu", "b/z.cu")
    report = analyze_paths([tmp_path], options, analyzer=analyzer)
    assert [kernel.name for kernel in report.kernels] == ["x", "y", "z"]
    assert (report.files, report.errors) == (3, ())
    assert report.gpu is GPU


def test_a_crash_costs_one_file_even_inside_a_program(tmp_path, options, analyzer):
    write(tmp_path, "a/good.cu", "a/segfault.cu", "b/fine.cu")
    report = analyze_paths([tmp_path], options, analyzer=analyzer)
    assert [kernel.name for kernel in report.kernels] == ["good", "fine"]
    (error,) = report.errors
    assert (error.kind, error.signal) == (ErrorKind.CRASH, "SIGSEGV")
    assert error.file == str(tmp_path / "a/segfault.cu")


def test_a_hang_costs_one_file(tmp_path, analyzer):
    write(tmp_path, "a/hang.cu", "b/fine.cu")
    options = AnalysisOptions(gpu=GPU, timeout_s=0.3)
    report = analyze_paths([tmp_path], options, analyzer=analyzer)
    assert [kernel.name for kernel in report.kernels] == ["fine"]
    (error,) = report.errors
    assert error.kind is ErrorKind.TIMEOUT
    assert "0.3 s" in error.message


def test_what_the_analysis_refuses_keeps_its_place(tmp_path, options, analyzer):
    file = write(tmp_path, "broken.cu") / "broken.cu"
    (error,) = analyze_paths([file], options, analyzer=analyzer).errors
    assert (error.kind, error.file, error.line) == (ErrorKind.PARSE, str(file), 2)


def test_errors_of_discovery_and_analysis_are_both_kept(tmp_path, options):
    def analyze(files, _options):
        inner = AnalysisError(kind=ErrorKind.PARSE, file=str(files[0]), message="half of it")
        return ProgramResult(errors=(inner,))

    file = write(tmp_path, "a.cu") / "a.cu"
    report = analyze_paths(["gone.cu", file], options, analyzer=analyze)
    assert [error.message for error in report.errors] == ["no such file or directory", "half of it"]


def test_host_units_reach_the_analysis_but_are_not_reported_on(tmp_path, options, analyzer):
    write(tmp_path, "k.cu")
    (tmp_path / "host.cpp").write_text("int main() {}")
    report = analyze_paths([tmp_path], options, analyzer=analyzer)
    assert report.files == 1
    assert [kernel.name for kernel in report.kernels] == ["k"]


def test_pattern_and_standard_input(tmp_path, analyzer):
    options = AnalysisOptions(gpu=GPU, kernel_pattern="stdin|keep")
    file = write(tmp_path, "drop.cu", "keep.cu")
    report = analyze_paths(
        [file / "drop.cu", file / "keep.cu", "-"],
        options,
        read_stdin=KERNEL.encode,
        analyzer=analyzer,
    )
    assert {kernel.name for kernel in report.kernels} == {"keep", "<stdin>"}
    by_name = {kernel.name: kernel for kernel in report.kernels}
    assert by_name["<stdin>"].directive == KERNEL


def test_progress_names_the_files(tmp_path, options, analyzer):
    write(tmp_path, "a/x.cu", "b/y.cu")
    seen = []
    analyze_paths(
        [tmp_path],
        options,
        lambda done, total, name: seen.append((done, total, Path(name).name)),
        analyzer=analyzer,
    )
    assert [state[:2] for state in seen] == [(1, 2), (2, 2)]
    assert {state[2] for state in seen} == {"x.cu", "y.cu"}


def test_order_does_not_depend_on_who_finishes_first(tmp_path, options, make_kernel):
    def analyze(files, _options):
        time.sleep(0.2 if files[0].stem == "a" else 0)
        return ProgramResult(kernels=(make_kernel(GPU, name=files[0].stem, file=str(files[0])),))

    write(tmp_path, "1/a.cu", "2/b.cu", "3/c.cu")
    report = analyze_paths([tmp_path], options, analyzer=analyze)
    assert [kernel.name for kernel in report.kernels] == ["a", "b", "c"]


def test_what_nothing_takes_up_is_said(tmp_path, analyzer):
    write(tmp_path, "a/x.cu")
    options = AnalysisOptions(
        gpu=GPU,
        values={"n": 3},
        launches={"nobody": LaunchOverride(grid=(1, 1, 1))},
        kernel_pattern="zzz",
        include_dirs=(tmp_path, tmp_path / "nowhere"),
    )
    report = analyze_paths([tmp_path], options, analyzer=analyzer)
    assert [item.code for item in report.diagnostics] == ["unused-option"] * 4
    assert not any(" paths" in item.message for item in report.diagnostics)
    write(tmp_path, "b/y.cu")
    both = analyze_paths([tmp_path / "a", tmp_path / "b"], options, analyzer=analyzer)
    told = [item.message for item in both.diagnostics if "-I" not in item.message]
    assert all(" in the 2 paths" in text for text in told)
    assert {item.message.partition(" ")[0] for item in report.diagnostics} == {
        "--launch",
        "--set",
        "-I",
        "--kernel",
    }
