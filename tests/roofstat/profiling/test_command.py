"""`roofstat profile` from its arguments to its output."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from roofstat.cli.main import main

_RECORDED = Path(__file__).parent / "recorded"
_EXPORT = str(_RECORDED / "base_units.csv")


def table(text):
    return [line for line in text.splitlines() if line.startswith(",")]


def test_a_program_is_profiled_with_its_own_options(stand_in, tmp_path, capfd):
    program = shutil.which("true")
    out = tmp_path / "labels.csv"
    arguments = ["profile", "--ncu", str(stand_in()), "-o", str(out), "--source", "sample.cu"]
    assert main([*arguments, "--", program, "--gpu", "-x", "4096"]) == 0
    assert (tmp_path / "arguments").read_text().splitlines()[-4:] == [
        program,
        "--gpu",
        "-x",
        "4096",
    ]
    captured = capfd.readouterr()
    assert captured.out == ""
    assert f"wrote 4 rows to {out}" in captured.err
    rows = table(out.read_text())
    assert len(rows) == 4
    assert ",--gpu -x 4096,h100-sxm,16,1,1,256,1,1," in rows[0]


def test_the_result_goes_into_an_evaluation(tmp_path, capsys):
    out = tmp_path / "labels.csv"
    source = ["--source", "sample.cu", "--args", "4096", "--compiler", "nvcc-13.0"]
    assert main(["profile", "--import", _EXPORT, "-o", str(out), *source]) == 0
    command = ["eval", "--labels", str(out), "--sources", str(_RECORDED), "-j", "1"]
    capsys.readouterr()
    assert main([*command, "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["rows"], result["predicted"]) == (4, 4)
    assert result["counts"]["sp_flop"]["within_10pct"] == 1
    assert result["counts"]["dp_flop"]["within_10pct"] == 1


def test_prediction_and_measurement_side_by_side(monkeypatch, capsys):
    monkeypatch.chdir(_RECORDED)
    arguments = ["--import", "base_units.csv", "--source", "sample.cu", "--args", "4096"]
    assert main(["profile", *arguments, "--compare", "--kernel", "double"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == [
        "void",
        "scale<double>(T1",
        "*,",
        "T1,",
        "int)",
        "grid",
        "16",
        "block",
        "256",
        "h100-sxm",
    ]
    rows = {line[:22].strip(): line[22:].split() for line in lines[1:]}
    assert rows["FP64 FLOP"] == ["4,096", "4,096", "1.00"]
    assert rows["global load sectors"] == ["1,024", "1,024", "1.00"]
    assert "FP32 FLOP" not in rows
    (verdict,) = [line.split() for line in lines if line.split()[:1] == ["verdict"]]
    assert (verdict[1], verdict[-1]) == ("bandwidth", "agrees")


def test_a_report_is_exported_by_the_profiler(stand_in, tmp_path, capsys):
    report = tmp_path / "made_elsewhere.ncu-rep"
    report.write_text("binary")
    assert main(["profile", "--ncu", str(stand_in()), "--import", str(report)]) == 0
    assert "_Z3sumPKfPfi" in capsys.readouterr().out


def test_a_failing_program_leaves_its_table_and_a_status(stand_in, capfd):
    log = "==ERROR== The application returned an error code (3).\n"
    ncu = str(stand_in(log, status=3))
    assert main(["profile", "--ncu", ncu, "--", sys.executable]) == 1
    captured = capfd.readouterr()
    assert len(table(captured.out)) == 4
    assert (
        "the program ended with status 3; the table holds the launches before that" in captured.err
    )


def test_an_existing_file_is_replaced_only_where_asked(tmp_path, capsys):
    out = tmp_path / "labels.csv"
    out.write_text("precious")
    assert main(["profile", "--import", _EXPORT, "-o", str(out)]) == 2
    assert out.read_text() == "precious"
    assert "it exists" in capsys.readouterr().err
    assert main(["profile", "--import", _EXPORT, "-o", str(out), "--force"]) == 0
    assert len(table(out.read_text())) == 4


def test_rows_of_a_card_that_is_not_known_say_so(tmp_path, capsys):
    export = tmp_path / "e.csv"
    export.write_text(Path(_EXPORT).read_text().replace("NVIDIA H100 80GB HBM3", "Voodoo"))
    assert main(["profile", "--import", str(export)]) == 0
    captured = capsys.readouterr()
    assert "measured on Voodoo; without --gpu NAME" in captured.err
    assert ",bandwidth," not in captured.out
    assert main(["profile", "--import", str(export), "--gpu", "h100"]) == 0
    assert ",bandwidth," in capsys.readouterr().out


def test_the_cap_says_what_it_leaves_out(capsys):
    assert main(["profile", "--import", _EXPORT, "--all-launches", "--max-launches", "2"]) == 0
    captured = capsys.readouterr()
    assert len(table(captured.out)) == 2
    assert "5 more launches are left out" in captured.err


def test_where_the_only_kernel_faulted_no_file_is_left(tmp_path, capsys):
    export, out = tmp_path / "e.csv", tmp_path / "labels.csv"
    # What the profiler listed of an illegal address on an H100: a launch without shape and numbers.
    export.write_text(
        '"ID","Kernel Name","Block Size","Grid Size"\n"","","",""\n"0","k(float *)","(0, 0, 0)","(0, 0, 0)"\n'
    )
    assert main(["profile", "--import", str(export), "-o", str(out)]) == 2
    assert "nothing was measured: k(float *) failed on the GPU" in capsys.readouterr().err
    assert not out.exists()


def test_rows_made_with_a_gpu_file_say_how_they_are_evaluated(tmp_path, capsys):
    card = tmp_path / "h100-sxm.toml"
    card.write_text(
        'schema = "roofstat-gpu/1"\nname = "mine"\ninherit = "h100-sxm"\n\n[figures]\n'
        'dram_gb_per_s = { value = 2800, status = "measured", source = "here" }\n'
    )
    assert main(["profile", "--import", _EXPORT, "--gpu", str(card)]) == 0
    assert f"roofstat eval finds it with --gpu {card}" in capsys.readouterr().err
    assert main(["profile", "--import", _EXPORT, "--gpu", "h100"]) == 0
    assert "roofstat eval finds it" not in capsys.readouterr().err


def test_rows_without_label_name_the_counters_they_need(tmp_path, capsys):
    export = tmp_path / "e.csv"
    integer = "smsp__sass_thread_inst_executed_op_integer_pred_on.sum"
    export.write_text(Path(_EXPORT).read_text().replace(integer, "other"))
    assert main(["profile", "--import", str(export)]) == 0
    said = capsys.readouterr().err
    assert f"4 rows have no label: int_op not measured; they need ncu --metrics {integer}\n" in said


def test_launches_of_a_second_run_are_counted(tmp_path, capsys):
    again = tmp_path / "again.csv"
    again.write_text(Path(_EXPORT).read_text())
    assert main(["profile", "--import", _EXPORT, str(again)]) == 0
    captured = capsys.readouterr()
    assert f"7 launches of {again} are left out" in captured.err
    assert len(table(captured.out)) == 4
    assert main(["profile", "--import", _EXPORT, str(again), "--all-launches"]) == 0
    captured = capsys.readouterr()
    assert "are left out" not in captured.err
    assert len(table(captured.out)) == 14


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give a program after --, or --import FILE, or --ceilings"),
        (["--ceilings", "--import", "x"], "exclude each other"),
        (["--import", "x", "--", "./app"], "exclude each other"),
        (["--", "./there-is-no-such-program"], "there is no such program"),
        (["--import", "there-is-no-such-file"], "cannot read it: no such file"),
        (["--import", "there-is-no-such.ncu-rep"], "no such file"),
        (["--import", __file__], "no table of Nsight Compute"),
        (["--import", _EXPORT, "--compare"], "--compare needs the source"),
        (
            ["--import", _EXPORT, "--compare", "--source", "no.cu"],
            "no.cu: no such file; mend --source",
        ),
        (["--import", _EXPORT, "--kernel", "("], "no regular expression"),
        (["--import", _EXPORT, "--kernel", "nothing"], "no profiled kernel matches"),
        (["--import", _EXPORT, "--gpu", "h1000"], "no GPU is called"),
        (["--import", _EXPORT, "--max-launches", "0"], "give at least 1"),
        (["--import", _EXPORT, "--timeout", "0"], "give seconds above 0"),
        (["--import", _EXPORT, "--args", "'"], "no closing quotation"),
        (["--ncu", "/no/ncu", "--", sys.executable], "mend --ncu"),
    ],
)
def test_wrong_usage_is_said(arguments, message, capsys):
    assert main(["profile", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_without_a_profiler_the_remedy_is_named(monkeypatch, capsys):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("roofstat.cli.profile._PLACES", {"ncu": (), "nvcc": ()})
    assert main(["profile", "--", sys.executable]) == 2
    assert "ncu is not on the search path; install Nsight Compute" in capsys.readouterr().err
    assert main(["profile", "--ceilings"]) == 2
    assert "nvcc is not on the search path; install the CUDA toolkit" in capsys.readouterr().err


def test_other_commands_take_paths_after_the_two_dashes(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-k.cu").write_text("__global__ void k(int *x) { *x = 1; }\n")
    assert main(["--no-cache", "--", "-k.cu"]) == 0
    assert "-k.cu" in capsys.readouterr().out


def test_an_analysis_imports_nothing_of_profiling(tmp_path):
    file = tmp_path / "k.cu"
    file.write_text("__global__ void k(int *x) { *x = 1; }\n")
    program = (
        "import sys\nfrom roofstat.cli.main import main\nassert main(sys.argv[1:]) == 0\n"
        "assert not [name for name in sys.modules if name.startswith('roofstat.profiling')]\n"
    )
    subprocess.run([sys.executable, "-c", program, str(file), "--no-cache"], check=True)
