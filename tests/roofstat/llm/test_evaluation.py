"""`roofstat eval --llm` from label tables to scores, against a server on the loopback. Programs and labels are invented."""

from __future__ import annotations

import csv
import json
import re

import jsonschema
import pytest

from roofstat.cli import evaluate as command
from roofstat.errors import UsageError
from roofstat.evaluation.json_form import eval_schema
from roofstat.llm.answers import AMOUNTS

MEASURED = {"sp_flop": 1234567, "dp_flop": 7654321, "int_op": 1357913, "dram_bytes": 2468024}
"""Of every row, so that they are known when they are seen."""

STREAM = """
#include <cuda_runtime.h>
__global__ void stream{n}(float *out, const float *in, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2.0f * in[i];
}}
int main() {{
  float *out, *in;
  cudaMalloc(&out, 1 << 24); cudaMalloc(&in, 1 << 24);
  stream{n}<<<16384, 256>>>(out, in, 1 << 22);
}}
"""
LOOP = """
#include <cuda_runtime.h>
__global__ void loop{n}(float *out, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i;
  for (int k = 0; k < 4096; k++) x = x * 1.5f + 0.5f;
  out[i] = x;
}}
int main() {{
  float *out;
  cudaMalloc(&out, 1 << 24);
  loop{n}<<<16384, 256>>>(out, 1 << 22);
}}
"""
OPENMP = """
int main() {{
  int n = 1 << 22;
  float *a = new float[n], *b = new float[n], *c = new float[n];
  #pragma omp target teams distribute parallel for map(tofrom: a[0:n]) map(to: b[0:n], c[0:n])
  for (int i = 0; i < n; i++) a[i] = a[i] * {n}.0f + b[i] + c[i];
}}
"""


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Six CUDA programs of both classes and two of OpenMP; stream2 is labelled the wrong way round."""
    folder = tmp_path_factory.mktemp("labels")
    rows = []
    for n in range(3):
        for word, text, label in (("stream", STREAM, "bandwidth"), ("loop", LOOP, "compute")):
            name = f"{word}{n}"
            (folder / f"{name}.cu").write_text(text.format(n=n))
            parameters = "float *, const float *, int" if word == "stream" else "float *, int"
            wrong = {"compute": "bandwidth", "bandwidth": "compute"}[label]
            rows.append(
                {
                    "program": f"{name}-cuda",
                    "sources": f"{name}.cu",
                    "language": "cuda",
                    "kernel": f"{name}({parameters})",
                    "label": wrong if name == "stream2" else label,
                }
            )
    for n in range(1, 3):
        (folder / f"scale{n}.cpp").write_text(OPENMP.format(n=n))
        rows.append(
            {
                "program": f"scale{n}-omp",
                "sources": f"scale{n}.cpp",
                "language": "openmp",
                "function": "main",
                "line": 5,
                "label": "bandwidth",
            }
        )
    file = folder / "invented.csv"
    names = dict.fromkeys(name for row in rows for name in row)
    with file.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, [*names, "gpu", "grid_x", "block_x", *MEASURED])
        writer.writeheader()
        for row in rows:
            launch = {"grid_x": 16384, "block_x": 256} if row["language"] == "cuda" else {}
            writer.writerow({**row, **launch, "gpu": "a100-sxm-80", **MEASURED})
    return file


@pytest.fixture
def run(table, tmp_path, run_command):
    """Runs the command on the invented table; the log is one of the test."""

    def run(*arguments, server=None):
        given = ["--labels", str(table), "--sources", str(table.parent), "-j", "1"]
        given += ["--llm-log", str(tmp_path / "log.sqlite")]
        if server is not None:
            given += ["--llm", "m", "--base-url", server.url]
        status, out, err = run_command(command, [*given, *arguments], width=140)
        assert status == 0
        return out, err

    return run


def as_json(output):
    result = json.loads(output)
    jsonschema.validate(result, eval_schema())
    return result


def turns(lines):
    """The user's last turn of each exported request, by custom id."""
    found = [json.loads(line) for line in lines.splitlines()]
    return {item["custom_id"]: item["body"]["messages"] for item in found}


