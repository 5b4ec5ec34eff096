"""Findings at the command line: selection, failing, configuration files, baselines and revisions."""

import json
import subprocess
from pathlib import Path

import pytest

from roofstat.cli.main import main
from roofstat.rules import rule_for

UNCOALESCED = rule_for("RS101").bad.source
CLEAN = rule_for("RS101").good.source
POWER = rule_for("RS901").bad


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("k.cu").write_text(UNCOALESCED)
    return tmp_path


@pytest.fixture
def run(capsys):
    """Arguments to exit status and the findings of rules as (code, line)."""

    def call(*arguments):
        capsys.readouterr()
        status = main(["--no-cache", "-j", "1", "--format", "json", *arguments])
        captured = capsys.readouterr()
        if status == 2:
            return status, captured.err
        found = json.loads(captured.out)["diagnostics"]
        return status, [(item["code"], item["line"]) for item in found]

    return call


def test_findings_fail_only_where_asked(tree, run):
    assert run("k.cu") == (0, [("RS101", 5)])
    assert run("k.cu", "--fail-on", "warning")[0] == 1
    assert run("k.cu", "--fail-on", "error")[0] == 0
    assert run("k.cu", "--fail-on", "RS1")[0] == 1
    assert run("k.cu", "--fail-on", "RS2,bank-conflicts")[0] == 0


def test_rules_are_selected_and_ignored(tree, run):
    assert run("k.cu", "--ignore", "RS101") == (0, [])
    assert run("k.cu", "--select", "RS2") == (0, [])
    status, message = run("k.cu", "--select", "RS101,nothing")
    assert (status, "no rule is called 'nothing'" in message) == (2, True)


def test_a_configuration_file_sets_defaults_that_options_override(tree, run):
    Path("pyproject.toml").write_text('[tool.roofstat]\nignore = ["RS101"]\ngpu = "h100"\n')
    assert run("k.cu") == (0, [])
    assert run("k.cu", "--ignore", "RS2") == (0, [("RS101", 5)])
    assert run("k.cu", "--no-config") == (0, [("RS101", 5)])
    # The nearer file, and roofstat.toml beside pyproject.toml, wins.
    Path("roofstat.toml").write_text('fail-on = "RS101"\n')
    assert run("k.cu")[0] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fail_onn = 'x'", "did you mean fail-on?"),
        ("strict = 'yes'", "strict must be true or false"),
        ("traffic = 'some'", "traffic must be one of steady, profiled"),
        ("set = 'n=4'", "set must be an array of strings"),
        ("jobs = 'many'", "jobs must be a number"),
        ("jobs =", "it cannot be read"),
        ("fail-on = 'sometimes'", "give a level (note, warning, error), or rules"),
        ("gpu = 5", "gpu: no GPU is called '5'"),
        ("select = ['RS999']", "select: no rule is called 'RS999'"),
        ("std = 'c++99'", "std: -std=c++99 is no language standard"),
        ("launch = ['k:grid=0']", "launch: --launch 'k:grid=0'"),
        ("min-confidence = 2", "min-confidence: --min-confidence '2' is not from 0 to 1"),
        ("gpu = 'h100'\n[tool.roofstat]", "options stand both under [tool.roofstat] and above it"),
        # What comes with a source tree may not send it anywhere.
        ("llm = 'x'", "only the command line sends source"),
        ("base-url = 'http://example.org'", "only the command line sends source"),
        ("yes = true", "only the command line sends source"),
    ],
)
def test_mistakes_in_a_configuration_file_are_usage_errors(tree, run, text, message):
    Path("roofstat.toml").write_text(text)
    status, shown = run("k.cu")
    assert status == 2
    assert message in shown
    assert f"{Path('roofstat.toml').resolve()}: " in shown


def test_the_own_configuration_file_may_have_the_heading_of_the_shared_one(tree, run):
    Path("roofstat.toml").write_text('[tool.roofstat]\nignore = ["RS101"]\n')
    assert run("k.cu") == (0, [])


def test_other_commands_take_what_they_know_of_it(tree, capsys):
    Path("roofstat.toml").write_text('fail-on = "warning"\ngpu = "nonsense"\n')
    assert main(["explain", "k.cu", "row_sums"]) == 2
    assert "nonsense" in capsys.readouterr().err


def test_what_a_baseline_knows_stays_quiet_even_if_it_moves(tree, run, capsys):
    assert main(["baseline", "k.cu", "--no-cache", "-j", "1", "-o", "known.json"]) == 0
    assert "1 finding, 1 kernel\n" in capsys.readouterr().out
    assert run("k.cu", "--baseline", "known.json") == (0, [])
    Path("k.cu").write_text(f"// moved\n{UNCOALESCED}")
    assert run("k.cu", "--baseline", "known.json") == (0, [])
    Path("k.cu").write_text(UNCOALESCED.replace("sum += m[", "sum = sum + m["))
    assert run("k.cu", "--baseline", "known.json") == (0, [("baseline", 1), ("RS101", 5)])


