"""Rules: what to change about a kernel, found from its report alone."""

from roofstat.rules.registry import RULES, rule_for
from roofstat.rules.rule import Example, Finding, PreviousVerdict, Rule, RuleContext, kernel_key
from roofstat.rules.runner import with_findings

__all__ = [
    "RULES",
    "Example",
    "Finding",
    "PreviousVerdict",
    "Rule",
    "RuleContext",
    "kernel_key",
    "rule_for",
    "with_findings",
]
