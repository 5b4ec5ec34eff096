"""Choosing rules, and comments that ignore findings."""

import pytest

from roofstat.errors import UsageError
from roofstat.report import Diagnostic, Severity
from roofstat.rules.registry import RULES
from roofstat.rules.selection import Selection, rule_words
from roofstat.rules.suppressions import without_suppressed


def codes(**words):
    return {rule.code for rule in Selection(**words).rules()}


def test_without_words_all_rules_are_on():
    assert codes() == {rule.code for rule in RULES}


def test_the_longer_word_decides():
    assert codes(select=("RS2", "RS1"), ignore=("RS20", "RS1")) == set()
    assert codes(select=("RS201",), ignore=("RS2",)) == {"RS201"}
    assert codes(select=("bank-conflicts",)) == {"RS104"}
    assert "RS104" not in codes(ignore=("bank-conflicts",))


@pytest.mark.parametrize("word", ["RS7", "coalescing", "rs101"])
def test_words_that_fit_no_rule_are_refused(word):
    with pytest.raises(UsageError, match="no rule is called"):
        rule_words(f"RS1,{word}")


def finding(line, code="RS101"):
    return Diagnostic(code=code, severity=Severity.WARNING, message="m", file="k.cu", line=line)


def kept(text, *found, rules=RULES):
    lines = text.splitlines()
    left = without_suppressed(found, lambda _: lines, ["k.cu"], rules)
    return [(item.code, item.line) for item in left]


def test_a_comment_on_the_line_or_alone_before_it_ignores():
    text = "a; // roofstat: ignore[RS101] reason\n  /* roofstat: ignore[bank-conflicts] */\nb;\nc;"
    assert kept(text, finding(1), finding(3, "RS104"), finding(4)) == [("RS101", 4)]


def test_a_comment_ignores_its_own_codes_only_and_must_be_of_use():
    text = "a; // roofstat: ignore[RS101, RS102] reason"
    assert kept(text, finding(1), finding(1, "RS104")) == [("RS104", 1), ("RS903", 1)]


def test_a_comment_about_a_rule_that_is_off_is_not_unused():
    text = "a; // roofstat: ignore[RS101] reason"
    assert kept(text, rules=Selection(ignore=("RS101",)).rules()) == []
    assert kept(text, rules=Selection(ignore=("RS903",)).rules()) == []
    assert kept(text) == [("RS903", 1)]