def test_a_zero_shot_run_scores_three_predictors_and_tests_them(run, server, answer_text):
    def say(body):
        # right but for loop1, and as the wrong label has it for stream2
        said = body["messages"][-1]["content"]
        compute = any(name in said for name in ("loop0(", "loop2(", "stream2("))
        unknown = dict.fromkeys(AMOUNTS)
        return answer_text(verdict="compute" if compute else "bandwidth", confidence=0.8, **unknown)

    server.respond = say
    out, err = run("--scenario", "zero-shot", "--format", "json", server=server)
    result = as_json(out)
    llm = result["llm"]
    assert (llm["asked"], llm["answered"], llm["scenario"]) == (8, 8, "zero-shot")
    assert "source goes to" in err
    # the analysis misses the wrong label, the model misses loop1
    assert llm["predictors"]["static"]["accuracy"] == 0.875
    assert llm["predictors"]["llm"]["accuracy"] == result["accuracy"] == 0.875
    test = llm["tests"]["llm_against_static"]
    assert (test["improved"], test["regressed"], test["p_value"], test["is_noise"]) == (
        1,
        1,
        1,
        True,
    )
    assert llm["flags"] == {"contradicts-confident-static-verdict": 2}
    assert (llm["prompt_tokens"], llm["completion_tokens"]) == (800, 160)
    row = next(row for row in result["per_row"] if row["program"] == "loop1-cuda")
    assert (row["verdict"], row["llm"]["static_verdict"]) == ("bandwidth", "compute")
    assert row["llm"]["combined_verdict"] == "compute"
    text, _ = run("--llm-replay", server=server)
    assert "8 rows asked about, 8 answered" in text
    assert "noise" in text
    assert len(server.requests) == 8


def test_a_run_goes_on_where_it_stopped_and_can_be_compared(run, server, reaction, tmp_path):
    server.react(reaction(), reaction(), reaction(status=400, error="too long"))
    first = as_json(run("--format", "json", "--llm-concurrency", "1", server=server)[0])
    assert first["llm"]["answered"] == 2
    assert first["llm"]["failures"] == {"request": 6}
    assert {row["failure"]["kind"] for row in first["per_row"] if row["failure"]} == {"llm"}
    server.reactions.clear()
    second = as_json(run("--format", "json", server=server)[0])
    assert (second["llm"]["answered"], second["llm"]["logged"]) == (8, 2)
    old = tmp_path / "static.json"
    old.write_text(run("--format", "json")[0])
    text, _ = run("--against", old, "--llm-replay", server=server)
    assert "McNemar p" in text


@pytest.mark.parametrize(
    ("prompt", "features", "scenario"),
    [
        ("roofstat", [], "zero-shot"),
        ("paper", ["--no-features"], "zero-shot"),
        ("roofstat", ["--no-features"], "few-shot"),
        ("paper", [], "few-shot"),
    ],
)
def test_an_exported_batch_is_complete_and_holds_no_label(
    run, tmp_path, prompt, features, scenario
):
    file = tmp_path / "batch.jsonl"
    _, err = run(
        "--llm", "m", "--export-batch", file, "--prompt", prompt, "--scenario", scenario, *features
    )
    assert "8 requests for 8 of 8 rows" in err
    asked = turns(file.read_text())
    assert len(asked) == 8
    for messages in asked.values():
        target = messages[-1]["content"]
        for value in MEASURED.values():
            assert not re.search(rf"(?<!\d){value}(?!\d)", target)
        assert "label" not in target.lower()
        assert ("static_verdict" in target) is not bool(features)
        assert "16384x1x1" in target or "omp target" in target
    if scenario == "zero-shot":
        text = file.read_text()
        assert all(str(value) not in text for value in MEASURED.values())


def test_few_shot_examples_are_of_other_families_and_one_of_each_class(run, tmp_path):
    file = tmp_path / "batch.jsonl"
    run("--llm", "m", "--export-batch", file, "--scenario", "few-shot", "--prompt", "paper")
    for messages in turns(file.read_text()).values():
        own = re.search(r"Kernel: .*?(stream\d|loop\d|main)", messages[-1]["content"])[1]
        shown = [message["content"] for message in messages[1:-1] if message["role"] == "user"]
        said = [message["content"] for message in messages[1:-1] if message["role"] == "assistant"]
        if own == "main":
            # the other OpenMP program is of one class
            assert said == ["Bandwidth"]
            continue
        assert said == ["Bandwidth", "Compute"]
        assert all(own not in text for text in shown)
        assert all("omp target" not in text for text in shown)


def test_the_profiled_scenario_shows_counts_and_no_source(run, tmp_path):
    file = tmp_path / "batch.jsonl"
    run("--llm", "m", "--export-batch", file, "--scenario", "profiled")
    (messages,) = {
        json.dumps(found[-1])
        for found in turns(file.read_text()).values()
        if "stream0" in found[-1]["content"]
    }
    assert "- int_op: 1.35791e+06" in messages
    assert "<source-" not in messages
    assert "static_verdict" not in messages


