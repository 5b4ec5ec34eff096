"""Choosing rules, and comments that ignore findings."""

import dataclasses

import pytest

from roofstat.errors import UsageError
from roofstat.report import Compiler, Diagnostic, KernelReport, Language, Severity
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


@pytest.mark.parametrize(
    "comment",
    [
        "// roofstat: ignore[RS101]",
        "//roofstat:ignore [RS101] reason",
        "// NOLINT roofstat: ignore[RS101]",
        "/* a */ /* roofstat: ignore[RS101] b */ // c",
        "/* roofstat: ignore[RS104] */ /* roofstat: ignore[RS101] */",
        "// roofstat: ignore[RS104] a // roofstat: ignore[RS101] b",
    ],
)
def test_comments_may_share_a_line_with_others(comment):
    assert ("RS101", 1) not in kept(f"a; {comment}", finding(1))


def test_comments_above_each_other_are_about_the_next_line_of_code():
    text = "// roofstat: ignore[RS101] a\n// roofstat: ignore[RS104] b\n\n// c\n/* d */\nx;"
    assert kept(text, finding(6), finding(6, "RS104")) == []
    # A declaration before the comment makes it one of its own line.
    assert kept("int a; // roofstat: ignore[RS101]\nx;", finding(2))[0] == ("RS101", 2)


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("// roofstat: ignore", "names no rule"),
        ("// roofstat: ignore[] x", "names no rule"),
        ("// roofstat: ignore[RS101", "names no rule"),
        ("// roofstat: ignore[rs101]", "no rule is called rs101"),
        ("// roofstat: ignore[RS1]", "no rule is called RS1"),
    ],
)
def test_comments_that_ignore_nothing_say_so(comment, said):
    found = without_suppressed([finding(1)], lambda _: [f"a; {comment}"], ["k.cu"])
    assert [item.code for item in found] == ["RS101", "RS903"]
    assert said in found[1].message
    assert "did you mean RS101?" in found[1].help or "rs101" not in comment


def test_other_words_are_no_comments_that_ignore():
    for comment in ("// roofstat: ignored[RS101]", "// roofstat finds much", "roofstat: ignore"):
        assert kept(f"a; {comment}", finding(1)) == [("RS101", 1)]


def test_a_comment_before_the_head_of_a_kernel_is_about_all_of_it():
    text = """int before;
// roofstat: ignore[RS101] the layout is given
template <int n>
__global__ void
k(float *x) {
  x[8] = 1;
}
"""
    kernel = KernelReport(
        name="k", signature="k(float *)", file="k.cu", line=5, end_line=7, language=Language.CUDA, compiler=Compiler.NVCC,
    )  # fmt: skip
    found = [
        dataclasses.replace(finding(line, code), kernel=name)
        for line, code, name in [
            (6, "RS101", "k(float *)"),
            (6, "RS104", "k(float *)"),
            (9, "RS101", "other"),
        ]
    ]
    lines = text.splitlines()
    left = without_suppressed(found, lambda _: lines, ["k.cu"], RULES, [kernel])
    assert list(left) == found[1:]
    # What ends a declaration before the head ends the comment's reach.
    apart = without_suppressed(
        found, lambda _: [*lines[:2], "int x;", *lines[3:]], ["k.cu"], RULES, [kernel]
    )
    assert [item.code for item in apart] == ["RS101", "RS104", "RS101", "RS903"]
