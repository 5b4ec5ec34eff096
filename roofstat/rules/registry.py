"""The rules there are, by code. A new rule is one file and one line here."""

from __future__ import annotations

import difflib
import operator

from roofstat.errors import UsageError
from roofstat.rules import (
    rs101_uncoalesced_access,
    rs102_interleaved_layout,
    rs103_misaligned_access,
    rs104_bank_conflicts,
    rs105_loop_invariant_load,
    rs106_repeated_load,
    rs107_unshared_reuse,
    rs108_contended_atomics,
    rs109_excess_traffic,
    rs110_scattered_constants,
    rs201_double_literal,
    rs202_double_function,
    rs203_runtime_division,
    rs301_divergent_branch,
    rs302_partial_warp,
    rs303_small_launch,
    rs304_shared_memory_occupancy,
    rs401_idle_offload,
    rs402_repeated_map,
    rs901_verdict_changed,
    rs902_unbounded_analysis,
    rs903_unused_suppression,
)
from roofstat.rules.rule import Rule

__all__ = ["RULES", "rule_for"]

RULES: tuple[Rule, ...] = (
    rs101_uncoalesced_access.RULE,
    rs102_interleaved_layout.RULE,
    rs103_misaligned_access.RULE,
    rs104_bank_conflicts.RULE,
    rs105_loop_invariant_load.RULE,
    rs106_repeated_load.RULE,
    rs107_unshared_reuse.RULE,
    rs108_contended_atomics.RULE,
    rs109_excess_traffic.RULE,
    rs110_scattered_constants.RULE,
    rs201_double_literal.RULE,
    rs202_double_function.RULE,
    rs203_runtime_division.RULE,
    rs301_divergent_branch.RULE,
    rs302_partial_warp.RULE,
    rs303_small_launch.RULE,
    rs304_shared_memory_occupancy.RULE,
    rs401_idle_offload.RULE,
    rs402_repeated_map.RULE,
    rs901_verdict_changed.RULE,
    rs902_unbounded_analysis.RULE,
    rs903_unused_suppression.RULE,
)


def rule_for(text: str) -> Rule:
    """Return the rule with a code or a name.

    Raises:
        UsageError: There is none.
    """
    for rule in RULES:
        if text in (rule.code, rule.name):
            return rule
    known = [word for rule in RULES for word in (rule.code, rule.name)]
    near = difflib.get_close_matches(text, known, cutoff=0.6)
    near.sort(key=lambda word: sum(map(operator.eq, word, text)), reverse=True)
    raise UsageError(
        f"no rule is called {text!r}",
        remedy=f"did you mean {near[0]}?" if near else "roofstat rules lists them",
    )