def test_an_answered_batch_comes_back(run, tmp_path, answer_text):
    exported, answered = tmp_path / "batch.jsonl", tmp_path / "output.jsonl"
    run("--llm", "m", "--export-batch", exported)

    def line(key, *texts, status=200):
        choices = [
            {"message": {"content": text, "refusal": None}, "finish_reason": "stop"}
            for text in texts
        ]
        body = {
            "model": "m-1",
            "choices": choices,
            "usage": {"prompt_tokens": 5, "completion_tokens": 7},
        }
        return json.dumps(
            {"custom_id": key, "response": {"status_code": status, "body": body}, "error": None}
        )

    keys = list(turns(exported.read_text()))
    bandwidth, compute = answer_text(), answer_text(verdict="compute")
    lines = [line(key, bandwidth) for key in keys[:5]]
    lines += [line(keys[5], "no idea"), line(keys[6], "", status=500)]
    # the same request twice: equal answers are one, others contradict each other
    lines += [line(keys[0], bandwidth), line(keys[1], compute), line("of another run", compute)]
    answered.write_text("\n".join(lines))
    out, err = run("--llm", "m", "--import-batch", answered, "--format", "json")
    llm = as_json(out)["llm"]
    assert "4 answers, 3 that cannot be used, 1 lines of other requests" in err
    assert (llm["asked"], llm["answered"], llm["destination"]) == (8, 4, "log")
    assert llm["failures"] == {"absent": 1, "malformed": 2, "server": 1}


@pytest.mark.parametrize(
    "text",
    ["not json", "[1]", '{"response": {}}', '{"custom_id": "a", "body": {}}', "[" * 100_000],
)
def test_what_is_no_batch_output_is_refused_with_its_line(run, tmp_path, text):
    file = tmp_path / "output.jsonl"
    file.write_text(text)
    with pytest.raises(UsageError, match=re.escape("output.jsonl:1")):
        run("--llm", "m", "--import-batch", file)
    with pytest.raises(UsageError, match="for a model"):
        run("--import-batch", file)


@pytest.mark.parametrize("text", ["", '{"custom_id": "other", "response": {"status_code": 500}}'])
def test_a_file_without_an_answer_to_this_run_is_refused(run, tmp_path, text):
    file = tmp_path / "output.jsonl"
    file.write_text(text)
    with pytest.raises(UsageError, match="no answer to any request of this run"):
        run("--llm", "m", "--import-batch", file)


def test_training_files_share_no_family_and_the_tuned_model_is_scored_on_the_rest(run, tmp_path):
    file = tmp_path / "chats.jsonl"
    _, err = run("--export-fine-tune", file, "--prompt", "paper")
    training = [json.loads(line) for line in file.read_text().splitlines()]
    validation = [
        json.loads(line) for line in (tmp_path / "chats.validation.jsonl").read_text().splitlines()
    ]
    assert f"{len(training)} chats" in err
    # of the eight families, only scale2 is one of the fifth that is kept out
    assert (len(training), len(validation)) == (7, 1)
    assert {chat["messages"][-1]["content"] for chat in training} == {"Bandwidth", "Compute"}
    batch = tmp_path / "batch.jsonl"
    given = ["--llm", "m", "--export-batch", batch, "--prompt", "paper"]
    run(*given, "--scenario", "fine-tuned")
    scored = {found[-1]["content"] for found in turns(batch.read_text()).values()}
    assert scored == {chat["messages"][-2]["content"] for chat in validation}
    with pytest.raises(UsageError, match="validation family"):
        run(*given, "--scenario", "fine-tuned", "--language", "cuda")
    with pytest.raises(UsageError, match="no chat to train on, 1 of program families"):
        run("--export-fine-tune", tmp_path / "none.jsonl", "--program", "^scale2")
    assert not (tmp_path / "none.jsonl").exists()


def test_a_sample_is_balanced_and_stable(run, tmp_path):
    file = tmp_path / "batch.jsonl"
    run("--llm", "m", "--export-batch", file, "--sample", "3", "--language", "cuda")
    first = turns(file.read_text())
    assert len(first) == 3
    run("--llm", "m", "--export-batch", file, "--sample", "3", "--language", "cuda")
    assert turns(file.read_text()) == first
