"""The command line from arguments to exit status, streams and files."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import jsonschema
import pytest

import roofstat.analysis.runner as runner_module
from roofstat import __version__
from roofstat.analysis import AnalysisOptions, ProgramResult, analyze_paths
from roofstat.cli.commands import COMMANDS
from roofstat.cli.main import main
from roofstat.errors import SourceError
from roofstat.hardware import available_gpus, load_gpu
from roofstat.report import report_schema

KERNEL = "__global__ void saxpy(float *x) { x[threadIdx.x] = 1; }\n"


@pytest.fixture
def seen(monkeypatch, make_kernel, tmp_path):
    """Replace the analysis by one that records what it was asked; in a file, since it runs in a worker."""
    record = tmp_path / "asked"

    def analyze(files, options):
        if "broken" in files[0].name:
            raise SourceError("it is no C++", file=str(files[0]), line=2)
        asked = {
            "args": options.program_args,
            "values": dict(options.values),
            "launches": {name: launch.grid for name, launch in options.launches.items()},
            "traffic": options.traffic.value,
            "compiler": options.compiler.value if options.compiler else None,
            "include": [str(path) for path in options.include_dirs],
            "defines": options.defines,
            "std": options.std,
            "flags": options.extra_flags,
            "clock": options.gpu.clock_hz,
            "gpu": options.gpu.id,
            "system_headers": options.system_headers,
            "unsaved": dict(options.unsaved),
        }
        record.write_text(json.dumps(asked))
        kernels = tuple(make_kernel(options.gpu, file=str(file)) for file in files)
        return ProgramResult(kernels=kernels)

    monkeypatch.setattr(runner_module, "own_analyzer", analyze)
    return lambda: json.loads(record.read_text())


@pytest.fixture
def source(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("saxpy.cu").write_text(KERNEL)
    return "saxpy.cu"


def test_analysis_is_the_default_command(seen, source, capsys):
    assert main([source]) == 0
    plain = capsys.readouterr().out
    assert main(["analyze", source]) == 0
    assert capsys.readouterr().out == plain
    assert "BANDWIDTH-BOUND" in plain


def test_options_reach_the_analysis(seen, source):
    card = ["--gpu", "rtx3080", "--clock", "base", "--args", "1000 'a b'", "--set", "n=0x10"]
    launch = ["--launch", "saxpy:grid=8x2,block=32", "--traffic", "profiled", "--compiler", "clang"]
    flags = ["-Iinc", "-I", "other", "-DN=3", "-D", "FAST", "-UNDEBUG", "-std=c++17", "-j1"]
    assert main([*card, source, *launch, *flags, "--system-headers"]) == 0
    assert seen() == {
        "args": ["1000", "a b"],
        "values": {"n": 16},
        "launches": {"saxpy": [8, 2, 1]},
        "traffic": "profiled",
        "compiler": "clang",
        "include": ["inc", "other"],
        "defines": ["N=3", "FAST"],
        "std": "c++17",
        "flags": ["-UNDEBUG"],
        "clock": 1440e6,
        "gpu": "rtx3080",
        "system_headers": True,
        "unsaved": {},
    }


def test_statements_on_one_launch_add_up(seen, source):
    Path("roofstat.toml").write_text('set = ["n=5", "m=6"]\n')
    launch = ["--launch", "saxpy:grid=8,shared=64", "--launch", "saxpy:grid=8,block=32"]
    assert main([source, *launch, "--set", "n=7", "--set", "n=0x7"]) == 0
    assert seen()["launches"] == {"saxpy": [8, 1, 1]}
    assert seen()["values"] == {"n": 7, "m": 6}


def test_a_pattern_that_finds_no_kernel_is_told_which_there_are(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    Path("k.cu").write_text(KERNEL + KERNEL.replace("saxpy", "scale"))
    assert main(["k.cu", "--kernel", "zzz"]) == 0
    assert "no kernel matches [unused-option]; there are saxpy, scale" in capsys.readouterr().out
    assert main(["k.cu", "--kernel", "scala"]) == 0
    assert "no kernel matches [unused-option]; there are scale, saxpy" in capsys.readouterr().out


def test_arguments_of_the_program_may_begin_with_a_dash(seen, source):
    for text, words in (("-n 10 --fast", ["-n", "10", "--fast"]), ("--verbose", ["--verbose"])):
        assert main(["--args", text, source]) == 0
        assert seen()["args"] == words


def test_paths_and_options_mix(seen, source, capsys):
    Path("b.cu").write_text(KERNEL)
    assert main([source, "--gpu", "h100", "b.cu", "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [kernel["file"] for kernel in data["kernels"]] == ["b.cu", "saxpy.cu"]


def test_standard_input(seen, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(KERNEL.encode())))
    assert main(["-"]) == 0
    assert seen()["unsaved"] == {"<stdin>.cu": KERNEL}
    assert "<stdin>.cu:3" in capsys.readouterr().out


def test_json_satisfies_the_printed_schema(seen, source, capsys):
    assert main(["schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema == json.loads(json.dumps(report_schema()))
    assert main([source, "--format", "json"]) == 0
    jsonschema.Draft202012Validator(schema).validate(json.loads(capsys.readouterr().out))


@pytest.mark.parametrize("form", ["text", "json", "jsonl", "markdown"])
def test_output_file_holds_what_would_be_printed(seen, source, capsys, form):
    assert main([source, "--format", form]) == 0
    printed = capsys.readouterr().out
    assert main([source, "--format", form, "-o", "report"]) == 0
    assert capsys.readouterr().out == ""
    assert Path("report").read_text("utf-8") == printed
    assert sorted(path.name for path in Path().iterdir()) == ["asked", "report", "saxpy.cu"]


def test_output_replaces_a_report_and_keeps_its_mode(seen, source):
    Path("report.txt").write_text("old")
    Path("report.txt").chmod(0o600)
    assert main([source, "-o", "report.txt"]) == 0
    assert "saxpy" in Path("report.txt").read_text("utf-8")
    assert Path("report.txt").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("saxpy.cu", "it is an input"),
        ("./link.txt", "it is an input"),
        ("other.cuh", "looks like a source"),
        ("folder", "directory"),
        ("missing/report.txt", "does not exist"),
    ],
)
def test_outputs_that_would_destroy_or_fail_are_refused_before_the_work(
    seen, source, capsys, output, message
):
    Path("other.cuh").write_text("int x;")
    Path("link.txt").symlink_to("saxpy.cu")
    Path("folder").mkdir()
    assert main([source, "-o", output]) == 2
    assert message in capsys.readouterr().err
    assert Path("saxpy.cu").read_text() == KERNEL
    assert Path("other.cuh").read_text() == "int x;"
    with pytest.raises(FileNotFoundError):
        seen()


def test_errors_of_files_do_not_change_the_status_unless_strict(seen, source, capsys):
    Path("broken.cu").write_text(KERNEL)
    Path("b").mkdir()
    Path("b/ok.cu").write_text(KERNEL)
    assert main(["broken.cu", "b/ok.cu"]) == 0
    assert "broken.cu:2: it is no C++" in capsys.readouterr().out
    assert main(["broken.cu", "b/ok.cu", "--strict"]) == 1
    assert main(["b/ok.cu", "--strict"]) == 0


def test_a_run_without_any_result_is_no_success(seen, source, capsys):
    Path("broken.cu").write_text(KERNEL)
    assert main(["broken.cu"]) == 2
    assert "nothing is known of 1 file" in capsys.readouterr().out


def test_an_absent_include_folder_is_said_whatever_else_is_wrong(seen, source, capsys):
    Path("broken.cu").write_text(KERNEL)
    for path in (source, "broken.cu"):
        main([path, "-I", "nowhere", "--no-cache"])
        assert "-I nowhere: there is no such directory" in capsys.readouterr().out
    main(["explain", source, "saxpy", "-I", "nowhere", "--no-cache"])
    assert "-I nowhere: there is no such directory" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--clock", "99999"], "a clock of 99999 MHz makes no sense for a100"),
        (["--llm-replay"], "--llm-replay: no language model is asked"),
        (["--llm-fresh"], "--llm-fresh: no language model is asked"),
        (["--includers"], "not a git repository"),
        (["--summary", "-v"], "not allowed with"),
        (["--launch", "saxpy:grid=1,block=1x1x128"], "a block has at most 1024x1024x64 threads"),
    ],
)
def test_options_that_can_do_nothing_are_refused(arguments, message, source, capsys):
    with contextlib.suppress(SystemExit):
        assert main([source, "--gpu", "a100", *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k(float *x) { x[threadIdx.x] = 1.0f\n}\n",  # mended: a verdict of 60 % at most
        "__global__ void k(missing_t *x) { x[threadIdx.x] += 1.0f; }\n",
        "__global__ void k(float *a, int n) { int i = threadIdx.x; if (i < n a[i] *= 2; }\n",  # no verdict
    ],
)
def test_kernels_that_did_not_parse_in_full_are_none_when_strict(text, source, capsys):
    Path("part.cu").write_text(text)
    assert main(["part.cu"]) == 0
    assert main(["part.cu", "--strict"]) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "required"),
        (["gone.cu"], "gone.cu: no such file or directory"),
        (["gone.cu", "also-gone.cu"], "also-gone.cu"),
        (["explai", "saxpy.cu", "saxpy"], "did you mean explain?"),
        (["saxpy.cu", "--gpu", "h1000"], "did you mean h100"),
        (["saxpy.cu", "--gpu", "none.toml"], "none.toml: cannot read it"),
        (["saxpy.cu", "--clock", "fast"], "not a clock"),
        (["saxpy.cu", "--launch", "saxpy"], "--launch"),
        (["saxpy.cu", "--launch", "k:block=64x64"], "4,096 threads in a block"),
        (
            ["saxpy.cu", "--launch", "k:grid=8", "--launch", "k:grid=9,block=32"],
            "--launch k is given as grid=8x1x1 and as grid=9x1x1,block=32x1x1",
        ),
        (["saxpy.cu", "--set", "n=5", "--set", "n=7"], "--set n is given as 5 and as 7"),
        (["saxpy.cu", "--set", "n"], "--set"),
        (["saxpy.cu", "--kernel", "("], "no regular expression"),
        (["saxpy.cu", "--min-confidence", "2"], "--min-confidence"),
        (["saxpy.cu", "-j", "0"], "at least one worker"),
        (["saxpy.cu", "--timeout", "-1"], "--timeout"),
        (["saxpy.cu", "--args", "'"], "--args"),
        (["saxpy.cu", "-D", "3=4"], "NAME=VALUE"),
        (["saxpy.cu", "-std=latest"], "-std=latest"),
        (["saxpy.cu", "--format", "yaml"], "invalid choice"),
        (["saxpy.cu", "--bogus"], "unrecognized arguments: --bogus"),
    ],
)
def test_wrong_usage_is_status_2_with_a_message_and_no_output(
    seen, source, capsys, arguments, message
):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""
    assert "Traceback" not in captured.err


def test_no_readable_input_still_gives_machines_their_report(seen, source, capsys):
    assert main(["gone.cu", "--format", "json"]) == 2
    data = json.loads(capsys.readouterr().out)
    assert data["errors"][0]["file"] == "gone.cu"


def test_version_and_help(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"roofstat {__version__}\n"
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in COMMANDS)
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    assert project["version"] == __version__


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command, capsys):
    assert main([command, "--help"]) == 0
    assert "usage: roofstat" in capsys.readouterr().out


def test_gpus_lists_every_card_and_describes_one_with_sources(capsys):
    assert main(["gpus"]) == 0
    text = capsys.readouterr().out
    assert all(f"\n{name} " in text for name in available_gpus())
    assert main(["gpus", "h100"]) == 0
    text = capsys.readouterr().out
    assert all(part in text for part in ("h100-sxm", "dram_gb_per_s", "S4: FLOPBench site"))
    assert main(["gpus", "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == len(available_gpus())
    assert main(["gpus", "a10", "--clock", "base", "--format", "json"]) == 0
    card = json.loads(capsys.readouterr().out)
    assert card["clock_hz"] == 885e6
    assert card["figures"]["ecc_dram_factor"]["value"] == 1.17


def test_explain_shows_one_kernel(seen, source, capsys):
    assert main(["explain", source, "saxpy"]) == 0
    text = capsys.readouterr().out
    assert "counts by line" in text
    assert "confidence" in text


def test_instances_go_by_the_name_that_reports_print(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    text = "template <int N> __global__ void fill(int *a) { a[threadIdx.x] = N; }\n"
    Path("t.cu").write_text(text + "int main() { fill<1><<<1, 32>>>(0); fill<2><<<1, 32>>>(0); }\n")
    assert main(["t.cu", "--kernel", "fill<2>", "--format", "json"]) == 0
    kernels = json.loads(capsys.readouterr().out)["kernels"]
    assert [kernel["signature"] for kernel in kernels] == ["void fill<(int)2>(int *)"]
    assert main(["explain", "t.cu", "fill<2>"]) == 0
    assert "fill<1>" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain", "saxpy.cu", "sacspy"], "try saxpy"),
        (["explain", "gone.cu", "k"], "gone.cu: no such file"),
        (["explain", "broken.cu", "k"], "broken.cu:2: it is no C++"),
    ],
)
def test_explain_says_what_it_cannot_find(seen, source, capsys, arguments, message):
    Path("broken.cu").write_text(KERNEL)
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def run(arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "roofstat", *arguments],
        capture_output=True,
        check=False,
        timeout=60,
        env={**os.environ, **environment},
    )


def test_a_closed_pipe_ends_quietly():
    process = subprocess.Popen(
        [sys.executable, "-m", "roofstat", "schema"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == 0
    assert errors == b""


def test_piped_output_has_no_colour_unless_forced():
    done = run(["gpus", "h100"])
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout
    assert b"\x1b[" in run(["gpus"], FORCE_COLOR="1").stdout
    assert b"\x1b[" not in run(["gpus"], FORCE_COLOR="1", NO_COLOR="1").stdout


def test_ascii_streams_get_ascii():
    done = run(["gpus", "h100"], PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.isascii()


def test_piped_tables_are_not_cut_unless_columns_are_stated(tmp_path):
    file = tmp_path / ("long_" * 20 + "name.cu")
    file.write_text(KERNEL)
    assert f"{file}:1\n".encode() in run([str(file), "--summary"]).stdout
    narrow = run([str(file), "--summary"], COLUMNS="90").stdout.decode()
    assert str(file) not in narrow
    assert "name.cu:1\n" in narrow


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_a_terminated_run_ends_by_a_status_of_its_own():
    command = [sys.executable, "-m", "roofstat", "-", "--no-cache"]
    streams = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, env=HERE, **streams)
    while process.poll() is None and not _catches(process.pid, signal.SIGTERM):
        time.sleep(0.02)
    process.terminate()
    assert process.wait(timeout=20) == 143
    assert process.communicate()[1] == b""


def _catches(process, number):
    status = Path(f"/proc/{process}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
    return int(caught.split()[1], 16) >> number - 1 & 1


HERE = {**os.environ, "PYTHONPATH": str(Path(runner_module.__file__).parents[2])}


def run_process(*arguments, **options):
    command = [sys.executable, "-m", "roofstat", *arguments]
    streams = {"stdout": subprocess.PIPE, **options}
    return subprocess.run(
        command, stderr=subprocess.PIPE, text=True, check=False, env=HERE, **streams
    )


LEFT_IN_THE_MIDDLE = """__global__ void k(float *v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = v[i];
  int k = 0;
  do {
    x = x * 1.5f + 2.f;
    if (k == 49)
      break;
    k++;
  } while (true);
  v[i] = x;
}
int main() {
  int n = 1 << 20;
  float *v;
  cudaMalloc(&v, n * sizeof(float));
  k<<<n / 256, 256>>>(v, n);
}
"""


def test_no_number_depends_on_the_seed_of_hashes(tmp_path, monkeypatch):
    """The share of the loop, summed over its lines in the order of a set, differed in the last digit for one seed in six."""
    monkeypatch.chdir(tmp_path)
    for folder in "ab":
        Path(folder).mkdir()
        Path(folder, "loop.cu").write_text(LEFT_IN_THE_MIDDLE)
    arguments = [*"ab", "--no-cache", "--format", "json", "-j", "1"]
    environment = {"PYTHONPATH": HERE["PYTHONPATH"]}
    reports = {run(arguments, PYTHONHASHSEED=seed, **environment).stdout for seed in "012"}
    assert len(reports) == 1


def test_a_full_disk_behind_the_output_is_one_line(source):
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with full.open("w") as stream:
        done = run_process(source, "--format", "json", stdout=stream)
    assert done.returncode == 2
    assert done.stderr.strip() == (
        "roofstat: error: cannot write the output: no space left on device"
    )


def test_a_closed_output_is_no_error(source):
    command = ["sh", "-c", f"{sys.executable} -m roofstat {source} >&-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=HERE)
    assert (done.returncode, done.stderr) == (0, "")


def test_names_of_any_form_are_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    odd = os.fsdecode(b"bad\xff.cu")
    for name in ("-dash.cu", odd):
        Path(name).write_text(KERNEL)
    for arguments in (["--", "-dash.cu"], ["./-dash.cu"], [odd]):
        done = run_process("--summary", *arguments)
        assert (done.returncode, done.stderr) == (0, ""), arguments
        assert "not analysed" not in done.stdout


def test_a_silent_pipe_does_not_stop_the_others(source, tmp_path, monkeypatch):
    monkeypatch.setattr("roofstat.analysis.discovery._PATIENCE_MS", 100)
    os.mkfifo(tmp_path / "pipe")
    report = analyze_paths([tmp_path / "pipe", source], AnalysisOptions(gpu=load_gpu("a100")))
    assert [kernel.name for kernel in report.kernels] == ["saxpy"]
    [error] = report.errors
    assert "nothing came from it" in error.message


@pytest.mark.parametrize(
    ("option", "word"),
    [("-std=c++99", "c++98"), ("--launch=saxpy:grid=1,shared=999999", "166,912")],
)
def test_values_that_no_compiler_or_card_takes_are_refused(source, capsys, option, word):
    assert main([source, option]) == 2
    assert word in capsys.readouterr().err


def test_utf16_is_named(tmp_path, capsys):
    path = tmp_path / "k.cu"
    path.write_bytes(KERNEL.encode("utf-16"))
    assert main([str(path)]) == 2
    assert "save it as UTF-8" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        (["-use_fast_math"], ["-use_fast_math"]),
        (["--fmad=false", "-O3"], ["--fmad=false", "-O3"]),
        (["-O", "1", "-maxrregcount", "32", "-G"], ["-O1", "-maxrregcount=32", "-G"]),
        ([], []),
    ],
)
def test_flags_of_code_generation_are_passed_on(source, seen, given, taken):
    assert main([source, "--summary", *given]) == 0
    assert seen()["flags"] == taken


def test_a_thread_without_registers_is_refused(source, capsys):
    assert main([source, "-maxrregcount", "0"]) == 2
    assert "a thread needs registers" in capsys.readouterr().err
