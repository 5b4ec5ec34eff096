"""One verdict from two."""

from __future__ import annotations

import math

import pytest

from roofstat.llm.answers import Answer
from roofstat.llm.combination import combination_rule, combine, contradicts_itself
from roofstat.report import OpinionFlag
from roofstat.roofline import NumberType, Verdict

COMPUTE, BANDWIDTH, UNKNOWN = Verdict.COMPUTE, Verdict.BANDWIDTH, Verdict.UNKNOWN


def said(verdict, confidence=0.9, **amounts):
    return Answer(verdict=verdict, confidence=confidence, amounts=amounts)


def test_agreement_adds_log_odds():
    # logit(0.8) + 0.5 * logit(0.9) = 1.386 + 1.099 = 2.485, and 1 / (1 + e^-2.485) = 0.923
    found = combine(COMPUTE, 0.8, said(COMPUTE))
    assert (found.verdict, found.flags) == (COMPUTE, ())
    assert found.confidence == pytest.approx(0.923, abs=1e-3)


def test_an_unsure_static_verdict_can_be_overruled_and_a_sure_one_cannot():
    # 0.5 * logit(0.95) = 1.472 against logit(0.8) = 1.386 and logit(0.85) = 1.735
    assert combine(BANDWIDTH, 0.8, said(COMPUTE, 1.0)).verdict is COMPUTE
    assert combine(BANDWIDTH, 0.85, said(COMPUTE, 1.0)).verdict is BANDWIDTH


def test_a_contradicted_confident_verdict_stays_and_is_flagged():
    found = combine(BANDWIDTH, 0.93, said(COMPUTE, 1.0))
    assert (found.verdict, found.confidence) == (BANDWIDTH, 0.93)
    assert found.flags == (OpinionFlag.CONTRADICTS_STATIC,)


def test_an_answer_on_suspicious_source_is_not_counted():
    flags = (OpinionFlag.INSTRUCTIONS_IN_SOURCE,)
    found = combine(BANDWIDTH, 0.6, said(COMPUTE, 1.0), flags=flags)
    assert (found.verdict, found.confidence, found.flags) == (BANDWIDTH, 0.6, flags)


def test_without_an_answer_nothing_changes_and_without_a_static_verdict_the_answer_speaks():
    assert combine(BANDWIDTH, 0.6, None).confidence == 0.6
    found = combine(UNKNOWN, None, said(COMPUTE, 0.9))
    assert found.verdict is COMPUTE
    assert found.confidence == pytest.approx(1 / (1 + math.exp(-0.5 * math.log(9))))


def test_confidence_below_one_half_speaks_for_the_other_side():
    assert combine(UNKNOWN, None, said(COMPUTE, 0.1)).verdict is BANDWIDTH


@pytest.mark.parametrize(
    ("verdict", "amounts", "contradicts"),
    [
        # 100 integer operations on 10 bytes are at a ridge of 10
        (COMPUTE, {"int_op": 100, "sp_flop": 0}, False),
        (BANDWIDTH, {"int_op": 100, "sp_flop": 0}, True),
        (BANDWIDTH, {"int_op": 99, "sp_flop": 0}, False),
        (COMPUTE, {"int_op": 99, "sp_flop": 0}, True),
        # what is not known may decide
        (COMPUTE, {"int_op": 99}, False),
        (BANDWIDTH, {"int_op": 100}, True),
    ],
)
def test_a_verdict_has_to_follow_from_its_own_numbers(verdict, amounts, contradicts):
    ridges = {NumberType.INT: 10.0, NumberType.FP32: 20.0}
    answer = said(verdict, dram_read_bytes=8, dram_write_bytes=2, **amounts)
    assert contradicts_itself(answer, ridges) is contradicts
    assert contradicts_itself(said(verdict, **amounts), ridges) is False


def test_the_shipped_rule_trusts_the_model_less_than_the_calibrated_analysis():
    rule = combination_rule()
    assert rule.llm_weight < rule.static_weight
