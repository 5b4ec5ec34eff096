"""Every rule finds its bad example and nothing in its good one."""

import pytest

from roofstat.rules.registry import RULES
from roofstat.rules.runner import findings
from roofstat.rules.suppressions import without_suppressed


def found_codes(example, report_of, context_of):
    before = report_of(example.before, example.suffix) if example.before is not None else None
    report = report_of(example.source, example.suffix)
    found = findings(report, context_of(report, before))
    lines = example.source.splitlines()
    return {
        item.code: item
        for item in without_suppressed(found, lambda _: lines, [report.kernels[0].file])
    }


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_bad_example_is_found(rule, report_of, context_of):
    found = found_codes(rule.bad, report_of, context_of)
    assert rule.code in found
    assert found[rule.code].line is not None
    assert found[rule.code].help


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_good_example_is_not(rule, report_of, context_of):
    assert rule.code not in found_codes(rule.good, report_of, context_of)
