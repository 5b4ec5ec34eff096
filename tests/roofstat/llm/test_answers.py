"""Strict reading of answers."""

from __future__ import annotations

import json

import jsonschema
import pytest

from roofstat.errors import LlmError, LlmFailure
from roofstat.llm.answers import ANSWER_SCHEMA, AnswerForm, parse_answer, parse_choices
from roofstat.roofline import Verdict


def test_a_right_answer_is_read_and_satisfies_the_schema(answer_text):
    text = answer_text(verdict="compute", confidence=0.75, hp_flop=None, reasons=["a", " b "])
    jsonschema.validate(json.loads(text), ANSWER_SCHEMA)
    answer = parse_answer(text, AnswerForm.JSON)
    assert (answer.verdict, answer.confidence, answer.reasons) == (
        Verdict.COMPUTE,
        0.75,
        ("a", "b"),
    )
    assert answer.amounts["int_op"] == 1000
    assert "hp_flop" not in answer.amounts


@pytest.mark.parametrize(
    "wrapped",
    [
        "Here it is:\n```json\nANSWER\n```\nDone.",
        '<think>perhaps {"verdict": 1}</think>ANSWER',
        "for (i) { x; } then ANSWER",
        "ANSWER\nANSWER",
    ],
)
def test_prose_fences_and_thoughts_around_the_object_do_not_matter(answer_text, wrapped):
    text = wrapped.replace("ANSWER", answer_text())
    assert parse_answer(text, AnswerForm.JSON).verdict is Verdict.BANDWIDTH


@pytest.mark.parametrize(
    "changes",
    [
        {"verdict": "memory"},
        {"verdict": "compute or bandwidth"},
        {"verdict": True},
        {"confidence": 1.5},
        {"confidence": 0.49},
        {"confidence": 0},
        {"confidence": 90},
        {"confidence": None},
        {"confidence": "high"},
        {"int_op": -1},
        {"int_op": "12 G"},
        {"int_op": True},
        {"int_op": float("nan")},
        {"int_op": float("inf")},
        {"dram_read_bytes": 10**400},
        {"reasons": "it streams"},
        {"reasons": [1]},
        {"units": "MB"},
    ],
)
def test_what_is_not_exactly_an_answer_is_none(answer_text, changes):
    with pytest.raises(LlmError) as caught:
        parse_answer(answer_text(**changes), AnswerForm.JSON)
    assert caught.value.kind is LlmFailure.MALFORMED


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I'm sorry, but I can't help with that.",
        '{"verdict": "compute"}',
        '{"verdict": "compute", "verdict": "bandwidth"}',
        '{"verdict": "compute"',
        "[1]",
        "{" * 5000,
    ],
)
def test_broken_json_and_refusals_in_words_are_no_answers(text):
    with pytest.raises(LlmError):
        parse_answer(text, AnswerForm.JSON)


@pytest.mark.parametrize("name", ["int_op", "confidence"])
def test_a_number_of_more_digits_than_an_int_may_have_is_no_answer(answer_text, name):
    text = answer_text(**{name: 12345}).replace("12345", "1" + "0" * 6000)
    with pytest.raises(LlmError) as caught:
        parse_answer(text, AnswerForm.JSON)
    assert caught.value.kind is LlmFailure.MALFORMED


def test_several_answers_must_agree(answer_text):
    one, other = answer_text(), answer_text(verdict="compute")
    assert parse_choices([one, one], AnswerForm.JSON).verdict is Verdict.BANDWIDTH
    for texts in ([one, other], [f"{one} {other}"], []):
        with pytest.raises(LlmError):
            parse_choices(texts, AnswerForm.JSON)


def test_the_word_form_takes_the_last_word_as_the_paper_does():
    said = parse_answer("Not compute but **Bandwidth**.", AnswerForm.WORD)
    assert (said.verdict, said.confidence) == (Verdict.BANDWIDTH, None)
    with pytest.raises(LlmError):
        parse_answer("Memory.", AnswerForm.WORD)
