"""`roofstat rules [CODE]`: the rules, or one of them with its examples."""

from __future__ import annotations

import argparse

from roofstat.cli.commands import SubParsers
from roofstat.cli.console import Console

__all__ = ["add_parser", "run"]


def add_parser(sub: SubParsers) -> argparse.ArgumentParser:
    """Add the parser of `rules`."""
    parser = sub.add_parser(
        "rules",
        help="list the rules, or describe one",
        description="List the rules that findings come from, or describe one: what it detects, why that costs, examples.",
        allow_abbrev=False,
    )
    parser.add_argument("rule", nargs="?", metavar="CODE", help="code or name of a rule")
    return parser


def run(args: argparse.Namespace, console: Console) -> int:
    """Write the list, or the page of one rule."""
    from roofstat.rules import RULES, rule_for
    from roofstat.rules.documentation import rule_page

    if args.rule is not None:
        console.write(rule_page(rule_for(args.rule)))
        return 0
    width = max(len(rule.name) for rule in RULES)
    for rule in RULES:
        console.write(f"{rule.code}  {rule.name:{width}}  {rule.severity.value}\n")
    return 0
