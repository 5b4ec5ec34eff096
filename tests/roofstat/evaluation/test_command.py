"""`roofstat eval` from its arguments to its output."""

from __future__ import annotations

import json

import jsonschema
import pytest

from roofstat.analysis import ProgramResult
from roofstat.cli import evaluate as command
from roofstat.cli.main import main
from roofstat.errors import HardwareError, LabelError, UsageError
from roofstat.evaluation.json_form import eval_schema


@pytest.fixture
def run(sources, make_kernel, run_command):
    """Runs the command with an analyser that always predicts 4000 integer operations on 1000 bytes."""

    def analyze(files, options):
        return ProgramResult(kernels=(make_kernel(),))

    def run(*arguments, analyzer=analyze):
        return run_command(command, ["--sources", sources, *arguments], analyzer)

    return run


@pytest.fixture
def table(make_table, make_cells):
    # integer intensity 4 below the ridge of 5 is bandwidth-bound: the second row is labelled otherwise
    return make_table([make_cells(), make_cells(args="2000", label="compute")])


def test_json_goes_to_standard_output_and_satisfies_the_schema(run, table):
    status, out, err = run("--labels", table, "--format", "json", "-j", "1")
    assert (status, err) == (0, "")
    result = json.loads(out)
    jsonschema.validate(result, eval_schema())
    assert (result["rows"], result["accuracy"]) == (2, 0.5)


def test_text_is_the_default(run, table):
    status, out, _ = run("--labels", table)
    assert status == 0
    assert "2 rows of invented" in out
    assert "\x1b" not in out


def test_several_tables_may_follow_one_or_several_options(run, make_table, make_cells):
    first, second, third = (make_table([make_cells()], f"{name}.csv") for name in "abc")
    _, out, _ = run("--labels", first, second, "--labels", third, "--format", "json")
    assert json.loads(out)["tables"] == ["a", "b", "c"]


def test_rows_are_chosen_by_program_language_and_card(run, make_table, make_cells):
    table = make_table(
        [
            make_cells(),
            make_cells(program="sum-omp", language="openmp", function="main", line="3"),
            make_cells(gpu="a10"),
        ]
    )

    def kernels(*options):
        _, out, _ = run("--labels", table, "--format", "json", *options)
        return [(row["program"], row["gpu"]) for row in json.loads(out)["per_row"]]

    assert kernels("--program", "^sum") == [("sum-omp", "h100-sxm")]
    assert kernels("--language", "cuda") == [("scale-cuda", "h100-sxm"), ("scale-cuda", "a10")]
    assert kernels("--gpu", "a10") == [("scale-cuda", "a10")]


def test_a_card_that_no_row_names_takes_all_rows_and_says_so(run, table):
    _, out, err = run("--labels", table, "--gpu", "l4", "--format", "json")
    assert "no row names l4" in err
    assert {row["gpu"] for row in json.loads(out)["per_row"]} == {"l4"}


def test_output_plot_and_comparison(run, table, tmp_path):
    old, page = tmp_path / "old.json", tmp_path / "page.html"
    run("--labels", table, "--format", "json", "-o", old)

    def other(files, options):
        return ProgramResult()

    status, out, _ = run("--labels", table, "--against", old, "--plot", page, analyzer=other)
    assert status == 0
    assert "0 fixed, 1 broken" in out
    assert page.read_text().startswith("<!doctype html>")
    assert json.loads(old.read_text())["schema"] == "roofstat-eval/1"
    status, out, err = run("--labels", table, "--against", old, "--format", "json", analyzer=other)
    assert json.loads(out)["accuracy"] == 0
    assert "1 broken" in err


def test_a_table_without_rows_of_the_card_is_left_out_and_named(run, make_table, make_cells):
    first, second = (make_table([make_cells(gpu=gpu)], f"{gpu}.csv") for gpu in ("a10", "l4"))
    _, out, err = run("--labels", first, second, "--gpu", "a10", "--format", "json")
    assert json.loads(out)["rows"] == 1
    assert err == "roofstat: note: no row of l4 is of a10: that table is left out\n"


def test_rows_that_were_not_asked_for_are_not_gone(run, make_table, make_cells, tmp_path):
    old = tmp_path / "old.json"
    table = make_table([make_cells(), make_cells(program="sum-cuda"), make_cells(args="5")])
    run("--labels", table, "--format", "json", "-o", old)
    _, out, _ = run("--labels", table, "--program", "^sum", "--against", old)
    assert "1 rows in both; 0 new, 0 gone, 2 not asked for; 0 fixed, 0 broken\n" in out
    _, out, _ = run("--labels", make_table([make_cells()]), "--against", old)
    assert "1 rows in both; 0 new, 2 gone; 0 fixed, 0 broken\n" in out


def test_wrong_usage_is_refused_before_anything_runs(run, table, tmp_path):
    def never(files, options):
        raise AssertionError("was run")

    for error, arguments in (
        (UsageError, ("--sources", tmp_path / "none")),
        (UsageError, ("--program", "(")),
        (UsageError, ("--program", "nothing-like-it")),
        (UsageError, ("--timeout", "-1")),
        (UsageError, ("--sample", "0")),
        (LabelError, ("--labels", table, table)),
        (UsageError, ("--against", tmp_path / "none.json")),
        (UsageError, ("-o", tmp_path / "none" / "out.json")),
        (UsageError, ("-o", table)),
        (HardwareError, ("--gpu", "quantum-1")),
        (LabelError, ("--labels", tmp_path / "none.csv")),
    ):
        with pytest.raises(error):
            run("--labels", table, *arguments, analyzer=never)


def test_a_folder_without_the_tables_files_is_refused_with_the_right_one(run, table, sources):
    with pytest.raises(UsageError, match=r"did you mean --sources .*sources\?") as caught:
        run("--labels", table, "--sources", sources / "scale-cuda")
    assert "such as scale-cuda/main.cu" in str(caught.value)


def test_a_table_without_files_beside_others_is_named(run, make_table, make_cells):
    first = make_table([make_cells()], "a.csv")
    other = make_table([make_cells(sources="elsewhere/main.cu")], "b.csv")
    status, _, err = run("--labels", first, other)
    assert status == 0
    assert "note: no file of b, such as elsewhere/main.cu, is in " in err


def test_the_command_is_registered_and_ends_with_2_on_wrong_usage(tmp_path, capsys):
    arguments = ["eval", "--labels", str(tmp_path / "none.csv"), "--sources", str(tmp_path)]
    assert main(arguments) == 2
    assert "none.csv" in capsys.readouterr().err
