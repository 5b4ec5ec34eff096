"""Which rules are on: codes, beginnings of codes and names; of two words that fit, the longer one decides."""

from __future__ import annotations

from collections.abc import Iterable

from clang_queries.quick_dataclass import dataclass
from roofstat.rules.registry import RULES, rule_for
from roofstat.rules.rule import Rule

__all__ = ["ALL", "Selection", "rule_words"]

ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """A choice of rules.

    Attributes:
        select: Words that turn rules on; without any, all are on.
        ignore: Words that turn rules off; they win over equally long ones.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def decide(self, rule: Rule) -> bool:
        """Return whether a rule is on.

        >>> from roofstat.rules.registry import rule_for
        >>> chosen = Selection(select=("RS1", "RS201"), ignore=("RS104",))
        >>> [chosen.decide(rule_for(code)) for code in ("RS101", "RS104", "RS201", "RS202")]
        [True, False, True, False]
        """
        on = max((_fit(word, rule) for word in self.select or (ALL,)), default=-1)
        off = max((_fit(word, rule) for word in self.ignore), default=-1)
        return on > off

    def rules(self) -> tuple[Rule, ...]:
        """Return the rules that are on."""
        return tuple(rule for rule in RULES if self.decide(rule))


def rule_words(text: str | Iterable[str]) -> tuple[str, ...]:
    """Split a list of words at commas.

    Raises:
        UsageError: A word fits no rule.

    >>> rule_words("RS1, bank-conflicts")
    ('RS1', 'bank-conflicts')
    """
    parts = text.split(",") if isinstance(text, str) else text
    words = tuple(word.strip() for word in parts if word.strip())
    for word in words:
        if all(_fit(word, rule) < 0 for rule in RULES):
            rule_for(word)
    return words


def _fit(word: str, rule: Rule) -> int:
    """How exactly a word means a rule; below 0 where it does not."""
    if word == ALL:
        return 0
    if word == rule.name:
        return len(rule.code)
    return len(word) if rule.code.startswith(word) else -1