def test_a_baseline_reports_changed_verdicts(tree, run):
    Path("k.cu").write_text(POWER.before)
    assert main(["baseline", "k.cu", "--no-cache", "-j", "1"]) == 0
    Path("k.cu").write_text(POWER.source)
    arguments = ("k.cu", "--baseline", ".roofstat-baseline.json")
    assert run(*arguments) == (0, [("RS901", 1)])
    status, message = run(*arguments, "--gpu", "h100")
    assert (status, "write the baseline anew" in message) == (2, True)


@pytest.mark.parametrize("text", ["", "[]", '{"schema": "x"}', '{"schema": "roofstat-baseline/1"}'])
def test_what_is_no_baseline_is_refused(tree, run, text):
    Path("known.json").write_text(text)
    status, message = run("k.cu", "--baseline", "known.json")
    assert (status, "roofstat baseline" in message) == (2, True)


def git(*arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


def test_a_diff_reports_changed_lines_and_changed_verdicts(tree, run):
    Path("power.cu").write_text(POWER.before)
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    assert run("k.cu", "power.cu", "--diff", "HEAD") == (0, [])
    Path("k.cu").write_text(UNCOALESCED.replace("sum += m[", "sum = sum + m["))
    Path("power.cu").write_text(POWER.source)
    assert run("k.cu", "power.cu", "--diff", "HEAD") == (0, [("RS101", 5), ("RS901", 1)])
    Path("new.cu").write_text(UNCOALESCED)  # not tracked: all of it is new
    assert run("new.cu", "--diff", "HEAD") == (0, [("RS101", 5)])
    status, message = run("k.cu", "--diff", "nothing")
    assert (status, "git knows no such revision" in message) == (2, True)


SUM = """__global__ void sum(const unsigned *x, unsigned *y, int n) {
  unsigned total = 0;
  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) * STEP; i < n; i += gridDim.x * blockDim.x * STEP)
    total += x[i];
  y[blockIdx.x * blockDim.x + threadIdx.x] = total;
}
"""


def test_a_diff_reports_what_a_change_brings_about_on_other_lines(tree, run):
    Path("sum.cu").write_text(SUM.replace("STEP", "1"))
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    other = ("--ignore", "RS9")
    assert run("sum.cu", "--diff", "HEAD", *other) == (0, [])
    Path("sum.cu").write_text("// every eighth\n" + SUM.replace("STEP", "8"))
    assert run("sum.cu", "--diff", "HEAD", *other) == (0, [("RS102", 5)])  # line 4 has changed
    # What was there before stays quiet, in renamed files as well.
    git("add", ".")
    git("commit", "-q", "-m", "second")
    git("mv", "sum.cu", "total.cu")
    assert run("total.cu", "--diff", "HEAD", *other) == (0, [])
    # A revision that lacks what a build makes is not read as today's files are.
    Path("total.cu").write_text('#include "made.h"\n' + SUM.replace("STEP", "8"))
    git("add", "total.cu")
    git("commit", "-q", "-m", "third")
    Path("made.h").write_text("\n")
    assert run("total.cu", "--diff", "HEAD", *other) == (0, [])


def test_a_changed_verdict_is_accepted_in_the_way_of_what_it_is_compared_with(tree, capsys):
    Path("k.cu").write_text(POWER.before)
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    assert main(["baseline", "k.cu", "--no-cache", "-j", "1", "-o", "known.json"]) == 0
    Path("k.cu").write_text(POWER.source)
    for option, value, said, other in (
        ("--baseline", "known.json", "write the baseline anew", "SKIP="),
        ("--diff", "HEAD", "SKIP=roofstat-verdict", "baseline"),
    ):
        capsys.readouterr()
        main(["k.cu", "--no-cache", "-j", "1", "--format", "gcc", option, value])
        shown = capsys.readouterr().out
        assert said in shown
        assert other not in shown


def test_a_diff_needs_a_repository(tree, run):
    status, message = run("k.cu", "--diff", "HEAD")
    assert (status, "git" in message) == (2, True)


def test_suppressed_findings_are_neither_shown_nor_fail(tree, run):
    Path("k.cu").write_text(UNCOALESCED.replace("+ j];", "+ j]; // roofstat: ignore[RS101] given"))
    assert run("k.cu", "--fail-on", "note") == (0, [])
    Path("k.cu").write_text(CLEAN.replace("+ row];", "+ row]; // roofstat: ignore[RS101] given"))
    assert run("k.cu", "--fail-on", "note") == (1, [("RS903", 5)])


def test_headers_that_a_build_names_by_whole_paths_are_named_like_the_rest(tree, capsys):
    kernel, main_function = UNCOALESCED.split("int main")
    Path("include").mkdir()
    Path("include/k.cuh").write_text(kernel)
    Path("k.cu").write_text(f'#include "k.cuh"\nint main{main_function}')
    whole = tree / "include"
    shown = {}
    for path in ("k.cu", str(tree / "k.cu")):
        assert main([path, "-I", str(whole), "--no-cache", "-j", "1", "--format", "github"]) == 0
        shown[path] = capsys.readouterr().out
    assert "file=include/k.cuh,line=5," in shown["k.cu"]
    assert f"file={whole}/k.cuh,line=5," in shown[str(tree / "k.cu")]


def test_a_renamed_kernel_is_compared_with_what_it_was(tree, run, monkeypatch):
    Path("power.cu").write_text(POWER.before + "// long\n" * 20)
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    git("mv", "power.cu", "renamed.cu")
    Path("renamed.cu").write_text(POWER.source + "// long\n" * 20)
    assert run("renamed.cu", "--diff", "HEAD") == (0, [("RS901", 1)])
    # Without the rule nothing of the other revision is analysed.
    monkeypatch.setattr("roofstat.cli.revisions.export_revision", lambda *_: 1 / 0)
    assert run("renamed.cu", "--diff", "HEAD", "--ignore", "RS901") == (0, [])


def test_a_baseline_knows_unused_comments_and_nothing_that_a_comment_ignores(tree, run, capsys):
    Path("k.cu").write_text(
        UNCOALESCED.replace("+ j];", "+ j]; // roofstat: ignore[RS101,RS104] given")
    )
    assert main(["baseline", "k.cu", "--no-cache", "-j", "1"]) == 0
    (known,) = json.loads(Path(".roofstat-baseline.json").read_text())["findings"]
    assert (known["code"], known["count"]) == ("RS903", 1)
    assert run("k.cu", "--baseline", ".roofstat-baseline.json") == (0, [])


def test_a_baseline_that_knows_what_is_gone_says_so(tree, run):
    assert main(["baseline", "k.cu", "--no-cache", "-j", "1", "-o", "known.json"]) == 0
    Path("k.cu").write_text(CLEAN)  # the same kernel, with another name of its parameter
    assert run("k.cu", "--baseline", "known.json", "--ignore", "RS901") == (0, [("baseline", 1)])
    assert run("k.cu", "--baseline", "known.json", "--ignore", "RS101,RS9") == (0, [])
    # Files that are not analysed this time have not lost their findings.
    Path("other.cu").write_text(CLEAN.replace("row_sums", "other"))
    assert run("other.cu", "--baseline", "known.json") == (0, [])


def test_edits_of_sarif_fit_lines_with_characters_of_several_bytes(tree, capsys):
    literal = rule_for("RS201").bad.source.replace("value * 0.9", "/* é漢🚀 */ value * 0.9")
    Path("k.cu").write_text(literal, encoding="utf-8")
    assert main(["--no-cache", "-j", "1", "--format", "sarif", "--select", "RS201", "k.cu"]) == 0
    (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    lines = literal.split("\n")
    for edit in reversed(result["fixes"][0]["artifactChanges"][0]["replacements"]):
        place = edit["deletedRegion"]
        line = lines[place["startLine"] - 1]
        start, end = place["startColumn"] - 1, place["endColumn"] - 1
        lines[place["startLine"] - 1] = line[:start] + edit["insertedContent"]["text"] + line[end:]
    assert "value * 0.9f + 0.1f;" in "\n".join(lines)


def test_a_header_is_judged_by_the_sources_that_include_it(tree, run):
    for folder in ("inc", "src"):
        Path(folder).mkdir()
    Path("inc/ops.cuh").write_text("__device__ float scaled(float x) { return x * 0.9 + 0.1; }\n")
    Path("inc/all.cuh").write_text('#include "ops.cuh"\n')
    calls = rule_for("RS201").bad.source.replace("value * 0.9 + 0.1", "scaled(value) * 0.7")
    Path("src/a.cu").write_text(f'#include "../inc/all.cuh"\n{calls}')
    subprocess.run(["git", "init", "-q"], check=True)
    assert run("inc/ops.cuh", "--fail-on", "warning") == (0, [])
    # The literal of a.cu is none of the header's.
    assert run("inc/ops.cuh", "--fail-on", "warning", "--includers") == (1, [("RS201", 1)])
    assert run("inc/ops.cuh", "src", "--fail-on", "warning", "--includers") == (
        1,
        [("RS201", 1), ("RS201", 6)],
    )


@pytest.mark.parametrize("option", ["--fail-on", "--select"])
def test_an_empty_choice_of_rules_is_refused(tree, run, option):
    status, message = run("k.cu", option, "")
    assert (status, f"{option} is empty" in message) == (2, True)
