"""`roofstat llm log` and `roofstat llm fine-tune`."""

from __future__ import annotations

import json

import pytest

from roofstat.cli import llm as command
from roofstat.errors import LlmError, LlmFailure, UsageError
from roofstat.llm import fine_tuning
from roofstat.llm.replies import Reply


@pytest.fixture
def run(run_command):
    def run(*arguments):
        status, out, err = run_command(command, arguments)
        assert status == 0
        return out, err

    return run


def test_the_log_shows_calls_and_one_in_full(run, log, make_request):
    request = make_request("what is \x1b[31m this?")
    log.add(
        request,
        "http://here/v1",
        Reply(texts=("no idea",), prompt_tokens=3, completion_tokens=4),
        (LlmFailure.MALFORMED, "it is no JSON"),
    )
    log.add(make_request("more"), "http://here/v1", None, (LlmFailure.TIMEOUT, "too slow"))
    out, _ = run("log", "--llm-log", log.file)
    newest, oldest = out.splitlines()
    assert "timeout" in newest
    assert f"{request.key[:12]}  m  roofstat/1  malformed  3+4 tokens  http://here/v1" in oldest
    out, _ = run("log", "--llm-log", log.file, "--show", request.key[:6])
    assert "what is \\x1b[31m this?" in out
    assert "--- answer\nno idea" in out
    out, _ = run("log", "--llm-log", log.file, "--format", "json", "--limit", "1")
    assert json.loads(out)["status"] == "timeout"
    with pytest.raises(UsageError, match="no request begins"):
        run("log", "--llm-log", log.file, "--show", "zz")


def test_without_a_log_there_is_nothing_to_show(run, tmp_path, monkeypatch):
    monkeypatch.setenv("ROOFSTAT_DATA_DIR", str(tmp_path / "none"))
    assert "no call yet" in run("log")[0]
    with pytest.raises(UsageError):
        run("log", "--llm-log", tmp_path / "none.sqlite")


@pytest.fixture
def jobs(server, monkeypatch):
    """A server with a fine-tuning job that takes three looks."""
    monkeypatch.setattr(fine_tuning.time, "sleep", lambda _: None)
    state = {"uploads": [], "created": None, "looks": 0, "end": "succeeded"}

    def upload(handler, content):
        state["uploads"].append(content)
        return {"id": f"file-{len(state['uploads'])}", "object": "file"}

    def create(handler, content):
        state["created"] = json.loads(content)
        return {"id": "job-1", "object": "fine_tuning.job", "status": "queued"}

    def look(handler, content):
        state["looks"] += 1
        ended = state["looks"] >= 3
        return {
            "id": "job-1",
            "object": "fine_tuning.job",
            "status": state["end"] if ended else "running",
            "fine_tuned_model": "ft:m:1" if ended and state["end"] == "succeeded" else None,
            "error": {"message": "bad chats", "code": "x", "param": None} if ended else None,
        }

    def events(handler, content):
        step = {
            "id": f"e{state['looks']}",
            "created_at": state["looks"],
            "message": f"step {state['looks']}",
        }
        return {
            "object": "list",
            "data": [{**step, "level": "info", "object": "event"}],
            "has_more": False,
        }

    server.routes = {
        "/v1/files": upload,
        "/v1/fine_tuning/jobs": create,
        "/v1/fine_tuning/jobs/job-1": look,
        "/v1/fine_tuning/jobs/job-1/events": events,
    }
    return state


def test_a_job_is_started_and_followed_to_its_model(run, server, jobs, tmp_path):
    training, validation = tmp_path / "t.jsonl", tmp_path / "v.jsonl"
    training.write_text('{"messages": []}\n')
    validation.write_text("{}\n")
    out, err = run(
        "fine-tune", training, validation, "--model", "m", "--base-url", server.url, "--epochs", "2"
    )
    assert out == "ft:m:1\n"
    assert [step in err for step in ("step 1", "step 2", "step 3")] == [True] * 3
    assert b'{"messages": []}' in jobs["uploads"][0]
    assert (jobs["created"]["training_file"], jobs["created"]["validation_file"]) == (
        "file-1",
        "file-2",
    )
    assert jobs["created"]["method"]["supervised"]["hyperparameters"] == {"n_epochs": 2}


def test_a_failed_job_says_why_and_a_known_one_uploads_nothing(run, server, jobs):
    jobs["end"] = "failed"
    with pytest.raises(LlmError, match="bad chats"):
        run("fine-tune", "--job", "job-1", "--base-url", server.url)
    assert jobs["uploads"] == []


def test_a_job_at_openai_needs_a_key(run, tmp_path, monkeypatch):
    for name in ("ROOFSTAT_LLM_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    training = tmp_path / "t.jsonl"
    training.write_text("{}\n")
    with pytest.raises(UsageError, match="there is no key"):
        run("fine-tune", training, "--model", "m")


def test_a_job_needs_a_model_and_files(run, tmp_path):
    for arguments in (
        ["fine-tune"],
        ["fine-tune", tmp_path / "x"],
        ["fine-tune", tmp_path / "x", "--model", "m"],
    ):
        with pytest.raises(UsageError):
            run(*arguments)
