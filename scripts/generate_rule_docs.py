"""Write docs/rules.md from the rules, or check that it is up to date."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from roofstat.rules import RULES
from roofstat.rules.documentation import rules_page

PAGE = Path(__file__).parents[1] / "docs" / "rules.md"


def main() -> int:
    """Write the page, or with `--check` fail where it differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if out of date")
    arguments = parser.parse_args()
    text = rules_page(RULES)
    if not arguments.check:
        PAGE.write_text(text, "utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text("utf-8") == text:
        return 0
    print(f"{PAGE.name} is out of date: run python scripts/generate_rule_docs.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
