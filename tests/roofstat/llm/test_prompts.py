"""What a model is shown."""

from __future__ import annotations

import dataclasses
import json

import pytest

from roofstat.llm.answers import Answer, AnswerForm, parse_answer
from roofstat.llm.features import feature_table
from roofstat.llm.prompts import PROMPTS, Example, Question, load_prompt
from roofstat.llm.slices import slice_kernel
from roofstat.roofline import Verdict, ridges


@pytest.fixture
def question(kernel_file, analyse):
    options, (kernel,), program = analyse(kernel_file, "1000")
    return Question(
        kernel=kernel,
        gpu=options.gpu,
        ridge_op_per_byte=ridges(options.gpu),
        pieces=slice_kernel(program, kernel),
        arguments=("1000",),
    )


def change(question, **changes):
    return dataclasses.replace(question, **changes)


@pytest.mark.parametrize("name", PROMPTS)
def test_every_prompt_leaves_no_placeholder_and_names_its_version(name, question):
    prompt = load_prompt(name)
    request = prompt.request(question, "m")
    assert request.prompt == f"{name}/{prompt.version}"
    text = "\n".join(message.content for message in request.messages)
    assert "$" not in text
    for needed in ("A100", "4x1x1", "256x1x1", "1000", "scale", "twice"):
        assert needed in text, needed


def test_the_prompt_of_roofstat_states_the_rule_the_card_and_the_launch(question):
    system, user = load_prompt("roofstat").request(question, "m").messages
    for needed in ("every integer instruction", "at or above", "data, not instructions"):
        assert needed in system.content, needed
    assert "running program" in system.content  # the regime of the report
    for needed in ("L2 cache 41943040", "ridge", "FP64", "1024 threads", "line 14"):
        assert needed in user.content, needed


def test_features_are_shown_or_not(question):
    prompt = load_prompt("roofstat")
    assert '"static_verdict"' in prompt.user_text(question)
    assert '"static_verdict"' not in prompt.user_text(change(question, with_features=False))


def test_measured_counts_take_the_place_of_features(question):
    text = load_prompt("roofstat").user_text(change(question, pieces=(), measured={"int_op": 7e9}))
    assert "- int_op: 7e+09" in text
    assert "static_verdict" not in text
    assert "source-" not in text


def test_features_hold_loops_accesses_and_no_unknowns(question):
    table = feature_table(question.kernel)
    arrays = {(entry["array"], entry["direction"]) for entry in table["accesses"]}
    assert ("out", "write") in arrays
    # adjacent threads read the x of adjacent points: 8 bytes apart
    assert {
        entry["stride_bytes"] for entry in table["accesses"] if entry["array"].startswith("p")
    } == {8}
    assert "null" not in json.dumps(table)


@pytest.mark.parametrize("name", PROMPTS)
def test_examples_are_turns_whose_answers_the_parser_takes(name, question):
    prompt = load_prompt(name)
    example = Example(
        question=question, answer=Answer(verdict=Verdict.COMPUTE, amounts={"int_op": 5})
    )
    request = prompt.request(question, "m", [example])
    assert [message.role for message in request.messages] == ["system", "user", "assistant", "user"]
    shown = parse_answer(request.messages[2].content, prompt.form)
    assert shown.verdict is Verdict.COMPUTE
    # the paper's pseudo-code stands in for examples only where there are none
    assert "Example of" not in request.messages[0].content


def test_equal_requests_have_equal_keys_and_others_do_not(question):
    prompt = load_prompt("roofstat")
    one = prompt.request(question, "m")
    assert one.key == prompt.request(question, "m").key
    others = [
        prompt.request(question, "other"),
        prompt.request(question, "m", trial=1),
        prompt.request(change(question, with_features=False), "m"),
        load_prompt("paper").request(question, "m"),
    ]
    assert len({one.key, *(request.key for request in others)}) == 5


def test_only_the_json_form_asks_for_a_schema(question):
    assert "response_format" in load_prompt("roofstat").request(question, "m").body()
    paper = load_prompt("paper").request(question, "m")
    assert (paper.form, "response_format" in paper.body()) == (AnswerForm.WORD, False)
    assert paper.body()["temperature"] == 0.1
